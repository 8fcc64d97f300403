"""What the demo says when it is left: the command for the reader's own files, and which of those it would know."""

from pathlib import Path

_LOOKED_AT = 20


def invitation(folder: Path) -> str:
    """One line, and another where files of the folder look importable."""
    line, known = "Now yours: prm-inspect import PATH", known_here(folder)
    return f"{line}\nHere, for instance: {', '.join(known)}" if known else line


def known_here(folder: Path) -> list[str]:
    """Name up to three files of a folder that look importable."""
    return [file.name for file in sorted(folder.iterdir())[:200] if _known(file)][:3]


def _known(file: Path) -> bool:
    """Whether the first rows of a small enough file are recognised."""
    from scoring.errors import InputError
    from scoring.importing.sources import recognised
    from scoring.reading.file_bytes import ENDINGS
    from scoring.reading.rows import read_rows

    if file.suffix.lower() not in ENDINGS or not file.is_file() or file.stat().st_size > 8_000_000:
        return False
    try:
        return recognised(read_rows(file))[1] is not None
    except InputError:
        return False
