"""Three applications that stand on the library and show what it carries."""
