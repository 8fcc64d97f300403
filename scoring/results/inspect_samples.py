"""The samples of one Inspect log as a critic's answers.

Header: `status, eval{model, task, dataset{name, location}, metadata, task_args}, plan{config}`. Sample: `id, epoch,
target, output{choices, usage}, scores{name: {answer}}, metadata, error, attachments`. The verdict is the `answer` of
the first score if that is a whole number, else what ProcessBench reads in the completion. Steps count from 0 unless
`index_base` is 1 in the sample's metadata, the log's metadata or the task's arguments. Epochs, from 1, are votes. A
row's line is the sample's place in the log, from 1. Source: UKGovernmentBEIS/inspect_ai, `log/_log.py`; MIT.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from scoring.benchmarks.processbench import HUB_NAME
from scoring.critics.boxed import processbench_ballot, processbench_verdict
from scoring.reading.fields import Fields, kind_of
from scoring.reading.findings import Finding
from scoring.results.answers import model_output, voted, written
from scoring.results.base import Result, case_id
from scoring.results.foreign import Foreign, foreign_frame
from scoring.results.names import scorer_name

TITLE = "Inspect log"
_MOST_EPOCHS = 1_000_000
_SAMPLING = ("temperature", "top_p", "top_k", "max_tokens", "seed", "reasoning_effort", "reasoning_tokens")
_BOX = "the last \\boxed{...} of the completion"


@dataclass(eq=False)
class _Log:
    """What the samples of a log share, and what was seen in them so far."""

    header: Fields
    places: dict[tuple[str, int], int] = field(default_factory=dict)
    read_from: Counter[str] = field(default_factory=Counter)
    bases: Counter[int] = field(default_factory=Counter)
    rows: list[Result] = field(default_factory=list)


def answers(header: Any, samples: Iterable[Any], source: str, findings: list[Finding]) -> Foreign:
    """The answers of a log's model, a row a sample; a sample that is None was found broken before.

    `findings` are those made so far, by the samples too while they are drawn; they go first.
    """
    log = _Log(Fields(header if isinstance(header, Mapping) else {}, source, 1, 1, findings))
    read = 0
    for sample in samples:
        read += 1
        if isinstance(sample, Mapping):
            _add(log, Fields(sample, source, read, read, findings))
        elif sample is not None:
            findings.append(Finding("error", "broken-row", f"the sample is {kind_of(sample)}, no object", source, read))
    evaluation = log.header.inside("eval")
    name = evaluation.text("model")
    _say_unfinished(log.header, read)
    return Foreign(
        format=TITLE,
        source=source,
        name=name if name and name.strip() else scorer_name(source),
        rows=foreign_frame(log.rows),
        read=read,
        label_base=_label_base(log),
        benchmark=_benchmark(evaluation),
        kind="critic",
        settings={**_settings(log.header), "votes": max((row["vote"] + 1 for row in log.rows), default=0)},
        findings=tuple(findings),
    )


def _add(log: _Log, fields: Fields) -> None:
    """One more sample; the first with an id and epoch counts."""
    case = case_id(fields, "id", required=False)
    epoch = fields.value.get("epoch", 1)
    if type(epoch) is not int or not 1 <= epoch <= _MOST_EPOCHS:
        fields.note("warning", "wrong-type", "epoch is no number from 1 on; it is taken as 1")
        epoch = 1
    if case is not None:
        place = log.places.setdefault((case, epoch), fields.number)
        if place != fields.number:
            fields.note("error", "repeated-id", f"the id and epoch are those of sample {place}; the first one counts")
            return
    log.rows.append({"line": fields.line, "id": case, "vote": epoch - 1, **_result(log, fields)})


def _result(log: _Log, fields: Fields) -> Result:
    metadata = fields.inside("metadata")
    output = model_output(fields.inside("output"), fields.inside("attachments").value)
    base = _base(log, metadata)
    result = {
        "problem": metadata.text("problem"),
        "steps": metadata.texts("steps"),
        "gold": _gold(fields, base),
        **output,
        **_judged(log, fields, output["answer"], base),
    }
    failure = fields.inside("error").text("message")
    if failure is not None and result.get("verdict") is None:
        result["reason"] = f"the sample ended in an error: {failure}"
    return result


def _judged(log: _Log, fields: Fields, answer: str | None, base: int) -> Result:
    """Ballot, verdict and reason: from the first score, else from the answer; nothing where there is neither."""
    scores = fields.inside("scores").value
    name = next(iter(scores), "")
    given = fields.of({"answer": written(fields.of(scores.get(name)).value.get("answer"))}).text("answer")
    if given is not None and processbench_verdict(given) is not None:
        log.read_from[f"the answer of the score {str(name).encode(errors='replace').decode()[:80]!r}"] += 1
        return voted(given.strip(), base)
    if answer is None:
        return {}
    judged = voted(processbench_ballot(answer), base)
    log.read_from[_BOX] += judged["verdict"] is not None
    return judged


def _base(log: _Log, metadata: Fields) -> int:
    """What the first step is counted as: 0, or 1 where that is said."""
    evaluation = log.header.of(log.header.value.get("eval")).value
    places = (metadata.value, evaluation.get("metadata"), evaluation.get("task_args"))
    said = [place["index_base"] for place in places if isinstance(place, Mapping) and "index_base" in place]
    base = 1 if said and type(said[0]) is int and said[0] == 1 else 0
    log.bases[base] += 1
    return base


def _gold(fields: Fields, base: int) -> int | None:
    """The sample's target, if it is a step or -1."""
    target = fields.value.get("target")
    if isinstance(target, list):
        target = target[0] if target else None
    label = voted(written(target), base)["verdict"]
    return label if label is not None and label >= -1 else None


def _label_base(log: _Log) -> str:
    words = {0: "0-based", 1: "1-based (index_base is 1)"}
    bases = " and ".join(words[base] for base in sorted(log.bases)) or words[0]
    read = [f"{count:,} from {place}" for place, count in log.read_from.items() if count]
    return f"{bases}, -1 = no error; verdicts read: {', '.join(read) or 'none'}"


def _benchmark(evaluation: Fields) -> str | None:
    """ProcessBench, if that is the data set by its name on the hub."""
    dataset = evaluation.inside("dataset").value
    named = {str(dataset.get(name)).lower() for name in ("name", "location")}
    return "processbench" if HUB_NAME.lower() in named else None


def _settings(header: Fields) -> dict[str, Any]:
    task = header.inside("eval").text("task")
    config = header.inside("plan").inside("config")
    sampling = {name: config.value.get(name) for name in _SAMPLING}
    sound = {
        name: config.text(name) if isinstance(value, str) else value
        for name, value in sampling.items()
        if isinstance(value, str | int | float)
    }
    return {"harness": "inspect", **({"task": task} if task else {}), **sound}


def _say_unfinished(header: Fields, read: int) -> None:
    status = header.text("status")
    if status != "success":
        why = "it was never closed" if status is None else f"its status is {status[:40]}"
        header.note("note", "unfinished-log", f"the log is unfinished, {why}: the {read:,} samples in it are read")
    if not read:
        header.note("warning", "no-samples", "the log holds no samples")
