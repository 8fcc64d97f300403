"""Orders of a queue against slow accounts of them."""

from collections import Counter
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import making
from inspector.state.case_list.listed import cleared, failures
from inspector.state.contested_gold import rankings
from inspector.state.focusing import covering
from inspector.state.label_audit import audited_benchmarks
from inspector.state.opening import inspect
from inspector.state.subject import subject
from inspector.state.triage.queue import queue_cases
from inspector.state.triage.queue_orders import (
    CONTESTED,
    DIFFERING,
    SUSPICIOUS,
    _in_turns,
    judging,
    queue_orders,
    queue_rows,
)
from reference import Case
from scoring.evaluation.instructive import instructive
from scoring.evaluation.single_case import verdict_of
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.triage.journal import Author, Journal


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Three scorers with gaps, on cases that share problems and subsets."""
    root = tmp_path_factory.mktemp("study")
    cases, scorers = making.study(n=60)
    making.workspace(root, cases, scorers, **making.labels(cases))
    return cleared(inspect(load(Query(workspace=str(root)))))


def names(state):
    return [one.name for one in queue_orders(state)]


def test_every_order_holds_the_listed_cases_once(study):
    for listed in (study, failures(study)):
        for name in [name for name in names(listed) if name not in {CONTESTED, DIFFERING}]:
            rows = queue_rows(listed, name, seed=3)
            assert sorted(rows.tolist()) == sorted(listed.shown.tolist()), name
    assert queue_rows(failures(study), "listed").tolist() == failures(study).shown.tolist()
    assert (
        queue_rows(study, "instructive").tolist()[:5]
        == instructive(study.evaluation.margins, study.evaluation.codes)[:5].tolist()
    )


def test_chance_is_that_of_the_seed(study):
    for name in [name for name in names(study) if name == "random" or name.startswith("by ")]:
        assert queue_rows(study, name, 1).tolist() == queue_rows(study, name, 1).tolist()
        assert queue_rows(study, name, 1).tolist() != queue_rows(study, name, 2).tolist()


def test_the_nearest_to_the_threshold_come_first(study):
    distances = np.abs(study.evaluation.decision_distances[queue_rows(study, "uncertain")])
    known = distances[~np.isnan(distances)]
    assert (np.diff(known) >= 0).all()
    assert not np.isnan(distances[: known.size]).any()


def test_where_more_pairs_of_scorers_differ_comes_first(study):
    shares = []
    for row in queue_rows(study, "disagreed").tolist():
        verdicts = [verdict_of(one, row) for one in judging(study)]
        pairs = list(combinations([verdict for verdict in verdicts if verdict is not None], 2))
        shares.append(sum(a != b for a, b in pairs) / len(pairs) if pairs else 0)
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > shares[-1]


def test_suspicious_labels_come_as_they_are_audited_and_then_the_others(study):
    rows = audited_benchmarks(subject(study, covering(study)))["bench"].ranked
    for listed in (study, failures(study)):
        shown = set(listed.shown.tolist())
        first = [row for row in rows if row in shown]
        order = queue_rows(listed, SUSPICIOUS).tolist()
        assert order[: len(first)] == first
        assert order[len(first) :] == [row for row in listed.shown.tolist() if row not in rows]
    assert 0 < len(rows) < study.shown.size


@given(st.lists(st.sampled_from(["a", "b", "c", None])), st.integers(0, 3))
def test_strata_take_turns(values, seed):
    order = _in_turns(pl.Series(values, dtype=pl.String), seed)
    assert sorted(order.tolist()) == list(range(len(values)))
    taken, left = Counter(), Counter(values)
    for at in order:
        value = values[at]
        # Nobody who still has cases has had fewer turns.
        assert taken[value] == min(taken[other] for other in left if left[other])
        taken[value] += 1
        left[value] -= 1


def test_lists_are_strata_too():
    order = _in_turns(pl.Series([["a"], ["a"], ["a", "b"], []]), 0)
    assert sorted(order[:3].tolist())[1:] == [2, 3]


def test_without_scorers_only_what_needs_none_is_offered(tmp_path):
    making.workspace(tmp_path, [Case(1, -1)] * 3, [])
    bare = inspect(load(Query(workspace=str(tmp_path))))
    assert names(bare) == ["listed", "random"]


def test_contested_cases_come_as_they_are_ranked(study):
    (ranking,) = rankings(subject(study, covering(study)))
    assert ranking.rows
    assert queue_rows(study, CONTESTED).tolist() == list(ranking.rows)
    listed = failures(study)
    assert set(queue_rows(listed, CONTESTED).tolist()) <= set(listed.shown.tolist()) & set(ranking.rows)


def test_cases_on_which_people_differ_come_once_more(tmp_path):
    making.workspace(tmp_path, [Case(1, -1)] * 4, [])
    ann, bob = (Journal(tmp_path / "triage", Author(who, "here")) for who in ("ann", "bob"))
    ann.rule(["bench/c0", "bench/c1", "bench/c2"], "unsure")
    bare = inspect(load(Query(workspace=str(tmp_path))))
    assert DIFFERING not in names(bare)
    bob.rule(["bench/c1"], "unsure")
    bob.rule(["bench/c2"], "gold wrong")
    found = inspect(load(Query(workspace=str(tmp_path))))
    assert DIFFERING in names(found)
    assert queue_rows(found, DIFFERING).tolist() == [2]
    ann.catch_up()
    assert queue_cases(found, ann) == ["bench/c3"]
    assert queue_cases(found, ann, DIFFERING) == ["bench/c2"]
