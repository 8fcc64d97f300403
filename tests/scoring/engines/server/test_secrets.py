"""A key reaches its server and nothing else."""

import pytest

from scoring.data.errors import EngineError
from scoring.engines.server.chat import ChatServers
from scoring.engines.server.connections import RetryPolicy
from scoring.models.asking import GenerationRequest, Message, Sampling
from servers.fault_server import Behaviour, running

SECRET = "sk-hunter2"  # noqa: S105  # no real one


@pytest.fixture
def key(monkeypatch):
    monkeypatch.setenv("PRM_INSPECT_API_KEY", SECRET)


def answers(engine):
    return list(engine.answers(iter([GenerationRequest(0, (Message("user", "q"),))])))


def asked_then_redirected(server, place):
    engine = ChatServers.connect([server.url], Sampling())
    server.behaviour.redirect = place
    answers(engine)


def test_the_key_is_sent_and_not_shown(key):
    with running(Behaviour(key=SECRET)) as server:
        engine = ChatServers.connect([server.url], Sampling())
        came = answers(engine)
    assert came[-1].answers[0].text
    assert SECRET not in f"{engine!r} {engine.name} {came}"


def test_without_a_key_the_variable_is_named():
    with running(Behaviour(key=SECRET)) as server, pytest.raises(EngineError) as caught:
        ChatServers.connect([server.url], Sampling())
    assert str(caught.value) == (
        f"The engine cannot run: {server.url} wants a key (HTTP 401). Set the environment variable PRM_INSPECT_API_KEY."
    )


def test_with_several_hosts_the_variable_of_the_host_is_named():
    with running(Behaviour(key=SECRET)) as server, running() as other, pytest.raises(EngineError) as caught:
        ChatServers.connect([server.url, other.url.replace("127.0.0.1", "localhost")], Sampling())
    assert "PRM_INSPECT_API_KEY_127_0_0_1." in str(caught.value)


def test_a_refused_key_ends_the_run_at_once_and_is_not_repeated(key):
    with running(Behaviour(key=SECRET)) as server:
        engine = ChatServers.connect([server.url], Sampling())
        server.behaviour.key = "another"
        with pytest.raises(EngineError, match="refuses the key in PRM_INSPECT_API_KEY") as caught:
            answers(engine)
    assert SECRET not in str(caught.value)
    assert server.seen.paths["/v1/chat/completions"] == 1


def test_a_server_that_repeats_the_key_does_not_bring_it_into_a_reason(key):
    with running(Behaviour(refuse={"messages": f"who are you, {SECRET}?"})) as server:
        came = answers(ChatServers.connect([server.url], Sampling()))
    assert came[-1].answers[0].reason == "server: HTTP 400: who are you, ***?"


@pytest.mark.parametrize("at_start", [True, False])
def test_no_redirect_takes_the_key_elsewhere(key, at_start):
    with running() as thief, running() as server:
        place = thief.url.replace("://", "://user:hunter2@") + "/?token=hunter2&"
        if at_start:
            server.behaviour.redirect = place
        with pytest.raises(EngineError, match=f"redirects to {thief.url} ") as caught:
            asked_then_redirected(server, place)
    assert "hunter2" not in str(caught.value)
    assert thief.seen.paths == {}


def test_a_fault_does_not_show_the_key(key):
    with running(Behaviour(faults={"silent_cut": 1.0})) as server:
        engine = ChatServers.connect([server.url], Sampling(), policy=RetryPolicy(tries=1))
        came = answers(engine)
    assert came[-1].answers[0].reason == "server: the connection was cut after 1 try"
    assert SECRET not in str(came)
