"""Figures of scorers with intervals, curves and breakdowns; deciding stands here, since a metric tunes thresholds.

It imports `scoring.evaluation` and the layers below.
Read `kernel.py` first: what a metric is, and how its sums are drawn.
"""
