"""Reads: from descriptions to requests, and from answers to entities."""
