import pytest

from scoring.reading.fields import Fields
from scoring.results.records import gold_label, inside, tokens, within


@pytest.fixture
def fields():
    """A record of these fields, on line 7."""
    return lambda **value: Fields(value, "a.jsonl", 3, 7, [], "a-case")


def test_an_object_in_a_field_has_the_place_of_its_record(fields):
    record = fields(inner={"text": 5})
    inner = inside(record, "inner")
    assert inner.text("text") is None
    (finding,) = record.findings
    assert (finding.line, finding.case) == (7, "a-case")


@pytest.mark.parametrize("value", ["text", 5, [{}]])
def test_what_is_no_object_has_no_fields_and_a_finding(fields, value):
    record = fields(inner=value)
    assert not inside(record, "inner").value
    assert not within(record, value).value
    assert [finding.code for finding in record.findings] == ["wrong-type"]


def test_what_is_absent_is_no_finding(fields):
    record = fields(other=None)
    assert not inside(record, "inner").value
    assert not inside(record, "other").value
    assert gold_label(record, "label", None) is None
    assert not record.findings


@pytest.mark.parametrize(
    ("label", "steps", "gold", "codes"),
    [
        (1, ["a", "b"], 1, []),
        (-1, ["a", "b"], -1, []),
        (2, ["a", "b"], 2, ["label-beyond-end"]),
        (2, None, 2, []),
        (-2, None, None, ["bad-label"]),
        ("1", None, None, ["wrong-type"]),
    ],
)
def test_gold_labels(fields, label, steps, gold, codes):
    record = fields(label=label)
    assert gold_label(record, "label", steps) == gold
    assert [finding.code for finding in record.findings] == codes


@pytest.mark.parametrize(("value", "number"), [(0, 0), (5, 5), (-1, None), (2**63, None), (True, None), ("5", None)])
def test_tokens(value, number):
    assert tokens(value) == number
