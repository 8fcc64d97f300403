"""How a board is arranged: groups, orders, columns, and what stands beside the scorers."""

import msgspec
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.analyses.board.arrangement import (
    BEST_FIRST,
    MEANINGS,
    ROWS,
    UNSORTABLE,
    Arrangement,
    BoardKind,
    arranged,
    as_kept,
    empty_keys,
    kind_of,
    sort_of_word,
)
from inspector.analyses.board.board_rows import BOARD, board_frame, pieces, published_frame
from inspector.analyses.board.cells import PUBLISHED, BoardCells
from inspector.analyses.board.standings import Standings, standings
from inspector.render.cells import signed
from inspector.render.charts.glyphs import Glyphs
from inspector.screens.board_columns import Legend, board_columns, entries
from inspector.widgets.columns import FittedColumns
from scoring.selection.loading import load
from scoring.selection.query import Query

SELECTION = load(Query(benchmarks=("demo",)))
FRAME = Standings().beside(board_frame(SELECTION, subsets=True))
SUBSETS = ["arithmetic", "algebra", "everyday", "reasoning"]


def test_by_subset_the_scorers_stand_under_each_subset_in_the_order_of_the_cases():
    found = arranged(FRAME, Arrangement(rows="subset"))
    assert found["subset"].unique(maintain_order=True).to_list() == SUBSETS
    for _, part in found.group_by("subset", maintain_order=True):
        assert part["score"].to_list() == sorted(part["score"], reverse=True)
        assert part["repeated"].to_list() == [False] + [True] * 6


def test_by_scorer_each_has_its_whole_and_its_subsets():
    found = arranged(FRAME, Arrangement(rows="scorer"))
    for _, part in found.group_by("scorer", maintain_order=True):
        assert part["subset"].to_list() == [None, *SUBSETS]
        assert part["repeated"].to_list() == [False] + [True] * 4
    whole = found.filter(pl.col("subset").is_null())["score"].to_list()
    assert whole == sorted(whole, reverse=True)


def test_the_whole_benchmark_stands_where_there_are_no_subsets():
    whole = board_frame(SELECTION)
    found = arranged(Standings().beside(whole), Arrangement(rows="subset"))
    assert found["scorer"].to_list() == whole["scorer"].to_list()


SORTABLE = [key for key in MEANINGS if key not in UNSORTABLE]


@given(st.sampled_from(SORTABLE), st.sampled_from(("asc", "desc")), st.sampled_from(ROWS))
def test_every_order_keeps_the_rows_and_puts_the_undefined_last(key, direction, rows):
    how = Arrangement(rows=rows, sort=f"{key}:{direction}")
    found = arranged(FRAME, how)
    kept = FRAME if rows != "subset" else FRAME.filter(pl.col("subset").is_not_null())
    assert sorted(found["row"]) == sorted(kept["row"])
    column = {"interval": "low", "coverage": "scored"}.get(key, key)
    if rows != "scorer":
        for _, part in found.group_by("benchmark", "subset", maintain_order=True):
            values = part[column].drop_nulls().to_list()
            assert values == sorted(values, reverse=direction == "desc")
            assert part[column].tail(part[column].null_count()).null_count() == part[column].null_count()


def test_differences_are_sorted_as_differences_with_the_reference_at_nothing():
    known = standings(SELECTION, pieces(SELECTION), "tiny-prm-s")
    found = arranged(known.beside(board_frame(SELECTION)), Arrangement(against="tiny-prm-s"))
    names = found["scorer"].to_list()
    values = dict(found.select("scorer", "d_score").rows()) | {"tiny-prm-s": 0.0}
    assert [values[name] for name in names] == sorted(values.values(), reverse=True)
    assert 0 < names.index("tiny-prm-s") < 6


def test_printed_figures_stand_after_the_scorers_whatever_the_order():
    printed = published_frame([("processbench", None), ("processbench", "gsm8k"), ("demo", None)])
    ours = board_frame(SELECTION).with_columns(benchmark=pl.lit("processbench"))
    frame = Standings().beside(pl.concat([ours, printed]))
    for rows in ROWS:
        for sort in (BEST_FIRST, "score:asc", "scorer:asc"):
            found = arranged(frame, Arrangement(rows=rows, sort=sort))
            kinds = [kind == PUBLISHED for kind in found.filter(pl.col("subset").is_null())["kind"]]
            assert kinds == sorted(kinds)


def test_printed_figures_are_those_of_the_paper():
    printed = published_frame([("processbench", None), ("processbench", "gsm8k"), ("prmbench", None)])
    by_name = {(row["benchmark"], row["subset"], row["scorer"]): row for row in printed.iter_rows(named=True)}
    # ProcessBench (arXiv 2412.06559), Table 3, and PRMBench (arXiv 2501.03124), Table 3.
    skywork = by_name["processbench", None, "Skywork-PRM-7B"]
    assert skywork["score"] == pytest.approx(0.421)
    assert by_name["processbench", "gsm8k", "Skywork-PRM-7B"]["score"] == pytest.approx(0.708)
    assert skywork["threshold_source"] == "published, Table 3"
    assert {row["metric"] for key, row in by_name.items() if key[0] == "prmbench"} == {"PRMScore"}
    assert printed["row"].is_unique().all()
    assert printed.columns == list(BOARD)
    assert printed["cases"].null_count() == printed.height
    assert published_frame([("mrmath", None)]).is_empty()


def test_a_sort_key_has_its_usual_direction():
    assert sort_of_word("bias") == "bias:desc"
    assert sort_of_word("scorer") == "scorer:asc"
    assert sort_of_word("score:asc") == "score:asc"
    assert sort_of_word("outcomes") is None
    assert sort_of_word("no such") is None


def test_what_was_remembered_and_is_not_known_any_more_is_the_usual():
    assert as_kept("", "", ()) == Arrangement()
    assert as_kept("sideways", "nothing:up", ("gone", "bias")) == Arrangement(columns=("bias",))
    assert as_kept("subset", "bias:asc", ()) == Arrangement(rows="subset", sort="bias:asc")


def test_an_arrangement_as_words():
    assert Arrangement().words == ()
    how = Arrangement("subset", "bias:asc", ("scorer", "fp"), "-x", published=True)
    words = ("--rows", "subset", "--sort", "bias:asc", "--columns", "scorer,fp", "--against=-x", "--published")
    assert how.words == words


@pytest.mark.parametrize("against", ["", "blend"])
@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_every_column_can_be_painted(against, rows, ascii_only):
    known = standings(SELECTION, pieces(SELECTION, subsets=True), against)
    printed = published_frame([("processbench", None), ("processbench", "gsm8k")])
    frame = pl.concat([board_frame(SELECTION, subsets=True), printed])
    how = Arrangement(rows=rows, columns=tuple(MEANINGS), against=against)
    found = arranged(known.beside(frame), how)
    kind = kind_of(found, how, several=True)
    columns = board_columns(Glyphs(ascii_only), kind)
    assert [column.name for column in columns] == list(MEANINGS)
    assert [entry.key for entry in entries(kind)] == list(MEANINGS)
    fitted = FittedColumns.of(tuple(columns), found, 400)
    for row in found.select(fitted.sources).iter_rows():
        line = "".join(text for text, _ in fitted.row(row, margin=" ", null="-"))
        assert len(line) == fitted.width
        # What cuts a text short is spelled out by the app.
        assert line.replace("…", "~").isascii() or not ascii_only


def test_a_signed_number_says_its_sign_unless_it_rounds_to_nothing():
    assert [signed(value) for value in (0.1234, -0.1234, 0.0, -0.0004, 1.0)] == [
        "+12.3",
        "−12.3",
        "0.0",
        "0.0",
        "+100.0",
    ]


def test_the_ends_of_an_interval_are_never_cut():
    cells = BoardCells(Glyphs())
    assert cells.span((-0.123, 0.101), 12) == [("  −12 to +10", "dim")]
    assert cells.span((-1.0, 1.0), 12) == [("−100 to +100", "dim")]
    assert cells.span((None, None), 12) == [("", "dim")]


def test_the_columns_of_the_group_stand_first():
    assert BoardKind().names == ("scorer",)
    assert BoardKind(rows="subset", subsets=True, several=True).names == ("benchmark", "subset", "scorer")
    assert BoardKind(rows="scorer", subsets=True, several=True).names == ("scorer", "benchmark", "subset")
    assert BoardKind(metrics=("F1", "PRMScore")).names == ("scorer", "metric")
    assert BoardKind(chosen=("gone",)).keys == BoardKind().usual


def test_the_legend_says_in_words_what_columns_and_marks_mean_and_on_how_many_cases():
    known = standings(SELECTION, pieces(SELECTION))
    legend = Legend(known.beside(board_frame(SELECTION)), Arrangement(), known, 3, BoardCells(Glyphs()))
    tests = "(paired bootstrap, seed 3; 240 cases that all 7 scorers tried)"
    assert dict(legend.marks())["≈"] == f"tied with it: the 95% interval of the difference holds 0 {tests}"
    assert legend.column("score").endswith(f"erroneous and on clean cases; ★ the best, ≈ tied with it {tests}")
    assert legend.column("bias").startswith("accuracy on clean minus on erroneous cases")
    assert legend.column("on_right") == "accuracy on clean cases"
    assert "o missed" in legend.column("outcomes")
    assert "refused" not in legend.column("outcomes")
    assert all(legend.column(key) for key in MEANINGS)


def test_the_legend_of_differences_names_the_reference_the_cases_and_the_test():
    known = standings(SELECTION, pieces(SELECTION), "blend")
    frame = known.beside(board_frame(SELECTION))
    legend = Legend(frame, Arrangement(against="blend"), known, 0, BoardCells(Glyphs()))
    said = "less that of blend, on the 240 cases that both tried (paired bootstrap, seed 0)"
    assert legend.column("score").endswith(said)
    assert legend.column("on_wrong") == "accuracy on erroneous cases, less that of blend"
    assert list(legend.marks()) == []


def test_columns_in_which_no_row_says_anything_are_hidden_unless_they_were_chosen():
    printed = published_frame([("processbench", None)])
    frame = Standings().beside(printed)
    empty = empty_keys(frame)
    kind = kind_of(frame, Arrangement(), several=False)
    assert "bias" in empty
    assert not {"score", *kind.names} & set(empty)
    assert set(msgspec.structs.replace(kind, empty=empty).keys) == set(kind.keys) - set(empty)
    chosen = kind_of(frame, Arrangement(columns=("scorer", "bias")), several=False)
    assert msgspec.structs.replace(chosen, empty=empty).keys == ("scorer", "bias")
    assert empty_keys(Standings().beside(board_frame(SELECTION))) == ()
