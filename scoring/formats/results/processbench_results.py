"""Results on ProcessBench beside its own rows: what its scripts write, and step rewards of R-PRM. 0-based, -1 = none.

`{config}_error.jsonl` and `{config}_correct.jsonl` of its scripts add `generated_critique` (one answer, or a list of
answers that vote), `prediction` (null = could not be parsed, which counts as wrong) and `match`. The script for
discriminative PRMs writes no critique, only what it predicts: a file without any critique is a PRM's. Zheng et al.,
arXiv 2412.06559, `run_eval.py` and `run_eval_prm_rlhflow.py`.

R-PRM adds `responses` (for each step the mean probability of "Yes, the step is correct"), `PRM_CoT` (a sampled analysis
a step) and, once they have been compared, `match` (1 iff the first step below the threshold is the label). Its scripts
judge steps up to the gold error only, so that most erroneous solutions have fewer numbers than steps. She et al.,
"R-PRM: Reasoning-Driven Process Reward Modeling", `return-to-origin.py` and `get-GenPRM-Score.py`.
"""

import re
from collections.abc import Mapping
from typing import Any

import polars as pl
from msgspec.structs import replace

from scoring.formats.benchmarks.case_format import first_step, first_step_checks, warn_where
from scoring.formats.reading.boxed_answers import processbench_verdict, vote
from scoring.formats.reading.fields import Fields, Layout, kind_of, read_by, text, texts, whole
from scoring.formats.reading.findings import Finding
from scoring.formats.results.model_outputs import boxed, voted, written
from scoring.formats.results.result_format import (
    RESULT_COLUMNS,
    ResultFormat,
    ResultReader,
    ResultRow,
    Results,
    case_id,
    case_id_field,
    rewards,
)
from scoring.formats.results.reward_lists import number, numbers
from scoring.formats.results.scorer_names import name_by_place

_CRITIQUE = "generated_critique"
_BOXES = "0-based, -1 = no error, read from the last \\boxed{...} as ProcessBench does"
_PREDICTIONS = "0-based, -1 = no error, as the field prediction says"
_OF_A_SUBSET = re.compile(r"(gsm8k|math|olympiadbench|omnimath)_(error|correct)\.\w+", re.IGNORECASE)
_ANSWER = pl.Struct({name: RESULT_COLUMNS[name] for name in ("answer", "ballot", "verdict", "reason")})


def recognises_output(row: Any) -> bool:
    """Return whether a row is one of ProcessBench with an answer, or with what was predicted."""
    return (
        isinstance(row, Mapping)
        and {"problem", "steps", "label"} <= row.keys()
        and (_CRITIQUE in row or {"prediction", "match"} <= row.keys())
        and "responses" not in row
    )


def _answers(fields: Fields, name: str) -> list[ResultRow]:
    critique = fields.value.get(name)
    if critique is None:
        return [_as_given(fields)]
    several = critique if isinstance(critique, list) else [critique]
    answers = [_answer(fields, number, text) for number, text in enumerate(several)]
    answers = answers or [_without(fields, "the list of answers is empty")]
    _compare(fields, [answer.get("ballot") for answer in answers])
    return answers


def _answer(fields: Fields, number: int, text: Any) -> ResultRow:
    if not isinstance(text, str):
        return _without(fields, f"answer {number} (0-based) is {kind_of(text)}, not text")
    name = f"{_CRITIQUE}[{number}]"
    return boxed(fields.of({name: text}).text(name) or "")


def _without(fields: Fields, why: str) -> ResultRow:
    fields.note("warning", "no-answer", why)
    return {"reason": why}


def _as_given(fields: Fields) -> ResultRow:
    """The verdict of a row that does not show the answer it was read from."""
    prediction = fields.value.get("prediction")
    if prediction is None:
        return {"reason": "there is no answer, and nothing is predicted"}
    if isinstance(prediction, str) or (ballot := written(prediction)) is None:
        return _without(fields, f"the prediction is {kind_of(prediction)} that names no step")
    return voted(ballot)


def _compare(fields: Fields, ballots: list[str | None]) -> None:
    prediction = fields.value.get("prediction")
    verdict = processbench_verdict(vote(ballots))
    if "prediction" not in fields.value or (prediction is None and verdict is None):
        return
    ballot = None if isinstance(prediction, str) else written(prediction)
    if ballot is None or processbench_verdict(ballot) != verdict:
        read = "nothing that can be read" if verdict is None else verdict
        message = f"prediction is {ballot or kind_of(prediction)}, the answers vote for {read}, which counts"
        fields.note("warning", "prediction-differs", message)


def _output_concluded(results: Results) -> dict[str, Any]:
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


OUTPUT = ResultFormat(
    title="ProcessBench output",
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
    conclude=_output_concluded,
    named=lambda rows: name_by_place(rows.source, _OF_A_SUBSET),
    votes="answers",
)


# -- step rewards of R-PRM

THRESHOLD = 0.5
"""A step is judged wrong iff its number is lower (`get-GenPRM-Score.py`, default of --threshold)."""

_TEXTS = "the responses are texts, not a number a step"


def recognises_rprm(row: Any) -> bool:
    """Return whether a row is one of ProcessBench with a list of responses."""
    return (
        isinstance(row, Mapping)
        and {"problem", "steps", "label"} <= row.keys()
        and isinstance(row.get("responses"), list)
        and "generated_critique" not in row
    )


def _are_texts(fields: Fields) -> bool:
    responses = fields.value.get("responses")
    return isinstance(responses, list) and any(isinstance(response, str) for response in responses)


def _match(fields: Fields, name: str) -> float | None:
    value = fields.value.get(name)
    return float(value) if isinstance(value, bool) else number(value)


def _rprm_concluded(results: Results) -> dict[str, Any]:
    judged = results.rows.select(numbers=pl.col("rewards").list.len(), steps=pl.col("steps").list.len()).drop_nulls()
    if short := judged.filter(pl.col("numbers") < pl.col("steps")).height:
        few = f"{short} of {judged.height} solutions have fewer numbers than steps"
        message = f"{few}: R-PRM's scripts stop at the gold error"
        results.findings.append(Finding("warning", "fewer-rewards", message, results.source))
    return {
        "label_base": "0-based, -1 = no error",
        "benchmark": "processbench",
        "family": "r-prm",
        "threshold": THRESHOLD,
        "threshold_source": "R-PRM's own",
    }


_RESPONSES = pl.col("responses")
_ARE_TEXTS = pl.col("(responses are texts)").fill_null(value=False)
_FIRST = _RESPONSES.list.eval((pl.element() < THRESHOLD).arg_true()).list.first().cast(pl.Int64).fill_null(-1)
RPRM = ResultFormat(
    title="R-PRM on ProcessBench",
    layout=Layout(
        {
            "id": case_id_field(needed=False),
            "steps": texts(),
            "subset": text(),
            "problem": text(),
            "label": whole(needed=False),
            "(responses are texts)": read_by(pl.Boolean(), lambda fields, _: _are_texts(fields), bool),
            "responses": replace(
                rewards(), read=lambda fields, name: None if _are_texts(fields) else numbers(fields, name)
            ),
            "match": read_by(pl.Float64(), _match, float),
        },
        name=lambda fields: case_id(fields, "id", required=False),
    ),
    columns={
        "gold": first_step("label"),
        "rewards": _RESPONSES,
        "reason": pl.when(_ARE_TEXTS)
        .then(pl.lit(_TEXTS))
        .when(_RESPONSES.is_null())
        .then(pl.lit("there is no number for each step")),
    },
    checks=(
        *first_step_checks("label"),
        warn_where("wrong-type", _ARE_TEXTS, _TEXTS),
        warn_where(
            "match-differs",
            _RESPONSES.is_not_null() & ((pl.col("label") == _FIRST) != (pl.col("match") != 0)),
            f"match does not follow from the numbers and a threshold of {THRESHOLD}: another one may have been used",
        ),
    ),
    conclude=_rprm_concluded,
)


READERS = {
    "processbench_output": ResultReader(
        OUTPUT.title, recognises_output, OUTPUT.load, (_CRITIQUE, "prediction", "match")
    ),
    "rprm_processbench": ResultReader(RPRM.title, recognises_rprm, RPRM.load, ("responses", "PRM_CoT", "match")),
}
