"""One generation of a benchmark: its cases as an index over immutable files of texts.

    gen-<uuid7>/   cases.parquet (metadata, metadata columns, and where each case's texts are), texts-<uuid7>.parquet,
                   import.json

A case that is imported again gets another row in the index; what did not change keeps its texts where they are, and a
file of texts that is still used is linked into the next generation, not copied.

Format 3 added the metadata columns; a generation of format 2 has none, and is read as such.
"""

import json
import os
import re
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec import Struct
from msgspec.structs import asdict, replace

from scoring.data.errors import DamagedWorkspace, FrameError
from scoring.data.metadata_columns import PREFIX, StoredColumns, columns_frame, is_wide, together
from scoring.data.schema import LATER_TEXTS, METADATA, TEXTS, check_dtypes, conform
from scoring.data.storage.files import sync, unwritable, uuid7, write_atomically
from scoring.data.storage.parquet import parquet_height, parquet_schema, read_parquet, write_parquet
from scoring.data.storage.stored_frame import StoredFrame, StoredPart, frame_blocks, is_small
from scoring.data.texts import ROW_GROUP, Texts, in_groups, rest_digests
from scoring.formats.benchmarks.case_format import Imported

FORMAT = 3
REPORT = "import.json"

# The file of a case's texts, and their row in it, 0-based.
_PLACE = {"_texts": pl.String(), "_row": pl.Int32()}
_INDEX: dict[str, pl.DataType] = {**METADATA, "_rest": pl.String(), **_PLACE}
_ABOUT_COLUMNS = "prm-inspect.columns"
"""What is written beside the index: of every metadata column how many values it has, and whether they are wide."""
_NOT_CONTENT = ("source", "line")
_TEXTS_FILE = re.compile(r"texts-[0-9a-f]{32}\.parquet\Z")


class Added(Struct, frozen=True):
    """What one import changed: counts of cases by how they compare with what was there.

    `elsewhere` are the paths of other files that some of the changed cases came from before.
    """

    new: int
    changed: int
    unchanged: int
    elsewhere: tuple[str, ...] = ()


class Generation(Struct, frozen=True, eq=False):
    """All cases of one benchmark, twins included, and the reports of the imports that they came from.

    `metadata` has the columns of METADATA and `_rest`, a digest of the texts that `key` does not cover (null = there
    are none); `texts` are row by row beside it, and so are the metadata `columns`, None = not read; then they are
    `stored`.
    """

    metadata: pl.DataFrame
    texts: Texts
    sources: tuple[dict[str, Any], ...] = ()
    columns: pl.DataFrame | None = None
    stored: StoredColumns | None = None

    @classmethod
    def nothing(cls) -> "Generation":
        """Return what there is before the first import."""
        return cls(
            pl.DataFrame(schema={**METADATA, "_rest": pl.String()}), Texts.whole((), ()), columns=columns_frame((), 0)
        )

    @classmethod
    def of(cls, imported: Imported) -> "Generation":
        """Return what one import holds, as if it were all."""
        spilled = imported.spilled
        own = imported.metadata if imported.metadata.width else columns_frame((), imported.cases.height)
        columns = together([own, columns_frame((), imported.twins.height)])
        frame = pl.concat([imported.cases, imported.twins]) if spilled is None else imported.twins
        held = frame.select(list(TEXTS))
        metadata = frame.select(list(METADATA)).with_columns(rest_digests(held).alias("_rest"))
        texts = Texts.whole((held,), (held.height,))
        if spilled is not None:
            cases = imported.cases.with_columns(pl.Series("_rest", spilled.rest, dtype=pl.String))
            metadata, texts = pl.concat([cases, metadata]), Texts.together((spilled.texts, texts))
        return cls(metadata, texts, (report(imported),), columns)

    @classmethod
    def read(cls, folder: Path) -> "Generation":
        """Read the generation in a folder, whose metadata columns are not read.

        Raises:
            DamagedWorkspace: a file of it cannot be read or is not what it should be.
        """
        path = folder / "cases.parquet"
        try:
            schema, about = parquet_schema(path)
            # What no file ever had in this generation comes as nulls; dtypes are looked at before anything is read.
            check_dtypes(schema, _INDEX, path.name)
            height = parquet_height(path, {})
        except OSError as error:
            raise damaged(path, str(error)) from None
        except FrameError as error:
            raise damaged(path, error.sentence.rstrip(".")) from None
        index = StoredPart(partial(_index_columns, path, frozenset(schema), height), height)
        kept = {name: dtype for name, dtype in _INDEX.items() if name not in _PLACE}
        metadata: pl.DataFrame = StoredFrame(kept, [index])
        if is_small(height):
            whole = index.columns(list(_INDEX))
            metadata, texts = whole.drop(list(_PLACE)), _texts_of(folder, [whole])
        else:
            texts = _texts_of(folder, frame_blocks(StoredFrame(_PLACE, [index]), list(_PLACE)))
        return cls(metadata, texts, stored=_stored(path, schema, about, height))

    @classmethod
    def with_reports(cls, folder: Path) -> "Generation":
        """Read the same with reports and metadata columns for the next import, which links the texts without reading
        them.

        Raises:
            DamagedWorkspace: as for `read`; a report cannot be read, or a file of texts is not whole.
        """
        generation = cls.read(folder)
        generation = replace(generation, sources=tuple(read_sources(folder)), columns=_all_columns(generation))
        for number, path in enumerate(generation.texts.sources):
            assert isinstance(path, Path)  # noqa: S101  # those of a folder are files
            needed = int(generation.texts.row_in_part[generation.texts.part == number].max()) + 1
            try:
                needed_columns = {name: dtype for name, dtype in TEXTS.items() if name not in LATER_TEXTS}
                height = parquet_height(path, needed_columns)
            except OSError as error:
                raise damaged(path, str(error)) from None
            if height < needed:
                raise damaged(path, f"it has {height} rows and a case uses the one numbered {needed}")
        return generation

    @classmethod
    def together(cls, parts: Sequence["Generation"]) -> "Generation":
        """Concatenate generations without repeated cases."""
        if len(parts) == 1:
            return parts[0]
        metadata = pl.concat([part.metadata for part in parts])
        texts = Texts.together([part.texts for part in parts])
        if all(isinstance(source, pl.DataFrame) for source in texts.sources):
            # Later steps visit every frame, so many small ones are slow.
            frame = texts.frame()
            texts = Texts.whole((frame,), (frame.height,))
        sources = tuple(source for part in parts for source in part.sources)
        return cls(metadata, texts, sources, together([_all_columns(part) for part in parts]))

    def merged(self, new: Iterable["Generation"]) -> tuple["Generation", list[Added]]:
        """Merge further generations one after the other: a new case in place of an old one of the same identity.

        Cases without an old one go to the end.

        Returns:
            All of it, and what each of the new ones changed.
        """
        whole, added = self, []
        reports = {source["source"]: source for source in self.sources}
        for group in _without_repeats(_named_apart(new, reports)):
            whole, counts = whole._merged(group, reports)
            added += counts
        return replace(whole, sources=tuple(reports.values())), added

    def _merged(
        self, parts: Sequence["Generation"], reports: Mapping[str, dict[str, Any]]
    ) -> tuple["Generation", list[Added]]:
        """Merge generations without repeated cases. `reports` holds the reports of all sources by name."""
        new, numbers = Generation.together(parts), range(len(parts))
        part_of = np.repeat(numbers, [part.metadata.height for part in parts])

        def counted(rows: pl.Series) -> list[int]:
            """How many of the rows each part has."""
            return [int(count) for count in np.bincount(part_of[rows.to_numpy()], minlength=len(parts))]

        listed = new.metadata["twin_of"].is_null()
        totals = counted(listed)
        if not self.metadata.height:
            return new, [Added(total, 0, 0) for total in totals]
        height, texts = self.metadata.height, Texts.together((self.texts, new.texts))
        old = new.metadata.select("case").join(
            self.metadata.with_row_index("_old"), on="case", how="left", maintain_order="left"
        )
        at = old["_old"]
        content = [name for name in self.metadata.columns if name not in _NOT_CONTENT]
        equal = pl.all_horizontal(new.metadata[name].eq_missing(old[name]) for name in content)
        same = old.select(pl.when(equal).then("_old"))["_old"]
        known, known_at = at.is_not_null().to_numpy(), at.drop_nulls().cast(pl.Int64).to_numpy()
        # Where the texts are: an unchanged case keeps its old ones.
        texts_of = np.where(same.is_null().to_numpy(), np.arange(new.metadata.height) + height, same.fill_null(0))
        chosen = np.arange(height)
        place = np.arange(height)
        chosen[known_at] = np.flatnonzero(known) + height
        place[known_at] = texts_of[known]
        chosen = np.concatenate([chosen, np.flatnonzero(~known) + height])
        place = np.concatenate([place, texts_of[~known]]).astype(np.int64)
        metadata = pl.concat([self.metadata, new.metadata])[chosen]
        columns, alike = _merged_columns(self, new, chosen, at)
        equal_columns = same.is_not_null() & alike
        unchanged, there = counted(equal_columns & listed), counted(at.is_not_null() & listed)
        changed = at.is_not_null() & ~equal_columns
        before: list[set[str]] = [set() for _ in numbers]
        after: list[set[str]] = [set() for _ in numbers]
        names = zip(old["source"].filter(changed), new.metadata["source"].filter(changed), strict=True)
        for part, (old_name, new_name) in zip(part_of[changed.to_numpy()].tolist(), names, strict=True):
            before[part].add(reports[old_name]["path"] if old_name in reports else "")
            after[part].add(reports[new_name]["path"] if new_name in reports else "")
        added = [
            Added(
                totals[part] - there[part],
                there[part] - unchanged[part],
                unchanged[part],
                tuple(sorted(before[part] - after[part] - {""})),
            )
            for part in numbers
        ]
        return Generation(metadata, texts.gather(place), columns=columns), added

    def since(self, base: "Generation") -> "Generation":
        """Return the cases that an earlier generation does not have as they are here; each with the reports of all."""
        at = self.metadata.select("case").join(
            base.metadata.with_row_index("_old"), on="case", how="left", maintain_order="left"
        )
        content = [name for name in self.metadata.columns if name not in _NOT_CONTENT]
        equal = pl.all_horizontal(self.metadata[name].eq_missing(at[name]) for name in content)
        _, alike = _merged_columns(base, self, np.zeros(0, dtype=np.int64), at["_old"])
        same = at.select(pl.col("_old").is_not_null() & equal)["_old"] & alike
        rows = np.flatnonzero(~same.to_numpy())
        columns = _all_columns(self)[rows]
        return Generation(self.metadata[rows], self.texts.gather(rows), self.sources, columns)

    def write(self, home: Path) -> None:
        """Put the generation into its benchmark's folder, whole or not at all.

        Raises:
            UnwritableWorkspace: read-only, full, not allowed.
        """
        name = f"gen-{uuid7()}"
        folder = home / f".{name}"
        try:
            folder.mkdir()
            index = pl.concat([self.metadata, _write_texts(self.texts, folder)], how="horizontal").select(list(_INDEX))
            columns = _all_columns(self)
            # A column that no case has any more is gone.
            columns = columns.select(column.name for column in columns if column.null_count() < column.len())
            index = index.with_columns(column.alias(PREFIX + column.name) for column in columns)
            write_parquet(folder / "cases.parquet", index, "lz4", texts={_ABOUT_COLUMNS: _about(columns)})
            document = {"format": FORMAT, "sources": list(self.sources)}
            write_atomically(folder / REPORT, json.dumps(document, ensure_ascii=False).encode(errors="replace"))
            folder.rename(home / name)
            sync(home)
        except BaseException as error:
            shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, OSError):
                raise unwritable(home, error) from error
            raise


def _named_apart(generations: Iterable[Generation], reports: dict[str, dict[str, Any]]) -> Iterator[Generation]:
    """Yield the generations, each source whose name is that of another file renamed to its path.

    `reports` holds the reports of earlier sources by name. Those of a generation are added before it is yielded.
    """
    for generation in generations:
        renamed = {
            source["source"]: source["path"]
            for source in generation.sources
            if source["path"] and reports.get(source["source"], source)["path"] != source["path"]
        }
        if renamed:
            sources = tuple(
                {**source, "source": renamed.get(source["source"], source["source"])} for source in generation.sources
            )
            metadata = generation.metadata.with_columns(pl.col("source").replace(renamed))
            generation = replace(generation, metadata=metadata, sources=sources)  # noqa: PLW2901
        reports.update((source["source"], source) for source in generation.sources)
        yield generation


def _without_repeats(generations: Iterable[Generation]) -> Iterator[list[Generation]]:
    """Yield groups of consecutive generations without common cases. Merging a group takes as long as merging one."""
    group: list[Generation] = []
    cases: set[str] = set()
    for generation in generations:
        own = generation.metadata["case"].to_list()
        if group and not cases.isdisjoint(own):
            yield group
            group, cases = [], set()
        group.append(generation)
        cases.update(own)
    if group:
        yield group


def _index_columns(
    path: Path, there: Collection[str], height: int, names: Sequence[str], rows: tuple[int, int] | None
) -> pl.DataFrame:
    """Columns of an index of so many rows, of which some are `there`: of all rows or of (the first, how many).

    Raises:
        DamagedWorkspace: the file cannot be read, or a row lacks what every row has.
    """
    stored = [name for name in names if name in there]
    if not stored:
        nulls = pl.repeat(None, rows[1] if rows else height, dtype=pl.Null, eager=True)
        return pl.DataFrame([nulls.cast(_INDEX[name]).alias(name) for name in names])
    try:
        frame = read_parquet(path, stored, rows)
        # What no case has is made anew, as one null for all: a million empty texts would take sixteen megabytes.
        filled = [name for name in stored if frame[name].null_count() < frame.height or not frame.height]
        return conform(frame.select(filled or stored[:1]), {name: _INDEX[name] for name in names}, path.name)
    except OSError as error:
        raise damaged(path, str(error)) from None
    except FrameError as error:
        raise damaged(path, error.sentence.rstrip(".")) from None


def _texts_of(folder: Path, places: Iterable[pl.DataFrame]) -> Texts:
    """Where the texts of cases are, by the two columns of their index that say so, a block after the other.

    Raises:
        DamagedWorkspace: a row does not say so.
    """
    names: dict[str, int] = {}
    parts, rows = [np.empty(0, np.int32)], [np.empty(0, np.int32)]
    for block in places:
        here = block["_texts"].unique(maintain_order=True)
        if block.select(pl.any_horizontal(pl.col(*_PLACE).is_null()).any()).item() or not _all_names(here.to_list()):
            raise damaged(folder / "cases.parquet", "it does not say where a case's texts are")
        numbers = np.array([names.setdefault(name, len(names)) for name in here], dtype=np.int32)
        parts.append(numbers[block["_texts"].cast(pl.Enum(here)).to_physical().to_numpy()])
        rows.append(block["_row"].to_numpy())
    return Texts(tuple(folder / name for name in names), np.concatenate(parts), np.concatenate(rows))


def report(imported: Imported) -> dict[str, Any]:
    """Describe how one source was imported, as a document."""
    return {
        "source": imported.source,
        "path": imported.path,
        "format": imported.format,
        "label_base": imported.label_base,
        "mapping": imported.mapping,
        "read": imported.read,
        "kept": imported.cases.height,
        "twins": imported.twins.height,
        "erroneous": imported.erroneous,
        "clean": imported.clean,
        "findings": [asdict(finding) for finding in imported.findings],
        "columns": None if imported.fates is None else imported.fates.report(),
    }


def some_columns(folder: Path, schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Read some columns of METADATA for the cases of a generation.

    Raises:
        DamagedWorkspace: its index cannot be read or is not what it should be.
    """
    path = folder / "cases.parquet"
    try:
        there, _ = parquet_schema(path)
        return conform(read_parquet(path, [name for name in schema if name in there]), schema, path.name)
    except OSError as error:
        raise damaged(path, str(error)) from None
    except FrameError as error:
        raise damaged(path, error.sentence.rstrip(".")) from None


def read_sources(folder: Path) -> list[dict[str, Any]]:
    """Read the reports of the imports of a generation.

    Raises:
        DamagedWorkspace: they cannot be read.
    """
    path = folder / REPORT
    try:
        sources: list[dict[str, Any]] = json.loads(path.read_bytes())["sources"]
        names = [source["source"] for source in sources]
    except OSError as error:
        raise damaged(path, str(error)) from None
    except (ValueError, KeyError, TypeError, RecursionError):
        names = [None]
    if not all(isinstance(name, str) for name in names):
        raise damaged(path, "it is not a report of an import")
    return sources


def damaged(path: Path, why: str) -> DamagedWorkspace:
    """Return the error about a file of a generation that cannot be used."""
    return DamagedWorkspace(f"{path} cannot be read: {why}.", f"Remove {path.parent} and import again.")


def _stored(path: Path, schema: Mapping[str, pl.DataType], about: Mapping[str, str], height: int) -> StoredColumns:
    """Where the metadata columns of an index are; what is written about them may be missing."""
    dtypes = {name.removeprefix(PREFIX): dtype for name, dtype in schema.items() if name.startswith(PREFIX)}
    try:
        facts = json.loads(about.get(_ABOUT_COLUMNS, "{}"))
        values = {name: int(facts[name]["values"]) for name in dtypes if name in facts}
        wide = frozenset(name for name in values if facts[name]["wide"])
    except (ValueError, KeyError, TypeError):
        values, wide = {}, frozenset()
    return StoredColumns(path.parent.parent.name, path, dtypes, values, height, wide)


def _about(columns: pl.DataFrame) -> str:
    facts = {column.name: {"values": column.n_unique(), "wide": is_wide(column)} for column in columns}
    return json.dumps(facts)


def _all_columns(generation: Generation) -> pl.DataFrame:
    """All metadata columns, read where they were not."""
    if generation.columns is not None:
        return generation.columns
    stored = generation.stored
    if stored is None:
        return columns_frame((), generation.metadata.height)
    return columns_frame([stored.column(name) for name in stored.dtypes], stored.height)


def _merged_columns(
    old: Generation, new: Generation, chosen: npt.NDArray[np.int64], at: pl.Series
) -> tuple[pl.DataFrame, pl.Series]:
    """The metadata columns of the rows `chosen` among both; and which new rows have what the old ones `at` have."""
    every = together([_all_columns(old), _all_columns(new)])
    if not every.width:
        return columns_frame((), chosen.size), pl.Series([True]).new_from_index(0, at.len())
    height = old.metadata.height
    before, after = every[:height], every[height:]
    rows = at.fill_null(0).to_numpy() if height else np.zeros(0, dtype=np.int64)
    alike = pl.Series([True]).new_from_index(0, at.len())
    for name in every.columns if height else ():
        alike &= after[name].eq_missing(before[name].gather(rows))
    return every[chosen], alike


def _write_texts(texts: Texts, folder: Path) -> pl.DataFrame:
    """Put the used texts into a folder, files by a link and frames as one new file; where each case's are now."""
    new = f"texts-{uuid7()}.parquet"
    names = [f"texts-{uuid7()}.parquet" if isinstance(source, Path) else new for source in texts.sources]
    row = texts.row_in_part.copy()
    for number in np.flatnonzero(np.bincount(texts.part)).tolist():
        source = texts.sources[number]
        if isinstance(source, Path):
            _link(source, folder / names[number])
    rows = np.flatnonzero(np.array([name == new for name in names], dtype=np.bool_)[texts.part])
    if rows.size:
        row[rows] = np.arange(rows.size)
        frame = in_groups(texts.gather(rows).frame())
        write_parquet(folder / new, frame, "uncompressed", row_group_size=ROW_GROUP)
    return pl.DataFrame({"_texts": pl.Series(names, dtype=pl.String).gather(texts.part), "_row": row}, schema=_PLACE)


def _all_names(names: Sequence[str]) -> bool:
    """Whether they name files of the folder itself and nothing elsewhere."""
    return all(_TEXTS_FILE.match(name) for name in names)


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        # Another file system, or one without links.
        shutil.copyfile(source, target)
    sync(target)
