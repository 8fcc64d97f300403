"""A vote as the pane shows it: what stands above, what folds, where the spots are and what they lead to."""

import json
import shutil

import pytest
from rich.cells import cell_len

import critic_spaces
from inspector.case_page.vote_page import VoteDisplay, answers_to, vote_page
from inspector.render.charts.glyphs import Glyphs
from inspector.state.opening import inspect
from scoring.evaluation.single_case import judged_wrong
from scoring.models.asking import GeneratedAnswer
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.cache import VoteParts
from scoring.workspace.filtering.text_query import TextQuery

WIDTH = 60
ACTS = "\x1b]0;PWNED\x07[red]\u202e"


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    return critic_spaces.imported(tmp_path_factory.mktemp("imported"))


@pytest.fixture
def space(imported, tmp_path):
    return shutil.copytree(imported, tmp_path / "space")


def read(space, answers, at=0, row=1, width=WIDTH, ascii_only=False, protocol="processbench", runs=1, **display):
    """The head's lines as texts, and the page, of a vote of a critic with these answers to each case of three steps."""
    made = critic_spaces.critic(space, lambda *_: answers, protocol=protocol, runs=runs)
    state = inspect(load(Query(workspace=str(space), scorers=("judge",))))
    found = answers_to(state, row)
    page = vote_page(state, row, found, at, VoteDisplay(width, Glyphs(ascii_only), **display))
    for part in VoteParts(made).parts():
        part.unlink()
    return [text(line) for line in page.head], page


def text(line):
    return "".join(piece for piece, _ in line.parts)


def texts(page):
    return [text(line) for line in page.lines]


def at_spots(page):
    """Each spot: the words on it, and where it leads."""
    lines = texts(page)
    found = []
    for spot in page.spots:
        words = []
        for line, first, end in spot.places:
            cells, piece = 0, ""
            for character in lines[line]:
                piece += character if first <= cells < end else ""
                cells += cell_len(character)
            words.append(piece)
        found.append(("|".join(words), spot.step if spot.fold is None else f"fold {spot.fold}"))
    return found


# -- what stands above


def test_the_head_of_a_vote(space):
    answers = [r"\boxed{1}", r"\boxed{1}", r"\boxed{-1}", "no", GeneratedAnswer(None, reason="HTTP 500")]
    head, _ = read(space, answers, at=2)
    assert head[0] == "judge · asked as processbench · counts from 0"
    assert head[1] == "███████▓▓▓??????  2 x step 1, 1 x none, 2 unparsed"
    assert head[2] == "step 1 wins, 2 of 5 · > late · gold step 0"
    assert head[3] == "vote 2 (3 of 5) · no error · 5 tokens"
    assert all(cell_len(line) <= WIDTH for line in head)


def test_ascii_has_no_other_characters(space):
    answers = [r"<think>paragraph 2</think>\boxed{1}", "no"]
    head, page = read(space, answers, ascii_only=True, raw=True)
    whole = "\n".join([*head, *texts(page.page())])
    assert whole.isascii()
    assert "+ reasoning, 11 characters" in whole
    assert "#" in head[1]


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ([r"\boxed{1}"], "says step 1"),
        ([r"\boxed{1}", r"\boxed{0}"], "step 1 wins, first of 2 with 1 each"),
        ([r"\boxed{-1}", r"\boxed{-1}"], "none wins, 2 of 2"),
        ([r"\boxed{9}"], "says step 9"),
        ([r"\boxed{-9}"], "says no step"),
        (["no", "no"], "no verdict: no box"),
        ([r"\boxed{two}", r"\boxed{two}"], "no verdict: box without a number (two)"),
    ],
)
def test_what_the_majority_rule_makes_of_them(space, answers, told):
    head, _ = read(space, answers)
    assert any(line.startswith(told) for line in head)


def test_each_run_has_its_own_tally(space):
    head, _ = read(space, [r"\boxed{1}", r"\boxed{0}"], at=3, runs=2)
    assert "run 1 vote 1 (4 of 4) · step 0 · 5 tokens" in head
    assert any("1 x step 1, 1 x step 0" in line for line in head)


def test_hostile_words_do_not_act_and_fit(space):
    head, page = read(space, [rf"{ACTS} 语 \boxed{{{ACTS}}}", rf"\boxed{{{ACTS}}}"], width=24)
    lines = [*head, *texts(page.page())]
    assert not any(set(line) & set("\x1b\x07\u202e") for line in lines)
    assert all(cell_len(line) <= 24 for line in lines)


# -- the text


def test_what_was_read_is_marked_and_leads_to_its_step(space):
    _, page = read(space, [r"First \boxed{0}, no: the sum is $\boxed{2}$."])
    page = page.page()
    assert at_spots(page) == [("⟦2⟧", 2)]
    assert texts(page)[page.answer_at].startswith("» ")
    (line,) = [line for line in page.lines if text(line).startswith("»")]
    assert ("⟦2⟧", "match strong") in line.parts


@pytest.mark.parametrize(("box", "spots"), [("-1", []), ("9", []), ("two", []), ("0", [("⟦0⟧", 0)])])
def test_an_answer_that_names_no_step_leads_nowhere(space, box, spots):
    _, page = read(space, [rf"$\boxed{{{box}}}$"])
    assert at_spots(page.page()) == spots


def test_mentions_count_as_the_protocol_does(space):
    said = "Paragraph 0, step 1, 第3步."
    assert at_spots(read(space, [said])[1].page()) == [("Paragraph 0", 0), ("step 1", 1)]
    assert at_spots(read(space, [said], protocol="grben")[1].page()) == [("step 1", 0), ("第3步", 2)]


def test_a_mention_that_is_not_there_is_struck_through_and_told(space):
    _, page = read(space, ["Paragraphs 1 and 7."])
    page = page.page()
    assert texts(page)[0].startswith("Struck through: there is no step 7 here")
    assert ("7", "stranger") in page.lines[-1].parts


def test_a_mention_broken_over_two_lines_is_one_spot(space):
    _, page = read(space, ["wwwww wwwww wwwww paragraph 1 is wrong"], width=29)
    assert at_spots(page.page()) == [("paragraph|1", 1)]


def test_the_cursor_is_seen_where_it_is(space):
    _, page = read(space, ["Paragraph 0, paragraph 1"])
    chosen = page.page(chosen=1)
    assert ("paragraph 1", "chosen") in chosen.lines[-1].parts
    assert ("Paragraph 0", "link") in chosen.lines[-1].parts


def test_reasoning_folds_wherever_it_is_told(space):
    apart = GeneratedAnswer(r"So \boxed{1}", reasoning="Hm, paragraph 2", finish_reason="stop")
    for answer in (apart, r"<think>Hm, paragraph 2</think>So \boxed{1}", r"Hm, paragraph 2</think>So \boxed{1}"):
        _, page = read(space, [answer])
        folded = page.page()
        assert at_spots(folded) == [("▸ reasoning, 15 characters", "fold 0"), ("⟦1⟧", 1)]
        assert "  Hm, paragraph 2" not in texts(folded)
        unfolded = page.page(unfolded=frozenset({0}))
        assert "  Hm, paragraph 2" in texts(unfolded)
        assert ("paragraph 2", 2) in at_spots(unfolded)


def test_what_was_read_in_folded_reasoning_is_told(space):
    _, page = read(space, [r"<think>\boxed{1}</think>So."])
    lines = texts(page.page())
    assert "Note: the box is in the reasoning alone." in lines
    assert any("(what was read stands in it)" in " ".join(lines[at : at + 2]) for at in range(len(lines)))
    unfolded = page.page(unfolded=frozenset({0}))
    assert texts(unfolded)[unfolded.answer_at].startswith("» ")


def test_what_was_searched_for_stands_out(space):
    query = TextQuery.parse("sum", ("answers",))
    _, page = read(space, [r"<think>the sum</think>This sum, paragraph 1."], search=query)
    page = page.page()
    assert ("sum", "found") in page.lines[-1].parts
    assert any("what was searched for" in line for line in texts(page))


# -- ratings


def test_ratings_stand_beside_their_steps(space):
    rated = json.dumps({"validity": [1, -0.5, 0], "redundancy": [0, 0.25, -1]})
    head, page = read(space, [rated], protocol="prmbench", width=120)
    page = page.page()
    assert "rates 3 steps" in head[-1]
    assert texts(page)[1].split("  ")[:3] == [
        "step 0 +1 redundancy +0", "step 1 -0.5✗ redundancy +0.25", "step 2 +0✗ redundancy -1",
    ]  # fmt: skip
    assert at_spots(page)[:3] == [("step 0", 0), ("step 1", 1), ("step 2", 2)]
    assert texts(page)[page.answer_at].startswith('» {"validity"')


def test_ratings_are_judged_at_the_present_threshold(space):
    rated = json.dumps({"validity": [1, -0.5, 0], "redundancy": [0, 0.25, -1]})
    critic_spaces.critic(space, lambda *_: [rated], protocol="prmbench")
    start = inspect(load(Query(workspace=str(space), scorers=("judge",))))
    for threshold, wrong in ((-0.75, []), (-0.5, [1]), (0.5, [1, 2]), (1.0, [0, 1, 2])):
        now = start.moved(threshold)
        page = vote_page(now, 1, answers_to(now, 1), 0, VoteDisplay(120, Glyphs())).page()
        found = [step for step, told in enumerate(texts(page)[1].split("step ")[1:]) if "✗" in told]
        assert found == wrong == [step for step, bad in enumerate(judged_wrong(now.evaluation, 1)) if bad]


def test_ratings_that_do_not_fit_are_shown_and_told(space):
    rated = json.dumps({"validity": [1] * 5, "redundancy": [0] * 5})
    head, page = read(space, [rated], protocol="prmbench")
    assert "list too long (5 of 3)" in " ".join(head)
    assert at_spots(page.page())[:4] == [("step 0", 0), ("step 1", 1), ("step 2", 2)]
    assert ("step 4", "stranger") in [part for line in page.page().lines for part in line.parts]


# -- what cannot be told


def test_answers_without_text_and_empty_ones(space):
    assert texts(read(space, [GeneratedAnswer(None, reason="HTTP 500")])[1].page()) == ["No text was kept."]
    assert texts(read(space, [""])[1].page())[0] == "The answer is empty."


def test_an_older_reading_has_no_place(space):
    critic_spaces.critic(space, lambda *_: [r"\boxed{1}"])
    state = inspect(load(Query(workspace=str(space), scorers=("judge",))))
    (answer,) = answers_to(state, 1)
    for changes, told in (
        ({"verdict": 2}, "Read otherwise today"),
        ({"reader": "gone-7"}, "Gone-7 read it, which is not here"),
    ):
        lines = texts(vote_page(state, 1, [{**answer, **changes}], 0, VoteDisplay(WIDTH, Glyphs())).page())
        assert lines[0].startswith(told)
        assert not any(line.startswith("»") for line in lines)
