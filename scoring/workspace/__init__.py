"""The folder that keeps cases, cached rewards and people's rulings, on disk or in a bucket; conditions on its cases.

It imports `scoring.models` and the layers below.
Read `workspace.py` first: which files there are, and who writes them.
"""
