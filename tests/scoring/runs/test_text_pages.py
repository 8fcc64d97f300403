import polars as pl
import pytest

from scoring.data.errors import DamagedWorkspace
from scoring.data.schema import TEXTS
from scoring.data.texts import Texts
from scoring.runs.run_cases import TextPages


def frame(start, number):
    rows = [{"problem": f"p{index}", "steps": [f"s{index}"]} for index in range(start, start + number)]
    return pl.DataFrame(rows, schema=TEXTS)


@pytest.fixture
def pages(tmp_path):
    frame(0, 3000).write_parquet(tmp_path / "texts.parquet", row_group_size=256)
    return TextPages(
        Texts.whole((tmp_path / "texts.parquet", frame(3000, 5), frame(0, 0), frame(3005, 1)), (3000, 5, 0, 1))
    )


def test_every_row_is_found_in_any_order(pages):
    for row in (0, 2999, 1023, 1024, 1025, 3005, 3000, 3004, 5, 2048):
        assert pages(row) == {"problem": f"p{row}", "steps": [f"s{row}"]}


def test_a_file_that_has_gone_or_is_short_is_damage(tmp_path):
    with pytest.raises(DamagedWorkspace):
        TextPages(Texts.whole((tmp_path / "gone.parquet",), (3,)))(1)
    frame(0, 2).write_parquet(tmp_path / "short.parquet")
    with pytest.raises(DamagedWorkspace, match="no row 2"):
        TextPages(Texts.whole((tmp_path / "short.parquet",), (3,)))(2)


def test_further_texts_stand_behind_problem_and_steps():
    cases = frame(0, 3).with_columns(reference_answer=pl.Series(["1", None, ""]))
    pages = TextPages(Texts.whole((cases,), (3,)), ("reference_answer",))
    assert [pages(row)["reference_answer"] for row in (2, 0, 1)] == ["", "1", None]
