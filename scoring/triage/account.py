"""What actions on cases come to, told one after the other."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct, field

from scoring.triage.actions import NOTE, RATE, RULE, SORT, TAG, UNTAG, Action, rating_of

# -- what is said of cases: rulings, ratings of steps, tags, notes and their categories


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


class Account:
    """Takes actions that hold, in order, and says what they come to."""

    def __init__(self) -> None:
        self._tags: dict[str, set[str]] = {}
        self._own: dict[str, dict[str, Said]] = {NOTE: {}, RULE: {}, SORT: {}}
        self._ratings: dict[str, dict[str, dict[int, int | None]]] = {}

    def take(self, actions: Iterable[Action]) -> None:
        """More actions; those that say nothing of cases come to nothing."""
        owns = self._own
        for action in actions:
            own = owns.get(action.kind)
            if own is None:
                self._take_other(action)
                continue
            for case in action.cases:
                # What was handed out stays as it is.
                own[case] = {**own[case], action.who: action.value} if case in own else {action.who: action.value}

    def _take_other(self, action: Action) -> None:
        kind, value = action.kind, action.value
        if kind == TAG:
            for case in action.cases:
                if case in self._tags:
                    self._tags[case].add(value)
                else:
                    self._tags[case] = {value}
        elif kind == UNTAG:
            for case in action.cases:
                if case in self._tags:
                    self._tags[case].discard(value)
        elif kind == RATE:
            step, rating = rating_of(value)
            for case in action.cases:
                self._ratings.setdefault(case, {}).setdefault(action.who, {})[step] = rating

    def forget(self, cases: Iterable[str]) -> None:
        """Nobody said anything of these."""
        for case in cases:
            self._tags.pop(case, None)
            self._ratings.pop(case, None)
            for own in self._own.values():
                own.pop(case, None)

    def triage(self, was: Triage | None = None, cases: Collection[str] = ()) -> Triage:
        """What was taken in, less what was taken away again; or what it `was`, with that of these cases anew.

        What is said of all cases in one respect is the same object as long as nothing of it changes.
        """
        if was is None:
            return _triage(self._tags, self._own, self._ratings)
        own = {kind: _some(said, cases) for kind, said in self._own.items()}
        now = _triage(_some(self._tags, cases), own, _some(self._ratings, cases))
        names = ("tags", "notes", "rulings", "categories", "ratings")
        return Triage(*(_put(getattr(was, name), getattr(now, name), cases) for name in names))


def _some(said: Mapping[str, Any], cases: Iterable[str]) -> dict[str, Any]:
    return {case: said[case] for case in cases if case in said}


def _put(was: Mapping[str, Any], found: Mapping[str, Any], cases: Iterable[str]) -> Mapping[str, Any]:
    """What is said of all cases where this was found of some."""
    if all(was.get(case) == found.get(case) for case in cases):
        return was
    now = dict(was)
    for case in cases:
        if case in found:
            now[case] = found[case]
        else:
            now.pop(case, None)
    return now


def _triage(
    tagged: Mapping[str, set[str]],
    own: Mapping[str, Mapping[str, Said]],
    rated: Mapping[str, Mapping[str, Mapping[int, int | None]]],
) -> Triage:
    # Equal tags are one object: a hundred thousand cases tagged at once share theirs.
    alike: dict[tuple[str, ...], tuple[str, ...]] = {}
    tags = {}
    for case, on_it in tagged.items():
        if on_it:
            listed = tuple(on_it) if len(on_it) == 1 else tuple(sorted(on_it))
            tags[case] = alike.setdefault(listed, listed)
    ratings = {}
    for case, of in rated.items():
        there = {who: given for who, steps in of.items() if (given := _rated(steps))}
        if there:
            ratings[case] = there
    return Triage(tags, _given(own[NOTE]), _given(own[RULE]), _given(own[SORT]), ratings)


def _given(said: Mapping[str, Said]) -> dict[str, Said]:
    """Texts by case and who said them, without those that are empty."""
    kept: dict[str, Said] = {}
    for case, of in said.items():
        there = {who: text for who, text in of.items() if text} if "" in of.values() else of
        if there:
            kept[case] = there
    return kept


def _rated(steps: Mapping[int, int | None]) -> dict[int, int]:
    """Ratings that were not taken away, by step."""
    if len(steps) == 1:
        return {step: rating for step, rating in steps.items() if rating is not None}
    return {step: rating for step, rating in sorted(steps.items()) if rating is not None}
