"""Rules on whether one table is the right thing."""
