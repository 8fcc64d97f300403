"""One error, put into the typed steps of a right solution: for each type, every edit that makes it.

The rule for gold labels: a step is wrong if it does not follow from the problem and the steps before it as they stand.
A step that goes on correctly from an earlier wrong value is therefore no error of its own, and a generated case has
exactly one error step. Which types are possible depends on the plan; `edits` lists what is.
"""

from collections.abc import Mapping, Sequence
from random import Random

from generator import kinds
from generator.plan import Edit, Line, Plan
from generator.structure_errors import (
    Maker,
    dropped_premises,
    faulty_checks,
    faulty_corrections,
    invalid_conclusions,
    redundant_steps,
    said_wrongly,
)
from generator.value_errors import (
    calculation_slips,
    carried_over_values,
    contradictions,
    misread_premises,
    wrong_operations,
    wrong_units,
)

MAKERS: Mapping[str, Maker] = {
    kinds.CALCULATION_SLIP: calculation_slips,
    kinds.WRONG_OPERATION: wrong_operations,
    kinds.CARRIED_OVER: carried_over_values,
    kinds.REDUNDANT_STEP: redundant_steps,
    kinds.MISREAD_PREMISE: misread_premises,
    kinds.MISREAD_QUESTION: said_wrongly(kinds.MISREAD_QUESTION),
    kinds.DROPPED_PREMISE: dropped_premises,
    kinds.CONTRADICTION: contradictions,
    kinds.WRONG_UNIT: wrong_units,
    kinds.WRONG_PLAN: said_wrongly(kinds.WRONG_PLAN),
    kinds.INVALID_CONCLUSION: invalid_conclusions,
    kinds.FAULTY_CHECK: faulty_checks,
    kinds.FAULTY_CORRECTION: faulty_corrections,
}


def edits(plan: Plan, lines: Sequence[Line], error: str, rng: Random) -> list[Edit]:
    """Every edit of this type that the plan allows, in random order; not each of them can be evaluated."""
    found = list(MAKERS[error](plan, lines, rng))
    rng.shuffle(found)
    return found
