"""How small libraries for the same job fare when a call is repeated, raced, killed or stopped."""
