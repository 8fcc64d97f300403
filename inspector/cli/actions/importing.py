"""`import`: sources become cases and scorers in the workspace, with a report of everything noticed on the way."""

import argparse
import math
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from msgspec.structs import replace

from inspector.cli.actions.progress import ReadingProgress
from inspector.render.import_report import reports
from inspector.render.texts.text import clean
from inspector.screens.mapping_words import preview_lines
from inspector.state.query import ENVIRONMENT
from inspector.state.workspace_place import LOCAL, find_workspace
from scoring.data.errors import NoWorkspace, StrictFindings, UsageError, with_short_names
from scoring.data.names import near_names, without
from scoring.data.own_code import is_file
from scoring.data.rules import check_own_rule
from scoring.formats.benchmarks.benchmark_registry import MODULES, is_benchmark
from scoring.formats.benchmarks.case_format import Imported
from scoring.formats.reading.findings import Finding
from scoring.formats.results.scorer_names import scorer_name
from scoring.formats.tables.column_guess import propose
from scoring.formats.tables.column_mapping import ColumnMapping
from scoring.formats.tables.column_readings import Choice, ColumnReading, readings
from scoring.importing.batch import AskMapping, ImportBatch, ImportOptions, read_sources, spill_folder
from scoring.importing.proposal import OpenTable
from scoring.importing.saving import SavedResults
from scoring.importing.source_locations import HUB, is_elsewhere, is_pattern, not_looked_at
from scoring.workspace.generation import Added
from scoring.workspace.workspace import Workspace, workspace_folder


def run(args: argparse.Namespace) -> int:
    """Import the sources; 0 clean, 1 where there was a warning or worse."""
    if args.dry_run:
        batch = _found(args, None, anew=True)
        _refuse_if_strict(batch, args)
        _report(batch, args)
        for proposal in batch.proposals:
            _print(preview_lines(proposal), args)
        _keep_mapping(batch, args)
        return int(batch.grave)
    with spill_folder(home(args)) as spill:
        # Whoever asks for all findings, or wants none, wants the file read.
        batch = _found(args, spill, anew=bool(args.strict or args.verbose or args.save_mapping))
        _refuse_if_strict(batch, args)
        workspace = find_workspace(args.workspace, create=True)
        with ReadingProgress("writing", quiet=args.quiet):
            added, saved = batch.put(workspace, args.name)
    _report(batch, args, added, saved)
    _keep_mapping(batch, args)
    _print([f"Workspace {workspace.place}. Look at it with: prm-inspect{workspace_flag(args)}"], args)
    return int(
        batch.grave or any(cases.elsewhere for cases in added) or any(results.why or results.gone for results in saved)
    )


def _refuse_if_strict(batch: ImportBatch, args: argparse.Namespace) -> None:
    if args.strict and batch.grave:
        for line in reports(batch, verbose=args.verbose, width=_width(sys.stderr)):
            print(clean(with_short_names(line)), file=sys.stderr)
        raise StrictFindings("there are findings (above) and --strict was given.", "Nothing was written.")


def _keep_mapping(batch: ImportBatch, args: argparse.Namespace) -> None:
    """Write down how the one table was read, for the next time or to be corrected."""
    if not args.save_mapping:
        return
    if len(batch.mappings) != 1:
        raise UsageError(
            f"--save-mapping is for one table, and there are {len(batch.mappings)}.",
            "Import it alone to keep it.",
            instead=without("--save-mapping", meaning="without a file of the mapping"),
        )
    batch.mappings[0].save(Path(args.save_mapping))
    _print([f"Wrote how its columns were read to {args.save_mapping}"], args)


class DeclinedError(Exception):
    """Somebody who was asked about a table does not want it imported."""


def bring(args: argparse.Namespace, ask: AskMapping | None) -> ImportBatch:
    """Import the sources without a word, for whoever looks at them next; `ask` decides what columns of tables are."""
    args.name = args.mapping = args.run = None
    with spill_folder(home(args)) as spill:
        batch = _found(args, spill, ask, anew=False)
        with ReadingProgress("writing", quiet=args.quiet):
            batch.put(find_workspace(args.workspace, create=True))
    return batch


def examine(args: argparse.Namespace) -> int:
    """Only look, and apply the rules that sound benchmarks are made by; 1 where there is a warning or worse."""
    args.name = args.mapping = args.run = None
    batch = _found(args, None, anew=True)
    broken = replace(
        batch,
        imported=tuple(
            replace(imported, findings=(*imported.findings, *_rules(imported))) for imported in batch.imported
        ),
    )
    _report(broken, args)
    return int(broken.grave)


def _rules(imported: Imported) -> list[Finding]:
    """What breaks a rule of construction and was not noticed while reading; spilled texts are not looked at."""
    from scoring.formats.benchmarks.construction import broken_rules

    known = {finding.code for finding in imported.findings}
    return (
        [] if imported.spilled else [finding for finding in broken_rules(imported.cases) if finding.code not in known]
    )


def _found(args: argparse.Namespace, spill: Path | None, ask: AskMapping | None = None, *, anew: bool) -> ImportBatch:
    """Read the sources; files that were imported and have not changed only if they are to be read `anew`."""
    with ReadingProgress("reading", quiet=args.quiet) as progress:
        if ask is not None:
            ask = partial(_hushed, progress, ask)
        elif _may_ask(args):
            ask = partial(_chosen, progress)
        preview = getattr(args, "dry_run", False)
        sources, options, workspace = import_request(args)
        batch = read_sources(
            sources, options, workspace, spill, _tell(args), progress, skip_unchanged=not anew, ask=ask, preview=preview
        )
    if options.join_to and batch.imported and not (batch.joined or batch.unchanged or batch.skipped):
        raise UsageError(
            "--benchmark says whose cases results are of, and here are none.",
            "A benchmark of your own is called after its file once its columns are named, such as "
            "--earliest-error label.",
        )
    return batch


def _hushed(progress: ReadingProgress, ask: AskMapping, table: OpenTable) -> ColumnMapping | None:
    with progress.hushed():
        return ask(table)


def _may_ask(args: argparse.Namespace) -> bool:
    """Whether somebody is there to decide how a table is meant."""
    wanted = args.command == "import" and not (args.quiet or args.strict or args.dry_run)
    return wanted and sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def _chosen(progress: ReadingProgress, table: OpenTable) -> ColumnMapping | None:
    """Ask on the terminal which of several readings is meant; None where nothing is to be asked, or all as it is."""
    proposed, stated = propose(table.rows, table.stated), table.stated or ColumnMapping()
    if proposed is None:
        return None
    for reading in readings(table.rows, proposed, table.stated):
        choice = _answer(progress, table.source, reading) or (reading.choices[0] if reading.is_required else None)
        stated = stated if choice is None else stated.overridden(choice.states)
    return None if stated == (table.stated or ColumnMapping()) else propose(table.rows, stated)


def _answer(progress: ReadingProgress, source: str, reading: ColumnReading) -> Choice | None:
    """None = Enter, for what is taken anyway."""
    with progress.hushed():
        print(clean(f"{source}: {reading.question}"), file=sys.stderr)
        for number, choice in enumerate(reading.choices, start=1):
            print(clean(f"  {number}  {choice.words} ({choice.flags})"), file=sys.stderr)
        while True:
            print(f"1 to {len(reading.choices)}, Enter = 1: ", end="", file=sys.stderr, flush=True)
            word = sys.stdin.readline().strip()
            if not word:
                return None
            if word.isdecimal() and 1 <= int(word) <= len(reading.choices):
                return reading.choices[int(word) - 1]


def import_request(args: argparse.Namespace) -> tuple[Sequence[str], ImportOptions, Workspace | None]:
    """Return the sources that a command line names, how they are to be read, and the workspace, if there is one yet.

    Raises:
        UsageError: flags contradict each other or the sources.
    """
    benchmark, paths = split(args.paths)
    if len(args.benchmark) > 1:
        raise UsageError("results belong to one benchmark, and several are named.", "Import their files one by one.")
    mapping = ColumnMapping.read(Path(args.mapping)) if args.mapping else None
    try:
        workspace = find_workspace(args.workspace)
    except NoWorkspace:
        workspace = None
    options = ImportOptions(
        benchmark,
        mapping,
        columns=_columns(args, paths),
        join_to=next(iter(args.benchmark), None),
        name=args.name,
        run=args.run,
        series=getattr(args, "series", None),
        at=getattr(args, "at", None),
        plain_text=getattr(args, "plain_text", False),
        **_rule(args),
    )
    return paths, options, workspace


_COLUMN = re.compile(r"(?:\[[^\]]*\]|[^=])*")
_SAME_NAME = (
    *("id", "step", "problem", "steps", "earliest_error", "error_steps", "step_labels"),
    *("final_answer_correct", "separator", "label_base", "clean", "wrong_below", "wrong", "higher_is"),
)
"""Fields of a mapping whose flag has the same name."""


def _columns(args: argparse.Namespace, paths: Sequence[str]) -> ColumnMapping | None:
    """What the flags say of a table's columns; None = nothing."""
    mapping = ColumnMapping(
        **{name: getattr(args, name, None) for name in _SAME_NAME},
        rewards=_by_scorer(getattr(args, "rewards", ()), args, paths),
        verdicts=_by_scorer(getattr(args, "verdict", ()), args, paths),
        answers=_by_scorer(getattr(args, "answers", ()), args, paths),
        scorer=getattr(args, "scorer_column", None),
        verdict_base=getattr(args, "base", None),
    )
    if mapping.separator is not None:
        # A line break can hardly be typed.
        mapping = replace(mapping, separator=mapping.separator.replace("\\n", "\n").replace("\\t", "\t"))
    return None if mapping == ColumnMapping() else mapping


def _by_scorer(words: Sequence[str], args: argparse.Namespace, paths: Sequence[str]) -> dict[str, str]:
    """Scorer -> column, of words like `COL` or `COL=SCORER`; a lone column's scorer is called after the file."""
    columns = {}
    for word in words:
        column, scorer = _named_scorer(word)
        only = len(words) == 1 and len(paths) == 1
        name = scorer or (args.name or scorer_name(paths[0]) if only else column)
        if name in columns:
            raise UsageError(f"two columns are said to be of {name!r}.", "Name each scorer: COL=SCORER.")
        columns[name] = column
    return columns


def _named_scorer(word: str) -> tuple[str, str]:
    """A column and a scorer's name, "" for none; the `=` of a path (`messages[role=assistant].content`) is neither."""
    column = _COLUMN.match(word)[0]  # type: ignore[index]  # it matches any text
    return column, word[len(column) + 1 :]


def _rule(args: argparse.Namespace) -> dict[str, Any]:
    """The threshold and the boundary that decide on imported rewards."""
    rule: dict[str, Any] = {}
    if len(args.threshold) > 1 or len(args.rule) > 1:
        raise UsageError("an import takes one --threshold and one --rule.", "Import the files one by one.")
    for word in args.threshold:
        try:
            rule["threshold"] = float(word)
        except ValueError:
            rule["threshold"] = float("nan")
        if not math.isfinite(rule["threshold"]):
            raise UsageError(f"{word!r} is not a threshold that can be stored.", "Give a number.")
    for word in args.rule:
        rule["comparison"], rule["on"] = check_own_rule(word)
    return rule


def home(args: argparse.Namespace) -> Path:
    """Return where the workspace is or will be, on this machine."""
    named = args.workspace or os.environ.get(ENVIRONMENT)
    return workspace_folder(named, create=True) if named else LOCAL


def workspace_flag(args: argparse.Namespace) -> str:
    """Return the flag with which a command finds the workspace; "" where it needs none."""
    return f" --workspace {shlex.quote(args.workspace)}" if args.workspace else ""


def split(words: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return an optional benchmark's name or Python file, then paths.

    Raises:
        UsageError: the first of several words is no file and is much like a benchmark's name.
    """
    if len(words) > 1 and is_benchmark(words[0]) and (is_file(words[0]) or not Path(words[0]).exists()):
        return words[0], list(words[1:])
    if len(words) > 1 and not (is_elsewhere(words[0]) or is_pattern(Path(words[0])) or Path(words[0]).exists()):
        others = near_names(words[0], () if words[0].startswith(HUB) else MODULES, "benchmark")
        if others:
            raise UsageError(f"{words[0]!r} is neither a file nor a benchmark.", instead=others)
    return None, list(words)


def _tell(args: argparse.Namespace) -> Callable[[str], None]:
    """Where lines go that are read while something is brought."""
    return lambda line: None if args.quiet else print(clean(line), file=sys.stderr, flush=True)


def _report(
    batch: ImportBatch, args: argparse.Namespace, added: Sequence[Added] = (), saved: Sequence[SavedResults] = ()
) -> None:
    batch = replace(batch, passed_over=not_looked_at(split(args.paths)[1]))
    _print(reports(batch, added, saved, verbose=args.verbose, width=_width(sys.stdout)), args)


def _width(stream: TextIO) -> int | None:
    """The cells of the terminal that a stream goes to; None where it is none."""
    return shutil.get_terminal_size().columns if stream.isatty() else None


def _print(lines: Iterable[str], args: argparse.Namespace) -> None:
    for line in lines:
        if not args.quiet:
            print(clean(with_short_names(line)))
