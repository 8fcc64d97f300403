"""Names as a person types them: whole, or any part that only one of them has."""

from collections.abc import Sequence

from scoring.errors import UsageError

LISTED = 12
"""Names that a message lists."""


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
    raise UsageError(f"{problem}.", there)
