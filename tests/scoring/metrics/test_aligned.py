import numpy as np

import making
import side_by_side
from reference import Case
from scoring.evaluation.verdicts import NO_VERDICT
from scoring.metrics.aligned import align_scorers


def test_who_tried_what_and_is_right():
    made = side_by_side.aligned("EEC CC", "10- x1", "111 --", families=("one", ""))
    assert made.names == ("a", "b")
    assert made.families == ("one", "")
    assert made.tried.T.tolist() == [[True, True, False, True, True], [True, True, True, False, False]]
    assert made.right.T.tolist() == [[True, False, False, False, True], [True, True, True, False, False]]
    assert made.verdicts.T.tolist() == [[1, -1, NO_VERDICT, NO_VERDICT, -1], [1, 1, -1, NO_VERDICT, NO_VERDICT]]
    assert made.erroneous.tolist() == [True, True, False, False, False]
    assert made.common((0, 1)).tolist() == [True, True, False, False, False]
    assert made.left_out((0, 1)) == 3
    assert made.left_out((0,)) == made.left_out(()) == 0


def test_what_was_refused_is_tried_and_wrong_or_not_tried():
    assert side_by_side.aligned("E", "x").tried.all()
    assert not side_by_side.aligned("E", "x", unparsed="drop").tried.any()


def test_cases_without_gold_and_rows_that_are_not_asked_for_are_left_out():
    one = making.evaluation([Case(1, None, (0.1,)), Case(1, 0, (0.1,)), Case(1, -1, (0.9,))])
    made = align_scorers([one], np.array([True, True, False]))
    assert made.rows.tolist() == [1]
    assert made.right.tolist() == [[True]]


def test_solutions_of_one_problem_are_related_where_both_are_taken():
    made = side_by_side.aligned("ECE", "111", problem_id=["p", "p", None])
    assert made.problems[0] == made.problems[1] != made.problems[2]
    assert made.related(np.array([True, True, False]))
    assert not made.related(np.array([True, False, True]))
    assert not side_by_side.aligned("ECE", "111").related(np.ones(3, dtype=bool))


def test_a_reward_that_is_no_number_is_tried_and_not_right():
    one = making.evaluation([Case(2, -1, (0.9, float("nan")))])
    made = side_by_side.of([one])
    assert (made.tried.item(), made.right.item(), made.verdicts.item()) == (True, False, NO_VERDICT)
