"""The list of cases: the shown cases, its columns, and its painted rows."""
