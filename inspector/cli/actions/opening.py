"""No command: import what was named, then open the app."""

import argparse
import os
import sys
from contextlib import suppress
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from inspector.cli.command_flags import commands
from inspector.cli.query_arguments import query_from
from scoring.data.errors import NoWorkspace, UsageError
from scoring.data.names import near_names
from scoring.selection.query import Query

if TYPE_CHECKING:
    from scoring.formats.tables.column_mapping import ColumnMapping
    from scoring.importing.proposal import OpenTable


def run(args: argparse.Namespace) -> int:
    """Open the app on the workspace."""
    query = query_from(args)
    if args.paths:
        args.paths = _existing(args.paths)
        if not sys.stdout.isatty():
            raise UsageError("the app needs a terminal.", "Import without it: prm-inspect import PATH")
        from inspector.cli.actions.importing import DeclinedError, bring
        from scoring.importing.source_locations import STDIN

        ask = None if args.quiet or len(args.paths) > 1 else partial(_mapping_of, args)
        try:
            batch = bring(args, ask)
        except DeclinedError:
            print("Nothing was imported.", file=sys.stderr)
            return 0
        if STDIN in args.paths:
            _take_keys_from_the_terminal()
        query = replace(query, benchmarks=query.benchmarks or batch.benchmarks)
    elif _nothing_here(query):
        begun = _where_to_begin(args, query)
        if begun is None:
            return 0
        if isinstance(begun, str):
            return run(argparse.Namespace(**{**vars(args), "paths": [begun]}))
        query = begun
    from inspector.app.app import run_app

    return run_app(query, ascii_only=args.ascii, mouse=not args.no_mouse)


def _mapping_of(args: argparse.Namespace, table: "OpenTable") -> "ColumnMapping | None":
    """Show what a table's columns were taken for, and have it changed; None where nobody can be asked.

    Raises:
        DeclinedError: it is not to be imported.
    """
    from inspector.cli.actions.importing import DeclinedError
    from inspector.screens.mapping import MappingDialog
    from inspector.widgets.themes import OneDialog

    if not sys.stdin.isatty():
        return None
    decided = OneDialog(MappingDialog(table, Path()), **_looks(args)).run(mouse=not args.no_mouse)
    if decided is None:
        raise DeclinedError
    return decided


def _looks(args: argparse.Namespace) -> dict[str, Any]:
    """How a small app before the app looks: as a person chose, else as the terminal can."""
    from platformdirs import user_state_path
    from rich.console import Console

    from inspector.widgets.themes import usual_theme

    state_folder = user_state_path("prm-inspect", appauthor=False)
    theme = usual_theme(Console(force_terminal=True).color_system)
    return {"state_folder": state_folder, "theme": theme, "ascii_only": args.ascii}


def _nothing_here(query: Query) -> bool:
    """Whether a person sits there, and nothing was asked for where nothing was imported yet."""
    from scoring.workspace.workspace_place import find_workspace

    if query != Query() or not sys.stdin.isatty() or not sys.stdout.isatty():
        return False
    try:
        find_workspace(None)
    except NoWorkspace:
        return True
    return False


def _where_to_begin(args: argparse.Namespace, query: Query) -> Query | str | None:
    """Ask where to begin: the demo or a workspace, or the path of something to import; None to leave."""
    from inspector.app.invitation import known_here
    from inspector.screens.start import start_list
    from inspector.state.remembered import recent_workspaces
    from inspector.widgets.themes import OneDialog
    from scoring.formats.benchmarks.demo import NAME as DEMO
    from scoring.importing.source_locations import typed_source
    from scoring.workspace.workspace import MARK, is_storage_address

    looks = _looks(args)
    recent = recent_workspaces(looks["state_folder"])
    dialog = start_list(recent, known_here(Path()))
    chosen = OneDialog(dialog, **looks).run(mouse=not args.no_mouse)
    if chosen is None:
        return None
    if chosen == DEMO:
        return replace(query, benchmarks=(DEMO,))
    word = typed_source(chosen)
    known = is_storage_address(word) and word in recent
    return replace(query, workspace=word) if known or (Path(word) / MARK).is_file() else word


def _take_keys_from_the_terminal() -> None:
    """Once rows were read from standard input, have it be the terminal, if there is one: the app reads keys from it."""
    with suppress(OSError):
        terminal = os.open("/dev/tty", os.O_RDWR)
        os.dup2(terminal, 0)
        os.close(terminal)


def _existing(words: list[str]) -> list[str]:
    """The words, if they are sources: a lone word that is no file was perhaps meant as a command."""
    from scoring.importing.source_locations import is_elsewhere

    for word in words:
        if not word.startswith("hf:") and not is_elsewhere(word) and not Path(word).exists():
            near = get_close_matches(word, commands(), n=1)
            meant = "" if near else "See prm-inspect --help"
            others = near_names(word, near, "command")
            raise UsageError(f"{word!r} is neither a file nor a command.", meant, instead=others)
    return words
