import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

import making
import reference
from inspector.case_page.case_lines import case_lines
from inspector.case_page.open_case import DisplayOptions
from inspector.render.charts.glyphs import Glyphs
from inspector.state.opening import inspect
from reference import Case
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.cache import RewardParts
from thoroughness import up_to
from views import show_view

PLAIN = Glyphs(ascii_only=True)
CASES = [
    Case(4, 1, (0.9, 0.4, 0.2, 0.7), error_steps=(1, 3)),
    Case(3, 2, (0.9, 0.1, 0.8)),
    Case(2, -1, (0.9, 0.8), error_steps=()),
    Case(2, 1, refused="over\x1b[2J length"),
    Case(2, None),
    Case(1, 3, (-123.456,)),
    Case(2, 0, (0.5, -15.678)),
    Case(0, -1),
]
STEPS = [
    ["First $\\frac{1}{2}$.", "A \x1b[31mred\x1b[0m step\nover two lines.", "题目" * 60, "Last."],
    *[[f"step {step}" for step in range(case.n_steps)] for case in CASES[1:]],
]
TEXTS = {
    "problem": ["What is $x^2$?\n\n\n\nReally?", *[f"Problem {number}." for number in range(7)]],
    "steps": STEPS,
    "reason": ["Because 题.", *[None] * 7],
    "error_type": ["slip", *[None] * 7],
    "pattern": ["deduction", *[None] * 7],
    "final_answer_correct": [False, True, *[None] * 6],
    "generator": ["m\x1b1", *[None] * 7],
}


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    root = tmp_path_factory.mktemp("cases")
    making.workspace(root, CASES, [(making.scorer("s"), CASES)], **TEXTS)
    return inspect(load(Query(workspace=str(root))))


def lines_of(start, row, width=90, **display):
    found = case_lines(start, row, DisplayOptions(width, display.pop("glyphs", PLAIN), **display))
    return found, ["".join(text for text, _ in line.parts) for line in found.lines]


def step_line(start, row, step, **display):
    found, lines = lines_of(start, row, **display)
    return lines[found.starts[step]]


def test_every_step_starts_where_it_is_said_to(start):
    for row, case in enumerate(CASES):
        found, lines = lines_of(start, row)
        assert len(found.starts) == case.n_steps
        assert list(found.starts) == sorted(set(found.starts))
        for step, at in enumerate(found.starts):
            assert lines[at][5:9] == f"{step:>3} "


@up_to(40)
@given(row=st.integers(0, len(CASES) - 1), width=st.integers(40, 160), ascii_only=st.booleans(), raw=st.booleans())
def test_no_line_is_wider_than_the_pane_and_nothing_in_it_acts(start, row, width, ascii_only, raw):
    _, lines = lines_of(start, row, width, glyphs=Glyphs(ascii_only), raw=raw)
    for line in lines:
        assert cell_len(line) <= width
        assert line.isprintable()


def test_marks_of_gold_and_predicted_steps(start):
    words = [step_line(start, 0, step)[:5].strip() for step in range(4)]
    assert words == ["", "exact", "", "err"]
    assert [step_line(start, 1, step)[:5].strip() for step in range(3)] == ["", "pred", "gold"]
    assert [step_line(start, 2, step)[:5].strip() for step in range(2)] == ["", ""]
    assert [step_line(start, 3, step)[:5].strip() for step in range(2)] == ["", "gold"]


def test_a_step_judged_wrong_has_a_cross_and_its_reward(start):
    for row in (0, 1, 2):
        for step, reward in enumerate(CASES[row].rewards):
            cells = step_line(start, row, step)[9 + 10 :]
            assert cells[1:6] == f" {reward:.2f}"
            assert (cells[7:8] == "v") == (step > 0 and CASES[row].rewards[step - 1] - reward >= 0.2)
            assert (cells[6] == "x") == reference.is_wrong(reward, 0.5, "<")
    assert step_line(start, 6, 0)[9 + 10 :].startswith("  0.50       step 0")  # on the threshold: not below it


def test_rewards_of_any_size_are_rounded_and_keep_their_column(start):
    assert step_line(start, 5, 0)[9 + 10 :].startswith("  -123x      step 0")
    assert step_line(start, 6, 1)[9 + 10 :].startswith(" -15.7xv16.2 step 1")


def test_without_a_reward_there_is_a_dash(start):
    assert step_line(start, 3, 0)[9:].split() == ["-", "step", "0"]
    assert step_line(start, 4, 1)[9:].split() == ["-", "step", "1"]


def test_the_head_the_sentence_and_the_gold_labels(start):
    _, lines = lines_of(start, 0)
    text = "\n".join(lines)
    assert lines[0] == "bench/c0  one  |  m␛1  |  4 steps  |  final answer wrong"
    assert "= predicted step 1, gold step 1: exactly right (reward 0.40 at the gold step)  [s]" in text
    assert "Gold  step 1 (also wrong: 3) | slip | deduction" in text
    assert "Why   Because 题." in text
    assert "Why   hidden; v r shows it" in "\n".join(lines_of(start, 0, reason=False)[1])
    assert "x refused: over␛[2J length  [s]" in "\n".join(lines_of(start, 3)[1])
    assert "Gold  no wrong step" in lines_of(start, 2)[1]
    assert "Gold  no gold label names a step of this solution" in lines_of(start, 4)[1]
    assert "final answer right" in lines_of(start, 1)[1][0]


def test_formulas_are_readable_or_raw_and_blank_lines_fold(start):
    _, lines = lines_of(start, 0)
    assert "What is x^2?" in lines
    assert "½" in step_line(start, 0, 0) or "1/2" in step_line(start, 0, 0)
    _, raw = lines_of(start, 0, raw=True)
    assert "What is $x^2$?" in raw
    assert "$\\frac{1}{2}$" in step_line(start, 0, 0, raw=True)
    at, at_raw = lines.index("What is x^2?"), raw.index("What is $x^2$?")
    assert lines[at + 1 : at + 3] == ["", "Really?"]
    assert raw[at_raw + 1 : at_raw + 5] == ["", "", "", "Really?"]


def test_wrapped_steps_keep_their_indent(start):
    found, lines = lines_of(start, 0)
    second = lines[found.starts[1] : found.starts[2]]
    assert second[0].endswith("A ␛[31mred␛[0m step")
    assert second[1] == " " * (5 + 4 + 10 + 8 + 5) + "over two lines."


def test_narrow_panes_have_shorter_bars(start):
    assert step_line(start, 0, 0, width=69)[9:14] == "##|#-"
    assert step_line(start, 0, 0, width=76)[9:19] == "#####|###-"


def test_without_a_scorer_there_are_no_bars(tmp_path):
    making.workspace(tmp_path, CASES, [], **TEXTS)
    found, lines = lines_of(inspect(load(Query(workspace=str(tmp_path)))), 1)
    assert [lines[at] for at in found.starts] == ["       0 step 0", "       1 step 1", "gold   2 step 2"]
    assert not any("[s]" in line for line in lines)


def test_the_name_can_stand_elsewhere(start):
    assert lines_of(start, 0, named=False)[1][0] == "one  |  m␛1  |  4 steps  |  final answer wrong"


def test_other_wordings_and_the_reference_answer_stand_below(tmp_path):
    cases = [Case(1, -1, (0.9,))] * 3
    texts = {
        "problem": ["What is $x^2$?"] * 3,
        "question": ["What is x times x?", "What is $x^2$?", "What is $x^{2}$?"],
        "original_problem": ["What is x?", None, "What is $x^2$?"],
        "reference_answer": ["$x^2$", None, ""],
        "error_category": ["arithmetic", None, None],
        "origin": ["a book", None, None],
        "language": ["en", None, None],
    }
    making.workspace(tmp_path, cases, [], **texts)
    start = inspect(load(Query(workspace=str(tmp_path))))
    _, lines = lines_of(start, 0)
    assert lines[-4:-1] == ["Question  What is x times x?", "Original  What is x?", "Answer    x^2"]
    assert lines[0] == "bench/c0  one  |  a book  |  en  |  1 step"
    assert "Gold  no wrong step | arithmetic" in lines
    assert not any(line.startswith(("Question", "Original", "Answer")) for line in lines_of(start, 1)[1])
    # Another wording that reads the same is not said twice.
    assert not any(line.startswith(("Question", "Original")) for line in lines_of(start, 2)[1])
    facts = [show_view(start.results, row).provenance for row in range(3)]
    assert [one.get("question") for one in facts] == ["What is x times x?", None, "What is $x^{2}$?"]
    assert [one.get("original_problem") for one in facts] == ["What is x?", None, None]


def test_a_number_for_the_solution_stands_beside_a_verdict(tmp_path):
    made = making.workspace(tmp_path, CASES[:1], [], **{name: values[:1] for name, values in TEXTS.items()})
    keys = made.cases()[0]["key"]
    folder = tmp_path / "rewards" / making.scorer("s").folder
    RewardParts(folder).append(making.rewards(CASES[:1], keys).with_columns(solution=pl.lit(0.125)))
    making.scorer("s").save(folder)
    _, lines = lines_of(inspect(load(Query(workspace=str(tmp_path)))), 0)
    assert "one number for the solution: 0.125" in lines
    assert any("exactly right" in line for line in lines)
