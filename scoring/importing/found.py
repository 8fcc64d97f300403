"""Sources are read, results among them are joined, and all of it is put into the workspace."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from scoring.benchmarks import demo
from scoring.benchmarks.imported import Imported
from scoring.errors import InputError, UsageError
from scoring.generation import Added
from scoring.importing.joining import Joined, join
from scoring.importing.saving import Saved, save
from scoring.importing.sources import HUB, Source, read_source
from scoring.reading.files_in import expand, is_pattern, place
from scoring.reading.findings import worst
from scoring.results.foreign import Foreign
from scoring.schema import METADATA
from scoring.tables.column_mapping import ColumnMapping
from scoring.workspace import Workspace


@dataclass(frozen=True, eq=False)
class Found:
    """What the sources hold: cases, and results on the keys of cases.

    `skipped` says, in a sentence each, which files of folders and patterns could not be read, recognised or joined.
    """

    imported: tuple[Imported, ...]
    joined: tuple[Joined, ...]
    skipped: tuple[str, ...] = ()

    @property
    def grave(self) -> bool:
        """Whether there is anything graver than a note."""
        each = [*(one.findings for one in self.imported), *(one.findings for one in self.joined)]
        return bool(self.skipped) or any(worst(findings) in {"warning", "error"} for findings in each)

    def put(self, workspace: Workspace, name: str | None = None) -> tuple[list[Added], list[Saved]]:
        """Put all of it into a workspace; what changed, an import and a scorer's file each.

        Args:
            workspace: where to.
            name: what the one scorer is called, instead of after its file.

        Raises:
            WorkspaceError: it cannot be read or written.
            ScorerConflict: a scorer's name is taken.
        """
        return workspace.add(self.imported), [save(workspace, one, name) for one in self.joined]


@dataclass(frozen=True)
class Wish:
    """How sources are to be read.

    `benchmark` is whose rows they are, and `join_to` whose cases results belong to, where content does not say it;
    `name` is what the one table or scorer among them is called.
    """

    benchmark: str | None = None
    mapping: ColumnMapping | None = None
    join_to: str | None = None
    name: str | None = None


def find(words: Sequence[str], wish: Wish, workspace: Workspace | None, spill: Path | None) -> Found:
    """Read all sources and join the results among them to the cases of the workspace and of the sources themselves.

    Args:
        words: paths of files and folders, patterns, or `hf:NAME`.
        wish: how they are to be read.
        workspace: whose cases results may belong to, beside those that are read; None = there is none yet.
        spill: see `scoring.sources.read_source`.

    Raises:
        InputError: a source that was named cannot be read or joined, or nothing at all was recognised.
        UsageError: a benchmark, column or name does not fit.
    """
    sources, skipped = _read(words, wish, spill)
    imported = tuple(one for _, source in sources for one in source.imported)
    results = [(within, foreign) for within, source in sources for foreign in source.foreign]
    _one_name(wish.name, imported, [foreign for _, foreign in results])
    joined = []
    cases = _cases(workspace, imported) if results else pl.DataFrame(schema=METADATA)
    for within, foreign in results:
        try:
            joined.append(join(foreign, cases, wish.join_to))
        except InputError as error:
            if not within:
                raise
            skipped.append(str(error))
    if not imported and not joined:
        more = f" ({len(skipped) - 1} more files alike)" if len(skipped) > 1 else ""
        raise InputError(f"nothing was recognised. {skipped[0]}{more}", "Name the benchmark: import BENCHMARK PATH")
    return Found(imported, tuple(joined), tuple(skipped))


def _read(words: Sequence[str], wish: Wish, spill: Path | None) -> tuple[list[tuple[bool, Source]], list[str]]:
    """Every source with whether it is one of many that a word stands for; and what could not be read of such."""
    sources, skipped, seen = [], [], set()
    mapping = wish.mapping and replace(wish.mapping, benchmark=wish.name or wish.mapping.benchmark)
    for word in words:
        files = [word] if word.startswith(HUB) else [str(path) for path in expand([Path(word)])]
        many = not word.startswith(HUB) and (Path(word).is_dir() or is_pattern(Path(word)))
        for file in files:
            where = file if file.startswith(HUB) else place(Path(file))
            if where in seen:
                continue
            seen.add(where)
            try:
                found = read_source(file, benchmark=wish.benchmark, mapping=mapping, spill=spill)
            except InputError as error:
                if not many:
                    raise
                skipped.append(str(error))
            else:
                sources.append((many, found))
    return sources, skipped


def _one_name(name: str | None, imported: Iterable[Imported], foreign: Sequence[Foreign]) -> None:
    """A name given must be that of one thing."""
    named = len({one.name for one in foreign}) or sum(bool(one.mapping) for one in imported)
    if name is not None and named != 1:
        raise UsageError(f"--name {name!r} is for one scorer or one table, and there are {named}.", "Import it alone.")


def _cases(workspace: Workspace | None, imported: Iterable[Imported]) -> pl.DataFrame:
    """The metadata of all cases that results may belong to, twins included; those just read come first."""
    columns = list(METADATA)
    fresh = [part.select(columns) for one in imported for part in (one.cases, one.twins)]
    bundled = demo.read().cases.select(columns)
    known = [workspace.cases(twins=True)[0]] if workspace is not None else []
    every = pl.concat([*fresh, *known, bundled])
    return every.unique("case", keep="first", maintain_order=True)
