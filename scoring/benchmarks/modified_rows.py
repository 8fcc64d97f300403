"""Rows that hold a solution before and after errors were put into it, as PRMBench and Socratic-PRMBench have them.

Rows: `original_question, modified_question, original_process[], modified_process[], modified_steps[], error_steps[],
reason, idx, question, classification`; what is scored is `modified_question` with `modified_process`; both lists of
steps count from 1 (PRMBench's `docs/data_format.md` and `mr_eval/tasks/prmtest_classified/task.py`).
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scoring.benchmarks.listed_base import ListedBase
from scoring.reading.fields import Fields
from scoring.reading.findings import Finding
from scoring.reading.rows import Rows

_KEYS = frozenset({"modified_question", "modified_process", "error_steps"})
MODIFIED = _KEYS | {
    *("original_question", "original_process", "modified_steps", "reason", "idx", "question", "classification")
}
"""Keys of such a row that are read."""
# A line break, also one that was escaped twice.
_BREAK = re.compile(r"\n|\\n\s*(?![a-z])")


@dataclass(frozen=True)
class Totals:
    """What all published files of a benchmark hold: rows, steps, and listed error steps with those within the end."""

    rows: int
    steps: int
    listed: int
    in_range: int


def looks_modified(row: Any) -> bool:
    """Whether a row has the layout."""
    return isinstance(row, Mapping) and row.keys() >= _KEYS


def classification(row: Mapping[str, Any]) -> str | None:
    """The row's class as it stands there; None where it is no text, or empty."""
    named = row.get("classification")
    # Half a character cannot be stored.
    return named.encode(errors="replace").decode() if isinstance(named, str) and named else None


def identify(fields: Fields) -> str:
    """The official id, `{classification}_{idx}`: one idx stands for a problem and repeats over the classes.

    In some publications of the same rows idx has the class in front already; their ids are the same here.
    """
    named = classification(fields.value)
    plain = fields.identifier("idx")
    return plain if named is None else f"{named}_{plain.removeprefix(f'{named}_')}"


def read_case(fields: Fields, base: ListedBase, *, erroneous: bool | None) -> dict[str, Any] | None:
    """The columns that both benchmarks fill alike, or None where there is no usable text.

    `erroneous` says whether a case of this class should have a wrong step, None = not known. What is listed also goes
    to `base`.
    """
    problem = fields.text("modified_question", required=True)
    steps = fields.solution("modified_process")
    if problem is None or steps is None:
        return None
    original = fields.texts("original_process")
    listed = fields.integers("error_steps")
    base.add(listed or [], steps, original)
    errors = _error_steps(fields, listed, len(steps))
    _look(fields, steps, original, bool(listed))
    if errors is not None and erroneous not in (None, bool(errors)):
        message = "no step is labelled wrong" if erroneous else "steps are labelled wrong"
        fields.note("warning", "unexpected-errors", f"{message}, which is not so in any published case of its class")
    return {
        "problem": problem,
        "steps": steps,
        "earliest_error": _earliest(fields, errors, len(steps)),
        "error_steps": errors,
        "error_type": classification(fields.value),
        "reason": fields.text("reason") or None,
        "original_problem": fields.text("original_question"),
        "original_steps": original,
        "modified_steps": _modified_steps(fields, len(steps)),
        "question": fields.text("question"),
    }


def note_unknown_class(fields: Fields, title: str) -> None:
    """The finding about a class that is none of the benchmark's."""
    named = classification(fields.value)
    what = "the row has no classification" if named is None else f"classification {named[:60]!r} is none of {title}'s"
    fields.note("warning", "unknown-class", f"{what}; the case is kept and has no error category")


def against_published(found: Mapping[str, int], published: Mapping[str, int], source: str) -> list[Finding]:
    """Whether the source is the whole benchmark: a note if its rows are divided as published, a warning if otherwise.

    Nothing is said of a source with another number of rows.
    """
    if found == published:
        message = f"{sum(published.values()):,} rows, divided as published"
        return [Finding("note", "official-counts", message, source)]
    if sum(found.values()) != sum(published.values()):
        return []
    other = [name for name in {**published, **found} if found.get(name, 0) != published.get(name, 0)]
    differ = ", ".join(f"{name[:60]} {found.get(name, 0):,} (published {published.get(name, 0):,})" for name in other)
    return [Finding("warning", "not-official-counts", f"as many rows as published, but: {differ}", source)]


def count_classes(rows: Rows) -> Counter[str]:
    """How many rows there are of each class, those of repeated ids counted too."""
    named = (classification(row.value) for row in rows.rows if isinstance(row.value, Mapping))
    return Counter(name or "" for name in named)


def _error_steps(fields: Fields, listed: list[int] | None, n_steps: int) -> list[int] | None:
    """Every listed step, 0-based and ascending, those beyond the end too; None where nothing usable is listed."""
    if listed is None:
        if fields.value.get("error_steps") is None:
            fields.note("warning", "no-label", "the row has no error_steps; the case has no gold label")
        return None
    ordered = sorted(set(listed))
    if ordered != listed:
        fields.note(
            "note", "unordered-steps", "error_steps is out of order or repeats a step; each counts once, in order"
        )
    if impossible := [step for step in ordered if step < 1]:
        fields.note("warning", "bad-label", f"error_steps {impossible} name no step, for they count from 1; left out")
    if beyond := [step for step in ordered if step > n_steps]:
        message = f"error_steps {beyond} are beyond the last step ({n_steps}, 1-based)"
        fields.note("warning", "label-beyond-end", message)
    possible = [step - 1 for step in ordered if step >= 1]
    return possible if possible or not listed else None


def _earliest(fields: Fields, errors: list[int] | None, n_steps: int) -> int | None:
    """The first listed step that is there, -1 where none is listed; None where none of those listed is there."""
    if errors is None:
        return None
    if not errors:
        return -1
    if errors[0] < n_steps:
        return errors[0]
    fields.note("warning", "no-error-in-range", "none of error_steps is there; the case has no earliest error")
    return None


def _modified_steps(fields: Fields, n_steps: int) -> list[int] | None:
    """The steps that were changed, 0-based and ascending, those beyond the end too: they serve to show a diff."""
    listed = fields.integers("modified_steps")
    if listed is None:
        return None
    if outside := sorted({step for step in listed if not 1 <= step <= n_steps}):
        message = f"modified_steps {outside} are not among the steps (1 to {n_steps})"
        fields.note("note", "modified-beyond-end", message)
    return sorted({step - 1 for step in listed if step >= 1})


def _look(fields: Fields, steps: list[str], original: list[str] | None, erroneous: bool) -> None:
    """Findings where the solution and its original do not fit what is said about them."""
    if erroneous and steps == original:
        fields.note("warning", "unchanged-process", "steps are labelled wrong, yet all are as in the original")
    if len(steps) == 1 and (len(original or ()) > 1 or _BREAK.search(steps[0])):
        fields.note("warning", "one-step", "the solution is one text; it was not divided into steps")
