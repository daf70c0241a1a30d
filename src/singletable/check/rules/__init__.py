"""The rules: a folder a theme, a file a rule."""
