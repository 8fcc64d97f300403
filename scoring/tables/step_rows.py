"""A table with one row a step becomes one with a row a case: an id, and a list of numbers for every scorer."""

from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from scoring.errors import UsageError
from scoring.reading.findings import Finding
from scoring.reading.rows import Rows
from scoring.tables.cells import at, number, text, whole
from scoring.tables.column_mapping import ColumnMapping

_LONGEST = 8
"""Steps that a finding names."""


def gathered_steps(rows: Rows, mapping: ColumnMapping) -> Rows:
    """Gather the rows of a case in the order of their steps; a case stands on the line of its first row.

    Steps count from 0, or from 1 where no case has a step 0. The rewards of a case whose steps have gaps or repeats, or
    whose cell is no number, are null, with a finding.

    Args:
        rows: one row a step.
        mapping: names the columns of the case's id, of the step's index and of step rewards.

    Raises:
        UsageError: it names no id or no rewards.
    """
    if mapping.id is None or mapping.step is None or not mapping.rewards:
        raise UsageError("a table with one row a step needs an id, a step and rewards.", "Name them: --id, --rewards.")
    case, step, rewards = mapping.id, mapping.step, list(mapping.rewards.values())
    cases: dict[str, list[tuple[int, int, Mapping[str, Any]]]] = {}
    gathered = Rows(rows.source, rows.format, findings=list(rows.findings), read=rows.read - len(rows.rows))
    for row in rows.rows:
        value = row.value if isinstance(row.value, Mapping) else {}
        name, index = text(at(value, case)), whole(at(value, step))
        if not isinstance(name, str) or type(index) is not int:
            gathered.broken(row.line, f"{case} and {step} do not say which step of which case the row is of")
            continue
        cases.setdefault(name, []).append((index, row.line, value))
    base = 0 if any(index == 0 for steps in cases.values() for index, _, _ in steps) else 1
    for name, steps in cases.items():
        line = steps[0][1]
        steps.sort(key=itemgetter(0))
        indices = [index for index, _, _ in steps]
        whole_case = indices == list(range(base, base + len(steps)))
        if not whole_case:
            said = ", ".join(map(str, indices[:_LONGEST])) + (", ..." if len(indices) > _LONGEST else "")
            message = f"the rows are of steps {said} (counted from {base}): one is missing or there twice"
            gathered.findings.append(Finding("warning", "step-rows", message, rows.source, line, name))
        columns = {column: [number(at(value, column)) for _, _, value in steps] for column in rewards}
        gathered.add({case: name, **{column: cells if whole_case else None for column, cells in columns.items()}}, line)
    return gathered
