"""Readable formulas on ASCII terminals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.render.mathtext import unicode_math
from inspector.render.mathtext.ascii_math import ascii_math


@pytest.mark.parametrize(
    ("latex", "plain"),
    [
        (r"$\frac{20}{4} = 5$", "20/4 = 5"),
        (r"$x^2 \le \sqrt{3}$", "x^2 <= sqrt 3"),
        (r"$a_{n+1} \times b^{10}$", "a_(n+1) x b^10"),
        (r"$\alpha \to \infty$", "alpha -> inf"),
        (r"The answer is $\boxed{50}$.", "The answer is [50]."),
        ("4 m/s² and 5 × 10", "4 m/s^2 and 5 x 10"),
    ],
)
def test_what_unicode_shows_is_written_in_ascii(latex, plain):
    assert ascii_math(latex) == plain


def test_other_scripts_stay():
    assert ascii_math("第2步不对") == "第2步不对"


@given(st.text())
def test_texts_that_are_ascii_after_all_are_left_as_they_are(text):
    readable = unicode_math(text)
    if readable.isascii():
        assert ascii_math(text) == readable
