"""Hostile text in every field, under a real terminal: none of it acts, nothing breaks, at any size."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import making
import reference
from terminal import Terminal

pytestmark = pytest.mark.pty

RUN = [sys.executable, "-m", "inspector.cli"]
ROOT = str(Path(__file__).parent.parent)
# Numbers that no program would send by itself make the sequences of the data known from those of the app.
ESCAPES = (
    "\x1b]0;31337\x07 \x1b[31337m \x1b[?31337h \x1b[31337;1H \x1bP31337\x1b\\ \x1b]52;c;MzEzMzc=\x07 \x1b_31337\x1b\\"
    " \x9b31337m \x9d31337\x07 \x1b[2J \x00 \x08\x7f \r\n\x0b\x0c\x85\u2028"
)
MARKUP = "[/b] [red]x[/] [/] [link=31337]w[/link] \\[ $\\frac{1}{2$ {x!r} %s \u202eabc\u2066 a\u200bb\ufeff\u00ad"
WIDE = "数学" * 60 + "👩‍👩‍👧 e\u0301 " + "w" * 900
TEXTS = (ESCAPES, MARKUP, WIDE, ESCAPES + MARKUP + WIDE, "", " ", "=1+1", "\u0301")
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
    """A workspace whose folder, cases, labels, texts, sources and scorers are all hostile."""
    root = tmp_path_factory.mktemp("hostile") / "w\x1b[31337m[red]"
    cases = [reference.Case(3, number % 3 - 1, (0.9, 0.4, 0.1 * number)) for number in range(len(TEXTS))]
    fields = ("problem", "subset", "generator", "error_type", "error_category", "error_kind", "pattern", "reason")
    columns = {name: list(TEXTS) for name in fields}
    columns["id"] = [f"{text}{number}" for number, text in enumerate(TEXTS)]
    columns["steps"] = [[text, f"{text}\n\t{text}", "plain"] for text in TEXTS]
    scorers = [
        (making.scorer(name, about=f"{ESCAPES} {MARKUP} {WIDE}", threshold_source=ESCAPES), cases)
        for name in (f"plain {MARKUP}", f"loud {ESCAPES}")
    ]
    made = making.workspace(root, cases, scorers, benchmark="bench \x1b[31337m[red]", **columns)
    (made.root / "rewards" / scorers[0][0].folder / "part-\x1b[31337m.parquet").write_bytes(b"no Parquet")
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
        "m",
        "a",
        "f",
        *["down"] * 7,
        "space",
        "down",
        "space",
        "x",
        "f",
        "s",
        "z",
    ),
    *(
        "z",
        "j",
        "m",
        "r",
        "t",
        "left",
        ".",
        "escape",
        "e",
        "c",
        "enter",
        "n",
        "n",
        "\\",
        "n",
        "m",
        "j",
        "k",
        "t",
        "right",
    ),
    *("enter", "e", "j", "?", "?", "ctrl+p", "t", "h", "escape", "escape", "e", "M"),
)


def leave(terminal):
    """From wherever the keys have led to: to the board, and out."""
    for _ in range(6):
        terminal.press("escape", gap=0.15, timeout=0.25)
    terminal.press("q")
    assert terminal.wait() == 0


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (200, 50), (20, 5)])
def test_no_text_of_the_data_acts_on_the_terminal_anywhere_in_the_app(workspace, columns, lines, tmp_path):
    env = {"PYTHONPATH": ROOT}
    with Terminal(program(workspace), columns=columns, lines=lines, env=env, cwd=tmp_path) as terminal:
        # At 20 columns there is little to wait for but the footer's first key.
        terminal.wait_for("Enter")
        terminal.settle()
        for key in TOUR:
            # A key that follows Escape at once would be read as Alt and that key.
            terminal.press(key, gap=0.2 if key == "escape" else 0.03, timeout=0.4)
        for size in ((90, 30), (7, 3), (1, 1), (300, 80), (30, 8), (columns, lines)):
            terminal.resize(*size)
        leave(terminal)
        output = bytes(terminal.output)
    assert acting(output) == []
    assert b"Traceback" not in output
    if columns == 200:
        assert "␛[31337m".encode() in output
        assert b"[red]x[/]" in output
    assert any(path.suffix in {".csv", ".json", ".md"} for path in tmp_path.iterdir())


def test_a_storm_of_resizing_while_keys_are_pressed_breaks_nothing(workspace, tmp_path):
    with Terminal(program(workspace), columns=80, lines=24, env={"PYTHONPATH": ROOT}, cwd=tmp_path) as terminal:
        terminal.wait_for("Enter Open")
        for number, key in enumerate(
            ("a", "f", "t", "escape", "f", "enter", "n", "t", "right", "escape", "escape") * 2
        ):
            terminal.resize(20 + 37 * number % 180, 5 + 11 * number % 50)
            terminal.send(
                b"\x1b" if key == "escape" else key.replace("enter", "\r").replace("right", "\x1b[C").encode()
            )
        terminal.resize(100, 30)
        terminal.settle()
        leave(terminal)
        assert acting(bytes(terminal.output)) == []


@pytest.mark.parametrize(
    "words", [("benchmarks",), ("scorers",), ("stats",), ("metrics",), ("cases",), ("show", "plain")]
)
def test_no_text_of_the_data_acts_where_a_command_prints_it(workspace, words, tmp_path):
    if words[0] == "show":
        words = ("show", "=1+1")
    with Terminal(
        program(workspace, *words), columns=120, lines=50, env={"PYTHONPATH": ROOT}, cwd=tmp_path
    ) as terminal:
        assert terminal.wait() == 0
        assert acting(bytes(terminal.output)) == []
        assert len(terminal.output) > 200


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
        terminal.press("a")
        terminal.press("e")
        terminal.press("m", gap=0.5)
        copied = re.findall(rb"\x1b\]52;c;([^\x07\x1b]*)", bytes(terminal.output))
        terminal.press("q", gap=0.3)
        terminal.press("q")
        assert terminal.wait() == 0
    assert len(copied) == 1
    assert re.fullmatch(rb"[A-Za-z0-9+/]+=*", copied[0])
