import polars as pl
import pytest

from authored import row as plain_row
from imports import import_source
from modified import ELSEWHERE, row
from scoring.benchmarks import prmbench, processbench
from scoring.benchmarks.construction import broken_rules
from scoring.benchmarks.imported import cases_frame
from scoring.reading.rows import Rows


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
    found = broken_rules(pl.concat([import_source(str(file)).cases for file in files]))
    assert [one.code for one in found] == [code] * broken
    assert all(one.line is not None and one.case for one in found)
