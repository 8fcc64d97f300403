import polars as pl
import pytest

from scoring.tables.label_base import Evidence, label_base


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
    assert "1 labels are 0, which is no step then" in found.message
    assert "if 0 means no error, `clean` in the mapping says so" in found.message
