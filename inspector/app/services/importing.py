"""A file is imported while the app is open: asked for, looked at where it is a table, and put beside what is there."""

from concurrent.futures import Future, wait
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Self

from msgspec.structs import replace
from textual.app import App
from textual.worker import get_current_worker

from inspector.app.services.following import Following
from inspector.app.services.host import ServiceHost
from inspector.app.services.navigation import INSPECT, Navigation
from inspector.render.texts.text import clean
from inspector.state.processes.scoring_words import progress_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scoring.formats.tables.column_mapping import ColumnMapping
    from scoring.importing.proposal import OpenTable
    from scoring.workspace.workspace import Workspace

TOLD_EVERY = 0.5
"""Seconds between two words on how far reading is."""
LOOK_SECONDS = 0.2
"""How often it is looked whether the app has been left while a person decides."""


class _DeclinedError(Exception):
    """Nothing of the table is wanted."""


class FileImport:
    """Asks a person for one file and imports it into the workspace on screen."""

    def __init__(self, host: ServiceHost, navigation: Navigation, following: Following) -> None:
        self._host, self._navigation, self._following = host, navigation, following

    def ask(self) -> None:
        """Ask which file, and import it."""
        from inspector.screens.start import import_list

        self._host.app.push_screen(import_list(self._host.visit), self._begin)

    def _begin(self, typed: str | None) -> None:
        if typed and (refusal := self._host.visit.refused_source(typed)):
            self._host.tell(refusal, "error")
        elif typed:
            self._host.tell(f"Reading {typed} ...")
            self._host.run_in_thread(partial(self._import, typed), "import-file")

    def _import(self, typed: str) -> None:
        """In a thread: what is read may be large, and a person looks at the columns of a table meanwhile."""
        from inspector.render.import_report import reports
        from scoring.data.errors import InspectError
        from scoring.importing.batch import ImportOptions, read_sources, spill_folder
        from scoring.importing.source_locations import typed_source
        from scoring.workspace.workspace_place import find_workspace

        try:
            workspace = self._workspace()
            folder = Path() if workspace is None else workspace.root or Path()
            with spill_folder(folder) as spill, _Told(self._host.app, self._navigation) as progress:
                source, ask = typed_source(typed), self._mapping
                batch = read_sources([source], ImportOptions(), workspace, spill, progress=progress, ask=ask)
                # A demo that is looked at alone has none. Nothing is made before there is something to put into it.
                place = workspace or find_workspace(None, create=True)
                added, saved = batch.put(place)
        except _DeclinedError:
            return
        except (InspectError, OSError) as error:
            self._host.tell(str(error), "error")
            return
        lines = [*reports(batch, added, saved), "", f"Workspace {place.root}"]
        self._host.app.call_from_thread(self._show, batch.benchmarks, lines)

    def _workspace(self) -> "Workspace | None":
        """Return the workspace on screen, or None if only the demo is open.

        Results of the demo are kept in a separate folder, and later commands do not look there for imported cases.
        """
        from scoring.workspace.workspace_place import demo_workspace

        now = self._host.state.results.loaded.workspace
        return None if now.root in {None, demo_workspace()} else now

    def _mapping(self, table: "OpenTable") -> "ColumnMapping":
        """In a thread: have a person look at a table's columns."""
        from inspector.screens.mapping import MappingDialog

        app = self._host.app
        answer: Future[ColumnMapping | None] = Future()
        dialog = MappingDialog(table, None if self._host.visit.who else self._host.folder)
        app.call_from_thread(app.push_screen, dialog, answer.set_result, mode=INSPECT)
        worker = get_current_worker()
        while not answer.done():
            # Whoever quits meanwhile need not answer first.
            if worker.is_cancelled:
                raise _DeclinedError
            wait([answer], LOOK_SECONDS)
        mapping = answer.result()
        if mapping is None:
            raise _DeclinedError
        return mapping

    def _show(self, benchmarks: "Sequence[str]", lines: "Sequence[str]") -> None:
        """Read all again, what came beside what was asked for by name, and then say what came.

        Not before: where cases have other places then, everything that lies on the first screen is closed.
        """
        from rich.text import Text

        from inspector.screens.help_pages import TextPage

        host = self._host
        if host.initial_query.benchmarks:
            wanted = dict.fromkeys((*host.initial_query.benchmarks, *benchmarks))
            host.initial_query = replace(host.initial_query, benchmarks=tuple(wanted))
        page = TextPage(Text("\n".join(map(clean, lines))), "Import")
        self._following.read_at_once(partial(host.app.push_screen, page, mode=INSPECT))


class _Told:
    """Says on every screen how far reading is: to be entered, called with what is done, and left; in a thread."""

    def __init__(self, app: App[object], navigation: Navigation) -> None:
        self._app, self._navigation, self._began = app, navigation, monotonic()
        self._last = self._began

    def __enter__(self) -> Self:
        return self

    def __call__(self, done: int, to_do: int, what: str) -> None:
        now = monotonic()
        if now - self._last >= TOLD_EVERY:
            self._last = now
            self._say(f"Importing: {progress_words(done, to_do, what, now - self._began)}")

    def __exit__(self, *_: object) -> None:
        self._say("")

    def _say(self, words: str) -> None:
        self._app.call_from_thread(self._show, words)

    def _show(self, words: str) -> None:
        for screen in self._navigation.screens:
            screen.scoring.show_job(clean(words), scores=False)
