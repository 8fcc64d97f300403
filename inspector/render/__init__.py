"""Views as plain data, and what turns them into terminal lines, Markdown, LaTeX, HTML and SVG; charts and mathematics.

It imports `scoring`, and neither Textual nor anything else of `inspector`.
Read `blocks.py` first: what a view consists of.
"""
