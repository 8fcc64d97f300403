"""A case whose later steps were cut off: its rewards are seen and marked, and it counts as refused."""

import json
import re

import polars as pl
import pytest

import making
from inspector import cli
from inspector.case_page.case_lines import case_lines
from inspector.case_page.open_case import DisplayOptions
from inspector.render.charts.glyphs import Glyphs
from inspector.state.opening import inspect
from opened import opened
from reference import Case
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.cache import RewardParts
from screen_text import press, shows

REASON = "5,120 tokens are more than the 4,096 the model takes; steps 0 to 1 of 4 were scored (--truncate)"
CASES = [Case(4, 1), Case(2, 1, (0.9, 0.2)), Case(2, -1, (0.9, 0.8))]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("truncated")
    made = making.workspace(root, CASES, [(making.scorer("s"), CASES)])
    key = made.cases()[0]["key"][0]
    row = making.rewards([Case(4, 1, (0.25, 0.75))], [key]).with_columns(reason=pl.lit(REASON))
    RewardParts(root / "rewards" / making.scorer("s").folder).append(row)
    return root


def printed(capsys, *words):
    assert cli.main(words) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("ascii_only", [True, False])
def test_the_lines_of_a_case_mark_its_rewards_and_leave_the_later_steps_without(root, ascii_only):
    start = inspect(load(Query(workspace=str(root))))
    found = case_lines(start, 0, DisplayOptions(90, Glyphs(ascii_only=ascii_only)))
    lines = ["".join(text for text, _ in line.parts) for line in found.lines]
    steps = [lines[at] for at in found.starts]
    dash = "-" if ascii_only else "–"
    ends = ["0.25t step 0 of 0", "0.75t step 1 of 0", f"{dash} step 2 of 0", f"{dash} step 3 of 0"]
    assert all(" ".join(line.split()).endswith(end) for line, end in zip(steps, ends, strict=True))
    assert len({line.index("step") for line in steps}) == 1
    assert "x refused: 5,120 tokens" in "\n".join(lines)
    assert "(--truncate)" in " ".join(lines)


async def test_the_app_shows_them(root):
    async with opened(Query(workspace=str(root)), size=(120, 36)) as pilot:
        await press(pilot, "g", "l", "enter")
        await shows(pilot, "▸ c0 ", "0.25t", "0.75t", "refused: 5,120 tokens")


def test_show_prints_them_with_the_mark(root, capsys):
    text = printed(capsys, "show", "bench/c0", "-w", str(root))
    assert re.search(r"0\.25 t\b", text)
    assert re.search(r"0\.75 t\b", text)
    assert "t: truncated" in text
    assert "refused: 5,120 tokens" in text
    assert "truncated" not in printed(capsys, "show", "bench/c1", "-w", str(root))


def test_documents_mark_each_reward(root, capsys):
    document = json.loads(printed(capsys, "show", "bench/c0", "-w", str(root), "--json"))
    rows = document["rows"]
    assert [row["s.reward"] for row in rows] == [0.25, 0.75, None, None]
    assert [row["s.truncated"] for row in rows] == [True, True, False, False]
    assert {row["s.wrong"] for row in rows} == {None}
    markdown = printed(capsys, "show", "bench/c0", "-w", str(root), "--markdown")
    assert markdown.count("0.25 (truncated)") == markdown.count("0.75 (truncated)") == 1
    latex = printed(capsys, "show", "bench/c0", "-w", str(root), "--latex")
    assert "0.25$^{t}$" in latex
    assert "$^{t}$: truncated." in latex


def test_metrics_and_cases_are_those_of_a_refused_case(root, tmp_path, capsys):
    making.workspace(tmp_path, CASES, [(making.scorer("s"), [Case(4, 1, refused=REASON), *CASES[1:]])])
    for words in (("metrics", "--csv"), ("cases", "--csv")):
        both = [printed(capsys, *words, "-w", str(one)).splitlines() for one in (root, tmp_path)]
        rows = [[line for line in lines if not line.startswith("#")] for lines in both]
        assert rows[0] == rows[1]
        assert len(rows[0]) > 1


@pytest.mark.parametrize(("numbers", "shown"), [([0.5, 0.25], [0.5, 0.25, None, None]), ([0.5], None), (None, None)])
def test_redundancies_of_first_steps_are_shown_beside_them(tmp_path, capsys, numbers, shown):
    made = making.workspace(tmp_path, CASES, [(making.scorer("s"), CASES)])
    row = making.rewards([Case(4, 1, (0.25, 0.75))], [made.cases()[0]["key"][0]])
    row = row.with_columns(reason=pl.lit(REASON), redundancy=pl.Series([numbers], dtype=pl.List(pl.Float64)))
    RewardParts(tmp_path / "rewards" / making.scorer("s").folder).append(row)
    rows = json.loads(printed(capsys, "show", "bench/c0", "-w", str(tmp_path), "--json"))["rows"]
    assert [one.get("s.redundancy") for one in rows] == (shown or [None] * 4)
    assert ("s.redundancy" in rows[0]) == (shown is not None)


def test_redundancies_of_a_whole_case_are_in_its_document(tmp_path, capsys):
    made = making.workspace(tmp_path, CASES, [])
    row = making.rewards([Case(2, 1, (0.9, 0.2))], [made.cases()[0]["key"][1]])
    row = row.with_columns(redundancy=pl.Series([[0.125, 0.5]], dtype=pl.List(pl.Float64)))
    scorer = making.scorer("s")
    parts = RewardParts(tmp_path / "rewards" / scorer.folder)
    scorer.save(parts.folder)
    parts.append(row)
    rows = json.loads(printed(capsys, "show", "bench/c1", "-w", str(tmp_path), "--json"))["rows"]
    assert [one["s.redundancy"] for one in rows] == [0.125, 0.5]
    assert "s.truncated" not in rows[0]
