"""Tables go out as files, and texts to the clipboard; a visitor's browser is handed both."""

import base64
import io
import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from subprocess import TimeoutExpired
from threading import Lock
from typing import TYPE_CHECKING

from inspector.app.services.host import ServiceHost
from inspector.render.texts.text import clean
from inspector.screens.messages import Copy, Export
from inspector.state.programs import run_program
from inspector.state.visit import Visit
from scoring.data.errors import InspectError
from scoring.data.storage.files import write_atomically

if TYPE_CHECKING:
    from inspector.render.documents.row_documents import Document
    from inspector.state.screen_state import ScreenState


COMMAND_SHOWN = 400
"""Characters of a command that a toast shows."""


class SavingService:
    """Saves or copies, and says where it went and which command makes it again."""

    def __init__(self, host: ServiceHost) -> None:
        self._host = host
        self._writing = Lock()

    def export(self, message: Export) -> None:
        """Save or copy what is shown now; a slow disk, or a table that takes longer, must not stop the keys."""
        if message.what == "report":
            self._host.tell("Writing the report.")
        self._host.run_in_thread(partial(self._export, self._host.state, message), "export")

    def _export(self, state: "ScreenState", message: Export) -> None:
        """In a thread: make the document, write it and tell."""
        from inspector.screens.exporting import export_document, file_name
        from scoring.data.errors import InspectError

        try:
            document = export_document(state, message)
            name = self._put_out(document, file_name(state, message), message)
        except InspectError as error:
            self._host.tell(str(error), "error")
            return
        again = f"Again: {document.provenance['command']}"
        if len(again) > COMMAND_SHOWN:
            # The whole of it would cover the screen.
            rest = "in its JSON" if self._host.visit.who else "beside the rows"
            again = f"{again[:COMMAND_SHOWN]} ... (the rest stands {rest})"
        what = "the report" if message.what == "report" else f"{document.rows.height:,} rows"
        wrote = f"rote {what} to {name}\n{again}"
        if message.copy:
            text = document.render(message.form)
            done, too_long = f"Copied, and also w{wrote}", f"Too long to copy. W{wrote}"
            self._host.app.call_from_thread(self.copy, text, done, too_long)
        else:
            self._host.tell(f"W{wrote}", lines=True)

    def place(self, export: Export) -> str:
        """Return the path of the file that an export goes into where nobody chooses another one."""
        from inspector.screens.exporting import export_path, file_name

        return str(export_path(self._host.folder, file_name(self._host.state, export)))

    def _put_out(self, document: "Document", name: str, export: Export) -> str:
        """In a thread: write a document, or have a browser download it; what the file is called."""
        from inspector.screens.exporting import export_path

        if self._host.visit.who:
            self._host.app.call_from_thread(self._download, name, document.render(export.form))
            return name
        # One at a time: two documents of one name would take the same path.
        with self._writing:
            path = export_path(self._host.folder, name, export.into)
            document.write(path, export.form)
        return str(path) if export.into else path.name

    def _download(self, name: str, text: str) -> None:
        """Have the browser save a text as a file of this name."""
        self._host.app.deliver_binary(io.BytesIO(text.encode("utf-8", "replace")), save_filename=name)

    def copy_text(self, message: Copy) -> None:
        """Copy a text; it also lies in a file, since no terminal says whether it has a clipboard."""
        where = self._kept(message.text)
        what = f"{clean(message.what)} ({size(message.text)})"
        long = f"Too long for the clipboards of most terminals: {what}."
        self.copy(message.text, f"Copied {what}.\n{where}", f"{long}\n{where}")

    def _kept(self, text: str) -> str:
        """Keep what is copied in a file too; the sentence about it. A browser is handed what it could not copy."""
        if not self._host.visit.who:
            return keep(text, self._host.state_folder or self._host.folder)
        if fits(text):
            return ""
        self._download(FILE, text)
        return f"It is downloaded as {FILE}"

    def copy(self, text: str, done: str, too_long: str) -> None:
        """Put a text on the clipboard, and say `done` or `too_long`; a line in which one types pastes it again."""
        self._host.app._clipboard = text  # noqa: SLF001  # Textual has no other way to say so
        self._host.run_in_thread(partial(self._copy_and_tell, text, done, too_long), "copy")

    def _copy_and_tell(self, text: str, done: str, too_long: str) -> None:
        """In a thread: tmux is a program of its own."""
        host = self._host
        tried = copy(text, os.environ, lambda sequence: host.app.call_from_thread(host.write, sequence), host.visit)
        sentence = (done if tried else too_long).rstrip()
        self._host.tell(sentence, "information" if tried else "warning", lines=True)


# -- text goes to the clipboard of the terminal in which a person sits, over ssh and through tmux or screen
#
# The terminal is asked by OSC 52. It never answers, so nobody can know whether it did it: what was copied also lies
# in a file.


LONGEST = 74_994
"""Bytes of text that every terminal that knows OSC 52 takes: their base64 stays below 100,000 characters."""
FILE = "copied.txt"
_SCREEN_CHUNK = 700
_PATIENCE = 2.0
"""Seconds that tmux may take."""


def copy(text: str, environ: Mapping[str, str], write: Callable[[str], object], visit: Visit) -> bool:
    """Put a text on the clipboard; return whether it could be tried. May take a moment: not for the thread of the keys.

    tmux is handed the text by its own command, because it drops what programs write unless it was told otherwise; it
    passes it on, and its paste buffer has it in any case. `write` writes to the terminal. A visitor's
    clipboard is that of the browser, and tmux is not asked.
    """
    data = text.encode("utf-8", "replace")
    if environ.get("TMUX") and _through_tmux(data, visit):
        return True
    if not fits(text):
        return False
    write(sequence(data, screen=bool(environ.get("STY"))))
    return True


def fits(text: str) -> bool:
    """Return whether terminals take so long a text."""
    return len(text.encode("utf-8", "replace")) <= LONGEST


def sequence(data: bytes, *, screen: bool = False) -> str:
    """Return what asks a terminal to copy; for GNU screen wrapped, in pieces that it passes on."""
    plain = f"\x1b]52;c;{base64.b64encode(data).decode('ascii')}\a"
    if not screen:
        return plain
    pieces = (plain[at : at + _SCREEN_CHUNK] for at in range(0, len(plain), _SCREEN_CHUNK))
    return "".join(f"\x1bP{piece}\x1b\\" for piece in pieces)


def _through_tmux(data: bytes, visit: Visit) -> bool:
    # Before 3.2 it knows no -w; then at least its own buffer has the text.
    for words in (["tmux", "load-buffer", "-w", "-"], ["tmux", "load-buffer", "-"]):
        try:
            if run_program(visit, words, data=data, quiet=True, timeout=_PATIENCE) == 0:
                return True
        except (OSError, TimeoutExpired):
            continue
    return False


def keep(text: str, folder: Path) -> str:
    """Write what was copied to the one file for it; return the sentence about it, or why there is none."""
    path = folder / FILE
    try:
        write_atomically(path, text.encode("utf-8", "replace"))
    except InspectError as error:
        return str(error)
    home = Path.home()
    return f"Also in {Path('~') / path.relative_to(home) if path.is_relative_to(home) else path}"


def size(text: str) -> str:
    """Return how long a text is, in words."""
    length = len(text.encode("utf-8", "replace"))
    return f"{length:,} bytes" if length < 10_000 else f"{length / 1000:,.0f} kB"
