"""A table of JSON Lines read in blocks gives what reading it value by value gives, whatever is in it."""

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from hostile_lines import VALUE, files
from scoring.data.errors import UnknownFormat
from scoring.formats.benchmarks import case_format as base
from scoring.formats.reading.rows import read_rows
from scoring.formats.tables.column_mapping import ColumnMapping
from scoring.formats.tables.results import results
from scoring.formats.tables.table import load
from thoroughness import up_to

SOUND = {
    "name": "sums-1",
    "question": "What is 1 + 1?",
    "parts": ["One.", "Two.", "Three."],
    "first": 1,
    "wrong": [1, 2],
    "marks": [True, False, True],
    "right": False,
    "share": 0.5,
    "subset": "sums",
    "number": 3,
    "meta": {"id": "deep", "part": 2},
    "r": [0.9, 0.25, 0.5],
    "q": [1, 0, 1],
    "v": 2,
    "w": -1,
    "said": "The first error is in step 1: \\boxed{1}",
    "many": ["one answer", "\\boxed{-1}"],
}
CELLS = [
    *("1", " 2.0 ", "-1", "none", "nan", "[1, 2]", '[0.5, "0.5", 1]', "['a']", '["a", "b"]', "a\n\nb", "yes", "0.25"),
    *([1, "2", 0], [0.5, True, 0.25], [0.1, None], [2.0, 1.0], ["right", "wrong"], [0, 1, -1], [[0.5]], {"id": "x"}),
    *([0.1, 10**400], [1e300, 2], [5, 7, 9], [1, 1, 1], [-1], [2, 1, 1], "1e400", 3.0, 10**18, -(10**18), 2**53 + 1),
]
"""What a lenient reader takes, and what it almost takes."""


@pytest.fixture(autouse=True)
def lowered(monkeypatch):
    """Every file counts as large."""
    monkeypatch.setattr(base, "LARGE", 1)


def maybe(column):
    return st.none() | st.just(column)


MAPPINGS = st.builds(
    ColumnMapping,
    id=st.sampled_from(["name", "name", "meta.id", "number", None]),
    problem=st.just("question"),
    steps=st.just("parts"),
    separator=st.sampled_from([None, ". "]),
    earliest_error=st.sampled_from([None, "first", "meta.part"]),
    error_steps=maybe("wrong"),
    step_labels=maybe("marks"),
    label_base=st.sampled_from([None, None, 0, 1]),
    clean=st.sampled_from([None, None, "none", "null", "3", "3.0"]),
    wrong_below=st.sampled_from([None, 0, 0.5]),
    subset=maybe("subset"),
    final_answer_correct=maybe("right"),
    agreement=maybe("share"),
    generator=st.sampled_from([None, "said", 'a "quoted\\ name', "meta.id"]),
)
SCORERS = st.fixed_dictionaries(
    {
        "rewards": st.sampled_from([{}, {"a": "r"}, {"a": "r", "b": "q"}]),
        "verdicts": st.sampled_from([{}, {"c": "v"}, {"c": "v", "d": "w"}, {"c": "meta.part"}]),
        "answers": st.sampled_from([{}, {"e": "said"}, {"e": "many"}]),
    }
).filter(lambda scorers: any(scorers.values()))


def told(findings):
    """Findings in any order within a line."""
    return sorted((one.line or 0, one.severity, one.code, one.message, one.source, one.case or "") for one in findings)


def both(path, size, read):
    """What is read of the file in blocks, and value by value; None where it is not read in blocks anyway."""
    try:
        streamed, whole = read_rows(path), read_rows(path)
    except UnknownFormat:
        return None
    if not streamed.streamed:
        return None
    streamed.block_size = size
    assert whole.rows
    return read(streamed), read(whole)


@up_to(400, usually=12, suppress_health_check=[HealthCheck.too_slow])
@given(
    raw=files(SOUND, VALUE | st.sampled_from(CELLS)), mapping=MAPPINGS, size=st.sampled_from([1, 300, 1000, 100_000])
)
def test_cases_are_the_same_in_blocks_of_any_size(tmp_path_factory, raw, mapping, size):
    path = tmp_path_factory.getbasetemp() / "a-table.jsonl"
    path.write_bytes(raw)
    read = both(path, size, lambda rows: _tried(load, rows, mapping))
    if read is None:
        return
    blocks, whole = read
    if isinstance(whole, str):
        assert blocks == whole
        return
    assert blocks.cases.schema == whole.cases.schema
    assert blocks.cases.to_dicts() == whole.cases.to_dicts()
    assert told(blocks.findings) == told(whole.findings)
    assert (blocks.read, blocks.label_base, blocks.mapping) == (whole.read, whole.label_base, whole.mapping)
    assert blocks.metadata.schema == whole.metadata.schema
    assert blocks.metadata.equals(whole.metadata)
    assert (blocks.fates.kept, blocks.fates.left_out) == (whole.fates.kept, whole.fates.left_out)


@up_to(400, usually=12, suppress_health_check=[HealthCheck.too_slow])
@given(
    raw=files(SOUND, VALUE | st.sampled_from(CELLS)),
    cases=MAPPINGS,
    scorers=SCORERS,
    only_ids=st.booleans(),
    run=st.booleans(),
    size=st.sampled_from([1, 300, 1000, 100_000]),
)
def test_results_are_the_same_in_blocks_of_any_size(tmp_path_factory, raw, cases, scorers, only_ids, run, size):
    path = tmp_path_factory.getbasetemp() / "a-table.jsonl"
    path.write_bytes(raw)
    given_cases = {"id": cases.id or "name"} if only_ids else {name: getattr(cases, name) for name in _OF_CASES}
    if run and not scorers["rewards"]:
        given_cases["run"] = "number"
    mapping = ColumnMapping(**given_cases, **scorers, verdict_base=cases.label_base, clean=cases.clean)
    read = both(path, size, lambda rows: _tried(results, rows, mapping))
    if read is None:
        return
    blocks, whole = read
    if isinstance(whole, str):
        assert blocks == whole
        return
    for one, other in zip(blocks, whole, strict=True):
        assert one.rows.schema == other.rows.schema
        assert one.rows.to_dicts() == other.rows.to_dicts()
        assert told(one.findings) == told(other.findings)
        facts = ("format", "source", "name", "read", "label_base", "kind", "low", "high", "open_base", "settings")
        assert [getattr(one, name) for name in facts] == [getattr(other, name) for name in facts]


_OF_CASES = ("id", "problem", "steps", "earliest_error", "error_steps", "step_labels", "label_base", "subset")


def _tried(read, rows, mapping):
    """What is read, or the refusal in words."""
    from scoring.data.errors import InspectError

    try:
        return read(rows, mapping)
    except InspectError as error:
        return str(error)


def test_a_number_that_means_no_error_is_no_index_in_blocks_either(tmp_path):
    path = tmp_path / "a-table.jsonl"
    path.write_text("".join(f'{{"id": "{at}", "p": "p", "s": ["a", "b"], "first": {at}}}\n' for at in range(4)))
    mapping = ColumnMapping(id="id", problem="p", steps="s", earliest_error="first", label_base=0, clean="3")
    blocks, whole = both(path, 10**6, lambda rows: load(rows, mapping))
    assert blocks.cases["earliest_error"].to_list() == whole.cases["earliest_error"].to_list() == [0, 1, 2, -1]
