"""How fast semel is, beside the same work without it: one row at a time."""
