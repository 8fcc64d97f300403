"""Metrics of groups: by columns, by bins of lengths and positions, in the order of their values."""

import json

import numpy as np
import pytest

import making
from inspector.cli import main
from reference import Case
from scoring.metrics.axes import LENGTHS, POSITIONS
from scoring.metrics.case_groups import grouped, groups
from scoring.selection.loading import load
from scoring.selection.query import Query

LENGTH = (12, 2, 10, 11, 3, 16)
GOLD = (-1, 1, 9, 2, None, 15)
CASES = [
    Case(n_steps, gold, tuple(0.9 for _ in range(n_steps)), subset="b" if n_steps % 2 else "a")
    for n_steps, gold in zip(LENGTH, GOLD, strict=True)
]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("groups")
    making.workspace(root, CASES, [(making.scorer("abel"), CASES)])
    return str(root)


def found(root, *by):
    results = load(Query(workspace=root, by=by))
    return [
        (tuple(group.values()), np.flatnonzero(rows).tolist())
        for group, rows in groups(grouped(results.evaluated, results.query.by), by, results.mask)
    ]


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        (("n_steps",), [(str(n),) for n in sorted(LENGTH)]),
        (("earliest_error",), [("-1",), ("1",), ("2",), ("9",), ("15",), ("",)]),
        (("steps",), [("0 to 4",), ("10 to 14",), ("15 or more",)]),
        (("position",), [("1",), ("2",), ("9",), ("15 or more",), ("no error",), ("",)]),
        (
            ("subset", "steps"),
            [("a", "0 to 4"), ("a", "10 to 14"), ("a", "15 or more"), ("b", "0 to 4"), ("b", "10 to 14")],
        ),
        (("abel.outcome",), None),
    ],
)
def test_groups_come_in_the_order_of_their_values(root, by, expected):
    told = found(root, *by)
    if expected is not None:
        assert [names for names, _ in told] == expected
    assert sorted(row for _, rows in told for row in rows) == list(range(len(CASES)))


def test_bins_are_those_of_breakdown(root):
    assert (LENGTHS, POSITIONS) == ((0, 5, 10, 15), 15)
    assert found(root, "steps") == [(("0 to 4",), [1, 4]), (("10 to 14",), [0, 2, 3]), (("15 or more",), [5])]


def test_the_command_groups_by_what_breakdown_takes_and_lists_it_where_a_column_is_not_there(root, capsys):
    assert main(["metrics", "-w", root, "--by", "steps", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert list(dict.fromkeys(row["steps"] for row in rows)) == ["0 to 4", "10 to 14", "15 or more"]
    assert main(["metrics", "-w", root, "--by", "steps"]) == 0
    assert "10 to 14" in capsys.readouterr().out
    assert main(["metrics", "-w", root, "--by", "nothing"]) == 2
    told = capsys.readouterr().err
    assert "There are: case, " in told
    assert "line, steps, position; and SCORER.outcome" in told
