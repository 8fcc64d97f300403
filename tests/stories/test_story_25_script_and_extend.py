"""Script and extend it: an adapter of 25 lines in one's own package is found, fulfils the contract and is shown."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import authored
import checkpoints
from at_the_terminal import eventually, import_rewards, pressed, printed, shell, shown
from under_pilot import app

ADAPTER = """\
from scoring.models.prms.base import NO_STEPS, Scale, too_long
from scoring.data.readout import Encoded, Readout, one_layer

class LineEnds:
    scale = Scale("line ends", 0.0, 1.0, 0.5, "its authors")
    settings = {"joiner": "line break"}

    @classmethod
    def of(cls, checkpoint):
        made = cls()
        made.hidden, made.longest = (checkpoint.config[k] for k in ("hidden_size", "max_position_embeddings"))
        return made

    @property
    def readout(self):
        return Readout(one_layer(self.hidden, labels=1), "sigmoid", reward=(1.0,))

    def encoder(self, tokenizer):
        def encode(problem, steps):
            lines = [[*tokenizer.encode(text), *tokenizer.encode("\\n")] for text in (problem, *steps)]
            ids, ends = sum(lines, []), [sum(map(len, lines[:at])) - 1 for at in range(2, len(lines) + 1)]
            if len(ids) > self.longest:
                return too_long(len(ids), self.longest)
            return Encoded(tuple(ids), tuple(ends)) if steps else NO_STEPS
        return encode
"""


@pytest.fixture
def site(tmp_path: Path) -> str:
    """Where an installer would have put the package `lines 0.3`, as a part of the environment."""
    folder = tmp_path / "site"
    facts = folder / "lines-0.3.dist-info"
    facts.mkdir(parents=True)
    (folder / "line_ends.py").write_text(ADAPTER)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: lines\nVersion: 0.3\n")
    (facts / "entry_points.txt").write_text("[prm_inspect.adapters]\nline-ends = line_ends:LineEnds\n")
    return str(folder)


@pytest.fixture
def model(tmp_path: Path) -> str:
    """A tiny checkpoint of random numbers with a head of one number."""
    arrays = {name: array for name, array in checkpoints.tensors().items() if not name.startswith("score")}
    rng = np.random.default_rng(25)
    arrays["score.weight"] = rng.normal(0, 0.3, (1, checkpoints.HIDDEN)).astype(np.float32)
    arrays["score.bias"] = np.zeros(1, np.float32)
    return str(checkpoints.write(tmp_path / "own-prm", arrays=arrays))


def test_an_adapter_of_25_lines_is_found_checked_scored_and_shown(site, model, tmp_path, monkeypatch):
    pytest.importorskip("torch")
    assert len(ADAPTER.splitlines()) <= 25
    # It is found by its entry point, with the package that it is from, and without it nothing of the kind is there.
    assert "line-ends" not in {row["name"] for row in printed("prms", cwd=tmp_path)}
    with monkeypatch.context() as environment:
        environment.syspath_prepend(site)
        (listed,) = (row for row in printed("prms", cwd=tmp_path) if row["name"] == "line-ends")
        assert listed["source"] == "line_ends:LineEnds of the package lines 0.3"

        # The contract test, on the checkpoint.
        checks = printed("prms", "check", "line-ends", "--weights", model, cwd=tmp_path)
        assert {row["check"]: row["reason"] for row in checks if row["status"] == "failed"} == {}
        assert sum(row["status"] == "ok" for row in checks) >= 10

        (tmp_path / "rows.json").write_text(json.dumps(authored.rows(12)))
        shell("import", "rows.json", "-w", "space", cwd=tmp_path)
        import_rewards(tmp_path, "space", [{"id": f"sums-{n}", "other": [0.9, 0.2, 0.8]} for n in range(12)], "other")
        words = ("--model", model, "--adapter", "line-ends", "--device", "cpu", "-w", "space")
        shell("score", "processbench", *words, cwd=tmp_path)
    (own,) = (row for row in printed("scorers", "-w", "space", cwd=tmp_path) if row["scorer"] != "other")
    assert own["scored"] == 12
    assert own["about"].startswith("line ends")
    name = own["scorer"]

    # What it gave stays there without the package: on the board, and in the picker of scorers beside each other.
    with app("-w", "space", cwd=tmp_path, size=(120, 36)) as terminal:
        shown(terminal, "2 scorers", name, "? help")
        pressed(terminal, "g l")
        shown(terminal, "12 of 12 cases")
        pressed(terminal, "enter")
        shown(terminal, "1 of 12")
        pressed(terminal, "o")
        picker = shown(terminal, "Scorers beside each other", name, "other")
        assert re.search(rf"\[.\] {re.escape(name)}  threshold 0.5", picker), picker
        (row,) = printed(
            *("cases", "-w", "space", "--where", "id = 'sums-0'", "--scorer", name, "--columns", "rewards"),
            cwd=tmp_path,
        )
        pressed(terminal, "escape")
        for _ in range(2):
            if f"▸ {name} ▸" in terminal.screen_text().splitlines()[0]:
                break
            pressed(terminal, "l")
        rewards = row[f"{name}.rewards"]
        assert len(rewards) == 3
        eventually(terminal, lambda screen: _has(screen, name, *(f"{reward:.2f}" for reward in rewards)))


def _has(screen: str, *texts: str) -> None:
    assert all(text in screen for text in texts), f"{texts}\n{screen}"
