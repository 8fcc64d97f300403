r"""evalscope's predictions (`ModelResult`) and reviews (`ReviewResult`) of its ProcessBench, a line a sample.

Prediction: `index, model, model_output{choices[{message, stop_reason}], usage}, messages[], metadata`. Review: `index,
target, messages[] (older: input), sample_score{score{value, extracted_prediction, prediction}, sample_metadata}`. Both
metadata hold `steps, tagged_response, final_answer_correct`; steps count from 0, -1 = no error. The problem stands only
in the prompt. `index` counts samples within a subset and is no id of ProcessBench. Folders: `predictions/{model}/`,
`reviews/{model}/`, files `process_bench_{subset}.jsonl`. Source: modelscope/evalscope, `api/evaluator/cache.py` and
`benchmarks/process_bench/`, 1.0 to 1.10; Apache-2.0.
"""

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import polars as pl
from msgspec.structs import replace

from scoring.formats.reading.boxed_answers import processbench_ballot, processbench_verdict
from scoring.formats.reading.compressed_streams import plain_name
from scoring.formats.reading.fields import Fields
from scoring.formats.reading.findings import Finding
from scoring.formats.reading.rows import Rows
from scoring.formats.results.model_outputs import message_texts, model_output, voted, written
from scoring.formats.results.result_format import (
    RESULT_COLUMNS,
    SCORER,
    ExternalResults,
    ResultFormat,
    ResultReader,
    ResultRecord,
    ResultRow,
    Results,
    case_id,
    whole_records,
)
from scoring.formats.results.scorer_names import name_by_place

TITLE = "evalscope"
_LOST_BACKSLASH = "\x08oxed"
_PROBLEM, _SOLUTION, _FIRST_STEP = "[Math Problem]\n\n", "\n\n[Solution]\n\n", "<paragraph_0>"
_METRICS = {"error_acc", "correct_acc"}
_SUBSET = re.compile(r"process_bench_(\w+)\.\w+")


def recognises(row: Any) -> bool:
    """Return whether a row is a prediction or a review."""
    if not isinstance(row, Mapping) or "index" not in row:
        return False
    score = row.get("sample_score")
    return {"model", "model_output"} <= row.keys() or (isinstance(score, Mapping) and "score" in score)


def load(rows: Rows) -> list[ExternalResults]:
    """Read the answers of each model in the source; those about one text are its votes, in the order of the file."""
    first, *others = FORMAT.load(rows)
    prompts = _prompt_findings([row.value for row in rows.rows if isinstance(row.value, Mapping)], rows.source)
    return [replace(first, findings=(*first.findings, *prompts)), *others]


def _concluded(results: Results) -> dict[str, Any]:
    """Votes are counted from the first answer about the same texts on."""
    seen: Counter[str] = Counter()
    votes = []
    for line, problem, steps in results.rows.select("line", "problem", "steps").iter_rows():
        texts = repr((problem, steps)) if steps is not None else f"line {line}"
        votes.append(seen[texts])
        seen[texts] += 1
    subset = _SUBSET.fullmatch(PurePath(plain_name(results.source)).name)
    return {
        "rows": results.rows.with_columns(
            subset=pl.lit(subset[1] if subset else None, dtype=pl.String),
            vote=pl.Series(votes, dtype=RESULT_COLUMNS["vote"]),
        ),
        "label_base": "0-based, -1 = no error, as evalscope extracted it or, in predictions, as ProcessBench reads it",
        "kind": "critic",
        "settings": {"protocol": "processbench", "harness": "evalscope", "votes": max(votes, default=-1) + 1},
    }


def _model(row: Any) -> str | None:
    """The model that answered: of a prediction, or of the last message of a review."""
    if not isinstance(row, Mapping):
        return None
    messages = row.get("messages")
    every = [row, *(messages if isinstance(messages, list) else [])]
    names = [message.get("model") for message in every if isinstance(message, Mapping)]
    sound = [name for name in names if isinstance(name, str) and name.strip()]
    return sound[0].encode(errors="replace").decode() if sound else None


def _named(rows: Rows) -> str:
    """What a model is called whose rows do not say it: as the first one that is named, or as the path says.

    The scripts name files after the subset, in a folder named after the model.
    """
    model = next(filter(None, (_model(row.value) for row in rows.rows)), None)
    return model or name_by_place(rows.source, _SUBSET)


def _result(fields: Fields) -> ResultRow:
    case_id(fields, "index", required=False)
    named = {SCORER: _model(fields.value)}
    if "sample_score" in fields.value:
        sample = fields.inside("sample_score")
        score, metadata = sample.inside("score"), sample.inside("sample_metadata")
        judged = _reviewed(score)
        ours = bool(_METRICS & score.inside("value").value.keys())
    else:
        metadata = fields.inside("metadata")
        judged = _predicted(fields.inside("model_output"))
        ours = False
    tagged = metadata.text("tagged_response")
    prompts = _prompts(fields.value)
    texts = {"steps": metadata.texts("steps"), "problem": _problem(fields, prompts, tagged), "gold": _gold(fields)}
    if not (ours or tagged is not None or any(_FIRST_STEP in prompt for prompt in prompts)):
        why = "nothing says that the answer is about steps"
        fields.note("warning", "not-processbench", f"{why}: its verdict is not taken")
        return {**named, **judged, **texts, "gold": None, "ballot": None, "verdict": None, "reason": why}
    return {**named, **judged, **texts}


def _reviewed(score: Fields) -> ResultRow:
    answer = score.text("prediction")
    prediction = score.value.get("extracted_prediction")
    ballot = score.of({"extracted_prediction": written(prediction)}).text("extracted_prediction")
    judged = voted(ballot)
    if judged["verdict"] is None:
        judged["reason"] = "evalscope extracted nothing" if ballot is None else f"evalscope extracted {ballot[:40]!r}"
    if answer is not None and processbench_verdict(processbench_ballot(answer)) != judged["verdict"]:
        message = "extracted_prediction is not what ProcessBench reads in the answer; the former counts"
        score.note("warning", "prediction-differs", message)
    return {"answer": answer, **judged}


def _predicted(output: Fields) -> ResultRow:
    result = model_output(output)
    answer = result["answer"]
    return result if answer is None else {**result, **voted(processbench_ballot(answer))}


def _gold(fields: Fields) -> int | None:
    target = processbench_verdict(written(fields.value.get("target")))
    return target if target is None or target >= -1 else None


def _prompts(row: ResultRecord) -> list[str]:
    """The texts of the conversation; older reviews hold the prompt as `input`."""
    older = row.get("input")
    return [*message_texts(row.get("messages")), *([older] if isinstance(older, str) else [])]


def _problem(fields: Fields, prompts: list[str], tagged: str | None) -> str | None:
    for prompt in prompts if tagged else []:
        before, solution, _ = prompt.partition(f"{_SOLUTION}{tagged}")
        _, heading, problem = before.partition(_PROBLEM)
        if solution and heading:
            return fields.of({"problem": problem}).text("problem")
    return None


def _prompt_findings(rows: list[ResultRecord], source: str) -> list[Finding]:
    prompts = [_prompts(row) for row in rows]
    lost = sum(any(_LOST_BACKSLASH in prompt for prompt in several) for several in prompts)
    if lost:
        message = f"the prompt lost a backslash in {lost} of {len(rows)} rows: it asks for a backspace and «oxed{{}}»"
        return [Finding("warning", "prompt-lost-backslash", message, source)]
    if prompts and not any(prompts):
        message = "no prompts in the file; that of evalscope 1.0 to 1.10 for ProcessBench lost the backslash of \\boxed"
        return [Finding("note", "prompt-unseen", message, source)]
    return []


FORMAT = ResultFormat(
    title=TITLE,
    layout=whole_records(_result, **{SCORER: pl.String()}),
    scorer=pl.col(SCORER),
    conclude=_concluded,
    named=_named,
)
READERS = {"evalscope": ResultReader(TITLE, recognises, load)}
