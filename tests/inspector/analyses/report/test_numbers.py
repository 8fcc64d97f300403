"""The numbers of a report are those of the commands."""

import json
from functools import cache
from html.parser import HTMLParser

import pytest

import making
from inspector.analyses.report.document import Choices, ReportDocument, report_document
from inspector.cli import main
from inspector.render.blocks import CommandLine, Fold, Note
from inspector.render.cells import plain_text, value_text
from inspector.render.chart_blocks import Columns, Curve, Picture
from inspector.render.table_blocks import Table
from scoring.formats.benchmarks.case_format import Imported
from scoring.selection.loading import load
from scoring.selection.query import Query
from thoroughness import also


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A study of two benchmarks, of which the second is the first again under other ids, less what is unscored."""
    root = tmp_path_factory.mktemp("study")
    cases, scorers = making.study(n=80)
    labels = making.labels(cases)
    space = making.workspace(root, cases, scorers, **labels)
    found = making.full_frame(cases[:60], "second", **{name: values[:60] for name, values in labels.items()})
    space.add([Imported("second", "other.jsonl", "other", "0-based", found.height, found, ())])
    return str(root)


@pytest.fixture(params=["study", *also("demo")])
def words(request, root):
    return (
        ["-w", root] if request.param == "study" else ["--benchmark", "demo", "--scorer", "blend", "--scorer", "ledger"]
    )


def report(words):
    return made(*words)


@cache
def made(flag, name, *scorers):
    """The same report for all who only read it."""
    query = {"workspace": name} if flag == "-w" else {"benchmarks": (name,), "scorers": scorers[1::2]}
    return report_document(load(Query(**query)), Choices(cases=3))


def rows(capsys, command, words, *further):
    capsys.readouterr()
    assert main([command, *further, *words, "--json", "-q"]) == 0
    return json.loads(capsys.readouterr().out)["rows"]


def blocks(found: ReportDocument, anchor: str):
    """All blocks of the sections whose anchor begins so, folded ones and tables of charts too."""
    assert found.report is not None

    def inside(these):
        for block in these:
            yield block
            if isinstance(block, Fold):
                yield from inside(block.blocks)
            if isinstance(block, Picture) and block.table is not None:
                yield block.table

    sections = [part for one in found.report.sections for part in (one, *one.parts)]
    return {one.anchor: list(inside(one.blocks)) for one in sections if one.anchor.startswith(anchor) and one.blocks}


def heads(table):
    return [column.title for column in table.columns]


def tables(found, anchor):
    return {
        name: [block for block in these if isinstance(block, Table)] for name, these in blocks(found, anchor).items()
    }


def test_the_board_has_the_figures_of_metrics(words, capsys):
    told = {
        (row["benchmark"], row["scorer"], row["subset"], row["metric"]): row for row in rows(capsys, "metrics", words)
    }
    seen = 0
    for (board, *others), benchmark in zip(
        tables(report(words), "board").values(), dict.fromkeys(key[0] for key in told), strict=True
    ):
        for line in board.rows:
            for cell, metric in zip(line[1:4], ("f1", "error_acc", "correct_acc"), strict=True):
                row = told[benchmark, line[0].value, "average", metric]
                assert cell.value == row["value"]
                if row["value"] is not None:
                    assert plain_text(cell).startswith(f"{100 * row['value']:.1f} ")
                    assert f"({100 * row['low']:.1f} to {100 * row['high']:.1f})" in plain_text(cell)
                    seen += 1
        subsets = others[-1]
        for line in subsets.rows:
            for cell, subset in zip(line[1:], heads(subsets)[1:], strict=True):
                assert cell.value == told[benchmark, line[0].value, subset, "f1"]["value"]
                seen += 1
    assert seen > 15


def test_the_summary_names_the_best_and_who_is_not_told_apart(words, capsys):
    found = report(words)
    names = [line[0].value for line in tables(found, "compare").popitem()[1][0].rows]
    told = rows(capsys, "compare", words, *names)
    said = [item for block in found.report.about for item in getattr(block, "items", ()) if isinstance(item, str)]
    for benchmark in dict.fromkeys(row["benchmark"] for row in told):
        own = [row for row in told if row["benchmark"] == benchmark]
        best = next(row["other"] for row in own if row["metric"] == "f1_behind_best")
        tied = {row["scorer"]: row["value"] for row in own if row["metric"] == "tied_with_best"}
        close = [name for name, value in tied.items() if value and name != best]
        about = f"{benchmark}: " if words[0] == "-w" else ""
        sentence = next(one for one in said if one.startswith(f"{about}On common cases {best} is first; "))
        assert f"of {len(tied) - 1} others" in sentence
        assert all(name in sentence for name in close)
        assert not [name for name, value in tied.items() if not value and name in sentence.partition("others")[2]]


def test_outcomes_are_those_of_the_cases(words, capsys):
    found = rows(capsys, "cases", words)
    for benchmark, (_, counts, *_others) in zip(
        dict.fromkeys(row["benchmark"] for row in found), tables(report(words), "board").values(), strict=True
    ):
        own = [row for row in found if row["benchmark"] == benchmark]
        names = [head.split(" ", 1)[-1].replace(" ", "_") for head in heads(counts)[1:]]
        for line in counts.rows:
            outcomes = [row[f"{line[0].value}.outcome"] for row in own]
            assert [cell.value for cell in line[1:]] == [outcomes.count(name) for name in names]
            assert sum(cell.value for cell in line[1:]) == len(own)


def test_the_comparison_has_the_numbers_of_compare(words, capsys):
    names = [line[0].value for line in tables(report(words), "compare").popitem()[1][0].rows]
    told = rows(capsys, "compare", words, *names)
    for benchmark, found in zip(
        dict.fromkeys(row["benchmark"] for row in told), tables(report(words), "compare").values(), strict=True
    ):
        standings, pairs = (next(one for one in found if one.title.startswith(word)) for word in ("Stand", "Diff"))
        own = {
            (row["scorer"], row["other"], row["subset"], row["metric"]): row
            for row in told
            if row["benchmark"] == benchmark
        }
        at = {name: number for number, name in enumerate(heads(standings))}
        for line in standings.rows:
            row = own[line[0].value, None, "average", "f1"]
            assert plain_text(line[at["F1"]]) == (
                f"{100 * row['value']:.1f} ({100 * row['low']:.1f} to {100 * row['high']:.1f})"
            )
            tied = next(row for key, row in own.items() if (key[0], key[3]) == (line[0].value, "tied_with_best"))
            assert line[at["tied"]].value == {1.0: "yes", 0.0: "no"}[tied["value"]]
        at = {name: number for number, name in enumerate(heads(pairs))}
        erroneous = [line for line in pairs.rows if line[at["cases"]].value == "erroneous"]
        assert erroneous
        assert sum(line[0].rows for line in pairs.rows) == len(pairs.rows)
        for line in erroneous:
            pair = (line[0].value, line[0].note.removeprefix("minus "))
            quadrants = [
                own[*pair, "all", f"erroneous_{name}_right"]["value"]
                for name in ("both", "only_scorer", "only_other", "neither")
            ]
            assert [line[at[name]].value for name in ("both", "only first", "only second", "neither")] == quadrants
            test = own[*pair, "all", "erroneous_mcnemar"]
            shown = plain_text(line[at["p Holm"]])
            assert shown == ("< 0.0001" if test["p_holm"] < 0.0001 else f"{test['p_holm']:.4f}")


# The demo has two columns to be broken down by.
@pytest.mark.parametrize("words", ["study", "demo"], indirect=True)
def test_the_heat_map_has_the_numbers_of_breakdown(words, capsys):
    found = report(words)
    for anchor, own in blocks(found, "breakdown").items():
        command = next(block.line for block in own if isinstance(block, CommandLine))
        columns = command.partition("breakdown ")[2].split()
        asked = columns[: 4 if "--cols" in columns else 2]
        printed = rows(capsys, "breakdown", words, *asked)
        names = list(dict.fromkeys(row["benchmark"] for row in printed))
        benchmark = names[int(anchor.partition("-")[2] or 1) - 1]
        title = next(block.text for block in own if isinstance(block, Note) and block.level == "lead")
        metric = "f1" if title.startswith("F1 ") else "error_acc"
        assert metric == "f1" or title.startswith("Accuracy on erroneous cases")
        cells = {
            (row["scorer"], *(row[name] for name in asked[1::2])): row
            for row in printed
            if (row["benchmark"], row["metric"]) == (benchmark, metric)
        }
        seen = 0
        for drawn in (block for block in own if isinstance(block, Table) and block.heat):
            for line in drawn.rows:
                for cell, value in zip(line[1:], heads(drawn)[1:], strict=True):
                    key = (line[0].value, value) if len(asked) == 2 else (drawn.title, line[0].value, value)
                    row = cells.get(tuple(None if part == "(none)" else part for part in key))
                    assert (cell.value or None) == (None if row is None else row["value"] or None)
                    if row is not None and cell.n:
                        assert cell.n == row["n"]
                        assert cell.small == row["small"]
                        seen += cell.value is not None
        assert seen > 3


def test_the_columns_of_offsets_have_the_counts_of_breakdown(words, capsys):
    printed = [row for row in rows(capsys, "breakdown", words, "--of", "offset") if row["metric"] == "count"]
    names = list(dict.fromkeys(row["benchmark"] for row in printed))
    for benchmark, found in zip(names, blocks(report(words), "offset").values(), strict=True):
        here = [row for row in printed if row["benchmark"] == benchmark]
        scorers = list(dict.fromkeys(row["scorer"] for row in here if row["n"]))
        charts = {}
        for block in found:
            if isinstance(block, Note) and block.level == "lead":
                scorer = block.text
            elif isinstance(block, Columns):
                charts[scorer] = block
        assert set(charts) == set(scorers)
        for scorer, chart in charts.items():
            own = {row["offset"]: row["value"] for row in here if row["scorer"] == scorer}
            counts = {column.name: column.n for column in chart.columns}
            assert sum(counts.values()) == sum(own.values())
            for name, count in counts.items():
                far = name.startswith(("<", ">"))
                offset = None if name == "missed" else int(name.lstrip("<>="))
                beyond = {at for at in own if at is not None and offset is not None and at * offset >= offset * offset}
                assert count == sum(own.get(at, 0) for at in (beyond if far else {offset}))


def test_the_present_threshold_on_the_curve_has_the_figure_of_metrics(words, capsys):
    told = {
        (row["benchmark"], row["scorer"]): row["value"]
        for row in rows(capsys, "metrics", words)
        if (row["subset"], row["metric"]) == ("average", "f1")
    }
    names = list(dict.fromkeys(key[0] for key in told))
    seen = 0
    for number, found in enumerate(blocks(report(words), "threshold").values()):
        for chart in (block for block in found if isinstance(block, Curve)):
            scorer = chart.title.removeprefix("F1 by threshold, ")
            marks = {tick.words.partition(":")[0]: tick.score for tick in chart.ticks if tick.score is not None}
            present = next(score for words, score in marks.items() if words.startswith("present"))
            assert present == pytest.approx(told[names[number], scorer], abs=1e-12)
            assert marks["best on these"] >= present
            seen += 1
    assert seen >= 3


class Data(HTMLParser):
    """What the elements `data` hold."""

    def __init__(self, page):
        super().__init__()
        self.values, self._open = [], None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self._open = dict(attrs)["value"] if tag == "data" else None

    def handle_data(self, data):
        if self._open is not None:
            self.values.append((self._open, data))
            self._open = None


def test_the_page_has_the_cells(words):
    found = report(words)
    held = Data(found.render("html")).values
    every = [table for anchor in ("board", "breakdown") for these in tables(found, anchor).values() for table in these]
    told = [
        (repr(cell.value), value_text(cell))
        for table in every
        for line in table.rows
        for cell in line
        if isinstance(cell.value, (int, float))
    ]
    assert len(told) > 40
    assert set(told) <= set(held)
    assert all(
        text in {f"{100 * float(value):.1f}", f"{float(value):.4g}", f"{int(float(value)):,}"} for value, text in told
    )
