"""Hostile text in every field, under a real terminal: none of it acts, nothing breaks, at any size."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hostile_space
from hostile_space import TEXTS
from terminal import Terminal
from thoroughness import also

pytestmark = pytest.mark.pty

RUN = [sys.executable, "-m", "inspector.cli"]
ROOT = str(Path(__file__).parent.parent)
FORBIDDEN = {
    "a sequence of the data": rb"\x1b[^\x1b ]{0,3}31337",
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


def program(workspace, *words):
    return [*RUN, *words, "-w", str(workspace)]


TOUR = (
    *(
        "up",
        "t",
        "right",
        "*",
        "enter",
        "e",
        "l",
        "g",
        "l",
        "f",
        *["down"] * 7,
        "space",
        "down",
        "space",
        "x",
        "f",
        "s",
        "down",
        "enter",
        "v",
        "c",
        "space",
        "enter",
        "w",
        "x",
        "enter",
        "a",
        "enter",
        "u",
        "v",
        "z",
    ),
    *(
        "v",
        "z",
        "j",
        "l",
        "v",
        "r",
        "t",
        "left",
        "n",
        "escape",
        "e",
        "c",
        "enter",
        "n",
        "v",
        "o",
        "n",
        "v",
        "t",
        "v",
        "t",
        "v",
        "w",
        "n",
        "l",
        "j",
        "k",
        "t",
        "right",
    ),
    *(
        "enter",
        "o",
        "j",
        "space",
        "k",
        "k",
        "space",
        "enter",
        "v",
        "v",
        "v",
        "f",
        "v",
        "b",
        "v",
        "p",
        "v",
        "b",
        "g",
        "enter",
        "G",
        "y",
        "v",
        "v",
    ),
    *("e", "j", "?", "?", "ctrl+p", "t", "h", "escape", "escape", "e", "M"),
)


DIALOGS = (
    ("S", "escape"),
    ("g", "l", ":", *"error_type = ", "tab", "ctrl+n", "up", "escape"),
    ("v", "s", "down", "down", "escape"),
    ("v", "s", "1"),
    ("x", "/", *"31337", "tab", "tab", "enter"),
    ("x", "h", "l", "l", "@", "x", "#", "x"),
    ("s", "down", "pagedown", "escape"),
    ("v", "c", "down", "space", "pagedown", "enter"),
    ("w", "tab", "escape"),
    ("g", "w", "escape"),
    ("a", "escape"),
    ("f", *["down"] * 30, "escape"),
    ("o", "down", "enter", "o", "down", "enter", "v", "u", "v", "u"),
    ("?", "pagedown", "?"),
    ("ctrl+p", *"note", "escape"),
    ("ctrl+p", *"theme", "enter", "escape"),
    ("e", "j"),
    ("enter", "v", "c", "l", "l", "tab", "tab", "enter", "v", "z", "v", "z", "escape"),
    ("v", "f", "v", "p", "v", "b", "v", "b", "v", "v", "v", "v", "v", "r", "v", "w", "y"),
    ("n", "v", "o", "v", "o", "v", "t", "v", "t", "n", "v", "o", "n"),
    ("o", "down", "space", "enter"),
    ("w", "escape"),
    ("a", "escape", "u", "ctrl+r"),
    ("t", "n", "v", "m", "enter", "e", "m"),
    ("?", "?", "ctrl+p", *"case", "escape"),
)
"""Every dialog, menu, pane and toast, from the board through the list to a case."""


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), *also((160, 50))])
def test_no_text_of_the_data_acts_in_any_dialog_menu_pane_or_toast(workspace, columns, lines, tmp_path):
    with Terminal(program(workspace), columns=columns, lines=lines, env={"PYTHONPATH": ROOT}, cwd=tmp_path) as terminal:
        terminal.wait_for("Enter")
        terminal.settle()
        for keys in DIALOGS:
            for key in keys:
                # A key that follows Escape at once would be read as Alt and that key.
                terminal.press(key, gap=0.2 if key == "escape" else 0.05, timeout=0.3)
            terminal.settle(0.2, timeout=2)
            # The mouse over what stands there, so that tooltips come.
            terminal.send(f"\x1b[<35;{columns // 3};{lines // 3}M".encode())
        leave(terminal)
        output = bytes(terminal.output)
    assert acting(output) == []
    assert b"Traceback" not in output


SIZES = ((90, 30), (7, 3), (1, 1), (300, 80), (30, 8))


def leave(terminal):
    """From wherever the keys have led to: to the board, and out."""
    for _ in range(6):
        terminal.press("escape", gap=0.15, timeout=0.25)
    for _ in range(6):
        # The first goes to the board if the escapes were not enough.
        if not terminal.running:
            break
        terminal.press("q", gap=0.5, timeout=2)
    assert terminal.wait() == 0, terminal.screen_text()


@pytest.mark.parametrize(("columns", "lines"), [(200, 50), (20, 5), *also((80, 24))])
def test_no_text_of_the_data_acts_on_the_terminal_anywhere_in_the_app(workspace, columns, lines, tmp_path):
    env = {"PYTHONPATH": ROOT}
    with Terminal(program(workspace), columns=columns, lines=lines, env=env, cwd=tmp_path) as terminal:
        # A terminal in which nothing fits says so; keys do no harm there.
        terminal.wait_for("Enter" if columns > 40 else "too small")
        terminal.settle()
        for key in TOUR:
            # A key that follows Escape at once would be read as Alt and that key.
            terminal.press(key, gap=0.2 if key == "escape" else 0.03, timeout=0.4)
        for size in (*SIZES, (columns, lines)):
            terminal.resize(*size)
        if columns < 40:
            # There Ctrl+C alone leaves.
            terminal.resize(80, 24)
            terminal.wait_for("Enter")
        leave(terminal)
        output = bytes(terminal.output)
    assert acting(output) == []
    assert b"Traceback" not in output
    if columns == 200:
        assert "␛[31337m".encode() in output
        assert b"[red]x[/]" in output
    assert any(path.suffix in {".csv", ".json", ".md"} for path in tmp_path.iterdir()) == (columns > 40)


def test_a_storm_of_resizing_while_keys_are_pressed_breaks_nothing(workspace, tmp_path):
    with Terminal(program(workspace), columns=80, lines=24, env={"PYTHONPATH": ROOT}, cwd=tmp_path) as terminal:
        terminal.wait_for("Enter Open")
        for number, key in enumerate(
            ("g", "l", "f", "t", "escape", "f", "enter", "n", "t", "right", "escape", "escape") * 2
        ):
            terminal.resize(20 + 37 * number % 180, 5 + 11 * number % 50)
            terminal.send(
                b"\x1b" if key == "escape" else key.replace("enter", "\r").replace("right", "\x1b[C").encode()
            )
        terminal.resize(100, 30)
        terminal.settle()
        leave(terminal)
        assert acting(bytes(terminal.output)) == []


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


def test_no_text_of_the_data_acts_where_a_command_prints_it(workspace, tmp_path):
    told = json.dumps([program(workspace, *words)[len(RUN) :] for words in COMMANDS])
    argv = [sys.executable, "-c", ONE_BY_ONE, told]
    # What is longer than the screen goes through a pager as well.
    env = {"PYTHONPATH": ROOT, "PAGER": "cat"}
    with Terminal(argv, columns=120, lines=50, env=env, cwd=tmp_path) as terminal:
        assert terminal.wait() == 0
        outputs = re.split(rb"END OF .* WITH (\d+)\r?\n", bytes(terminal.output))
    assert outputs[1::2] == [b"0"] * len(COMMANDS)
    for words, output in zip(COMMANDS, outputs[::2], strict=False):
        assert acting(output) == [], words
        assert len(output) > 200, words


def test_an_import_of_hostile_rows_reports_them_and_keeps_the_good_ones(tmp_path):
    rows = [
        {"id": f"set{number}-{text}", "generator": text, "problem": text, "steps": [text, "x"], "label": label}
        for number, (text, label) in enumerate(zip(TEXTS, (-1, 0, 1, 77, "no", None, -1, 0), strict=True))
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows).replace('"x"', '"\\ud800 x"') + '{"broken\x1b[31337m": \n'
    name = "odd\x1b[31337m.jsonl"
    (tmp_path / name).write_text(text, encoding="utf-8")
    argv = [*RUN, "import", "processbench", name, "-w", "space"]
    with Terminal(argv, columns=120, lines=60, env={"PYTHONPATH": ROOT}, cwd=tmp_path) as terminal:
        assert terminal.wait() == 1
        report = bytes(terminal.output)
    assert acting(report) == []
    assert b"lone-surrogate" in report
    environment = {**os.environ, "PYTHONPATH": ROOT}
    shown = subprocess.run(
        [*RUN, "cases", "-w", "space", "--json"], capture_output=True, check=True, cwd=tmp_path, env=environment
    )
    assert len(json.loads(shown.stdout)["rows"]) >= 4


def test_what_is_copied_is_the_raw_text_and_cannot_end_its_own_sequence(workspace, tmp_path):
    with Terminal(program(workspace), columns=120, lines=36, env={"PYTHONPATH": ROOT}, cwd=tmp_path) as terminal:
        terminal.wait_for("Enter Open")
        terminal.press("g", "l")
        terminal.press("e")
        terminal.press("m", gap=0.5)
        copied = re.findall(rb"\x1b\]52;c;([^\x07\x1b]*)", bytes(terminal.output))
        terminal.press("q")
        assert terminal.wait() == 0
    assert len(copied) == 1
    assert re.fullmatch(rb"[A-Za-z0-9+/]+=*", copied[0])
