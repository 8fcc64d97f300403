"""Every figure of a breakdown is of exactly the cases that its condition selects."""

from functools import cache

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import making
from scoring.metrics.axes import axis
from scoring.metrics.breakdown import Cells, breakdown
from scoring.metrics.breakdown_difference import breakdown_difference
from scoring.metrics.outcome_conditions import COUNTS, behind
from scoring.workspace.filtering.filters import passing
from selecting import beside
from thoroughness import up_to

SOME = up_to(40, 5, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def labelled(draw):
    cases = draw(making.benches(min_size=2))
    generators = [draw(st.sampled_from(("one", "two'", None))) for _ in cases]
    answers = [draw(st.sampled_from((True, True, False, None))) for _ in cases]
    rows = [draw(st.booleans()) for _ in cases]
    return cases, generators, answers, rows


def table(made):
    cases, generators, answers, rows = made
    frame = making.frame(cases, generator=generators, final_answer_correct=answers)
    cells = Cells((axis(frame, "generator"), axis(frame, "position")), pl.Series(rows).to_numpy())
    return cells, {"generator": generators, "final_answer_correct": answers}


def counting(frame):
    """How many rows pass all of some conditions; each is asked once, since many rows of a table share it."""
    passes = cache(lambda condition: np.asarray(passing(frame, [condition])))
    return lambda where: np.logical_and.reduce([passes(condition) for condition in where]).sum()


@SOME
@given(made=labelled(), unparsed=st.sampled_from(("wrong", "drop")), cut=st.sampled_from((0.3, 0.5, 0.9)))
def test_n_of_every_metric_is_the_number_of_cases_behind_it_and_a_count_is_its_value(made, unparsed, cut):
    cells, columns = table(made)
    found = making.evaluation(made[0], cut, name='it\'s "a" b', **columns)
    number = counting(beside(found).filter(pl.Series(cells.rows)))
    for row in breakdown(found, cells, unparsed, bootstrap=False).iter_rows(named=True):
        where = [row["where"], *behind(row["metric"], found.scorer.name, unparsed)]
        wanted = row["value"] if row["metric"] in COUNTS else row["n"]
        assert number(where) == wanted, row


@SOME
@given(made=labelled(), unparsed=st.sampled_from(("wrong", "drop")), cuts=st.sampled_from(((0.3, 0.9), (0.5, 0.5))))
def test_the_same_of_a_difference_and_both_scorers(made, unparsed, cuts):
    cells, columns = table(made)
    pair = tuple(
        making.evaluation(cases, cut, name=name, **columns)
        for cases, cut, name in zip((made[0], _gaps(made[0])), cuts, ("one", "two"), strict=True)
    )
    number = counting(beside(*pair).filter(pl.Series(cells.rows)))
    for row in breakdown_difference(pair, cells, unparsed).iter_rows(named=True):
        both = [one for evaluation in pair for one in behind(row["metric"], evaluation.scorer.name, unparsed)]
        assert number([row["where"], *both]) == row["n"], row


def _gaps(cases):
    """Some cases without rewards, so that the denominators differ."""
    return [case if index % 3 else making.replace(case, rewards=None) for index, case in enumerate(cases)]


def test_what_is_no_metric_selects_nothing():
    with pytest.raises(KeyError):
        behind("f2", "one")
