r"""lm-evaluation-harness's logged samples, `samples_{task}_{date}.jsonl`: a critic that was run as a task of one's own.

Row: `doc_id, doc, target, arguments, resps, filtered_resps, filter, doc_hash, prompt_hash, target_hash` and a value
for each metric. `doc` is the row of the data set as it stands; `resps` has a list for each request, in it an answer for
each repeat; `filtered_resps` what a filter of the task made of these. There is a row for every filter of a document,
with the same `resps`. Source: EleutherAI/lm-evaluation-harness, `lm_eval/evaluator.py`. Rows in that shape were
tried, and no published file.

`doc_id` counts documents and is no id of a benchmark: a case is told by its texts in `doc`, or by an id there. Answers
are read by the parser of the benchmark they are about. A task that compares the likelihoods of choices has no answer.
The file does not say which model it is of: its folder does.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from scoring.formats.reading.boxed_answers import processbench_ballot, processbench_verdict, vote
from scoring.formats.reading.fields import Fields
from scoring.formats.results.model_outputs import written
from scoring.formats.results.prompted import ANSWERS, plain_answers, without_answer
from scoring.formats.results.result_format import ResultFormat, ResultReader, ResultRow, Results, case_id, whole_records
from scoring.formats.results.scorer_names import name_by_place

TITLE = "lm-evaluation-harness samples"
_IDS = ("id", "unique_id", "idx")
_TEXTS = (
    ("problem", "steps"),
    ("modified_question", "modified_process"),
    ("question", "model_response_by_step"),
    ("question", "steps"),
    ("prompt", "completions"),
)
"""What documents call their problem and steps; the first pair that is there counts."""
_FILE = re.compile(r"samples_.+", re.IGNORECASE)
_LIKELIHOODS = "the harness compared likelihoods: there is no answer in words"


def recognises(row: Any) -> bool:
    """Return whether a row is a logged sample."""
    return (
        isinstance(row, Mapping)
        and {"doc_id", "doc", "resps", "filtered_resps"} <= row.keys()
        and isinstance(row["doc"], Mapping)
    )


def _result(fields: Fields) -> ResultRow:
    document = fields.inside("doc")
    named = case_id(document, *_IDS, required=False)
    # What calls the sample, also in what is said of it from here on.
    fields.case = named
    problem, steps = next((pair for pair in _TEXTS if all(document.value.get(key) for key in pair)), _TEXTS[0])
    texts = {"problem": document.text(problem), "steps": document.texts(steps)}
    if named is None and None in texts.values():
        fields.note("warning", "no-id", "doc has neither an id nor a problem and steps: nothing tells which case it is")
    answers = list(_answers(fields))
    _compare(fields, [answer.get("answer") for answer in answers])
    return {**texts, "answers": answers}


def _answers(fields: Fields) -> list[ResultRow]:
    responses = fields.value.get("resps")
    if not isinstance(responses, list) or not responses:
        return without_answer(fields, "resps holds no answer")
    repeats = [value for response in responses for value in _repeats(response)]
    if not any(isinstance(value, str) for value in repeats):
        return without_answer(fields, _LIKELIHOODS)
    return plain_answers(fields, repeats, "resps", "the answer is no text")


def _repeats(response: Any) -> Iterator[Any]:
    """The answers to one request; a pair of a likelihood and whether it was the greedy one is none."""
    if not isinstance(response, list):
        yield response
        return
    for repeat in response:
        yield from repeat if isinstance(repeat, list) and all(isinstance(part, str) for part in repeat) else [repeat]


def _compare(fields: Fields, answers: list[Any]) -> None:
    """Warn where a filter of the harness made another number of the answers than their last boxes hold."""
    filtered = fields.value.get("filtered_resps")
    if isinstance(filtered, list) and len(filtered) == 1:
        filtered = filtered[0]
    number = processbench_verdict(written(filtered))
    ballot = vote([processbench_ballot(answer) for answer in answers if isinstance(answer, str)])
    if number is not None and ballot is not None and processbench_verdict(ballot) != number:
        message = f"the harness's filter made {number} of what has {ballot[:40]!r} in its box; the answer counts"
        fields.note("warning", "prediction-differs", message)


def _concluded(results: Results) -> dict[str, Any]:
    votes = results.rows["vote"].max()
    return {
        "kind": "critic",
        "reads_answers": True,
        "settings": {"harness": "lm-evaluation-harness", "votes": votes + 1 if isinstance(votes, int) else 0},
    }


FORMAT = ResultFormat(
    title=TITLE,
    layout=whole_records(_result, answers=ANSWERS),
    columns={"answers": pl.col("answers")},
    conclude=_concluded,
    named=lambda rows: name_by_place(rows.source, _FILE),
    votes="answers",
)
READERS = {"lm_eval": ResultReader(TITLE, recognises, FORMAT.load)}
