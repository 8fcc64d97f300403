"""Trajectories of agents: AgentProcessBench's rows, its judges, and its two figures against its code written out."""

import json
import random

import pytest

from benchmark_rows import action_pair, agent_run, judged_trajectory, messages, rows_of, tool, trajectory
from inspector import cli
from inspector.api import analysis
from inspector.state.case_links import figure_link
from scoring.data.context_messages import context_messages
from scoring.data.schema import CASES, content_key
from scoring.evaluation.case_exports import trl_row
from scoring.formats.benchmarks import toolprmbench, trajectories
from scoring.formats.benchmarks.agentprocessbench import load, recognises
from scoring.formats.results import agentprocessbench_results as judges
from scoring.selection.loading import load as load_results
from scoring.selection.query import Query

ROLES = ("system", "user", "tool", "assistant", "assistant")


def codes(read):
    return [(finding.severity, finding.code) for finding in read.findings]


def only(**changes):
    imported = load(rows_of([trajectory(**changes)]))
    return imported.cases.row(0, named=True), imported


def test_a_trajectory_becomes_a_case_whose_steps_are_the_assistants_messages():
    case, imported = only()
    steps = ['-> till {"of": "pens"}', "assistant says 4", "assistant says 5"]
    assert not imported.findings
    assert case == {
        **dict.fromkeys(CASES),
        "case": "agentprocessbench/a-shop:0:0",
        "key": content_key(trajectory()["question"], steps),
        "benchmark": "agentprocessbench",
        "id": "a-shop:0:0",
        "subset": "hotpotqa",
        "n_steps": 3,
        "earliest_error": 2,
        "error_steps": [2],
        "neutral_steps": [1],
        "step_messages": [2, 4, 5],
        "final_answer_correct": False,
        "problem_id": "a-shop:0",
        "source": "folder/made.jsonl",
        "line": 1,
        "problem": trajectory()["question"],
        "steps": steps,
        "reference_answer": "12",
        "context": [
            {"role": "system", "name": None, "text": "system says 0"},
            {"role": "user", "name": None, "text": "user says 1"},
            {"role": "tool", "name": "till", "text": "tool says 3"},
        ],
    }
    assert "1 right, 1 neutral, 1 wrong" in imported.label_base
    assert [(message.place, message.before, message.speaker) for message in context_messages(case, case)] == [
        (0, 0, "system"),
        (1, 0, "user"),
        (3, 1, "tool till"),
    ]


@pytest.mark.parametrize(
    ("changes", "code", "label"),
    [
        ({"step_labels": {"2": 1, "4": 0, "5": -1, "3": -1}}, "label-of-no-step", (2, [2])),
        ({"step_labels": {"2": 1, "5": -1}}, "no-label", (2, None)),
        ({"step_labels": {"2": 1, "4": 1}}, "no-label", (None, None)),
        ({"step_labels": {"2": 1, "4": 2, "5": 1}}, "bad-label", (None, None)),
        ({"step_labels": {"2": 1, "four": 0, "4": 1, "5": 1}}, "bad-label", (-1, [])),
        ({"step_labels": [1, -1]}, "wrong-type", (None, None)),
        ({"messages": [*trajectory()["messages"], "a bare text"]}, "no-role", (2, [2])),
        ({"messages": [*trajectory()["messages"], {"content": "whose?"}]}, "no-role", (2, [2])),
    ],
)
def test_what_is_odd_about_labels_and_messages_is_said_and_the_rest_is_read(changes, code, label):
    case, imported = only(**changes)
    assert ("warning", code) in codes(imported)
    assert (case["earliest_error"], case["error_steps"]) == label


TILL = {"name": "till", "about": "What was sold.", "definition": json.dumps(tool())}
BARE = {"name": "count", "about": None, "definition": '{"name": "count"}'}


@pytest.mark.parametrize(
    ("tools", "entries", "warned"),
    [
        ([tool(), {"name": "count"}], [TILL, BARE], False),
        (json.dumps([tool(), {"name": "count"}]), [TILL, BARE], False),
        ([], None, False),
        ("", None, False),
        ("[]", None, False),
        (None, None, False),
        (["count", tool()], [{**BARE, "definition": '"count"'}, TILL], True),
        ([7], [{"name": None, "about": None, "definition": "7"}], True),
        ([tool(name=7, about=["x"])], [{"name": None, "about": None, "definition": json.dumps(tool(7, ["x"]))}], False),
        ([{"name": "é\ud800"}], [{"name": "é\ufffd", "about": None, "definition": '{"name": "é\ufffd"}'}], True),
        ("[1", None, True),
        ("[" * 100_000, None, True),
        ({"till": {}}, None, True),
        (7, None, True),
    ],
)
@pytest.mark.parametrize("read", [load, trajectories.load])
def test_the_tools_of_a_run_are_kept_whole_and_what_is_none_is_said(read, tools, entries, warned):
    row = trajectory(tools=tools) if read is load else agent_run(tools=tools)
    imported = read(rows_of([row]))
    assert imported.cases["tools"].to_list() == [entries]
    assert bool(imported.findings) == warned
    assert imported.cases["key"].to_list() == read(rows_of([{**row, "tools": []}])).cases["key"].to_list()


@pytest.mark.parametrize("changes", [{"messages": messages("user", "tool")}, {"messages": "none"}, {"messages": []}])
def test_a_row_without_a_message_of_the_assistant_is_left_out(changes):
    imported = load(rows_of([trajectory(**changes), trajectory(1)]))
    assert imported.cases["id"].to_list() == ["a-shop:0:1"]
    assert any(severity == "error" for severity, _ in codes(imported))


def test_parts_of_a_message_are_texts_and_a_picture_is_a_word():
    parts = [{"type": "text", "text": "See:"}, {"type": "image_url", "image_url": "x"}, "and this"]
    talk = [{"role": "assistant", "content": parts, "tool_calls": [{"function": {"name": "f", "arguments": {"a": 1}}}]}]
    case, _ = only(messages=talk, step_labels={"0": 1})
    assert case["steps"] == ['See:\n[image_url]\nand this\n-> f {"a": 1}']


def test_only_rows_with_messages_and_labels_are_recognised():
    assert recognises(trajectory())
    assert not recognises(judged_trajectory())
    assert judges.recognises(judged_trajectory())
    assert not judges.recognises(trajectory())


@pytest.mark.parametrize(
    ("value", "label"), [(1, 1), (0.0, 0), ("-1", -1), (True, 1), (False, 0), (None, None), (2, None), ("x", None)]
)
def test_a_label_may_be_written_in_several_ways(value, label):
    assert judges.label_of(value) == label


def test_of_several_rows_of_a_trajectory_the_newest_counts_and_of_equal_times_the_last():
    old, new = judged_trajectory(updated_at="2026-01-01"), judged_trajectory(step_labels={"2": -1})
    (results,) = judges.load(rows_of([new, old]))
    assert results.rows["rewards"].to_list() == [[-1.0]]
    (results,) = judges.load(rows_of([new, judged_trajectory(step_labels=[0])]))
    assert (results.rows["rewards"].to_list(), results.rows["messages"].to_list()) == ([[0.0]], [[0]])


def test_a_judge_is_called_after_its_folder_where_the_file_is_one_of_its_own():
    rows = [judged_trajectory(annotator="thinker")]
    assert judges.load(rows_of(rows, "results/A Judge /shop__blind_thinker.jsonl"))[0].name == "A Judge"
    assert judges.load(rows_of(rows, "folder/answers.jsonl"))[0].name == "thinker"


# -- the two figures, against the benchmark's own code written out


def first_wrong(labels):
    return min((int(place) for place, label in labels.items() if label == -1), default=-1)


def official(gold, predicted):
    """StepAcc and FirstErrAcc as `eval/compare.py` counts them: dictionaries of labels by place, of each trajectory."""
    steps = [(own[place], given.get(place)) for own, given in zip(gold, predicted, strict=True) for place in own]
    first = [first_wrong(own) == first_wrong(given) for own, given in zip(gold, predicted, strict=True)]
    return sum(a == b for a, b in steps) / len(steps), sum(first) / len(first)


def invented(seed, n=40):
    """Trajectories with labels, and what a judge says of them: missing, null and further labels, failed answers."""
    rng = random.Random(seed)
    gold, predicted = [], []
    for number in range(n):
        roles = [rng.choice(ROLES) for _ in range(rng.randint(1, 9))] + ["assistant"]
        own = {str(place): rng.choice([1, 1, 0, -1]) for place, role in enumerate(roles) if role == "assistant"}
        gold.append(trajectory(number, messages=messages(*roles), step_labels=own))
        given = {place: rng.choice([label, label, 1, 0, -1]) for place, label in own.items()}
        if rng.random() < 0.3:
            given[rng.choice(list(own))] = None
        if rng.random() < 0.2:
            given.pop(rng.choice(list(own)))
        if (others := [str(place) for place, role in enumerate(roles) if role != "assistant"]) and rng.random() < 0.2:
            given[rng.choice(others)] = rng.choice([1, -1, -1])
        failed = rng.random() < 0.1
        said_by_judge = dict.fromkeys(given) if failed else given
        comment = "llm_annotate_failed: no answer" if failed else ""
        predicted.append(judged_trajectory(number, step_labels=said_by_judge, comment=comment, explanations={}))
    return gold, predicted


def metrics_of(tmp_path, gold, *judged):
    files = []
    for name, rows in (("gold", gold), *((f"judge-{number}", rows) for number, rows in enumerate(judged))):
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        files.append(str(path))
    root = tmp_path / "space"
    assert cli.main(["import", *files, "--workspace", str(root), "-q"]) in {0, 1}
    rows = analysis(root, "metrics").rows
    return {(row["scorer"], row["metric"]): row["value"] for row in rows.to_dicts() if row["subset"] == "all"}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_both_figures_are_those_of_the_official_code(tmp_path, seed):
    gold, predicted = invented(seed)
    figures = metrics_of(tmp_path, gold, predicted)
    labels, given = ([row["step_labels"] for row in rows] for rows in (gold, predicted))
    step_acc, first_error_acc = official(labels, given)
    assert figures["a-judge", "step_acc"] == pytest.approx(step_acc, abs=1e-12)
    assert figures["a-judge", "first_error_acc"] == pytest.approx(first_error_acc, abs=1e-12)
    # A failed answer is right on a clean trajectory there, and never here.
    assert figures["a-judge", "correct_acc"] < first_error_acc
    results = load_results(Query(workspace=str(tmp_path / "space")))
    for metric in ("step_acc", "first_error_acc"):
        link = figure_link(results, results.evaluations[0], "agentprocessbench", metric)
        assert link.n == len(gold) == int(results.evaluated.passing(link.where).sum())


def test_a_message_that_is_no_step_called_wrong_first_names_no_step(tmp_path):
    clean = trajectory(0, step_labels={"2": 1, "4": 1, "5": 1})
    stray = judged_trajectory(0, step_labels={"2": 1, "3": -1, "4": 1, "5": 1})
    figures = metrics_of(tmp_path, [clean], [stray])
    assert (figures["a-judge", "first_error_acc"], figures["a-judge", "correct_acc"]) == (0.0, 0.0)
    # What is said of the steps counts all the same.
    assert figures["a-judge", "step_acc"] == 1.0


PUBLISHED = {
    # subset: steps, +1, 0, -1, erroneous, StepAcc and FirstErrAcc of always +1, of always -1, in percent
    "hotpotqa": (734, 499, 56, 179, 104, (68.0, 58.4), (24.4, 12.0)),
    "gaia_dev": (1628, 612, 165, 851, 183, (37.6, 26.8), (52.3, 23.6)),
}


@pytest.mark.parametrize("subset", PUBLISHED)
def test_the_published_labels_have_the_counts_and_constant_baselines_that_are_known(data_folder, tmp_path, subset):
    path = data_folder / "agentprocessbench" / f"{subset}_final.jsonl"
    if not path.exists():
        pytest.skip("no published AgentProcessBench here; name its folder in PRM_INSPECT_DATA")
    n_steps, right, neutral, wrong, erroneous, always_right, always_wrong = PUBLISHED[subset]
    gold, constant = [], {1: [], -1: []}
    for line in path.read_text().splitlines():
        row = json.loads(line)
        # The labels are published without their messages: what they name is the assistant's.
        places = range(1 + max(map(int, row["step_labels"]), default=0))
        roles = ["assistant" if str(place) in row["step_labels"] else "user" for place in places]
        gold.append({**row, "question": "What?", "messages": messages(*roles)})
        for label, judged in constant.items():
            labels = dict.fromkeys(row["step_labels"], label)
            judged.append({**row, "annotator": f"always {label}", "step_labels": labels, "explanations": {}})
    imported = load(rows_of(gold))
    assert imported.cases["n_steps"].sum() == n_steps
    assert f"{right:,} right, {neutral:,} neutral, {wrong:,} wrong" in imported.label_base
    assert (imported.erroneous, imported.clean) == (erroneous, 250 - erroneous)
    figures = metrics_of(tmp_path, gold, *constant.values())
    for label, known in ((1, always_right), (-1, always_wrong)):
        both = [figures[f"always {label}", metric] for metric in ("step_acc", "first_error_acc")]
        assert [round(100 * value, 1) for value in both] == list(known)


# -- pairs of actions


def test_a_trajectory_of_ones_own_needs_messages_alone():
    imported = trajectories.load(rows_of([agent_run(), {"messages": agent_run()["messages"]}]))
    own, bare = imported.cases.iter_rows(named=True)
    assert imported.benchmark == "trajectories"
    assert (own["id"], own["problem"], own["reference_answer"]) == ("run-0", "user says 0", "12")
    assert (own["step_messages"], own["earliest_error"], own["error_steps"]) == ([1, 3], 1, [1])
    assert own["final_answer_correct"] is False
    assert imported.metadata["meta.cost"].to_list() == [0.5, None]
    assert [message["text"] for message in own["context"]] == ["user says 0", "tool says 2"]
    assert (bare["earliest_error"], bare["error_steps"], bare["final_answer_correct"]) == (None, None, None)
    # That nothing is labelled is no fault of a row.
    assert codes(imported) == []


@pytest.mark.parametrize(
    ("labels", "earliest", "code"),
    [
        ({"1": 1, "3": 1}, -1, []),
        ({"1": 0, "3": -1}, 1, []),
        ([True, 1], None, [("warning", "bad-label")]),
        ([1], None, [("warning", "label-count")]),
        ({"3": 1}, None, [("warning", "no-label"), ("warning", "no-label")]),
        ("right", None, [("warning", "wrong-type")]),
    ],
)
def test_its_labels_stand_by_place_or_one_a_step(labels, earliest, code):
    imported = trajectories.load(rows_of([agent_run(step_labels=labels)]))
    assert imported.cases["earliest_error"].to_list() == [earliest]
    assert codes(imported)[: len(code)] == code


def test_a_trajectory_without_a_task_says_what_would_be_one():
    imported = trajectories.load(rows_of([agent_run(messages=messages("assistant"), step_labels=[1]), agent_run(1)]))
    assert imported.cases["id"].to_list() == ["run-1"]
    (finding,) = imported.findings
    assert (
        finding.message == "there is no task: none of question, problem, task, instruction, and the user says nothing"
    )


def test_whose_trajectory_a_row_is():
    assert [(trajectories.recognises(row), recognises(row)) for row in (agent_run(), trajectory())] == [
        (True, False),
        (False, True),
    ]
    for row in ({"messages": messages("user")}, {"messages": ["hi"]}, {"messages": []}, agent_run(steps=["a"]), []):
        assert not trajectories.recognises(row)


def test_a_pair_of_actions_becomes_two_cases_of_one_problem_the_rejected_one_first():
    call = {"content": None, "tool_calls": [{"function": {"name": "till", "arguments": "{}"}}]}
    source = "folder/prmbench_shop.json"
    imported = toolprmbench.load(rows_of([action_pair(), action_pair(action_chosen=call)], source))
    names = ("id", "subset", "problem_id", "problem", "steps", "earliest_error", "error_type", "final_answer_correct")
    pair, wrong = ("shop", "prmbench_shop#1", "user says 1"), ("wrong argument", False)
    assert imported.cases.select(names).rows()[:2] == [
        ("prmbench_shop#1/rejected", *pair, ["till(of='boxes')"], 0, *wrong),
        ("prmbench_shop#1/chosen", *pair, ["till(of='pens')"], -1, None, True),
    ]
    assert imported.cases["steps"].to_list()[3] == ["-> till {}"]
    assert imported.cases["step_messages"].to_list() == [[2]] * 4
    assert [message["role"] for message in imported.cases["context"][0]] == ["system", "user"]
    assert not imported.findings


@pytest.mark.parametrize("changes", [{"history": "none"}, {"action_chosen": None}, {"history": []}])
def test_a_case_without_history_or_action_is_left_out_and_said(changes):
    imported = toolprmbench.load(rows_of([action_pair(**changes)]))
    assert imported.cases.height == (1 if "action_chosen" in changes else 0)
    assert any(severity == "error" for severity, _ in codes(imported))


@pytest.mark.parametrize(("rewards", "preferred"), [((0.2, 0.9), 1.0), ((0.9, 0.2), 0.0), ((0.5, 0.5), 0.0)])
def test_preferring_the_chosen_action_is_best_of_two_and_a_tie_is_no_preference(tmp_path, rewards, preferred):
    data, scores = tmp_path / "prmbench_shop.json", tmp_path / "scores.jsonl"
    data.write_text(json.dumps([action_pair()]))
    rows = zip(("rejected", "chosen"), rewards, strict=True)
    lines = [{"case": f"toolprmbench/prmbench_shop#1/{which}", "rewards": [reward]} for which, reward in rows]
    scores.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert cli.main(["import", str(data), str(scores), "--workspace", str(tmp_path / "space"), "-q"]) in {0, 1}
    view = analysis(tmp_path / "space", "best-of-n").rows
    chosen = [row for row in view.to_dicts() if row["metric"] == "prm@n" and row["subset"] == "all" and row["of"] == 2]
    assert {row["value"] for row in chosen} == {preferred}


def test_neutral_steps_are_called_right_where_a_format_has_no_word_for_them_and_are_counted():
    case, _ = only()
    written = trl_row(case)
    assert written.value["labels"] == [True, True, False]
    assert [count for what, count in written.notes if what.startswith("neutral steps, called right")] == [1]
