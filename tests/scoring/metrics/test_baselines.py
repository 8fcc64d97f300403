import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import making
from reference import Case
from scoring.evaluation.gold import Gold
from scoring.evaluation.verdicts import NO_VERDICT
from scoring.metrics.baselines import BASELINES, baselines
from scoring.metrics.first_error_family import FIRST_ERRORS
from scoring.metrics.metrics_by_subset import metric_rows
from thoroughness import up_to

LENGTHS = [Case(n) for n in (1, 7, 8, 9, 64, 3000)]


def by_name(cases, seed=0):
    return {one.scorer.name: one for one in baselines(Gold(making.frame(cases)), seed)}


def labels(evaluation):
    return [evaluation.rewards.labels.of(row) for row in range(evaluation.codes.size)]


@up_to(40, 5)
@given(cases=making.benches(), seed=st.integers(0, 3))
def test_everyone_has_a_verdict_on_every_case_with_steps(cases, seed):
    found = by_name(cases, seed)
    assert tuple(found) == tuple(BASELINES)
    for row, case in enumerate(cases):
        said = {name: int(one.verdicts[row]) for name, one in found.items()}
        if not case.n_steps:
            assert set(said.values()) == {NO_VERDICT}
            continue
        assert (said["always-clean"], said["always-first-step"]) == (-1, 0)
        tossed = labels(found["coin"])[row]
        assert len(tossed) == case.n_steps
        assert said["coin"] == (tossed.index(False) if False in tossed else -1)
    for one in found.values():
        assert (one.scorer.kind, one.rewards.scored.any()) == ("baseline", False)
        assert not (one.rule.is_movable and one.coverage.count)


def test_a_coin_is_fair_and_its_tosses_belong_to_the_seed_and_the_solution():
    one, same, other = (labels(by_name(LENGTHS, seed)["coin"]) for seed in (1, 1, 2))
    assert one == same != other
    assert np.mean(one[-1]) == pytest.approx(0.5, abs=0.03)
    alone = labels(by_name([Case(0), *LENGTHS[1:]])["coin"])
    assert alone[1:] == labels(by_name(LENGTHS)["coin"])[1:]


def test_equal_solutions_get_equal_tosses():
    cases = making.frame([Case(30), Case(30)])
    twins = cases.with_columns(key=pl.lit(cases["key"][0]))
    first, second = labels(baselines(Gold(twins))[0])
    assert first == second


def test_they_are_measured_as_any_other():
    cases = [Case(2, 0), Case(2, 1), Case(2, -1), Case(2, -1)]
    rows = np.ones(4, dtype=bool)
    found = {
        name: {row["metric"]: row["value"] for row in metric_rows(FIRST_ERRORS, one, rows) if row["subset"] == "all"}
        for name, one in by_name(cases).items()
    }
    assert (found["always-clean"]["error_acc"], found["always-clean"]["correct_acc"]) == (0, 1)
    assert (found["always-first-step"]["error_acc"], found["always-first-step"]["correct_acc"]) == (0.5, 0)


def test_no_cases_are_no_error():
    assert [one.coverage.count for one in baselines(Gold(making.frame([])))] == [0, 0, 0]
