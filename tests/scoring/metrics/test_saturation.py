"""The saturation meter against a slow count."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics.saturation import LAST, saturation

CODES = st.lists(st.integers(0, 6), max_size=60)


def met(codes):
    return saturation(np.array(codes, dtype=np.int64))


def test_the_first_note_of_a_category_is_new():
    found = met([2, 2, 0, 2, 1, 0])
    assert found.new.tolist() == [True, False, True, False, True, False]
    assert found.distinct.tolist() == [1, 1, 2, 2, 3, 3]
    assert (found.n, found.categories, found.once) == (6, 3, 1)
    assert found.unseen == pytest.approx(1 / 6)
    assert (found.new_in_last(2), found.new_in_last(6)) == (1, 3)


def test_too_few_notes_say_nothing_of_saturation():
    assert met([0] * (LAST - 1)).new_in_last() is None
    assert met([0] * LAST).new_in_last() == 1
    assert met([0] * (LAST + 1)).new_in_last() == 0


def test_of_no_notes_nothing_is_known():
    found = met([])
    assert (found.n, found.categories, found.once, found.unseen, found.new_in_last()) == (0, 0, 0, None, None)
    assert found.distinct.tolist() == []


def test_where_every_note_is_alone_a_further_one_would_be_new():
    assert met(range(30)).unseen == 1
    assert met(range(30)).new_in_last() == LAST


@given(CODES)
def test_it_is_what_counting_note_by_note_gives(codes):
    found = met(codes)
    assert found.distinct.tolist() == [len(set(codes[: at + 1])) for at in range(len(codes))]
    assert found.once == sum(codes.count(code) == 1 for code in set(codes))
    assert found.categories == len(set(codes))
    last = len(set(codes)) - len(set(codes[:-LAST]))
    assert found.new_in_last() == (last if len(codes) >= LAST else None)


@given(CODES)
def test_it_never_falls_and_merging_never_raises_it(codes):
    found, merged = met(codes), met([min(code, 3) for code in codes])
    steps = np.diff(found.distinct)
    assert set(steps.tolist()) <= {0, 1}
    assert (merged.distinct <= found.distinct).all()
