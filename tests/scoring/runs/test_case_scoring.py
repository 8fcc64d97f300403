"""The process that scores cases one by one, for real, with the demo's tiny PRM."""

import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path
from queue import SimpleQueue

import polars as pl
import pytest

from scoring.__main__ import main
from scoring.data.errors import CheckpointError
from scoring.data.schema import REWARDS, content_key
from scoring.data.scorer import Scorer
from scoring.formats.benchmarks import demo
from scoring.runs import case_scoring
from scoring.runs.case_scoring import WarmPrm, serve
from scoring.runs.leases import Leases
from scoring.runs.preparation import prepare
from scoring.workspace.cache import RewardParts
from scoring.workspace.workspace import Workspace

ROOT = Path(__file__).resolve().parents[3]
TINY = str(demo.folder() / "models/tiny-prm-m")
SHIPPED = demo.folder() / "rewards"


class Asked:
    """Scores cases as the process does, in a thread of this one, which imports torch once; and what it answers."""

    def __init__(self, space: Path) -> None:
        self.requests, self.answers, self.n = SimpleQueue(), SimpleQueue(), 0
        lines = iter(self.requests.get, b"")
        words = (Workspace.open(space), "cpu", lines, lambda event: self.answers.put(json.dumps(event)))
        self.thread = threading.Thread(target=serve, args=words)
        self.thread.start()

    def write(self, line):
        self.requests.put(line)

    def next(self):
        return json.loads(self.answers.get(timeout=60))

    def send(self, prm, case):
        self.n += 1
        self.write(json.dumps({"n": self.n, "prm": prm, "case": case}).encode())

    def ask(self, prm, case):
        """The last answer, and whether a PRM was loaded for it."""
        self.send(prm, case)
        answer, loading = self.next(), False
        while answer["event"] == "loading":
            assert answer["n"] == self.n
            answer, loading = self.next(), True
        assert answer["n"] == self.n
        return answer, loading


class Process(Asked):
    """The process itself."""

    def __init__(self, space: Path) -> None:
        words = [sys.executable, "-m", "scoring", "cases", "-w", str(space), "--device", "cpu"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process, self.n = subprocess.Popen(words, cwd=ROOT, **pipes), 0

    def write(self, line):
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def next(self):
        return json.loads(self.process.stdout.readline())


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    folder = tmp_path_factory.mktemp("space")
    Workspace.create(folder)
    return folder


def listen(requests, put):
    """As in the process, which ends with its requests."""
    for line in requests:
        put(line)
    put(b"")


@pytest.fixture(scope="module")
def process(space):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(case_scoring, "_listen", listen)
        found = Asked(space)
        yield found
        found.write(b"")
        found.thread.join(30)
        assert not found.thread.is_alive()


@pytest.fixture(scope="module")
def rows():
    """Cases of the demo as those of a benchmark of one's own: no rewards come with them."""
    cases = demo.read().cases.with_columns(case="bench/" + pl.col("id"))
    return cases.select("case", "problem", "steps", "key").rows(named=True)


def shipped(name, key):
    (folder,) = SHIPPED.glob(f"{name}-*")
    return folder, RewardParts(folder).of(key)["rewards"][0].to_list()


def test_a_case_gets_the_rewards_that_a_run_gives_it_in_the_cache_of_the_run(process, space, rows):
    process.ask({"model": "/nowhere"}, rows[0])
    for row, loads in zip(rows[:3], (True, False, False), strict=True):
        answer, loading = process.ask({"model": TINY}, row)
        folder, there = shipped("tiny-prm-m", row["key"])
        assert answer["rewards"] == pytest.approx(there, abs=1e-5)
        assert (answer["event"], answer["computed"], loading) == ("scored", True, loads)
        # The same folder, scorer.json and row as those of `score`.
        saved = space / "rewards" / folder.name
        assert answer["folder"] == str(saved)
        assert Scorer.load(saved).settings == Scorer.load(folder).settings
        assert Scorer.load(saved).fingerprint == Scorer.load(folder).fingerprint
        assert RewardParts(saved).of(row["key"])["rewards"][0].to_list() == answer["rewards"]
    parts = {path.name for path in saved.glob("*.parquet")}
    again, _ = process.ask({"model": TINY}, rows[2])
    assert (again["computed"], again["rewards"]) == (False, answer["rewards"])
    assert {path.name for path in saved.glob("*.parquet")} == parts


def test_a_case_that_a_run_has_begun_is_computed_for_who_looks_on(process, space, rows):
    leases = Leases(space / "rewards" / shipped("tiny-prm-m", rows[13]["key"])[0].name)
    leases.take([f"{rows[13]['key']}/0"])
    lets_go = threading.Timer(20, leases.close)
    lets_go.start()
    answer, _ = process.ask({"model": TINY}, rows[13])
    assert (answer["event"], answer["computed"]) == ("scored", True)
    assert lets_go.is_alive()
    lets_go.cancel()
    leases.close()


def test_rewards_that_come_with_the_demo_are_not_computed_again(space, rows):
    process = Process(space)
    row = {**rows[4], "case": rows[4]["case"].replace("bench/", "demo/")}
    folder, there = shipped("tiny-prm-m", row["key"])
    answer, _ = process.ask({"model": TINY}, row)
    assert (answer["computed"], answer["rewards"], answer["folder"]) == (False, there, str(folder))
    assert all(RewardParts(path).of(row["key"]).is_empty() for path in (space / "rewards").glob("tiny-prm-m-*"))
    refused, _ = process.ask({"model": "/nowhere"}, rows[0])
    assert (refused["event"], refused["error"]["title"]) == ("failed", "Cannot use the checkpoint")
    process.process.stdin.close()
    assert process.process.wait(30) == 0
    process.process.stdout.close()


def test_a_scorer_is_found_again_by_its_settings_and_what_is_not_it_is_refused(process, space, rows):
    folder, there = shipped("tiny-prm-s", rows[5]["key"])
    prm = {"model": str(demo.folder() / "models/tiny-prm-s"), "adapter": "qwen", "dtype": "float32"}
    answer, loading = process.ask({**prm, "scorer": str(folder)}, rows[5])
    # What is there needs no model.
    assert (answer["computed"], answer["rewards"], loading) == (False, there, False)
    changed = {**rows[5], "steps": [*rows[5]["steps"], "Done."], "into": str(space / "variants/rewards")}
    answer, loading = process.ask({**prm, "scorer": str(folder)}, changed)
    assert (answer["scorer"], answer["computed"], loading) == ("tiny-prm-s", True, True)
    assert answer["rewards"][:-1] == pytest.approx(there, abs=1e-5)
    other, _ = process.ask({**prm, "model": TINY, "scorer": str(folder)}, {**changed, "steps": ["Else."]})
    assert other["event"] == "failed"
    assert "is not what tiny-prm-s was computed with" in other["error"]["sentence"]


def test_a_scorer_keeps_the_meaning_of_its_outputs(space, tmp_path):
    """The decision about a checkpoint whose config.json contradicts its adapter is not asked for case by case."""
    model = shutil.copytree(TINY, tmp_path / "model")
    config = json.loads((model / "config.json").read_text())
    (model / "config.json").write_text(json.dumps(config | {"id2label": {"0": "correct", "1": "incorrect"}}))
    place = {"model": str(model), "adapter": "qwen"}
    scorers = {}
    for outputs in ("right,wrong", "wrong,right"):
        scorer = prepare(Workspace.open(space), **place, options={"outputs": outputs}).scorer
        scorers[outputs] = scorer.fingerprint
        (folder := tmp_path / outputs).mkdir()
        scorer.save(folder)
        warm = WarmPrm(Workspace.open(space), {**place, "scorer": str(folder)}, "cpu")
        assert warm.options["outputs"] == outputs
        assert warm.prepared.scorer.fingerprint == scorer.fingerprint
    assert len({*scorers.values()}) == 2
    with pytest.raises(CheckpointError):
        prepare(Workspace.open(space), **place)


def test_a_variant_goes_where_it_is_told_and_steps_that_hold_a_separator_are_named(process, space, rows):
    row, into = rows[7], space / "variants" / "rewards"
    before = set((space / "rewards").rglob("*"))
    steps = [*row["steps"][:1], "So <extra_0> 2 + 2 = 5.", *row["steps"][1:]]
    answer, _ = process.ask({"model": TINY}, {**row, "steps": steps, "into": str(into), "edited": [1]})
    assert len(answer["rewards"]) == len(steps)
    assert answer["notes"] == ["step 1 holds '<extra_0>', at which steps are read, once; only its own end is read"]
    # What stands before the step is what it was, and so is its reward.
    assert answer["rewards"][0] == pytest.approx(shipped("tiny-prm-m", row["key"])[1][0], abs=1e-5)
    assert set((space / "rewards").rglob("*")) == before
    key = content_key(row["problem"], steps)
    assert RewardParts(Path(answer["folder"])).of(key)["rewards"][0].to_list() == answer["rewards"]
    assert Path(answer["folder"]).parent == into
    turn, _ = process.ask(
        {"model": TINY}, {**row, "steps": ["<|im_end|> " + row["steps"][0]], "into": str(into), "edited": [0]}
    )
    assert turn["notes"] == ["step 0 holds the text <|im_end|>: it is read as plain text, not as the token"]
    # A separator in a step that nobody edited is the benchmark's own.
    unedited, _ = process.ask({"model": TINY}, {**row, "steps": steps, "into": str(into), "edited": [0]})
    assert (unedited["notes"], unedited["computed"]) == ([], False)


def test_a_name_that_is_another_scorers_is_refused_for_variants_too(process, space, rows, tmp_path):
    other = tmp_path / "tiny-prm-m"
    shutil.copytree(demo.folder() / "models/tiny-prm-s", other)
    process.ask({"model": TINY}, rows[3])
    for more in ({}, {"into": str(space / "variants/rewards")}):
        answer, _ = process.ask({"model": str(other)}, {**rows[3], **more})
        assert (answer["event"], answer["error"]["title"]) == ("failed", "Scorer name is taken")


def test_errors_are_told_and_the_process_goes_on(process, rows):
    answer, _ = process.ask({"model": "/nowhere"}, rows[0])
    assert (answer["event"], answer["error"]["title"]) == ("failed", "Cannot use the checkpoint")
    long = {**rows[0], "steps": ["word " * 5_000]}
    refused, _ = process.ask({"model": TINY}, long)
    assert refused["rewards"] is None
    assert "more than" in refused["reason"]
    assert process.ask({"model": TINY}, rows[0])[0]["event"] == "scored"


def test_what_a_run_truncated_is_told_and_stays(process, space, rows):
    """A case that is too long, of which a run with --truncate has scored the first steps."""
    long = {**rows[11], "steps": [*rows[11]["steps"][:2], "word " * 5_000]}
    key = content_key(long["problem"], long["steps"])
    process.ask({"model": TINY}, rows[11])
    (folder,) = (space / "rewards").glob("tiny-prm-m-*")
    row = {"key": key, "vote": 0, "rewards": [0.9, 0.8], "reason": "9 tokens are more than the 8 the model takes"}
    RewardParts(folder).append(pl.DataFrame([row], schema={name: REWARDS[name] for name in row}))
    answer, _ = process.ask({"model": TINY}, long)
    assert (answer["computed"], answer["rewards"], answer["notes"]) == (False, [0.9, 0.8], [row["reason"]])
    assert RewardParts(folder).of(key)["rewards"].to_list() == [[0.9, 0.8]]


def test_a_prm_is_gone_before_another_is_loaded(space, rows, tmp_path, monkeypatch):
    """Also without the collector of cycles, which may come long after a card was full."""
    bodies, there = [], []
    engine = WarmPrm._engine

    def noting(self, *wishes):
        loaded = engine(self, *wishes)
        bodies.append(weakref.ref(loaded.body))
        return loaded

    monkeypatch.setattr(WarmPrm, "_engine", noting)
    monkeypatch.setattr(case_scoring, "_listen", listen)
    case = {**rows[17], "into": str(tmp_path)}
    models = (TINY, str(demo.folder() / "models/tiny-prm-s"))
    lines = [
        json.dumps({"n": n, "prm": {"model": model}, "case": {**case, "steps": [f"{n}."]}}).encode()
        for n, model in enumerate(models)
    ]

    def tell(answer):
        if answer["event"] == "loading":
            there.append(sum(body() is not None for body in bodies))

    gc.disable()
    try:
        serve(Workspace.open(space), "cpu", lines, tell)
    finally:
        gc.enable()
    assert there == [0, 0]
    assert len(bodies) == 2


STARTER = """
import subprocess, sys
child = subprocess.Popen(
    [sys.executable, "-m", "scoring", "cases", "-w", sys.argv[1]], stdin=subprocess.PIPE, start_new_session=True
)
child.stdin.write(sys.argv[2].encode() + b"\\n")
child.stdin.flush()
print(child.pid, flush=True)
child.wait()
"""


def test_it_ends_with_whoever_started_it_also_by_kill_9_and_while_it_loads(space, rows):
    request = json.dumps({"n": 1, "prm": {"model": TINY}, "case": {**rows[9]}})
    words = [sys.executable, "-c", STARTER, str(space), request]
    starter = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE)
    child = int(starter.stdout.readline())
    # Its first word is that it loads.
    assert json.loads(starter.stdout.readline())["event"] == "loading"
    os.kill(starter.pid, signal.SIGKILL)
    starter.wait()
    starter.stdout.close()
    end = time.monotonic() + 30
    while Path(f"/proc/{child}").exists() and time.monotonic() < end:
        time.sleep(0.02)
    assert not Path(f"/proc/{child}").exists()


def test_a_workspace_that_is_not_there_is_one_sentence(tmp_path, capfd):
    assert main(["cases", "-w", str(tmp_path / "nowhere")]) == 2
    assert capfd.readouterr().err.startswith("No workspace: ")


def test_a_prm_that_reads_the_context_is_given_it_and_answers_are_known_by_where_it_stands(process, rows, tmp_path):
    prm = {"model": str(shutil.copytree(TINY, tmp_path / "reader")), "adapter": str(ROOT / "tests/own/context_prm.py")}
    context = [{"role": "user", "name": None, "text": "Is it so?"}]
    tools = [{"name": "till", "about": None, "definition": '{"name": "till"}'}]
    case = {"case": "bench/run", "problem": rows[0]["problem"], "steps": rows[0]["steps"], "context": context}
    n_steps = len(case["steps"])
    first, last = list(range(1, n_steps + 1)), list(range(n_steps))
    given = {
        "nothing": {},
        "first": {"step_messages": first},
        "last": {"step_messages": last},
        "with tools": {"step_messages": first, "tools": tools},
    }
    answers = {name: process.ask(prm, {**case, **more})[0] for name, more in given.items()}
    written = {
        "nothing": "",
        "first": '[[0,"user","Is it so?"]]',
        "last": f'[[{n_steps},"user","Is it so?"]]',
        "with tools": '[[-1,"tools","[{\\"name\\": \\"till\\"}]"],[0,"user","Is it so?"]]',
    }
    for name, text in written.items():
        plain = {"case": f"bench/{name}", "problem": f"{case['problem']} {text}", "steps": case["steps"]}
        expected = process.ask({"model": TINY}, plain)[0]["rewards"]
        assert answers[name]["rewards"] == pytest.approx(expected, abs=1e-5)
    assert len({tuple(answer["rewards"]) for answer in answers.values()}) == 4
    assert any("have no context" in note for note in answers["nothing"]["notes"])
    again, _ = process.ask(prm, {**case, **given["last"]})
    assert (again["computed"], again["rewards"]) == (False, answers["last"]["rewards"])
