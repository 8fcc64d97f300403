"""A report of a selection: one file that a colleague can read without this program."""
