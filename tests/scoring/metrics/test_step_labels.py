import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import making
import step_making
import step_reference
from reference import Case
from scoring.data.schema import REWARDS, VOTES
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.formats.benchmarks.socratic import STEP_LABELLED as SOCRATIC
from scoring.metrics.step_labels import PooledSteps, step_rows
from scoring.metrics.step_metrics import AVERAGING, NAMES, PRMSCORE
from step_making import FACTS
from step_reference import ALONE, Step
from thoroughness import up_to

COMPARISON = st.sampled_from(("<", "<="))


def rows_of(found, twins=None, facts=FACTS, **asked):
    return list(step_rows(found, np.ones(found.codes.size, dtype=bool), facts, twins, **asked))


def values_of(rows):
    return {(row["subset"], row["metric"]): row["value"] for row in rows}


def reasons_of(rows):
    return {(row["subset"], row["metric"]): row["reason"] for row in rows if row["reason"]}


def step(rewards, wrong=(), name="counterfactual", **said):
    """A scored case; `wrong` are its wrong steps, 0-based."""
    first = min((at for at in wrong if at < len(rewards)), default=None if wrong else -1)
    return Step(Case(len(rewards), first, tuple(rewards), "", name, tuple(wrong)), name, **said)


def pooled(items, *, official=False, twins=None, **settings):
    """The figures of all steps."""
    rows = rows_of(step_making.evaluation(items, **settings), twins, official=official)
    return {row["metric"]: row["value"] for row in rows if row["subset"] == "all"}


@up_to(60, 8)
@given(
    items=step_making.items(),
    rule=making.rules(step_making.VALUES),
    redundancy=st.none() | st.sampled_from(step_making.VALUES),
    official=st.booleans(),
)
def test_every_figure_is_that_of_plain_counting(items, rule, redundancy, official):
    threshold, comparison = rule
    found = step_making.evaluation(items, threshold, comparison, redundancy_threshold=redundancy)
    expected = step_reference.table(items, threshold, comparison, redundancy, official)
    values = {
        key: value for key, value in values_of(rows_of(found, official=official)).items() if key[1] != "similarity"
    }
    assert values.keys() == expected.keys()
    for key, value in expected.items():
        assert values[key] == (None if value is None else pytest.approx(value, abs=1e-12)), key


@up_to(60, 8)
@given(items=step_making.items(min_size=1), rule=making.rules(step_making.VALUES), data=st.data())
def test_similarity_is_that_of_plain_counting(items, rule, data):
    threshold, comparison = rule
    problems = [
        f"p{number}" for number in data.draw(st.lists(st.integers(0, 3), min_size=len(items), max_size=len(items)))
    ]
    owners = {problem: place for place, problem in enumerate(problems)}
    twins = {problem: data.draw(st.none() | making.case(step_making.VALUES)) for problem in owners}
    found = step_making.evaluation(items, threshold, comparison, problems, redundancy_threshold=0.3)
    wanted = [twins[problem] if owners[problem] == place else None for place, problem in enumerate(problems)]
    originals = step_making.twins(found.gold.cases, wanted)
    each = step_reference.similarity(items, [twins[problem] for problem in problems], threshold, comparison, 0.3)
    rows = {row["subset"]: row for row in rows_of(found, originals) if row["metric"] == "similarity"}
    assert rows["all"]["n"] == len(each)
    for name in {item.name for item in items} & rows.keys():
        own = [value for place, value in each.items() if items[place].name == name]
        assert rows[name]["value"] == (pytest.approx(sum(own) / len(own)) if own else None)
    assert rows["all"]["value"] == (pytest.approx(sum(each.values()) / len(each)) if each else None)


def test_a_right_step_is_positive_and_prmscore_is_the_mean_of_both_f1s():
    # TP 2, FN 1, FP 1, TN 2.
    found = pooled([step((0.9, 0.9, 0.1, 0.9, 0.1, 0.1), wrong=(3, 4, 5))])
    third = pytest.approx(2 / 3)
    assert (found["positive_acc"], found["negative_acc"], found["acc"]) == (third, third, third)
    assert (found["f1_positive"], found["f1_negative"], found["prmscore"]) == (third, third, third)
    # TP 1, FN 0, FP 2, TN 1: precision 1/3 and recall 1, precision 1 and recall 1/3.
    found = pooled([step((0.9, 0.9, 0.9, 0.1), wrong=(1, 2, 3))])
    assert (found["positive_acc"], found["negative_acc"], found["acc"]) == (1, pytest.approx(1 / 3), 0.5)
    assert (found["f1_positive"], found["f1_negative"]) == (pytest.approx(0.5), pytest.approx(0.5))


def test_a_reward_on_the_threshold_is_wrong_under_the_rule_of_the_benchmark():
    item = step((0.5, 0.9), wrong=(0,))
    assert pooled([item], threshold=0.5, comparison="<=")["negative_acc"] == 1
    assert pooled([item], threshold=0.5, comparison="<")["negative_acc"] == 0


def test_first_is_about_the_lowest_wrong_step_whatever_becomes_of_the_others():
    caught, later = step((0.9, 0.1, 0.9), wrong=(1, 2)), step((0.1, 0.9, 0.1), wrong=(1, 2))
    beyond, clean = step((0.1, 0.1), wrong=(7,)), step((0.1, 0.1), name=ALONE)
    rows = rows_of(step_making.evaluation([caught, later, beyond, clean]))
    first = next(row for row in rows if (row["subset"], row["metric"]) == ("all", "first"))
    assert (first["value"], first["n"]) == (0.5, 2)


def test_wrong_steps_beyond_the_last_one_are_never_visited():
    found = step_making.evaluation([step((0.9, 0.1), wrong=(1, 5))])
    rows = {row["metric"]: row for row in rows_of(found) if row["subset"] == "all"}
    assert rows["prmscore"]["n"] == 2
    assert rows["negative_acc"]["n"] == 1
    assert rows["prmscore"]["value"] == 1
    # None of those listed is there: every step counts as right, as in the toolkit.
    assert pooled([step((0.9, 0.1), wrong=(7,))])["positive_acc"] == 0.5


def test_steps_are_pooled_in_a_class_and_classes_are_averaged_in_a_category_and_pooled_overall():
    long = step((0.9,) * 8 + (0.1,) * 2, wrong=(8, 9), name="redundency")
    short = step((0.9, 0.1), wrong=(0,), name="circular")
    found = values_of(rows_of(step_making.evaluation([long, short])))
    assert (found["redundency", "acc"], found["circular", "acc"]) == (1, 0)
    assert (found["Simplicity", "acc"], found["average", "acc"]) == (0.5, 0.5)
    assert found["all", "acc"] == pytest.approx(10 / 12)


def test_the_cell_of_a_class_without_a_wrong_step_is_the_f1_of_right_steps_alone():
    clean = step((0.9, 0.9, 0.9, 0.1), name=ALONE)
    wrong = step((0.9, 0.1), wrong=(1,), name="counterfactual")
    rows = rows_of(step_making.evaluation([clean, wrong]))
    found, why = values_of(rows), reasons_of(rows)
    f1 = pytest.approx(2 * 0.75 / 1.75)
    assert (found[ALONE, "prmscore"], found[ALONE, "f1_positive"], found["Sensitivity", "prmscore"]) == (f1, f1, f1)
    assert why[ALONE, "f1_negative"] == why[ALONE, "negative_acc"] == "no wrong step was scored"
    assert why[ALONE, "first"] == "no case with a wrong step was scored"
    assert found["average", "prmscore"] == pytest.approx((1 + 2 * 0.75 / 1.75) / 2)
    # What needs a wrong step is averaged over the classes that have one.
    assert (found["average", "negative_acc"], found["average", "first"]) == (1, 1)
    assert why["Sensitivity", "negative_acc"] == "no class with a wrong step was scored"
    # It counts like all others where steps are pooled: TP 4, FN 1, TN 1.
    assert found["all", "positive_acc"] == pytest.approx(4 / 5)


@pytest.mark.parametrize("name", ["redundency", "circular"])
def test_not_redundant_replaces_right_where_the_scorer_says_so(name):
    rewards, wrong = (0.9, 0.9, 0.1), (1,)
    plain = step(rewards, wrong, name)
    assert pooled([plain])["acc"] == pytest.approx(1 / 3)
    labelled = step(rewards, wrong, name, labels=(False, True, False))
    assert pooled([labelled])["acc"] == 1
    numbered = step(rewards, wrong, name, numbers=(0.15, 0.16, 0.1))
    assert pooled([numbered], redundancy_threshold=0.15)["acc"] == 1
    # Labels come before numbers, and numbers without a known threshold decide nothing.
    both = step(rewards, wrong, name, numbers=(0.9, 0.0, 0.9), labels=(False, True, False))
    assert pooled([both], redundancy_threshold=0.15)["acc"] == 1
    assert pooled([numbered])["acc"] == pytest.approx(1 / 3)
    # No other class is judged so, and no class of Socratic-PRMBench.
    other = step(rewards, wrong, "counterfactual", labels=(False, True, False))
    assert pooled([other])["acc"] == pytest.approx(1 / 3)
    rows = rows_of(step_making.evaluation([labelled]), facts=SOCRATIC)
    assert values_of(rows)["all", "acc"] == pytest.approx(1 / 3)


def test_official_figures_say_minus_one_for_an_empty_denominator():
    right = [step((0.9, 0.9), wrong=(1,))]  # all judged right: negative precision is 0/0, recall 0
    assert pooled(right, official=True)["f1_negative"] == 0
    assert pooled(right)["f1_negative"] is None
    alarm = [step((0.1, 0.9, 0.9), wrong=(2,))]  # nothing caught, one false alarm: precision 0, recall 0
    found = pooled(alarm, official=True)
    assert (found["f1_negative"], found["prmscore"]) == (-1, pytest.approx((0.5 - 1) / 2))
    assert pooled(alarm)["prmscore"] is None
    clean = [step((0.9,), name=ALONE)]
    found = pooled(clean, official=True)
    assert (found["negative_acc"], found["first"], found["similarity"], found["f1_negative"]) == (-1, -1, -1, -1)
    assert (found["positive_acc"], found["f1_positive"], found["prmscore"]) == (1, 1, 0)


def test_an_official_minus_one_has_no_interval_and_says_why():
    rows = rows_of(step_making.evaluation([step((0.9, 0.9), wrong=(1,))]), official=True)
    said = {"all": "no step was judged wrong", "average": "undefined in 1 of 1 classes"}
    for row in (row for row in rows if row["metric"] == "f1_negative" and row["subset"] in said):
        assert (row["value"], row["low"], row["high"], row["reason"]) == (0, None, None, said.pop(row["subset"]))
    assert not said


def test_reasons_name_what_is_missing():
    def why(*items):
        return {
            metric: reason
            for (part, metric), reason in reasons_of(rows_of(step_making.evaluation(items))).items()
            if part == "all"
        }

    assert why(step((0.9, 0.9), wrong=(1,)))["prmscore"] == "no step was judged wrong"
    assert why(step((0.1, 0.1), wrong=(1,)))["prmscore"] == "no step was judged right"
    assert why(step((0.1, 0.9), wrong=(1,)))["f1_positive"] == "no right step was judged right"
    assert why(step((0.9, 0.9), name=ALONE))["negative_acc"] == "no wrong step was scored"
    assert why(step((0.1, 0.9), wrong=(0, 1)))["positive_acc"] == "no right step was scored"
    nothing = why(Step(Case(2, 0, refused="over length"), "circular"))
    assert nothing["prmscore"] == nothing["first"] == "no case was scored"
    assert "validity_rate" not in nothing
    assert (why()["acc"], why()["validity_rate"]) == ("no case was scored", "no case was tried")


def test_invalid_outputs_are_dropped_and_lower_the_validity_rate():
    scored, refused, absent = step((0.9, 0.1), wrong=(1,)), Step(Case(3, 0, refused="x"), "counterfactual"), Case(3, 0)
    found = pooled([scored, refused, refused, Step(absent, "counterfactual")])
    assert (found["acc"], found["validity_rate"]) == (1, pytest.approx(1 / 3))


def test_rewards_that_are_not_as_many_as_steps_are_refused():
    item = Step(Case(3, 0, (0.1, 0.9), "", "circular", (0,)), "circular")
    found = pooled([item, step((0.1, 0.9), wrong=(0,), name="circular")])
    assert (found["acc"], found["validity_rate"]) == (1, 0.5)


def test_similarity_is_one_less_the_mean_difference_of_rates():
    items = [step((0.9, 0.1), (1,)), step((0.9, 0.9), (1,), ALONE), step((0.1, 0.1), (0,)), step((0.9,), (0,))]
    found = step_making.evaluation(items, problems=["a", "a", "b", "c"])
    # The twin of a: rate 1. That of b: 0, so that it is skipped. c has none.
    wanted = [Case(3, -1, (0.9, 0.8, 0.7)), None, Case(2, -1, (0.2, 0.3)), None]
    twins = step_making.twins(found.gold.cases, wanted)
    rows = rows_of(found, twins)
    values = values_of(rows)
    assert values["counterfactual", "similarity"] == 0.5
    assert values[ALONE, "similarity"] == 1
    assert values["all", "similarity"] == 0.75
    assert next(row["n"] for row in rows if (row["subset"], row["metric"]) == ("all", "similarity")) == 2


def test_twins_are_decided_at_the_threshold_of_the_cases():
    found = step_making.evaluation([step((0.9, 0.1), (1,))], 0.75)
    twins = step_making.twins(found.gold.cases, [Case(2, -1, (0.8, 0.7))])
    assert values_of(rows_of(found, twins))["all", "similarity"] == 1
    assert values_of(rows_of(found.at(0.6), twins))["all", "similarity"] == 0.5


def test_without_twins_similarity_is_null_and_where_a_benchmark_has_none_it_is_not_there():
    found = step_making.evaluation([step((0.9, 0.1), (1,))])
    assert reasons_of(rows_of(found))["all", "similarity"].startswith("no scored case has a scored twin")
    assert not [row for row in rows_of(found, facts=SOCRATIC) if row["metric"] == "similarity"]


def test_every_row_has_every_column_and_a_value_or_a_reason():
    rows = rows_of(step_making.evaluation([step((0.9, 0.1), (1,)), step((0.9, 0.2), (), ALONE)]))
    assert [row["metric"] for row in rows] == list(NAMES) * 6
    assert list(dict.fromkeys(row["subset"] for row in rows)) == [
        "counterfactual",
        ALONE,
        "Soundness",
        "Sensitivity",
        "all",
        "average",
    ]
    for row in rows:
        assert list(row) == ["subset", "metric", "value", "low", "high", "n", "reason", "small", "sd", "runs"]
        assert (row["sd"], row["runs"]) == (None, 1)
        assert (row["low"] is None) == (row["high"] is None) == (row["reason"] is not None)
        assert row["value"] is None or row["reason"] is None or row["reason"].startswith("no interval")


def test_subsets_that_are_no_classes_are_reported_beside_the_categories_of_classes():
    items = [step((0.9, 0.1), (1,), "redundency"), step((0.9, 0.9), (1,), "circular")]
    found = step_making.evaluation(items)
    cases = found.gold.cases.with_columns(subset=pl.lit("Physics"))
    rewards = making.rewards([item.case for item in items], cases["key"])
    rows = rows_of(evaluate(Gold(cases), making.scorer(), rewards))
    values = values_of(rows)
    assert values["Physics", "acc"] == values["all", "acc"] == 0.75
    assert values["Simplicity", "acc"] == 0.75
    assert ("redundency", "acc") not in values


@pytest.mark.parametrize("subset", ["all", "average", "Simplicity"])
def test_a_subset_that_is_called_as_another_line_leaves_the_figures_of_both_as_they_are(subset):
    items = [step((0.9, 0.1), (1,), "redundency"), step((0.9, 0.9), (1,), "circular")]
    found = step_making.evaluation(items)
    cases = found.gold.cases.with_columns(subset=pl.Series([subset, "Physics"]))
    rewards = making.rewards([item.case for item in items], cases["key"])
    rows = [row for row in rows_of(evaluate(Gold(cases), making.scorer(), rewards)) if row["metric"] == "acc"]
    assert {row["runs"] for row in rows} == {1}
    values = [row["value"] for row in rows if row["subset"] == subset]
    assert values == ([1.0] if subset == "Simplicity" else [1.0, 0.75])


def test_a_scorer_that_names_one_step_has_no_figures_of_steps():
    cases = step_making.frame([step((0.9, 0.1), (1,))])
    votes = pl.DataFrame(
        {"key": cases["key"], "vote": [0], "run": [0], "ballot": ["1"], "verdict": [1]},
        schema_overrides={"verdict": pl.Int32},
    )
    missing = [pl.lit(None, dtype=dtype).alias(name) for name, dtype in VOTES.items() if name not in votes.columns]
    found = evaluate(Gold(cases), making.scorer(), pl.DataFrame(schema=REWARDS), votes=votes.with_columns(missing))
    rows = rows_of(found)
    assert {row["value"] for row in rows} == {None}
    assert {row["reason"] for row in rows if row["metric"] == "prmscore"} == {
        "a verdict names one step and says nothing of the others"
    }


@up_to(40, 5)
@given(items=step_making.items(min_size=1), seed=st.integers(0, 3))
def test_the_headline_is_the_row_of_the_table(items, seed):
    found = step_making.evaluation(items)
    rows = np.ones(len(items), dtype=bool)
    row = next(row for row in rows_of(found, seed=seed) if (row["subset"], row["metric"]) == ("all", "prmscore"))
    pooled = PooledSteps.of(found, rows, FACTS)
    value = pooled.values(PRMSCORE).mean()
    assert (None if np.isnan(value) else value) == row["value"]
    assert pooled.size(PRMSCORE) == row["n"]
    if row["value"] is not None:
        interval = None if row["low"] is None else (row["low"], row["high"])
        assert pooled.interval(PRMSCORE, seed) == interval


def test_the_averaging_is_said_in_words():
    assert "`all` pools steps and is the official overall figure" in AVERAGING
