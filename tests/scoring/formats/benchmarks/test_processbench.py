import polars as pl
import pytest

from authored import row, rows
from imports import import_source
from scoring.data.schema import CASES, content_key
from scoring.formats.benchmarks import processbench
from scoring.formats.reading.findings import worst


@pytest.fixture
def read(processbench_file):
    """Imports authored rows."""
    return lambda values, name="sums.jsonl": import_source(str(processbench_file(values, name)), "processbench")


def codes(imported):
    return [(finding.severity, finding.code) for finding in imported.findings]


def one(imported):
    assert imported.cases.height == 1
    return imported.cases.row(0, named=True)


def test_a_row_becomes_a_case(read):
    imported = read([row(4, label=1, final_answer_correct=False)])
    case = one(imported)
    assert imported.cases.schema == CASES
    assert not imported.findings
    steps = row(4)["steps"]
    assert case == {
        **dict.fromkeys(CASES),
        "case": "processbench/sums-4",
        "key": content_key("What is 4 + 1?", steps),
        "benchmark": "processbench",
        "id": "sums-4",
        "subset": "sums",
        "generator": "a-model",
        "n_steps": 3,
        "earliest_error": 1,
        "final_answer_correct": False,
        "source": imported.source,
        "line": 1,
        "problem": "What is 4 + 1?",
        "steps": steps,
    }


def test_the_error_steps_of_a_clean_case_are_known_to_be_none(read):
    assert one(read([row()]))["error_steps"] == []
    assert one(read([row(label=0)]))["error_steps"] is None


def test_counts(read):
    imported = read([row(0), row(1, label=0), row(2, label=1), row(3, label="?")])
    assert (imported.read, imported.cases.height, imported.erroneous, imported.clean) == (4, 4, 2, 1)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"steps": []}, "no-steps"),
        ({"steps": "one text"}, "wrong-type"),
        ({"steps": ["a", 1]}, "wrong-type"),
        ({"steps": ...}, "wrong-type"),
        ({"problem": ...}, "wrong-type"),
        ({"problem": 5}, "wrong-type"),
    ],
)
def test_a_row_without_usable_text_is_left_out_and_the_others_load(read, changes, code):
    imported = read([row(0), row(1, **changes), row(2)])
    assert imported.cases["id"].to_list() == ["sums-0", "sums-2"]
    assert codes(imported) == [("error", code)]
    assert (imported.findings[0].line, imported.findings[0].case) == (2, "sums-1")


@pytest.mark.parametrize(
    ("changes", "column", "value", "code"),
    [
        ({"label": 3}, "earliest_error", 3, "label-beyond-end"),
        ({"label": -3}, "earliest_error", None, "bad-label"),
        ({"label": "two"}, "earliest_error", None, "wrong-type"),
        ({"label": True}, "earliest_error", None, "wrong-type"),
        ({"label": None}, "earliest_error", None, "wrong-type"),
        ({"label": 10**30}, "earliest_error", None, "wrong-type"),
        ({"generator": 5}, "generator", None, "wrong-type"),
        ({"final_answer_correct": "yes"}, "final_answer_correct", None, "wrong-type"),
        ({"final_answer_correct": False}, "final_answer_correct", False, "wrong-answer-clean"),
        ({"problem": "half \ud83d"}, "problem", "half \ufffd", "lone-surrogate"),
        ({"id": ...}, "id", "sums#2", "no-id"),
    ],
)
def test_a_row_with_something_odd_is_kept_with_a_warning(read, changes, column, value, code):
    imported = read([row(0), row(1, **changes), row(2, label=0)])
    assert imported.cases.height == 3
    assert imported.cases[column][1] == value
    assert ("warning", code) in codes(imported)
    assert imported.findings[0].line == 2


@pytest.mark.parametrize("text", ["nul \x00", "\x1b[31mred", "[bold]markup[/bold] [@click=quit]", "<extra_0>", " ки"])
def test_text_is_kept_as_it_is(read, text):
    case = one(read([row(problem=text, steps=[text, "b"])]))
    assert (case["problem"], case["steps"]) == (text, [text, "b"])
    assert case["key"] == content_key(text, [text, "b"])


def test_empty_steps_stay_in_their_place(read):
    imported = read([row(steps=["a", "", "c"], label=1)])
    assert one(imported)["steps"] == ["a", "", "c"]
    assert codes(imported) == [("note", "empty-step")]


def test_the_first_of_repeated_ids_counts(read):
    imported = read([row(1), row(1, problem="another"), row(2)])
    assert imported.cases["problem"].to_list() == [row(1)["problem"], row(2)["problem"]]
    assert codes(imported) == [("error", "repeated-id")]
    assert imported.findings[0].line == 2


def test_equal_content_under_two_ids_is_two_cases(read):
    imported = read([row(1), {**row(1), "id": "other-1", "label": 0}])
    assert imported.cases["key"].n_unique() == 1
    assert imported.cases["case"].to_list() == ["processbench/sums-1", "processbench/other-1"]


@pytest.mark.parametrize(
    ("changes", "subset"),
    [
        ({"id": "omni-math-17"}, "omni-math"),
        *(({"id": identifier}, None) for identifier in ("seventeen", 17, ...)),
        ({"id": "math-1", "subset": "own"}, "own"),
        ({"id": "math-1", "subset": None}, "math"),
    ],
)
def test_the_subset_is_the_rows_own_or_in_its_id(read, changes, subset):
    assert one(read([row(**changes)], "a-1.jsonl"))["subset"] == subset


def test_the_label_base_is_said_with_its_evidence(read):
    assert read(rows(8)).label_base == "0-based, -1 = no error (2 labels are 0, 0 equal the number of steps)"


def shifted(values, *, clean_too):
    return [{**one, "label": one["label"] + (1 if clean_too or one["label"] >= 0 else 0)} for one in values]


@pytest.mark.parametrize("clean_too", [False, True])
def test_a_file_shifted_by_one_is_flagged(read, clean_too):
    imported = read(shifted(rows(8), clean_too=clean_too))
    assert ("warning", "label-base") in codes(imported)
    words = "--earliest-error label --label-base 1 --clean 0" if clean_too else "the labels look one too high"
    assert words in imported.findings[-1].message


def test_a_file_shifted_down_is_flagged_row_by_row(read):
    imported = read([{**one, "label": one["label"] - 1} for one in rows(8)])
    assert codes(imported).count(("warning", "bad-label")) == 4


def test_a_file_shifted_by_one_is_noted_even_if_no_error_is_in_the_last_step(read):
    never_last = [row(number, label=number % 2 if number else -1) for number in range(60)]
    assert not read(never_last).findings
    assert codes(read(shifted(never_last, clean_too=False))) == [("note", "label-base")]


@pytest.mark.parametrize("values", [rows(8), [row(0), row(1, label=2)], [row(0, label=2)], [row(0)]])
def test_a_sound_file_is_not_flagged(read, values):
    assert not read(values).findings


def test_a_subset_of_the_published_size_is_compared_with_the_published_counts(read):
    values = [row(number, "gsm8k", label=0 if number < 207 else -1) for number in range(400)]
    imported = read(values)
    assert codes(imported) == [("note", "official-counts")]
    values[0] = {**values[0], "label": -1}
    imported = read(values)
    assert codes(imported) == [("warning", "not-official-counts")]
    assert "206 erroneous and 194 clean; published are 207 and 193" in imported.findings[0].message
    assert not read(values[1:]).findings


def test_recognition():
    assert processbench.recognises(row())
    assert not processbench.recognises({**row(), "domain": "physics"})
    assert not processbench.recognises({"problem": "p", "steps": []})
    assert not processbench.recognises([row()])
    assert not processbench.recognises(None)


@pytest.mark.parametrize("subset", ["gsm8k", "math"])
def test_the_published_files(data_folder, subset):
    imported = import_source(str(data_folder / "processbench" / f"{subset}.json"))
    erroneous, clean = processbench.OFFICIAL[subset]
    assert (imported.erroneous, imported.clean) == (erroneous, clean)
    assert imported.read == imported.cases.height == erroneous + clean
    assert imported.format == "JSON array"
    assert worst(imported.findings) == "note"
    assert ("note", "official-counts") in codes(imported)
    assert imported.cases["case"].n_unique() == imported.cases.height
    # In a file written one key a line, a case begins where the line says.
    lines = (data_folder / "processbench" / f"{subset}.json").read_text().split("\n")
    for identifier, line in imported.cases.select("id", "line").iter_rows():
        assert f'"{identifier}"' in lines[line - 1] + lines[line]


def test_a_published_file_shifted_by_one_is_flagged(data_folder, read):
    cases = import_source(str(data_folder / "processbench" / "math.json")).cases
    named = cases.select("id", "problem", "steps", pl.col("earliest_error").alias("label"))
    for clean_too in (False, True):
        imported = read(shifted(named.to_dicts(), clean_too=clean_too))
        assert ("warning", "label-base") in codes(imported)
        # Where 0 means no error, the labels are not ProcessBench's, and another reading of them is named.
        labelled = imported.cases["earliest_error"].count()
        assert labelled == (0 if clean_too else cases.height)
        assert ("--earliest-error label --label-base 1 --clean 0" in imported.findings[-1].message) == clean_too


@pytest.mark.parametrize(("label", "wanted"), [("-1", -1), ("2", 2), (" 0 ", 0), ("1.0", 1)])
@pytest.mark.parametrize(("right", "truth"), [(1, True), (0, False), ("True", True), ("false", False), ("1.0", True)])
def test_numbers_and_truth_values_in_texts_are_read_with_a_note(read, label, wanted, right, truth):
    imported = read([row(0, label=label, final_answer_correct=right)])
    case = one(imported)
    assert (case["earliest_error"], case["final_answer_correct"]) == (wanted, truth)
    assert ("note", "value-as-text") in codes(imported)


def outcomes(n_rows=12, n_steps=3):
    return [row(number, steps=["a"] * n_steps, label=number % 2) for number in range(n_rows)]


def test_labels_of_0_and_1_without_a_clean_case_are_outcomes_and_not_used(read):
    imported = read(outcomes())
    assert codes(imported) == [("warning", "outcome-label")]
    assert imported.cases["earliest_error"].null_count() == imported.cases["error_steps"].null_count() == 12
    assert not imported.erroneous


@pytest.mark.parametrize(
    "values",
    [
        outcomes(n_rows=9),
        outcomes(n_steps=2),
        [*outcomes(), row(12, label=-1)],
        [*outcomes(), row(12, label=2)],
    ],
)
def test_labels_of_0_and_1_are_steps_where_anything_else_says_so(read, values):
    assert read(values).cases["earliest_error"].to_list() == [value["label"] for value in values]


def test_the_number_of_steps_as_no_error_is_not_processbenchs(read):
    values = [row(number, label=3 if number % 2 else number % 3) for number in range(24)]
    imported = read(values)
    assert imported.cases["earliest_error"].null_count() == 24
    assert "--earliest-error label --label-base 0 --clean steps" in imported.findings[-1].message
