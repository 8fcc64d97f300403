"""Rewards that lie on the threshold, where the benchmark's protocol decides them the other way."""

from collections.abc import Iterator

import numpy as np

from inspector.selection import Selection
from scoring.parts import parts
from scoring.protocols import protocol_of
from scoring.verdicts import Rule


def boundary_notes(selection: Selection) -> Iterator[str]:
    """A sentence for every scorer and benchmark whose figures depend on who calls a reward on the threshold wrong.

    Thresholds and boundaries are the scorer's own unless a protocol is asked for: a workspace may hold benchmarks that
    differ, and a case must not be decided in two ways at once.
    """
    for part, rows in parts(selection.cases, ("benchmark",), selection.mask):
        protocol = protocol_of(part["benchmark"])
        for one in selection.chosen_evaluations:
            rule = one.rule
            if not isinstance(rule, Rule) or protocol.comparison in {None, rule.comparison}:
                continue
            values = one.compared_values
            within = np.repeat(rows & one.given.by_threshold, np.diff(values.offsets))
            if number := int((values.values[within] == rule.threshold).sum()):
                sides = ("wrong", "right") if protocol.comparison == "<=" else ("right", "wrong")
                told = (
                    f"rewards on the threshold ({number:,}) are {sides[0]} by the protocol, {sides[1]} by its own rule"
                )
                yield f"{one.scorer.name} on {part['benchmark']}: {told}; --protocol {protocol.name} decides so"
