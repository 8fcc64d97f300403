"""Pages that are longer than the screen, under a real terminal."""

import json
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


ONE_BY_ONE = """
import json, os, pathlib, sys
from inspector.cli import main
for number, (pager, words) in enumerate(json.loads(sys.argv[1])):
    os.environ["PAGER"] = pager
    # Which --no-color sets.
    os.environ.pop("NO_COLOR", None)
    code = main(words)
    if pathlib.Path("paged").exists():
        pathlib.Path("paged").rename(f"paged-{number}")
    print(f"END WITH {code}", flush=True)
"""
"""Commands in one process, which is started once."""
PRINTED = (
    # Longer than the screen, and not.
    *((TO_A_FILE, LONG), (TO_A_FILE, SHORT), (TO_A_FILE, [*LONG, "--no-color"]), (TO_A_FILE, LIGHT)),
    # Nobody reads it there, or no pager can be started, or the reader leaves at once, which is no error.
    *((TO_A_FILE, [*LONG, "-q"]), ("there-is-no-such-pager -R", LIGHT), ("true", LIGHT)),
    *also((TO_A_FILE, ["show", "algebra-012", *LONG[1:3]]), (TO_A_FILE, [*LONG, "--csv"])),
)


def test_what_is_longer_than_the_screen_goes_through_the_pager_where_there_is_one_and_somebody_reads_it(tmp_path):
    code, out = ran([sys.executable, "-c", ONE_BY_ONE, json.dumps(PRINTED)], tmp_path, PAGER="")
    *outs, end = out.split("END WITH 0\n")
    assert (code, end, len(outs)) == (0, "", len(PRINTED))
    paged = {int(path.name.removeprefix("paged-")): path.read_text() for path in tmp_path.glob("paged-*")}
    assert paged.keys() == {0, 2, 3, *also(7)}
    assert all(text.count("\n") >= 24 for text in paged.values())
    assert paged[0].count("\n") > 240
    assert re.search(COLOUR, paged[0])
    assert not re.search(COLOUR, paged[2])
    assert outs[0].startswith(COMMAND)
    assert COMMAND in outs[1]
    assert 3 < outs[1].count("\n") < 24
    assert [re.sub(r"command: .*\n", "", outs[number]) for number in (*paged, 6)] == [""] * (len(paged) + 1)
    for number, words in ((4, "reasoning-060"), (5, "--threshold"), *also((8, "reasoning-060"))):
        assert outs[number].count("\n") > 24
        assert words in outs[number]


STRAIGHT = [
    ("a pipe", ["sh", "-c", f"{shlex.join([*RUN, *LIGHT])} | cat"], {}),
    *also(
        ("a file", ["sh", "-c", f"{shlex.join([*RUN, *LONG])} > file; cat file"], {}),
        ("a dumb terminal", [*RUN, *LONG], {"TERM": "dumb"}),
    ),
]


@pytest.mark.parametrize(("words", "env"), [case[1:] for case in STRAIGHT], ids=[case[0] for case in STRAIGHT])
def test_it_is_printed_straight_where_nobody_reads_it_there(words, env, tmp_path):
    code, out = ran(words, tmp_path, PAGER=TO_A_FILE, **env)
    assert code == 0
    assert out.count("\n") > 24
    assert ("reasoning-060" if LONG[0] in words else "--threshold") in out
    assert not (tmp_path / "paged").exists()
