"""Names as a person types them: whole, or any part that only one of them has; and which others may be meant."""

import shlex
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher, get_close_matches

from scoring.data.errors import CommandEdit, Correction, UsageError

LISTED = 12
"""Names that a message lists."""
_LIKELY = 3
"""Names that a message corrects a command with."""
_AS_NEAR = 0.1
"""Difference of two similarities (0 to 1) below which both names may be meant."""


def near_names(word: str, names: Iterable[str], what: str) -> list[Correction]:
    """Return the corrections that put each of the nearest names in the place of a word.

    Args:
        word: as a person typed it.
        names: those that exist, in any order.
        what: what they name, as in "scorer".
    """
    listed = list(names)
    parts = [name for name in listed if word and word.lower() in name.lower()]
    lower = {name.lower(): name for name in listed}
    near = parts or [lower[name] for name in _nearest(word.lower(), lower)]
    return [(CommandEdit(replaces=((word, name),)), f"{what} {name}") for name in near] if len(near) <= _LIKELY else []


def _nearest(word: str, names: Iterable[str]) -> list[str]:
    """The names that are about as near to a word as the nearest one."""
    near = get_close_matches(word, names, n=_LIKELY)
    ratios = [SequenceMatcher(None, name, word).ratio() for name in near]
    return [name for name, ratio in zip(near, ratios, strict=True) if ratio >= ratios[0] - _AS_NEAR]


def name_choices(flag: str, names: Sequence[str], what: str) -> list[Correction]:
    """Return the corrections that choose one of a few names, with a flag or as a word; none if the names are many."""
    likely = names if len(names) <= _LIKELY else ()
    return [(CommandEdit(f"{flag} {shlex.quote(name)}".strip()), f"{what} {name}") for name in likely]


def without(*words: str, meaning: str) -> list[Correction]:
    """Return the correction that leaves flags or words out of a command."""
    return [(CommandEdit(without=words), meaning)]


def match_name(word: str, names: Sequence[str], what: str) -> str:
    """Return the one name that equals the word or contains it.

    Raises:
        UsageError: none or several do; those that there are, are named.
    """
    hits = [name for name in names if name == word] or [name for name in names if word.lower() in name.lower()]
    if len(hits) == 1:
        return hits[0]
    problem = f"{len(hits)} {what}s match {word!r}" if hits else f"no {what} matches {word!r}"
    candidates = hits or list(names)
    more = f" and {len(candidates) - LISTED:,} more" if len(candidates) > LISTED else ""
    there = f"There are: {', '.join(candidates[:LISTED])}{more}." if candidates else "There are none."
    raise UsageError(f"{problem}.", there, instead=near_names(word, names, what))
