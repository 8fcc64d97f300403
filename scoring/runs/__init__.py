"""Running a scorer: a request becomes a run that plans, computes here or on many machines, saves and reports progress.

It imports all of `scoring` but the Python API.
Read `run.py` first: the only loop.
"""
