"""Empty positions share one row of the chart."""

from inspector.analyses.breakdown.bin_pages import _with_empty_joined
from inspector.render.chart_blocks import Bin


def place(name, *counts):
    return Bin(0.0, 0.0, counts, name=name)


def test_neighbours_without_a_case_are_joined_and_one_alone_stays():
    places = [place("0", 3, 1), place("1", 0, 0), place("2", 0, 2), *(place(str(at), 0, 0) for at in range(3, 16))]
    joined = list(_with_empty_joined([*places, place("16 or more", 1, 0)]))
    assert [one.name for one in joined] == ["0", "1", "2", "3 to 15", "16 or more"]
    assert sum(map(sum, (one.counts for one in joined))) == 7
