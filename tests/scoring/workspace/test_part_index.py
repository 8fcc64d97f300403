"""Rows of one content in a part are found, whatever order they are in."""

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.data.schema import VOTES
from scoring.workspace.cache import VoteParts, runs_of
from thoroughness import up_to


def part(folder, keys):
    rows = [{"key": key, "vote": row, "run": 0, "answer": str(row), "ballot": "1"} for row, key in enumerate(keys)]
    return VoteParts(folder).append(pl.DataFrame(rows, schema=VOTES, orient="row"))


def test_neighbouring_rows_are_one_run(tmp_path):
    found = part(tmp_path, ["a", "a", "b", "a", "c", "c"])
    assert runs_of(found, "a") == [(0, 2), (3, 1)]
    assert runs_of(found, "c") == [(4, 2)]
    assert runs_of(found, "d") == []


@up_to(100, 5)
@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=30))
def test_answers_are_those_of_a_filter(tmp_path_factory, keys):
    folder = tmp_path_factory.mktemp("parts")
    part(folder, keys)
    part(folder, keys[::-1])
    every, _ = VoteParts(folder).read()
    for key in "abcd":
        expected = every.filter(pl.col("key") == key).sort("run", "vote")
        assert VoteParts(folder).answers(key).equals(expected)


def test_a_part_that_is_none_or_has_gone_is_left_out(tmp_path):
    good = part(tmp_path, ["a"])
    (tmp_path / "votes-zz.parquet").write_bytes(b"nothing")
    pl.DataFrame({"key": [1], "verdict": [1]}).write_parquet(tmp_path / "votes-zy.parquet")
    assert VoteParts(tmp_path).answers("a")["vote"].to_list() == [0]
    with pytest.raises(OSError, match="key holds no texts"):
        runs_of(tmp_path / "votes-zy.parquet", "a")
    with pytest.raises(FileNotFoundError):
        runs_of(Path(tmp_path / "votes-gone.parquet"), "a")
    good.unlink()
    assert not VoteParts(tmp_path).answers("a").height
