"""From files, folders, archives and names on the Hub to cases and rewards in the workspace, with a report of findings.

It imports `scoring.workspace` and the layers below.
Read `sources.py` first, then `join.py`: what a source is, and how its results find their cases.
"""
