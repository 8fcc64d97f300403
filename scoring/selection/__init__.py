"""A query, and what it selects: the cases shown, in their order, under the decisions that it asks for.

It imports `scoring.metrics`, `scoring.runs` and the layers below.
Read `result_set.py` first: what everything that shows or prints is given.
"""
