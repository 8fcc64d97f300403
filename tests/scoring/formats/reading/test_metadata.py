import json
import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formats.reading.metadata import (
    DEPTH,
    LISTS,
    LONG_NAME,
    MOST_COLUMNS,
    NO_NAME,
    NOTHING,
    TEXTS,
    TOO_MANY,
    MetadataCollector,
    metadata_of,
)

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.integers(-3, 3),
    st.floats(),
    st.sampled_from([0.5, 1.0, -0.0]),
    st.text(max_size=3),
)


def text_of(value):
    if isinstance(value, str):
        return value
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
    return json.dumps(int(value) if whole else value)


def slow(values):
    """One column as a person would type it: the dtype that holds every value as it is, else texts."""
    there = [value for value in values if value is not None and not (isinstance(value, float) and math.isnan(value))]
    kinds = {type(value) for value in there}
    numbers = kinds <= {int, float} and all(abs(value) < 2**63 for value in there if type(value) is int)
    exact = kinds != {int, float} or all(abs(value) < 2**53 for value in there if type(value) is int)
    if kinds == {bool}:
        change, dtype = bool, pl.Boolean
    elif numbers and exact:
        change, dtype = (int, pl.Int64) if kinds == {int} else (float, pl.Float64)
    else:
        change, dtype = text_of, pl.String
    return pl.Series([change(value) if any(value is one for one in there) else None for value in values], dtype=dtype)


@given(st.lists(SCALARS, max_size=12), st.integers(1, 5))
def test_a_column_has_the_dtype_that_holds_all_of_it_whatever_the_blocks(values, size):
    collector = MetadataCollector(())
    for start in range(0, len(values), size):
        collector.add([{"it": value} for value in values[start : start + size]])
    frame, fates = collector.finish()
    whole, _, _ = metadata_of([{"it": value} for value in values], ())
    assert frame.equals(whole, null_equal=True)
    assert frame.height == len(values)
    expected = slow(values)
    if expected.null_count() == len(values):
        assert frame.width == 0
        assert fates.left_out == ({"it": NOTHING} if values else {})
    else:
        assert frame["it"].dtype == expected.dtype
        assert frame["it"].to_list() == expected.to_list()


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from("abcd"),
            st.recursive(
                SCALARS,
                lambda inner: st.one_of(
                    st.lists(inner, max_size=2), st.dictionaries(st.sampled_from("xy."), inner, max_size=2)
                ),
            ),
            max_size=3,
        ),
        max_size=6,
    )
)
def test_every_column_has_one_fate(rows):
    frame, fates, _ = metadata_of(rows, {"a", "b.x"})
    assert frame.height == len(rows)
    assert list(fates.kept.values()) == frame.columns
    assert not {*fates.kept, *fates.claimed} & {*fates.left_out}

    def paths(value, path=()):
        for key, inner in value.items():
            if ".".join((*path, key)) in {"a", "b.x"}:
                yield ".".join((*path, key))
            elif isinstance(inner, dict) and len(path) < 3:
                yield from paths(inner, (*path, key))
            else:
                yield ".".join((*path, key))

    named = {name for row in rows for name in paths(row)}
    assert named == {*fates.kept, *fates.left_out, *fates.claimed}


def test_names_are_dotted_and_ours_get_a_prefix():
    row = {
        "id": 1,
        "meta": {"difficulty": "hard", "verdict": 3},
        "verdict": 2,
        "judge": {"margin": 1},
        "*": 1,
        "^a$": 1,
    }
    _, fates, _ = metadata_of([row, None], {"problem"})
    assert fates.kept == {
        "id": "meta.id",
        "meta.difficulty": "meta.difficulty",
        "meta.verdict": "meta.verdict",
        "judge.margin": "meta.judge_margin",
        "*": "meta.*",
        "^a$": "meta.^a$",
    }
    assert fates.left_out == {"verdict": "its name here, meta.verdict, is that of another column"}


def test_what_is_left_out_is_named_with_the_reason():
    long, deep = "x" * 10_000, {"b": {"c": {"d": {"e": 1}}}}
    row = {"long": long, "list": [], "a": deep, "": 1, "none": None, "n" * 101: 1, "short": "y"}
    frame, fates, _ = metadata_of([row, {**row, "short": long}, {**row, "short": "z"}], ())
    assert fates.left_out == {
        "long": TEXTS,
        "list": LISTS,
        "a.b.c.d": DEPTH,
        "": NO_NAME,
        "none": NOTHING,
        "n" * 101: LONG_NAME,
    }
    # Most of them are short: the long one stays as it is.
    assert frame["short"].to_list() == ["y", long, "z"]


@pytest.mark.parametrize("columns", [1000, 3000])
def test_of_very_many_columns_the_first_are_kept_and_the_others_counted(columns):
    frame, fates, _ = metadata_of([{f"c{number}": number for number in range(columns)}] * 3, ())
    assert frame.columns == [f"c{number}" for number in range(MOST_COLUMNS)]
    assert set(fates.left_out.values()) == {TOO_MANY}
    assert len(fates.kept) + len(fates.left_out) + fates.uncounted == columns


def test_names_and_values_that_could_act_are_kept_and_do_not():
    row = {"a\x1b[31m\n": "\x1b]0;x\x07", "half \ud800": "half \udfff", "emoji 👩‍👩‍👧": "😀", "[bold]'\"": True}
    frame, fates, mended = metadata_of([row], ())
    assert list(fates.kept.values()) == ["a\ufffd[31m\ufffd", "half \ufffd", "emoji 👩‍👩‍👧", "[bold]'\""]
    assert frame.row(0) == ("\x1b]0;x\x07", "half \ufffd", "😀", True)
    assert mended == 1


def test_long_texts_of_a_large_file_are_not_held_until_its_end():
    collector = MetadataCollector(())
    for _ in range(20):
        collector.add([{"long": "x" * 500}] * 100)
    assert sum(block.width for block in collector._blocks) == 9
    assert collector.finish()[1].left_out == {"long": TEXTS}


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1", "-2", ""], [1, -2, None]),
        (["1", "0.5", "nan"], [1.0, 0.5, None]),
        (["TRUE", "false", ""], [True, False, None]),
        (["007", "1"], ["007", "1"]),
        (["9007199254740993", "0.5"], ["9007199254740993", "0.5"]),
        (["1.50", "x"], ["1.50", "x"]),
        ([".", "e5", "1"], [".", "e5", "1"]),
    ],
)
def test_cells_are_typed_by_their_whole_column(cells, expected):
    frame, _, _ = metadata_of([{"it": cell} for cell in cells], (), cells=True)
    assert frame["it"].to_list() == expected


def test_lists_in_cells_are_lists():
    assert metadata_of([{"it": "[1, 2]"}], (), cells=True)[1].left_out == {"it": LISTS}
