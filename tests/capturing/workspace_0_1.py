"""Writes `tests/data/workspace-0.1.zip`, as `capturing/old_workspace.py` describes it. Run it as a script."""

import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from at_the_terminal import go_to, pressed, shown, typed
from capturing.invented_0_1 import FILES, answer
from capturing.old_workspace import MODEL, OldVersion, critic_server
from capturing.plan import SPACE
from terminal import Terminal

VERSION = OldVersion("0.1", "f722f07", left_out=("derived", "fingerprints.json"))
KEYMAP = 'zoom = "f6"\nnext-case = ["n", "f5"]\n"table.down" = ["down", "j", "ctrl+n"]\n'
PRM = f"score processbench grben --model {MODEL} --name small-prm -w {SPACE}"
CRITIC = f"score processbench --critic processbench --votes 3 --runs 2 --max-tokens 400 --logprobs 2 -w {SPACE}"
RATER = f"score prmbench --critic prmbench -w {SPACE}"
BENCHMARKS = ("processbench", "prmbench", "socratic", "grben", "ledgers")
SHOWN = (
    *("processbench/gsm8k-1", "prmbench/redundency_case_0", "socratic/premise_unsoundness_attic#2"),
    *("grben/law-2", "ledgers/entry-1"),
)


def main() -> None:
    with VERSION.at_work(FILES, KEYMAP):
        fill()
        people()
        VERSION.pack(VERSION.expected(lines()))


def fill() -> None:
    """Cases and rewards, by commands."""
    here = f"-w {SPACE} -q"
    for name in ("gsm8k.json", "math.json", "prmbench.jsonl", "socratic.jsonl", "grben.jsonl"):
        VERSION.run(f"import files/{name} {here}")
    saved = "--save-mapping files/ledgers-saved.json"
    VERSION.run(f"import files/ledgers.csv --mapping files/ledgers-mapping.json {saved} {here}")
    VERSION.run(f"import files/later/gsm8k.json {here}")
    VERSION.run(f"import files/rewards.jsonl --mapping files/rewards-mapping.json --benchmark processbench {here}")
    VERSION.run(f"import files/mr-eval.jsonl {here}")
    for number in (0, 1):
        VERSION.run(f"import files/answers-{number}.jsonl --run {number} {here}")
    VERSION.run(f"{PRM} -q")
    VERSION.run(f"score demo --limit 6 --model {MODEL} --name small-prm -w {SPACE} -q")
    with critic_server(answer) as address:
        for line in (CRITIC, RATER):
            VERSION.run(f"{line} --server {address} -q")


def people() -> None:
    """What two people leave: zoe's journal, ann's with all that the app remembers of her, and ann's of the demo."""
    with VERSION.app("-w", SPACE, "--benchmark", "processbench", "--no-session-log", who="zoe", home="zoe") as terminal:
        shown(terminal, "Quit")
        pressed(terminal, "a", "T", "enter")
        shown(terminal, "0 ruled, 8 to go")
        pressed(terminal, "+", "2", "j", "j", "-", "2", "1", "3")
        note(terminal, "N", "what is held here?")
        pressed(terminal, "4", "u", "5", "s")
        shown(terminal, "5 ruled, 1 skipped, 2 to go")
    with VERSION.app("-w", SPACE) as terminal:
        shown(terminal, "Quit")
        arrange(terminal)
        triage(terminal)
    VERSION.run(f"taxonomy --put units --where \"note LIKE '%crate%'\" -w {SPACE} -q")
    VERSION.run(f"taxonomy --put sums --where \"note LIKE '%one too%'\" -w {SPACE} -q")
    VERSION.run(f"taxonomy --rename sums sums-of-all -w {SPACE} -q")
    with VERSION.app("-w", SPACE, "--benchmark", "ledgers") as terminal:
        shown(terminal, "Quit")
        pressed(terminal, "a", "enter", "n", "T", "enter", "1", "4", "u", "ctrl+r", "d")
        shown(terminal, "2 ruled, ")
    with VERSION.app("demo") as terminal:
        shown(terminal, "Quit")
        pressed(terminal, "j", "a")
        shown(terminal, "240 of 240 cases")
        note(terminal, "w", "seen-before")
        note(terminal, "N", "nicely made")


def arrange(terminal: Terminal) -> None:
    """A theme; rows, order and columns of the board; columns, a condition and two slices of the list; two scorers."""
    pressed(terminal, "ctrl+t")
    shown(terminal, "Search for themes")
    typed(terminal, "light high")
    shown(terminal, "prm-light-contrast")
    pressed(terminal, "enter")
    terminal.settle(1)
    pressed(terminal, "R")
    shown(terminal, "rows by scorer")
    pressed(terminal, "s")
    shown(terminal, "Sort by")
    typed(terminal, "on right\r")
    shown(terminal, "on right")
    ticked(terminal, "95%")
    pressed(terminal, "a")
    shown(terminal, "8 of 8 cases")
    ticked(terminal, "margin")
    pressed(terminal, ":")
    typed(terminal, "n_steps > 3 AND final_answer_correct\r")
    shown(terminal, " of 8 cases")
    for name in ("right in the end", "by margin"):
        pressed(terminal, "'")
        shown(terminal, "Slices")
        pressed(terminal, "s")
        typed(terminal, f"{name}\r")
        shown(terminal, name)
        pressed(terminal, "escape", "s")
        shown(terminal, "Sort by")
        typed(terminal, "margin\r")
        shown(terminal, "margin first")
    pressed(terminal, "x", "enter", "o")
    shown(terminal, "Scorers beside each other")
    pressed(terminal, "g", "space", "enter")
    terminal.settle()


def ticked(terminal: Terminal, column: str) -> None:
    """A column shown that was not, or hidden that was."""
    pressed(terminal, "C")
    shown(terminal, "Columns of the")
    go_to(terminal, column)
    pressed(terminal, "space", "enter")
    terminal.settle()


def triage(terminal: Terminal) -> None:
    """Four rulings, ratings, a case put off, one skipped; tags and notes, one of each undone and done again."""
    pressed(terminal, "T", "enter")
    shown(terminal, "0 ruled, 8 to go")
    pressed(terminal, "j", "j", "-", "2", "1", "j", "0", "3", "s")
    note(terminal, "w", "slip, sign-error")
    note(terminal, "N", "one too many from here")
    pressed(terminal, "u", "ctrl+r", "d", "4")
    note(terminal, "N", "a crate is counted twice")
    shown(terminal, "4 ruled, 1 skipped")


def note(terminal: Terminal, key: str, text: str) -> None:
    """A tag or a note on the case on screen."""
    pressed(terminal, key)
    shown(terminal, "Esc closes")
    typed(terminal, f"{text}\r")
    terminal.settle()


def lines() -> Iterator[str]:
    """Commands that together read every file.

    `first` is the workspace without the newest generation of a benchmark, `again` a copy for refused imports.
    """
    for what in ("scorers", "benchmarks", "board", "metrics", "votes", "agreement", "taxonomy", "best-of-n", "triage"):
        yield f"{what} --json -w {SPACE}"
    for name in BENCHMARKS:
        yield f"cases --benchmark {name} --jsonl -w {SPACE}"
        form = "prmbench" if name in {"prmbench", "socratic"} else "processbench"
        yield f"export cases --benchmark {name} --to {form} -w {SPACE}"
    for case in SHOWN:
        yield f"show {case} -w {SPACE}"
        yield f"show {case} --answers -w {SPACE}"
    yield f"show prmbench/redundency_case_0 --original -w {SPACE}"
    for name in ("right in the end", "by margin"):
        yield f"cases --slice '{name}' --scorer steady --json -w {SPACE}"
    for scorer, benchmark in (("steady", "processbench"), ("small-prm", "grben"), ("two-headed", "prmbench")):
        yield f"export rewards --benchmark {benchmark} --scorer {scorer} --to mr_eval -w {SPACE}"
    yield f"metrics --benchmark demo --json -w {SPACE}"
    yield f"metrics --benchmark processbench --labels both --json -w {SPACE}"
    yield f"card steady small-prm --benchmark processbench --json -w {SPACE}"
    for form in ("jsonl", "csv", "processbench", "trl"):
        yield f"export triage --benchmark processbench --to {form} -w {SPACE}"
    yield f"triage processbench/math-2 --json -w {SPACE}"
    yield f"taxonomy --notes --json -w {SPACE}"
    yield f"agreement --disagreements --json -w {SPACE}"
    # Loudly, `keys` names the folder of the settings.
    yield from ("triage --benchmark demo --json", "keys --json -q")
    for name in (
        "cases --benchmark processbench --jsonl",
        "export cases --benchmark processbench --to processbench",
        "benchmarks --json",
    ):
        yield f"{name} -w first"
    for name in ("rewards.jsonl --mapping files/rewards-mapping.json --benchmark processbench", "mr-eval.jsonl",
                 "ledgers.csv --mapping files/ledgers-mapping.json", "answers-0.jsonl --run 0"):  # fmt: skip
        yield f"import files/other/{name} -w again"
    yield "import files/ledgers.csv --mapping files/ledgers-saved.json --dry-run -w again"


if __name__ == "__main__":
    main()
