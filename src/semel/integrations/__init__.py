"""Integrations: thin adapters around the one tool, without ideas of their own."""
