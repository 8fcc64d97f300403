"""`import`: sources become cases in the workspace, with a report of everything noticed on the way."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from inspector.selection import find_workspace
from inspector.text import clean
from scoring.benchmarks.catalogue import MODULES, import_source
from scoring.benchmarks.findings import counted, worst
from scoring.benchmarks.imported import Imported
from scoring.benchmarks.rows import expand
from scoring.errors import InputError, StrictFindings
from scoring.workspace import Added

_SHOWN_FINDINGS = 8


def run(args: argparse.Namespace) -> int:
    """Import the sources; 0 clean, 1 where there was a warning or worse."""
    benchmark, paths = _split(args.paths)
    imported, skipped = read_sources(paths, benchmark)
    grave = [one for one in imported if worst(one.findings) in {"warning", "error"}]
    if args.strict and (grave or skipped):
        for line in _reports(imported, skipped):
            print(clean(line), file=sys.stderr)
        raise StrictFindings("there are findings (above) and --strict was given.", "Nothing was written.")
    if args.dry_run:
        _print(_reports(imported, skipped), args)
        return 1 if grave or skipped else 0
    workspace = find_workspace(args.workspace, create=True)
    added = workspace.add(imported)
    _print(_reports(imported, skipped, added), args)
    _print([f"Workspace {workspace.root}. Look at it with: prm-inspect{_flag(args)}"], args)
    return 1 if grave or skipped else 0


def _flag(args: argparse.Namespace) -> str:
    return f" --workspace {args.workspace}" if args.workspace else ""


def _split(words: Sequence[str]) -> tuple[str | None, list[str]]:
    """An optional benchmark's name, then paths."""
    if words[0] in MODULES and len(words) > 1 and not Path(words[0]).exists():
        return words[0], list(words[1:])
    return None, list(words)


def read_sources(words: Sequence[str], benchmark: str | None = None) -> tuple[list[Imported], list[str]]:
    """Every source read, and a sentence for each file of a folder that could not be read or recognised.

    Raises:
        InputError: a source that was named cannot be read, or nothing at all was recognised.
    """
    imported, skipped = [], []
    for word in words:
        within_folder = not word.startswith("hf:") and Path(word).is_dir()
        for source in [word] if word.startswith("hf:") else [str(path) for path in expand([Path(word)])]:
            try:
                imported.append(import_source(source, benchmark))
            except InputError as error:
                if not within_folder:
                    raise
                skipped.append(str(error))
    if not imported:
        more = f" ({len(skipped) - 1} more files alike)" if len(skipped) > 1 else ""
        raise InputError(f"nothing was recognised. {skipped[0]}{more}", "Name the benchmark: import BENCHMARK PATH")
    return imported, skipped


def _reports(imported: Sequence[Imported], skipped: Sequence[str], added: Sequence[Added] = ()) -> Iterator[str]:
    for index, one in enumerate(imported):
        yield from report(one, added[index] if added else None)
    yield from skipped


def report(one: Imported, added: Added | None) -> Iterator[str]:
    """One import in a few lines: rows, subsets, labels, what changed, findings with their places."""
    yield f"{one.source}: {one.benchmark} ({one.format})"
    lost = f", {one.read - one.cases.height:,} left out" if one.read != one.cases.height else ""
    unlabelled = one.cases.height - one.erroneous - one.clean
    rest = f", {unlabelled:,} without a gold label" if unlabelled else ""
    kept = f"{one.cases.height:,} cases of {one.read:,} rows{lost}"
    yield f"  {kept}: {one.erroneous:,} erroneous, {one.clean:,} clean{rest}"
    if one.cases.height:
        subsets = one.cases.group_by("subset", maintain_order=True).len().rows()
        yield "  subsets: " + ", ".join(f"{name or '(none)'} {n:,}" for name, n in subsets)
    yield f"  labels: {one.label_base}"
    if added:
        yield f"  in the workspace: {added.new:,} new, {added.changed:,} changed, {added.unchanged:,} unchanged"
    yield from _findings(one)


def _findings(one: Imported) -> Iterator[str]:
    for severity, code, number, _ in counted(one.findings):
        alike = [finding for finding in one.findings if (finding.severity, finding.code) == (severity, code)]
        yield f"  {severity}: {number:,} x {code}"
        for finding in alike[:_SHOWN_FINDINGS]:
            place = f"line {finding.line}: " if finding.line is not None else ""
            yield f"    {place}{finding.message}" + (f" [{finding.case}]" if finding.case else "")
        if number > _SHOWN_FINDINGS:
            yield f"    ... and {number - _SHOWN_FINDINGS:,} more"


def _print(lines: Iterator[str] | list[str], args: argparse.Namespace) -> None:
    for line in lines:
        if not args.quiet:
            print(clean(line))
