"""The pages of a screen of analysis: which there are, and which one is open."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Page:
    """One page: its `name`, which never changes, and its title."""

    name: str
    title: str


class Paged(Protocol):
    """What is told of a page."""

    @property
    def name(self) -> str:
        """What never changes."""

    @property
    def title(self) -> str:
        """What people read."""


def page_words(pages: Sequence[Paged], now: str, width: int) -> str:
    """All titles on one line, the open page's in brackets; where there is no room, only that one and how many."""
    titles = [f"[{page.title}]" if page.name == now else f" {page.title} " for page in pages]
    line = " ".join(titles)
    if len(line) <= width:
        return line
    at = next((place for place, page in enumerate(pages) if page.name == now), 0)
    return f"[{pages[at].title}] {at + 1} of {len(pages)}"
