"""A workspace on object storage: a mirror, which is a folder of this machine that is kept equal to what lies there.

    remote/<name of the address>/       in the user's cache
        address         where it mirrors: the `workspace` beside such a file is a mirror
        synced.json     what was equal here and there last: the etag of each object, size and time of its file
        open            there while somebody has it open, and after they were killed
        in-use/         whoever has it open has a share in this folder (scoring.data.storage.files.FolderShare)
        incoming/       files that are being fetched
        workspace/      the workspace, which all else reads and writes like any other

A file that is another than it was last goes where it is not; one that changed on both sides becomes what
`scoring.workspace.remote_plan` makes of both. Cases, rewards, votes, what people said, variants, slices and the trash
travel; what can be made again (`derived`), checkpoints that were converted and logs do not. No object is ever put in
the place of one that was not read: new ones are created, others replaced by their etag, and whoever loses a race reads
again. What makes a generation or a scorer whole comes last, here and there, and goes first. What has gone from this
folder is removed there only if it went while the mirror was open: whoever clears caches removes nothing of anybody
else's.
"""

import os
import shutil
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from pathlib import Path, PurePosixPath
from threading import Lock

import msgspec
from msgspec import Struct

from scoring.data.errors import InspectError, InUse, NoWorkspace, StoreError, UnwritableWorkspace
from scoring.data.storage.files import (
    DiskUse,
    FolderShare,
    come_after,
    locked,
    sync,
    unwritable,
    uuid7,
    write_atomically,
)
from scoring.data.storage.object_store import Store, open_store
from scoring.data.storage.store_address import Address, LostRaceError, StoredObject
from scoring.workspace.remote_plan import (
    FOLDERS,
    IMMUTABLE,
    MADE,
    MARK,
    SLICES,
    TRAVELS,
    WHOLE,
    KnownFile,
    MirrorPlan,
    MirrorRecord,
    digest_of,
    generations_among,
    is_sound,
    known_file,
    merge_generations,
    merged,
    stamp_of,
    stamp_or_none,
    stamps_under,
    todo,
    turn_of,
)

ADDRESS, RECORD, OPEN, IN_USE, INCOMING, WORKSPACE = (
    *("address", "synced.json", "open", "in-use", "incoming", "workspace"),
)
LIMIT_VARIABLE = "PRM_INSPECT_CACHE_BYTES"
LIMIT = 20 * 10**9
"""Bytes that all mirrors may take together, unless the variable says so."""
_BELIEVED = 24 * 3600.0
"""Seconds for which it is believed, after a crash, that what is missing here was removed on purpose."""
_FRESH = 1.0
_AT_ONCE = 16
_ROUNDS = 12
"""How often what lost a race is tried again."""


class SyncResult(Struct):
    """What a sync did: files that came and that went there; `unsent` says why the `waiting` ones did not."""

    came: int = 0
    went: int = 0
    waiting: int = 0
    unsent: StoreError | None = None

    @property
    def changed(self) -> bool:
        """Whether anything is different from before."""
        return bool(self.came or self.went)


class Mirror:
    """The mirror of an address, open in this process. May be used from several threads."""

    def __init__(self, address: Address, home: Path, store: Store) -> None:
        """Take a share in it, so that nobody throws it away; nothing is fetched yet."""
        self.address, self.home, self.store = address, home, store
        self.root = home / WORKSPACE
        self.left_out = 0
        self.waiting = 0
        self._contested: set[str] = set()
        self._synced = 0.0
        self._placing = Lock()
        self._share = FolderShare(home / IN_USE)
        self._share.take()
        if not (home / ADDRESS).exists():
            write_atomically(home / ADDRESS, f"{address}\n".encode())
        self.left_open = self._believes = self._was_left_open()

    def sync(self, under: str = "", *, look: bool = True, wait: bool = True) -> SyncResult:
        """Make both sides equal.

        Args:
            under: only this folder, by its path without a slash at its end.
            look: see what has changed there; False = only send what has changed here.
            wait: wait for another process that syncs the same mirror; False = leave it to that.

        Raises:
            StoreError: it cannot be listed or read. What cannot be written is no error here, but `unsent`.
            UnwritableWorkspace: the mirror's folder cannot be written.
        """
        try:
            with locked(self.home, make=True, wait=wait):
                return self._sync(under, look=look)
        except InUse:
            return SyncResult()
        except OSError as error:
            raise unwritable(self.home, error) from error

    def send(self) -> None:
        """Send what was written here.

        Raises:
            StoreError: it could not be sent, and is kept here.
        """
        if unsent := self.sync(look=False).unsent:
            raise kept(unsent)

    def check_writable(self) -> None:
        """Make sure that what is written here can be sent.

        Raises:
            UnwritableWorkspace: it may be read and not written.
            StoreError: it cannot be reached, or the credentials are not accepted.
        """
        try:
            self.store.check_writable(MARK)
        except StoreError as error:
            if not error.denied:
                raise
            raise UnwritableWorkspace(
                f"{self.address} may be read and not written with these credentials.",
                "Use others that may write, or a workspace of your own: -w DIR.",
            ) from None

    def close(self, *, sent: bool) -> None:
        """Let go of it; `sent` = nothing is left to be sent."""
        self._share.close()
        if sent:
            # Whoever else has it open still needs the mark.
            with suppress(InUse, OSError), locked(self.home / IN_USE, wait=False):
                (self.home / OPEN).unlink(missing_ok=True)

    def _was_left_open(self) -> bool:
        """Whether others have it open, or did when they were killed not long ago; from now on it is open."""
        path = self.home / OPEN
        with suppress(OSError):
            believed = time.time() - path.stat().st_mtime < _BELIEVED
            path.touch()
            return believed
        path.touch()
        return False

    # -- what is to be done

    def _sync(self, under: str, *, look: bool) -> SyncResult:
        shutil.rmtree(self.home / INCOMING, ignore_errors=True)
        record, done = self._read_record(), SyncResult()
        for _ in range(_ROUNDS):
            plan = self._planned(record, under, look=look)
            try:
                self._pull(plan, record, done)
                self._believes = True
                lost = self._join_generations(plan, record) or self._try_to_push(plan, record, done)
            finally:
                self._save_record(record)
            if not lost:
                break
            look = True
        with suppress(OSError):
            (self.home / OPEN).touch()
        self._synced = time.monotonic()
        return done

    def refresh(self) -> None:
        """Sync, unless that was done just now. Raises as `sync`."""
        if time.monotonic() - self._synced > _FRESH:
            self.sync()

    def _planned(self, record: dict[str, KnownFile], under: str, *, look: bool) -> MirrorPlan:
        """Compare what is here, what is there and what was equal last."""
        inside = f"{under}/" if under else ""
        there: Mapping[str, StoredObject]
        if look:
            there = self._listed(under)
        else:
            known = {path: known_file for path, known_file in record.items() if path.startswith(inside)}
            there = {path: StoredObject(known_file.etag, known_file.size, 0.0) for path, known_file in known.items()}
        plan = MirrorPlan(stamps_under(self.root, under), there)
        for path in sorted({*plan.local, *there, *(path for path in record if path.startswith(inside))}):
            if TRAVELS.fullmatch(path):
                what = todo(path, record.get(path), plan.local.get(path), there.get(path), believed=self._believes)
                if what:
                    getattr(plan, what).append(path)
        return plan

    def _listed(self, under: str) -> dict[str, StoredObject]:
        try:
            listed = self.store.list(under)
        except StoreError as error:
            if under or not error.misnamed:
                raise
            # One such name spoils a whole listing. Beside our folders it is nobody's business here.
            parts = [self.store.list(folder) for folder in FOLDERS]
            marks = {name: self.store.head(name) for name in (MARK, SLICES)}
            listed = {name: described for name, described in marks.items() if described} | {
                name: described for part in parts for name, described in part.items()
            }
        sound = {path: described for path, described in listed.items() if is_sound(path)}
        self.left_out = len(listed) - len(sound)
        if stamps := [match[1] for path in sound for match in MADE.finditer(path)]:
            come_after(max(stamps))
        return sound

    # -- from there to here

    def _pull(self, plan: MirrorPlan, record: dict[str, KnownFile], done: SyncResult) -> None:
        for path in plan.forget:
            record.pop(path, None)
        if plan.fetch:
            self._make_room(sum(plan.stored[path].size for path in plan.fetch))
        # What was moved there is moved here, and not fetched again.
        moved = {
            (PurePosixPath(path).name, known.etag): path
            for path, known in record.items()
            if path not in plan.stored and path in plan.local
        }
        for turn in range(3):
            paths = [path for path in plan.fetch if turn_of(path) == turn]
            _each(paths, lambda path: self._fetch(path, plan, record, moved))
            done.came += len(paths)
            if paths:
                self._save_record(record)
        going = sorted(plan.drop, key=turn_of, reverse=True)
        # A listing may be older than what it lists: nothing goes that is there when it is asked for by its name.
        still: set[str] = set()
        _each(going, lambda path: still.add(path) if self.store.head(path) else None)
        for path in going:
            if path not in still and self._drop(path):
                record.pop(path, None)
                done.came += 1

    def _fetch(
        self, path: str, plan: MirrorPlan, record: dict[str, KnownFile], moved: Mapping[tuple[str, str], str]
    ) -> None:
        there, incoming = plan.stored[path], self.home / INCOMING / uuid7()
        incoming.parent.mkdir(exist_ok=True)
        etag: str | None = there.etag
        old = moved.get((PurePosixPath(path).name, there.etag))
        try:
            if old is None or not IMMUTABLE.match(path) or not _linked(self.root / old, incoming):
                etag = self.store.fetch(path, there.size, incoming)
            if etag is None:
                return
            if etag != there.etag:
                # The listing was older.
                known = record.get(path)
                if known is not None and known.etag == etag and plan.local.get(path) == (known.size, known.time):
                    return
            if there.modified:
                os.utime(incoming, (there.modified, there.modified))
            if self._put_here(path, incoming, plan.local.get(path)):
                record[path] = known_file(self.root / path, path, etag)
        finally:
            incoming.unlink(missing_ok=True)

    def _put_here(self, path: str, incoming: Path, before: tuple[int, int] | None) -> bool:
        """Put a file in its place, unless somebody is at work there or has been since it was looked at."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if IMMUTABLE.match(path):
            incoming.replace(target)
            return True
        sync(incoming)
        # One at a time: files of one folder that come together would take each other for somebody at work there.
        with self._placing, suppress(InUse, FileNotFoundError), locked(target.parent, wait=False):
            if stamp_or_none(target) != before:
                return False
            incoming.replace(target)
            return True
        return False

    def _drop(self, path: str) -> bool:
        target = self.root / path
        if IMMUTABLE.match(path):
            target.unlink(missing_ok=True)
        else:
            with suppress(InUse, FileNotFoundError), locked(target.parent, wait=False):
                target.unlink(missing_ok=True)
            if target.exists():
                return False
        for folder in list(target.parents)[: path.count("/")]:
            with suppress(OSError):
                folder.rmdir()
        return True

    def _join_generations(self, plan: MirrorPlan, record: dict[str, KnownFile]) -> bool:
        """Join generations that were made here and there without knowing each other; whether there were any."""
        joined = False
        ours = generations_among([*plan.send, *(path for path in plan.merge if path in self._contested)])
        came, before = (
            generations_among(plan.fetch),
            generations_among(path for path in record if path not in plan.fetch),
        )
        for benchmark, made in ours.items():
            if benchmark not in came:
                continue
            shared = [generation for generation in before.get(benchmark, []) if generation not in made]
            # Where one of them is damaged the newer one counts, as everywhere.
            with suppress(InspectError):
                home = self.root / "benchmarks" / benchmark
                merge_generations(home, shared[-1] if shared else None, made[-1], came[benchmark][-1])
                joined = True
        return joined

    # -- from here to there

    def _try_to_push(self, plan: MirrorPlan, record: dict[str, KnownFile], done: SyncResult) -> bool:
        done.waiting, done.unsent = len(plan.send) + len(plan.merge) + len(plan.remove), None
        try:
            lost = self._push(plan, record, done)
        except StoreError as error:
            done.unsent = error
            return False
        done.waiting = 0
        return lost

    def _push(self, plan: MirrorPlan, record: dict[str, KnownFile], done: SyncResult) -> bool:
        """Send what is new here; whether anything lost a race and is to be looked at again."""
        waiting: list[str] = []
        moved: dict[tuple[str | int, ...], str] = {
            (*PurePosixPath(path).parts[-2:], known.size, known.time): path
            for path, known in record.items()
            if path not in plan.local
        }

        def send(path: str) -> None:
            if not self._sent(path, plan, record, moved):
                waiting.append(path)

        for turn in range(3):
            paths = [path for path in (*plan.send, *plan.merge) if turn_of(path) == turn]
            _each(paths, send)
            done.went += len(paths)
            if paths:
                self._save_record(record)
        # What has taken the place of others is there before they go.
        if plan.remove and not waiting:
            self.store.delete(sorted(plan.remove, key=turn_of, reverse=True))
            done.went += len(plan.remove)
            for path in plan.remove:
                record.pop(path, None)
        return any(path not in record for path in waiting)

    def _sent(
        self, path: str, plan: MirrorPlan, record: dict[str, KnownFile], moved: Mapping[tuple[str | int, ...], str]
    ) -> bool:
        """Send a file, or what it and the one there become; False where that has to be looked at again."""
        try:
            if path in plan.merge:
                self._merge(path, plan, record)
            else:
                self._send(path, record, moved)
            if (match := WHOLE.fullmatch(path)) and (path in plan.send or path in self._contested):
                self._tell_of_generation(match[1], match[2], plan, record)
                self._contested.discard(path)
        except InUse:
            # A run is writing there; what both said is merged when it has ended.
            record.setdefault(path, KnownFile("", -1, -1))
            return False
        except LostRaceError:
            if WHOLE.fullmatch(path):
                self._contested.add(path)
            record.pop(path, None)
            return False
        except FileNotFoundError:
            # It was merged with others, or removed, since it was looked at.
            record.pop(path, None)
            return False
        return True

    def _send(self, path: str, record: dict[str, KnownFile], moved: Mapping[tuple[str | int, ...], str]) -> None:
        file, known = self.root / path, record.get(path)
        stamp = stamp_of(file)
        if IMMUTABLE.match(path):
            old = moved.get((*file.parts[-2:], *stamp))
            etag = self.store.copy(old, path) if old else None
            record[path] = KnownFile(etag or self.store.write(path, file, None), *stamp)
            return
        data = file.read_bytes()
        digest = digest_of(data)
        if known is not None and known.digest == digest:
            record[path] = KnownFile(known.etag, *stamp, digest)
            return
        etag = self.store.write(path, data, (known.etag or None) if known else None)
        record[path] = KnownFile(etag, *stamp, digest)

    def _merge(self, path: str, plan: MirrorPlan, record: dict[str, KnownFile]) -> None:
        """Make one of what is here and there under the same name."""
        file = self.root / path
        if IMMUTABLE.match(path):
            self._adopt(path, file, plan.stored[path], record)
            return
        theirs, stamp, whole = self.store.read(path), stamp_of(file), file.read_bytes()
        if theirs is None:
            raise LostRaceError
        if whole != theirs[0]:
            # Whoever is at work there, a run of this process too, is not waited for: the next sync merges them.
            with locked(file.parent, wait=False):
                whole = merged(path, file.read_bytes(), theirs[0], self.root)
                write_atomically(file, whole)
                stamp = stamp_of(file)
        etag = theirs[1] if whole == theirs[0] else self.store.write(path, whole, theirs[1])
        record[path] = KnownFile(etag, *stamp, digest_of(whole))

    def _adopt(self, path: str, file: Path, there: StoredObject, record: dict[str, KnownFile]) -> None:
        """Take for one what has one name for ever; where that is another file after all, ours gets another name."""
        stamp = stamp_of(file)
        etag = there.etag
        same = stamp[0] == there.size and (len(etag) != 32 or etag == digest_of(file.read_bytes()))
        if not same and file.suffix == ".parquet":
            file.rename(file.with_name(f"{file.name.partition('-')[0]}-{uuid7()}.parquet"))
            raise LostRaceError
        record[path] = KnownFile(there.etag, *stamp) if same else KnownFile("", -1, -1)

    def _tell_of_generation(self, benchmark: str, name: str, plan: MirrorPlan, record: dict[str, KnownFile]) -> None:
        """Count up the benchmark's generations, which fails where another has done so since they were listed."""
        path = f"benchmarks/{benchmark}/newest"
        there, known = plan.stored.get(path), record.get(path)
        etag = there.etag if there else known.etag if known else None
        record[path] = KnownFile(self.store.write(path, f"{name} {uuid7()}\n".encode(), etag), 0, 0)

    # -- the record, and room for it

    def _read_record(self) -> dict[str, KnownFile]:
        # A folder that somebody emptied is no workspace whose files were removed one by one.
        if (self.root / MARK).exists():
            with suppress(OSError, msgspec.MsgspecError):
                return msgspec.json.decode((self.home / RECORD).read_bytes(), type=MirrorRecord).files
        return {}

    def _save_record(self, record: dict[str, KnownFile]) -> None:
        write_atomically(self.home / RECORD, msgspec.json.encode(MirrorRecord(files=record)))

    def _make_room(self, needed: int) -> None:
        """Throw away mirrors, those used longest ago first, until as much fits as all may take together."""
        try:
            limit = int(os.environ.get(LIMIT_VARIABLE) or LIMIT)
        except ValueError:
            limit = LIMIT
        homes = {home: DiskUse.of(home).bytes for home in self.home.parent.iterdir() if (home / ADDRESS).is_file()}
        total = sum(homes.values()) + needed
        for home in sorted(homes.keys() - {self.home}, key=_last_used):
            if total <= limit:
                break
            if _thrown_away(home):
                total -= homes[home]


def _last_used(home: Path) -> float:
    with suppress(OSError):
        return (home / RECORD).stat().st_mtime
    return 0.0


def _thrown_away(home: Path) -> bool:
    """Remove a mirror, unless somebody uses it or it has what was not sent; whether it is gone."""
    doomed = home.with_name(f".{home.name}-{uuid7()}")
    try:
        with locked(home / IN_USE, wait=False):
            record = msgspec.json.decode((home / RECORD).read_bytes(), type=MirrorRecord).files
            here = stamps_under(home / WORKSPACE, "")
            travelling = {path: stamp for path, stamp in here.items() if TRAVELS.fullmatch(path)}
            unsent = any(
                path not in record or not record[path].is_as_it_was(stamp) for path, stamp in travelling.items()
            )
            gone = any(path not in here and TRAVELS.fullmatch(path) for path in record) and (home / OPEN).exists()
            if unsent or gone:
                return False
            home.rename(doomed)
    except (InUse, OSError, msgspec.MsgspecError):
        return False
    shutil.rmtree(doomed, ignore_errors=True)
    return True


def _linked(source: Path, target: Path) -> bool:
    with suppress(OSError):
        os.link(source, target)
        return True
    return False


def _each(paths: Iterable[str], call: Callable[[str], object]) -> None:
    """Call for each path, several at a time; the first error is raised when those under way have ended."""
    todo = list(paths)
    if len(todo) < 2:
        for path in todo:
            call(path)
        return
    with ThreadPoolExecutor(min(_AT_ONCE, len(todo))) as threads:
        futures = [threads.submit(call, path) for path in todo]
        try:
            for future in as_completed(futures):
                future.result()
        except BaseException:
            threads.shutdown(wait=False, cancel_futures=True)
            raise


# -- the mirrors that this process has open


_open: dict[Path, Mirror] = {}


def cache() -> Path:
    """Return the folder of all mirrors."""
    from platformdirs import user_cache_path

    return user_cache_path("prm-inspect", appauthor=False) / "remote"


def open_mirror(text: str, *, create: bool = False) -> Path:
    """Bring the mirror of an address up to date, and give the folder of its workspace.

    Args:
        text: the address.
        create: make a workspace there if there is none.

    Raises:
        UsageError: it is no address.
        MissingExtra, StoreError: it cannot be read.
        NoWorkspace: there is none, and none is to be made.
        UnwritableWorkspace: the cache, or with `create` the store, cannot be written.
    """
    address = Address.parse(text)
    home = cache() / address.file_name
    mirror = _open.get(home / WORKSPACE)
    if mirror is None:
        store = open_store(address)
        try:
            mirror = Mirror(address, home, store)
        except OSError as error:
            raise unwritable(home, error) from error
    is_new = mirror.root not in _open
    if is_new:
        try:
            mirror.waiting = mirror.sync().waiting
        except BaseException:
            mirror.close(sent=not mirror.left_open)
            if not (home / RECORD).exists():
                shutil.rmtree(home, ignore_errors=True)
            raise
        _open[mirror.root] = mirror
    if not (mirror.root / MARK).exists():
        if not create:
            if is_new:
                mirror.close(sent=True)
                del _open[mirror.root]
                shutil.rmtree(home, ignore_errors=True)
            raise NoWorkspace(f"{address} holds no {MARK}.", f"Make one with: prm-inspect import PATH -w {address}")
        mirror.check_writable()
    return mirror.root


def mirror_at(root: Path) -> Mirror | None:
    """Open the mirror whose workspace is in this folder; None where it is a folder like any other.

    Only what lies in this user's cache is one: no folder that somebody sent can have an address asked with our keys.
    """
    if root in _open:
        return _open[root]
    try:
        if not root.parent.parent.samefile(cache()):
            return None
        opened = open_mirror((root.parent / ADDRESS).read_text().strip())
        return _open.get(opened) if opened.samefile(root) else None
    except OSError:
        return None


def kept(error: StoreError) -> StoreError:
    """Return the error about what could not be sent."""
    again = "What was written is kept on this machine, and is sent the next time that the workspace is opened."
    return StoreError(error.sentence, f"{again} {error.next_step}".strip(), passing=error.passing, denied=error.denied)


def send_all() -> list[str]:
    """Send what was written in all mirrors that are open; a sentence for each where that cannot be."""
    sentences = []
    for mirror in list(_open.values()):
        try:
            mirror.send()
        except InspectError as error:
            sentences.append(str(error))
    return sentences


def finish() -> tuple[list[str], bool]:
    """Send what was written in all mirrors that are open, and let go of them.

    Those of a process that is killed instead are sent by the next one that opens them.

    Returns:
        Sentences for what people should know, and whether something that was written meanwhile is kept here.
    """
    sentences, keeps = [], False
    for root, mirror in list(_open.items()):
        try:
            synced = mirror.sync(look=False)
        except InspectError as error:
            synced = SyncResult(waiting=mirror.waiting + 1)
            sentences.append(str(error))
        if synced.unsent is not None:
            sentences.append(str(kept(synced.unsent)))
        if mirror.left_out:
            sentences.append(
                f"{mirror.left_out:,} objects of {mirror.address} have names that no file can have: left out."
            )
        keeps |= synced.waiting > mirror.waiting
        mirror.close(sent=not synced.waiting)
        del _open[root]
    return sentences, keeps
