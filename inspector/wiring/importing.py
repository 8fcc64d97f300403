"""A file is imported while the app is open: asked for, looked at where it is a table, and put beside what is there."""

from concurrent.futures import Future, wait
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace
from textual.worker import get_current_worker

from inspector.text import clean
from inspector.wiring.base import INSPECT

if TYPE_CHECKING:
    from inspector.app import InspectApp
    from scoring.importing.batch import ImportBatch
    from scoring.importing.proposal import OpenTable
    from scoring.tables.column_mapping import ColumnMapping
    from scoring.workspace import Workspace

TOLD = 15
"""Seconds that a refusal is told."""
LOOK_SECONDS = 0.2
"""How often it is looked whether the app has been left while a person decides."""


class _DeclinedError(Exception):
    """Nothing of the table is wanted."""


def ask_for_file(app: "InspectApp") -> None:
    """Ask which file, and import it."""
    from inspector.screens.start import import_list

    app.push_screen(import_list(), partial(_chosen, app))


def _chosen(app: "InspectApp", path: str | None) -> None:
    if path:
        app.notify(clean(f"Reading {path} ..."), markup=False, timeout=2)
        app.run_worker(partial(_import, app, path), thread=True, group="import-file", description=f"import {path}")


def _import(app: "InspectApp", path: str) -> None:
    """In a thread: what is read may be large, and a person looks at the columns of a table meanwhile."""
    from inspector.shell.reports import reports
    from scoring.errors import InspectError
    from scoring.files import expand_home
    from scoring.importing.batch import ImportOptions, read_sources, spill_folder
    from scoring.importing.bringing import is_elsewhere

    word = path if path.startswith("hf:") or is_elsewhere(path) else str(expand_home(path))
    try:
        workspace = app.call_from_thread(_workspace, app)
        with spill_folder(workspace.root or Path()) as spill:
            found = read_sources([word], ImportOptions(), workspace, spill, ask=partial(_mapping, app))
            added, saved = found.put(workspace)
    except _DeclinedError:
        return
    except (InspectError, OSError) as error:
        app.call_from_thread(app.notify, clean(str(error)), severity="error", markup=False, timeout=TOLD)
        return
    app.call_from_thread(_shown, app, found, list(reports(found, added, saved)))


def _workspace(app: "InspectApp") -> "Workspace":
    """Where it goes: the workspace on screen; beside a demo that is looked at alone, a new one in this folder."""
    from inspector.workspace_place import find_workspace

    now = None if app.inspection is None else app.inspection.selection.workspace
    return now if now is not None and now.root is not None else find_workspace(app.request.workspace, create=True)


def _mapping(app: "InspectApp", table: "OpenTable") -> "ColumnMapping":
    """In a thread: have a person look at a table's columns."""
    from inspector.screens.mapping import MappingDialog

    answer: Future[ColumnMapping | None] = Future()
    app.call_from_thread(app.push_screen, MappingDialog(table), answer.set_result, mode=INSPECT)
    worker = get_current_worker()
    while not answer.done():
        # Whoever quits meanwhile need not answer first.
        if worker.is_cancelled:
            raise _DeclinedError
        wait([answer], LOOK_SECONDS)
    decided = answer.result()
    if decided is None:
        raise _DeclinedError
    return decided


def _shown(app: "InspectApp", found: "ImportBatch", lines: list[str]) -> None:
    """Say what came, and read all again; what was asked for by name stays, and what came is there beside it."""
    from rich.text import Text

    from inspector.screens.guide_page import TextPage

    app.push_screen(TextPage(Text("\n".join(map(clean, lines)))), mode=INSPECT)
    if app.request.benchmarks:
        names = [one.benchmark for one in found.imported]
        names += [name for one in found.joined for name in one.benchmarks]
        app.request = replace(app.request, benchmarks=tuple(dict.fromkeys((*app.request.benchmarks, *names))))
    app.read_again()
