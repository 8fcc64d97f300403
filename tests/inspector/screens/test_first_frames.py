"""What opens is painted once: the first frame of a dialog is its last."""

import example
from opened import opened
from screen_text import press, screen_text

DIALOGS = [
    ((), ("question_mark", "e", "s", "S")),
    (("g", "l"), ("v s", "s", "v c", "o", "colon", "w", "a", "g t")),
    (("enter",), ("v h", "o")),
]
"""Where one goes next, and the keys that open dialogs there."""


async def test_the_first_frame_of_a_dialog_is_its_last(tmp_path):
    async with opened(example.write(tmp_path / "space"), size=(120, 36)) as pilot:
        app, display, frames = pilot.app, pilot.app._display, []

        def record(screen, renderable):
            display(screen, renderable)
            if app.screen is not beneath and screen is app.screen:
                frames.append(screen_text(app))

        for where, dialogs in DIALOGS:
            await press(pilot, *where)
            for keys in dialogs:
                *before, opens = keys.split()
                await press(pilot, *before)
                beneath = app.screen
                frames.clear()
                app._display = record
                await press(pilot, opens)
                app._display = display
                assert app.screen is not beneath, keys
                assert frames, keys
                assert len(set(frames)) == 1, "\n---\n".join(dict.fromkeys(frames))
                await press(pilot, "escape")
                assert {(): "board", ("g", "l"): "cases"}.get(where, "case") == app.screen.NAME, keys
