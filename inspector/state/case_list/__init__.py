"""The list of cases: its columns, its order, and its rows as they are painted."""
