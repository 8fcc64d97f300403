"""Files that change are followed: what is new since the last look is imported, as `import` would import it then.

Sources are looked at by their names and stamps alone. A file of JSON Lines is read up to the end of its last whole row
while it grows; any other file, and what follows a last whole row, is read once it has rested for `REST_SECONDS`: until
then it may be half written. A file that changed is read from its beginning, because which column is what, from where
labels count and what joins are told by all of its rows.
"""

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from msgspec import Struct, field

from scoring.data.errors import InspectError, WorkspaceError
from scoring.formats.benchmarks.case_format import Imported
from scoring.formats.reading.file_bytes import printable
from scoring.importing.batch import ImportBatch, ImportOptions, ImportProgress, NamedSources, read_sources, spill_folder
from scoring.importing.file_changes import (
    REST_SECONDS,
    FileChange,
    Listing,
    WatchedFile,
    WatchStamp,
    change_of,
    listing,
    whole_rows,
)
from scoring.importing.join import JoinedResults
from scoring.importing.ledger import Unchanged
from scoring.importing.local_files import INSIDE
from scoring.importing.saving import SavedResults, scorer_of, withdraw
from scoring.importing.source_locations import place
from scoring.importing.stored_objects import is_stored
from scoring.workspace.generation import Added
from scoring.workspace.workspace import Workspace


class TakenFile(Struct, frozen=True, eq=False):
    """What one file gave.

    `refusal` is a sentence where that was nothing, and `unchanged` is there where the workspace had it as it is.
    """

    place: str
    path: str
    change: FileChange
    imported: tuple[tuple[Imported, Added], ...] = ()
    joined: tuple[tuple[JoinedResults, SavedResults], ...] = ()
    unchanged: Unchanged | None = None
    refusal: str = ""

    @property
    def altered(self) -> bool:
        """Whether the workspace has something else now than before."""
        cases = any(added.new or added.changed for _, added in self.imported)
        return cases or any(saved.state != "unchanged" for _, saved in self.joined)


ImportedBatch = tuple[ImportBatch, Sequence[Added], Sequence[SavedResults]]
"""What was read together, and what each import and each scorer's file among it changed."""


class Round(Struct, frozen=True, eq=False):
    """What one look brought.

    `batches` is all that was imported, as imports; `taken` the same, file by file. `gone` are the paths of files that
    have vanished, `awaited` sentences about words that stand for nothing yet, `half` the paths of files of which some
    is awaited, because it may be half written. `moved` says that a file came, went or changed, read or not. `refusal`
    says why nothing could be written.
    """

    taken: tuple[TakenFile, ...] = ()
    batches: tuple[ImportedBatch, ...] = ()
    gone: tuple[str, ...] = ()
    awaited: Mapping[str, str] = {}
    half: tuple[str, ...] = ()
    moved: bool = False
    refusal: str = ""


class _Followed(Struct):
    """What is known of a file.

    `since` says when it was first seen with its `stamp` (seconds of `time.monotonic`). `taken` is the stamp that it had
    when its first `until` bytes were imported, None = never; `beside` the number of `Watch` that cases had after that,
    and `has_results` whether it belongs to cases, or may. `scorers` are the folders that hold what it gave.
    """

    path: str
    stamp: WatchStamp | None = None
    since: float = 0.0
    taken: WatchStamp | None = None
    until: int = 0
    beside: int = 0
    has_results: bool = False
    scorers: frozenset[str] = field(default_factory=frozenset)


class Watch:
    """Follows sources into a workspace: `look` again and again."""

    def __init__(
        self,
        words: Sequence[str],
        options: ImportOptions,
        workspace: Workspace | None,
        make: Callable[[], Workspace],
        folder: Path,
    ) -> None:
        """Begin with nothing seen.

        Args:
            words: paths of files and folders, patterns, and addresses of object storage.
            options: how they are read.
            workspace: where they go to; None = there is none yet.
            make: makes it when there is something to put into it.
            folder: where it is or will be.
        """
        self._words, self._options, self._make, self._folder = tuple(words), options, make, folder
        self.workspace = workspace
        self._followed: dict[str, _Followed] = {}
        # How often cases have changed, and the generations of benchmarks when that was looked at last.
        self._cases, self._generations = 0, _generations(workspace)

    def look(
        self,
        *,
        last: bool = False,
        progress: ImportProgress = lambda *_: None,
        reading: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> Round:
        """Import what changed since the last look, but not what may be half written.

        Args:
            last: whether nothing is waited for any more; it still is where something changes just now.
            progress: hears how far reading is.
            reading: entered around what may be left at any time, with nothing half done.
        """
        now = listing(self._words, self._folder)
        awaited = {word: why for word, why in now.awaited.items() if not self._has_gone(word)}
        moved, gone = self._note(now)
        # Another process may have imported cases.
        self._note_cases(changed=_generations(self.workspace) != self._generations)
        due, half = self._due(now, last=last and not moved)
        taken: list[TakenFile] = []
        batches: list[ImportedBatch] = []
        refusal = ""
        try:
            self._import(due, taken, batches, progress, reading)
            self._import(self._joined_anew(now, taken), taken, batches, progress, reading)
        except WorkspaceError as error:
            # What was not taken is still due.
            refusal = str(error)
        return Round(tuple(taken), tuple(batches), gone, awaited, half, moved, refusal)

    def _has_gone(self, word: str) -> bool:
        """Whether a word is a file that was there: nothing of it is missing in the workspace."""
        return place(Path(word)) in self._followed and not os.path.lexists(word)

    def _note_cases(self, *, changed: bool) -> None:
        self._cases += changed
        self._generations = _generations(self.workspace)

    # -- what is due

    def _note(self, now: Listing) -> tuple[bool, tuple[str, ...]]:
        """Note the stamps of files, and since when they have them; whether any is new, and the paths of those gone."""
        moment, moved = time.monotonic(), False
        for where, listed in now.files.items():
            followed = self._followed.setdefault(where, _Followed(listed.path))
            if followed.stamp != listed.stamp:
                followed.stamp, followed.since, followed.path, moved = listed.stamp, moment, listed.path, True
        vanished = [
            followed
            for where, followed in self._followed.items()
            if where not in now.files and followed.stamp is not None and not where.startswith(now.silent)
        ]
        for followed in vanished:
            followed.stamp = followed.taken = None
            followed.until = 0
        return moved or bool(vanished), tuple(followed.path for followed in vanished)

    def _due(self, now: Listing, *, last: bool) -> tuple[dict[str, "_Due"], tuple[str, ...]]:
        due, half = {}, []
        for where, listed in now.files.items():
            followed = self._followed[where]
            change = change_of(followed.taken, listed.stamp)
            if change is None and followed.until == listed.stamp.size:
                continue
            if not listed.stamp.size and not last:
                half.append(listed.path)
                continue
            rests = last or _rests(followed)
            until = listed.stamp.size if rests else whole_rows(listed.path, listed.stamp.size) or 0
            if until < listed.stamp.size:
                half.append(listed.path)
            if until and (until != followed.until or change == "replaced"):
                due[where] = _Due(listed, until, change or "grown")
        return due, tuple(half)

    def _joined_anew(self, now: Listing, taken: Iterable[TakenFile]) -> dict[str, "_Due"]:
        """Files that are as they were, with results that other cases may change by now."""
        just_taken = {file.place for file in taken}
        return {
            where: _Due(now.files[where], followed.until, "joined anew")
            for where, followed in self._followed.items()
            if where in now.files and followed.until and followed.has_results
            if where not in just_taken and followed.beside != self._cases
            if change_of(followed.taken, now.files[where].stamp) != "replaced"
        }

    # -- importing what is due

    def _import(
        self,
        due: Mapping[str, "_Due"],
        taken: list[TakenFile],
        batches: list[ImportedBatch],
        progress: ImportProgress,
        reading: Callable[[], AbstractContextManager[None]],
    ) -> None:
        if not due:
            return
        named = [NamedSources(file_due.listed.path, many=True, until=file_due.until) for file_due in due.values()]
        added: Sequence[Added] = []
        saved: Sequence[SavedResults] = []
        with spill_folder(self._folder) as spill:
            try:
                with reading():
                    batch = read_sources(
                        named,
                        self._options,
                        self.workspace,
                        spill,
                        progress=progress,
                        skip_unchanged=True,
                        alone=False,
                    )
                steady = {where: file_due for where, file_due in due.items() if not _has_another_beginning(file_due)}
                if len(steady) < len(due):
                    # What is in the place of these now is for the next look.
                    self._import(steady, taken, batches, progress, reading)
                    return
                if batch.imported or batch.joined:
                    added, saved = self._put(batch, due)
                refusals = dict(zip(batch.skipped_places, batch.skipped, strict=True))
            except WorkspaceError:
                raise
            except InspectError as error:
                if len(due) > 1:
                    # What keeps one file out need not keep out the others.
                    for where, file_due in due.items():
                        self._import({where: file_due}, taken, batches, progress, reading)
                    return
                batch, refusals = ImportBatch((), ()), dict.fromkeys(due, str(error))
        # Every import of cases writes them anew, be they the same.
        self._note_cases(changed=any(counts.new or counts.changed for counts in added))
        batches.append((batch, added, saved))
        for where, file_due in due.items():
            taken.append(_taken(where, file_due, batch, added, saved, refusals))
            self._keep(taken[-1], file_due)

    def _keep(self, taken: TakenFile, due: "_Due") -> None:
        followed = self._followed[taken.place]
        followed.taken, followed.until, followed.beside = due.listed.stamp, due.until, self._cases
        # Results beside cases of their own belong to no others, whatever comes.
        own = bool(taken.imported) and all(joined.joined == joined.results.read for joined, _ in taken.joined)
        followed.has_results = bool(
            (taken.joined and not own) or taken.refusal or (taken.unchanged and not taken.imported)
        )
        if taken.joined:
            followed.scorers = frozenset(saved.folder for _, saved in taken.joined if saved.folder)

    def _put(self, batch: ImportBatch, due: Mapping[str, "_Due"]) -> tuple[Sequence[Added], Sequence[SavedResults]]:
        if self.workspace is None:
            self.workspace = self._make()
        name = self._options.name
        for where, file_due in due.items():
            # As a person would who imports the whole file only: what its beginning was taken for is not kept beside.
            made = {scorer_of(joined, name).folder for joined in batch.joined if _is_of(joined.results.place, where)}
            is_there = made or any(_is_of(printable(imported.path), where) for imported in batch.imported)
            for folder in self._followed[where].scorers - made if file_due.change == "grown" and is_there else ():
                withdraw(self.workspace, folder, printable(where))
        return batch.put(self.workspace, name)


class _Due(Struct, frozen=True):
    """A file of which the first `until` bytes are to be imported, and why."""

    listed: WatchedFile
    until: int
    change: FileChange


def _rests(followed: _Followed) -> bool:
    """Whether a file has not changed for a while: so long as it was watched, or by its own time."""
    own = time.time() - followed.stamp.time_ns / 1e9 if followed.stamp is not None else 0.0
    return max(time.monotonic() - followed.since, own) >= REST_SECONDS


def _has_another_beginning(due: _Due) -> bool:
    """Whether a file was replaced or cut while it was read."""
    if is_stored(due.listed.path):
        # It was fetched whole; another one has another stamp at the next look.
        return False
    try:
        now = os.stat(due.listed.path)  # noqa: PTH116  # as above
    except (OSError, ValueError):
        return True
    before = due.listed.stamp
    return (now.st_dev, now.st_ino) != (before.device, before.inode) or now.st_size < due.until


def _generations(workspace: Workspace | None) -> object:
    return None if workspace is None else [folder.name for folder in workspace.generations(workspace.benchmarks())]


def _is_of(stored: str, where: str) -> bool:
    """Whether the place of what was read is a file, or within it where it is an archive."""
    file = printable(where)
    return stored == file or stored.startswith(f"{file}{INSIDE}")


def _taken(
    where: str,
    due: _Due,
    batch: ImportBatch,
    added: Sequence[Added],
    saved: Sequence[SavedResults],
    refusals: Mapping[str, str],
) -> TakenFile:
    return TakenFile(
        where,
        due.listed.path,
        due.change,
        tuple(pair for pair in zip(batch.imported, added, strict=True) if _is_of(printable(pair[0].path), where)),
        tuple(pair for pair in zip(batch.joined, saved, strict=True) if _is_of(pair[0].results.place, where)),
        next((source for source in batch.unchanged if source.source == printable(due.listed.path)), None),
        " ".join(sentence for place_of, sentence in refusals.items() if _is_of(printable(place_of), where)),
    )
