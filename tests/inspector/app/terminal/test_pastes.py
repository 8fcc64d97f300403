"""Nothing that is pasted is a key, in whatever pieces it arrives."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App
from textual.drivers import web_driver
from textual.events import Key, Paste

from inspector.app.app import InspectApp
from inspector.widgets.textual_compat import InertPastes, _InertParser
from scoring.selection.query import Query
from thoroughness import up_to

BEGIN, END = InertPastes.BEGIN, InertPastes.END
TEXTS = st.text(alphabet="\x1b[20~1;m\nqx", max_size=30).filter(lambda text: END not in f"{text}{END}"[:-1])


def pieces(data, cuts):
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[start:end] for start, end in pairwise(places)]


@up_to(100, 12)
@given(TEXTS, TEXTS, st.lists(st.integers(0, 200), max_size=8))
def test_escapes_go_within_a_paste_and_nothing_else_changes(pasted, behind, cuts):
    behind = behind.replace(BEGIN, "")
    inert = InertPastes()
    read = "".join(map(inert, pieces(f"q\x1b[A{BEGIN}{pasted}{END}{behind}", cuts)))
    assert read == f"q\x1b[A{BEGIN}{pasted.replace(chr(27), chr(0x241B))}{END}{behind}"


@given(st.text(alphabet="\x1b[20~1;mqx", max_size=30).filter(lambda text: BEGIN not in text), st.integers(1, 7))
def test_no_key_is_held_back(typed, size):
    inert = InertPastes()
    for start in range(0, len(typed), size):
        piece = typed[start : start + size]
        assert inert(piece) == piece


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_coloured_word_is_pasted_and_presses_nothing(size):
    parser, data = _InertParser(), f"{BEGIN}red: \x1b[31mno\x1b[0m{END}x"
    events = [event for at in range(0, len(data), size) for event in parser.feed(data[at : at + size])]
    (paste,) = (event for event in events if isinstance(event, Paste))
    assert paste.text == "red: \N{SYMBOL FOR ESCAPE}[31mno\N{SYMBOL FOR ESCAPE}[0m"
    assert [event.key for event in events if isinstance(event, Key)] == ["x"]


@pytest.mark.parametrize("absurd", ["\x1b[1114112u", f"\x1b[{'9' * 20}u", "\x1b[97;5:9u"])
def test_a_key_that_cannot_be_is_dropped_and_the_next_is_read(absurd):
    parser = _InertParser()
    events = [event for data in (absurd, "x") for event in parser.feed(data)]
    assert [event.key for event in events if isinstance(event, Key)][-1] == "x"


def test_a_browser_has_that_parser_too(monkeypatch):
    monkeypatch.setattr(App, "get_driver_class", lambda _: web_driver.WebDriver)
    monkeypatch.setattr(web_driver, "XTermParser", None)
    made = []
    monkeypatch.setattr(web_driver.WebDriver, "run_input_thread", lambda _: made.append(web_driver.XTermParser))
    driver = InspectApp(Query()).get_driver_class()
    opened = object.__new__(driver)
    # Nothing is read: who watches the terminal is started already.
    opened._heeds = True
    opened.run_input_thread()
    assert made == [_InertParser]
