"""The log of a session, and playing it again."""

import asyncio
import json
import os
from pathlib import Path

import pytest

import making
from inspector.app import InspectApp
from inspector.cli import main
from inspector.query import Query
from inspector.screens.base import AppScreen
from inspector.session import recording, replaying
from inspector.session.log import KEPT, ReadSession, SessionLog, command_id, logs, read_session, screen_words, shadow
from inspector.session.replaying import replay
from inspector.workspace_place import demo_workspace, find_workspace_or_demo
from opened import unpainted
from reference import Case
from scoring.errors import UnreadableFile
from scoring.triage.history import RULINGS
from scoring.triage.journal import Author, Journal
from scoring.workspace import Workspace
from screen_text import settled, type_ahead, until

MODEL = RULINGS[0]


@pytest.fixture(autouse=True)
def _no_frames():
    with unpainted():
        yield


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("PRM_INSPECT_USER", "ann")
    monkeypatch.setattr(recording, "REST", 0.05)
    monkeypatch.setattr(replaying, "PATIENCE", 3.0)
    place = tmp_path / "space"
    cases = [Case(3, number % 4 - 1, (0.9, 0.2 + number / 40, 0.9)) for number in range(8)]
    making.workspace(place, cases, [(making.scorer("prm"), cases)])
    journal = Journal(place / "triage", Author("bob", "gpu"))
    journal.tag(["bench/c0"], ["odd"])
    return place


async def session(root, tmp_path, *keys, size=(120, 36)):
    """The log of a session in which these keys were pressed, one after the other at rest; None: of the demo.

    Two numbers are another size.
    """
    query = Query(benchmarks=("demo",)) if root is None else Query(workspace=str(root))
    app = InspectApp(query, folder=tmp_path, state_folder=tmp_path / "state", sessions=tmp_path / "sessions")
    async with app.run_test(size=size, notifications=True) as pilot:
        await until(pilot, lambda: isinstance(app.screen, AppScreen) and app.screen.is_mounted)
        for key in ("", *keys):
            if isinstance(key, tuple):
                await pilot.resize_terminal(*key)
            elif key:
                type_ahead(pilot, key)
            await settled(pilot)
            await until(pilot, lambda: app.recorder.last_said == screen_words(app))
    (path,) = logs(tmp_path / "sessions")
    return path


def workspace_of(root):
    return find_workspace_or_demo(None, ("demo",)) if root is None else Workspace.open(root)


def played(path, root, tmp_path):
    at = tmp_path / f"replayed-{len(list(tmp_path.iterdir()))}"
    at.mkdir()
    return asyncio.run(replay(read_session(path), workspace_of(root), at))


def bytes_of(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_session_comes_to_the_same_and_changes_nothing_and_what_was_said_since_does_not_count(root, tmp_path):
    """Typed words and another size are played again as well."""
    condition = ("colon", *"n>9", "escape")
    path = asyncio.run(
        session(root, tmp_path, "enter", "g", "t", "enter", "1", "2", "u", "x", "escape", *condition, (90, 30))
    )
    found = read_session(path)
    commands = [line.command for line in found.lines if line.command]
    assert {"triage", "rule-model-wrong", "rule-gold-wrong", "unrule"} <= {*commands}
    titles = [line.title for line in found.lines if line.title is not None]
    # A title that is not there yet is not logged.
    assert all(title.strip() for title in titles)
    compared = sum(
        one.title is not None
        for one, other in zip(found.lines, [*found.lines[1:], None], strict=True)
        if other is None or other.title is None
    )
    assert any("1 of 6" in title for title in titles), titles
    assert ":n>9" in "".join(line.character or "" for line in found.lines)
    assert [line.size for line in found.lines if line.size] == [(90, 30)]
    Journal(root / "triage", Author("ann", "laptop")).rule(["bench/c5", "bench/c6"], MODEL)
    before = bytes_of(root)
    result = played(path, root, tmp_path)
    assert result.difference is None, result
    assert (result.inputs, result.titles) == (15, compared)
    assert bytes_of(root) == before


def test_the_command_says_whether_it_is_the_same_and_the_first_title_that_differs_with_its_line(
    root, tmp_path, capsys, monkeypatch
):
    path = asyncio.run(session(root, tmp_path, "enter", "enter"))
    assert main(["replay", str(path)]) == 0
    assert capsys.readouterr().out.startswith("The same: 2 keys, texts, clicks and sizes were played, and ")
    assert os.environ["PRM_INSPECT_USER"] == "ann"
    # A workspace that has gone is one sentence.
    root.rename(tmp_path / "moved")
    assert main(["replay", str(path)]) == 2
    assert "holds no workspace" in capsys.readouterr().err
    # Other data, though they are elsewhere, make a difference.
    other = tmp_path / "other"
    cases = [Case(3, 0, (0.9, 0.9, 0.9)) for _ in range(8)]
    making.workspace(other, cases, [(making.scorer("prm"), cases)])
    with monkeypatch.context() as soon:
        soon.setattr(replaying, "PATIENCE", 0.3)
        assert main(["replay", str(path), "-w", str(other)]) == 1
    capsys.readouterr()
    whole = path.read_bytes()
    lines = whole.decode().splitlines()
    changed = max(number for number, line in enumerate(lines) if '"title"' in line)
    was = json.loads(lines[changed])
    lines[changed] = json.dumps({**was, "title": "another"})
    path.write_text("\n".join(lines) + "\n")
    with monkeypatch.context() as soon:
        soon.setattr(replaying, "PATIENCE", 0.3)
        difference = played(path, tmp_path / "moved", tmp_path).difference
    assert (difference.line, difference.was.title) == (changed + 1, "another")
    assert difference.now.title == was["title"]
    # No title acts.
    path.write_text(whole.decode().replace('"title": "', '"title": "\\u001b[2J'))
    with monkeypatch.context() as soon:
        soon.setattr(replaying, "PATIENCE", 0.3)
        assert main(["replay", str(path), "-w", str(tmp_path / "moved")]) == 1
    out = capsys.readouterr().out
    assert "differs, after the start" in out
    assert "\x1b" not in out
    # A line that was cut short is left out, and a damaged one is told.
    path.write_bytes(whole)
    n = len(read_session(path).lines)
    path.write_bytes(whole[:-9])
    assert len(read_session(path).lines) == n - 1
    first, second, rest = whole.split(b"\n", 2)
    path.write_bytes(b"\n".join([first, second[:-3], rest]))
    with pytest.raises(UnreadableFile, match=":2 is not a line"):
        read_session(path)


# -- the log


def test_only_the_user_may_read_it_and_old_ones_go_and_a_disk_that_refuses_stops_nothing(tmp_path, root):
    path = asyncio.run(session(root, tmp_path))
    assert path.stat().st_mode & 0o077 == 0
    found = read_session(path)
    assert isinstance(found, ReadSession)
    assert found.start.who == "ann"
    assert found.start.journals.keys() == {"bob-gpu.jsonl"}
    assert Path(found.start.root) == root.resolve()
    for number in range(KEPT + 3):
        (path.parent / f"session-19990101-{number:06}-1.jsonl").touch()
    log = SessionLog(path.parent, lambda: found.start)
    log.begin()
    log.close()
    assert len(logs(path.parent)) == KEPT
    (tmp_path / "file").touch()
    log = SessionLog(tmp_path / "file", lambda: found.start)
    log.begin()
    log.write({"key": "j"})
    log.close()
    assert "not logged any more" in log.problem


def test_commands_are_called_by_their_ids():
    assert command_id("rule(0)", "triage") == "rule-model-wrong"
    assert command_id("screen.threshold", "cases") == "threshold"
    assert command_id("rule(0)", "board") is None


def test_the_shadow_has_journals_as_they_were_and_the_data_by_reference(root, tmp_path):
    bob = root / "triage" / "bob-gpu.jsonl"
    size = bob.stat().st_size
    Journal(root / "triage", Author("bob", "gpu")).tag(["bench/c1"], ["odd"])
    at = shadow(Workspace.open(root), tmp_path / "at", {"bob-gpu.jsonl": size, "../evil.jsonl": 5})
    assert (at / "triage" / "bob-gpu.jsonl").read_bytes() == bob.read_bytes()[:size]
    assert (at / "rewards").is_symlink()
    assert sorted(path.name for path in (at / "triage").iterdir()) == ["bob-gpu.jsonl"]


# -- the command


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "No such file"),
        ("", "does not begin a session's log"),
        ("[1]", "does not begin a session's log"),
        ('{"v": 99}', "is the log of a version with other keys"),
        ('{"v": 2, "time": 3}', "does not begin a session's log"),
    ],
)
def test_what_is_no_log_is_one_sentence(tmp_path, capsys, text, said):
    path = tmp_path / "x.jsonl"
    if text is not None:
        path.write_text(text)
    assert main(["replay", str(path)]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert len(err.splitlines()) == 1


def test_a_session_of_the_demo_is_played_where_no_workspace_is(root, tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("PRM_INSPECT_WORKSPACE", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    path = asyncio.run(session(None, tmp_path, "enter", "w", "a", "enter"))
    assert read_session(path).start.root is None
    before = bytes_of(tmp_path / "data")
    assert before
    assert main(["replay", str(path)]) == 0
    assert bytes_of(tmp_path / "data") == before
    # The demo has been scored since: a session of then is as it was, and one of now finds what is said of its cases.
    Workspace.create(demo_workspace())
    later = tmp_path / "later"
    later.mkdir()
    now = asyncio.run(session(None, later))
    start = read_session(now).start
    assert start.root == str(demo_workspace())
    assert start.journals.keys() == {journal.name for journal in before if journal.suffix == ".jsonl"}
    assert main(["replay", str(path)]) == main(["replay", str(now)]) == 0
    root.rename(tmp_path / ".prm-inspect")
    capsys.readouterr()
    assert main(["replay", str(path)]) == 2
    assert "Play it in another folder." in capsys.readouterr().err


def test_without_a_log_there_is_no_last_one(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert main(["replay", "last"]) == 2
    assert "there is no log of a session in" in capsys.readouterr().err
