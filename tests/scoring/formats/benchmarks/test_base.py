"""Reading in blocks gives what reading value by value gives, whatever is in a file, and reads only odd lines so."""

import math

import polars as pl
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import authored
from authored import json_lines
from benchmark_rows import (
    grben,
    math_shepherd,
    mrmath,
    mrmath_redundant,
    prm800k,
    reasoneval_pair,
    rows_of,
    stepwise,
)
from hostile_lines import files
from imports import import_source
from modified import row as modified
from scoring.data.errors import UnknownFormat, UnwritableWorkspace
from scoring.data.metadata_columns import metadata_name
from scoring.formats.benchmarks import case_format as base
from scoring.formats.benchmarks import demo, prmbench, processbench, socratic
from scoring.formats.benchmarks import grben as gr_ben
from scoring.formats.benchmarks import stepwise as trl
from scoring.formats.benchmarks.benchmark_registry import benchmark_module
from scoring.formats.benchmarks.case_format import OneBased
from scoring.formats.benchmarks.grben import load
from scoring.formats.reading import chunks as chunking
from scoring.formats.reading import fields
from scoring.formats.reading.rows import read_rows
from scoring.importing.sources import ReadOptions, read_source
from thoroughness import up_to

MODULES = {
    "processbench": processbench,
    "prmbench": prmbench,
    "socratic": socratic,
    "stepwise": trl,
    "grben": gr_ben,
    "demo": demo,
}
IDS = {"prmbench": "idx", "socratic": "idx"}
SOUND = {
    "processbench": {**authored.row(3, label=1, final_answer_correct=False), "subset": "sums"},
    "prmbench": modified(3, "redundency", subject="sums", ground_truth="6"),
    "socratic": modified(3, "regather_imprecision", idx="sums#3"),
    "stepwise": {**stepwise(), "generator": "a-model", "subset": "sums", "origin": "authored"},
    "grben": grben(),
    "demo": next(
        row
        for row in demo.read().cases.select("id", *demo.FORMAT.columns, "problem", "steps").to_dicts()
        if row["pattern"] and row["earliest_error"] > 0
    ),
}
NESTED_ROWS = {
    "mrmath": mrmath(),
    "mrmath_redundant": mrmath_redundant(),
    "reasoneval_pairs": reasoneval_pair(),
    "prm800k": prm800k(),
    "math_shepherd": math_shepherd(),
}
"""Rows of formats all of whose rows are read value by value."""


def told(findings):
    """Findings in any order within a line."""
    return sorted((one.line or 0, one.severity, one.code, one.message, one.source, one.case or "") for one in findings)


def in_blocks(path, module, folder, size):
    """The file read some bytes at a time, its texts in files where there is a folder."""
    rows = read_rows(path)
    assert rows.streamed
    rows.block_size = size
    return module.FORMAT.load(rows, folder)


def value_by_value(path, module):
    """The file read as a whole, without the decoder."""
    rows = read_rows(path)
    assert rows.rows
    assert not rows.streamed
    return module.load(rows)


def assert_same(path, module, folder, size):
    """Reading in blocks gives what reading the whole file does; what that gave."""
    whole = value_by_value(path, module)
    blocks = in_blocks(path, module, folder, size)
    cases = pl.concat([blocks.cases, blocks.spilled.texts.frame()], how="horizontal").select(whole.cases.columns)
    assert cases.schema == whole.cases.schema
    assert cases.to_dicts() == whole.cases.to_dicts()
    assert blocks.twins.to_dicts() == whole.twins.to_dicts()
    assert blocks.metadata.schema == whole.metadata.schema
    assert blocks.metadata.equals(whole.metadata)
    assert (blocks.fates.kept, blocks.fates.left_out) == (whole.fates.kept, whole.fates.left_out)
    assert set(blocks.fates.claimed) <= set(whole.fates.claimed)
    assert blocks.fates.uncounted == whole.fates.uncounted
    assert told(blocks.findings) == told(whole.findings)
    assert [one.line or 0 for one in blocks.findings] == [one.line or 0 for one in whole.findings]
    assert (blocks.read, blocks.label_base, blocks.source) == (whole.read, whole.label_base, whole.source)
    assert (blocks.format, blocks.benchmark) == (whole.format, whole.benchmark)
    return whole


def is_json_lines(path):
    """Whether the file is one that is read in blocks."""
    try:
        return read_rows(path).streamed
    except UnknownFormat:
        return False


@pytest.mark.parametrize("name", [*MODULES, *NESTED_ROWS])
@up_to(150, usually=3, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_blocks_of_any_size_give_what_the_whole_file_gives(tmp_path_factory, name, data):
    path = tmp_path_factory.getbasetemp() / "a-file.jsonl"
    path.write_bytes(data.draw(files((SOUND | NESTED_ROWS)[name])))
    folder = tmp_path_factory.getbasetemp() / "spilled"
    if is_json_lines(path):
        assert_same(path, benchmark_module(name), folder, data.draw(st.sampled_from([1, 7, 300, 1000, 100_000])))
    for spilled in folder.glob("*"):
        spilled.unlink()


@pytest.fixture(autouse=True)
def lowered(monkeypatch):
    """Every file counts as large."""
    monkeypatch.setattr(base, "LARGE", 1)


@pytest.fixture
def asked(monkeypatch):
    """The lines that are read value by value."""
    seen, real = [], chunking.fields_of
    monkeypatch.setattr(chunking, "fields_of", lambda row, *rest: seen.append(row.line) or real(row, *rest))
    return seen


@pytest.mark.parametrize("name", MODULES)
def test_only_odd_lines_are_read_value_by_value(tmp_path, asked, name):
    problem, steps = MODULES[name].FORMAT.layout.content[:2]
    odd = {
        "prmbench": {"subject": 5},
        "socratic": {"error_steps": None},
        "stepwise": {"labels": [1, 0, 1]},
        "demo": {"earliest_error": 9.0},
    }.get(name, {"label": 9.0})
    texts = ["\\frac12 \\\\ \\b \\u0007", "é \u2026 \U0001f600", "\u202e turned", "a\x7fb", "\x0c", "fine"]
    sound = {**SOUND[name], "extra": {"a": ['"\\', "é"]}}
    values = [{**sound, IDS.get(name, "id"): f"sums-{number}"} for number in range(14)]
    values[1] |= odd
    values[12] |= odd
    values += [{**sound, IDS.get(name, "id"): f"x-{text}", problem: text} for text in texts]
    values.append({**sound, IDS.get(name, "id"): "x-1", steps: ["a", "", "b", "c", "d"]})
    raw = authored.json_lines(values).split(b"\n")
    raw[4] = raw[4][:-1]
    path = tmp_path / "a-file.jsonl"
    path.write_bytes(b"\n".join(raw))
    whole = assert_same(path, MODULES[name], tmp_path / "spilled", 5 * len(raw[0]))
    assert whole.cases.height == 20
    # First those of the whole file, each of them, then those of the blocks.
    assert asked[20:] == [2, 13, 17, 18, 19, 21]
    assert [one.line for one in whole.findings if one.code == "empty-step"] == [21]


def test_the_first_of_repeated_ids_counts_across_blocks(tmp_path):
    path = tmp_path / "a-file.jsonl"
    path.write_bytes(authored.json_lines(authored.row(number % 4, label=number % 3) for number in range(12)))
    whole = assert_same(path, processbench, tmp_path / "spilled", 500)
    assert whole.cases.height == 4
    assert [one.line for one in in_blocks(path, processbench, None, 500).findings] == list(range(5, 13))


def test_twins_are_those_of_the_first_of_repeated_ids(tmp_path):
    numbers = [0, 1, 2, 0, 1, 3]
    values = [modified(number, "redundency", question=f"Row {at}?") for at, number in enumerate(numbers)]
    values[1] |= {"original_question": None}
    values[3] |= {"original_question": "Another?"}
    path = tmp_path / "a-file.jsonl"
    path.write_bytes(authored.json_lines(values))
    whole = assert_same(path, prmbench, tmp_path / "spilled", 300)
    assert whole.twins.select("id", "twin_of", "line").rows() == [
        (f"correct_sum_{number}", f"prmbench/redundency_sum_{number}", line)
        for number, line in [(0, 1), (2, 3), (3, 6)]
    ]
    # All rows of an array may be on one line.
    array = rows_of(())
    for value in values:
        array.add(value, 1)
    assert prmbench.load(array).twins["problem"].to_list() == whole.twins["problem"].to_list()


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (authored.json_lines(authored.rows(3)), True),
        (b"\xef\xbb\xbf" + authored.json_lines(authored.rows(3)), True),
        (b"\n\n" + authored.json_lines(authored.rows(3)), True),
        (b'{"cut": \n' + authored.json_lines(authored.rows(3)), False),
        (authored.json_lines(authored.rows(3)).decode().encode("utf-16"), False),
        (authored.json_lines(authored.rows(3)).decode().encode("utf-16-le"), False),
        (authored.json_array(authored.rows(3)), False),
        (b"[1]\n" + authored.json_lines(authored.rows(3)), False),
        (b'{"a":\n{}\n}\n{"a":\n{}\n}', False),
        (b"id,label\na,1\nb,2\n", False),
        (b"", False),
        (b"nothing at all", False),
    ],
)
def test_what_is_read_in_blocks(tmp_path, raw, expected):
    path = tmp_path / "a-file.jsonl"
    path.write_bytes(raw)
    assert is_json_lines(path) == expected


@pytest.mark.parametrize("name", MODULES)
def test_a_large_source_comes_with_its_texts_in_files(tmp_path, name):
    path = authored.write(tmp_path / "a-file.jsonl", [SOUND[name]])
    (imported,) = read_source(str(path), ReadOptions(folder=tmp_path / "spilled")).imported
    assert (imported.benchmark, imported.path) == (name, str(path))
    assert len(list((tmp_path / "spilled").glob("*.parquet"))) == 1
    (looked,) = read_source(str(path)).imported
    assert looked.cases.select(imported.cases.columns).equals(imported.cases)


def test_a_check_of_severity_error_leaves_its_rows_out():
    table = rows_of([{"id": f"x-{label}", "problem": "p", "steps": ["s"], "label": label} for label in (0, 7, 8, -1)])
    strict = base.CaseFormat(
        "sums",
        fields.Layout(
            {
                "id": fields.identifier(),
                "problem": fields.text(required=True),
                "steps": fields.solution(),
                "label": fields.whole(),
            },
            content=("problem", "steps"),
        ),
        {"earliest_error": base.first_step("label")},
        lambda read: ("0-based", read.findings),
        checks=[
            base.Check(pl.col("label") > 7, "error", "too-high", pl.lit("it is too high")),
            base.Check(pl.col("label") > 0, "error", "high", pl.lit("it is high")),
        ],
        tallies={"labels": pl.col("label").sum()},
    )
    imported = strict.load(table)
    assert imported.cases["id"].to_list() == ["x-0", "x--1"]
    assert [(one.case, one.code) for one in imported.findings] == [("x-7", "high"), ("x-8", "too-high")]


def test_texts_that_cannot_be_written_are_one_sentence(tmp_path):
    path = authored.write(tmp_path / "a-file.jsonl", authored.rows(3))
    (tmp_path / "taken").write_text("no folder")
    with pytest.raises(UnwritableWorkspace, match="taken"):
        in_blocks(path, processbench, tmp_path / "taken", 1000)


@given(st.lists(st.tuples(st.lists(st.booleans() | st.none(), max_size=5) | st.none(), st.integers(1, 4))))
def test_labels_of_single_steps_become_the_earliest_error_and_all(rows):
    frame = pl.DataFrame(
        {"right": [right for right, _ in rows], "n": [n_steps for _, n_steps in rows]},
        schema={"right": pl.List(pl.Boolean), "n": pl.UInt32},
    )
    earliest, errors = base.labelled(pl.col("right"), pl.col("n"))
    read = frame.select(earliest=earliest, errors=errors).rows()
    for (right, n_steps), (first, wrong) in zip(rows, read, strict=True):
        labels = [*(right or []), *[None] * n_steps][:n_steps]
        named = [step for step, label in enumerate(labels) if label is False]
        complete = None not in labels
        assert first == (named[0] if named else -1 if complete else None)
        assert wrong == (named if complete else None)


def test_problems_have_stable_names():
    names = [base.problem_id(text) for text in ("What is 1 + 1?", "What is 1 + 1?", "What is 1 + 2?", "", "\ud800")]
    assert names[0] == names[1]
    assert len(set(names)) == 4
    assert {len(name) for name in names} == {12}
    frame = pl.DataFrame({"problem": ["What is 1 + 1?", None]})
    assert frame.select(base.problem_ids("problem"))["problem"].to_list() == [names[0], None]


def test_subsets_that_are_called_as_lines_of_several_subsets_are_renamed(tmp_path):
    names = ["all", "gsm8k", "average", "all"]
    rows = [authored.row(number, subset=name) for number, name in enumerate(names)]
    path = authored.write(tmp_path / "some.jsonl", rows)
    imported = processbench.load(read_rows(path))
    assert imported.cases["subset"].to_list() == ["all (subset)", "gsm8k", "average (subset)", "all (subset)"]
    notes = [finding.message for finding in imported.findings if finding.code == "renamed-subset"]
    assert notes == [
        f"the subset {name!r} is called '{name} (subset)': figures of several subsets are called {name!r}"
        for name in ("all", "average")
    ]


def test_objects_under_a_key_that_held_a_list_are_kept_in_later_blocks(tmp_path):
    path = tmp_path / "a-file.jsonl"
    rows = [{**authored.row(number), "meta": {"part": number}} for number in range(9)]
    rows[1]["meta"] = ["a list"]
    whole = assert_same(path.parent / authored.write(path, rows).name, processbench, tmp_path / "spilled", 300)
    assert whole.metadata["meta.part"].to_list() == [0, None, *range(2, 9)]
    assert whole.fates.left_out["meta"]


def test_a_number_beyond_floats_that_nobody_reads_costs_nothing(tmp_path):
    path = tmp_path / "a-file.jsonl"
    line = authored.json_lines([{**authored.row(1), "far": 5}]).decode()
    path.write_text(line + line.replace(": 5", ": 1e400").replace("sums-1", "sums-2"))
    assert assert_same(path, processbench, tmp_path / "spilled", 10**6).metadata["far"].to_list() == [5.0, math.inf]


FURTHER = {"reference_answer": "12", "question": "Why?", "reason": "So.", "original_problem": "How?"}


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_texts_that_a_scorer_may_read_are_read_by_their_names(tmp_path, kind):
    """The format knows none of these keys. They stay metadata, as they were in 0.2."""
    rows = [{"id": f"s-{at}", "problem": f"p{at}", "steps": ["a", "b"], "label": -1, **FURTHER} for at in range(3)]
    rows[1] = {**rows[1], "reference_answer": None}
    path = tmp_path / f"s.{kind}"
    if kind == "jsonl":
        path.write_bytes(json_lines(rows))
    else:
        pl.DataFrame(rows).write_parquet(path)
    imported = import_source(str(path), "processbench")
    for name, text in FURTHER.items():
        texts = ["12", None, "12"] if name == "reference_answer" else [text] * 3
        assert imported.cases[name].to_list() == texts
        kept = imported.metadata[metadata_name(name)]
        assert kept.cast(pl.String).to_list() == texts
    assert [finding for finding in imported.findings if finding.severity != "note"] == []


def test_a_reference_answer_may_be_a_number_and_a_list_is_noted():
    values = [12, 2.5, "2", ["12"], True, None]
    rows = [{"id": str(at), "problem": "p", "steps": ["a"], "label": -1} for at in range(len(values))]
    imported = processbench.load(
        rows_of([{**row, "reference_answer": value} for row, value in zip(rows, values, strict=True)])
    )
    assert imported.cases["reference_answer"].to_list() == ["12", "2.5", "2", None, None, None]
    assert [(finding.severity, finding.line) for finding in imported.findings if finding.code == "wrong-type"] == [
        ("note", 4),
        ("note", 5),
    ]


def test_metadata_columns_are_those_of_the_first_of_repeated_ids(tmp_path):
    rows = [{**authored.row(number), "at": place} for place, number in enumerate([0, 1, 0, 2])]
    whole = assert_same(authored.write(tmp_path / "a-file.jsonl", rows), processbench, tmp_path / "spilled", 300)
    assert whole.metadata["at"].to_list() == [0, 1, 3]


LABEL = OneBased("label")


def read(labels, n_steps=3):
    """What a file with these labels gives, with a step for each of them."""
    return load(rows_of(grben(at, label=label, steps=["s"] * n_steps) for at, label in enumerate(labels)))


def suspected(labels):
    return [(one.severity, one.code, one.message) for one in read(labels).findings if one.code == "label-base"]


def steps(labels):
    return pl.DataFrame({"label": pl.Series(labels, dtype=pl.Int64)}).select(LABEL.step())["label"].to_list()


@given(st.lists(st.integers(-(2**31) + 1, 2**31 - 1) | st.none()))
def test_labels_become_steps(labels):
    assert steps(labels) == [
        None if label is None or label < -1 or label == 0 else label - (label > 0) for label in labels
    ]


def test_the_evidence_is_counted_in_all_labels():
    assert read([1, 2, 3, -1]).label_base == (
        "1-based, -1 = no error (1 labels are 1, 0 are 0, 0 are beyond the last step)"
    )
    assert "(0 labels are 1, 1 are 0, 2 are beyond the last step)" in read([4, 9, 0, None]).label_base


@pytest.mark.parametrize("label", [0, -2, -999])
def test_what_names_no_step_is_null_with_a_warning(label):
    imported = read([1, label])
    assert imported.cases["earliest_error"].to_list() == [0, None]
    assert [(one.severity, one.line) for one in imported.findings if one.code == "bad-label"] == [("warning", 2)]


def test_sound_labels_are_not_suspected():
    for labels in ([1, 2, 3, -1], [2, 3, -1], [2], [-1], [None], [1, 4], [2, 9, -1], [2, 3] * 14):
        assert not suspected(labels)


def test_labels_that_count_from_0_are_flagged():
    ((severity, code, message),) = suspected([0, 1, 2, -1, 0])
    assert (severity, code) == ("warning", "label-base")
    assert "2 labels are 0, which names no step: the labels look 0-based" in message


@pytest.mark.parametrize("clean", [-1, 0])
def test_labels_that_are_one_too_high_are_flagged(clean):
    ((severity, code, message),) = suspected([2, 3, 4, 4, clean])
    assert (severity, code) == ("warning", "label-base")
    assert "no label is 1 and 2 are one beyond the last step" in message


def test_labels_that_never_name_the_first_step_are_noted_where_there_are_many():
    assert not suspected([2] * 29)
    assert [one[:2] for one in suspected([2] * 30)] == [("note", "label-base")]
