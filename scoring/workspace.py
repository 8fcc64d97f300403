"""The workspace: the folder that holds imported cases, cached rewards and triage.

    workspace.json
    benchmarks/<name>/gen-<uuid7>/   cases.parquet (metadata), texts.parquet (row by row beside it), import.json
    rewards/<slug>-<8 hex>/          scorer.json, part-<uuid7>.parquet

An import makes a new generation of its benchmark under a dot-name and renames it: readers see the old one or the new
one, and a crash leaves only a dot-folder that nobody reads. Whatever else lies in the folder is left alone.
"""

import json
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from scoring.benchmarks import demo
from scoring.benchmarks.imported import Imported
from scoring.errors import DamagedWorkspace, NoWorkspace, UsageError
from scoring.files import sync, unwritable, uuid7, write_atomically
from scoring.schema import CASES, METADATA, TEXTS, conform
from scoring.texts import Texts

MARK = "workspace.json"
FORMAT = 1
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
        if not (root / MARK).exists():
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
        except FileNotFoundError:
            raise NoWorkspace(f"{root} holds no {MARK}.", "Make one with: prm-inspect import PATH") from None
        except (OSError, ValueError, KeyError, TypeError) as error:
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
        """How a benchmark was imported: one document a source, with its report and findings."""
        if benchmark == demo.NAME and not self._generation(benchmark):
            return [_report(demo.read())]
        folder = self._generation(benchmark)
        if folder is None:
            return []
        sources: list[dict[str, Any]] = json.loads((folder / "import.json").read_bytes())["sources"]
        return sources

    def cases(self, benchmarks: Sequence[str] = ()) -> tuple[pl.DataFrame, Texts]:
        """The metadata of all cases of the named benchmarks (none = all imported), and their texts row by row beside it.

        `demo` is known in every workspace. Columns are `scoring.schema.METADATA`.

        Raises:
            UsageError: a benchmark is not here.
            DamagedWorkspace: a generation's files cannot be read.
        """
        names = list(benchmarks) or self.benchmarks()
        frames, texts = [], []
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

        Raises:
            UnwritableWorkspace: nothing of this benchmark was changed.
        """
        return [self._add(one) for one in imported]

    def _add(self, one: Imported) -> Added:
        if self.root is None:
            raise NoWorkspace("there is no folder to import into.", "Name one with --workspace DIR.")
        old_folder = self._generation(one.benchmark)
        old = _read_all(old_folder) if old_folder else pl.DataFrame(schema=CASES)
        sources = {source["source"]: source for source in self.imports(one.benchmark)} if old_folder else {}
        sources[one.source] = _report(one)
        content = [name for name in CASES if name not in {"source", "line"}]
        same = one.cases.select(content).join(old.select(content), on=content, how="semi", nulls_equal=True).height
        known = one.cases.join(old, on="case", how="semi").height
        kept = old.join(one.cases, on="case", how="anti", maintain_order="left")
        merged = pl.concat([kept, one.cases])
        # A source imported again keeps its place: a case goes where its identity was.
        order = merged.join(old.select("case").with_row_index("_was"), on="case", how="left", maintain_order="left")
        merged = order.sort("_was", nulls_last=True, maintain_order=True).drop("_was")
        self._write_generation(one.benchmark, merged, list(sources.values()))
        return Added(new=one.cases.height - known, changed=known - same, unchanged=same)

    def _write_generation(self, benchmark: str, cases: pl.DataFrame, sources: list[dict[str, Any]]) -> None:
        assert self.root is not None  # noqa: S101  # callers have checked; this narrows the type
        home = self.root / "benchmarks" / benchmark
        name = f"gen-{uuid7()}"
        folder = home / f".{name}"
        try:
            folder.mkdir(parents=True)
            cases.select(list(METADATA)).write_parquet(folder / "cases.parquet", compression="lz4")
            cases.select(list(TEXTS)).write_parquet(folder / "texts.parquet", compression="lz4", row_group_size=_ROW_GROUP)
            document = json.dumps({"format": FORMAT, "sources": sources}, ensure_ascii=False)
            (folder / "import.json").write_text(document, encoding="utf-8", errors="replace")
            for file in folder.iterdir():
                sync(file)
            folder.rename(home / name)
            sync(home)
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise unwritable(home, error) from error
        # The generation before this one stays: another process may be reading its texts.
        for old in sorted(home.glob("gen-*"))[:-2]:
            shutil.rmtree(old, ignore_errors=True)

    def _generation(self, benchmark: str) -> Path | None:
        """The newest whole generation of a benchmark; None if it was never imported."""
        if self.root is None or not benchmark:
            return None
        folders = sorted((self.root / "benchmarks" / benchmark).glob("gen-*/import.json"))
        return folders[-1].parent if folders else None

    def reward_folders(self, benchmarks: Sequence[str] = ()) -> list[Path]:
        """Every folder of reward parts that may hold rewards for these benchmarks, in order of name."""
        roots = [self.root / "rewards"] if self.root else []
        if demo.NAME in benchmarks and demo.NAME not in self.benchmarks():
            roots.append(demo.folder() / "rewards")
        folders = [path.parent for root in roots for path in root.glob("*/scorer.json")]
        return sorted(folders, key=lambda folder: folder.name)


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


def _read_metadata(folder: Path) -> pl.DataFrame:
    try:
        return conform(pl.read_parquet(folder / "cases.parquet"), METADATA, str(folder / "cases.parquet"))
    except (OSError, pl.exceptions.PolarsError) as error:
        first = str(error).splitlines()[0]
        raise DamagedWorkspace(f"{folder / 'cases.parquet'} cannot be read ({first}).", "Import again.") from None


def _read_all(folder: Path) -> pl.DataFrame:
    try:
        texts = conform(pl.read_parquet(folder / "texts.parquet"), TEXTS, str(folder / "texts.parquet"))
        return pl.concat([_read_metadata(folder), texts], how="horizontal").select(list(CASES))
    except (OSError, pl.exceptions.PolarsError) as error:
        first = str(error).splitlines()[0]
        raise DamagedWorkspace(f"{folder} cannot be read ({first}).", "Remove that folder and import again.") from None
