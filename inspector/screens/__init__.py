"""Screens and dialogs of the app, one file each; they show a state and send messages upwards.

It imports `inspector.analyses` and the layers below, and never the app.
Read `base.py` first: what all screens have.
"""
