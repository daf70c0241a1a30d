"""Writes: from what is asked for to one request or one transaction."""
