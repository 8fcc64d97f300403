"""The state of the screens: what is in focus, filters, triage queues and scoring processes.

It imports `scoring` and `inspector.render`, and no Textual.
Read `screen_state.py` first.
"""
