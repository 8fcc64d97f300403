import gc
import threading
import time
from itertools import islice

import pytest

from scoring.data.errors import EngineError, UsageError
from scoring.engines.server import connections
from scoring.engines.server.chat import ChatServers
from scoring.engines.server.connections import RetryPolicy
from scoring.formats.reading.boxed_answers import read_processbench
from scoring.models.asking import Answered, GenerationRequest, Message, Noticed, Sampling, other_seed
from scoring.models.critics.answer_parsers import read_answer
from servers.fault_server import ANSWER, FAULTS, Behaviour, Outcome, of, running
from servers.runs import QUICK, Run, asks
from thoroughness import THOROUGH, also, together

CHAT = "/v1/chat/completions"


def test_several_answers_come_of_one_call_with_its_tokens_told_once(run):
    with running() as server:
        done = run(server, 3, 4, Sampling(temperature=1.0, max_tokens=9), seed=7)
        assert server.seen.paths[CHAT] == 3
        assert {body["n"] for body in server.seen.bodies} == {4}
    one = done.answered[1]
    assert (one.calls, one.retries) == (1, 0)
    assert [answer.text for answer in one.answers] == [f"q1 7 {i} {ANSWER}" for i in range(4)]
    assert [answer.tokens_in for answer in one.answers] == [11, 0, 0, 0]
    assert [answer.tokens_out for answer in one.answers] == [28, None, None, None]
    assert {(answer.seed, answer.finish_reason, answer.reason) for answer in one.answers} == {(7, "stop", None)}
    assert done.noticed == []


def test_a_server_that_ignores_n_is_asked_one_by_one_with_other_seeds(run):
    with running(Behaviour(several=False)) as server:
        done = run(server, 6, 3, seed=7, concurrency=2)
        calls, bodies = server.seen.paths[CHAT], server.seen.bodies
    wanted = [f"q{i} {other_seed(7, part) if part else 7} 0 {ANSWER}" for i in range(6) for part in range(3)]
    assert [answer.text for answer in done.answers] == wanted
    assert len({answer.seed for answer in done.answers}) == 3
    assert [answer.tokens_out for answer in done.answers] == [7] * 18
    assert calls == done.calls == 18
    assert sum("n" in body for body in bodies) <= 2
    assert len(done.noticed) == 1
    assert "one by one" in done.noticed[0]


def test_what_is_begun_is_finished_first(run):
    with running(Behaviour(several=False, delay=0.005)) as server:
        run(server, 8, 4, concurrency=4)
        order = [body["messages"][0]["content"] for body in server.seen.bodies]
    # Four asks begin together; each later one begins when an earlier one is through.
    assert max(order.index(f"q{i + 4}") - len(order) + 1 + order[::-1].index(f"q{i}") for i in range(4)) < 16


def test_a_server_that_refuses_n_is_asked_one_by_one(run):
    with running(Behaviour(refuse={"n": "Only one completion choice is allowed"})) as server:
        done = run(server, 4, 3)
        assert server.seen.most_at_once <= 64
    assert all(answer.text for answer in done.answers)
    assert len(done.answers) == 12
    assert len(done.noticed) == 1


def test_surplus_answers_are_left_out_and_noticed(run):
    with running(Behaviour(surplus=2)) as server:
        done = run(server, 3, 2)
    assert len(done.answers) == 6
    assert len(done.noticed) == 1


def test_missing_logprobs_and_usage_are_noticed_once(run):
    with running(Behaviour(logprobs=False, usage=False)) as server:
        done = run(server, 5, 1, Sampling(logprobs=2))
    assert [answer.logprobs for answer in done.answers] == [None] * 5
    assert {(answer.tokens_in, answer.tokens_out) for answer in done.answers} == {(None, None)}
    assert len(done.noticed) == 2


def test_logprobs_come_where_they_are_asked_for(run):
    with running() as server:
        done = run(server, 1, 1, Sampling(logprobs=2))
    assert done.answers[0].logprobs[0].top == (("2", -0.5), ("1", -1.5))


def test_the_field_for_the_length_is_switched_once_and_for_all(run):
    words = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    with running(Behaviour(refuse={"max_tokens": words})) as server:
        done = run(server, 5, 1, Sampling(max_tokens=9), concurrency=1)
        told = [("max_tokens" in body, body.get("max_completion_tokens")) for body in server.seen.bodies]
    assert told == [(True, None), *[(False, 9)] * 5]
    assert all(answer.text for answer in done.answers)
    assert (done.calls, done.retries) == (6, 1)
    assert done.noticed == []


@pytest.mark.parametrize(("field", "sampling"), [("seed", Sampling()), ("logprobs", Sampling(logprobs=1))])
def test_what_is_left_out_because_it_was_refused_is_noticed(run, field, sampling):
    with running(Behaviour(refuse={field: f"{field} is not supported"})) as server:
        done = run(server, 4, 1, sampling, seed=3)
    assert all(answer.text for answer in done.answers)
    assert {answer.seed for answer in done.answers} == ({None} if field == "seed" else {3})
    assert len(done.noticed) == 1


@pytest.mark.parametrize(("content", "reasoning"), together([None, "", " \n"], [None, "It is \\boxed{2}"]))
def test_an_empty_answer_is_one_that_came_as_it_came(run, content, reasoning):
    message = {"role": "assistant", "content": content, "reasoning_content": reasoning}
    with running(Behaviour(message=message, finish="length")) as server:
        answer = run(server).answers[0]
        assert server.seen.paths[CHAT] == 1
    assert (answer.text, answer.reasoning, answer.finish_reason) == (content or "", reasoning, "length")
    assert (answer.reason, answer.lasting) == (None, False)
    assert None not in (answer.tokens_in, answer.tokens_out)
    # ProcessBench's box counts wherever it was generated.
    found = read_answer(read_processbench, answer.text, 3, reasoning=reasoning, finish_reason=answer.finish_reason)
    nothing = "cut at the token limit: empty answer"
    assert (found.verdict, found.reason) == ((2, None) if reasoning else (None, nothing))


def test_a_prompt_that_is_too_long_is_told_so_for_good(run):
    words = "This model's maximum context length is 16 tokens. However, your prompt contains 20 input tokens."
    with running(Behaviour(refuse={"messages": words})) as server:
        done = run(server, 20, 2)
        assert server.seen.paths[CHAT] == 20
    assert {(answer.text, answer.lasting, answer.reason) for answer in done.answers} == {
        (None, True, f"context too long: {words[:-1]}")
    }
    assert len(done.answers) == 40


def test_a_server_that_refuses_everything_ends_the_run(run):
    with (
        running(Behaviour(refuse={"temperature": "temperature must be 1"})) as server,
        pytest.raises(EngineError, match="refuses every request"),
    ):
        run(server, 100, 1, Sampling(temperature=0.0))
    assert server.seen.paths[CHAT] < 90


def test_one_that_refuses_a_few_gives_them_a_reason(run):
    with running(Behaviour(refuse={"temperature": "temperature must be 1"})) as server:
        done = run(server, 2, 2, Sampling(temperature=0.0))
    assert {answer.reason for answer in done.answers} == {"server: HTTP 400: temperature must be 1"}
    assert not any(answer.lasting for answer in done.answers)
    assert done.retries == 0


@pytest.mark.parametrize("status", [403, 451])
def test_prompts_that_are_refused_before_the_first_answer_wait_for_it(run, status):
    """Refusals are quick and answers are not: ten of the first twelve are refused before anything is answered."""
    with running(Behaviour(moderate={f"q{i}": (status, "no") for i in range(2, 10)}, delay=0.1)) as server:
        done = run(server, 12, concurrency=12)
        assert server.seen.paths[CHAT] == 12
    assert [answer.text is None for answer in done.answers] == [2 <= i < 10 for i in range(12)]
    refused = [answer for answer in done.answers if answer.text is None]
    assert {(answer.reason, answer.lasting) for answer in refused} == {(f"HTTP {status}: no", True)}
    assert done.retries == 0


def test_a_server_that_refuses_every_prompt_ends_the_run_if_it_has_answered_none(run):
    with running(Behaviour(barred=(0, 403, "no"))) as server, pytest.raises(EngineError):
        run(server, 100)
    assert server.seen.paths[CHAT] < 90


def test_a_prompt_that_is_refused_alone_and_first_is_asked_again(run):
    """Nothing says yet whether the prompt or the server is the reason."""
    with running(Behaviour(moderate={"q0": (403, "no")})) as server:
        done = run(server, 3, concurrency=1)
    assert [answer.lasting for answer in done.answers] == [False] * 3
    assert [answer.text is None for answer in done.answers] == [True, False, False]


def test_after_many_refusals_in_a_row_prompts_are_no_longer_refused_for_good(run):
    with running(Behaviour(barred=(3, 403, "no"), quota=20)) as server:
        done = run(server, 30, concurrency=1)
    assert [i for i, answer in enumerate(done.answers) if answer.text is None] == list(range(3, 23))
    assert [i for i, answer in enumerate(done.answers) if answer.lasting] == list(range(3, 10))
    assert len(done.noticed) == 1


def test_one_of_two_servers_that_refuses_every_prompt_is_set_aside(run):
    with running(Behaviour(barred=(0, 403, "no"))) as one, running(Behaviour(delay=0.01)) as other:
        done = run([one, other], 60, concurrency=4)
        assert one.seen.paths[CHAT] < 8 + 4
    assert not any(answer.lasting for answer in done.answers)
    assert sum(answer.text is None for answer in done.answers) < 8
    assert len(done.noticed) == 1


def test_what_cannot_be_used_beside_answers_is_noticed_once_and_counted(run):
    flaws = ("tokens_beyond_64_bits", "half_a_character", "finish_without_text", "logprob_nan")
    with running(Behaviour(faults=dict.fromkeys(flaws, 0.25))) as server:
        done = run(server, 12, 2, Sampling(logprobs=1))
        assert server.seen.paths[CHAT] == 12
    assert all(answer.text for answer in done.answers)
    assert sum(one.flawed for one in done.answered.values()) == 12
    assert len(done.noticed) == 4


def test_a_fault_that_stays_ends_in_a_reason(run):
    with running(Behaviour(faults={"error": 1.0})) as server:
        done = run(server, 3, 2)
        assert server.seen.paths[CHAT] == 18
    assert [answer.reason for answer in done.answers] == ["server: HTTP 500 after 6 tries"] * 6
    assert not any(answer.lasting for answer in done.answers)
    assert (done.calls, done.retries) == (18, 15)


@pytest.mark.parametrize(
    ("fault", "phrase"),
    [
        ("limit", "HTTP 429"),
        ("overload", "HTTP 503"),
        ("hang", "no answer within 0.5 s"),
        ("cut", "the connection was cut"),
        ("silent_cut", "the connection was cut"),
        ("half_json", "an answer that is not whole JSON"),
        ("not_json", "an answer that is not whole JSON"),
        ("web_page", "text/html; charset=utf-8 in place of JSON"),
    ],
)
def test_every_fault_is_tried_again_and_named(run, fault, phrase):
    with running(Behaviour(faults={fault: 1.0})) as server:
        done = run(server, 2, policy=RetryPolicy(timeout=0.5, tries=2, base=0.01))
        assert server.seen.faults == {fault: 4}
    assert {answer.reason for answer in done.answers} == {f"server: {phrase} after 2 tries"}


def test_a_slow_answer_is_an_answer(run):
    with running(Behaviour(faults={"drip": 1.0})) as server:
        done = run(server, 2, policy=RetryPolicy(timeout=10))
    assert all(answer.text for answer in done.answers)


@pytest.mark.parametrize("name", of(*set(Outcome) - {Outcome.FATAL}))
def test_each_fault_ends_as_its_outcome_says_and_costs_no_other_answer(run, name, monkeypatch):
    # A busy machine may take long for what does come.
    timeout = 0.3 if name in {"hang", "slow_headers"} else 10.0
    if name == "slow_headers":
        monkeypatch.setattr(connections, "CONNECTING", 0.3)
    policy = RetryPolicy(timeout=timeout, tries=2, base=0.01, longest=0.02)
    with running(Behaviour(faults={name: 1.0}, healthy=1)) as server:
        done = run(server, 2, 2, concurrency=1, policy=policy)
        faults = server.seen.faults[name]
    first, others = done.answers[:2], done.answers[2:]
    assert all(answer.text for answer in first)
    assert len(others) == 2
    outcome = FAULTS[name].outcome
    if outcome is Outcome.ANSWERED:
        assert all("\\boxed{2}" in answer.text for answer in others)
    else:
        assert {answer.text for answer in others} == {None}
        assert all(answer.reason for answer in others)
        assert {answer.lasting for answer in others} == {outcome is Outcome.REFUSED}
        assert (faults, done.retries) == ((2, 1) if outcome is Outcome.RETRIED else (1, 0))


@pytest.mark.parametrize("name", of(Outcome.FATAL))
def test_what_is_about_the_account_ends_the_run(run, name):
    with running(Behaviour(faults={name: 1.0}, healthy=1)) as server, pytest.raises(EngineError):
        run(server, 12, concurrency=2, policy=QUICK)


@pytest.mark.parametrize("seed", range(3 if THOROUGH else 1))
def test_with_faults_at_a_third_every_ask_ends_and_none_twice(run, seed):
    many, outcomes = 300 if THOROUGH else 150, (Outcome.RETRIED, Outcome.ANSWERED)
    shares = dict.fromkeys(of(*outcomes), 0.33 / len(of(*outcomes)))
    with running(Behaviour(faults=shares, seed=seed)) as server:
        done = run(server, many, 2, seed=7, concurrency=32, policy=RetryPolicy(timeout=2.0, base=0.01, longest=0.05))
        calls, bodies, faults = server.settled(CHAT, done.calls), server.seen.bodies, server.seen.faults
    assert sorted(done.answered) == list(range(many))
    assert all(len(one.answers) == 2 for one in done.answered.values())
    assert all((answer.text is None) == (answer.reason is not None) for answer in done.answers)
    assert all(f"q{one.index} " in a.text for one in done.answered.values() for a in one.answers if a.text)
    # Both sides count alike, whatever was cut: a request is told by its question and seed, and all but its first are
    # sent again. Only one that met a connection which the server had just dropped was never seen there.
    unseen = done.calls - calls
    assert 0 <= unseen <= faults["dropped"]
    assert done.retries == calls + unseen - len({(body["messages"][0]["content"], body["seed"]) for body in bodies})
    silent = sum(answer.text is None for answer in done.answers)
    assert silent < 6
    assert sum(faults[name] for name in of(Outcome.RETRIED)) - silent <= done.retries


def test_a_server_that_asks_to_be_left_alone_is(run):
    with running(Behaviour(faults={"limit": 1.0}, retry_after="0.3")) as server:
        start = time.monotonic()
        run(server, policy=RetryPolicy(tries=2, base=0.0))
        assert server.seen.paths[CHAT] == 2
    assert time.monotonic() - start >= 0.3


@pytest.mark.parametrize("faults", [{"endless": 0.5}, *also({"endless": 1.0})])
def test_an_answer_that_does_not_end_is_cut_off_and_told(run, faults):
    """With a limit of 9 tokens, 50 MB are no answer; and they are not asked for again."""
    with running(Behaviour(faults=faults)) as server:
        done = run(server, 4, sampling=Sampling(max_tokens=9), concurrency=2)
        assert server.sent < 4 * 50_000_000 / 5, "it was read to its end"
    reasons = {answer.reason for answer in done.answers} - {None}
    assert reasons == {"server: an answer of more than 1 MiB, which is more than it may have"}
    assert done.retries == 0


def test_the_other_server_takes_over(run):
    with running(Behaviour(faults={"limit": 1.0}, retry_after="60")) as one, running() as other:
        start = time.monotonic()
        done = run([one, other], 40, policy=RetryPolicy(base=0.01))
        assert time.monotonic() - start < 20
        # A busy machine may let one run out of time and ask again.
        assert other.seen.paths[CHAT] >= 40
    assert all(answer.text for answer in done.answers)


def test_a_second_try_goes_to_another_server(run):
    with running(Behaviour(faults={"error": 1.0})) as one, running(Behaviour(delay=0.01)) as other:
        done = run([one, other], 40, policy=RetryPolicy(tries=2, base=0.01))
        assert one.seen.paths[CHAT] > 1
    assert all(answer.text for answer in done.answers)


def test_a_server_that_asks_for_an_hour_is_asked_again_after_the_longest_wait():
    policy = RetryPolicy(base=0.01, longest=0.1)
    with running(Behaviour(faults={"limit": 1.0}, retry_after="3600")) as one, running(Behaviour(delay=0.03)) as other:
        came = answered(
            ChatServers.connect([one.url, other.url], Sampling(), concurrency=4, policy=policy).answers(asks(100))
        )
        list(islice(came, 20))
        assert 0 < one.seen.paths[CHAT] < 20
        one.behaviour.faults = {}
        list(came)
        assert one.answered > 20


def test_a_gateway_without_a_server_behind_it_is_a_server_that_is_down():
    with running(Behaviour(faults={"overload": 1.0})) as server:
        engine = ChatServers.connect([server.url], Sampling(), policy=QUICK)
        server.behaviour.unlisted = 503
        with pytest.raises(EngineError, match=r"no server can be reached for 1 s: .* \(HTTP 503\)"):
            list(engine.answers(asks(8)))


def test_no_proxy_stands_between_us_and_this_machine(run, monkeypatch):
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    with running() as server:
        assert run(server).answers[0].text


def test_requests_are_spread_over_servers(run):
    with running(Behaviour(delay=0.01)) as one, running(Behaviour(delay=0.01)) as other:
        run([one, other], 60, concurrency=8)
        assert min(one.seen.paths[CHAT], other.seen.paths[CHAT]) > 15
        assert max(one.seen.most_at_once, other.seen.most_at_once) <= 8


def answered(came):
    """Without the signs of life."""
    return (one for one in came if isinstance(one, Answered))


def test_a_server_that_goes_down_and_comes_again(run):
    with running(Behaviour(delay=0.03)) as lasting:
        with running(Behaviour(delay=0.01)) as first:
            engine = ChatServers.connect([first.url, lasting.url], Sampling(), concurrency=4, policy=QUICK)
            came = engine.answers(asks(240))
            done = {one.index for one in islice(answered(came), 20)}
        done |= {one.index for one in islice(answered(came), 40)}
        with running(Behaviour(delay=0.01), port=first.port) as again:
            rest = [one for one in came if isinstance(one, Answered)]
            assert again.seen.paths[CHAT] > 20
    assert sorted(done | {one.index for one in rest}) == list(range(240))
    assert all(one.answers[0].text for one in rest)


def test_a_server_that_was_set_aside_is_tried_with_one_request_until_it_answers(run):
    policy = RetryPolicy(timeout=5.0, base=0.01, longest=0.05, aside=0.1)
    behaviour = Behaviour(barred=(5, 402, "no credit"), quota=10, delay=0.01)
    with running(behaviour) as one, running(Behaviour(delay=0.05)) as other:
        done = run([one, other], 120, concurrency=4, policy=policy)
        assert one.answered > 20
        assert one.seen.paths[CHAT] == one.answered + 10
    assert all(answer.text for answer in done.answers)
    # Eight in a row set it aside; of the last two each was a trial.
    assert [sentence.split("/", 2)[2].split(" ", 1)[1] for sentence in done.noticed] == [
        "is set aside (HTTP 402) and tried again later; the others go on.",
        "answers again.",
    ]


def test_the_end_of_a_run_among_votes_that_are_asked_one_by_one_is_told_as_anywhere(run):
    with (
        running(Behaviour(several=False, barred=(5, 402, "no credit"))) as server,
        pytest.raises(EngineError, match="wants to be paid"),
    ):
        run(server, 20, 3, concurrency=4)


def test_a_key_that_may_not_list_the_models_may_use_them():
    with running(Behaviour(unlisted=403)) as server:
        engine = ChatServers.connect([server.url], Sampling(), model="tiny")
        assert Run(engine.answers(asks(1))).answers[0].text
        with pytest.raises(EngineError, match="does not list its models"):
            ChatServers.connect([server.url], Sampling())


def test_when_all_are_down_for_too_long_the_run_ends():
    with running() as server:
        engine = ChatServers.connect([server.url], Sampling(), concurrency=2, policy=QUICK)
        came = engine.answers(asks(200))
        next(came)
    with pytest.raises(EngineError, match=r"no server can be reached for 1 s: http://127.0.0.1:\d+ \("):
        list(came)


def test_signs_of_life_come_while_nothing_else_does():
    with running(Behaviour(faults={"hang": 1.0})) as server:
        engine = ChatServers.connect([server.url], Sampling(), policy=RetryPolicy(timeout=1.0, tries=1))
        gaps, last = [], time.monotonic()
        for one in engine.answers(asks(2)):
            gaps.append(time.monotonic() - last)
            last = time.monotonic()
            assert one is None or one.answers[0].reason
    # One about every tenth of a second, whatever else the machine does.
    assert len(gaps) >= 6


def test_asks_are_drawn_as_they_are_needed():
    drawn = []
    with running() as server:
        engine = ChatServers.connect([server.url], Sampling(), concurrency=4)
        came = engine.answers(drawn.append(ask.index) or ask for ask in asks(100))
        assert drawn == []
        given = 0
        for one in came:
            given += one is not None
            assert len(drawn) <= given + 5
    assert given == len(drawn) == 100


def test_asks_come_from_the_callers_thread():
    seen = set()
    with running() as server:
        engine = ChatServers.connect([server.url], Sampling())
        list(engine.answers(seen.add(threading.current_thread()) or ask for ask in asks(5)))
    assert seen == {threading.current_thread()}


def test_an_error_in_drawing_reaches_the_caller():
    def broken():
        yield from asks(3)
        raise KeyError("template")

    with running() as server, pytest.raises(KeyError, match="template"):
        list(ChatServers.connect([server.url], Sampling()).answers(broken()))


def test_leaving_early_cuts_what_is_under_way_and_leaves_no_thread():
    before = threading.active_count()
    with running(Behaviour(faults={"hang": 1.0})) as server:
        engine = ChatServers.connect([server.url], Sampling(), concurrency=16)
        came = engine.answers(asks(100))
        while server.seen.at_once < 16:
            next(came)
        came.close()
        # What hangs would do so for a minute.
        end = time.monotonic() + 30
        while server.seen.open and time.monotonic() < end:
            time.sleep(0.01)
        assert server.seen.open == 0
        assert threading.active_count() == before + 1
    gc.collect()


def test_nothing_to_ask_is_nothing_asked(run):
    with running() as server:
        assert run(server, 0).answered == {}
        assert run(server, 1, 0).answered[0].answers == ()
        assert server.seen.paths[CHAT] == 0


def test_the_name_says_what_runs_where():
    with running(Behaviour(owner="vllm", context=256)) as one, running(Behaviour(models=("tiny", "large"))) as other:
        engine = ChatServers.connect([one.url, other.url + "/v1", one.url], Sampling(), model="tiny")
    assert engine.name == f"vllm 0.32.0 at {one.url}; server at {other.url}, model tiny"
    assert engine.max_model_len == 256


@pytest.mark.parametrize(("urls", "concurrency"), [([], 1), (["http://127.0.0.1:1"], 0), (["nowhere"], 1)])
def test_what_cannot_be_asked_is_said_before(urls, concurrency):
    with pytest.raises(UsageError):
        ChatServers.connect(urls, Sampling(), concurrency=concurrency)


def test_a_context_shorter_than_the_answers_is_said_before():
    with (
        running(Behaviour(context=256)) as server,
        pytest.raises(EngineError, match="256 tokens does not fit into the 256"),
    ):
        ChatServers.connect([server.url], Sampling(max_tokens=256))


def test_an_ask_may_bring_its_own_sampling():
    with running() as server:
        engine = ChatServers.connect([server.url], Sampling(temperature=0.5))
        own = GenerationRequest(1, (Message("user", "q"),), sampling=Sampling(max_tokens=3))
        list(engine.answers(iter([GenerationRequest(0, (Message("user", "q"),)), own])))
        told = sorted((body.get("temperature", 0), body.get("max_tokens", 0)) for body in server.seen.bodies)
    assert told == [(0, 3), (0.5, 0)]


def test_a_next_ask_may_wait_for_an_answer():
    given = []

    def one_after_the_other():
        for index in range(5):
            while len(given) < index:
                yield None
            yield GenerationRequest(index, (Message("user", "q"),))

    with running(Behaviour(delay=0.02)) as server:
        engine = ChatServers.connect([server.url], Sampling())
        for one in engine.answers(one_after_the_other()):
            given += [one.index] if isinstance(one, Answered) else []
        assert server.seen.most_at_once == 1
    assert given == list(range(5))


def test_a_server_that_may_not_write_on_is_noticed():
    prompt = (Message("user", "q"), Message("assistant", "So far"))
    for owner, notices in (("vllm", 0), ("tests", 1)):
        with running(Behaviour(owner=owner)) as server:
            came = list(
                ChatServers.connect([server.url], Sampling()).answers(GenerationRequest(i, prompt) for i in range(3))
            )
        assert sum(isinstance(one, Noticed) for one in came) == notices


def test_equal_votes_where_they_should_differ_are_noticed(run):
    message = {"role": "assistant", "content": ANSWER}
    with running(Behaviour(message=message)) as server:
        assert ["same text" in one for one in run(server, 9, 3, Sampling(temperature=1.0)).noticed] == [True]
        assert run(server, 9, 3, Sampling(temperature=0.0)).noticed == []
