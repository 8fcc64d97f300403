import signal
import sys
import time
from pathlib import Path

import pytest

from terminal import Terminal

pytestmark = pytest.mark.pty

ECHO = """
import sys, time, tty
tty.setraw(0)
sys.stdout.write("ready\\r\\n"); sys.stdout.flush()
while (key := sys.stdin.buffer.raw.read(100)) != b"q":
    time.sleep(0.05)
    sys.stdout.write(repr(key)); sys.stdout.flush()
    if key == b"2":
        time.sleep(0.5)
        sys.stdout.write(" and more"); sys.stdout.flush()
sys.exit(3)
"""
SIZE = """
import os, signal, time
signal.signal(signal.SIGWINCH, lambda *_: print(*os.get_terminal_size(), flush=True))
print(*os.get_terminal_size(), os.environ.get("WORD"), os.environ.get("HOME"), flush=True)
while True:
    time.sleep(0.1)
"""


def open_descriptors() -> set[str]:
    return {path.name for path in Path("/dev/fd").iterdir()}


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_keys_go_in_and_the_answer_comes_back_with_its_times():
    with Terminal(python(ECHO), columns=40, lines=5) as terminal:
        assert terminal.wait_for("ready") < 10
        one = terminal.press("down")
        assert one is not None
        assert one.data == b"b'\\x1b[B'"
        assert 50 <= one.first <= one.last
        two = terminal.press("2", gap=2)
        assert two is not None
        assert two.data == b"b'2' and more"
        assert two.last - two.first >= 100
        assert "b'2' and more" in terminal.screen_text()
        assert bytes(terminal.output).endswith(b"and more")
        terminal.send(b"q")
        assert terminal.wait() == 3


def test_clicks_are_reported_one_based():
    with Terminal(python(ECHO)) as terminal:
        terminal.wait_for("ready")
        answer = terminal.click(4, 0)
        assert answer is not None
        assert answer.data == repr(b"\x1b[<0;5;1M\x1b[<0;5;1m").encode()


def test_silence_is_no_answer():
    with Terminal(python("import time, tty; tty.setraw(0); print('ready', flush=True); time.sleep(60)")) as terminal:
        terminal.wait_for("ready")
        terminal.settle(0.1)
        start = time.perf_counter()
        assert terminal.press("enter", timeout=0.2) is None
        assert time.perf_counter() - start >= 0.19


def test_size_environment_and_resizing():
    with Terminal(python(SIZE), columns=40, lines=5, env={"WORD": "given", "HOME": ""}) as terminal:
        terminal.wait_for("40 5 given None")
        terminal.resize(30, 8)
        terminal.wait_for("30 8")
        assert len(terminal.screen_text().split("\n")) == 8


def test_a_text_that_never_comes_is_an_error_that_shows_the_screen():
    with Terminal(python("print('something else')")) as terminal, pytest.raises(TimeoutError, match="something else"):
        terminal.wait_for("expected", timeout=5)


def test_a_program_that_does_not_end_is_an_error():
    with Terminal(python(SIZE)) as terminal, pytest.raises(TimeoutError, match="still running"):
        terminal.wait(timeout=0.2)


def test_signals_reach_the_program():
    with Terminal(python(SIZE), columns=40, lines=5) as terminal:
        terminal.wait_for("40 5")
        terminal.signal(signal.SIGTERM)
        assert terminal.wait() == -signal.SIGTERM


def test_nothing_is_left_behind():
    before = open_descriptors()
    with Terminal(python(SIZE), columns=40, lines=5) as terminal:
        terminal.wait_for("40 5")
        process = terminal._process
    assert process.returncode == -signal.SIGKILL
    assert open_descriptors() == before
    terminal.close()
