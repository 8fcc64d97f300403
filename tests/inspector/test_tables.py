"""Tables for people keep to the width of a terminal and lose nothing."""

import io
import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.shell import tables
from inspector.shell.tables import NARROWEST, fitting, print_table

LONG = "reasoneval_wizardmath-7b-v1."
FRAME = pl.DataFrame(
    {
        "scorer": [f"{LONG}{at}" for at in range(3)],
        "subset": ["gsm8k", "math", "all"],
        "f1": ["54.5  [43.5, 63.3]"] * 3,
        "error_acc": ["39.8  [29.0, 49.4]"] * 3,
        "n": [1, 2, 3],
        "reason": [None, "both accuracies are 0", None],
    }
)


def widths(frame):
    return sum(
        max(len(text) for text in (name, *map(str, frame[name].fill_null("-")))) for name in frame.columns
    ) + 3 * (frame.width - 1)


def test_what_fits_stays_whole():
    (part,) = fitting(FRAME, 200)
    assert part.equals(FRAME)


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_every_part_says_what_its_rows_are_about_and_nothing_is_lost(width):
    parts = list(fitting(FRAME, width))
    assert all(part.columns[:2] == ["scorer", "subset"] for part in parts)
    assert [name for part in parts for name in part.columns[2:]] == FRAME.columns[2:]
    assert all(widths(part) <= width for part in parts if part.width > 3)


def test_names_give_way_in_the_middle_before_columns_do():
    (part,) = fitting(FRAME.select("scorer", "subset", "f1", "error_acc"), 76)
    assert part["scorer"].str.len_chars().to_list() == [76 - 6 - 2 * 18 - 3 * 3] * 3
    assert all(name.startswith("reasone") and name.endswith(f"-v1.{at}") for at, name in enumerate(part["scorer"]))
    narrow = next(iter(fitting(FRAME, 40)))
    assert narrow["scorer"].str.len_chars().to_list() == [NARROWEST] * 3


def test_a_part_leaves_out_rows_that_say_nothing_there():
    last = list(fitting(FRAME, 45))[-1]
    assert last.columns[-1] == "reason"
    assert last.filter(pl.col("reason").is_null()).height == 0 or "n" in last.columns


@given(width=st.integers(1, 120), n=st.integers(0, 4))
def test_any_width_shows_every_cell(width, n):
    frame = pl.DataFrame({"scorer": ["a"] * 2, **{f"c{at}": [at, None] for at in range(n)}})
    parts = list(fitting(frame, width))
    for at in range(n):
        assert [part[f"c{at}"].drop_nulls().to_list() for part in parts if f"c{at}" in part.columns] == [[at]]


def test_lists_fit_too():
    frame = pl.DataFrame({"case": ["a", "b", "c"], "error_steps": [[1, 2], [], None], "subset": ["x" * 30] * 3})
    errors, subsets = fitting(frame, 40)
    assert errors["error_steps"].to_list() == [[1, 2]]
    assert subsets["subset"].to_list() == ["x" * 30] * 3


def test_on_a_terminal_the_one_benchmark_stands_above(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(tables.sys.stdout, "isatty", lambda: True, raising=False)
    print_table(FRAME.with_columns(benchmark=pl.lit("mrmath")).select("scorer", "benchmark", "subset", "f1"))
    lines = re.sub("\x1b\\[[0-9;]*m", "", capsys.readouterr().out).splitlines()
    assert lines[0] == "mrmath"
    assert "benchmark" not in lines[1]
    assert max(map(len, lines)) <= 60


def test_in_a_pipe_it_is_one_table_with_all_columns(capsys):
    print_table(FRAME.with_columns(benchmark=pl.lit("mrmath")))
    head = capsys.readouterr().out.splitlines()[0]
    assert "benchmark" in head
    assert LONG + "1" in print_to_text(FRAME)


def print_to_text(frame):
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables.sys, "stdout", out)
        print_table(frame)
    return out.getvalue()
