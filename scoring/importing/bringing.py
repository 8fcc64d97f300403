"""What a person names becomes plain local files before anything reads it.

A word stands for a file, a folder with all that lies below it, a pattern with wild cards, `-` (standard input), an
address, or a data set of the hub, which only its reader knows. What comes of a file or an address may be compressed, or
a zip archive of several files: told by content, never by name alone. A plain file stays where it is; everything else is
written into a folder of the import under a name of our own, one file at a time.
"""

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from zipfile import ZipInfo

from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import InputError, UnknownFormat, UnreadableFile, UsageError
from scoring.data.storage.files import expand_home, open_plain, unwritable, uuid7
from scoring.formats.reading.file_bytes import (
    ARROW_FILE,
    ARROW_STREAM,
    CHUNK,
    ENDINGS,
    LARGEST,
    PARQUET,
    UTF8_MARK,
    Allowance,
    DamagedStream,
    Unpacked,
    codec_of,
    compression_of,
    lies_beside_rows,
    looks_readable,
    printable,
    read_some,
    size_words,
    start_of,
    too_large,
)
from scoring.formats.reading.findings import Finding, some_of
from scoring.formats.results import inspect_log
from scoring.importing.archives import ZIP, Archive
from scoring.importing.downloading import fetched, is_stored, stored_objects
from scoring.importing.row_members import MANY_MEMBERS, row_line
from scoring.workspace.workspace import OWN, is_workspace

HUB = "hf:"
STDIN = "-"
"""The word for standard input, and what rows that came from there are said to be of."""

TellSentence = Callable[[str], None]
"""Takes a line that a person should read while something is brought."""

_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)
INSIDE = "#"
"""What stands between an archive and its member in the place of a file."""
# Of the disk, so much may be filled at most.
_OF_FREE = 0.9
_WILD = re.compile(r"[*?\[]")
_TAR, _TAR_AT = b"ustar", 257
_LISTED = 5
_LONGEST = 80
_START = 4096


class LocalFile(Struct, frozen=True, eq=False):
    """One plain local file.

    `name` is what findings call it (`runs.zip/part-1.jsonl`), `place` the same from one import to the next (a real
    path, `#` and a member of it, an address without its query, or `-`). `findings` were made on the way; where there
    is a `refusal`, it could not be brought. `alone` says that its source stands for nothing else. `until` is how many
    bytes of a text are read, where it may be growing; None = all that there are. `parts` is the 0-based number of
    the file among those of its source, and how many these are.
    """

    name: str
    place: str
    path: Path
    findings: tuple[Finding, ...] = ()
    refusal: InputError | None = None
    alone: bool = True
    until: int | None = None
    parts: tuple[int, int] = (0, 1)


def bring(
    word: str, folder: Path, tell: TellSentence = lambda _: None, until: int | None = None
) -> Iterator[LocalFile]:
    """Bring one source: each of its files, there until the next one is asked for.

    Args:
        word: a path, `-`, or an address.
        folder: where files may be written that are not plain local ones; it need not be there yet.
        tell: is told the size of what is downloaded, before it is.
        until: how many bytes of a plain file are read; None = all that there are.

    Raises:
        InputError: it cannot be brought; what is wrong with one of several files is the `refusal` of that.
        UsageError: standard input is a terminal, or the address is of a kind that is not read.
        UnwritableWorkspace: the folder cannot be written.
    """
    if word == STDIN:
        with _temporary(_written(folder, STDIN, _standard_input(_room(folder)))) as path:
            yield from opened_files(LocalFile(STDIN, STDIN, path), folder)
    elif is_stored(word):
        with fetched(word, folder) as path:
            yield from opened_files(LocalFile(word, word, path), folder)
    elif is_source_address(word):
        from scoring.importing.downloading import Download

        download = Download(word, _room(folder), tell)
        with _temporary(_written(folder, download.name, download)) as path:
            findings = _cut_off(path, download.name, download.missing) if download.missing else ()
            yield from opened_files(LocalFile(download.name, download.name, path, findings), folder)
    else:
        path = Path(word)
        yield from opened_files(LocalFile(printable(path), place(path), path, until=until), folder)


def is_source_address(word: str) -> bool:
    """Return whether a word is an address of something elsewhere, of whatever kind, and no file here."""
    return _ADDRESS.match(word) is not None and not os.path.lexists(word)


def typed_source(text: str) -> str:
    """Write what a person typed as the word of a source: a path with its `~` spelled out, else as it is."""
    return text if text.startswith(HUB) or is_elsewhere(text) else str(expand_home(text))


def is_elsewhere(word: str) -> bool:
    """Return whether a word is a source that is no path: standard input or an address."""
    return word == STDIN or is_source_address(word)


def opened_files(source: LocalFile, folder: Path, member: str | None = None) -> Iterator[LocalFile]:
    """Yield the file itself, or what is in it where it is compressed or an archive; `member` = only that one."""
    start = start_of(source.path)
    if compression := compression_of(start):
        with _unpacked(source, compression, folder) as unpacked:
            yield _innermost(unpacked, "a compressed file")
    elif start.startswith(ZIP) and not inspect_log.recognises_file(start, source.path):
        yield from _members(source, folder, member)
    else:
        yield _no_tar(source)


_NO_ARCHIVES = {
    "an Excel workbook": ("/xl/workbook.xml", "Save the sheet as CSV and import that."),
    "an OpenDocument file": ("/content.xml", "Save the sheet as CSV and import that."),
    "a PyTorch file, whose pickle is never opened": (
        "/data.pkl",
        "Load it where you trust it and save its rewards as JSON Lines or Parquet.",
    ),
    "NumPy's .npz of several arrays": (".npy", "Save its rewards as JSON Lines with an id a row, or as Parquet."),
}
"""What a zip archive without rows is -> how the name of a member ends by which it is known, and what to do instead."""


def _members(source: LocalFile, folder: Path, only: str | None) -> Iterator[LocalFile]:
    whole = Allowance(source.name, _room(folder), packed=source.path.stat().st_size)
    with Archive(source.path, source.name) as archive:
        members = [member for member in archive.members if only in {None, member.filename}]
        if not members and only is None:
            for what, (ending, next_step) in _NO_ARCHIVES.items():
                if any(f"/{name}".endswith(ending) for name in archive.left_out):
                    raise UnknownFormat(f"{source.name} is {what}.", next_step)
            raise UnreadableFile(
                f"{source.name} is a zip archive without a file that holds rows{_listed(archive.left_out)}.",
                "Unpack it and name the files to import.",
            )
        noticed = (*source.findings, *_not_read(source.name, archive.left_out))
        path, left = _rows_together(archive, members, folder, whole) if only is None else (None, members)
        count = len(left) + (path is not None)
        if path is not None:
            message = (
                f"{len(members) - len(left):,} files of the archive hold a row each and were read together: "
                "line N is the Nth of them by name"
            )
            finding = Finding("note", "row-members", message, source.name)
            with _temporary(path):
                rows = replace(source, path=path, findings=(*noticed, finding), alone=not left, until=None)
                yield replace(rows, parts=(0, count))
            noticed = ()
        for number, member in enumerate(left, start=count - len(left)):
            brought = LocalFile(
                f"{source.name}/{printable(member.filename)}",
                f"{source.place}{INSIDE}{member.filename}",
                source.path,
                (*noticed, *_repeated(source.name, member.filename, archive.repeated)),
                alone=len(archive.members) == 1,
                parts=(number, count),
            )
            with ExitStack() as files:
                try:
                    path = files.enter_context(
                        _temporary(_written(folder, brought.name, archive.unpack(member, whole)))
                    )
                    ready = files.enter_context(_as_member(replace(brought, path=path), folder, whole))
                except DamagedStream as error:
                    why = f"{brought.name} cannot be unpacked: {error}."
                    ready = replace(
                        brought, refusal=UnreadableFile(why, "Unpack the archive, and import what is in it.")
                    )
                except InputError as error:
                    ready = replace(brought, refusal=_with_rest(error, count - number - 1 if whole.spent else 0))
                else:
                    # What is of the archive is said once.
                    noticed = ()
                yield ready
            if whole.spent:
                return


def _rows_together(
    archive: Archive, members: Sequence[ZipInfo], folder: Path, whole: Allowance
) -> tuple[Path | None, Sequence[ZipInfo]]:
    """Write the members that hold a row with the keys of the first to one file; return it and the other members.

    The file is None if fewer than `MANY_MEMBERS` hold a row.
    """
    if len(members) < MANY_MEMBERS:
        return None, members
    left: list[ZipInfo] = []
    path = _written(folder, "rows", _row_lines(archive, members, replace(whole), left))
    if len(members) - len(left) >= MANY_MEMBERS:
        return path, left
    path.unlink()
    return None, members


def _row_lines(
    archive: Archive, members: Sequence[ZipInfo], allowance: Allowance, left: list[ZipInfo]
) -> Iterator[bytes]:
    """Yield the line of each member that holds a row with the keys of the first; `left` takes the other members."""
    known = None
    for member in members:
        row = None
        if member.filename not in archive.repeated:
            # A damaged member is reported when it is read by itself.
            with suppress(DamagedStream, InputError):
                row = row_line(b"".join(archive.unpack(member, allowance)))
        if row is None or known not in {None, row[0]}:
            left.append(member)
        else:
            known, line = row
            yield line


@contextmanager
def _as_member(member: LocalFile, folder: Path, whole: Allowance) -> Iterator[LocalFile]:
    """A member of an archive, which may be compressed: what it becomes counts as the archive's too."""
    if compression := compression_of(start_of(member.path)):
        with _unpacked(member, compression, folder) as unpacked:
            whole.count(0, unpacked.path.stat().st_size)
            yield _innermost(unpacked, "an archive")
    else:
        yield _innermost(member, "an archive")


@contextmanager
def _unpacked(source: LocalFile, compression: str, folder: Path) -> Iterator[LocalFile]:
    allowance = Allowance(source.name, _room(folder))
    try:
        file = open_plain(source.path)
    except OSError as error:
        raise UnreadableFile(f"{source.name}: {error.strerror}.", "Check the path and its permissions.") from None
    with file:
        stream = Unpacked(file, compression, allowance)
        path = _written(folder, source.name, stream)
    with _temporary(path):
        findings = source.findings
        if stream.cut_off:
            if not allowance.unpacked:
                what = f"{source.name} is cut off: nothing can be unpacked from its {size_words(allowance.packed)}"
                raise UnreadableFile(f"{what} of {compression}.", "Get the file again.")
            amount = f"{size_words(allowance.packed)} of {compression} gave {size_words(allowance.unpacked)}"
            findings += _cut_off(path, source.name, amount)
        if stream.trailing:
            message = f"{stream.trailing:,} bytes after the end of the {compression} data are none, and were left out"
            findings += (Finding("warning", "trailing-bytes", message, source.name),)
        yield replace(source, path=path, findings=findings, until=None)


def _innermost(unpacked: LocalFile, inside: str) -> LocalFile:
    start, name = start_of(unpacked.path), unpacked.name
    if compression_of(start):
        raise UnreadableFile(f"{name} is compressed more than once.", "Unpack it once and import what comes out.")
    if start.startswith(ZIP) and not inspect_log.recognises_file(start, unpacked.path):
        raise UnreadableFile(f"{name} is an archive inside {inside}.", "Unpack that, and import the archive in it.")
    return _no_tar(unpacked)


def _no_tar(source: LocalFile) -> LocalFile:
    if start_of(source.path, _START).startswith(_TAR, _TAR_AT):
        raise UnreadableFile(f"{source.name} is a tar archive.", "Unpack it (tar -xf FILE) and import the folder.")
    return source


def _cut_off(path: Path, name: str, amount: str) -> tuple[Finding, ...]:
    """Cut a text of lines after its last whole line, and say what was read of the `amount` that came."""
    lines = _whole_lines(path)
    read = "" if lines is None else f"; {lines:,} whole lines of it were read"
    message = f"the file is cut off: {amount}{read}, and what came after is missing"
    return (Finding("warning", "cut-off", message, name),)


def _whole_lines(path: Path) -> int | None:
    """Cut a text of lines after its last whole line; how many are left. None, and nothing cut, where it is no such."""
    with path.open("r+b") as file:
        start = file.read(_START)
        binary = compression_of(start) or start.startswith((*ZIP, PARQUET, ARROW_FILE, ARROW_STREAM))
        if binary or not codec_of(start).startswith("utf-8") or start.removeprefix(UTF8_MARK).lstrip()[:1] == b"[":
            return None
        file.seek(0)
        lines = end = at = 0
        while part := file.read(CHUNK):
            lines += part.count(b"\n")
            last = part.rfind(b"\n")
            end = at + last + 1 if last >= 0 else end
            at += len(part)
        file.seek(end)
        if at > end and is_whole_row(file.read()):
            return lines + 1
        if lines:
            file.truncate(end)
        return lines


def is_whole_row(line: bytes) -> bool:
    """Return whether a last line without a break is an object of JSON, which no beginning of one is."""
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _written(folder: Path, name: str, parts: Iterable[bytes]) -> Path:
    """Write parts to a new file in the folder, under a name that is no part of `name`; whole or not at all."""
    # A log that is damaged is known by its name alone.
    path = folder / f"source-{uuid7()}{'.eval' if name.lower().endswith('.eval') else ''}"
    with _as_unwritable(path):
        folder.mkdir(parents=True, exist_ok=True)
        file = path.open("xb")
    try:
        with file:
            for part in parts:
                with _as_unwritable(path):
                    file.write(part)
            with _as_unwritable(path):
                file.flush()
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path


@contextmanager
def _as_unwritable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise unwritable(path, error) from error


@contextmanager
def _temporary(path: Path) -> Iterator[Path]:
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def _room(folder: Path) -> int:
    home = next(home for home in (folder, *folder.absolute().parents) if home.is_dir())
    return min(LARGEST, int(shutil.disk_usage(home).free * _OF_FREE))


def _standard_input(room: int) -> Iterator[bytes]:
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError(
            "- is standard input, and nothing is piped in.", "For instance: cat FILE | prm-inspect import -"
        )
    size = 0
    while part := read_some(sys.stdin.buffer, "standard input"):
        size += len(part)
        if size > room:
            raise too_large("standard input", room)
        yield part


def _not_read(name: str, left_out: Sequence[str]) -> tuple[Finding, ...]:
    if not left_out:
        return ()
    message = f"by name and content no rows{_listed(left_out)}"
    return (Finding("note", "left-out-members", message, name),)


def _repeated(name: str, member: str, repeated: Collection[str]) -> tuple[Finding, ...]:
    if member not in repeated:
        return ()
    message = f"several members are called {printable(member)!r}; the last one counts"
    return (Finding("warning", "repeated-member", message, name),)


def _listed(names: Sequence[str]) -> str:
    return f": {some_of([name[:_LONGEST] for name in names], _LISTED)}" if names else ""


def _with_rest(error: InputError, rest: int) -> InputError:
    """The refusal of a member with which the whole archive became too much: `rest` more were not looked at."""
    more = f" The {rest} files after it in the archive were not read." if rest else ""
    return UnreadableFile(error.sentence + more, error.next_step) if more else error


# -- words, folders and patterns
#
# os.path says False of what cannot be looked at (too long, not allowed, a loop of links) where pathlib raises.


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
        for file in [word] if whole else map(str, _bringing_files(Path(word), pass_over)):
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


def _bringing_files(path: Path, pass_over: Callable[[Path], object]) -> Sequence[Path]:
    if not os.path.isdir(path):  # noqa: PTH112
        return _matching(path, pass_over) if "\0" not in str(path) and is_pattern(path) else [path]
    workspaces: list[Path] = []
    below = _below(path, _unlistable, workspaces.append)
    files = sorted(file for file in below if looks_named(file) and _bringing_is_file(file))
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


def _bringing_is_file(path: Path) -> bool:
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
        files = [path for path in folder.glob(pattern_inside) if _bringing_is_file(path)]
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
