import numpy as np
import polars as pl
import pytest

from writers import cached, part


def saved(parts, name, **columns):
    """A part as a notebook might write it."""
    parts.folder.mkdir(exist_ok=True)
    pl.DataFrame(columns).write_parquet(parts.folder / name)


NOTEBOOK = {
    "Float32": {"rewards": pl.Series([[0.5, 0.25]], dtype=pl.List(pl.Float32))},
    "Int64": {"rewards": [[1, 0]]},
    "fixed width": {"rewards": pl.Series(np.array([[0.5, 0.25]], dtype=np.float32))},
    "UInt8 votes": {"rewards": [[0.5, 0.25]], "vote": pl.Series([0], dtype=pl.UInt8)},
    "Int64 votes": {"rewards": [[0.5, 0.25]], "vote": [0]},
    "more columns": {"rewards": [[0.5, 0.25]], "mine": ["x"], "redundancy": [[0, 1]], "engine": [None]},
}


@pytest.mark.parametrize("columns", NOTEBOOK.values(), ids=NOTEBOOK)
def test_parts_that_a_notebook_wrote(parts, columns):
    saved(parts, "part-mine.parquet", key=["k"], **columns)
    parts.append(part(("l", 0, [0.75])))
    wanted = [1.0, 0.0] if isinstance(columns["rewards"], list) and columns["rewards"] == [[1, 0]] else [0.5, 0.25]
    assert cached(parts) == {("k", 0): wanted, ("l", 0): [0.75]}


@pytest.mark.parametrize("rewards", [[None], [[]], [[None]]])
def test_a_part_of_refusals_only(parts, rewards):
    saved(parts, "part-mine.parquet", key=["k"], rewards=rewards, reason=["too long"])
    frame, problems = parts.read()
    assert not problems
    assert frame["reason"].to_list() == ["too long"]


FOREIGN = {
    "text for rewards": {"key": ["x"], "rewards": [["0.5"]]},
    "one number": {"key": ["x"], "rewards": [0.5]},
    "no key": {"rewards": [[0.5]]},
    "number for key": {"key": [5], "rewards": [[0.5]]},
    "no rewards": {"key": ["x"]},
    "null key": {"key": pl.Series([None], dtype=pl.String), "rewards": [[0.5]]},
    "null vote": {"key": ["x"], "vote": pl.Series([None], dtype=pl.Int32), "rewards": [[0.5]]},
    "vote that does not fit": {"key": ["x"], "vote": [2**40], "rewards": [[0.5]]},
    "other columns": {"a": [1]},
}


@pytest.mark.parametrize("columns", FOREIGN.values(), ids=FOREIGN)
def test_a_part_of_something_else_is_reported_and_the_others_are_read(parts, columns):
    parts.append(part(("k", 0, [0.1])))
    saved(parts, "part-foreign.parquet", **columns)
    frame, [problem] = parts.read()
    assert frame["key"].to_list() == ["k"]
    assert problem.startswith(f"{parts.folder / 'part-foreign.parquet'} was left out: ")
    assert "\n" not in problem


DAMAGE = {
    "empty": lambda path: path.write_bytes(b""),
    "cut off": lambda path: path.write_bytes(path.read_bytes()[:-30]),
    "text": lambda path: path.write_text("not Parquet"),
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "folder": lambda path: (path.unlink(), path.mkdir()),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_part_is_reported_and_the_others_are_read(parts, damage):
    paths = [parts.append(part((key, 0, [0.1]))) for key in "abc"]
    damage(paths[1])
    frame, [problem] = parts.read()
    assert frame["key"].to_list() == ["a", "c"]
    assert str(paths[1]) in problem
    parts.compact()
    assert parts.parts() == paths


def test_files_of_other_names_are_not_touched(parts):
    parts.append(part(("k", 0, [0.1])))
    parts.append(part(("l", 0, [0.1])))
    names = ("notes.txt", "scorer.json", ".part-0.parquet.1-2.tmp", "old-part-1.parquet")
    others = [parts.folder / name for name in names]
    for path in others:
        path.write_text("half a part")
    assert cached(parts).keys() == {("k", 0), ("l", 0)}
    parts.compact()
    assert all(path.read_text() == "half a part" for path in others)
