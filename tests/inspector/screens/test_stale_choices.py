"""A choice is taken only if it belongs to the text that is in the field, and never in place of a text that is whole.

Keys and pastes come in one burst, as a terminal sends them, and choices come late, as from a slow disk.
"""

import threading

import pytest
from textual.events import Paste
from textual.widgets import Input

from inspector.screens import score
from inspector.screens.condition_dialog import ConditionScreen
from inspector.screens.messages import Score
from inspector.screens.score import ScoreDialog, model_choices
from inspector.screens.start import import_list, start_list
from inspector.state.filtering.completion import Completion
from inspector.widgets.line_view import LineView
from inspector.widgets.pick_list import PickList
from inspector.widgets.themes import OneDialog
from screen_text import press, rests, shows, type_ahead, until


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with checkpoints and files whose names begin alike."""
    monkeypatch.chdir(tmp_path)
    for name in ("models/prm-m", "models/prm-s", "models/prm-s/1_Dense", "models/prm-s-2", "runs-best", "runs"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("models/prm-m", "models/prm-s", "models/prm-s-2", "runs-best"):
        (tmp_path / name / "config.json").write_text("{}")
    for name in ("rows.jsonl", "rows.jsonl.old"):
        (tmp_path / name).write_text("{}\n")
    return tmp_path


@pytest.fixture
def late(monkeypatch):
    """Choices that come only once this is set."""
    come = threading.Event()
    come.set()
    monkeypatch.setattr(score, "model_choices", lambda *asked: come.wait(20) and model_choices(*asked))
    yield come
    come.set()


def paste(pilot, text):
    """Paste without waiting for anything."""
    pilot.app._driver.send_message(Paste(text))


def typed(pilot):
    return pilot.app.screen.query(Input).first().value


def marked(pilot):
    """The line of the choices that Tab takes; "" where none is marked."""
    view = pilot.app.screen.query_one("#models", LineView)
    lines = (view.line_strip(at).text.strip() for at in range(view.line_count))
    return next((line.removeprefix("> ").split("  ")[0] for line in lines if line.startswith("> ")), "")


# -- the score dialog


@pytest.mark.parametrize("rest", ["prm-s", "prm-m/", "nowhere"])
async def test_tab_leaves_a_pasted_path_while_choices_of_an_earlier_text_are_shown(here, late, rest):
    app = OneDialog(ScoreDialog("demo", [f"{here}/models/prm-m"]))
    async with app.run_test(size=(120, 36)) as pilot:
        await press(pilot, *"models/")
        await until(pilot, lambda: marked(pilot) == "models/prm-m")
        late.clear()
        paste(pilot, rest)
        type_ahead(pilot, "tab", "4")
        await until(pilot, lambda: app.screen.focused.id != "model")
        assert typed(pilot) == f"models/{rest}"
        assert marked(pilot) == ""
        late.set()


async def test_keys_do_not_mark_a_choice_of_an_earlier_text(here, late):
    app = OneDialog(ScoreDialog("demo", []))
    async with app.run_test(size=(120, 36)) as pilot:
        await press(pilot, *"models/")
        await until(pilot, lambda: marked(pilot) == "models/prm-m")
        late.clear()
        paste(pilot, "prm-s")
        type_ahead(pilot, "down", "down", "tab")
        await until(pilot, lambda: app.screen.focused.id != "model")
        assert typed(pilot) == "models/prm-s"
        late.set()


async def test_enter_on_an_emptied_line_starts_no_model_of_an_earlier_text(here, late):
    app = OneDialog(ScoreDialog("demo", []))
    async with app.run_test(size=(120, 36)) as pilot:
        await press(pilot, *"models/")
        await until(pilot, lambda: marked(pilot) == "models/prm-m")
        late.clear()
        type_ahead(pilot, "ctrl+u", "enter")
        await until(pilot, lambda: not app.screen_stack[1:])
        late.set()
    assert app.return_value is None


@pytest.mark.parametrize(
    ("text", "used", "after"),
    [
        ("models/prm-s", [], "models/prm-s"),
        ("models/prm-s/", [], "models/prm-s/"),
        ("ORG/prm", ["ORG/prm-v2", "ORG/prm"], "ORG/prm"),
        ("runs", [], "runs/"),
        # What goes on from the text completes it; what only holds it does not.
        ("runs-", [], "runs-best"),
        ("prm-m", ["/old/models/prm-m"], "prm-m"),
        ("models/PRM", ["models/prm-m"], "models/PRM"),
    ],
)
async def test_tab_completes_and_never_replaces(here, text, used, after):
    app = OneDialog(ScoreDialog("demo", used))
    async with app.run_test(size=(120, 36)) as pilot:
        paste(pilot, text)
        await rests(pilot, text)
        await press(pilot, "tab")
        assert typed(pilot) == after
        assert (app.screen.focused.id == "model") is (after != text)


async def test_a_model_of_the_history_is_taken_once_a_key_has_marked_it(here):
    app = OneDialog(ScoreDialog("demo", ["/old/models/prm-m"]))
    async with app.run_test(size=(120, 36)) as pilot:
        await press(pilot, *"old")
        await until(pilot, lambda: (app.screen._choices_of, app.screen._choices) == ("old", ("/old/models/prm-m",)))
        await press(pilot, "down", "tab")
        assert typed(pilot) == "/old/models/prm-m"
        await press(pilot, "enter")
    assert app.return_value == Score("/old/models/prm-m", ())


# -- lists of paths, before the app and in it


@pytest.mark.parametrize("keys", [("enter",), ("tab", "enter"), ("tab", "tab", "enter")])
@pytest.mark.parametrize("dialog", [import_list, lambda: start_list(["/old/rows.jsonl.d"], ["rows.jsonl.old"])])
async def test_a_pasted_path_is_the_one_that_is_opened(here, dialog, keys):
    app = OneDialog(dialog())
    async with app.run_test(size=(100, 24)) as pilot:
        await shows(pilot, "rows.jsonl.old")
        paste(pilot, "rows.jsonl")
        type_ahead(pilot, *keys)
        await until(pilot, lambda: app.return_value is not None)
    assert app.return_value == "rows.jsonl"


async def test_tab_completes_no_path_that_only_holds_what_was_typed(here):
    app = OneDialog(start_list(["/old/space"], []))
    async with app.run_test(size=(100, 24)) as pilot:
        await shows(pilot, "the demo")
        await press(pilot, *"spa", "tab")
        assert typed(pilot) == "spa"
        assert app.screen.query_one(PickList).key == "/old/space"


async def test_a_path_beyond_the_entries_that_are_looked_at_is_found_by_its_name(here, monkeypatch):
    monkeypatch.setattr("inspector.screens.start._LOOKED_AT", 0)
    app = OneDialog(import_list())
    async with app.run_test(size=(100, 24)) as pilot:
        paste(pilot, str(here / "rows.jsonl"))
        type_ahead(pilot, "enter")
        await until(pilot, lambda: app.return_value is not None)
    assert app.return_value == str(here / "rows.jsonl")


# -- words of a condition


async def test_a_word_of_a_condition_is_completed_where_the_cursor_is_now():
    words = ("n_steps", "subset")

    def complete(text, at):
        return Completion(0, tuple(word for word in words if word.startswith(text[:at])))

    app = OneDialog(ConditionScreen(complete, lambda _: None, lambda _: "", []))
    async with app.run_test(size=(100, 24)) as pilot:
        await press(pilot, *"n_st")
        type_ahead(pilot, *["backspace"] * 4, *"su", "tab")
        await until(pilot, lambda: typed(pilot).strip() not in {"", "n", "n_", "n_s", "n_st", "s", "su"})
        assert typed(pilot) == "subset "
        # The cursor moves without a change of the text.
        await press(pilot, *["backspace"] * 7, *"n_x", "left", "tab")
        assert typed(pilot) == "n_steps x"
