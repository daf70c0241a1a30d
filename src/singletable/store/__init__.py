"""The store: access patterns run, items written, over any backend, sync and async."""
