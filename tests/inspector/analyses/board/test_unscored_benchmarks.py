"""A benchmark that nobody has scored stands on the board: it is seen, read and scored from there."""

import json

import authored
import example
from inspector import cli
from inspector.screens.board import BoardScreen
from inspector.screens.cases import CasesScreen
from opened import inspected, opened
from screen_text import hides, press, rests, shows


def with_another(tmp_path):
    """The example with its scorers, and a benchmark beside it that has none."""
    query = example.write(tmp_path)
    file = authored.write(tmp_path / "sums.json", authored.rows(7))
    assert cli.main(["import", str(file), "-w", query.workspace, "-q"]) == 0
    return query


async def test_it_has_a_row_from_which_it_is_read_and_scored(tmp_path):
    async with opened(with_another(tmp_path), size=(120, 30)) as pilot:
        await shows(pilot, "(not scored)", "processbench", "0/7")
        await press(pilot, "G")
        await shows(pilot, "7 cases not scored yet. Enter opens them, S scores them")
        assert inspected(pilot).focus.benchmark == "processbench"
        await press(pilot, "v", "d")
        assert "there is nothing to compare with" in next(iter(pilot.app.message_history)).text
        await press(pilot, "S")
        await shows(pilot, "Score processbench")
        await press(pilot, "escape", "enter")
        await shows(pilot, "7 of 7 cases", "not scored yet, S scores them")
        # Nothing is seen through a scorer that has never seen it.
        assert inspected(pilot).focus.scorer is None
        assert "unscored" not in await rests(pilot, "sums-0")
        await press(pilot, "enter")
        assert "alpha" not in await rests(pilot, "sums-0", "Let x = 0.")
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, CasesScreen)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, BoardScreen)
        assert pilot.app.screen.line["benchmark"] == "processbench"
        await press(pilot, "y")
        copied = json.loads(pilot.app.clipboard)
        assert (copied["benchmark"], copied["cases"], copied["scored"]) == ("processbench", 7, 0)
        assert "scorer" not in copied
        assert "prm-inspect cases" in copied["command"]
        await press(pilot, "v", "r")
        await shows(pilot, "(not scored)")
        # With baselines everything is scored.
        await press(pilot, "v", "r", "v", "r", "v", "b")
        await hides(pilot, "0/7")
        assert "(not scored)" not in set(pilot.app.screen.frame["scorer"])


def test_the_command_says_so(tmp_path, capsys):
    query = with_another(tmp_path)
    assert cli.main(["board", "-w", query.workspace]) == 0
    assert "Nobody has scored processbench (7 cases) yet." in capsys.readouterr().out
    assert cli.main(["board", "-w", query.workspace, "--benchmark", "bench"]) == 0
    assert "Nobody" not in capsys.readouterr().out
