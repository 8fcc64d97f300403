"""Rows that a command lists keep to the width of a terminal and lose nothing."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from inspector.render.cells import plain_text
from inspector.render.charts.glyphs import Glyphs
from inspector.render.lines import text_of
from inspector.render.table_blocks import Cell, Kind, table_of
from inspector.render.terminal import NARROWEST, UNBOUNDED, Terminal

LONG = "reasoneval_wizardmath-7b-v1."
FRAME = pl.DataFrame(
    {
        "scorer": [f"{LONG}{at}" for at in range(3)],
        "subset": ["gsm8k", "math", "all"],
        "f1": ["54.5  [43.5, 63.3]"] * 3,
        "error_acc": ["39.8  [29.0, 49.4]"] * 3,
        "n": [1, 2, 3],
        "reason": [None, "both accuracies are 0", None],
        "silent": pl.Series([None] * 3, dtype=pl.String),
    }
)


def printed(frame, width):
    lines = Terminal(width, Glyphs(), split=width != UNBOUNDED).blocks((table_of(frame, ""),))
    return [text_of(line).rstrip() for line in lines]


@pytest.mark.parametrize("width", [40, 60, 80, 90])
def test_every_part_says_what_its_rows_are_about_and_nothing_is_lost(width):
    lines = printed(FRAME, width)
    parts = "\n".join(lines).split("\n\n")
    assert len(parts) > 1
    assert all(part.startswith("scorer") for part in parts)
    heads = [word for part in parts for word in part.splitlines()[0].split()[1:]]
    assert heads == ["subset", "f1", "error", "acc", "n", "reason"]
    text = " ".join(lines)
    assert [one for one in ("gsm8k", "54.5  [43.5, 63.3]", "both accuracies are 0") if one not in text] == []
    assert max(map(cell_len, lines)) <= max(width, NARROWEST + 2 + len("both accuracies are 0"))


def test_what_names_share_gives_way_before_columns_do():
    lines = printed(FRAME.select("scorer", "f1", "error_acc"), 60)
    assert len(lines) == 4
    assert max(map(cell_len, lines)) <= 60
    assert all(line.startswith(f"wizardmath-7b-v1.{at} ") for at, line in enumerate(lines[1:]))


@given(width=st.integers(1, 120), n=st.integers(1, 4))
def test_any_width_shows_every_cell(width, n):
    frame = pl.DataFrame({"scorer": ["a"] * 2, **{f"c{at}": [f"x{at}", None] for at in range(n)}})
    text = " ".join(printed(frame, width)).split()
    assert [text.count(f"x{at}") for at in range(n)] == [1] * n


def test_in_a_pipe_it_is_one_table_with_all_columns():
    head, *lines = printed(FRAME, UNBOUNDED)
    assert head.split() == ["scorer", "subset", "f1", "error", "acc", "n", "reason"]
    assert [line.split()[0] for line in lines] == FRAME["scorer"].to_list()


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        (Cell(0.442, Kind.SHARE, 0.357, 0.509), "44.2 (35.7 to 50.9)"),
        (Cell(-0.094, Kind.POINTS, -0.188, 0.01), "−9.4 (−18.8 to +1.0)"),
        (Cell(0.5, Kind.REWARD), "0.500"),
        (Cell(-1.25, Kind.REWARD), "−1.250"),
        (Cell(0.00012, Kind.REWARD), "0.0001"),
        (Cell(None, Kind.SHARE), "–"),
        (Cell(-0.0001, Kind.POINTS), "0.0"),
    ],
)
def test_numbers_have_a_minus_and_intervals_words(cell, written):
    assert plain_text(cell) == written
