"""The pages of a screen of analysis: which there are, and which one is open."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Page:
    """One page: its `name`, which never changes, and its title."""

    name: str
    title: str


def page_words(pages: tuple[Page, ...], now: str, width: int) -> str:
    """All titles on one line, the open page's in brackets; where there is no room, only that one and how many."""
    titles = [f"[{page.title}]" if page.name == now else f" {page.title} " for page in pages]
    line = " ".join(titles)
    if len(line) <= width:
        return line
    at = next((place for place, page in enumerate(pages) if page.name == now), 0)
    return f"[{pages[at].title}] {at + 1} of {len(pages)}"
