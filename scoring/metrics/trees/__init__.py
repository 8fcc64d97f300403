"""Trees of searches that a PRM guided: read from files, checked, and counted."""
