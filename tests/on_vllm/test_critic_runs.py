"""A critic on a real vLLM server, killed in the middle and begun again: what the server itself has counted."""

import json
import time

import polars as pl
import pytest

pytest.importorskip("torch")
pytest.importorskip("httpx")

import scoring_process
from scoring.evaluation.verdicts import NO_VERDICT  # stands with the ones around it
from scoring.evaluation.votes import tally  # stands with the ones around it
from scoring.workspace.cache import VoteParts  # stands with the ones around it
from scoring.workspace.workspace import Workspace  # stands with the ones around it
from servers import vllm_server  # needs httpx

pytestmark = pytest.mark.vllm

CASES, VOTES, IN_FLIGHT, TOKENS = 60, 8, 4, 32
SECOND = 1.5
"""What is said of the last second, with time for a part to be written."""


def settled(url):
    """The server's figures once it has nothing left to do: a request that was cut counts when that is noticed."""
    end, last = time.monotonic() + 60, None
    while time.monotonic() < end:
        told = vllm_server.counted(url)
        if told == last and not told["running"] and not told["waiting"]:
            return told
        last = told
        time.sleep(0.5)
    raise AssertionError(f"it does not come to rest: {last}")


def words(root, url, *more):
    asked = ("--critic", "processbench", "--votes", VOTES, "--max-tokens", TOKENS, "--limit", CASES)
    return ("score", "demo", "-w", root, *asked, "--server", url, "--concurrency", IN_FLIGHT, *more)


def until_half(process):
    """Kill the run when half of its answers have come; the moment and the last figures of its own."""
    for line in process.stdout:
        event = json.loads(line)
        if event["event"] == "progress" and event["asked"]["answers"] >= CASES * VOTES // 2:
            process.kill()
            return time.monotonic(), event["asked"]
    raise AssertionError(f"it ended before it was killed: {process.stderr.read()}")


def test_killed_at_half_and_begun_again_nothing_saved_is_asked_again(tmp_path, generate_server, record_property):
    url, root = generate_server, tmp_path / "ws"
    workspace = Workspace.create(root)
    before = settled(url)
    with vllm_server.Watch(url, time.monotonic) as watch:
        with scoring_process.started(*words(root, url)) as process:
            killed, asked = until_half(process)
        half = settled(url)
    (folder,) = root.glob("rewards/*")
    saved = VoteParts(folder).read()[0]
    parts = {path: path.read_bytes() for path in VoteParts(folder).parts()}
    contents = saved["key"].n_unique()
    assert saved.height == VOTES * contents
    assert 0 < saved.height < CASES * VOTES

    code, events, err = scoring_process.ran(*words(root, url))
    assert code in {0, 1}, err
    after = settled(url)
    start, end = scoring_process.only(events, "start"), scoring_process.only(events, "end")
    assert (start["contents"], start["cached"], start["to_do"]) == (CASES, contents, CASES - contents)
    assert end["asked"]["calls"] - end["asked"]["retries"] == CASES - contents
    # By the server's own figures: the second run asks for what is missing, and for nothing else.
    assert after["requests"] - half["requests"] == end["asked"]["calls"] == CASES - contents
    assert after["answers"] - half["answers"] == VOTES * (CASES - contents)
    first = half["requests"] - before["requests"]
    repeats = first + (CASES - contents) - CASES
    late = half["answers"] - watch.answers_at(killed - SECOND)
    assert 0 <= repeats <= IN_FLIGHT + late / VOTES
    assert {path: path.read_bytes() for path in parts} == parts
    frame, problems = VoteParts(folder).read()
    assert problems == []
    assert frame.height == frame.select("key", "run", "vote").n_unique() == CASES * VOTES
    rows = pl.concat(pl.read_parquet(path, columns=["key", "vote"]) for path in VoteParts(folder).parts())
    assert rows.height == CASES * VOTES, "an answer was kept twice"
    record_property("killed after answers", asked["answers"])
    record_property("answers saved by then", saved.height)
    record_property("requests of the first run, of the second", f"{first}, {CASES - contents}")
    record_property("requests repeated", repeats)
    record_property("requests that vLLM ran together, of its seats", f"{watch.busy():.1f} of {vllm_server.SEATS}")

    assert_on_the_board(workspace, root, frame, url)
    assert vllm_server.counted(url)["requests"] == after["requests"], "looking asked the server"


def assert_on_the_board(workspace, root, frame, url):
    """Verdicts, reasons and votes as commands tell them; and the whole command finds nothing to do."""
    cases = workspace.cases(["demo"])[0].head(CASES)
    found = tally(cases, frame)
    assert found.most == VOTES
    assert found.answered.all()
    assert all((verdict == NO_VERDICT) == bool(why) for verdict, why in zip(found.verdicts, found.reasons, strict=True))
    assert len({*found.verdicts.tolist()} - {NO_VERDICT}) > 1
    assert sum(count for case in cases["case"] for _, count, _ in found.of(case)) == CASES * VOTES
    name = json.loads(next(root.glob("rewards/*/scorer.json")).read_text())["name"]
    code, told = scoring_process.said(*words(root, url), module="inspector.cli")
    assert code in {0, 1}, told
    shown = ("--benchmark", "demo", "--scorer", name, "-w", root)
    code, told = scoring_process.said("metrics", *shown, module="inspector.cli")
    assert (code, name in told) == (0, True), told
    code, told = scoring_process.said("votes", *shown, module="inspector.cli")
    assert (code, f"With {VOTES} votes a case" in told) == (0, True), told
    code, told = scoring_process.said("show", cases["case"][0], "--scorer", name, "-w", root, module="inspector.cli")
    assert code == 0, told
