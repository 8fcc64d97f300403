import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from inspector.render.charts.glyphs import Glyphs
from inspector.render.charts.sparkline_runs import cells, shown_runs


@given(st.integers(0, 120), st.integers(4, 60), st.none() | st.integers(-2, 125), st.none() | st.integers(-2, 125))
def test_the_gold_step_is_always_there_and_the_width_is_kept(n_steps, width, gold, verdict):
    runs = shown_runs(n_steps, width, gold, verdict)
    steps = [step for start, end in runs for step in range(start, end)]
    assert steps == sorted(set(steps))
    assert all(0 <= step < n_steps for step in steps)
    inside = gold is not None and 0 <= gold < n_steps
    assert cells(runs, n_steps, int(inside)) <= width
    if inside:
        assert gold in steps
    if verdict is not None and 0 <= verdict < n_steps and width >= 9:
        assert verdict in steps
    if n_steps + inside <= width:
        assert steps == list(range(n_steps))
    elif n_steps:
        assert cells(runs, n_steps, int(inside)) >= width - 2
    if len(runs) == 2:
        assert runs[0][1] < runs[1][0]


@pytest.mark.parametrize("ascii_only", [False, True])
@given(st.integers(1, 120), st.integers(4, 60), st.none() | st.integers(-1, 125), st.none() | st.integers(-2, 125))
def test_a_picture_fits_its_width_and_shows_its_marks(ascii_only, n_steps, width, gold, verdict):
    parts = Glyphs(ascii_only).sparkline([0.5] * n_steps, 0.0, 1.0, gold, verdict, width)
    assert sum(cell_len(text) for text, _ in parts) <= width
    inside = gold is not None and 0 <= gold < n_steps
    assert sum(style == "gold" for _, style in parts) == inside
    if verdict is not None and 0 <= verdict < n_steps and width >= 9:
        assert sum(style == "predicted" for _, style in parts) == 1


def test_a_long_case_is_cut_around_its_marks():
    def picture(*wanted):
        return "".join(text for text, _ in Glyphs().sparkline([0.0] * 107, 0.0, 1.0, *wanted))

    assert picture(None, None, 10) == "▁▁▁▁▁▁▁▁▁…"
    assert picture(50, 51, 10) == "…▁▁▸▁▁▁▁▁…"
    assert picture(2, 100, 12) == "▁▁▸▁▁▁…▁▁▁▁…"
    assert picture(106, None, 10) == "…▁▁▁▁▁▁▁▸▁"
    assert picture(0, -1, 10) == "▸▁▁▁▁▁▁▁▁…"
