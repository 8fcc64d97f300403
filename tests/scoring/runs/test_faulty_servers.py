"""The whole command that asks a critic, against servers that fail in every way."""

import json
import random

import polars as pl
import pytest

pytest.importorskip("httpx")

import scoring_process
from killed import KILLS, ask_quickly, told_until_killed
from scoring.__main__ import main
from scoring.engines.server import connections
from scoring.models.asking import Message, prompt_hash
from scoring.workspace.cache import VoteParts
from scoring.workspace.workspace import Workspace
from servers.fault_server import Behaviour, Outcome, of, running
from servers.runs import QuickRetryPolicy
from thoroughness import also

CHAT = "/v1/chat/completions"
CASES, VOTES = 28, 2


@pytest.fixture
def root(tmp_path):
    Workspace.create(tmp_path / "ws")
    return tmp_path / "ws"


def words_for(root, *servers):
    places = [word for server in servers for word in ("--server", server.url)]
    return ("score", "demo", "-w", root, "--critic", "processbench", "--votes", VOTES, "--limit", CASES, *places)


def asked(root, server, *more):
    """Exit code, start and end of a run."""
    code, events, err = scoring_process.ran_here(*words_for(root, server), *more)
    assert events, err
    return code, scoring_process.only(events, "start"), scoring_process.only(events, "end")


def kept(root):
    (folder,) = root.glob("rewards/*")
    frame, problems = VoteParts(folder).read()
    assert problems == []
    assert frame.height == frame.select("key", "run", "vote").n_unique()
    return frame


@pytest.mark.parametrize("share", [0.3, 0.7])
def test_with_every_kind_of_fault_every_case_ends_scored_or_with_a_reason(root, share, monkeypatch):
    monkeypatch.setattr(connections, "RetryPolicy", QuickRetryPolicy)
    kinds = of(*set(Outcome) - {Outcome.FATAL})
    with running(Behaviour(faults=dict.fromkeys(kinds, share / len(kinds)), healthy=16)) as server:
        words = (*words_for(root, server), "--limit", 240, "--runs", 2, "--timeout", 1, "--concurrency", 16)
        code, events, err = scoring_process.ran_here(*words)
        end, asked_for = scoring_process.only(events, "end"), scoring_process.only(events, "end")["asked"]
        calls, faults = server.settled(CHAT, asked_for["calls"]), server.seen.faults.copy()
        requests = {(body["messages"][-1]["content"], body["seed"]) for body in server.seen.bodies}
        frame = kept(root)
        server.behaviour.faults = {}
        _, again, _ = scoring_process.ran_here(*words)
    assert (err, end["status"], end["left"]) == ("", "done", 0)
    assert set(kinds) == set(faults)
    assert end["scored"] + end["refused"] == scoring_process.only(events, "start")["to_do"] == 240
    assert code == (1 if end["refused"] else 0)
    # Every vote is there once, with an answer or a reason, and the counts are those of the rows.
    silent = frame.filter(pl.col("answer").is_null())
    assert frame.height == asked_for["answers"] == end["saved"] == 240 * 2 * VOTES
    assert silent["reason"].null_count() == 0
    assert frame["verdict"].null_count() == silent.height == asked_for["unanswered"]
    assert asked_for["tokens_in"] == frame["tokens_in"].sum()
    assert asked_for["tokens_out"] == frame["tokens_out"].sum()
    assert asked_for["flawed"] > 0
    # The server counts alike. Only a request that met a connection which it had just dropped was never seen there.
    unseen = asked_for["calls"] - calls
    assert 0 <= unseen <= faults["dropped"]
    assert asked_for["retries"] == calls + unseen - len(requests)
    # What may be answered another time is asked again, and what was refused for good is not.
    is_refused = pl.col("reason").str.starts_with("refused: ")
    refused, failed = (set(silent.filter(kind)["key"]) for kind in (is_refused, ~is_refused))
    assert 0 < len(refused) <= sum(faults[name] for name in of(Outcome.REFUSED))
    start, end = scoring_process.only(again, "start"), scoring_process.only(again, "end")
    assert start["to_do"] == end["scored"] + end["refused"] == len(failed)
    assert set(kept(root).filter(pl.col("answer").is_null())["key"]) == refused


def test_what_a_server_failed_to_answer_is_asked_again_when_it_is_well(root):
    few = ("--limit", 10)
    with running(Behaviour(faults={"error": 1.0})) as server:
        code, start, end = asked(root, server, "--tries", "2", *few)
        assert (code, end["status"], end["refused"], end["left"]) == (1, "done", 10, 0)
        assert (end["asked"]["calls"], end["asked"]["retries"]) == (20, 10)
        assert server.seen.faults == {"error": 20}
        assert set(kept(root)["reason"]) == {"no answer: server: HTTP 500 after 2 tries"}
        server.behaviour.faults = {}
        code, start, end = asked(root, server, *few)
        assert (code, start["to_do"], end["scored"], end["refused"]) == (0, 10, 10, 0)
        assert (end["asked"]["calls"], end["asked"]["retries"]) == (10, 0)
        code, start, end = asked(root, server, *few)
        assert (start["cached"], start["to_do"], server.seen.paths[CHAT]) == (10, 0, 30)
    assert kept(root)["answer"].null_count() == 0


@pytest.mark.parametrize("kind", ["tokens_beyond_64_bits", "tokens_that_overflow_sums"])
def test_token_counts_that_cannot_be_right_are_null_and_cost_no_answer(root, kind):
    with running(Behaviour(faults={kind: 1.0})) as server:
        code, events, err = scoring_process.ran_here(*words_for(root, server))
    end = scoring_process.only(events, "end")
    assert (code, err, end["scored"], end["asked"]["flawed"]) == (0, "", CASES, CASES)
    assert len([event for event in events if event["event"] == "notice"]) == 1
    frame = kept(root)
    assert frame["answer"].null_count() == 0
    assert frame["tokens_in"].null_count() == frame["tokens_out"].null_count() == CASES * VOTES


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


KEY = "sk-proj-4f7Qx9TnB2mLw8"


def texts_in(folder):
    """Every text of every file in a folder."""
    for path in folder.rglob("*"):
        if path.suffix == ".parquet":
            frame = pl.read_parquet(path).select(pl.selectors.string())
            yield from (text for column in frame for text in column.drop_nulls())
        elif path.is_file():
            yield path.read_text()


@pytest.mark.parametrize("told", [KEY, "sk-proj-of-somebody-else-0123456789"])
@pytest.mark.parametrize("where", ["error", "answer", "reasoning", "finish"])
def test_a_key_that_a_server_repeats_is_neither_shown_nor_stored(root, told, where):
    behaviour = Behaviour(key=KEY, faults={"echo": 1.0} if where == "error" and told == KEY else {})
    if where == "error" and told != KEY:
        behaviour.moderate = {"": (400, f"your other key {told} is better")}
    behaviour.finish = told if where == "finish" else "stop"
    if where in {"answer", "reasoning"}:
        behaviour.message = {"role": "assistant", "content": "\\boxed{1}", "reasoning_content": "hm"}
        behaviour.message["content" if where == "answer" else "reasoning_content"] = f"It is {told}: \\boxed{{-1}}"
    with running(behaviour) as server:
        code, out, err = told_by(root, server)
    assert told not in out + err
    texts = list(texts_in(root))
    assert code in {0, 1, 2}
    assert any("***" in text for text in texts)
    assert not [text for text in texts if told in text]


def told_by(root, *servers):
    """Exit code and both outputs of a run with a key."""
    words = (*words_for(root, *servers), "--limit", 8, "--tries", "1", "--concurrency", "4")
    environment = {**scoring_process.NO_HUB, "PRM_INSPECT_API_KEY": KEY}
    return scoring_process.captured(lambda: main([str(word) for word in words]), env=environment)


@pytest.mark.parametrize(
    ("status", "words", "again"),
    [
        (403, "Your input was flagged by moderation.", 0),
        (403, "no", 0),
        (451, "no", 0),
        (400, "no", 1),
        (302, "there", 1),
        (404, "gone", 1),
    ],
)
def test_one_prompt_that_a_server_declines_is_a_case_with_a_reason_and_the_others_are_scored(
    root, status, words, again
):
    question = question_of(root)
    with running(Behaviour(moderate={question: (status, words)})) as server:
        few = ("--concurrency", "1", "--limit", 10)
        code, _, end = asked(root, server, *few)
        assert (code, end["status"], end["scored"], end["refused"], end["left"]) == (1, "done", 9, 1, 0)
        silent = kept(root).filter(pl.col("answer").is_null())
        (reason,) = set(silent["reason"])
        assert f"HTTP {status}" in reason
        # What nobody will ever answer is not asked again.
        _, start, _ = asked(root, server, *few)
        assert start["to_do"] == again


def question_of(root):
    """Words of one prompt that no other has, of a case that is not the first."""
    _, texts = Workspace.open(root).cases(["demo"])
    problems = texts.frame()["problem"].head(10)
    return next(problem for problem in problems[3:] if sum(problem in other for other in problems) == 1)


def test_a_key_that_is_revoked_ends_the_run_and_nothing_is_lost(root):
    with running(Behaviour(barred=(20, 401, "no more"))) as server:
        code, _, err = scoring_process.ran_here(*words_for(root, server), "--concurrency", "2", "--tries", "2")
        assert code == 2
        assert "wants a key (HTTP 401). Set the environment variable PRM_INSPECT_API_KEY." in err
        saved = kept(root).filter(pl.col("answer").is_not_null()).height
        assert saved == 20 * VOTES
        server.behaviour.barred = None
        code, _, end = asked(root, server)
        assert (code, end["status"], end["left"]) == (0, "done", 0)
    assert kept(root)["answer"].null_count() == 0


def test_one_of_two_servers_that_turns_bad_is_set_aside_and_the_other_does_its_work(root):
    with running(Behaviour(barred=(5, 402, "no credit"), delay=0.01)) as one, running(Behaviour(delay=0.01)) as other:
        code, events, _ = scoring_process.ran_here(*words_for(root, one, other), "--concurrency", "4")
        end = scoring_process.only(events, "end")
        notices = [event["sentence"] for event in events if event["event"] == "notice"]
        assert (code, end["status"], end["refused"], end["left"]) == (0, "done", 0, 0)
        assert notices == [f"{one.url} is set aside (HTTP 402) and tried again later; the others go on."]
        assert one.answered == 5
        # What was under way when it was set aside came to it as well.
        assert 5 + 8 <= one.seen.paths[CHAT] < 5 + 8 + 4
    assert kept(root)["answer"].null_count() == 0


@pytest.mark.parametrize("seed", [0, *also(1, 2)])
def test_kills_at_random_moments_lose_no_saved_answer_and_none_is_asked_for_again(root, seed):
    moments, faults = random.Random(seed), ("error", "cut", "half_json", "dropped", "tokens_beyond_64_bits")
    behaviour, saved = Behaviour(faults=dict.fromkeys(faults, 0.06), seed=seed, delay=0.02), 0
    with running(behaviour) as server:
        words = (*words_for(root, server), "--limit", 240, "--concurrency", 4)
        for _ in range(KILLS):
            begun, answered = len(server.seen.bodies), answered_prompts(root)
            told = told_until_killed(moments, 8, ask_quickly, *map(str, words))
            saved += sum(event["rows"] for event in map(json.loads, told) if event["event"] == "saved")
            assert len(answered_prompts(root)) * VOTES >= saved
            assert answered_prompts(root) >= answered
            assert not answered & {prompt_of(body) for body in server.seen.bodies[begun:]}
        begun, answered = len(server.seen.bodies), answered_prompts(root)
        code, start, end = asked(root, server, "--limit", 240, "--concurrency", 16)
        assert not answered & {prompt_of(body) for body in server.seen.bodies[begun:]}
    assert 0 < saved < 240 * VOTES
    assert (code, start["cached"], end["scored"], end["left"]) == (0, len(answered), 240 - len(answered), 0)
    frame = kept(root)
    assert (frame.height, frame["answer"].null_count()) == (240 * VOTES, 0)
    # Nothing is kept twice in the files either, and each answer is the one to its own prompt.
    (folder,) = root.glob("rewards/*")
    assert sum(pl.read_parquet(path).height for path in VoteParts(folder).parts()) == 240 * VOTES


def answered_prompts(root):
    """The prompts of answers that are saved, as they are hashed there."""
    return {prompt for folder in root.glob("rewards/*") for prompt in VoteParts(folder).read()[0]["prompt"]}


def prompt_of(body):
    return prompt_hash(tuple(Message(message["role"], message["content"]) for message in body["messages"]))
