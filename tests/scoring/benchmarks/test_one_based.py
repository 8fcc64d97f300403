import pytest

from scoring.benchmarks.one_based import OneBased
from scoring.reading.fields import Fields


def read(labels, n_steps=3):
    fields, reader = Fields({}, "made.jsonl", 1, 1, []), OneBased("label")
    return [reader.step(fields, label, n_steps) for label in labels], reader, fields.findings


def suspected(labels):
    return [(one.severity, one.code, one.message) for one in read(labels)[1].suspicion("made.jsonl")]


def test_labels_become_steps():
    steps, reader, findings = read([1, 2, 3, -1])
    assert steps == [0, 1, 2, -1]
    assert not findings
    assert reader.said() == "1-based, -1 = no error (1 labels are 1, 0 are 0, 0 are beyond the last step)"


def test_a_label_beyond_the_last_step_is_left_to_the_format():
    steps, reader, findings = read([4, 9])
    assert steps == [3, 8]
    assert not findings
    assert "2 are beyond the last step" in reader.said()


@pytest.mark.parametrize("label", [0, -2, -999])
def test_what_names_no_step_is_null_with_a_warning(label):
    steps, _, findings = read([label])
    assert steps == [None]
    assert [(one.severity, one.code) for one in findings] == [("warning", "bad-label")]


def test_sound_labels_are_not_suspected():
    for labels in ([1, 2, 3, -1], [2, 3, -1], [2], [-1], [], [1, 4], [2, 9, -1], [2, 3] * 14):
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
