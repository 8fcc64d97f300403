"""A case opens so that its story is on screen: gold step, predicted step, both rewards and the outcome."""

import random

import pytest

import making
from inspector.case_page.open_case import Stop
from inspector.case_page.opening import line_of, opening, stop_at
from inspector.case_page.step_folds import prefix
from inspector.render.texts.sentences import WORDS
from inspector.state.opening import inspect
from reference import Case
from scoring.evaluation.verdicts import OUTCOMES
from scoring.selection.loading import load
from scoring.selection.query import Query
from shown_case import at_hand, seen

SIZES = ((117, 33), (77, 21))


def long_cases(draw, n=25):
    """Up to 50 steps of one word to very many, gold and predicted step anywhere."""
    cases, texts = [], []
    for _ in range(n):
        steps = draw.randint(1, 50)
        gold, named = draw.randrange(steps), draw.choice([-1, *range(steps)])
        cases.append(Case(steps, gold, tuple(0.1 if step == named else 0.9 for step in range(steps))))
        texts.append([" ".join(["word"] * draw.choice((1, 5, 20, 60, 400))) for _ in range(steps)])
    return cases, texts


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    root = tmp_path_factory.mktemp("long")
    cases, texts = long_cases(random.Random(3))
    problems = [" ".join([f"problem{number}"] * (2 + 40 * (number % 5))) for number in range(len(cases))]
    making.workspace(root, cases, [(making.scorer("s"), cases)], steps=texts, problem=problems)
    return inspect(load(Query(workspace=str(root))))


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_gold_and_predicted_step_their_rewards_and_the_outcome_are_seen_at_once(start, width, height):
    evaluation = start.evaluation
    for row in range(start.cases.height):
        page, lines = seen(start, row, width, height=height)
        stop, first = opening(page, height)
        on_screen = [*range(page.pinned), *range(first, first + height - page.pinned)]
        pinned = " ".join(lines[: page.pinned])
        assert WORDS[OUTCOMES[evaluation.codes[row]]].replace("exact", "exactly right") in pinned
        gold, verdict = int(evaluation.gold.earliest[row]), int(evaluation.verdicts[row])
        for step in {gold, verdict} - {-1}:
            at = page.starts[step]
            assert at in on_screen
            assert lines[at][5:9] == f"{step:>3} "
            assert f"{evaluation.rewards.of(row)[step]:.2f}" in lines[at]
        assert line_of(page, stop) in on_screen
        assert stop.step == min({gold, verdict} - {-1})


def test_what_lies_between_is_folded_and_can_be_unfolded(start):
    folded = 0
    for row in range(start.cases.height):
        page, lines = seen(start, row, 77, height=21)
        for stop, at in page.stops:
            if stop.kind != "run":
                continue
            folded += 1
            run = [step for step, line in enumerate(page.starts) if line == at]
            assert run[0] == stop.step
            assert f"steps {run[0]}-{run[-1]}: " in lines[at]
            opened, _ = seen(start, row, 77, height=21, turned=frozenset({stop}))
            assert len(set(opened.starts)) > len(set(page.starts))
            assert line_of(opened, stop) == opened.starts[stop.step]
    assert folded > 5


def test_every_step_is_somewhere_and_every_stop_on_its_line(start):
    for row in range(start.cases.height):
        for display in ({}, {"height": 21}, {"height": 33, "prefix": True}, {"blind": True, "height": 21}):
            page, lines = seen(start, row, 77, **display)
            assert len(page.starts) == start.cases["n_steps"][row]
            assert list(page.starts) == sorted(page.starts)
            at = [line for _, line in page.stops]
            assert at == sorted(set(at))
            assert len({stop for stop, _ in page.stops}) == len(page.stops)
            assert page.pinned * 3 <= display.get("height", 0)
            for stop, line in page.stops:
                assert stop_at(page, line) == stop
                if stop.kind == "step":
                    assert lines[line][5:9] == f"{stop.step:>3} "


def test_the_prefix_ends_one_before_the_first_step_that_anybody_names(start):
    for row in range(start.cases.height):
        shown = at_hand(start, row, 77)
        named = [step for step in (shown.gold, shown.tracks[0].verdict) if step is not None and step >= 0]
        assert prefix(shown) == range(max(0, min(named) - 1))
        page, lines = seen(start, row, 77, prefix=True)
        if len(prefix(shown)) >= 2:
            assert f"steps 0-{min(named) - 2}: right, rewards 0.90 to 0.90 (Enter unfolds)" in lines[page.starts[0]]
        else:
            assert page.starts[0] == dict(page.stops)[Stop("step", 0)]
        blind = at_hand(start, row, 77, blind=True)
        assert prefix(blind) == range(0)


def test_a_step_is_folded_to_its_first_line_and_a_long_problem_unfolds(start):
    row = next(row for row in range(start.cases.height) if row % 5 == 4)
    page, lines = seen(start, row, 77, height=21)
    top = dict(page.stops)[Stop("problem")]
    cut = lines[top : page.starts[0]]
    assert any("more lines (Enter shows all)" in line for line in cut)
    whole, all_lines = seen(start, row, 77, height=21, turned=frozenset({Stop("problem")}))
    assert "more lines" not in "\n".join(all_lines[top : whole.starts[0]])
    assert whole.starts[0] - top > page.starts[0] - top
    plain, before = seen(start, row, 77)
    longest = max(range(len(plain.starts) - 1), key=lambda step: plain.starts[step + 1] - plain.starts[step])
    folded, after = seen(start, row, 77, turned=frozenset({Stop("step", longest)}))
    assert folded.starts[longest + 1] - folded.starts[longest] == 2
    assert "more lines (Enter shows all)" in after[folded.starts[longest] + 1]
    assert before[plain.starts[longest]] == after[folded.starts[longest]]


def test_without_anything_to_tell_a_case_opens_at_its_top(start):
    page, _ = seen(start, 0, 77, height=21, blind=True)
    assert opening(page, 21) == (Stop("problem"), page.pinned)
