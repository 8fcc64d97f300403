"""Triage: what people say of cases, in journals that only grow."""
