"""Names found by a part of them, as they are typed."""

from collections.abc import Sequence

from inspector.text import clean


def ranked(names: Sequence[str], typed: str) -> list[str]:
    """The names that hold what was typed, the closest first; those that are equally close stay in their order.

    First the name itself, then those that begin so, then those of which a word does, then those that hold it anywhere,
    then those that hold its letters in their order. Large and small letters are alike; nothing typed gives all.
    What nobody could type is looked for as it is shown.
    """
    wanted = " ".join(typed.casefold().split())
    places = [
        (place, at) for at, name in enumerate(names) if (place := _place(clean(name).casefold(), wanted)) is not None
    ]
    return [names[at] for _, at in sorted(places)]


def _place(name: str, wanted: str) -> int | None:
    """How close a name is, 0 the closest; None where it is not meant."""
    if not wanted or name == wanted:
        return 0
    if name.startswith(wanted):
        return 1
    if f" {wanted}" in name:
        return 2
    if wanted in name:
        return 3
    letters = iter(name)
    return 4 if all(letter in letters for letter in wanted.replace(" ", "")) else None
