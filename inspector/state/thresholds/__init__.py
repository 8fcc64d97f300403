"""Thresholds: the ways to choose one, what a move of it changes, and the bar that moves it."""
