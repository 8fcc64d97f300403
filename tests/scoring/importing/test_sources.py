from contextlib import suppress

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from authored import json_array, json_lines, row, rows
from imports import import_source
from scoring.benchmarks import demo
from scoring.errors import InputError, InspectError, UnknownFormat
from scoring.importing.sources import read_source, recognised
from scoring.reading.rows import Rows
from scoring.schema import CASES, content_key


def of(values):
    made = Rows("made.jsonl", "made")
    for value in values:
        made.add(value)
    return made


def test_detection_by_content():
    assert recognised(of(rows(3))) == ("benchmark", "processbench")
    assert recognised(of([demo.read().cases.row(0, named=True)])) == ("benchmark", "demo")


def test_detection_looks_past_rows_that_are_nothing():
    assert recognised(of([*([None] * 300), *rows(300)]))[1] == "processbench"
    assert recognised(of([{"other": 1}, *rows(2), "x"]))[1] == "processbench"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([{"prompt": 1, "answer": 2}, {"more": 3}], "its rows have the keys prompt, answer, more"),
        ([{f"key{n}": 1 for n in range(50)}], "key0, .*key11 and 38 more"),
        ([[1], "x", None], "its rows are no objects"),
    ],
)
def test_nothing_that_is_known_is_one_sentence(processbench_file, values, said):
    assert recognised(of(values)) == ("table", None)
    with pytest.raises(UnknownFormat, match=said):
        read_source(str(processbench_file(json_array(values), "any.json")))


def test_a_named_benchmark_reads_what_detection_would_not(processbench_file):
    unlabelled = processbench_file([row(1, label=...)])
    guessed = import_source(str(unlabelled))
    assert (guessed.benchmark, guessed.cases["earliest_error"].to_list()) == ("sums", [None])
    assert [finding.code for finding in guessed.findings] == ["guessed-columns"]
    assert import_source(str(unlabelled), "processbench").benchmark == "processbench"


def test_a_table_called_after_a_benchmark_is_not_that_benchmark(processbench_file):
    assert import_source(str(processbench_file([row(1, label=...)], "demo.jsonl"))).benchmark == "demo-table"


@pytest.mark.parametrize("name", ["sums.json", "sums.jsonl", "sums.parquet"])
def test_all_forms_give_the_same_cases(processbench_file, name):
    wanted = import_source(str(processbench_file(rows(6), "wanted.jsonl"))).cases.drop("source", "line")
    found = import_source(str(processbench_file(rows(6), name)))
    assert found.cases.drop("source", "line").equals(wanted)
    assert found.source.endswith(name)


SURROGATES = st.text(st.characters(exclude_categories=()), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | SURROGATES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(SURROGATES, inner, max_size=3),
    max_leaves=8,
)
MUTATED = st.fixed_dictionaries(
    {
        "problem": SURROGATES | VALUES,
        "steps": st.lists(SURROGATES, max_size=4) | VALUES,
        "label": st.integers() | VALUES,
    },
    optional={"id": SURROGATES | VALUES, "final_answer_correct": VALUES, "generator": VALUES, "subset": VALUES},
)
DEMO = st.fixed_dictionaries(dict.fromkeys(sorted(demo._KEYS), VALUES))


def assert_cases_or_one_sentence(path):
    """Nothing else may come out, whatever was in the file."""
    with suppress(InputError):
        assert_sound(import_source(str(path)))


def assert_sound(imported):
    assert imported.cases.schema == CASES
    assert imported.cases["case"].n_unique() == imported.cases.height
    assert imported.cases.height <= imported.read
    lost = sum(finding.severity == "error" for finding in imported.findings)
    assert imported.cases.height == imported.read or lost
    for problem, steps, n_steps, key in imported.cases.select("problem", "steps", "n_steps", "key").iter_rows():
        assert n_steps == len(steps) > 0
        assert key == content_key(problem, steps)
    assert imported.cases.filter(pl.col("earliest_error") < -1).is_empty()


@given(st.lists(MUTATED | VALUES | DEMO, min_size=1, max_size=6), st.sampled_from([json_lines, json_array]))
@example([{"problem": "p", "steps": ["s"], "label": 10**400}], json_lines)
@example([{"problem": "\ud800", "steps": ["\x00"], "label": -1, "id": "\udfff"}], json_array)
def test_any_rows_give_cases_or_one_sentence(tmp_path_factory, values, form):
    path = tmp_path_factory.getbasetemp() / "any-rows.json"
    path.write_bytes(form(values))
    assert_cases_or_one_sentence(path)


@given(st.data())
def test_any_damage_to_a_file_gives_cases_or_one_sentence(tmp_path_factory, data):
    raw = bytearray(data.draw(st.sampled_from([json_lines, json_array]))(rows(4)))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 30))] = data.draw(st.binary(max_size=8))
    path = tmp_path_factory.getbasetemp() / "any-damage.json"
    path.write_bytes(raw)
    assert_cases_or_one_sentence(path)


@given(st.text(st.characters(exclude_categories=()), max_size=30))
@example("a\0b")
@example("hf:")
def test_any_name_gives_cases_or_one_sentence(source):
    if source.startswith("hf:") and len(source) > 3:
        return  # hub names have their own tests
    with pytest.raises(InspectError):
        import_source(source)
