"""Keys that come in one burst do what they do one by one."""

import asyncio

import pytest
from textual.events import Paste

import example
from inspector.screens.board import BoardScreen
from inspector.screens.cases import CasesScreen
from inspector.screens.question_dialogs import WordsDialog
from inspector.widgets import textual_compat
from opened import inspected, opened
from screen_text import press, settled, shows, type_ahead, until


@pytest.fixture
def query(tmp_path):
    return example.write(tmp_path / "workspace")


def said(pilot):
    journal = inspected(pilot).results.labels.journal
    me = journal.author.who
    rulings = {case: of[me] for case, of in journal.triage.rulings.items()}
    return rulings, {case: of[me] for case, of in journal.triage.notes.items()}


async def test_a_note_typed_with_the_ruling_before_it_is_on_the_next_case(query, monkeypatch):
    # Whatever widget or screen goes while it has a key, that is heard; nobody needs to wait until patience ends.
    monkeypatch.setattr(textual_compat, "PATIENCE", 3600)
    async with opened(query) as pilot:
        await press(pilot, "enter")
        await shows(pilot, "5 of 9 cases")
        type_ahead(pilot, "g", "t", "enter", "1", "a", *"odd", "enter", "j", "2", "a", *"very", "enter")
        await until(pilot, lambda: len(said(pilot)[1]) == 2)
        assert said(pilot) == (
            {"bench/alarm-one": "model wrong", "bench/late-one": "gold wrong"},
            {"bench/late-one": "odd", "bench/missed-one": "very"},
        )


async def test_what_is_pasted_keeps_its_place_among_the_keys_and_where_nobody_types_is_nobodys(query):
    async with opened(query) as pilot:
        await press(pilot, "enter")
        type_ahead(pilot, "j", "a", "a")
        pilot.app._driver.send_message(Paste("b c"))
        type_ahead(pilot, "d", "enter")
        await until(pilot, lambda: said(pilot)[1])
        assert said(pilot)[1] == {"bench/late-one": "ab cd"}
        pilot.app._driver.send_message(Paste("late"))
        await settled(pilot)
        await press(pilot, "slash")
        assert pilot.app.focused.value == ""


async def test_a_key_of_which_nothing_is_ever_heard_again_holds_up_no_other_for_long(query, monkeypatch):
    monkeypatch.setattr(textual_compat, "PATIENCE", 0.5)
    async with opened(query) as pilot:
        await press(pilot, "enter")
        await shows(pilot, "5 of 9 cases")
        with monkeypatch.context() as lost:
            lost.setattr(textual_compat.KeyOrder, "follow", lambda *_: None)
            type_ahead(pilot, "j")
            await until(pilot, lambda: pilot.app.key_order.under_way)
        type_ahead(pilot, "q")
        await until(pilot, lambda: pilot.app.key_order.kept)
        assert [held.key for held in pilot.app.key_order.kept] == ["q"]
        await shows(pilot, " 9 cases")
        await until(pilot, lambda: not pilot.app.key_order.under_way)


class LateDialog(WordsDialog):
    """Comes up when the machine gets to it."""

    async def _compose(self):
        await asyncio.sleep(0.2)
        await super()._compose()

    def on_mount(self):
        self.query_one("Input")


async def test_a_key_waits_for_a_dialog_that_is_still_to_come_up(query):
    """Closed before, it would not find what it is made of, and the app would fail."""
    async with opened(query) as pilot:
        answers = []
        dialog = LateDialog("Name", "", "")
        pilot.app.push_screen(dialog, answers.append)
        assert not dialog.is_mounted
        assert await pilot.app.run_action("dismiss(None)", dialog)
        assert answers == []
        await until(pilot, lambda: answers)
        assert answers == [None]
        assert isinstance(pilot.app.screen, BoardScreen)


async def test_a_key_waits_for_a_screen_that_is_still_to_come_up(query, monkeypatch):
    compose, begins = CasesScreen._compose, asyncio.Event()

    async def late(screen):
        begins.set()
        await asyncio.sleep(0.2)
        await compose(screen)

    monkeypatch.setattr(CasesScreen, "_compose", late)
    async with opened(query) as pilot:
        type_ahead(pilot, "g", "l")
        await asyncio.wait_for(begins.wait(), 20)
        cases = pilot.app.screen
        assert isinstance(cases, CasesScreen)
        assert not cases.is_mounted
        assert await pilot.app.run_action("back", cases)
        await until(pilot, lambda: isinstance(pilot.app.screen, BoardScreen))
