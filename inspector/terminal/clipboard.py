"""Text goes to the clipboard of the terminal in which a person sits, over ssh and through tmux or screen.

The terminal is asked by OSC 52. It never answers, so nobody can know whether it did it: what was copied also lies in a
file.
"""

import base64
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from scoring.errors import InspectError
from scoring.files import write_atomically

LONGEST = 74_994
"""Bytes of text that every terminal that knows OSC 52 takes: their base64 stays below 100,000 characters."""
FILE = "copied.txt"
_SCREEN_CHUNK = 700
_PATIENCE = 2.0
"""Seconds that tmux may take."""


def copy(text: str, environ: Mapping[str, str], write: Callable[[str], object]) -> bool:
    """Put a text on the clipboard; whether it could be tried. May take a moment: not for the thread of the keys.

    tmux is handed the text by its own command, because it drops what programs write unless it was told otherwise; it
    passes it on, and its paste buffer has it in any case. `write` writes to the terminal.
    """
    data = text.encode("utf-8", "replace")
    if environ.get("TMUX") and _through_tmux(data):
        return True
    if not fits(text):
        return False
    write(sequence(data, screen=bool(environ.get("STY"))))
    return True


def fits(text: str) -> bool:
    """Tell whether terminals take so long a text."""
    return len(text.encode("utf-8", "replace")) <= LONGEST


def sequence(data: bytes, *, screen: bool = False) -> str:
    """What asks a terminal to copy; for GNU screen wrapped, in pieces that it passes on."""
    plain = f"\x1b]52;c;{base64.b64encode(data).decode('ascii')}\a"
    if not screen:
        return plain
    pieces = (plain[at : at + _SCREEN_CHUNK] for at in range(0, len(plain), _SCREEN_CHUNK))
    return "".join(f"\x1bP{piece}\x1b\\" for piece in pieces)


def _through_tmux(data: bytes) -> bool:
    # Before 3.2 it knows no -w; then at least its own buffer has the text.
    for words in (["tmux", "load-buffer", "-w", "-"], ["tmux", "load-buffer", "-"]):
        try:
            subprocess.run(words, input=data, check=True, capture_output=True, timeout=_PATIENCE)
        except (OSError, subprocess.SubprocessError):
            continue
        return True
    return False


def keep(text: str, folder: Path) -> str:
    """Write what was copied to the one file for it; the sentence about it, or why there is none."""
    path = folder / FILE
    try:
        write_atomically(path, text.encode("utf-8", "replace"))
    except InspectError as error:
        return str(error)
    home = Path.home()
    return f"Also in {Path('~') / path.relative_to(home) if path.is_relative_to(home) else path}"


def size(text: str) -> str:
    """How long a text is, in words."""
    length = len(text.encode("utf-8", "replace"))
    return f"{length:,} bytes" if length < 10_000 else f"{length / 1000:,.0f} kB"
