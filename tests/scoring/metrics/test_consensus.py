import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import side_by_side
from scoring.evaluation.verdicts import NO_VERDICT
from scoring.metrics.consensus import consensus
from thoroughness import up_to


def weight(right, wrong, family=1):
    """Log-odds with one right and one wrong case added; none below one half."""
    return max(0.0, math.log((right + 1) / (wrong + 1))) / family


def test_weights_by_hand():
    """Each case's weights come from the three others."""
    made = side_by_side.aligned("EECC", "1110", "1111", "0000")
    found = consensus(made)
    assert found.weights[0].tolist() == pytest.approx([weight(2, 1), weight(3, 0), 0])
    assert found.weights[3].tolist() == pytest.approx([weight(3, 0), weight(3, 0), 0])
    assert found.verdicts.tolist() == [1, 1, -1, NO_VERDICT]  # the last is a tie of two verdicts
    assert found.support[:3] == pytest.approx([1, 1, 1])
    assert math.isnan(found.support[3])


def test_siblings_share_one_voice():
    """Two siblings say one thing and a third scorer, as accurate, another."""
    words = ("E CCCCCC", "0 111111", "0 111111", "1 111111")
    apart = consensus(side_by_side.aligned(*words))
    together = consensus(side_by_side.aligned(*words, families=("f", "f", "")))
    assert apart.verdicts[0] == -1
    assert apart.support[0] == pytest.approx(2 / 3)
    assert together.verdicts[0] == NO_VERDICT
    assert together.weights[0].tolist() == pytest.approx([weight(6, 0, 2), weight(6, 0, 2), weight(6, 0)])


def test_a_sibling_that_has_no_say_on_a_case_takes_no_share_of_the_voice():
    words = ("E CCCCCCC", "0 1111111", "x 111-111")
    found = consensus(side_by_side.aligned(*words, families=("f", "f")))
    assert found.weights[0].tolist() == pytest.approx([weight(7, 0), 0])
    assert found.weights[1].tolist() == pytest.approx([weight(6, 1, 2), weight(5, 1, 2)])
    assert found.weights[4].tolist() == pytest.approx([weight(6, 1), 0])


def test_gold_of_a_case_and_of_other_solutions_of_its_problem_has_no_say_in_it():
    made = side_by_side.aligned("EECCCC", "011111", "111100", problem_id=["p", "p", None, None, None, None])
    first = consensus(made)
    for row in (0, 1):
        changed = replace(made, right=np.where(np.arange(6)[:, None] == row, ~made.right, made.right))
        assert consensus(changed).weights[:2].tolist() == first.weights[:2].tolist()
        assert consensus(changed).weights[2:].tolist() != first.weights[2:].tolist()


def test_who_has_no_verdict_or_names_no_step_has_no_say():
    made = side_by_side.aligned("EEE CCC", "1-x 111", "111 111")
    assert consensus(made).weights[:, 0].astype(bool).tolist() == [True, False, False, True, True, True]
    nowhere = replace(made, verdicts=np.where(np.arange(6)[:, None] < 2, [[-2, 2]], made.verdicts))
    found = consensus(nowhere)
    assert found.verdicts[:2].tolist() == [NO_VERDICT, NO_VERDICT]
    assert (found.weights[:2] == 0).all()


def test_one_case_says_nothing_of_anybody():
    found = consensus(side_by_side.aligned("E", "1", "1"))
    assert found.verdicts.tolist() == [NO_VERDICT]
    assert found.weights.tolist() == [[0, 0]]


def slow(words, families):
    """The consensus of every case, one at a time: {verdict: weight}."""
    gold, *marks = words
    found = []
    for row in range(len(gold)):
        behind = {}
        for place, letters in enumerate(marks):
            others = [letter for index, letter in enumerate(letters) if index != row]
            wrong = others.count("0") + others.count("x")
            of_it = [other for other in range(len(marks)) if families[other] == families[place]]
            siblings = sum(marks[other][row] in "01" for other in of_it) if families[place] else 1
            if letters[row] in "01":
                verdict = 1 if (letters[row] == "1") == (gold[row] == "E") else -1
                behind[verdict] = behind.get(verdict, 0.0) + weight(others.count("1"), wrong, siblings)
        found.append(behind)
    return found


@up_to(60, 8)
@given(
    st.integers(1, 9).flatmap(
        lambda n: st.tuples(
            st.text("EC", min_size=n, max_size=n), *[st.text("0111x-", min_size=n, max_size=n) for _ in range(4)]
        )
    ),
    st.tuples(*[st.sampled_from(("", "f", "g"))] * 4),
)
def test_it_is_what_plain_counting_gives(words, families):
    found = consensus(side_by_side.aligned(*words, families=families))
    for row, behind in enumerate(slow(words, families)):
        ranked = sorted(behind.items(), key=lambda pair: -pair[1])
        total = sum(behind.values())
        tie = len(ranked) > 1 and math.isclose(ranked[0][1], ranked[1][1])
        if not total or tie:
            assert found.verdicts[row] == NO_VERDICT
            assert math.isnan(found.support[row])
        else:
            assert found.verdicts[row] == ranked[0][0]
            assert found.support[row] == pytest.approx(ranked[0][1] / total)
