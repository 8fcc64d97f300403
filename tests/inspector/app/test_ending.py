"""The app's ends, under a real terminal: quitting, signals, suspension, faults."""

import re
import signal
import sys
import time
from contextlib import contextmanager

import pytest

from inspector.app.services.command_access import GIVE_BACK, KEEP
from inspector.app.terminal.crash_log import KEPT, report, sentence, write
from terminal import Terminal
from test_pty import ENV, RUN
from thoroughness import also

pytestmark = pytest.mark.pty

LEFT = b"\x1b[?1049l"
"""Gives back the screen that was there before."""
FAULTY = """
import sys
from inspector.screens.board import BoardScreen

def fail(self):
    secret_of_the_data = "never in a log"
    raise RuntimeError("deliberate")

BoardScreen.action_all_cases = fail
from inspector.cli import main
sys.exit(main(["demo"]))
"""
SLOW = """
import sys, time
import scoring.selection.loading
{what}
from inspector.cli import main
sys.exit(main(["demo"]))
"""
LATE = """
import sys
from inspector.screens.cases import CasesScreen

def fail(self):
    self.app.exit(return_code=130)
    raise RuntimeError("too late")

CasesScreen.on_mount = fail
from inspector.cli import main
sys.exit(main(["demo"]))
"""
FAR_FROM_ITS_TERMINAL = """
import os, signal, sys

child = os.fork()
if child:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
os.setsid()
from inspector.cli import main
sys.exit(main(["demo"]))
"""
"""No signal comes of a terminal that does not control the process."""
NEVER_LOADED = SLOW.format(what="scoring.selection.loading.load = lambda query: time.sleep(60)")


@pytest.fixture
def home(tmp_path):
    return {**ENV, "XDG_STATE_HOME": str(tmp_path / "state")}


@contextmanager
def board(home, tmp_path, argv=(*RUN, "demo"), **env):
    with Terminal(argv, columns=100, lines=30, env={**home, **env}, cwd=tmp_path) as terminal:
        terminal.wait_for("240 cases")
        terminal.settle()
        yield terminal


def test_a_fault_gives_back_the_terminal_and_writes_a_log(home, tmp_path):
    with board(home, tmp_path, [sys.executable, "-c", FAULTY]) as terminal:
        terminal.press("down")
        terminal.send(b"gl")
        assert terminal.wait() == 1
        output = terminal.output.decode()
    after = output[output.rindex("\x1b[?1049l") :]
    assert "prm-inspect failed (RuntimeError), which is a fault in it." in after
    assert "Traceback" not in output
    assert after.count("\n") <= 3
    (log,) = (tmp_path / "state" / "prm-inspect").glob("crash-*.log")
    assert str(log) in re.sub(r"\s", "", after)
    text = log.read_text()
    for part in ("RuntimeError: deliberate", "in fail", "textual: 8", "size: 100x30", "theme: prm-dark", "move(1)"):
        assert part in text
    assert "TERM: xterm-256color" in text


def test_what_fails_while_it_ends_is_no_fault(home, tmp_path):
    with board(home, tmp_path, [sys.executable, "-c", LATE]) as terminal:
        terminal.press("down")
        terminal.send(b"gl")
        assert terminal.wait() == 130
        assert LEFT in terminal.output
        assert b"failed" not in terminal.output
    assert not list(tmp_path.rglob("crash-*.log"))
    assert list((tmp_path / "state").rglob("demo.json"))


# A terminal that is gone sends SIGHUP in the tests below, and one that was suspended is sent SIGTERM.
@pytest.mark.parametrize(
    ("number", "code", "term"),
    [(signal.SIGINT, 130, "linux"), *also((signal.SIGTERM, 143, "dumb"), (signal.SIGHUP, 129, "linux"))],
)
def test_a_signal_gives_back_a_terminal_that_got_no_title_which_it_would_show_as_text(
    home, tmp_path, number, code, term
):
    # Scripts of 0.2 give the flag; it is accepted and does nothing.
    with board(home, tmp_path, (*RUN, "demo", "--no-session-log"), TERM=term, COLORTERM="") as terminal:
        terminal.press("down", "enter")
        terminal.wait_for("most instructive")
        terminal.signal(number)
        assert terminal.wait() == code
        assert LEFT in terminal.output
        assert b"Traceback" not in terminal.output
        assert b"\x1b]2;" not in terminal.output
    assert list((tmp_path / "state").rglob("demo.json"))


def looks(terminal):
    """Every cell with its colours."""
    screen = terminal.screen()
    return [[screen.buffer[y][x] for x in range(screen.columns)] for y in range(screen.lines)]


@pytest.mark.parametrize("keys", [b"gbgl" + b"j" * 20, *also(b"")])
def test_dialogs_leave_nothing_behind_and_a_terminal_that_is_gone_ends_the_app(home, tmp_path, keys):
    with board(home, tmp_path) as terminal:
        terminal.press("down", "g", "l")
        # The list is being imported when it is opened that soon.
        terminal.wait_for("false alarm")
        terminal.settle()
        before = looks(terminal)
        for key, says in (("s", "Sort by"), ("v c", "Columns of the list"), ("e", "CSV")):
            terminal.press(key)
            terminal.wait_for(says)
            terminal.settle()
            terminal.press("escape")
            terminal.settle()
            assert looks(terminal) == before, f"after {key}"
        terminal.send(keys)
        code = terminal.hang_up()
    assert code == 129, [log.read_text() for log in tmp_path.rglob("crash-*.log")]
    assert list((tmp_path / "state").rglob("demo.json"))


def test_a_terminal_that_is_gone_ends_it_without_a_signal_too(home, tmp_path):
    with board(home, tmp_path, [sys.executable, "-c", FAR_FROM_ITS_TERMINAL]) as terminal:
        terminal.press("down")
        terminal.settle(1.0)
        assert terminal.hang_up() == 129
    assert list((tmp_path / "state").rglob("demo.json"))


def test_ctrl_z_suspends_and_fg_brings_everything_back_and_the_terminal_has_its_own_title(home, tmp_path):
    with board(home, tmp_path) as terminal:
        terminal.press("enter")
        terminal.wait_for("most instructive")
        terminal.settle()
        before = terminal.screen_text()
        terminal.press("ctrl+z")
        terminal.settle(1)
        assert terminal.output.count(LEFT) == 1
        # The shell's terminal shows what is typed.
        assert terminal.press("j").data == b"j"
        terminal.signal(signal.SIGCONT)
        terminal.settle(0.5)
        end = time.monotonic() + 20
        while terminal.screen_text().splitlines()[:3] != before.splitlines()[:3] and time.monotonic() < end:
            terminal.settle(0.3)
        assert terminal.screen_text().splitlines()[:3] == before.splitlines()[:3]
        # And it ends as it would have before.
        terminal.signal(signal.SIGTERM)
        assert terminal.wait() == 143
        assert terminal.output.count(LEFT) == 2
        assert b"Traceback" not in terminal.output
        output = terminal.output.decode()
    assert list((tmp_path / "state").rglob("demo.json"))
    # Keys are recorded nowhere: the state folder holds view states and first frames.
    kept = {path.parent.name for path in (tmp_path / "state").rglob("*") if path.is_file()}
    assert kept <= {"workspaces", "frames"}
    titles = re.findall(r"\x1b\]2;(.*?)\x1b\\", output)
    assert titles[:2] == ["prm-inspect - demo", "prm-inspect - demo - filter outcome = any failure"]
    assert output.index(KEEP) < output.index("\x1b]2;") < output.index(GIVE_BACK)


@pytest.mark.parametrize("key", ["q", *also("ctrl+c")])
def test_quitting_does_not_wait_for_what_is_read(home, tmp_path, key):
    argv = [sys.executable, "-c", NEVER_LOADED]
    with Terminal(argv, columns=100, lines=30, env=home, cwd=tmp_path) as terminal:
        terminal.wait_for("reading the workspace")
        terminal.settle()
        start = time.monotonic()
        terminal.press(key)
        assert terminal.wait() == 0
        assert time.monotonic() - start < 10
        assert LEFT in terminal.output


def test_a_log_holds_facts_and_no_local_values(tmp_path):
    text = report("Traceback: x", {"size": "1x1"}, ["BoardScreen: move(1)"], {"TERM": "xterm", "SECRET_KEY": "s3cr3t"})
    assert "s3cr3t" not in text
    assert "size: 1x1" in text
    path = write(text + "\ud800", tmp_path / "state")
    assert path.parent == tmp_path / "state"
    assert path.read_text().startswith("when: ")


def test_only_the_newest_logs_stay(tmp_path):
    for number in range(KEPT + 5):
        (tmp_path / f"crash-20200101-0000{number:02}-1.log").touch()
    write("new", tmp_path)
    assert len(list(tmp_path.glob("crash-*.log"))) == KEPT


def test_a_folder_that_takes_no_log_is_no_second_fault(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "file" / "none"))
    assert write("text", tmp_path / "file") is None
    assert sentence(ValueError("data"), None).endswith("No log could be written.")
    assert "data" not in sentence(ValueError("data"), None)
