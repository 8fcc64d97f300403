"""One tree of a search: its nodes in preorder as arrays, and what is wrong with rows that are no tree."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.schema import Bools, Floats, Ints
from scoring.formats.reading.findings import some_of

KEPT = -1
"""In place of a round: the node was never dropped."""
UNKNOWN = -1
"""In place of a number of visits, or of whether an answer is right: nobody says."""
NO_NODE = -1
ROUNDS = 2**31
"""Rounds and visits are below it."""


class SearchNode(Struct):
    """A node as a file has it: `parent` is None at the root, `pruned` the round in which it was dropped.

    `pruned` is None where the node was kept, and True where the round is that of its depth. `value` is None where there
    is no number, `visits` likewise, and `correct` where nobody judged its answer.
    """

    name: str
    parent: str | None
    text: str
    value: float | None = None
    visits: int | None = None
    pruned: int | Literal[True] | None = None
    correct: bool | None = None


class SearchTree(Struct, frozen=True, eq=False):
    """A tree of (n,) nodes in preorder: a node, then all that is below its first child, then its next child.

    Attributes:
        id: What the file calls it.
        problem: What was to be solved; "" where the file does not say.
        reference_answer: The right answer; "" likewise.
        source: The file, as findings call it.
        line: The 1-based line (or row) of the file.
        format: The form that the row has, in words.
        value_is: What the values are, in words, such as `the PRM's value`.
        names: The nodes as the file calls them.
        texts: The step of each node; of the root often "".
        parents: int64, the place of the parent; -1 at the root, which is at 0.
        ends: int64, one past the place of the last node below it.
        depths: int64, steps from the root, which has 0.
        values: float64, NaN where there is none.
        visits: int64, UNKNOWN where there is no number.
        rounds: int64, the round in which the node was dropped; KEPT where it was not.
        correct: int64, of a leaf: 1 = its final answer is right, 0 = wrong, UNKNOWN = nobody judged it.
        chosen: The place of the leaf that the search answered with; NO_NODE where that is not known.
        chosen_by: How that is known, or why it is not, in words.
    """

    id: str
    problem: str
    reference_answer: str
    source: str
    line: int
    format: str
    value_is: str
    names: tuple[str, ...]
    texts: tuple[str, ...]
    parents: Ints
    ends: Ints
    depths: Ints
    values: Floats
    visits: Ints
    rounds: Ints
    correct: Ints
    chosen: int
    chosen_by: str

    @property
    def size(self) -> int:
        """How many nodes there are, the root among them."""
        return len(self.names)

    @property
    def leaves(self) -> Bools:
        """For each node whether nothing is below it."""
        return np.asarray(self.ends == np.arange(self.size) + 1)

    @property
    def right(self) -> Bools:
        """For each node whether it is a leaf whose answer is right."""
        return np.asarray(self.correct == 1)

    @property
    def wrong(self) -> Bools:
        """For each node whether it is a leaf whose answer is wrong."""
        return np.asarray(self.correct == 0)

    def below(self, counted: Bools) -> Ints:
        """Count nodes at or below each node.

        Args:
            counted: (n,), which nodes count.

        Returns:
            (n,), how many of them are in the part of the tree that begins with the node.
        """
        before = np.concatenate([[0], np.cumsum(counted)])
        return np.asarray(before[self.ends] - before[:-1], dtype=np.int64)

    def children(self) -> Ints:
        """Count the children of each node, (n,)."""
        return np.bincount(self.parents[1:], minlength=self.size).astype(np.int64)

    def path(self, place: int) -> list[int]:
        """Return the places from the root to a node, both included."""
        places = []
        while place != NO_NODE:
            places.append(place)
            place = int(self.parents[place])
        return places[::-1]


class TreeFault(Exception):  # noqa: N818  # it never leaves this folder: it becomes a finding
    """Nodes that are no tree: `code` is a word to count by, the text says what is wrong."""

    def __init__(self, code: str, words: str) -> None:
        super().__init__(words)
        self.code = code


def preorder(nodes: Sequence[SearchNode]) -> tuple[list[int], list[int], list[int], list[int]]:
    """Put nodes into the order of a tree; children stay in the order in which they come.

    Returns:
        The places in `nodes` in preorder; and in that order the places of parents, ends and depths.

    Raises:
        TreeFault: two nodes have one name, a parent is not there, there is no root or more than one, or nodes are in a
            circle.
    """
    root, children = _hung(nodes)
    order: list[int] = []
    parents: list[int] = []
    depths: list[int] = []
    # A node, where its parent came to stand, and its depth.
    left = [(root, NO_NODE, 0)]
    while left:
        place, above, depth = left.pop()
        here = len(order)
        order.append(place)
        parents.append(above)
        depths.append(depth)
        if below := children[place]:
            left.extend([(child, here, depth + 1) for child in reversed(below)])
    if len(order) < len(nodes):
        reached = set(order)
        circling = [node.name for place, node in enumerate(nodes) if place not in reached]
        raise TreeFault("cycle", f"{_some(circling)} cannot be reached from the root: their parents are in a circle")
    ends = [here + 1 for here in range(len(order))]
    for here in range(len(order) - 1, 0, -1):
        ends[parents[here]] = max(ends[parents[here]], ends[here])
    return order, parents, ends, depths


def _hung(nodes: Sequence[SearchNode]) -> tuple[int, list[list[int]]]:
    """The place of the root, and those of each node's children; raises TreeFault."""
    at = {node.name: place for place, node in enumerate(nodes)}
    if len(at) < len(nodes):
        repeated = [name for name, times in Counter(node.name for node in nodes).items() if times > 1]
        raise TreeFault("repeated-node", f"{_some(repeated)} more than once")
    children: list[list[int]] = [[] for _ in nodes]
    roots, lost = [], []
    for place, node in enumerate(nodes):
        parent = node.parent
        if parent is None:
            roots.append(place)
        elif parent in at:
            children[at[parent]].append(place)
        else:
            lost.append(node.name)
    if lost:
        raise TreeFault("no-parent", f"the parent of {_some(lost)} is not there")
    if len(roots) != 1:
        names = _some([nodes[place].name for place in roots])
        words = f"{len(roots)} nodes without a parent ({names})" if roots else "no root: every node has a parent"
        raise TreeFault("roots", words)
    return roots[0], children


def tree_of(
    nodes: Sequence[SearchNode], chosen: str | None, chosen_by: str, *, choose_by_value: bool = False, **facts: Any
) -> SearchTree:
    """Make a tree of nodes in any order.

    Args:
        nodes: at least one.
        chosen: the name of the leaf that the search answered with; None = the file does not say.
        chosen_by: how that is known, or why it is not.
        choose_by_value: where the file does not say, it is the leaf of the highest value that was not dropped; of equal
            ones the first.
        facts: the attributes of the tree that are of no node: `id`, `problem`, ...

    Raises:
        TreeFault: they are no tree.
    """
    order, parents, ends, depths = preorder(nodes)
    ordered = [nodes[place] for place in order]
    rounds = [
        depth if node.pruned is True else KEPT if node.pruned is None else node.pruned
        for node, depth in zip(ordered, depths, strict=True)
    ]
    tree = SearchTree(
        names=tuple(node.name for node in ordered),
        texts=tuple(node.text for node in ordered),
        parents=np.array(parents, dtype=np.int64),
        ends=np.array(ends, dtype=np.int64),
        depths=np.array(depths, dtype=np.int64),
        values=np.array([np.nan if node.value is None else node.value for node in ordered], dtype=np.float64),
        visits=np.array([UNKNOWN if node.visits is None else node.visits for node in ordered], dtype=np.int64),
        rounds=np.array(rounds, dtype=np.int64),
        correct=np.array([UNKNOWN if node.correct is None else int(node.correct) for node in ordered], dtype=np.int64),
        chosen=NO_NODE,
        chosen_by=chosen_by,
        **facts,
    )
    if chosen is not None:
        return _with_choice(tree, tree.names.index(chosen), chosen_by)
    return _chosen_by_value(tree) if choose_by_value else tree


def _chosen_by_value(tree: SearchTree) -> SearchTree:
    kept = tree.leaves & (first_drops(tree)[0] >= ROUNDS) & ~np.isnan(tree.values)
    if not kept.any():
        return _with_choice(tree, NO_NODE, "no leaf that was kept has a value")
    best = int(np.argmax(np.where(kept, tree.values, -np.inf)))
    return _with_choice(tree, best, "the leaf of the highest value that was kept")


def _with_choice(tree: SearchTree, place: int, chosen_by: str) -> SearchTree:
    return replace(tree, chosen=place, chosen_by=chosen_by)


def first_drops(tree: SearchTree) -> tuple[Ints, Ints]:
    """Find, for each node, what first cut it off: the node of the lowest round on its path, of equal ones the upper.

    Returns:
        (n,) the round in which that was dropped, ROUNDS where nothing on the path was; and (n,) its place, or NO_NODE.
    """
    rounds = np.where(tree.rounds == KEPT, ROUNDS, tree.rounds).tolist()
    parents = tree.parents.tolist()
    first = [NO_NODE if rounds[0] == ROUNDS else 0]
    for place in range(1, tree.size):
        parent = parents[place]
        # A parent stands before its children, so that what is known of it is final.
        if rounds[place] < rounds[parent]:
            first.append(place)
        else:
            rounds[place] = rounds[parent]
            first.append(first[parent])
    return np.array(rounds, dtype=np.int64), np.array(first, dtype=np.int64)


def _some(names: Sequence[str]) -> str:
    return some_of([repr(name) for name in names], 3)
