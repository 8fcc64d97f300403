"""A line made of phrases: each is said whole, in a shorter form, or not at all, so that no number is ever cut."""

from collections.abc import Iterable, Sequence

from msgspec import Struct
from rich.cells import cell_len

from inspector.render.texts.short_names import short_name
from inspector.render.texts.text import clean


class Phrase(Struct, frozen=True):
    """What may be said, longest form first; a last form of "" lets it go.

    Phrases with the highest `rank` are shortened first, of one rank the last.
    """

    forms: tuple[str, ...]
    rank: int = 0
    style: str = ""


def fitted(phrases: Sequence[Phrase], width: int, gap: int = 0) -> tuple[str, ...]:
    """Choose a form of each phrase so that all fit into `width` cells, `gap` between those that are said.

    Where the shortest forms are still too long, these are the answer. A width below 1 is not known yet: all is said.
    """
    chosen = [0] * len(phrases)
    lengths = [[cell_len(clean(form)) for form in phrase.forms] for phrase in phrases]

    def length() -> int:
        used = [sizes[form] for sizes, form in zip(lengths, chosen, strict=True) if sizes[form]]
        return sum(used) + gap * (len(used) - 1)

    while 0 < width < length():
        able = [place for place, phrase in enumerate(phrases) if chosen[place] + 1 < len(phrase.forms)]
        if not able:
            break
        chosen[max(able, key=lambda place: (phrases[place].rank, place))] += 1
    return tuple(phrase.forms[form] for phrase, form in zip(phrases, chosen, strict=True))


def joined(phrases: Sequence[Phrase], width: int, between: str) -> str:
    """Join the fitted phrases into one text, with `between` between them."""
    return between.join(form for form in fitted(phrases, width, cell_len(between)) if form)


def path_parts(path: Sequence[Phrase], between: str, facts: Sequence[Phrase], width: int) -> list[tuple[str, str]]:
    """Return a line of `width` cells: a path on the left, with its last part strong, and facts on the right.

    `between` separates the parts of the path; as many blanks separate facts.
    """
    gap = cell_len(between)
    forms = fitted([*path, *facts], width, gap)
    places = [form for form in forms[: len(path)] if form]
    right_parts = [(form, fact.style) for form, fact in zip(forms[len(path) :], facts, strict=True) if form]
    line = [(form, "strong" if number == len(places) else "dim") for number, form in enumerate(places, 1)]
    line = [part for place in line for part in ((between, "dim"), place)][1:]
    right = [part for fact in right_parts for part in ((" " * gap, ""), fact)][1:]
    blank = width - sum(cell_len(clean(text)) for text, _ in (*line, *right))
    return [*line, (" " * max(gap if line and right else 0, blank), ""), *right]


def parts(phrases: Sequence[Phrase], width: int) -> list[tuple[str, str]]:
    """Return the fitted phrases as pieces of a line with their styles; phrases bring their own blanks."""
    chosen = zip(fitted(phrases, width), phrases, strict=True)
    return [(form, phrase.style) for form, phrase in chosen if form]


def name_forms(name: str, *widths: int, among: Iterable[str] = ()) -> tuple[str, ...]:
    """Return a name, and shortened beside the names `among`, in as many cells as each of `widths` says."""
    return tuple(dict.fromkeys((name, *(short_name(name, width, among) for width in widths))))
