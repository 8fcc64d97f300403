import base64
import os
import re
import shutil
import subprocess
import time

import pytest

from inspector.app.services.saving import FILE, LONGEST, copy, keep, sequence, size
from inspector.state.visit import HERE
from terminal import Terminal
from test_pty import ENV, RUN

HOSTILE = "\x1b]52;c;AAAA\x07 [/b] \u202e ∑ 中文 \ud800 \\frac{1}{2}\n"


def copied(data):
    """What a terminal would have after these bytes: the decoded last OSC 52."""
    found = re.findall(rb"\x1b\]52;c;([A-Za-z0-9+/=]*)\x07", data)
    return base64.b64decode(found[-1]) if found else None


@pytest.mark.parametrize("text", ["", "a", HOSTILE, "x" * LONGEST])
def test_a_text_of_any_content_is_one_sequence_that_nothing_in_it_ends(text):
    data = text.encode("utf-8", "replace")
    made = sequence(data)
    assert made.isascii()
    assert made.count("\x1b") == made.count("\a") == 1
    assert copied(made.encode()) == data


def test_gnu_screen_gets_pieces_that_make_the_same_sequence():
    data = os.urandom(5000)
    made = sequence(data, screen=True)
    pieces = re.findall(r"\x1bP(.*?)\x1b\\", made, re.DOTALL)
    assert all(len(piece) <= 700 for piece in pieces)
    assert "".join(pieces) == sequence(data)


def test_what_most_terminals_would_cut_is_not_sent():
    written = []
    assert copy("x" * LONGEST, {}, written.append, HERE)
    assert len(written[0]) < 100_020
    assert not copy("x" * LONGEST + "y", {}, written.append, HERE)
    assert not copy("é" * (LONGEST // 2 + 1), {}, written.append, HERE)
    assert len(written) == 1


def test_without_tmux_in_its_place_the_terminal_is_asked():
    written = []
    assert copy("text", {"TMUX": "/nowhere,1,0"}, written.append, HERE) or written
    assert copy("text", {"STY": "1.pts"}, written.append, HERE)
    assert written[-1].startswith("\x1bP")


def test_the_file_holds_the_whole_text_and_the_last_one(tmp_path):
    assert keep("x" * (LONGEST + 5), tmp_path) == f"Also in {tmp_path / FILE}"
    assert (tmp_path / FILE).stat().st_size == LONGEST + 5
    keep(HOSTILE, tmp_path)
    assert (tmp_path / FILE).read_bytes() == HOSTILE.encode("utf-8", "replace")


def test_a_file_that_cannot_be_is_a_sentence(tmp_path):
    (tmp_path / "file").touch()
    assert keep("x", tmp_path / "file").startswith("Cannot write")


def test_sizes_are_told_in_words():
    assert size("abc") == "3 bytes"
    assert size("é" * 1000) == "2,000 bytes"
    assert size("x" * 120_400) == "120 kB"


@pytest.mark.pty
def test_the_terminal_gets_the_row_under_the_cursor(tmp_path):
    env = {**ENV, "TMUX": "", "STY": "", "XDG_STATE_HOME": str(tmp_path / "state")}
    with Terminal([*RUN, "demo"], columns=100, lines=30, env=env, cwd=tmp_path) as terminal:
        terminal.wait_for("240 cases")
        terminal.press("y")
        terminal.wait_for("Copied the row of")
        data = copied(bytes(terminal.output))
        terminal.press("q")
        assert terminal.wait() == 0
    assert b'"metric": "F1"' in data
    assert (tmp_path / "state" / "prm-inspect" / FILE).read_bytes() == data


@pytest.mark.pty
@pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux here")
def test_tmux_has_what_was_copied_in_its_buffer(tmp_path):
    tmux = ["tmux", "-S", str(tmp_path / "socket")]
    command = " ".join([f"XDG_STATE_HOME={tmp_path / 'state'}", f"PYTHONPATH={ENV['PYTHONPATH']}", *RUN, "demo"])
    subprocess.run([*tmux, "-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30", command], check=True)
    try:

        def screen():
            return subprocess.run([*tmux, "capture-pane", "-p"], capture_output=True, check=True).stdout.decode()

        end = time.monotonic() + 60
        while "240 cases" not in screen() and time.monotonic() < end:
            time.sleep(0.1)
        subprocess.run([*tmux, "send-keys", "y"], check=True)
        while "Copied the row of" not in screen() and time.monotonic() < end:
            time.sleep(0.1)
        buffer = subprocess.run([*tmux, "show-buffer"], capture_output=True, check=True).stdout
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)
    assert buffer == (tmp_path / "state" / "prm-inspect" / FILE).read_bytes()
