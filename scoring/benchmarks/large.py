"""Large files of JSON Lines, imported block by block in bounded memory.

Only formats whose module has PLAIN and `by_field()` are read like this; the result is that of reading the file as a
whole, field by field. What Python does (checking types, hashing) and what it does not (making columns, writing texts)
happen at the same time, on neighbouring blocks.
"""

import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl

from scoring.benchmarks.by_field import ByField
from scoring.benchmarks.imported import Imported, Spilled, cases_frame
from scoring.benchmarks.plain_rows import Checked, PlainRows
from scoring.errors import UnwritableWorkspace
from scoring.files import unwritable, uuid7
from scoring.reading import blocks as whole_lines
from scoring.reading.blocks import Block
from scoring.reading.fields import case_in, fields_of
from scoring.reading.file_bytes import codec_of, decoded, decoded_as, printable
from scoring.reading.findings import Finding
from scoring.reading.rows import Rows, json_lines, text_rows
from scoring.schema import CASES, METADATA, TEXTS
from scoring.texts import ROW_GROUP, Texts, rest_digests

LARGE = 64 * 1024 * 1024
"""Bytes from which on a file is read like this."""
_AHEAD = 2
_TURN_SECONDS = 0.0001
"""How long one thread keeps the interpreter while another waits for it: the writer needs it often and briefly."""
_UNDECODABLE = "undecodable"


def is_large(path: Path) -> bool:
    """Whether a file is to be read block by block: large, and its first lines are JSON Lines in UTF-8."""
    try:
        if not path.is_file() or path.stat().st_size < LARGE:
            return False
        with path.open("rb") as file:
            codec = codec_of(file.read(16))
    except OSError:
        # Reading it in earnest says what is wrong.
        return False
    first = sample(path)
    return codec.startswith("utf-8") and first.format == "JSON Lines" and _has_objects(first)


def sample(path: Path, size: int = 1024 * 1024) -> Rows:
    """The rows of the first whole lines, about a megabyte of them."""
    first = next(whole_lines.blocks(path, size), Block([], 1))
    return text_rows(*decoded(b"".join(first.lines), printable(path)), printable(path))


def load_large(
    path: Path,
    module: ModuleType,
    folder: Path | None,
    size: int = whole_lines.SIZE,
    progress: Callable[[int], None] | None = None,
) -> Imported:
    """The cases of a file, with their texts spilled into a folder (None: thrown away, for whoever only looks).

    `progress` hears how many bytes are read, block by block.

    Raises:
        UnreadableFile: it cannot be read, or a line of it is too long.
        UnwritableWorkspace: the texts cannot be written.
    """
    reader = _Reader(module.NAME, module.PLAIN, module.by_field(), printable(path), folder)
    blocks = whole_lines.blocks(path, size)
    taken = list(reader.take(_told(blocks, progress) if progress else blocks))
    metadata = pl.concat([pl.DataFrame(schema=METADATA), *(one.metadata for one in taken)])
    rest = pl.concat([pl.Series(dtype=pl.String), *(one.rest for one in taken)])
    texts = Texts.whole([one.texts for one in taken], [one.metadata.height for one in taken])
    findings = _once([finding for one in taken for finding in one.findings])
    first = metadata["id"].is_first_distinct()
    if not first.all():
        findings += _repeated(metadata, first, reader.source)
        texts = texts.gather(first.arg_true().cast(pl.Int64).to_numpy())
        metadata, rest = metadata.filter(first), rest.filter(first)
    label_base, noticed = reader.by_field.concluded(metadata, reader.source)
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


def _told(blocks: Iterator[Block], progress: Callable[[int], None]) -> Iterator[Block]:
    """The blocks, after each of which it is said how many bytes they had so far."""
    read = 0
    for block in blocks:
        yield block
        read += sum(map(len, block.lines))
        progress(read)


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
    """Reads blocks of one source as the benchmark of this name; `folder` takes their texts."""

    name: str
    plain: PlainRows
    by_field: ByField
    source: str
    folder: Path | None

    def take(self, blocks: Iterator[Block]) -> Iterator[_Taken]:
        """What each block gives, in order."""
        read = 0
        pending: deque[Future[_Taken]] = deque()
        with _short_turns(), ThreadPoolExecutor(1) as writer:
            for block in blocks:
                checked = self.plain.check(block, read)
                pending.append(writer.submit(self._block, checked, read))
                read = int(checked.numbers[-1])
                while len(pending) > _AHEAD:
                    yield pending.popleft().result()
            yield from (one.result() for one in pending)

    def _block(self, checked: Checked, before: int) -> _Taken:
        """One block; `before` rows were read before it."""
        made = self.plain.frame(checked, self.source)
        plain = made.filter("plain")
        odd = set(range(len(checked.block.lines))) - set((plain["line"] - checked.block.line).to_list())
        frame, findings = self._plain_cases(plain), list[Finding]()
        if odd:
            frame = pl.concat([frame, self._cases(checked, sorted(odd), findings)]).sort("line")
        texts = frame.select(list(TEXTS))
        read = int(checked.numbers[-1]) - before
        return _Taken(frame.select(list(METADATA)), rest_digests(texts), self._spill(texts), findings, read)

    def _plain_cases(self, made: pl.DataFrame) -> pl.DataFrame:
        """Plain rows with the columns that are the same for every format."""
        found = made.with_columns(
            case=pl.concat_str(pl.lit(f"{self.name}/"), "id"),
            benchmark=pl.lit(self.name),
            n_steps=pl.col("steps").list.len().cast(pl.Int32),
            source=pl.lit(self.source),
        )
        absent = [pl.lit(None, dtype=dtype).alias(name) for name, dtype in CASES.items() if name not in found.columns]
        return found.with_columns(absent).select(list(CASES))

    def _cases(self, checked: Checked, places: list[int], findings: list[Finding]) -> pl.DataFrame:
        """Lines read field by field, repeated ids too: whether one is can be said at the end only."""
        start = checked.block.line
        raw = b"".join(checked.block.lines[place] for place in places)
        rows = json_lines(*decoded_as("utf-8", raw, self.source), self.source)
        findings += [replace(one, line=start + places[one.line - 1]) for one in rows.findings if one.line]

        def each() -> Iterator[dict[str, Any]]:
            for row in rows.rows:
                place = places[row.line - 1]
                here = replace(row, number=int(checked.numbers[place]), line=start + place)
                fields = fields_of(here, self.source, findings, self.by_field.identify)
                case = None if fields is None else case_in(fields, self.by_field.case_of)
                if case is not None:
                    yield case

        return cases_frame(self.name, self.source, each())

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


@contextmanager
def _short_turns() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(min(before, _TURN_SECONDS))
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def _once(findings: list[Finding]) -> list[Finding]:
    """The findings, that bytes are no UTF-8 only where it is so for the first time."""
    first = next((one for one in findings if one.code == _UNDECODABLE), None)
    return [one for one in findings if one.code != _UNDECODABLE or one is first]


def _has_objects(rows: Rows) -> bool:
    return any(isinstance(row.value, Mapping) for row in rows.rows)
