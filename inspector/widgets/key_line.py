"""The footer: the keys that work now, as many as there is room for."""

from collections.abc import Iterator

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.widget import Widget
from textual.widgets import Footer
from textual.widgets._footer import FooterKey


class KeyLine(Footer):
    """Textual's footer without keys that would be cut in half; the first ones are those of what has the focus."""

    def __init__(self) -> None:
        super().__init__(compact=True, show_command_palette=False)
        self._fitted_to = 0

    def compose(self) -> ComposeResult:
        self._fitted_to = self.app.size.width
        yield from self._fitting(super().compose(), self._fitted_to)

    @staticmethod
    def _fitting(keys: ComposeResult, room: int) -> Iterator[Widget]:
        for key in keys:
            # A cell before the words and one behind them.
            room -= cell_len(key.key_display) + cell_len(key.description) + 2 if isinstance(key, FooterKey) else 0
            # Nothing needs to stand behind the last one.
            if room >= -1:
                yield key

    def on_resize(self) -> None:
        if self._fitted_to != self.app.size.width:
            self._fitted_to = self.app.size.width
            self.call_after_refresh(self.recompose)
