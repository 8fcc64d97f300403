"""What trees of searches come to, and where they were pruned wrongly."""

import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formats.reading.rows import SourceRow
from scoring.metrics.trees.figures import DOUBTED, LOST, SHARES, figures_of, shares, tree_row, wrong_prunings
from scoring.metrics.trees.reading import read_trees, tree_of_row
from scoring.metrics.trees.search_tree import NO_NODE
from search_trees import any_tree, node, paths, recorded, slow_prunings, tree, written
from thoroughness import THOROUGH, up_to


def read(row):
    findings = []
    made = tree_of_row(SourceRow(1, 1, row), "trees.jsonl", findings)
    assert findings == []
    return made


@pytest.mark.parametrize("seed", range(3 if THOROUGH else 1))
def test_every_planted_pruning_is_listed_and_no_other_is_called_known(seed, tmp_path):
    rows, planted = recorded(seed, 40)
    assert len(planted) > 15
    trees = read_trees([written(tmp_path / "trees.jsonl", rows)]).trees
    _, prunings = figures_of(trees)
    known = prunings.filter(pl.col("kind") == LOST)
    assert set(zip(known["tree"], known["node"], strict=True)) == planted
    assert known.height == len(planted)


def listed(prunings):
    kinds = {LOST: "lost", DOUBTED: "doubted"}
    return {
        row["node"]: (kinds[row["kind"]], row["right_lost"], row["right_left"], row["kept_value"])
        for row in prunings.iter_rows(named=True)
    }


@up_to(600, 30)
@given(row=any_tree())
def test_wrong_prunings_are_what_walking_finds(row):
    made = read(row)
    prunings = wrong_prunings(made)
    assert listed(prunings) == slow_prunings(row)
    assert [made.names[place] for place in prunings["place"]] == prunings["node"].to_list()
    # Every right leaf is kept, or lost by one node alone.
    cut = [leaf for leaf in _right(row) if any(_dropped(row, name) for name in paths(row)[leaf])]
    assert prunings["right_lost"].sum() == len(cut)


def _right(row):
    return [one["id"] for one in row["nodes"] if one.get("correct")]


def _dropped(row, name):
    return next(one for one in row["nodes"] if one["id"] == name)["pruned"] is not None


@up_to(200, 20)
@given(row=any_tree(), seed=st.randoms(use_true_random=False))
def test_a_tree_is_the_same_whatever_the_order_of_its_rows(row, seed):
    mixed = list(row["nodes"])
    seed.shuffle(mixed)
    one, other = read(row), read({**row, "nodes": mixed})
    assert listed(wrong_prunings(one)) == listed(wrong_prunings(other))
    facts = [tree_row(made, wrong_prunings(made)) for made in (one, other)]
    # Of equal values the first leaf is chosen.
    same = ("nodes", "leaves", "depth", "branching", "dropped", "judged", "right", "right_kept", "right_reached")
    assert [facts[0][name] for name in same] == [facts[1][name] for name in same]


@up_to(200, 20)
@given(row=any_tree())
def test_nodes_stand_in_preorder(row):
    made, ways = read(row), paths(row)
    assert sorted(made.names) == sorted(ways)
    for place, name in enumerate(made.names):
        parent = made.parents[place]
        assert [made.names[at] for at in made.path(place)] == ways[name]
        assert parent == NO_NODE if place == 0 else parent < place
        below = {other for other in ways if name in ways[other]}
        assert {made.names[at] for at in range(place, made.ends[place])} == below
        assert made.depths[place] == len(ways[name]) - 1


@up_to(400, 25)
@given(row=any_tree())
def test_figures_of_a_tree_are_counted(row):
    made, ways = read(row), paths(row)
    facts = {one["id"]: one for one in row["nodes"]}
    parents = [one["parent"] for one in row["nodes"]]
    leaves = [name for name in ways if name not in parents]
    kept = [name for name in leaves if all(facts[above]["pruned"] is None for above in ways[name])]
    figures = tree_row(made, wrong_prunings(made))
    inner = [parents.count(name) for name in ways if name in parents]
    assert figures["leaves"] == len(leaves)
    assert figures["depth"] == max(map(len, ways.values())) - 1
    assert figures["branching"] == pytest.approx(sum(inner) / len(inner)) if inner else figures["branching"] is None
    judged = {name: facts[name]["correct"] for name in leaves if facts[name]["correct"] is not None}
    assert (figures["judged"], figures["right"]) == (len(judged), sum(judged.values()))
    values = [facts[name]["value"] for name in kept if facts[name]["value"] is not None]
    if values:
        assert figures["chosen"] in kept
        assert facts[figures["chosen"]]["value"] == max(values)
        assert figures["chosen_right"] == facts[figures["chosen"]]["correct"]
    else:
        assert figures["chosen"] is None
        assert figures["reason"]
    for name, among in (("right_kept", kept), ("right_reached", leaves)):
        known = [judged[leaf] for leaf in among if leaf in judged]
        expected = True if any(known) else None if not known or set(kept) - judged.keys() else False
        assert figures[name] is expected
    null = any(figures[name] is None for name in SHARES)
    assert bool(figures["reason"]) == null


def test_a_search_that_lost_the_right_answer_by_hand():
    """The good step 1 is dropped in round 1 and followed to the right answer; what was kept ends wrong."""
    row = tree(
        node("0", None),
        node("1", "0", value=0.4, pruned=1),
        node("2", "0", value=0.7),
        node("3", "0", value=0.3, pruned=1),
        node("4", "1", value=0.9, correct=True),
        node("5", "2", value=0.8, correct=False),
        node("6", "2", value=0.6, pruned=2),
    )
    made = read(row)
    prunings = wrong_prunings(made)
    columns = ("node", "round", "kind", "right_lost", "right_left", "value", "kept_value", "depth")
    assert prunings.select(columns).rows() == [
        ("1", 1, LOST, 1, 0, 0.4, 0.7, 1),
        # The other child of 2 ended wrong, and nobody knows of 6.
        ("6", 2, DOUBTED, 0, 0, 0.6, 0.8, 2),
        ("3", 1, DOUBTED, 0, 0, 0.3, 0.7, 1),
    ]
    figures = tree_row(made, prunings)
    assert (figures["chosen"], figures["chosen_right"], figures["right_kept"], figures["right_reached"]) == (
        "5",
        False,
        False,
        True,
    )
    assert (figures["lost"], figures["doubted"], figures["branching"], figures["reason"]) == (1, 2, 2.0, None)


def test_a_right_leaf_is_lost_by_what_was_dropped_first():
    """A later round above it, or the same one below, did not lose it."""
    above = tree(node("0", None), node("1", "0", pruned=2), node("2", "1", pruned=1, correct=True))
    same = tree(node("0", None), node("1", "0", pruned=1), node("2", "1", pruned=1, correct=True))
    assert wrong_prunings(read(above))["node"].to_list() == ["2"]
    assert wrong_prunings(read(same))["node"].to_list() == ["1"]


def test_a_pruning_that_is_known_to_be_right_or_came_too_late_is_not_doubted():
    known = tree(node("0", None), node("1", "0", pruned=1, correct=False), node("2", "0", correct=False))
    late = tree(
        node("0", None),
        node("1", "0", pruned=1),
        # It was dropped with its parent, which has nothing kept beside it.
        node("2", "1", pruned=1),
        node("3", "1", correct=False),
    )
    for row in (known, late):
        assert wrong_prunings(read(row)).height == 0


def test_a_leaf_that_was_kept_and_not_judged_may_be_right():
    row = tree(
        node("0", None), node("1", "0", value=0.9, correct=False), node("2", "0", value=0.1), node("3", "0", pruned=1)
    )
    figures = tree_row(read(row), wrong_prunings(read(row)))
    assert (figures["chosen"], figures["chosen_right"]) == ("1", False)
    assert (figures["right_kept"], figures["right_reached"]) == (None, None)
    assert figures["reason"] == "nobody judged some of the leaves that were kept"
    row["nodes"][2]["correct"] = False
    figures = tree_row(read(row), wrong_prunings(read(row)))
    assert (figures["right_kept"], figures["right_reached"], figures["reason"]) == (False, False, None)


def test_shares_of_trees_count_those_of_which_it_is_known():
    right = tree(node("0", None), node("1", "0", value=0.9, correct=True))
    wrong = tree(node("0", None), node("1", "0", value=0.9, correct=False))
    unknown = tree(node("0", None), node("1", "0", value=0.9))
    trees, _ = figures_of([read(row) for row in (right, right, wrong, unknown)])
    by_name = {row["figure"]: row for row in shares(trees)}
    assert {name: (row["value"], row["n"]) for name, row in by_name.items()} == dict.fromkeys(SHARES, (2 / 3, 3))
    # Wilson's interval of 2 of 3.
    z = 1.959963984540054
    middle, half = (2 / 3 + z**2 / 6) / (1 + z**2 / 3), z / (1 + z**2 / 3) * math.sqrt(2 / 9 / 3 + z**2 / 36)
    assert (by_name["chosen_right"]["low"], by_name["chosen_right"]["high"]) == pytest.approx(
        (middle - half, middle + half)
    )
    nobody = shares(figures_of([read(unknown)])[0])[0]
    assert (nobody["value"], nobody["low"], nobody["n"]) == (None, None, 0)
    assert nobody["reason"]
