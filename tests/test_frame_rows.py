import numpy as np
import polars as pl
import pytest

from inspector.widgets.frame_rows import BLOCK, FrameRows


def rows(cases: list[str], view: list[int] | None = None, frame: pl.DataFrame | None = None) -> FrameRows:
    if frame is None:
        frame = pl.DataFrame({"case": cases, "n": range(len(cases))}, schema={"case": pl.String, "n": pl.Int64})
    ids = range(len(cases)) if view is None else view
    return FrameRows(frame, np.array(ids, dtype=np.int32), "case", ("n",))


def moved(before: FrameRows, position: int, after: FrameRows) -> str:
    return after.key(after.follow(position, before))


def test_values_follow_the_view():
    table = rows(list("abcd"), [3, 1])
    assert len(table) == 2
    assert [table.values(position) for position in (0, 1)] == [(3,), (1,)]
    assert (table.row_id(0), table.key(0)) == (3, "d")


def test_values_beyond_a_block_and_back():
    table = rows([str(number) for number in range(5 * BLOCK)])
    for position in (0, BLOCK - 1, BLOCK, 4 * BLOCK + 3, 2 * BLOCK, 0, 5 * BLOCK - 1):
        assert table.values(position) == (position,)
        assert len(table._blocks) <= 2


def test_find_the_first_position_of_a_key():
    table = rows(["a", "b", "a", "c"], [3, 2, 0])
    assert [table.find(key) for key in ("a", "c", "b", "nowhere", None)] == [1, 0, None, None, None]


def test_a_key_is_followed_through_filter_and_sort():
    frame = pl.DataFrame({"case": list("abcde"), "n": range(5)})
    before = rows(list("abcde"), frame=frame)
    assert moved(before, 2, rows(list("abcde"), [4, 2, 0], frame)) == "c"


@pytest.mark.parametrize(
    ("kept", "key"), [([0, 3, 4], "d"), ([4, 3, 0], "d"), ([0, 1], "b"), ([1, 0], "b"), ([4], "e")]
)
def test_a_key_that_is_gone_yields_to_the_next_that_stayed_else_the_one_before(kept, key):
    frame = pl.DataFrame({"case": list("abcde"), "n": range(5)})
    assert moved(rows(list("abcde"), frame=frame), 2, rows(list("abcde"), kept, frame)) == key


def test_same_rows_in_a_new_frame():
    assert moved(rows(["a", "b", "c"]), 1, rows(["a", "b", "c"], [2, 1])) == "b"
    assert moved(rows(["a", "b", "c"]), 1, rows(["a", "b", "c"], [0, 2])) == "c"


def test_a_key_is_found_in_a_frame_of_other_rows():
    assert moved(rows(["a", "b", "c"]), 1, rows(["c", "b"])) == "b"
    assert moved(rows(["a", "b", "c"]), 0, rows(["c", "b", "a"])) == "a"


def test_rows_that_share_nothing_keep_the_position():
    assert moved(rows(["a", "b", "c"]), 2, rows(["x", "y"])) == "y"
    assert moved(rows(["a", "b", "c"]), 1, rows(["x", "y"])) == "y"
    assert moved(rows(["a", "b"], [0]), 0, rows(["a", "b"], [1])) == "b"


def test_to_and_from_nothing():
    table, nothing = rows(["a", "b"]), rows(["a", "b"], [])
    assert (nothing.follow(1, table), table.follow(0, nothing), nothing.follow(0, nothing)) == (0, 0, 0)


def test_another_key_column_keeps_the_position():
    before = rows(["a", "b", "c"])
    frame = pl.DataFrame({"other": ["c", "b", "a"], "n": [1, 2, 3]})
    after = FrameRows(frame, np.arange(3, dtype=np.int32), "other", ("n",))
    assert after.follow(2, before) == 2
