"""What ``semel.testing.check_action`` looks at, one module for each part."""
