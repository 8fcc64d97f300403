"""Keys that come in one burst do what they do one by one."""

import pytest
from textual.events import Paste

import example
from inspector.wiring import key_order
from opened import inspected, opened
from screen_text import press, shows, type_ahead, until


@pytest.fixture
def request_(tmp_path):
    return example.write(tmp_path / "workspace")


def said(pilot):
    journal = inspected(pilot).selection.journal
    me = journal.author.who
    rulings = {case: of[me] for case, of in journal.triage.rulings.items()}
    return rulings, {case: of[me] for case, of in journal.triage.notes.items()}


async def test_a_note_typed_with_the_ruling_before_it_is_on_the_next_case(request_):
    async with opened(request_) as pilot:
        await press(pilot, "enter")
        await shows(pilot, "5 of 9 cases")
        type_ahead(pilot, "T", "enter", "1", "N", *"odd", "enter", "j", "2", "N", *"very", "enter")
        await until(pilot, lambda: len(said(pilot)[1]) == 2)
        assert said(pilot) == (
            {"bench/alarm-one": "model wrong", "bench/late-one": "gold wrong"},
            {"bench/late-one": "odd", "bench/missed-one": "very"},
        )


async def test_what_is_pasted_keeps_its_place_among_the_keys(request_):
    async with opened(request_) as pilot:
        await press(pilot, "enter")
        type_ahead(pilot, "j", "N", "a")
        pilot.app._driver.send_message(Paste("b c"))
        type_ahead(pilot, "d", "enter")
        await until(pilot, lambda: said(pilot)[1])
        assert said(pilot)[1] == {"bench/late-one": "ab cd"}


async def test_a_key_whose_widget_has_gone_holds_up_no_other(request_, monkeypatch):
    monkeypatch.setattr(key_order, "PATIENCE", 0.05)
    async with opened(request_) as pilot:
        await press(pilot, "enter")
        await shows(pilot, "5 of 9 cases")
        # Nobody will ever say that this one is through.
        monkeypatch.setattr(key_order.KeyOrder, "_follow_key", lambda *_: None)
        type_ahead(pilot, "f", "f")
        monkeypatch.undo()
        await shows(pilot, "5 of 9 cases")
        await press(pilot, "q")
        await shows(pilot, "9 cases")
