"""What if: an error put into a clean case drops the reward of its step; undo; the variant is there after a restart."""

import json
import os
import signal
import time
from functools import partial
from pathlib import Path

import polars as pl
import pytest

import under_pilot
from at_the_terminal import app, eventually, pressed, printed, shell, shown, typed
from scoring.formats.benchmarks import demo

pytestmark = pytest.mark.pty

TINY = str(demo.folder() / "models/tiny-prm-m")
CASES = ("algebra-009", "algebra-049", "arithmetic-017")
"""Clean cases of the demo's own, imported as a benchmark of one's own without any scorer."""
STEP, RIGHT, WRONG = 2, "56 ÷ 7 = 8", "56 ÷ 7 = 1"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("what-if")
    frame = demo.read().cases.filter(pl.col("id").is_in(CASES)).sort("id")
    rows = [
        {
            "id": f"sums-{at}",
            "generator": "a-model",
            "problem": row["problem"],
            "steps": row["steps"],
            "final_answer_correct": True,
            "label": -1,
        }
        for at, row in enumerate(frame.iter_rows(named=True))
    ]
    assert RIGHT in rows[0]["steps"][STEP]
    (folder / "gsm8k.json").write_text(json.dumps(rows))
    shell("import", "gsm8k.json", "-w", "space", cwd=folder)
    return folder


def said(screen: str, *texts: str) -> str:
    assert all(text in screen for text in texts), screen
    return screen


def scorers_of_cases(app_id: int) -> list[int]:
    """The processes of an app that score single cases, by their ids."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == app_id and b"cases" in words:
            found.append(int(process.name))
    return found


def test_a_person_scores_a_case_puts_an_error_in_and_finds_it_again(folder):
    with app("-w", "space", cwd=folder, size=(120, 36)) as terminal:
        shown(terminal, "3 of 3 cases", "? help")
        pressed(terminal, "enter")
        shown(terminal, "▸ sums-0 ", RIGHT)
        # No PRM is known here: a checkpoint is asked for. Its rewards come on screen, and into the cache.
        pressed(terminal, "S")
        shown(terminal, "sums-0 with", "a checkpoint's folder")
        typed(terminal, TINY)
        pressed(terminal, "enter")
        eventually(terminal, partial(said_all, texts=("tiny-prm-m", "0.73", "predicted no error")), timeout=60)
        (scorer,) = scorers_of_cases(terminal.pid)
        rewards = [row["tiny-prm-m.reward"] for row in printed("show", "sums-0", "-w", "space", cwd=folder)]
        assert min(rewards) > 0.7
        figures = printed("metrics", "-w", "space", cwd=folder)

        # An error is put in.
        pressed(terminal, "g w")
        shown(terminal, "▸ what if", "Nothing is changed yet.")
        pressed(terminal, "j", "j", "enter", "backspace", "backspace")
        typed(terminal, "1.")
        pressed(terminal, "enter")
        shown(terminal, "1 edit: step 2 changed", "Not scored as it is: S scores it with tiny-prm-m", WRONG)
        pressed(terminal, "S")
        screen = eventually(terminal, partial(said_all, texts=("step 2 in the variant", "scored in")), timeout=30)
        # The PRM was loaded for the case: the second time costs what the model costs.
        assert scorers_of_cases(terminal.pid) == [scorer]
        steps = printed("show", "sums-0", "--variants", "-w", "space", cwd=folder)
        assert [row["tiny-prm-m.case_reward"] for row in steps] == rewards
        drops = [row["tiny-prm-m.difference"] for row in steps]
        assert drops[STEP] < -0.5
        assert min(drops) == drops[STEP]
        assert drops[:STEP] == pytest.approx([0] * STEP, abs=1e-5)
        assert f"largest difference {drops[STEP]:+.2f}, at step {STEP}" in screen

        # None of it is the benchmark's: neither a case nor a figure, nor what is exported.
        assert printed("metrics", "-w", "space", cwd=folder) == figures
        assert len(printed("cases", "-w", "space", cwd=folder)) == len(CASES)
        assert WRONG.encode() not in shell("export", "cases", "--to", "processbench", "-w", "space", cwd=folder)

        # Undone, and done again: what was scored needs no scoring.
        pressed(terminal, "u")
        shown(terminal, "Nothing is changed yet.")
        assert list((folder / "space/variants").glob("*.json")) == []
        pressed(terminal, "ctrl+r")
        shown(terminal, "1 edit: step 2 changed", "step 2 in the variant")

        # However the app ends, nothing of it goes on.
        os.kill(terminal.pid, signal.SIGKILL)
        end = time.monotonic() + 30
        while Path(f"/proc/{scorer}").exists() and time.monotonic() < end:
            time.sleep(0.05)
        assert not Path(f"/proc/{scorer}").exists()

    # The file is imported again, with another label: the text is what it was.
    rows = json.loads((folder / "gsm8k.json").read_text())
    (folder / "gsm8k.json").write_text(json.dumps([{**row, "label": 1} for row in rows]))
    shell("import", "gsm8k.json", "-w", "space", cwd=folder)
    with under_pilot.app("-w", "space", cwd=folder, size=(120, 36)) as terminal:
        shown(terminal, "? help", "tiny-prm-m")
        pressed(terminal, "g l")
        shown(terminal, "3 of 3 cases")
        pressed(terminal, "enter")
        shown(terminal, "▸ sums-0 ", "1 variant: step 2 changed (g w opens it)")
        pressed(terminal, "g w")
        shown(terminal, f"largest difference {drops[STEP]:+.2f}, at step {STEP}", "variant 1 of 1")
        pressed(terminal, "u")
        shown(terminal, "Nothing is changed yet.")
        pressed(terminal, "escape")
        eventually(terminal, lambda screen: said(screen, "▸ sums-0 ") and absent(screen, "1 variant"))


def said_all(screen: str, texts: tuple[str, ...]) -> str:
    return said(screen, *texts)


def absent(screen: str, text: str) -> str:
    assert text not in screen, screen
    return screen
