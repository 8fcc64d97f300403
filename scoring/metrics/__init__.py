"""Figures of scorers with intervals, curves and breakdowns; decisions too, because metrics tune thresholds.

It imports `scoring.evaluation` and the layers below.
Read `kernel.py` first: what a metric is, and how its sums are drawn.
"""
