import asyncio

import pytest

from scoring.data.errors import EngineError
from scoring.data.readout import Encoded, Readout, Vocabulary, one_layer
from scoring.engines.server.faults import Fault
from scoring.engines.server.reward_endpoints import GenerativeScoring

CASE = Encoded((9, 3, 8, 7, 3), (1, 3))
GOOD_FIRST = GenerativeScoring(Readout(Vocabulary((5, 6), 4), reward=(1.0, 0.0)))


def told(scores):
    return {"data": [{"index": index, "score": score} for index, score in reversed(list(enumerate(scores)))]}


def test_items_are_prefixes_up_to_the_token_that_is_read():
    body = GOOD_FIRST.request("m", CASE)
    assert (body["query"], body["items"]) == ([9], [[3], [3, 8, 7]])
    assert (body["label_token_ids"], body["apply_softmax"], body["add_special_tokens"]) == ([5, 6], True, False)


def test_the_score_is_the_first_words_probability():
    assert GOOD_FIRST.rows(told([0.25, 0.75]), CASE) == [(0.25,), (0.75,)]
    good_second = GenerativeScoring(Readout(Vocabulary((6, 5), 4), reward=(0.0, 1.0)))
    assert good_second.rows(told([0.25, 0.75]), CASE) == [(0.75,), (0.25,)]


@pytest.mark.parametrize(("second", "fine"), [([0.75, 0.25], True), ([0.25, 0.75], False)])
def test_the_two_words_must_make_one(second, fine):
    async def send(body):
        return told([0.25, 0.75] if body["label_token_ids"] == [5, 6] else second)

    if fine:
        assert asyncio.run(GOOD_FIRST.proven("m", CASE, send)) == GOOD_FIRST
    else:
        with pytest.raises(EngineError, match="do not make one"):
            asyncio.run(GOOD_FIRST.proven("m", CASE, send))


@pytest.mark.parametrize(
    ("reply", "phrase"),
    [
        (told([0.5]), "1 scores for 2 steps"),
        (told([0.5, 1.5]), "not a probability"),
        (told([0.5, float("nan")]), "not a probability"),
        ({"data": [{"index": 0}]}, "no scores"),
        ({"data": [{"index": 1, "score": 0.5}, {"index": 2, "score": 0.5}]}, "no scores"),
        ({"data": [{"index": 0, "score": 0.5}, {"index": 1, "score": 0.5}, {"index": 1, "score": 0.7}]}, "no scores"),
        ({"data": [{"index": 0, "score": 10**400}, {"index": 1, "score": 0.5}]}, "no scores"),
        ({"data": [{"index": 0, "score": "0.5"}, {"index": 1, "score": 0.5}]}, "no scores"),
        (None, "no scores"),
    ],
)
def test_what_does_not_fit_is_no_reward(reply, phrase):
    with pytest.raises(Fault, match=phrase):
        GOOD_FIRST.rows(reply, CASE)


def test_nothing_comes_before_the_first_token():
    with pytest.raises(Fault, match="begins the prompt"):
        GOOD_FIRST.request("m", Encoded((1, 2), (0, 1)))


@pytest.mark.parametrize(
    "readout",
    [Readout(one_layer(4)), Readout(Vocabulary((1, 2, 3), 4)), Readout(Vocabulary((1, 2), 4), transform="none")],
)
def test_only_two_words_can_be_had(readout):
    with pytest.raises(EngineError, match="one of two words"):
        GenerativeScoring(readout)
