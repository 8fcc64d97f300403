"""The pages of `contested` that audit labels, in the app: a first answer, then the measurement; numbers open cases."""

import pytest

from contested_space import leaning, write_leaning
from inspector.analyses import Params
from inspector.analyses.contested.contested import contested
from inspector.screens.messages import Go
from opened import inspected, opened
from scoring.selection.loading import load
from screen_text import press, rests, shows
from thoroughness import also


@pytest.mark.parametrize("size", [(80, 24), *also((200, 50))])
async def test_a_suspected_label_is_opened_from_its_rank_and_planted_errors_have_a_page(tmp_path, size):
    tables = leaning(100, 4, seed=21, skill=0.9)
    query = write_leaning(tmp_path / "w", tables)
    first = contested.view(load(query), Params("audit"), intervals=False).rows["case"][0]
    async with opened(query, size=size) as pilot:
        pilot.app.screen.post_message(Go("contested"))
        await shows(pilot, "How many gold labels are contested")
        await press(pilot, "right_square_bracket")
        await shows(pilot, "5 errors planted among 100 labels, 20 times", "others, flagged")
        await press(pilot, "j", "j")
        await shows(pilot, first)
        await press(pilot, "enter")
        await shows(pilot, "1 of 100 cases")
        assert inspected(pilot).cases["case"].gather(inspected(pilot).shown).to_list() == [first]
        await press(pilot, "escape")
        await rests(pilot, "The most suspicious first")
        await press(pilot, "right_square_bracket")
        await rests(pilot, "[planted errors]", "moved by one step", "clean to error")
        # Whoever rules on the most suspicious ones finds the ruling beside the suspicion.
        await press(pilot, "escape", "g l", "g t")
        await shows(pilot, "Most suspicious gold first")
        await press(pilot, "G", "k", "enter")
        await rests(pilot, first.removeprefix("bench/"), "1 of 100")
        await press(pilot, "2")
        await shows(pilot, "1 ruled, 99 to go")
        pilot.app.screen.post_message(Go("contested"))
        await shows(pilot, "How many gold labels are contested")
        await press(pilot, "right_square_bracket")
        await pilot.resize_terminal(200, 50)
        screen = await rests(pilot, "The most suspicious first", "others, flagged")
        assert next(line for line in screen.splitlines() if f" {first} " in line and "gold wrong" in line)
