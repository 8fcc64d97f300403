"""Invented training runs whose step rewards drift from outcomes, or do not; seeded."""

import numpy as np

from scoring.metrics.drift import DRIFTS, drift_figures, outcome_weights, rollouts_of, trends

KINDS = ("none", "outcome", "length", "last")


def rollouts(seed, kind="none", steps=12, each=32, accuracy=(0.3, 0.8)):
    """Rollouts of a run: (training step, step rewards, whether right), `each` a training step.

    How many are right goes from one accuracy to the other. Wrong rollouts are longer, rewards of a training step share
    what its problems have in common, and those of right rollouts are 0.2 higher. Over the run a drift takes the last
    away (`outcome`), gives longer rollouts up to 0.4 more (`length`) or the last step up to 0.4 more (`last`).
    """
    draw = np.random.default_rng(seed)
    made = []
    for at in range(steps):
        far = at / max(1, steps - 1)
        share = accuracy[0] + (accuracy[1] - accuracy[0]) * far
        batch = draw.normal(0, 0.05)
        for _ in range(each):
            right = bool(draw.random() < share)
            length = int(draw.integers(2, 6)) + (0 if right else int(draw.integers(0, 4)))
            level = 0.5 + batch + (0.2 * (1 - far * (kind == "outcome")) if right else 0.0)
            level += 0.4 * far * (kind == "length") * (length - 4) / 4
            rewards = draw.normal(level + draw.normal(0, 0.1), 0.1, length)
            rewards[-1] += 0.4 * far * (kind == "last")
            made.append((10 * (at + 1), np.clip(rewards, 0, 1).tolist(), right))
    return made


def as_rollouts(made):
    """The same as the metric takes them."""
    lengths = [len(rewards) for _, rewards, _ in made]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    values = np.array([reward for _, rewards, _ in made for reward in rewards])
    at = np.array([step for step, _, _ in made], dtype=np.int64)
    outcomes = np.array([-1 if right is None else int(right) for *_, right in made], dtype=np.int64)
    return rollouts_of(values, offsets, np.arange(len(made)), at, outcomes)


def figures(run):
    """The figures of every training step, by name."""
    weights = outcome_weights(run)
    each = [drift_figures(run, int(step), weights) for step in run.steps]
    return {name: [figure[name].value for figure in each] for name in DRIFTS}


def alarms(made):
    """Which figures raise an alarm at the end of a run."""
    return {trend.figure for trend in trends(figures(as_rollouts(made)), 1.0) if trend.alarm}
