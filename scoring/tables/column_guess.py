"""Which column of a table is probably what, by the names that columns commonly have and by what is in them."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from scoring.reading.rows import Rows
from scoring.tables.cells import listed, number, text, truth, whole
from scoring.tables.column_mapping import ColumnMapping

_SAMPLE = 200
_NAMES: dict[str, str] = {
    "problem": "problem question prompt query instruction input",
    "steps": (
        "steps solution_steps reasoning_steps model_steps completions process "
        "response solution model_output completion output reasoning chain_of_thought cot answer"
    ),
    "id": "id uid uuid idx index problem_id question_id",
    "earliest_error": (
        "earliest_error first_error first_error_step first_error_index earliest_error_step error_step error_index label"
    ),
    "error_steps": "error_steps wrong_steps error_indices",
    "step_labels": "step_labels labels label ratings rating step_ratings",
    "subset": "subset split domain task category",
    "generator": "generator model model_name policy",
    "final_answer_correct": "final_answer_correct answer_correct is_correct final_correct correct",
    "error_type": "error_type classification",
    "error_category": "error_category",
    "error_kind": "error_kind",
    "pattern": "pattern reasoning_pattern",
    "reason": "reason explanation comment",
    "problem_id": "problem_id question_id",
    "agreement": "agreement annotator_agreement",
    "reference_answer": "reference_answer ground_truth_answer ground_truth gold_answer final_answer answer target",
    "language": "language lang",
    "origin": "origin source dataset data_source",
}
"""Field -> names of its column, the likeliest first. A column is taken once, by the first field that it fits."""

_REWARDS = "step_rewards rewards step_scores prm_scores prm_rewards scores probs"


def guess(rows: Rows) -> ColumnMapping | None:
    """The mapping that the names of the columns suggest; None where there is no problem or no solution among them.

    A column is taken only if what is in it fits the field in every one of the first rows. The index base of labels is
    left open: `scoring.benchmarks.table.load` infers it, or assumes it with a warning.
    """
    sample = [row.value for row in rows.rows[:_SAMPLE] if isinstance(row.value, Mapping)]
    free = {_normal(name): name for value in reversed(sample) for name in reversed(value) if name}
    taken: dict[str, str] = {}
    for field, names in _NAMES.items():
        column = next((free[name] for name in names.split() if name in free and _fits(field, free[name], sample)), None)
        if column is not None:
            taken[field] = column
            del free[_normal(column)]
    if not {"problem", "steps"} <= taken.keys():
        return None
    rewards = [free[name] for name in _REWARDS.split() if name in free and _all(_numbers, free[name], sample)]
    return ColumnMapping(rewards={column: column for column in rewards}, **taken)  # type: ignore[arg-type]  # of texts


def _normal(name: str) -> str:
    return re.sub(r"[\s.-]+", "_", name.strip().lower())


def _fits(field: str, column: str, sample: list[Mapping[str, Any]]) -> bool:
    return _storable(column) and _all(_KINDS.get(field, _is_text), column, sample)


def _all(fits: Callable[[Any], bool], column: str, sample: list[Mapping[str, Any]]) -> bool:
    """Whether every cell fits that holds something, and one does."""
    cells = [value.get(column) for value in sample]
    held = [cell for cell in cells if text(cell) is not None]
    return bool(held) and all(map(fits, held))


def _storable(column: str) -> bool:
    return column == column.encode(errors="replace").decode()


def _is_text(cell: Any) -> bool:
    return isinstance(text(cell), str)


def _is_solution(cell: Any) -> bool:
    found = listed(cell)
    return isinstance(found, str) or (isinstance(found, list) and all(isinstance(part, str) for part in found))


def _is_whole(cell: Any) -> bool:
    return type(whole(cell)) is int


def _wholes(cell: Any) -> bool:
    found = listed(cell)
    return isinstance(found, list) and all(map(_is_whole, found))


def _numbers(cell: Any) -> bool:
    found = listed(cell)
    return isinstance(found, list) and all(type(number(part)) is float for part in found)


_KINDS: dict[str, Callable[[Any], bool]] = {
    "steps": _is_solution,
    "earliest_error": _is_whole,
    "error_steps": _wholes,
    "step_labels": lambda cell: isinstance(listed(cell), list),
    "final_answer_correct": lambda cell: isinstance(truth(cell), bool),
    "agreement": lambda cell: isinstance(number(cell), float),
}
