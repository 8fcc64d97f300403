"""Hostile text in every field, under a real terminal: none of it acts, nothing breaks, at any size."""

import json
import re
import sys
from pathlib import Path

import pytest

import hostile_space
from hostile_space import TEXTS
from inspector.cli import main
from terminal import KEYS, Terminal

pytestmark = pytest.mark.pty

RUN = [sys.executable, "-m", "inspector.cli"]
ROOT = str(Path(__file__).parent.parent)
FORBIDDEN = {
    # A style of the app's own may end just before the number: `ESC[1m`.
    "a sequence of the data": rb"\x1b(?!\[[0-9;]{0,2}m)[^\x1b ]{0,3}31337",
    "its clipboard": rb"\x1b\]52;c;MzEzMzc=",
    "a bell": rb"\x07",
    "a NUL": rb"\x00",
    "a C1 control": rb"\xc2[\x80-\x9f]",
    "an override of direction": rb"\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]",
    "a character without a width": rb"\xe2\x80\x8b|\xef\xbb\xbf",
}


def acting(output: bytes) -> list[str]:
    """What of the data acted, in words."""
    # Two sequences of the app's own end in a bell: what a person copies goes out as base64, and the mouse's shape.
    output = re.sub(rb"\x1b\](52;c;(?!MzEzMzc=)[A-Za-z0-9+/]*=*|22;[a-z]+)\x07", b"", output)
    return [what for what, pattern in FORBIDDEN.items() if re.search(pattern, output)]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """A workspace in which all is hostile: its folder, cases, labels, texts, sources, scorers, answers and notes."""
    root = tmp_path_factory.mktemp("hostile") / "w\x1b[31337m[red]"
    hostile_space.make(root)
    return root


WALK = (
    *(("?",), ("escape", "g", "l"), ("e", "m"), ("e", "j"), ("v", "s", "down", "down"), ("1",)),
    *(("x", "/", *"31337"), ("enter",), ("enter", "v", "c"), ("y",), ("e", "m"), ("o", "down"), ("escape", "a")),
)
"""Panes, dialogs, menus and toasts, from the board through the list to a case."""
SIZES = ((90, 30), (7, 3), (1, 1), (300, 80), (30, 8), (100, 30))


def press(terminal, *keys):
    """A key that follows Escape at once would be read as Alt and that key."""
    for key in keys:
        if key == "escape":
            terminal.press(key, gap=0.2, timeout=0.3)
        else:
            terminal.send(KEYS.get(key, key.encode()))


def test_no_text_of_the_data_acts_on_the_terminal_at_any_size(workspace, tmp_path):
    """Every command and screen: `test_hostile_screens`. What is copied is raw, and cannot end its own sequence."""
    with Terminal(
        [*RUN, "-w", str(workspace)], columns=20, lines=5, env={"PYTHONPATH": ROOT}, cwd=tmp_path
    ) as terminal:
        # A terminal in which nothing fits says so; keys do no harm there.
        terminal.wait_for("too small")
        press(terminal, "enter", "g", "l", "e", "c", "q")
        terminal.settle(0.2)
        terminal.resize(120, 36)
        terminal.wait_for("Enter")
        for keys in WALK:
            press(terminal, *keys)
            terminal.settle(0.06, timeout=2)
            # The mouse over what stands there, so that tooltips come.
            terminal.send(b"\x1b[<35;40;12M")
        for size in SIZES:
            terminal.resize(*size)
            terminal.settle(0.05, timeout=0.5)
        terminal.settle()
        press(terminal, "escape", "g", "b")
        terminal.settle(0.3)
        # Wherever it is: to follow all of its output on a screen would take longer than the app does.
        press(terminal, "ctrl+c")
        assert terminal.wait() == 0, terminal.screen_text()
        output = bytes(terminal.output)
    assert acting(output) == []
    assert b"Traceback" not in output
    assert "␛[31337m".encode() in output
    assert b"[red]x[/]" in output
    assert {path.suffix for path in tmp_path.iterdir()} >= {".json", ".md"}
    copied = re.findall(rb"\x1b\]52;c;([^\x07\x1b]*)", output)
    assert len(copied) >= 3
    assert all(re.fullmatch(rb"[A-Za-z0-9+/]+=*", one) for one in copied)


COMMANDS = (
    ("benchmarks",),
    ("scorers",),
    ("stats",),
    ("metrics",),
    ("cases",),
    ("show", "=1+1"),
    ("cases", "--csv"),
    ("show", "=1+1", "--json"),
    ("export", "cases", "--to", "processbench"),
)
ONE_BY_ONE = """
import json, sys
from inspector.cli import main
for words in json.loads(sys.argv[1]):
    code = main(words)
    print(f"END OF {words} WITH {code}", flush=True)
"""
"""Commands in one process, which is started once."""


def test_no_text_of_the_data_acts_where_a_command_prints_it_and_good_rows_among_hostile_ones_are_kept(
    workspace, tmp_path, capsys
):
    rows = [
        {"id": f"set{number}-{text}", "generator": text, "problem": text, "steps": [text, "x"], "label": label}
        for number, (text, label) in enumerate(zip(TEXTS, (-1, 0, 1, 77, "no", None, -1, 0), strict=True))
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows).replace('"x"', '"\\ud800 x"') + '{"broken\x1b[31337m": \n'
    name = "odd\x1b[31337m.jsonl"
    (tmp_path / name).write_text(text, encoding="utf-8")
    told = [("import", "processbench", name, "-w", "space"), *((*words, "-w", str(workspace)) for words in COMMANDS)]
    argv = [sys.executable, "-c", ONE_BY_ONE, json.dumps(told)]
    # What is longer than the screen goes through a pager as well.
    env = {"PYTHONPATH": ROOT, "PAGER": "cat"}
    with Terminal(argv, columns=120, lines=50, env=env, cwd=tmp_path) as terminal:
        assert terminal.wait() == 0
        outputs = re.split(rb"END OF .* WITH (\d+)\r?\n", bytes(terminal.output))
    assert outputs[1::2] == [b"1", *[b"0"] * len(COMMANDS)]
    for words, output in zip(told, outputs[::2], strict=False):
        assert acting(output) == [], words
        assert len(output) > 200, words
    assert b"lone-surrogate" in outputs[0]
    capsys.readouterr()
    assert main(["cases", "-w", str(tmp_path / "space"), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["rows"]) >= 4
