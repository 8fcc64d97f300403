"""Tables go out as files, and texts to the clipboard; a visitor's browser is handed both."""

import io
import os
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any

from inspector.messages import Copy, Export
from inspector.text import clean
from inspector.wiring.base import Wired

if TYPE_CHECKING:
    from inspector.inspection import Inspection
    from scoring.export import Document

COMMAND_SHOWN = 400
"""Characters of a command that a toast shows."""


class Saving(Wired):
    """Saves or copies, and says where it went and which command makes it again."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._writing = Lock()

    def on_export(self, message: Export) -> None:
        if self.inspection is not None:
            if message.what == "report":
                self.notify("Writing the report.", markup=False, timeout=3)
            # A slow disk, or a table that takes longer, must not stop the keys.
            self.run_worker(
                partial(self._export, self.inspection, message), thread=True, group="export", description="export"
            )

    def _export(self, inspection: "Inspection", message: Export) -> None:
        """In a thread: make the document, write it and tell."""
        from inspector.exporting import export_document, file_stem
        from scoring.errors import InspectError

        try:
            document = export_document(inspection, message)
            name = self._put_out(document, file_stem(inspection, message), message.form)
        except InspectError as error:
            self.notify(clean(str(error)), severity="error", markup=False, timeout=15)
            return
        again = f"Again: {document.provenance['command']}"
        if len(again) > COMMAND_SHOWN:
            # The whole of it would cover the screen.
            rest = "in its JSON" if self.visit.who else "beside the rows"
            again = f"{again[:COMMAND_SHOWN]} ... (the rest stands {rest})"
        what = "the report" if message.what == "report" else f"{document.rows.height:,} rows"
        wrote = f"rote {what} to {name}\n{again}"
        if message.copy:
            text = document.render(message.form)
            self.call_from_thread(self._copy, text, f"Copied, and also w{wrote}", f"Too long to copy. W{wrote}")
        else:
            self.notify(clean(f"W{wrote}", lines=True), markup=False, timeout=10)

    def _put_out(self, document: "Document", stem: str, form: str) -> str:
        """In a thread: write a document, or have a browser download it; what the file is called."""
        from inspector.exporting import ENDINGS, free_path

        if self.visit.who:
            name = f"{stem}.{ENDINGS[form]}"
            self.call_from_thread(self._download, name, document.render(form))
            return name
        # One at a time: two documents of one name would take the same path.
        with self._writing:
            path = free_path(self.folder, stem, form)
            document.write(path, form)
        return path.name

    def _download(self, name: str, text: str) -> None:
        """Have the browser save a text as a file of this name."""
        self.deliver_binary(io.BytesIO(text.encode("utf-8", "replace")), save_filename=name)

    def on_copy(self, message: Copy) -> None:
        """Copy a text; it also lies in a file, since no terminal says whether it has a clipboard."""
        from inspector.terminal.clipboard import size

        where = self._kept(message.text)
        what = f"{clean(message.what)} ({size(message.text)})"
        long = f"Too long for the clipboards of most terminals: {what}."
        self._copy(message.text, f"Copied {what}.\n{where}", f"{long}\n{where}")

    def _kept(self, text: str) -> str:
        """Keep what is copied in a file too; the sentence about it. A browser is handed what it could not copy."""
        from inspector.terminal.clipboard import FILE, fits, keep

        if not self.visit.who:
            return keep(text, self.state or self.folder)
        if fits(text):
            return ""
        self._download(FILE, text)
        return f"It is downloaded as {FILE}"

    def copy_to_clipboard(self, text: str) -> None:
        """Copy what a person has marked in a line in which they type."""
        self._copy(text, f"Copied {len(text):,} characters", "Too long to copy")

    def _copy(self, text: str, done: str, too_long: str) -> None:
        # What a line in which one types pastes again.
        self._clipboard = text
        self.run_worker(
            partial(self._copy_and_tell, text, done, too_long), thread=True, group="copy", description="copy"
        )

    def _copy_and_tell(self, text: str, done: str, too_long: str) -> None:
        """In a thread: tmux is a program of its own."""
        from inspector.terminal.clipboard import copy

        tried = copy(text, os.environ, lambda sequence: self.call_from_thread(self._write, sequence))
        said = clean((done if tried else too_long).rstrip(), lines=True)
        self.notify(said, severity="information" if tried else "warning", markup=False, timeout=10)

    def _write(self, sequence: str) -> None:
        if self._driver is not None:
            self._driver.write(sequence)
