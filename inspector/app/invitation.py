"""What the demo says when it is left: the command for the reader's own files, and which of those it would know."""

from itertools import islice
from pathlib import Path

_LOOKED_AT, _NAMED = 20, 3
_LARGEST = 8_000_000
"""Bytes of a file that is looked into."""


def invitation(folder: Path) -> str:
    """Return one line, and another where files of the folder look importable."""
    line, known = "Now yours: prm-inspect import PATH", known_here(folder)
    return f"{line}\nHere, for instance: {', '.join(known)}" if known else line


def known_here(folder: Path) -> list[str]:
    """Name up to three files of a folder that look importable, of the first ones that may be."""
    try:
        files = islice(filter(_may_be, sorted(folder.iterdir())), _LOOKED_AT)
        return [file.name for file in islice(filter(_known, files), _NAMED)]
    except OSError:
        return []


def _may_be(file: Path) -> bool:
    from scoring.formats.reading.file_bytes import ENDINGS

    return file.suffix.lower() in ENDINGS and file.is_file() and file.stat().st_size <= _LARGEST


def _known(file: Path) -> bool:
    """Whether the first rows of a file are recognised."""
    from scoring.data.errors import InputError
    from scoring.formats.reading.rows import read_rows
    from scoring.importing.sources import recognised

    try:
        return recognised(read_rows(file))[1] is not None
    except InputError:
        return False
