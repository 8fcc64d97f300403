import math
import random

import pytest

from scoring.data.errors import EngineError
from scoring.data.readout import FAILED, Batch, Encoded, Readout, Refused, Vocabulary, one_layer
from scoring.engines.server.reward_endpoints import GenerativeScoring, Pooling
from scoring.engines.server.rewards import RewardServers
from scoring.models.asking import Noticed
from servers.fault_server import Behaviour, Outcome, of, running
from servers.runs import QUICK

POOLING = Pooling(Readout(one_layer(4)))


def case(draw, parts=1):
    length = draw.randint(5, 30)
    ids = tuple(draw.randrange(50) for _ in range(length))
    positions = tuple(sorted(draw.sample(range(length), draw.randint(0, 4))))
    return Encoded(ids, positions, tuple(case(draw) for _ in range(parts - 1)))


def rewards(one):
    """What the server's rule gives, worked out by hand."""
    return [
        pytest.approx(1 / (1 + math.exp(part.ids[at] / 10 - at / 10)))
        for part in one.sequences
        for at in part.positions
    ]


def test_rewards_come_once_and_in_order_through_faults():
    draw, kinds = random.Random(0), of(Outcome.RETRIED)
    cases = [case(draw, parts=draw.choice([1, 1, 3])) for _ in range(100)]
    with running(Behaviour(faults=dict.fromkeys(kinds, 0.3 / len(kinds)), healthy=2)) as server:
        engine = RewardServers.connect([server.url], POOLING, policy=QUICK)
        batches = list(engine.read(cases))
        assert engine.name == f"server at {server.url}/pooling, model tiny"
    answers = [answer for batch in batches for answer in batch.answers]
    assert [answer.index for answer in answers] == list(range(100))
    refused = [answer for answer in answers if isinstance(answer.rewards, Refused)]
    # A reply without numbers is not asked for again, and some of these faults are such replies.
    assert len(refused) < 20
    assert all(answer.rewards.reason.startswith(FAILED) for answer in refused)
    assert all(
        list(answer.rewards) == rewards(one)
        for one, answer in zip(cases, answers, strict=True)
        if answer not in refused
    )
    assert sum(batch.tokens for batch in batches) == sum(one.n_tokens for one in cases)


def test_one_of_two_servers_that_turns_bad_is_set_aside_and_the_other_does_its_work():
    draw = random.Random(1)
    cases = [case(draw) for _ in range(60)]
    with running(Behaviour(barred=(5, 402, "no credit"))) as bad, running(Behaviour(delay=0.005)) as good:
        engine = RewardServers.connect([bad.url, good.url], POOLING, policy=QUICK)
        told = list(engine.read(cases))
    notices = [one.sentence for one in told if isinstance(one, Noticed)]
    answers = [answer for batch in told if isinstance(batch, Batch) for answer in batch.answers]
    assert notices == [f"{bad.url} is set aside (HTTP 402) and tried again later; the others go on."]
    assert [list(answer.rewards) for answer in answers] == [rewards(one) for one in cases]


def test_the_servers_are_tried_out_once_and_a_later_read_needs_but_one_of_them():
    cases = [Encoded((1, 2), (1,)), Encoded((3, 4, 5), (2,))]
    with running() as lasting:
        with running() as first:
            engine = RewardServers.connect([first.url, lasting.url], POOLING, policy=QUICK)
            list(engine.read(cases))
            asked = first.seen.paths["/pooling"] + lasting.seen.paths["/pooling"]
        (batch,) = engine.read(cases)
        assert asked == 2 * 2 + len(cases)
        assert lasting.seen.paths["/pooling"] >= 2 + len(cases)
    assert [list(answer.rewards) for answer in batch.answers] == [rewards(one) for one in cases]


@pytest.mark.parametrize("told", [True, False])
def test_a_case_that_is_too_long_is_refused_and_the_rest_goes_on(told):
    short, long = Encoded((1, 2), (1,)), Encoded((1,) * 9, (8,))
    with running(Behaviour(context=8 if told else None)) as server:
        engine = RewardServers.connect([server.url], POOLING, policy=QUICK)
        server.behaviour.context = 8
        (batch,) = engine.read([long, short, short])
    refused, first, last = [answer.rewards for answer in batch.answers]
    assert list(first) == list(last) == rewards(short)
    assert refused.over_length
    assert ("9 tokens are more than the server's 8" if told else "context too long") in refused.reason


def test_a_server_that_fails_at_a_case_gives_no_lasting_refusal():
    with running() as server:
        engine = RewardServers.connect([server.url], POOLING, policy=QUICK)
        list(engine.read([Encoded((1, 2), (1,))]))
        server.behaviour.faults = {"error": 1.0}
        (batch,) = engine.read([Encoded((1, 2), (1,))])
    refused = batch.answers[0].rewards
    assert refused.reason.startswith(FAILED)
    assert not refused.over_length


def test_a_case_that_a_server_refuses_after_it_has_scored_others_is_refused_for_good():
    with running() as server:
        engine = RewardServers.connect([server.url], POOLING, policy=QUICK, concurrency=1)
        list(engine.read([Encoded((1, 2), (1,))]))
        server.behaviour.faults, server.behaviour.healthy = {"forbidden": 1.0}, server.answered + 1
        (batch,) = engine.read([Encoded((1, 2), (1,)), Encoded((3, 4), (1,))])
    scored, refused = (answer.rewards for answer in batch.answers)
    assert list(scored) == rewards(Encoded((1, 2), (1,)))
    assert (refused.reason, refused.over_length) == ("HTTP 403: no", False)


def test_cases_without_steps_and_no_cases_need_no_server():
    with running() as server:
        engine = RewardServers.connect([server.url], POOLING)
        assert list(engine.read([])) == []
        (batch,) = engine.read([Encoded((1, 2), ())])
        assert server.seen.paths["/pooling"] == 0
    assert batch.answers[0].rewards == ()


def test_leaving_early_is_possible():
    with running() as server:
        came = RewardServers.connect([server.url], POOLING).read([Encoded((1, 2), (1,))] * 500)
        next(came)
        came.close()
        assert server.seen.paths["/pooling"] < 500


def test_a_server_without_the_endpoint_is_told_so():
    way = GenerativeScoring(Readout(Vocabulary((1, 2), 4), reward=(1.0, 0.0)))
    with running() as server, pytest.raises(EngineError, match="HTTP 404"):
        list(RewardServers.connect([server.url], way).read([Encoded((1, 2), (1,))]))
