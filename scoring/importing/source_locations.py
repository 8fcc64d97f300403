"""Locations of sources: files, folders, patterns, addresses and standard input.

A word names a file, a folder with all files below it, a pattern with wild cards, `-` (standard input), an address, or a
data set of the hub, which only its reader can list.
"""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from scoring.data.errors import InputError, UnreadableFile, UsageError
from scoring.data.storage.files import expand_home
from scoring.formats.reading.file_bytes import ENDINGS, lies_beside_rows, looks_readable, printable
from scoring.formats.reading.findings import some_of
from scoring.importing.stored_objects import is_stored, stored_objects
from scoring.workspace.workspace import OWN, is_workspace

# os.path says False of what cannot be looked at (too long, not allowed, a loop of links) where pathlib raises.

HUB = "hf:"
STDIN = "-"
"""The word for standard input, and what rows that came from there are said to be of."""

_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)
_WILD = re.compile(r"[*?\[]")
_LISTED = 5


def is_source_address(word: str) -> bool:
    """Return whether a word is an address of something elsewhere, of whatever kind, and no file here."""
    return _ADDRESS.match(word) is not None and not os.path.lexists(word)


def typed_source(text: str) -> str:
    """Write what a person typed as the word of a source: a path with its `~` spelled out, else as it is."""
    return text if text.startswith(HUB) or is_elsewhere(text) else str(expand_home(text))


def is_elsewhere(word: str) -> bool:
    """Return whether a word is a source that is no path: standard input or an address."""
    return word == STDIN or is_source_address(word)


def expanded(words: Sequence[str], pass_over: Callable[[Path], object] = lambda _: None) -> Iterator[tuple[str, bool]]:
    """Yield what is to be brought, each once, with whether it is one of many that a word stands for.

    A folder, or a prefix of object storage, stands for the files in it and below it that look readable by name, and for
    archives, in order of path, without hidden ones. A path that does not exist and has `*`, `?` or `[` in it is a
    pattern (`**` = any folders): it stands for the files that match, whatever their names end in. Any other word stands
    for itself, there or not.

    What a workspace holds is its own: neither a folder nor a pattern stands for it, unless it begins inside of one.

    Args:
        words: what a person named.
        pass_over: is told each workspace that a folder or a pattern leads to, once a word.

    Raises:
        InputError: a folder or pattern without any files, or one that cannot be listed.
        MissingExtra, StoreError: object storage cannot be asked.
        UsageError: two addresses would be one and the same once what stands after the `?` is left out.
    """
    addresses = dict.fromkeys(word for word in words if word != STDIN and is_source_address(word))
    if len({address.partition("?")[0] for address in addresses}) < len(addresses):
        raise UsageError(
            "two addresses differ only after the '?', which is not kept, so that their rows could not be told apart.",
            "Import them one by one under different names (--name), or download them.",
        )
    seen = set()
    for word in words:
        if is_stored(word):
            for address in stored_objects(word, looks_named):
                if address not in seen:
                    seen.add(address)
                    yield address, address != word
            continue
        whole = word.startswith(HUB) or is_elsewhere(word)
        many = not whole and (os.path.isdir(word) or is_pattern(Path(word)))  # noqa: PTH112
        for file in [word] if whole else map(str, _files(Path(word), pass_over)):
            where = file if whole else place(Path(file))
            if where not in seen:
                seen.add(where)
                yield file, many


def size_of(word: str) -> int:
    """Return the bytes of a source; 0 where they are not known, and reading it in earnest says why."""
    try:
        return Path(word).stat().st_size
    except (OSError, ValueError):
        return 0


def place(file: Path) -> str:
    """Return where a file really is: equal for two paths to the same file."""
    return os.path.realpath(file) if "\0" not in str(file) else str(file)


def not_looked_at(words: Sequence[str]) -> tuple[str, ...]:
    """Find the files in the folders among the words that these do not stand for, because of how their names end.

    Hidden ones, and what cannot be listed, are not among them.
    """
    files: list[Path] = []
    for folder in (Path(word) for word in words if not word.startswith(HUB) and os.path.isdir(word)):  # noqa: PTH112
        files += sorted(file for file in _below(folder) if not looks_named(file))
    return tuple(dict.fromkeys(map(printable, files)))


def looks_named(file: Path) -> bool:
    """Return whether one of the files of a folder is taken by its name: one with rows, or an archive."""
    return looks_readable(file) or file.suffix.lower() == ".zip"


def is_pattern(path: Path) -> bool:
    """Return whether a path is a pattern: it has wild cards and there is nothing of that very name."""
    return _WILD.search(str(path)) is not None and not os.path.lexists(path)


def _files(path: Path, pass_over: Callable[[Path], object]) -> Sequence[Path]:
    if not os.path.isdir(path):  # noqa: PTH112
        return _matching(path, pass_over) if "\0" not in str(path) and is_pattern(path) else [path]
    workspaces: list[Path] = []
    below = _below(path, _unlistable, workspaces.append)
    files = sorted(file for file in below if looks_named(file) and _is_file(file))
    for workspace in workspaces:
        pass_over(workspace)
    if not files:
        endings = f"{', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"
        raise InputError(
            f"the folder {printable(path)} holds no {endings} file{_outside(workspaces)}.", "Name the files to import."
        )
    return files


def _outside(workspaces: Sequence[Path]) -> str:
    """Where there is nothing else, for a sentence; "" where there are no workspaces."""
    if not workspaces:
        return ""
    named = some_of([printable(workspace) for workspace in workspaces], _LISTED)
    return f" outside of the workspace{'s' if len(workspaces) > 1 else ''} {named}"


def _below(
    folder: Path,
    on_error: Callable[[OSError], None] | None = None,
    pass_over: Callable[[Path], object] = lambda _: None,
) -> Iterator[Path]:
    """What is in a folder and in its sub-folders and not hidden, nor a workspace's own: `pass_over` is told of those.

    Links are followed, each folder is entered once.
    """
    entered = {os.path.realpath(folder)}
    for here, folders, files in os.walk(folder, onerror=on_error, followlinks=True):
        if is_workspace(Path(here)):
            pass_over(Path(here))
            folders[:] = [name for name in folders if name not in OWN]
            files = [name for name in files if name not in OWN]  # noqa: PLW2901
        visible = [name for name in files if not name.startswith(".")]
        yield from (Path(here) / name for name in visible if not lies_beside_rows(name, visible))
        fresh = []
        for name in sorted(folders):
            real = os.path.realpath(Path(here) / name)
            if not name.startswith(".") and real not in entered:
                entered.add(real)
                fresh.append(name)
        folders[:] = fresh


def _is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113


def _matching(pattern: Path, pass_over: Callable[[Path], object]) -> Sequence[Path]:
    """The files that match, in order of path; hidden ones only where the pattern names hidden ones."""
    parts = pattern.parts
    wild = next(place for place, part in enumerate(parts) if _WILD.search(part))
    folder = Path(*parts[:wild])
    # A last `**` means the files below, as it does in a shell.
    pattern_inside = "/".join((*parts[wild:], *(["*"] if parts[-1] == "**" else [])))
    hidden = any(part.startswith(".") for part in parts[wild:])
    try:
        files = [path for path in folder.glob(pattern_inside) if _is_file(path)]
    except OSError as error:
        raise _unreadable(error, folder) from None
    except ValueError as error:
        raise InputError(
            f"{printable(pattern)} is not a pattern: {error}.", "Write ** as a folder of its own."
        ) from None
    if not hidden:
        files = [path for path in files if not any(part.startswith(".") for part in path.relative_to(folder).parts)]
    # Many files may lie in few folders.
    workspace_of = {parent: _workspace_of(parent, folder) for parent in {file.parent for file in files}}
    of_any = [(file, workspace_of[file.parent]) for file in files]
    own = {file: there for file, there in of_any if there and file.relative_to(there).parts[0] in OWN}
    workspaces = sorted(set(own.values()))
    for workspace in workspaces:
        pass_over(workspace)
    outside = sorted({file for file in files if file not in own})
    if not outside:
        raise InputError(
            f"no file matches {printable(pattern)}{_outside(workspaces)}.",
            "Check the pattern, and quote it in the shell.",
        )
    return outside


def _workspace_of(folder: Path, top: Path) -> Path | None:
    """The outermost workspace that a folder is or is in, from `top` on; None = it is in none."""
    ancestors = [parent for parent in (folder, *folder.parents) if parent == top or top in parent.parents]
    return next((parent for parent in reversed(ancestors) if is_workspace(parent)), None)


def _unlistable(error: OSError) -> None:
    raise _unreadable(error, Path(error.filename or ".")) from None


def _unreadable(error: OSError, folder: Path) -> UnreadableFile:
    return UnreadableFile(f"{printable(folder)}: {error.strerror or error}.", "Check its permissions.")
