import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import making
import side_by_side
from reference import Case
from scoring.metrics.ensembles import NOBODY, lone_right, unanimous_wrong
from scoring.metrics.paired import agreement_of_outcomes, agreement_of_verdicts, quadrants
from thoroughness import up_to


def counts(*four):
    names = ("both_right", "only_scorer_right", "only_other_right", "neither_right")
    return dict(zip(names, four, strict=True))


def test_quadrants_by_hand():
    made = side_by_side.aligned("EEEEEE CCC", "110010 1x1", "10010- 011")
    assert quadrants(made, 0, 1, made.erroneous) == counts(1, 2, 1, 1)
    assert quadrants(made, 0, 1, ~made.erroneous) == counts(1, 1, 1, 0)
    assert quadrants(made, 1, 0, made.erroneous) == counts(1, 1, 2, 1)


MARKS = st.integers(1, 12).flatmap(
    lambda n: st.tuples(
        st.text("EC", min_size=n, max_size=n), *[st.text("01x-", min_size=n, max_size=n) for _ in range(3)]
    )
)


@up_to(60, 8)
@given(MARKS)
def test_quadrants_add_up_to_the_common_cases(words):
    made = side_by_side.aligned(*words)
    parts = [quadrants(made, 0, 1, side) for side in (made.erroneous, ~made.erroneous)]
    assert sum(sum(part.values()) for part in parts) == made.common((0, 1)).sum()
    same = sum(part["both_right"] + part["neither_right"] for part in parts)
    assert agreement_of_outcomes(made, 0, 1) == (same, sum(sum(part.values()) for part in parts))
    mirrored = quadrants(made, 1, 0, made.erroneous)
    assert mirrored["only_scorer_right"] == parts[0]["only_other_right"]
    assert mirrored["only_other_right"] == parts[0]["only_scorer_right"]


@up_to(60, 8)
@given(MARKS)
def test_lone_and_unanimous_are_what_plain_counting_gives(words):
    made = side_by_side.aligned(*words)
    rows = list(zip(*words[1:], strict=True))
    alone = [row.index("1") if row.count("1") == 1 and "-" not in row else NOBODY for row in rows]
    assert lone_right(made, (0, 1, 2)).tolist() == alone
    assert unanimous_wrong(made, (0, 1, 2)).tolist() == ["1" not in row and "-" not in row for row in rows]


def test_places_are_those_of_the_lineup():
    made = side_by_side.aligned("EE", "00", "-1", "10")
    assert lone_right(made, (0, 2)).tolist() == [2, NOBODY]


def test_verdicts_agree_where_they_are_equal_right_or_wrong():
    gold = [(3, 2), (3, 2), (3, 2), (3, -1), (3, 2)]
    one = [
        Case(n, g, rewards)
        for (n, g), rewards in zip(gold, [(0, 1, 1), (0, 1, 1), (1, 1, 0), (1, 1, 1), None], strict=True)
    ]
    other = [
        Case(n, g, rewards)
        for (n, g), rewards in zip(gold, [(0, 0, 1), (1, 0, 1), (1, 1, 0), (1, 1, 1), (1, 1, 1)], strict=True)
    ]
    made = side_by_side.of([making.evaluation(one, name="a"), making.evaluation(other, name="b")])
    assert agreement_of_verdicts(made, 0, 1) == (3, 4)
    assert agreement_of_outcomes(made, 0, 1) == (4, 4)


def test_two_refusals_agree_in_their_outcome_and_have_no_verdicts():
    made = side_by_side.aligned("EC", "xx", "x1")
    assert agreement_of_outcomes(made, 0, 1) == (1, 2)
    assert agreement_of_verdicts(made, 0, 1) == (0, 0)


def test_nothing_in_common_is_no_case():
    made = side_by_side.aligned("EC", "1-", "-1")
    assert sum(quadrants(made, 0, 1, np.ones(2, dtype=bool)).values()) == 0
    assert agreement_of_outcomes(made, 0, 1) == (0, 0)
