import polars as pl
import pytest

from scoring.data.errors import UnwritableWorkspace
from scoring.data.storage.parquet import read_parquet, write_parquet

FRAME = pl.DataFrame({"a": [1, 2, 3], "b": [["x"], [], ["\x00", "😀"]]})


def test_what_is_written_is_read(tmp_path):
    path = tmp_path / "odd [name] *?" / "a=1" / "part.parquet"
    for compression in ("lz4", "zstd"):
        write_parquet(path, FRAME, compression, row_group_size=2)
        assert read_parquet(path).equals(FRAME)
    assert [found.name for found in path.parent.iterdir()] == ["part.parquet"]


def test_columns_and_rows(tmp_path):
    path = tmp_path / "part.parquet"
    write_parquet(path, FRAME)
    assert read_parquet(path, ["b"]).equals(FRAME.select("b"))
    assert read_parquet(path, rows=(1, 1)).equals(FRAME[1:2])
    assert read_parquet(path, rows=(7, 1)).height == 0
    with pytest.raises(OSError, match="none"):
        read_parquet(path, ["none"])


def test_what_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_parquet(tmp_path / "gone.parquet")


@pytest.mark.parametrize("content", [b"", b"PAR1", b"text", b"PAR1" + bytes(100) + b"PAR1"])
def test_what_is_no_parquet_is_one_line(tmp_path, content):
    path = tmp_path / "part.parquet"
    path.write_bytes(content)
    with pytest.raises(OSError, match=r"\w") as caught:
        read_parquet(path)
    assert "\n" not in str(caught.value)
    assert not isinstance(caught.value, FileNotFoundError)


def test_a_folder_is_no_table(tmp_path):
    write_parquet(tmp_path / "part.parquet" / "inner.parquet", FRAME)
    with pytest.raises(OSError, match="directory"):
        read_parquet(tmp_path / "part.parquet")


def test_an_assertion_inside_the_reader_is_one_line(tmp_path, monkeypatch):
    def panic(self):
        raise pl.exceptions.PanicException("range out of bounds\nbacktrace")

    write_parquet(tmp_path / "part.parquet", FRAME)
    monkeypatch.setattr(pl.LazyFrame, "collect", panic)
    with pytest.raises(OSError, match=r"the content is damaged: range out of bounds\Z"):
        read_parquet(tmp_path / "part.parquet")


def test_a_full_disk_is_one_sentence(small_disk):
    path = small_disk / "part.parquet"
    write_parquet(path, FRAME)
    noise = pl.DataFrame({"a": pl.int_range(400_000, eager=True).hash()})
    with pytest.raises(UnwritableWorkspace, match="the disk is full"):
        write_parquet(path, noise)
    assert read_parquet(path).equals(FRAME)
    assert [found.name for found in small_disk.iterdir()] == ["part.parquet"]
