"""The workspace: the folder that holds imported cases, cached rewards and triage.

    workspace.json
    benchmarks/<name>/gen-<uuid7>/   see scoring.workspace.generation
    rewards/<slug>-<8 hex>/          scorer.json, part-<uuid7>.parquet, leases/ (scoring.runs.leases)
    converted/<32 hex>/              checkpoints made of pickles or LoRA adapters, see scoring.engines.usable_weights
    triage/<who>-<machine>.jsonl     what people said of cases, see scoring.workspace.triage.journal
    variants/<uuid7>.json            cases that a person changed to try it, see scoring.workspace.variants
    trash/<uuid7>/                   a scorer or a benchmark that was removed, see scoring.workspace.trash

On object storage it is the same below a prefix; the folder is a mirror then, see `scoring.workspace.remote`.

An import makes a new generation of its benchmark under a dot-name and renames it: readers see the old one or the new
one, and a crash leaves only a dot-folder that nobody reads. Whatever else lies in the folder is left alone.
"""

import json
import re
import shlex
import shutil
import time
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import DamagedWorkspace, NoWorkspace, UsageError
from scoring.data.metadata_columns import MetadataColumns, StoredColumns
from scoring.data.names import near_names
from scoring.data.schema import CASES, METADATA
from scoring.data.storage.files import locked, write_atomically
from scoring.data.storage.stored_frame import StoredFrame, held_part
from scoring.data.texts import Texts
from scoring.formats.benchmarks import demo
from scoring.formats.benchmarks.case_format import Imported
from scoring.workspace.generation import Added, Generation, read_sources, report, some_columns
from scoring.workspace.triage.journal import Journal
from scoring.workspace.variants import Variants

if TYPE_CHECKING:
    from scoring.workspace.remote import Mirror

MARK = "workspace.json"
FORMAT = 1
BENCHMARKS, REWARDS, TRIAGE, VARIANTS = "benchmarks", "rewards", "triage", "variants"
"""Its folders."""
OWN = {BENCHMARKS, REWARDS, TRIAGE, VARIANTS, MARK, "trash", "derived", "logs", "slices.json", "sources.json"}
"""Everything that is written directly into its folder; what else lies there is the user's."""
KEPT_SECONDS = 120.0
"""How long a generation stays that is not the last but one any more: an import that is repeated makes many."""
_GENERATION = re.compile(r"gen-[0-9a-f]{32}\Z")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_MIRROR = ("remote", "workspace", "address")
"""How the folder of mirrors and that of a mirror's workspace are called, and the file beside it that says of where."""


class Workspace(Struct, frozen=True):
    """A workspace folder. `root` None is an empty workspace that knows the demo and cannot be written.

    What people say of the demo's cases is kept in the folder `demo_triage`, which need not be there yet, and variants
    of them beside it, whether or not there is a `root`; None = in the workspace itself.
    """

    root: Path | None
    demo_triage: Path | None = None

    @property
    def place(self) -> str:
        """Where it is, as a person would name it: its folder, or its address on object storage; "" = nowhere."""
        return "" if self.root is None else _mirrored(self.root) or str(self.root)

    @property
    def mirror(self) -> "Mirror | None":
        """The mirror that it is of a place on object storage; None where it is a folder like any other."""
        if self.root is None or not _mirrored(self.root):
            return None
        from scoring.workspace.remote import mirror_at

        return mirror_at(self.root)

    @classmethod
    def create(cls, root: Path) -> "Workspace":
        """Open the workspace at `root`, made if it is not there.

        Raises:
            UnwritableWorkspace: the folder cannot be made.
            DamagedWorkspace: its `workspace.json` cannot be used.
        """
        try:
            return cls.open(root)
        except NoWorkspace:
            write_atomically(root / MARK, json.dumps({"format": FORMAT}).encode() + b"\n")
        return cls.open(root)

    @classmethod
    def open(cls, root: Path) -> "Workspace":
        """Open the workspace at `root`.

        Raises:
            NoWorkspace: there is no `workspace.json`.
            DamagedWorkspace: it is no JSON or of a newer format.
        """
        path = root / MARK
        try:
            version = json.loads(path.read_bytes())["format"]
        except (FileNotFoundError, NotADirectoryError):
            step = f"Make one with: prm-inspect import PATH -w {shlex.quote(str(root))}"
            raise NoWorkspace(f"{root} holds no {MARK}.", step) from None
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise DamagedWorkspace(f"{path} cannot be read ({error}).", "Restore it, or use another folder.") from None
        if version != FORMAT:
            raise DamagedWorkspace(f"{path} has format {version}; this version knows {FORMAT}.", "Update prm-inspect.")
        return cls(root)

    def benchmarks(self) -> list[str]:
        """Return the names of the imported benchmarks, in order of name."""
        if self.root is None:
            return []
        return sorted(path.name for path in (self.root / BENCHMARKS).glob("*") if self._generation(path.name))

    def default_benchmarks(self) -> list[str]:
        """Return the benchmarks that are meant where none is named: the imported ones, in order of name.

        Where nothing was ever imported and something was scored, that can only have been the demo.
        """
        names = self.benchmarks()
        if names or self.root is None or (self.root / BENCHMARKS).is_dir():
            return names
        return [demo.NAME] if self.reward_folders() else []

    def imports(self, benchmark: str) -> list[dict[str, Any]]:
        """Return how a benchmark was imported: one document a source, with its report and findings.

        Raises:
            DamagedWorkspace: the document cannot be read.
        """
        folder = self._generation(benchmark)
        if folder is None:
            return [report(demo.read())] if benchmark == demo.NAME else []
        return read_sources(folder)

    def cases(self, benchmarks: Sequence[str] = (), *, twins: bool = False) -> tuple[pl.DataFrame, Texts]:
        """Return the metadata of all cases of the named benchmarks (none = the default ones); and their texts, row for
        row.

        `demo` is known in every workspace. Columns are `scoring.data.schema.METADATA`. Twins are cases for whoever
        scores (`twins`), and for nobody else.

        Raises:
            UsageError: a benchmark is not here.
            DamagedWorkspace: a generation's files cannot be read.
        """
        metadata, texts, _ = self.cases_and_columns(benchmarks, twins=twins)
        return metadata, texts

    def cases_and_columns(
        self, benchmarks: Sequence[str] = (), *, twins: bool = False
    ) -> tuple[pl.DataFrame, Texts, MetadataColumns]:
        """Read the same with the metadata columns that the cases' files hold, row for row: each is read when asked for.

        Raises:
            UsageError, DamagedWorkspace: as for `cases`.
        """
        generations = [self._read(name) for name in list(benchmarks) or self.default_benchmarks()]
        metadata = _together([generation.metadata for generation in generations])
        texts = Texts.together([generation.texts for generation in generations])
        own = [generation.metadata["twin_of"].is_null() for generation in generations]
        if twins or all(mask.all() for mask in own):
            return metadata, texts, MetadataColumns([_columns(generation, None) for generation in generations])
        listed = pl.concat(own)
        rows = [np.flatnonzero(mask.to_numpy()) for mask in own]
        columns = MetadataColumns(
            [_columns(generation, of_it) for generation, of_it in zip(generations, rows, strict=True)]
        )
        return metadata.filter(listed), texts.gather(np.flatnonzero(listed.to_numpy())), columns

    def some_columns(self, names: Sequence[str]) -> pl.DataFrame:
        """Return some columns of METADATA for all cases of the imported benchmarks, twins included; the others stay
        unread.

        Raises:
            DamagedWorkspace: a generation's files cannot be read.
        """
        schema = {name: METADATA[name] for name in names}
        folders = [folder for name in self.benchmarks() if (folder := self._generation(name)) is not None]
        return pl.concat([pl.DataFrame(schema=schema), *(some_columns(folder, schema) for folder in folders)])

    def twins(self, benchmarks: Sequence[str] = ()) -> pl.DataFrame:
        """Read the twins of the named benchmarks' cases (none = the default ones), with the columns of CASES.

        Raises:
            UsageError, DamagedWorkspace: as for `cases`.
        """
        metadata, texts = self.cases(benchmarks, twins=True)
        rows = np.flatnonzero(metadata["twin_of"].is_not_null().to_numpy())
        return pl.concat([metadata[rows], texts.gather(rows).frame()], how="horizontal").select(list(CASES))

    def _read(self, benchmark: str) -> Generation:
        folder = self._generation(benchmark)
        if folder is not None:
            return Generation.read(folder)
        if benchmark == demo.NAME:
            return Generation.of(demo.read())
        here = ", ".join([*self.benchmarks(), demo.NAME])
        raise UsageError(
            f"benchmark {benchmark!r} is not in this workspace.",
            f"Here are: {here}. Others come with: prm-inspect import PATH",
            instead=near_names(benchmark, [*self.benchmarks(), demo.NAME], "benchmark"),
        )

    def add(self, imported: Iterable[Imported]) -> list[Added]:
        """Put imported cases into the workspace, a case of the same identity in place of the old one.

        A benchmark changes at once or not at all, however many sources it comes from.

        Raises:
            NoWorkspace: this one has no folder.
            UnwritableWorkspace: read-only, full, not allowed; the benchmark it names is as it was.
            DamagedWorkspace: the cases that are there cannot be read.
        """
        sources = list(imported)
        added: dict[int, Added] = {}
        for benchmark in dict.fromkeys(source.benchmark for source in sources):
            places = [place for place, source in enumerate(sources) if source.benchmark == benchmark]
            added.update(zip(places, self._add(benchmark, [sources[place] for place in places]), strict=True))
        return [added[place] for place in range(len(sources))]

    def _add(self, benchmark: str, imported: Sequence[Imported]) -> list[Added]:
        if self.root is None:
            raise NoWorkspace("there is no folder to import into.", "Name one with --workspace DIR.")
        home = self.root / BENCHMARKS / benchmark
        with locked(home, make=True):
            folder = self._generation(benchmark)
            whole = Generation.with_reports(folder) if folder else Generation.nothing()
            whole, added = whole.merged(map(Generation.of, imported))
            whole.write(home)
            # Another process may be reading the texts of the generation before this one, and of earlier ones that it
            # had no time to leave.
            for old, successor in pairwise(_generations(home)[:-1]):
                if time.time() - successor.stat().st_mtime > KEPT_SECONDS:
                    shutil.rmtree(old, ignore_errors=True)
        return added

    def _generation(self, benchmark: str) -> Path | None:
        """The newest generation of a benchmark; None if it was never imported."""
        if self.root is None or not benchmark:
            return None
        generations = _generations(self.root / BENCHMARKS / benchmark)
        return generations[-1] if generations else None

    def generations(self, benchmarks: Sequence[str] = ()) -> list[Path]:
        """Return the folders that the cases of these benchmarks are read from; none of what is not imported, as the
        demo.
        """
        names = list(benchmarks) or self.default_benchmarks()
        return [folder for name in dict.fromkeys(names) if (folder := self._generation(name))]

    def journal(self) -> Journal | None:
        """Return what everybody says of cases, and where we say it; None where there is no folder."""
        return None if self.triage is None else Journal(self.triage)

    @property
    def triage(self) -> Path | None:
        """The folder of the journals; None where there is none."""
        return self.demo_triage or (self.root / TRIAGE if self.root else None)

    @property
    def variants(self) -> Variants | None:
        """The variants of cases; None where there is no folder for any."""
        return None if self.triage is None else Variants(self.triage.parent / VARIANTS)

    def reward_folders(self, benchmarks: Sequence[str] = ()) -> list[Path]:
        """Return every folder of reward parts that may hold rewards for these benchmarks, in order of name."""
        roots = [self.root / REWARDS] if self.root else []
        if demo.NAME in benchmarks and demo.NAME not in self.benchmarks():
            roots.append(demo.folder() / REWARDS)
        folders = [path.parent for root in roots for path in root.glob("*/scorer.json")]
        return sorted(folders, key=lambda folder: folder.name)

    def stamps(self, benchmarks: Sequence[str]) -> list[tuple[str, str, int, int]] | None:
        """Return what the cases of these benchmarks are read from: name, generation, size and time of the file of each.

        None where one of them is read from elsewhere, as the demo is, or has just gone.
        """
        file_stamps = []
        for name in benchmarks:
            folder = self._generation(name)
            if folder is None:
                return None
            try:
                stat = (folder / "cases.parquet").stat()
            except OSError:
                return None
            file_stamps.append((name, folder.name, stat.st_size, stat.st_mtime_ns))
        return file_stamps

    def reward_files(self, benchmarks: Sequence[str] = ()) -> frozenset[str]:
        """Return the files in those folders: they change when rewards were added, merged or removed."""
        folders = self.reward_folders(benchmarks)
        return frozenset(str(path) for folder in folders for path in folder.glob("*.parquet"))


def is_storage_address(place: str) -> bool:
    """Return whether a person named an address, and no folder of this machine."""
    return _ADDRESS.match(place) is not None


def is_workspace(folder: Path) -> bool:
    """Return whether a folder is a workspace, of any version; another tool's `workspace.json` makes none."""
    path = folder / MARK
    try:
        # Whoever reads a pipe of that name waits for ever.
        mark = json.loads(path.read_bytes()) if path.is_file() else None
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(mark, dict) and type(mark.get("format")) is int


def workspace_folder(place: str, *, create: bool = False) -> Path:
    """Return the folder of a workspace as a person named it; of one on object storage that of its mirror, brought up to
    date.

    Args:
        place: a folder, or an address.
        create: a workspace on object storage need not be there yet.

    Raises:
        UsageError: it is an address of no kind that is known. Nothing of it is repeated: it may hold a secret.
        NoWorkspace: there is none at an address.
        MissingExtra, StoreError: an address cannot be read.
    """
    folder = Path(place)
    if is_storage_address(place):
        from scoring.workspace.remote import open_mirror

        return open_mirror(place, create=create)
    if _mirrored(folder):
        from scoring.workspace.remote import mirror_at

        mirror = mirror_at(folder.absolute())
        return folder if mirror is None else mirror.root
    return folder


def _mirrored(root: Path) -> str:
    """The address that a folder seems to mirror; "" where it is a folder like any other, which costs a look at most."""
    mirrors, workspace, address = _MIRROR
    if root.name != workspace or root.parent.parent.name != mirrors:
        return ""
    try:
        text = (root.parent / address).read_text().strip()
    except (OSError, UnicodeDecodeError):
        return ""
    return text if is_storage_address(text) else ""


def _together(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The metadata of several benchmarks; what is read when it is asked for stays so, with all that is beside it."""
    if not any(isinstance(frame, StoredFrame) for frame in frames):
        return pl.concat([pl.DataFrame(schema=METADATA), *(frame.select(list(METADATA)) for frame in frames)])
    parts = [frame.parts if isinstance(frame, StoredFrame) else (held_part(frame),) for frame in frames]
    return StoredFrame(METADATA, [part for of_one in parts for part in of_one])


def _columns(generation: Generation, rows: npt.NDArray[np.int64] | None) -> StoredColumns | int:
    """The metadata columns of some rows of a generation (None = all), or how many rows have none."""
    height = generation.metadata.height if rows is None else rows.size
    stored = generation.stored
    if stored is None or not stored.dtypes:
        return height
    return replace(stored, height=height, rows=None if height == stored.height else rows)


def _generations(home: Path) -> list[Path]:
    """The generations of a benchmark, oldest first. A folder of another name is nobody's business here."""
    return sorted(path.parent for path in home.glob("gen-*/import.json") if _GENERATION.match(path.parent.name))
