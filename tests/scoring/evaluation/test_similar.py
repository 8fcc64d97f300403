"""Nearness in text is TF-IDF and cosine, that of rewards a mean distance: both against plain Python."""

import math
import re
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import making
from reference import Case
from scoring.data.schema import TEXTS
from scoring.data.texts import Texts
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.similar import PAGE, POINTS, SHARED, TextIndex, courses, nearest_courses
from thoroughness import up_to

WORDS = ("apple", "Pear", "plum", "so", "a", "12", "3.5", "x+1=2", "2 * 3", r"\frac", "über")
CASES = st.lists(
    st.tuples(st.lists(st.sampled_from(WORDS), max_size=6), st.lists(st.lists(st.sampled_from(WORDS)), max_size=3)),
    min_size=1,
    max_size=8,
)


def texts(pairs, sources=1):
    frame = pl.DataFrame(
        {"problem": [problem for problem, _ in pairs], "steps": [steps for _, steps in pairs]},
        schema={name: TEXTS[name] for name in ("problem", "steps")},
    )
    parts = [frame[at::sources] for at in range(sources)]
    rows = np.argsort(np.concatenate([np.arange(len(pairs))[at::sources] for at in range(sources)]))
    return Texts.whole(parts, [part.height for part in parts]).gather(rows)


def terms(problem, steps):
    text = "\n".join([problem, *steps]).lower()
    words = re.findall(r"\\?[^\W\d_][^\W\d_']+|\d+(?:\.\d+)?|\\?[^\W\d_]'+", text)
    formulas = re.findall(r"\w+(?:\.\w+)*(?:\s*[-+*/^=<>×÷]\s*\w+(?:\.\w+)*)+", text)
    return Counter([*words, *(re.sub(r"\s", "", one) for one in formulas)])


def cosines(pairs):
    counts = [terms(*pair) for pair in pairs]
    held = Counter(term for one in counts for term in one)
    vectors = [
        {term: (1 + math.log(n)) * math.log(len(pairs) / held[term]) for term, n in one.items()} for one in counts
    ]
    lengths = [math.sqrt(sum(value**2 for value in one.values())) for one in vectors]
    return [
        [
            sum(value * other.get(term, 0) for term, value in one.items()) / (a * b) if a and b else 0.0
            for other, b in zip(vectors, lengths, strict=True)
        ]
        for one, a in zip(vectors, lengths, strict=True)
    ]


@up_to(100, 5)
@given(CASES, st.integers(1, 3))
def test_likeness_is_the_cosine_of_plain_tf_idf(cases, sources):
    pairs = [(" ".join(problem), [" ".join(step) for step in steps]) for problem, steps in cases]
    index, everything = TextIndex.of(texts(pairs, sources)), np.ones(len(pairs), dtype=np.bool_)
    for row, expected in enumerate(cosines(pairs)):
        found = {one.row: one.likeness for one in index.nearest(row, everything, len(pairs))}
        assert row not in found
        for other, cosine in enumerate(expected):
            if other != row:
                assert found.get(other, 0.0) == pytest.approx(cosine, abs=1e-5)


def test_the_nearest_come_first_with_what_makes_them_alike():
    pairs = [
        ("A train leaves the station at noon.", ["It goes 3 * 7 = 21 miles.", "So 21."]),
        ("A train leaves another station.", ["It goes 3*7=21 miles."]),
        ("A train of thought.", ["None."]),
        ("Nothing whatever", ["alike"]),
    ]
    index = TextIndex.of(texts(pairs))
    found = index.nearest(0, np.ones(4, dtype=np.bool_), 3)
    assert [one.row for one in found[:2]] == [1, 2]
    assert found[0].likeness > found[1].likeness > 0
    assert "3*7=21" in found[0].shared
    assert len(found[0].shared) <= SHARED
    assert [one.row for one in index.nearest(0, np.array([True, False, True, True]), 1)] == [2]


def test_equal_texts_are_all_alike_and_the_first_are_taken():
    pairs = [("apple pear", ["plum"])] * 5 + [("something else", ["entirely"])] * 5
    found = TextIndex.of(texts(pairs)).nearest(2, np.ones(10, dtype=np.bool_), 3)
    assert [one.row for one in found] == [0, 1, 3]
    assert [one.likeness for one in found] == pytest.approx([1.0] * 3)


def test_texts_of_many_pages_are_those_of_one():
    pairs = [("abcdefg"[at % 7] * 3, ["hijklmnopqr"[at % 11] * 3]) for at in range(PAGE + 5)]
    index = TextIndex.of(texts(pairs, 2))
    for one in index.nearest(PAGE + 2, np.ones(len(pairs), dtype=np.bool_), 5):
        assert (one.row % 7, one.row % 11) == ((PAGE + 2) % 7, (PAGE + 2) % 11)


def test_of_nothing_nothing_is_near():
    index = TextIndex.of(texts([("", [])]))
    assert index.nearest(0, np.ones(1, dtype=np.bool_), 5) == []
    assert TextIndex.of(texts([])).cases.size == 0


REWARDS = st.lists(st.one_of(st.none(), st.lists(st.sampled_from((0.0, 0.25, 0.5, 1.0)), max_size=5)), min_size=1)


@up_to(100, 12)
@given(REWARDS)
def test_courses_are_drawn_between_the_steps_and_compared_point_by_point(given_rewards):
    cases = [Case(len(one or ()) or 2, -1, None if one is None else tuple(one)) for one in given_rewards]
    evaluation = evaluate(Gold(making.frame(cases)), making.scorer(), making.rewards(cases))
    points = np.linspace(0, 1, POINTS)
    expected = [
        np.interp(points, np.linspace(0, 1, len(one)) if len(one) > 1 else [0.0], one) if one else None
        for one in given_rewards
    ]
    found = courses(evaluation)
    for row, course in enumerate(expected):
        if course is None:
            assert np.isnan(found[row]).all()
        else:
            assert found[row] == pytest.approx(course)
    among = np.ones(len(cases), dtype=np.bool_)
    for row, course in enumerate(expected):
        near = nearest_courses(evaluation, row, among, len(cases))
        known = (
            [at for at, other in enumerate(expected) if other is not None and at != row] if course is not None else []
        )
        assert sorted(one.row for one in near) == known
        assert [one.likeness for one in near] == sorted((one.likeness for one in near), reverse=True)
        for one in near:
            distance = float(np.abs(expected[one.row] - course).mean())
            assert one.likeness == pytest.approx(1 - distance, abs=1e-9)
