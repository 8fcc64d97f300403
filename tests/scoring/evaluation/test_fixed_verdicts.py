import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import judged
import making
import reference
from reference import Case
from scoring.data.errors import UsageError
from scoring.data.scorer import Scorer
from scoring.evaluation.evaluation import columns_of, evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.instructive import instructive
from scoring.evaluation.single_case import judged_wrong
from scoring.evaluation.verdicts import NO_VERDICT, ProvidedVerdicts, Rule
from scoring.metrics.first_error_family import FIRST_ERRORS
from scoring.metrics.kernel import FIRST_ERROR, Decided
from scoring.metrics.metrics_by_subset import metric_rows
from scoring.metrics.threshold_curves import metric_curve
from thoroughness import up_to

ALL = making.frame(judged.CASES)


def labelled(rows=judged.LABELS, cases=ALL, rewards=None):
    return evaluate(Gold(cases), making.scorer(), judged.labels(cases["key"], rows, rewards))


def voted(ballots=judged.BALLOTS, cases=ALL):
    nothing = judged.labels([], [])
    return evaluate(Gold(cases), making.scorer(), nothing, votes=judged.votes(cases["key"], ballots))


def numbered(numbers=judged.NUMBERS, cases=ALL):
    return evaluate(Gold(cases), making.scorer(), judged.solutions(cases["key"], numbers))


def words(found):
    return columns_of(found)["scorer.outcome"].to_list()


# -- labels


def test_the_first_step_labelled_wrong_is_the_verdict():
    found = labelled()
    assert columns_of(found)["scorer.verdict"].to_list() == [1, 0, -1, 1, -1, None]
    assert words(found) == ["exact", "early", "clean", "false_alarm", "missed", "refused"]
    assert found.coverage.reasons[5] == "labels for 0 of 1 steps"
    assert (found.rule.is_movable, found.coverage.count, found.rule.source) == (False, 5, "labels as given")
    assert found.rule.threshold is None
    assert columns_of(found).select("scorer.margin", "scorer.reward_at_gold").null_count().row(0) == (6, 6)
    assert [judged_wrong(found, row) for row in (0, 2, 5)] == [[False, True, False], [False, False], None]


@up_to(60, 8)
@given(cases=making.benches(), rule=making.rules())
def test_labels_say_what_the_threshold_that_made_them_says(cases, rule):
    """A scorer whose labels are those of a rule is decided as by the rule, but for what only rewards can tell."""
    moving = making.evaluation(cases, *rule)
    rows = [
        {"key": key, "labels": [not reference.is_wrong(reward, *rule) for reward in reference.usable(case)]}
        for key, case in zip(moving.gold.cases["key"], cases, strict=True)
        if reference.usable(case) is not None
    ]
    fixed = evaluate(moving.gold, making.scorer(), judged.labels([r["key"] for r in rows], [r["labels"] for r in rows]))
    scored = pl.Series(moving.coverage.answered)
    assert fixed.coverage.answered.tolist() == moving.coverage.answered.tolist()
    for name in ("verdict", "outcome", "step_accuracy"):
        column = f"scorer.{name}"
        assert (
            columns_of(fixed)[column].filter(scored).equals(columns_of(moving)[column].filter(scored), null_equal=True)
        )
    one, other = (Decided(each, "drop").count for each in (fixed, moving))
    assert all(one(name).tolist() == other(name).tolist() for name in FIRST_ERROR)


def test_labels_decide_where_there_are_rewards_too():
    cases = making.frame(judged.CASES[:3])
    found = labelled(judged.LABELS[:3], cases, [[0.9, 0.9, 0.9], [0.1, 0.1, 0.1], [0.1, 0.1]])
    assert words(found) == ["exact", "early", "clean"]
    assert not found.rule.is_movable
    assert columns_of(found)["scorer.reward_at_gold"].to_list() == [0.9, 0.1, None]
    assert found.margins.tolist() == pytest.approx([np.nan] * 3, nan_ok=True)
    assert found.step_accuracies.tolist() == [1.0, 1 / 3, 1.0]


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([(True,)], "labels for 1 of 2 steps"),
        ([(True, None)], "a label is missing"),
        ([()], "labels for 0 of 2 steps"),
    ],
)
def test_labels_that_say_of_no_step_that_it_is_wrong_and_not_of_all_are_refused_with_a_reason(rows, reason):
    found = labelled(rows, making.frame([Case(2, 0)]))
    assert (words(found), list(found.coverage.reasons)) == (["refused"], [reason])
    assert found.verdicts.tolist() == [NO_VERDICT]


def test_rows_with_and_without_labels_are_decided_each_in_its_way():
    cases = [Case(2, 1, (0.9, 0.1)), Case(2, -1, (0.1, 0.1)), Case(2, 1, (0.9, 0.4)), Case(2, -1, (0.9, 0.6))]
    frame = making.frame(cases)
    mixed = making.rewards(cases).with_columns(
        labels=pl.Series([[True, False], [True, True], None, None], dtype=pl.List(pl.Boolean))
    )
    found = evaluate(Gold(frame), making.scorer(), mixed)
    assert found.rule.is_movable
    for threshold, last in ((0.3, ["missed", "clean"]), (0.5, ["exact", "clean"]), (0.95, ["early", "false_alarm"])):
        moved = found.at(threshold)
        assert words(moved) == ["exact", "clean", *last]
        assert moved.verdicts.tolist()[:2] == [1, -1]
    assert np.isnan(found.margins[:2]).all()
    assert np.isfinite(found.margins[2:]).all()
    assert found.step_accuracies.tolist() == [1.0] * 4
    curve = metric_curve(FIRST_ERRORS, found, np.ones(4, dtype=bool))
    for threshold, f1 in zip(curve.thresholds, curve.score, strict=True):
        rows = metric_rows(FIRST_ERRORS, found.at(threshold), np.ones(4, dtype=bool))
        (value,) = [row["value"] for row in rows if (row["subset"], row["metric"]) == ("average", "f1")]
        assert value == pytest.approx(f1)


# -- votes


def test_a_critics_vote_is_the_verdict_and_what_nobody_can_read_is_unparsed():
    found = voted()
    assert columns_of(found)["scorer.verdict"].to_list() == [1, 0, -1, 1, None, None]
    assert words(found) == ["exact", "early", "clean", "false_alarm", "unparsed", "unparsed"]
    assert found.coverage.reasons[4] == found.coverage.reasons[5] == "no number in the box"
    assert (found.rule.is_movable, found.coverage.count) == (False, 4)
    assert found.rule.source == "verdicts as given (vote of 5)"
    assert "most frequent" in str(found.rule)
    assert columns_of(found).select("scorer.margin", "scorer.step_accuracy").null_count().row(0) == (6, 6)
    assert all(judged_wrong(found, row) is None for row in range(6))


def test_verdicts_that_name_no_step_are_wrong_and_one_answer_is_no_vote():
    cases = making.frame([Case(2, 0), Case(2, 1), Case(2, -1), Case(2, -1)])
    found = voted([["-3"], ["7"], ["7"], ["-3"]], cases)
    assert columns_of(found)["scorer.verdict"].to_list() == [-2, 7, 7, -2]
    assert words(found) == ["early", "late", "false_alarm", "false_alarm"]
    assert found.rule.source == "verdicts as given"


def test_unparsed_cases_count_as_wrong_or_not_at_all():
    def f1(unparsed):
        rows = metric_rows(FIRST_ERRORS, voted(), np.ones(6, dtype=bool), unparsed)
        return {(row["subset"], row["metric"]): (row["value"], row["n"]) for row in rows}

    assert f1("wrong")["one", "error_acc"] == (0.25, 4)
    assert f1("drop")["one", "error_acc"] == (0.5, 2)
    assert f1("wrong")["one", "correct_acc"] == f1("drop")["one", "correct_acc"] == (0.5, 2)


def test_votes_come_before_rewards_even_where_they_cannot_be_read():
    cases = making.frame([Case(2, 0), Case(2, 0), Case(2, 0)])
    rewards = making.rewards([Case(2, 0, (0.1, 0.9))] * 3, cases["key"])
    votes = judged.votes(cases["key"][:2], [["1"], [None]])
    found = evaluate(Gold(cases), making.scorer(), rewards, votes=votes)
    assert words(found) == ["late", "unparsed", "exact"]
    assert words(found.at(0.0)) == ["late", "unparsed", "missed"]
    assert found.rule.is_movable


# -- one number a solution


def test_one_number_a_solution_is_no_verdict_and_never_wrong():
    found = numbered()
    assert words(found) == ["unscored"] * 5 + ["refused"]
    assert (found.coverage.count, found.rule.is_movable, found.coverage.covers("bench")) == (0, False, True)
    assert found.coverage.present.all()
    assert not found.coverage.tried.any()
    assert found.coverage.nothing == "one number a solution, no step rewards"
    rows = list(metric_rows(FIRST_ERRORS, found, np.ones(6, dtype=bool)))
    assert {row["reason"] for row in rows} == {found.coverage.nothing}
    assert {(row["value"], row["n"]) for row in rows} == {(None, 0)}


def test_a_number_that_is_not_finite_is_refused():
    found = numbered([float("nan"), 0.5], making.frame([Case(2), Case(2)]))
    assert words(found) == ["refused", "unscored"]
    assert found.coverage.reasons[0] == "the number of the solution is not finite"


# -- all of them


@pytest.mark.parametrize("made", [labelled, voted, numbered])
def test_no_threshold_can_be_set_and_there_is_no_curve(made):
    found = made()
    assert isinstance(found.rule, ProvidedVerdicts)
    with pytest.raises(UsageError, match=f"scorer has no threshold to set: {found.rule.source[:10]}"):
        found.at(0.5)
    assert metric_curve(FIRST_ERRORS, found, np.ones(6, dtype=bool)) is None


@pytest.mark.parametrize("made", [labelled, voted])
def test_without_margins_wrong_cases_still_come_first(made):
    found = made()
    order = [words(found)[row] for row in instructive(found.margins, found.codes)]
    kinds = [
        0 if word in {"early", "late", "missed", "false_alarm"} else 1 if word in {"exact", "clean"} else 2
        for word in order
    ]
    assert kinds == sorted(kinds)


def test_the_scorers_own_comparison_decides():
    cases = [Case(2, 0, (0.5, 0.9)), Case(1, -1, (0.5,))]
    for comparison, outcomes in (("<", ["missed", "clean"]), ("<=", ["exact", "false_alarm"])):
        scorer = Scorer("scorer", "f" * 16, comparison=comparison)
        found = evaluate(Gold(making.frame(cases)), scorer, making.rewards(cases))
        assert words(found) == outcomes
        assert found.rule == Rule(0.5, comparison, "default")


@up_to(40, 5)
@given(
    ballots=st.lists(st.lists(st.sampled_from(("0", "1", "-1", "9", "x", None)), max_size=3), min_size=1, max_size=6)
)
def test_every_case_has_one_outcome_and_a_verdict_iff_it_is_answered(ballots):
    golds = [(-1, 0, 1, None)[index % 4] for index in range(len(ballots))]
    cases = making.frame([Case(2, gold) for gold in golds])
    found = voted(ballots, cases)
    for row, gold in enumerate(golds):
        verdict = columns_of(found)["scorer.verdict"][row]
        assert (verdict is not None) == found.coverage.answered[row]
        expected = "unparsed" if ballots[row] else "unscored"
        assert words(found)[row] == (expected if verdict is None else reference.outcome_of(verdict, gold, 2))
