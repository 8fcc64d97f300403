"""Above a case of a queue stands why its gold label is contested, where it is, as `contested` says it."""

import pytest
from msgspec.structs import replace

from contested_space import ANSWERS, FIRST, SECOND, THIRD, write
from inspector.screens import contested_label
from opened import inspected, opened
from scoring.selection.loading import load
from screen_text import hides, press, rests, screen_lines, shows
from thoroughness import THOROUGH
from views import contested_view

QUEUE = ("g l", "g t", "enter")
SAID = "3 of 3 scorers say step 2; gold says no error, as no scorer does"
RULE = "the final answer is wrong, yet no step is labelled wrong"


@pytest.fixture
def query(tmp_path):
    return write(tmp_path / "w", FIRST, SECOND, THIRD, final_answer_correct=ANSWERS)


def told(query):
    return {row["case"]: row["because"] for row in contested_view(load(query)).rows.iter_rows(named=True)}


async def test_each_case_says_what_the_shell_says_and_others_say_nothing(query):
    because = told(query)
    assert len(because) == 3
    async with opened(query, size=(220, 36)) as pilot:
        await press(pilot, *QUEUE)
        await shows(pilot, "1 of 10")
        for number in range(10 if THOROUGH else 5):
            screen = (await rests(pilot, f"{number + 1} of 10")).splitlines()
            assert screen[2].strip() == because.get(f"bench/c{number}", "")
            # Between a case that is contested and one that is not, nothing moves.
            assert screen[3].strip().startswith("╭─ Cases ")
            assert "─ Problem ─" in screen[3]
            await press(pilot, "n")


async def test_the_narrowest_screens_say_it_in_one_line_or_in_none_and_none_says_it_before_the_labels(query):
    async with opened(query, size=(80, 24)) as pilot:
        await press(pilot, *QUEUE)
        await rests(pilot, "3 of 3 say step 2, gold no error; wrong-answer-clean", "1 of 10")
        await press(pilot, "n", "n", "n")
        assert (await rests(pilot, "4 of 10")).splitlines()[2].strip() == RULE
        await pilot.resize_terminal(80, 15)
        await press(pilot, "N", "N", "N")
        assert "10 to go" in (await rests(pilot, "1 of 10")).splitlines()[1]
        assert not any("say step 2" in line for line in screen_lines(pilot.app))
        await pilot.resize_terminal(220, 36)
        await rests(pilot, SAID)
        await press(pilot, "v", "b")
        assert SAID not in await rests(pilot, "BLIND", "1 of 10")
        await press(pilot, "2")
        await shows(pilot, SAID, "[2 gold wrong]")
        await press(pilot, "n", "N")
        await rests(pilot, "1 of 10", "BLIND")
        await hides(pilot, SAID)


async def test_where_nothing_is_contested_no_line_is_taken_away_from_the_case(tmp_path):
    gold = (-1, 1, 0, 2)
    query = write(tmp_path / "w", gold, gold, gold=gold)
    async with opened(query, size=(120, 36)) as pilot:
        await press(pilot, *QUEUE)
        screen = (await rests(pilot, "1 of 4")).splitlines()
        assert screen[2].strip()


async def test_among_many_cases_it_comes_when_it_is_computed_and_a_ruling_computes_nothing_anew(query, monkeypatch):
    monkeypatch.setattr(contested_label, "FEW", 0)
    async with opened(query, size=(220, 36)) as pilot:
        await press(pilot, *QUEUE)
        await shows(pilot, SAID, "1 of 10")
        monkeypatch.setattr(contested_label, "ranking_of", None)
        await press(pilot, "1", "w", *"hard", "enter", "u", "N")
        await rests(pilot, SAID, "1 of 10")
        await press(pilot, "n", "1", "1")
        await shows(pilot, RULE, "4 of 10")


async def test_another_threshold_is_another_consensus_and_back(query):
    async with opened(replace(query, scorers=("a",)), size=(220, 36)) as pilot:
        await press(pilot, *QUEUE)
        await shows(pilot, SAID)
        # Below every reward a names no step any more.
        await press(pilot, "t", "N")
        await hides(pilot, SAID)
        await press(pilot, "enter")
        await shows(pilot, "2 of 3 scorers say step 2; gold says no error, as 1 scorer does")
        assert inspected(pilot).evaluation.rule.threshold == pytest.approx(0.1)
