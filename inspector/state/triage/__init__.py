"""Triage of cases: which come and in which order, and what people said of them, as documents."""
