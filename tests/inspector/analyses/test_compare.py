import json
import random
import shlex
from functools import cache

import pytest
from msgspec.structs import replace

import making
from inspector.analyses.compare.compare import COMPARISON
from inspector.cli import main
from inspector.state.common_cases import best_first
from scoring.data.errors import UsageError
from scoring.selection.loading import load
from scoring.selection.query import Query
from views import compare_view, table_of, words_of


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A study of three scorers, and one whose name looks like a flag."""
    root = tmp_path_factory.mktemp("it's a study")
    cases, scorers = making.study(n=60)
    making.workspace(root, cases, [*scorers, (making.scorer("-flag"), scorers[0][1])], **making.labels(cases))
    return str(root)


def printed(words, capture):
    capture.readouterr()
    assert main(words) == 0
    return capture.readouterr()


@cache
def document(root, *names, **asked):
    return compare_view(load(Query(workspace=root, scorers=names, **asked)))


def cells(found):
    return {
        (row["scorer"], row["other"], row["subset"], row["metric"]): row for row in found.rows.iter_rows(named=True)
    }


def test_rows_are_in_long_form_and_say_how_they_came_to_be(root):
    found = document(root, "gpt4", "rand-0", "x=y", seed=3)
    assert found.rows.columns == list(COMPARISON)
    facts = found.provenance
    assert facts["family"] == {"bench": "Holm over 6 tests: all pairs of the 3 scorers, erroneous and clean cases"}
    assert facts["test"] == "exact McNemar, two-sided, on erroneous and on clean cases apart"
    assert facts["interval"] == {"bench": "paired bootstrap, stratified by erroneous/clean within subset"}
    assert (facts["seed"], facts["resamples"], facts["level"]) == (3, 1000, 0.95)
    left_out = cells(found)["gpt4", None, "average", "f1"]["left_out"]
    assert facts["common_cases"] == {"bench": f"{60 - left_out} of 60 tried by all 3 scorers that tried any"}
    assert 0 < left_out < 60


def test_values_are_those_of_metrics_on_the_common_cases(root, capsys):
    where = "\"rand-0.outcome\" <> 'unscored'"
    common = ["-w", root, "--where", where, "--json"]
    rows = json.loads(printed(["metrics", *common], capsys).out)["rows"]
    value = {row["scorer"]: row["value"] for row in rows if (row["subset"], row["metric"]) == ("average", "f1")}
    compared = cells(document(root, "gpt4", "rand-0"))
    difference = compared["gpt4", "rand-0", "average", "f1_difference"]
    assert difference["value"] == pytest.approx(value["gpt4"] - value["rand-0"], abs=1e-12)
    assert difference["left_out"] == 60 - difference["n"] > 0
    assert compared["gpt4", None, "average", "f1"]["value"] == pytest.approx(value["gpt4"], abs=1e-12)


def test_swapping_two_scorers_flips_signs(root):
    there, back = cells(document(root, "gpt4", "rand-0")), cells(document(root, "rand-0", "gpt4"))
    for metric in ("f1", "error_acc", "correct_acc"):
        one = there["gpt4", "rand-0", "average", f"{metric}_difference"]
        other = back["rand-0", "gpt4", "average", f"{metric}_difference"]
        assert (one["value"], one["low"]) == pytest.approx((-other["value"], -other["high"]), abs=1e-12)
    for side in ("erroneous", "clean"):
        one, other = there["gpt4", "rand-0", "all", f"{side}_mcnemar"], back["rand-0", "gpt4", "all", f"{side}_mcnemar"]
        assert (one["p"], one["n"]) == (other["p"], other["n"])
        flipped = back["rand-0", "gpt4", "all", f"{side}_only_other_right"]
        assert there["gpt4", "rand-0", "all", f"{side}_only_scorer_right"]["value"] == flipped["value"]


def test_a_policy_for_cases_without_a_verdict_changes_which_are_common(root):
    wrong, drop = (cells(document(root, "gpt4", "x=y", unparsed=asked)) for asked in ("wrong", "drop"))
    key = ("gpt4", "x=y", "average", "f1_difference")
    assert (wrong[key]["n"], wrong[key]["left_out"]) == (60, 0)
    assert (drop[key]["n"], drop[key]["left_out"]) == (45, 15)


def test_without_names_all_scorers_that_have_a_verdict_are_compared(root, capsys):
    found = json.loads(printed(["compare", "-w", root, "--json"], capsys).out)
    assert {row["scorer"] for row in found["rows"]} == {"gpt4", "rand-0", "x=y", "-flag", None}
    again = found["provenance"]["command"]
    assert "--scorer=-flag" in again
    assert json.loads(printed(shlex.split(again)[1:], capsys).out) == found


def test_names_may_stand_behind_their_flag_too(root, capsys):
    words = ["--scorer", "gpt4", "compare", "x=y", "-w", root, "--json"]
    rows = json.loads(printed(words, capsys).out)["rows"]
    assert (rows[0]["scorer"], rows[0]["other"]) == ("x=y", "gpt4")


def test_the_cascade_goes_in_the_order_that_was_asked_for(root):
    names = ("x=y", "gpt4", "rand-0")
    found = cells(document(root, *names))
    for name, before in zip(names, (None, *names), strict=False):
        assert (name, before, "all", "erroneous_cascade_right") in found
    assert document(root, *names).provenance["cascade"]["bench"].startswith("x=y, gpt4, rand-0")
    assert "log-odds" in document(root, *names).provenance["consensus"]
    assert "consensus" not in document(root, "gpt4", "x=y").provenance
    assert document(root, "gpt4", "x=y").provenance["cascade"] == {}


def test_without_names_the_best_comes_first_and_that_is_said(root, capsys):
    found = json.loads(printed(["compare", "-w", root, "--json"], capsys).out)
    f1 = {row["scorer"]: row["value"] for row in found["rows"] if row["metric"] == "f1"}
    order = [row["scorer"] for row in found["rows"] if row["metric"] == "clean_cascade_added"]
    assert [f1[name] for name in order] == sorted(f1.values(), reverse=True)
    assert found["provenance"]["cascade"]["bench"] == f"{', '.join(order)} (best first)"
    worst_first = document(root, *reversed(order)).provenance["cascade"]["bench"]
    assert worst_first == ", ".join(reversed(order))


def test_best_first_takes_the_mean_over_benchmarks_and_puts_who_has_none_last(tmp_path):
    sides = [making.scored(case, random.Random(1)) for case in making.study(n=24)[0]]
    wrong = [replace(case, rewards=(0.9,) * (case.n_steps - 1) + (0.1,)) for case in sides]
    nothing = [replace(case, rewards=None, refused="over length") for case in sides]
    scorers = [(making.scorer(name), rows) for name, rows in (("bad", wrong), ("none", nothing), ("good", sides))]
    making.workspace(tmp_path, sides, scorers)
    assert best_first(load(Query(workspace=str(tmp_path)))).chosen == ("good", "bad", "none")


def test_people_see_the_consensus_and_a_line_a_scorer_of_the_cascade(root):
    view = document(root, "gpt4", "rand-0", "x=y")
    rows = cells(view)
    so_far = table_of(view, "How many cases at least one scorer so far")
    assert [line["any so far"] for line in so_far] == ["gpt4", "rand-0", "x=y"]
    first, second = (rows["rand-0", "gpt4", "all", f"erroneous_cascade_{word}"]["value"] for word in ("right", "added"))
    assert so_far[1]["erroneous"] == f"{first:.0f} ({second:+.0f})"
    decided = rows[None, None, "all", "consensus_decided"]
    assert f"The consensus decides {decided['value']:.0f} of {decided['n']} cases" in words_of(view)
    assert [line[""] for line in table_of(view, "All of them together")] == [
        "consensus",
        "whichever is right (an oracle)",
    ]


def test_two_scorers_show_no_cascade(root):
    assert "any so far" not in words_of(document(root, "gpt4", "x=y"))


def test_people_see_standings_and_three_lines_a_pair(root, capsys):
    view = document(root, "gpt4", "rand-0", "x=y")
    standings = table_of(view, "Standings")
    assert [line["scorer"] for line in standings if line["vs. the best"] == "best"] == [standings[0]["scorer"]]
    pairs = table_of(view, "Differences")
    assert [line["cases"] for line in pairs] == ["all", "erroneous", "clean"] * 3
    assert [line["pair"] for line in pairs[::3]] == ["gpt4 minus rand-0", "gpt4 minus x=y", "rand-0 minus x=y"]
    said = printed(["compare", "gpt4", "rand-0", "x=y", "-w", root], capsys)
    assert said.out.splitlines()[0] == "bench"
    assert "p Holm" in said.out
    assert "command: prm-inspect compare gpt4 rand-0 'x=y'" in said.err or "compare gpt4 rand-0 x=y" in said.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["gpt4"], "two different scorers at least"),
        (["gpt4", "gpt4"], "two different scorers at least"),
        (["gpt4", "nobody"], "no scorer matches 'nobody'"),
        (["gpt4", "a"], "scorers match 'a'"),
    ],
)
def test_fewer_than_two_scorers_and_unknown_names_are_one_sentence(root, capsys, words, said):
    assert main(["compare", *words, "-w", root]) == 2
    assert said in capsys.readouterr().err


def test_conditions_that_leave_one_side_or_nothing_give_nulls_with_reasons(root, capsys):
    for where, reason in (
        ("earliest_error = -1", "no erroneous case in common"),
        ("earliest_error >= 0", "no clean case in common"),
        ("n_steps > 99", "no case in common"),
    ):
        rows = json.loads(printed(["compare", "gpt4", "x=y", "-w", root, "--where", where, "--json"], capsys).out)[
            "rows"
        ]
        first = rows[0]
        assert (first["metric"], first["value"], first["reason"]) == ("f1_difference", None, reason)
        assert printed(["compare", "gpt4", "x=y", "-w", root, "--where", where], capsys).out


def test_a_benchmark_for_which_nobody_gave_anything_is_left_out_unless_there_is_no_other(root):
    both = {"benchmarks": ("bench", "demo")}
    assert set(document(root, "gpt4", "rand-0", **both).rows["benchmark"]) == {"bench"}
    assert set(document(root, "gpt4", "blend", **both).rows["benchmark"]) == {"bench", "demo"}
    nothing = document(root, "gpt4", "rand-0", where=("n_steps > 99",), **both)
    assert set(nothing.rows["benchmark"]) == {"bench", "demo"}


def test_a_pair_that_shares_only_some_subsets_is_told(tmp_path):
    cases, _ = making.study(n=20)
    rng = random.Random(0)
    everything = [making.scored(case, rng) for case in cases]
    part = [case if case.subset == "two words" else replace(case, rewards=None) for case in everything]
    making.workspace(tmp_path, cases, [(making.scorer("all"), everything), (making.scorer("part"), part)])
    notes = document(str(tmp_path), "all", "part").provenance["notes"]
    assert "bench: all and part share cases of 1 of 2 subsets; averages are over these" in notes


def test_fewer_than_two_is_an_error_of_the_document_too(root):
    with pytest.raises(UsageError, match="two different scorers"):
        document(root, "gpt4", "gpt4")
