import json
import shlex

import numpy as np
import pytest
from msgspec.structs import asdict, replace

import making
import reference
from inspector.analyses import Params
from inspector.analyses.bias import bias
from inspector.analyses.board.board_rows import board_frame
from inspector.cli import main
from inspector.screens.exporting import export_document
from inspector.screens.messages import Export
from inspector.screens.threshold_bar.rail_lines import ThresholdChanges
from inspector.state.case_list.listed import cleared, failures
from inspector.state.comparability import incomparable
from inspector.state.filtering.facets import offered_counts
from inspector.state.focusing import next_scorer, on_benchmark
from inspector.state.opening import inspect
from inspector.state.subject import subject
from inspector.state.thresholds.threshold_span import threshold_span
from scoring.evaluation.instructive import instructive
from scoring.evaluation.verdicts import OUTCOMES
from scoring.metrics.deciding import OPTIMISTIC
from scoring.metrics.headline import Headline
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.selection.result_set import row_order
from scoring.workspace.filtering.filters import Facet, Filter, NumberRange

CASES, SCORERS = making.study()
SCORED = {scorer.name: rows for scorer, rows in SCORERS}
THRESHOLDS = {scorer.name: scorer.threshold for scorer, _ in SCORERS}
LABELS = making.labels(CASES)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("study")
    making.workspace(root, CASES, SCORERS, **LABELS)
    return str(root)


@pytest.fixture(scope="module")
def start(root):
    return inspect(load(Query(workspace=root))).focused("gpt4", "bench")


def f1(cases, threshold, unparsed="wrong"):
    value = reference.metrics(cases, threshold, "<", unparsed)["average", "f1"]
    return None if value is None else pytest.approx(value, abs=1e-12)


def test_it_begins_with_all_cases_and_the_best_scorer(root):
    start = inspect(load(Query(workspace=root)))
    best = max(SCORED, key=lambda name: reference.metrics(SCORED[name], THRESHOLDS[name], "<")["average", "f1"])
    assert (start.focus.benchmark, start.focus.scorer) == ("bench", best)
    assert best == board_frame(start.results)["scorer"][0] != "gpt4"
    assert start.shown.tolist() == list(range(len(CASES)))


def test_the_best_is_that_of_the_conditions_given(root):
    for where in ("subset = 'two words'", "n_steps > 2", "n_steps > 99"):
        start = inspect(load(Query(workspace=root, where=(where,))))
        frame = board_frame(start.results, start.base)
        assert start.focus.scorer == (frame["scorer"][0] if frame.height else "gpt4")


def test_a_scorer_that_was_asked_for_comes_before_the_best(root):
    start = inspect(load(Query(workspace=root, scorers=("gpt",))))
    assert (start.focus.benchmark, start.focus.scorer) == ("bench", "gpt4")
    assert start.shown.tolist() == list(range(len(CASES)))
    assert start.results.query.scorers == ("gpt4",)
    assert sum(start.summary.outcome_counts.values()) == len(CASES)
    assert start.summary.headline.score == f1(SCORED["gpt4"], 0.5)


@pytest.mark.parametrize("scorer", ["gpt4", "rand-0", "x=y"])
@pytest.mark.parametrize("unparsed", ["wrong", "drop"])
def test_the_headline_is_the_row_of_the_metrics_table(root, scorer, unparsed):
    query = Query(workspace=root, unparsed=unparsed, seed=2)
    for where in ((), ("subset = 'two words'",), ("n_steps > 99",), ("earliest_error = -1",)):
        now = inspect(load(Query(**{**asdict(query), "where": where}))).focused(scorer, "bench")
        rows = json.loads(export_document(now, Export("metrics", "json")).render("json"))["rows"]
        table = {row["metric"]: row for row in rows if row["scorer"] == scorer and row["subset"] == "average"}
        assert (now.summary.headline.score, now.summary.headline.low, now.summary.headline.high) == tuple(
            table["f1"][name] for name in ("value", "low", "high")
        )
        assert (now.summary.headline.on_wrong, now.summary.headline.on_right) == (
            table["error_acc"]["value"],
            table["correct_acc"]["value"],
        )
        assert now.summary.headline.n == table["f1"]["n"]
        assert (now.summary.headline.reason is None) == (table["f1"]["reason"] is None)


def test_conditions_on_outcomes_narrow_the_list_and_leave_the_metric(start):
    failing = failures(start)
    assert failing.summary.headline == start.summary.headline
    assert failing.summary.outcome_counts == start.summary.outcome_counts
    wrong = sum(
        count
        for word, count in start.summary.outcome_counts.items()
        if word in {"early", "late", "missed", "false_alarm"}
    )
    assert failing.shown.size == wrong
    order = [
        row
        for row in instructive(start.evaluation.margins, start.evaluation.codes)
        if row in set(failing.shown.tolist())
    ]
    assert failing.shown.tolist() == order
    words = start.selected(chosen=Filter((Facet("subset", ("two words",)), Facet("gpt4.outcome", ("exact",)))))
    part = [case for case in SCORED["gpt4"] if case.subset == "two words"]
    assert words.summary.headline.score == f1(part, 0.5)


@pytest.mark.parametrize("threshold", [0.1, 1 / 3, 0.45, 0.7, -5.0, 5.0])
def test_moving_decides_everything_and_flips_are_what_changed(start, threshold):
    moved = start.moved(threshold)
    then, now = (
        [reference.is_right(case, t, "<") if reference.usable(case) else None for case in SCORED["gpt4"]]
        for t in (0.5, threshold)
    )
    became_right = sum(b and not a for a, b in zip(then, now, strict=True))
    became_wrong = sum(a and not b for a, b in zip(then, now, strict=True))
    old, new = ([reference.outcome(case, t, "<") for case in SCORED["gpt4"]] for t in (0.5, threshold))
    other = sum(a != b for a, b in zip(old, new, strict=True)) - became_right - became_wrong
    assert ThresholdChanges.between(start, moved) == (became_right, became_wrong, other)
    assert ThresholdChanges.between(moved, start) == (became_wrong, became_right, other)
    assert moved.summary.headline.score == f1(SCORED["gpt4"], threshold)
    assert moved.evaluation.rule.source == "chosen"
    others = [one for one in moved.results.evaluations if one.scorer.name != "gpt4"]
    assert all(any(one is old for old in start.results.evaluations) for one in others)


def test_there_and_back_gives_the_old_numbers(start):
    back = start.moved(0.123).moved(start.evaluation.scorer.threshold, start.evaluation.scorer.threshold_source)
    assert back.summary.headline == start.summary.headline
    assert back.summary.outcome_counts == start.summary.outcome_counts
    assert back.results.evaluated.table(back.results.evaluated.columns).equals(
        start.results.evaluated.table(start.results.evaluated.columns)
    )
    assert back.results.query.thresholds == (("gpt4", "default"),)


def test_while_a_threshold_moves_rows_keep_their_places(start):
    failing = failures(start)
    moved = failing.moved(0.7, order=row_order(failing.results))
    place = {row: index for index, row in enumerate(row_order(failing.results).tolist())}
    assert [place[row] for row in moved.shown] == sorted(place[row] for row in moved.shown)
    settled = moved.selected(sort=moved.results.query.sort)
    assert sorted(settled.shown) == sorted(moved.shown)
    assert settled.shown.tolist() == failing.moved(0.7).shown.tolist()


@pytest.mark.parametrize("unparsed", ["wrong", "drop"])
def test_the_curve_passes_through_the_headline(root, unparsed):
    start = inspect(load(Query(workspace=root, unparsed=unparsed))).focused("x=y", "bench")
    for threshold, value in zip(
        start.summary.sweep.thresholds.tolist(), start.summary.sweep.score.tolist(), strict=True
    ):
        headline = start.moved(threshold).summary.headline
        assert (headline.score is None) == np.isnan(value)
        assert headline.score is None or headline.score == pytest.approx(value)
    best = start.summary.sweep.best
    assert best[1] == pytest.approx(reference.best_f1(SCORED["x=y"], "<", unparsed))
    assert start.moved(best[0], OPTIMISTIC).results.query.thresholds == (("x=y", f"best:{best[0]!r}"),)


def test_the_curve_follows_the_filter(start):
    some = start.selected(chosen=Filter((Facet("subset", ("two words",)),)))
    part = [case for case in SCORED["gpt4"] if case.subset == "two words"]
    assert some.summary.sweep.best[1] == pytest.approx(reference.best_f1(part, "<"))
    assert some.moved(0.2).summary.sweep.best == some.summary.sweep.best
    assert start.selected(chosen=Filter(where=("n_steps > 99",))).summary.sweep.best is None


@pytest.mark.parametrize(
    "chosen",
    [
        Filter(),
        Filter((Facet("generator", ("m1", None)),)),
        Filter((Facet("final_answer_correct", (True,)), Facet("gpt4.outcome", ("exact", "clean")))),
        Filter((Facet("error_type", ("gap\n2",)), Facet("subset", ("it's",))), ("n_steps > 1",)),
        Filter((Facet("final_answer_correct", (None, False)),)),
    ],
)
def test_a_facets_count_is_how_many_cases_choosing_it_alone_would_show(start, chosen):
    now = start.selected(chosen=chosen)
    facets = offered_counts(now)
    assert {"gpt4.outcome", "subset", "error_type", "generator", "final_answer_correct"} <= facets.keys()
    assert "pattern" not in facets
    for column, values in facets.items():
        for value, number in values:
            alone = Filter((*chosen.without(column).facets, Facet(column, (value,))), chosen.where)
            assert now.selected(chosen=alone).shown.size == number


def test_facets_come_most_frequent_first_and_outcomes_in_their_own_order(start):
    facets = offered_counts(start)
    words = [value for value, _ in facets["gpt4.outcome"]]
    assert words == sorted(words, key=OUTCOMES.index)
    for column in ("subset", "generator", "final_answer_correct"):
        counts = [number for value, number in facets[column] if value is not None]
        assert counts == sorted(counts, reverse=True)
    assert facets["generator"][-1][0] is facets["final_answer_correct"][-1][0] is None


def test_another_scorer_takes_the_outcome_facet_along(start):
    other = next_scorer(failures(start), 1)
    assert other.focus.scorer == "rand-0"
    wrong = ("early", "late", "missed", "false_alarm", "unparsed", "refused")
    assert other.filter.facet("rand-0.outcome").values == wrong
    assert other.filter.facet("gpt4.outcome") is None
    assert [next_scorer(start, by).focus.scorer for by in (1, 2, 3, -1)] == ["rand-0", "x=y", "gpt4", "x=y"]
    words = set(other.results.evaluated.table(other.results.evaluated.columns)["rand-0.outcome"].gather(other.shown))
    assert words <= {"early", "late", "missed", "false_alarm"}
    assert cleared(other).shown.tolist() == list(range(len(CASES)))


def test_a_scorer_that_was_refused_everywhere_breaks_nothing(tmp_path):
    cases = [reference.Case(2, 0, (0.1, 0.9)), reference.Case(2, -1, (0.8, 0.9))]
    refused = [reference.Case(2, case.gold, refused="over length") for case in cases]
    making.workspace(tmp_path, cases, [(making.scorer("a"), refused), (making.scorer("b"), cases)])
    start = inspect(load(Query(workspace=str(tmp_path))))
    assert start.focus.scorer == "b"
    other = start.focused("a", "bench")
    assert threshold_span(other.evaluation) == (0.0, 1.0)
    assert other.summary.sweep.best is None
    assert (other.summary.headline.on_wrong, other.summary.headline.on_right, other.summary.headline.score) == (
        0,
        0,
        None,
    )
    assert next_scorer(other, 1).focus.scorer == next_scorer(other, -1).focus.scorer == "b"
    assert board_frame(start.results)["scorer"].to_list() == ["b", "a"]


def test_without_scorers_there_are_cases(tmp_path):
    making.workspace(tmp_path, CASES, [], **LABELS)
    start = inspect(load(Query(workspace=str(tmp_path), sort="n_steps")))
    assert (start.focus.scorer, start.evaluation, start.summary.headline, start.summary.sweep) == (
        None,
        None,
        None,
        None,
    )
    assert start.shown.size == len(CASES)
    assert next_scorer(start, 1) is start
    assert "subset" in offered_counts(start)
    assert start.summary.outcome_counts == {}


def test_without_cases_there_is_nothing_and_no_error(tmp_path):
    making.workspace(tmp_path, [], [])
    start = inspect(load(Query(workspace=str(tmp_path))))
    assert (start.shown.size, start.focus.scorer, offered_counts(start)) == (0, None, {})


def test_the_range_reaches_beyond_the_scorers_own_where_rewards_do(tmp_path):
    cases = [reference.Case(2, 0, (-3.5, 0.9))]
    made = [(making.scorer("a"), cases), (making.scorer("flat", low=-3.5, high=-3.5), [reference.Case(1, 0, (-3.5,))])]
    making.workspace(tmp_path, cases, made)
    assert threshold_span(inspect(load(Query(workspace=str(tmp_path)))).evaluation) == (-3.5, 1.0)


def test_a_subset_named_in_part_opens_on_that_subset(root):
    start = inspect(load(Query(workspace=root, subsets=("words",), where=("n_steps > 1",), scorers=("gpt4",))))
    assert set(start.cases["subset"].gather(start.shown)) == {"two words"}
    part = [case for case in SCORED["gpt4"] if case.subset == "two words" and case.n_steps > 1]
    assert start.summary.headline.score == f1(part, 0.5)
    assert cleared(start).shown.size == len(part)


def test_best_is_found_once_and_other_filters_do_not_tune_it_again(root):
    start = inspect(load(Query(workspace=root, thresholds=((None, "best"),), scorers=("gpt4",))))
    rule = start.evaluation.rule
    assert rule.source == OPTIMISTIC
    narrow = start.selected(chosen=Filter((Facet("generator", ("m2",)),)))
    assert narrow.evaluation.rule == rule
    assert ("gpt4", f"best:{rule.threshold!r}") in narrow.results.query.thresholds
    assert load(narrow.results.query).evaluation("gpt4").rule == rule


def test_what_is_the_best_on_one_benchmark_is_a_chosen_number_on_the_others(tmp_path):
    for name, n in (("first", 40), ("second", 24)):
        making.workspace(tmp_path / "w", *making.study(n=n), benchmark=name)
    start = inspect(load(Query(workspace=str(tmp_path / "w")))).focused("gpt4", "first")
    best = start.summary.sweep.best[0]
    moved = start.moved(best, OPTIMISTIC)
    assert ("gpt4", f"best:{best!r}:first") in moved.results.query.thresholds
    for state in (moved, inspect(load(moved.results.query))):
        sources = {name: on_benchmark(state, name).rule_of("gpt4").source for name in ("first", "second")}
        assert sources == {"first": OPTIMISTIC, "second": "chosen"}
        assert state.results.evaluation("gpt4").rule.threshold == best
        told = {
            name: " ".join(map(str, incomparable(state.results, ("gpt4", "x=y"), name))) for name in ("first", "second")
        }
        assert {name: "optimistic" in words for name, words in told.items()} == {"first": True, "second": False}
    # Alone, it is what it would have been without the other.
    alone = inspect(load(replace(moved.results.query, benchmarks=("first",))))
    assert alone.results.evaluation("gpt4").rule.source == OPTIMISTIC
    other = inspect(load(replace(moved.results.query, benchmarks=("second",))))
    assert other.rule_of("gpt4").source == "chosen"


def test_the_board_keeps_its_numbers_whatever_the_list_shows(start):
    narrow = start.selected(chosen=Filter((Facet("generator", ("m2",)),)))
    of_board = export_document(narrow, Export("all-metrics", "json")).rows
    assert of_board.equals(export_document(start, Export("metrics", "json")).rows)
    assert not of_board.equals(export_document(narrow, Export("metrics", "json")).rows)
    assert board_frame(narrow.results, narrow.base).equals(board_frame(start.results, start.base))


def test_two_benchmarks_are_looked_at_one_by_one(root):
    both = inspect(load(Query(workspace=root, benchmarks=("bench", "demo"))))
    other = next_scorer(both.focused(both.focus.scorer, "bench"), 1)
    assert set(other.cases["benchmark"].gather(other.shown)) == {"bench"}
    assert other.focus.scorer in SCORED
    assert other.summary.headline.score == f1(SCORED[other.focus.scorer], other.evaluation.scorer.threshold)
    assert isinstance(other.summary.headline, Headline)


def test_rewards_of_the_scorer_in_focus_stand_beside_the_cases(start):
    other = next_scorer(start, 1)
    assert other.rows.get_column("rewards").to_list() == [reference.usable(case) for case in SCORED["rand-0"]]


def test_spans_that_are_no_bins_are_counted_as_well(start):
    asked = (NumberRange(2, 3), NumberRange(0, 4), 5)
    chosen = Filter((Facet("n_steps", asked), Facet("n_steps", (NumberRange(3, 3),), keep=False)))
    counts = dict(offered_counts(start.selected(chosen=chosen))["n_steps"])
    lengths = [case.n_steps for case in CASES]
    for value in (*asked, NumberRange(3, 3)):
        low, high = value if isinstance(value, NumberRange) else (value, value)
        assert counts[value] == sum(low <= n <= high for n in lengths)


@pytest.mark.parametrize("scorer", ["gpt4", "coin"])
def test_no_file_of_one_scorer_holds_the_baselines_and_its_command_makes_it(root, scorer, capsysbinary):
    """Also where a condition reads one, whether or not that is the scorer."""
    start = inspect(load(Query(workspace=root, baselines=True)))
    for where in ((), ("\"coin.outcome\" <> 'early'",)):
        state = start.focused(scorer, "bench").selected(chosen=Filter(where=where))
        documents = [export_document(state, Export("cases", "csv")), export_document(state, Export("case", "csv", 3))]
        documents.append(export_document(state.selected(sort="coin.outcome"), Export("cases", "csv")))
        documents.append(bias.view(subject(state, (scorer,)), Params(form="csv")))
        for document in documents:
            assert main([*shlex.split(document.provenance["command"])[1:], "-q"]) == 0
            assert capsysbinary.readouterr().out == document.render("csv").encode()


def test_a_case_that_was_found_by_a_search_is_exported_as_its_command_shows_it(tmp_path, capsysbinary):
    """That does not search: it counts the dev cases of all."""
    making.workspace(tmp_path / "w", *making.study(n=160))
    query = Query(workspace=str(tmp_path / "w"), thresholds=((None, "dev"),), search="problem 1")
    document = export_document(inspect(load(query)), Export("case", "markdown", 1))
    assert "dev cases left out" in document.render("markdown")
    assert main([*shlex.split(document.provenance["command"])[1:], "-q"]) == 0
    assert capsysbinary.readouterr().out == document.render("markdown").encode()
