"""Results in any table: a mapping says which column holds whose step rewards, or whose verdicts."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from scoring.critics.boxed import zero_based
from scoring.errors import UsageError
from scoring.reading.fields import Fields, kind_of
from scoring.reading.findings import Finding
from scoring.reading.rows import Rows
from scoring.results.foreign import Foreign, foreign_frame
from scoring.results.gathered import Gathered, Group, Record, Result, case_id, gather
from scoring.results.numbers import reward_range
from scoring.tables.cells import listed, number, text, whole
from scoring.tables.column_mapping import ColumnMapping
from scoring.tables.gold_columns import gold, indices, is_clean, marked
from scoring.tables.label_base import LabelBase, label_base
from scoring.tables.mapped_rows import mapped_rows

TITLE = "Table with a mapping"

_REWARDS, _VERDICTS = "rewards", "verdicts"
_LARGE = 2**31
_SHOWN = 40


@dataclass(frozen=True)
class _Bases:
    """How indices are read: the table's gold labels, and each scorer's verdicts."""

    gold: LabelBase
    verdicts: Mapping[str, LabelBase]


def results(rows: Rows, mapping: ColumnMapping) -> list[Foreign]:
    """What the table holds of each scorer that the mapping names.

    A cell of rewards is a list of numbers (or of truth values: labels as given), as such or as JSON in a text, or one
    number for the whole solution. A cell of verdicts is the index of the step that the scorer takes for the earliest
    wrong one. A row whose cell cannot be used is kept with the reason; the first row with an id and run counts.

    Raises:
        UsageError: the mapping names no results, runs of rewards, neither id nor problem and steps, or a column that is
            not there.
    """
    if not mapping.rewards and not mapping.verdicts:
        raise UsageError("the mapping names no column of results.", "Name rewards or verdicts by their scorers.")
    if mapping.run is not None and mapping.rewards:
        raise UsageError("the mapping names runs of step rewards.", "Only verdicts have runs: drop run or rewards.")
    if mapping.id is None and (mapping.problem is None or mapping.steps is None):
        raise UsageError("the mapping names no case.", "Results need an id, or a problem and steps.")
    mapped = mapped_rows(rows, mapping)
    known = marked(mapped, mapping)
    bases = _Bases(
        label_base(mapping.label_base, indices(mapped, mapping), marked=known, source=rows.source),
        {scorer: _verdict_base(mapped, mapping, scorer) for scorer in mapping.verdicts},
    )
    gathered = gather(mapped, _records, partial(_result, mapping, bases))
    return [_foreign(one, mapped.source, mapping, bases) for one in gathered]


def _records(fields: Fields) -> Iterator[tuple[Group, Record]]:
    """The row once for every scorer, with that scorer's cell in it."""
    for kind in (_REWARDS, _VERDICTS):
        for scorer, cell in fields.value[kind].items():
            yield (scorer, kind), {**fields.value, "scorer": scorer, "kind": kind, "cell": cell}


def _result(mapping: ColumnMapping, bases: _Bases, fields: Fields) -> Result | None:
    problem, steps = fields.text("problem"), fields.texts("steps")
    case_id(fields, "id", required=problem is None or steps is None)
    verdict = fields.value["kind"] == _VERDICTS
    run = _run(fields, mapping)
    if run is None:
        return None
    return {
        "run": run,
        "subset": fields.text("subset"),
        "problem": problem,
        "steps": steps,
        "gold": _gold(fields, mapping, bases.gold, steps),
        **(_verdict(fields, mapping, bases.verdicts[fields.value["scorer"]].base) if verdict else _rated(fields)),
    }


def _run(fields: Fields, mapping: ColumnMapping) -> int | None:
    """Which repetition the row is of, 0 where the table has one; None, with a finding, where that cannot be read."""
    run = 0 if mapping.run is None else fields.value.get("run")
    if type(run) is int and 0 <= run < _LARGE:
        return run
    fields.note("error", "bad-run", "the run is no whole number from 0 on")
    return None


def _gold(fields: Fields, mapping: ColumnMapping, base: LabelBase, steps: list[str] | None) -> int | None:
    """The gold label for comparison; what is odd about it is said when the table is read as cases."""
    if steps is None and mapping.label_base is None:
        return None
    unheard = Fields(fields.value, fields.source, fields.number, fields.line, [])
    earliest: int | None = gold(unheard, mapping, base.base, _LARGE if steps is None else len(steps))["earliest_error"]
    return earliest


def _foreign(one: Gathered, source: str, mapping: ColumnMapping, bases: _Bases) -> Foreign:
    frame = foreign_frame(one.results)
    if one.group[1:] == (_VERDICTS,):
        base = bases.verdicts[one.name]
        findings = (*one.findings, *([base.finding] if base.finding else []))
        said = f"verdicts are {base.words}, -1 = no error"
        return Foreign(
            "table", source, one.name, frame, one.read, said, mapping.benchmark, kind="critic", findings=findings
        )
    low, high = reward_range(frame["rewards"].to_list())
    findings = tuple(one.findings)
    if (low, high) != (0.0, 1.0):
        message = f"rewards of {one.name} lie between {low:g} and {high:g}; the threshold 0.5 is only a default"
        findings += (Finding("warning", "reward-range", message, source),)
    return Foreign(
        "table", source, one.name, frame, one.read, benchmark=mapping.benchmark, low=low, high=high, findings=findings
    )


def _rated(fields: Fields) -> Result:
    """The columns of one cell of rewards."""
    cell = listed(fields.value["cell"])
    if cell is None:
        return _unusable(fields, "no-rewards", "there are no rewards here")
    if isinstance(cell, list):
        return _rewards(fields, cell)
    solution = number(cell)
    if isinstance(solution, float) and math.isfinite(solution):
        return {"solution": solution}
    return _unusable(fields, "bad-reward", f"the rewards are {kind_of(cell)}, neither a list nor a finite number")


def _rewards(fields: Fields, cell: list[Any]) -> Result:
    if not cell:
        return _unusable(fields, "no-rewards", "the list of rewards is empty")
    if all(isinstance(part, bool) for part in cell):
        return {"labels": cell}
    rewards = [number(part) for part in cell]
    odd = next((place for place, one in enumerate(rewards) if type(one) is not float or not math.isfinite(one)), None)
    if odd is not None:
        return _unusable(fields, "bad-reward", f"reward {odd} (0-based) is no finite number")
    return {"rewards": rewards}


def _verdict_base(mapped: Rows, mapping: ColumnMapping, scorer: str) -> LabelBase:
    """What the first step is called in the scorer's verdicts; with an unknown number of steps, none is beyond it."""
    values = [row.value for row in mapped.rows if isinstance(row.value, Mapping)]
    cells = [(value[_VERDICTS][scorer], value["steps"]) for value in values]
    named = [
        (label, len(steps) if isinstance(steps, list) else _LARGE)
        for cell, steps in cells
        if type(label := whole(cell)) is int and label >= 0 and not is_clean(cell, mapping)
    ]
    known = mapping.clean is not None or any(is_clean(cell, mapping) for cell, _ in cells)
    stated = mapping.label_base if mapping.verdict_base is None else mapping.verdict_base
    return label_base(stated, named, marked=known, source=mapped.source, option="verdict_base")


def _verdict(fields: Fields, mapping: ColumnMapping, base: int) -> Result:
    """The columns of one cell of verdicts: 0-based, -1 = no error, -2 = a number that names no step."""
    cell = fields.value["cell"]
    # The answer may be any text: it becomes one that can be stored.
    answer = Fields({"cell": text(cell)}, fields.source, fields.number, fields.line, fields.findings).text("cell")
    if is_clean(cell, mapping):
        return {"answer": answer or "", "ballot": "-1", "verdict": -1}
    if text(cell) is None:
        return _unusable(fields, "no-verdict", "there is no verdict here")
    label = whole(cell)
    if type(label) is not int or abs(label) >= _LARGE:
        said = repr(answer[:_SHOWN]) if answer else kind_of(cell)
        return {"answer": answer, **_unusable(fields, "unparsed", f"the verdict {said} is no index of a step")}
    verdict = zero_based(label) if base else max(label, -2)
    return {"answer": answer, "ballot": str(label), "verdict": verdict}


def _unusable(fields: Fields, code: str, why: str) -> Result:
    """The columns of a cell that cannot be used, with a warning that says why."""
    fields.note("warning", code, why)
    return {"reason": why}
