"""Rules on what gets hot, and what costs money."""
