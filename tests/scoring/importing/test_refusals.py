"""Layouts that are recognised and not read are refused with their names; right tables are not."""

from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest

from authored import json_lines
from scoring.data.errors import InspectError, UnknownFormat, UsageError
from scoring.formats.tables.column_mapping import ColumnMapping
from scoring.importing.batch import ImportOptions, read_sources
from scoring.importing.sources import read_source

IDS = [f"case-{number}" for number in range(12)]
REWARDS = [[0.9, 0.25, 0.7], [0.8, 0.6]] * 6
A_ROW_A_STEP = [
    f"{name}{{0}}{step}{{0}}{reward}" for name, of in zip(IDS, REWARDS, strict=True) for step, reward in enumerate(of)
]


def lists(write):
    return json_lines([{"id": name, "rewards": write(of)} for name, of in zip(IDS, REWARDS, strict=True)])


def lines(*rows):
    return "\n".join([*rows, ""]).encode()


COMMAS = lines("id;step;score", *(row.format(";").replace(".", ",") for row in A_ROW_A_STEP))
WIDE = lines(
    "id,step_1,step_2,step_3",
    *(f"{name},{of[0]},{of[1]},{of[2] if len(of) > 2 else ''}" for name, of in zip(IDS, REWARDS, strict=True)),
)


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (COMMAS, "decimal commas"),
        (lines("id;rewards", *(f"{name};0,5 0,25" for name in IDS)), "decimal commas"),
        (b"sep=;\n" + COMMAS, "sep=;"),
        (b'\xef\xbb\xbf"sep=,"\r\n' + lines("id,step,score", *(row.format(",") for row in A_ROW_A_STEP)), "sep=,"),
        (lists(lambda of: f"[{', '.join(f'np.float64({value})' for value in of)}]"), "NumPy"),
        (lists(lambda of: f"array({of}, dtype=float32)"), "NumPy"),
        (lists(lambda of: [f"np.float32({value})" for value in of]), "NumPy"),
        (lists(lambda of: f"[{of[0]} {of[1]} ... {of[-1]}]"), "NumPy"),
        (lists(lambda of: f"tensor({of}, device='cuda:0')"), "PyTorch"),
        (lists(lambda of: {f"step_{number}": value for number, value in enumerate(of)}), "step_0 ... step_2"),
        (WIDE, "step_1 ... step_3"),
        (WIDE.replace(b"step_", b""), "1 ... 3"),
    ],
)
@pytest.mark.parametrize("stated", [None, ColumnMapping(rewards={"mine": "rewards"})])
def test_a_layout_that_is_not_read_is_named(tmp_path, content, named, stated):
    (file := tmp_path / "made.any").write_bytes(content)
    if stated is not None and b"rewards" not in content:
        stated = ColumnMapping(rewards={"mine": "score"}) if b"score" in content else None
    with pytest.raises(UnknownFormat) as refused:
        read_sources([str(file)], ImportOptions(columns=stated), None, None)
    assert named in refused.value.sentence


@pytest.mark.parametrize("a_step", [True, False])
def test_decimals_of_a_database_are_named(tmp_path, a_step):
    values = [Decimal("0.500")] * len(IDS)
    frame = pl.DataFrame({"id": IDS, "rewards": values if a_step else [[value] for value in values]})
    frame.write_parquet(tmp_path / "made.parquet")
    with pytest.raises(UnknownFormat, match="decimal128"):
        read_source(str(tmp_path / "made.parquet"))


def test_one_of_several_columns_of_steps_is_no_scorer(tmp_path):
    (file := tmp_path / "wide.csv").write_bytes(WIDE)
    with pytest.raises(UnknownFormat, match="one column a step"):
        read_sources([str(file)], ImportOptions(columns=ColumnMapping(rewards={"mine": "step_1"})), None, None)


@pytest.mark.parametrize("column", ["model", "judge", "seed"])
@pytest.mark.parametrize("sorted_by_scorer", [True, False])
def test_a_row_a_step_of_several_scorers_is_refused(tmp_path, column, sorted_by_scorer):
    pairs = [(row.format(","), name) for row in A_ROW_A_STEP for name in ("1", "2")]
    pairs = sorted(pairs, key=lambda pair: pair[1]) if sorted_by_scorer else pairs
    (file := tmp_path / "steps.csv").write_bytes(lines(f"id,step,score,{column}", *map(",".join, pairs)))
    with pytest.raises(UsageError, match=f"{column!r} names 1, 2"):
        read_sources([str(file)], ImportOptions(), None, None)


def test_numbers_of_another_kind_are_no_layout(tmp_path):
    """Thousands in texts, arrays in prose and numbered columns beside rewards are those of right tables."""
    rows = [
        {"id": name, "rewards": of, "note": "np.array([1]) is 1,000", "price": "1,000", "run_1": 1, "run_2": 2}
        for name, of in zip(IDS, REWARDS, strict=True)
    ]
    (file := tmp_path / "right.jsonl").write_bytes(json_lines(rows))
    (scorer,) = read_source(str(file)).results
    assert scorer.rows["rewards"].to_list() == REWARDS


def instead_of(error):
    return [str(edit) for edit, _ in error.value.instead]


def test_columns_of_other_names_are_proposed_by_what_they_hold(tmp_path):
    def refused(name, content):
        (file := tmp_path / name).write_bytes(content)
        with pytest.raises(InspectError) as error:
            read_source(str(file))
        return instead_of(error)

    assert refused("a.jsonl", lists(list).replace(b'"id"', b'"qid"').replace(b'"rewards"', b'"xs"')) == [
        "--id qid --rewards xs"
    ]
    steps = lines("qid,k,val", *(row.format(",") for row in A_ROW_A_STEP))
    assert refused("b.csv", steps) == ["--id qid --rewards val --step k"]
    assert refused("c.jsonl", json_lines([{"a": 1.5, "b": 2.5}] * 12)) == []


def test_flags_of_another_file_are_told_apart(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.jsonl").write_bytes(json_lines([{"id": name, "one": of} for name, of in zip(IDS, REWARDS, strict=True)]))
    Path("b.jsonl").write_bytes(json_lines([{"id": name, "two": of} for name, of in zip(IDS, REWARDS, strict=True)]))
    stated = ColumnMapping(rewards={"one": "one", "B": "two"})
    with pytest.raises(UsageError) as error:
        read_sources(["a.jsonl", "b.jsonl"], ImportOptions(columns=stated), None, None)
    edits = [edit for edit, _ in error.value.instead]
    assert [(edit.flags, edit.without) for edit in edits] == [
        ("--rewards one", ("b.jsonl", "--rewards")),
        ("--rewards two=B", ("a.jsonl", "--rewards")),
    ]
