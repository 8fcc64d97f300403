"""What each person says of each case by themselves: the ground of how well people agree."""

from collections.abc import Callable, Iterable

import polars as pl

from scoring.workspace.triage.actions import NOTE, RATE, RULE, SORT, TAG, UNTAG, Action, rating_of

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
