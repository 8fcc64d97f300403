"""The document of `triage CASE`: who did what to one case, when, and what of it holds."""

from collections.abc import Iterable, Iterator
from typing import Any

import polars as pl

from inspector.provenance import provenance
from inspector.selection import Selection
from inspector.sentences import counted
from inspector.triage.said import gone, journal_of
from scoring.export import Document
from scoring.names import match_name
from scoring.triage.actions import (
    DEFER,
    NOTE,
    QUEUE,
    RATE,
    REDO,
    RULE,
    SKIP,
    SORT,
    TAG,
    UNDO,
    UNTAG,
    Action,
    Batch,
    batch_of,
    rating_of,
)

HISTORY: dict[str, pl.DataType] = {
    # The journal's counter, which orders actions whatever clocks say.
    "n": pl.Int64(),
    "time": pl.String(),
    "who": pl.String(),
    "machine": pl.String(),
    "action": pl.String(),
    # 0-based, of a rating; null of other actions.
    "step": pl.Int64(),
    # What was said; null where that took away what stood, and of an undo or redo.
    "value": pl.String(),
    # Of an undo or redo, the n of the first action that it speaks of.
    "of": pl.Int64(),
    # To how many cases it was done at once.
    "cases": pl.Int64(),
    # Null of an undo or redo.
    "holds": pl.Boolean(),
    "words": pl.String(),
}
NOTE_OF_ORDER = "order: the journals' counter n, which grows whatever clocks say; `holds` is false of what was undone"


def case_named(selection: Selection, wanted: str) -> str:
    """The identity of the case called `wanted`, or of the only one whose identity contains it, gone cases included.

    Raises:
        UsageError: there is no folder that could hold journals, or no such case, or several.
    """
    spoken = set(journal_of(selection).history.cases).difference(selection.cases["case"])
    names = [*selection.cases["case"], *gone(selection, spoken)]
    if wanted not in names:
        by_id = selection.cases.filter(pl.col("id") == wanted)["case"].to_list()
        if len(by_id) == 1:
            return str(by_id[0])
    return match_name(wanted, names, "case")


def history_document(selection: Selection, case: str, form: str = "") -> Document:
    """Everything that anybody did to one case, in order, with what was undone and by what."""
    told = journal_of(selection).history.told(case)
    return Document(history_rows(told), _described(selection, case, told, form))


def history_rows(told: Iterable[tuple[Action, bool | None]]) -> pl.DataFrame:
    """A row of HISTORY an action, of what `History.told` tells of a case."""
    told = tuple(told)
    firsts = _by_batch(told)
    rows = [_row(action, holds, firsts.get(batch_of(action), ())) for action, holds in told]
    return pl.DataFrame(rows, schema=HISTORY, orient="row")


def _row(action: Action, holds: bool | None, batch: Iterable[Action]) -> dict[str, Any]:
    step, value = None, action.value or None
    if action.kind == RATE:
        step, rating = rating_of(action.value)
        value = None if rating is None else str(rating)
    reverses = holds is None
    return {
        "n": action.n,
        "time": action.time or None,
        "who": action.who,
        "machine": action.machine,
        "action": action.kind,
        "step": step,
        "value": value,
        "of": action.of if reverses else None,
        "cases": None if reverses else len(action.cases),
        "holds": holds,
        "words": _reversal_words(action, batch) if reverses else action_words(action),
    }


def action_words(action: Action) -> str:
    """What somebody did, in a few words."""
    value = action.value
    if action.kind == RATE:
        step, rating = rating_of(value)
        return f"took the rating of step {step} away" if rating is None else f"rated step {step} {signed(rating)}"
    given, taken = _WORDS[action.kind]
    words = given.format(value) if value or not taken else taken
    together = f" (with {counted(len(action.cases) - 1, 'other case')})" if len(action.cases) > 1 else ""
    return words + together


_WORDS = {
    RULE: ("ruled: {}", "took the ruling away"),
    NOTE: ("noted: {}", "took the note away"),
    SORT: ("put the note into the category {}", "took the note out of its category"),
    TAG: ("put on the tag {}", ""),
    UNTAG: ("took off the tag {}", ""),
    QUEUE: ("began a queue with it: {}", "began a queue with it"),
    SKIP: ("skipped it", ""),
    DEFER: ("put it off", ""),
}
"""What was done, with what was said; and in words where nothing was said that takes something away."""


def signed(rating: int) -> str:
    """A rating as people write it: `-1`, `0`, `+1`."""
    return f"{rating:+d}" if rating else "0"


def _reversal_words(action: Action, batch: Iterable[Action]) -> str:
    verb = "undid" if action.kind == UNDO else "did again"
    return f"{verb} {action.of}: " + "; ".join(map(action_words, batch))


def _by_batch(told: Iterable[tuple[Action, bool | None]]) -> dict[Batch, list[Action]]:
    found: dict[Batch, list[Action]] = {}
    for action, _ in told:
        if action.kind not in {UNDO, REDO}:
            found.setdefault(batch_of(action), []).append(action)
    return found


def _described(
    selection: Selection, case: str, told: tuple[tuple[Action, bool | None], ...], form: str
) -> dict[str, Any]:
    facts = provenance(selection, selection.request.command("triage", case, form=form), (NOTE_OF_ORDER,), decides=False)
    rows = selection.cases.filter(pl.col("case") == case)
    here = rows.row(0, named=True) if rows.height else None
    return {
        **{name: facts[name] for name in ("command", "version", "notes")},
        "case": case,
        **({"subset": here["subset"], "earliest_error": here["earliest_error"]} if here else {"gone": True}),
        "people": sorted({action.who for action, _ in told}),
        "coverage": "; ".join(_counts(told)),
    }


def _counts(told: tuple[tuple[Action, bool | None], ...]) -> Iterator[str]:
    yield counted(len(told), "action")
    if undone := sum(holds is False for _, holds in told):
        yield f"{undone:,} of them {'is' if undone == 1 else 'are'} undone"
