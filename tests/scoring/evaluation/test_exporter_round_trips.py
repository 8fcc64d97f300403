"""A case that is written for another program and read again is the same in all that the format holds."""

from hashlib import blake2b

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rows_out
from imports import import_source
from scoring.data.schema import REWARDS
from scoring.evaluation.case_exports import case_lines
from scoring.evaluation.exported_rows import json_line
from scoring.evaluation.reward_exports import reward_lines
from scoring.formats.benchmarks import grben
from scoring.formats.benchmarks.benchmark_registry import benchmark_module
from scoring.formats.benchmarks.own import cases_frame
from scoring.formats.reading.rows import read_rows
from scoring.formats.results.result_registry import recognised, result_reader
from thoroughness import THOROUGH, up_to

WORDS = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=6)
ERROR_TYPES = st.sampled_from(["slip", "redundency", "circular", "knowledge-based"])
SAID = {
    "processbench": ("id", "subset", "generator", "problem", "steps", "earliest_error", "final_answer_correct", "key"),
    "prmbench": (
        *("id", "subset", "problem", "steps", "earliest_error", "error_steps", "error_type", "reason", "key"),
        *("original_problem", "original_steps", "modified_steps", "question", "reference_answer"),
    ),
    "grben": (
        *("id", "subset", "generator", "problem", "steps", "earliest_error", "final_answer_correct", "key"),
        *("error_type", "reason"),
    ),
    "stepwise": ("problem", "steps", "earliest_error", "error_steps", "key"),
}
"""What a row of each benchmark's format says of a case."""
FEW = up_to(40, 4)
FORMATS = {"processbench": "processbench", "prmbench": "prmbench", "grben": "grben", "stepwise": "trl"}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """The path of a file that every example writes anew."""
    return tmp_path_factory.mktemp("rows") / "rows.jsonl"


@st.composite
def a_case(draw, index):
    """One case with every label and text that any of the formats holds, as an importer would have read it."""
    error_type = draw(ERROR_TYPES)
    steps = draw(st.lists(rows_out.texts(), min_size=1, max_size=5))
    places = st.lists(st.integers(0, len(steps) - 1), unique=True).map(sorted)
    errors = draw(places)
    return {
        "id": f"{error_type}_sums-{index}",
        "subset": draw(WORDS),
        "generator": draw(st.none() | rows_out.texts()),
        "problem": draw(rows_out.texts()),
        "steps": steps,
        "earliest_error": min(errors, default=-1),
        "error_steps": errors,
        "error_type": error_type,
        "final_answer_correct": draw(st.none() | st.booleans()),
        # A reason without words is none to a reader.
        "reason": draw(st.none() | rows_out.texts().filter(bool)),
        "original_problem": draw(st.none() | rows_out.texts()),
        "original_steps": draw(st.none() | st.lists(rows_out.texts(), max_size=3)),
        "modified_steps": draw(st.none() | places),
        "question": draw(st.none() | rows_out.texts()),
        "reference_answer": draw(st.none() | rows_out.texts()),
        "line": index + 1,
    }


def frames():
    """Frames of some such cases."""
    cases = st.integers(1, 4).flatmap(lambda n: st.tuples(*[a_case(index) for index in range(n)]))
    return cases.map(lambda rows: cases_frame("bench", "made.jsonl", rows))


def again(path, lines, benchmark):
    """What is read where the lines were written."""
    path.write_bytes(b"".join(json_line(line.value) for line in lines))
    return import_source(str(path), benchmark).cases


def digests(frame):
    """A digest of every step."""
    return [[blake2b(step.encode()).hexdigest() for step in steps] for steps in frame["steps"]]


@given(frame=frames())
@FEW
@pytest.mark.parametrize("benchmark", SAID)
def test_every_column_that_a_format_says_comes_back(path, benchmark, frame):
    found = again(path, case_lines(FORMATS[benchmark], frame), benchmark)
    assert digests(found) == digests(frame)
    assert found.select(SAID[benchmark]).rows(named=True) == frame.select(SAID[benchmark]).rows(named=True)


@pytest.mark.parametrize(
    ("folder", "pattern", "name"), [("processbench", "*.json", "processbench"), ("prmbench", "*.jsonl", "prmbench")]
)
def test_published_files_come_back_whole(path, data_folder, folder, pattern, name):
    files = sorted((data_folder / folder).glob(pattern))
    assert files
    for file in files if THOROUGH else files[::8]:
        frame = import_source(str(file), folder).cases
        lines = list(case_lines(name, frame))
        assert not any(line.notes for line in lines)
        found = again(path, lines, None)
        assert digests(found) == digests(frame)
        assert found.drop("source", "line").equals(frame.drop("source", "line"))


@given(frame=frames())
@FEW
def test_what_is_cut_for_trl_comes_back_up_to_its_only_labelled_error(path, frame):
    frame = frame.with_columns(error_steps=pl.lit(None, pl.List(pl.Int32)))
    found = again(path, case_lines("trl", frame), "stepwise")
    kept = [steps if at < 0 else steps[: at + 1] for steps, at in frame.select("steps", "earliest_error").iter_rows()]
    assert found["steps"].to_list() == kept
    assert found["earliest_error"].to_list() == frame["earliest_error"].to_list()


@given(frame=frames())
@FEW
def test_the_format_is_recognised_from_its_content(path, frame):
    for benchmark, name in FORMATS.items():
        path.write_bytes(b"".join(json_line(line.value) for line in case_lines(name, frame)))
        row = read_rows(path).rows[0].value
        # Cases of other domains and types look like GR-Ben's and are not: --benchmark says that they are meant to be.
        known = row.get("domain") in grben.OFFICIAL or row.get("error_type") in grben.ERROR_TYPES
        expected = [] if benchmark == "grben" and not known else [benchmark]
        assert [other for other in SAID if benchmark_module(other).recognises(row)] == expected


@pytest.mark.parametrize(
    ("name", "subset", "key"),
    [("processbench", "sums", "domain"), ("processbench", "sums", "responses"), ("grben", "physics", "completions")],
)
def test_metadata_does_not_make_rows_those_of_another_format(path, name, subset, key):
    """In rows of GR-Ben's a label of 1 is what it is not in those of ProcessBench's."""
    texts = {"problem": "What is 1 + 1?", "steps": ["One.", "Two."]}
    case = {"id": "a-1", "subset": subset, **texts, "earliest_error": 1, "line": 1}
    (line,) = case_lines(name, cases_frame("bench", "made.jsonl", [case]), pl.DataFrame({key: ["physics"]}))
    assert line.notes == ((f"values of {key} called meta.{key}, since {key} is a key of another format's rows", 1),)
    assert line.value[f"meta.{key}"] == "physics"
    assert again(path, [line], None).select("benchmark", "earliest_error").row(0) == (name, 1)


NUMBERS = st.one_of(st.floats(0, 1), st.sampled_from([0.5, 0.1 + 0.2, 5e-324]), st.floats(-3, 3))


@given(frame=frames(), data=st.data())
@FEW
@pytest.mark.parametrize(("name", "reader"), [("grben", "grben_prm"), ("mr_eval", "mr_eval")])
def test_rewards_come_back_as_they_were(path, name, reader, frame, data):
    lists = [data.draw(st.lists(NUMBERS, min_size=n, max_size=n)) for n in frame["n_steps"]]
    # Two cases may have the same content; a scorer gives them the same rewards.
    of_key = dict(zip(frame["key"], lists, strict=True))
    rewards = pl.DataFrame(
        [{"key": key, "vote": 0, "rewards": values} for key, values in of_key.items()], schema=REWARDS, orient="row"
    )
    lines = list(reward_lines(name, frame, rewards, rows_out.decided(0.5, "<")))
    path.write_bytes(b"".join(json_line(line.value) for line in lines))
    rows = read_rows(path)
    votes = recognised([row.value for row in rows.rows])
    assert votes[reader] == frame.height == max(votes.values())
    (found,) = result_reader(reader).load(rows)
    assert found.rows["id"].to_list() == frame["id"].to_list()
    assert found.rows["rewards"].to_list() == [of_key[key] for key in frame["key"]]
    assert found.kind == "prm"
    if name == "grben":
        assert found.rows["gold"].to_list() == frame["earliest_error"].to_list()
        assert (found.threshold, found.comparison) == (0.5, "<")


def test_a_case_that_mr_eval_marks_invalid_is_read_as_refused(path):
    frame = cases_frame("prmbench", "made.jsonl", [rows_out.labelled(id="slip_1", line=1)])
    refused = pl.DataFrame([{"key": frame["key"][0], "vote": 0, "reason": "over length"}], schema=REWARDS, orient="row")
    lines = reward_lines("mr_eval", frame, refused, rows_out.decided())
    path.write_bytes(b"".join(json_line(line.value) for line in lines))
    (found,) = result_reader("mr_eval").load(read_rows(path))
    assert found.rows["rewards"].to_list() == [None]
    assert found.rows["reason"].null_count() == 0
