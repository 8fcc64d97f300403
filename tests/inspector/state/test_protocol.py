"""`--protocol` and how each benchmark counts what has no verdict."""

import json

import pytest

import making
import reference
from inspector.cli import main
from scoring.data.errors import UsageError
from scoring.selection.loading import load
from scoring.selection.query import Query
from views import metrics_view

CASES = [
    reference.Case(2, 1, (0.9, 0.1), subset="gsm8k"),
    reference.Case(2, 1, (0.9, 0.5), subset="gsm8k"),
    reference.Case(2, -1, (0.9, 0.8), subset="gsm8k"),
    reference.Case(2, -1, None, "over length", subset="gsm8k"),
    reference.Case(2, 0, (0.6, 0.9), subset="math"),
    reference.Case(2, -1, (0.9, 0.7), subset="math"),
]


def made(tmp_path, benchmark, *names, cases=CASES):
    scorers = [(making.scorer(name), cases) for name in names or ("plain",)]
    making.workspace(tmp_path / "w", cases, scorers, benchmark)
    return str(tmp_path / "w")


def values(root, **asked):
    document = metrics_view(load(Query(workspace=root, **asked)))
    return {(row["subset"], row["metric"]): row for row in document.rows.iter_rows(named=True)}, document.provenance


@pytest.mark.parametrize(("benchmark", "correct"), [("processbench", 0.5), ("grben", 1.0), ("bench", 0.5)])
def test_a_refused_case_counts_as_the_benchmark_counts_it(tmp_path, benchmark, correct):
    found, provenance = values(made(tmp_path, benchmark))
    assert found["gsm8k", "correct_acc"]["value"] == correct
    assert provenance["unparsed"] == ("drop" if correct == 1 else "wrong")
    assert provenance["protocol"].startswith(benchmark if benchmark != "bench" else "processbench")


def test_what_is_asked_comes_before_the_protocol(tmp_path):
    root = made(tmp_path, "grben")
    assert values(root, unparsed="wrong")[0]["gsm8k", "correct_acc"]["value"] == 0.5
    assert values(root, protocol="processbench")[0]["gsm8k", "correct_acc"]["value"] == 0.5
    assert values(root, protocol="processbench", unparsed="drop")[0]["gsm8k", "correct_acc"]["value"] == 1.0


def test_several_benchmarks_count_each_in_its_own_way(tmp_path):
    root = made(tmp_path, "grben")
    making.workspace(tmp_path / "w", CASES, [], "processbench")
    document = metrics_view(load(Query(workspace=root)))
    found = {
        row["benchmark"]: row["value"]
        for row in document.rows.iter_rows(named=True)
        if (row["subset"], row["metric"]) == ("gsm8k", "correct_acc")
    }
    assert found == {"grben": 1.0, "processbench": 0.5}
    assert document.provenance["unparsed"] == {"grben": "drop", "processbench": "wrong"}


def test_the_boundary_is_the_protocols_unless_it_is_asked_for(tmp_path):
    root = made(tmp_path, "prmbench")
    loaded = [
        load(Query(workspace=root, **asked)).evaluation("plain")
        for asked in ({}, {"protocol": "prmbench"}, {"protocol": "prmbench", "rules": ((None, "<"),)})
    ]
    assert [one.rule.comparison for one in loaded] == ["<", "<=", "<"]
    # The second case's wrong step is exactly on the threshold of 0.5.
    assert [int(one.verdicts[1]) for one in loaded] == [-1, 1, -1]


def test_prmbench_compares_skyworks_differences(tmp_path):
    root = made(tmp_path, "prmbench", "Skywork-PRM-7B", "plain")
    found = load(Query(workspace=root, protocol="prmbench"))
    rules = {one.scorer.name: (one.rule.on, one.rule.comparison, one.rule.threshold) for one in found.evaluations}
    assert rules == {"Skywork-PRM-7B": ("differences", "<=", -0.05), "plain": ("rewards", "<=", 0.5)}


def test_rewards_on_the_threshold_are_told_where_the_protocol_decides_otherwise(tmp_path, capsys):
    root = made(tmp_path, "prmbench")
    told = "plain on prmbench: rewards on the threshold (1) are wrong by the protocol, right by its own rule"
    assert main(["metrics", "-w", root]) == 0
    assert told in capsys.readouterr().out
    assert told in " ".join(values(root)[1]["notes"])
    assert main(["board", "-w", root]) == 0
    assert f"\n{told}" in capsys.readouterr().out
    assert main(["metrics", "-w", root, "--protocol", "prmbench"]) == 0
    assert "on the threshold" not in capsys.readouterr().out
    assert main(["metrics", "-w", root, "--threshold", "0.4"]) == 0
    assert "on the threshold" not in capsys.readouterr().out


def test_prmbench_and_prmbench_stem_are_said_to_be_pooled(tmp_path, capsys):
    cases = [reference.Case(2, 0, (0.1, 0.9), "", name, (0,)) for name in ("circular", "Physics")]
    types = ["circular", "deception"]
    making.workspace(tmp_path / "w", cases, [(making.scorer("plain"), cases)], "prmbench", error_type=types)
    root = str(tmp_path / "w")
    note = "ooled on prmbench: all, average and categories are of PRMBench and PRMBench-STEM together"
    for command in ("metrics", "board"):
        assert main([command, "-w", root]) == 0
        assert note in " ".join(capsys.readouterr().out.split())
        assert main([command, "-w", root, "--json"]) == 0
        assert note in " ".join(json.loads(capsys.readouterr().out)["provenance"]["notes"])
        for alone in ("subset = error_type", "subset <> error_type"):
            assert main([command, "-w", root, "--where", alone]) == 0
            assert note not in " ".join(capsys.readouterr().out.split())


def test_processbench_tunes_skywork_on_gsm8k_and_nobody_else(tmp_path):
    root = made(tmp_path, "processbench", "Skywork-PRM-7B", "plain")
    found = load(Query(workspace=root, protocol="processbench"))
    assert found.evaluation("Skywork-PRM-7B").rule.source == "best on subset gsm8k (optimistic there)"
    assert found.evaluation("plain").rule.source == "default"
    by_hand = load(Query(workspace=root, thresholds=(("Skywork-PRM-7B", "from:gsm8k"),)))
    assert found.evaluation("Skywork-PRM-7B").rule == by_hand.evaluation("Skywork-PRM-7B").rule
    asked = load(Query(workspace=root, protocol="processbench", thresholds=((None, "0.3"),)))
    assert asked.evaluation("Skywork-PRM-7B").rule.threshold == 0.3


def test_what_it_would_be_tuned_on_must_be_there(tmp_path):
    root = made(tmp_path, "processbench", "Skywork-PRM-7B", cases=CASES[4:])
    with pytest.raises(UsageError, match="tunes Skywork-PRM-7B on gsm8k: not here"):
        load(Query(workspace=root, protocol="processbench"))
    given = Query(workspace=root, protocol="processbench", thresholds=(("Skywork-PRM-7B", "0.4"),))
    assert load(given).evaluation("Skywork-PRM-7B").rule.threshold == 0.4


def test_grben_says_0_where_a_denominator_is_empty_only_when_asked(tmp_path):
    cases = [
        reference.Case(1, 0, (0.9,), subset="a"),
        reference.Case(1, -1, (0.1,), subset="a"),
        reference.Case(1, -1, (0.9,), subset="b"),
        reference.Case(1, 0, (0.1,), subset="c"),
        reference.Case(1, -1, (0.9,), subset="c"),
    ]
    root = made(tmp_path, "grben", cases=cases)
    own, asked = values(root)[0], values(root, protocol="grben")[0]
    assert own["a", "f1"]["value"] is None
    assert own["average", "f1"]["value"] is None
    assert (asked["a", "f1"]["value"], asked["a", "f1"]["reason"]) == (0.0, "both accuracies are 0")
    assert asked["b", "error_acc"]["value"] == 0.0
    assert asked["average", "f1"]["value"] == pytest.approx((0 + 0 + 1) / 3)
    assert asked["average", "error_acc"]["value"] == pytest.approx((0 + 0 + 1) / 3)
    assert asked["average", "f1"]["low"] is None
    assert asked["all", "f1"] == own["all", "f1"]


def test_grben_without_subsets_averages_over_all(tmp_path):
    cases = [reference.Case(1, 0, (0.9,), subset=None), reference.Case(1, -1, (0.1,), subset=None)]
    found = values(made(tmp_path, "grben", cases=cases), protocol="grben")[0]
    assert found["all", "f1"]["value"] == found["average", "f1"]["value"] == 0.0


def test_prmbench_says_minus_1_only_when_asked(tmp_path):
    # Nothing wrong is caught, and there is a false alarm: the official F1 of wrong steps is -1.
    cases = [reference.Case(2, 1, (0.1, 0.9), subset="confidence", error_steps=(1,))]
    root = tmp_path / "w"
    making.workspace(root, cases, [(making.scorer("x"), cases)], "prmbench", error_type=["confidence"])
    own, asked = values(str(root))[0], values(str(root), protocol="prmbench")[0]
    assert own["confidence", "f1_negative"]["value"] is None
    assert asked["confidence", "f1_negative"]["value"] == -1.0
    assert asked["confidence", "f1_negative"]["reason"]


def test_an_unknown_protocol_ends_in_a_sentence(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["metrics", "-w", made(tmp_path, "grben"), "--protocol", "gr-ben"])
    assert "grben" in capsys.readouterr().err


def test_the_command_says_what_counts_how(tmp_path, capsys):
    root = made(tmp_path, "grben")
    assert main(["metrics", "-w", root]) == 0
    assert "grben: 1 unparsed or refused cases are left out" in capsys.readouterr().out
    assert main(["metrics", "-w", root, "--protocol", "processbench", "--json"]) == 0
    provenance = json.loads(capsys.readouterr().out)["provenance"]
    assert provenance["command"].endswith("--protocol processbench --json")
    assert provenance["protocol"].startswith("processbench: unparsed and refused cases count as wrong")


ON_THE_EDGE = [
    reference.Case(2, 1, (0.9, 0.5), subset="gsm8k"),
    reference.Case(3, 0, (0.5, 0.25, 0.9), subset="gsm8k"),
    reference.Case(2, -1, (0.5, 0.75), subset="gsm8k"),
    reference.Case(2, -1, (0.75, 0.7), subset="gsm8k"),
]
"""Rewards on the threshold of 0.5, and differences on that of -0.25 (0.5 and 0.25 are exact)."""
WRONG = {
    "prmbench": lambda rewards, at: not rewards[at] > 0.5,
    "socratic": lambda rewards, at: not rewards[at] > 0.5,
    "grben": lambda rewards, at: rewards[at] < 0.5,
}
"""Which steps are judged wrong, as the benchmarks' own code has it."""


@pytest.mark.parametrize("protocol", WRONG)
@pytest.mark.parametrize("comparison", ["<", "<="])
def test_under_a_protocol_verdicts_are_those_of_its_code_whatever_the_scorers_own_rule(tmp_path, protocol, comparison):
    ways = {"rewards": {}, "differences": {"on": "differences", "threshold": -0.25, "low": -1.0}}
    used = ways if protocol == "grben" else {"rewards": {}}
    scorers = [making.scorer(name, comparison=comparison, **way) for name, way in used.items()]
    making.workspace(tmp_path / "w", ON_THE_EDGE, [(one, ON_THE_EDGE) for one in scorers], protocol)
    loaded = load(Query(workspace=str(tmp_path / "w"), protocol=protocol))
    expected = [
        next((at for at in range(case.n_steps) if WRONG[protocol](case.rewards, at)), -1) for case in ON_THE_EDGE
    ]
    for one in loaded.evaluations:
        assert one.verdicts.tolist() == expected
        assert (one.rule.on, one.rule.threshold) == ("rewards", 0.5)
