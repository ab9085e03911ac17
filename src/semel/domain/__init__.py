"""Nouns, pure: what a plan is and what may happen to it. No clock, no randomness, no I/O."""
