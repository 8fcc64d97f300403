"""Write `tests/data/workspace-0.2.zip`, as `capturing/old_workspace.py` describes it. Run it as a script."""

import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from at_the_terminal import eventually, go_to, pressed, shown, typed
from capturing.invented_0_1 import draw
from capturing.invented_0_2 import FILES, answer
from capturing.old_workspace import MODEL, OldVersion, critic_server
from capturing.plan import SPACE
from terminal import Terminal

LEFT_OUT = ("derived", "fingerprints.json", "frames", "sessions", "scoring.log")
"""Caches (`derived`, `frames`), digests by places on a machine, and what is only there for people to read."""
VERSION = OldVersion("0.2", "32690348", LEFT_OUT)
KEYMAP = 'zoom = "f6"\nnext-case = ["n", "f5"]\n"table.down" = ["down", "j", "ctrl+n"]\n'
PLUGIN, ADAPTER = "files/own/shelves.py", "files/own/adapter.py"
PRM = f"score processbench receipts --model {MODEL} --name small-prm -w {SPACE}"
PARTIAL_PRM = f"score grben --model {MODEL} --name small-prm -w {SPACE}"
TRUNCATING_PRM = f"score receipts --model {MODEL} --name cut-prm --truncate -w {SPACE}"
ADAPTED_PRM = f"score ledgers --model {MODEL} --adapter {ADAPTER} --name bare-prm -w {SPACE}"
_ASKED = "--votes 3 --runs 2 --max-tokens 400 --logprobs 2 --prices files/prices.toml"
CRITIC = f"score processbench --critic processbench {_ASKED} -w {SPACE}"
RATER = f"score prmbench --critic prmbench -w {SPACE}"
OWN_PROMPT = f"score ledgers --critic processbench --template files/prompt.txt --name shopkeeper -w {SPACE}"
JUDGE = f"score trajectories --critic agentprocessbench -w {SPACE}"
GENERATIVE = f"score grben --critic rprm --option reader=text --votes 2 -w {SPACE}"
CRITICS = {CRITIC: "", RATER: "--limit 4", OWN_PROMPT: "", JUDGE: "", GENERATIVE: "--limit 2"}
"""What is asked of critics, and how much of it version 0.2 did: `--limit` leaves the rest to whoever goes on."""
BENCHMARKS = (
    *("processbench", "prmbench", "socratic", "grben", "deltabench", "prm800k", "mrmath", "reasoneval_pairs"),
    *("visualprocessbench", "trajectories", "verl", "beams", "ledgers", "receipts"),
)
SCORED = ("processbench", "prmbench", "grben", "trajectories", "verl", "beams", "ledgers", "receipts")
SHOWN = (
    *("processbench/gsm8k-1", "prmbench/redundency_shelf_0", "socratic/decomposition_unsoundness_cellar#1"),
    *("grben/physics-2", "trajectories/visit-2", "ledgers/page-1", "receipts/receipt-long", "beams/harbour-1/2"),
)


def main() -> None:
    with VERSION.at_work(FILES, KEYMAP):
        fill()
        people()
        VERSION.pack(VERSION.expected(lines()))


def fill() -> None:
    """Import, score, ask, stress, read again and remove, by commands."""
    here = f"-w {SPACE} -q"
    for name in (
        *("gsm8k.json", "math.json", "prmbench.jsonl", "socratic.jsonl", "grben.jsonl", "deltabench.jsonl"),
        *("prm800k.jsonl", "mr-math.jsonl", "reasoneval.jsonl", "hard2verify.jsonl", "pictures.jsonl", "agents.jsonl"),
        *("yard", "beams.jsonl", "later/gsm8k.json", "mr-eval.jsonl"),
        "ledgers.csv --mapping files/ledgers-mapping.json --save-mapping files/ledgers-saved.json",
        "own/receipts.py files/receipts.jsonl",
        "rewards.jsonl --benchmark processbench",
        "shop/checkpoint-100.jsonl files/shop/checkpoint-200.jsonl --benchmark processbench",
        "verdicts.jsonl --benchmark processbench --name guesser",
        "shop-critic.jsonl --benchmark processbench",
        *(f"answers-{number}.jsonl --run {number}" for number in (0, 1)),
    ):
        VERSION.run(f"import files/{name} {here}")
    for line in (PRM, f"{PARTIAL_PRM} --limit 1", TRUNCATING_PRM, ADAPTED_PRM):
        VERSION.run(f"{line} -q")
    # A run merges its parts when there are many of them.
    merge = "from pathlib import Path; from scoring.workspace.cache import RewardParts; "
    VERSION.python(
        "-c", merge + f"[RewardParts(path).compact() for path in Path('{SPACE}').glob('rewards/small-prm-*')]"
    )
    with critic_server(answer) as address:
        for line, limit in CRITICS.items():
            VERSION.run(f"{line} {limit} --server {address} -q")
    VERSION.run(f"reparse tiny-processbench --parser loose --save --name read-loosely {here}")
    VERSION.run(f"stress small-prm --benchmark processbench --cases 1 --model {MODEL} {here}")
    VERSION.run(f"stress careful --benchmark processbench --cases 1 --write files/solutions.jsonl {here}")
    judged = VERSION.folder / "files" / "solutions.jsonl"
    rows = [json.loads(line) for line in judged.read_text().splitlines()]
    for row in rows:
        row["rewards"] = [round(draw("judged", row["case"], step), 3) for step in range(len(row["steps"]))]
    judged.write_text("".join(json.dumps(row) + "\n" for row in rows))
    VERSION.run(f"stress careful --benchmark processbench --cases 1 --read files/solutions.jsonl {here}")
    VERSION.run(f"remove scorer quick {here}")
    VERSION.run(f"remove benchmark hard2verify {here}")


def people() -> None:
    """Leave zoe's journal, ann's with all that the app remembers of her, and ann's of the demo."""
    unlogged = "--no-session-log"
    with VERSION.app("-w", SPACE, "--benchmark", "processbench", unlogged, who="zoe", home="zoe") as terminal:
        shown(terminal, "Quit")
        pressed(terminal, "g l", "g t", "enter")
        shown(terminal, "0 ruled, 8 to go")
        pressed(terminal, "+", "2", "j", "j", "-", "2", "1", "3")
        note(terminal, "a", "do bells count as goods?")
        pressed(terminal, "4", "u", "5", "space")
        shown(terminal, "5 ruled, ")
    with VERSION.app("-w", SPACE, "--benchmark", "processbench", unlogged) as terminal:
        shown(terminal, "Quit")
        arrange(terminal)
        triage(terminal)
    VERSION.run(f"taxonomy --put goods --where \"note LIKE '%shelf%'\" -w {SPACE} -q")
    VERSION.run(f"taxonomy --put sums --where \"note LIKE '%two too%'\" -w {SPACE} -q")
    VERSION.run(f"taxonomy --rename sums lost-sums -w {SPACE} -q")
    with VERSION.app("-w", SPACE, "--benchmark", "ledgers", unlogged) as terminal:
        shown(terminal, "Quit")
        pressed(terminal, "g l", "enter", "n", "g t", "enter", "1", "4", "u", "ctrl+r")
        shown(terminal, "2 ruled, ")
    with VERSION.app("-w", SPACE, "--benchmark", "receipts", "--scorer", "small-prm", unlogged) as terminal:
        shown(terminal, "Quit")
        what_if(terminal)
    with VERSION.app("demo", unlogged) as terminal:
        shown(terminal, "Quit")
        pressed(terminal, "j", "g l")
        shown(terminal, "240 of 240 cases")
        note(terminal, "w", "seen-twice")
        note(terminal, "a", "well made")
        pressed(terminal, "enter", "g w")
        shown(terminal, "What if")
        pressed(terminal, "-")
        shown(terminal, "1 edit")


def arrange(terminal: Terminal) -> None:
    """Choose a theme, the board's rows, order and columns, the list's columns, a condition, two slices, and scorers."""
    pressed(terminal, "ctrl+p")
    typed(terminal, "theme")
    terminal.settle(1)
    pressed(terminal, "enter")
    terminal.settle(1)
    typed(terminal, "light high")
    shown(terminal, "prm-light-contrast")
    pressed(terminal, "enter")
    terminal.settle(1)
    pressed(terminal, "v r")
    shown(terminal, "rows by scorer")
    pressed(terminal, "s")
    shown(terminal, "Sort by")
    typed(terminal, "bias\r")
    terminal.settle(1)
    ticked(terminal, "95%")
    pressed(terminal, "y")
    terminal.settle(0.5)
    pressed(terminal, "g l")
    shown(terminal, "8 of 8 cases")
    ticked(terminal, "margin")
    pressed(terminal, ":")
    typed(terminal, "n_steps > 3 AND final_answer_correct\r")
    shown(terminal, " of 8 cases")
    for name in ("right in the end", "by margin"):
        pressed(terminal, "v s")
        shown(terminal, "Slices")
        pressed(terminal, "s")
        typed(terminal, f"{name}\r")
        shown(terminal, name)
        pressed(terminal, "escape", "s")
        shown(terminal, "Sort by")
        typed(terminal, "margin\r")
        shown(terminal, "margin first")
    pressed(terminal, "x", "enter", "o")
    terminal.settle(1)
    pressed(terminal, "j", "space", "enter")
    terminal.settle()


def ticked(terminal: Terminal, column: str) -> None:
    """Show a column that was hidden, or hide one that was shown."""
    pressed(terminal, "v c")
    shown(terminal, "Columns of the")
    go_to(terminal, column)
    pressed(terminal, "space", "enter")
    terminal.settle()


def triage(terminal: Terminal) -> None:
    """Rule, rate, put a case off; tag and note, and undo one of each and do it again."""
    pressed(terminal, "g t", "enter")
    shown(terminal, "0 ruled, 8 to go")
    pressed(terminal, "j", "j", "-", "2", "1", "j", "0", "3", "space")
    note(terminal, "w", "miscount, lost-shelf")
    note(terminal, "a", "two too few from here")
    pressed(terminal, "u", "ctrl+r", "4")
    note(terminal, "a", "a shelf is counted twice")
    shown(terminal, "4 ruled, ")


def note(terminal: Terminal, key: str, text: str) -> None:
    """Write a tag or a note on the case on screen."""
    pressed(terminal, key)
    shown(terminal, "Enter", "Esc")
    typed(terminal, f"{text}\r")
    terminal.settle()


def what_if(terminal: Terminal) -> None:
    """Change a step of a case, and have the variant scored."""
    pressed(terminal, "g l", "enter")
    shown(terminal, "receipt-0 · 1 of 4")
    pressed(terminal, "g w")
    shown(terminal, "What if")
    pressed(terminal, "enter")
    typed(terminal, " Or half of them.")
    pressed(terminal, "enter")
    shown(terminal, "1 edit: step 1 changed")
    pressed(terminal, "S")
    eventually(terminal, partial(_scored), timeout=120)


def _scored(screen: str) -> str:
    assert "scored in" in screen, screen
    return screen


def lines() -> Iterator[str]:
    """Yield commands that together read every file, as rows: wording is not what the workspace holds.

    `first` is the workspace without the newest generation of a benchmark.
    """
    for line in (*_of_all(), *_of_benchmarks(), *_of_cases(), *_of_people()):
        yield f"{line} -w {SPACE} -q"
    yield from ("triage --benchmark demo --jsonl -q", "export variants --benchmark demo --to jsonl -q")
    yield "trees files/trees.jsonl --prunings --jsonl --no-app -q"
    here = "--benchmark processbench"
    for line in ("benchmarks --jsonl", f"cases {here} --jsonl", f"export cases {here} --to processbench"):
        yield f"{line} -w first -q"
    # What a plugin brings stays for the rest of the process.
    for line in _of_own_code():
        yield f"{line} -w {SPACE} -q"


def _of_all() -> Iterator[str]:
    for what in ("scorers", "benchmarks", "board", "votes", "timeline"):
        yield f"{what} --jsonl"
    yield "best-of-n --benchmark beams --benchmark ledgers --jsonl"


def _of_benchmarks() -> Iterator[str]:
    for name in BENCHMARKS:
        yield f"cases --benchmark {name} --jsonl"
        if name not in {"verl", "beams"}:
            form = "prmbench" if name in {"prmbench", "socratic"} else "processbench"
            yield f"export cases --benchmark {name} --to {form}"
        if name in SCORED:
            yield f"metrics --benchmark {name} --csv"
    for scorer, name in (("careful", "processbench"), ("small-prm", "receipts"), ("two-sided", "prmbench")):
        yield f"export rewards --benchmark {name} --scorer {scorer} --to mr_eval"
    yield "metrics --benchmark processbench --labels both --csv"
    yield "card careful small-prm --benchmark processbench --jsonl"
    for scorer in ("small-prm", "careful"):
        yield f"stress {scorer} --benchmark processbench --cases 1 --violations --jsonl"


def _of_cases() -> Iterator[str]:
    for case in SHOWN:
        yield f"show {case} --jsonl"
    yield "show processbench/gsm8k-1 --answers"
    yield "show prmbench/redundency_shelf_0 --original --jsonl"
    yield "show ledgers/page-1 --prompt --jsonl --scorer shopkeeper"
    yield "show receipts/receipt-0 --variants --jsonl"
    for name in ("right in the end", "by margin"):
        yield f"cases --slice '{name}' --scorer careful --jsonl"


def _of_people() -> Iterator[str]:
    for what in ("agreement", "agreement --disagreements", "taxonomy", "taxonomy --notes", "triage"):
        yield f"{what} --jsonl"
    yield "triage processbench/math-2 --jsonl"
    for form in ("jsonl", "csv", "processbench", "trl"):
        yield f"export triage --benchmark processbench --to {form}"
    yield "export variants --to jsonl"


def _of_own_code() -> Iterator[str]:
    here = f"--benchmark processbench --plugin {PLUGIN}"
    yield f"metrics {here} --rule 'half-of-first<' --csv"
    yield f"cases {here} --where 'storms = 1' --columns id,storms --jsonl"
    yield f"shelves --plugin {PLUGIN} --jsonl"


if __name__ == "__main__":
    main()
