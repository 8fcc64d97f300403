"""The board under a person's hands: rows, order, columns, differences, baselines, and from a number to its cases."""

import json
import shlex

import judged
import making
from inspector.cli import main
from inspector.screens.board import BoardScreen
from inspector.widgets.frame_table import FrameTable
from opened import inspected, listed, opened
from scoring.selection.query import Query
from screen_text import hides, press, rests, screen_text, shows, until


def board(pilot):
    """The rows on screen, seen or not."""
    screen = pilot.app.screen
    assert isinstance(screen, BoardScreen)
    return screen.frame


async def ranked(pilot):
    await until(pilot, lambda: not pilot.app.screen.legend.known.busy)


async def test_baselines_stay_while_the_app_is_open_on_cases_that_a_condition_on_one_chooses():
    """Such a condition brings them too."""
    async with opened(Query(benchmarks=("demo",), where=("\"coin.outcome\" = 'exact'",))) as pilot:
        await press(pilot, "v", "b")
        await shows(pilot, "10 scorers")
        assert "a condition on a baseline chooses" in next(iter(pilot.app.message_history)).text
        assert inspected(pilot).slice.sum() == 29


async def test_a_number_of_the_board_opens_its_cases_and_rows_differences_and_baselines_come_and_go():
    """Baselines are scorers as long as they are wanted. Sideways keys choose a number, and Esc lets it go. Rows are by
    scorer, by subset, or both. Who is tied with the best is filled in, and where there is room the figure by threshold
    stands there.
    """
    async with opened(size=(120, 36)) as pilot:
        await press(pilot, "v", "b")
        await shows(pilot, "10 scorers", "always-clean")
        await ranked(pilot)
        assert board(pilot).filter(kind="baseline")["standing"].null_count() == 3
        assert pilot.app.state.results.query.baselines
        await press(pilot, "G", "enter")
        await shows(pilot, "always-first-step ▸ failures")
        await press(pilot, "escape", "v", "b")
        await shows(pilot, "7 scorers")
        await hides(pilot, "always-clean")
        assert not pilot.app.state.results.query.baselines
        assert pilot.app.state.focus.scorer in set(board(pilot)["scorer"])
        await press(pilot, "home")
        await ranked(pilot)
        before = await rests(pilot, "44.2 ★")
        await press(pilot, "l", "l", "l")
        await shows(pilot, "Enter lists 144: erroneous cases in the denominator")
        await press(pilot, "enter")
        await shows(pilot, "144 of 240 cases", "erroneous cases in the denominator")
        await press(pilot, "escape")
        await shows(pilot, "31.9 ]", "Enter lists 144")
        await press(pilot, "escape")
        await hides(pilot, "Enter lists 144")
        # Differences to a reference, and back.
        await press(pilot, "v", "d")
        await shows(pilot, "differences to tiny-prm-m", "−0.7")
        await ranked(pilot)
        rows = {row["scorer"]: row for row in board(pilot).iter_rows(named=True)}
        assert rows["novelty"]["d_score"] < 0
        await press(pilot, "j", "l", "enter")
        await shows(pilot, "240 of 240 cases")
        await press(pilot, "escape", "escape", "escape")
        await hides(pilot, "differences to")
        await press(pilot, "k")
        await until(pilot, lambda: screen_text(pilot.app) == before)
        # With the key still held nothing is computed; once it rests the marks are of the new threshold.
        await press(pilot, "t", *["right"] * 5)
        await ranked(pilot)
        assert board(pilot).filter(standing="best").height == 1
        await press(pilot, "escape")
        await shows(pilot, "44.2 ★")
        await press(pilot, "enter")
        await shows(pilot, "▸ failures")
        await press(pilot, "escape", "home")
        await ranked(pilot)
        before = await rests(pilot)
        await press(pilot, "v", "r")
        await shows(pilot, "rows by scorer", " whole ")
        assert board(pilot)["scorer"].to_list()[:5] == ["tiny-prm-m"] * 5
        await press(pilot, "v", "r")
        await shows(pilot, "rows by subset")
        assert set(board(pilot)["subset"]) == {"arithmetic", "algebra", "everyday", "reasoning"}
        await press(pilot, "v", "r")
        await until(pilot, lambda: screen_text(pilot.app) == before)
        await press(pilot, "v", "r", "v", "r", "home")
        await shows(pilot, "rows by subset")
        await ranked(pilot)
        row = board(pilot).row(pilot.app.screen.query_one(FrameTable).row_id, named=True)
        await press(pilot, "enter")
        failures = sum(row[name] for name in ("early", "late", "missed", "false_alarm"))
        await shows(pilot, f"{failures} of 240 cases")
        assert set(listed(pilot, "subset")) == {row["subset"]}
        await press(pilot, "escape", "g", "l")
        await shows(pilot, "60 of 240 cases")
        await press(pilot, "escape", "v", "r", "home")
        await rests(pilot, "tiny-prm-m: verdicts", "F1 by threshold")
        for size in ((80, 24), (200, 50)):
            await pilot.resize_terminal(*size)
            text = " ".join((await rests(pilot, "44.2 ★")).split())
            assert "39.7 ≈" in text
            assert "31.3 " in text
            assert board(pilot)["standing"].to_list() == ["best", "tied", "tied", "", "", "", ""]
        await shows(pilot, "F1 by threshold", "tiny-prm-m: verdicts", "Most instructive failures", "1 of 123")
        await press(pilot, "j")
        await shows(pilot, "blend: verdicts", "1 of 116")
        await press(pilot, "t", "l", "enter")
        await shows(pilot, "◆ now", "chosen")


async def test_of_a_scorer_without_a_curve_the_panel_says_why(tmp_path):
    judged.workspace(tmp_path / "w")
    async with opened(Query(workspace=str(tmp_path / "w")), size=(110, 50)) as pilot:
        await shows(pilot, "F1 by threshold", "moving: verdicts", "▲ default")
        for name in ("critic", "labels", "number"):
            await press(pilot, "j")
            assert "▲" not in await rests(pilot, f"{name}: verdicts", "No threshold decides")
        await press(pilot, "home")
        await shows(pilot, "moving: verdicts", "▲ default")


async def test_an_order_is_kept_and_what_is_on_screen_is_exported_with_a_command_that_makes_it_again(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    async with opened(size=(120, 36), state_folder=tmp_path / "state") as pilot:
        await press(pilot, "s", *"bias", "enter")
        await until(pilot, lambda: board(pilot)["bias"].is_sorted(descending=True))
        await press(pilot, "v", "r", "v", "r", "v", "d")
        await shows(pilot, "differences to", "rows by subset")
        await ranked(pilot)
        await press(pilot, "e", "c")
        await shows(pilot, "Wrote 28 rows to demo-board.csv")
        names = board(pilot).select("subset", "scorer").rows()
        assert isinstance(pilot.app.screen, BoardScreen)
        # With a capital, the metrics of all scorers.
        await press(pilot, "e", "C")
        texts = ("rows to demo-metrics.csv", "prm-inspect metrics")
        await until(pilot, lambda: any(all(text in one.text for text in texts) for one in pilot.app.message_history))
        hidden = pilot.app.screen.query_one(FrameTable).columns_shown[0].name
        await press(pilot, "v", "c", "space", "enter")
        await until(pilot, lambda: hidden not in pilot.app.screen.how.columns)
    async with opened(size=(120, 36), state_folder=tmp_path / "state") as pilot:
        await shows(pilot, "rows by subset")
        assert pilot.app.screen.how.sort == "bias:desc"
        table = pilot.app.screen.query_one(FrameTable)
        assert hidden not in [column.name for column in table.columns_shown]
        place = [column.name for column in table.columns_shown].index("on_right")
        await pilot.click(FrameTable, offset=(table._columns.extent(place)[0] + 5, 1))
        await until(pilot, lambda: pilot.app.screen.how.sort == "on_right:desc")
    lines = (tmp_path / "demo-board.csv").read_text().splitlines()
    header = lines[0].split(",")
    assert [tuple(line.split(",")[header.index(name)] for name in ("subset", "scorer")) for line in lines[1:]] == names
    command = json.loads((tmp_path / "demo-board.provenance.json").read_bytes())["command"]
    capsys.readouterr()
    assert main([*shlex.split(command)[1:], "--quiet", "-o", "again.csv"]) == 0
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "demo-board.csv").read_bytes()


async def test_printed_figures_stand_below_and_open_nothing(tmp_path):
    cases, scorers = making.study(n=12)
    making.workspace(tmp_path / "w", cases, scorers, benchmark="processbench")
    async with opened(Query(workspace=str(tmp_path / "w")), size=(120, 36)) as pilot:
        await ranked(pilot)
        assert set(board(pilot)["kind"]) == {"scorer"}
        await press(pilot, "v", "p", "G")
        await shows(pilot, "Table 3", "(87.9)")
        assert board(pilot)["kind"].to_list()[:3] == ["scorer"] * 3
        await press(pilot, "enter")
        await shows(pilot, "printed in a paper")
        await press(pilot, "v", "d")
        await shows(pilot, "Nothing can be paired")
        await press(pilot, "y")
        await shows(pilot, "Copied the row of")
        await press(pilot, "v", "p")
        await hides(pilot, "(87.9)")


async def test_counts_by_outcome_are_shown_where_they_are_ticked_and_open_their_cases(query):
    async with opened(Query(workspace=query.workspace), size=(200, 50)) as pilot:
        await ranked(pilot)
        await press(pilot, "v", "c", "G", *["space", "k"] * 14, "enter")
        await ranked(pilot)
        screen, table = pilot.app.screen, pilot.app.screen.query_one(FrameTable)
        assert {"exact", "dev"} <= {column.name for column in table.columns_shown}
        table.cell_name = "exact"
        count = screen.line["exact"]
        await press(pilot, "enter")
        assert len(inspected(pilot).shown) == count > 0
        await press(pilot, "escape")
        table.cell_name = "dev"
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, BoardScreen)


async def test_one_benchmark_without_subsets_has_one_way_to_group(tmp_path):
    cases = [one for one in making.study(n=8)[1][0][1] if one.subset == "two words"]
    making.workspace(tmp_path / "w", cases, [(making.scorer("one"), cases)])
    async with opened(Query(workspace=str(tmp_path / "w"))) as pilot:
        await press(pilot, "v", "r")
        await shows(pilot, "one benchmark without")
        await press(pilot, "v", "d")
        await shows(pilot, "no other scorer")
