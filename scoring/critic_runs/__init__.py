"""Asking a critic: what is missing, the loop that asks, and what is kept of the answers."""
