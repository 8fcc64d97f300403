"""Scorers held against each other by a benchmark's own figure, against plain loops over the cases."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import making
import reference
from reference import Case
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.verdicts import Rule
from scoring.formats.benchmarks.benchmark_registry import benchmark_module
from scoring.metrics.benchmark_metrics import OWN_METRICS, metrics_of
from scoring.metrics.paired import official_comparison_rows
from scoring.metrics.shared_draws import official_values
from thoroughness import also, up_to

AT = (0.5, "<")


def counts(benchmark, case, unparsed):
    """Whether a case counts in a scorer's figure."""
    read = reference.usable(case) is not None
    if benchmark == "deltabench":
        return read and bool(case.error_steps)
    there = read or (reference.tried(case) and unparsed == "wrong")
    return there and case.gold is not None and (benchmark != "hard2verify" or case.error_steps is not None)


def judged(case):
    """Of each step with a label whether it is right, and whether it is judged so; None = it is not judged."""
    rewards = reference.usable(case)
    for step in range(case.n_steps):
        label = reference.step_label(case, step)
        if label is not None:
            yield label, None if rewards is None else not reference.is_wrong(rewards[step], *AT)


def step_acc(cases):
    return reference.share([label == said for case in cases for label, said in judged(case)])


def balanced(cases):
    sides = [
        [label == said for case in cases for label, said in judged(case) if label is side] for side in (True, False)
    ]
    shares = [reference.share(side) for side in sides]
    return None if None in shares else sum(shares) / 2


def macro_f1(cases):
    every = []
    for case in cases:
        named = {
            step
            for step, reward in enumerate(case.rewards)
            if reference.is_wrong(reward, *AT) and step <= max(case.error_steps)
        }
        hits = len(named & set(case.error_steps))
        precision, recall = (hits / len(named) if named else 0.0), hits / len(case.error_steps)
        every.append(2 * precision * recall / (precision + recall) if hits else 0.0)
    return sum(every) / len(every) if every else None


SLOW = {"agentprocessbench": step_acc, "trajectories": step_acc, "hard2verify": balanced, "deltabench": macro_f1}


def test_every_figure_of_a_benchmark_of_its_own_has_plain_loops():
    assert SLOW.keys() == OWN_METRICS.keys()
    assert all(benchmark_module(name) for name in SLOW)


@st.composite
def scored(draw, base):
    """The cases as a scorer has them: most with rewards, some refused, some not tried."""
    made = []
    for case in base:
        kind = draw(st.sampled_from(("rewards", "rewards", "rewards", "refused", "none")))
        rewards = tuple(draw(st.sampled_from((0.1, 0.5, 0.9))) for _ in range(case.n_steps))
        refused = "over length" if kind == "refused" else ""
        made.append(
            Case(
                case.n_steps, case.gold, rewards if kind == "rewards" else None, refused, case.subset, case.error_steps
            )
        )
    return made


@st.composite
def studies(draw):
    base = []
    for _ in range(draw(st.integers(1, 8))):
        n, subset = draw(st.integers(1, 4)), draw(st.sampled_from(("p", "q")))
        listed = draw(st.none() | st.sets(st.integers(0, n - 1)).map(sorted).map(tuple))
        gold = draw(st.sampled_from((None, -1, *range(n)))) if listed is None else min(listed, default=-1)
        base.append(Case(n, gold, None, "", subset, listed))
    return [draw(scored(base)) for _ in range(3)]


def aligned_of(benchmark, scorers, unparsed, **columns):
    rule, found = Rule(*AT, "chosen"), []
    for name, cases in zip("abc", scorers, strict=False):
        keys = making.full_frame(cases, **columns)["key"]
        gold = Gold(making.frame(cases, **columns))
        found.append(evaluate(gold, making.scorer(name), making.rewards(cases, keys), rule))
    return metrics_of(benchmark).aligned(found, np.ones(len(scorers[0]), dtype=np.bool_), unparsed)


@up_to(80, 15)
@given(studies(), st.sampled_from(sorted(SLOW)), st.sampled_from(("wrong", "drop")))
def test_differences_and_standings_are_what_plain_counting_on_the_common_cases_gives(scorers, benchmark, unparsed):
    slow, name = SLOW[benchmark], metrics_of(benchmark).leading.name
    rows = official_comparison_rows(aligned_of(benchmark, scorers, unparsed), None)
    there = []
    for cases in scorers:
        # Where no case is judged step by step, there is nothing to count of any.
        read = benchmark != "hard2verify" or any(reference.usable(case) is not None for case in cases)
        there.append([read and counts(benchmark, case, unparsed) for case in cases])

    def on_common(places):
        marks = [all(there[place][at] for place in places) for at in range(len(scorers[0]))]
        left_out = sum(any(there[place][at] for place in places) for at in range(len(marks))) - sum(marks)
        return [[case for case, mark in zip(cases, marks, strict=True) if mark] for cases in scorers], left_out

    for row in rows:
        # Without draws nobody knows who is tied.
        assert (row["value"] is None) == bool(row["reason"]) or row["metric"].endswith("_tied_with_best")
        assert row["subset"] == "all"
        if row["metric"] == f"{name}_difference":
            pair = ["abc".index(row[key]) for key in ("scorer", "other")]
            cases, left_out = on_common(pair)
            values = [slow(cases[place]) for place in pair]
            assert (row["n"], row["left_out"]) == (len(cases[0]), left_out)
            expected = None if None in values else pytest.approx(values[0] - values[1], abs=1e-12)
            assert row["value"] == expected
    trying = [place for place in range(3) if any(there[place])]
    cases, left_out = on_common(trying)
    values = {"abc"[place]: slow(cases[place]) if trying else None for place in trying}
    for row in (row for row in rows if row["metric"] == name):
        value = values.get(row["scorer"])
        assert row["value"] == (None if value is None else pytest.approx(value, abs=1e-12))
        assert row["left_out"] == (left_out if trying else 0)
    defined = {scorer: value for scorer, value in values.items() if value is not None}
    best = max(defined.values(), default=None)
    for row in (row for row in rows if row["metric"] == f"{name}_behind_best"):
        value = defined.get(row["scorer"])
        known = len(defined) > 1 and value is not None
        assert row["value"] == (pytest.approx(value - best, abs=1e-12) if known else None)
    official = official_values(aligned_of(benchmark, scorers, unparsed))
    assert {scorer: value for scorer, value in official.items() if not np.isnan(value)} == pytest.approx(defined)


# Trajectories have the figure of AgentProcessBench.
@pytest.mark.parametrize("benchmark", [*sorted(SLOW.keys() - {"trajectories"}), *also("trajectories")])
def test_the_interval_is_that_of_drawing_whole_problems_for_both_scorers_at_once(benchmark):
    rng, base = random.Random(4), []
    for at in range(60):
        wrong = tuple(step for step in range(4) if rng.random() < 0.4)
        base.append(Case(4, min(wrong, default=-1), subset=f"s{at % 2}", error_steps=wrong))
    scorers = [
        [
            Case(
                4,
                case.gold,
                tuple(0.1 if (step in case.error_steps) == (rng.random() < skill) else 0.9 for step in range(4)),
                subset=case.subset,
                error_steps=case.error_steps,
            )
            for case in base
        ]
        for skill in (0.85, 0.7)
    ]
    problems = [f"problem {at // 3}" for at in range(60)]
    aligned = aligned_of(benchmark, scorers, "wrong", problem=problems)
    (row,) = (row for row in official_comparison_rows(aligned) if row["metric"].endswith("_difference"))
    counted = [[counts(benchmark, case, "wrong") for case in cases] for cases in scorers]
    there = {at for at in range(60) if counted[0][at] and counted[1][at]}
    named = sorted({at // 3 for at in there})
    draws, slow = [], SLOW[benchmark]
    for _ in range(400):
        drawn = [rng.choice(named) for _ in named]
        left, right = ([cases[at] for p in drawn for at in range(3 * p, 3 * p + 3) if at in there] for cases in scorers)
        draws.append(slow(left) - slow(right))
    draws.sort()
    assert row["low"] == pytest.approx(draws[10], abs=0.03)
    assert row["high"] == pytest.approx(draws[-11], abs=0.03)
    assert row["low"] < row["value"] < row["high"]


def test_who_has_no_such_figure_is_set_aside_and_says_why():
    read = [Case(2, 1, (0.9, 0.1), error_steps=(1,))] * 2
    silent = [Case(2, case.gold, None, "", case.subset, case.error_steps) for case in read]
    for benchmark, why in {
        "agentprocessbench": "b: step_acc is undefined: labelled_steps is 0",
        "deltabench": "b: no case that lists a wrong section was judged step by step",
        "hard2verify": "b: no right step was judged",
    }.items():
        rows = official_comparison_rows(aligned_of(benchmark, [read, silent, read], "wrong"))
        name = metrics_of(benchmark).leading.name
        reasons = {row["metric"]: row["reason"] for row in rows if (row["scorer"], row["other"]) == ("b", None)}
        assert reasons == dict.fromkeys((name, f"{name}_behind_best", f"{name}_tied_with_best"), why)
        tied = {row["scorer"]: row["value"] for row in rows if row["metric"] == f"{name}_tied_with_best"}
        assert tied == {"a": 1.0, "b": None, "c": 1.0}
