"""A campaign manager for role-playing groups."""
