"""What a tree of a search comes to: its size, what it answered, what it could have, and where it went wrong.

A wrong pruning is a dropped node of one of two kinds. For every leaf with a right answer of which the path from the
root holds dropped nodes, the first of them to be dropped (the lowest round; of equal ones the one nearest to the root)
has LOST it: that is known. A dropped node is DOUBTED where nobody knows whether it was right to drop it and what was
kept instead came to nothing: nothing above it had been dropped before or with it, no leaf at or below it has a right
answer and not all of them have a wrong one, at least one other child of its parent was not dropped in the same round or
before, and of the judged leaves at or below those children there is at least one, and none is right.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from scoring.data.schema import Bools, Floats, Ints
from scoring.metrics.closed_forms import wilson_interval
from scoring.metrics.trees.search_tree import KEPT, NO_NODE, ROUNDS, UNKNOWN, SearchTree, first_drops

LOST, DOUBTED = "lost a right answer", "what was kept ended wrong"
PRUNINGS = {
    "tree": pl.String(),
    "node": pl.String(),
    "parent": pl.String(),
    "depth": pl.Int64(),
    "round": pl.Int64(),
    "kind": pl.String(),
    "right_lost": pl.Int64(),
    "right_left": pl.Int64(),
    "value": pl.Float64(),
    "kept_value": pl.Float64(),
    "text": pl.String(),
    "place": pl.Int64(),
}
"""A row a wrong pruning, in the order of the tree.

`right_lost` leaves with a right answer were first cut off here, and after its round `right_left` were not cut off yet:
where that is 0 the search could not be right any more. `value` is the node's, `kept_value` the highest among the other
children of its parent that were kept in that round; null where there is none. `place` is 0-based, in preorder.
"""
TREES = {
    "tree": pl.String(),
    "nodes": pl.Int64(),
    "leaves": pl.Int64(),
    "depth": pl.Int64(),
    "branching": pl.Float64(),
    "dropped": pl.Int64(),
    "judged": pl.Int64(),
    "right": pl.Int64(),
    "chosen": pl.String(),
    "chosen_right": pl.Boolean(),
    "right_kept": pl.Boolean(),
    "right_reached": pl.Boolean(),
    "lost": pl.Int64(),
    "doubted": pl.Int64(),
    "reason": pl.String(),
    "problem": pl.String(),
    "source": pl.String(),
    "line": pl.Int64(),
}
"""A row a tree. `branching` is the mean number of children of the nodes that have any; null where none has.

`judged` leaves are known to be right or wrong. `chosen_right` says whether the answer that the search chose is right,
`right_kept` whether any leaf of which nothing on the path was dropped is, `right_reached` whether any leaf at all is
(the oracle); each is null where that is not known, and `reason` says why. `lost` and `doubted` are wrong prunings.
"""
SHARES = {
    "chosen_right": "the answer that was chosen is right",
    "right_kept": "a right answer was kept",
    "right_reached": "a right answer was reached",
}
"""Columns of TREES of which the share of trees is told, in words."""


def wrong_prunings(tree: SearchTree) -> pl.DataFrame:
    """List the wrong prunings of a tree, with the columns of PRUNINGS."""
    cut, first = first_drops(tree)
    right, right_below, judged = tree.right, tree.below(tree.right), tree.below(tree.right | tree.wrong)
    beside = _Beside(tree)
    lost = np.bincount(first[right & (first != NO_NODE)], minlength=tree.size)
    above = np.where(tree.parents == NO_NODE, ROUNDS, cut[tree.parents])
    unknown = (right_below == 0) & (judged < tree.below(tree.leaves))
    came_to_nothing = (beside.sums(judged) > 0) & (beside.sums(right_below) == 0)
    doubted = (tree.rounds != KEPT) & (above > tree.rounds) & unknown & came_to_nothing
    places = np.flatnonzero((lost > 0) | doubted)
    cuts, rounds, parents = np.sort(cut[right]), tree.rounds[places], tree.parents[places]
    rows = {
        "tree": [tree.id] * len(places),
        "node": [tree.names[place] for place in places],
        "parent": [tree.names[parent] if parent != NO_NODE else None for parent in parents],
        "depth": tree.depths[places],
        "round": rounds,
        "kind": [LOST if lost[place] else DOUBTED for place in places],
        "right_lost": lost[places],
        "right_left": len(cuts) - np.searchsorted(cuts, rounds, side="right"),
        "value": [_number(tree.values[place]) for place in places],
        "kept_value": [beside.highest(tree.values, place) for place in places.tolist()],
        "text": [tree.texts[place] for place in places],
        "place": places,
    }
    return pl.DataFrame(rows, schema=PRUNINGS)


class _Beside:
    """For each node the other children of its parent that were dropped in no round up to its own; none for the root."""

    def __init__(self, tree: SearchTree) -> None:
        # A node that was kept is dropped after all rounds: nothing is kept longer than it.
        rounds = np.where(tree.rounds == KEPT, ROUNDS, tree.rounds)
        keys = tree.parents * (ROUNDS + 1) + rounds
        self._order = np.argsort(keys, kind="stable")
        ordered = keys[self._order]
        self._start = np.searchsorted(ordered, keys, side="right")
        self._end = np.searchsorted(ordered, tree.parents * (ROUNDS + 1) + ROUNDS, side="right")

    def sums(self, counts: Ints) -> Ints:
        """Add up a count over them, (n,) for (n,)."""
        before = np.concatenate([[0], np.cumsum(counts[self._order])])
        return np.asarray(before[self._end] - before[self._start], dtype=np.int64)

    def highest(self, values: Floats, place: int) -> float | None:
        """Return the highest value among those of a node; None where there is none."""
        beside = values[self._order[self._start[place] : self._end[place]]]
        beside = beside[~np.isnan(beside)]
        return float(beside.max()) if len(beside) else None


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def tree_row(tree: SearchTree, prunings: pl.DataFrame) -> dict[str, Any]:
    """Count a tree: a row of TREES, given its wrong prunings."""
    children, leaves, judged = tree.children(), tree.leaves, tree.right | tree.wrong
    chosen = None if tree.chosen == NO_NODE else int(tree.correct[tree.chosen])
    row = {
        "tree": tree.id,
        "nodes": tree.size,
        "leaves": int(leaves.sum()),
        "depth": int(tree.depths.max()),
        "branching": float(children[children > 0].mean()) if children.any() else None,
        "dropped": int((tree.rounds != KEPT).sum()),
        "judged": int(judged.sum()),
        "right": int(tree.right.sum()),
        "chosen": None if tree.chosen == NO_NODE else tree.names[tree.chosen],
        "chosen_right": None if chosen in {None, UNKNOWN} else chosen == 1,
        "right_kept": _any_right(tree, first_drops(tree)[0] == ROUNDS),
        "right_reached": _any_right(tree, leaves),
        "lost": int((prunings["kind"] == LOST).sum()),
        "doubted": int((prunings["kind"] == DOUBTED).sum()),
        "problem": tree.problem,
        "source": tree.source,
        "line": tree.line,
    }
    return {**row, "reason": _reason(row, chosen, tree.chosen_by)}


def _any_right(tree: SearchTree, among: Bools) -> bool | None:
    """Whether the answer of a leaf among some is right; None where that is not known.

    A leaf that was kept and that nobody judged may have a right answer; one that was dropped before is not an answer.
    """
    if (tree.right & among).any():
        return True
    open_ends = tree.leaves & (tree.correct == UNKNOWN) & (first_drops(tree)[0] == ROUNDS)
    return None if open_ends.any() or not (tree.wrong & among).any() else False


def _reason(row: Mapping[str, Any], chosen: int | None, chosen_by: str) -> str | None:
    if not row["judged"]:
        return "no leaf is judged"
    if chosen is None:
        return chosen_by
    if chosen == UNKNOWN:
        return "nobody judged the leaf that was chosen"
    return "nobody judged some of the leaves that were kept" if row["right_kept"] is None else None


def shares(trees: pl.DataFrame) -> list[dict[str, Any]]:
    """Return the share of trees for each of SHARES: `figure, value, low, high, n, reason`.

    `n` counts the trees of which it is known; the interval is Wilson's 95%. All trees count alike.
    """
    rows = []
    for name in SHARES:
        known = trees[name].drop_nulls()
        hits, n = int(known.sum() or 0), known.len()
        low, high = wilson_interval(np.array([hits]), np.array([n]))
        rows.append(
            {
                "figure": name,
                "value": hits / n if n else None,
                "low": float(low[0]) if n else None,
                "high": float(high[0]) if n else None,
                "n": n,
                "reason": None if n else "of no tree it is known",
            }
        )
    return rows


def figures_of(trees: Sequence[SearchTree]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Count trees and list their wrong prunings: frames with the columns of TREES and PRUNINGS."""
    listed = [wrong_prunings(tree) for tree in trees]
    rows = [tree_row(tree, prunings) for tree, prunings in zip(trees, listed, strict=True)]
    return pl.DataFrame(rows, schema=TREES), pl.concat([pl.DataFrame(schema=PRUNINGS), *listed])
