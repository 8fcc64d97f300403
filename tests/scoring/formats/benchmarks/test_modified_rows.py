"""What PRMBench and Socratic-PRMBench rows have in common, tried with PRMBench's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modified import codes, row, shifted
from scoring.data.schema import CASES
from scoring.formats.benchmarks import prmbench, socratic
from scoring.formats.benchmarks.modified_rows import against_published, identify
from scoring.formats.reading.fields import Fields
from scoring.formats.reading.rows import Rows
from thoroughness import up_to

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
    assert [one.code for one in against_published({"rows": 3, "a": 2, "b": 1}, published, "f")] == ["official-counts"]
    (finding,) = against_published({"rows": 3, "a": 1, "b": 1}, published, "f")
    assert (finding.severity, finding.code) == ("warning", "not-official-counts")
    assert finding.message.endswith("but: a 1 (published 2), others 1 (published 0)")
    assert not against_published({"rows": 2, "a": 2, "b": 0}, published, "f")


def first_difference(original, steps):
    """The first step that is not as in the original, None = they are equal."""
    longer = max(len(original), len(steps))
    at = [index for index in range(longer) if original[index : index + 1] != steps[index : index + 1]]
    return at[0] if at else None


SOLUTION = st.lists(st.sampled_from(["a", "b"]), min_size=1, max_size=4)


@up_to(100, 12)
@given(
    st.lists(
        st.tuples(st.none() | st.lists(st.integers(-1, 6), max_size=3), SOLUTION, st.none() | st.just([]) | SOLUTION),
        max_size=6,
    )
)
def test_the_base_is_said_with_its_evidence(values):
    every = [(step, len(steps)) for listed, steps, _ in values for step in listed or []]
    leaves = [
        min(listed) - 1 == first_difference(original, steps)
        for listed, steps, original in values
        if listed and original not in (None, steps)
    ]
    said = (
        f"of {len(every)} listed steps {sum(step == 0 for step, _ in every)} are 0, "
        f"{sum(step == 1 for step, _ in every)} are 1, {sum(step == last for step, last in every)} the last, "
        f"{sum(step > last for step, last in every)} beyond it"
    )
    if leaves:
        said += f"; the text leaves the original at the first one in {sum(leaves)} of {len(leaves)} cases"
    imported = load(
        row(number % 4, error_steps=listed, modified_process=steps, original_process=original)
        for number, (listed, steps, original) in enumerate(values)
    )
    assert imported.label_base == f"1-based, [] = no error ({said})"


CHANGED = (["a", "x", "c", "d"], ["a", "b", "c", "d"])
ALONE = (CHANGED[0], None)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([([2], *CHANGED)] * 3, None),
        ([([0], *CHANGED)], "1 of the listed steps are 0"),
        ([([1], *CHANGED)] * 3, "in 3 of 3 cases"),
        ([([1], *CHANGED)] * 3, "they look one too low"),
        ([([3], *CHANGED)] * 3, "they look one too high"),
        ([([3], *CHANGED)] * 2, None),
        ([([3], *CHANGED)] * 3 + [([2], *CHANGED)] * 3, None),
        ([([3], *CHANGED)] * 4 + [([2], *CHANGED)] * 3, "in 4 of 7 cases"),
        ([([5], *ALONE)] * 3, "3 of 3 listed steps lie beyond the last step"),
        ([([5], *ALONE)] * 2, None),
        ([([5], *ALONE)] * 3 + [([2], *ALONE)] * 27, None),
        ([([5], *ALONE)] * 3 + [([2], *ALONE)] * 26, "3 of 29"),
    ],
)
def test_another_base_is_suspected_on_evidence_only(values, said):
    imported = load(
        row(number, error_steps=listed, modified_process=steps, original_process=original)
        for number, (listed, steps, original) in enumerate(values)
    )
    found = [finding for finding in imported.findings if finding.code == "label-base"]
    assert bool(found) == (said is not None)
    if said is not None:
        assert (found[0].severity, found[0].source) == ("warning", "rows.jsonl")
        assert said in found[0].message


@pytest.mark.parametrize("module", [prmbench, socratic])
@up_to(100, 10)
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
