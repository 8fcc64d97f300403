import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formats.benchmarks.own import each_case
from scoring.formats.reading.fields import Fields, kind_of
from scoring.formats.reading.rows import Rows

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def fields(**value):
    return Fields(value, "some/where.jsonl", 3, 7, [])


def noted(found):
    return [(finding.severity, finding.code) for finding in found.findings]


@given(ANYTHING)
def test_nothing_escapes_and_everything_has_its_type(value):
    one = fields(x=value, id=value, steps=value)
    assert isinstance(one.text("x"), str | None)
    assert isinstance(one.integer("x"), int | None)
    assert isinstance(one.boolean("x"), bool | None)
    assert isinstance(one.earliest_error("x", 3), int | None)
    assert isinstance(one.identifier(), str)
    assert all(isinstance(part, str) for part in (*(one.texts("x") or ()), *(one.solution() or ())))
    assert all(type(part) is int for part in one.integers("x") or ())
    for text in (one.text("x"), one.identifier(), *(one.texts("x") or ())):
        (text or "").encode()


def test_text():
    one = fields(a="x", b=None, c=5)
    assert (one.text("a"), one.text("b"), one.text("gone")) == ("x", None, None)
    assert not one.findings
    assert one.text("c") is None
    assert noted(one) == [("warning", "wrong-type")]
    assert "c is a number, not text" in str(one.findings[0])
    assert not one.fatal


def test_a_required_text_that_is_none_is_fatal():
    one = fields()
    assert one.text("problem", required=True) is None
    assert one.fatal
    assert noted(one) == [("error", "wrong-type")]
    assert str(one.findings[0]) == "some/where.jsonl:7: error: problem is null, not text"


def test_lone_surrogates_become_a_mark_with_a_finding():
    one = fields(a="x\ud800y\udfff", steps=["fine", "\udc00"])
    assert one.text("a") == "x\ufffdy\ufffd"
    assert one.solution() == ["fine", "\ufffd"]
    assert noted(one) == [("warning", "lone-surrogate")] * 2
    assert "steps[1]" in one.findings[1].message


@pytest.mark.parametrize("text", ["\x00", "\x1b[2J", "\x7f", "\x9b31m", "\u202e"])
def test_what_could_act_on_a_terminal_is_kept_and_noted(text):
    one = fields(a=f"before{text}after")
    assert one.text("a") == f"before{text}after"
    assert noted(one) == [("note", "control-character")]


@pytest.mark.parametrize("text", ["a\n\tb\r\n", "[bold]x[/]", r"\[x\]", "😀 中文", "\u2028"])
def test_harmless_text_is_not_noted(text):
    one = fields(a=text)
    assert one.text("a") == text
    assert not one.findings


@pytest.mark.parametrize(
    ("value", "said"),
    [("one", "steps is text"), ([1], r"steps[0] is a number"), (["a", None], "steps[1] is null"), ({}, "object")],
)
def test_steps_of_the_wrong_type_are_fatal(value, said):
    one = fields(steps=value)
    assert one.solution() is None
    assert one.fatal
    assert said in one.findings[0].message


def test_no_steps_are_fatal_and_empty_ones_are_noted():
    one = fields(steps=[])
    one.solution()
    assert noted(one) == [("error", "no-steps")]
    one = fields(steps=["a", "", " \n", "b"])
    assert one.solution() == ["a", "", " \n", "b"]
    assert noted(one) == [("note", "empty-step")]
    assert "[1, 2]" in one.findings[0].message


@pytest.mark.parametrize(("value", "wanted"), [(3, 3), (-1, -1), (2.0, 2), (0, 0), (2**31 - 1, 2**31 - 1)])
def test_whole_numbers(value, wanted):
    one = fields(label=value)
    assert one.integer("label") == wanted
    assert not one.findings


@pytest.mark.parametrize("value", ["3", True, None, 2.5, math.nan, math.inf, [1], 2**31, -(10**400), 1e300])
def test_what_is_no_whole_number(value):
    one = fields(label=value)
    assert one.integer("label") is None
    assert noted(one) == [("warning", "wrong-type")]


def test_lists_of_whole_numbers():
    assert fields(x=[2, 0]).integers("x") == [2, 0]
    as_floats = fields(x=[2.0, 0.0, -1]).integers("x")
    assert as_floats == [2, 0, -1]
    assert all(type(part) is int for part in as_floats)
    for wrong in ([True], [1.5], [math.nan], [-math.inf], [1e300], ["1"], 3, [2**40]):
        one = fields(x=wrong)
        assert one.integers("x") is None
        assert noted(one) == [("warning", "wrong-type")]
    assert fields().integers("x") is None


@pytest.mark.parametrize(
    ("label", "kept", "code"),
    [
        *((label, label, None) for label in (-1, 0, 2)),
        *((label, label, "label-beyond-end") for label in (3, 99)),
        (-2, None, "bad-label"),
        ("1", None, "wrong-type"),
    ],
)
def test_labels(label, kept, code):
    one = fields(label=label)
    assert one.earliest_error("label", 3) == kept
    assert noted(one) == ([("warning", code)] if code else [])


def test_ids():
    assert fields(id="math-1").identifier() == "math-1"
    assert fields(id=17).identifier() == "17"
    assert fields(id="\ud800").identifier() == "\ufffd"
    for missing in ({}, {"id": ""}, {"id": " "}, {"id": None}):
        one = fields(**missing)
        assert one.identifier() == "where#3"
        assert noted(one) == [("warning", "no-id")]
    assert fields(id=True).identifier() == "where#3"


def test_kinds_of_values():
    assert kind_of([]) == "a list"
    assert kind_of(True) == "a boolean"
    assert kind_of(b"") == "bytes"


def read(one):
    return None if one.value.get("skip") else {"problem": one.text("problem", required=True)}


def test_each_case_is_left_out_or_has_its_id_and_line():
    rows = Rows("x.json", "made")
    for line, value in enumerate([{"id": "a", "problem": "p"}, 5, {"id": "b", "skip": 1}, {"id": "c"}], start=10):
        rows.add(value, line)
    findings = []
    assert list(each_case(rows, findings, read)) == [{"problem": "p", "id": "a", "line": 10}]
    assert [(one.code, one.line, one.case) for one in findings] == [("broken-row", 11, None), ("wrong-type", 13, "c")]


def test_the_first_row_with_an_id_counts_even_if_all_stand_on_one_line():
    rows = Rows("x.json", "made")
    for name in "aba":
        rows.add({"id": name, "problem": name}, line=1)
    findings = []
    assert [case["id"] for case in each_case(rows, findings, read)] == ["a", "b"]
    assert [(one.severity, one.code, one.case) for one in findings] == [("error", "repeated-id", "a")]
    assert "row 1 on line 1" in findings[0].message


def test_an_unusable_row_does_not_take_its_id_from_a_usable_one():
    rows = Rows("x.json", "made")
    rows.add({"id": "a"}, 1)
    rows.add({"id": "a", "problem": "p"}, 2)
    assert [case["line"] for case in each_case(rows, [], read)] == [2]


def test_rows_without_ids_get_different_names():
    rows = Rows("x.json", "made")
    rows.add({"problem": "p"}, 1)
    rows.add({"problem": "q"}, 1)
    assert [case["id"] for case in each_case(rows, [], read)] == ["x#1", "x#2"]


def test_the_id_and_the_steps_may_stand_in_other_fields():
    one = fields(id="a", idx="b", steps=["c"], process=["d", ""])
    assert one.identifier("idx") == "b"
    assert one.solution("process") == ["d", ""]
    assert noted(one) == [("note", "empty-step")]
    assert fields(id="a").identifier("idx") == "where#3"


def test_an_id_may_be_composed():
    rows = Rows("rows.jsonl", "JSON Lines")
    for part in ("x", "y", "x"):
        rows.add({"id": "1", "part": part})
    findings = []
    found = list(each_case(rows, findings, lambda _: {}, lambda one: f"{one.text('part')}_{one.identifier()}"))
    assert found == [{"id": "x_1", "line": 1}, {"id": "y_1", "line": 2}]
    assert [(finding.code, finding.case) for finding in findings] == [("repeated-id", "x_1")]


def test_an_object_in_a_field_has_the_place_of_its_row():
    one = fields(inner={"text": 5})
    one.case = "a-case"
    assert one.inside("inner").text("text") is None
    (finding,) = one.findings
    assert (finding.line, finding.case) == (7, "a-case")


@pytest.mark.parametrize("value", ["text", 5, [{}], None])
def test_what_is_no_object_has_no_fields_and_is_said_where_it_is_there(value):
    one = fields(inner=value)
    assert not one.inside("inner").value
    assert not one.inside("absent").value
    assert not one.of(value).value
    assert noted(one) == [("warning", "wrong-type")] * (value is not None)
