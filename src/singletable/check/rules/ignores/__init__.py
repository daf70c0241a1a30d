"""Rules on what is ignored, and why."""
