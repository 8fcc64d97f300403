"""Trees of searches, for tests: a recorded set with planted wrong prunings, trees of any shape, and slow figures.

A row is one of our own form. All texts are invented.
"""

import json
import random

from hypothesis import strategies as st

ROUNDS, WIDTH, BEAM = 4, 3, 2
SENTENCE = "Take the crates, count what is left, add three more, and halve the sum of both rows"


def written(path, rows):
    """The file, with a row on each line."""
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def node(name, parent, **more):
    return {"id": name, "parent": parent, "text": f"Step {name}.", **more}


def tree(*nodes, **more):
    return {"id": "tree", "problem": "How many crates are left?", "nodes": list(nodes), **more}


def recorded(seed, count=12):
    """The rows of searches that a seeded PRM guided, and which nodes (tree, node) it was wrong to drop.

    A step from which the right answer can be reached is good, and so is one of its steps at least. The PRM knows good
    steps from others; but in some rounds of some trees it gives a good step the lowest value. What was dropped is
    sometimes followed to its end, of the good steps that it was misled about always.
    """
    draw, rows, planted = random.Random(seed), [], set()
    for number in range(count):
        name = f"crates-{number}"
        row, lost = _searched(draw, name)
        rows.append(row)
        planted |= {(name, dropped) for dropped in lost}
    return rows, planted


def _searched(draw, name):
    nodes, good, lost = [{"id": "0", "parent": None, "text": "", "visits": 0}], {"0": True}, []

    def grow(parent, is_good):
        made = str(len(nodes))
        text = " ".join(draw.choices(SENTENCE.split(), k=draw.randint(3, 12)))
        value = round(draw.uniform(0.6, 1) if is_good else draw.uniform(0.1, 0.5), 3)
        nodes.append({"id": made, "parent": parent, "text": f"{text}.", "value": value, "visits": draw.randint(1, 9)})
        good[made] = is_good
        return nodes[-1]

    beam, misled = ["0"], draw.choice([None, 1, 2, 3])
    for number in range(1, ROUNDS + 1):
        grown = [
            grow(parent, good[parent] and (k == 0 or draw.random() < 0.3)) for parent in beam for k in range(WIDTH)
        ]
        hidden = next((one for one in grown if good[one["id"]]), None) if number == misled else None
        if hidden is not None:
            hidden["value"] = 0.05
        kept = sorted(grown, key=lambda one: -one["value"])[:BEAM]
        for dropped in grown:
            if dropped in kept:
                continue
            dropped["pruned"] = number
            if dropped is hidden or draw.random() < 0.4:
                end = dropped
                for _ in range(draw.randint(0, 2)):
                    end = grow(end["id"], good[dropped["id"]])
                end["correct"] = good[dropped["id"]]
                lost += [dropped["id"]] * good[dropped["id"]]
        beam = [one["id"] for one in kept]
    for one in nodes:
        if one["id"] in beam:
            one["correct"] = good[one["id"]]
    return {
        "id": name,
        "problem": f"Problem {name}: how many are left?",
        "reference_answer": "12",
        "nodes": nodes,
    }, lost


@st.composite
def any_tree(draw, most=12):
    """A row of a tree of any shape, with its nodes in any order; the parent of a node is an earlier one."""
    size = draw(st.integers(1, most))
    names = [f"n{at}" for at in range(size)]
    parents = [None, *(names[draw(st.integers(0, at - 1))] for at in range(1, size))]
    nodes = []
    for name, parent in zip(names, parents, strict=True):
        made = node(name, parent, value=draw(st.sampled_from([None, 0.0, 0.25, 0.25, 0.5, 1.0, -2.0])))
        made["pruned"] = draw(st.sampled_from([None] * 8 + [0, 1, 2, 2]))
        if name not in parents:
            made["correct"] = draw(st.sampled_from([True, False, None]))
        nodes.append(made)
    return tree(*draw(st.permutations(nodes)))


# -- what `scoring.metrics.trees.figures` says, by walking


def paths(row):
    """The names from the root to each node, by its name."""
    parent = {one["id"]: one["parent"] for one in row["nodes"]}

    def path(name):
        return [] if name is None else [*path(parent[name]), name]

    return {name: path(name) for name in parent}


def slow_prunings(row):
    """By node: its kind, how many right leaves it lost, how many were left, and the best value kept beside it."""
    ways, facts = paths(row), {one["id"]: one for one in row["nodes"]}
    parents = {one["parent"] for one in row["nodes"]}
    leaves = [name for name in ways if name not in parents]
    right = [name for name in leaves if facts[name].get("correct") is True]

    def dropped(name):
        known = facts[name].get("pruned")
        return float("inf") if known is None else known

    def first(name):
        """The first node to be dropped on a path; of one round the upper one."""
        at = min(ways[name], key=dropped)
        return at if dropped(at) < float("inf") else None

    def ends(name, answer):
        return sum(name in ways[leaf] and facts[leaf].get("correct") is answer for leaf in leaves)

    listed = {}
    for name in ways:
        number = dropped(name)
        if number == float("inf"):
            continue
        beside = [
            other
            for other in ways
            if other != name and facts[other]["parent"] == facts[name]["parent"] and dropped(other) > number
        ]
        lost = sum(first(leaf) == name for leaf in right)
        gone = any(dropped(above) <= number for above in ways[name][:-1])
        nothing = sum(ends(other, False) for other in beside) > 0 and not any(ends(other, True) for other in beside)
        if lost:
            kind = "lost"
        elif not gone and not ends(name, True) and ends(name, None) and nothing:
            kind = "doubted"
        else:
            continue
        left = sum(all(dropped(above) > number for above in ways[leaf]) for leaf in right)
        values = [facts[other]["value"] for other in beside if facts[other].get("value") is not None]
        listed[name] = kind, lost, left, max(values, default=None)
    return listed
