"""A critic on `transformers serve`, which gives one answer a call and no log-probabilities, and says neither."""

import polars as pl
import pytest

import scoring_process
from scoring.workspace.cache import VoteParts
from scoring.workspace.workspace import Workspace

pytestmark = pytest.mark.serve

CASES, VOTES = 3, 2


def asked(root, server, model, *more, cases=CASES):
    words = ("--critic", "processbench", "--votes", VOTES, "--max-tokens", "24", "--limit", cases)
    place = ("--server", server, "--model", model, "--concurrency", "4")
    return scoring_process.ran("score", "demo", "-w", root, *words, *place, *more)


def kept(root):
    (folder,) = root.glob("rewards/*")
    frame, problems = VoteParts(folder).read()
    assert problems == []
    return frame


def texts(frame):
    """How many different answers each case was given."""
    return frame.group_by("key").agg(pl.col("answer").n_unique())["answer"].to_list()


def notices(events):
    return [event["sentence"] for event in events if event["event"] == "notice"]


def test_what_it_ignores_is_noticed_and_every_answer_is_there(server, folder, tmp_path):
    model, root = folder("drawing", {"do_sample": True}), tmp_path / "ws"
    Workspace.create(root)
    code, events, err = asked(root, server, model, "--logprobs", "2")
    assert code in {0, 1}, err
    end, frame = scoring_process.only(events, "end"), kept(root)
    assert (end["status"], end["left"]) == ("done", 0)
    told = end["asked"]
    assert (told["wanted"], told["answers"], told["unanswered"], told["retries"]) == (CASES * VOTES,) * 2 + (0, 0)
    # One call gave one answer in place of two, and the others were asked for one by one.
    assert told["calls"] == CASES * VOTES
    assert frame.height == CASES * VOTES
    assert frame["answer"].null_count() == 0
    assert frame["logprobs"].null_count() == frame.height
    assert frame["seed"].n_unique() == VOTES
    assert texts(frame) == [VOTES] * CASES
    assert frame["tokens_in"].sum() == told["tokens_in"] > 0
    assert sorted(notices(events)) == [
        f"{server} does not give several answers a call, so votes are asked for one by one.",
        f"{server} gives no log-probabilities, although asked for them.",
    ]
    code, events, err = asked(root, server, model, "--logprobs", "2")
    assert code in {0, 1}, err
    assert scoring_process.only(events, "start")["to_do"] == 0


def test_answers_that_are_not_drawn_are_noticed(server, folder, tmp_path):
    """The server draws only where the model's own settings say so, whatever temperature it is asked for."""
    Workspace.create(tmp_path)
    code, events, err = asked(tmp_path, server, folder("greedy", None), cases=8)
    assert code in {0, 1}, err
    frame = kept(tmp_path)
    assert texts(frame) == [1] * 8
    assert any("the same text" in sentence for sentence in notices(events))


def test_a_model_that_is_not_named_is_asked_for(server, tmp_path):
    Workspace.create(tmp_path)
    words = ("score", "demo", "-w", tmp_path, "--critic", "processbench", "--server", server)
    code, events, err = scoring_process.ran(*words)
    assert code == 2, err
    # From version 5.24 it lists what other tests made it load.
    asked_for = {"Give the model's name.", "Choose one by its name."}
    assert scoring_process.only(events, "end")["error"]["next_step"] in asked_for
