"""What the demo says when it is left: the command for the reader's own files, and which of those it would know."""

from pathlib import Path

_LOOKED_AT = 20


def invitation(folder: Path) -> str:
    """One line, and another where files of the folder look importable."""
    line = "Now yours: prm-inspect import PATH"
    known = [file.name for file in sorted(folder.iterdir())[:200] if _known(file)][:3]
    return f"{line}\nHere, for instance: {', '.join(known)}" if known else line


def _known(file: Path) -> bool:
    """Whether the first rows of a small enough file are recognised."""
    from scoring.benchmarks.catalogue import detect
    from scoring.benchmarks.rows import read_rows
    from scoring.errors import InputError

    if file.suffix not in {".json", ".jsonl", ".parquet"} or not file.is_file() or file.stat().st_size > 8_000_000:
        return False
    try:
        return bool(detect(read_rows(file)))
    except InputError:
        return False
