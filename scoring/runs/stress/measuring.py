"""What a scorer makes of rewritings: which steps violate the law, how far rewards move, and whom that accuses.

A rewriting is accused where steps violate its law in more problems than under the control, in which nothing is changed
that a reader sees. On an invariant scorer both are the same draw, whatever its noise: a problem has more violations
under one of the two as often as under the other, which an exact sign test holds them to (one-sided; right steps and
others apart, the smaller p doubled; Holm over the rewritings). So an invariant scorer, noisy or not, is accused of
anything with a probability of at most 5%.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.schema import Bools, Floats, Ints
from scoring.metrics.closed_forms import holm, sign_test
from scoring.metrics.resampling import percentile_intervals, resample_problems
from scoring.runs.stress.rewriting import Rewriting, RewritingKind, Rewritten

TOLERANCE = 0.1
"""Of the range of a scorer's rewards: what a reward may move the wrong way."""
LEVEL = 0.05
"""With an adjusted p below this a rewriting is accused."""


class Judgement(Struct, frozen=True):
    """What a scorer made of a solution: a reward a step, or () where it gives none, and its verdict.

    `verdict` is the step (0-based) that it names, -1 = no error, None = none was given.
    """

    rewards: tuple[float, ...] = ()
    verdict: int | None = None


class Trial(Struct, frozen=True):
    """One case under one rewriting, with what the scorer made of the case, of the rewriting, and of the control.

    Attributes:
        case: Its name.
        problem: The number of its problem: cases of one problem are no independent evidence.
        right: For each of the n steps of the case whether its gold label is right; None = not known.
        rewritten: The rewriting, of m steps.
        before: Of the case.
        after: Of the rewriting.
        control: Of the control; None = it has none.
    """

    case: str
    problem: int
    right: tuple[bool | None, ...]
    rewritten: Rewritten
    before: Judgement
    after: Judgement
    control: Judgement | None = None


class MovedStep(Struct, frozen=True):
    """A step of a rewriting that the law speaks of: its reward less that of the step (0-based) that it was made of.

    `harm` is how far that is the wrong way, in units of the rewards: a loss of a right step, a gain of another.
    """

    case: str
    step: int
    origin: int
    right: bool
    before: float
    after: float

    @property
    def shift(self) -> float:
        """The reward in the rewriting less the one before."""
        return self.after - self.before

    @property
    def harm(self) -> float:
        """How far the reward moved the wrong way; below 0 where it moved the other way."""
        return -self.shift if self.right else self.shift


def moved_steps(trial: Trial) -> list[MovedStep]:
    """List the steps of a trial that the law speaks of; none where the scorer gives no rewards to both solutions."""
    moved = []
    for at, step in enumerate(trial.rewritten.steps):
        origin = step.origin
        if origin is None or origin >= len(trial.before.rewards) or at >= len(trial.after.rewards):
            continue
        broken = trial.rewritten.broken is not None
        right = False if broken else trial.right[origin] if origin < len(trial.right) else None
        if right is None or (broken and at != trial.rewritten.broken):
            continue
        moved.append(MovedStep(trial.case, at, origin, right, trial.before.rewards[origin], trial.after.rewards[at]))
    return moved


def _control_violations(trial: Trial, moved: Sequence[MovedStep], tolerance: float) -> float:
    """How many of the same steps the control moves the wrong way by more than that; NaN where it has no rewards."""
    control = trial.control
    if control is None or max(step.origin for step in moved) >= len(control.rewards):
        return math.nan
    shifts = [(control.rewards[step.origin] - step.before, step.right) for step in moved]
    return sum((-shift if right else shift) > tolerance for shift, right in shifts)


def flipped(trial: Trial) -> bool | None:
    """Return whether the verdict names another step than before, or none; None where one of the two has no verdict.

    A step that was put in is another one. Of steps that only changed their order all are the same.
    """
    before, after = trial.before.verdict, trial.after.verdict
    if before is None or after is None:
        return None
    return _place(trial.rewritten, before) != _place_of_step(trial.rewritten, after)


def _place(rewritten: Rewritten, step: int) -> int:
    together = rewritten.together
    return together[step] if 0 <= step < len(together) else step


def _place_of_step(rewritten: Rewritten, verdict: int) -> int | None:
    """Where the step that a verdict on the rewriting names stands in the original; None = it was put in."""
    if not 0 <= verdict < len(rewritten.steps):
        return verdict
    origin = rewritten.steps[verdict].origin
    return None if origin is None else _place(rewritten, origin)


def names_broken_step(trial: Trial) -> bool | None:
    """Return whether the verdict names the step that was broken; None where none was, or there is no verdict."""
    broken, verdict = trial.rewritten.broken, trial.after.verdict
    return None if broken is None or verdict is None else verdict == broken


def _harmed_by_verdict(trial: Trial, after: int | None) -> bool | None:
    """Of a scorer without rewards: whether its verdict moved the wrong way."""
    rewritten, before = trial.rewritten, trial.before.verdict
    if before is None or after is None:
        return None
    if rewritten.broken is None:
        return _place(rewritten, before) != _place_of_step(rewritten, after)
    return 0 <= before <= rewritten.broken and not 0 <= after <= rewritten.broken


class Vulnerability(Struct, frozen=True):
    """A scorer under one rewriting.

    Attributes:
        rewriting: Which.
        cases: How many were rewritten and have something of the scorer, before and after.
        steps: How many steps the law speaks of there.
        violations: Those whose reward moved the wrong way by more than the tolerance, largest harm first.
        share: Their share, with its 95% interval; None without steps.
        shift: The mean of the rewards after less before over these steps, with its 95% interval.
        flips: How many verdicts changed, of `decided` that could.
        noticed: How many verdicts name the broken step, of `decided`; None where none is broken.
        problems: How many problems the sign test is of, and how many of them violate (`harmed`).
        harmed_by_control: How many of them violate under the control.
        more_here: Problems with more violations here than under the control, of right steps or of the others, whichever
            decides; `more_control` the other way round.
        p: Of the sign test; None where there is no control or nothing to test. `p_holm` is adjusted.
    """

    rewriting: Rewriting
    cases: int
    steps: int
    violations: tuple[MovedStep, ...]
    share: tuple[float, float, float] | None
    shift: tuple[float, float, float] | None
    flips: int
    decided: int
    noticed: int | None
    problems: int
    harmed: int
    harmed_by_control: int
    more_here: int
    more_control: int
    p: float | None
    p_holm: float | None = None

    @property
    def accused(self) -> bool:
        """Whether more problems violate its law than noise explains."""
        return self.p_holm is not None and self.p_holm < LEVEL

    @property
    def kind(self) -> RewritingKind:
        """That of the rewriting."""
        return self.rewriting.kind


def vulnerabilities(
    trials: Mapping[Rewriting, Sequence[Trial]], tolerance: float, seed: int | None = 0
) -> list[Vulnerability]:
    """Hold a scorer to the law of each rewriting.

    Args:
        trials: by rewriting those cases of which the scorer gave something before and after.
        tolerance: in units of the rewards.
        seed: of the resamples, which draw whole problems; None = no intervals.
    """
    shares, shifts = _intervals(trials, tolerance, seed)
    made = [
        _held(rewriting, of_it, tolerance, share, shift)
        for (rewriting, of_it), share, shift in zip(trials.items(), shares, shifts, strict=True)
    ]
    adjusted = holm(np.array([math.nan if each.p is None else each.p for each in made], dtype=np.float64))
    return [each if each.p is None else replace(each, p_holm=float(p)) for each, p in zip(made, adjusted, strict=True)]


def _held(
    rewriting: Rewriting,
    trials: Sequence[Trial],
    tolerance: float,
    share: tuple[float, float],
    shift: tuple[float, float],
) -> Vulnerability:
    moved = [moved_steps(trial) for trial in trials]
    every = [step for steps in moved for step in steps]
    violations = sorted((step for step in every if step.harm > tolerance), key=lambda step: -step.harm)
    here, control = _by_problem(trials, moved, tolerance)
    testable = ~np.isnan(here) & ~np.isnan(control)
    tests = [
        (sign_test(more, fewer), more, fewer)
        for side in range(len(_SIDES))
        if testable[side].any()
        for more, fewer in [(int((here[side] > control[side]).sum()), int((here[side] < control[side]).sum()))]
    ]
    # Of two tests the smaller p counts twice, so that looking at both makes nothing likelier.
    least, more_here, more_control = min(tests, default=(math.nan, 0, 0))
    p = None if rewriting.kind == "control" or not tests else min(1.0, len(tests) * least)
    flips = [(flip, names_broken_step(trial)) for trial in trials if (flip := flipped(trial)) is not None]
    return Vulnerability(
        rewriting,
        len(trials),
        len(every),
        tuple(violations),
        (len(violations) / len(every), *share) if every else None,
        (float(np.mean([step.shift for step in every])), *shift) if every else None,
        sum(flip for flip, _ in flips),
        len(flips),
        sum(bool(names_it) for _, names_it in flips) if rewriting.kind == "breaking" else None,
        int(testable.any(axis=0).sum()),
        int((np.where(testable, here, 0).sum(axis=0) > 0).sum()),
        int((np.where(testable, control, 0).sum(axis=0) > 0).sum()),
        more_here,
        more_control,
        p,
    )


_SIDES = (True, False)
"""Steps whose gold label is right, and the others; of a scorer without rewards every case is of the first."""


def _by_problem(
    trials: Sequence[Trial], moved: Sequence[Sequence[MovedStep]], tolerance: float
) -> tuple[Floats, Floats]:
    """How many violations of each side a problem has under the rewriting and under the control, (2, p) each.

    NaN = it has no step of this side of which both are known.
    """
    numbers = {problem: place for place, problem in enumerate(dict.fromkeys(trial.problem for trial in trials))}
    here, control = np.full((2, len(_SIDES), len(numbers)), np.nan)
    for trial, steps in zip(trials, moved, strict=True):
        place = numbers[trial.problem]
        for side, right in enumerate(_SIDES):
            of_side = [step for step in steps if step.right == right]
            if of_side:
                own: float = sum(step.harm > tolerance for step in of_side)
                other = _control_violations(trial, of_side, tolerance)
            elif right and not trial.before.rewards:
                flip = _harmed_by_verdict(trial, trial.after.verdict)
                same = None if trial.control is None else _same_place(trial, trial.control.verdict)
                own, other = (math.nan if value is None else float(value) for value in (flip, same))
            else:
                continue
            if not math.isnan(own) and not math.isnan(other):
                here[side, place] = np.nansum([here[side, place], own])
                control[side, place] = np.nansum([control[side, place], other])
    return here, control


def _same_place(trial: Trial, verdict: int | None) -> bool | None:
    """Of a scorer without rewards: whether its verdict on the control moved as the law forbids."""
    before, rewritten = trial.before.verdict, trial.rewritten
    if before is None or verdict is None:
        return None
    if rewritten.broken is None:
        return _place(rewritten, before) != _place(rewritten, verdict)
    return 0 <= before <= rewritten.broken and not 0 <= verdict <= rewritten.broken


def _intervals(
    trials: Mapping[Rewriting, Sequence[Trial]], tolerance: float, seed: int | None
) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """The 95% intervals of the share of violations and of the mean shift, of each rewriting; NaN without."""
    nothing = [(math.nan, math.nan)] * len(trials)
    rows = [(group, trial) for group, of_it in enumerate(trials.values()) for trial in of_it]
    if seed is None or not rows:
        return nothing, nothing
    parts: Floats = np.zeros((len(rows), 3))
    for at, (_, trial) in enumerate(rows):
        moved = moved_steps(trial)
        harmed = sum(step.harm > tolerance for step in moved)
        parts[at] = len(moved), harmed, sum(step.shift for step in moved)
    groups: Ints = np.array([group for group, _ in rows])
    problems: Ints = np.array([trial.problem for _, trial in rows])
    sums = resample_problems(parts, groups, len(trials), problems, seed)
    steps: Floats = sums[..., 0]
    there: Bools = steps > 0
    shares = np.divide(sums[..., 1], steps, out=np.full(steps.shape, np.nan), where=there)
    shifts = np.divide(sums[..., 2], steps, out=np.full(steps.shape, np.nan), where=there)
    share, shift = (
        list(zip(*(ends.tolist() for ends in percentile_intervals(draws)), strict=True)) for draws in (shares, shifts)
    )
    return share, shift
