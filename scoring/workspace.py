"""The workspace: the folder that holds imported cases, cached rewards and triage.

    workspace.json
    benchmarks/<name>/gen-<uuid7>/   cases.parquet (metadata), texts.parquet (row by row beside it), import.json
    rewards/<slug>-<8 hex>/          scorer.json, part-<uuid7>.parquet

An import makes a new generation of its benchmark under a dot-name and renames it: readers see the old one or the new
one, and a crash leaves only a dot-folder that nobody reads. Whatever else lies in the folder is left alone.
"""

import json
import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from scoring.benchmarks import demo
from scoring.benchmarks.imported import Imported
from scoring.errors import DamagedWorkspace, FrameError, NoWorkspace, UsageError
from scoring.files import locked, sync, unwritable, uuid7, write_atomically
from scoring.parquet import read_parquet, write_parquet
from scoring.schema import CASES, METADATA, TEXTS, conform
from scoring.texts import Texts

MARK = "workspace.json"
FORMAT = 1
_GENERATION = re.compile(r"gen-[0-9a-f]{32}\Z")
_ROW_GROUP = 256


@dataclass(frozen=True)
class Added:
    """What one import changed: counts of cases by how they compare with what was there."""

    new: int
    changed: int
    unchanged: int


@dataclass(frozen=True)
class Workspace:
    """A workspace folder. `root` None is an empty workspace that knows the demo and cannot be written."""

    root: Path | None

    @classmethod
    def create(cls, root: Path) -> "Workspace":
        """The workspace at `root`, made if it is not there.

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
        """The workspace at `root`.

        Raises:
            NoWorkspace: there is no `workspace.json`.
            DamagedWorkspace: it is no JSON or of a newer format.
        """
        path = root / MARK
        try:
            found = json.loads(path.read_bytes())["format"]
        except (FileNotFoundError, NotADirectoryError):
            raise NoWorkspace(f"{root} holds no {MARK}.", "Make one with: prm-inspect import PATH") from None
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise DamagedWorkspace(f"{path} cannot be read ({error}).", "Restore it, or use another folder.") from None
        if found != FORMAT:
            raise DamagedWorkspace(f"{path} has format {found}; this version knows {FORMAT}.", "Update prm-inspect.")
        return cls(root)

    def benchmarks(self) -> list[str]:
        """Names of the imported benchmarks, in order of name."""
        if self.root is None:
            return []
        return sorted(path.name for path in (self.root / "benchmarks").glob("*") if self._generation(path.name))

    def imports(self, benchmark: str) -> list[dict[str, Any]]:
        """How a benchmark was imported: one document a source, with its report and findings.

        Raises:
            DamagedWorkspace: the document cannot be read.
        """
        if benchmark == demo.NAME and not self._generation(benchmark):
            return [_report(demo.read())]
        folder = self._generation(benchmark)
        return _read_sources(folder) if folder else []

    def cases(self, benchmarks: Sequence[str] = ()) -> tuple[pl.DataFrame, Texts]:
        """The metadata of all cases of the named benchmarks (none = all imported); and their texts, row for row.

        `demo` is known in every workspace. Columns are `scoring.schema.METADATA`.

        Raises:
            UsageError: a benchmark is not here.
            DamagedWorkspace: a generation's files cannot be read.
        """
        names = list(benchmarks) or self.benchmarks()
        frames: list[pl.DataFrame] = []
        texts: list[Path | pl.DataFrame] = []
        for name in names:
            folder = self._generation(name)
            if folder is not None:
                frames.append(_read_metadata(folder))
                texts.append(folder / "texts.parquet")
            elif name == demo.NAME:
                cases = demo.read().cases
                frames.append(cases.select(list(METADATA)))
                texts.append(cases.select(list(TEXTS)))
            else:
                here = ", ".join([*self.benchmarks(), demo.NAME])
                raise UsageError(f"benchmark {name!r} is not in this workspace.", f"Here are: {here}.")
        metadata = pl.concat(frames) if frames else pl.DataFrame(schema=METADATA)
        return metadata, Texts(tuple(texts), tuple(frame.height for frame in frames))

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
        for benchmark in dict.fromkeys(one.benchmark for one in sources):
            places = [place for place, one in enumerate(sources) if one.benchmark == benchmark]
            added.update(zip(places, self._add(benchmark, [sources[place] for place in places]), strict=True))
        return [added[place] for place in range(len(sources))]

    def _add(self, benchmark: str, imported: Sequence[Imported]) -> list[Added]:
        if self.root is None:
            raise NoWorkspace("there is no folder to import into.", "Name one with --workspace DIR.")
        home = self.root / "benchmarks" / benchmark
        try:
            home.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(home, error) from error
        with locked(home):
            folder = self._generation(benchmark)
            cases = _read_all(folder) if folder else pl.DataFrame(schema=CASES)
            sources = {source["source"]: source for source in _read_sources(folder)} if folder else {}
            added = []
            for one in imported:
                cases, counts = _merge(cases, one.cases)
                sources[one.source] = _report(one)
                added.append(counts)
            _write_generation(home, cases, list(sources.values()))
        return added

    def _generation(self, benchmark: str) -> Path | None:
        """The newest generation of a benchmark; None if it was never imported."""
        if self.root is None or not benchmark:
            return None
        generations = _generations(self.root / "benchmarks" / benchmark)
        return generations[-1] if generations else None

    def reward_folders(self, benchmarks: Sequence[str] = ()) -> list[Path]:
        """Every folder of reward parts that may hold rewards for these benchmarks, in order of name."""
        roots = [self.root / "rewards"] if self.root else []
        if demo.NAME in benchmarks and demo.NAME not in self.benchmarks():
            roots.append(demo.folder() / "rewards")
        folders = [path.parent for root in roots for path in root.glob("*/scorer.json")]
        return sorted(folders, key=lambda folder: folder.name)

    def reward_files(self, benchmarks: Sequence[str] = ()) -> frozenset[str]:
        """The files in those folders: they change when rewards were added, merged or removed."""
        folders = self.reward_folders(benchmarks)
        return frozenset(str(path) for folder in folders for path in folder.glob("*.parquet"))


def _generations(home: Path) -> list[Path]:
    """The generations of a benchmark, oldest first. A folder of another name is nobody's business here."""
    return sorted(path.parent for path in home.glob("gen-*/import.json") if _GENERATION.match(path.parent.name))


def _merge(old: pl.DataFrame, new: pl.DataFrame) -> tuple[pl.DataFrame, Added]:
    """The cases of both, a new one in the place of an old one of the same identity; further ones at the end."""
    content = [name for name in CASES if name not in {"source", "line"}]
    same = new.join(old, on=content, how="semi", nulls_equal=True).height
    known = new.join(old, on="case", how="semi").height
    merged = pl.concat([old.join(new, on="case", how="anti", maintain_order="left"), new])
    places = old.select("case").with_row_index("_place")
    merged = merged.join(places, on="case", how="left", maintain_order="left")
    merged = merged.sort("_place", nulls_last=True, maintain_order=True).drop("_place")
    return merged, Added(new=new.height - known, changed=known - same, unchanged=same)


def _write_generation(home: Path, cases: pl.DataFrame, sources: list[dict[str, Any]]) -> None:
    name = f"gen-{uuid7()}"
    folder = home / f".{name}"
    try:
        folder.mkdir()
        write_parquet(folder / "cases.parquet", cases.select(list(METADATA)), "lz4")
        write_parquet(folder / "texts.parquet", cases.select(list(TEXTS)), "lz4", row_group_size=_ROW_GROUP)
        document = json.dumps({"format": FORMAT, "sources": sources}, ensure_ascii=False)
        write_atomically(folder / "import.json", document.encode(errors="replace"))
        folder.rename(home / name)
        sync(home)
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError):
            raise unwritable(home, error) from error
        raise
    # The generation before this one stays: another process may be reading its texts.
    for old in _generations(home)[:-2]:
        shutil.rmtree(old, ignore_errors=True)


def _report(one: Imported) -> dict[str, Any]:
    return {
        "source": one.source,
        "format": one.format,
        "label_base": one.label_base,
        "read": one.read,
        "kept": one.cases.height,
        "erroneous": one.erroneous,
        "clean": one.clean,
        "findings": [asdict(finding) for finding in one.findings],
    }


def _read_sources(folder: Path) -> list[dict[str, Any]]:
    path = folder / "import.json"
    try:
        sources: list[dict[str, Any]] = json.loads(path.read_bytes())["sources"]
        names = [source["source"] for source in sources]
    except OSError as error:
        raise _damaged(path, str(error)) from None
    except (ValueError, KeyError, TypeError, RecursionError):
        names = [None]
    if not all(isinstance(name, str) for name in names):
        raise _damaged(path, "it is no report of an import")
    return sources


def _read_metadata(folder: Path) -> pl.DataFrame:
    path = folder / "cases.parquet"
    try:
        return conform(read_parquet(path), METADATA, path.name)
    except OSError as error:
        raise _damaged(path, str(error)) from None
    except FrameError as error:
        raise _damaged(path, error.sentence.rstrip(".")) from None


def _read_all(folder: Path) -> pl.DataFrame:
    path = folder / "texts.parquet"
    metadata = _read_metadata(folder)
    try:
        texts = conform(Texts((path,), (metadata.height,)).frame(), TEXTS, path.name)
    except FrameError as error:
        raise _damaged(path, error.sentence.rstrip(".")) from None
    return pl.concat([metadata, texts], how="horizontal").select(list(CASES))


def _damaged(path: Path, why: str) -> DamagedWorkspace:
    return DamagedWorkspace(f"{path} cannot be read: {why}.", f"Remove {path.parent} and import again.")
