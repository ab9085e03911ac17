"""Verbs: propose, confirm, run, say, sweep. They do what the domain decides."""
