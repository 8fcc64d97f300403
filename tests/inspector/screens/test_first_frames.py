"""What opens is painted once: the first frame of a dialog is its last."""

import pytest

from opened import opened
from screen_text import press, screen_text, settled

DIALOGS = {
    "everything that can be done": ("question_mark",),
    "export": ("e",),
    "sort the board": ("s",),
    "score": ("S",),
    "slices": ("g", "l", "v", "s"),
    "sort the list": ("g", "l", "s"),
    "columns of the list": ("g", "l", "v", "c"),
    "scorers": ("g", "l", "o"),
    "a condition": ("g", "l", "colon"),
    "tags": ("g", "l", "w"),
    "a note": ("g", "l", "a"),
    "a queue": ("g", "l", "g", "t"),
    "history": ("g", "l", "enter", "v", "h"),
    "scorers beside each other": ("g", "l", "enter", "o"),
}


@pytest.mark.parametrize("name", DIALOGS)
async def test_the_first_frame_of_a_dialog_is_its_last(name):
    *before, opens = DIALOGS[name]
    async with opened(size=(120, 36)) as pilot:
        await press(pilot, *before)
        await settled(pilot)
        app, beneath, frames = pilot.app, pilot.app.screen, []
        display = app._display

        def record(screen, renderable):
            display(screen, renderable)
            if app.screen is not beneath and screen is app.screen:
                frames.append(screen_text(app))

        app._display = record
        await press(pilot, opens)
        await settled(pilot)
        assert app.screen is not beneath
        assert frames
        assert len(set(frames)) == 1, "\n---\n".join(dict.fromkeys(frames))
