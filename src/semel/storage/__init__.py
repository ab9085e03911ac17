"""Storage remembers: one folder per database, one contract suite for all."""
