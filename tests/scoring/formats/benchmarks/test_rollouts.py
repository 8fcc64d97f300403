"""Rollouts of training runs, in the documented shapes of verl, TRL's GRPO and verifiers; all of them invented."""

import json
import os

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import benchmark_rows
from authored import json_lines
from benchmark_rows import PROBLEM, STEPS, node, rows_of
from scoring.formats.benchmarks import trl_grpo, verifiers, verl
from scoring.formats.benchmarks.rollouts import LINES, PARAGRAPHS, answered_right, cut_solution, training_run
from scoring.importing.batch import ImportOptions, read_sources


def codes(imported):
    return [(finding.severity, finding.code) for finding in imported.findings]


def one(module, row, source="runs/my-run/rollouts/40.jsonl"):
    imported = module.load(rows_of([row], source))
    assert imported.cases.height == 1, imported.findings
    return imported.cases.row(0, named=True), imported


# -- cutting, naming, outcomes


@given(
    st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=6),
    st.sampled_from(["\n\n", "\n \n", "\n\n\n"]),
)
def test_a_solution_is_cut_at_blank_lines_whatever_stands_between(steps, blank):
    assert cut_solution(blank.join(steps), [len(steps)]) == (steps, PARAGRAPHS)
    assert cut_solution(blank.join(steps), []) == (steps, PARAGRAPHS)


@given(st.lists(st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=3), min_size=1, max_size=4))
def test_it_is_cut_at_lines_only_where_the_numbers_are_as_many_and_not_as_many_as_paragraphs(paragraphs):
    text = "\n\n".join("\n".join(lines) for lines in paragraphs)
    lines = [line for part in paragraphs for line in part]
    steps, how = cut_solution(text, [len(lines)])
    assert (len(steps), how) == (len(lines), PARAGRAPHS if len(lines) == len(paragraphs) else LINES)
    assert cut_solution(text, [len(lines), len(paragraphs)])[1] == PARAGRAPHS
    assert cut_solution(text, [len(lines) + 7]) == (["\n".join(part) for part in paragraphs], PARAGRAPHS)


@pytest.mark.parametrize(
    ("source", "run"),
    [
        ("nowhere/my-run/rollouts/40.jsonl", "my-run"),
        ("nowhere/my-run/rollout_data/train/40.jsonl", "my-run"),
        ("nowhere/my-run/validation/40.jsonl", "my-run/validation"),
        ("nowhere/my-run/completions/completions_00005.parquet", "my-run"),
        ("rollouts/40.jsonl", ""),
        ("40.jsonl", ""),
        ("val/40.jsonl", "val"),
        ("C:\\my-run\\rollouts\\40.jsonl", "my-run"),
    ],
)
def test_a_run_is_called_after_the_folder_that_says_more_than_that_there_are_rollouts(source, run):
    assert training_run(source) == run


def test_a_file_is_of_the_same_run_from_wherever_it_is_named(tmp_path, monkeypatch):
    folder = tmp_path / "my-run" / "rollouts"
    folder.mkdir(parents=True)
    (folder / "40.jsonl").write_bytes(b"{}\n")
    monkeypatch.chdir(folder)
    assert training_run("40.jsonl") == training_run(str(folder / "40.jsonl")) == "my-run"
    assert training_run(os.path.relpath(folder / "40.jsonl", tmp_path)) == "my-run"


@pytest.mark.parametrize(
    ("reward", "right"),
    [
        (1.0, True),
        (1, True),
        (True, True),
        (0.0, False),
        (-1.0, False),
        (False, False),
        (0.1, None),
        (2, None),
        (float("nan"), None),
        (10**400, None),
        ("1.0", True),
        ("False", False),
        ("-1", False),
        ("0.5", None),
        (None, None),
    ],
)
def test_a_shaped_reward_says_nothing_of_the_answer(reward, right):
    assert answered_right(reward) is right


# -- verl


def test_a_row_of_verl_is_a_case_with_its_training_step_and_without_gold():
    case, imported = one(verl, benchmark_rows.verl())
    assert {name: value for name, value in case.items() if value is not None} == {
        "case": "verl/my-run:40#1",
        "key": case["key"],
        "benchmark": "verl",
        "id": "my-run:40#1",
        "subset": "my-run",
        "n_steps": 3,
        "final_answer_correct": False,
        "problem_id": case["problem_id"],
        "source": "runs/my-run/rollouts/40.jsonl",
        "line": 1,
        "problem": f"user\n{PROBLEM}\nassistant\n",
        "steps": STEPS,
        "reference_answer": "12",
    }
    assert imported.metadata.row(0, named=True) == {"gts": "12", "score": 0.0, "step": 40, "pred": "0"}
    assert not imported.findings
    assert imported.label_base.endswith("cut 1 at blank lines")


def test_rollouts_of_one_problem_belong_together_where_they_were_sampled_together():
    rows = [benchmark_rows.verl(), benchmark_rows.verl(output="Other."), benchmark_rows.verl(step=41)]
    groups = verl.load(rows_of(rows)).cases["problem_id"].to_list()
    assert groups[0] == groups[1] != groups[2]


def test_acc_goes_before_a_shaped_score_and_what_is_unknown_is_counted():
    rows = [benchmark_rows.verl(score=0.3, acc=True), benchmark_rows.verl(score=0.3), benchmark_rows.verl(score=-1)]
    imported = verl.load(rows_of(rows))
    assert imported.cases["final_answer_correct"].to_list() == [True, None, False]
    (told,) = [finding for finding in imported.findings if finding.code == "no-outcome"]
    assert told.message.startswith("of 1 rollouts it is not known whether the answer is right")


def test_step_rewards_join_their_rollout_under_the_name_of_their_column(tmp_path):
    folder = tmp_path / "my-run" / "rollouts"
    folder.mkdir(parents=True)
    for at in (1, 2):
        rows = [benchmark_rows.verl(number, step=at, rewards=[0.5, 0.25, number / 8]) for number in range(4)]
        rows += [benchmark_rows.verl(9, step=at, output="\n".join(STEPS), rewards=[0.1, 0.2, 0.3])]
        rows += [benchmark_rows.verl(8, step=at, rewards=[0.1, 0.2], prm_scores=None)]
        (folder / f"{at}.jsonl").write_bytes(json_lines(rows))
    read = read_sources([str(folder)], ImportOptions(), None, None)
    assert sorted((joined.results.name, joined.joined) for joined in read.joined) == [
        ("prm_scores", 6),
        ("prm_scores", 6),
        ("rewards", 6),
        ("rewards", 6),
    ]
    for joined in read.joined:
        if joined.results.name == "rewards":
            lists = dict(joined.rewards.select("case", "rewards").iter_rows())
            at = "2" if any(":2#" in case for case in lists) else "1"
            assert lists[f"verl/my-run:{at}#4"] == [0.5, 0.25, 0.375]
            assert lists[f"verl/my-run:{at}#5"] == [0.1, 0.2, 0.3]
            assert any(finding.code == "length-mismatch" for finding in joined.findings)
    for imported in read.imported:
        assert imported.cases["n_steps"].to_list() == [3] * 6
        assert sorted(codes(imported)) == [("warning", "two-cuts"), ("warning", "unfit-rewards")]


def test_what_a_row_calls_like_a_field_of_ours_stays_beside_it_and_a_missing_step_is_the_files():
    row = benchmark_rows.verl(problem="p9", step=None)
    _, imported = one(verl, row)
    assert imported.metadata.row(0, named=True) == {
        "gts": "12",
        "score": 0.0,
        "pred": "0",
        "step": 40,
        "row.problem": "p9",
    }
    assert codes(imported) == [("note", "step-of-file")]


# -- TRL's GRPO


def test_conversations_become_what_the_user_said_and_what_the_policy_did(tmp_path):
    folder = tmp_path / "grpo-run" / "completions"
    folder.mkdir(parents=True)
    rows = [benchmark_rows.trl_grpo(), benchmark_rows.trl_grpo(accuracy_reward=0.0)]
    pl.DataFrame(rows).write_parquet(folder / "completions_00005.parquet")
    (imported,) = read_sources([str(folder)], ImportOptions(), None, None).imported
    case = imported.cases.row(0, named=True)
    assert (case["case"], case["problem"], case["steps"]) == (
        "trl_grpo/grpo-run:completions_00005#1",
        PROBLEM,
        STEPS,
    )
    assert imported.cases["final_answer_correct"].to_list() == [True, False]
    assert imported.metadata.columns == ["step", "accuracy_reward", "format_reward", "advantage"]


def test_plain_texts_are_taken_as_they_are_and_other_rewards_say_nothing_of_the_answer():
    row = benchmark_rows.trl_grpo(prompt=PROBLEM, completion="One.\n\nTwo.", accuracy_reward=..., my_reward=1.0)
    case, imported = one(trl_grpo, row)
    assert (case["problem"], case["steps"], case["final_answer_correct"]) == (PROBLEM, ["One.", "Two."], None)
    assert codes(imported) == [("note", "no-outcome")]


# -- verifiers


def test_the_steps_of_an_episode_are_what_was_sampled_and_the_rest_is_context():
    case, imported = one(verifiers, benchmark_rows.verifiers(7))
    assert (case["id"], case["problem"]) == ("e7#0", PROBLEM)
    assert case["steps"] == [f'{STEPS[0]}\n-> look {{"what": "pens"}}', STEPS[2]]
    assert case["step_messages"] == [2, 4]
    assert [(held["role"], held["name"], held["text"]) for held in case["context"]] == [
        ("system", None, "Be brief."),
        ("user", None, PROBLEM),
        ("tool", "look", "4 in a box"),
    ]
    assert case["final_answer_correct"] is None
    assert imported.metadata.row(0, named=True) == {
        "env": "pens",
        "group": "g",
        "is_completed": True,
        "stop_condition": "done",
        "rewards.exact": 1.0,
        "reward": 0.5,
        "metrics.turns": 2,
    }


@st.composite
def graphs(draw):
    """Parents of nodes, each before it or none: a forest; and which are sampled."""
    size = draw(st.integers(1, 8))
    parents = [None, *(draw(st.none() | st.integers(0, at - 1)) for at in range(1, size))]
    return parents, [draw(st.booleans()) for _ in range(size)]


@given(graphs())
def test_every_leaf_is_one_rollout_of_the_steps_on_its_way_from_the_root(drawn):
    parents, sampled = drawn
    nodes = [
        node("assistant" if is_sampled else "user", f"t{at}", parent, sampled=is_sampled)
        for at, (parent, is_sampled) in enumerate(zip(parents, sampled, strict=True))
    ]
    expected = []
    for leaf in range(len(parents)):
        if leaf in parents:
            continue
        way = [leaf]
        while parents[way[-1]] is not None:
            way.append(parents[way[-1]])
        steps = [f"t{at}" for at in reversed(way) if sampled[at]]
        expected += [steps] if steps else []
    imported = verifiers.load(rows_of([benchmark_rows.verifiers(nodes=nodes)]))
    assert imported.cases["steps"].to_list() == expected
    assert imported.cases["case"].n_unique() == len(expected)


@pytest.mark.parametrize(
    "nodes",
    [
        [node("user", "a", 1), node("assistant", "b", 0, sampled=True)],
        [node("user", "a"), node("assistant", "b", 7, sampled=True)],
        [node("user", "a"), node("assistant", "b", "root", sampled=True)],
        [node("user", "a"), node("assistant", "b", 2, sampled=True), node("assistant", "c", 1, sampled=True)],
        [3, None],
        [],
        [node("user", "never answered")],
    ],
)
def test_circles_and_parents_that_are_none_are_told_of_and_nothing_hangs(nodes):
    imported = verifiers.load(rows_of([benchmark_rows.verifiers(nodes=nodes)]))
    assert imported.cases.is_empty()
    assert imported.read == 1
    assert imported.findings


# -- whatever a file holds


def test_texts_of_five_megabytes_come_in_whole():
    long = "x" * 5_000_000
    case, _ = one(verl, benchmark_rows.verl(output=f"{long}\n\nEnd."))
    assert list(map(len, case["steps"])) == [5_000_000, 4]
    nodes = [node("user", long), node("assistant", "a", 0, sampled=True), node("tool", long, 1)]
    case, _ = one(verifiers, benchmark_rows.verifiers(nodes=nodes))
    assert [len(held["text"]) for held in case["context"]] == [5_000_000] * 2


def test_rows_of_other_formats_in_a_file_are_told_of_one_by_one():
    rows = [benchmark_rows.verl(), benchmark_rows.grben(), benchmark_rows.verl(output=None), json.loads("[1]")]
    imported = verl.load(rows_of(rows))
    assert (imported.cases.height, imported.read) == (1, 4)
    assert {finding.line for finding in imported.findings if finding.severity == "error"} == {2, 3, 4}
