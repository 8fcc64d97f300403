import json
import math
from itertools import pairwise

import numpy as np
import pytest
from msgspec.structs import replace

import example
from inspector.cli import main
from inspector.widgets.line_view import Rail
from opened import DEMO, inspected, opened
from scoring.metrics.deciding import OPTIMISTIC
from screen_text import hides, press, rests, screen_lines, screen_text, shows, type_ahead, until
from thoroughness import also


def written_f1(path, query, scorer, threshold):
    """The average F1 that the command writes at a threshold, to all its digits."""
    words = ["metrics", "--json", "--quiet", "-o", str(path), "--scorer", scorer, "--threshold", repr(threshold)]
    words += ["-w", query.workspace] if query.workspace else []
    words += [word for name in query.benchmarks for word in ("--benchmark", name)]
    assert main(words) == 0
    rows = json.loads(path.read_bytes())["rows"]
    found = [row for row in rows if row["metric"] == "f1" and row["subset"] == "average"]
    assert len(found) == 1
    return found[0]["value"]


def threshold_of(pilot):
    return inspected(pilot).evaluation.rule.threshold


async def test_the_rail_says_where_the_threshold_is_and_what_moving_it_did_and_goes_along_as_a_kept_threshold(query):
    async with opened(query, size=(80, 24)) as pilot:
        await press(pilot, "enter", "t")
        text = await rests(pilot, "threshold 0.500 (default)", "F1 45.0", "nothing changed")
        assert "d default 0.500   * best 0.550: F1 60.0, tuned on these cases, optimistic" in text
        await press(pilot, *["right"] * 3)
        text = await rests(
            pilot, "threshold 0.530 (was 0.500)", "F1 60.0 +15.0", "1 changed: 1 right, 0 wrong, 0 still wrong"
        )
        assert all(part in text for part in ("= exact 3 (+1)", "o missed 1 (−1)", "> late 1  ", "! false alarm 1 "))
        axis = next(line for line in screen_lines(pilot.app) if "▲" in line)
        assert axis.index("d") < axis.index("▲") < axis.index("*")
        await pilot.resize_terminal(120, 36)
        await press(pilot, "g", "b")
        await shows(pilot, "Alpha reads the text.", "0.530 chosen")
        await press(pilot, "g", "l")
        await shows(pilot, "9 of 9 cases", "θ 0.530 chosen", "F1 60.0")
        # The best is the highest point of the curve, and is called optimistic.
        await press(pilot, "t", "v", "m")
        await shows(pilot, "threshold 0.550 (was 0.530)", "F1 60.0", "tuned on these cases, optimistic")
        best = inspected(pilot)
        assert best.evaluation.rule.source == OPTIMISTIC
        assert best.summary.headline.score == pytest.approx(np.nanmax(best.summary.sweep.score), abs=1e-15)
        await press(pilot, "enter", "enter")
        await shows(pilot, "θ 0.550 optimistic")


async def test_the_footer_says_how_to_move_keep_and_restore_and_there_and_back_ends_where_it_began(query):
    """A held key loses no press, and it stops where every verdict is the same."""
    async with opened(query, size=(80, 24)) as pilot:
        for key in ("", "enter", "enter"):
            await press(pilot, *([key] if key else []), "t")
            await shows(pilot, "⏎ keep", "←→ move", "Esc restore")
            await press(pilot, "t")
            await hides(pilot, "←→ move")
        before = await rests(pilot, "1 of 5", "Gold")
        was = inspected(pilot)
        type_ahead(pilot, "t", *["l"] * 20, "left")
        await shows(pilot, "threshold 0.510 (was 0.500)")
        assert threshold_of(pilot) == 0.51
        type_ahead(pilot, *["right"] * 3, "escape", "n", "N")
        await until(pilot, lambda: screen_text(pilot.app) == before)
        assert pilot.app.state is was
        await press(pilot, "g", "b")
        await press(pilot, "t")
        for there, back in (("right", "left"), ("left", "right"), ("l", "h")):
            await press(pilot, *[there] * 2, *[back] * 2)
            assert threshold_of(pilot) == 0.5
        await press(pilot, "l", "right")
        assert threshold_of(pilot) == 0.51
        await press(pilot, "h", "left")
        assert threshold_of(pilot) == 0.5
        # One step beyond each end.
        await press(pilot, "escape", "up")
        for start, key, verdict, end in (-0.98, "left", -1, -1.02), (0.98, "right", 0, 1.02):
            pilot.app.screen.put(inspected(pilot).moved(start))
            await press(pilot, "t")
            type_ahead(pilot, *[key] * 3)
            await until(pilot, lambda end=end: math.isclose(threshold_of(pilot), end))
            assert set(inspected(pilot).evaluation.verdicts.tolist()) - {verdict} == set(_none_there(pilot))
            if key == "right":
                # From above every reward the first flip down changes an outcome.
                codes = inspected(pilot).evaluation.codes.tolist()
                await press(pilot, "N")
                assert inspected(pilot).evaluation.codes.tolist() != codes
            await press(pilot, "escape")


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_the_mouse_points_at_a_threshold_and_draws_it_along(query, size):
    """Bug E12: the ruler ignored the mouse."""
    async with opened(query, size=size) as pilot:
        await press(pilot, "t")
        await rests(pilot, "threshold 0.500")
        rail = pilot.app.screen.query_one(Rail)
        left, width = rail.content_region.x, rail.content_region.width
        ruler = rail.content_region.y + 2
        await pilot.click(offset=(left + width // 4, ruler))
        await until(pilot, lambda: threshold_of(pilot) == pytest.approx(0.25, abs=0.01))
        assert threshold_of(pilot) == round(threshold_of(pilot), 3)
        await pilot.mouse_down(offset=(left + width // 4, ruler))
        await pilot.hover(offset=(left + width * 3 // 4, ruler + 3))
        await pilot.mouse_up(offset=(left + width * 3 // 4, ruler + 3))
        await until(pilot, lambda: threshold_of(pilot) == pytest.approx(0.75, abs=0.01))
        # A click off the ruler moves nothing, nor does a move without a pressed button.
        await pilot.click(offset=(left + 2, ruler + 2))
        await pilot.hover(offset=(left + 3, ruler))
        await rests(pilot)
        assert threshold_of(pilot) == pytest.approx(0.75, abs=0.01)
        await press(pilot, "escape")
        await until(pilot, lambda: threshold_of(pilot) == 0.5)


def _none_there(pilot):
    """The values that stand for no verdict."""
    evaluation = inspected(pilot).evaluation
    return evaluation.verdicts[~evaluation.coverage.answered].tolist()


@pytest.mark.parametrize("rule", ["<", "<="])
async def test_from_between_two_flips_the_next_one_either_way_changes_an_outcome(query, rule):
    async with opened(replace(query, rules=((None, rule),), thresholds=((None, "0.33"),))) as pilot:
        await press(pilot, "t")
        codes, curve = inspected(pilot).evaluation.codes.tolist(), inspected(pilot).summary.sweep.thresholds
        assert 0.33 not in curve
        for key, away in (("N", "n"), ("n", "N")):
            await press(pilot, key)
            assert inspected(pilot).evaluation.codes.tolist() != codes
            between = sorted((0.33, threshold_of(pilot)))
            others = [t for t in curve if between[0] < t < between[1]]
            assert all(inspected(pilot).evaluation.at(t).codes.tolist() == codes for t in others)
            await press(pilot, away)
            assert inspected(pilot).evaluation.codes.tolist() == codes


async def test_the_f1_on_screen_is_the_commands_to_all_digits(tmp_path):
    async with opened(DEMO, size=(100, 30)) as pilot:
        for moves in (["v m"], ["N"] * 2, *also(["right"] * 3, ["h"] * 3, ["n"])):
            await press(pilot, "t", *moves)
            await shows(pilot, "(was 0.500)")
            now = inspected(pilot)
            assert now.summary.headline.score == written_f1(
                tmp_path / "f1.json", DEMO, now.focus.scorer, threshold_of(pilot)
            ), moves
            await press(pilot, "escape")


async def _flips(pilot, key):
    """Every threshold at which a key stops, from where it is, with the outcomes there."""
    found = []
    while not found or found[-1][0] != threshold_of(pilot):
        found.append((threshold_of(pilot), inspected(pilot).evaluation.codes.tolist()))
        await press(pilot, key)
    return found


async def test_flips_stop_where_an_outcome_changes_and_escape_gives_back_the_exact_old_value(query, tmp_path):
    """They stop nowhere else, and Enter keeps the new one. A threshold exactly on a reward judges that step right: at
    0.52 that of `missed-two` which has this reward, and one float above it is wrong.
    """
    async with opened(query) as pilot:
        await press(pilot, "g", "l", "t", "right", "right")
        await shows(pilot, "threshold 0.520", "o missed 2", "F1 45.0")
        assert threshold_of(pilot) == 0.52
        assert inspected(pilot).summary.headline.score == written_f1(tmp_path / "f1.json", query, "alpha", 0.52)
        row = [one.id for one in example.EXAMPLES].index("missed-two")
        assert inspected(pilot).evaluation.verdicts[row] == -1
        await press(pilot, "n")
        # The next threshold at which an outcome changes is the next reward above.
        await shows(pilot, "threshold 0.550", "o missed 1", "F1 60.0")
        assert inspected(pilot).evaluation.verdicts[row] == 0
        above = math.nextafter(0.52, 1)
        assert inspected(pilot).summary.headline.score == written_f1(tmp_path / "f1.json", query, "alpha", above)
        assert inspected(pilot).moved(above).evaluation.verdicts[row] == 0
        await press(pilot, "escape", "g", "b")
        await press(pilot, "t")
        down = await _flips(pilot, "N")
        seen, codes = zip(*(await _flips(pilot, "n")), strict=True)
        assert all(old != new for old, new in pairwise(codes))
        every = {reward for one in example.EXAMPLES for reward in one.rewards}
        evaluation = inspected(pilot).evaluation
        assert len(codes) == len({tuple(evaluation.at(reward).codes.tolist()) for reward in (*every, 2.0)})
        assert [threshold for threshold, _ in down[1:]] == [t for t in seen[::-1] if t < down[0][0]]
        await press(pilot, "escape")
        # That there is no flip beyond was told.
        pilot.app.clear_notifications()
        await press(pilot, "enter")
        before = await rests(pilot, "Problem of alarm-one")
        was = inspected(pilot)
        for keys in (["right"] * 2, ["left"] * 3, ["v m"], ["n", "n"], ["l"]):
            await press(pilot, "t", *keys)
            assert inspected(pilot) is not was
            await press(pilot, "escape")
            assert inspected(pilot) is pilot.app.state is was
        await until(pilot, lambda: screen_text(pilot.app) == before)
        await press(pilot, "t", *["right"] * 3, "enter", "t", "right", "escape")
        await shows(pilot, "θ 0.530 chosen", "F1 60.0")
        assert "changed: " not in screen_text(pilot.app)
