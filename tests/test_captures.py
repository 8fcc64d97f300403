"""Two outputs of a command: what counts as a difference, and what is one on purpose."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capturing.comparing import Difference, Intended, Renaming, Said, differences

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-1, 1) | st.text("ab ", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("pqr"), inner, max_size=3),
    max_leaves=12,
)
ROWS = {"rows": [{"scorer": "a", "f1": 0.5, "n": 8}, {"scorer": "b", "f1": 0.25, "n": 8}]}


def said(value, code=0, err=""):
    return Said(code, value if isinstance(value, str) else json.dumps(value), err)


def found(old, new, *renamings):
    return [str(one) for one in differences(said(old), said(new), renamings)]


@given(VALUES)
def test_a_document_does_not_differ_from_itself(value):
    assert found({"value": value}, {"value": value}) == []


@given(VALUES, VALUES)
def test_what_differs_does_so_both_ways(one, other):
    same = json.dumps(one) == json.dumps(other)
    assert bool(found({"value": one}, {"value": other})) == bool(found({"value": other}, {"value": one}))
    assert not (same and found({"value": one}, {"value": other}))


@pytest.mark.parametrize("form", ["json", "jsonl", "csv", "text"])
def test_one_wrong_number_is_found_in_every_form(form):
    other = copy.deepcopy(ROWS)
    other["rows"][1]["f1"] += 1e-6

    def written(value):
        lines = {"json": [value], "jsonl": value["rows"]}.get(form)
        if lines is not None:
            return "\n".join(map(json.dumps, lines))
        between = "," if form == "csv" else "  "
        rows = [value["rows"][0].keys(), *(row.values() for row in value["rows"])]
        return "\n".join(between.join(map(str, row)) for row in rows)

    assert found(written(ROWS), written(ROWS)) == []
    (difference,) = found(written(ROWS), written(other))
    assert "0.25" in difference
    assert ("rows[1].f1" in difference) == (form != "text")


def test_a_row_more_does_not_shift_the_others():
    more = {"scorer": "c", "f1": 0.1, "n": 8}
    first, second = ROWS["rows"]
    assert found(ROWS, {"rows": [first, more, second]}) == [
        "rows.(length): 2 -> 3",
        'rows[c]: (missing) -> {"scorer": "c", "f1": 0.1, "n": 8}',
    ]
    other = {"rows": [{**second, "n": 9}, more, first]}
    assert [line.split(":")[0] for line in found(ROWS, other)] == [
        "rows.(length)",
        "rows.(order)",
        "rows[b].n",
        "rows[c]",
    ]
    # Where names are given twice, rows are compared by place.
    assert found({"rows": [first, first]}, {"rows": [first]}) == ["rows.(length): 2 -> 1"]


def test_numbers_are_equal_within_a_billionth_and_true_is_not_1():
    assert found({"a": 0.1 + 0.2}, {"a": 0.3}) == []
    assert found({"a": 1.0}, {"a": 1 + 1e-8}) == ["a: 1.0 -> 1.00000001"]
    assert found({"a": True}, {"a": 1}) == ["a: true -> 1"]
    assert found({"a": None}, {"a": 0}) == ["a: null -> 0"]


def test_keys_that_go_come_or_change_places_are_told():
    assert found({"a": 1}, {}) == ["a: 1 -> (missing)"]
    assert found({}, {"a": 1}) == ["a: (missing) -> 1"]
    assert found({"a": 1, "b": 2}, {"b": 2, "a": 1}) == ['.(order of keys): ["a", "b"] -> ["b", "a"]']
    assert found({"a": [1, 2]}, {"a": [1]}) == ["a.(length): 2 -> 1"]


def test_text_is_compared_by_line_and_how_long_something_took_is_no_difference():
    assert found("One.\nTook 3.2 s\nTwo.", "One.\nTook 18 ms\nTwo.") == []
    assert found("One.\nTwo.", "One.\nHalf.\nTwo.") == ["line 2: (missing) -> Half."]


def test_exit_codes_and_messages_count():
    observed = list(differences(said("x", 0, "Mind: a\n"), said("x", 2, "Note: a\n"), ()))
    assert observed == [Difference("exit code", "0", "2"), Difference("message 1", "Mind: a", "Note: a")]
    assert list(differences(said("x", 0, "Mind: a\n"), said("x", 0, "Note: a\n"), [Renaming("Mind:", "Note:")])) == []


def test_a_renaming_is_of_what_the_old_version_says():
    renaming = Renaming("^first error$", "earliest error")
    assert found({"metric": "first error"}, {"metric": "earliest error"}, renaming) == []
    assert found({"metric": "earliest error"}, {"metric": "first error"}, renaming) != []


def test_an_intended_difference_covers_what_it_names_and_nothing_else():
    rule = Intended("bounds", "now exact", "demo: metrics*", "rows[[]*].low", old=r"^0\.4", new=r"^0\.5")
    meant = Difference("rows[3].low", "0.4", "0.5")
    assert rule.covers("demo: metrics --json", meant)
    assert not rule.covers("demo: board --json", meant)
    assert not rule.covers("demo: metrics --json", Difference("rows[3].high", "0.4", "0.5"))
    assert not rule.covers("demo: metrics --json", Difference("rows[3].low", "0.4", "0.6"))
