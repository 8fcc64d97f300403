import numpy as np
import polars as pl
import pytest

from scoring.metrics.step_bins import PRESETS
from scoring.workspace.filtering.filters import passing


def labels_of(preset, steps, n_steps):
    bins = PRESETS[preset]
    return [bins.labels[number] for number in bins.of(np.array(steps), np.array(n_steps))]


@pytest.mark.parametrize(
    ("preset", "expected"),
    [
        ("processbench", ["0", "1", "10", "11", "12", "15", "16 or more", "16 or more"]),
        ("prmbench", ["1", "2", "11", "12", "13", "16", "left out", "left out"]),
        ("prmbench-figure4", ["left out", "2", "11", "left out", "left out", "left out", "left out", "left out"]),
        ("socratic", ["1", "2", "11", "12", "left out", "left out", "left out", "left out"]),
        ("relative", ["0% to 10%"] * 2 + ["20% to 30%"] * 3 + ["30% to 40%"] * 2 + ["90% to 100%"]),
    ],
)
def test_steps_go_where_the_paper_puts_them(preset, expected):
    assert labels_of(preset, [0, 1, 10, 11, 12, 15, 16, 49], [50] * 8) == expected


def test_tenths_of_a_short_solution():
    assert labels_of("relative", [0, 1, 2], [3] * 3) == ["0% to 10%", "30% to 40%", "60% to 70%"]


@pytest.mark.parametrize("preset", PRESETS)
def test_what_has_no_place_is_apart(preset):
    expected = ["no step", "names no step", "beyond the last step", "beyond the last step"]
    assert labels_of(preset, [-1, -2, 3, 0], [3, 3, 3, 0]) == expected


@pytest.mark.parametrize("preset", PRESETS)
def test_the_condition_of_a_bin_selects_what_is_in_it(preset):
    bins = PRESETS[preset]
    pairs = [(step, n) for n in range(25) for step in range(-2, n + 2)]
    frame = pl.DataFrame(pairs, schema={"a.verdict": pl.Int32, "n_steps": pl.Int32}, orient="row")
    numbers = bins.of(*(frame[name].cast(pl.Int64).to_numpy() for name in frame.columns))
    for number in range(len(bins.labels)):
        found = passing(frame, [bins.sql(number, '"a.verdict"')])
        assert found.to_list() == (numbers == number).tolist(), bins.labels[number]
