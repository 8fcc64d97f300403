"""Bad values in every place of every format: the command ends, and the other rows are imported."""

import gzip
import io
import json
import zipfile

import polars as pl
import pytest

from inspector.cli import main
from scoring.data.errors import LONGEST_MESSAGE, NotJoined
from scoring.formats.reading.chunks import chunks
from scoring.formats.reading.fields import Layout, identifier, read_by
from scoring.formats.reading.rows import Rows
from scoring.formats.reading.text_rows import without_surrogates
from scoring.formats.tables.column_mapping import ColumnMapping
from scoring.importing.batch import ImportOptions, read_sources
from scoring.workspace.workspace import Workspace

GOOD = 6
"""Good rows around the bad one."""
DEEP = "[" * 3000 + "]" * 3000
MODERATELY_DEEP = "[" * 400 + "]" * 400
VALUES = {
    "half a character": r'"\ud800"',
    "halves": r'"a\udfff\ud83d b"',
    "NUL": r'"\u0000"',
    "carriage return": r'"a\rb"',
    "byte order mark": r'"\ufeff"',
    "control characters": r'"\u001b[31m\u202e"',
    "more than 64 bits": str(2**64),
    "hundreds of digits": "1" + "0" * 400,
    "thousands of digits": "1" * 5000,
    "NaN": "NaN",
    "infinity": "-Infinity",
    "beyond floats": "1e400",
    "list": "[1]",
    "halves in a list": r'["\ud800", {"\ud800": "\udfff"}]',
    "object": '{"a": 1}',
    "repeated key": '{"a": 1, "a": 2}',
    "truth value": "true",
    "null": "null",
    "empty": '""',
    "deep": DEEP,
    "rather deep": MODERATELY_DEEP,
    "long": json.dumps("y" * 300_000),
    "list in a text": r'"[\"\\ud800\"]"',
}
CASES = {"id": "c", "problem": "p", "steps": ["a", "b"], "label": 0, "generator": "g", "extra": {"key": "x"}}
RESULTS = {"id": "c", "model": "a-prm", "rewards": [0.9, 0.1], "extra": {"key": "x"}}
FLAGS = ("--id", "id", "--rewards", "rewards", "--scorer-column", "model", "--benchmark", "processbench")
COLUMNS = ColumnMapping(id="id", rewards={"rewards": "rewards"}, scorer="model")
PLACES = {
    "row": (CASES, ()),
    "case id": (CASES, ("id",)),
    "problem": (CASES, ("problem",)),
    "step": (CASES, ("steps", 1)),
    "label": (CASES, ("label",)),
    "metadata": (CASES, ("extra", "key")),
    "row of results": (RESULTS, ()),
    "result id": (RESULTS, ("id",)),
    "scorer's name": (RESULTS, ("model",)),
    "reward": (RESULTS, ("rewards", 0)),
    "rewards": (RESULTS, ("rewards",)),
    "beside results": (RESULTS, ("extra", "key")),
}


def row(sample, name):
    """Make a row of a case or of results with this id."""
    return {**sample, "id": name} | ({"problem": f"problem of {name}"} if "problem" in sample else {})


def with_value(sample, path, name, raw):
    """Write a row with a raw value of JSON in the place at the path; () is the row itself."""
    if not path:
        return raw
    value = json.loads(json.dumps(row(sample, name)))
    holder = value
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = "(value)"
    return json.dumps(value).replace('"(value)"', raw)


def zipped(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return buffer.getvalue()


WRITERS = {
    "lines.jsonl": lambda rows: "\n".join(rows).encode(),
    "array.json": lambda rows: ("[" + ",\n".join(rows) + "]").encode(),
    "lines.jsonl.gz": lambda rows: gzip.compress("\n".join(rows).encode()),
    "lines.zip": lambda rows: zipped(**{"lines.jsonl": "\n".join(rows)}),
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """A workspace with the cases that good results are of."""
    folder = tmp_path_factory.mktemp("cases")
    (folder / "cases.jsonl").write_text("\n".join(json.dumps(row(CASES, f"c{number}")) for number in range(GOOD)))
    assert main(["import", "processbench", str(folder / "cases.jsonl"), "-q", "-w", str(folder / "w")]) == 0
    return Workspace.open(folder / "w")


def told(findings):
    return {finding.line for finding in findings}


@pytest.mark.parametrize("file", WRITERS)
@pytest.mark.parametrize("place", PLACES)
def test_a_bad_value_costs_at_most_its_row(tmp_path, workspace, capsys, place, file):
    sample, path = PLACES[place]
    good = [json.dumps(row(sample, f"c{number}")) for number in range(GOOD)]
    bad = [with_value(sample, path, f"bad {name}", raw) for name, raw in VALUES.items()]
    source = tmp_path / file
    source.write_bytes(WRITERS[file]([*good[:3], *bad, *good[3:]]))
    if sample is CASES:
        batch = read_sources([str(source)], ImportOptions(benchmark="processbench"), None, None)
        kept = set(batch.imported[0].cases["id"])
        cases = batch.imported[0].cases
        # In an array, a broken element takes what is no object behind it along: it is not known where it ends.
        unknown = place == "row" and file == "array.json"
        assert unknown or {*range(4, 4 + len(bad))} <= {*cases["line"], *told(batch.imported[0].findings)}
        words = ["processbench", str(source), "-w", str(tmp_path / "new")]
    else:
        options = ImportOptions(columns=COLUMNS, join_to="processbench")
        batch = read_sources([str(source)], options, workspace, None)
        votes = pl.concat([joined.rewards["case"] for joined in batch.joined])
        kept = {case.removeprefix("processbench/") for case in votes.drop_nulls()}
        words = [str(source), "-w", str(workspace.root), *FLAGS, "--dry-run"]
    assert kept >= {f"c{number}" for number in range(GOOD)}
    assert main(["import", *words]) in {0, 1}
    assert max(map(len, capsys.readouterr().out.splitlines())) <= LONGEST_MESSAGE


def test_half_a_character_anywhere_in_a_row_is_one_warning_of_that_row(tmp_path, workspace):
    rows = [
        row(RESULTS, "c0"),
        {**row(RESULTS, "c\ud800"), "model": "a-\udfffprm", "x\ud800": "\ud801"},
        row(RESULTS, "c2"),
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    batch = read_sources([str(tmp_path / "rows.jsonl")], ImportOptions(), workspace, None)
    found = [finding for joined in batch.joined for finding in joined.findings if finding.code == "lone-surrogate"]
    assert [(finding.severity, finding.line) for finding in found] == [("warning", 2)]
    assert sum(joined.joined for joined in batch.joined) == 2


def test_an_id_that_was_repaired_in_a_case_and_in_its_result_joins(tmp_path):
    (tmp_path / "cases.jsonl").write_text("\n".join(json.dumps(row(CASES, f"c{name}")) for name in "ab\ud800"))
    (tmp_path / "results.jsonl").write_text("\n".join(json.dumps(row(RESULTS, f"c{name}")) for name in "ab\ud800"))
    batch = read_sources([str(tmp_path / "cases.jsonl"), str(tmp_path / "results.jsonl")], ImportOptions(), None, None)
    assert [joined.joined for joined in batch.joined] == [3]


@pytest.mark.parametrize("raw", ["[1]", "true", "1.5", '{"a": 1}', "NaN"])
def test_one_broken_id_does_not_hide_the_column_of_ids(tmp_path, workspace, raw):
    lines = [json.dumps(row(RESULTS, f"c{number}")) for number in range(3)]
    (tmp_path / "rows.jsonl").write_text("\n".join([*lines, with_value(RESULTS, ("id",), "", raw)]))
    batch = read_sources([str(tmp_path / "rows.jsonl")], ImportOptions(), workspace, None)
    assert [joined.joined for joined in batch.joined] == [3]


def test_keys_that_become_equal_are_all_kept():
    repaired = []
    keys = dict.fromkeys(map(chr, (0xD800, 0xDFFF)), 1)
    value = without_surrogates({"a": [keys], "b\ud800": "\ud800"}, repaired)
    assert value == {"a": [{"\ufffd": 1, "\ufffd\ufffd": 1}], "b\ufffd": "\ufffd"}
    assert len(repaired) == 4


def test_what_nothing_has_to_be_done_to_stays_the_same_object():
    value = {"a": ["\N{GRINNING FACE}", {"b": None}]}
    assert without_surrogates(value, []) is value


def test_rows_that_are_added_one_by_one_are_repaired_too():
    rows = Rows("a", "rows")
    rows.add({"id": "\ud800"})
    assert [found.value for found in rows.rows] == [{"id": "\ufffd"}]
    assert [finding.code for finding in rows.findings] == ["lone-surrogate"]


def test_a_value_that_no_column_can_store_is_an_error_of_its_row():
    layout = Layout({"id": identifier(), "value": read_by(pl.Int64(), lambda fields, name: fields.value[name])})
    rows = Rows("a", "rows")
    for number, value in enumerate([1, 2**70, "x", None, 3]):
        rows.add({"id": f"{number}", "value": value})
    (chunk,) = chunks(rows, layout, lambda chunk: chunk)
    assert chunk.frame["value"].to_list() == [1, None, 3]
    assert [(number, finding.code) for number, finding in chunk.findings] == [(2, "broken-row"), (3, "broken-row")]


def test_a_scorer_that_belongs_to_no_case_costs_no_other_scorer_of_its_file(tmp_path, workspace):
    rows = [row(RESULTS, "c0"), row(RESULTS, "c1"), {**row(RESULTS, "of no case"), "model": "another"}]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    batch = read_sources([str(tmp_path / "rows.jsonl")], ImportOptions(columns=COLUMNS), workspace, None)
    assert [(joined.results.name, joined.joined) for joined in batch.joined] == [("a-prm", 2)]
    assert len(batch.skipped) == 1
    (tmp_path / "rows.jsonl").write_text(json.dumps(rows[2]))
    with pytest.raises(NotJoined):
        read_sources([str(tmp_path / "rows.jsonl")], ImportOptions(columns=COLUMNS), workspace, None)
