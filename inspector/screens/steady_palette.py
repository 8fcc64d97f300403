"""The palette, which keeps its shape while the terminal changes its own."""

from textual.command import CommandPalette

from inspector.screens.steady import Steady


class SteadyPalette(Steady, CommandPalette):
    """Textual's palette, made steady."""
