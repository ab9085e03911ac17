"""The books: domain functions over a transaction, without a clock and without randomness."""
