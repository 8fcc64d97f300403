"""The palette in which a theme is chosen: ours first, each with what it is for."""

from collections.abc import Iterator
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider

from inspector.terminal.themes import COLOURS

ABOUT = {
    "prm-dark": "dark, colour-blind-safe; the usual one",
    "prm-light": "light, colour-blind-safe",
    "prm-dark-contrast": "dark, high contrast (7:1), colour-blind-safe",
    "prm-light-contrast": "light, high contrast (7:1), colour-blind-safe",
    "prm-16-colours": "for terminals with sixteen colours; the usual one there",
}


class Themes(Provider):
    """Every registered theme."""

    def _names(self) -> Iterator[tuple[str, str]]:
        known = self.app.available_themes
        yield from ((name, ABOUT[name]) for name in COLOURS)
        yield from ((name, "of Textual: outcomes may look alike") for name in sorted(known) if name not in COLOURS)

    def _set(self, name: str) -> None:
        self.app.theme = name

    async def discover(self) -> Hits:
        """All of them."""
        for name, about in self._names():
            yield DiscoveryHit(name, partial(self._set, name), help=about)

    async def search(self, query: str) -> Hits:
        """Those whose name or description match."""
        matcher = self.matcher(query)
        for name, about in self._names():
            score = max(matcher.match(name), matcher.match(about))
            if score > 0:
                yield Hit(score, matcher.highlight(name), partial(self._set, name), text=name, help=about)
