"""`prm-inspect score` and `demo --rescore`, with the bundled PRM where torch is installed."""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyte
import pytest

import authored
import checkpoints
import fake_scoring
from inspector import cli
from inspector.cli.actions import scoring_run as score
from inspector.state.processes.scoring_words import ended, speed
from refusals import sentence_of
from scoring.data.scorer import Scorer
from scoring.runs.arguments import add_arguments
from scoring.runs.engine_options import EngineOptions
from scoring.workspace.cache import RewardParts
from scoring.workspace.workspace import Workspace
from scoring_process import commanded_here, light, only, ran_here
from thoroughness import also

ROOT = Path(__file__).parents[3]
MODEL = ROOT / "assets" / "demo" / "models" / "tiny-prm-s"
RUN = [sys.executable, "-m", "inspector.cli"]


def run(*words, cwd):
    """A command in a process of its own. What is not about processes is run by `commanded_here`, much quicker."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([*RUN, *words], capture_output=True, text=True, check=False, cwd=cwd, env=env, timeout=240)


@pytest.fixture
def imported(tmp_path):
    file = authored.write(tmp_path / "sums.json", authored.rows(60))
    assert cli.main(["import", str(file), "-w", str(tmp_path / "space"), "-q"]) == 0
    return tmp_path / "space"


def saved(root):
    (folder,) = Workspace.open(root).reward_folders()
    return RewardParts(folder).read()[0].sort("key")


def test_a_checkpoint_that_is_not_there_is_one_sentence(imported, tmp_path):
    answer = commanded_here("score", "processbench", "--model", "no/such", "-w", str(imported), cwd=tmp_path)
    assert answer.returncode == 2
    assert answer.stdout == ""
    assert len(answer.stderr.strip().splitlines()) == 1


def test_a_workspace_that_is_not_there_is_one_sentence(tmp_path):
    answer = commanded_here("score", "processbench", "--model", str(MODEL), "-w", str(tmp_path / "none"), cwd=tmp_path)
    assert answer.returncode == 2
    assert answer.stderr.startswith("No workspace:")


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--model", "m", "--stratify", "subset"],
        ["--critic", "processbench", "--server", "http://127.0.0.1:9", "--device", "cuda:1"],
        ["--critic", "processbench", "--model", "m", "--engine", "vllm", "--device", "cuda:0,cuda:1"],
    ],
)
def test_a_wish_that_lacks_something_is_one_sentence(imported, capfd, words):
    assert cli.main(["score", "processbench", "-w", str(imported), *words]) == 2
    assert sentence_of(capfd.readouterr().err).startswith("Wrong usage: ")


def test_a_run_resumes_and_says_what_is_cached(imported, tmp_path):
    pytest.importorskip("torch")
    words = ["score", "processbench", "--model", str(MODEL), "-w", str(imported)]
    first = commanded_here(*words, "--limit", "25", cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    assert "0 cached, 25 to do" in first.stderr
    part = saved(imported)
    second = commanded_here(*words, cwd=tmp_path)
    assert "25 cached, 35 to do" in second.stderr
    everything = saved(imported)
    assert everything.height == 60
    assert everything.join(part, on="key", how="semi").equals(part)
    third = commanded_here(*words, cwd=tmp_path)
    assert (third.returncode, third.stdout) == (0, "")
    assert "60 cached, 0 to do" in third.stderr
    assert "loaded" not in third.stderr


def test_truncate_goes_to_the_scoring_process(imported, tmp_path):
    pytest.importorskip("torch")
    words = ["score", "processbench", "--model", str(MODEL), "-w", str(imported), "--truncate", "--limit", "3"]
    answer = commanded_here(*words, "--dry-run", cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    assert "3 to do" in answer.stderr


def test_ctrl_c_saves_what_was_computed(imported, tmp_path):
    env = {**os.environ, **light(0.2)}
    words = [*RUN, "score", "processbench", "--model", str(MODEL), "-w", str(imported), "--device", "cpu"]
    with subprocess.Popen(
        words, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=env, start_new_session=True
    ) as process:
        while "loaded" not in (line := process.stderr.readline()):
            assert line
        # Five batches of the light engine, which waits 0.2 s in each; nothing is saved yet.
        time.sleep(1)
        os.killpg(process.pid, signal.SIGINT)
        rest = process.stderr.read()
    assert process.returncode == 130
    assert "Traceback" not in rest
    number = saved(imported).height
    assert 0 < number < 60
    assert f"{number} of 60 cases scored" in rest


@pytest.mark.parametrize("command", [commanded_here, *also(run)])
def test_the_demo_is_scored_again_with_the_same_verdicts(tmp_path, command):
    pytest.importorskip("torch")
    answer = command("demo", "--rescore", "--no-app", cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    told = [line for line in answer.stdout.splitlines() if "verdicts differ" in line]
    assert told
    assert all(": 0 of 240 verdicts differ from the cache" in line for line in told)
    assert "tiny-prm-s" in answer.stdout


END = {
    "event": "end",
    "status": "done",
    "scored": 0,
    "refused": 0,
    "truncated": 0,
    "cached": 0,
    "cached_refused": 0,
    "left": 0,
    "saved": 0,
    "seconds": 1.5,
    "tokens": 0,
    "case_tokens": 0,
    "padding": 0,
}


def test_every_event_has_its_words(capsys):
    events = [
        {
            "event": "start",
            "scorer": "s",
            "cached": 1360,
            "refused": 2,
            "to_do": 2040,
            "notes": ["a part was left out"],
        },
        {"event": "ready", "engine": "e 1", "seconds": 2.0},
        {"event": "case_refused", "case": "b/1", "reason": "too long\x1b[2J"},
        {"event": "case_refused", "case": "b/2", "reason": "cut", "scored_steps": 3},
        {**END, "tokens": 10, "case_tokens": 10, "padding": 2},
        {"event": "something-new"},
    ]
    for event in events:
        score._tell(event)
    told = capsys.readouterr().err
    assert "s: 1,360 cached, 2 refused before, 2,040 to do" in told
    assert "a part was left out" in told
    assert "refused: b/1: too long␛[2J" in told
    assert "truncated: b/2: cut" in told
    assert "16.7% padding" in told
    assert "\x1b" not in told


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"scored": 10}, "Done: 10 of 10 cases scored, 0 refused, in 1.5 s"),
        (
            {"scored": 1000, "refused": 230, "truncated": 30},
            "Done: 1,000 of 1,230 cases scored, 230 refused (30 of them truncated), in 1.5 s",
        ),
        (
            {"status": "interrupted", "scored": 5, "refused": 2, "left": 2, "seconds": 1.25},
            "Interrupted: 5 of 9 cases scored, 2 refused, 2 left, in 1.2 s; the same command goes on with what is left",
        ),
        ({"status": "interrupted"}, "Interrupted before anything was computed; the same command starts anew"),
        ({"cached": 7, "cached_refused": 3}, "Nothing to do: 7 cases have rewards, 3 were refused before"),
        (
            {"status": "dry_run", "refused": 2, "left": 8, "case_tokens": 5000},
            "Only looked: 8 of 10 cases would be scored, 2 refused, 5,000 tokens; nothing was run or saved",
        ),
    ],
)
def test_the_end_counts_what_was_to_do(changes, words):
    assert ended({**END, **changes}, "the same command") == words


def test_a_run_that_fails_on_the_way_says_what_is_kept(capfd):
    saved = {"event": "saved", "rows": 512, "total": 512, "part": "p"}
    assert score.follow(Told([saved, {**END, "status": "failed"}], 2), quiet=False) == 2
    assert "512 cases were saved before: the same command goes on" in capfd.readouterr().err
    assert score.follow(Told([saved], -9), quiet=False) == 2
    told = capfd.readouterr().err
    assert "ended without a word" in told
    assert "512 cases were saved before" in told


class Told:
    """A job that has told these events and ended."""

    def __init__(self, events, code):
        self._events, self._code = events, code

    def events(self):
        return iter(self._events)

    def wait(self):
        return self._code


@pytest.mark.parametrize("columns", [20, 60, 80, 200])
def test_progress_stays_on_one_line(monkeypatch, capsys, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    event = {"event": "progress", "done": 1700, "to_do": 3400, "refused": 90, "truncated": 12, "seconds": 123.4}
    score._tell(event)
    line = capsys.readouterr().err.removeprefix("\r").removesuffix("\x1b[J\r")
    assert "1,700/3,400" in line
    assert len(line) < columns
    assert line.startswith("[###") == (columns >= 60)


def test_each_machine_of_several_has_a_line_below_the_bar_which_goes_when_something_is_said(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    screen = pyte.Screen(80, 24)
    stream = pyte.Stream(screen)
    told = score._Told()
    nodes = [{"name": f"10.0.0.{at}", "working": 2, "done": 300, "tokens": 9000, "computing": 2.0} for at in range(12)]

    def shown(event):
        told.note(event)
        score._tell(event, told.nodes)
        stream.feed(capsys.readouterr().err.replace("\n", "\r\n"))
        return [line.rstrip() for line in screen.display if line.strip()]

    shown({"event": "nodes", "nodes": nodes})
    progress = {"event": "progress", "done": 1700, "to_do": 3400, "refused": 0, "truncated": 0, "seconds": 123.4}
    for _ in range(2):
        lines = shown(progress)
        assert lines[1] == "10.0.0.0   2 workers, 300 cases, 4,500 tokens/s"
        assert lines[8:] == ["... and 5 more"]
    assert shown({"event": "notice", "sentence": "worker 3 is gone"}) == ["NOTICE: worker 3 is gone"]
    assert len(shown(progress)) == 10


@pytest.mark.parametrize(("seconds", "left"), [(1, "9 s"), (100, "15 min"), (2000, "5.0 h")])
def test_what_is_left_is_told_in_the_unit_people_count_in(seconds, left):
    assert f", {left} left" in speed({"done": 10, "to_do": 100, "refused": 0, "seconds": seconds}, 10 / seconds)


def test_help_tells_the_exit_codes(capsys):
    assert cli.main(["help", "score"]) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert all(code in words for code in ("0 every case", "1 done, and some were refused", "2 could not", "130"))


# -- what goes to the scoring process


def scored(*words):
    return score.scoring_flags(cli.parse(["score", "demo", *words]))


def test_nothing_is_passed_on_that_was_not_said():
    assert scored() == []
    assert scored("--seed", "3", "--quiet", "--where", "n_steps > 3") == []


EVERY_OPTION = {
    "--series": "run 7", "--at": "0",
    "--model": "m", "--revision": "r", "--base": "b", "--reference": "f", "--adapter": "qwen", "--dtype": "float32",
    "--device": "cpu",
    "--engine": "vllm", "--name": "n", "--token-budget": "7", "--limit": "3", "--stratify": "subset",
    "--critic": "grben", "--template": "t.txt", "--votes": "8", "--runs": "3", "--shots": "0", "--mode": "slow:none",
    "--temperature": "0.0", "--top-p": "0.9", "--top-k": "20", "--max-tokens": "100", "--effort": "high",
    "--thinking": "off", "--thinking-budget": "50", "--logprobs": "0", "--answer-seed": "5", "--served-model": "s",
    "--endpoint": "pooling", "--concurrency": "2", "--timeout": "3.5", "--tries": "2", "--prices": "p.toml",
    "--shard": "2/3", "--address": "127.0.0.2:6379", "--workers": "3", "--gpus-per-worker": "0.5",
    "--engine-on-worker": "vllm", "--cluster": "8x4@35000", "--gpu-hour": "2.5",
}  # fmt: skip


def test_an_option_goes_on_as_it_was_said():
    for flag, value in EVERY_OPTION.items():
        assert scored(flag, value) == [f"{flag}={value}"]


def test_options_of_other_shapes_go_on_too():
    assert scored("--allow-pickle", "--truncate") == ["--allow-pickle", "--truncate"]
    assert scored("--dry-run", "--retry-refused", "--sample", "0") == ["--sample=0", "--retry-refused", "--dry-run"]
    assert scored("--spread", "3") == ["--spread=3"]
    servers = ["--server=http://a:1", "--server=http://b:2"]
    assert scored("--server", "http://a:1", "--server", "http://b:2") == servers
    options = ["--option=joiner=blank-line", "--option=a==b"]
    assert scored("--option", "joiner=blank-line", "--option", "a==b") == options
    assert scored("--name=--odd") == ["--name=--odd"]


def test_no_seed_is_another_wish_than_the_protocols_own():
    assert scored("--answer-seed", "none") == ["--answer-seed=none"]
    assert scored("--answer-seed", "0") == ["--answer-seed=0"]


def test_every_option_of_a_run_is_among_those_above():
    known = argparse.ArgumentParser()
    add_arguments(known)
    flags = {f"--{name.replace('_', '-')}" for name in vars(known.parse_args(["demo"]))} - {"--benchmarks"}
    shaped = {
        "--allow-pickle",
        "--truncate",
        "--dry-run",
        "--retry-refused",
        "--sample",
        "--spread",
        "--server",
        "--option",
    }
    assert flags == set(EVERY_OPTION) | shaped


# -- checkpoints of a training run


@pytest.fixture
def run_folder(tmp_path, monkeypatch):
    """The folder of a training run with three checkpoints, which an engine without a model scores."""
    monkeypatch.setattr(EngineOptions, "load", lambda *_, **__: fake_scoring.Engine())
    for seed, step in enumerate((1000, 200, 30)):
        checkpoints.write(tmp_path / "RUN" / f"checkpoint-{step}", seed=seed)
    (tmp_path / "RUN" / "training_args.bin").touch()
    return tmp_path / "RUN"


def checkpoints_of(space):
    """Every scorer by name: which checkpoint it is, and how many cases it has rewards of."""
    folders = Workspace.open(space).reward_folders()
    made = [(Scorer.load(folder), RewardParts(folder).read()[0].height) for folder in folders]
    return {scorer.name: (scorer.series, scorer.at, height) for scorer, height in made}


def test_all_checkpoints_of_a_folder_are_scored_in_the_order_of_their_steps_and_resume(imported, run_folder, tmp_path):
    words = ["score", "processbench", "--model", str(run_folder), "-w", str(imported)]
    answer = commanded_here(*words, "--limit", "5", cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    started = [line for line in answer.stderr.splitlines() if line.endswith(" to do")]
    assert started == [f"RUN-{step}: 0 cached, 5 to do" for step in (30, 200, 1000)]
    assert "step 1,000 of RUN, as the path says (--series NAME --at STEP overrules it)" in answer.stderr
    assert answer.stderr.splitlines()[-1] == f"What training changed: prm-inspect timeline RUN -w {imported}"
    assert checkpoints_of(imported) == {f"RUN-{step}": ("RUN", step, 5) for step in (30, 200, 1000)}
    again = commanded_here(*words, "--series", "better name", "--limit", "5", cwd=tmp_path)
    assert again.stderr.count("5 cached, 0 to do") == 3
    assert "prm-inspect timeline 'better name' -w" in again.stderr
    assert checkpoints_of(imported) == {f"RUN-{step}": ("better name", step, 5) for step in (30, 200, 1000)}


def test_a_checkpoint_that_was_scored_before_is_named_and_nothing_is_computed_again(imported, run_folder, tmp_path):
    shutil.copytree(run_folder / "checkpoint-200", tmp_path / "plain")
    words = ["score", "processbench", "-w", str(imported), "--limit", "5", "--model"]
    commanded_here(*words, str(tmp_path / "plain"), cwd=tmp_path)
    assert checkpoints_of(imported) == {"plain": (None, None, 5)}
    before = next(path.read_bytes() for path in imported.glob("rewards/*/part-*"))
    looked = commanded_here(*words, str(tmp_path / "plain"), "--series", "X", "--at", "7", "--dry-run", cwd=tmp_path)
    assert looked.returncode == 0, looked.stderr
    assert checkpoints_of(imported) == {"plain": (None, None, 5)}
    for more, expected in (
        ([str(tmp_path / "plain"), "--series", "X", "--at", "7"], ("X", 7)),
        # What the folder is called is a guess, and does not overrule what was stated.
        ([str(run_folder / "checkpoint-200")], ("X", 7)),
        ([str(run_folder / "checkpoint-200"), "--at", "8"], ("X", 8)),
        ([str(run_folder / "checkpoint-200"), "--series", "Y"], ("Y", 8)),
    ):
        answer = commanded_here(*words, *more, cwd=tmp_path)
        assert "plain: 5 cached, 0 to do" in answer.stderr, answer.stderr
        assert checkpoints_of(imported) == {"plain": (*expected, 5)}
    assert [path.read_bytes() for path in imported.glob("rewards/*/part-*")] == [before]


def test_what_cannot_be_said_of_checkpoints_is_one_sentence(imported, run_folder, tmp_path):
    words = ["score", "processbench", "-w", str(imported), "--model"]
    for more, said in (
        ([str(run_folder), "--at", "5"], "--at is for one checkpoint, and"),
        ([str(MODEL), "--series", "X"], "--series X does not say at which training step. Add --at STEP."),
        ([str(MODEL), "--at", "3"], "--at 3 does not say of which training run. Add --series NAME."),
    ):
        answer = commanded_here(*words, *more, cwd=tmp_path)
        assert answer.returncode == 2
        assert said in answer.stderr
    assert checkpoints_of(imported) == {}


def test_who_scores_one_model_is_told_to_name_one(imported, run_folder):
    code, events, err = ran_here("score", "processbench", "-w", imported, "--model", run_folder)
    assert code == 2
    assert "holds 3 checkpoints of a training run and no weights itself. Give one of them, such as" in err
    assert only(events, "end")["error"]["next_step"].endswith("checkpoint-1000.")


def test_a_name_is_the_first_part_of_the_names_of_all(imported, run_folder, tmp_path):
    words = ["score", "processbench", "-w", str(imported), "--limit", "1", "--name", "mine", "--model"]
    assert commanded_here(*words, str(run_folder), cwd=tmp_path).returncode == 0
    assert set(checkpoints_of(imported)) == {"mine-30", "mine-200", "mine-1000"}


def test_a_checkpoint_that_fails_ends_the_run_and_the_others_are_kept(imported, run_folder, tmp_path):
    (run_folder / "checkpoint-200" / "config.json").write_text("{")
    answer = commanded_here(
        "score", "processbench", "-w", str(imported), "--limit", "1", "--model", str(run_folder), cwd=tmp_path
    )
    assert answer.returncode == 2
    assert set(checkpoints_of(imported)) == {"RUN-30"}


# -- looking at what was scored


def test_the_demo_that_was_scored_is_what_is_shown(tmp_path):
    pytest.importorskip("torch")
    words = ["score", "demo", "--model", str(MODEL), "--name", "mine", "--limit", "5", "-w", "my space"]
    scored = commanded_here(*words, cwd=tmp_path)
    assert scored.returncode == 0, scored.stderr
    assert "Done: 5 of 5 cases scored, 0 refused" in scored.stderr
    assert scored.stderr.splitlines()[-1] == "See them: prm-inspect -w 'my space'"
    for command in ("scorers", "metrics", "cases"):
        answer = commanded_here(command, "-w", "my space", "--csv", cwd=tmp_path)
        assert answer.returncode == 0
        assert "mine" in answer.stdout
    assert "demo" in commanded_here("benchmarks", "-w", "my space", "--csv", cwd=tmp_path).stdout
    assert commanded_here("show", "demo/algebra-001", "-w", "my space", cwd=tmp_path).returncode == 0


def test_too_long_cases_are_told_with_the_way_to_score_their_beginning(imported, tmp_path):
    pytest.importorskip("torch")
    model = shutil.copytree(MODEL, tmp_path / "short")
    config = json.loads((model / "config.json").read_text())
    (model / "config.json").write_text(json.dumps({**config, "max_position_embeddings": 40}))
    words = ["score", "processbench", "--model", str(model), "-w", str(imported)]
    first = commanded_here(*words, cwd=tmp_path)
    assert first.returncode == 1
    assert "of the refused are too long for the model: --truncate scores their first steps." in first.stderr
    assert "--truncate" not in commanded_here(*words, "--truncate", cwd=tmp_path).stderr.splitlines()[-1]


def test_cases_for_which_there_is_no_memory_are_told_in_few_lines_and_tried_again(imported, tmp_path, monkeypatch):
    pytest.importorskip("torch")
    from scoring.engines.transformers_engine import TransformersEngine

    def full(*_):
        raise MemoryError

    words = ["score", "processbench", "--model", str(MODEL), "-w", str(imported)]
    with monkeypatch.context() as patch:
        patch.setattr(TransformersEngine, "_read", full)
        first = commanded_here(*words, cwd=tmp_path)
    assert first.returncode == 1
    assert "60 cases for which there was no memory: the same command tries again." in first.stderr
    assert first.stderr.count("tokens are more than the memory of the cpu holds") == score.ALIKE
    assert "Done: 60 of 60 cases scored" in commanded_here(*words, cwd=tmp_path).stderr


@pytest.mark.parametrize(
    ("benchmarks", "words"),
    [
        (["processbench"], ["prm-inspect", "-w", "space"]),
        (["demo"], ["prm-inspect", "-w", "space", "--benchmark", "demo"]),
        (
            ["demo", "processbench"],
            ["prm-inspect", "-w", "space", "--benchmark", "demo", "--benchmark", "processbench"],
        ),
    ],
)
def test_the_command_to_look_names_what_is_not_shown_by_itself(imported, benchmarks, words):
    args = argparse.Namespace(workspace="space", benchmarks=benchmarks)
    assert score.look_command(args, Workspace.open(imported)) == words
    usual = argparse.Namespace(workspace=None, benchmarks=["processbench"])
    assert score.look_command(usual, Workspace.open(imported)) == ["prm-inspect"]


def test_a_text_search_is_refused_and_not_left_out_in_silence(imported, capsys):
    with pytest.raises(SystemExit) as left:
        cli.main(["score", "processbench", "--model", "x", "-w", str(imported), "--search", "sum"])
    assert left.value.code == 2
    assert "score takes no --search" in capsys.readouterr().err
