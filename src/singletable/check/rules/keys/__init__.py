"""Rules on whether keys tell items apart and sort them."""
