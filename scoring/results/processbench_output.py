"""What ProcessBench's own scripts write, `{config}_error.jsonl` and `{config}_correct.jsonl`.

Rows: those of ProcessBench with `generated_critique` (one answer, or a list of answers that vote), `prediction`
(0-based, -1 = no error, null = could not be parsed, which counts as wrong) and `match`. The script for discriminative
PRMs writes no critique, only what it predicts: a file without any critique is a PRM's. Zheng et al., arXiv 2412.06559,
`run_eval.py` and `run_eval_prm_rlhflow.py`.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from scoring.critics.boxed import processbench_verdict, vote
from scoring.reading.compressed import plain_name
from scoring.reading.fields import Fields, kind_of
from scoring.reading.findings import Finding
from scoring.reading.rows import Rows
from scoring.results.answers import boxed, voted, written
from scoring.results.foreign import Foreign, foreign_frame
from scoring.results.gathered import case_id
from scoring.results.names import folder_name, scorer_name
from scoring.results.records import gold_label, within

TITLE = "ProcessBench output"
_CRITIQUE = "generated_critique"
ADDED = (_CRITIQUE, "prediction", "match")
"""What stands beside the benchmark's own keys."""
_BOXES = "0-based, -1 = no error, read from the last \\boxed{...} as ProcessBench does"
_PREDICTIONS = "0-based, -1 = no error, as the field prediction says"
_OF_A_SUBSET = re.compile(r"(gsm8k|math|olympiadbench|omnimath)_(error|correct)\.\w+", re.IGNORECASE)


def recognises(row: Any) -> bool:
    """Whether a row is one of ProcessBench with an answer, or with what was predicted."""
    return (
        isinstance(row, Mapping)
        and {"problem", "steps", "label"} <= row.keys()
        and (_CRITIQUE in row or {"prediction", "match"} <= row.keys())
        and "responses" not in row
    )


def load(rows: Rows) -> list[Foreign]:
    """The one critic's answers, a row an answer, the votes of a solution counting from 0; or the one PRM's verdicts.

    The first row with an id counts.
    """
    findings = list(rows.findings)
    answers = [_answers(fields) for fields in _records(rows, findings)]
    is_critic = any(isinstance(row.value, Mapping) and row.value.get(_CRITIQUE) is not None for row in rows.rows)
    return [
        Foreign(
            format=TITLE,
            source=rows.source,
            name=_name(rows.source),
            rows=foreign_frame(answer for several in answers for answer in several),
            read=rows.read,
            label_base=_BOXES if is_critic else _PREDICTIONS,
            benchmark="processbench",
            kind="critic" if is_critic else "prm",
            about="" if is_critic else "imported, ProcessBench output: its verdicts alone, no step rewards",
            settings={"protocol": "processbench", "votes": max(map(len, answers), default=0)} if is_critic else {},
            findings=tuple(findings),
        )
    ]


def _name(source: str) -> str:
    """The scorer's: the scripts name files after the subset, in a folder named after the model."""
    file = PurePath(plain_name(source).replace("\\", "/")).name
    return folder_name(source) if _OF_A_SUBSET.fullmatch(file) else scorer_name(source)


def _records(rows: Rows, findings: list[Finding]) -> Iterator[Fields]:
    """The rows that are objects and no repetition of an id; the others become findings."""
    lines: dict[str, int] = {}
    for row in rows.rows:
        if not isinstance(row.value, Mapping):
            message = f"the row is {kind_of(row.value)}, not an object"
            findings.append(Finding("error", "broken-row", message, rows.source, row.line))
            continue
        fields = Fields(row.value, rows.source, row.number, row.line, findings)
        case = case_id(fields, "id", required=False)
        if case in lines:
            fields.note("error", "repeated-id", f"the id is that of line {lines[case]}; the first one counts")
            continue
        if case is not None:
            lines[case] = row.line
        yield fields


def _answers(fields: Fields) -> list[dict[str, Any]]:
    """The row's answers, at least one."""
    steps = fields.texts("steps")
    row = {
        "line": fields.line,
        "id": fields.case,
        "subset": fields.text("subset"),
        "problem": fields.text("problem"),
        "steps": steps,
        "gold": gold_label(fields, "label", steps),
    }
    critique = fields.value.get(_CRITIQUE)
    if critique is None:
        answers = [_as_given(fields)]
    else:
        several = critique if isinstance(critique, list) else [critique]
        answers = [_answer(fields, number, text) for number, text in enumerate(several)]
        answers = answers or [_without(fields, "the list of answers is empty")]
        _compare(fields, [answer.get("ballot") for answer in answers])
    return [{**row, **answer, "vote": number} for number, answer in enumerate(answers)]


def _answer(fields: Fields, number: int, text: Any) -> dict[str, Any]:
    """One of the row's answers."""
    if not isinstance(text, str):
        return _without(fields, f"answer {number} (0-based) is {kind_of(text)}, not text")
    name = f"{_CRITIQUE}[{number}]"
    return boxed(within(fields, {name: text}).text(name) or "")


def _without(fields: Fields, why: str) -> dict[str, Any]:
    fields.note("warning", "no-answer", why)
    return {"reason": why}


def _as_given(fields: Fields) -> dict[str, Any]:
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
