"""A query and the result set that it selects: cases in an order, under the decisions that it asks for.

It imports `scoring.runs` and the layers below.
Read `result_set.py` first: the value that every screen and command gets.
"""
