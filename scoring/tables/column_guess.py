"""Which column of a table is probably what, by the names that columns commonly have and by what is in them."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from scoring.reading.rows import Rows
from scoring.results.names import scorer_name
from scoring.tables.cells import listed, number, steps, text, truth, whole
from scoring.tables.column_mapping import ColumnMapping

_SAMPLE = 200
_NAMES: dict[str, str] = {
    "problem": "problem question prompt query instruction input",
    "steps": (
        "steps solution_steps reasoning_steps model_steps process "
        "response model_output model_response completion output reasoning chain_of_thought cot solution answer"
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
_REWARD = "step_reward reward step_score prm_score prm_reward score prob"
_VERDICT = (
    "verdict predicted_error predicted_step predicted_index predicted_label pred_label pred_error pred_step pred_index "
    "prediction predicted pred"
)
_ANSWER = (
    "answer answers response responses critique critiques judgement judgment raw_response model_response model_output "
    "generation generations output completion completions text"
)
_OF_CASES = ("problem", "steps", "step_labels", "error_steps", "earliest_error")
_OFTEN_REFERENCES = frozenset({"solution", "answer", "output", "completion"})
"""Names of columns that as often hold a reference, or an answer in a word, as a solution in steps."""
_STEP = "step step_index step_idx step_id step_number"


def propose(rows: Rows, stated: ColumnMapping | None = None) -> ColumnMapping | None:
    """Propose the mapping that the columns suggest: of cases, of a scorer's results, or of both.

    Cases need a problem and a solution. Results need an id (or both of these) and, in this order of preference: lists
    of numbers, one number a step where there is a row a step, the number of a step, an answer in words. A column is
    taken only if what is in it fits the field in every one of the first rows. Index bases are left open: they are
    inferred, or assumed with a warning.

    Args:
        rows: the table's.
        stated: what is known of the columns already; it is taken as it is.

    Returns:
        None where the columns suggest neither.
    """
    stated = stated or ColumnMapping()
    sample = _sampled(rows)
    named = {column for _, column in stated.named}
    free = {_normal(name): name for value in reversed(sample) for name in reversed(value) if name and name not in named}
    taken: dict[str, str] = {}
    for field, names in _NAMES.items():
        if getattr(stated, field) is not None or (stated.step is not None and field in _OF_CASES):
            continue
        column = next((free[name] for name in names.split() if name in free and _fits(field, free[name], sample)), None)
        if column is not None:
            taken[field] = column
            del free[_normal(column)]
    whole = stated.overridden(ColumnMapping(**taken))  # type: ignore[arg-type]  # of texts
    cases = whole.problem is not None and whole.steps is not None
    if stated.scorers:
        return whole if whole.id is not None or cases else None
    if stated.step is None:
        lists = [free[name] for name in _REWARDS.split() if name in free and _all(_numbers, free[name], sample)]
        if cases:
            return replace(whole, rewards={column: column for column in lists})
        lists = lists or [column for column in free.values() if _all(_numbers, column, sample) and _storable(column)]
        if whole.id is not None and lists:
            return ColumnMapping(id=whole.id, rewards=_by_scorer(lists, rows.source))
    return _propose_steps(rows, sample, stated) or _propose_verdicts(rows, sample, stated)


def _propose_steps(rows: Rows, sample: list[Mapping[str, Any]], stated: ColumnMapping) -> ColumnMapping | None:
    """A table with one row a step: an id that several rows have, the step's index, and a number."""
    free = _by_normal_name(sample)
    case = stated.id or _named("id", _NAMES["id"], free, sample)
    step = stated.step or next(
        (free[name] for name in _STEP.split() if name in free and _all(_is_whole, free[name], sample)), None
    )
    if case is None or step is None:
        return None
    if stated.step is None and len({text(value.get(case)) for value in sample}) == len(sample):
        return None
    others = [column for column in free.values() if column not in {case, step} and _storable(column)]
    numbers = [column for column in others if _all(_is_number, column, sample)]
    rewards = [free[name] for name in _REWARD.split() if free.get(name) in numbers] or numbers
    return ColumnMapping(id=case, step=step, rewards=_by_scorer(rewards, rows.source)) if rewards else None


def _propose_verdicts(rows: Rows, sample: list[Mapping[str, Any]], stated: ColumnMapping) -> ColumnMapping | None:
    """A table of verdicts or of answers: an id, and what a scorer said of the case."""
    free = _by_normal_name(sample)
    case = stated.id or _named("id", _NAMES["id"], free, sample)
    if case is None or stated.step is not None:
        return None
    scorer = scorer_name(rows.source)
    verdict = next(
        (free[name] for name in _VERDICT.split() if name in free and _all(_is_whole, free[name], sample)), None
    )
    if verdict is not None:
        return ColumnMapping(id=case, verdicts={scorer: verdict})
    answer = next(
        (free[name] for name in _ANSWER.split() if name in free and _all(_is_answer, free[name], sample)), None
    )
    return None if answer is None else ColumnMapping(id=case, answers={scorer: answer})


def _by_normal_name(sample: list[Mapping[str, Any]]) -> dict[str, str]:
    return {_normal(name): name for value in reversed(sample) for name in reversed(value) if name}


def _named(field: str, names: str, free: Mapping[str, str], sample: list[Mapping[str, Any]]) -> str | None:
    return next((free[name] for name in names.split() if name in free and _fits(field, free[name], sample)), None)


def rewards_beside(rows: Rows, steps: str = "steps", claimed: Collection[str] = ()) -> ColumnMapping | None:
    """Propose a mapping for step rewards that rows of a benchmark hold beside its own fields.

    Such a column holds, in every one of the first rows that has something in it, a list of as many numbers as there are
    steps, and not only whole numbers, which labels may be.

    Args:
        rows: the benchmark's.
        steps: the key of a solution's steps.
        claimed: keys that the benchmark reads.

    Returns:
        None where no column does.
    """
    sample = [value for value in _sampled(rows) if isinstance(value.get(steps), list)]
    columns = [column for column in dict.fromkeys(key for value in sample for key in value) if _storable(column)]
    found = [column for column in columns if column not in claimed and _are_rewards(column, steps, sample)]
    return ColumnMapping(rewards=_by_scorer(found, rows.source)) if found else None


def _sampled(rows: Rows) -> list[Mapping[str, Any]]:
    return [value for value in rows.sample()[:_SAMPLE] if isinstance(value, Mapping)]


def _are_rewards(column: str, steps: str, sample: list[Mapping[str, Any]]) -> bool:
    lists = [(value[column], value[steps]) for value in sample if value.get(column) is not None]
    fit = all(_numbers(cell) and isinstance(cell, list) and len(cell) == len(solution) for cell, solution in lists)
    return fit and any(float(part) % 1 for cell, _ in lists for part in cell)


def _by_scorer(columns: list[str], source: str) -> dict[str, str]:
    """Scorer's name -> column: the column's own, unless it is the only one and only says that it holds rewards."""
    if len(columns) == 1 and _normal(columns[0]) in f"{_REWARDS} {_REWARD}".split():
        return {scorer_name(source): columns[0]}
    return {column: column for column in columns}


def _normal(name: str) -> str:
    return re.sub(r"[\s.-]+", "_", name.strip().lower())


def _fits(field: str, column: str, sample: list[Mapping[str, Any]]) -> bool:
    if field == "steps" and _normal(column) in _OFTEN_REFERENCES and not _divided(column, sample):
        return False
    return _storable(column) and _all(_KINDS.get(field, _is_text), column, sample)


def _divided(column: str, sample: list[Mapping[str, Any]]) -> bool:
    """Whether most cells are solutions of several steps: a reference or a final answer is one text."""
    cells = [cell for value in sample if text(cell := value.get(column)) is not None]
    return 2 * sum(len(found) > 1 for cell in cells if isinstance(found := steps(cell)[0], list)) > len(cells)


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


def _is_number(cell: Any) -> bool:
    return type(number(cell)) is float


def _is_answer(cell: Any) -> bool:
    return (isinstance(cell, str) and bool(cell.strip())) or (
        isinstance(cell, list) and bool(cell) and all(isinstance(part, str) for part in cell)
    )


def _numbers(cell: Any) -> bool:
    found = listed(cell)
    return isinstance(found, list) and all(map(_is_number, found))


_KINDS: dict[str, Callable[[Any], bool]] = {
    "steps": _is_solution,
    "earliest_error": _is_whole,
    "error_steps": _wholes,
    "step_labels": lambda cell: isinstance(listed(cell), list),
    "final_answer_correct": lambda cell: isinstance(truth(cell), bool),
    "agreement": lambda cell: isinstance(number(cell), float),
}
