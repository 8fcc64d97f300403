"""What every declared result format has: reading in blocks equals reading value by value, and the first of an id."""

import json
import math
import random

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import authored
from any_json import rows_near
from broken_rows import as_rows, broken
from scoring.reading import chunks as chunking
from scoring.reading.fields import Fields
from scoring.reading.rows import read_rows
from scoring.reading.typed import Layout
from scoring.results import cached_scores, grben_prm, processbench_output, rprm_processbench
from scoring.results.base import (
    ResultFormat,
    case_id,
    case_id_field,
    first_of_an_id,
    rewards,
    scorer_field,
    whole_records,
)
from scoring.results.catalogue import load_results
from scoring.results.foreign import FOREIGN, foreign_frame
from thoroughness import up_to

SOUND = {
    "grben_prm": [
        {"id": "sums-1", "domain": "sums", "gt_label": 2, "pred_label": 2, "threshold": 0.5, "probs": [0.9, 0.25]},
        {"id": "sums-2", "domain": "sums", "gt_label": -1, "pred_label": -1, "threshold": 0.25, "probs": [1, 0.75]},
        {"id": 3, "domain": "sums", "gt_label": -1, "probs": []},
    ],
    "rprm_processbench": [{**authored.row(3, label=1), "subset": "sums", "responses": [0.9, 0.1], "match": 1}],
    "cached_scores": [
        {"benchmark": "sums", "prm_name": "a", "problem_id": "p", "candidate_index": 1, "step_scores": [0.9, 1]},
        {"benchmark": "sums", "prm_name": "b", "problem_id": 7, "step_scores": [0.9], "n_steps": 2},
        {"problem": "What is 2 + 2?", "response": "Take 2.\nAdd 2.", "step_rewards": [0.9, 0.75]},
    ],
}
RESULT = {"id": "a", "probs": [0.5], "model": "a-prm", "group": "x"}
FORMAT = ResultFormat(
    title="a format",
    layout=Layout(
        {"id": case_id_field(), "probs": rewards(), "model": scorer_field(), "group": scorer_field()},
        name=lambda fields: case_id(fields, "id"),
    ),
    columns={"rewards": pl.col("probs")},
    scorer=pl.col("model"),
    apart={"group": pl.col("group").fill_null("")},
    conclude=lambda results: {"settings": {"group": results.apart["group"]}},
)
NESTED = ResultFormat(
    title="a nested format",
    layout=whole_records(lambda fields: case_id(fields, "id") and {"rewards": fields.value.get("probs")}),
    conclude=lambda _: {},
    unfold=lambda whole: whole.value.get("every", [whole.value]),
)


def told(loaded):
    """Everything that was loaded, as values that can be compared; NaN is NaN."""
    facts = [{name: getattr(one, name) for name in one.__dataclass_fields__} for one in loaded]
    return repr([{**one, "rows": one["rows"].to_dicts(), "settings": dict(one["settings"])} for one in facts])


def codes(foreign):
    return [(finding.severity, finding.code, finding.line) for finding in foreign.findings]


ODD_LINES = [
    b"",
    b"5",
    b"{",
    b'{"id": 1, "id": 2}',
    b"\xff",
    b'{"id": "\xff", "probs": [1.0]}',
    b'{"problem": "\xe2\x80"}',
]


@pytest.mark.parametrize("name", SOUND)
def test_reading_in_blocks_is_reading_value_by_value(name, tmp_path):
    @up_to(60)
    @given(st.lists(st.sampled_from(SOUND[name]) | broken(*SOUND[name]), min_size=1, max_size=12), st.integers(0, 50))
    def run(values, seed):
        draw = random.Random(seed)
        written = [json.dumps(value, ensure_ascii=draw.random() < 0.5) for value in [SOUND[name][0], *values]]
        lines = [value.encode(errors="replace") for value in written]
        lines[1:1] = draw.sample(ODD_LINES, draw.randrange(3))
        lines += draw.sample(ODD_LINES, draw.randrange(3))
        path = tmp_path / "a-model.jsonl"
        path.write_bytes(b"\n".join(lines))
        in_blocks = read_rows(path)
        in_blocks.block_size = draw.choice([64, 400, 10_000])
        at_once = read_rows(path)
        assert at_once.rows
        assert told(load_results(name, in_blocks)) == told(load_results(name, at_once))

    run()


@pytest.mark.parametrize("name", SOUND)
def test_rows_of_natural_values_are_not_read_one_by_one(name, tmp_path, monkeypatch):
    monkeypatch.setattr(chunking, "fields_of", None)
    for at, row in enumerate(SOUND[name]):
        path = tmp_path / f"{at}.jsonl"
        path.write_bytes(b"\n".join([json.dumps(row).encode()] * 3))
        rows = read_rows(path)
        assert rows.streamed
        assert [one.read for one in load_results(name, rows)] == [3]
        with pytest.raises(TypeError):
            load_results(name, as_rows([row]))


def test_scorers_have_their_own_results_and_findings():
    values = [
        {**RESULT, "model": None},
        {**RESULT, "model": "b", "probs": "?"},
        RESULT,
        {**RESULT, "id": None},
        5,
        {**RESULT, "group": "y"},
        {**RESULT, "model": " ", "id": 7},
    ]
    found = FORMAT.load(as_rows(values, source="runs/judge_details.jsonl"))
    assert [(one.name, one.settings["group"], one.read, one.rows.height) for one in found] == [
        ("judge", "x", 3, 2),
        ("b", "x", 1, 1),
        ("a-prm", "x", 2, 1),
        ("a-prm", "y", 1, 1),
    ]
    # What belongs to nobody is told with the first.
    assert codes(found[0]) == [("error", "broken-row", 5)]
    assert codes(found[1]) == [("warning", "wrong-type", 2)]
    assert codes(found[2]) == [("error", "no-id", 4)]


def test_a_source_without_results_is_one_scorer_without_any():
    (found,) = FORMAT.load(as_rows([]))
    assert (found.name, found.read, found.rows.height) == ("a-model", 0, 0)
    assert found.rows.schema == FOREIGN
    (found,) = NESTED.load(as_rows([{"every": []}]))
    assert (found.read, found.rows.height) == (0, 0)


def test_records_are_on_the_line_of_their_row():
    every = {"every": [{"id": "a", "probs": [0.5]}, {"id": "b"}, {}, 5]}
    (found,) = NESTED.load(as_rows([{"id": "c"}, every]))
    assert found.rows.select("line", "id", "rewards").rows() == [(1, "c", None), (2, "a", [0.5]), (2, "b", None)]
    assert codes(found) == [("error", "no-id", 2), ("error", "broken-row", 2)]
    assert found.read == 5


def test_nothing_escapes():
    @given(rows_near(RESULT))
    def run(values):
        found = FORMAT.load(as_rows(values))
        assert sum(one.read for one in found) == len(values)
        assert all(one.rows.schema == FOREIGN for one in found)

    run()


# -- the first of an id


def test_the_first_result_with_an_id_counts_and_a_repetition_of_it_is_harmless():
    numbers = [[1.0, math.nan], [1.0, math.nan], [2.0]]
    rows = foreign_frame({"line": line, "id": "a", "rewards": one} for line, one in enumerate(numbers, 1))
    kept, findings = first_of_an_id(rows, "s")
    assert kept["line"].to_list() == [1]
    assert [(one.severity, one.line, one.message) for one in findings] == [
        ("note", 2, "the id is that of line 1, and the result is the same"),
        ("error", 3, "the id is that of line 1, and the result is another: the first one counts"),
    ]


def test_results_without_an_id_and_of_other_runs_repeat_nothing():
    rows = foreign_frame(
        {"line": line, "id": name, "run": line % 2} for line, name in enumerate(["a", "a", None, None])
    )
    assert first_of_an_id(rows, "s")[0].equals(rows)


@given(st.lists(st.tuples(st.sampled_from(["a", "b", None]), st.integers(0, 1), st.sampled_from(["x", "y", None]))))
def test_what_counts_is_the_first_of_its_kind(keys):
    rows = foreign_frame({"line": at, "id": name, "run": run, "subset": of} for at, (name, run, of) in enumerate(keys))
    kept, findings = first_of_an_id(rows, "s", pl.col("subset"))
    first = [at for at, key in enumerate(keys) if key[0] is None or keys.index(key) == at]
    assert kept["line"].to_list() == first
    assert [one.message for one in findings] == [
        f"the id is that of line {keys.index(key)}, and the result is the same"
        for at, key in enumerate(keys)
        if at not in first
    ]


def test_an_id_may_stand_in_two_subsets_where_the_texts_say_what_is_meant():
    row = {**authored.row(3, label=1), "responses": [0.9, 0.1, 0.8]}
    rows = [{**row, "subset": subset} for subset in ("one", "two", "one")]
    (found,) = rprm_processbench.load(as_rows(rows))
    assert found.rows["subset"].to_list() == ["one", "two"]
    assert ("note", "repeated-id", 3) in codes(found)
    # Nothing but the id joins these.
    (bare,) = rprm_processbench.load(as_rows([{**one, "problem": None} for one in rows]))
    assert bare.rows["subset"].to_list() == ["one"]


# -- ids and labels


@pytest.mark.parametrize(("value", "name"), [(3, "3"), ("3", "3"), (" a ", " a "), ("\ud800", "\ufffd"), (-1, "-1")])
def test_ids(value, name):
    fields = Fields({"id": value}, "s", 1, 1, [])
    assert case_id(fields, "id") == fields.case == name
    assert not fields.fatal


@pytest.mark.parametrize("value", [None, "", "  ", True, 1.5, [], 2**64])
def test_what_names_no_case_is_an_error_where_an_id_is_needed(value):
    fields = Fields({"id": value}, "s", 1, 1, [])
    assert case_id(fields, "id", required=False) is None
    assert not fields.fatal
    assert case_id(fields, "id") is None
    assert fields.fatal


def test_the_first_name_that_is_there_gives_the_id():
    assert case_id(Fields({"rid": 4}, "s", 1, 1, []), "id", "rid") == "4"
    assert case_id(Fields({"id": 3, "rid": 4}, "s", 1, 1, []), "id", "rid") == "3"


@pytest.mark.parametrize("module", [rprm_processbench, processbench_output])
@pytest.mark.parametrize(
    ("label", "steps", "gold", "code"),
    [
        (1, ["a", "b"], 1, None),
        (-1, ["a", "b"], -1, None),
        (2, ["a", "b"], 2, "label-beyond-end"),
        (2, None, 2, None),
        (-2, None, None, "bad-label"),
        ("1", None, None, "wrong-type"),
        (None, None, None, None),
    ],
)
def test_gold_labels(module, label, steps, gold, code):
    row = {"id": "a", "problem": "p", "steps": steps, "label": label, "responses": [0.9], "prediction": 1}
    (found,) = module.load(as_rows([row]))
    assert found.rows["gold"].to_list() == [gold]
    assert [one.code for one in found.findings if one.code != "fewer-rewards"] == [code] * (code is not None)


@pytest.mark.parametrize("module", [grben_prm, cached_scores])
def test_whole_numbers_of_any_size_are_ids_if_they_fit_64_bits(module, tmp_path):
    path = tmp_path / "a-model.jsonl"
    values = (2**63 - 1, 2**63)
    rows = [{"id": one, "problem_id": one, "gt_label": -1, "probs": [1], "step_scores": [1]} for one in values]
    path.write_text("\n".join(map(json.dumps, rows)))
    (found,) = module.load(read_rows(path))
    assert found.rows["id"].to_list() == [str(2**63 - 1)]
    assert ("error", "no-id", 2) in codes(found)
