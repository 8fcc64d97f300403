"""Gold labels written in many ways: each is read as what it means, or there is a finding or a refusal."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

import authored
from scoring.data.errors import InputError, UsageError
from scoring.formats.reading.label_checks import is_few, says_wrong
from scoring.formats.reading.rows import Rows
from scoring.formats.tables.column_mapping import ColumnMapping
from scoring.formats.tables.table import load
from scoring.importing.sources import ReadOptions, read_source
from thoroughness import up_to

SIZES = [3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5]
FIRST = [2, -1, 0, -1, 1, -1, 0, -1, 3, -1, 1, -1]
"""The earliest error of each case, 0-based, -1 = none: six of each."""
WRONG = [[] if first < 0 else [first, *range(first + 1, size, 2)] for first, size in zip(FIRST, SIZES, strict=True)]


def values(column, cells, sizes=SIZES):
    return [
        {
            "id": f"x-{line}",
            "problem": f"What is sum {line}?",
            "steps": [f"The number {step} is added to {line}." for step in range(size)],
            column: cell,
        }
        for line, (cell, size) in enumerate(zip(cells, sizes, strict=True), 1)
    ]


def imported_from(rows, **stated):
    """The one source of cases that a file of these rows is, as a command with these flags reads it."""
    with TemporaryDirectory() as folder:
        path = authored.write(Path(folder) / "own.jsonl", rows)
        (imported,) = read_source(str(path), ReadOptions(columns=ColumnMapping(**stated) if stated else None)).imported
    return imported


def read(column, cells, sizes=SIZES, **stated):
    return imported_from(values(column, cells, sizes), **stated)


def earliest(imported):
    return imported.cases["earliest_error"].to_list()


def doubts(imported):
    return {finding.code for finding in imported.findings if finding.severity == "warning"}


def flags(true, false):
    """Each step's flag where `true` marks the wrong ones."""
    return [
        [true if step in wrong else false for step in range(size)] for wrong, size in zip(WRONG, SIZES, strict=True)
    ]


# -- flags, and which of them mean wrong


@pytest.mark.parametrize("cells", [flags(1, 0), flags(True, False), list(map(str, flags(1, 0))), flags("1", "0")])
@pytest.mark.parametrize("stated", [{}, {"error_steps": "error_steps"}])
def test_flags_a_step_are_no_indices(cells, stated):
    with pytest.raises(InputError) as refused:
        read("error_steps", cells, **stated)
    assert [flags for flags, _ in refused.value.instead] == [
        "--step-labels error_steps --wrong 1",
        "--step-labels error_steps --wrong 0",
    ]
    imported = read("error_steps", cells, step_labels="error_steps", wrong="1", **stated)
    assert earliest(imported) == FIRST
    assert imported.cases["error_steps"].to_list() == WRONG
    assert not doubts(imported)


def test_indices_that_look_like_flags_of_two_steps_are_indices():
    assert earliest(read("error_steps", [[0, 1], [1, 0], [1]] * 4, [2] * 12, label_base=0)) == [0, 0, 1] * 4


@pytest.mark.parametrize("column", ["is_error", "step_wrong", "hasMistake", "meta.incorrect"])
@pytest.mark.parametrize(("true", "false"), [(True, False), (1, 0), ("yes", "no")])
def test_flags_of_a_name_that_says_wrong_are_not_guessed(column, true, false):
    cells, outer = flags(true, false), column
    if "." in column:
        outer, inner = column.split(".")
        cells = [{inner: cell} for cell in cells]
    with pytest.raises(InputError) as refused:
        read(outer, cells)
    assert refused.value.instead[0][0] == f"--step-labels {column} --wrong true"
    assert doubts(read(outer, cells, step_labels=column)) == {"label-direction"}
    imported = read(outer, cells, step_labels=column, wrong=str(true).lower())
    assert (earliest(imported), doubts(imported)) == (FIRST, set())
    assert earliest(read(outer, cells, wrong=str(true))) == FIRST


def test_flags_inside_the_steps_are_not_guessed_either():
    rows = [
        {
            "id": str(line),
            "problem": f"Sum {line}?",
            "steps": [{"text": f"Step {place} of {line}", "is_wrong": flag} for place, flag in enumerate(wrong)],
        }
        for line, wrong in enumerate(flags(True, False), 1)
    ]
    with pytest.raises(InputError) as refused:
        imported_from(rows)
    assert refused.value.instead[0][0] == "--step-labels 'steps[].is_wrong' --wrong true"
    assert earliest(imported_from(rows, step_labels="steps[].is_wrong", wrong="true")) == FIRST


@pytest.mark.parametrize(
    ("column", "wrong"),
    [
        *(
            (name, True)
            for name in ("is_error", "errors", "isWrong", "step.has_mistake", "steps[].incorrect", "IS_ERROR")
        ),
        *(
            (name, False)
            for name in ("no_error", "error_free", "is_correct", "labels", "not_wrong", "terror", "errorless")
        ),
    ],
)
def test_what_a_name_says_of_true(column, wrong):
    assert says_wrong(column) == wrong


# -- words of step labels


@pytest.mark.parametrize(
    ("bad", "good"),
    [
        ("invalid", "valid"),
        ("✗", "✓"),
        ("❌", "✅"),
        ("Bad", "neutral"),
        ("fail", "pass"),
        ("FALSE", "TRUE"),
        (False, True),
    ],
)
def test_known_words_of_step_labels(bad, good):
    imported = read("labels", flags(bad, good))
    assert (earliest(imported), doubts(imported)) == (FIRST, set())


def test_unknown_words_cost_the_whole_column_and_are_named_once():
    cells = [
        ["dubious" if label == "good" and row % 2 else label for label in cell]
        for row, cell in enumerate(flags("bad", "good"))
    ]
    imported = read("labels", cells)
    (finding,) = [finding for finding in imported.findings if finding.severity == "warning"]
    assert finding.code == "unknown-labels"
    assert "'dubious' in 6 rows" in finding.message
    assert "--step-labels labels --wrong WORDS" in finding.message
    assert earliest(imported) == [None] * 12
    assert earliest(read("labels", cells, wrong="bad")) == FIRST
    assert earliest(read("labels", cells, wrong="Bad, dubious"))[1] == 0


def test_one_broken_cell_costs_its_row():
    cells = flags("bad", "good")
    cells[1][1] = "??"
    assert earliest(read("labels", cells)) == [FIRST[0], None, *FIRST[2:]]


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_few_are_at_most_one_or_5_percent_and_20(unread, labels):
    assert is_few(unread, labels) == (unread <= 1 or (unread <= 20 and 20 * unread <= labels))


def test_a_word_stated_as_wrong_that_no_label_is_is_doubted():
    imported = read("labels", flags("bad", "good"), wrong="bda")
    assert doubts(imported) == {"label-direction"}


def test_what_is_wrong_is_stated_once_and_of_a_column():
    with pytest.raises(UsageError):
        ColumnMapping(wrong="bad", wrong_below=0.5)
    with pytest.raises(UsageError):
        read("first_error", FIRST, wrong="bad")


@pytest.mark.parametrize("scale", [{1: 5, 0: 1}, {1: 100, 0: 20}, {1: 2, 0: 0}])
def test_ratings_on_another_scale_are_not_used_until_it_is_stated_which_are_wrong(scale):
    cells = [[scale[flag] for flag in row] for row in flags(0, 1)]
    imported = read("ratings", cells)
    assert (earliest(imported), doubts(imported)) == ([None] * 12, {"label-ratings"})
    assert earliest(read("ratings", cells, wrong_below=(scale[0] + scale[1]) / 2)) == FIRST
    assert earliest(read("ratings", cells, wrong=str(scale[0]))) == FIRST


def test_steps_that_nobody_labelled_after_the_error_are_unlabelled():
    cells = [
        [True] * size if first < 0 else [True] * first + [False] + [None] * (size - first - 1)
        for first, size in zip(FIRST, SIZES, strict=True)
    ]
    assert earliest(read("labels", cells)) == FIRST


@pytest.mark.parametrize("text", ["[ True False  True]", "[True, False, True]", "[1 0 1]", "[true, false, true]"])
def test_truth_values_in_a_text_are_labels(text):
    assert earliest(read("labels", [text] * 12, [3] * 12)) == [1] * 12


def test_a_column_called_like_labels_is_named_where_it_cannot_be_read():
    imported = read("step_labels", [f"fine but for step {n}" for n in range(12)])
    assert doubts(imported) == {"unknown-labels"}


# -- the index of the first wrong step


def index(base, clean):
    return [clean(size) if first < 0 else first + base for first, size in zip(FIRST, SIZES, strict=True)]


@pytest.mark.parametrize(
    ("base", "clean", "code", "flags"),
    [
        (0, lambda size: size, "label-base", {"label_base": 0, "clean": "steps"}),
        (1, lambda size: size + 1, "label-base", {"label_base": 1, "clean": "steps"}),
        (1, lambda _: 0, "label-base", {"label_base": 1, "clean": "0"}),
        (0, lambda _: "N/A", "no-error-words", {"clean": "N/A"}),
        (0, lambda _: None, "no-error-words", {"clean": "null"}),
        (0, lambda _: "", "no-error-words", {"clean": "null"}),
        (0, lambda _: "-", "no-error-words", {"clean": "-"}),
        (0, lambda size: "No error" if size > 3 else "none", "no-error-words", {"clean": "no error,none"}),
        (0, lambda _: "correct", None, {"clean": "correct"}),
    ],
)
def test_what_means_no_error_is_found_and_can_be_stated(base, clean, code, flags):
    cells = index(base, clean)
    imported = read("first_error", cells)
    assert (earliest(imported), doubts(imported)) == (FIRST, {code} - {None})
    assert imported.cases["error_steps"].to_list() == [[] if first < 0 else None for first in FIRST]
    stated = read("first_error", cells, **flags)
    assert (earliest(stated), doubts(stated)) == (FIRST, set())


@given(
    st.lists(
        st.tuples(st.integers(1, 5), st.integers(-1, 4)).filter(lambda case: case[1] < case[0]), min_size=1, max_size=30
    ),
    st.sampled_from([0, 1]),
    st.sampled_from(["steps", "none", "null"]),
)
@up_to(200, 30)
def test_stated_words_for_no_error_give_the_labels_back(cases, base, word):
    mark = {"steps": lambda size: size + base, "none": lambda _: "None", "null": lambda _: None}[word]
    cells = [mark(size) if first < 0 else first + base for size, first in cases]
    mapping = ColumnMapping(id="id", problem="problem", steps="steps", earliest_error="e", label_base=base, clean=word)
    rows = Rows("own.jsonl", "JSON Lines")
    for line, value in enumerate(values("e", cells, [size for size, _ in cases]), 1):
        rows.add(value, line)
    assert earliest(load(rows, mapping)) == [first for _, first in cases]


@pytest.mark.parametrize("form", ["Step {}", "step_{}", "STEP {}:", "Step #{}", "{}.", "#{}"])
def test_an_index_may_be_the_name_of_a_step(form):
    cells = ["none" if first < 0 else form.format(first + 1) for first in FIRST]
    named = "tep" in form.lower()
    imported = read("first_error", cells, **({} if named else {"label_base": 1}))
    assert earliest(imported) == FIRST
    assert earliest(read("first_error", ["none" if first < 0 else form.format(first) for first in FIRST])) == FIRST


def test_ends_that_could_mean_either_cost_the_column():
    cells, sizes = [0, 3, 1, 2] * 6, [3] * 24
    imported = read("first_error", cells, sizes)
    assert (earliest(imported), doubts(imported)) == ([None] * 24, {"label-base"})
    assert earliest(read("first_error", cells, sizes, label_base=1, clean="0")) == [-1, 2, 0, 1] * 6
    assert earliest(read("first_error", cells, sizes, clean="steps")) == [0, -1, 1, 2] * 6


def test_the_number_of_steps_read_as_a_step_is_doubted_where_no_case_is_clean():
    assert doubts(read("first_error", [1, 2, 3] * 4, [3] * 12)) == {"label-base"}
    assert not doubts(read("first_error", [1, 2, 3, -1] * 4, [3] * 16))


def test_n_a_has_no_label_where_something_else_is_no_error():
    cells = ["N/A" if first < 0 else first for first in FIRST]
    imported = read("first_error", cells, clean="-1")
    assert earliest(imported) == [None if first < 0 else first for first in FIRST]


def test_unknown_words_beside_indices_cost_the_column():
    cells = ["unclear" if first < 0 else first for first in FIRST]
    for stated in ({}, {"earliest_error": "first_error"}):
        imported = read("first_error", cells, **stated)
        assert (earliest(imported), doubts(imported)) == ([None] * 12, {"unknown-labels"})
    assert earliest(read("first_error", cells, earliest_error="first_error", clean="unclear")) == FIRST


def test_a_column_of_nothing_but_no_error_is_named():
    assert doubts(read("first_error", ["N/A"] * 12)) == {"unknown-labels"}
    assert earliest(read("first_error", ["N/A"] * 12, earliest_error="first_error", clean="n/a")) == [-1] * 12


@pytest.mark.parametrize("column", ["label", "first_error"])
def test_outcomes_of_a_table_are_no_steps(column):
    cells = [number % 2 for number in range(12)]
    imported = read(column, cells)
    if column == "label":
        # Rows of these keys are ProcessBench's.
        assert imported.benchmark == "processbench"
    assert (earliest(imported), doubts(imported)) == ([None] * 12, {"outcome-label"})
    stated = read(column, cells, final_answer_correct=column)
    assert stated.cases["final_answer_correct"].to_list() == [bool(cell) for cell in cells]
    assert not doubts(stated)
    assert earliest(read(column, cells, earliest_error=column, label_base=0)) == cells
