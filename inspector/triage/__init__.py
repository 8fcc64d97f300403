"""Triage of cases: which come, in which order, and what people said of them."""
