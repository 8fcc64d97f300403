"""What is said of cases: rulings, ratings of steps, tags, notes and their categories."""

from collections import Counter
from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct, field

Said = Mapping[str, str]
"""A text by who said it."""


class Triage(Struct, frozen=True, eq=False, dict=True):
    """Tags (in alphabetical order) are said by all; all else is by who said it, so that nobody's hides another's.

    `ratings` are by step (0-based). A case that is in no benchmark here any more is kept.
    """

    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    rulings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    categories: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    ratings: Mapping[str, Mapping[str, Mapping[int, int]]] = field(default_factory=dict)

    @cached_property
    def people(self) -> frozenset[str]:
        """Who rules, rates, notes or sorts; tags are everybody's."""
        said = (*self.notes.values(), *self.rulings.values(), *self.categories.values(), *self.ratings.values())
        return frozenset(who for of in said for who in of)

    @cached_property
    def tags_in_use(self) -> dict[str, int]:
        """How many cases each tag is on, the most used first, then by name."""
        counts = Counter(tag for tags in self.tags.values() for tag in tags)
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))

    def note(self, case: str) -> str:
        """The notes on a case in one text, "" where there is none; where several people wrote one, with their names."""
        notes = self.notes.get(case, {})
        if len(notes) == 1:
            return next(iter(notes.values()))
        return "; ".join(f"{who}: {notes[who]}" for who in sorted(notes))
