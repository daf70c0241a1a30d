"""Rules on what a pattern gives its caller."""
