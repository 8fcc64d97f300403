from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scoring.evaluation.evaluated_cases import disagreement
from scoring.evaluation.verdicts import NO_VERDICT

VERDICTS = st.sampled_from((NO_VERDICT, -2, -1, 0, 1, 7))


def slowly(row):
    told = [verdict for verdict in row if verdict != NO_VERDICT]
    pairs = list(combinations(told, 2))
    return sum(one != other for one, other in pairs) / len(pairs) if pairs else None


@given(st.integers(0, 5).flatmap(lambda k: st.lists(st.tuples(*[VERDICTS] * k), max_size=12)))
def test_it_is_the_share_of_pairs_that_differ(rows):
    k = len(rows[0]) if rows else 0
    found = disagreement([np.array([row[scorer] for row in rows], dtype=np.int64) for scorer in range(k)], len(rows))
    assert [None if np.isnan(value) else value for value in found] == [slowly(row) for row in rows]


def test_nobody_alone_disagrees():
    one = np.array([3, -1])
    assert np.isnan(disagreement([], 2)).all()
    assert np.isnan(disagreement([one], 2)).all()
    assert disagreement([one, np.array([3, NO_VERDICT])], 2)[0] == 0
    assert disagreement([one, np.array([3, 0]), np.array([4, 0])], 2).tolist() == [2 / 3, 2 / 3]
