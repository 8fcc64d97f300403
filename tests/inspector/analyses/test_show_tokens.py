"""`show --explain` for people: for every family at several widths, and what is said where something is odd."""

import argparse
import json

import pytest

pytest.importorskip("torch")
pytest.importorskip("tokenizers")

import every_family  # needs torch
import making
import pages
import reference
from inspector.analyses.show.token_page import token_blocks
from inspector.cli.actions.view_page import painted
from inspector.render.blocks import Section
from inspector.render.charts.glyphs import Glyphs
from inspector.render.documents.html import fragment
from inspector.render.documents.latex import latex_sections
from inspector.render.documents.markdown import markdown_sections
from inspector.render.terminal import Terminal
from scoring.data.errors import CheckpointError
from scoring.models.prms.prm_catalogue import ADAPTERS
from scoring.runs import prm_reports
from scoring.runs.arguments import add_prm_arguments

STEPS = ["the step is 4.", "so \x1b[31mwe\u202e take [bold]12.\nIt is so", "the end is 数学 7 " + "word " * 40]
LABELS = {
    "qwen": ("score.0, ReLU, score.2: 2 outputs", "wrong", "right", "= P(right)"),
    "rlhflow": ("rows '+' (10), '-' (12) of lm_head.weight", "'+'", "'-'", "= P('+')"),
    "skywork": ("v_head.summary: 1 output", "logits v_head.summary", "= sigmoid(v_head.summary)"),
    "pure": ("score: 2 outputs", "= -P(wrong) + P(right)"),
    "versa": ("rows '-' (12), '+' (10) of lm_head.weight", "= P('+')"),
    "scan": ("score: 1 output", "logits score", "= sigmoid(score)"),
    "token_classifier": ("score: 2 outputs", "wrong", "= P(right)"),
    "math_shepherd": ("rows '+' (648), '-' (387) of lm_head.weight", "= P('+')"),
    "llemma": ("all rows of lm_head.weight", "mean of all rows", "= sigmoid(mean of all rows)"),
    "minos": ("score: 1 output", "= logit of score"),
    "reasoneval": ("score_head: 3 outputs", "neutral", "= P(neutral) + P(right)", "redundant"),
    "implicit": ("log-probabilities of the tokens so far, less those under the reference", "= r"),
    "pathfinder": ("rows '<+>' (273), '<->' (272)", "= P('<+>') at the last place of a step, -1 where it is below 0.5"),
    "reasonflux": ("reward_head: 1 output", "in 3 sequences", "= sigmoid(reward_head)"),
    "universal": ("score: 1 output", "in 3 sequences", "also read reference_answer", "of sequence 2"),
}


def asked(folder, workspace, *words):
    """What the scoring process answers."""
    parser = argparse.ArgumentParser()
    add_prm_arguments(parser)
    where = {"case": "bench/c0", "benchmark": ["bench"], "workspace": str(workspace.root), "tokens_only": False}
    args = parser.parse_args(["--model", str(folder), "--device", "cpu", *words], argparse.Namespace(**where))
    return json.loads(json.dumps(prm_reports.explain(args)[1]))


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    frame = making.full_frame([reference.Case(3, -1)], problem=["What is\x1b]0;x\x07 3 [red]?"], steps=[STEPS])
    made = making.workspace(tmp_path_factory.mktemp("xray") / "ws", [], [])
    made.add([making.Imported("bench", "made.jsonl", "JSON Lines", "0-based", 1, frame, ())])
    return made


@pytest.fixture(scope="module", params=ADAPTERS)
def answer(request, workspace, tmp_path_factory):
    root = tmp_path_factory.mktemp(request.param)
    folder, other = every_family.write(root, request.param), every_family.reference(root, request.param)
    words = ["--reference", str(other)] if other else []
    return request.param, asked(folder, workspace, "--adapter", request.param, *words)


@pytest.fixture(scope="module")
def qwen(workspace, tmp_path_factory):
    return asked(every_family.write(tmp_path_factory.mktemp("one"), "qwen"), workspace)


def lines_of(told, width, *, ascii_only=False, whole=False):
    """The page of an answer, as a terminal of this width prints it."""
    blocks = tuple(token_blocks(told, STEPS, whole=whole))
    return pages.plain(painted(Terminal(width, Glyphs(ascii_only)).blocks(blocks)), width)


@pytest.mark.parametrize(
    ("outputs", "formula", "column"), [("right,wrong", "P(correct)", 0), ("wrong,right", "P(incorrect)", 1)]
)
def test_outputs_are_called_as_the_checkpoint_calls_them(tmp_path, workspace, outputs, formula, column):
    """Never 'right' over a number that config.json calls 'incorrect', whichever of the two is taken for right."""
    folder = every_family.write(tmp_path, "token_classifier", id2label={"0": "correct", "1": "incorrect"})
    words = ("--adapter", "token_classifier", "--option", "separator=newline")
    with pytest.raises(CheckpointError):
        asked(folder, workspace, *words)
    told = asked(folder, workspace, *words, "--option", f"outputs={outputs}")
    assert told["outputs"]["labels"] == ["correct", "incorrect"]
    assert told["outputs"]["reward"] == formula
    tokens = [token for token in told["tokens"] if token["read"]]
    assert [token["reward"] for token in tokens] == [token["values"][column] for token in tokens]
    assert len(tokens) == 3


def test_every_family_has_its_labels_and_keeps_to_the_width(answer):
    name, told = answer
    # PathFinder reads three places for each step.
    places = 3 if name == "pathfinder" else 1
    for width, ascii_only in ((40, True), (200, False)):
        found = lines_of(told, width, ascii_only=ascii_only, whole=True)
        assert [found.count(f"\nstep {step}    ") for step in range(3)] == [places] * 3
        assert found.count("read: token") == 3 * places
        assert found.count("^") >= 3
        words = " ".join(found.split())
        assert width == 40 or [label for label in LABELS[name] if label not in words] == []


def block(told, width, step, **changes):
    """The lines of one step; `changes` to its token."""
    tokens = [token | changes if token["read"] and token["step"] == step else token for token in told["tokens"]]
    told = {**told, "tokens": tokens}
    found = lines_of(told, width)
    return next(part for part in found.split("\n\n") if part.startswith(f"step {step} ")).splitlines()


def test_a_step_is_its_text_its_tokens_and_its_numbers(qwen):
    text, tokens, mark, *numbers = block(qwen, 80, 0, logits=[-0.25, 12.5], values=[0.25, 0.75], reward=0.75, index=70)
    assert text == "step 0    the step is 4."
    assert tokens.startswith("          …│")
    assert "^" in mark
    assert "read: token 70, id " in mark
    assert numbers == [
        "logits    wrong  -0.2500   right  12.5000",
        "softmax   wrong   0.2500   right   0.7500",
        "reward    0.7500 = P(right), right",
    ]


def test_the_mark_stands_below_the_token_that_is_read(qwen):
    found = lines_of(qwen, 80).splitlines()
    marks = [at for at, line in enumerate(found) if "read: token" in line]
    assert len(marks) == 3
    for at in marks:
        size = found[at].count("^")
        start = found[at].index("^")
        assert found[at - 1][start : start + size] == "<extra_0>"


def test_a_wrong_step_a_merged_separator_and_no_number_are_said(qwen):
    *_, reward = block(qwen, 80, 1, reward=0.4999)
    assert reward == "reward    0.4999 = P(right), wrong: < 0.5"
    told = block(qwen, 80, 1, reward=None, warning="the separator is one token with text of the step")
    assert "!         the separator is one token with text of the step: '<extra_0>'" in told
    assert told[-1] == "reward    no number = P(right)"


def test_a_refused_case_says_why_and_which_steps_are_shown(qwen):
    told = {**qwen, "refused": "too long", "steps": 2}
    found = lines_of(told, 80)
    assert "the case is refused: too long; shown are its first 2 steps" in found
    none = {**qwen, "refused": "too long", "steps": 0, "tokens": []}
    assert "so there are no tokens" in lines_of(none, 80)


def test_the_whole_list_has_every_token_once(qwen):
    found = lines_of(qwen, 80, whole=True).partition("Every token")[2]
    assert found.count("*") == 4
    assert [one["index"] for one in qwen["tokens"] if f" {one['index']} " not in found.replace("*", " ")] == []


def test_every_page_has_every_number_and_nothing_of_the_data_acts(qwen):
    sections = (Section("", "tokens", tuple(token_blocks(qwen, STEPS, whole=True))),)
    markdown, latex = ("\n".join(make(sections)) for make in (markdown_sections, latex_sections))
    for page in (markdown, latex, fragment(sections)):
        assert not pages.ACTING & set(page)
        assert page.count("= P(right)") == 3
        assert page.count("token ") >= 3
        assert [one["id"] for one in qwen["tokens"] if str(one["id"]) not in page] == []
    assert "<extra_0>" not in fragment(sections)
    assert "<extra" not in markdown.replace("\\<extra", "")
