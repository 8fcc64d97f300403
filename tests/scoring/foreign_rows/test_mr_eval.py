import pytest

from rows_out import case, decided, given, labelled
from scoring.foreign_rows.given import Decided
from scoring.foreign_rows.line import Line
from scoring.foreign_rows.mr_eval import line
from scoring.verdicts import LABELS_AS_GIVEN


def scores(found):
    return found.value["results"]["scores"]


def test_rewards_become_a_line_of_a_checkpoint():
    assert line(labelled(), given(0.9, 0.2, 0.7), decided()) == Line(
        {
            "task_name": "prmtest_classified",
            "model_name": "a-prm",
            "results": {
                "scores": {
                    "step_level_validity_scores": [0.9, 0.2, 0.7],
                    "step_level_validity_labels": [True, False, True],
                },
                "idx": "slip_sums-4",
            },
        }
    )


def test_a_step_on_the_threshold_is_wrong_and_said_where_the_rule_is_another():
    for comparison, notes in (("<=", []), ("<", [2])):
        found = line(labelled(), given(0.5, 0.5, 0.9), decided(comparison=comparison))
        assert scores(found)["step_level_validity_labels"] == [False, False, True]
        assert [number for _, number in found.notes] == notes


def test_labels_that_the_scorer_gave_stay_whatever_the_rewards():
    labels = [False, True, True]
    found = line(labelled(), given(0.9, 0.2, 0.5, labels=labels), decided())
    assert found.notes == ()
    assert scores(found) == {
        "step_level_validity_scores": [0.9, 0.2, 0.5],
        "step_level_validity_labels": labels,
    }
    assert scores(line(labelled(), given(labels=labels), decided())) == {"step_level_validity_labels": labels}


def test_rewards_without_labels_need_a_threshold():
    rule = Decided("a-critic", LABELS_AS_GIVEN)
    left = line(labelled(), given(0.9, 0.2, 0.7), rule)
    assert left == Line(None, (("cases left out, not decided by a threshold on its rewards", 1),))
    assert scores(line(labelled(), given(labels=[True, False, True]), rule))


def test_redundancy_comes_along_and_is_decided_by_its_own_labels_alone():
    second = {"redundancy": [0.1, 0.15, 0.2]}
    labels = [True, False, False]
    found = line(labelled(), given(0.9, 0.2, 0.7, **second, redundancy_labels=labels), decided())
    assert found.notes == ()
    assert scores(found)["step_level_redundancy_scores"] == second["redundancy"]
    assert scores(found)["step_level_redundancy_labels"] == labels
    found = line(labelled(), given(0.9, 0.2, 0.7, **second), decided())
    assert "step_level_redundancy_labels" not in scores(found)
    assert [number for _, number in found.notes] == [1]


def test_a_prompted_judge_says_that_its_answer_is_valid():
    found = line(labelled(), given(0.9, 0.2, 0.7), decided(judge=True))
    assert found.value["results"]["validity"] is True


def test_a_refused_case_is_invalid_and_one_that_was_not_tried_is_left_to_mr_eval():
    found = line(labelled(), given(refused="over length"), decided())
    assert found.value["results"] == {"scores": {}, "idx": "slip_sums-4", "validity": False}
    assert [number for _, number in found.notes] == [1]
    assert line(labelled(), given(), decided()) == Line(None, (("cases left out, no step rewards", 1),))


@pytest.mark.parametrize(
    ("one", "idx"),
    [
        (labelled(id="correct_7", twin_of="bench/slip_7", error_type=None), "correct_7"),
        (case(), "sums-4"),
        (case(earliest_error=None), "sums-4"),
    ],
)
def test_a_twin_and_a_case_without_class_or_gold_have_lines_too(one, idx):
    assert line(one, given(0.9, 0.2, 0.7), decided()).value["results"]["idx"] == idx
