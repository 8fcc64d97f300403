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

A critic's judgements are `id, response, correctness_pred, error_step_pred`, steps 1-based. The words are the model's
own ("Correct", "**Wrong**", "Step 4", "3."), so they are read tolerantly and not by the rule of any benchmark. On
MR-MATH's redundant steps the words are "Present" and "Absent", and every step that is named is meant to be redundant,
all others needed (`mr-math_eval.py` counts them so). They become ratings, -1 and 1 a step, in which wrong stands for
redundant as in the labels of that benchmark. "Present" without a step is a judgement that names none.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any, Literal

from scoring.formats.benchmarks import mrmath, mrmath_redundant, reasoneval_pairs
from scoring.formats.reading.boxed_answers import zero_based
from scoring.formats.reading.fields import Fields, kind_of, without_empty_fraction
from scoring.formats.reading.findings import Finding
from scoring.formats.reading.rows import Rows
from scoring.formats.results.result_format import (
    ExternalResults,
    Judges,
    ResultFormat,
    ResultReader,
    ResultRow,
    Results,
    case_id,
    whole_records,
)
from scoring.formats.results.reward_lists import note_not_finite, number, numbers, reward_bounds
from scoring.formats.results.scorer_names import scorer_name

ScoreShape = Literal["a number a step", "three numbers a step", "a number a solution"]
REDUNDANT_ABOVE = 0.15
"""Above this number PRMBench (Song et al., arXiv 2501.03124; `mr_eval`) takes a step of ReasonEval for redundant."""
_FOLDERS: Mapping[str, tuple[str, Judges]] = {
    "mr-math_invalid_errors": (mrmath.NAME, "errors"),
    "mr-gsm8k": (mrmath.NAME, "errors"),
    "mr-math_redundant_errors": (mrmath_redundant.NAME, "redundancy"),
    "perturbation": (reasoneval_pairs.NAME, "errors"),
}
_SIZE = re.compile(r"_(\d+b)\Z", re.IGNORECASE)
_STEP: ScoreShape = "a number a step"
_THREE: ScoreShape = "three numbers a step"
_SOLUTION: ScoreShape = "a number a solution"
_ABOUT = {
    _STEP: "",
    _THREE: "validity = neutral + positive, redundancy = neutral",
    _SOLUTION: "one number a solution: it cannot name steps",
}


def recognises_scores(row: Any) -> bool:
    """Return whether a row is an id with scores, and nothing else: with more it is somebody's own table."""
    named = isinstance(row, Mapping) and row.keys() in ({"id", "scores"}, {"rid", "scores"})
    return named and isinstance(row.get("scores"), list | float | int) and not isinstance(row["scores"], bool)


def is_distinct(sample: Iterable[Any], source: str) -> bool:
    """Return whether rows that are recognised are ReasonEval's in all likelihood, by their numbers or their file's
    name.

    An id with a number a step may be anybody's, whose steps are not judged with `<=`.
    """
    distinct = any("rid" in row or _shape(row) not in {None, _STEP} for row in sample if isinstance(row, Mapping))
    return distinct or "eval_result" in source


def load_scores(rows: Rows) -> list[ExternalResults]:
    """Read the one scorer's rewards or, of a file with a number a solution, its solution scores.

    A file has the shape of most of its rows; a row of another has a reason instead of numbers, and a finding.
    """
    shapes = Counter(shape for row in rows.rows if (shape := _shape(row.value)) is not None)
    shape = shapes.most_common(1)[0][0] if shapes else _STEP
    return ResultFormat(
        title="ReasonEval results",
        layout=whole_records(lambda fields: _read_scores(fields, shape)),
        conclude=lambda results: _scores_concluded(results, shape),
        named=lambda rows: _without_side(scorer_name(rows.source)),
    ).load(rows)


def _scores_concluded(results: Results, shape: ScoreShape) -> dict[str, Any]:
    benchmark, judges = _by_folder(results.source)
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


def _by_folder(source: str) -> tuple[str | None, Judges]:
    """Return the benchmark whose results a folder of ReasonEval's repository holds, and what they judge.

    Elsewhere it is (None, "").

    Args:
        source: the file's path.
    """
    folders = PurePath(source.replace("\\", "/")).parts[:-1]
    return next((_FOLDERS[folder] for folder in reversed(folders) if folder in _FOLDERS), (None, ""))


def _shape(row: Any) -> ScoreShape | None:
    scores = row.get("scores") if isinstance(row, Mapping) else None
    if not isinstance(scores, list):
        return None if number(scores) is None else _SOLUTION
    if scores and isinstance(scores[0], list):
        return _THREE
    return _STEP if scores and number(scores[0]) is not None else None


def _read_scores(fields: Fields, shape: ScoreShape) -> ResultRow | None:
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


def _steps(fields: Fields) -> ResultRow:
    rewards = numbers(fields, "scores", required=True)
    return {"rewards": rewards} if rewards else {}


def _solution(fields: Fields) -> ResultRow:
    value = number(fields.value.get("scores"))
    if value is None:
        fields.note("warning", "wrong-type", "scores is not a number")
        return {}
    note_not_finite(fields, "scores", [value])
    return {"solution": value}


def _triples(fields: Fields) -> ResultRow:
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


# -- a critic's judgements

CRITIC_TITLE = "ReasonEval critic results"
NO_STEP = -2
"""The verdict of an answer that judges a solution redundant and names no step."""

_JUDGED = {"correct": True, "right": True, "wrong": False, "incorrect": False}
_PRESENT = {"present": True, "absent": False}
_NEGATIONS = {"no", "not", "none", "never", "without", "neither", "nor"}
_NO_STEP = {"", "n a", "na", "nan", "none", "null", "nil", "not applicable", "no", "no error", "no step"}
_LONGEST = 9
_LABEL_BASES: dict[Judges, str] = {
    "errors": "1-based, read tolerantly (the first number that error_step_pred holds)",
    "redundancy": "1-based, read tolerantly (every number that error_step_pred holds is a redundant step)",
}


def recognises_judgements(row: Any) -> bool:
    """Return whether a row is a judgement with the step it names."""
    return isinstance(row, Mapping) and {"id", "correctness_pred", "error_step_pred"} <= row.keys()


def load_judgements(rows: Rows) -> list[ExternalResults]:
    """Read the one critic's verdicts; what cannot be read, or contradicts itself, has a reason.

    What a file judges, errors or redundancy, is what most of its rows do; the words of others cannot be read.
    """
    judges = _judges(rows)
    return ResultFormat(
        title=CRITIC_TITLE,
        layout=whole_records(lambda fields: _read_judgement(fields, judges)),
        conclude=lambda results: _judgements_concluded(results, judges),
    ).load(rows)


def _judgements_concluded(results: Results, judges: Judges) -> dict[str, Any]:
    verdicts = results.rows["verdict"]
    unparsed = verdicts.null_count()
    message = f"words of judgement and of steps were read tolerantly; {unparsed} of {len(verdicts)} are unparsed"
    facts: dict[str, Any] = {
        "label_base": _LABEL_BASES[judges],
        "benchmark": _by_folder(results.source)[0],
        "judges": judges,
        "kind": "critic",
        "settings": {"reading": "tolerant"},
    }
    if judges == "redundancy":
        stepless = int((verdicts == NO_STEP).sum())
        message += f'; they judge redundancy, and {stepless} say "Present" and name no step'
        facts |= {"threshold_source": "between the ratings of a step, -1 and 1", "low": -1.0}
    results.findings.append(Finding("note", "tolerant-reading", message, results.source))
    return facts


def judgement(correctness: str, step: str) -> tuple[int | None, str | None]:
    """Give (the step judged wrong, 1-based, -1 = none; None) or (None; why there is no reading).

    "Correct" and "right", "wrong", "incorrect" and "not correct" are recognised in any case and between any signs; of a
    step the first number counts. A solution judged wrong must name a step and one judged right none.
    """
    right = _judged(correctness)
    if right is None:
        return None, f"the judgement is neither correct nor wrong: {_short(correctness)}"
    numbers = _step_numbers(step)
    if right:
        return (-1, None) if _names_none(step) else (None, f"judged correct, yet a step is named: {_short(step)}")
    return (numbers[0], None) if numbers else (None, f"judged wrong, and no step is named: {_short(step)}")


def redundancy(presence: str, steps: str) -> tuple[list[int] | None, str | None]:
    """Give (the steps judged redundant, 1-based, [] = none; None) or (None; why there is no reading).

    "Present" and "absent" are recognised in any case, between any signs and among other words; of the steps every
    number counts. Where redundant steps are present and none is named, the list is [0], which is no step.
    """
    present = _present(presence)
    if present is None:
        return None, f"the judgement is neither present nor absent: {_short(presence)}"
    numbers = sorted(set(_step_numbers(steps)))
    if present:
        return numbers or [0], None
    return ([], None) if not numbers else (None, f"judged absent, yet a step is named: {_short(steps)}")


def _judged(words: str) -> bool | None:
    letters = _letters(words)
    negated = letters[:1] == ["not"]
    right = _JUDGED.get(letters[negated]) if len(letters) == 1 + negated else None
    return right if right is None else right is not negated


def _present(words: str) -> bool | None:
    """Whether the words say that there are redundant steps; None where they say neither, or both, or deny something."""
    letters = _letters(words)
    if letters[:1] == ["not"] and len(letters) == 2 and letters[1] in _PRESENT:
        return not _PRESENT[letters[1]]
    answers = {_PRESENT[word] for word in letters if word in _PRESENT}
    return answers.pop() if len(answers) == 1 and not _NEGATIONS & set(letters) else None


def _letters(words: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", words.lower())


def _names_none(step: str) -> bool:
    return step.strip() == "-1" or " ".join(re.findall(r"\w+", step.lower())) in _NO_STEP


def _step_numbers(step: str) -> list[int]:
    return [] if _names_none(step) else [int(number[:_LONGEST]) for number in re.findall(r"\d+", step)]


def _judges(rows: Rows) -> Judges:
    kinds: Counter[Judges] = Counter()
    for row in rows.rows:
        words = row.value.get("correctness_pred") if isinstance(row.value, Mapping) else None
        if isinstance(words, str):
            kinds["redundancy"] += _present(words) is not None
            kinds["errors"] += _judged(words) is not None
    return "redundancy" if kinds["redundancy"] > kinds["errors"] else "errors"


def _read_judgement(fields: Fields, judges: Judges) -> ResultRow | None:
    if case_id(fields, "id") is None:
        return None
    words, step = _words(fields, "correctness_pred"), _words(fields, "error_step_pred")
    result = _redundant(words, step) if judges == "redundancy" else _wrong(words, step)
    if result["reason"] is not None:
        fields.note("warning", "unparsed", result["reason"])
    return {"answer": fields.text("response"), **result}


def _wrong(correctness: str, step: str) -> ResultRow:
    read, reason = judgement(correctness, step)
    if read is None:
        return {"ballot": None, "verdict": None, "reason": reason}
    return {"ballot": str(read), "verdict": zero_based(read), "reason": None}


def _redundant(presence: str, steps: str) -> ResultRow:
    read, reason = redundancy(presence, steps)
    if read is None:
        return {"ballot": None, "verdict": None, "reason": reason}
    named = [zero_based(step) for step in read if step > 0]
    if not read:
        return {"ballot": "-1", "verdict": -1, "named_steps": [], "reason": None}
    if not named:
        return {"ballot": "present", "verdict": NO_STEP, "reason": None}
    return {"ballot": ", ".join(map(str, read)), "verdict": named[0], "named_steps": named, "reason": None}


def _words(fields: Fields, name: str) -> str:
    """The field as words; a whole number is its digits, null is nothing."""
    value = without_empty_fraction(fields.value.get(name))
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**31:
        return str(value)
    if value is None or isinstance(value, str):
        return fields.text(name) or ""
    fields.note("warning", "wrong-type", f"{name} is {kind_of(value)}, not text")
    return ""


def _short(words: str) -> str:
    words = words.strip()
    return (words if len(words) <= 40 else f"{words[:39]}…") or "(nothing)"


READERS = {
    "reasoneval": ResultReader("ReasonEval results", recognises_scores, load_scores),
    "reasoneval_critic": ResultReader(CRITIC_TITLE, recognises_judgements, load_judgements),
}
