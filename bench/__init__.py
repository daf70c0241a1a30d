"""One workload on the engine, its server and every peer that installs: `python -m bench`."""
