"""Scoring from the app: a real process, real rewards landing, and other processes' rewards followed."""

from pathlib import Path

import polars as pl
import pytest

import authored
import making
from inspector import cli
from inspector.app import InspectApp
from inspector.request import Request
from inspector.scoring_job import ScoringJob
from inspector.screens.board import BoardScreen
from inspector.widgets.frame_table import FrameTable
from opened import inspected, opened
from scoring.cache import RewardParts
from scoring.workspace import Workspace
from screen_text import press, rests, shows, until
from servers.fault_server import running

MODEL = Path(__file__).parents[2] / "assets" / "demo" / "models" / "tiny-prm-s"


@pytest.fixture
def imported(tmp_path):
    """A workspace with 40 authored cases and no scorer."""
    file = authored.write(tmp_path / "sums.json", authored.rows(40))
    assert cli.main(["import", str(file), "-w", str(tmp_path / "space"), "-q"]) == 0
    return tmp_path / "space"


def rewards_for(root):
    cases, _ = Workspace.open(root).cases()
    rewards = pl.Series([[0.9, 0.2, 0.8]] * cases.height, dtype=pl.List(pl.Float64))
    return cases.select("key").with_columns(rewards=rewards, vote=pl.lit(0, dtype=pl.Int32))


async def test_rewards_that_another_process_writes_appear(imported, tmp_path):
    async with opened(Request(workspace=str(imported)), folder=tmp_path) as pilot:
        await shows(pilot, "40 of 40 cases", "no filter")
        scorer = making.scorer("elsewhere")
        parts = RewardParts(imported / "rewards" / scorer.folder)
        scorer.save(parts.folder)
        parts.append(rewards_for(imported)[:10])
        await press(pilot, "escape")
        await shows(pilot, "elsewhere", "10/40")
        parts.append(rewards_for(imported)[10:])
        await shows(pilot, "40/40")
        assert inspected(pilot).scorer == "elsewhere"


async def test_what_was_chosen_outlives_new_rewards(imported, tmp_path):
    scorer = making.scorer("mine")
    parts = RewardParts(imported / "rewards" / scorer.folder)
    scorer.save(parts.folder)
    parts.append(rewards_for(imported)[:30])
    async with opened(Request(workspace=str(imported)), folder=tmp_path) as pilot:
        await press(pilot, "enter", "t", "left", "enter")
        before = await rests(pilot, "filter outcome", "threshold 0.490", "most instructive")
        assert inspected(pilot).evaluation.coverage == 30
        parts.append(rewards_for(imported)[30:])
        await until(pilot, lambda: inspected(pilot).evaluation.coverage == 40)
        after = await rests(pilot, "filter outcome", "threshold 0.490", "most instructive")
        assert before.splitlines()[1] == after.splitlines()[1]
        assert inspected(pilot).shown.size > 15


async def test_a_moving_threshold_is_not_disturbed(imported, tmp_path):
    scorer = making.scorer("mine")
    parts = RewardParts(imported / "rewards" / scorer.folder)
    scorer.save(parts.folder)
    parts.append(rewards_for(imported)[:30])
    async with opened(Request(workspace=str(imported)), folder=tmp_path) as pilot:
        await press(pilot, "enter", "t")
        await shows(pilot, "* best")
        parts.append(rewards_for(imported)[30:])
        pilot.app._look()
        assert inspected(pilot).evaluation.coverage == 30
        await press(pilot, "escape")
        await until(pilot, lambda: inspected(pilot).evaluation.coverage == 40)


async def test_stopping_without_a_run_says_so(imported, tmp_path):
    app = InspectApp(Request(workspace=str(imported)), folder=tmp_path)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await until(pilot, lambda: len(app.screen_stack) > 2)
        await press(pilot, "escape", "X")
        await shows(pilot, "No run is going on.")


async def test_the_demo_says_why_it_cannot_be_scored_here():
    app = InspectApp(Request(benchmarks=("demo",)))
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await until(pilot, lambda: isinstance(app.screen, BoardScreen) and app.screen.query_one(FrameTable).row_count)
        await press(pilot, "S")
        await shows(pilot, "prm-inspect score demo --model DIR")


async def test_a_checkpoint_that_is_not_there_ends_in_one_sentence(imported, tmp_path):
    app = InspectApp(Request(workspace=str(imported)), folder=tmp_path)
    async with app.run_test(size=(120, 30), notifications=True) as pilot:
        await until(pilot, lambda: len(app.screen_stack) > 2)
        await press(pilot, "escape", "S", *"nowhere/at/all", "enter")
        await shows(pilot, "Cannot use the checkpoint")


async def test_a_real_prm_fills_the_board_and_can_be_started_again(imported, tmp_path):
    pytest.importorskip("torch")
    app = InspectApp(Request(workspace=str(imported)), folder=tmp_path)
    async with app.run_test(size=(120, 30), notifications=True) as pilot:
        await until(pilot, lambda: len(app.screen_stack) > 2)
        await press(pilot, "escape", "S")
        await shows(pilot, "Enter starts it")
        app.screen.query_one("Input").value = str(MODEL)
        await press(pilot, "enter")
        await until(pilot, lambda: "Done: 40 of 40 cases scored, 0 refused" in _screen(app), timeout=120)
        await shows(pilot, "tiny-prm-s", "40/40")
        assert inspected(pilot).scorer == "tiny-prm-s"


@pytest.fixture
def started(monkeypatch):
    """The words of every scoring process that would have been started."""
    started = []

    class Job:
        def __init__(self, words, _log):
            started.append(words)

        def events(self):
            return iter(())

        def wait(self):
            return 2

        def stop(self):
            return None

    monkeypatch.setattr("inspector.scoring_job.Job", Job)
    return started


@pytest.mark.parametrize("size", [(80, 24), (120, 30)])
async def test_the_dialog_asks_whether_to_truncate(imported, tmp_path, started, size):
    app = InspectApp(Request(workspace=str(imported)), folder=tmp_path)
    async with app.run_test(size=size, notifications=True) as pilot:
        await until(pilot, lambda: len(app.screen_stack) > 2)
        await press(pilot, "escape", "S")
        await shows(pilot, "[ ] the first steps of too long cases (--truncate)", "Enter starts it")
        await press(pilot, "tab", "space")
        await shows(pilot, "[x] the first steps")
        await press(pilot, "space", "space", "shift+tab", *"dir", "tab", "enter")
        await until(pilot, lambda: len(started) == 1 and not app._job.running)
        await press(pilot, "S", *"dir", "enter")
        await until(pilot, lambda: len(started) == 2)
    words = ["score", "processbench", f"--workspace={imported}", "--model=dir"]
    assert started == [[*words, "--truncate"], words]


@pytest.mark.parametrize("size", [(80, 24), (120, 30)])
async def test_the_dialog_takes_every_other_flag_of_the_run(imported, tmp_path, started, size):
    app = InspectApp(Request(workspace=str(imported)), folder=tmp_path)
    async with app.run_test(size=size, notifications=True) as pilot:
        await until(pilot, lambda: len(app.screen_stack) > 2)
        await press(pilot, "escape", "S", *"dir")
        await shows(pilot, "with more flags of prm-inspect score", "such as --adapter ./mine.py", "Enter starts it")
        flags = app.screen.query_one("#flags")
        for wrong, said in {
            "--adapte ./mine.py --x": "unrecognized arguments: --x.",
            "--dtype int3": "invalid choice: 'int3'",
            "'--adapter": "no closing quotation in the flags. Close it.",
            "mine.py": "mine.py is no flag.",
            "--model other": "checkpoint, critic and server have lines of their own.",
            "[red]--x\x1b[31m": "unrecognized arguments",
        }.items():
            flags.value = wrong
            await press(pilot, "enter")
            await until(pilot, lambda said=said: said in _told(app))
            assert not started
        flags.value = "--adapter './my prm.py' --option joiner=blank-line"
        await press(pilot, "enter")
        await until(pilot, lambda: len(started) == 1)
    words = ["score", "processbench", f"--workspace={imported}", "--model=dir"]
    assert started == [[*words, "--adapter", "./my prm.py", "--option", "joiner=blank-line"]]


async def test_the_dialog_asks_a_critic_on_a_server(imported, tmp_path):
    pytest.importorskip("httpx")
    app = InspectApp(Request(workspace=str(imported)), folder=tmp_path)
    with running() as server:
        async with app.run_test(size=(100, 30), notifications=True) as pilot:
            await until(pilot, lambda: len(app.screen_stack) > 2)
            await press(pilot, "escape", "S")
            for name, value in {"critic": "processbench", "server": server.url, "votes": "4"}.items():
                app.screen.query_one(f"#{name}").value = value
            await press(pilot, "enter")
            await until(pilot, lambda: "160 of 160 answers came" in _told(app), timeout=60)
            await shows(pilot, "tiny-processbench-t1", "40/40")
            assert inspected(pilot).evaluation.votes.most == 4


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"critic": "nothing"}, "A critic is asked by one of processbench, grben, prmbench, socratic."),
        ({"critic": "grben"}, "A critic needs its server, or above a model"),
        ({"server": "http://127.0.0.1:9"}, "A server needs a critic's protocol"),
    ],
)
async def test_the_dialog_stays_open_and_says_what_a_critic_lacks(imported, tmp_path, given, words):
    app = InspectApp(Request(workspace=str(imported)), folder=tmp_path)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await until(pilot, lambda: len(app.screen_stack) > 2)
        await press(pilot, "escape", "S")
        for name, value in given.items():
            app.screen.query_one(f"#{name}").value = value
        await press(pilot, "enter")
        await until(pilot, lambda: words in _told(app))
        assert app._job is None
        assert app.screen.query("#critic")


def _told(app):
    return " ".join(one.message for one in app._notifications)


def test_a_notice_of_the_engine_is_told_at_once(imported):
    job = ScoringJob(imported, "processbench", "nowhere")
    job.stop()
    assert job.note({"event": "notice", "sentence": "All are alike."}) == "NOTICE: All are alike."
    job.listen(lambda _: None)


async def test_a_dialog_without_a_model_starts_nothing(imported, tmp_path, monkeypatch):
    monkeypatch.setattr("inspector.scoring_job.Job", None)
    app = InspectApp(Request(workspace=str(imported)), folder=tmp_path)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until(pilot, lambda: len(app.screen_stack) > 2)
        await press(pilot, "escape", "S", "tab", "enter")
        await until(pilot, lambda: isinstance(app.screen, BoardScreen))


def _screen(app):
    from screen_text import screen_text

    return screen_text(app)


def test_a_process_that_dies_without_a_word_is_noticed(imported):
    job = ScoringJob(imported, "processbench", "nowhere")
    job._job._process.kill()
    told = []
    job.listen(told.append)
    assert told[-1] == {"event": "end", "status": "died", "code": -9}
    assert "ended without a word (exit code -9); see scoring.log" in job.note(told[-1])
    assert not job.running


def test_a_warning_is_told_and_other_notes_are_not(imported):
    job = ScoringJob(imported, "processbench", "nowhere")
    job.stop()
    start = {"event": "start", "scorer": "s", "cached": 1, "refused": 0, "to_do": 2}
    assert job.note({**start, "notes": ["read as PURE", "WARNING: so."]}) == "WARNING: so."
    assert job.note({**start, "notes": ["read as PURE"]}) == ""
    assert job.words == "s: 1 cached, 2 to do"
    job.listen(lambda _: None)


def test_a_job_can_be_stopped(imported):
    job = ScoringJob(imported, "processbench", "nowhere")
    job.stop()
    told = []
    job.listen(told.append)
    assert told[-1]["event"] == "end"
    assert (imported / "scoring.log").is_file()
