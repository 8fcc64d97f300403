import pytest
from msgspec.structs import replace

import making
import reference
from inspector.analyses.board.arrangement import ON_SCREEN, Arrangement, arranged, kind_of
from inspector.analyses.board.board import board
from inspector.analyses.board.board_rows import BOARD, SEPARATOR, board_frame
from inspector.analyses.board.standings import Standings
from inspector.render.charts.glyphs import Glyphs
from inspector.screens.board_columns import board_columns
from inspector.widgets.columns import FittedColumns
from scoring.selection.loading import load
from scoring.selection.query import Query
from views import table_of

CASES, SCORERS = making.study()


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("study")
    making.workspace(root, CASES, SCORERS)
    return str(root)


def frame(root, *base, **asked):
    return board_frame(load(Query(workspace=root, **asked)), base)


def value(number):
    return None if number is None else pytest.approx(number)


@pytest.mark.parametrize(
    "base", [(), ("subset = 'two words'",), ("\"rand-0.outcome\" <> 'unscored'", "n_steps > 1"), ("n_steps > 99",)]
)
@pytest.mark.parametrize("unparsed", ["wrong", "drop"])
def test_a_row_holds_what_plain_counting_gives(root, base, unparsed):
    found = frame(root, *base, unparsed=unparsed, thresholds=(("gpt4", "0.45"),))
    random = [reference.outcome(case, 0.25, "<") for case in SCORERS[1][1]]
    kept = {
        "": lambda _: True,
        "s": lambda row: CASES[row].subset == "two words",
        '"': lambda row: random[row] != "unscored" and CASES[row].n_steps > 1,
        "n": lambda _: False,
    }["".join(base)[:1]]
    rows = [row for row in range(len(CASES)) if kept(row)]
    assert found.height == (3 if rows else 0)
    for line in found.iter_rows(named=True):
        scored = next(cases for scorer, cases in SCORERS if scorer.name == line["scorer"])
        part = [scored[row] for row in rows]
        expected = reference.metrics(part, line["threshold"], "<", unparsed)
        assert (line["score"], line["on_wrong"]) == (
            value(expected["average", "f1"]),
            value(expected["average", "error_acc"]),
        )
        assert line["on_right"] == value(expected["average", "correct_acc"])
        words = [reference.outcome(case, line["threshold"], "<") for case in part]
        assert {name: line[name] for name in set(words)} == {name: words.count(name) for name in set(words)}
        assert line["scored"] == sum(reference.usable(case) is not None for case in part)
        assert line["cases"] == len(rows)
        assert line["row"] == f"{line['scorer']}{SEPARATOR}bench"


def test_the_best_stands_first_and_undefined_ones_last(root, tmp_path):
    f1 = frame(root)["score"].to_list()
    assert f1 == sorted(f1, reverse=True)
    cases = [reference.Case(1, 0, (0.9,)), reference.Case(1, -1, (0.1,))]
    good = [reference.Case(1, 0, (0.1,)), reference.Case(1, -1, (0.9,))]
    making.workspace(tmp_path, cases, [(making.scorer("a"), cases), (making.scorer("b"), good)])
    found = frame(str(tmp_path))
    assert found.select("scorer", "score", "reason").rows() == [("b", 1.0, None), ("a", None, "both accuracies are 0")]


def test_moving_one_threshold_leaves_the_other_rows(root):
    before, after = frame(root), frame(root, thresholds=(("gpt4", "0.9"),))
    others = [name for name in before["scorer"] if name != "gpt4"]
    for name in others:
        one, other = (table.filter(table["scorer"] == name) for table in (before, after))
        assert one.equals(other)
    assert after.filter(after["scorer"] == "gpt4")["threshold_source"].to_list() == ["chosen"]


def test_a_row_a_scorer_and_benchmark_that_it_knows(root):
    found = frame(root, benchmarks=("bench", "demo"))
    pairs = list(zip(found["benchmark"], found["scorer"], strict=True))
    assert [pair[0] for pair in pairs] == sorted(pair[0] for pair in pairs)
    assert {name for benchmark, name in pairs if benchmark == "bench"} == {"gpt4", "rand-0", "x=y"}
    assert not {name for benchmark, name in pairs if benchmark == "demo"} & {"gpt4", "rand-0", "x=y"}
    assert found.columns == list(BOARD)


def painted(table, glyphs, width):
    table = arranged(Standings().beside(table), Arrangement())
    kind = replace(kind_of(table, Arrangement(), several=False), usual_keys=ON_SCREEN)
    fitted = FittedColumns.of(tuple(board_columns(glyphs, kind)), table, width)
    rows = table.select(fitted.sources).iter_rows()
    return ["".join(text for text, _ in fitted.row(row, margin=" ", null="-")) for row in rows]


@pytest.mark.parametrize("width", [40, 80, 120, 200])
def test_the_screen_shows_percent_and_whole_intervals(tmp_path, width):
    cases = [reference.Case(1, 0, (0.1,)), reference.Case(1, -1, (0.9,))] * 3
    making.workspace(tmp_path, cases, [(making.scorer("perfect"), cases)])
    (line,) = painted(frame(str(tmp_path)), Glyphs(ascii_only=True), width)
    assert "100.0 " in line
    assert ("100-100" if width == 40 else " o ") in line
    assert " 6" in line or width == 40
    assert line.isascii()


def test_lines_for_a_terminal_without_the_app(root):
    results = load(Query(workspace=root))
    lines = table_of(board.view(results))
    assert list(lines[0])[:5] == ["scorer", "F1", "on erroneous", "on clean", "bias"]
    for line, row in zip(lines, board_frame(results).iter_rows(named=True), strict=True):
        assert line["scorer"] == row["scorer"]
        assert line["F1"].startswith(f"{100 * row['score']:.1f} (")
        assert line["exact"] == f"{row['exact']}"


def test_lines_say_a_dash_where_f1_is_undefined(tmp_path):
    cases = [reference.Case(1, -1, (0.9,))]
    making.workspace(tmp_path, cases, [(making.scorer("one"), cases)])
    (line,) = table_of(board.view(load(Query(workspace=str(tmp_path)))))
    assert (line["scorer"], line["F1"], line["on erroneous"], line["on clean"]) == ("one", "–", "–", "100.0")
