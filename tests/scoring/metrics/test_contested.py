"""Gold labels that the consensus contradicts: against plain loops, and the laws that hold whatever the scorers say."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from scoring.evaluation.verdicts import NO_VERDICT
from scoring.metrics.aligned import AlignedScorers
from scoring.metrics.contested import ALONE, NO_SAY, NO_WEIGHT, ONE_WEIGHT, TIE, contested
from thoroughness import up_to


def aligned(gold, verdicts, families=None, problems=None, n_steps=4):
    """`verdicts` (s lists of n): 0-based, -1 no error, None for a refused case, "-" for one that was never tried."""
    table = [[NO_VERDICT if said in (None, "-") else said for said in one] for one in verdicts]
    said = np.array(table, dtype=np.int64).reshape(len(verdicts), len(gold)).T
    tried = np.array([[one != "-" for one in column] for column in verdicts], dtype=bool)
    tried = tried.reshape(len(verdicts), len(gold)).T
    earliest = np.array(gold, dtype=np.int64)
    right = (said == earliest[:, None]) & (said < n_steps)
    n, s = said.shape
    return AlignedScorers(
        names=tuple(f"s{place}" for place in range(s)),
        families=tuple(families or [""] * s),
        nothing=(None,) * s,
        rows=np.arange(n),
        tried=tried,
        right=right,
        verdicts=said,
        earliest=earliest,
        n_steps=np.full(n, n_steps),
        subsets=np.zeros(n, dtype=np.int64),
        problems=np.arange(n) if problems is None else np.array(problems),
        codes=np.zeros((n, s), dtype=np.uint8),
    )


def rearranged(made, order):
    """The scorers in another order, or some of them twice."""
    return made.only(np.ones(made.rows.size, dtype=bool), order)


def slow(made, row):
    """(verdict, share, gold's share, lead, votes, gold's votes, voters) of one case, or why there is none."""
    n_steps, gold = int(made.n_steps[row]), int(made.earliest[row])
    behind, count, weighing = Counter(), Counter(), 0
    voices = {}
    for place, family in enumerate(made.families):
        said = int(made.verdicts[row, place])
        if -1 <= said < n_steps:
            voices.setdefault(family or place, []).append((place, said))
    for members in voices.values():
        for place, said in members:
            others = [
                other
                for other in range(made.rows.size)
                if made.problems[other] != made.problems[row] and made.tried[other, place]
            ]
            right = sum(bool(made.right[other, place]) for other in others)
            odds = math.log((right + 1) / (len(others) - right + 1))
            behind[said] += max(0.0, odds) / len(members)
            weighing += odds > 0
            count[said] += 1
    voters, total = sum(count.values()), math.fsum(behind.values())
    if voters < 2:
        return NO_SAY if voters == 0 else ALONE
    if weighing < 2:
        return ONE_WEIGHT if weighing else NO_WEIGHT
    (said, most), *rest = sorted(behind.items(), key=lambda pair: -pair[1])
    if rest and math.isclose(rest[0][1], most, rel_tol=1e-9):
        return TIE
    return (said, most / total, behind[gold] / total, most - behind[gold], count[said], count[gold], voters)


def told(found, row):
    """The same of the fast one."""
    if found.reasons[row]:
        assert found.verdicts[row] == NO_VERDICT
        assert np.isnan([found.shares[row], found.gold_shares[row], found.leads[row]]).all()
        return int(found.reasons[row])
    values = (found.verdicts, found.shares, found.gold_shares, found.leads, found.votes, found.gold_votes, found.voters)
    return tuple(value[row].item() for value in values)


@st.composite
def lineups(draw, least=0, families=("", "", "f", "g")):
    n = draw(st.integers(1, 9))
    gold = draw(st.lists(st.sampled_from((-1, -1, 0, 1, 3, 5)), min_size=n, max_size=n))
    verdicts = []
    for _ in range(draw(st.integers(least, 5))):
        # Right ones more often than not, or nobody ever weighs anything.
        said = [draw(st.sampled_from((one,) * 6 + (-1, 0, 1, 2, -2, 4, None, "-"))) for one in gold]
        verdicts.append(said)
    return aligned(
        gold,
        verdicts,
        [draw(st.sampled_from(families)) for _ in verdicts],
        [draw(st.sampled_from((row, row, 0))) for row in range(n)],
    )


@up_to(150, 18)
@given(lineups())
def test_it_is_what_plain_counting_gives(made):
    found = contested(made)
    for row in range(made.rows.size):
        expected = slow(made, row)
        one = told(found, row)
        assert one == (expected if isinstance(expected, int) else pytest.approx(expected, abs=1e-12))
        contradicts = not isinstance(expected, int) and expected[0] != made.earliest[row]
        assert bool(found.against[row]) == contradicts
    leads = found.leads[found.order]
    assert sorted(found.order.tolist()) == np.flatnonzero(found.against).tolist()
    assert (np.diff(leads) < 1e-8).all()


@up_to(60, 8)
@given(lineups(), st.randoms(use_true_random=False))
def test_the_order_of_the_scorers_means_nothing(made, rng):
    order = list(range(len(made.names)))
    rng.shuffle(order)
    one, other = contested(made), contested(rearranged(made, order))
    assert_same(one, other)
    assert other.votes.tolist() == one.votes.tolist()
    for row in one.order:
        assert [made.names[place] for place in one.behind(made, row)] == [
            made.names[order[place]] for place in other.behind(rearranged(made, order), row)
        ]


@up_to(60, 8)
@given(lineups(least=2))
def test_copies_within_a_family_change_nothing(made):
    """All scorers of a family twice: it has one voice on every case, and all in it keep their share of that."""
    families = tuple(family or f"own {place}" for place, family in enumerate(made.families))
    made = replace(made, families=families)
    # A copy of the only scorer that weighs anything would make a consensus of one.
    assume((contested(made).voters != 1).all())
    assume((contested(made).reasons != ONE_WEIGHT).all())
    copied = [place for place, family in enumerate(families) if family == families[0]]
    twice = rearranged(made, [*range(len(families)), *copied])
    assert_same(contested(made), contested(twice))


@up_to(60, 8)
@given(lineups(least=2))
def test_who_is_no_better_than_a_coin_on_the_other_cases_has_no_say(made):
    assume((contested(made).voters >= 2).all())
    verdicts = made.verdicts.T.tolist()
    # Never right: there is no step 2 among the gold labels.
    added = aligned(made.earliest.tolist(), [*verdicts, [2] * made.rows.size], (*made.families, ""), made.problems)
    added = replace(added, tried=np.column_stack([made.tried, np.ones(made.rows.size, dtype=bool)]))
    assert_same(contested(made), contested(added))
    assert (contested(added).weights[:, -1] == 0).all()


def test_half_right_elsewhere_weighs_nothing():
    made = aligned([-1] * 5, [[0, 0, 0, -1, -1], [-1] * 5, [-1] * 5])
    found = contested(made)
    assert found.weights[0, 0] == found.weights[1, 0] == 0
    assert found.verdicts[0] == -1


@up_to(60, 8)
@given(lineups(least=2), st.data())
def test_a_gold_label_has_no_say_in_the_consensus_that_it_is_held_against(made, data):
    row = data.draw(st.integers(0, made.rows.size - 1))
    other = data.draw(st.sampled_from((-1, 0, 1, 2, 3)))
    earliest = np.where(np.arange(made.rows.size) == row, other, made.earliest)
    changed = replace(
        made, earliest=earliest, right=(made.verdicts == earliest[:, None]) & (made.verdicts < made.n_steps[:, None])
    )
    before, after = contested(made), contested(changed)
    assert after.verdicts[row] == before.verdicts[row]
    assert after.weights[row].tolist() == before.weights[row].tolist()
    assert after.shares[row] == pytest.approx(before.shares[row], nan_ok=True)
    assert bool(after.against[row]) == bool(before.verdicts[row] not in (NO_VERDICT, other))


def test_of_others_one_gold_label_changes_the_weights_by_little():
    rng = np.random.default_rng(0)
    gold = rng.integers(-1, 4, 400)
    said = [np.where(rng.random(400) < 0.7, gold, -1).tolist() for _ in range(3)]
    one = contested(aligned(gold.tolist(), said))
    gold[0] = (gold[0] + 2) % 5 - 1
    other = contested(aligned(gold.tolist(), said))
    change = np.abs(one.weights - other.weights)
    assert change[0].max() == 0
    # One case of 400 turns a right one into a wrong one: 1/r + 1/w at most.
    assert 0 < change.max() < 1 / 250 + 1 / 80


def test_the_largest_lead_comes_first_then_the_file():
    """Two good scorers against a third; on the fifth case all three are against gold, on the last two only two."""
    right = [-1] * 12
    one = [*right[:4], 2, 1, 1, *right[7:]]
    made = aligned(right, [one, one, [*right[:4], 2, *right[5:]]])
    found = contested(made)
    assert found.order.tolist() == [4, 5, 6]
    assert found.leads[4] > found.leads[5] == found.leads[6] > 0
    assert found.votes[found.order].tolist() == [3, 2, 2]
    assert found.gold_votes[found.order].tolist() == [0, 1, 1]
    assert found.behind(made, 4) == (2, 0, 1)  # the third is right more often
    assert found.behind(made, 5) == (0, 1)


def test_why_there_is_no_consensus():
    gold = [0, 0, 0, -1, -1, -1]
    one = [None, 0, 0, -1, -1, -1]
    other = ["-", -2, 1, -1, -1, None]
    found = contested(aligned(gold, [one, [*other[:5], -1]]))
    assert found.reasons.tolist()[:2] == [NO_SAY, ALONE]
    weighed = aligned([-1] * 6, [[0, -1, -1, -1, -1, -1], [1, -1, -1, -1, -1, -1]])
    assert contested(weighed).reasons[0] == TIE
    assert not contested(weighed).against.any()
    bad = contested(aligned([-1, -1, -1], [[0, 0, 0], [1, 1, 1]]))
    assert bad.reasons.tolist() == [NO_WEIGHT] * 3
    assert bad.voters.tolist() == [2, 2, 2]
    single = contested(aligned([-1, -1, -1], [[0, -1, -1], [1, 1, 1]]))
    assert single.reasons.tolist() == [ONE_WEIGHT, NO_WEIGHT, NO_WEIGHT]


def test_a_label_beyond_the_end_has_nobody_behind_it():
    gold = [7, -1, -1, -1, -1]
    found = contested(aligned(gold, [[-1, -1, -1, -1, -1], [7, -1, -1, -1, -1], [-1, -1, -1, -1, -1]]))
    assert found.against.tolist() == [True, False, False, False, False]
    assert (found.gold_votes[0], found.gold_shares[0], found.voters[0]) == (0, 0, 2)


@pytest.mark.parametrize("n", [0, 3])
def test_without_scorers_there_is_none(n):
    found = contested(aligned([-1] * n, []))
    assert found.reasons.tolist() == [NO_SAY] * n
    assert found.order.size == 0
    assert found.voters.tolist() == [0] * n


def test_without_cases_there_is_none():
    found = contested(aligned([], [[], []]))
    assert found.order.size == 0


def assert_same(one, other):
    assert other.verdicts.tolist() == one.verdicts.tolist()
    assert other.order.tolist() == one.order.tolist()
    for name in ("shares", "gold_shares", "leads"):
        assert getattr(other, name) == pytest.approx(getattr(one, name), nan_ok=True, abs=1e-12)
