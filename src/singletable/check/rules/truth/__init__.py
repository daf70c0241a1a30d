"""Rules on whether what is stored stays true."""
