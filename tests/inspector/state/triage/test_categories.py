from hypothesis import given
from hypothesis import strategies as st

from inspector.render.texts.text import clean
from inspector.state.triage.categories import ranked

NAMES = ["sign error", "wrong sign", "design", "units", "Sign", "missing step is given no"]


def test_the_closest_come_first():
    assert ranked(NAMES, "sign") == ["Sign", "sign error", "wrong sign", "design", "missing step is given no"]
    assert ranked(NAMES, " WRONG  s ") == ["wrong sign"]
    assert ranked(NAMES, "ut") == ["units"]


def test_a_name_that_nobody_could_type_is_found_as_it_is_shown():
    assert ranked(["\x1b[31msigns", "si\u202egns"], "␛[31ms") == ["\x1b[31msigns"]
    assert ranked(["\x1b[31msigns", "si\u202egns"], "si\ufffdgns") == ["si\u202egns"]


def test_nothing_typed_gives_all_and_what_is_nowhere_none():
    assert ranked(NAMES, " ") == NAMES
    assert ranked(NAMES, "zz") == []


@given(st.lists(st.text(max_size=6), max_size=8), st.text(max_size=4))
def test_it_is_a_choice_of_the_names_with_all_that_hold_it(names, typed):
    found = ranked(names, typed)
    assert all(found.count(name) <= names.count(name) for name in names)
    wanted = " ".join(typed.casefold().split())
    assert [name for name in names if wanted in clean(name).casefold() and name not in found] == []
