"""What ProcessBench's own scripts write, `{config}_error.jsonl` and `{config}_correct.jsonl`.

Rows: those of ProcessBench with `generated_critique` (one answer, or a list of answers that vote), `prediction`
(0-based, -1 = no error, null = could not be parsed, which counts as wrong) and `match`. The script for discriminative
PRMs writes no critique, only what it predicts: a file without any critique is a PRM's. Zheng et al., arXiv 2412.06559,
`run_eval.py` and `run_eval_prm_rlhflow.py`.
"""

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import polars as pl

from scoring.benchmarks.base import first_step, first_step_checks
from scoring.critics.boxed import processbench_verdict, vote
from scoring.reading.compressed import plain_name
from scoring.reading.fields import Fields, kind_of
from scoring.reading.rows import Rows
from scoring.reading.typed import Layout, read_by, text, texts, whole
from scoring.results.answers import boxed, voted, written
from scoring.results.base import Result, ResultFormat, Results, case_id, case_id_field
from scoring.results.foreign import FOREIGN
from scoring.results.names import folder_name, scorer_name

TITLE = "ProcessBench output"
_CRITIQUE = "generated_critique"
ADDED = (_CRITIQUE, "prediction", "match")
"""What stands beside the benchmark's own keys."""
_BOXES = "0-based, -1 = no error, read from the last \\boxed{...} as ProcessBench does"
_PREDICTIONS = "0-based, -1 = no error, as the field prediction says"
_OF_A_SUBSET = re.compile(r"(gsm8k|math|olympiadbench|omnimath)_(error|correct)\.\w+", re.IGNORECASE)
_ANSWER = pl.Struct({name: FOREIGN[name] for name in ("answer", "ballot", "verdict", "reason")})


def recognises(row: Any) -> bool:
    """Whether a row is one of ProcessBench with an answer, or with what was predicted."""
    return (
        isinstance(row, Mapping)
        and {"problem", "steps", "label"} <= row.keys()
        and (_CRITIQUE in row or {"prediction", "match"} <= row.keys())
        and "responses" not in row
    )


def _named(rows: Rows) -> str:
    """The scorer's name: the scripts name files after the subset, in a folder named after the model."""
    file = PurePath(plain_name(rows.source).replace("\\", "/")).name
    return folder_name(rows.source) if _OF_A_SUBSET.fullmatch(file) else scorer_name(rows.source)


def _answers(fields: Fields, name: str) -> list[Result]:
    """The row's answers, at least one: the votes of a critic, or what was predicted."""
    critique = fields.value.get(name)
    if critique is None:
        return [_as_given(fields)]
    several = critique if isinstance(critique, list) else [critique]
    answers = [_answer(fields, number, text) for number, text in enumerate(several)]
    answers = answers or [_without(fields, "the list of answers is empty")]
    _compare(fields, [answer.get("ballot") for answer in answers])
    return answers


def _answer(fields: Fields, number: int, text: Any) -> Result:
    """One of the row's answers."""
    if not isinstance(text, str):
        return _without(fields, f"answer {number} (0-based) is {kind_of(text)}, not text")
    name = f"{_CRITIQUE}[{number}]"
    return boxed(fields.of({name: text}).text(name) or "")


def _without(fields: Fields, why: str) -> Result:
    fields.note("warning", "no-answer", why)
    return {"reason": why}


def _as_given(fields: Fields) -> Result:
    """The verdict of a row that does not show the answer it was read from."""
    given = fields.value.get("prediction")
    if given is None:
        return {"reason": "there is no answer, and nothing is predicted"}
    if isinstance(given, str) or (ballot := written(given)) is None:
        return _without(fields, f"the prediction is {kind_of(given)} that names no step")
    return voted(ballot)


def _compare(fields: Fields, ballots: list[str | None]) -> None:
    """A warning where the row's prediction is not what its answers vote for."""
    given = fields.value.get("prediction")
    verdict = processbench_verdict(vote(ballots))
    if "prediction" not in fields.value or (given is None and verdict is None):
        return
    ballot = None if isinstance(given, str) else written(given)
    if ballot is None or processbench_verdict(ballot) != verdict:
        read = "nothing that can be read" if verdict is None else verdict
        message = f"prediction is {ballot or kind_of(given)}, the answers vote for {read}, which counts"
        fields.note("warning", "prediction-differs", message)


def _concluded(results: Results) -> dict[str, Any]:
    """A critic's answers, a row an answer; or, where no row has any, a PRM's verdicts."""
    if not results.rows["critic"].any():
        about = "imported, ProcessBench output: its verdicts alone, no step rewards"
        return {"label_base": _PREDICTIONS, "benchmark": "processbench", "about": about}
    most = results.rows["vote"].max()
    return {
        "label_base": _BOXES,
        "benchmark": "processbench",
        "kind": "critic",
        "settings": {"protocol": "processbench", "votes": most + 1 if isinstance(most, int) else 0},
    }


FORMAT = ResultFormat(
    title=TITLE,
    layout=Layout(
        {
            "id": case_id_field(needed=False),
            "steps": texts(),
            "subset": text(),
            "problem": text(),
            "label": whole(needed=False),
            _CRITIQUE: read_by(pl.List(_ANSWER), _answers),
            "(critic)": read_by(pl.Boolean(), lambda fields, _: fields.value.get(_CRITIQUE) is not None),
        },
        name=lambda fields: case_id(fields, "id", required=False),
    ),
    columns={"gold": first_step("label"), "answers": pl.col(_CRITIQUE), "critic": pl.col("(critic)")},
    checks=first_step_checks("label"),
    conclude=_concluded,
    named=_named,
    votes="answers",
)
load = FORMAT.load
