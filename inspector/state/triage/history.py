"""The history of one case: who did what to it, when, and what of it holds."""

from collections.abc import Iterable, Iterator
from typing import Any

import polars as pl
from rich.cells import cell_len

from inspector.render.texts.sentences import counted
from inspector.render.texts.text import clean
from inspector.state.triage.annotations import gone, journal_of
from scoring.data.names import match_name
from scoring.selection.result_set import ResultSet
from scoring.workspace.triage.actions import (
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
    ActionBatch,
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
_SECONDS = len("2026-01-31T12:34:56")
"""Letters of a time as it is shown, which is UTC."""


def case_named(results: ResultSet, wanted: str) -> str:
    """Find the case called `wanted`, or the only one whose identity contains it, gone cases included.

    Raises:
        UsageError: there is no folder that could hold journals, or no such case, or several.
    """
    annotated = set(journal_of(results).history.cases).difference(results.cases["case"])
    names = [*results.cases["case"], *gone(results, annotated)]
    if wanted not in names:
        by_id = results.cases.filter(pl.col("id") == wanted)["case"].to_list()
        if len(by_id) == 1:
            return str(by_id[0])
    return match_name(wanted, names, "case")


RecordedAction = tuple[Action, bool | None]
"""An action, and whether it holds; None of an undo or redo."""


def history_rows(actions: Iterable[RecordedAction]) -> pl.DataFrame:
    """Make a row of HISTORY an action, of what `History.told` tells of a case."""
    actions = tuple(actions)
    firsts = _by_batch(actions)
    rows = [_row(action, holds, firsts.get(batch_of(action), ())) for action, holds in actions]
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
    """Describe in a few words what somebody did."""
    value = action.value
    if action.kind == RATE:
        step, rating = rating_of(value)
        return f"took the rating of step {step} away" if rating is None else f"rated step {step} {signed(rating)}"
    done, taken = _WORDS[action.kind]
    words = done.format(value) if value or not taken else taken
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
    """Write a rating as people do: `-1`, `0`, `+1`."""
    return f"{rating:+d}" if rating else "0"


def _reversal_words(action: Action, batch: Iterable[Action]) -> str:
    verb = "undid" if action.kind == UNDO else "did again"
    return f"{verb} {action.of}: " + "; ".join(map(action_words, batch))


def _by_batch(actions: Iterable[RecordedAction]) -> dict[ActionBatch, list[Action]]:
    batches: dict[ActionBatch, list[Action]] = {}
    for action, _ in actions:
        if action.kind not in {UNDO, REDO}:
            batches.setdefault(batch_of(action), []).append(action)
    return batches


# -- as lines


def time_words(time: str | None) -> str:
    """Write the second at which something was done; "" where that is not known."""
    return (time or "")[:_SECONDS].replace("T", " ", 1)


def done_words(row: dict[str, Any]) -> str:
    """Describe what an action of HISTORY did, and that it was undone where it was."""
    return f"{row['words']}{' (undone)' if row['holds'] is False else ''}"


def history_lines(rows: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield the number, time and author of each action, and what it did in words."""
    number = max((len(str(n)) for n in rows["n"]), default=0)
    authors = [f"{who}@{machine}" for who, machine in rows.select("who", "machine").iter_rows()]
    longest = max(map(len, authors), default=0)
    for row, author in zip(rows.iter_rows(named=True), authors, strict=True):
        time = time_words(row["time"])
        yield f"{row['n']:>{number}}  {time:<{_SECONDS}}  {author:<{longest}}", done_words(row)


def history_indent(lines: Iterable[tuple[str, str]], width: int) -> int:
    """Find the cell at which what was done begins on lines of `width` cells: behind the labels, if these leave room."""
    return min(max((cell_len(clean(label)) for label, _ in lines), default=0) + 2, width // 2)
