"""Benchmarks of the user's own: one file, or an installed package's module."""

import json
from pathlib import Path

import pytest

import plugged_in
from scoring.data.errors import FrameError, PluginError, UnknownFormat, UsageError
from scoring.formats.benchmarks.own import GROUP
from scoring.formats.tables.column_mapping import ColumnMapping
from scoring.importing.sources import ReadOptions, read_source
from scoring.workspace.workspace import Workspace

EXAMPLE = Path(__file__).parents[3] / "own" / "sums.py"
SOURCE = EXAMPLE.read_text()
ROWS = [
    {"question": "1 + 1?", "lines": ["one and one", "so 3"], "first_wrong": 1},
    {"question": "2 + 2?", "lines": ["so 4"], "first_wrong": -1},
    {"question": "3 + 3?", "lines": [], "first_wrong": -1},
]


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return str(path)


def test_the_example_reads_its_rows(rows, tmp_path):
    (found,) = read_source(rows, ReadOptions(benchmark=str(EXAMPLE))).imported
    assert found.cases.select("case", "earliest_error", "n_steps").rows() == [
        ("sums/rows#1", 1, 2),
        ("sums/rows#2", -1, 1),
    ]
    assert [finding.code for finding in found.findings if finding.severity == "error"] == ["no-steps"]
    assert "read by sums.py (sha256 " in found.findings[0].message
    workspace = Workspace.create(tmp_path / "ws")
    workspace.add([found])
    cases, texts = workspace.cases(["sums"])
    assert (cases.height, texts.row(0)["problem"]) == (2, "1 + 1?")


def test_an_installed_one_is_used_by_name_and_found_by_content(rows, tmp_path, monkeypatch):
    plugged_in.install(tmp_path / "site", monkeypatch, GROUP, {"adding": "plugged_sums"}, {"plugged_sums.py": SOURCE})
    for benchmark in ("adding", None):
        (found,) = read_source(rows, ReadOptions(benchmark=benchmark)).imported
        assert found.benchmark == "sums"
        assert "(mine 1.2)" in found.findings[0].message


DECLARED = EXAMPLE.with_name("lines.py")


def test_a_declared_one_keeps_other_columns_and_takes_rewards_beside_its_own(tmp_path):
    path = tmp_path / "rows.jsonl"
    values = [
        {"id": f"a-{number}", **row, "hard": number == 0, "my-prm": [0.5] * len(row["lines"])}
        for number, row in enumerate(ROWS)
    ]
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    source = read_source(str(path), ReadOptions(benchmark=str(DECLARED)))
    (found,), (scorer,) = source.imported, source.results
    assert found.cases.select("case", "earliest_error", "error_steps").rows() == [
        ("lines/a-0", 1, None),
        ("lines/a-1", -1, []),
    ]
    assert found.metadata.to_dict(as_series=False) == {"hard": [True, False]}
    assert (scorer.name, scorer.rows["id"].to_list()) == ("my-prm", ["a-0", "a-1"])
    assert "read by lines.py (sha256 " in found.findings[0].message


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("name=NAME", "name='other'", "FORMAT is of 'other' and NAME is 'lines'"),
        ("FORMAT = CaseFormat", "FORMAT = dict", "FORMAT is dict and should be CaseFormat"),
        ("FORMAT = ", "OTHER = ", "has no FORMAT, no load"),
        (
            'columns={"earliest_error"',
            'columns={"earliest_eror"',
            r"'earliest_eror', which is not a column of cases \(is it 'earliest_error'\?\)",
        ),
        (
            'content=("question", "lines")',
            'content=("question", "steps")',
            "'steps', which is not a field of the layout",
        ),
    ],
)
def test_what_is_wrong_with_a_declared_one_is_said(rows, tmp_path, old, new, message):
    path = tmp_path / "mine.py"
    path.write_text(DECLARED.read_text().replace(old, new))
    with pytest.raises(PluginError, match=message):
        read_source(rows, ReadOptions(benchmark=str(path)))


FILES = {
    "no name": ("NAME = ", "OTHER = ", "has no NAME"),
    "no load": ("def load", "def other", "has no FORMAT, no load"),
    "taken": ('NAME = "sums"', 'NAME = "processbench"', "is a benchmark that is known here"),
    "path": ('NAME = "sums"', 'NAME = "../sums"', "NAME is '../sums'"),
    "raises": ("    return ByField", "    return 1 / 0 or ByField", r"line \d+, in load\(\): ZeroDivisionError"),
    "none": ("    return ByField", "    return None and ByField", "gives NoneType and should give Imported"),
    "another": (".load(NAME, rows)", ".load('others', rows)", "cases of 'others' and not of 'sums'"),
    "case": ("fields.text(", "fields.txt(", r"line \d+, in load\(\): AttributeError"),
    "import": ("NAME = ", "import nosuchpackage\nNAME = ", "while it was imported"),
}


@pytest.mark.parametrize("what", FILES)
def test_what_is_wrong_is_one_sentence(rows, tmp_path, what):
    old, new, said = FILES[what]
    assert old in SOURCE
    path = tmp_path / "mine.py"
    path.write_text(SOURCE.replace(old, new))
    with pytest.raises(PluginError, match=said):
        read_source(rows, ReadOptions(benchmark=str(path)))


def test_a_frame_with_other_columns_is_refused(rows, tmp_path):
    path = tmp_path / "mine.py"
    end = ".load(NAME, rows)"
    broken = "from msgspec.structs import replace\n\n\ndef load(rows):\n    found = _load(rows)\n"
    broken += '    return replace(found, cases=found.cases.drop("problem"))\n'
    path.write_text(SOURCE.replace("def load(", "def _load(") + broken)
    assert end in SOURCE
    with pytest.raises(FrameError, match="problem"):
        read_source(rows, ReadOptions(benchmark=str(path)))


def test_an_unknown_benchmark_is_named(rows):
    with pytest.raises(UsageError, match="there is no benchmark 'nothing'"):
        read_source(rows, ReadOptions(benchmark="nothing"))


def test_a_file_in_the_place_of_rows_is_told_where_it_goes():
    with pytest.raises(UnknownFormat, match=r"is a Python file\. If it declares a benchmark, name it first") as told:
        read_source(str(EXAMPLE), ReadOptions())
    assert str(told.value).endswith(f"prm-inspect import {EXAMPLE} ROWS.")


def test_labels_that_say_that_nothing_is_wrong_are_not_counted_as_labels(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps({**row, "first_wrong": max(row["first_wrong"], 0)}) + "\n" for row in ROWS[:2]))
    stated = ColumnMapping(problem="question", steps="lines", earliest_error="first_wrong", label_base=1, clean="0")
    (imported,) = read_source(str(path), ReadOptions(columns=stated)).imported
    assert imported.cases["earliest_error"].to_list() == [0, -1]
    assert imported.label_base.startswith("1-based, as stated (0 labels equal the number of steps)")
