"""The query, its result set and the state of the screens, with filters, triage queues and scoring processes.

It imports `scoring` and `inspector.render`, and no Textual.
Read `query.py` first, then `result_set.py`.
"""
