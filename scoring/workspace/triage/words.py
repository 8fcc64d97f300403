"""What people say of cases as it stands: all of one person's words on a case, notes by category, and statements."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace

from scoring.workspace.triage.history import (
    NOTE,
    RATE,
    RULE,
    SORT,
    TAG,
    UNTAG,
    Action,
    JournalChange,
    content_of,
    rating_of,
)


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


# -- the notes that stand, in the order in which they were written, and how they are put into categories


_Said = dict[str, str]


class CaseNote(NamedTuple):
    """What one person says of one case: a note, a category, or both.

    `text` is "" where they gave the case a category without a note, `category` "" where it is in none. `time` is when
    they began to say anything of it, as the journal tells it.
    """

    case: str
    who: str
    text: str
    category: str
    time: str


def notes(of_case: Callable[[str], Iterable[tuple[Action, bool]]], cases: Iterable[str]) -> tuple[CaseNote, ...]:
    """Return every person's notes on these cases, in the order in which they were begun.

    A note keeps its place when its words or its category change; one that was taken away, category and all, and is
    written again is a new one. Of one action on several cases the first case comes first. The order is that of the
    journals' counters, not of clocks.

    Args:
        of_case: the actions on a case in order, and whether each holds, as `Journal.of_case` gives them.
        cases: identities of cases.
    """
    notes_begun: list[tuple[tuple[int, str, str, int], int, CaseNote]] = []
    places: dict[int, tuple[Action, dict[str, int]]] = {}
    for case in cases:
        for who, (begun, words) in _fold_notes(of_case(case)).items():
            # Kept with its action, whose identity would else be free for another one.
            _, of = places.setdefault(id(begun), (begun, {case: place for place, case in enumerate(begun.cases)}))
            note = CaseNote(case, who, words.get(NOTE, ""), words.get(SORT, ""), begun.time)
            notes_begun.append((begun[:4], of[case], note))
    notes_begun.sort(key=lambda begun_note: begun_note[:2])
    return tuple(note for _, _, note in notes_begun)


def _fold_notes(actions: Iterable[tuple[Action, bool]]) -> dict[str, tuple[Action, _Said]]:
    """By who says it, the action with which it began and what stands; who says nothing is left out."""
    standing: dict[str, tuple[Action, _Said]] = {}
    for action, holds in actions:
        if not holds or action.kind not in {NOTE, SORT}:
            continue
        words = standing.setdefault(action.who, (action, {}))[1]
        words[action.kind] = action.value
        if not any(words.values()):
            del standing[action.who]
    return standing


def sorting(chosen: Iterable[CaseNote], who: str, category: str) -> list[JournalChange]:
    """Return the changes that put a person's own notes among these into a category; "" takes them out of theirs.

    A category belongs to who gave it, so that other people's notes stay where they are. Nothing is changed of notes
    that are there already: [] where that are all.
    """
    cases = [note.case for note in chosen if note.who == who and note.category != category]
    return [(SORT, cases, category)] if cases else []


def in_category(every: Iterable[CaseNote], category: str) -> tuple[CaseNote, ...]:
    """Return the notes of one category, in their order; "" gives those in none."""
    return tuple(note for note in every if note.category == category)


def categories(every: Iterable[CaseNote]) -> dict[str, tuple[CaseNote, ...]]:
    """Group the notes by category: those of most notes first, then those that were met first; the notes in none come
    last.
    """
    grouped: dict[str, list[CaseNote]] = {}
    for note in every:
        grouped.setdefault(note.category, []).append(note)
    ordered = sorted(grouped, key=lambda name: (name == "", -len(grouped[name])))
    return {name: tuple(grouped[name]) for name in ordered}


# -- what each person says of each case by themselves: the ground of how well people agree


RULING, RATING, CATEGORY = "ruling", "rating", "category"
KINDS = (RULING, RATING, TAG, CATEGORY)
"""The kinds of statements, in the order in which they are told."""
YES, NO = "yes", "no"
STATEMENTS = {
    "about": pl.String(),
    # Which tag; null of other kinds.
    "tag": pl.String(),
    "case": pl.String(),
    # 0-based; null but of ratings.
    "step": pl.Int64(),
    "who": pl.String(),
    "value": pl.String(),
}
_KIND_OF = {RULE: RULING, RATE: RATING, TAG: TAG, UNTAG: TAG, SORT: CATEGORY, NOTE: NOTE}
_About = tuple[str, str | None, int | None]


def annotation_frame(of_case: Callable[[str], Iterable[tuple[Action, bool]]], cases: Iterable[str]) -> pl.DataFrame:
    """Return what every person says of these cases and of nothing else, one row each, with the columns of STATEMENTS.

    The last word of a person counts, whatever machine it was said at; what was undone or taken away does not. `value`
    is a ruling, a rating, a category, and of tags YES or NO. A person says of a tag

    - yes or no where they put it on the case or took it away themselves;
    - no where they have looked at the case and did neither, for every tag that anybody put on or took off any of these
      cases: where a ruling, a rating, a note or a category of theirs stands, or a tag that they put on or took off this
      case alone. Who tags many cases at once has not looked at each, and who skips a case says nothing of it;
    - nothing elsewhere: a case that nobody showed them is no case without the tag.

    Args:
        of_case: the actions on a case in order, and whether each holds, as `Journal.of_case` gives them.
        cases: identities of cases.
    """
    rows: list[tuple[str, str | None, str, int | None, str, str]] = []
    looked: list[tuple[str, str]] = []
    for case in cases:
        by_person, seen = _fold_statements(of_case(case))
        looked += [(case, who) for who in sorted(seen)]
        rows += [(about, tag, case, step, who, value) for (who, (about, tag, step)), value in by_person.items()]
    frame = pl.DataFrame(rows, schema=STATEMENTS, orient="row")
    seen_cases = pl.DataFrame(looked, schema={"case": pl.String(), "who": pl.String()}, orient="row")
    return pl.concat([frame.filter(about=kind) if kind != TAG else _tags(frame, seen_cases) for kind in KINDS])


def _tags(frame: pl.DataFrame, looked: pl.DataFrame) -> pl.DataFrame:
    """The statements about tags, with those that people make by having looked at a case and said nothing."""
    tagged = frame.filter(about=TAG)
    silent = looked.join(tagged.select("tag").unique(maintain_order=True), how="cross")
    silent = silent.join(tagged, on=["case", "who", "tag"], how="anti")
    columns = (pl.lit(TAG).alias("about"), pl.lit(None, pl.Int64).alias("step"), pl.lit(NO).alias("value"))
    return pl.concat([tagged, silent.with_columns(columns).select(*STATEMENTS)])


def _fold_statements(actions: Iterable[tuple[Action, bool]]) -> tuple[dict[tuple[str, _About], str], set[str]]:
    """What stands of each person's words on one case, and who has looked at it."""
    by_person: dict[tuple[str, _About], str] = {}
    alone: dict[tuple[str, _About], bool] = {}
    for action, holds in actions:
        if not holds:
            continue
        about, value = _about(action)
        by_person.pop((action.who, about), None)
        if value:
            by_person[action.who, about] = value
            alone[action.who, about] = about[0] != TAG or len(action.cases) == 1
    looked = {who for who, about in by_person if alone[who, about]}
    return {key: value for key, value in by_person.items() if key[1][0] != NOTE}, looked


def _about(action: Action) -> tuple[_About, str]:
    """What an action speaks of, and what it says; "" takes away what was said."""
    word = _KIND_OF[action.kind]
    if action.kind == RATE:
        step, rating = rating_of(action.value)
        return (word, None, step), "" if rating is None else str(rating)
    if word == TAG:
        return (word, action.value, None), YES if action.kind == TAG else NO
    return (word, None, None), action.value
