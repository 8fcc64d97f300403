"""The list of cases: which cases it shows, its columns, and its rows as they are painted."""
