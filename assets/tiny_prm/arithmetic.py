"""How well a network tells right equations from wrong ones when they stand alone, operation by operation."""

from itertools import islice
from typing import Any

import numpy as np

from generator.stream import examples
from tiny_prm.judging import Labelled, judge
from tiny_prm.measuring import auc
from tiny_prm.network import Network
from tiny_prm.tokenizer import Encoder

SIGNS = {"%": ("%",), "/": ("/", "÷", "frac"), "*": ("*", "×", "times"), "+": (" + ",), "-": (" - ",)}
"""Every operation with what it is written as, in the order in which they are looked for."""


def arithmetic(network: Network, encoder: Encoder, seed: int, count: int) -> dict[str, dict[str, Any]]:
    """Lines of `count` drills: how many an operation has, and the AUC of its wrong against its right ones."""
    drills = list(islice(examples(seed, drills=lambda _index: 1.0), count))
    judged = judge(network, encoder, [Labelled(drill.problem, drill.steps, -1, "", "") for drill in drills])
    found: dict[str, tuple[list[float], list[float]]] = {operation: ([], []) for operation in SIGNS}
    for drill, each in zip(drills, judged, strict=True):
        for line, label, margin in zip(drill.steps, drill.labels, each.margins, strict=True):
            found[operation_of(line)][bool(label)].append(float(margin))
    return {
        operation: {"lines": len(wrong) + len(right), "auc": auc(np.array(wrong), np.array(right))}
        for operation, (wrong, right) in found.items()
    }


def operation_of(line: str) -> str:
    """The operation of a drill's line."""
    return next(operation for operation, signs in SIGNS.items() if any(sign in line for sign in signs))
