import re

import pytest

import example
from inspector.app.app import InspectApp
from inspector.app.terminal.keymap import FILE
from inspector.widgets.key_table import COMMANDS
from inspector.widgets.key_table.key_words import USUAL, KeyWords
from inspector.widgets.key_table.rail import RAIL
from screen_text import pane_text, press, rests, shows, until


def test_a_sentence_names_the_usual_key_or_a_persons_own_or_the_palette():
    assert [USUAL.of(name) for name in ("blind", "clear", "raw", "turn-over", "next-mention", "search")] == [
        *("v b", "x", "v w", "Enter", "Tab", "/")
    ]
    own = KeyWords({"blind": "^b", "clear": ""})
    assert (own.of("blind"), own.of("clear"), own.of("raw")) == ("^b", "the palette (Clear filter)", "v w")
    assert KeyWords({"go": "F9"}).of("compare") == "F9 c"
    with pytest.raises(KeyError):
        USUAL.of("nothing")


def test_no_word_of_the_table_names_a_key_that_a_person_may_have_changed():
    named = re.compile(r"\b(Enter|Esc|Tab|Space|shift|ctrl)\b|\b[a-z] and [a-z]\b")
    assert [one.id for one in (*COMMANDS, *RAIL) if named.search(f"{one.title} {one.help}")] == []


async def test_hints_and_toasts_name_a_persons_own_keys(tmp_path):
    chosen = {"blind": "ctrl+b", "raw": "x", "turn-over": "f5", "unparsed": "K", "reason": "ctrl+g", "facts": "up"}
    (tmp_path / FILE).write_text("".join(f'{name} = "{key}"\n' for name, key in chosen.items()))
    app = InspectApp(example.write(tmp_path / "ws"), config=tmp_path, ascii_only=True)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await shows(pilot, "2 scorers")
        await press(pilot, "g", "l", "slash", *"nowhere", "enter")
        await shows(pilot, "No case passes this filter; the palette (Clear filter)", "all again.")
        await press(pilot, "slash", *["backspace"] * 7, "enter")
        await rests(pilot, "9 of 9 cases")
        await press(pilot, "enter")
        await shows(pilot, "1 of 9", "(up shows all)")
        await press(pilot, "ctrl+g")
        await shows(pilot, "hidden; Ctrl+g shows it")
        await press(pilot, "ctrl+b")
        await until(pilot, lambda: "hidden; Ctrl+b shows them" in pane_text(pilot.app))
