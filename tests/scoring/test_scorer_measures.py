import math

from hypothesis import given

import making
import reference
from scoring.scorer_measures import MEASURES, measure


def slowly(case, margin):
    rewards, gold = reference.usable(case), case.gold
    drop = None
    if rewards and gold is not None and 0 < gold < len(rewards):
        drop = rewards[gold - 1] - rewards[gold]
    return {
        "abs_margin": None if margin is None else abs(margin),
        "lowest_reward": min(rewards, default=None) if rewards else None,
        "drop_at_gold": drop,
        "solution": None,
    }


@given(making.benches())
def test_measures_are_what_going_through_the_steps_gives(cases):
    one = making.evaluation(cases)
    expected = [slowly(case, margin) for case, margin in zip(cases, one.columns["scorer.margin"], strict=True)]
    for name, dtype in MEASURES.items():
        found = measure(one, name)
        assert (found.name, found.dtype) == (f"scorer.{name}", dtype)
        for value, row in zip(found, expected, strict=True):
            assert value == row[name] or math.isclose(value, row[name])
