import numpy as np
import pytest

import making
from reference import Case
from scoring.metrics.shares import error_type_shares

CASES = [
    Case(4, 2, (0.9, 0.1, 0.9, 0.9)),  # before
    Case(4, 2, (0.9, 0.9, 0.1, 0.1)),  # exact
    Case(4, 2, (0.9, 0.9, 0.9, 0.1)),  # after
    Case(4, 2, (0.9, 0.9, 0.9, 0.9)),  # none
    Case(4, 2, refused="over length"),
    Case(4, 2),
    Case(4, -1, (0.1, 0.9, 0.9, 0.9)),
]


@pytest.mark.parametrize(
    ("unparsed", "n", "unanswered"), [("wrong", 5, 1), ("drop", 4, 0)], ids=["as wrong", "left out, as GR-Ben does"]
)
def test_fp_fn_and_exact_by_hand(unparsed, n, unanswered):
    found = {one.name: one for one in error_type_shares(making.evaluation(CASES), unparsed)}
    hits = {name: int(one.hits.sum()) for name, one in found.items()}
    assert hits == {"fp": 1, "fn": 2, "late": 1, "missed": 1, "exact": 1, "unanswered": unanswered}
    assert {int(one.among.sum()) for one in found.values()} == {n}
    assert all(not np.any(one.hits & ~one.among) for one in found.values())
    assert sum(hits[name] for name in ("fp", "fn", "exact", "unanswered")) == n
    assert hits["late"] + hits["missed"] == hits["fn"]
