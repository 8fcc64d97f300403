"""Kinds of cells: whether one is a text, a number, an index, a flag, a label, or a list of these."""

from collections.abc import Callable
from typing import Any

from scoring.formats.reading.label_checks import no_error_words
from scoring.formats.tables.cell_values import listed, number, steps, text, truth, whole, without_padding
from scoring.formats.tables.gold_labels import index_of


def step_count(cell: Any, separator: str | None) -> int | None:
    """Count the steps in a cell; None where it is not a list of steps."""
    parts = None if text(cell) is None else steps(cell, separator)[0]
    return len(parts) if isinstance(parts, list) else None


def is_text(cell: Any) -> bool:
    """Return whether a cell holds a text."""
    return isinstance(text(cell), str)


def is_solution(cell: Any) -> bool:
    """Return whether a cell is a solution: a text, or a list of texts."""
    held = listed(cell)
    return isinstance(held, str) or (isinstance(held, list) and all(isinstance(part, str) for part in held))


def is_whole(cell: Any) -> bool:
    """Return whether a cell is a whole number."""
    return type(whole(cell)) is int


def is_whole_index(cell: Any) -> bool:
    """Return whether a cell names a step."""
    return type(index_of(cell)) is int


def is_index(cell: Any) -> bool:
    """Return whether a cell names a step, or is a word for no error."""
    word = cell.strip().lower() if isinstance(cell, str) else ""
    return is_whole_index(cell) or bool(no_error_words({word: 1}, 0))


def is_flag(cell: Any) -> bool:
    """Return whether a cell says yes or no."""
    return isinstance(cell, bool) or whole(cell) in {0, 1} or isinstance(truth(cell), bool)


def is_number(cell: Any) -> bool:
    """Return whether a cell is a number."""
    return type(number(cell)) is float


def is_fraction(cell: Any) -> bool:
    """Return whether a cell is a number that is not whole."""
    return is_number(cell) and bool(float(number(cell)) % 1)


def is_label(cell: Any) -> bool:
    """Return whether a cell may be the label of a step."""
    return cell is None or isinstance(cell, bool | int | float | str)


def is_answer(cell: Any) -> bool:
    """Return whether a cell may be a critic's answer: a text, or a list of texts."""
    if isinstance(cell, list):
        return bool(cell) and all(isinstance(part, str) for part in cell)
    return isinstance(cell, str) and bool(cell.strip())


def _lists(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Whether a cell is a list of what fits."""

    def are(cell: Any) -> bool:
        held = listed(cell)
        return isinstance(held, list) and all(map(fits, held))

    return are


def are_numbers(cell: Any) -> bool:
    """Return whether a cell is a list of numbers, perhaps padded."""
    held = listed(cell)
    return isinstance(held, list) and all(map(is_number, without_padding(held)))


are_flags = _lists(is_flag)
"""Whether a cell is a list of cells that say yes or no."""


def is_one_list(cell: Any) -> bool:
    """Return whether a cell is a list around one list of numbers, as a batch of one solution is."""
    return isinstance(cell, list) and len(cell) == 1 and isinstance(cell[0], list) and are_numbers(cell[0])


def judges_steps(cell: Any) -> bool:
    """Return whether a cell has something to say of each step: a number, or right and wrong."""
    held = listed(cell)
    labels = without_padding(held) if isinstance(held, list) else []
    return are_numbers(cell) or (bool(labels) and all(isinstance(part, bool) for part in labels))


FIELD_KINDS: dict[str, Callable[[Any], bool]] = {
    "steps": is_solution,
    "earliest_error": is_index,
    "error_steps": _lists(lambda cell: is_whole_index(cell) or isinstance(cell, bool)),
    "step_labels": _lists(is_label),
    "final_answer_correct": lambda cell: isinstance(truth(cell), bool),
    "agreement": lambda cell: isinstance(number(cell), float),
}
