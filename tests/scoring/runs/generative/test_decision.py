import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import talking
from scoring.formats.reading.critic_answers import ParseFault
from scoring.models.asking import TokenLogprobs
from scoring.runs.generative.decision_words import DecisionWords, boxed_word, first_boxed_word, last_token

WORDS = DecisionWords(" Yes", " No")
LOGPROBS = st.floats(-300, 0)


@given(LOGPROBS, LOGPROBS, st.lists(LOGPROBS, max_size=18))
def test_the_reward_is_the_share_of_the_two_probabilities(yes, no, others):
    top = ((" No", no), (" Yes", yes), *((str(n), one) for n, one in enumerate(others)))
    for chosen, logprob in top:
        found = WORDS.probability(TokenLogprobs(chosen, logprob, top))
        assert found == pytest.approx(talking.reference(yes, no), rel=1e-12)
        assert 0 <= found <= 1


@given(LOGPROBS, st.lists(LOGPROBS, min_size=1, max_size=19))
def test_a_word_that_is_not_told_has_the_least_probability_told(yes, others):
    top = ((" Yes", yes), *((str(n), one) for n, one in enumerate(others)))
    least = min(yes, *others)
    assert WORDS.probability(TokenLogprobs(" Yes", yes, top)) == pytest.approx(talking.reference(yes, least))
    mirrored = tuple((" No" if name == " Yes" else name, one) for name, one in top)
    assert WORDS.probability(TokenLogprobs(" No", yes, mirrored)) == pytest.approx(talking.reference(least, yes))


def test_the_generated_token_counts_also_where_it_is_none_of_the_likeliest():
    assert WORDS.probability(TokenLogprobs(" No", -5.0, ((" Yes", -1.0),))) == talking.reference(-1.0, -5.0)


def test_words_are_told_apart_by_their_blanks():
    place = TokenLogprobs("Yes", -0.1, (("Yes", -0.1), ("No", -3.0)))
    assert WORDS.probability(place) is ParseFault.NO_WORD
    assert DecisionWords("Yes", "No").probability(place) == pytest.approx(talking.reference(-0.1, -3.0))


@pytest.mark.parametrize("nothing", [-9999.0, -math.inf, math.nan])
def test_no_number_where_both_probabilities_are_zero(nothing):
    place = TokenLogprobs(".", -0.1, ((" Yes", nothing), (" No", nothing)))
    assert WORDS.probability(place) is ParseFault.BOTH_ZERO


def test_one_probability_of_zero_is_sure():
    assert WORDS.probability(TokenLogprobs(" Yes", -0.1, ((" Yes", -0.1), (" No", -9999.0)))) == 1.0
    assert WORDS.probability(TokenLogprobs(" No", -0.1, ((" Yes", -math.inf), (" No", -0.1)))) == 0.0


def test_two_tokens_of_one_text_count_as_the_likelier():
    place = TokenLogprobs(" Yes", -2.0, ((" Yes", -2.0), (" No", -1.0), (" Yes", -9.0)))
    assert WORDS.probability(place) == pytest.approx(talking.reference(-2.0, -1.0))


@pytest.mark.parametrize(
    ("text", "last", "first"),
    [
        (r"\boxed{Yes}$", "Yes", "Yes"),
        (r"\boxed{no} then \boxed{YES}", "Yes", "No"),
        ("Yes, it is", None, None),
        ("", None, None),
    ],
)
def test_the_word_in_a_box(text, last, first):
    assert (boxed_word(text), first_boxed_word(text)) == (last, first)


def test_the_token_of_a_word_is_the_last_one_that_a_brace_follows():
    tokens = [talking.token(text) for text in ("Yes", "}$", " Yes", "Yes", ",", "Yes", "}", "Yes", " no")]
    assert last_token(tokens, "Yes", closed=True) is tokens[5]
    assert last_token(tokens, "Yes", closed=False) is tokens[7]
    assert last_token(tokens[:4], "Yes", closed=True) is tokens[3]
    assert last_token(tokens, "No", closed=False) is None
