"""Errors planted in a copy of gold, and what rankings find of them: laws, plain loops, and all orders of few cases."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contested_space import ground_of, leaning
from scoring.metrics.audit import audit_labels, confident_learning
from scoring.metrics.planted_labels import (
    AUDIT,
    AVERAGE_PRECISION,
    CALLED_CLEAN,
    CALLED_WRONG,
    CHANCE,
    CONSENSUS,
    FALSE_FLAGS,
    FLAGGED,
    FLAT,
    METRICS_OF_PLANTED,
    MOVED,
    MOVED_BY_ONE,
    PLANTED_KINDS,
    PLANTINGS,
    PRECISION,
    RANKED_BY,
    RECALL,
    TOP,
    PlantedFigures,
    plant_labels,
    planted_count,
    planted_figures,
    planted_hits,
)
from thoroughness import up_to

SIZES = st.lists(
    st.integers(1, 6).flatmap(lambda n: st.tuples(st.just(n), st.integers(-1, n - 1))), min_size=1, max_size=60
)


@up_to(80, 10)
@given(SIZES, st.integers(0, 10**6), st.sampled_from((0.05, 0.3, 1.0)))
def test_so_many_labels_are_made_wrong_each_as_it_is_told(cases, seed, share):
    n_steps, earliest = (np.array(column) for column in zip(*cases, strict=True))
    before = earliest.copy()
    planted = plant_labels(earliest, n_steps, np.random.default_rng(seed), share)
    assert earliest.tolist() == before.tolist()
    assert (planted.kinds >= 0).sum() == planted_count(len(cases), share) == max(1, round(share * len(cases)))
    for (steps, gold), label, kind in zip(cases, planted.earliest.tolist(), planted.kinds.tolist(), strict=True):
        assert -1 <= label < steps
        assert (label == gold) == (kind < 0)
        word = PLANTED_KINDS[kind] if kind >= 0 else ""
        assert (word == CALLED_WRONG) == (kind >= 0 and gold == -1)
        assert (word == CALLED_CLEAN) == (kind >= 0 and label == -1)
        assert word != MOVED_BY_ONE or abs(label - gold) == 1
        assert word != MOVED or min(label, gold) >= 0
    again = plant_labels(earliest, n_steps, np.random.default_rng(seed), share)
    assert again.earliest.tolist() == planted.earliest.tolist()


def test_errors_are_moved_by_one_or_anywhere_or_called_clean_alike_and_steps_are_drawn_evenly():
    earliest = np.repeat([-1, 1], 3000)
    planted = plant_labels(earliest, np.full(6000, 4), np.random.default_rng(0), share=1.0)
    by_kind = Counter(planted.kinds[3000:].tolist())
    assert all(abs(by_kind[PLANTED_KINDS.index(kind)] - 1000) < 100 for kind in (MOVED_BY_ONE, MOVED, CALLED_CLEAN))
    drawn = Counter(planted.earliest[:3000].tolist())
    assert set(drawn) == set(range(4))
    assert all(abs(count - 750) < 100 for count in drawn.values())
    moved = Counter(planted.earliest[planted.kinds == PLANTED_KINDS.index(MOVED)].tolist())
    assert set(moved) == {0, 2, 3}
    assert max(moved.values()) - min(moved.values()) < 100


@up_to(100, 12)
@given(st.integers(1, 90), st.integers(0, 10**6))
def test_what_an_order_finds_is_counted_again(n, seed):
    rng = np.random.default_rng(seed)
    kinds = np.where(rng.random(n) < 0.3, rng.integers(0, 4, n), -1)
    kinds[rng.integers(n)] = 2
    order, flagged = rng.permutation(n), rng.random(n) < 0.4
    hits, totals = planted_hits(order, flagged, kinds)
    got = dict(zip(METRICS_OF_PLANTED, zip(hits.tolist(), totals.tolist(), strict=True), strict=True))
    wrong = [place for place in range(n) if kinds[place] >= 0]
    ranked = order.tolist()
    assert got[RECALL, ""] == (len(set(ranked[: len(wrong)]) & set(wrong)), len(wrong))
    top = (len(set(ranked[:TOP]) & set(wrong)), TOP) if n >= TOP else (0, 0)
    assert got[PRECISION, ""] == top
    precisions = [len(set(ranked[: at + 1]) & set(wrong)) / (at + 1) for at in range(n) if ranked[at] in wrong]
    assert got[AVERAGE_PRECISION, ""][0] == pytest.approx(sum(precisions) / len(precisions))
    assert got[FLAGGED, ""] == (sum(flagged[place] for place in wrong), len(wrong))
    assert got[FALSE_FLAGS, ""] == (flagged.sum() - sum(flagged[place] for place in wrong), n - len(wrong))
    for number, kind in enumerate(PLANTED_KINDS):
        own = {place for place in wrong if kinds[place] == number}
        assert got[RECALL, kind] == (len(own & set(ranked[: len(wrong)])), len(own))


def figures_of(n, planted):
    nothing = {name: np.ones((1, len(METRICS_OF_PLANTED))) for name in RANKED_BY}
    return PlantedFigures(n, planted, METRICS_OF_PLANTED, nothing, nothing)


@pytest.mark.parametrize(("n", "planted"), [(1, 1), (5, 1), (6, 2), (5, 5), (6, 3)])
def test_chance_is_the_mean_over_all_orders(n, planted):
    kinds = np.where(np.arange(n) < planted, 0, -1)
    flagged = np.zeros(n, dtype=bool)
    each = [planted_hits(np.array(order), flagged, kinds) for order in permutations(range(n))]
    mean = np.mean([hits for hits, _ in each], axis=0) / each[0][1].clip(1)
    figures = figures_of(n, planted)
    for place, (metric, kind) in enumerate(METRICS_OF_PLANTED):
        if metric in {RECALL, AVERAGE_PRECISION} and kind in {"", PLANTED_KINDS[0]}:
            assert figures.chance(metric) == pytest.approx(mean[place])
    assert np.isnan(figures.chance(PRECISION))


def test_the_best_order_comes_to_what_is_said_to_be_the_best():
    kinds = np.where(np.arange(200) < 10, np.arange(200) % 4, -1)
    hits, totals = planted_hits(np.arange(200), kinds >= 0, kinds)
    figures = figures_of(200, 10)
    assert [figures.at_best(metric) for metric, _ in METRICS_OF_PLANTED] == pytest.approx((hits / totals).tolist())
    assert figures.at_best(PRECISION) == 0.2


# -- planted again and again


@pytest.fixture(scope="module")
def measured():
    aligned, ground, _ = ground_of(leaning(160, 4, seed=12))
    return aligned, ground, planted_figures(aligned, ground, audit_labels(ground, aligned.earliest), 5)


def test_figures_are_the_means_over_plantings(measured):
    aligned, ground, figures = measured
    assert (figures.plantings, figures.planted, figures.cases) == (PLANTINGS, 8, 160)
    expected = {AUDIT: [], FLAT: []}
    for number in range(PLANTINGS):
        planted = plant_labels(aligned.earliest, aligned.n_steps, np.random.default_rng([5, number]))
        audit, flat = audit_labels(ground, planted.earliest), confident_learning(ground, planted.earliest)
        for name, order in ((AUDIT, audit.order.tolist()), (FLAT, flat.order.tolist())):
            expected[name].append(sum(planted.kinds[place] >= 0 for place in order[:8]) / 8)
    rows = {(row["ranking"], row["other"], row["metric"], row["kind"]): row for row in figures.rows(5)}
    for name, values in expected.items():
        row = rows[name, None, RECALL, None]
        assert row["value"] == pytest.approx(np.mean(values))
        assert row["low"] <= row["value"] <= row["high"]
        assert row["high"] - row["low"] == pytest.approx(2 * 1.96 * np.std(values) / PLANTINGS**0.5, rel=0.2)
    more = rows[AUDIT, FLAT, RECALL, None]
    assert more["value"] == pytest.approx(np.mean(expected[AUDIT]) - np.mean(expected[FLAT]))
    assert rows[CHANCE, None, RECALL, None]["value"] == 0.05
    assert rows[CHANCE, None, FLAGGED, None]["reason"] == "an order flags nothing"
    assert all(row["reason"] is None for (name, *_), row in rows.items() if name != CHANCE)


def of(figures, name):
    return dict(zip(METRICS_OF_PLANTED, figures.values(name).tolist(), strict=True))


def test_scorers_that_see_the_truth_find_most_and_the_labels_stay(measured):
    aligned, _, figures = measured
    audit = of(figures, AUDIT)
    assert audit[RECALL, ""] > 0.5
    assert audit[AVERAGE_PRECISION, ""] > max(of(figures, name)[AVERAGE_PRECISION, ""] for name in (FLAT, CONSENSUS))
    assert audit[FLAGGED, ""] > 0.7
    assert audit[FALSE_FLAGS, ""] < 0.3
    assert aligned.earliest.tolist() == [case.gold for case in leaning(160, 4, seed=12)[0]]


def test_a_crowd_that_says_the_same_does_not_shout_down_the_one_that_knows():
    """A plain mean over scorers, and so the flat baseline, is that of the crowd."""
    knows = leaning(160, 1, seed=12, skill=0.95)
    truth = [(case.n_steps, case.gold) for case in knows[0]]
    aligned, ground, _ = ground_of([*knows, *leaning(160, 1, seed=7, skill=0.3, truth=truth) * 4])
    figures = planted_figures(aligned, ground, audit_labels(ground, aligned.earliest))
    more = {
        (row["other"], row["metric"]): row for row in figures.rows(0) if row["other"] is not None and not row["kind"]
    }
    for other in (FLAT, CONSENSUS):
        assert more[other, AVERAGE_PRECISION]["low"] > 0.1


def test_scorers_that_see_nothing_are_not_flattered():
    aligned, ground, _ = ground_of(leaning(160, 4, seed=13, skill=0.125))
    figures = planted_figures(aligned, ground, audit_labels(ground, aligned.earliest))
    rows = {(row["ranking"], row["metric"], row["kind"]): row for row in figures.rows(0) if row["other"] is None}
    # What is unusual for its place is a little more suspicious even so: a clean case has one label, an error many.
    assert rows[AUDIT, RECALL, None]["value"] < 0.15
