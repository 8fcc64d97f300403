import random

import numpy as np
import pytest
from msgspec.structs import replace

import making
import reference
from scoring.data.errors import FilterError, NoWorkspace, UsageError
from scoring.data.names import match_name
from scoring.evaluation.instructive import instructive
from scoring.metrics.deciding import OPTIMISTIC
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.workspace import Workspace


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("study")
    cases, scorers = making.study()
    making.workspace(root, cases, scorers, **making.labels(cases))
    return str(root)


def chosen(root, **asked):
    return load(Query(workspace=root, **asked))


def test_everything_is_loaded_in_file_order(root):
    found = chosen(root)
    cases, scorers = making.study()
    assert found.shown.tolist() == list(range(len(cases)))
    assert found.chosen == tuple(one.name for one, _ in scorers)
    assert found.mask.all()
    for one, rows in scorers:
        expected = [reference.outcome(case, one.threshold, "<") for case in rows]
        assert found.evaluated.table(found.evaluated.columns)[f"{one.name}.outcome"].to_list() == expected
        assert found.evaluation(one.name).coverage.count == sum(reference.usable(case) is not None for case in rows)


def test_scorers_are_chosen_by_a_part_of_their_name_and_once(root):
    found = chosen(root, scorers=("rand", "gpt4", "RAND-0"))
    assert found.chosen == ("rand-0", "gpt4")
    assert [one.scorer.name for one in found.chosen_evaluations] == ["rand-0", "gpt4"]
    assert len(found.evaluations) == 3


def test_a_benchmark_named_twice_is_there_once(root):
    assert chosen(root, benchmarks=("bench", "bench")).cases.height == 30
    assert chosen(root, benchmarks=("bench", "demo")).cases["benchmark"].n_unique() == 2


def test_conditions_may_speak_of_a_scorer_that_is_not_shown(root):
    found = chosen(root, scorers=("gpt4",), where=("\"rand-0.outcome\" = 'clean'", "n_steps > 1"))
    frame = found.evaluated.table(found.evaluated.columns)[found.shown]
    assert found.shown.size > 0
    assert set(frame["rand-0.outcome"]) == {"clean"}
    assert (frame["n_steps"] > 1).all()


def test_subsets_are_chosen_by_a_part_of_their_name(root):
    found = chosen(root, subsets=("words",))
    assert set(found.cases["subset"].gather(found.shown)) == {"two words"}
    both = chosen(root, subsets=("words", "it's"))
    assert both.shown.size == 30


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"scorers": ("nobody",)}, "no scorer matches 'nobody'. There are: gpt4, rand-0, x=y."),
        ({"scorers": ("4",), "subsets": ("t",)}, "2 subsets match 't'"),
        ({"benchmarks": ("nothing",)}, "benchmark 'nothing' is not in this workspace. Here are: bench, demo."),
        ({"where": ("gpt4.outcome = 'late'",)}, 'write "gpt4.outcome", in double quotes'),
        ({"where": ("rand-0.outcome = 'late'",)}, 'write "rand-0.outcome", in double quotes'),
        ({"sort": "margin"}, "3 columns match 'margin'"),
        ({"sort": "nothing"}, "no column matches 'nothing'"),
        ({"sort": "error_steps"}, "holds lists and has no order"),
        ({"thresholds": ((None, "much"),)}, "'much' is not a threshold"),
        ({"thresholds": ((None, "nan"),)}, "'nan' is not a threshold"),
        ({"thresholds": ((None, "-inf"),)}, "'-inf' is not a threshold"),
        ({"thresholds": ((None, "best:x"),)}, "'best:x' is not a threshold"),
        ({"thresholds": (("nobody", "0.5"),)}, "no scorer matches 'nobody'"),
        ({"thresholds": ((None, "from:nowhere"),)}, "no subset matches 'nowhere'"),
        ({"thresholds": ((None, "best"),), "benchmarks": ("bench", "demo")}, "Choose one with --benchmark."),
        ({"thresholds": ((None, "best"),), "where": ("earliest_error = -1",)}, "F1 is undefined"),
        ({"thresholds": (("gpt4", "best"),), "where": ("\"gpt4.outcome\" = 'late'",)}, "cannot be tuned under"),
    ],
)
def test_what_is_not_there_is_said_with_what_is(root, asked, said):
    with pytest.raises(UsageError) as raised:
        chosen(root, **asked)
    assert said in str(raised.value)


def test_numbers_decide_for_all_or_for_one_and_later_ones_win(root):
    found = chosen(
        root, thresholds=(("gpt4", "0.1"), (None, "0.30000000000000004"), ("x=y", "-1"), ("rand-0", "default"))
    )
    rules = {one.scorer.name: (one.rule.threshold, one.rule.source) for one in found.evaluations}
    assert rules == {"gpt4": (0.1 + 0.2, "chosen"), "x=y": (-1.0, "chosen"), "rand-0": (0.25, "default")}


def test_best_is_the_best_on_the_shown_cases(root):
    found = chosen(root, thresholds=(("gpt4", "best"),), subsets=("two words",)).evaluation("gpt4")
    rows = making.study()[1][0][1]
    rows = [case for case in rows if case.subset == "two words"]
    best = reference.best_f1(rows, "<")
    assert reference.metrics(rows, found.rule.threshold, "<")["average", "f1"] == pytest.approx(best)
    assert found.rule.source == OPTIMISTIC
    again = chosen(root, thresholds=(("gpt4", f"best:{found.rule.threshold!r}"),)).evaluation("gpt4")
    assert again.rule == found.rule


def test_best_minds_how_refused_cases_count(tmp_path):
    """Refused clean cases weigh down correct_acc, so that another threshold is the best once they are dropped."""
    kept = [reference.Case(1, 0, (r,)) for r in (0.1, 0.2, 0.3, 0.6)] + [
        reference.Case(1, -1, (r,)) for r in (0.4, 0.5, 0.7, 0.8)
    ]
    cases = [*kept, *[reference.Case(1, 0, refused="over length")] * 3]
    making.workspace(tmp_path, cases, [(making.scorer("x"), cases)])
    for unparsed in ("wrong", "drop"):
        found = load(Query(workspace=str(tmp_path), thresholds=((None, "best"),), unparsed=unparsed)).evaluation("x")
        value = reference.metrics(cases, found.rule.threshold, "<", unparsed)["average", "f1"]
        assert value == pytest.approx(reference.best_f1(cases, "<", unparsed))


def test_from_a_subset_is_tuned_there_whatever_is_shown(root):
    one, other = (
        chosen(root, thresholds=((None, "from:it's"),), where=where).evaluation("gpt4").rule
        for where in ((), ("n_steps = 1",))
    )
    assert one == other
    assert one.source == "best on subset it's (optimistic there)"


@pytest.mark.parametrize(
    "sort", ["n_steps", "n_steps:asc", "n_steps:desc", "gpt4.margin", "gpt4.margin:desc", "generator:desc", "n_st:desc"]
)
def test_orders_are_stable_and_put_nulls_last(root, sort):
    found = chosen(root)
    column, descending = sort.removesuffix(":desc").removesuffix(":asc"), sort.endswith(":desc")
    values = found.evaluated.table(found.evaluated.columns)["n_steps" if column == "n_st" else column].to_list()
    rows = [row for row, value in enumerate(values) if value is not None]
    rows.sort(key=lambda row: values[row], reverse=descending)  # Python keeps ties in order, reversed or not
    missing = [row for row, value in enumerate(values) if value is None]
    assert chosen(root, sort=sort).shown.tolist() == [*rows, *missing]


def test_instructive_is_the_order_of_the_first_scorer_shown(root):
    found = chosen(root, scorers=("rand-0", "gpt4"), sort="instructive", where=("n_steps > 1",))
    expected = instructive(found.evaluation("rand-0").margins, found.evaluation("rand-0").codes)
    assert found.shown.tolist() == [row for row in expected if found.mask[row]]
    with pytest.raises(UsageError, match="needs a scorer"):
        found.orders.of(found.evaluated, (), "instructive")


def test_a_name_is_matched_whole_before_in_part():
    assert match_name("a", ["a", "ab"], "scorer") == "a"
    assert match_name("B", ["a", "ab"], "scorer") == "ab"
    with pytest.raises(UsageError, match="2 scorers match 'a'"):
        match_name("a", ["ab", "ac"], "scorer")
    with pytest.raises(UsageError, match="There are none"):
        match_name("a", [], "scorer")
    many = [f"a{number:02}" for number in range(14)]
    with pytest.raises(UsageError, match=r"no scorer matches 'b'\. There are: a00, .*, a11 and 2 more\."):
        match_name("b", many, "scorer")
    with pytest.raises(UsageError, match=r"12 scorers match 'a'\. There are: a00, .*, a11\."):
        match_name("a", many[:12], "scorer")


def test_two_scorers_of_one_name_are_never_mixed(tmp_path):
    cases, _ = making.study()
    rows = [making.scored(case, random.Random(1)) for case in cases]
    twins = [(making.scorer("x"), rows), (making.scorer("x", fingerprint="f" * 16), rows)]
    making.workspace(tmp_path, cases, twins)
    found = load(Query(workspace=str(tmp_path)))
    assert found.chosen == ("x",)
    assert len(found.problems) == 1
    assert "another scorer here is called x as well" in found.problems[0]
    assert found.evaluated.table(found.evaluated.columns).height == len(cases)


def test_a_scorer_without_a_row_for_any_of_the_cases_is_not_there(tmp_path):
    cases = [reference.Case(1, -1, (0.5,)), reference.Case(1, -1)]
    nothing = [replace(case, rewards=None) for case in cases]
    making.workspace(tmp_path, cases, [(making.scorer("some"), cases), (making.scorer("none"), nothing)])
    assert load(Query(workspace=str(tmp_path))).chosen == ("some",)


def test_damaged_scorers_are_told_and_the_others_load(tmp_path):
    cases, scorers = making.study()
    making.workspace(tmp_path, cases, scorers)
    (tmp_path / "rewards" / "gpt4-67707434" / "scorer.json").write_text("{")
    found = load(Query(workspace=str(tmp_path)))
    assert found.chosen == ("rand-0", "x=y")
    assert any("gpt4-67707434" in problem for problem in found.problems)


def test_the_demo_needs_no_workspace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("platformdirs.user_data_path", (tmp_path / "own").joinpath)
    monkeypatch.delenv("PRM_INSPECT_WORKSPACE", raising=False)
    found = load(Query(benchmarks=("demo",)))
    assert found.cases.height > 0
    assert found.chosen
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(NoWorkspace):
        load(Query(benchmarks=("demo",), workspace=str(tmp_path / "missing")))


def test_a_workspace_without_anything_is_empty_and_no_error(tmp_path):
    Workspace.create(tmp_path)
    found = load(Query(workspace=str(tmp_path)))
    assert (found.cases.height, found.evaluations, found.shown.tolist()) == (0, (), [])
    with pytest.raises(FilterError):
        load(Query(workspace=str(tmp_path), where=("nothing = 1",)))


def test_the_mask_and_the_shown_rows_say_the_same(root):
    found = chosen(root, where=("n_steps > 2",), sort="n_steps:desc")
    assert np.flatnonzero(found.mask).tolist() == sorted(found.shown.tolist())
