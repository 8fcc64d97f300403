"""One Parquet file read or written, or one of Arrow read, with every way in which that fails told in one line."""

import errno
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import polars as pl

from scoring.data.python_child import run_python
from scoring.data.storage.files import write_atomically


def read_parquet(
    path: Path,
    columns: Sequence[str] | pl.Expr | None = None,
    rows: tuple[int, int] | None = None,
    where: pl.Expr | None = None,
    absent: Mapping[str, pl.DataType] | None = None,
) -> pl.DataFrame:
    """Read the frame in a Parquet file: all of it, some columns, `rows` = (first row, 0-based; how many), rows `where`.

    Columns of `absent` that the file lacks are null, of the dtype that it names.
    The path names exactly this file: brackets and stars in it are no pattern, and a folder is no table.

    Raises:
        FileNotFoundError: it is not there.
        OSError: it cannot be read, is not whole, or lacks a column; the text is one line.
    """
    with _one_line(path):
        lazy = pl.scan_parquet(path, glob=False)
        if absent:
            there = lazy.collect_schema()
            lazy = lazy.with_columns(
                pl.lit(None, dtype).alias(name) for name, dtype in absent.items() if name not in there
            )
        if columns is not None:
            lazy = lazy.select(columns)
        if rows is not None:
            lazy = lazy.slice(*rows)
        if where is not None:
            lazy = lazy.filter(where)
        return lazy.collect()


def read_arrow(path: Path, *, stream: bool) -> pl.DataFrame:
    """Read the frame in a file of Arrow IPC (Feather V2), or in a `stream` of it that was written to a file.

    It is read by a process of its own, and here only what that wrote: where a length in a damaged file is believed,
    polars asks for more memory than there is, and the process ends there and then.

    Raises:
        OSError: it cannot be read or is not whole; the text is one line.
    """
    with TemporaryDirectory(prefix="prm-inspect-") as folder:
        copy = Path(folder) / "copy.arrow"
        layout = "stream" if stream else "file"
        copied = run_python("scoring.data.storage.arrow_copy", str(path.absolute()), str(copy), layout)
        if copied.returncode:
            why = copied.stdout.decode(errors="replace").strip().splitlines()
            raise OSError(why[0] if why else "the content is damaged")
        with _one_line(copy), copy.open("rb") as file:
            return pl.read_ipc(file)


def parquet_height(path: Path, schema: Mapping[str, pl.DataType]) -> int:
    """Count the rows of a Parquet file, by its footer; it must have the columns of the schema.

    Raises:
        FileNotFoundError: it is not there.
        OSError: it is no whole Parquet file, or a column is missing or of another dtype.
    """
    with _one_line(path):
        lazy = pl.scan_parquet(path, glob=False)
        columns = lazy.collect_schema()
        if wrong := [name for name, dtype in schema.items() if columns.get(name) != dtype]:
            raise OSError(f"column {wrong[0]!r} is {columns.get(wrong[0], 'missing')}")
        height: int = lazy.select(pl.len()).collect().item()
        return height


def parquet_schema(path: Path) -> tuple[dict[str, pl.DataType], dict[str, str]]:
    """Read the columns of a Parquet file with their dtypes, and the texts that were written beside them, by its footer.

    Raises:
        FileNotFoundError: it is not there.
        OSError: it is no whole Parquet file.
    """
    with _one_line(path), path.open("rb") as file:
        columns = dict(pl.scan_parquet(path, glob=False).collect_schema())
        return columns, pl.read_parquet_metadata(file)


@contextmanager
def _one_line(path: Path) -> Iterator[None]:
    """What polars raises about a file as an OSError whose text is one line; a folder is no table."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    try:
        yield
    except FileNotFoundError:
        raise
    except (OSError, pl.exceptions.PolarsError) as error:
        raise OSError(_first_line(error)) from None
    except pl.exceptions.PanicException as error:
        # Some damaged files trip an assertion inside polars; its class is no Exception.
        raise OSError(f"the content is damaged: {_first_line(error)}") from None


def write_parquet(
    path: Path,
    frame: pl.DataFrame,
    compression: Literal["lz4", "zstd", "uncompressed"] = "zstd",
    row_group_size: int | None = None,
    texts: Mapping[str, str] | None = None,
) -> None:
    """Write a frame whole or not at all. The bytes are made in memory, so that what fails is the disk and says so.

    `texts` are written beside the columns, by name (`parquet_schema`).

    Raises:
        UnwritableWorkspace: read-only, full, not allowed.
    """
    buffer = BytesIO()
    metadata = dict(texts) if texts else None
    frame.write_parquet(buffer, compression=compression, row_group_size=row_group_size, metadata=metadata)
    write_atomically(path, buffer.getbuffer())


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
