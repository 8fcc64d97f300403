"""Pages that are longer than the screen, under a real terminal."""

import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from terminal import Terminal
from thoroughness import also

pytestmark = pytest.mark.pty

RUN = [sys.executable, "-m", "inspector.cli"]
ENV = {"PYTHONPATH": str(Path(__file__).parent.parent), "PAGER": ""}
LONG = ["cases", "--benchmark", "demo", "--scorer", "blend", "--columns", "case,outcome"]
SHORT = [*LONG, "--where", "case LIKE '%00%'", "--subset", "algebra"]
COLOUR = r"\x1b\[([\d;]*;)?3\d"
LIGHT = ["help", "flags"]
"""As long, and prints no case."""
TO_A_FILE = "sh -c 'cat > paged'"
COMMAND = "command: prm-inspect cases"


def ran(words, folder, **env):
    """Exit code and output of a command that asks for no key."""
    with Terminal(words, columns=80, lines=24, env={**ENV, **env}, cwd=folder) as terminal:
        code = terminal.wait()
        return code, terminal.output.decode().replace("\r\n", "\n")


@pytest.mark.skipif(not shutil.which("less"), reason="needs less")
def test_a_long_page_is_read_in_less_in_colour_and_its_command_is_said_afterwards(tmp_path):
    # Where nothing is said of a pager.
    command = ["env", "-u", "PAGER", "-u", "LESS", *RUN, *LONG]
    with Terminal(command, columns=80, lines=24, env=ENV, cwd=tmp_path) as terminal:
        terminal.wait_for("demo/arithmetic-001")
        terminal.settle()
        first = terminal.screen_text()
        assert "demo/algebra-060" not in first
        assert COMMAND not in first
        assert "ESC" not in first
        row, line = next((row, line) for row, line in enumerate(first.splitlines()) if "missed" in line)
        assert terminal.screen().buffer[row][line.index("missed")].fg == "red"
        # Ctrl+C is less's own, and ends neither it nor us.
        terminal.press("ctrl+c")
        assert terminal.running
        terminal.press("G")
        terminal.settle()
        assert "(END)" in terminal.screen_text()
        terminal.press("q")
        assert terminal.wait() == 0
        assert COMMAND in terminal.screen_text()


def test_what_is_longer_than_the_screen_goes_through_the_pager_and_nothing_else(tmp_path):
    code, out = ran([*RUN, *LONG], tmp_path, PAGER=TO_A_FILE)
    paged = (tmp_path / "paged").read_text()
    assert code == 0
    assert out.startswith(COMMAND)
    assert paged.count("\n") > 240
    assert re.search(COLOUR, paged)
    (tmp_path / "paged").unlink()
    code, out = ran([*RUN, *SHORT], tmp_path, PAGER=TO_A_FILE)
    assert code == 0
    assert COMMAND in out
    assert 3 < out.count("\n") < 24
    assert not (tmp_path / "paged").exists()


STRAIGHT = [
    ("-q", [*RUN, *LONG, "-q"], {}),
    ("a pipe", ["sh", "-c", f"{shlex.join([*RUN, *LIGHT])} | cat"], {}),
    ("no pager", [*RUN, *LIGHT], {"PAGER": "there-is-no-such-pager -R"}),
    *also(
        ("a file", ["sh", "-c", f"{shlex.join([*RUN, *LONG])} > file; cat file"], {}),
        ("a document", [*RUN, *LONG, "--csv"], {}),
        ("a dumb terminal", [*RUN, *LONG], {"TERM": "dumb"}),
    ),
]


@pytest.mark.parametrize(("words", "env"), [case[1:] for case in STRAIGHT], ids=[case[0] for case in STRAIGHT])
def test_it_is_printed_straight_where_nobody_reads_it_there_or_none_can_be_started(words, env, tmp_path):
    code, out = ran(words, tmp_path, **{"PAGER": TO_A_FILE, **env})
    assert code == 0
    assert out.count("\n") > 24
    assert ("reasoning-060" if LONG[0] in words else "--threshold") in out
    assert not (tmp_path / "paged").exists()


def test_a_reader_that_leaves_at_once_is_no_error(tmp_path):
    assert ran([*RUN, *LIGHT], tmp_path, PAGER="true") == (0, "")


@pytest.mark.parametrize("words", [[*LONG, "--no-color"], LIGHT, *also(["show", "algebra-012", *LONG[1:3]])])
def test_other_pages_go_there_as_well_and_without_colour_where_none_is_wanted(words, tmp_path):
    code, out = ran([*RUN, *words], tmp_path, PAGER=TO_A_FILE)
    assert code == 0
    assert (tmp_path / "paged").read_text().count("\n") >= 24
    assert re.sub(r"command: .*\n", "", out) == ""
    if "--no-color" in words:
        assert not re.search(COLOUR, (tmp_path / "paged").read_text())
