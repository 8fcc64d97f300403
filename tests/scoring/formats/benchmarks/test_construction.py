from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from authored import row as plain_row
from imports import import_published
from modified import ELSEWHERE, row
from scoring.data.schema import METADATA
from scoring.formats.benchmarks import prmbench, processbench
from scoring.formats.benchmarks.construction import OF_TEXTS, RULES, broken_by_case, broken_rules
from scoring.formats.benchmarks.own import cases_frame
from scoring.formats.reading.rows import Rows
from thoroughness import up_to


def loaded(module, values):
    rows = Rows("rows.jsonl", "JSON Lines")
    for value in values:
        rows.add(value)
    return module.load(rows).cases


def told(findings):
    return [(one.severity, one.code, one.source, one.line, one.case) for one in findings]


def test_a_wrong_answer_without_an_error():
    values = [
        plain_row(0),
        plain_row(1, final_answer_correct=False),
        plain_row(2, final_answer_correct=False, label=1),
        plain_row(3, final_answer_correct=True, label=1),
        plain_row(4, final_answer_correct=None),
        plain_row(5, final_answer_correct=False, label=None),
    ]
    found = broken_rules(loaded(processbench, values))
    assert told(found) == [("warning", "wrong-answer-clean", "rows.jsonl", 2, "sums-1")]


def test_errors_in_steps_that_were_not_modified():
    values = [
        row(0),
        row(1, error_steps=[1, 2, 3]),
        row(2, error_steps=[2, 3], modified_steps=[2, 3]),
        row(3, modified_steps=[]),
        row(4, modified_steps=None),
        row(5, error_steps=None),
        row(6, error_steps=[], modified_steps=[]),
        row(7, modified_steps=[2, 3]),
        row(8, error_steps=[2, 9]),
    ]
    found = broken_rules(loaded(prmbench, values))
    assert told(found) == [
        ("warning", "unmodified-error", "rows.jsonl", line, f"circular_sum_{line - 1}") for line in (2, 4, 9)
    ]
    assert [one.message for one in found] == [
        f"steps {steps} are labelled wrong, not modified" for steps in ("[0, 2]", "[1]", "[8]")
    ]


def test_no_cases_break_no_rule():
    assert not broken_rules(cases_frame("bench", "none.jsonl", []))


def frame(values):
    """Cases c0, c1, ...; where nothing else is said a case is clean, of two steps, and nothing more is known of it."""
    plain = {"problem": "p", "steps": ["a", "b"], "earliest_error": -1}
    return cases_frame(
        "bench", "rows.jsonl", [{"id": f"c{row}", **plain, **one, "line": row + 1} for row, one in enumerate(values)]
    )


def words(values):
    return {row: [one.words for one in broken] for row, broken in broken_by_case(frame(values)).items()}


def test_labels_beyond_the_end():
    labels = [
        {"earliest_error": 2},
        {"earliest_error": 1, "error_steps": [1]},
        {"earliest_error": 1, "error_steps": [1, 2, 9]},
        {"earliest_error": None, "error_steps": [2]},
        {"earliest_error": 0, "steps": []},
        {"earliest_error": None},
    ]
    assert words([{"problem": str(row)} | label for row, label in enumerate(labels)]) == {
        0: ["steps [2] are labelled wrong and beyond the last step (1)"],
        2: ["steps [2, 9] are labelled wrong and beyond the last step (1)"],
        3: ["steps [2] are labelled wrong and beyond the last step (1)", RULES["no-error-in-range"]],
        4: ["steps [0] are labelled wrong and not there, as no step is"],
    }


def test_a_process_that_is_as_in_the_original():
    same, other = ["a", "b"], ["a", "c"]
    values = [
        {"original_steps": same, "earliest_error": 1},
        {"original_steps": same, "error_steps": [1], "earliest_error": 1},
        {"original_steps": same, "error_steps": []},
        {"original_steps": same, "earliest_error": None, "error_steps": [5]},
        {"original_steps": other, "earliest_error": 1},
        {"original_steps": None, "earliest_error": 1},
        {"original_steps": same, "earliest_error": None},
    ]
    found = broken_by_case(frame([{"problem": str(row)} | one for row, one in enumerate(values)]))
    assert [row for row, broken in found.items() if "unchanged-process" in {one.code for one in broken}] == [0, 1, 3]


def test_equal_content_with_another_label_names_the_others():
    assert words([{"earliest_error": 1}, {}, {"earliest_error": None}, {"problem": "q", "earliest_error": 1}]) == {
        0: ["the same problem and steps have another gold label in bench/c1 (no wrong step)"],
        1: ["the same problem and steps have another gold label in bench/c0 (step 1)"],
    }
    many = words([{"earliest_error": 1, "error_steps": [1]}, *[{"earliest_error": 0, "error_steps": [0, 1]}] * 5])
    named = ", ".join(f"bench/c{row} (steps [0, 1])" for row in (1, 2, 3))
    assert many[0] == [f"the same problem and steps have another gold label in {named} and 2 more"]
    assert len(many) == 6
    # That one of them says more than the other is no contradiction.
    assert not words([{"earliest_error": 1}, {"earliest_error": 1, "error_steps": [1]}])


def slow(cases):
    """The codes of each row, in plain Python."""
    found = {}
    rows = cases.to_dicts()
    for number, one in enumerate(rows):
        earliest, listed, modified = one["earliest_error"], one["error_steps"], one["modified_steps"]
        named = listed if listed is not None else [earliest] if earliest is not None else []
        wrong = bool(listed) or (earliest is not None and earliest >= 0)
        alike = [other for other in rows if (other["problem"], other["steps"]) == (one["problem"], one["steps"])]
        pairs = [(one[name], other[name]) for other in alike for name in ("earliest_error", "error_steps")]
        holds = {
            "wrong-answer-clean": one["final_answer_correct"] is False and earliest == -1,
            "unmodified-error": None not in (listed, modified) and not set(listed) <= set(modified),
            "label-beyond-end": any(step >= one["n_steps"] for step in named),
            "no-error-in-range": earliest is None and bool(listed),
            "unchanged-process": wrong and one["steps"] == one["original_steps"],
            "other-label": any(None not in pair and pair[0] != pair[1] for pair in pairs),
        }
        if any(holds.values()):
            found[number] = [code for code, broken in holds.items() if broken]
    return found


LISTS = st.none() | st.lists(st.integers(0, 3), unique=True, max_size=3).map(sorted)
ROWS = st.fixed_dictionaries(
    {
        "problem": st.sampled_from(("p", "q")),
        "steps": st.sampled_from((["a"], ["a", "b"], [])),
        "original_steps": st.sampled_from((None, ["a"], ["a", "b"])),
        "modified_steps": LISTS,
        "error_steps": LISTS,
        "earliest_error": st.sampled_from((None, -1, 0, 1, 3)),
        "final_answer_correct": st.sampled_from((None, True, False)),
    }
)


@up_to(150, usually=20)
@given(st.lists(ROWS, max_size=6))
def test_it_is_what_plain_python_finds(values):
    cases = frame(values)
    found = {row: [one.code for one in broken] for row, broken in broken_by_case(cases).items()}
    assert found == slow(cases)
    assert all(one.row == row for row, broken in broken_by_case(cases).items() for one in broken)


def test_no_other_texts_are_needed():
    cases = frame([{"earliest_error": 9, "original_steps": ["a", "b"]}])
    assert broken_by_case(cases.select(*METADATA, *OF_TEXTS)) == broken_by_case(cases)


@pytest.mark.parametrize(
    ("folder", "pattern"), [("prmbench", "*_test_p*.jsonl"), ("socratic-prmbench", "test_*.jsonl")]
)
def test_by_case_the_published_files_break_what_was_noted_while_reading(data_folder, folder, pattern):
    files = sorted((data_folder / folder).glob(pattern))
    if not files:
        pytest.skip(f"no published files in the folder {folder} of PRM_INSPECT_DATA")
    read = {"label-beyond-end", "no-error-in-range", "unchanged-process"}
    imports = list(map(import_published, files))
    noted = Counter((one.code, one.case) for imported in imports for one in imported.findings if one.code in read)
    cases = pl.concat([imported.cases for imported in imports])
    broken = [one for of_case in broken_by_case(cases).values() for one in of_case]
    assert Counter((one.code, cases["id"][one.row]) for one in broken if one.code in read) == noted


@pytest.mark.parametrize(
    ("folder", "pattern", "count", "code", "broken"),
    [
        ("prmbench", "*_test_p*.jsonl", 17, "unmodified-error", 105),
        ("socratic-prmbench", "test_*.jsonl", 14, "unmodified-error", 22),
        ("processbench", "*.json", 1, "wrong-answer-clean", 0),
    ],
)
def test_the_published_files(data_folder, folder, pattern, count, code, broken):
    named = sorted((data_folder / folder).glob(pattern))
    files = [file for file in named if file.stem.removeprefix("test_") not in ELSEWHERE]
    if len(files) < count:
        pytest.skip(f"fewer than {count} published files in the folder {folder} of PRM_INSPECT_DATA")
    found = broken_rules(pl.concat([import_published(file).cases for file in files]))
    assert [one.code for one in found] == [code] * broken
    assert all(one.line is not None and one.case for one in found)
