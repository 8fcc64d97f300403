"""Rollouts of a training run as cases: what their formats share. A rollout is one solution that a policy sampled.

A rollout has no gold labels of steps: what is known is whether its answer was right, as far as the outcome reward says
so, at which training step it was sampled (the metadata column `step`), and the step rewards that stand beside it.
Trainers keep a solution as one text and do not say how their step rewards cut it. It is cut at blank lines, or at line
breaks where the row holds a list of as many numbers as there are lines and none of as many as there are paragraphs;
where it is as many as neither, its rewards are refused with both counts.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

import polars as pl
from msgspec import Struct

from scoring.data.schema import CASES
from scoring.formats.benchmarks.case_format import CaseFormat, Check, ReadSource, problem_id, text_or_number, warn_where
from scoring.formats.reading.compressed_streams import plain_name
from scoring.formats.reading.fields import Fields, Layout, identifier, read_by, solution, text, truth, wholes
from scoring.formats.reading.findings import Finding

TRAINING_STEP = "step"
"""The metadata column that says after how many training steps a rollout was sampled."""
ROLLOUTS = ("verl", "trl_grpo", "verifiers")
"""The benchmarks whose cases are rollouts."""
_SAYS_NOTHING = re.compile(
    r"roll_?outs?(_data)?(_dir)?|completions?|generations?|train(ing)?|outputs?|\.{0,2}|/|\\", re.IGNORECASE
)
"""Folders whose names say that there are rollouts in them, and not of which run."""
_HELD_OUT = re.compile(r"val(idation)?([_-].*)?|eval|test", re.IGNORECASE)
"""Folders of a run whose rollouts are of other problems than those trained on."""
_OUTCOMES = {"true": 1, "1": 1, "1.0": 1, "false": 0, "0": 0, "0.0": 0, "-1": -1, "-1.0": -1}
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
_HOW = "(cut)"
_UNFIT = "(unfit)"
PARAGRAPHS, LINES, GIVEN = "blank lines", "line breaks", "as given"


def cut_solution(text: str, counts: Iterable[int]) -> tuple[list[str], str]:
    """Cut a solution into steps, and say at what.

    Args:
        text: the solution.
        counts: how many numbers the lists have that may be step rewards of it.

    Returns:
        The steps, without blanks around them and without empty ones, and PARAGRAPHS or LINES.
    """
    paragraphs = [part for part in map(str.strip, _BLANK_LINE.split(text)) if part]
    wanted = set(counts)
    if wanted and len(paragraphs) not in wanted:
        lines = [part for part in map(str.strip, text.split("\n")) if part]
        if len(lines) in wanted:
            return lines, LINES
    return paragraphs, PARAGRAPHS


def training_run(source: str) -> str:
    """Name the training run of a file by its folders: the nearest that says more than that rollouts are in it.

    Those of a validation set are of a run of their own, `RUN/val`. "" where no folder says anything. A path that is
    there is looked at whole, however it was given: the same file is of the same run from everywhere.
    """
    path = plain_name(source)
    # Unlike those of pathlib these take any text for a path.
    whole = os.path.abspath(path) if os.path.exists(path) else path  # noqa: PTH100, PTH110
    *folders, _ = PurePath(whole.replace("\\", "/")).parts or ("",)
    aside = ""
    for folder in reversed(folders):
        if _HELD_OUT.fullmatch(folder):
            aside = f"/{folder}"
        elif not _SAYS_NOTHING.fullmatch(folder):
            return f"{folder}{aside}"
    return aside.strip("/")


def number_lists(row: Mapping[str, Any]) -> Iterator[int]:
    """Yield the lengths of the lists of numbers that a row holds: any may be its step rewards."""
    for value in row.values():
        if isinstance(value, list) and value and all(type(part) in (int, float) for part in value):
            yield len(value)


def answered_right(value: Any) -> bool | None:
    """Read an outcome reward as whether the answer is right: 1 or true is, 0, -1 or false is not, else unknown.

    NumPy's values become texts where json.dumps writes them with default=str.
    """
    if isinstance(value, str):
        value = _OUTCOMES.get(value.strip().lower())
    if isinstance(value, bool):
        return value
    if not isinstance(value, int | float):
        return None
    return True if value == 1 else False if value in {0, -1} else None


def words_of_message(message: Any) -> str | None:
    """Return the text of a message, its parts of text joined by line breaks; None where it has none."""
    content = message.get("content") if isinstance(message, Mapping) else None
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, Mapping) and part.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str)) or None


class Trajectory(Struct, frozen=True):
    """The messages of a rollout: the steps among them, at their `places` (0-based), and the others as `context`.

    `context` has a mapping for each message that is no step, with `role`, `name` and `text`.
    """

    steps: list[str]
    places: list[int]
    context: list[dict[str, Any]]


def rollout(
    fields: Fields,
    problem: Any,
    solution_text: Any,
    outcome: bool | None,
    trajectory: Trajectory | None = None,
    reference: Any = None,
) -> dict[str, Any]:
    """Make one rollout's record: the fields of FIELDS beside those that the row has itself.

    Args:
        fields: the row, whose `step` and other values stay what they are.
        problem: what was asked, checked later.
        solution_text: what was sampled, which is cut into steps; anything but a text is told of later.
        outcome: whether the answer is right; None = unknown.
        trajectory: its messages, where the format has these in place of a text: the steps are some of them.
        reference: the reference answer; None = the row's own `reference_answer`.
    """
    how = GIVEN
    made: Any = solution_text
    lengths = list(number_lists(fields.value))
    if trajectory is not None:
        made = trajectory.steps
    elif isinstance(solution_text, str):
        made, how = cut_solution(solution_text, lengths)
    run = training_run(fields.source)
    at = fields.value.get(TRAINING_STEP)
    stem = PurePath(plain_name(fields.source)).stem
    group = f"{run}\0{at}\0{problem}"
    return {
        # What a row calls like one of our fields stays beside it.
        **{f"row.{key}" if key in FIELDS else key: value for key, value in fields.value.items()},
        "id": f"{f'{run}:' if run else ''}{stem}#{fields.number}",
        "problem": problem,
        "steps": made,
        "subset": run or None,
        # Solutions of one problem are chosen among where they were sampled together.
        "problem_id": problem_id(group),
        "final_answer_correct": outcome,
        "reference_answer": fields.value.get("reference_answer") if reference is None else reference,
        "step_messages": None if trajectory is None else trajectory.places,
        "context": None if trajectory is None else trajectory.context,
        _HOW: how,
        _UNFIT: bool(lengths) and isinstance(made, list) and len(made) not in lengths,
    }


FIELDS = {
    "id": identifier(),
    "problem": text(required=True),
    "steps": solution(),
    "subset": text(),
    "problem_id": text(),
    "final_answer_correct": truth(),
    "reference_answer": read_by(pl.String(), text_or_number, str),
    "step_messages": wholes(),
    "context": read_by(CASES["context"], lambda fields, name: fields.value[name]),
    _HOW: text(),
    _UNFIT: truth(),
}
"""The fields of a rollout's record."""
_COLUMNS = ("subset", "problem_id", "final_answer_correct", "reference_answer", "step_messages", "context")
_STEPS = pl.col("steps").list.len()
_CHECKS: tuple[Check, ...] = (
    warn_where(
        "unfit-rewards",
        pl.col(_UNFIT),
        "no list of numbers in the row has as many as the solution has paragraphs ({}) or lines",
        _STEPS,
    ),
)


def _concluded(read: ReadSource, outcome: str) -> tuple[str, list[Finding]]:
    counted = {name: read.tallies[name] for name in (PARAGRAPHS, LINES)}
    cut = " and ".join(f"{count:,} at {name}" for name, count in counted.items() if count)
    findings = list(read.findings)
    if all(counted.values()):
        message = f"solutions were cut in two ways to fit the numbers beside them: {cut}"
        findings.append(Finding("warning", "two-cuts", message, read.source))
    if unknown := read.tallies["unknown"]:
        why = f"{outcome} does not say it" if outcome else "the format does not say it"
        message = f"of {unknown:,} rollouts it is not known whether the answer is right: {why}"
        findings.append(Finding("note", "no-outcome", message, read.source))
    right = f"the answer is right where {outcome} is 1, wrong where it is 0 or -1"
    words = ["no labels of steps", right if outcome else "nothing says whether an answer is right"]
    return "; ".join([*words, f"cut {cut}"] if cut else words), findings


def rollout_format(name: str, unfold: Any, outcome: str) -> CaseFormat:
    """Declare a format of rollouts.

    Args:
        name: the benchmark's.
        unfold: the records of a row, made by `rollout`.
        outcome: what says whether the answer is right, in words; "" = nothing does.
    """
    return CaseFormat(
        name=name,
        layout=Layout(FIELDS, content=("problem", "steps")),
        columns={key: pl.col(key) for key in _COLUMNS},
        checks=_CHECKS,
        tallies={
            PARAGRAPHS: (pl.col(_HOW) == PARAGRAPHS).sum(),
            LINES: (pl.col(_HOW) == LINES).sum(),
            "unknown": pl.col("final_answer_correct").is_null().sum(),
        },
        conclude=lambda read: _concluded(read, outcome),
        unfold=unfold,
        one_of_many=True,
    )
