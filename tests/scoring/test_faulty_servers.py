"""The whole command that asks a critic, against a server of which every third request fails."""

import polars as pl
import pytest

pytest.importorskip("httpx")

import scoring_process
from scoring.cache import VoteParts
from scoring.workspace import Workspace
from servers.fault_server import Behaviour, running

CHAT = "/v1/chat/completions"
CASES, VOTES = 40, 2
FAULTS = {
    "limit": 0.06, "error": 0.05, "overload": 0.04, "cut": 0.04, "silent_cut": 0.03, "half_json": 0.03,
    "wrong_type": 0.02, "not_json": 0.02, "hang": 0.01,
}  # fmt: skip
"""After these a request is sent again: 30 of 100."""
ODD = {"wrong_n": 0.03, "drip": 0.02, "no_usage": 0.02}
"""In these an answer is found."""


@pytest.fixture
def root(tmp_path):
    Workspace.create(tmp_path / "ws")
    return tmp_path / "ws"


def asked(root, server, *more):
    """Exit code, start and end of a run."""
    words = ("--critic", "processbench", "--votes", VOTES, "--limit", CASES, "--server", server.url, *more)
    code, events, err = scoring_process.ran("score", "demo", "-w", root, *words)
    assert events, err
    return code, scoring_process.only(events, "start"), scoring_process.only(events, "end")


def kept(root):
    (folder,) = root.glob("rewards/*")
    frame, problems = VoteParts(folder).read()
    assert problems == []
    assert frame.height == frame.select("key", "run", "vote").n_unique()
    return frame


def test_at_thirty_of_a_hundred_faults_every_case_ends_scored_or_with_a_reason(root):
    assert sum(FAULTS.values()) == pytest.approx(0.3)
    with running(Behaviour(faults=FAULTS | ODD)) as server:
        code, start, end = asked(root, server, "--timeout", "5", "--concurrency", "16")
        calls, faults = server.settled(CHAT, end["asked"]["calls"]), dict(server.seen.faults)
        requests = {(body["messages"][-1]["content"], body["seed"]) for body in server.seen.bodies}
    assert (end["status"], end["left"]) == ("done", 0)
    assert end["scored"] + end["refused"] == start["to_do"] == CASES
    assert code == (1 if end["refused"] else 0)
    frame = kept(root)
    silent = frame.filter(pl.col("answer").is_null())
    assert frame.height == end["asked"]["answers"] == CASES * VOTES
    assert all(reason.startswith("no answer: server: ") for reason in silent["reason"])
    assert end["asked"]["unanswered"] == silent.height
    assert frame["verdict"].null_count() == silent.height
    # By the server's own figures: each fault is one request more, but the last of those that were given up.
    assert sum(faults.get(name, 0) for name in FAULTS) > 5
    assert end["asked"]["calls"] == calls
    assert end["asked"]["retries"] == calls - len(requests)
    assert end["asked"]["retries"] == sum(faults.get(name, 0) for name in FAULTS) - silent["key"].n_unique()


def test_what_a_server_failed_to_answer_is_asked_again_when_it_is_well(root):
    with running(Behaviour(faults={"error": 1.0})) as server:
        code, start, end = asked(root, server, "--tries", "2")
        assert (code, end["status"], end["refused"], end["left"]) == (1, "done", CASES, 0)
        assert (end["asked"]["calls"], end["asked"]["retries"]) == (2 * CASES, CASES)
        assert server.seen.faults == {"error": 2 * CASES}
        assert set(kept(root)["reason"]) == {"no answer: server: HTTP 500 after 2 tries"}
        server.behaviour.faults = {}
        code, start, end = asked(root, server)
        assert (code, start["to_do"], end["scored"], end["refused"]) == (0, CASES, CASES, 0)
        assert (end["asked"]["calls"], end["asked"]["retries"]) == (CASES, 0)
        code, start, end = asked(root, server)
        assert (start["cached"], start["to_do"], server.seen.paths[CHAT]) == (CASES, 0, 3 * CASES)
    assert kept(root)["answer"].null_count() == 0


@pytest.mark.parametrize(("thoughts", "reason"), [("\\boxed{-1}", None), ("hm", "empty answer (reasoning alone)")])
def test_thoughts_without_an_answer_came_and_are_read_as_the_protocol_says(root, thoughts, reason):
    with running(Behaviour(message={"role": "assistant", "content": None, "reasoning_content": thoughts})) as server:
        code, start, end = asked(root, server)
        assert (code, end["scored"], end["refused"]) == (0, start["to_do"], 0)
        assert (end["asked"]["unanswered"], end["asked"]["unparsed"]) == (0, CASES * VOTES if reason else 0)
    frame = kept(root)
    assert set(frame["answer"]) == {""}
    assert set(frame["reasoning"]) == {thoughts}
    assert set(frame["reason"]) == {reason}
    assert set(frame["verdict"]) == {None if reason else -1}
