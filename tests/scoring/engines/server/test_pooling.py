"""What a pooling server's replies mean. That a real one gives the transformers engine's numbers is tested with vLLM."""

import asyncio
import base64
import math
import struct

import pytest

from scoring.data.errors import EngineError
from scoring.data.readout import Encoded, Readout, Vocabulary, one_layer
from scoring.engines.server.faults import Fault
from scoring.engines.server.reward_endpoints import NotFinite, Pooling

TAG, IDS, POSITIONS = 3, (9, 3, 8, 7, 3), (1, 4)
CASE = Encoded(IDS, POSITIONS)
QWEN = Pooling(Readout(one_layer(4)))


def told(rows):
    return {"data": [{"index": 0, "data": rows}]}


def server(pooling="STEP", tag=TAG, *, obeys=True, activated=False):
    """The rows that a vLLM server gives for token ids: the logits are (place, 0), softmaxed or not."""

    async def send(body):
        (ids,) = body["input"]
        rows = [[float(place), 0.0] for place, token in enumerate(ids) if pooling == "ALL" or token == tag]
        if body["use_activation"] if obeys else activated:
            rows = [[1 / (1 + math.exp(-a)), 1 / (1 + math.exp(a))] for a, _ in rows]
        return told(rows)

    return send


def right(place):
    return pytest.approx(1 / (1 + math.exp(place)))


@pytest.mark.parametrize("obeys", [True, False])
@pytest.mark.parametrize("activated", [True, False])
@pytest.mark.parametrize("pooling", ["STEP", "ALL"])
def test_the_reward_is_the_same_whatever_the_server_gives(pooling, obeys, activated):
    send = server(pooling, obeys=obeys, activated=activated)

    async def rows():
        way = await QWEN.proven("m", CASE, send)
        return way.rows(await send(way.request("m", CASE)), CASE)

    assert asyncio.run(rows()) == [(right(1),), (right(4),)]


@pytest.mark.parametrize("tag", [9, 7, 1000])
def test_a_server_with_another_tag_is_refused(tag):
    with pytest.raises(EngineError, match=r"token 3|step tag 3"):
        asyncio.run(QWEN.proven("m", CASE, server(tag=tag)))


def test_another_tag_that_is_there_as_often_is_refused():
    twice = Encoded((9, 3, 8, 9, 3), (1, 4))
    with pytest.raises(EngineError, match="at token 3"):
        asyncio.run(QWEN.proven("m", twice, server(tag=9)))


def test_positions_at_different_tokens_need_all_of_them():
    case = Encoded(IDS, (1, 3))
    with pytest.raises(EngineError, match="ALL"):
        asyncio.run(QWEN.proven("m", case, server("STEP")))
    assert asyncio.run(QWEN.proven("m", case, server("ALL"))).raw


def test_activated_numbers_where_raw_ones_are_read_are_refused():
    regression = Pooling(Readout(one_layer(4), transform="none"))
    with pytest.raises(EngineError, match="does not switch its activation off"):
        asyncio.run(regression.proven("m", CASE, server("ALL", obeys=False, activated=True)))


def test_a_tag_that_is_not_read_is_passed_over():
    case = Encoded((3, 3, 8, 7, 3), (1, 4))
    assert QWEN.rows(told([[0.0, 0.0], [1.0, 0.0], [4.0, 0.0]]), case) == [(right(1),), (right(4),)]


@pytest.mark.parametrize(
    ("reply", "phrase"),
    [
        (told([]), "0 rows for 2 steps"),
        (told([[0.0, 0.0]] * 3), "3 rows for 2 steps"),
        (told([[0.0]] * 2), "1 numbers a token"),
        (told([0.0, 1.0]), "no numbers"),
        ({"data": []}, "no numbers"),
        ({"data": {"0": [[0.0, 1.0]]}}, "no numbers"),
        ({"data": [None]}, "no numbers"),
        (told(None), "no numbers"),
        (told(3), "no numbers"),
        (told({"0": [0.0, 1.0]}), "no numbers"),
        (told([None] * 2), "no numbers"),
        (told([[[0.0], [1.0]]] * 2), "no numbers"),
        (told("\u00e4\u00e4\u00e4\u00e4"), "no numbers"),
        ([], "no numbers"),
        (told([["a", "b"]] * 2), "no numbers"),
        (told([["1", "2"]] * 2), "no numbers"),
        (told(["12"] * 2), "no numbers"),
        (told([[True, False]] * 2), "no numbers"),
        (told([[10**400, 0.0]] * 2), "no numbers"),
        (told([[0.0, 0.0], [0.0]]), "1 numbers a token"),
        (told("AAAA"), "no numbers"),
        (told("no base64"), "no numbers"),
    ],
)
def test_what_does_not_fit_is_no_reward(reply, phrase):
    with pytest.raises(Fault, match=phrase) as caught:
        QWEN.rows(reply, CASE)
    assert not caught.value.again


def test_a_number_that_is_missing_is_none():
    assert all(math.isnan(value) for row in QWEN.rows(told([[None, 0.0], [0.0, None]]), CASE) for value in row)


def test_numbers_in_base64_are_those_that_a_list_would_hold():
    rows = [[0.1, -3.5], [math.inf, 1e-30]]
    written = base64.b64encode(struct.pack("<4f", *(value for row in rows for value in row))).decode()
    outputs = QWEN._outputs(told(written))
    assert outputs == [[struct.unpack("<f", struct.pack("<f", value))[0] for value in row] for row in rows]
    assert QWEN.request("m", CASE)["encoding_format"] == "base64"


def test_numbers_that_are_not_finite_do_not_say_whether_they_are_raw():
    async def activated_always(body):
        (ids,) = body["input"]
        return told([[math.nan, math.nan], *[[0.25, 0.75]] * (len(ids) - 1)])

    async def never_finite(body):
        return told([[None, 0.0]] * len(body["input"][0]))

    assert not asyncio.run(QWEN.proven("m", CASE, activated_always)).raw
    with pytest.raises(NotFinite, match="no finite number"):
        asyncio.run(QWEN.proven("m", CASE, never_finite))


def test_a_server_that_changes_its_number_of_rows_is_refused():
    lengths = iter((5, 2))

    async def send(_):
        return told([[0.0, 1.0]] * next(lengths))

    with pytest.raises(Fault, match="5 rows for a sequence, and then 2"):
        asyncio.run(QWEN.proven("m", CASE, send))


def test_sigmoid_raw_numbers_and_redundancy():
    one = Pooling(Readout(one_layer(4, 1), transform="sigmoid", reward=(1.0,)))
    assert one.rows(told([[0.0], [-800.0]]), CASE) == [(0.5,), (0.0,)]
    error = Pooling(Readout(one_layer(4, 1), transform="sigmoid", reward=(-1.0,), offset=1.0))
    assert error.rows(told([[0.0], [-800.0]]), CASE) == [(0.5,), (1.0,)]
    plain = Pooling(Readout(one_layer(4, 1), transform="none", reward=(2.0,)))
    assert plain.rows(told([[0.5], [-3.0]]), CASE) == [(1.0,), (-6.0,)]
    three = Pooling(Readout(one_layer(4, 3), reward=(0.0, 1.0, 1.0), redundancy=(0.0, 1.0, 0.0)))
    assert three.rows(told([[0.0, 0.0, 0.0]] * 2), CASE) == [(pytest.approx(2 / 3), pytest.approx(1 / 3))] * 2


def test_a_probability_among_all_tokens_is_not_to_be_had():
    with pytest.raises(EngineError, match="among all tokens"):
        Pooling(Readout(Vocabulary((1, 2), 4, whole=True)))
