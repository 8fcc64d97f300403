"""The critic that reads trajectories: what it is shown between the steps, and how its labels are read."""

import json

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark_rows import messages, tool, trajectory
from inspector import cli
from scoring.data.reward_keys import BEFORE_ALL, further_texts, reward_key
from scoring.data.scorer import Scorer
from scoring.formats.reading.critic_answers import ParseNote
from scoring.formats.reading.rated_answers import read_agentprocessbench, step_explanations
from scoring.models.critics.protocols import PROTOCOLS
from scoring.workspace.workspace import Workspace
from servers.fault_server import Behaviour, running

PROTOCOL = PROTOCOLS["agentprocessbench"]
LABELS = {"2": 1, "0": -1, "1": 0}


def fenced(labels, **more):
    return f"Let me see.\n```json\n{json.dumps({'step_labels': labels, **more}, indent=1)}\n```\nThat is all."


# -- how labels are read


@pytest.mark.parametrize(
    "text",
    [
        fenced(LABELS, explanations={"0": "a } too many, and {"}),
        json.dumps({"step_labels": LABELS}),
        f'{{"step_labels": {{}}}} was a draft. So: {json.dumps({"step_labels": LABELS})} (sure)',
        fenced({"0": 1}) + "\nNo: " + fenced(LABELS),
        f"<think>{fenced({'0': 1})}</think>{fenced(LABELS)}",
        fenced([-1, 0, 1]),
        fenced({"0": "-1", "1": "0", "2": 1}),
        fenced(LABELS) + "\n```\na {plain} block\n```",
        f"```JSON {json.dumps({'step_labels': LABELS})}```",
    ],
)
def test_the_last_object_of_the_answer_counts_however_it_is_written(text):
    read = read_agentprocessbench(text, 3)
    assert (read.rewards, read.reason, read.notes) == ((-1.0, 0.0, 1.0), None, ())
    assert "step_labels" in text[read.span.start : read.span.end]


def test_a_step_without_a_label_that_is_one_is_neutral_and_noted():
    for labels in (
        {"0": 1, "2": -1},
        {"0": 1, "1": 7, "2": -1},
        {"0": 1, "1": None, "2": -1},
        {"0": 1, "1": True, "2": -1},
    ):
        read = read_agentprocessbench(fenced(labels), 3)
        assert (read.rewards, read.notes) == ((1.0, 0.0, -1.0), (ParseNote.NEUTRAL_BY_DEFAULT,))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        # Places of messages in place of numbers of steps would else be read as labels of other steps.
        (fenced({"2": 1, "4": 0, "5": -1}), "label of no step (4 of 3 steps)"),
        (fenced({"first": 1}), "label of no step (first of 3 steps)"),
        (fenced({"-1": 1}), "label of no step (-1 of 3 steps)"),
        (fenced([1, 1, 1, 1]), "label of no step (3 of 3 steps)"),
        (fenced({}), "JSON without a label of a step"),
        (fenced({"0": "good"}), "JSON without a label of a step"),
        (fenced("fine"), "JSON without a label of a step"),
        ('{"labels": {}}', "JSON without a label of a step"),
        ("All steps are right.", "no JSON"),
        ('{"step_labels": {"0": 1', "JSON never closed"),
        ("{0: 1}", "broken JSON"),
        ("<think>hm", "reasoning never ended"),
        (" ", "empty answer"),
    ],
)
def test_what_cannot_be_read_says_why(text, reason):
    read = read_agentprocessbench(text, 3)
    assert (read.rewards, read.reason) == (None, reason)


@pytest.mark.parametrize(
    ("answer", "reasons"),
    [
        (fenced(LABELS, explanations={"0": "it {asks}", "2": " ", "x": "?", "1": None}), {0: "it {asks}"}),
        (fenced(LABELS, explanations={"steps": {"1": "b"}, "final": "c"}), {1: "b"}),
        (fenced(LABELS, explanations=["a", "b"]), {0: "a", 1: "b"}),
        (
            "message 2: +1  asks\nthe till\nmessage 3: no label  of no step\nmessage 5: -1\nall: wrong",
            {0: "asks\nthe till"},
        ),
        ("message 5: -1  all: message 2: +1  is odd", {2: "all: message 2: +1  is odd"}),
        ("It is right.", {}),
    ],
)
def test_reasons_stand_with_the_steps_that_they_are_of(answer, reasons):
    assert step_explanations(answer, (2, 4, 5)) == reasons


# -- what it is shown

TEXT = st.text(max_size=8) | st.sampled_from(["{text}", "{speaker}", "</message>", "<step_0>"])


@given(st.lists(TEXT, max_size=4), st.data())
def test_messages_stand_where_they_stood_and_nothing_in_them_acts(steps, data):
    places = st.integers(0, len(steps))
    context = sorted(data.draw(st.lists(st.tuples(places, TEXT, TEXT), max_size=4)), key=lambda message: message[0])
    tools = data.draw(st.none() | TEXT)
    expected = [] if tools is None else [f"<tools>\n{tools}\n</tools>"]
    context = [*([] if tools is None else [(BEFORE_ALL, "tools", tools)]), *context]
    for step in range(len(steps) + 1):
        messages_there = [(who, text) for place, who, text in context if place == step]
        expected += [f'<message from="{who}">\n{text}\n</message>' for who, text in messages_there]
        if step < len(steps):
            expected.append(f"<step_{step}>\n{steps[step]}\n</step_{step}>")
    assert PROTOCOL.text(steps, json.dumps(context)) == "\n\n".join(expected)
    assert PROTOCOLS["processbench"].text(steps, json.dumps(context)) == PROTOCOLS["processbench"].steps.text(steps)


# -- from the rows of a file to its figures

ROWS = [
    trajectory(0),
    # The same steps after another answer of the tool, and after a message more.
    trajectory(1, messages=[{"role": "tool", "content": "None left."} if message["role"] == "tool" else message
                            for message in trajectory()["messages"]]),
    trajectory(2, messages=[*trajectory()["messages"], *messages("user")]),
    trajectory(3),
    # The same run of an agent that had another tool.
    trajectory(4, tools=[tool("count")]),
]  # fmt: skip


@pytest.fixture
def asked(tmp_path, capsys):
    """A workspace whose trajectories a critic has judged; what the server saw, and what a command prints."""
    pytest.importorskip("httpx")
    (tmp_path / "runs.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))

    def call(*words):
        assert cli.main([*words, "-w", str(tmp_path / "space")]) == 0
        return capsys.readouterr()

    call("import", str(tmp_path / "runs.jsonl"), "-q")
    behaviour = Behaviour(message={"role": "assistant", "content": fenced({"0": 1, "1": -1, "2": -1})})
    with running(behaviour) as server:
        told = call("score", "agentprocessbench", "--critic", "agentprocessbench", "--server", server.url)
        bodies = list(server.seen.bodies)
        call("score", "agentprocessbench", "--critic", "agentprocessbench", "--server", server.url, "-q")
        assert len(server.seen.bodies) == len(bodies)
    return tmp_path / "space", bodies, told, call


def test_each_run_is_asked_with_its_own_context_and_its_answer_is_counted_shown_and_read_again(asked):
    space, bodies, told, call = asked
    prompts = [body["messages"][-1]["content"] for body in bodies]
    # The first and the fourth are one run, and cost one answer.
    assert len(set(prompts)) == len(prompts) == 4
    (with_tools,) = [prompt for prompt in prompts if "<tools>" in prompt]
    # It differs by the tools alone, which stand between task and messages.
    definitions = f"<tools>\n{json.dumps([tool('count')])}\n</tools>\n\n"
    assert with_tools.replace(f"[Run]\n\n{definitions}", "[Run]\n\n") in prompts
    assert sum("None left." in prompt for prompt in prompts) == 1
    assert {(body["temperature"], body["top_p"], body["max_tokens"]) for body in bodies} == {(1.0, 1.0, 8192)}
    assert "nothing of what users and tools say" not in told.err
    (scorer,) = (Scorer.load(folder) for folder in Workspace.open(space).reward_folders())
    assert (scorer.reads, scorer.threshold, scorer.comparison) == (("context",), -0.5, "<")
    figures = pl.read_csv(call("metrics", "--csv", "-q").out.encode())
    value = {row["metric"]: row["value"] for row in figures.filter(subset="all").iter_rows(named=True)}
    # Gold is 1, 0, -1 in all five: two of three steps are right, and the first error is one too early.
    assert value["step_acc"] == pytest.approx(10 / 15)
    assert value["first_error_acc"] == 0
    # What was sent is shown, and read again as it was.
    for case in ("a-shop:0:1", "a-shop:0:4"):
        shown = json.loads(call("show", f"agentprocessbench/{case}", "--prompt", "--json", "-q").out)
        assert shown["provenance"]["exact"] == [True]
        sent_messages = [{"role": row["role"], "content": row["text"]} for row in shown["rows"]]
        assert sent_messages in [body["messages"] for body in bodies]
    listed = json.loads(call("cases", "--search", "let me see", "--in", "answers", "--json", "-q").out)
    assert len(listed["rows"]) == 5
    assert "none says anything else" in call("reparse", "--save", "tiny-agentprocessbench-t1").err


def test_a_case_is_known_by_its_context_and_by_where_it_stands():
    texts = {"context": [{"role": "user", "name": None, "text": "a"}]}
    after = {"step_messages": [0, 1]}, texts
    between = {"step_messages": [0, 2]}, texts
    named = {"step_messages": [0, 2]}, {"context": [{"role": "tool", "name": "till", "text": "a"}]}
    keys = {reward_key("k", further_texts(("context",), *each)) for each in (after, between, named, ({}, {}))}
    assert len(keys) == 4
    # What version 0.2.0 made of it before there were tools.
    assert reward_key("k", further_texts(("context",), *named)) == "4fb505904dacf4bec7167a95a51051a1"
    tools = [{"name": "till", "about": None, "definition": '{"name": "till"}'}]
    with_tools = further_texts(("context",), named[0], {**named[1], "tools": tools})
    assert list(with_tools) == [
        ("context", json.dumps([[BEFORE_ALL, "tools", '[{"name": "till"}]'], [1, "tool till", "a"]],
                               separators=(",", ":")))
    ]  # fmt: skip
    # Nor do they make a difference to who does not read the context.
    assert reward_key("k", further_texts(("reason",), named[0], {**named[1], "tools": tools})) == "k"
    assert reward_key("k", further_texts(("context",), {}, {"context": None})) == "k"
