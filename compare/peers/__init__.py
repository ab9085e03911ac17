"""One script for each peer; it runs in that peer's own environment."""
