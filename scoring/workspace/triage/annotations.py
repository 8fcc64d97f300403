"""Annotations: all that one person says of one case."""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from scoring.workspace.triage.actions import NOTE, RATE, RULE, SORT, TAG, UNTAG, Action, content_of, rating_of


class Annotation(Struct, frozen=True):
    """What stands of one person's words on one case; None and () where they say nothing of the kind.

    `ratings` are by step (0-based), in its order. `tags` they put on, `without` they took off; whether the case
    carries a tag is said by whoever spoke of it last. `last` is the time of the last of these words, as its machine's
    clock told it, "" where it is not known. `ruling_of` and `ratings_of` (by step) say of which text of the case the
    ruling and each rating were said (`content_of`), "" and absent where nobody noted it. `outdated`: some were said of
    another text than the case has, and are left out (`of`).
    """

    case: str
    who: str
    ruling: str | None = None
    ratings: Mapping[int, int] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    note: str | None = None
    category: str | None = None
    last: str = ""
    ruling_of: str = ""
    ratings_of: Mapping[int, str] = field(default_factory=dict)
    outdated: bool = False

    def of(self, key: str) -> "Annotation":
        """Return the words without the ruling and the ratings of another text than that of this `key`.

        Those of which nobody noted the text stay.
        """
        here = {"", content_of(key)}
        ratings = {step: rating for step, rating in self.ratings.items() if self.ratings_of.get(step, "") in here}
        ruling = self.ruling if self.ruling_of in here else None
        if ruling == self.ruling and len(ratings) == len(self.ratings):
            return self
        return replace(self, ruling=ruling, ratings=ratings, outdated=True)


_OWN = {RULE: "ruling", NOTE: "note", SORT: "category"}
_RULING = (_OWN[RULE], "")


def words_of(case: str, actions: Iterable[tuple[Action, bool]]) -> tuple[Annotation, ...]:
    """Return what stands of everybody's words on a case, by name; who says nothing of it any more is left out.

    Args:
        case: its identity.
        actions: what was done to it, in order, and whether each holds, as `Journal.of_case` gives them.
    """
    # Of each person by what they speak of: what they say, when they said it, and of which text.
    by_person: dict[str, dict[tuple[str, str | int], tuple[Any, str, str]]] = {}
    for action, holds in actions:
        if not holds:
            continue
        about, value = _told(action)
        of_person = by_person.setdefault(action.who, {})
        of_person.pop(about, None)
        if value is not None:
            of_person[about] = value, action.time, action.content
    return tuple(_words(case, who, by_person[who]) for who in sorted(by_person) if by_person[who])


def _told(action: Action) -> tuple[tuple[str, str | int], Any]:
    """What an action speaks of, and what it says; None takes away what was said."""
    if action.kind == RATE:
        step, rating = rating_of(action.value)
        return ("ratings", step), rating
    if action.kind in {TAG, UNTAG}:
        return ("tags", action.value), action.kind == TAG
    return (_OWN[action.kind], ""), action.value or None


def _words(case: str, who: str, values: Mapping[tuple[str, str | int], tuple[Any, str, str]]) -> Annotation:
    """The words of one person; what they said last stands last."""
    own = {name: value for (name, _), (value, _, _) in values.items() if name in _OWN.values()}
    tags = {tag: on for (name, tag), (on, _, _) in values.items() if name == "tags"}
    rated = sorted((int(step), *value) for (name, step), value in values.items() if name == "ratings")
    return Annotation(
        case,
        who,
        ratings={step: rating for step, rating, *_ in rated},
        tags=tuple(sorted(str(tag) for tag, on in tags.items() if on)),
        without=tuple(sorted(str(tag) for tag, on in tags.items() if not on)),
        last=[time for _, time, _ in values.values()][-1],
        ruling_of=values[_RULING][2] if _RULING in values else "",
        ratings_of={step: content for step, *_, content in rated if content},
        **own,
    )
