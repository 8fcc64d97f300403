import pytest

from rows_out import case, decided, given
from scoring.foreign_rows.given import Decided
from scoring.foreign_rows.grben_details import line
from scoring.foreign_rows.line import Line
from scoring.verdicts import LABELS_AS_GIVEN


def test_rewards_become_a_row_with_the_official_keys_in_their_order():
    assert list(line(case(), given(0.9, 0.2, 0.1), decided()).value.items()) == [
        ("id", "sums-4"),
        ("domain", "sums"),
        ("generator", "a-model"),
        ("gt_label", 2),
        ("pred_label", 2),
        ("threshold", 0.5),
        ("probs", [0.9, 0.2, 0.1]),
        ("is_correct_prediction", True),
    ]


@pytest.mark.parametrize(
    ("gold", "rewards", "labels", "right"),
    [
        (-1, (0.9, 0.8, 0.5), (-1, -1), True),
        (-1, (0.9, 0.8, 0.4), (-1, 3), False),
        (0, (0.4, 0.1, 0.1), (1, 1), True),
        (2, (0.9, 0.1, 0.1), (3, 2), False),
        (2, (0.9, 0.9, 0.9), (3, -1), False),
        (3, (0.9, 0.9, 0.1), (4, 3), False),
    ],
)
def test_labels_count_from_1_and_the_first_reward_below_the_threshold_decides(gold, rewards, labels, right):
    value = line(case(earliest_error=gold), given(*rewards), decided()).value
    assert ((value["gt_label"], value["pred_label"]), value["is_correct_prediction"]) == (labels, right)


def test_rewards_that_no_threshold_decides_are_left_out_for_the_official_code_would():
    left = line(case(), given(0.9, 0.2, 0.1), Decided("a-critic", LABELS_AS_GIVEN))
    assert left == Line(None, (("cases left out, not decided by a threshold on its rewards", 1),))


def test_another_threshold_is_the_one_in_the_row_and_decides():
    value = line(case(), given(0.9, 0.6, 0.1), decided(0.7)).value
    assert (value["threshold"], value["pred_label"]) == (0.7, 2)


def test_a_reward_on_the_threshold_is_right_and_said_where_the_rule_is_another():
    for comparison, notes in (("<", []), ("<=", [2])):
        found = line(case(), given(0.5, 0.5, 0.9), decided(comparison=comparison))
        assert found.value["pred_label"] == -1
        assert [number for _, number in found.notes] == notes


def test_a_case_without_a_subset_has_no_domain_for_the_official_code_then_says_unknown():
    assert "domain" not in line(case(subset=None), given(0.9, 0.2, 0.1), decided()).value


@pytest.mark.parametrize(
    ("one", "rewards", "why"),
    [
        (case(), given(), "no step rewards"),
        (case(), given(labels=[True, False, True]), "no step rewards"),
        (case(), given(refused="over length"), "refused by the scorer"),
        (case(), given(0.9, 0.2, 0.1, labels=[True, False, True]), "not decided by a threshold on its rewards"),
        (case(earliest_error=None), given(0.9, 0.2, 0.1), "no earliest error is labelled"),
    ],
)
def test_what_the_official_code_would_count_wrongly_is_left_out(one, rewards, why):
    assert line(one, rewards, decided()) == Line(None, ((f"cases left out, {why}", 1),))
