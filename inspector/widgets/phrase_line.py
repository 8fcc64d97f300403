"""One line of phrases that always fits."""

from collections.abc import Sequence

from inspector.phrases import Phrase, joined
from inspector.widgets.line_view import LineView


class PhraseLine(LineView):
    """A line that is told again, in as many words as fit, whenever its width changes."""

    _told: tuple[tuple[Phrase, ...], str, str] = ((), "", "")

    def tell(self, phrases: Sequence[Phrase], between: str = "", style: str = "") -> None:
        """Show these phrases; only cells that change are painted."""
        self._told = (tuple(phrases), between, style)
        self._write()

    def on_resize(self) -> None:
        self._write()

    def _write(self) -> None:
        phrases, between, style = self._told
        self.show([[(joined(phrases, self.viewport.width, between), style)]])
