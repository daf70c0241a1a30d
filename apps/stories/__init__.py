"""A platform for stories that branch."""
