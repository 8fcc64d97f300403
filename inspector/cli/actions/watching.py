"""`watch`: files that grow are imported as they grow, and each change is a line."""

import argparse
import json
import os
import re
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct

from inspector.cli.actions.import_request import home, import_request, workspace_flag
from inspector.cli.actions.progress import ReadingProgress
from inspector.render.import_report import noticed_words, reports
from inspector.render.source_report import NAMED, given_words, joined_words
from inspector.render.texts.sentences import counted
from inspector.render.texts.text import clean
from inspector.state.processes.scoring_words import duration
from scoring.data.errors import UsageError
from scoring.formats.benchmarks.rollouts import ROLLOUTS
from scoring.formats.reading.file_bytes import printable
from scoring.formats.reading.findings import Finding, some_of, worst
from scoring.importing.batch import ImportOptions
from scoring.importing.source_locations import HUB, is_elsewhere, is_pattern
from scoring.importing.stored_objects import is_stored
from scoring.importing.watching import Round, TakenFile, Watch
from scoring.runs.interrupt import Interrupt, Stopped
from scoring.workspace.workspace_place import find_workspace, send

LOOK_SECONDS = 1.5
"""How often files are looked at."""
PACE = 2
"""How many times as long as a round took it rests before the next one."""
CASES_SECONDS = 5.0
"""The same after cases changed: what reads them has so long to follow."""
_CHANGES = {"joined anew": "cases came that it belongs to"}


def run(args: argparse.Namespace) -> int:
    """Import what is there and what comes; 0 or 1 at the end, 2 where nothing came, 130 or 143 if interrupted.

    Raises:
        UsageError: a source cannot be followed, or flags contradict each other.
    """
    words, options, workspace = import_request(args)
    _refuse_what_cannot_be_followed(words, options)
    watch = Watch(words, options, workspace, partial(find_workspace, args.workspace, create=True), home(args))
    lines = _Lines(args)
    with Interrupt() as interrupt:
        try:
            _follow(watch, lines, interrupt, args)
        except Stopped as stopped:
            lines.end(watch)
            return 128 + stopped.signum
    lines.end(watch)
    return lines.exit_code


def _refuse_what_cannot_be_followed(words: Sequence[str], options: ImportOptions) -> None:
    for word in words:
        if word.startswith(HUB) or (is_elsewhere(word) and not is_stored(word)):
            what = "standard input" if word == "-" else word.partition(":")[0] + ":"
            raise UsageError(
                f"watch follows files, folders, patterns and buckets, and {what} is none of these.", "Use import, once."
            )
    several = len(words) > 1 or is_stored(words[0]) or os.path.isdir(words[0]) or is_pattern(Path(words[0]))  # noqa: PTH112
    for flag, value in (("--name", options.name), ("--at", options.at)):
        if value is not None and several:
            raise UsageError(f"{flag} is for one file, and more may come of these.", "Watch that file alone.")


def _follow(watch: Watch, lines: "_Lines", interrupt: Interrupt, args: argparse.Namespace) -> None:
    """Look until nothing has changed for as long as was asked for."""
    changed = time.monotonic()
    while True:
        began = time.monotonic()
        idle = args.until_idle is not None and began - changed >= args.until_idle
        with ReadingProgress("reading", quiet=args.quiet or args.jsonl) as progress:
            brought = watch.look(last=idle, progress=progress, reading=interrupt.at_once)
        lines.tell(watch, brought)
        if any(imported.benchmark in ROLLOUTS for file in brought.taken for imported, _ in file.imported):
            lines.alarm(args)
        if brought.taken:
            lines.note(send())
        interrupt.check()
        now = time.monotonic()
        if brought.moved or (brought.taken and not idle):
            changed = now
        elif idle:
            return
        cases = any(added.new or added.changed for file in brought.taken for _, added in file.imported)
        with interrupt.at_once():
            time.sleep(max(CASES_SECONDS if cases else LOOK_SECONDS, PACE * (now - began)))


class _Held(Struct, frozen=True):
    """What a file gave last, in numbers, without its rows."""

    path: str
    refusal: str
    unchanged: bool
    grave: bool
    cases: int
    results: dict[str, int]
    noticed: str

    @classmethod
    def of(cls, taken: TakenFile) -> "_Held":
        return cls(
            printable(taken.path),
            taken.refusal,
            taken.unchanged is not None,
            _is_grave(taken),
            sum(imported.cases.height for imported, _ in taken.imported),
            {saved.scorer: joined.joined for joined, saved in taken.joined},
            noticed_words(_findings(taken)),
        )


class _Lines:
    """What is said of each round, in words or as objects."""

    def __init__(self, args: argparse.Namespace) -> None:
        self._args = args
        self._began = time.monotonic()
        self._rounds = 0
        self._awaited: dict[str, str] = {}
        self._half: tuple[str, ...] = ()
        self._refusal = ""
        self._last: dict[str, _Held] = {}
        self._noted: tuple[str, ...] = ()
        self._alarms: frozenset[tuple[str, str, str]] = frozenset()

    @property
    def exit_code(self) -> int:
        """What the last state of every source makes of it."""
        if all(file.refusal for file in self._last.values()):
            return 2
        warned = any(file.grave for file in self._last.values())
        return int(warned or bool(self._awaited or self._half or self._refusal))

    def note(self, sentences: Sequence[str]) -> None:
        """Say what keeps the workspace's place from having what was imported, each sentence once while it holds."""
        for sentence in sentences:
            if sentence not in self._noted:
                print(clean(sentence), file=sys.stderr, flush=True)
        self._noted = tuple(sentences)

    def tell(self, watch: Watch, brought: Round) -> None:
        """Say what a look brought, and nothing where it brought nothing new."""
        self._rounds += 1
        if self._rounds == 1 and not self._args.jsonl:
            self._first(watch, brought)
        else:
            for taken in brought.taken:
                self._tell_of(taken)
        for taken in brought.taken:
            self._last[taken.place] = _Held.of(taken)
        for path in brought.gone:
            self._say("gone", f"{printable(path)} is gone; what was imported of it stays", path=printable(path))
        for word, sentence in brought.awaited.items():
            if self._awaited.get(word) != sentence:
                self._say("awaited", f"waiting: {sentence}", path=printable(word), sentence=sentence)
        if brought.refusal and brought.refusal != self._refusal:
            self._say("failed", f"{brought.refusal} It is tried again.", sentence=brought.refusal)
        self._awaited, self._half, self._refusal = dict(brought.awaited), brought.half, brought.refusal

    def alarm(self, args: argparse.Namespace) -> None:
        """Say where step rewards drift from outcomes, each alarm once while it holds."""
        # Imported only where rollouts came: analyses take long to import.
        from inspector.analyses.timeline.drift import drift_alarms
        from scoring.selection.loading import load
        from scoring.selection.query import Query

        alarms = drift_alarms(load(Query(workspace=args.workspace, benchmarks=())))
        raised = {(alarm.series, alarm.scorer, alarm.figure): alarm for alarm in alarms}
        for key, alarm in raised.items():
            if key not in self._alarms:
                facts = dict(zip(("series", "scorer", "figure"), key, strict=True))
                self._say("alarm", alarm.sentence, **facts, sentence=alarm.sentence)
        self._alarms = frozenset(raised)

    def end(self, watch: Watch) -> None:
        taken = [held for held in self._last.values() if not held.refusal]
        cases = sum(held.cases for held in taken)
        results = sum(sum(held.results.values()) for held in taken)
        if self._args.jsonl:
            refused = len(self._last) - len(taken)
            half, awaited = list(map(printable, self._half)), list(map(printable, self._awaited))
            facts = {"files": len(taken), "cases": cases, "results": results, "refused": refused}
            self._write("end", {**facts, "half_written": half, "awaited": awaited})
            return
        unread = sum(held.unchanged for held in taken)
        held = [f"with {counted(cases, 'case')} and {counted(results, 'result')}"]
        held += [f"{unread:,} of them as before"] if unread else []
        what = f"{counted(len(taken), 'file')} {', '.join(held)}" if taken else "nothing was taken"
        self._print(f"After {duration(time.monotonic() - self._began)}: {what}{''.join(self._left())}.")
        if watch.workspace is not None:
            self._print(f"Workspace {watch.workspace.root}. Look at it with: prm-inspect{workspace_flag(self._args)}")

    def _left(self) -> Iterator[str]:
        if refused := [file.path for file in self._last.values() if file.refusal]:
            yield f"; {counted(len(refused), 'file')} refused"
        if self._half:
            yield f"; not whole yet: {_some(self._half)}"
        if self._awaited:
            yield f"; still waiting for: {_some(self._awaited)}"

    def _first(self, watch: Watch, brought: Round) -> None:
        """What was there at the beginning, as `import` tells it."""
        for batch, added, saved in brought.batches:
            for line in reports(batch, added, saved, verbose=self._args.verbose):
                self._print(line)
        known = {sentence for batch, *_ in brought.batches for sentence in batch.skipped}
        for taken in brought.taken:
            if taken.refusal and taken.refusal not in known:
                self._print(taken.refusal)
        where = f"Workspace {watch.workspace.root}. " if watch.workspace is not None else ""
        self._print(f"{where}Watching; Ctrl+C ends it.")

    def _tell_of(self, taken: TakenFile) -> None:
        before = self._last.get(taken.place)
        path, change = printable(taken.path), _CHANGES.get(taken.change, taken.change)
        if taken.refusal:
            if before is None or _without_numbers(before.refusal) != _without_numbers(taken.refusal):
                self._say("refused", taken.refusal, path=path, sentence=taken.refusal)
        elif (
            taken.altered
            or taken.change == "new"
            or before is None
            or before.noticed != noticed_words(_findings(taken))
        ):
            words = f"{path} ({change}): {'; '.join(_parts(taken, before))}"
            self._say("imported", words, **_object(taken))
            if self._args.verbose and not self._args.jsonl:
                for finding in _findings(taken):
                    self._print(f"  {finding}")

    def _say(self, event: str, words: str, **facts: Any) -> None:
        if self._args.jsonl:
            self._write(event, facts)
        else:
            self._print(words)

    def _print(self, line: str) -> None:
        if not self._args.quiet and not self._args.jsonl:
            print(clean(line), flush=True)

    def _write(self, event: str, facts: dict[str, Any]) -> None:
        print(json.dumps({"event": event, **facts}, ensure_ascii=False), flush=True)


def _some(paths: Iterable[str]) -> str:
    return some_of(list(map(printable, paths)), NAMED)


def _parts(taken: TakenFile, before: _Held | None) -> Iterator[str]:
    """What a file holds now, in the words of an import's report, with how many results are more than before."""
    if taken.unchanged is not None:
        yield f"unchanged since it was imported: {taken.unchanged.held}"
    for imported, added in taken.imported:
        new = [f"{added.new:,} new"] * bool(added.new) + [f"{added.changed:,} changed"] * bool(added.changed)
        of_these = f" ({', '.join(new)})" if new else ""
        yield f"{counted(imported.cases.height, 'case')} of {imported.benchmark}{of_these}"
        if lost := imported.read - imported.cases.height:
            yield f"{lost:,} of {imported.read:,} rows left out"
    counts = before.results if before is not None else {}
    for joined, saved in taken.joined:
        more = joined.joined - counts.get(saved.scorer, joined.joined)
        words = given_words(joined, short=True)
        yield f"{saved.scorer}: {joined_words(joined)}{f' ({more:+,})' if more else ''}{f', {words}' if words else ''}"
        if saved.why:
            yield f"warning: {saved.why}"
        if saved.gone:
            yield f"warning: what it gave {counted(saved.gone, 'case')} before is gone"
    if noticed := noticed_words(_findings(taken)):
        yield noticed


def _object(taken: TakenFile) -> dict[str, Any]:
    """The same in numbers."""
    findings = [finding.severity for finding in _findings(taken)]
    all_counts = [joined.row_counts for joined, _ in taken.joined]
    benchmarks = [imported.benchmark for imported, _ in taken.imported]
    benchmarks += [name for joined, _ in taken.joined for name in joined.benchmarks]
    return {
        "path": printable(taken.path),
        "change": taken.change,
        "benchmarks": list(dict.fromkeys(benchmarks)),
        "scorers": [saved.scorer for _, saved in taken.joined],
        "rows": sum(imported.read for imported, _ in taken.imported)
        + sum(joined.results.read for joined, _ in taken.joined),
        "cases": sum(imported.cases.height for imported, _ in taken.imported),
        "new": sum(added.new for _, added in taken.imported),
        "changed": sum(added.changed for _, added in taken.imported),
        "results": sum(joined.joined for joined, _ in taken.joined),
        "rewards": sum(counts["rewards"] for counts in all_counts),
        "answers": sum(counts["answers"] for counts in all_counts),
        "refused": sum(counts["refused"] for counts in all_counts),
        "results_gone": sum(saved.gone for _, saved in taken.joined),
        **{f"{severity}s": findings.count(severity) for severity in ("error", "warning", "note")},
    }


def _findings(taken: TakenFile) -> list[Finding]:
    return [
        *(finding for imported, _ in taken.imported for finding in imported.findings),
        *(finding for joined, _ in taken.joined for finding in joined.findings),
    ]


def _is_grave(taken: TakenFile) -> bool:
    """Whether there is anything about a file that a person should look at."""
    left_out = any(added.elsewhere for _, added in taken.imported)
    left_out = left_out or any(saved.why or saved.gone for _, saved in taken.joined)
    before = taken.unchanged is not None and taken.unchanged.grave
    return bool(taken.refusal) or left_out or before or worst(_findings(taken)) in {"warning", "error"}


def _without_numbers(sentence: str) -> str:
    """A sentence about a file that grows is the same when only its numbers are others."""
    return re.sub(r"\d[\d,]*", "0", sentence)
