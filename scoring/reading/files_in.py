"""What a person names becomes files: a file, a folder with all that lies below it, or a pattern with wild cards."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from scoring.errors import InputError, UnreadableFile
from scoring.reading.compressed import plain_name
from scoring.reading.file_bytes import printable

ENDINGS = (".json", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather", ".csv", ".tsv", ".eval")
"""What the names of files end with that hold rows. What is in them is told by their content."""

ARCHIVE = ".zip"
"""What the name of a file with such files in it ends with."""

_WILD = re.compile(r"[*?\[]")


def expand(paths: Sequence[Path]) -> Iterator[Path]:
    """The files that the paths stand for, each once, however often and by whatever path it is named.

    A folder stands for the files in it and below it that look readable by name, and for archives, in order of path,
    without hidden ones. A path that does not exist and has `*`, `?` or `[` in it is a pattern (`**` = any folders): it
    stands for the files that match, whatever their names end in. Any other path stands for itself, there or not.

    Raises:
        InputError: a folder or pattern without any files, or one that cannot be listed.
    """
    seen: set[str] = set()
    for path in paths:
        for file in _files(path):
            if place(file) not in seen:
                seen.add(place(file))
                yield file


def place(file: Path) -> str:
    """Where a file really is: equal for two paths to the same file."""
    return os.path.realpath(file) if "\0" not in str(file) else str(file)


def passed_over(folder: Path) -> list[Path]:
    """The files in a folder and below it that it does not stand for, because their names do not end like rows.

    Hidden ones, and what cannot be listed, are not among them.
    """
    found, entered = [], {os.path.realpath(folder)}
    for place, folders, files in os.walk(folder, followlinks=True):
        here = Path(place)
        found += [here / name for name in files if not name.startswith(".") and not _looks_named(here / name)]
        folders[:] = [name for name in sorted(folders) if _enters(here / name, entered)]
    return sorted(found)


def _looks_named(file: Path) -> bool:
    return looks_readable(file) or file.suffix.lower() == ARCHIVE


def looks_readable(file: PurePath) -> bool:
    """Whether a file's name says that it holds rows, compressed or not: it ends with one of `ENDINGS`."""
    return PurePath(plain_name(file.name)).suffix.lower() in ENDINGS


def is_pattern(path: Path) -> bool:
    """Whether a path is a pattern: it has wild cards and there is nothing of that very name."""
    return _WILD.search(str(path)) is not None and not os.path.lexists(path)


# os.path says False of what cannot be looked at (too long, not allowed, a loop of links) where pathlib raises.


def _files(path: Path) -> Sequence[Path]:
    if os.path.isdir(path):  # noqa: PTH112  # see above
        return _below(path)
    return _matching(path) if "\0" not in str(path) and is_pattern(path) else [path]


def _below(folder: Path) -> Sequence[Path]:
    """The files in a folder and in its sub-folders; links to folders are followed, each folder is entered once."""
    found, entered = [], {os.path.realpath(folder)}
    for place, folders, files in os.walk(folder, onerror=_unlistable, followlinks=True):
        here = Path(place)
        found += [here / name for name in files if _stands_in_folder(here / name)]
        folders[:] = [name for name in sorted(folders) if _enters(here / name, entered)]
    if not found:
        endings = f"{', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"
        raise InputError(f"the folder {printable(folder)} holds no {endings} file.", "Name the files to import.")
    return sorted(found)


def _enters(folder: Path, entered: set[str]) -> bool:
    place = os.path.realpath(folder)
    fresh = not folder.name.startswith(".") and place not in entered
    if fresh:
        entered.add(place)
    return fresh


def _stands_in_folder(file: Path) -> bool:
    return _looks_named(file) and not file.name.startswith(".") and _is_file(file)


def _is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113  # see above


def _matching(pattern: Path) -> Sequence[Path]:
    """The files that match, in order of path; hidden ones only where the pattern names hidden ones."""
    parts = pattern.parts
    wild = next(place for place, part in enumerate(parts) if _WILD.search(part))
    folder = Path(*parts[:wild])
    # A last `**` means the files below, as it does in a shell.
    asked = "/".join((*parts[wild:], *(["*"] if parts[-1] == "**" else [])))
    hidden = any(part.startswith(".") for part in parts[wild:])
    try:
        found = {path for path in folder.glob(asked) if _is_file(path) and (hidden or not _hidden(path, folder))}
    except OSError as error:
        raise _unreadable(error, folder) from None
    except ValueError as error:
        raise InputError(f"{printable(pattern)} is no pattern: {error}.", "Write ** as a folder of its own.") from None
    if not found:
        raise InputError(f"no file matches {printable(pattern)}.", "Check the pattern, and quote it in the shell.")
    return sorted(found)


def _hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def _unlistable(error: OSError) -> None:
    raise _unreadable(error, Path(error.filename or ".")) from None


def _unreadable(error: OSError, folder: Path) -> UnreadableFile:
    return UnreadableFile(f"{printable(folder)}: {error.strerror or error}.", "Check its permissions.")
