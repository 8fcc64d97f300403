"""What is asked for in vain is said, on stderr and in the provenance."""

import json

import pytest

import making
import step_making
from inspector.cli import main
from reference import Case
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.selection.query_notes import wish_notes
from step_reference import Step

CASES = [Case(2, -1, (0.9, 0.8)), Case(2, 0, (0.1, 0.9)), Case(2, 1, (0.9, 0.3))]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("wishes")
    making.workspace(root, CASES, [(making.scorer("abel"), CASES), (making.scorer("bert"), CASES)])
    return str(root)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"thresholds": ((None, "best"), (None, "0.4"))}, ["--threshold best is overridden by 0.4 for every scorer"]),
        ({"thresholds": (("ab", "0.3"), ("abel", "0.4"))}, ["--threshold 0.3 is overridden by 0.4 for abel"]),
        ({"thresholds": (("abel", "0.3"), (None, "0.4"))}, ["--threshold 0.3 is overridden by 0.4 for abel"]),
        ({"rules": ((None, "<"), (None, "<="))}, ["--rule < is overridden by <= for every scorer"]),
        (
            {"thresholds": (("abel", "0.1"), ("abel", "0.2"), ("abel", "0.3"))},
            [f"--threshold {cut} is overridden by 0.3 for abel" for cut in ("0.1", "0.2")],
        ),
        # An exception after what holds for every scorer, two scorers by name, and the same wish twice.
        ({"thresholds": ((None, "0.3"), ("abel", "0.4"))}, []),
        ({"thresholds": (("abel", "0.3"), ("bert", "0.4"))}, []),
        ({"thresholds": ((None, "0.3"), (None, "0.3"))}, []),
        (
            {"redundancy": ((None, "0.2"),)},
            ["--redundancy 0.2 changes nothing: no redundancy number of a scorer here is compared with it"],
        ),
    ],
)
def test_what_a_later_wish_overrides_is_told_and_the_later_one_wins(root, asked, said):
    results = load(Query(workspace=root, **asked))
    assert list(wish_notes(results.query, results.evaluations)) == said
    assert list(results.problems) == said
    if said and "thresholds" in asked:
        assert results.evaluation("abel").rule.threshold == float(asked["thresholds"][-1][1])


def test_a_redundancy_threshold_that_decides_is_no_note(tmp_path):
    items = [Step(Case(2, 1, (0.9, 0.2), "", "circular", (1,)), "circular", (0.1, 0.9))]
    step_making.workspace(tmp_path / "w", items, [(making.scorer("abel"), items)])
    for wishes, said in (
        ((("abel", "0.3"),), []),
        ((("abel", "0.3"), (None, "0.4")), ["--redundancy 0.3 is overridden by 0.4 for abel"]),
    ):
        assert list(load(Query(workspace=str(tmp_path / "w"), redundancy=wishes)).problems) == said


def test_the_command_tells_it_on_stderr_and_in_the_provenance(root, capsys):
    words = ["-w", root, "--threshold", "best", "--threshold", "0.4", "--redundancy", "0.1", "--rule", "<="]
    for command in ("metrics", "compare", "breakdown", "thresholds"):
        assert main([command, *words, "--json"]) == 0
        printed = capsys.readouterr()
        for said in ("--threshold best is overridden by 0.4 for every scorer", "--redundancy 0.1 changes nothing"):
            assert said in printed.err
            assert any(said in note for note in json.loads(printed.out)["provenance"]["notes"])


def test_statistics_depend_on_no_rule_unless_a_condition_does(root, capsys):
    words = ["stats", "-w", root, "--rule", "<=", "--json"]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["provenance"]["notes"] == []
    assert main([*words, "--where", "\"abel.outcome\" <> 'late'"]) == 0
    (note, _) = json.loads(capsys.readouterr().out)["provenance"]["notes"]
    assert note.startswith("abel: ")


@pytest.mark.parametrize("wish", ["abc", "best", "best:0.5", "nan", "from:one"])
def test_what_is_no_redundancy_number_is_told_as_such(root, wish, capsys):
    assert main(["metrics", "-w", root, "--redundancy", wish]) == 2
    said = f"{wish!r} is not a redundancy number. Give --redundancy a number, or SCORER=NUMBER."
    assert said in capsys.readouterr().err
