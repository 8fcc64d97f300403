"""Inspect's logs: a zip archive (`.eval`) with a JSON member a sample, or one JSON object with all `samples`.

Archive: `header.json` (an unfinished log has `_journal/start.json` in its place) and `samples/{id}_epoch_{n}.json`; a
large sample is `samples/{id}_epoch_{n}/sample.json` with `metadata.json` beside it. Header: `status, eval{model, task,
dataset{name, location}, metadata, task_args}, plan{config}`. Sample: `id, epoch, target, output{choices, usage},
scores{name: {answer}}, metadata, error, attachments`. The verdict is the `answer` of the first score if that is a whole
number, else what ProcessBench reads in the completion. Steps count from 0 unless `index_base` is 1 in the sample's
metadata, the log's metadata or the task's arguments. Epochs, from 1, are votes. A row's line is the sample's place in
the log, from 1. Source: UKGovernmentBEIS/inspect_ai, `log/_log.py`, `log/_recorders/`; MIT.

Members are read into memory one by one and within bounds; nothing is written to a disk. Of a member's name nothing
follows but which one it is. What a header claims about sizes is checked before a member is read and holds while it is:
no more bytes are unpacked than it claims. Not every version of `zipfile` keeps to that where it knows zstd.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from scoring.data.errors import InspectError, UnknownFormat
from scoring.formats.benchmarks.processbench import HUB_NAME
from scoring.formats.reading.boxed_answers import processbench_ballot, processbench_verdict
from scoring.formats.reading.compressed_streams import DamagedStream
from scoring.formats.reading.fields import Fields, kind_of
from scoring.formats.reading.file_bytes import printable
from scoring.formats.reading.findings import Finding
from scoring.formats.reading.rows import Rows
from scoring.formats.results.model_outputs import model_output, voted, written
from scoring.formats.results.result_format import ExternalResults, ResultReader, ResultRow, case_id, results_frame
from scoring.formats.results.scorer_names import scorer_name
from scoring.formats.results.zip_members import MARK, ZipMembers

TITLE = "Inspect log"

_MOST_EPOCHS = 1_000_000
_SAMPLING = ("temperature", "top_p", "top_k", "max_tokens", "seed", "reasoning_effort", "reasoning_tokens")
_BOX = "the last \\boxed{...} of the completion"
_HEADERS = ("header.json", "_journal/start.json")
_SAMPLE = re.compile(r"samples/.+_epoch_\d+(/sample)?\.json", re.DOTALL)


def recognises(row: Any) -> bool:
    """Return whether a row is a whole log."""
    return (
        isinstance(row, Mapping)
        and isinstance(row.get("eval"), Mapping)
        and ("samples" in row or {"version", "status"} <= row.keys())
    )


def load(rows: Rows) -> list[ExternalResults]:
    """Read the answers in each log; a row that is no log becomes a finding of the first."""
    logs: list[ExternalResults] = []
    stray = list(rows.findings)
    for row in rows.rows:
        if not recognises(row.value):
            stray.append(Finding("error", "broken-row", "the row is not a log", rows.source, row.line))
            continue
        samples = row.value.get("samples")
        findings = stray if not logs else []
        logs.append(log_answers(row.value, samples if isinstance(samples, list) else [], rows.source, findings))
    return logs or [log_answers({}, [], rows.source, stray)]


def recognises_file(head: bytes, path: Path) -> bool:
    """Return whether a file that starts with these bytes is an archive with a log's header; by name if damaged."""
    if not head.startswith(MARK):
        return False
    try:
        with ZipMembers(path) as members:
            return not set(members.names).isdisjoint(_HEADERS)
    except InspectError:
        return path.suffix.lower() == ".eval"


def load_file(path: Path, source: str = "") -> list[ExternalResults]:
    """Read the answers in the one log that an archive is. A damaged member costs only itself.

    `source` is what the archive is called, "" = its path.

    Raises:
        UnreadableFile: it is no whole archive, it would unpack to too much, or nothing here can unpack it.
        UnknownFormat: it is an archive and no log.
    """
    findings: list[Finding] = []
    source = source or printable(path)
    with ZipMembers(path, source) as members:
        names = members.names
        header = next((name for name in _HEADERS if name in names), None)
        if header is None:
            raise UnknownFormat(f"{source} is a zip archive without an Inspect log in it.", "Name the log's file.")
        log = _json(members, header, source, findings)
        samples = _samples(members, [name for name in names if _SAMPLE.fullmatch(name)], source, findings)
        return [log_answers(log, samples, source, findings)]


def _samples(members: "ZipMembers", names: list[str], source: str, findings: list[Finding]) -> Iterator[Any]:
    for number, name in enumerate(names, start=1):
        sample = _json(members, name, source, findings, number)
        metadata = name.removesuffix("sample.json") + "metadata.json"
        if isinstance(sample, dict) and name.endswith("/sample.json") and metadata in members.names:
            sample["metadata"] = _json(members, metadata, source, findings, number)
        yield sample


def _json(members: "ZipMembers", name: str, source: str, findings: list[Finding], number: int | None = None) -> Any:
    try:
        return json.loads(members.read(name), strict=False)
    except DamagedStream as error:
        why = str(error)
    except RecursionError:
        why = "it is nested too deeply"
    except ValueError:
        why = "it is not valid JSON"
    member = printable(name)[:80]
    findings.append(Finding("error", "damaged-member", f"the member {member!r} cannot be read: {why}", source, number))
    return None


class _Log:
    """The answers in a log's samples, which are added one by one, and what was seen in them."""

    def __init__(self, header: Any, source: str, findings: list[Finding]) -> None:
        self.header = Fields(header if isinstance(header, Mapping) else {}, source, 1, 1, findings)
        self.evaluation = self.header.of(self.header.value.get("eval"))
        self.places: dict[tuple[str, int], int] = {}
        self.read_from: Counter[str] = Counter()
        self.bases: set[int] = set()
        self.rows: list[ResultRow] = []

    def add(self, fields: Fields) -> None:
        """Read one more sample; the first with an id and epoch counts."""
        case = case_id(fields, "id", required=False)
        epoch = fields.value.get("epoch", 1)
        if type(epoch) is not int or not 1 <= epoch <= _MOST_EPOCHS:
            fields.note("warning", "wrong-type", "epoch is not a number from 1 on; it is taken as 1")
            epoch = 1
        place = fields.number if case is None else self.places.setdefault((case, epoch), fields.number)
        if place != fields.number:
            fields.note("error", "repeated-id", f"the id and epoch are those of sample {place}; the first one counts")
            return
        metadata = fields.inside("metadata")
        output = model_output(fields.inside("output"), fields.inside("attachments").value)
        base = self._base(metadata.value)
        row = {
            "line": fields.line,
            "id": case,
            "vote": epoch - 1,
            "problem": metadata.text("problem"),
            "steps": metadata.texts("steps"),
            "gold": _gold(fields, base),
            **output,
            **self._judged(fields, output["answer"], base),
        }
        failure = fields.inside("error").text("message")
        if failure is not None and row.get("verdict") is None:
            row["reason"] = f"the sample ended in an error: {failure}"
        self.rows.append(row)

    def _base(self, metadata: Mapping[str, Any]) -> int:
        """What the first step is counted as: 0, or 1 where that is said."""
        places = (metadata, self.evaluation.value.get("metadata"), self.evaluation.value.get("task_args"))
        stated = [place["index_base"] for place in places if isinstance(place, Mapping) and "index_base" in place]
        base = 1 if stated and type(stated[0]) is int and stated[0] == 1 else 0
        self.bases.add(base)
        return base

    def _judged(self, fields: Fields, answer: str | None, base: int) -> ResultRow:
        scores = fields.inside("scores").value
        name = next(iter(scores), "")
        answered = fields.of({"answer": written(fields.of(scores.get(name)).value.get("answer"))}).text("answer")
        if answered is not None and processbench_verdict(answered) is not None:
            self.read_from[f"the answer of the score {printable(str(name))[:80]!r}"] += 1
            return voted(answered.strip(), base)
        if answer is None:
            return {}
        judged = voted(processbench_ballot(answer), base)
        self.read_from[_BOX] += judged["verdict"] is not None
        return judged

    @property
    def label_base(self) -> str:
        words = {0: "0-based", 1: "1-based (index_base is 1)"}
        bases = " and ".join(words[base] for base in sorted(self.bases)) or words[0]
        read = [f"{count:,} from {place}" for place, count in self.read_from.items() if count]
        return f"{bases}, -1 = no error; verdicts read: {', '.join(read) or 'none'}"

    @property
    def settings(self) -> dict[str, Any]:
        task = self.header.inside("eval").text("task")
        config = self.header.inside("plan").inside("config")
        sampling = {name: config.value.get(name) for name in _SAMPLING}
        sound = {
            name: config.text(name) if isinstance(value, str) else value
            for name, value in sampling.items()
            if isinstance(value, str | int | float)
        }
        votes = max((row["vote"] + 1 for row in self.rows), default=0)
        return {"harness": "inspect", **({"task": task} if task else {}), **sound, "votes": votes}


def log_answers(header: Any, samples: Iterable[Any], source: str, findings: list[Finding]) -> ExternalResults:
    """Read the answers of a log's model, a row a sample; a sample that is None was found broken before.

    `findings` are those made so far, by the samples too while they are drawn; they go first.
    """
    log = _Log(header, source, findings)
    read = 0
    for sample in samples:
        read += 1
        if isinstance(sample, Mapping):
            log.add(Fields(sample, source, read, read, findings))
        elif sample is not None:
            findings.append(Finding("error", "broken-row", f"the sample is {kind_of(sample)}, no object", source, read))
    evaluation = log.header.inside("eval")
    name = evaluation.text("model")
    status = log.header.text("status")
    if status != "success":
        why = "it was never closed" if status is None else f"its status is {status[:40]}"
        log.header.note("note", "unfinished-log", f"the log is unfinished, {why}: the {read:,} samples in it are read")
    if not read:
        log.header.note("warning", "no-samples", "the log holds no samples")
    dataset = evaluation.inside("dataset").value
    on_processbench = HUB_NAME.lower() in {str(dataset.get(place)).lower() for place in ("name", "location")}
    return ExternalResults(
        format=TITLE,
        source=source,
        name=name if name and name.strip() else scorer_name(source),
        rows=results_frame(log.rows),
        read=read,
        label_base=log.label_base,
        benchmark="processbench" if on_processbench else None,
        kind="critic",
        settings=log.settings,
        findings=tuple(findings),
    )


def _gold(fields: Fields, base: int) -> int | None:
    target = fields.value.get("target")
    if isinstance(target, list):
        target = target[0] if target else None
    label = voted(written(target), base)["verdict"]
    return label if label is not None and label >= -1 else None


READERS = {"inspect_log": ResultReader(TITLE, recognises, load)}
