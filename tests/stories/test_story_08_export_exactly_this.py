"""Export exactly this: the file has the rows, columns and order of the screen, and its command prints it again."""

import csv
import io
import json
import re
import shlex
from functools import partial
from pathlib import Path

import polars as pl

from at_the_terminal import ROOT, eventually, go_to, pressed, shell, shown, unframed
from scoring.data.schema import content_key
from under_pilot import app

SCORER = "tiny-prm-m"
CONDITION = "n_steps between 3 and 9"
SEARCH = "gives answer"
COLUMNS = {
    "case": "id",
    "steps": "n_steps",
    "gold": "earliest_error",
    "outcome": f"{SCORER}.outcome",
    "margin": f"{SCORER}.margin",
    "at gold": f"{SCORER}.reward_at_gold",
    "generator": "generator",
}
"""The columns on screen, in their order, and what they are called in files."""
HIDDEN = ("pred", "rewards", "error type", "pattern", "error category")
ROW = re.compile(
    r"^ [ ▌](?P<id>\S+) +(?P<n_steps>\d+) +(?P<gold>none|\d+) [=<>o.!] (?P<outcome>[a-z]+(?: alarm)?) +"
    r"(?P<margin>never|[+−]\d\.\d\d) +(?P<at_gold>–|\d\.\d\d) .*?(?P<generator>[a-z]+(?:-[a-z]+)*…?) *$"
)


def rows_of(screen: str) -> list[dict[str, str]]:
    return [found.groupdict() for line in unframed(screen).splitlines() if (found := ROW.match(line))]


def all_rows(terminal, number: int) -> list[dict[str, str]]:
    """Every row of the list, page by page from the top."""
    # At the top already there is nothing to answer.
    terminal.press("home", timeout=0.5)
    terminal.settle()
    found: dict[str, dict[str, str]] = {}
    for _ in range(20):
        rows = rows_of(terminal.screen_text())
        found |= {row["id"]: row for row in rows if row["id"] not in found}
        if len(found) == number:
            break
        terminal.press("pagedown", gap=0.1)
        terminal.settle()
    assert len(found) == number, terminal.screen_text()
    return list(found.values())


def lacks(screen: str, text: str) -> None:
    assert text not in screen, screen


def arrange(terminal) -> int:
    """Threshold, facets, SQL, search, order and columns, each by its keys; how many cases are left."""
    pressed(terminal, "g l")
    shown(terminal, "240 of 240 cases", f"▸ {SCORER} ▸")
    pressed(terminal, "t", "right", "right", "right", "enter")
    shown(terminal, "θ 0.530")
    pressed(terminal, ":")
    terminal.send(f"{CONDITION}\r".encode())
    shown(terminal, CONDITION)
    pressed(terminal, "f")
    shown(terminal, "- subset")
    for value in ("algebra", "everyday"):
        go_to(terminal, value)
        pressed(terminal, "space")
        shown(terminal, f"[x] {value}")
    go_to(terminal, "exact" if "] exact" in terminal.screen_text() else "= exact")
    pressed(terminal, "#")
    shown(terminal, "[-] = exact")
    pressed(terminal, "escape", "/")
    terminal.send(f"{SEARCH}\r".encode())
    shown(terminal, "found in")
    pressed(terminal, "s")
    shown(terminal, "Sort by")
    terminal.send(b"margin\r")
    shown(terminal, "↑margin")
    pressed(terminal, "v c")
    shown(terminal, "Columns of the list")
    for column in HIDDEN:
        go_to(terminal, column)
        pressed(terminal, "space")
        eventually(terminal, partial(lacks, text=f"[x] {column} "))
    pressed(terminal, "enter", "v z")
    screen = shown(terminal, "↑margin", "generator")
    header = unframed(screen).splitlines()[2].replace("↑", " ").replace("found in", " ")
    assert re.split(r" {2,}|(?<=steps) |(?<=gold) (?=outcome)|(?<=margin) ", header.strip()) == list(COLUMNS), header
    return int(re.search(r"(\d+) of 240 cases", screen)[1])


def on_screen(row: dict) -> dict[str, str]:
    """A row of the file's JSON as the screen writes it."""
    gold, margin, at_gold = (row[COLUMNS[name]] for name in ("gold", "margin", "at gold"))
    return {
        "id": row["id"],
        "n_steps": str(row["n_steps"]),
        "gold": "none" if gold < 0 else str(gold),
        "outcome": row[COLUMNS["outcome"]].replace("_", " "),
        "margin": "never" if margin is None else f"{margin:+.2f}".replace("-", "−"),
        "at_gold": "–" if at_gold is None else f"{at_gold:.2f}",
        "generator": row["generator"],
    }


def history_tells(screen: str, command: str) -> None:
    """The command is in the history of messages, whatever its lines are broken at."""
    told = "".join(re.findall(r"│ (.*?) *│", screen)).replace(" ", "")
    assert command.replace(" ", "") in told, screen


def demo_cases() -> list[dict]:
    """The demo's own files: each case with its rewards."""
    folder = Path(ROOT) / "assets" / "demo"
    (part,) = folder.glob(f"rewards/{SCORER}-*/part-*.parquet")
    rewards = dict(pl.read_parquet(part).select("key", "rewards").iter_rows())
    cases = [json.loads(line) for line in (folder / "cases.jsonl").read_text().splitlines()]
    return [case | {"rewards": rewards[content_key(case["problem"], case["steps"])]} for case in cases]


def words_of(case: dict) -> str:
    """Everything that a search looks at, the problem in both its wordings."""
    texts = (case["problem"], case["original_problem"] or "", *case["steps"], case["reason"] or "")
    return " ".join(texts).lower()


def test_rows_columns_and_order_are_those_on_screen_and_the_command_prints_the_file_again(tmp_path):
    with app("demo", cwd=tmp_path, size=(160, 60)) as terminal:
        shown(terminal, "240 cases", "? help")
        number = arrange(terminal)
        assert 20 < number < 200
        seen = all_rows(terminal, number)
        for key, form in (("c", "csv"), ("j", "json")):
            pressed(terminal, "e")
            shown(terminal, "CSV file")
            pressed(terminal, key)
            shown(terminal, f"demo-cases.{form}")
            names = {"csv": "demo-cases.provenance.json", "json": "demo-cases.json"}
            facts = json.loads((tmp_path / names[form]).read_bytes())
            command = facts.get("provenance", facts)["command"]
            # Two lines of a toast are too few for the command: the history has all of it.
            pressed(terminal, "!")
            eventually(terminal, partial(history_tells, command=command))
            pressed(terminal, "escape")
            data = (tmp_path / f"demo-cases.{form}").read_bytes()
            assert shell(*shlex.split(command)[1:], cwd=tmp_path) == data, command

    rows = json.loads((tmp_path / "demo-cases.json").read_bytes())["rows"]
    assert all(list(row) == list(COLUMNS.values()) for row in rows)
    for row, told in zip(rows, seen, strict=True):
        # A name that is too long for its column ends in dots.
        assert row["generator"].startswith(told["generator"].removesuffix("…"))
        assert on_screen(row) == told | {"generator": row["generator"]}
    table = list(csv.reader(io.StringIO((tmp_path / "demo-cases.csv").read_text())))
    assert table[0] == list(COLUMNS.values())
    assert [row[0] for row in table[1:]] == [row["id"] for row in seen]

    # Independent of all code of the app: conditions and search hold by the texts in the files of the demo.
    names = {row["id"] for row in rows}
    assert len(names) == len(rows)
    for case in demo_cases():
        gold, steps = case["earliest_error"], len(case["steps"])
        verdict = next((at for at, reward in enumerate(case["rewards"]) if reward < 0.53), -1)
        kept = case["subset"] in {"algebra", "everyday"} and 3 <= steps <= 9 and not (verdict == gold >= 0)
        assert (case["id"] in names) == (kept and all(word in words_of(case) for word in SEARCH.split())), case
