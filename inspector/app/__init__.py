"""The Textual app and its services: navigation, saving, following files, scoring processes, and the person's own keys.

It imports `inspector.screens` and the layers below.
Read `app.py` first.
"""
