"""How files become cases and rewards: rows of any file, a module for each benchmark and result format, and tables.

It imports `scoring.data`.
Read `benchmarks/case_format.py` first: how a benchmark declares its fields, columns and checks.
"""
