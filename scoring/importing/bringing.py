"""Bring a source: turn it into plain local files before anything reads it.

A source may be compressed, or a zip archive of several files. Both are recognised by content, never by name alone.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from scoring.data.errors import UsageError
from scoring.formats.reading.compressed_streams import compression_of, read_some, start_of, too_large
from scoring.formats.reading.file_bytes import ZIP, printable
from scoring.formats.results import inspect_log
from scoring.importing.archives import member_files
from scoring.importing.downloading import Download
from scoring.importing.local_files import (
    LocalFile,
    cut_off_finding,
    free_room,
    innermost_file,
    refuse_tar,
    temporary,
    unpacked_file,
    write_temporary,
)
from scoring.importing.source_locations import STDIN, is_source_address, place
from scoring.importing.stored_objects import fetched, is_stored

TellSentence = Callable[[str], None]
"""Takes a line that a person should read while something is brought."""


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
        with temporary(write_temporary(folder, STDIN, _standard_input(free_room(folder)))) as path:
            yield from opened_files(LocalFile(STDIN, STDIN, path), folder)
    elif is_stored(word):
        with fetched(word, folder) as path:
            yield from opened_files(LocalFile(word, word, path), folder)
    elif is_source_address(word):
        download = Download(word, free_room(folder), tell)
        with temporary(write_temporary(folder, download.name, download)) as path:
            findings = cut_off_finding(path, download.name, download.missing) if download.missing else ()
            yield from opened_files(LocalFile(download.name, download.name, path, findings), folder)
    else:
        path = Path(word)
        yield from opened_files(LocalFile(printable(path), place(path), path, until=until), folder)


def opened_files(source: LocalFile, folder: Path, member: str | None = None) -> Iterator[LocalFile]:
    """Yield the file itself, or what is in it where it is compressed or an archive; `member` = only that one."""
    start = start_of(source.path)
    if compression := compression_of(start):
        with unpacked_file(source, compression, folder) as unpacked:
            yield innermost_file(unpacked, "a compressed file")
    elif start.startswith(ZIP) and not inspect_log.recognises_file(start, source.path):
        yield from member_files(source, folder, member)
    else:
        yield refuse_tar(source)


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
