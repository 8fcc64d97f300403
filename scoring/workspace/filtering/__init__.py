"""Which cases are meant: facets, SQL conditions, searching their texts, and what is like a case."""
