"""`import`: sources become cases and scorers in the workspace, with a report of everything noticed on the way."""

import argparse
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TextIO

from msgspec.structs import replace

from inspector.cli.actions.import_request import home, import_request, split, workspace_flag
from inspector.cli.actions.progress import ReadingProgress
from inspector.render.import_report import reports
from inspector.render.texts.text import clean
from inspector.screens.mapping_words import preview_lines
from scoring.data.errors import StrictFindings, UsageError, with_short_names
from scoring.data.names import without
from scoring.formats.benchmarks.case_format import Imported
from scoring.formats.reading.findings import Finding
from scoring.formats.tables.column_guess import propose
from scoring.formats.tables.column_mapping import ColumnMapping
from scoring.formats.tables.column_readings import Choice, ColumnReading, readings
from scoring.importing.batch import AskMapping, ImportBatch, read_sources, spill_folder
from scoring.importing.proposal import OpenTable
from scoring.importing.saving import SavedResults
from scoring.importing.source_locations import not_looked_at
from scoring.workspace.generation import Added
from scoring.workspace.workspace_place import find_workspace


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
