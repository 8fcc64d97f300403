"""What stands out is told only as far as its interval carries it, and each number is the list of its cases."""

import math

import polars as pl
import pytest
from msgspec.structs import replace

import making
from inspector.analyses import load as analysis
from inspector.analyses.highlights import MOST, WORTH_TELLING, Highlight, facts_of, varied
from inspector.cli import main
from opened import listed, opened
from reference import Case
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.selection.result_set import select
from screen_text import press, rests, shows

DEMO = Query(benchmarks=("demo",))


def rows_of(query: Query) -> pl.DataFrame:
    return analysis("highlights").view(load(query)).rows


def wilson(hits: int, n: int) -> tuple[float, float]:
    """Wilson's score interval, from its formula."""
    z = 1.959963984540054
    centre, half = hits / n + z * z / (2 * n), z * math.sqrt(hits / n * (1 - hits / n) / n + z * z / (4 * n * n))
    return (centre - half) / (1 + z * z / n), (centre + half) / (1 + z * z / n)


def test_every_number_is_the_list_of_its_cases_and_no_interval_holds_nothing():
    results = load(DEMO)
    rows = rows_of(DEMO)
    assert rows.height > 20
    assert max(rows.group_by("scorer").len()["len"]) <= MOST
    for row in rows.iter_rows(named=True):
        kept = select(replace(results, query=replace(results.query, where=(row["where"],))))
        assert kept.shown.size == row["n"], row
        if row["difference"]:
            assert row["low"] > 0 or row["high"] < 0
        assert row["low"] <= row["value"] <= row["high"]


def test_of_a_column_one_value_is_told_and_of_a_few_columns():
    slices = [
        Highlight(f"slice {at}", f"slice {at}", "", {"column": name}, 1, (), 0.5) for at, name in enumerate("aabacdeb")
    ]
    others = [Highlight("leaning", "leaning", "", {}, 1, (), 0.4)]
    assert [fact.words for fact in varied([*slices, *others])] == ["slice 0", "slice 2", "slice 4", "leaning"]


def test_which_cases_are_meant_is_said_in_words():
    facts = rows_of(DEMO)["fact"].to_list()
    assert "better on erroneous cases whose final answer is right" in facts
    assert any(fact.startswith("worse on erroneous cases with generator: ") for fact in facts)
    assert not any("position" in fact or "true" in fact for fact in facts)


def test_what_is_told_of_outcomes_is_counted_from_the_cases():
    results = load(DEMO)
    accuracies = analysis("metrics").view(results).rows.filter(metric="correct_acc", subset="all")
    told = 0
    for row in rows_of(DEMO).filter(~pl.col("difference")).iter_rows(named=True):
        outcomes = results.evaluated.column(f"{row['scorer']}.outcome").value_counts()
        number = dict(outcomes.iter_rows())
        failed = {name: number.get(name, 0) for name in ("early", "late", "missed")}
        if "false alarms" in row["fact"]:
            hits, of = number["false_alarm"], number["false_alarm"] + number["clean"]
            accuracy = accuracies.row(by_predicate=pl.col("scorer") == row["scorer"], named=True)
            ends = 1 - accuracy["high"], 1 - accuracy["low"]
        elif row["fact"].startswith("most of its"):
            hits, of = max(failed.values()), sum(failed.values())
            assert f"most of its {of:,} failures" in row["fact"]
        else:
            hits, of = max(failed["early"], failed["late"]), failed["early"] + failed["late"]
        if "false alarms" not in row["fact"]:
            ends = wilson(hits, of)
        assert (row["value"], row["n"]) == (pytest.approx(hits / of), hits)
        assert (row["low"], row["high"]) == pytest.approx(ends)
        told += 1
    assert told > 5


def test_all_of_a_few_cases_are_not_surer_than_many(tmp_path):
    """A bootstrap of three of three has no width; three cases remain three cases."""
    few = [Case(2, -1, (0.2, 0.9))] * 3
    cases = [*few, *[Case(2, gold, (0.9, 0.9)) for gold in (0, 1)] * 30]
    making.workspace(tmp_path / "w", cases, [(making.scorer("strict"), cases)])
    results = load(Query(workspace=str(tmp_path / "w")))
    [alarms] = [fact for fact in facts_of(results.evaluations[0], results.mask, ()) if "false alarms" in fact.words]
    assert (alarms.figure["low"], alarms.figure["high"]) == (1, 1)
    assert alarms.sure == pytest.approx(wilson(3, 3)[0] - WORTH_TELLING)


def test_a_scorer_of_which_nothing_can_be_said_has_no_fact(tmp_path):
    # Alike on both sides, in few cases: whatever differs may be chance.
    cases = [Case(2, gold, rewards) for gold in (-1, 0) for rewards in ((0.9, 0.9), (0.2, 0.9))] * 3
    making.workspace(tmp_path / "w", cases, [(making.scorer("even"), cases)])
    assert rows_of(Query(workspace=str(tmp_path / "w"))).filter(pl.col("difference")).is_empty()


def test_chance_alone_seldom_makes_a_slice_stand_out(tmp_path):
    """Outcomes that have nothing to do with any column: the looks are adjusted for."""
    import numpy as np

    random, told = np.random.default_rng(7), 0
    for number in range(6):
        cases = [
            Case(3, int(random.integers(-1, 3)), tuple(random.choice([0.2, 0.9], 3)), subset=f"s{random.integers(4)}")
            for _ in range(300)
        ]
        making.workspace(tmp_path / f"w{number}", cases, [(making.scorer("dice"), cases)])
        facts = rows_of(Query(workspace=str(tmp_path / f"w{number}")))["fact"]
        told += sum(" cases with subset" in fact for fact in facts)
    assert told <= 1


async def test_the_pane_beneath_the_board_follows_the_cursor_and_opens_cases():
    async with opened(size=(120, 40)) as pilot:
        first = await rests(pilot, "tiny-prm-m: verdicts", "Bias: lenient", "Lenient: 74% of clean solutions kept")
        assert "whose final answer is right" in first.replace("│", " ") or "answer is right" in first
        await press(pilot, "j")
        await rests(pilot, "blend: verdicts", "Lenient: 83% of clean")
        await press(pilot, "tab", *["j"] * 7, "enter")
        number = len(listed(pilot))
        assert 20 <= number < 240
        assert "erroneous" in await rests(pilot, "filter ")
        await shows(pilot, f"{number} of 240 cases", "blend")
        await press(pilot, "escape")
        await shows(pilot, "blend: verdicts")
        await press(pilot, "tab", "escape", "k")
        await rests(pilot, "tiny-prm-m: verdicts")
        # On short screens the verdicts come first.
        await pilot.resize_terminal(80, 24)
        await rests(pilot, "Lenient: 74% of clean solutions kept, but only 32% of errors found.", "novelty")
        # Where there is no room, the screen has it.
        await pilot.resize_terminal(100, 20)
        await press(pilot, "g o")
        await rests(pilot, "25 of 96 clean cases are false alarms")


def test_no_case_and_no_scorer_are_told_apart(tmp_path):
    assert analysis("highlights").view(load(replace(DEMO, where=("n_steps > 999",)))).empty == "No case is shown."
    making.workspace(tmp_path / "w", [Case(2, 0)], [])
    nobody = analysis("highlights").view(load(Query(workspace=str(tmp_path / "w"))))
    assert nobody.empty == "No scorer has rewards for these cases yet."


def test_the_command_prints_it(capsys):
    assert main(["highlights", "--benchmark", "demo", "--scorer", "tiny-prm-m", "-q"]) == 0
    assert "25 of 96 clean cases are false alarms" in capsys.readouterr().out
