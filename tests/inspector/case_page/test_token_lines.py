import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

import example
from inspector.case_page.case_lines import case_lines
from inspector.case_page.open_case import DisplayOptions, open_case
from inspector.case_page.token_lines import ASKING, MODE, grouped, token_lines
from inspector.render.charts.glyphs import Glyphs
from inspector.state.opening import inspect
from inspector.state.processes.xray import XrayAnswer
from scoring.selection.loading import load


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    return inspect(load(example.write(tmp_path_factory.mktemp("tokens") / "w")))


def token(index, text, part="step", step=None, *, read=False, sequence=0, warning=""):
    told = {"index": index, "id": 100 + index, "text": text, "part": part, "step": step}
    return {**told, "read": read, "sequence": sequence, "warning": warning}


TOKENS = [
    token(0, "<s>", "layout"),
    token(1, "Why", "problem"),
    token(2, " so?", "problem"),
    token(3, "\n", "layout"),
    token(4, "Be", "step", 0),
    token(5, " cause", "step", 0),
    token(6, "<end>", "layout", 0, read=True),
    token(7, "中文", "step", 1),
    token(8, "\x1b[2J", "step", 1),
    token(9, "<end>", "layout", 1, read=True, warning="it is odd"),
    token(10, "</s>", "layout"),
]


def answer(tokens=TOKENS, **changes):
    return {"tokens": tokens, "model": "tiny", "family": "Tiny family", "warnings": [], "refused": "", **changes}


def shown(state, row=0, width=80, *, ascii_only=False, scorer=None, case=None, **changes):
    found = XrayAnswer(case or state.cases["case"][row], scorer or state.focus.scorer, **changes)
    return open_case(state, row, DisplayOptions(width, Glyphs(ascii_only), raw=ascii_only, mode=MODE, xray=found))


def texts(*args, **changes):
    return ["".join(text for text, _ in line.parts) for line in token_lines(shown(*args, **changes))]


def test_every_token_stands_above_its_id_with_its_owner(state):
    lines = texts(state, answer=answer())
    at = lines.index("problem")
    assert lines[at + 1] == "  │Why│␣so?┊⏎  "
    assert lines[at + 2] == "   101 102  103"
    assert lines[lines.index("layout") + 1].strip() == "┊<s>"


def test_a_step_says_where_it_is_read_and_what_it_got(state):
    lines = texts(state, answer=answer())
    rewards = state.evaluation.rewards.of(0)
    head = next(line for line in lines if line.startswith("step 0"))
    assert head == f"step 0: read at token 6, id 106, reward {rewards[0]:.4f}"
    assert "*106" in lines[lines.index(head) + 2]
    assert any(line.endswith("(it is odd)") for line in lines)


def test_the_rewards_are_those_of_the_scorer_that_was_asked_for(state):
    page = shown(state, answer=answer(), scorer="another")
    said = ["".join(text for text, _ in line.parts) for line in token_lines(page)]
    assert said[0] == ASKING


def test_counts_notes_and_signs_stand_above(state):
    lines = texts(state, answer=answer(), notes=("Something is odd.",))
    counts = "11 tokens of tiny (Tiny family): 2 of the problem, 4 of steps, 5 of the layout; 2 are read"
    assert " ".join(lines).startswith(counts)
    assert "! Something is odd." in lines


@pytest.mark.parametrize("width", [20, 80, 200])
def test_ascii_is_ascii_and_no_line_is_too_wide(state, width):
    plain = [one for one in TOKENS if one["text"].isascii()]
    for line in texts(state, width=width, ascii_only=True, answer=answer(plain)):
        assert line.isascii()
        assert cell_len(line) <= max(width, 30)


def test_nothing_of_a_token_acts(state):
    assert not any("\x1b" in line for line in texts(state, answer=answer()))


def test_while_nothing_is_known_the_steps_stand_beneath_a_sentence(state):
    lines = texts(state)
    assert lines[0] == ASKING
    assert any("Step 0 of" in line for line in lines)
    told = texts(state, problem="There are no weights here.")
    assert told[0] == "There are no weights here."
    assert texts(state, case="bench/another", answer=answer())[0] == ASKING


def test_every_step_is_a_stop_once(state):
    tokens = [*TOKENS, *({**one, "sequence": 1} for one in TOKENS)]
    found = XrayAnswer(state.cases["case"][0], state.focus.scorer, answer(tokens))
    page = case_lines(state, 0, DisplayOptions(80, Glyphs(), mode=MODE, xray=found))
    steps = [stop.step for stop, _ in page.stops if stop.kind == "step"]
    assert sorted(steps) == list(range(state.cases["n_steps"][0]))


parts = st.tuples(st.sampled_from(["problem", "step", "layout"]), st.integers(0, 3), st.booleans(), st.integers(0, 2))


@given(st.lists(parts, max_size=30))
def test_groups_have_every_token_once_and_in_order(some):
    tokens = [
        token(index, "x", part, None if part == "problem" else step, read=part == "layout" and read, sequence=sequence)
        for index, (part, step, read, sequence) in enumerate(sorted(some, key=lambda one: one[3]))
    ]
    groups = grouped(tokens)
    assert [one["index"] for group in groups for one in group.tokens] == list(range(len(tokens)))
    for group in groups:
        assert {one["sequence"] for one in group.tokens} == {group.sequence}
        owned = {one["step"] for one in group.tokens if one["part"] != "layout" or one["read"]}
        assert owned <= {group.step}
