"""Rewards outside the range that a scorer is said to have."""

from collections.abc import Iterator

import numpy as np

from inspector.selection import Selection


def range_notes(selection: Selection) -> Iterator[str]:
    """A sentence for every chosen scorer with a reward of a shown case outside its range, its ends being inside.

    Thresholds and figures take such rewards as they are.
    """
    shown = selection.mask
    for one in selection.chosen_evaluations:
        rewards, low, high = one.rewards, one.scorer.low, one.scorer.high
        if not ((rewards.values < low) | (rewards.values > high)).any():
            continue
        values = rewards.values[np.repeat(shown, np.diff(rewards.offsets))]
        outside = (values < low) | (values > high)
        if number := int(outside.sum()):
            reach = f"lowest {values.min():.4g}, highest {values.max():.4g}"
            told = f"{number:,} of {values.size:,} rewards are outside its range, {low:g} to {high:g} ({reach})"
            yield f"{one.scorer.name}: {told}; they are taken as they are"
