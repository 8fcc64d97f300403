import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formats.tables.cell_values import at, columns_of, has, listed, number, single_at, steps, text, truth, whole

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(ANYTHING)
def test_any_cell_gives_what_is_wanted_or_itself(cell):
    for read in (text, whole, number, truth, listed):
        found = read(cell)
        assert found is None or found is cell or type(found) in {str, int, float, bool, list}
    assert isinstance(steps(cell)[1], bool)


def test_a_column_is_its_name_or_its_path():
    row = {"a": 1, "m": {"source": "x", "n": {"k": None}}, "m.source": "whole name", "": 3}
    assert (at(row, "a"), at(row, "m.source"), at(row, "m.n.k"), at(row, "m.gone"), at(row, "a.b")) == (
        *(1, "whole name"),
        *(None, None, None),
    )
    assert has(row, "m.n.k")
    assert not has(row, "m.n.gone")
    assert list(columns_of(row)) == ["a", "m", "m.source", "m.n", "m.n.k"]


@pytest.mark.parametrize(
    ("cell", "said"),
    [("a ", "a "), (" ", None), ("", None), (17, "17"), (17.0, "17"), (0.5, 0.5), (True, True), (None, None)],
)
def test_texts(cell, said):
    assert text(cell) is said or text(cell) == said


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        *((cell, 3) for cell in ("3", " 3 ", "+3", "3.", "3.00", 3, 3.0, "03")),
        *((cell, None) for cell in ("", " ", None, math.nan)),
        *((cell, cell) for cell in ("3.5", "three", "1e3", "0x3", "3_0", "٣", "--3", True, 3.5, "9" * 19)),
        ("-1", -1),
    ],
)
def test_whole_numbers(cell, said):
    assert whole(cell) == said
    assert type(whole(cell)) is type(said)


@pytest.mark.parametrize(
    ("cell", "said"),
    [("0.5", 0.5), ("1e-3", 0.001), (".5", 0.5), ("-2", -2.0), (2, 2.0), (10**400, math.inf), ("", None), (True, True)],
)
def test_numbers(cell, said):
    assert number(cell) == said
    assert type(number(cell)) is type(said)
    for odd in ("nan", "inf", "1,5", "0.5.1", "1e9999", "½"):
        assert number(odd) == odd


def test_truth_values():
    assert [truth(cell) for cell in ("true", "Yes", "1", 1, 1.0, True)] == [True] * 6
    assert [truth(cell) for cell in ("FALSE", " no ", "0", 0, 0.0, False)] == [False] * 6
    assert [truth(cell) for cell in ("maybe", 2, None, "", math.inf)] == ["maybe", 2, None, None, math.inf]


def test_lists():
    assert listed("[1, 2]") == listed([1, 2]) == [1, 2]
    assert listed("[0.9 0.25\n 1.]") == [0.9, 0.25, 1.0]
    assert listed("[3 -1]") == [3, -1]
    assert listed(" ") is listed(None) is None
    for odd in ("1, 2", "[1, 2", "['a']", '{"a": 1}', "[" * 5000, "[" + "1" * 5000 + "]"):
        assert listed(odd) == odd


def test_steps_are_a_list_or_one_text_that_is_split():
    assert steps(["a", "b"]) == steps('["a", "b"]') == (["a", "b"], False)
    assert steps("\n\nFirst.\nStill.\n \n\n  Second.\r\n\r\nThird.\n") == (
        ["First.\nStill.", "  Second.", "Third.\n"],
        True,
    )
    assert steps("a\n\n\nb", "\n") == (["a", "", "", "b"], True)
    assert steps("|a||b|", "|") == (["a", "", "b"], True)
    assert steps(" \n") == ([], True)


@pytest.mark.parametrize("cell", ["['a', 'b']", '["a" "b"]', "[array(['a'])]", "array(['a'])", None, 5, ["a", 1]])
def test_what_cannot_be_split_stays_as_it_is(cell):
    assert steps(cell) == (cell, False)


def test_a_text_that_begins_with_a_bracket_is_no_list():
    assert steps("[1, 2] is closed.\n\nSo it is compact.") == (["[1, 2] is closed.", "So it is compact."], True)
    assert steps(r"\[x\]") == ([r"\[x\]"], True)
    assert steps("[asy] draw; [/asy]\n\nb")[0] == ["[asy] draw; [/asy]", "b"]
    assert steps("[1, 2]") == (["[1, 2]"], True)


CHAT = {
    "messages": [
        {"role": "user", "content": "What is 2 + 2?"},
        {"role": "assistant", "content": "Two and two", "n": [1, 2]},
        {"role": "tool", "content": None, "ok": True},
        {"role": "assistant", "content": "are 4.", "n": [3]},
    ],
    "written": '[{"text": "a"}, {"text": "b"}]',
    "odd[0].name": 1,
    "none": [],
    "numbers": [5, 6],
}


@pytest.mark.parametrize(
    ("path", "cell"),
    [
        ("messages[].content", ["What is 2 + 2?", "Two and two", None, "are 4."]),
        ("messages[role=assistant].content", ["Two and two", "are 4."]),
        ("messages[role=user].content", ["What is 2 + 2?"]),
        ("messages[ok=true].role", ["tool"]),
        ("messages[0].content", "What is 2 + 2?"),
        ("messages[-1].n[0]", 3),
        ("messages[role=assistant].n", [1, 2, 3]),
        ("messages[].n", [None, 1, 2, None, 3]),
        ("written[].text", ["a", "b"]),
        ("odd[0].name", 1),
        ("none[].content", []),
        ("numbers[]", [5, 6]),
    ],
)
def test_paths_go_through_lists_of_objects(path, cell):
    assert (has(CHAT, path), at(CHAT, path)) == (True, cell)


@pytest.mark.parametrize(
    "path",
    [
        *("messages[role=robot].content", "messages[].gone", "messages[9].content", "messages[", "messages]", "[]"),
        *("messages[].content.more", "messages[x].content", "none[0].content", "gone[].content", "messages.content"),
    ],
)
def test_a_path_that_leads_nowhere_is_no_column(path):
    assert (has(CHAT, path), at(CHAT, path)) == (False, None)


def test_one_value_at_a_path_through_a_list_is_a_cell_and_several_are_not():
    assert single_at(CHAT, "messages[role=user].content") == "What is 2 + 2?"
    assert single_at(CHAT, "messages[role=assistant].content") == ["Two and two", "are 4."]
    assert single_at({"numbers": [5]}, "numbers") == [5]


def test_names_of_paths_through_lists_are_offered():
    names = columns_of(CHAT)
    assert {"messages", "messages[].content", "messages[role=assistant].content", "messages[].n", "numbers"} <= {*names}
    assert all(has(CHAT, name) for name in names)


@given(ANYTHING, st.text("ab.[]=0-1", max_size=12))
def test_any_path_may_be_asked_of_any_row(cell, path):
    row = {"a": cell, "b": [cell, {"a": cell}]}
    assert has(row, path) or at(row, path) is None
