"""Trees of searches are read from our own form and from what public code writes; what is no tree is said."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from any_json import ANY_JSON, rows_near
from scoring.data.errors import UnknownFormat, UnreadableFile
from scoring.metrics.trees.figures import figures_of
from scoring.metrics.trees.reading import NODE_FIELDS, read_trees
from search_trees import node, recorded, tree, written
from thoroughness import up_to


def read(folder, *rows):
    return read_trees([written(folder / "trees.jsonl", rows)])


def codes(file):
    return [(finding.severity, finding.code) for finding in file.findings]


GOOD = tree(node("0", None), node("1", "0", value=0.5, correct=True), id="good")


def test_our_own_form(tmp_path):
    row = tree(
        {"id": 0, "parent": None},
        {"id": 7, "parent": 0, "text": "So 12.", "value": 1, "visits": 3, "depth": 1, "pruned": False, "correct": True},
        {"id": 8, "parent": 0, "text": "So 13.", "value": 0.25, "pruned": 4.0, "correct": False},
        reference_answer=12,
        chosen=8,
    )
    file = read(tmp_path, row)
    (made,) = file.trees
    assert file.findings == ()
    assert (made.id, made.problem, made.reference_answer, made.line) == ("tree", "How many crates are left?", "12", 1)
    assert made.names == ("0", "7", "8")
    assert made.texts == ("", "So 12.", "So 13.")
    assert made.values[1:].tolist() == [1.0, 0.25]
    assert made.visits.tolist() == [-1, 3, -1]
    assert made.rounds.tolist() == [-1, -1, 4]
    assert made.correct.tolist() == [-1, 1, 0]
    assert (made.chosen, made.chosen_by) == (2, "the file says so")


def test_the_same_trees_in_every_container(tmp_path):
    rows, _ = recorded(0, 3)
    files = [written(tmp_path / "a.jsonl", rows), tmp_path / "b.json", tmp_path / "c.json", tmp_path / "d.parquet"]
    files[1].write_text(json.dumps(rows))
    files[2].write_text("\n".join(json.dumps(row, indent=2) for row in rows))
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(files[3])
    tables = [figures_of(read_trees([file]).trees) for file in files]
    for trees, prunings in tables[1:]:
        assert trees.drop("source", "line").equals(tables[0][0].drop("source", "line"))
        assert prunings.equals(tables[0][1])
    assert len(read_trees(files[:2]).trees) == 6


NO_TREES = {
    "cycle": ([node("0", None), node("1", "2"), node("2", "1")], "in a circle"),
    "no-parent": ([node("0", None), node("1", "9")], "the parent of '1' is not there"),
    "roots": ([node("0", None), node("1", None)], "2 nodes without a parent ('0', '1')"),
    "repeated-node": ([node("0", None), node("1", "0"), node(1, "0")], "'1' more than once"),
    "no-nodes": ([], "it has no nodes"),
    "node-type": ([node("0", None), "a step"], "nodes[1] is text, not an object"),
    "node-id": ([node("0", None), node(True, "0")], "id of nodes[1] is a boolean"),
    "pruned": ([node("0", None), node("1", "0", pruned="late")], "pruned of '1' is text"),
}


@pytest.mark.parametrize("code", NO_TREES)
def test_nodes_that_are_no_tree_are_left_out_and_said(code, tmp_path):
    nodes, words = NO_TREES[code]
    file = read(tmp_path, tree(*nodes), GOOD)
    assert [made.id for made in file.trees] == ["good"]
    (finding,) = file.findings
    assert (finding.severity, finding.code, finding.line, file.rows) == ("error", code, 1, 2)
    assert words in finding.message
    with pytest.raises(UnknownFormat, match=r"no row of .* is a tree .*prm-inspect help trees"):
        read(tmp_path, tree(*nodes))


def test_a_circle_without_a_root_is_said_too(tmp_path):
    file = read(tmp_path, tree(node("1", "2"), node("2", "1")), GOOD)
    assert "no root" in file.findings[0].message


def test_what_is_odd_in_nodes_is_counted_and_missing(tmp_path):
    nan = '{"id": "t", "nodes": [{"id": "0", "parent": null}, {"id": "1", "parent": "0", "text": "x", "value": NaN}]}'
    row = tree(
        node("0", None, correct=True),
        node("1", "0", value="0.9", visits=-1, correct=1),
        node("2", "0", value=True, depth=5, pruned=True),
        {"id": "3", "parent": "0", "text": " ", "value": 0.5},
        {"id": "4", "parent": "0", "text": 7, "value": 10**400, "colour": "red"},
        chosen="0",
        run=1,
    )
    path = tmp_path / "trees.jsonl"
    path.write_text(json.dumps(row) + "\n\n" + nan + "\n{broken\n[1]\n" + '{"id": 3}\n')
    file = read_trees([path])
    first, second = file.trees
    assert np.isnan(first.values).tolist() == [True, True, True, False, True]
    assert first.visits.tolist() == [-1] * 5
    assert first.correct.tolist() == [-1] * 5
    assert first.rounds.tolist() == [-1, -1, 1, -1, -1]
    assert first.chosen_by == "chosen is not one of the leaves"
    assert np.isnan(second.values[1])
    assert file.rows == 5
    numbers = [finding.message for finding in file.findings if finding.code == "node-value"]
    assert numbers == [
        "tree: values that are not numbers, and count as missing (3: '1', '2', '4')",
        "t: values that are not numbers, and count as missing (1: '1')",
    ]
    assert set(codes(file)) == {
        ("warning", "chosen"),
        ("warning", "node-value"),
        ("warning", "node-visits"),
        ("warning", "node-correct"),
        ("warning", "node-depth"),
        ("note", "node-pruned"),
        ("note", "node-text"),
        ("note", "left-out"),
        ("error", "broken-row"),
        ("error", "no-object"),
        ("error", "no-tree"),
    }
    assert {finding.line for finding in file.findings if finding.severity == "error"} == {4, 5, 6}


def test_a_file_that_is_not_there_or_holds_no_rows(tmp_path):
    with pytest.raises(UnreadableFile, match="there is no file"):
        read_trees([tmp_path / "nothing.jsonl"])
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(UnknownFormat):
        read_trees([tmp_path / "empty.jsonl"])


def test_a_chain_and_a_star_of_many_nodes_are_read(tmp_path):
    size = 5000
    chain = tree(node("0", None), *(node(str(at), str(at - 1), pruned=at) for at in range(1, size)), id="chain")
    star = tree(node("0", None), *(node(str(at), "0", pruned=at % 7, correct=at % 2 == 0) for at in range(1, size)))
    file = read(tmp_path, chain, star)
    trees, prunings = figures_of(file.trees)
    assert trees["depth"].to_list() == [size - 1, 1]
    assert prunings.filter(pl.col("tree") == "tree").height == sum(at % 2 == 0 for at in range(1, size))


# -- what public code writes; rows in the shape that its code gives


def test_openr_omega_prm(tmp_path):
    leaf = {"text": "So 12.", "mc_value": 1.0, "children": []}
    nested = {
        "text": "How many?",
        "mc_value": 0.5,
        "children": [
            {"text": "Add.", "mc_value": 0.75, "children": [leaf]},
            {"text": "No.", "mc_value": 0.25, "children": []},
        ],
    }
    (tmp_path / "question_0.json").write_text(
        json.dumps({"question": "How many?", "final_answer": "12", "reasoning_steps": nested}, indent=4)
    )
    (tmp_path / "alone.json").write_text(json.dumps(nested, indent=4))
    whole, alone = read_trees([tmp_path / "question_0.json", tmp_path / "alone.json"]).trees
    for made in (whole, alone):
        assert made.texts == ("How many?", "Add.", "So 12.", "No.")
        assert made.values.tolist() == [0.5, 0.75, 1, 0.25]
        # Nobody finished "No.": it is no answer.
        assert made.correct.tolist() == [-1, -1, 1, -1]
        assert made.problem == "How many?"
        assert made.chosen == -1
    assert whole.id == "question_0#1"
    figures, _ = figures_of([whole])
    assert figures.select("chosen_right", "right_reached", "dropped").row(0) == (None, True, 0)
    assert "made of the answers" in figures["reason"][0]


def test_beginnings_of_solutions_become_a_tree_by_their_lines(tmp_path):
    question = "How many?\nThink."
    beginnings = {
        question: 0.5,
        f"{question}\n\nx = 1": 0.25,
        f"{question}\n\nx = 12": 0.75,
        f"{question}\n\nx = 1\tor so": 0.125,
        f"{question}\n\nx = 1\n\ny = 2\n\nz = 3": 0.0,
    }
    steps = [{"solution_prefix": text, "mc_value": value} for text, value in beginnings.items()]
    row = {"question_id": "q7", "question": question, "final_answer": "3", "reasoning_steps": [*steps, steps[1]]}
    file = read(tmp_path, row)
    (made,) = file.trees
    assert made.id == "q7"
    above = {made.texts[at]: made.texts[made.parents[at]] for at in range(1, made.size)}
    assert above == {"x = 1": "", "x = 12": "", "x = 1\tor so": "", "y = 2\n\nz = 3": "x = 1"}
    assert dict(zip(made.texts, made.values.tolist(), strict=True))["y = 2\n\nz = 3"] == 0
    assert made.values[0] == 0.5
    assert codes(file) == [("note", "repeated-prefix")]


def test_rest_mcts(tmp_path):
    first = "Step 1: add.\n"
    row = {
        "content": "How many?",
        "real_answer": "12",
        "policy_samples": [
            {"solution": f"{first}Step 2: so 12.\n", "summary": "12", "correct": True},
            {"solution": "Step 1: guess.\n", "summary": "7", "correct": False},
        ],
        "value_samples": [{"steps": first, "value": 0.5}, {"steps": f"{first}Step 2: so 12.\n", "value": 1.0}],
    }
    (made,) = read(tmp_path, row).trees
    assert made.texts == ("", "Step 1: add.", "Step 2: so 12.", "Step 1: guess.")
    assert made.values[1:3].tolist() == [0.5, 1.0]
    assert made.correct.tolist() == [-1, -1, 1, 0]
    assert (made.reference_answer, made.chosen) == ("12", -1)


def test_search_and_learn_completions_become_the_tree_of_what_they_share(tmp_path):
    row = {
        "unique_id": "crates/7",
        "problem": "How many?",
        "answer": "12",
        "completions": ["Add.\n\nSo 12.", "Add.\n\nSo 13.", "Add.\n\nSo 12.", "Guess.\n\n", "Guess.\n\nNo."],
        "scores": [[0.5, 0.9], [0.5, 0.2], [0.7, 0.9], [0.1, 0.1], [0.3]],
        "pred": "Add.\n\nSo 12.",
    }
    file = read(tmp_path, row)
    (made,) = file.trees
    assert made.texts == ("", "Add.", "So 12.", "So 13.", "Guess.", "No.")
    assert made.values[1:5].tolist() == [0.5, 0.9, 0.2, 0.1]
    assert np.isnan(made.values[5])
    assert made.visits.tolist() == [5, 3, 2, 1, 2, 1]
    assert (made.id, made.names[made.chosen], made.texts[made.chosen]) == ("crates/7", "2", "So 12.")
    assert codes(file) == [("warning", "unscored"), ("warning", "differing-scores")]
    assert figures_of(file.trees)[0]["reason"].to_list() == ["no leaf is judged"]
    (finding,) = read(tmp_path, row | {"completions": ["Add.", 7]}, GOOD).findings
    assert "completions[1] is a number, not text" in finding.message


# -- hostile rows


TYPICAL = (
    tree(node("0", None), node("1", "0", value=0.5, visits=2, pruned=1, correct=True, depth=1), chosen="1"),
    {"question": "How many?", "reasoning_steps": {"text": "How many?", "mc_value": 0.5, "children": []}},
    {"question": "How many?", "reasoning_steps": [{"solution_prefix": "Add.", "mc_value": 0.5}]},
    {"content": "", "policy_samples": [{"solution": "Add.", "correct": True}], "value_samples": [{"steps": "Add."}]},
    {"problem": "How many?", "completions": ["Add.", "No."], "scores": [[0.5], [0.1]], "pred": "Add."},
)


@up_to(200, 20)
@given(rows=st.one_of(*map(rows_near, TYPICAL)), odd=st.dictionaries(st.sampled_from(NODE_FIELDS), ANY_JSON))
def test_any_row_is_a_tree_or_a_finding(rows, odd, tmp_path_factory):
    nearly = tree(node("0", None), node("1", "0"), {**node("2", "1"), **odd})
    file = read_trees([written(tmp_path_factory.mktemp("any") / "trees.jsonl", [GOOD, *rows, nearly])])
    trees, _ = figures_of(file.trees)
    assert trees["tree"][0] == "good"
    assert file.rows == len(rows) + 2
    assert trees.height + sum(finding.severity == "error" for finding in file.findings) == file.rows
