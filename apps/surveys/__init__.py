"""Building surveys for many tenants."""
