"""Columns of a user's own file, wherever columns are named: in the shell and in the app."""

import csv
import io
import json

import pytest

from authored import json_lines, rows
from inspector.analyses._columns import axis_of, columns_offered
from inspector.analyses.metrics.metrics import _OF_A_FIGURE
from inspector.cli import main
from inspector.state.case_list.case_rows import FOUND_IN
from inspector.state.case_list.catalogue import OF_CASES, OF_SCORER, catalogue
from inspector.state.filtering.facets import TITLES, offered_facets
from inspector.state.subject import subject
from inspector.widgets.facet_list import FacetList
from opened import inspected, listed, opened
from scoring.data.metadata_columns import RESERVED, metadata_name
from scoring.data.schema import CASES
from scoring.evaluation.evaluated_cases import MEASURES
from scoring.evaluation.scorer_columns import EVERY_COLUMN
from scoring.evaluation.triage_columns import SAID as DTYPES
from scoring.importing.sources import read_source
from scoring.metrics.axes import DERIVED
from scoring.metrics.breakdown import SCHEMA
from scoring.selection.labels import COLUMN
from scoring.selection.loading import load
from scoring.selection.ordering import INSTRUCTIVE
from scoring.selection.query import Query
from screen_text import press, rests, shows, until

ODD = "odd \x1b[31m[bold]'\""
"""A name of a column that could act."""
HERE = metadata_name(ODD.replace("\x1b", "\ufffd"))


def test_every_name_of_ours_is_reserved():
    ours = {*CASES, *EVERY_COLUMN, *MEASURES, *DTYPES, *OF_CASES, *OF_SCORER, *TITLES, *DERIVED, *_OF_A_FIGURE, *SCHEMA}
    assert {*ours, COLUMN, INSTRUCTIVE, FOUND_IN, "steps"} <= RESERVED
    for name in RESERVED:
        assert metadata_name(name) == f"meta.{name}"
        assert metadata_name(metadata_name(name)) == metadata_name(name)


def values():
    """Eight cases, every other one hard, with step rewards beside them."""
    return [
        {
            **one,
            "difficulty": ["easy", "hard"][at % 2],
            "meta": {"year": 2000 + at, "taken": {"from": "a book" if at < 4 else None}},
            "share": at / 8,
            "outcome": "theirs",
            "tokens": [1, 2],
            ODD: f"\x1b]0;{at % 2}\x07",
            "judge": [0.9] * 2 + [0.1 if one["label"] >= 0 else 0.8],
        }
        for at, one in enumerate(rows(8))
    ]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    place = tmp_path_factory.mktemp("own")
    (place / "mine.jsonl").write_bytes(json_lines(values()))
    assert main(["import", "--quiet", str(place / "mine.jsonl"), "-w", str(place / "ws")]) == 0
    return str(place / "ws")


def said(capsys, *words):
    """What a command prints; it must end well."""
    capsys.readouterr()
    assert main(list(words)) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def ids(capsys, root, *words):
    return [one["id"][5:] for one in json.loads(said(capsys, "cases", "-w", root, "--json", *words))["rows"]]


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        ("difficulty = 'hard'", "1357"),
        ("difficulty IN ('easy') AND \"meta.year\" >= 2004", "46"),
        ('"meta.taken.from" IS NULL', "4567"),
        ("share < 0.25", "01"),
        ("\"meta.outcome\" = 'theirs' AND \"judge.outcome\" = 'exact'", "5"),
        (f"\"{HERE.replace(chr(34), 2 * chr(34))}\" LIKE '%1%'", "1357"),
    ],
)
def test_conditions(root, capsys, condition, kept):
    assert "".join(ids(capsys, root, "--where", condition)) == kept


def test_orders_columns_and_every_form_of_a_file(root, capsys):
    assert ids(capsys, root, "--sort", "meta.year:desc")[:2] == ["7", "6"]
    assert ids(capsys, root, "--sort", "year")[:2] == ["0", "1"]
    (first, *_) = json.loads(said(capsys, "cases", "-w", root, "--json", "--columns", "id,share,meta.outcome"))["rows"]
    assert first == {"id": "sums-0", "share": 0.0, "meta.outcome": "theirs"}
    (first, *_) = csv.DictReader(io.StringIO(said(capsys, "cases", "-w", root, "--csv")))
    assert (first["difficulty"], first["meta.year"], first[HERE]) == ("easy", "2000", "\x1b]0;0\x07")
    assert "\x1b" not in said(capsys, "cases", "-w", root, "--columns", HERE)


def test_axes_of_breakdowns_and_groups_of_metrics(root, capsys):
    told = json.loads(said(capsys, "breakdown", "-w", root, "--rows", "difficulty", "--cols", "meta.year", "--json"))
    cells = {(row["difficulty"], row["meta.year"]): row for row in told["rows"] if row["metric"] == "step_accuracy"}
    assert cells["hard", "2003"]["n"] == 1
    assert len(ids(capsys, root, "--where", cells["hard", "all"]["where"])) == 4
    told = json.loads(said(capsys, "metrics", "-w", root, "--by", "difficulty", "--json"))
    assert {row["difficulty"] for row in told["rows"]} == {"easy", "hard"}


def test_exported_cases_come_back_with_their_columns(root, tmp_path, capsys):
    path = tmp_path / "again.jsonl"
    said(capsys, "export", "cases", "-w", root, "--to", "processbench", "-o", str(path))
    (found,) = read_source(str(path)).imported
    there = load(Query(workspace=root)).loaded.metadata
    assert found.metadata.columns == list(there.schema)
    for name in there.schema:
        assert found.metadata[name].equals(there.column(name), null_equal=True)


def test_show_tells_them(root, capsys):
    told = json.loads(said(capsys, "show", "sums-5", "-w", root, "--json"))
    assert told["provenance"]["metadata"]["difficulty"] == "hard"


@pytest.mark.parametrize(
    "words",
    [
        ("cases", "--where", "tokens = 1"),
        ("cases", "--sort", "tokens"),
        ("cases", "--columns", "tokens"),
        ("breakdown", "--rows", "tokens"),
        ("metrics", "--by", "tokens"),
    ],
)
def test_a_column_that_was_left_out_says_why(root, capsys, words):
    assert main([words[0], "-w", root, *words[1:]]) == 2
    assert "left it out: it holds lists" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("condition", "fault"),
    [
        ("dificulty = 'hard'", 'did you mean "difficulty"?'),
        ("meta.year = 2001", 'write "meta.year", in double quotes'),
        ("difficulty = hard", "there is no column 'hard'"),
        ("outcome = 'x'", 'did you mean "meta.outcome"'),
    ],
)
def test_what_is_wrong_with_a_condition(root, capsys, condition, fault):
    assert main(["cases", "-w", root, "--where", condition]) == 2
    assert fault in capsys.readouterr().err


def test_the_report_names_every_column(tmp_path, capsys):
    (tmp_path / "mine.jsonl").write_bytes(json_lines(values()))
    told = said(capsys, "import", str(tmp_path / "mine.jsonl"), "-w", str(tmp_path / "ws"))
    assert "kept as metadata: difficulty, meta.year, meta.taken.from, share, outcome (here meta.outcome)" in told
    assert "left out, it holds lists: tokens (numbers a step: --rewards COLUMN takes them)" in told
    assert "\x1b" not in told


async def test_in_the_app_one_is_a_facet_a_column_an_axis_and_a_fact(root):
    async with opened(Query(workspace=root), size=(80, 24)) as pilot:
        await press(pilot, "g", "l", "f")
        await until(pilot, lambda: pilot.app.screen.query(FacetList))
        await press(pilot, "end")
        await shows(pilot, "difficulty", "meta.year")
        offered = {one.column: one for one in offered_facets(inspected(pilot))}
        assert {"difficulty", "meta.year", "meta.taken.from", HERE} <= offered.keys()
        assert "share" not in offered
        assert {"difficulty", "meta.year", HERE} <= {*columns_offered(subject(inspected(pilot)), "processbench")}
        assert {"difficulty", "share", HERE} <= {entry.key for entry in catalogue(inspected(pilot)) if entry.listable}
        assert axis_of(subject(inspected(pilot)), "difficulty").values == ("easy", "hard")
        await press(pilot, "tab", "colon", *"diff", "tab", "=", "space", *"'ha", "tab", "enter")
        await shows(pilot, "4 of 8 cases", "\"difficulty\" = 'hard'")
        assert listed(pilot) == [f"processbench/sums-{at}" for at in (1, 3, 5, 7)]
        await press(pilot, "enter", "end")
        text = await rests(pilot, "difficulty hard")
        assert "\x1b" not in text
