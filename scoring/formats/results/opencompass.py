r"""OpenCompass's predictions, `predictions/{model}/{dataset}.json`: one object with an entry for each prompt.

Entries: `{"0": {origin_prompt, prediction, gold}, "1": ...}`; `origin_prompt` is a text, or a list of messages `{role,
prompt}`, `prediction` a text, or a list of texts where several were sampled. Keys count the prompts of a data set and
are no ids of a benchmark: a case is told by the problem and the steps in a prompt of ProcessBench's form, and an entry
with another prompt joins nothing. `gold` is compared where it is a whole number, as ProcessBench's label (0-based, -1 =
none). Source: open-compass/opencompass, `openicl/icl_inferencer/icl_base_inferencer.py`. An object in that shape was
tried, and no published file. Its `results/` hold no prompts and are not read.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import polars as pl

from scoring.formats.reading.boxed_answers import processbench_verdict
from scoring.formats.reading.fields import Fields
from scoring.formats.results.model_outputs import written
from scoring.formats.results.prompted import ANSWERS, case_of_prompts, plain_answers, texts_of_messages, without_answer
from scoring.formats.results.result_format import (
    ResultFormat,
    ResultReader,
    ResultRecord,
    ResultRow,
    Results,
    whole_records,
)
from scoring.formats.results.scorer_names import folder_name

TITLE = "OpenCompass predictions"
_PLACE = re.compile(r"\d+")
_LOOKED_AT = 20
"""Entries by which an object is told to be predictions."""
_INDEX = "(index)"


def recognises(row: Any) -> bool:
    """Return whether a row is an object whose keys are whole numbers, and whose entries have prompt and prediction."""
    if not isinstance(row, Mapping) or not row:
        return False
    first = list(islice(row.items(), _LOOKED_AT))
    entries = sum(_is_entry(key, entry) for key, entry in first)
    return 2 * entries > len(first)


def _is_entry(key: Any, entry: Any) -> bool:
    is_place = isinstance(key, str) and _PLACE.fullmatch(key) is not None
    return is_place and isinstance(entry, Mapping) and {"origin_prompt", "prediction"} <= entry.keys()


def _entries(whole: Fields) -> Iterator[ResultRecord]:
    if not whole.value:
        whole.note("error", "broken-row", "the object holds no entries")
    for key, entry in whole.value.items():
        if isinstance(entry, Mapping):
            yield {**entry, _INDEX: str(key)}
        else:
            whole.note("error", "broken-row", f"the entry {str(key)[:40]!r} is no object")


def _result(fields: Fields) -> ResultRow:
    texts = case_of_prompts(fields, texts_of_messages(fields.value.get("origin_prompt")))
    answers = _answers(fields)
    if not texts:
        index = str(fields.value.get(_INDEX))[:40]
        message = f"the prompt of entry {index!r} is not of ProcessBench's form: nothing tells which case it is about"
        fields.note("warning", "unknown-prompt", message)
        return {"answers": answers}
    gold = processbench_verdict(written(fields.value.get("gold")))
    return {**texts, "gold": gold if gold is None or gold >= -1 else None, "answers": answers}


def _answers(fields: Fields) -> list[ResultRow]:
    prediction = fields.value.get("prediction")
    several = prediction if isinstance(prediction, list) else [prediction]
    if not any(isinstance(value, str) for value in several):
        return without_answer(fields, "the prediction is no text")
    return plain_answers(fields, several, "prediction", "the prediction is no text")


def _concluded(results: Results) -> dict[str, Any]:
    votes = results.rows["vote"].max()
    settings = {"harness": "OpenCompass", "votes": votes + 1 if isinstance(votes, int) else 0}
    return {"kind": "critic", "reads_answers": True, "settings": settings}


FORMAT = ResultFormat(
    title=TITLE,
    layout=whole_records(_result, answers=ANSWERS),
    columns={"answers": pl.col("answers")},
    conclude=_concluded,
    named=lambda rows: folder_name(rows.source),
    unfold=_entries,
    votes="answers",
)
READERS = {"opencompass": ResultReader(TITLE, recognises, FORMAT.load)}
