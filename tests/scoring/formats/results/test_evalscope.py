import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broken_rows import as_rows, assert_sound, broken
from scoring.formats.reading.rows import read_rows
from scoring.formats.results.evalscope import load, recognises
from thoroughness import up_to

PROBLEM = "What is 1 + 1?"
STEPS = ["One and one.", "That makes three."]
TAGGED = "<paragraph_0>\nOne and one.\n</paragraph_0>\n\n<paragraph_1>\nThat makes three.\n</paragraph_1>"
METADATA = {"steps": STEPS, "tagged_response": TAGGED, "final_answer_correct": False}
PROMPT = f"Look at this.\n\n[Math Problem]\n\n{PROBLEM}\n\n[Solution]\n\n{TAGGED}\n\nAnswer in \\boxed{{}}.\n"
ANSWER = "Three is wrong: \\boxed{1}"


def asked(prompt=PROMPT, **changes):
    return [{"role": "user", "content": prompt}, {"role": "assistant", "content": ANSWER, **changes}]


def prediction(index=0, answer=ANSWER, **changes):
    choice = {"message": {"role": "assistant", "content": answer}, "stop_reason": "stop"}
    usage = {"input_tokens": 70, "output_tokens": 9, "total_tokens": 79}
    output = {"model": "a-critic", "choices": [choice], "usage": usage, "error": None}
    sound = {
        "index": index,
        "model": "a-critic",
        "model_output": output,
        "messages": asked(),
        "metadata": METADATA,
    }
    return {**sound, **changes}


def review(index=0, extracted="1", answer=ANSWER, **changes):
    score = {
        "value": {"error_acc": 1.0},
        "extracted_prediction": extracted,
        "prediction": answer,
        "explanation": None,
        "metadata": {},
        "main_score_name": "error_acc",
    }
    sample = {"score": score, "sample_id": index, "group_id": index, "sample_metadata": METADATA}
    sound = {"index": index, "target": "1", "messages": asked(model="a-critic"), "sample_score": sample}
    return {**sound, **changes}


def one(*values, source="reviews/a-folder/process_bench_gsm8k.jsonl"):
    (foreign,) = load(as_rows(values, source))
    return foreign


def codes(foreign):
    return [(finding.severity, finding.code, finding.line) for finding in foreign.findings]


def test_a_prediction_is_an_answer_with_the_texts_it_is_about():
    foreign = one(prediction())
    assert foreign.rows.row(0, named=True) == {
        **dict.fromkeys(foreign.rows.columns),
        "line": 1,
        "id": "0",
        "subset": "gsm8k",
        "problem": PROBLEM,
        "steps": STEPS,
        "vote": 0,
        "run": 0,
        "answer": ANSWER,
        "finish_reason": "stop",
        "tokens_in": 70,
        "tokens_out": 9,
        "ballot": "1",
        "verdict": 1,
    }
    assert (foreign.name, foreign.kind, foreign.benchmark, foreign.read) == ("a-critic", "critic", None, 1)
    assert not foreign.findings


def test_a_review_is_an_answer_with_its_verdict_and_the_gold_label():
    foreign = one(review())
    row = foreign.rows.row(0, named=True)
    assert (row["problem"], row["steps"], row["gold"]) == (PROBLEM, STEPS, 1)
    assert (row["answer"], row["ballot"], row["verdict"], row["reason"]) == (ANSWER, "1", 1, None)
    assert foreign.name == "a-critic"
    assert not foreign.findings


@pytest.mark.parametrize(
    ("extracted", "answer", "verdict", "differs"),
    [
        ("-1", "\\boxed{-1}", -1, False),
        (2, "\\boxed{2}", 2, False),
        ("0", ANSWER, 0, True),
        (None, ANSWER, None, True),
        (None, "Nothing to say.", None, False),
        ("two", "\\boxed{two}", None, False),
        ("-3", "\\boxed{-3}", -2, False),
    ],
)
def test_what_was_extracted_counts_and_is_compared(extracted, answer, verdict, differs):
    foreign = one(review(extracted=extracted, answer=answer))
    assert foreign.rows["verdict"].to_list() == [verdict]
    assert (foreign.rows["reason"].to_list() == [None]) == (verdict is not None)
    assert codes(foreign) == ([("warning", "prediction-differs", 1)] if differs else [])


def test_reasoning_stands_beside_the_answer():
    content = [{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": ANSWER}]
    foreign = one(prediction(answer=content))
    assert foreign.rows.select("reasoning", "answer", "verdict").rows() == [("Hm.", ANSWER, 1)]


def test_an_output_without_text_has_a_reason():
    refused = {"model": "a-critic", "choices": [], "error": "filtered"}
    foreign = one(prediction(model_output=refused), prediction(1, model_output=None))
    assert foreign.rows["reason"].to_list() == ["filtered", "the model gave no text"]


def test_several_answers_about_one_text_are_votes():
    foreign = one(review(0), review(1), review(2, sample_score={**review()["sample_score"], "sample_metadata": None}))
    assert foreign.rows["vote"].to_list() == [0, 1, 0]
    assert foreign.settings["votes"] == 2


@pytest.mark.parametrize("make", [prediction, review])
def test_a_prompt_that_lost_its_backslash_is_said_once_with_how_often(make):
    # As the file has it: a backspace, which JSON writes as a backslash and a b.
    lost = json.loads(json.dumps(asked(PROMPT)).replace("\\\\boxed{}", "\\boxed{}"))
    assert "\x08oxed{}" in lost[0]["content"]
    foreign = one(make(0, messages=lost), make(1), make(2, messages=lost))
    assert codes(foreign) == [("warning", "prompt-lost-backslash", None)]
    assert "2 of 3 rows" in foreign.findings[0].message
    assert foreign.rows["problem"].to_list() == [PROBLEM] * 3


def test_where_no_prompt_is_seen_a_note_says_what_it_was():
    assert codes(one(review(messages=[]), review(1, messages=[]))) == [("note", "prompt-unseen", None)]


def test_an_older_review_has_its_prompt_as_input():
    older = {key: value for key, value in review(input=PROMPT).items() if key != "messages"}
    foreign = one(older)
    assert foreign.rows["problem"].to_list() == [PROBLEM]
    assert foreign.name == "a-folder"
    assert not foreign.findings


def test_metadata_that_was_not_saved_leaves_the_verdict():
    sample = {**review()["sample_score"], "sample_metadata": None}
    foreign = one(review(sample_score=sample), prediction(1, metadata={}))
    assert foreign.rows.select("steps", "problem", "verdict").rows() == [(None, None, 1)] * 2


def test_an_answer_about_something_else_is_no_verdict():
    score = {**review()["sample_score"]["score"], "value": {"acc": 1.0}}
    other = review(messages=[], target="18", sample_score={"score": score, "sample_metadata": {}})
    foreign = one(other, prediction(1, messages=asked("What is 3 * 6?"), metadata={}))
    assert foreign.rows.select("ballot", "verdict", "gold").rows() == [(None, None, None)] * 2
    assert foreign.rows["reason"].null_count() == 0
    assert [code for _, code, _ in codes(foreign)] == ["not-processbench"] * 2


def test_two_models_are_two_scorers_and_totals_are_right():
    rows = as_rows([prediction(), prediction(1, model="another"), 5, prediction(2)])
    first, second = load(rows)
    assert (first.name, first.read, first.rows.height) == ("a-critic", 3, 2)
    assert (second.name, second.read, second.rows.height) == ("another", 1, 1)
    assert codes(first) == [("error", "broken-row", 3)]


def test_recognition():
    assert recognises(prediction())
    assert recognises(review())
    assert not recognises({"index": 1})
    assert not recognises({**review(), "sample_score": 1})
    assert not recognises(None)


def test_a_file(tmp_path):
    path = tmp_path / "process_bench_math.jsonl"
    path.write_text("".join(json.dumps(review(number)) + "\n" for number in range(3)))
    (foreign,) = load(read_rows(path))
    assert foreign.rows["line"].to_list() == [1, 2, 3]
    assert foreign.rows["subset"].to_list() == ["math"] * 3


@up_to(100, 12)
@given(st.lists(broken(prediction(), review(), review(input=PROMPT, messages=None)), max_size=4))
def test_hostile_rows_give_findings_and_no_exception(values):
    for value in values:
        recognises(value)
    assert_sound(load(as_rows(values)), len(values))
