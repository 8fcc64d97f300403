"""Inspect's logs: a zip archive (`.eval`) with a JSON member a sample, or one JSON object with all `samples`.

Archive: `header.json` (an unfinished log has `_journal/start.json` in its place) and `samples/{id}_epoch_{n}.json`; a
large sample is `samples/{id}_epoch_{n}/sample.json` with `metadata.json` beside it. What is in them is read by
`scoring.results.inspect_samples`. Source: UKGovernmentBEIS/inspect_ai, `log/_recorders/`; MIT.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from scoring.errors import InspectError, UnknownFormat
from scoring.reading.file_bytes import printable
from scoring.reading.findings import Finding
from scoring.reading.rows import Rows
from scoring.results.foreign import Foreign
from scoring.results.inspect_samples import TITLE, answers
from scoring.results.zip_members import DamagedMember, ZipMembers

__all__ = ["TITLE", "load", "load_file", "recognises", "recognises_file"]

_ZIP = b"PK\x03\x04"
_HEADERS = ("header.json", "_journal/start.json")
_SAMPLE = re.compile(r"samples/.+_epoch_\d+(/sample)?\.json", re.DOTALL)


def recognises(row: Any) -> bool:
    """Whether a row is a whole log."""
    return (
        isinstance(row, Mapping)
        and isinstance(row.get("eval"), Mapping)
        and ("samples" in row or {"version", "status"} <= row.keys())
    )


def load(rows: Rows) -> list[Foreign]:
    """The answers in each log; a row that is no log becomes a finding of the first."""
    logs: list[Foreign] = []
    stray = list(rows.findings)
    for row in rows.rows:
        if not recognises(row.value):
            stray.append(Finding("error", "broken-row", "the row is no log", rows.source, row.line))
            continue
        samples = row.value.get("samples")
        findings = stray if not logs else []
        logs.append(answers(row.value, samples if isinstance(samples, list) else [], rows.source, findings))
    return logs or [answers({}, [], rows.source, stray)]


def recognises_file(head: bytes, path: Path) -> bool:
    """Whether a file that starts with these bytes is an archive with a log's header in it; by name if it is damaged."""
    if not head.startswith(_ZIP):
        return False
    try:
        with ZipMembers(path) as members:
            return not set(members.names).isdisjoint(_HEADERS)
    except InspectError:
        return path.suffix.lower() == ".eval"


def load_file(path: Path, source: str = "") -> list[Foreign]:
    """The answers in the one log that an archive is. A damaged member costs only itself.

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
        return [answers(log, samples, source, findings)]


def _samples(members: ZipMembers, names: list[str], source: str, findings: list[Finding]) -> Iterator[Any]:
    """Every sample; None where it cannot be read."""
    for number, name in enumerate(names, start=1):
        sample = _json(members, name, source, findings, number)
        metadata = name.removesuffix("sample.json") + "metadata.json"
        if isinstance(sample, dict) and name.endswith("/sample.json") and metadata in members.names:
            sample["metadata"] = _json(members, metadata, source, findings, number)
        yield sample


def _json(members: ZipMembers, name: str, source: str, findings: list[Finding], number: int | None = None) -> Any:
    """What a member holds; None, with a finding, where that is no JSON."""
    try:
        return json.loads(members.read(name), strict=False)
    except DamagedMember as error:
        why = str(error)
    except RecursionError:
        why = "it is nested too deeply"
    except ValueError:
        why = "it is no valid JSON"
    shown = name.encode(errors="replace").decode()[:80]
    findings.append(Finding("error", "damaged-member", f"the member {shown!r} cannot be read: {why}", source, number))
    return None
