"""Scores in the layout of ReasonEval's results, `{scorer}_eval_results.json`: `id` and `scores`.

`scores` is a number a step (Math-Shepherd), three probabilities a step (ReasonEval: negative, neutral, positive, from
which validity = neutral + positive and redundancy = neutral), or one number for the whole solution (ROSCOE). A step is
what the benchmark calls a sub-step where it nests them; rows are given as they stand. ReasonEval (Xia et al., arXiv
2404.05692), `mr-math_eval.py`: a step is right iff its number is above 0.5, ROSCOE's solutions above 0.025; a step is
redundant iff that number is 0.15 or more.

Results of the right solutions of the perturbation pairs have `rid` in the place of `id`, and theirs are named
`{scorer}_perturbed_...` and `{scorer}_original_...`. The ids of the two sets of MR-MATH overlap: numbers a step fit the
steps of one of them alone, and of numbers a solution the folders of ReasonEval's repository tell where they are as
there (`eval_results/mr-math_redundant_errors`).
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any, Literal

from scoring.benchmarks import mrmath, mrmath_redundant, reasoneval_pairs
from scoring.reading.fields import Fields
from scoring.reading.rows import Rows
from scoring.results.base import Result, ResultFormat, Results, case_id, whole_records
from scoring.results.foreign import Foreign, Judges
from scoring.results.names import scorer_name
from scoring.results.numbers import note_not_finite, number, numbers, reward_bounds

TITLE = "ReasonEval results"

Shape = Literal["a number a step", "three numbers a step", "a number a solution"]
REDUNDANT_ABOVE = 0.15
"""Above this number PRMBench (Song et al., arXiv 2501.03124; `mr_eval`) takes a step of ReasonEval for redundant."""
_FOLDERS: Mapping[str, tuple[str, Judges]] = {
    "mr-math_invalid_errors": (mrmath.NAME, "errors"),
    "mr-gsm8k": (mrmath.NAME, "errors"),
    "mr-math_redundant_errors": (mrmath_redundant.NAME, "redundancy"),
    "perturbation": (reasoneval_pairs.NAME, "errors"),
}
_SIZE = re.compile(r"_(\d+b)\Z", re.IGNORECASE)
_STEP: Shape = "a number a step"
_THREE: Shape = "three numbers a step"
_SOLUTION: Shape = "a number a solution"
_ABOUT = {
    _STEP: "",
    _THREE: "validity = neutral + positive, redundancy = neutral",
    _SOLUTION: "one number a solution: it cannot name steps",
}


def recognises(row: Any) -> bool:
    """Whether a row is an id with scores, and nothing else: with more it is somebody's own table."""
    named = isinstance(row, Mapping) and row.keys() in ({"id", "scores"}, {"rid", "scores"})
    return named and isinstance(row.get("scores"), list | float | int) and not isinstance(row["scores"], bool)


def is_distinct(sample: Iterable[Any], source: str) -> bool:
    """Whether rows that are recognised are ReasonEval's in all likelihood, by their numbers or their file's name.

    An id with a number a step may be anybody's, whose steps are not judged with `<=`.
    """
    told = any("rid" in row or _shape(row) not in {None, _STEP} for row in sample if isinstance(row, Mapping))
    return told or "eval_result" in source


def load(rows: Rows) -> list[Foreign]:
    """The one scorer's rewards or, of a file with a number a solution, its solution scores.

    A file has the shape of most of its rows; a row of another has a reason instead of numbers, and a finding.
    """
    shapes = Counter(shape for row in rows.rows if (shape := _shape(row.value)) is not None)
    shape = shapes.most_common(1)[0][0] if shapes else _STEP
    return ResultFormat(
        title=TITLE,
        layout=whole_records(lambda fields: _read(fields, shape)),
        conclude=lambda results: _concluded(results, shape),
        named=lambda rows: _without_side(scorer_name(rows.source)),
    ).load(rows)


def _concluded(results: Results, shape: Shape) -> dict[str, Any]:
    benchmark, judges = by_folder(results.source)
    facts: dict[str, Any] = {
        "benchmark": benchmark,
        "about": _ABOUT[shape],
        "threshold_source": "ReasonEval's evaluation",
        "comparison": "<=",
    }
    if shape == _SOLUTION:
        low, high = reward_bounds(results.rows["solution"])
        threshold = 0.025 if "roscoe" in scorer_name(results.source).lower() else 0.5
        facts |= {"judges": judges, "kind": "baseline", "threshold": threshold, "low": low, "high": high}
    if shape == _THREE:
        source = "PRMBench's evaluation of ReasonEval"
        facts |= {"redundancy_threshold": REDUNDANT_ABOVE, "redundancy_threshold_source": source}
        facts["family"] = "reasoneval"
    return facts


def _without_side(name: str) -> str:
    """The scorer's name without the word for one side of the perturbation pairs, so that both sides are one scorer's.

    The published files write its size with a hyphen on one side and with an underscore on the other.
    """
    if name.endswith("_original"):
        return _SIZE.sub(r"-\1", name.removesuffix("_original")) or name
    return name.removesuffix("_perturbed") or name


def by_folder(source: str) -> tuple[str | None, Judges]:
    """Tell the benchmark whose results a folder of ReasonEval's repository holds, and what they judge.

    Elsewhere it is (None, "").

    Args:
        source: the file's path.
    """
    folders = PurePath(source.replace("\\", "/")).parts[:-1]
    return next((_FOLDERS[folder] for folder in reversed(folders) if folder in _FOLDERS), (None, ""))


def _shape(row: Any) -> Shape | None:
    """What a row's scores are by their first element; None where they are nothing of the kind."""
    scores = row.get("scores") if isinstance(row, Mapping) else None
    if not isinstance(scores, list):
        return None if number(scores) is None else _SOLUTION
    if scores and isinstance(scores[0], list):
        return _THREE
    return _STEP if scores and number(scores[0]) is not None else None


def _read(fields: Fields, shape: Shape) -> Result | None:
    if case_id(fields, "id", "rid") is None:
        return None
    if fields.value.get("id") is None:
        fields.case = f"{reasoneval_pairs.ORIGINAL}{fields.case}"
    own = _shape(fields.value)
    if own is not None and own != shape:
        fields.note("warning", "other-shape", f"scores is {own}, where most rows of the file hold {shape}")
        return {"reason": f"{own}, where most rows of the file hold {shape}"}
    columns = {_STEP: _steps, _THREE: _triples, _SOLUTION: _solution}[shape](fields)
    return columns or {"reason": f"scores is not {shape}"}


def _steps(fields: Fields) -> Result:
    rewards = numbers(fields, "scores", required=True)
    return {"rewards": rewards} if rewards else {}


def _solution(fields: Fields) -> Result:
    value = number(fields.value.get("scores"))
    if value is None:
        fields.note("warning", "wrong-type", "scores is not a number")
        return {}
    note_not_finite(fields, "scores", [value])
    return {"solution": value}


def _triples(fields: Fields) -> Result:
    """Validity and redundancy of each step; nothing, with a warning, where a step has not three numbers."""
    scores = fields.value.get("scores")
    steps = [_triple(part) for part in scores] if isinstance(scores, list) else []
    if not steps or None in steps:
        where = f"scores[{steps.index(None)}]" if steps else "scores"
        fields.note("warning", "wrong-type", f"{where} is not three numbers")
        return {}
    sound = [step for step in steps if step is not None]
    if odd := [index for index, step in enumerate(sound) if abs(sum(step) - 1) > 0.05]:
        fields.note("warning", "not-probabilities", f"the three numbers of {len(odd)} steps do not add up to 1")
    note_not_finite(fields, "scores", [sum(step) for step in sound])
    return {
        "rewards": [neutral + positive for _, neutral, positive in sound],
        "redundancy": [neutral for _, neutral, _ in sound],
    }


def _triple(value: Any) -> tuple[float, float, float] | None:
    parts = [number(part) for part in value] if isinstance(value, list) else []
    first, second, third = parts if len(parts) == 3 else (None, None, None)
    return None if first is None or second is None or third is None else (first, second, third)
