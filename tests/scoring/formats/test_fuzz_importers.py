"""Thousands of broken rows for every importer: a row becomes a case or a result, or a finding says what it is.

The rows are drawn by a seeded generator in plain Python, for hypothesis would take minutes over as many.
"""

import copy
import json
import random

import polars as pl
import pytest

from scoring.data.schema import CASES, content_key
from scoring.formats.benchmarks import benchmark_registry as benchmarks
from scoring.formats.benchmarks import demo
from scoring.formats.reading.rows import Rows
from scoring.formats.results import inspect_log
from scoring.formats.results import result_registry as results
from scoring.formats.results.result_format import RESULT_COLUMNS
from scoring.formats.tables import results as table_results
from scoring.formats.tables import table as table_cases
from scoring.formats.tables.column_mapping import ColumnMapping
from thoroughness import THOROUGH
from typical_rows import BENCHMARKS, CASE, RESULTS

ROWS = 10_000 if THOROUGH else 250
BATCH = min(500, ROWS)
ODD = [
    *(None, True, False, 0, 1, -1, -2, 2, 3, 2**31, -(2**31), 2**63, 10**400, 0.0, 0.5, -0.5, 1.0, 2.0, 1e308),
    *(float("nan"), float("inf"), float("-inf"), "", " ", "\n", "1", "-1", "0.5", "None", "true", "[1, 2]", "{}"),
    *(
        "\ud800",
        "\udfff x",
        "\x00",
        "\x1b[31m",
        "\u202e",
        "\u00a0",
        "日本語",
        "\\boxed{1}",
        "\\boxed{",
        "ки",
        "Step 1: ",
    ),
    *("Step 2: b ки\nStep 1: a -", "1" * 5000, "AAAA", "<paragraph_0>", "=1+1", "../../etc", "a" * 2000),
    *(
        [],
        {},
        [[]],
        [None],
        [1],
        [1, 2],
        [-1],
        [0.5, "x"],
        [True, False],
        ["a", ""],
        [{"text": "t"}],
        {"a": {"b": [1]}},
    ),
]
LOG_EVAL = {"model": "a-critic", "task": "t", "dataset": {"name": "d", "location": "d.json"}, "metadata": {}}
LOG_SAMPLES = [
    {
        "id": "sums-1",
        "epoch": 1,
        "target": "1",
        "output": {
            "choices": [{"message": {"role": "assistant", "content": "So \\boxed{1}"}, "stop_reason": "stop"}],
            "usage": {"input_tokens": 9, "output_tokens": 4},
        },
        "scores": {"first": {"value": "C", "answer": "1"}},
        "metadata": {"problem": CASE["problem"], "steps": CASE["steps"], "index_base": 0},
    }
]
DEMO = json.loads(demo.read().cases.head(1).write_json())[0]
SAMPLES = {**BENCHMARKS, "socratic": [{**BENCHMARKS["prmbench"][0], "classification": "regather_imprecision"}]}
SAMPLES["demo"] = [DEMO]
MAPPING = ColumnMapping(
    id="id",
    problem="problem",
    steps="steps",
    earliest_error="label",
    error_steps="wrong",
    final_answer_correct="final_answer_correct",
    agreement="share",
    rewards={"a prm": "rewards"},
    verdicts={"a critic": "answer"},
)
TABLE = [{**CASE, "wrong": [1], "share": 0.5, "rewards": [0.9, 0.1, 0.8], "answer": 1}]


def places(value, holder=None, key=None):
    """(container, key) of every value within, at any depth."""
    if holder is not None:
        yield holder, key
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for inner, one in list(pairs):
        yield from places(one, value, inner)


def odd(draw):
    return copy.deepcopy(draw.choice(ODD))


def broken(sample, draw):
    """A copy of the sample with up to three values replaced, removed, doubled, wrapped or exchanged; or anything."""
    if draw.random() < 0.02:
        return odd(draw)
    row = copy.deepcopy(sample)
    for _ in range(draw.randint(0, 3)):
        found = list(places(row))
        if not found:
            break
        holder, key = draw.choice(found)
        way = draw.randrange(6)
        if way == 0:
            del holder[key]
        elif way == 1:
            holder[key] = [copy.deepcopy(holder[key]) for _ in range(draw.randrange(3))]
        elif way == 2:
            holder[key] = str(holder[key])
        elif way == 3 and isinstance(holder, list):
            holder.append(odd(draw))
        elif way == 4:
            other, name = draw.choice(found)
            holder[key] = copy.deepcopy(other[name])
        else:
            holder[key] = odd(draw)
    return row


def batches(samples, source="a-folder/a-model.jsonl"):
    """Rows of a source, some hundred at a time, their ids mostly their own."""
    draw = random.Random(len(samples))
    for first in range(0, ROWS, BATCH):
        rows = Rows(source, "JSON Lines")
        for number in range(first, first + BATCH):
            value = broken(samples[number % len(samples)], draw)
            for name in ("id", "idx"):
                if isinstance(value, dict) and isinstance(value.get(name), str) and draw.random() < 0.9:
                    value[name] += f"-{number}"
            rows.add(value)
        yield rows


def assert_all_told(rows, lines, findings):
    """Every row is among the lines that became something or has a finding; findings can be written down."""
    told = {*lines, *(one.line for one in findings)}
    lost = [row for row in rows.rows if row.line not in told]
    assert not lost, lost[0]
    for one in findings:
        str(one).encode(errors="strict")


def assert_cases(imported, rows):
    assert imported.read == len(rows.rows)
    for frame in (imported.cases, imported.twins):
        assert frame.schema == CASES
        assert frame["case"].n_unique() == frame.height
        assert frame.filter((pl.col("earliest_error") < -1) | (pl.col("n_steps") < 1)).is_empty()
        for problem, steps, n_steps, key in frame.select("problem", "steps", "n_steps", "key").iter_rows():
            assert n_steps == len(steps)
            assert key == content_key(problem, steps)
    assert_all_told(rows, imported.cases["line"], imported.findings)


def assert_results(loaded, rows):
    assert loaded
    for foreign in loaded:
        assert foreign.rows.schema == RESULT_COLUMNS
        assert foreign.rows.filter(pl.col("verdict") < -2).is_empty()
        said = pl.any_horizontal(
            pl.col("rewards", "redundancy", "labels", "solution", "verdict", "answer", "reason").is_not_null()
        )
        assert foreign.rows.filter(~said).is_empty()
    lines = {line for foreign in loaded for line in foreign.rows["line"]}
    assert_all_told(rows, lines, [one for foreign in loaded for one in foreign.findings])


def test_every_importer_is_here():
    assert SAMPLES.keys() == benchmarks.MODULES.keys()
    assert RESULTS.keys() == results.FORMATS.keys()


@pytest.mark.parametrize("name", benchmarks.MODULES)
def test_benchmarks(name):
    module = benchmarks.benchmark_module(name)
    for rows in batches(SAMPLES[name]):
        assert all(isinstance(module.recognises(row.value), bool) for row in rows.rows)
        assert_cases(module.load(rows), rows)


@pytest.mark.parametrize("name", results.FORMATS)
def test_results(name):
    reader = results.result_reader(name)
    for rows in batches(RESULTS[name]):
        assert all(isinstance(reader.recognises(row.value), bool) for row in rows.rows)
        loaded = reader.load(rows)
        # Of a whole log's samples a line is the number.
        assert_results(loaded, rows if name != "inspect_log" else Rows(rows.source, rows.format))


def test_samples_of_a_log():
    header = RESULTS["inspect_log"][0]
    for rows in batches(LOG_SAMPLES):
        foreign = inspect_log.log_answers(header, [row.value for row in rows.rows], rows.source, [])
        assert foreign.read == BATCH
        # None stands for a sample that was found broken before it came here.
        sound = [row for row in rows.rows if row.value is not None]
        assert_results([foreign], Rows(rows.source, rows.format, sound, rows.findings, rows.read))


def test_headers_of_a_log():
    header = {**RESULTS["inspect_log"][0], "eval": LOG_EVAL, "plan": {"config": {"temperature": 0.7, "seed": 1}}}
    draw = random.Random(0)
    for _ in range(ROWS):
        foreign = inspect_log.log_answers(broken(header, draw), [], "logs/a.eval", [])
        assert foreign.name.strip()
        assert foreign.kind == "critic"


def test_tables():
    for rows in batches(TABLE):
        assert_cases(table_cases.load(rows, MAPPING), rows)
        assert_results(table_results.results(rows, MAPPING), rows)
