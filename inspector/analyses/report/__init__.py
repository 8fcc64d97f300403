"""A report of a result set: one file that a colleague can read without this program."""
