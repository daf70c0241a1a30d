"""PartiQL: parse a statement, plan it against a table, run it."""
