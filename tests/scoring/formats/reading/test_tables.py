"""The columns of a table give what its rows give, read value by value; and only odd rows are read so."""

import datetime as dt

import polars as pl
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import authored
from benchmark_rows import grben, mrmath, stepwise
from modified import row as modified
from scoring.formats.benchmarks.benchmark_registry import case_format
from scoring.formats.reading import chunks as chunking
from scoring.formats.reading import fields
from scoring.formats.reading.chunks import chunks
from scoring.formats.reading.metadata import MetadataCollector
from scoring.formats.reading.rows import Rows, read_rows, table_rows
from scoring.formats.tables import results, table
from scoring.formats.tables.column_mapping import ColumnMapping
from thoroughness import up_to

SOUND = {
    "processbench": {**authored.row(3, label=1, final_answer_correct=False), "subset": "sums"},
    "prmbench": modified(3, "redundency", subject="sums", ground_truth="6"),
    "socratic": modified(3, "regather_imprecision", idx="sums#3"),
    "stepwise": {**stepwise(), "generator": "a-model", "subset": "sums", "origin": "authored"},
    "grben": grben(),
    "mrmath": mrmath(),
}
RESULTS = ColumnMapping(id="id", rewards={"a": "rewards", "b": "^b$"}, verdicts={"c": "verdict"}, subset="meta.subset")
CASES = ColumnMapping(
    benchmark="sums",
    **{name: name for name in ("id", "problem", "steps", "earliest_error", "step_labels", "subset", "agreement")},
    final_answer_correct="answer",
)
TABLE_ROW = {
    "id": "sums-3",
    "rewards": [0.5, 1.0],
    "^b$": [0.25],
    "verdict": -1,
    "meta.subset": "x",
    "problem": "Why?",
    "steps": ["a", "b"],
    "earliest_error": 1,
    "step_labels": [True, False],
    "subset": "s",
    "agreement": 0.5,
    "answer": True,
}
TEXTS = ["a", "", " ", "\u2003x", "a\x07b", "\u202e", "é", "3", "-1", "null", '["a", "b"]', "true", "[0.5, 2]", "1e9"]
TEXT = st.sampled_from(TEXTS)
WHOLE = st.sampled_from([0, -1, 1, 2, -2, 7, 2**31, -(2**31), 2**31 - 1, 2**62])
SMALL = st.integers(-2, 5)
FLOAT = st.sampled_from([0.0, 1.0, -1.0, 0.5, 2.5, float("nan"), float("inf"), -float("inf"), 1e300])
TRUTH = st.booleans()


def listed(values):
    return st.lists(values | st.none(), max_size=3)


VALUES = {
    pl.String(): TEXT,
    pl.Categorical(): TEXT,
    pl.Enum(TEXTS): TEXT,
    pl.Int64(): WHOLE,
    pl.Int8(): SMALL,
    pl.UInt64(): st.sampled_from([0, 1, 2, 2**31, 2**64 - 1]),
    pl.Float64(): FLOAT,
    pl.Float32(): st.sampled_from([0.5, 0.1, 1.0, float("nan")]),
    pl.Boolean(): TRUTH,
    pl.Null(): st.none(),
    pl.Binary(): st.sampled_from([b"", b"\xff"]),
    pl.Date(): st.just(dt.date(2026, 1, 2)),
    pl.List(pl.String()): listed(TEXT),
    pl.List(pl.Categorical()): listed(TEXT),
    pl.List(pl.Int64()): listed(WHOLE),
    pl.List(pl.Int32()): listed(SMALL),
    pl.List(pl.Float64()): listed(FLOAT),
    pl.List(pl.Float32()): listed(st.sampled_from([0.5, 0.1])),
    pl.List(pl.Boolean()): listed(TRUTH),
    pl.List(pl.Null()): listed(st.none()),
    pl.Array(pl.Float64(), 2): st.lists(FLOAT | st.none(), min_size=2, max_size=2),
    pl.Array(pl.String(), 2): st.lists(TEXT, min_size=2, max_size=2),
    pl.List(pl.List(pl.Int64())): listed(listed(SMALL)),
    pl.Struct({"subset": pl.String(), "x": pl.Int64()}): st.fixed_dictionaries({"subset": TEXT, "x": SMALL}),
    pl.List(pl.Struct({"content": pl.String()})): st.lists(st.fixed_dictionaries({"content": TEXT}), max_size=2),
}


@st.composite
def frames(draw, sound):
    """A table: some columns as they should be, but for a few rows, and some of another dtype, or not there."""
    height = draw(st.integers(1, 7))
    base = pl.DataFrame([sound], infer_schema_length=None)
    columns = []
    for name in draw(st.permutations([*base.columns, "extra", "pröblem", "*"])):
        kind = draw(st.integers(0, 9))
        there = name in base.columns
        if kind == 0 or (not there and kind < 5):
            continue
        dtype = draw(st.sampled_from(list(VALUES))) if kind == 1 or not there else base.schema[name]
        if dtype not in VALUES:
            values = [sound[name]] * height
        else:
            usual = st.just(sound[name]) if there and dtype == base.schema[name] else VALUES[dtype]
            odd = VALUES[dtype] | st.none()
            values = draw(st.lists(st.one_of(usual, usual, usual, odd), min_size=height, max_size=height))
        columns.append(pl.Series(name, values, dtype=dtype, strict=False))
    if not columns or draw(st.booleans()):
        columns = [one for one in columns if one.name != "id"]
        columns.append(pl.Series("id", [f"sums-{number}" for number in range(height)]))
    return pl.DataFrame(columns)


def told(findings):
    return [(one.line or 0, one.severity, one.code, one.message, one.case) for one in findings]


def both(frame):
    """The table, in several pieces as files are read, and its rows one by one."""
    pieces = pl.concat([*frame.iter_slices(2)], rechunk=False)
    return Rows("a-table", "Parquet", table=pieces), Rows("a-table", "Parquet", table_rows(frame), read=frame.height)


def layouts():
    yield "results", TABLE_ROW, results.result_layout(RESULTS, RESULTS)
    for name, sound in SOUND.items():
        yield name, sound, case_format(name).layout


LAYOUTS = {name: (sound, layout) for name, sound, layout in layouts()}


@pytest.mark.parametrize("name", LAYOUTS)
@up_to(300, usually=5, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), size=st.sampled_from([1, 2, 100]))
def test_columns_give_what_rows_give(monkeypatch_size, name, data, size):
    sound, layout = LAYOUTS[name]
    frame = data.draw(frames(sound))
    monkeypatch_size(size)
    by_columns, by_rows = both(frame)
    parts = list(chunks(by_columns, layout, lambda chunk: chunk))
    (whole,) = chunks(by_rows, layout, lambda chunk: chunk)
    found = pl.concat([one.frame for one in parts])
    assert found.schema == whole.frame.schema
    # What is made of rows that are read value by value is null in the others.
    keys = layout.row_keys()
    counted = [field for field in layout.fields if keys.get(field) not in sound]
    # What calls a row may be made of several fields where it is read value by value.
    counted += [field for field, one in layout.fields.items() if one.read is fields.name_of]
    assert repr(found.drop(counted).rows()) == repr(whole.frame.drop(counted).rows())
    findings = [finding for one in parts for _, finding in one.findings]
    assert told(findings) == told([finding for _, finding in whole.findings])
    assert sum(one.read for one in parts) == whole.read == frame.height
    held = [row for one in parts for row in one.rows(one.frame[fields.NUMBER], lambda _: "all")]
    made_of = set(keys.values())
    for row, other in zip(held, whole.rows(whole.frame[fields.NUMBER], lambda _: "all"), strict=True):
        assert repr({key: row.get(key) for key in other if key not in made_of}) == repr(
            {key: value for key, value in other.items() if key not in made_of}
        )


@pytest.fixture(scope="module")
def monkeypatch_size():
    """Set how many rows of a table are looked at together."""
    with pytest.MonkeyPatch.context() as patch:
        yield lambda size: patch.setattr(chunking, "_TABLE_ROWS", size)


@pytest.mark.parametrize("name", SOUND)
@up_to(80, usually=4, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_cases_of_a_table_are_those_of_its_rows(name, data):
    by_columns, by_rows = both(data.draw(frames(SOUND[name])))
    assert_same_cases(case_format(name).load(by_columns), case_format(name).load(by_rows))


@up_to(200, usually=6, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_cases_by_a_mapping_are_those_of_rows(data):
    frame = data.draw(frames(TABLE_ROW))
    named = {name: column for name, column in CASES.named if column in frame.columns}
    mapping = ColumnMapping(benchmark="sums", **named)
    if mapping.problem is None or mapping.steps is None:
        return
    by_columns, by_rows = both(frame)
    assert_same_cases(table.load(by_columns, mapping), table.load(by_rows, mapping))


@up_to(200, usually=6, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_results_by_a_mapping_are_those_of_rows(data):
    frame = data.draw(frames(TABLE_ROW))
    columns = {name: column for name, column in RESULTS.rewards.items() if column in frame.columns}
    if not columns or "id" not in frame.columns:
        return
    mapping = ColumnMapping(id="id", rewards=columns)
    for one, other in zip(*(results.results(rows, mapping) for rows in both(frame)), strict=True):
        assert repr(one.rows.rows()) == repr(other.rows.rows())
        assert told(one.findings) == told(other.findings)
        assert (one.read, one.low, one.high) == (other.read, other.low, other.high)


def assert_same_cases(one, other):
    assert one.cases.schema == other.cases.schema
    assert repr(one.cases.rows()) == repr(other.cases.rows())
    assert repr(one.twins.rows()) == repr(other.twins.rows())
    assert told(one.findings) == told(other.findings)
    # Columns inside objects stand where the object does, or after all that were seen before.
    columns = sorted(other.metadata.columns)
    assert sorted(one.metadata.columns) == columns
    assert one.metadata.select(columns).schema == other.metadata.select(columns).schema
    assert repr(one.metadata.select(columns).rows()) == repr(other.metadata.select(columns).rows())
    assert (one.read, one.label_base) == (other.read, other.label_base)
    # Of rows none of which is a case nothing is looked at.
    assert not one.cases.height or one.fates == other.fates


@pytest.fixture
def asked(monkeypatch):
    """The rows that are read value by value."""
    seen, real = [], chunking.fields_of
    monkeypatch.setattr(chunking, "fields_of", lambda row, *rest: seen.append(row.line) or real(row, *rest))
    return seen


def test_only_odd_rows_are_read_value_by_value(asked):
    frame = pl.DataFrame({"id": [f"x-{at}" for at in range(50)], "rewards": [[0.5, float(at)] for at in range(50)]})
    odd = [7, 30, 31]
    frame = frame.with_columns(
        rewards=pl.when(pl.int_range(1, 51) == 7)
        .then(pl.lit([0.5, float("nan")]))
        .when(pl.int_range(1, 51).is_in([30]))
        .then(None)
        .otherwise("rewards"),
        id=pl.when(pl.int_range(1, 51) == 31).then(pl.lit("a\x07b")).otherwise("id"),
    )
    (found,) = results.results(Rows("a", "frame", table=frame), ColumnMapping(id="id", rewards={"a": "rewards"}))
    assert asked == odd
    assert found.rows.height == 50
    assert [one.line for one in found.findings if one.code in {"bad-reward", "no-rewards"}] == [7, 30]


@pytest.mark.parametrize("written", ["parquet", "arrow"])
def test_files_with_columns_are_not_read_value_by_value(tmp_path, asked, written):
    frame = pl.DataFrame({"id": [1, 2, 3], "rewards": [[0.5], [0.25, 1.0], [0.75]]}, schema_overrides={"id": pl.UInt16})
    path = tmp_path / f"rows.{written}"
    frame.write_parquet(path) if written == "parquet" else frame.write_ipc(path)
    rows = read_rows(path)
    (found,) = results.results(rows, ColumnMapping(id="id", rewards={"a": "rewards"}))
    assert found.rows["id"].to_list() == ["1", "2", "3"]
    assert found.rows["rewards"].to_list() == frame["rewards"].to_list()
    assert asked == []


def test_the_sample_of_a_table_is_spread_over_all_of_it():
    frame = pl.DataFrame({"at": range(10_000)})
    values = [row["at"] for row in Rows("a", "frame", table=frame).sample()]
    assert values[:500] == list(range(500))
    assert len(values) < 1100
    assert max(values) > 9900
    assert values == sorted(set(values))
    assert [row["at"] for row in Rows("a", "frame", table=frame[:7]).sample()] == list(range(7))


def test_every_column_of_a_table_is_seen_in_its_order():
    found = MetadataCollector(["a"])
    found.see(["z", "a", "b"])
    found.add([{"z": 1, "a": 2, "b": None}])
    _, fates = found.finish()
    assert (list(fates.kept), fates.claimed, list(fates.left_out)) == (["z"], ("a",), ["b"])
