"""Cases joined with what a scorer gave, under a decision rule: from step rewards to verdicts, outcomes and figures.

It imports `scoring.importing` and the layers below.
Read `evaluation.py` first: one scorer on all cases.
"""
