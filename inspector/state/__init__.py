"""What is selected and how it is shown: the query, its result set, the state of the screens, filters and triage queues.

It imports `scoring` and `inspector.render`, and no Textual.
Read `query.py` first, then `result_set.py`.
"""
