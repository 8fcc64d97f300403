"""The critique pane on the case screen, key by key."""

import pytest

import critic_spaces
from inspector.case_page.open_case import Stop
from inspector.screens.critique import room_for
from inspector.widgets.critique_pane import CritiquePane
from opened import opened
from scoring.models.asking import GeneratedAnswer
from scoring.selection.query import Query
from screen_text import hides, pane_text, press, rests, shows, until

ACTS = "\x1b[2J[red]"


def answers(_row, run):
    """Four votes: one with reasoning apart and a step that is not there, one in Chinese, one that acts, one lost."""
    return [
        GeneratedAnswer(
            r"In paragraph 1 half is $\frac{1}{2}$; paragraph 9 is fine. So $\boxed{1}$.",
            reasoning="Let me think of paragraph 2.",
            finish_reason="stop",
        ),
        GeneratedAnswer("<think>嗯</think>第0步和第2步都不对。\\boxed{2}", finish_reason="stop"),
        GeneratedAnswer(rf"Evil {ACTS} \boxed{{{run}}}", finish_reason="length"),
        GeneratedAnswer(None, reason="HTTP 500"),
    ]


@pytest.fixture
def space(tmp_path):
    return critic_spaces.imported(tmp_path)


def opened_on(space, tmp_path, **how):
    return opened(Query(workspace=str(space)), folder=tmp_path, **how)


@pytest.mark.parametrize(
    ("size", "zoomed", "room"),
    [
        ((120, 24), False, "beside"),
        ((119, 40), False, "beneath"),
        ((80, 24), False, "instead"),
        ((200, 50), True, "instead"),
    ],
)
def test_where_the_pane_is(size, zoomed, room):
    assert room_for(*size, zoomed=zoomed) == room


async def test_v_c_opens_the_first_vote_and_each_key_of_the_footer_does_what_it_says(space, tmp_path):
    """Esc closes it, and the footer tells the keys of what has the focus."""
    critic_spaces.critic(space, answers)
    async with opened_on(space, tmp_path, size=(140, 36)) as pilot:
        await press(pilot, "g", "l", "enter")
        for size in ((80, 24), (100, 44), (140, 36)):
            await pilot.resize_terminal(*size)
            before = await rests(pilot, "v c opens them")
            await press(pilot, "v", "c")
            told = await rests(pilot, "vote 0 (1 of 4)", "counts from 0", "half is 1/2", "reasoning, 28 characters")
            assert "Let me think" not in told
            assert "step 1 wins, first of 3 with 1 each" in told
            assert isinstance(pilot.app.focused, CritiquePane)
            assert ("Then x + 1 follows" in told) == (size != (80, 24))
            await press(pilot, "escape")
            assert await hides(pilot, "half is") == before
        footer = "⏎ go to step   ⇥ mention   ←→ vote"
        await press(pilot, "v z")
        await shows(pilot, "v c opens a critic's answers.")
        # While the answers are closed, Tab moves between panes.
        focused = []
        for _ in range(4):
            await press(pilot, "tab")
            focused.append(pilot.app.focused.id)
        assert focused == ["why", "verdicts", "problem", "steps"]
        pilot.app.clear_notifications()
        await shows(pilot, "n next   ↑↓ step")
        # To and fro, where both are seen.
        await press(pilot, "v", "c")
        await shows(pilot, footer, "half is")
        assert pilot.app.focused.id == "critique"
        await press(pilot, "v", "c")
        await hides(pilot, footer)
        await shows(pilot, "half is", "n next   ↑↓ step")
        assert pilot.app.focused.id == "steps"
        await press(pilot, "v", "c")
        assert pilot.app.focused.id == "critique"
        # Reasoning folds.
        await press(pilot, "enter")
        await shows(pilot, "▾ reasoning, 28 characters", "Let me think of paragraph 2.")
        await press(pilot, "enter")
        await hides(pilot, "Let me think")
        # The whole screen, and back.
        await press(pilot, "v", "z")
        await hides(pilot, "Then x + 1 follows")
        await press(pilot, "v", "z")
        await shows(pilot, "Then x + 1 follows", "half is")
        await press(pilot, "v", "b")
        await shows(pilot, "Blind: what a critic answered is hidden")
        await hides(pilot, "half is", "step 1 wins", "gold none")
        await press(pilot, "v", "b")
        await shows(pilot, "half is", "step 1 wins")
        # Formulas as written.
        await press(pilot, "v", "w")
        await shows(pilot, r"$\frac{1}{2}$", r"$\boxed{1}$")
        await press(pilot, "v", "c", "escape")
        await hides(pilot, "half is")


async def test_sideways_keys_go_through_the_votes_and_nothing_in_them_acts_and_a_mention_is_clicked(space, tmp_path):
    """What was answered comes with the ruling of who decides blind."""
    critic_spaces.critic(space, answers, runs=2)
    async with opened_on(space, tmp_path, size=(140, 36)) as pilot:
        went = []
        await press(pilot, "g l", "enter", "v c", "l")
        lines = (await rests(pilot, "run 0 vote 1 (2 of 8)", "第0步和第2步都不对。")).split("\n")
        (y,) = [number for number, line in enumerate(lines) if "第0步" in line]
        x = lines[y].index("第")
        stand, pilot.app.screen.cursor.go_to_step = pilot.app.screen.cursor.go_to_step, went.append
        # Wide characters: 第0步 takes five cells, 和 two, and 第2步 begins behind them.
        for offset in (0, 4, 7, 5):
            await pilot.click(offset=(x + offset, y))
        assert went == [0, 0, 2]
        pilot.app.screen.cursor.go_to_step = stand
        await press(pilot, "l")
        await shows(pilot, "␛[2J[red]", "ended: length")
        await press(pilot, "l")
        await shows(pilot, "no answer: HTTP 500", "No text was kept.")
        await press(pilot, "l", "l", "l")
        await shows(pilot, "run 1 vote 2", "1")
        await press(pilot, "h", "h", "h")
        await shows(pilot, "run 0 vote 3")
        await press(pilot, "escape", "g", "l", "v", "b", "g", "t", "enter")
        await shows(pilot, "BLIND")
        await until(pilot, lambda: "scorers are hidden until you rule" in pane_text(pilot.app))
        await press(pilot, "v", "c")
        assert "half is" not in await rests(pilot, "Blind: what a critic answered is hidden")
        await press(pilot, "1")
        await shows(pilot, "[1 model wrong]", "half is 1/2", "step 1 wins")
        await press(pilot, "n")
        assert "half is" not in await rests(pilot, "2 of", "Blind: what a critic answered is hidden")


async def test_a_mention_leads_to_its_step_and_another_case_and_scorer_show_their_own_answers(space, tmp_path):
    critic_spaces.critic(space, answers)
    critic_spaces.critic(space, lambda row, _: [rf"Of {row}: \boxed{{1}}"], name="other", protocol="grben")
    async with opened_on(space, tmp_path, size=(140, 24)) as pilot:
        for size in ((80, 24), (140, 24)):
            went = []
            await pilot.resize_terminal(*size)
            await press(pilot, "g b", "g", "l", "enter", "v", "c")
            stand = pilot.app.screen.cursor.go_to_step
            pilot.app.screen.cursor.go_to_step = lambda step, went=went, stand=stand: (went.append(step), stand(step))
            # The first stop is the reasoning, the second "paragraph 1", 9 is none; the third is what was read.
            await press(pilot, "tab", "tab", "enter")
            assert went == [1]
            if size[0] < 120:
                await shows(pilot, "Then x + 1 follows")
                await press(pilot, "v", "c")
            assert pilot.app.screen.cursor.stop == Stop("step", 1)
            await shows(pilot, "Struck through: there is no step 9 here")
            await press(pilot, "tab", "shift+tab", "enter")
            assert went == [1, 1]
            # After the last mention come the steps, if they are visible, and then the first mention again.
            await press(pilot, *(["v", "c"] if size[0] < 120 else []))
            await press(pilot, *["tab"] * (3 if size[0] < 120 else 4), "enter")
            await shows(pilot, "Let me think of paragraph 2")
        await press(pilot, "l", "v c", "l")
        await shows(pilot, "Of 0:", "counts from 1", "says step 0", "vote 0 (1 of 1)")
        await press(pilot, "n")
        await shows(pilot, "Of 1:")
        await press(pilot, "v c", "l")
        await shows(pilot, "There is no other answer")
        await press(pilot, "v c", "l")
        await shows(pilot, "vote 0 (1 of 4)")


async def test_a_scorer_without_answers_says_so(query):
    async with opened(query, size=(140, 30)) as pilot:
        await press(pilot, "g", "l", "enter", "v", "c")
        await shows(pilot, "gives no answers in words")
