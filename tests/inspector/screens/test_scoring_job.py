"""Scoring from the app: a real process, real rewards landing, and other processes' rewards followed."""

import re
import threading
from pathlib import Path
from shutil import copytree
from types import SimpleNamespace

import polars as pl
import pytest

import authored
import making
from inspector import cli
from inspector.app.services import following
from inspector.screens.board import BoardScreen
from inspector.screens.case_job import critic_asked
from inspector.screens.dialog import Picking
from inspector.screens.score import flags_in, model_choices
from inspector.state.processes.job import Job, ScoringJob
from opened import DEMO, inspected, opened
from scoring import __main__ as scoring_main
from scoring.data.errors import UsageError
from scoring.data.scorer import Scorer
from scoring.evaluation.evaluated_cases import Loaded
from scoring.formats.benchmarks import demo
from scoring.selection.query import Query
from scoring.workspace.cache import RewardParts, VoteParts
from scoring.workspace.workspace import Workspace
from scoring_process import jobs_here, light
from screen_text import press, rests, shows, until
from servers.fault_server import running

MODEL = Path(__file__).parents[3] / "assets" / "demo" / "models" / "tiny-prm-s"


@pytest.fixture
def _followed_closely(monkeypatch):
    """The app looks at its files every tenth of a second."""
    monkeypatch.setattr(following, "FOLLOW_SECONDS", 0.1)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """A workspace with 40 authored cases and no scorer."""
    folder = tmp_path_factory.mktemp("imported")
    file = authored.write(folder / "sums.json", authored.rows(40))
    assert cli.main(["import", str(file), "-w", str(folder / "space"), "-q"]) == 0
    return folder / "space"


@pytest.fixture
def imported(fresh, tmp_path):
    """A copy of it."""
    return copytree(fresh, tmp_path / "space")


def rewards_for(root):
    cases, _ = Workspace.open(root).cases()
    rewards = pl.Series([[0.9, 0.2, 0.8]] * cases.height, dtype=pl.List(pl.Float64))
    return cases.select("key").with_columns(rewards=rewards, vote=pl.lit(0, dtype=pl.Int32))


@pytest.mark.usefixtures("_followed_closely")
async def test_rewards_that_another_process_writes_appear_and_what_was_chosen_outlives_them(imported, tmp_path):
    """A moving threshold is not disturbed."""
    async with opened(Query(workspace=str(imported)), folder=tmp_path) as pilot:
        await shows(pilot, "processbench ▸ cases", "40 of 40 cases")
        scorer = making.scorer("elsewhere")
        parts = RewardParts(imported / "rewards" / scorer.folder)
        scorer.save(parts.folder)
        parts.append(rewards_for(imported)[:10])
        await press(pilot, "escape")
        await shows(pilot, "elsewhere", "10/40")
        parts.append(rewards_for(imported)[10:20])
        await shows(pilot, "20/40")
        assert inspected(pilot).focus.scorer == "elsewhere"
        await press(pilot, "enter", "t")
        await shows(pilot, "* best")
        parts.append(rewards_for(imported)[20:30])
        pilot.app.following.look()
        assert inspected(pilot).evaluation.coverage.count == 20
        await press(pilot, "escape")
        await until(pilot, lambda: inspected(pilot).evaluation.coverage.count == 30)
        await press(pilot, "t", "left", "enter")
        before = await rests(pilot, "elsewhere ▸ failures", "θ 0.490", "most instructive")
        parts.append(rewards_for(imported)[30:])
        await until(pilot, lambda: inspected(pilot).evaluation.coverage.count == 40)
        after = await rests(pilot, "elsewhere ▸ failures", "θ 0.490", "most instructive")
        assert before.splitlines()[1].split("╭")[0] == after.splitlines()[1].split("╭")[0]
        assert inspected(pilot).shown.size > 15


@pytest.mark.usefixtures("_followed_closely")
async def test_the_demo_is_scored_in_a_workspace_of_its_own_from_any_screen(tmp_path, monkeypatch):
    """That its PRMs give again what they gave: `test_score`."""
    for name, value in {**light(), "LIGHT_DEVICE": "auto", "XDG_DATA_HOME": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    shipped = {path: path.stat().st_mtime_ns for path in demo.folder().rglob("*")}
    async with opened(DEMO, size=(100, 30), folder=tmp_path) as pilot:
        app = pilot.app
        # The demo's own PRMs are offered; what one gives again stands beside what it gave.
        await press(pilot, "g", "m")
        await shows(pilot, "error acc")
        await press(pilot, "S")
        await shows(pilot, "tiny-prm-m", "tiny-prm-s")
        app.screen.query_one("#limit").value = "8"
        await press(pilot, "down", "down", "enter")
        await until(pilot, lambda: "Done: 8 of 8 cases scored" in _told(app), timeout=120)
        await until(
            pilot, lambda: "tiny-prm-s-here" in [one.scorer.name for one in inspected(pilot).results.evaluations]
        )
    (here,) = (tmp_path / "prm-inspect" / "demo" / "rewards").glob("*")
    then = next(path for path in (demo.folder() / "rewards").glob("*") if Scorer.load(path).name == "tiny-prm-s")
    assert Scorer.load(here).settings == Scorer.load(then).settings
    rewards = RewardParts(here).read()[0]
    assert rewards.join(RewardParts(then).read()[0], on="key", how="semi").height == rewards.height == 8
    assert {path: path.stat().st_mtime_ns for path in demo.folder().rglob("*")} == shipped


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

    monkeypatch.setattr("inspector.state.processes.job.Job", Job)
    return started


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("--adapte ./mine.py --x", "unrecognized arguments: --x."),
        ("--dtype int3", "invalid choice: 'int3'"),
        ("'--adapter", "no closing quotation in the flags. Close it."),
        ("mine.py", "mine.py is not a flag."),
        ("--model other", "checkpoint, critic and server have lines of their own."),
    ],
)
def test_flags_that_the_run_would_not_take_are_refused(wrong, words):
    with pytest.raises(UsageError, match=re.escape(words)):
        flags_in(wrong)


@pytest.mark.parametrize(
    ("line", "field_flags"),
    [
        ("--limit 3", ["--spread=8"]),
        ("--sample 3", ["--spread=8"]),
        # The run would end at once.
        ("--stratify subset", ["--spread=8"]),
        ("--stratify subset", []),
        # A field takes these; the run would not.
        ("", ["--spread=-8"]),
        ("", ["--votes=0"]),
    ],
)
def test_fields_and_flags_that_do_not_go_together_start_no_run(line, field_flags):
    with pytest.raises(UsageError):
        flags_in(line, field_flags)
    assert flags_in("--sample 8 --stratify subset") == ("--sample", "8", "--stratify", "subset")


async def test_the_limit_of_the_dialog_takes_cases_from_the_whole_of_a_sorted_file(tmp_path, started):
    sums = [authored.row(number, label=0) for number in range(60)]
    sums += [authored.row(number) for number in range(60, 120)]
    file, space = authored.write(tmp_path / "sums.json", sums), tmp_path / "space"
    assert cli.main(["import", str(file), "-w", str(space), "-q"]) == 0
    async with opened(Query(workspace=str(space)), folder=tmp_path) as pilot:
        await press(pilot, "escape", "S", *"dir")
        pilot.app.screen.query_one("#limit").value = "20"
        await press(pilot, "enter")
        await until(pilot, lambda: started)
    (words,) = started
    args = scoring_main._parse(words)
    workspace = Workspace.open(space)
    rows = scoring_main._rows(args, *workspace.cases_and_columns(("processbench",)))
    assert len(rows) == 20
    # 60 erroneous cases come before 60 clean ones.
    assert sum(row < 60 for row in rows) == 10


async def test_the_dialog_stays_open_and_says_what_is_wrong_and_takes_every_flag_of_the_run(
    imported, tmp_path, started
):
    """Without a model it closes and starts nothing, and then there is nothing to stop. An address with a password goes
    nowhere.
    """
    state_folder = tmp_path / "state"
    async with opened(
        Query(workspace=str(imported)), size=(100, 30), folder=tmp_path, state_folder=state_folder
    ) as pilot:
        app = pilot.app
        await press(pilot, "escape", "S")
        for fields, words in (
            ({"critic": "nothing"}, "A critic is asked by one of processbench, grben, prmbench"),
            ({"critic": "grben"}, "A critic needs its server, or above a model"),
            ({"server": "http://127.0.0.1:9"}, "A server needs a critic's protocol"),
            ({"critic": "processbench", "server": "http://me:hunter2@127.0.0.1:9"}, "holds a user name or a password"),
        ):
            for name in ("critic", "server"):
                app.screen.query_one(f"#{name}").value = fields.get(name, "")
            app.clear_notifications()
            await press(pilot, "enter")
            await until(pilot, lambda words=words: words in _told(app))
            assert app.scoring._run is None
        assert app.remembered.left.servers == ()
        await press(pilot, "escape", "S", "tab", "enter")
        await until(pilot, lambda: isinstance(app.screen, BoardScreen))
        await press(pilot, "question_mark", *"stop", "enter")
        await shows(pilot, "No run is going on.")
        await press(pilot, "S", *"dir")
        await shows(pilot, "with more flags of prm-inspect score", "such as --adapter ./mine.py", "⏎ start")
        flags = app.screen.query_one("#flags")
        flags.value = "[red]--x\x1b[31m"
        await press(pilot, "enter")
        await shows(pilot, "[red]--x␛[31m is not a flag.")
        assert not started
        flags.value = "--adapter './my prm.py' --option joiner=blank-line"
        await press(pilot, "enter")
        await until(pilot, lambda: len(started) == 1 and not app.scoring._run.running)
        await pilot.resize_terminal(80, 24)
        # Toasts hide its lines.
        app.clear_notifications()
        await press(pilot, "S")
        await shows(pilot, "[ ] the first steps of too long cases (--truncate)", "⏎ start")
        await press(pilot, "tab", "space")
        await shows(pilot, "[x] the first steps")
        await press(pilot, "space", "space", "shift+tab", *"dir", "tab", "enter")
        await until(pilot, lambda: len(started) == 2 and not app.scoring._run.running)
        await press(pilot, "S", *"dir", "enter")
        await until(pilot, lambda: len(started) == 3)
    words = ["score", "processbench", f"--workspace={imported}", "--model=dir"]
    flags = ["--adapter", "./my prm.py", "--option", "joiner=blank-line"]
    assert started == [[*words, *flags], [*words, "--truncate"], words]
    assert not any(b"hunter2" in path.read_bytes() for path in state_folder.rglob("*") if path.is_file())


@pytest.mark.usefixtures("_followed_closely")
async def test_a_checkpoint_that_is_not_there_ends_in_one_sentence_and_a_critic_on_a_server_is_asked(
    imported, tmp_path
):
    pytest.importorskip("httpx")
    with running() as server:
        async with opened(Query(workspace=str(imported)), size=(100, 30), folder=tmp_path) as pilot:
            app = pilot.app
            await press(pilot, "escape", "S", *"nowhere/at/all", "enter")
            await shows(pilot, "Cannot use the checkpoint")
            await until(pilot, lambda: not app.scoring._run.running)
            await press(pilot, "S")
            for name, value in {"critic": "processbench", "server": server.url, "votes": "4"}.items():
                app.screen.query_one(f"#{name}").value = value
            await press(pilot, "enter")
            await until(pilot, lambda: "160 of 160 answers came" in _told(app), timeout=60)
            await shows(pilot, "tiny-processbench-t1", " 40  ")
            assert inspected(pilot).evaluation.votes.most == 4


def test_a_critic_of_the_hub_is_asked_at_the_commit_that_it_is_known_by(imported, tmp_path):
    """Another one of the same name would be another scorer, and the name is taken."""
    workspace = Workspace.open(imported)
    cases, texts = workspace.cases()
    state = SimpleNamespace(results=SimpleNamespace(loaded=Loaded(workspace, cases, texts), cases=cases))
    weights = {"hub": "org/m", "commit": "abc"}
    settings = {"protocol": "processbench", "model": "m", "weights": weights, "dtype": "float32", "template": ""}
    settings |= {"sampling": {"temperature": 0.0}, "seed": 42}
    critic = making.scorer("m-processbench", kind="critic", settings=settings)
    asked = critic_asked(critic, tmp_path / "none", state, cases["case"][0], "")
    assert asked.model == "org/m"
    assert "--revision=abc" in asked.flags


def _told(app):
    return " ".join(one.message for one in app._notifications)


def test_a_process_that_dies_without_a_word_is_noticed(imported):
    job = ScoringJob(imported, "processbench", "nowhere")
    job._job._process.kill()
    told = []
    job.listen(told.append)
    assert told[-1] == {"event": "end", "status": "died", "code": -9}
    assert "ended without a word (exit code -9); see scoring.log" in job.note(told[-1])
    assert not job.running


async def test_the_dialog_says_on_opening_what_is_not_installed(imported, monkeypatch):
    """Bug E9: missing packages were reported only after the form was complete, in a toast that disappeared."""
    async with opened(Query(workspace=str(imported))) as pilot:
        await press(pilot, "S")
        assert "Not installed" not in await shows(pilot, "with a PRM")
        await press(pilot, "escape")
        monkeypatch.setattr("inspector.screens.score.find_spec", lambda name: None if name == "torch" else object())
        await press(pilot, "S")
        await shows(pilot, "Not installed: torch.", "pip install 'prm-inspect[score]'")


def test_a_job_can_be_stopped_and_tells_notices_and_warnings_and_no_other_notes(imported):
    job = ScoringJob(imported, "processbench", "nowhere")
    job.stop()
    assert job.note({"event": "notice", "sentence": "All are alike."}) == "NOTICE: All are alike."
    start = {"event": "start", "scorer": "s", "cached": 1, "refused": 0, "to_do": 2}
    assert job.note({**start, "notes": ["read as PURE", "WARNING: so."]}) == "WARNING: so."
    assert job.note({**start, "notes": ["read as PURE"]}) == ""
    assert re.fullmatch(r"s: 1 cached, 2 to do; loading the model, \d s", job.words)
    job.note({"event": "doing", "sentence": "vLLM is starting (12 s): reading weights"})
    assert job.words == "vLLM is starting (12 s): reading weights"
    job.note({"event": "progress", "done": 1, "to_do": 4, "refused": 0, "seconds": 30.0})
    assert job.words == "scoring 1 of 4"
    job.note({"event": "progress", "done": 2, "to_do": 4, "refused": 0, "seconds": 31.0})
    assert job.words == "scoring 2 of 4, 1.0 cases/s, 2 s left"
    told = []
    job.listen(told.append)
    assert told[-1]["event"] == "end"
    assert (imported / "scoring.log").is_file()


# -- leaving while a run is on


class Endless:
    """A job that goes on until it is told otherwise."""

    number = 31337

    def __init__(self, _words, _log):
        self.told, self._over = [], threading.Event()

    def events(self):
        yield {"event": "start", "scorer": "s", "cached": 0, "refused": 0, "to_do": 9, "notes": []}
        yield {"event": "progress", "done": 4, "to_do": 9, "refused": 0, "seconds": 2.0}
        self._over.wait(20)

    def wait(self):
        return 0

    def leave(self):
        self.told.append("go on")
        self._over.set()

    def stop(self):
        self.told.append("stop")
        self._over.set()


@pytest.mark.parametrize(("keys", "ending"), [(("ctrl+c", "ctrl+c"), "stop"), (("q", "down", "enter"), "go on")])
async def test_leaving_asks_what_becomes_of_a_run(imported, tmp_path, monkeypatch, keys, ending):
    monkeypatch.setattr("inspector.state.processes.job.Job", Endless)
    async with opened(Query(workspace=str(imported)), size=(100, 30), folder=tmp_path) as pilot:
        app = pilot.app
        await press(pilot, "escape")
        job = await begun(pilot)
        await press(pilot, keys[0])
        await shows(pilot, *LEAVING)
        await press(pilot, *keys[1:])
        assert not app.is_running
    assert job.told == [ending]
    assert ("as process 31337" in app.scoring.farewell) == (ending == "go on")


LEAVING = ("A run is on: scoring 4 of 9", "Stop", "in the background: the app ends", "Stay")


async def begun(pilot):
    """A job that was begun from the board and is on."""
    await press(pilot, "S", *"dir", "enter")
    await shows(pilot, "scoring 4 of 9", "S stops it")
    return pilot.app.scoring._run._job


async def test_the_key_that_starts_a_run_stops_it_once_more_and_who_leaves_may_stay(imported, tmp_path, monkeypatch):
    monkeypatch.setattr("inspector.state.processes.job.Job", Endless)
    async with opened(Query(workspace=str(imported)), size=(100, 30), folder=tmp_path) as pilot:
        app = pilot.app
        await press(pilot, "escape")
        job = await begun(pilot)
        await press(pilot, "S")
        await shows(pilot, "A run is going on", "what was computed is kept")
        await press(pilot, "down", "enter")
        assert job.told == []
        await press(pilot, "S", "enter")
        await until(pilot, lambda: job.told == ["stop"] and not app.scoring._run.running)
        pilot.app.clear_notifications()
        job = await begun(pilot)
        await press(pilot, "q")
        await shows(pilot, *LEAVING)
        await press(pilot, "escape", "ctrl+c", "down", "down", "enter")
        assert app.is_running
        assert job.told == []
        assert not isinstance(app.screen, Picking)
        await press(pilot, "q")
        await shows(pilot, *LEAVING)
        await press(pilot, "enter")
        assert not app.is_running
    assert job.told == ["stop"]
    assert "as process 31337" not in app.scoring.farewell


def test_a_run_goes_on_without_a_reader_only_where_that_was_said(imported, monkeypatch):
    for name, value in light(0.2).items():
        monkeypatch.setenv(name, value)
    for said in (False, True):
        job = Job(
            ["score", "processbench", f"--workspace={imported}", f"--model={MODEL}", f"--name=s{said}", "--device=cpu"]
        )
        events = job.events()
        assert next(events)["event"] == "start"
        if said:
            job.leave()
        events.close()
        job._process.stdin.close()
        assert job.wait() == (0 if said else 2)
        kept = [
            RewardParts(folder).read()[0].height for folder in (imported / "rewards").glob(f"s{str(said).lower()}*")
        ]
        assert (kept == [40]) == said


def test_models_are_completed_from_folders_and_from_those_used_before(tmp_path):
    for name in ("prm-a", "prm-b", ".prm-c", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "prm-b" / "config.json").touch()
    (tmp_path / "prm-file").touch()
    used = ("org/prm-hub", str(tmp_path / "gone"))
    assert model_choices("", used) == used
    # A checkpoint before what only may hold one, and those used before last.
    assert model_choices(f"{tmp_path}/prm", used) == (f"{tmp_path}/prm-b", f"{tmp_path}/prm-a/")
    assert model_choices("hub", used) == ("org/prm-hub",)
    assert model_choices(f"{tmp_path}/nowhere/x", used) == ()
    assert model_choices("\0", used) == ()
    assert model_choices("~nobody-of-this-name/", used) == ()


@pytest.mark.usefixtures("_followed_closely")
async def test_a_critic_of_the_workspace_is_asked_about_the_case_at_hand_alone(imported, tmp_path):
    pytest.importorskip("httpx")
    ask = ("score", "processbench", "--critic", "processbench", "-w", str(imported), "-q")
    with running() as server:
        more = ("--votes", "4", "--temperature", "0.5", "--limit", "5", "--server", server.url)
        with jobs_here():
            assert cli.main([*ask, *more]) == 0
        asked = server.answered
        async with opened(Query(workspace=str(imported)), folder=tmp_path, size=(100, 30)) as pilot:
            await press(pilot, "g", "l", "G", "enter", "S")
            await shows(pilot, "tiny-processbench-t0.5", "critic, processbench", "or PRM")
            await press(pilot, "enter")
            await shows(pilot, "Where is tiny to be asked?")
            await press(pilot, "enter")
            await until(pilot, lambda: "Nothing is asked without an address." in _told(pilot.app))
            await press(pilot, "S", "enter", *server.url, "enter")
            await until(pilot, lambda: "4 of 4 answers came" in _told(pilot.app), timeout=60)
            await until(pilot, lambda: inspected(pilot).evaluation.votes.answered.sum() == 6)
            case = inspected(pilot).cases["case"][pilot.app.screen.row]
            # The address need not be typed twice; toasts hide it.
            pilot.app.clear_notifications()
            await press(pilot, "S", "enter")
            await shows(pilot, server.url)
    # One call for all four.
    assert server.answered - asked == 1
    (folder,) = (imported / "rewards").iterdir()
    key = Workspace.open(imported).cases()[0].filter(case=case)["key"].item()
    assert VoteParts(folder).of(key).height == 4
