import numpy as np
import polars as pl
from hypothesis import given

import making
import reference
from reference import Case
from scoring.evaluation.gold import RIGHT_STEP, UNKNOWN_STEP, WRONG_STEP, Gold
from thoroughness import up_to

WORDS = {True: RIGHT_STEP, False: WRONG_STEP, None: UNKNOWN_STEP}


@up_to(60, 8)
@given(cases=making.benches())
def test_labels_are_those_of_every_step_one_by_one(cases):
    gold = Gold(making.frame(cases))
    expected = [WORDS[reference.step_label(case, step)] for case in cases for step in range(case.n_steps)]
    assert gold.step_labels.tolist() == expected
    assert gold.known.tolist() == [case.gold is not None for case in cases]
    assert gold.earliest.tolist() == [-1 if case.gold is None else case.gold for case in cases]
    assert gold.n_steps.tolist() == [case.n_steps for case in cases]
    assert gold.earliest.dtype == gold.n_steps.dtype == np.int64


def labels(*cases):
    return Gold(making.frame(cases)).step_labels.tolist()


def test_after_the_earliest_error_nobody_knows_unless_every_error_step_is_listed():
    assert labels(Case(4, 1)) == [RIGHT_STEP, WRONG_STEP, UNKNOWN_STEP, UNKNOWN_STEP]
    assert labels(Case(4, 1, error_steps=(1, 3))) == [RIGHT_STEP, WRONG_STEP, RIGHT_STEP, WRONG_STEP]
    assert labels(Case(2, -1)) == [RIGHT_STEP, RIGHT_STEP]
    assert labels(Case(2, None)) == [UNKNOWN_STEP, UNKNOWN_STEP]


def test_a_label_beyond_the_last_step_is_visited_by_nobody():
    assert labels(Case(2, 2), Case(1, -1)) == [RIGHT_STEP, RIGHT_STEP, RIGHT_STEP]
    assert labels(Case(2, 0, error_steps=(0, 2)), Case(1, -1)) == [WRONG_STEP, RIGHT_STEP, RIGHT_STEP]
    assert labels(Case(2, None, error_steps=(5,))) == [RIGHT_STEP, RIGHT_STEP]


def test_subsets_stand_in_order_of_appearance_and_none_is_one_of_them():
    names, groups = Gold(making.frame([Case(1, subset=name) for name in ("b", None, "a", "b", None)])).subsets
    assert names == ["b", None, "a"]
    assert groups.tolist() == [0, 1, 2, 0, 1]


def test_no_cases():
    gold = Gold(making.frame([]))
    assert gold.step_labels.shape == gold.earliest.shape == gold.known.shape == (0,)
    assert gold.subsets[0] == []
    assert gold.cases.height == 0
    assert gold.cases.schema["earliest_error"] == pl.Int32()


def test_where_annotators_stopped_what_comes_after_their_last_error_is_unknown():
    lists = pl.Series("errors_so_far", [[1, 3], None, [0, 9]], dtype=pl.List(pl.Int32))
    gold = Gold(making.frame([Case(5, 1), Case(2, 1), Case(2, 0)]).with_columns(lists))
    right, wrong, unknown = RIGHT_STEP, WRONG_STEP, UNKNOWN_STEP
    assert gold.step_labels.tolist() == [right, wrong, right, wrong, unknown, right, wrong, wrong, unknown]
    assert gold.of_cases(np.array([2, 0])).step_labels.tolist() == [wrong, unknown, right, wrong, right, wrong, unknown]
