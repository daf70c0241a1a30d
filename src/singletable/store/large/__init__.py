"""Large attributes: content in parts or in an object store, and the pointers to it."""
