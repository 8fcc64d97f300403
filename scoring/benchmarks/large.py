"""Large files of JSON Lines, imported block by block in bounded memory.

Only formats whose module has PLAIN, `case_of(fields)` and `concluded(frame, source)` are read like this; the result is
that of reading the file as a whole, field by field. What Python does (checking types, hashing) and what it does not
(making columns, writing texts) happen at the same time, on neighbouring blocks.
"""

import json
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl

from scoring.benchmarks.imported import Imported, Spilled, cases_frame
from scoring.benchmarks.plain_rows import Decoded
from scoring.errors import UnwritableWorkspace
from scoring.files import unwritable, uuid7
from scoring.reading import blocks as whole_lines
from scoring.reading.blocks import Block
from scoring.reading.fields import case_in, fields_of
from scoring.reading.file_bytes import decoded, printable
from scoring.reading.findings import Finding
from scoring.reading.rows import Row, Rows, json_lines
from scoring.schema import CASES, METADATA, TEXTS
from scoring.texts import ROW_GROUP, Texts, rest_digests

LARGE = 64 * 1024 * 1024
"""Bytes from which on a file is read like this."""
_AHEAD = 2


def is_large(path: Path) -> bool:
    """Whether a file is to be read block by block: large, and one of its first lines is an object by itself."""
    if not path.is_file() or path.stat().st_size < LARGE:
        return False
    return any(isinstance(row.value, Mapping) for row in sample(path).rows)


def sample(path: Path, size: int = 1024 * 1024) -> Rows:
    """The rows of the first whole lines, about a megabyte of them."""
    first = next(whole_lines.blocks(path, size), Block(b"", 1))
    return json_lines(*decoded(first.raw, printable(path)), printable(path))


def load_large(path: Path, module: ModuleType, folder: Path | None, size: int = whole_lines.SIZE) -> Imported:
    """The cases of a file, with their texts spilled into a folder (None: thrown away, for whoever only looks).

    Raises:
        UnreadableFile: it cannot be read, or a line of it is too long.
        UnwritableWorkspace: the texts cannot be written.
    """
    reader = _Reader(module, printable(path), folder)
    taken = list(reader.take(whole_lines.blocks(path, size)))
    metadata = pl.concat([pl.DataFrame(schema=METADATA), *(one.metadata for one in taken)])
    rest = pl.concat([pl.Series(dtype=pl.String), *(one.rest for one in taken)])
    texts = Texts.whole([one.texts for one in taken], [one.metadata.height for one in taken])
    findings = [finding for one in taken for finding in one.findings]
    first = metadata["id"].is_first_distinct()
    if not first.all():
        findings += _repeated(metadata, first, reader.source)
        texts = texts.gather(first.arg_true().cast(pl.Int64).to_numpy())
        metadata, rest = metadata.filter(first), rest.filter(first)
    label_base, noticed = module.concluded(metadata, reader.source)
    return Imported(
        module.NAME,
        reader.source,
        "JSON Lines",
        label_base,
        sum(one.read for one in taken),
        metadata,
        tuple(findings + noticed),
        spilled=Spilled(texts, rest.to_list()),
    )


@dataclass(frozen=True, eq=False)
class _Taken:
    """What one block gave; `read` counts its rows, broken ones too."""

    metadata: pl.DataFrame
    rest: pl.Series
    texts: Path | pl.DataFrame
    findings: list[Finding]
    read: int


@dataclass(frozen=True, eq=False)
class _Reader:
    """Reads blocks of one source; `folder` takes their texts."""

    module: ModuleType
    source: str
    folder: Path | None

    def take(self, blocks: Iterator[Block]) -> Iterator[_Taken]:
        """What each block gives, in order."""
        read = 0
        pending: deque[Future[_Taken]] = deque()
        with ThreadPoolExecutor(1) as writer:
            for block in blocks:
                checked = self.module.PLAIN.decode(block)
                pending.append(writer.submit(self._block, block, checked, read))
                # How many rows a broken block has is not known before it was read field by field.
                read += pending[-1].result().read if checked is None else len(checked.keys)
                while len(pending) > _AHEAD:
                    yield pending.popleft().result()
            yield from (one.result() for one in pending)

    def _block(self, block: Block, checked: Decoded | None, before: int) -> _Taken:
        """One block; `before` rows were read before it."""
        findings: list[Finding] = []
        made = None if checked is None else self.module.PLAIN.frame(checked)
        if made is None:
            rows = json_lines(*decoded(block.raw, self.source), self.source)
            findings += [replace(one, line=one.line and one.line + block.line - 1) for one in rows.findings]
            moved = [Row(row.number + before, row.line + block.line - 1, row.value) for row in rows.rows]
            frame, read = self._cases(moved, findings), rows.read
        else:
            odd = made.filter(~pl.col("plain"))["line"].to_list()
            frame, read = self._plain(made.filter("plain")), made.height
            if odd:
                lines = block.raw.split(b"\n")
                at = [(line, line - block.line) for line in odd]
                values = [Row(before + place + 1, line, json.loads(lines[place])) for line, place in at]
                frame = pl.concat([frame, self._cases(values, findings)]).sort("line")
        texts = frame.select(list(TEXTS))
        return _Taken(frame.select(list(METADATA)), rest_digests(texts), self._spill(texts), findings, read)

    def _plain(self, made: pl.DataFrame) -> pl.DataFrame:
        """Plain rows with the columns that are the same for every format."""
        name = self.module.NAME
        found = made.with_columns(
            case=pl.concat_str(pl.lit(f"{name}/"), "id"),
            benchmark=pl.lit(name),
            n_steps=pl.col("steps").list.len().cast(pl.Int32),
            source=pl.lit(self.source),
        )
        absent = [pl.lit(None, dtype=dtype).alias(name) for name, dtype in CASES.items() if name not in found.columns]
        return found.with_columns(absent).select(list(CASES))

    def _cases(self, rows: list[Row], findings: list[Finding]) -> pl.DataFrame:
        """Rows read field by field, repeated ids too: whether one is can be said at the end only."""

        def each() -> Iterator[dict[str, Any]]:
            for row in rows:
                fields = fields_of(row, self.source, findings)
                case = None if fields is None else case_in(fields, self.module.case_of)
                if case is not None:
                    yield case

        return cases_frame(self.module.NAME, self.source, each())

    def _spill(self, texts: pl.DataFrame) -> Path | pl.DataFrame:
        if self.folder is None:
            return texts.clear()
        path = self.folder / f"texts-{uuid7()}.parquet"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # Uncompressed: compressing takes longer than all the rest. Whoever takes the files over flushes them.
            texts.write_parquet(path, compression="uncompressed", row_group_size=ROW_GROUP)
        except OSError as error:
            raise unwritable(path, error) from error
        except pl.exceptions.PolarsError as error:
            what = str(error).splitlines()[0]
            raise UnwritableWorkspace(f"{path}: {what}.", "Free space, or choose another folder.") from None
        return path


def _repeated(metadata: pl.DataFrame, first: pl.Series, source: str) -> Iterator[Finding]:
    firsts = metadata.filter(first).select("id", at="line")
    again = metadata.filter(~first).join(firsts, on="id", how="left", maintain_order="left")
    for row in again.select("id", "line", "at").iter_rows(named=True):
        message = f"the id is that of line {row['at']}; the first one counts"
        yield Finding("error", "repeated-id", message, source, row["line"], row["id"])
