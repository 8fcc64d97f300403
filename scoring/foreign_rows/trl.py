"""Cases as stepwise supervision for TRL: `prompt, completions, labels`, a label true where the step is right.

Source: the dataset formats of huggingface/trl and `trl/experimental/prm/prm_trainer.py`, which needs one label a
completion and has none for "unknown".
"""

from collections.abc import Mapping
from typing import Any

from scoring.foreign_rows.line import Line, left_out

_CUT = "cases cut after their earliest error, for what follows is not labelled"
_STEPS_CUT = "steps left out by those cuts"
_BEYOND = "labels left out, for they name a step beyond the last"


def line(case: Mapping[str, Any]) -> Line:
    """The row of one case (a row of `scoring.schema.CASES`).

    Where only the earliest error is labelled, the row ends with it, as TRL's own conversion of PRM800K does.
    """
    steps, earliest, listed = case["steps"], case["earliest_error"], case["error_steps"]
    if earliest is None:
        return left_out("no earliest error is labelled")
    if earliest >= len(steps):
        return left_out("the earliest error is beyond the last step")
    notes: list[tuple[str, int]] = []
    if listed is None:
        listed = [earliest] if earliest >= 0 else []
        labelled = steps[: earliest + 1] if earliest >= 0 else steps
        if cut := len(steps) - len(labelled):
            notes = [(_CUT, 1), (_STEPS_CUT, cut)]
        steps = labelled
    elif beyond := sum(step >= len(steps) for step in listed):
        notes = [(_BEYOND, beyond)]
    labels = [step not in listed for step in range(len(steps))]
    return Line({"prompt": case["problem"], "completions": steps, "labels": labels}, tuple(notes))
