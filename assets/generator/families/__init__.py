"""One file a family of problems. Each has `plan(draft) -> Plan`; `SUBSET_OF` says which part of the demo it goes to."""

from collections.abc import Callable, Mapping

from generator.draft import Draft
from generator.families import expr, linear, order, percent, rules, story, units
from generator.plan import Plan

FAMILIES: Mapping[str, Callable[[Draft], Plan]] = {
    "story": story.plan,
    "expr": expr.plan,
    "linear": linear.plan,
    "units": units.plan,
    "percent": percent.plan,
    "order": order.plan,
    "rules": rules.plan,
}

SUBSET_OF: Mapping[str, str] = {
    "expr": "arithmetic",
    "percent": "arithmetic",
    "linear": "algebra",
    "story": "everyday",
    "units": "everyday",
    "order": "reasoning",
    "rules": "reasoning",
}

CAN_BE_LONG = ("story", "expr", "order", "rules")
"""Families that can write 15 steps and more."""
