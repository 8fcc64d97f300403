"""Gold labels of a table's rows: an index, a list of indices, or a label a step, as 0-based indices."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.reading.fields import Fields, kind_of, without_empty_fraction
from scoring.reading.rows import Rows
from scoring.tables.cells import number, text, whole
from scoring.tables.column_mapping import ColumnMapping

_RIGHT = frozenset({"right", "correct", "true", "yes", "good", "positive", "+"})
_WRONG = frozenset({"wrong", "incorrect", "false", "no", "bad", "negative", "-"})
_HALF = 0.5
_LARGE = 2**31


def wrong_below(mapping: ColumnMapping) -> float:
    """Below which rating a step is wrong."""
    return _HALF if mapping.wrong_below is None else mapping.wrong_below


def is_clean(cell: Any, mapping: ColumnMapping) -> bool:
    """Whether a cell of `earliest_error` says that no step is wrong."""
    said = text(cell)
    if mapping.clean == "null" and said is None:
        return True
    return said == "-1" or (isinstance(said, str) and said.strip().lower() == (mapping.clean or "-1").lower())


def indices(rows: Rows, mapping: ColumnMapping) -> Iterator[tuple[int, int]]:
    """(index as it stands, number of steps) of everything that names a wrong step in mapped rows."""
    for row in rows.rows:
        if not isinstance(row.value, Mapping) or not isinstance(row.value["steps"], list):
            continue
        cell, several = row.value.get("earliest_error"), row.value.get("error_steps")
        one = None if is_clean(cell, mapping) else whole(cell)
        for label in map(without_empty_fraction, (one, *(several if isinstance(several, list) else ()))):
            if isinstance(label, int) and not isinstance(label, bool) and label >= 0:
                yield label, len(row.value["steps"])


def marked(rows: Rows, mapping: ColumnMapping) -> bool:
    """Whether clean cases are told from a label 0: the mapping or any of the rows says so."""
    if mapping.clean is not None or mapping.earliest_error is None:
        return True
    return any(isinstance(row.value, Mapping) and is_clean(row.value["earliest_error"], mapping) for row in rows.rows)


def gold(fields: Fields, mapping: ColumnMapping, base: int, n_steps: int) -> dict[str, Any]:
    """The columns `earliest_error` and `error_steps` of a mapped row, 0-based; null where it has no such label."""
    several = None
    if mapping.error_steps is not None:
        several = _error_steps(fields, base, n_steps)
    elif mapping.step_labels is not None:
        several = _labelled_wrong(fields, mapping, n_steps)
    earliest = lowest = None if several is None else _lowest(fields, several, n_steps)
    if mapping.earliest_error is not None:
        earliest = _earliest(fields, mapping, base, n_steps)
        if None not in {earliest, lowest} and earliest != lowest:
            message = f"earliest_error is step {earliest}, the lowest wrong step {lowest} (0-based, -1 = none)"
            fields.note("warning", "labels-disagree", message)
    if mapping.error_steps is None and not _all_labelled(fields, n_steps):
        several = [] if earliest == -1 else None
    return {"earliest_error": earliest, "error_steps": several}


def _earliest(fields: Fields, mapping: ColumnMapping, base: int, n_steps: int) -> int | None:
    cell = fields.value.get("earliest_error")
    if is_clean(cell, mapping):
        return -1
    if text(cell) is None:
        fields.note("note", "no-label", "the earliest error is not given; the case has no gold label")
        return None
    label = whole(cell)
    if type(label) is not int or abs(label) >= _LARGE:
        fields.note("warning", "wrong-type", f"earliest_error is {_shown(cell)}, not a whole number")
        return None
    if label < base:
        fields.note("warning", "bad-label", f"earliest_error {label} names no step; the case has no gold label")
        return None
    if label - base >= n_steps:
        message = f"earliest_error {label} is beyond the last step ({n_steps - 1 + base}, {base}-based)"
        fields.note("warning", "label-beyond-end", message)
    return label - base


def _error_steps(fields: Fields, base: int, n_steps: int) -> list[int] | None:
    if text(fields.value.get("error_steps")) is None:
        fields.note("note", "no-label", "the wrong steps are not given; the case has no gold label")
        return None
    labels = fields.integers("error_steps")
    if labels is None:
        return None
    if bad := [label for label in labels if label < base]:
        fields.note("warning", "bad-label", f"error_steps {bad} name no step; the case has no gold label")
        return None
    if beyond := [label for label in labels if label - base >= n_steps]:
        message = f"error_steps {beyond} are beyond the last step ({n_steps - 1 + base}, {base}-based)"
        fields.note("warning", "label-beyond-end", message)
    return sorted({label - base for label in labels})


def _labelled_wrong(fields: Fields, mapping: ColumnMapping, n_steps: int) -> list[int] | None:
    """The steps whose labels say wrong; None, with a finding, where that cannot be said of all up to the first."""
    labels = fields.value.get("step_labels")
    if labels is None:
        fields.note("note", "no-label", "the steps have no labels; the case has no gold label")
        return None
    if not isinstance(labels, list):
        fields.note("warning", "wrong-type", f"step_labels is {_shown(labels)}, not a list")
        return None
    if len(labels) > n_steps:
        fields.note("warning", "label-count", f"there are {len(labels)} labels for {n_steps} steps: none is used")
        return None
    read = [_is_wrong(label, mapping) for label in labels]
    if None in read:
        place = read.index(None)
        message = f"step_labels[{place}] is {_shown(labels[place])}: no truth value or rating; no label is used"
        fields.note("warning", "bad-label", message)
        return None
    wrong = [place for place, one in enumerate(read) if one]
    if len(labels) < n_steps:
        used = "the steps after them are unlabelled" if wrong else "none is used"
        fields.note("warning", "label-count", f"there are {len(labels)} labels for {n_steps} steps: {used}")
        return wrong or None
    return wrong


def _is_wrong(label: Any, mapping: ColumnMapping) -> bool | None:
    """Whether a label says wrong; None where it says nothing."""
    if isinstance(label, bool):
        return not label
    rating = number(label)
    if isinstance(rating, float):
        return rating < wrong_below(mapping) if math.isfinite(rating) else None
    word = rating.strip().lower() if isinstance(rating, str) else None
    return True if word in _WRONG else False if word in _RIGHT else None


def _lowest(fields: Fields, several: Sequence[int], n_steps: int) -> int | None:
    """The lowest wrong step that is there, -1 for none at all; None where only steps beyond the last are listed."""
    lowest = next((step for step in several if step < n_steps), None)
    if lowest is None and several:
        fields.note("warning", "no-error-in-range", "none of the wrong steps is there; the case has no earliest error")
        return None
    return -1 if lowest is None else lowest


def _all_labelled(fields: Fields, n_steps: int) -> bool:
    labels = fields.value.get("step_labels")
    return isinstance(labels, list) and len(labels) == n_steps


def _shown(cell: Any) -> str:
    return repr(cell[:40]) if isinstance(cell, str) else kind_of(cell)
