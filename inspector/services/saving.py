"""Tables go out as files, and texts to the clipboard; a visitor's browser is handed both."""

import io
import os
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING

from inspector.messages import Copy, Export
from inspector.text import clean

if TYPE_CHECKING:
    from inspector.app import InspectApp
    from inspector.inspection import Inspection
    from scoring.export import Document

COMMAND_SHOWN = 400
"""Characters of a command that a toast shows."""


class Saving:
    """Saves or copies, and says where it went and which command makes it again."""

    def __init__(self, app: "InspectApp") -> None:
        self._app = app
        self._writing = Lock()

    def export(self, message: Export) -> None:
        """Save or copy what is shown now; a slow disk, or a table that takes longer, must not stop the keys."""
        if self._app.inspection is not None:
            if message.what == "report":
                self._app.tell("Writing the report.", timeout=3)
            self._app.run_in_thread(partial(self._export, self._app.inspection, message), "export")

    def _export(self, inspection: "Inspection", message: Export) -> None:
        """In a thread: make the document, write it and tell."""
        from inspector.exporting import export_document, file_name
        from scoring.errors import InspectError

        try:
            document = export_document(inspection, message)
            name = self._put_out(document, file_name(inspection, message), message)
        except InspectError as error:
            self._app.tell(str(error), "error", timeout=15)
            return
        again = f"Again: {document.provenance['command']}"
        if len(again) > COMMAND_SHOWN:
            # The whole of it would cover the screen.
            rest = "in its JSON" if self._app.visit.who else "beside the rows"
            again = f"{again[:COMMAND_SHOWN]} ... (the rest stands {rest})"
        what = "the report" if message.what == "report" else f"{document.rows.height:,} rows"
        wrote = f"rote {what} to {name}\n{again}"
        if message.copy:
            text = document.render(message.form)
            done, too_long = f"Copied, and also w{wrote}", f"Too long to copy. W{wrote}"
            self._app.call_from_thread(self.copy, text, done, too_long)
        else:
            self._app.tell(f"W{wrote}", timeout=10, lines=True)

    def place(self, export: Export) -> str:
        """Give the path of the file that an export goes into where nobody chooses another one."""
        from inspector.exporting import export_path, file_name

        if self._app.inspection is None:
            return ""
        return str(export_path(self._app.folder, file_name(self._app.inspection, export)))

    def _put_out(self, document: "Document", name: str, export: Export) -> str:
        """In a thread: write a document, or have a browser download it; what the file is called."""
        from inspector.exporting import export_path

        if self._app.visit.who:
            self._app.call_from_thread(self._download, name, document.render(export.form))
            return name
        # One at a time: two documents of one name would take the same path.
        with self._writing:
            path = export_path(self._app.folder, name, export.into)
            document.write(path, export.form)
        return str(path) if export.into else path.name

    def _download(self, name: str, text: str) -> None:
        """Have the browser save a text as a file of this name."""
        self._app.deliver_binary(io.BytesIO(text.encode("utf-8", "replace")), save_filename=name)

    def copy_text(self, message: Copy) -> None:
        """Copy a text; it also lies in a file, since no terminal says whether it has a clipboard."""
        from inspector.terminal.clipboard import size

        where = self._kept(message.text)
        what = f"{clean(message.what)} ({size(message.text)})"
        long = f"Too long for the clipboards of most terminals: {what}."
        self.copy(message.text, f"Copied {what}.\n{where}", f"{long}\n{where}")

    def _kept(self, text: str) -> str:
        """Keep what is copied in a file too; the sentence about it. A browser is handed what it could not copy."""
        from inspector.terminal.clipboard import FILE, fits, keep

        if not self._app.visit.who:
            return keep(text, self._app.state or self._app.folder)
        if fits(text):
            return ""
        self._download(FILE, text)
        return f"It is downloaded as {FILE}"

    def copy(self, text: str, done: str, too_long: str) -> None:
        """Put a text on the clipboard, and say `done` or `too_long`; a line in which one types pastes it again."""
        self._app._clipboard = text  # noqa: SLF001  # Textual has no other way to say so
        self._app.run_in_thread(partial(self._copy_and_tell, text, done, too_long), "copy")

    def _copy_and_tell(self, text: str, done: str, too_long: str) -> None:
        """In a thread: tmux is a program of its own."""
        from inspector.terminal.clipboard import copy

        tried = copy(text, os.environ, lambda sequence: self._app.call_from_thread(self._app.write, sequence))
        said = (done if tried else too_long).rstrip()
        self._app.tell(said, "information" if tried else "warning", timeout=10, lines=True)
