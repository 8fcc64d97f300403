import json
import shlex
from functools import cache

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import making
import reference
from inspector.cli import main
from inspector.state.thresholds.flips import PRESENT
from scoring.data.errors import UsageError
from scoring.selection.loading import load
from scoring.selection.query import Query
from thoroughness import up_to
from views import flips_view, table_of


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("flips")
    cases, scorers = making.study()
    making.workspace(root, cases, scorers)
    return str(root)


@cache
def selected(root, **asked):
    return load(Query(workspace=root, **asked))


def flips(root, before, after, **asked):
    return flips_view(selected(root, **asked), before, after)


def kind(before, after):
    if (before in {"exact", "clean"}) == (after in {"exact", "clean"}):
        return "other"
    return "right" if after in {"exact", "clean"} else "wrong"


@up_to(25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pair=st.tuples(*[st.sampled_from((-1.0, 0.1, 0.2, 0.4, 0.5, 0.7, 0.9, 2.0))] * 2))
def test_every_case_whose_outcome_differs_is_there_and_no_other(root, pair):
    rows = flips(root, *map(repr, pair)).rows
    for scorer, cases in making.study()[1]:
        own = rows.filter(rows["scorer"] == scorer.name)
        expected = []
        for index, case in enumerate(cases):
            one, other = (reference.outcome(case, threshold, "<") for threshold in pair)
            if one != other:
                verdicts = [reference.verdict(case, threshold, "<") for threshold in pair]
                expected.append((f"bench/c{index}", case.gold, *verdicts, one, other, kind(one, other)))
        assert own.drop("scorer", "benchmark", "subset", "steps_right", "steps_wrong").rows() == expected


def test_there_and_back_are_mirror_images(root):
    mirrored = {"right": "wrong", "wrong": "right", "other": "other"}
    there, back = flips(root, "0.2", "0.7").rows, flips(root, "0.7", "0.2").rows
    assert there.height > 0
    assert there["case"].to_list() == back["case"].to_list()
    assert [mirrored[flip] for flip in there["flip"]] == back["flip"].to_list()
    assert flips(root, "0.3", "0.3").rows.height == 0


def test_counts_add_up_to_the_change_of_the_metric(root):
    document = flips(root, "default", "0.7", scorers=("gpt4",))
    counts = document.provenance["flips"]["gpt4"]
    cases = making.study()[1][0][1]
    right = [sum(reference.is_right(case, threshold, "<") for case in cases) for threshold in (0.5, 0.7)]
    assert counts.get("right", 0) - counts.get("wrong", 0) == right[1] - right[0]
    assert sum(counts.values()) == document.rows.height
    (line,) = table_of(document)
    assert [int(line[f"cases become {flip}"] or 0) for flip in ("right", "wrong")] == [
        counts.get("right", 0),
        counts.get("wrong", 0),
    ]


def test_the_present_threshold_is_the_request_s(root):
    asked = {"thresholds": (("gpt4", "0.7"),), "scorers": ("gpt4",)}
    assert flips(root, "default", PRESENT, **asked).rows.equals(flips(root, "default", "0.7", **asked).rows)
    assert flips(root, "default", PRESENT, scorers=("gpt4",)).rows.height == 0


def test_dev_cases_are_left_out_and_taken_in(tmp_path):
    cases = [
        reference.Case(1, gold, (value,)) for gold in (-1, 0) for value in (0.1, 0.2, 0.3, 0.6, 0.7) for _ in range(5)
    ]
    making.workspace(tmp_path, cases, [(making.scorer("x"), cases)])
    there = flips(str(tmp_path), "default", "dev").provenance["flips"]["x"]
    assert there["left_out"] == 40
    back = flips(str(tmp_path), PRESENT, "default", thresholds=((None, "dev"),)).provenance["flips"]["x"]
    assert back["taken_in"] == 40


def test_without_a_threshold_nothing_can_flip(tmp_path):
    cases = making.study()[0]
    making.workspace(tmp_path, cases, [])
    with pytest.raises(UsageError, match="no outcome can flip"):
        flips(str(tmp_path), "default", "0.5")


def test_a_terminal_shows_counts_and_documents_hold_cases(root, capsys):
    assert main(["thresholds", "-w", root, "--flips", "0.2", "0.7", "--scorer", "gpt4"]) == 0
    table = capsys.readouterr().out
    assert "cases" in table
    assert "bench/c" not in table
    assert main(["thresholds", "-w", root, "--flips", "0.2", "0.7", "--scorer", "gpt4", "--json"]) == 0
    text = capsys.readouterr().out
    document = json.loads(text)
    assert document["rows"][0]["case"].startswith("bench/c")
    assert document["provenance"]["threshold_source"] == {"gpt4": "0.2 (chosen) -> 0.7 (chosen)"}
    assert main(shlex.split(document["provenance"]["command"])[1:]) == 0
    assert capsys.readouterr().out == text
    assert main(["thresholds", "-w", root, "--flips"]) == 0
    assert "No outcome differs." in capsys.readouterr().out
