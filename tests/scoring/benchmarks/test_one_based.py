import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark_rows import grben, rows_of
from scoring.benchmarks.grben import load
from scoring.benchmarks.one_based import OneBased

LABEL = OneBased("label")


def read(labels, n_steps=3):
    """What a file with these labels gives, with a step for each of them."""
    return load(rows_of(grben(at, label=label, steps=["s"] * n_steps) for at, label in enumerate(labels)))


def suspected(labels):
    return [(one.severity, one.code, one.message) for one in read(labels).findings if one.code == "label-base"]


def steps(labels):
    return pl.DataFrame({"label": pl.Series(labels, dtype=pl.Int64)}).select(LABEL.step())["label"].to_list()


@given(st.lists(st.integers(-(2**31) + 1, 2**31 - 1) | st.none()))
def test_labels_become_steps(labels):
    assert steps(labels) == [
        None if label is None or label < -1 or label == 0 else label - (label > 0) for label in labels
    ]


def test_the_evidence_is_counted_in_all_labels():
    assert read([1, 2, 3, -1]).label_base == (
        "1-based, -1 = no error (1 labels are 1, 0 are 0, 0 are beyond the last step)"
    )
    assert "(0 labels are 1, 1 are 0, 2 are beyond the last step)" in read([4, 9, 0, None]).label_base


@pytest.mark.parametrize("label", [0, -2, -999])
def test_what_names_no_step_is_null_with_a_warning(label):
    imported = read([1, label])
    assert imported.cases["earliest_error"].to_list() == [0, None]
    assert [(one.severity, one.line) for one in imported.findings if one.code == "bad-label"] == [("warning", 2)]


def test_sound_labels_are_not_suspected():
    for labels in ([1, 2, 3, -1], [2, 3, -1], [2], [-1], [None], [1, 4], [2, 9, -1], [2, 3] * 14):
        assert not suspected(labels)


def test_labels_that_count_from_0_are_flagged():
    ((severity, code, message),) = suspected([0, 1, 2, -1, 0])
    assert (severity, code) == ("warning", "label-base")
    assert "2 labels are 0, which names no step: the labels look 0-based" in message


@pytest.mark.parametrize("clean", [-1, 0])
def test_labels_that_are_one_too_high_are_flagged(clean):
    ((severity, code, message),) = suspected([2, 3, 4, 4, clean])
    assert (severity, code) == ("warning", "label-base")
    assert "no label is 1 and 2 are one beyond the last step" in message


def test_labels_that_never_name_the_first_step_are_noted_where_there_are_many():
    assert not suspected([2] * 29)
    assert [one[:2] for one in suspected([2] * 30)] == [("note", "label-base")]
