"""Where a person meets the engine: a channel shows cards and carries decisions; it makes none."""
