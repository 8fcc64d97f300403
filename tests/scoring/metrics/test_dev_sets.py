import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import making
import reference
from reference import Case
from scoring.data.errors import UsageError
from scoring.data.schema import REWARDS
from scoring.evaluation.evaluation import columns_of, evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.single_case import judged_wrong
from scoring.evaluation.verdicts import DEV, Rule, RuleByCase
from scoring.metrics.deciding import EACH, dev_sets, dev_thresholds, dev_tuned
from scoring.metrics.first_error_family import FIRST_ERRORS
from scoring.metrics.metrics_by_subset import metric_rows
from thoroughness import up_to

BOTH = pytest.mark.parametrize("comparison", ["<", "<="])


def many(seed=0, each=30, subsets=("one", "two"), values=making.COARSE, refused=0.0):
    """Cases with more than a dev set of both kinds in every subset, in no order."""
    draw = random.Random(seed)
    cases = []
    for subset in subsets:
        for gold in [-1] * each + [draw.randrange(3) for _ in range(each)]:
            rewards = tuple(draw.choice(values) for _ in range(3))
            case = Case(3, gold, rewards, subset=subset)
            cases.append(replace(case, refused="over length") if draw.random() < refused else case)
    draw.shuffle(cases)
    return cases


def slow_dev_rows(names, cases, seed):
    """The dev cases as the docstring says, one subset at a time."""
    chosen = set()
    for subset in {case.subset for case in cases}:
        rng = np.random.default_rng(seed)
        rows = sorted((name, row) for row, name in enumerate(names) if cases[row].subset == subset)
        clean = [row for _, row in rows if cases[row].gold == -1]
        erroneous = [row for _, row in rows if cases[row].gold is not None and cases[row].gold >= 0]
        if len(clean) > EACH and len(erroneous) > EACH:
            for side in (clean, erroneous):
                chosen |= {side[at] for at in rng.choice(len(side), EACH, replace=False)}
    return chosen


def slow_threshold(cases, comparison, unparsed):
    """The lowest of the thresholds with the best F1, tried one after the other."""
    values = sorted({value for case in cases for value in reference.floats(case) or () if value < float("inf")})
    values = [*values, np.nextafter(values[-1], 9)] if comparison == "<" else [np.nextafter(values[0], -9), *values]
    found = [(reference.metrics(cases, value, comparison, unparsed)["average", "f1"], value) for value in values]
    best = max(f1 for f1, _ in found if f1 is not None)
    return next(value for f1, value in found if f1 == pytest.approx(best, abs=1e-12))


@up_to(25, 5)
@given(
    seed=st.integers(0, 99),
    draw=st.integers(0, 9),
    comparison=st.sampled_from(("<", "<=")),
    unparsed=st.sampled_from(("wrong", "drop")),
    refused=st.sampled_from((0.0, 0.3)),
)
def test_every_subset_gets_the_best_threshold_of_its_dev_cases_and_is_reported_on_the_others(
    seed, draw, comparison, unparsed, refused
):
    cases = many(seed, refused=refused)
    found = making.evaluation(cases, 0.5, comparison)
    dev = slow_dev_rows(found.gold.cases["case"].to_list(), cases, draw)
    tuned = dev_tuned(found, draw, lambda _: unparsed)
    assert set(np.flatnonzero(tuned.codes == DEV)) == dev
    everything = np.ones(len(cases), dtype=bool)
    rows = {(row["subset"], row["metric"]): row for row in metric_rows(FIRST_ERRORS, tuned, everything, unparsed)}
    for subset in ("one", "two"):
        own = [case for row, case in enumerate(cases) if row in dev and case.subset == subset]
        threshold = slow_threshold(own, comparison, unparsed)
        assert tuned.rule.by_subset[subset] == threshold
        rest = [case for row, case in enumerate(cases) if row not in dev and case.subset == subset]
        expected = reference.metrics(rest, threshold, comparison, unparsed)
        for metric in reference.METRICS:
            value = rows[subset, metric]["value"]
            assert value == (None if expected[subset, metric] is None else pytest.approx(expected[subset, metric]))
        counted = [case for case in rest if unparsed == "wrong" or reference.usable(case) is not None]
        assert rows[subset, "f1"]["n"] == len(counted)


@BOTH
def test_what_is_kept_is_decided_alike_and_reported_too(comparison):
    cases = many()
    found = making.evaluation(cases, 0.5, comparison)
    tuned, kept = dev_tuned(found, 0), dev_tuned(found, 0, keep=True)
    rest = tuned.codes != DEV
    assert rest.sum() == len(cases) - 4 * EACH
    assert np.array_equal(tuned.codes[rest], kept.codes[rest])
    assert (kept.codes != DEV).all()
    assert (tuned.coverage.left_out, kept.coverage.left_out) == (4 * EACH, 0)
    assert "optimistic" in kept.rule.source
    assert tuned.rule.source == "dev-tuned per subset, 20+20 of each, seed 0"


def test_a_dev_case_has_no_verdict_no_margin_and_no_step_accuracy():
    tuned = dev_tuned(making.evaluation(many()), 0)
    frame = columns_of(tuned).filter(columns_of(tuned)["scorer.outcome"] == "dev")
    assert frame.height == 4 * EACH
    for name in ("verdict", "margin", "step_accuracy"):
        assert frame[f"scorer.{name}"].null_count() == frame.height
    row = int(np.flatnonzero(tuned.codes == DEV)[0])
    assert judged_wrong(tuned, row) is None
    assert not tuned.coverage.answered[row]
    assert not tuned.coverage.tried[row]


def test_each_case_is_decided_at_the_threshold_of_its_subset():
    cases = many()
    tuned = dev_tuned(making.evaluation(cases), 3)
    for row, case in enumerate(cases):
        threshold = tuned.rule.by_subset[case.subset]
        assert tuned.rule.threshold_of(row) == threshold
        if tuned.codes[row] != DEV:
            assert columns_of(tuned)["scorer.outcome"][row] == reference.outcome(case, threshold, "<")
            assert columns_of(tuned)["scorer.verdict"][row] == reference.verdict(case, threshold, "<")
            assert tuned.margins[row] == pytest.approx(reference.margin(case, threshold, "<"))
            assert tuned.step_accuracies[row] == pytest.approx(reference.step_accuracy(case, threshold, "<"))
            assert judged_wrong(tuned, row) == [reward < threshold for reward in case.rewards]


@up_to(10, 4)
@given(data=st.data(), seed=st.integers(0, 9))
def test_the_order_of_the_rows_changes_nothing(data, seed):
    cases = many(seed, each=22)
    found = making.evaluation(cases)
    order = np.array(data.draw(st.permutations(range(len(cases)))))
    frame = found.gold.cases[order]
    moved = evaluate(Gold(frame), found.scorer, making.rewards(cases), Rule(0.5))
    one, other = dev_tuned(found, seed), dev_tuned(moved, seed)
    assert np.array_equal(one.codes[order], other.codes)
    assert one.rule.by_subset == other.rule.by_subset


def test_a_seed_draws_the_same_again_and_another_other_cases():
    gold = making.evaluation(many()).gold
    again = Gold(gold.cases.clone())
    assert np.array_equal(dev_sets(gold, 5).rows, dev_sets(again, 5).rows)
    assert not np.array_equal(dev_sets(gold, 5).rows, dev_sets(gold, 6).rows)


def test_a_subset_draws_the_same_cases_whatever_lies_beside_it():
    frame = making.frame(many())
    part = frame.filter(frame["subset"] == "one")
    both, alone = (set(one["case"].filter(making.pl.Series(dev_sets(Gold(one), 0).rows))) for one in (frame, part))
    assert len(alone) == 2 * EACH
    assert alone == both & set(part["case"])


def test_a_subset_with_too_few_cases_stays_whole_and_at_the_default():
    few = [Case(1, 0, (0.4,), subset="few"), Case(1, -1, (0.6,), subset="few")]
    cases = [*many(subsets=("one",)), *few]
    tuned = dev_tuned(making.evaluation(cases, 0.1), 0)
    assert isinstance(tuned.rule, RuleByCase)
    assert tuned.rule.source.endswith("; at the default: few (1 clean and 1 erroneous cases)")
    assert columns_of(tuned)["scorer.outcome"][-2:].to_list() == ["exact", "clean"]
    assert tuned.rule.threshold_of(len(cases) - 1) == 0.5


@pytest.mark.parametrize("each", [1, EACH])
def test_without_a_dev_set_anywhere_the_scorer_is_at_its_default(each):
    tuned = dev_tuned(making.evaluation(many(each=each), 0.1), 0)
    assert tuned.rule.threshold == 0.5
    assert tuned.rule.source.startswith(f"default; not dev-tuned: one ({each} clean and {each} erroneous cases)")
    assert tuned.coverage.left_out == 0


def test_where_no_dev_case_of_a_kind_was_scored_the_subset_stays_at_the_default():
    cases = [replace(case, rewards=None) if case.gold >= 0 else case for case in many(subsets=("one",))]
    tuned = dev_tuned(making.evaluation(cases), 0)
    assert "one (F1 is undefined on its dev cases)" in tuned.rule.source
    assert tuned.coverage.left_out == 0


def test_without_rewards_there_is_nothing_to_tune():
    found = evaluate(Gold(making.frame(many())), making.scorer(), making.rewards([]).cast(REWARDS))
    assert dev_tuned(found, 0).rule.source == "default; not dev-tuned: no case was scored"
    assert dev_thresholds(found, 0).by_subset == {}


def test_going_back_from_dev_sets_takes_their_cases_in_again():
    found = making.evaluation(many(), 0.25)
    tuned = dev_tuned(found, 0)
    assert np.array_equal(tuned.at(0.25).codes, found.codes)
    assert np.array_equal(tuned.at_default().codes, found.at(0.5).codes)
    assert np.array_equal(tuned.compared("<=").codes, found.at(0.5).compared("<=").codes)
    assert np.array_equal(dev_tuned(tuned, 0).codes, tuned.codes)


def test_the_boundary_is_that_of_the_evaluation():
    cases = many()
    tuned = dev_tuned(making.evaluation(cases, 0.5).compared("<="), 0)
    assert tuned.rule.comparison == "<="
    assert str(tuned.rule).startswith("a step is judged wrong iff its reward <= threshold of its subset")


def test_given_labels_have_no_dev_set():
    cases = many()
    rewards = making.rewards(cases)
    labels = rewards.with_columns(labels=rewards["rewards"].list.eval(making.pl.element() > 0.5), rewards=None)
    found = evaluate(Gold(making.frame(cases)), making.scorer(), labels.cast(REWARDS))
    with pytest.raises(UsageError, match="no threshold to set: labels as given"):
        dev_tuned(found, 0)
