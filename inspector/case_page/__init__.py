"""One case as lines: problem, steps, rewards, original, variants, tokens and a critic's answer.

It imports `inspector.state`, `inspector.widgets` and `inspector.render`.
Read `case_lines.py` first: the page from top to bottom.
"""
