"""The gold labels of a table beside code that reads one row at a time."""

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoring.formats.reading.rows import Rows
from scoring.formats.tables.column_mapping import ColumnMapping
from scoring.formats.tables.label_bases import Evidence, label_base
from scoring.formats.tables.table import load
from thoroughness import up_to

INDEX = st.integers(-2, 6)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "n": st.integers(1, 4),
            "first": INDEX,
            "wrong": st.lists(INDEX, max_size=4),
            "marks": st.lists(st.booleans(), max_size=5),
        }
    ),
    min_size=1,
    max_size=6,
)


def listed(row, base):
    """All wrong steps, 0-based; None where one of them names no step."""
    steps = sorted({step - base for step in row["wrong"]})
    return None if steps and steps[0] < 0 else steps


def marked(row):
    """The steps that are marked wrong; None where the marks leave open whether there are any."""
    wrong = [step for step, right in enumerate(row["marks"]) if not right]
    if len(row["marks"]) > row["n"] or (len(row["marks"]) < row["n"] and not wrong):
        return None
    return wrong


def all_wrong(row, base, fields):
    """(all wrong steps, what is said of them) as a list or the marks of steps say."""
    last, said = row["n"] - 1 + base, []
    if "wrong" in fields:
        if bad := [step for step in row["wrong"] if step < base]:
            said.append(("bad-label", f"error_steps {bad} name no step"))
        elif far := [step for step in row["wrong"] if step > last]:
            said.append(("label-beyond-end", f"error_steps {far} are beyond the last step ({last}, {base}-based)"))
        return listed(row, base), said
    if "marks" in fields:
        if len(row["marks"]) != row["n"]:
            said.append(("label-count", f"there are {len(row['marks'])} labels for {row['n']} steps"))
        return marked(row), said
    return None, said


def named(row, base, lowest):
    """(earliest error, what is said of it) as the index says; `lowest` is what the others say."""
    first, last, said = row["first"], row["n"] - 1 + base, []
    earliest = -1 if first == -1 else first - base if first >= base else None
    if first != -1 and first < base:
        said.append(("bad-label", f"earliest_error {first} names no step"))
    if first > last:
        said.append(("label-beyond-end", f"earliest_error {first} is beyond the last step"))
    if None not in {earliest, lowest} and earliest != lowest:
        said.append(("labels-disagree", f"earliest_error is step {earliest}, the lowest wrong step {lowest} "))
    return earliest, said


def expected(row, base, fields):
    """(earliest error, error steps, what is said) of a row; said are (code, words that are in the message)."""
    several, said = all_wrong(row, base, fields)
    earliest = None if several is None else -1 if not several else several[0] if several[0] < row["n"] else None
    if several and earliest is None:
        said.append(("no-error-in-range", "none of the wrong steps is there"))
    if "first" in fields:
        earliest, more = named(row, base, earliest)
        said += more
    if "wrong" in fields or ("marks" in fields and len(row["marks"]) == row["n"]):
        return earliest, several, said
    return earliest, [] if earliest == -1 else None, said


@up_to(400, 30)
@example([{"n": 2, "first": 1, "wrong": [2], "marks": []}], 0, ("wrong",))
@example([{"n": 2, "first": 0, "wrong": [1], "marks": []}], 0, ("first", "wrong"))
@given(
    ROWS,
    st.sampled_from([0, 1]),
    st.sampled_from([("first",), ("wrong",), ("marks",), ("first", "wrong"), ("first", "marks")]),
)
def test_gold_labels_are_those_of_reading_one_row_at_a_time(rows, base, fields):
    table = Rows("a-table.jsonl", "JSON Lines")
    for number, row in enumerate(rows):
        table.add({**row, "id": f"x-{number}", "problem": "p", "steps": ["s"] * row["n"]})
    columns = {"first": "earliest_error", "wrong": "error_steps", "marks": "step_labels"}
    imported = load(
        table,
        ColumnMapping(
            id="id", problem="problem", steps="steps", label_base=base, **{columns[field]: field for field in fields}
        ),
    )
    for number, (row, case) in enumerate(zip(rows, imported.cases.to_dicts(), strict=True)):
        earliest, steps, said = expected(row, base, fields)
        assert (case["earliest_error"], case["error_steps"]) == (earliest, steps)
        told = [(one.code, one.message) for one in imported.findings if one.case == f"x-{number}"]
        assert len(told) == len(said)
        for (code, words), (known, message) in zip(sorted(said), sorted(told), strict=True):
            assert (code, words in message) == (known, True), message


def base(labels, stated=None, *, marked=True, n_steps=3):
    pairs = pl.DataFrame({"label": labels, "n": [n_steps] * len(labels)}, schema={"label": pl.Int64, "n": pl.Int64})
    return label_base(stated, Evidence.of(pairs), marked=marked, source="x")


@pytest.mark.parametrize(
    ("labels", "marked", "wanted", "sure"),
    [
        ([0, 1, 2], True, 0, True),
        ([0, 1, 2, 3], True, 0, True),
        ([0, 1, 2], False, 0, False),
        ([1, 2, 3] * 4, True, 1, True),
        ([1, 2, 3] * 4, False, 1, True),
        ([1, 2, 3], True, 0, False),
        ([1, 2, 3] * 4 + [4], True, 0, False),
        ([1, 2] * 10, True, 0, False),
        ([1, 3] * 5, True, 1, True),
        ([1, 2, 3] * 3 + [-1] * 9, True, 0, False),
        ([0, 1, 2, 3] * 4, False, 0, False),
        ([], True, 0, True),
    ],
)
def test_a_base_is_inferred_only_from_clear_evidence(labels, marked, wanted, sure):
    found = base(labels, marked=marked)
    assert found.base == wanted
    assert (found.finding is None) == sure
    if not sure:
        assert (found.finding.severity, found.finding.code) == ("warning", "label-base")
        assert "state label_base in the mapping" in found.finding.message
        assert "assumed" in found.words


@pytest.mark.parametrize(
    ("labels", "stated", "doubted"),
    [([0, 1], 0, False), ([1, 3], 1, False), ([1, 3], 0, True), ([0, 1], 1, True), ([0, 3], 1, False), ([1], 1, False)],
)
def test_a_stated_base_is_taken_and_doubted_where_the_labels_speak_against_it(labels, stated, doubted):
    found = base(labels, stated)
    assert found.base == stated
    assert "as stated" in found.words
    assert (found.finding is not None) == doubted


def test_a_verdict_that_is_no_step_of_the_stated_base_is_doubted_with_both_ways_out():
    pairs = pl.DataFrame({"label": [0, 1, 3], "n": [3, 3, 3]})
    found = label_base(1, Evidence.of(pairs), marked=True, source="x", option="verdict_base").finding
    assert found is not None
    assert "1 labels are 0, which is not a step then" in found.message
    assert "if 0 is the first step, it is 0 (--base 0)" in found.message
    assert "if 0 means no error, `clean` in the mapping says so (--base 1 --clean 0)" in found.message
