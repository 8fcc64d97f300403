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
from scoring.formats.reading import chunks as chunking
from scoring.formats.reading.fields import Fields, Layout
from scoring.formats.reading.rows import read_rows
from scoring.formats.results.model_outputs import boxed, message_text, message_texts, model_output, voted, written
from scoring.formats.results.result_format import (
    RESULT_COLUMNS,
    ResultFormat,
    case_id,
    case_id_field,
    first_of_an_id,
    results_frame,
    rewards,
    scorer_field,
    whole_records,
)
from scoring.formats.results.result_registry import result_reader
from scoring.formats.results.reward_lists import number, numbers, reward_bounds, truths
from scoring.formats.results.scorer_names import named_after_folder, scorer_name
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
    facts = [{name: getattr(one, name) for name in one.__struct_fields__} for one in loaded]
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
    @up_to(60, usually=8)
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
        assert told(result_reader(name).load(in_blocks)) == told(result_reader(name).load(at_once))

    run()


@pytest.mark.parametrize("name", SOUND)
def test_rows_of_natural_values_are_not_read_one_by_one(name, tmp_path, monkeypatch):
    monkeypatch.setattr(chunking, "fields_of", None)
    for at, row in enumerate(SOUND[name]):
        path = tmp_path / f"{at}.jsonl"
        path.write_bytes(b"\n".join([json.dumps(row).encode()] * 3))
        rows = read_rows(path)
        assert rows.streamed
        assert [one.read for one in result_reader(name).load(rows)] == [3]
        with pytest.raises(TypeError):
            result_reader(name).load(as_rows([row]))


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
    assert found.rows.schema == RESULT_COLUMNS
    (found,) = NESTED.load(as_rows([{"every": []}]))
    assert (found.read, found.rows.height) == (0, 0)


def test_records_are_on_the_line_of_their_row():
    every = {"every": [{"id": "a", "probs": [0.5]}, {"id": "b"}, {}, 5]}
    (found,) = NESTED.load(as_rows([{"id": "c"}, every]))
    assert found.rows.select("line", "id", "rewards").rows() == [(1, "c", None), (2, "a", [0.5]), (2, "b", None)]
    assert codes(found) == [("error", "no-id", 2), ("error", "broken-row", 2)]
    assert found.read == 5


def test_nothing_escapes():
    @up_to(100, 12)
    @given(rows_near(RESULT))
    def run(values):
        found = FORMAT.load(as_rows(values))
        assert sum(one.read for one in found) == len(values)
        assert all(one.rows.schema == RESULT_COLUMNS for one in found)

    run()


# -- the first of an id


def test_the_first_result_with_an_id_counts_and_a_repetition_of_it_is_harmless():
    numbers = [[1.0, math.nan], [1.0, math.nan], [2.0]]
    rows = results_frame({"line": line, "id": "a", "rewards": one} for line, one in enumerate(numbers, 1))
    kept, findings = first_of_an_id(rows, "s")
    assert kept["line"].to_list() == [1]
    assert [(one.severity, one.line, one.message) for one in findings] == [
        ("note", 2, "the id is that of line 1, and the result is the same"),
        ("error", 3, "the id is that of line 1, and the result is another: the first one counts"),
    ]


def test_results_without_an_id_and_of_other_runs_repeat_nothing():
    rows = results_frame(
        {"line": line, "id": name, "run": line % 2} for line, name in enumerate(["a", "a", None, None])
    )
    assert first_of_an_id(rows, "s")[0].equals(rows)


@given(st.lists(st.tuples(st.sampled_from(["a", "b", None]), st.integers(0, 1), st.sampled_from(["x", "y", None]))))
def test_what_counts_is_the_first_of_its_kind(keys):
    rows = results_frame({"line": at, "id": name, "run": run, "subset": of} for at, (name, run, of) in enumerate(keys))
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
    (found,) = result_reader("rprm_processbench").load(as_rows(rows))
    assert found.rows["subset"].to_list() == ["one", "two"]
    assert ("note", "repeated-id", 3) in codes(found)
    # Nothing but the id joins these.
    (bare,) = result_reader("rprm_processbench").load(as_rows([{**one, "problem": None} for one in rows]))
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


@pytest.mark.parametrize("reader", ["rprm_processbench", "processbench_output"])
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
def test_gold_labels(reader, label, steps, gold, code):
    row = {"id": "a", "problem": "p", "steps": steps, "label": label, "responses": [0.9], "prediction": 1}
    (found,) = result_reader(reader).load(as_rows([row]))
    assert found.rows["gold"].to_list() == [gold]
    assert [one.code for one in found.findings if one.code != "fewer-rewards"] == [code] * (code is not None)


@pytest.mark.parametrize("reader", ["grben_prm", "cached_scores"])
def test_whole_numbers_of_any_size_are_ids_if_they_fit_64_bits(reader, tmp_path):
    path = tmp_path / "a-model.jsonl"
    values = (2**63 - 1, 2**63)
    rows = [{"id": one, "problem_id": one, "gt_label": -1, "probs": [1], "step_scores": [1]} for one in values]
    path.write_text("\n".join(map(json.dumps, rows)))
    (found,) = result_reader(reader).load(read_rows(path))
    assert found.rows["id"].to_list() == [str(2**63 - 1)]
    assert ("error", "no-id", 2) in codes(found)


def test_an_answer_and_what_it_votes_with():
    assert boxed("so \\boxed{0} or \\boxed{ 2 }") == {
        "answer": "so \\boxed{0} or \\boxed{ 2 }",
        "ballot": "2",
        "verdict": 2,
        "reason": None,
    }


@pytest.mark.parametrize(
    ("ballot", "base", "verdict"),
    [
        *(("0", 0, 0), ("-1", 0, -1), ("-2", 0, -2), ("-9", 0, -2), ("+3", 0, 3)),
        *(("1", 1, 0), ("-1", 1, -1), ("0", 1, -2), ("-2", 1, -2)),
    ],
)
def test_verdicts_are_0_based(ballot, base, verdict):
    assert voted(ballot, base) == {"ballot": ballot, "verdict": verdict, "reason": None}


@pytest.mark.parametrize(
    ("ballot", "reason"),
    [
        (None, "the answer has no \\boxed{...}"),
        ("", "the box is empty"),
        ("two", "the box holds no whole number: two"),
        ("2.0", "the box holds no whole number: 2.0"),
        ("x" * 41, f"the box holds no whole number: {'x' * 40}…"),
    ],
)
def test_what_is_no_verdict_has_a_reason(ballot, reason):
    assert voted(ballot, 1) == {"ballot": ballot, "verdict": None, "reason": reason}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((5, "5"), (-1, "-1"), (2.0, "2"), ("words", "words"), ("", "")),
        *((2.5, None), (float("nan"), None), (1e300, None), (10**18, None), (True, None), (None, None), ([1], None)),
    ],
)
def test_what_is_written(value, text):
    assert written(value) == text


def output(**value):
    findings = []
    return model_output(Fields(value, "a.jsonl", 1, 1, findings)), [finding.code for finding in findings]


def said(content, **changes):
    return [{"message": {"role": "assistant", "content": content}, "stop_reason": "stop", **changes}]


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": "words"}, "words"),
        ({"content": ""}, ""),
        ({"content": [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]}, "a\nb"),
        ({"content": [{"type": "text", "text": 5}, 5, {"type": "reasoning", "reasoning": "r"}]}, None),
        ({"content": 5}, None),
        ({}, None),
        ("words", None),
    ],
)
def test_the_text_of_a_message(message, text):
    assert message_text(message) == text
    assert message_texts([message]) == ([] if text is None else [text])


def test_messages_that_are_no_list():
    assert message_texts(None) == message_texts("words") == []


def test_an_attachment_stands_for_its_text():
    message = {"content": "attachment://abc"}
    assert message_text(message, {"abc": "long words"}) == "long words"
    assert message_text(message, {"abc": 5}) == message_text(message) == "attachment://abc"


def test_an_output():
    found, codes = output(choices=said("words"), usage={"input_tokens": 3, "output_tokens": 2})
    assert found == {
        "answer": "words",
        "reasoning": None,
        "finish_reason": "stop",
        "tokens_in": 3,
        "tokens_out": 2,
        "reason": None,
    }
    assert not codes


@pytest.mark.parametrize("tokens", [-1, 2**63, 1.5, True, "3", None])
def test_tokens_that_are_no_number(tokens):
    assert output(choices=said("words"), usage={"input_tokens": tokens})[0]["tokens_in"] is None


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({}, "the model gave no text"),
        ({"choices": [], "error": "filtered"}, "filtered"),
        ({"choices": said(None)}, "the model gave no text"),
        ({"choices": [5]}, "the model gave no text"),
        ({"choices": "words"}, "the model gave no text"),
    ],
)
def test_no_answer_is_a_reason(value, reason):
    found, _ = output(**value)
    assert (found["answer"], found["reason"]) == (None, reason)


def test_an_empty_answer_is_an_answer():
    found, _ = output(choices=said(""))
    assert (found["answer"], found["reason"]) == ("", None)


def test_reasoning_without_a_text_is_an_empty_answer_that_came():
    thoughts = [{"type": "reasoning", "reasoning": "hm"}]
    found, codes = output(choices=said(thoughts, stop_reason="max_tokens"), completion=None)
    assert (found["answer"], found["reasoning"], found["reason"]) == ("", "hm", None)
    assert not codes
    # What failed did not come.
    found, _ = output(choices=said(thoughts), error="filtered")
    assert (found["answer"], found["reason"]) == (None, "filtered")


def test_half_a_character_is_replaced_and_said():
    content = [{"type": "text", "text": "a\ud800"}, {"type": "reasoning", "reasoning": "b\ud800"}]
    found, codes = output(choices=said(content), error="c\ud800")
    assert (found["answer"], found["reasoning"]) == ("a\ufffd", "b\ufffd")
    assert codes == ["lone-surrogate"] * 3
    found, _ = output(choices=[], completion="d\ud800")
    assert found["answer"] == "d\ufffd"


@pytest.mark.parametrize("value", [{"usage": 5}, {"error": 5}, {"choices": said("words", stop_reason=5)}])
def test_what_has_another_type_is_said(value):
    assert output(**value)[1] == ["wrong-type"]


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("some/where/gpt4_eval_results.json", "gpt4"),
        ("reasoneval_wizardmath-7b-v1.1_eval_results.json", "reasoneval_wizardmath-7b-v1.1"),
        ("physics/prm_result/Qwen2.5-Math-PRM-7B_details.jsonl", "Qwen2.5-Math-PRM-7B"),
        ("judge_result.jsonl", "judge"),
        ("judge_results.JSONL", "judge"),
        ("judge_checkpoint.jsonl", "judge"),
        ("judge_error.jsonl", "judge"),
        ("judge_correct.jsonl", "judge"),
        ("judge_checkpoint_results.jsonl", "judge"),
        # Only what follows a name is an ending.
        ("results_of_judge.jsonl", "results_of_judge"),
        ("self_correct_judge.jsonl", "self_correct_judge"),
        ("R-PRM/prm_result.jsonl", "R-PRM"),
        ("judge/results.jsonl", "judge"),
        ("judge/eval_results/samples.json", "judge"),
        ("judge_details/predictions.parquet", "judge"),
        (r"C:\runs\judge\results.jsonl", "judge"),
        ("results.jsonl", "results"),
        ("/results.jsonl", "results"),
        ("./results.jsonl", "results"),
        ("results/prm_result.jsonl", "prm_result"),
        # As if it had been unpacked; an archive is a folder of its members.
        ("a/judge_details.jsonl.gz", "judge"),
        ("judge.arrow.ZST", "judge"),
        ("runs.zip/judge.jsonl", "judge"),
        ("judge.zip/results.jsonl.bz2", "judge"),
        ("https://host/judge.feather", "judge"),
        ("-", "stdin"),
        # A folder says nothing where the file does, whatever the folder is called.
        ("results/mine.jsonl", "mine"),
        ("judge/mine.parquet", "mine"),
        ("judge/mine_results.csv", "mine"),
        ("results/mine.jsonl.gz", "mine"),
        ("judge/my-rewards.csv.zst", "my-rewards"),
        ("judge/amc.jsonl", "amc"),
        # One file a subset, or a shard, is one scorer's.
        ("judge/gsm8k.jsonl", "judge"),
        ("judge/evals/math.jsonl", "judge"),
        ("gsm8k.jsonl", "gsm8k"),
        ("judge/data-00001-of-00002.arrow", "judge"),
        ("judge/omnimath/data-00000-of-00001.arrow", "judge"),
        ("judge/step_rewards.jsonl", "step_rewards"),
        ("judge/rewards.jsonl", "judge"),
        ("judge/model_scores.jsonl", "judge"),
        ("judge/results/rewards.jsonl.gz", "judge"),
        # A dot in a name is no suffix.
        ("hf:someone/Judge-2.5-7B", "Judge-2.5-7B"),
        ("Judge-2.5", "Judge-2.5"),
        ("", ""),
    ],
)
def test_names(source, name):
    assert scorer_name(source) == name


@given(st.text())
def test_any_source_has_a_name(source):
    assert bool(scorer_name(source)) == bool(source)


@pytest.mark.parametrize(
    ("source", "name", "after_folder"),
    [
        ("judge/results.jsonl", "judge", True),
        ("judge/eval_results/samples.json", "judge", True),
        ("judge_details/gsm8k_error.jsonl", "judge", True),
        ("judge/mine.jsonl", "mine", False),
        ("mine/mine.jsonl", "mine", False),
        ("judge/results.jsonl", "called by --name", False),
        ("results.jsonl", "results", False),
        ("results/results.jsonl", "results", False),
    ],
)
def test_a_name_that_is_the_folders_is_known_as_such(source, name, after_folder):
    assert named_after_folder(source, name) is after_folder


@given(st.text())
def test_a_name_is_the_files_or_a_folders(source):
    name = scorer_name(source)
    assert name in source.replace("\\", "/")
    assert not named_after_folder(f"somewhere/{name}/mine.jsonl", "mine")


def fields(value):
    return Fields({"x": value}, "s", 1, 3, [])


def codes_numbers(one):
    return [(finding.severity, finding.code) for finding in one.findings]


def test_numbers():
    one = fields([0.5, 1, -2])
    found = numbers(one, "x")
    assert found == [0.5, 1.0, -2.0]
    assert all(type(value) is float for value in found)
    assert not one.findings


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("0.5", "x is text, not a list of numbers"),
        (0.5, "x is a number, not a list of numbers"),
        ([], "x is empty"),
        ([0.5, None], "x[1] is null"),
        (["0.5"], "x[0] is text"),
        ([[0.5]], "x[0] is a list"),
        ([True], "x[0] is a boolean"),
        ([10**400], "x[0] is a number out of range"),
    ],
)
def test_what_is_no_list_of_numbers_is_said(value, said):
    one = fields(value)
    assert numbers(one, "x") is None
    assert [finding.message for finding in one.findings] == [said]
    assert not one.fatal


def test_absent_numbers_are_said_where_they_are_needed():
    one = fields(None)
    assert numbers(one, "x") is None
    assert not one.findings
    assert numbers(one, "x", required=True) is None
    assert codes_numbers(one) == [("warning", "wrong-type")]


def test_numbers_that_are_not_finite_are_kept_and_said():
    one = fields([0.5, math.nan, -math.inf])
    found = numbers(one, "x")
    assert found[0] == 0.5
    assert math.isnan(found[1])
    assert found[2] == -math.inf
    assert [finding.message for finding in one.findings] == ["2 of 3 numbers of x are not finite, the first is x[1]"]


@pytest.mark.parametrize(("value", "found"), [([True, False], [True, False]), ([1, 0], [True, False]), (None, None)])
def test_truths(value, found):
    one = fields(value)
    assert truths(one, "x") == found
    assert not one.findings


@pytest.mark.parametrize("value", [[], [2], [0.5], [math.nan], ["true"], [None], "true", True])
def test_what_is_no_list_of_truths_is_said(value):
    one = fields(value)
    assert truths(one, "x") is None
    assert codes_numbers(one) == [("warning", "wrong-type")]


@pytest.mark.parametrize("value", [True, None, "1", [1], {}, 10**400])
def test_what_is_no_number(value):
    assert number(value) is None


@pytest.mark.parametrize(
    ("rewards", "expected"),
    [
        ([[0.2, 1.0], None, [0.0]], (0.0, 1.0)),
        ([[-0.1, 0.3]], (-1.0, 1.0)),
        ([[-2.5, 0.3]], (-3.0, 1.0)),
        ([[0.3, 7.2]], (0.0, 8.0)),
        ([[2.5, 7.2]], (2.0, 8.0)),
        ([[math.nan, math.inf, 0.5]], (0.0, 1.0)),
        ([[], [math.nan]], (0.0, 1.0)),
        ([], (0.0, 1.0)),
    ],
)
def test_range(rewards, expected):
    assert reward_bounds(pl.Series(rewards, dtype=pl.List(pl.Float64))) == expected
    flat = [value for row in rewards for value in row or ()]
    assert reward_bounds(pl.Series(flat, dtype=pl.Float64)) == expected
