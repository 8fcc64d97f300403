"""What PRMBench and Socratic-PRMBench rows have in common, tried with PRMBench's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modified import codes, row, shifted
from scoring.benchmarks import prmbench, socratic
from scoring.benchmarks.modified_rows import against_published, count_classes, identify
from scoring.reading.fields import Fields
from scoring.reading.rows import Rows
from scoring.schema import CASES

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=4,
)


def load(values, module=prmbench):
    rows = Rows("rows.jsonl", "JSON Lines")
    for value in values:
        rows.add(value)
    return module.load(rows)


def one(values):
    imported = load(values)
    assert imported.cases.height == 1
    return imported.cases.row(0, named=True)


@pytest.mark.parametrize(
    ("changes", "identifier"),
    [
        ({}, "circular_sum_0"),
        ({"idx": "circular_sum_0"}, "circular_sum_0"),
        ({"idx": 7}, "circular_7"),
        ({"idx": ...}, "circular_rows#1"),
        ({"classification": ...}, "sum_0"),
        ({"classification": 5}, "sum_0"),
        ({"classification": ""}, "sum_0"),
        ({"classification": "a\ud800"}, "a?_sum_0"),
    ],
)
def test_ids(changes, identifier):
    assert identify(Fields(row(**changes), "rows.jsonl", 1, 1, [])) == identifier


@pytest.mark.parametrize(
    ("listed", "earliest", "errors", "found"),
    [
        ([2], 1, [1], []),
        ([1, 3], 0, [0, 2], []),
        ([3, 2, 3], 1, [1, 2], [("note", "unordered-steps")]),
        ([3, 4], 2, [2, 3], [("note", "label-beyond-end")]),
        ([4, 9], None, [3, 8], [("note", "label-beyond-end"), ("note", "no-error-in-range")]),
        ([], -1, [], [("warning", "unexpected-errors")]),
        ([0, 2], 1, [1], [("warning", "bad-label"), ("warning", "label-base")]),
        ([-1], None, None, [("warning", "bad-label")]),
        (None, None, None, [("warning", "no-label")]),
        (..., None, None, [("warning", "no-label")]),
        ("2", None, None, [("warning", "wrong-type")]),
        ([2.0], 1, [1], []),
        ([2.5], None, None, [("warning", "wrong-type")]),
        ([True], None, None, [("warning", "wrong-type")]),
    ],
)
def test_listed_errors(listed, earliest, errors, found):
    imported = load([row(error_steps=listed)])
    case = imported.cases.row(0, named=True)
    assert (case["earliest_error"], case["error_steps"]) == (earliest, errors)
    assert codes(imported) == found


@pytest.mark.parametrize(
    ("listed", "kept", "found"),
    [
        ([3, 2], [1, 2], []),
        ([2, 5], [1, 4], [("note", "modified-beyond-end")]),
        ([0, 2], [1], [("note", "modified-beyond-end")]),
        (None, None, []),
        ("2", None, [("warning", "wrong-type")]),
    ],
)
def test_modified_steps(listed, kept, found):
    imported = load([row(modified_steps=listed)])
    assert imported.cases["modified_steps"].to_list() == [kept]
    assert codes(imported) == found


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"modified_process": row(1)["original_process"]}, ("note", "unchanged-process")),
        ({"modified_process": ["All of it."], "error_steps": [1]}, ("note", "one-step")),
        ({"modified_process": ["a\\n\\nb"], "original_process": ["a"], "error_steps": [1]}, ("note", "one-step")),
        ({"modified_process": ["a\nb"], "original_process": ..., "error_steps": [1]}, ("note", "one-step")),
        ({"modified_process": ["a", "", "c"]}, ("note", "empty-step")),
        ({"original_process": "one text"}, ("warning", "wrong-type")),
        ({"question": 5}, ("warning", "wrong-type")),
        ({"classification": "new_class"}, ("warning", "unknown-class")),
        ({"classification": ...}, ("warning", "unknown-class")),
        ({"classification": ["circular"]}, ("warning", "unknown-class")),
        ({"idx": None}, ("warning", "no-id")),
    ],
)
def test_a_row_with_something_odd_is_kept_with_a_finding(changes, found):
    imported = load([row(), row(1, **changes), row(2)])
    assert imported.cases.height == 3
    assert found in codes(imported)
    assert {finding.line for finding in imported.findings} <= {2, None}


def test_one_sound_step_is_no_oddity():
    single = row(modified_process=[r"n \neq 2n."], original_process=["n = 2n."], error_steps=[1], modified_steps=[1])
    assert not load([single]).findings


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"modified_process": []}, "no-steps"),
        ({"modified_process": "one text"}, "wrong-type"),
        ({"modified_process": ["a", 1]}, "wrong-type"),
        ({"modified_question": None}, "wrong-type"),
    ],
)
def test_a_row_without_usable_text_is_left_out_and_the_others_load(changes, code):
    imported = load([row(), row(1, **changes), row(2)])
    assert imported.cases["id"].to_list() == ["circular_sum_0", "circular_sum_2"]
    assert codes(imported) == [("error", code)]
    assert (imported.findings[0].line, imported.findings[0].case) == (2, "circular_sum_1")


def test_what_the_published_files_hold_more_rarely_stays_a_warning():
    times = prmbench.KNOWN["label-beyond-end"]
    values = [row(number, error_steps=[2, 4]) for number in range(times + 1)]
    assert codes(load(values[:times])).count(("note", "label-beyond-end")) == times
    assert codes(load(values)).count(("warning", "label-beyond-end")) == times + 1


@pytest.mark.parametrize("text", ["nul \x00", "\x1b[31mred", "[bold]markup[/bold]", "<extra_0>", " ки", "\u202e"])
def test_text_is_kept_as_it_is(text):
    case = one([row(modified_question=text, modified_process=[text, "b"], reason=text)])
    assert (case["problem"], case["steps"], case["reason"]) == (text, [text, "b"], text)


def test_an_empty_reason_says_nothing():
    assert one([row(reason="")])["reason"] is None


@pytest.mark.parametrize(("by", "said"), [(-1, "one too low"), (1, "one too high")])
def test_a_file_shifted_by_one_is_flagged(by, said):
    values = [row(number) for number in range(5)]
    assert not load(values).findings
    imported = load(shifted(values, by))
    assert ("warning", "label-base") in codes(imported)
    assert said in imported.findings[-1].message


def test_rows_divided_as_published_are_noted():
    published = {"a": 2, "b": 1}
    assert [one.code for one in against_published({"a": 2, "b": 1}, published, "f")] == ["official-counts"]
    (finding,) = against_published({"a": 1, "b": 1, "c": 1}, published, "f")
    assert (finding.severity, finding.code) == ("warning", "not-official-counts")
    assert finding.message.endswith("but: a 1 (published 2), c 1 (published 0)")
    assert not against_published({"a": 2}, published, "f")


def test_classes_are_counted_with_repeated_rows():
    rows = Rows("rows.jsonl", "JSON Lines")
    for value in (row(1), row(1), row(1, "new"), row(classification=None), 5):
        rows.add(value)
    assert count_classes(rows) == {"circular": 2, "new": 1, "": 1}


@pytest.mark.parametrize("module", [prmbench, socratic])
@given(data=st.data())
def test_whatever_a_row_holds_it_is_a_case_or_an_error(module, data):
    sound = row(classification=data.draw(st.sampled_from([*module.CLASSES, "unknown"])))
    changed = data.draw(st.dictionaries(st.sampled_from([*sound, "domain", "ground_truth"]), ANYTHING, max_size=4))
    listed = data.draw(st.lists(st.integers(-2, 6), max_size=4))
    values = [row(99), {**sound, "error_steps": listed, **changed}]
    imported = load(values, module)
    assert imported.cases.schema == imported.twins.schema == CASES
    assert imported.read == 2
    left_out = 2 - imported.cases.height
    assert left_out == len({finding.line for finding in imported.findings if finding.severity == "error"})
    for earliest, errors, n_steps in imported.cases.select("earliest_error", "error_steps", "n_steps").iter_rows():
        assert earliest is None or -1 <= earliest < n_steps
        assert errors is None or (errors == sorted(set(errors)) and all(step >= 0 for step in errors))
        assert (earliest == -1) == (errors == [])
    module.recognises(values[1])
