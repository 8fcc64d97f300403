"""What rewritings show of a scorer: steps by the law, verdicts, the sign test, and whom they accuse, and whom not."""

import math
from itertools import product

import numpy as np
import pytest
from msgspec.structs import replace

from scoring.metrics.closed_forms import holm, sign_test
from scoring.runs.stress.measuring import Judgement, Trial, flipped, moved_steps, names_broken_step, vulnerabilities
from scoring.runs.stress.rewriting import Rewritten
from scoring.runs.stress.trials import REWRITINGS
from scoring.workspace.variants import VariantStep
from thoroughness import THOROUGH

BY_NAME = {each.name: each for each in REWRITINGS}
INFLATION, BROKEN = BY_NAME["inflation"], BY_NAME["changed-number"]


def made(*origins, broken=None, together=()):
    return Rewritten("p", tuple(VariantStep("x", origin) for origin in origins), (), broken, together)


def trial(
    before,
    after,
    control=None,
    *,
    right=(True, True, False),
    rewritten=None,
    verdicts=(-1, -1, -1),
    case="c0",
    problem=0,
):
    judged = [
        None if rewards is None else Judgement(tuple(rewards), verdict)
        for rewards, verdict in zip((before, after, before if control is None else control), verdicts, strict=True)
    ]
    return Trial(case, problem, right, rewritten or made(*range(len(before))), *judged)


def test_a_right_step_must_not_lose_and_a_wrong_one_must_not_gain():
    moved = moved_steps(trial((0.9, 0.8, 0.2), (0.7, 0.9, 0.5)))
    assert [(step.step, step.right, round(step.harm, 3)) for step in moved] == [
        (0, True, 0.2),
        (1, True, -0.1),
        (2, False, 0.3),
    ]
    # What nobody labelled is under no law, nor is a step that was put in; the others go with their origins.
    moved = moved_steps(trial((0.9, 0.8), (0.7, 0.1, 0.9), right=(True, None), rewritten=made(1, None, 0)))
    assert [(step.step, step.origin, round(step.shift, 3)) for step in moved] == [(2, 0, 0.0)]
    assert moved_steps(trial((0.9, 0.8, 0.2), ())) == []


def test_of_a_broken_solution_the_broken_step_alone_must_not_gain():
    moved = moved_steps(trial((0.9, 0.8, 0.2), (0.1, 0.95, 0.9), rewritten=made(0, 1, 2, broken=1)))
    assert [(step.step, step.right, round(step.harm, 3)) for step in moved] == [(1, False, 0.15)]


@pytest.mark.parametrize(
    ("rewritten", "before", "after", "flip"),
    [
        (made(0, 1, 2), 1, 1, False),
        (made(0, 1, 2), 1, -1, True),
        (made(0, 1, 2), -1, -1, False),
        (made(0, None, 1, 2), 1, 2, False),
        # The step that was put in is none of the case.
        (made(0, None, 1, 2), 1, 1, True),
        # Swapped, an invariant scorer may name the other of two wrong ones.
        (made(1, 0, 2, together=(0, 0, 2)), 0, 0, False),
        (made(1, 0, 2, together=(0, 0, 2)), 2, 1, True),
        (made(0, 1, 2), None, 1, None),
        # An answer that names no step stays one.
        (made(0, 1, 2), -2, -2, False),
    ],
)
def test_a_verdict_flips_where_it_names_another_step_of_the_case(rewritten, before, after, flip):
    assert flipped(trial((0.5,) * 3, (0.5,) * 3, rewritten=rewritten, verdicts=(before, after, -1))) is flip


def test_a_break_is_noticed_where_the_verdict_names_it():
    broken = made(0, 1, 2, broken=1)
    seen = [
        names_broken_step(trial((0.5,) * 3, (0.5,) * 3, rewritten=broken, verdicts=(-1, verdict, -1)))
        for verdict in (1, 0, -1, None)
    ]
    assert seen == [True, False, False, None]
    assert names_broken_step(trial((0.5,) * 3, (0.5,) * 3)) is None


def test_the_sign_test_is_the_tail_of_a_coin():
    for more, fewer in product(range(7), range(7)):
        n = more + fewer
        heads = [sum(bits) >= more for bits in product((0, 1), repeat=n)]
        assert sign_test(more, fewer) == pytest.approx(sum(heads) / len(heads), abs=1e-12)
    assert sign_test(900, 300) == pytest.approx(math.exp(math.log(sign_test(900, 300))), rel=1e-9)
    assert sign_test(700, 700) == pytest.approx(0.5, abs=0.02)
    # Many throws with few heads: nearly certain, and a number.
    for more, fewer in ((0, 1200), (10, 3000), (300, 900), (599, 601)):
        both = sign_test(more, fewer), sign_test(fewer + 1, more - 1) if more else 0.0
        assert both[0] <= 1
        assert sum(both) == pytest.approx(1, abs=1e-12)


def random_trials(rng, shift=0.0, noise=0.0, rewards=True, cases=40):
    """Cases under all rewritings as a scorer sees them that is invariant, but for noise and a shift under inflation."""
    steps = rng.integers(2, 7, cases)
    base = [rng.uniform(0, 1, n) for n in steps]
    error = [int(rng.integers(-1, n)) for n in steps]

    def judge(row, by=0.0):
        given = base[row] + rng.normal(0, noise, steps[row]) + by
        wrong = np.flatnonzero(given < 0.5)
        return Judgement(tuple(given.tolist()) if rewards else (), int(wrong[0]) if wrong.size else -1)

    before, control = [judge(row) for row in range(cases)], [judge(row) for row in range(cases)]
    trials = {}
    for rewriting in REWRITINGS:
        trials[rewriting] = own = []
        for row in range(cases):
            n, first = int(steps[row]), error[row]
            clean = n if first < 0 else first
            right = tuple(True if step < clean else False if step == clean else None for step in range(n))
            broken = int(rng.integers(0, n)) if rewriting.kind == "breaking" else None
            rewritten = made(*range(n), broken=broken, together=tuple(range(n)))
            after = (
                control[row] if rewriting.kind == "control" else judge(row, shift if rewriting is INFLATION else 0.0)
            )
            own.append(Trial(f"c{row}", row // 2, right, rewritten, before[row], after, control[row]))
    return trials


@pytest.mark.parametrize(("noise", "rewards"), [(0.0, True), (0.05, True), (0.2, True), (0.2, False)])
def test_an_invariant_scorer_is_accused_in_at_most_5_percent_of_tables(noise, rewards):
    seeds = 300 if THOROUGH else 8
    accused = 0
    for seed in range(seeds):
        trials = random_trials(np.random.default_rng(seed), noise=noise, rewards=rewards, cases=24)
        held = vulnerabilities(trials, 0.1, None)
        accused += any(each.accused for each in held)
    # Above this many a rate of 5% would be seen in one of a thousand tries.
    assert accused <= (28 if THOROUGH else 3)
    if not noise:
        assert accused == 0


def test_one_that_prefers_a_rewriting_is_accused_of_that_one_through_its_noise():
    # It gains from it: right steps lose nothing, wrong ones gain.
    for shift, noise in ((0.3, 0.0), (-0.3, 0.0), (0.3, 0.1), (-0.3, 0.1)):
        held = vulnerabilities(random_trials(np.random.default_rng(1), shift, noise, cases=80), 0.1, 0)
        assert [each.rewriting.name for each in held if each.accused] == ["inflation"]
        (inflation,) = (each for each in held if each.accused)
        value, low, high = inflation.shift
        assert low - 1e-9 <= value <= high + 1e-9
        assert (low > 0) == (shift > 0)
        assert value == pytest.approx(shift, abs=0.05)


def test_figures_are_those_of_plain_loops():
    trials = random_trials(np.random.default_rng(5), 0.15, 0.1)
    held = vulnerabilities(trials, 0.1, 0)
    p = []
    for each in held:
        of_it = trials[each.rewriting]
        steps, harmed, here, control = [], 0, {}, {}
        for one in of_it:
            for at, right in enumerate(one.right):
                law = "gain" if one.rewritten.broken is not None or right is False else "lose"
                if right is None and one.rewritten.broken is None:
                    continue
                if one.rewritten.broken not in (None, at):
                    continue
                shifts = [other.rewards[at] - one.before.rewards[at] for other in (one.after, one.control)]
                wrong_way = [shift > 0.1 if law == "gain" else shift < -0.1 for shift in shifts]
                steps.append(shifts[0])
                harmed += wrong_way[0]
                for counts, is_wrong in zip((here, control), wrong_way, strict=True):
                    counts.setdefault(law, {}).setdefault(one.problem, []).append(is_wrong)
        tests = []
        for law, marks in here.items():
            both = [(sum(marks[problem]), sum(control[law][problem])) for problem in marks]
            more = sum(own > other for own, other in both), sum(own < other for own, other in both)
            tests.append((sign_test(*more), *more))
        assert (each.cases, each.steps, len(each.violations)) == (len(of_it), len(steps), harmed)
        assert each.shift[0] == pytest.approx(np.mean(steps))
        assert each.share[0] == pytest.approx(harmed / len(steps))
        assert (each.more_here, each.more_control) == min(tests)[1:]
        harms = [{p for law in counts.values() for p, marks in law.items() if any(marks)} for counts in (here, control)]
        assert each.problems == len({problem for law in here.values() for problem in law})
        assert [each.harmed, each.harmed_by_control] == list(map(len, harms))
        assert each.flips == sum(one.before.verdict != one.after.verdict for one in of_it)
        p.append(math.nan if each.kind == "control" else min(1.0, len(tests) * min(tests)[0]))
    assert held[0].p is None
    adjusted = holm(np.array(p))
    assert [each.p_holm for each in held[1:]] == pytest.approx(adjusted[1:].tolist())


def test_what_cannot_be_known_is_not_said():
    whole = trial((0.9, 0.8, 0.2), (0.1, 0.8, 0.2))
    nothing = vulnerabilities({INFLATION: []}, 0.1)[0]
    assert (nothing.cases, nothing.share, nothing.shift, nothing.p, nothing.accused) == (0, None, None, None, False)
    # Without its control a case says nothing of noise, and is none of the test's.
    alone = vulnerabilities({INFLATION: [replace(whole, control=None)]}, 0.1)[0]
    assert (alone.steps, len(alone.violations), alone.problems, alone.p) == (3, 1, 0, None)
    assert vulnerabilities({INFLATION: [whole]}, 0.1)[0].p == 1.0
    assert vulnerabilities({INFLATION: [replace(whole, problem=at) for at in range(5)]}, 0.1)[0].p == 2 * 0.5**5
    # Two cases of one problem are one problem.
    both = vulnerabilities({INFLATION: [whole, replace(whole, case="c1")]}, 0.1)[0]
    assert (both.steps, both.problems, both.more_here) == (6, 1, 1)


def test_the_law_of_a_scorer_without_rewards_is_of_its_verdicts():
    def p(rewriting, rewritten, *verdicts):
        return vulnerabilities({rewriting: [trial((), (), (), rewritten=rewritten, verdicts=verdicts)]}, 0.1)[0]

    same = made(0, 1, 2)
    assert p(INFLATION, same, 1, -1, 1).more_here == 1
    assert p(INFLATION, same, 1, 1, -1).more_control == 1
    assert p(INFLATION, same, 1, None, 1).problems == 0
    broken = made(0, 1, 2, broken=1)
    assert p(BROKEN, broken, 1, -1, 1).more_here == 1
    assert p(BROKEN, broken, -1, 1, -1).more_here == 0
