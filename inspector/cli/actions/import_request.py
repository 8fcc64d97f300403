"""What an import is asked for, from its flags: sources, columns, names and rules."""

import argparse
import math
import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from scoring.data.environment import WORKSPACE
from scoring.data.errors import NoWorkspace, UsageError
from scoring.data.names import near_names
from scoring.data.own_code import is_file
from scoring.data.rules import check_own_rule
from scoring.formats.benchmarks.benchmark_registry import MODULES, is_benchmark
from scoring.formats.results.scorer_names import scorer_name
from scoring.formats.tables.column_mapping import ColumnMapping
from scoring.importing.batch import ImportOptions
from scoring.importing.source_locations import HUB, is_elsewhere, is_pattern
from scoring.workspace.workspace import Workspace, workspace_folder
from scoring.workspace.workspace_place import LOCAL, find_workspace


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
    named = args.workspace or os.environ.get(WORKSPACE)
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
