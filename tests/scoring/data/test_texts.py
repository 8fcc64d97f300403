import numpy as np
import polars as pl
import pytest

from scoring.data.errors import DamagedWorkspace
from scoring.data.schema import TEXTS
from scoring.data.storage.parquet import write_parquet
from scoring.data.texts import Texts


def frame(*numbers):
    rows = [{"problem": f"problem {n}", "steps": [f"step {n}"] * n} for n in numbers]
    return pl.DataFrame(rows, schema=TEXTS, orient="row")


@pytest.fixture
def texts(tmp_path):
    """Rows 0 to 2 in a file, row 3 in memory, no row in a file, rows 4 and 5 in a file of small groups."""
    parts = [frame(0, 1, 2), frame(3), frame(), frame(4, 5)]
    paths = [tmp_path / f"[{number}].parquet" for number in range(4)]
    for path, part in zip(paths, parts, strict=True):
        write_parquet(path, part, "lz4", row_group_size=1)
    return Texts.whole((paths[0], parts[1], paths[2], paths[3]), (3, 1, 0, 2))


def test_each_row_is_that_of_its_case(texts):
    for number in range(6):
        row = texts.row(number)
        assert row["problem"] == f"problem {number}"
        assert row["steps"] == [f"step {number}"] * number
        assert list(row) == list(TEXTS)


def test_all_rows_come_in_order(texts):
    assert texts.frame().equals(frame(*range(6)))
    assert texts.frame(["steps"]).columns == ["steps"]


def test_files_that_no_case_asked_for_uses_are_not_read(texts):
    texts.sources[0].unlink()
    assert texts.gather(np.array([4, 3])).frame().equals(frame(4, 3))


def test_no_sources_are_an_empty_frame():
    assert Texts.whole((), ()).frame().schema == TEXTS
    assert Texts.whole((), ()).frame(["problem"]).schema == {"problem": pl.String}


def test_a_file_that_has_gone_is_one_sentence(texts):
    texts.sources[0].unlink()
    for read in (lambda: texts.row(1), texts.frame):
        with pytest.raises(DamagedWorkspace, match=r"cannot be read: No such file.*Open the workspace again"):
            read()
    assert texts.row(3)["problem"] == "problem 3"


def test_a_damaged_file_is_one_sentence(texts):
    path = texts.sources[0]
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(DamagedWorkspace, match="cannot be read"):
        texts.row(0)


def test_a_file_of_too_few_rows_is_one_sentence(texts):
    write_parquet(texts.sources[0], frame(0))
    assert texts.row(0)["problem"] == "problem 0"
    with pytest.raises(DamagedWorkspace, match="it has no row 2"):
        texts.row(2)
    with pytest.raises(DamagedWorkspace, match="1 rows, and a case uses row 2"):
        texts.frame()
