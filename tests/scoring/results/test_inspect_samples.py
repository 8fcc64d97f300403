import pytest
from hypothesis import given
from hypothesis import strategies as st

from broken_rows import assert_sound, broken
from scoring.results.inspect_samples import answers

HEADER = {
    "version": 2,
    "status": "success",
    "eval": {
        "task": "find-the-error",
        "model": "a-provider/a-critic",
        "dataset": {"name": "some-cases", "location": "some-cases.json"},
        "config": {"epochs": 2},
    },
    "plan": {"name": "plan", "config": {"temperature": 0.7, "max_connections": 10}},
}
STEPS = ["One and one.", "That makes three."]
ANSWER = "Three is wrong: \\boxed{1}"


def sample(number=0, epoch=1, completion=ANSWER, answer=..., **changes):
    choice = {"message": {"role": "assistant", "content": completion}, "stop_reason": "stop"}
    sound = {
        "id": f"sums-{number}",
        "epoch": epoch,
        "input": "What is 1 + 1?",
        "target": "1",
        "messages": [],
        "output": {"model": "a-critic", "choices": [choice], "usage": {"input_tokens": 9, "output_tokens": 4}},
        "metadata": {"problem": "What is 1 + 1?", "steps": STEPS},
    }
    scores = {} if answer is ... else {"scores": {"first": {"value": "C", "answer": answer}, "second": {"answer": "9"}}}
    return {**sound, **scores, **changes}


def read(*samples, **header):
    return answers({**HEADER, **header}, samples, "logs/a.eval", [])


def with_eval(**changes):
    return {"eval": {**HEADER["eval"], **changes}}


def codes(foreign):
    return [(finding.severity, finding.code, finding.line) for finding in foreign.findings]


def test_a_sample_is_an_answer():
    foreign = read(sample())
    assert foreign.rows.row(0, named=True) == {
        **dict.fromkeys(foreign.rows.columns),
        "line": 1,
        "id": "sums-0",
        "problem": "What is 1 + 1?",
        "steps": STEPS,
        "gold": 1,
        "vote": 0,
        "run": 0,
        "answer": ANSWER,
        "finish_reason": "stop",
        "tokens_in": 9,
        "tokens_out": 4,
        "ballot": "1",
        "verdict": 1,
    }
    assert (foreign.name, foreign.kind, foreign.benchmark) == ("a-provider/a-critic", "critic", None)
    assert foreign.settings == {"harness": "inspect", "task": "find-the-error", "temperature": 0.7, "votes": 1}
    assert not foreign.findings


def test_epochs_are_votes():
    foreign = read(sample(0, 2), sample(0, 1), sample(1, 1))
    assert foreign.rows.select("id", "vote").rows() == [("sums-0", 1), ("sums-0", 0), ("sums-1", 0)]
    assert foreign.settings["votes"] == 2


@pytest.mark.parametrize("epoch", [0, -1, "2", None, 10**7, True])
def test_an_epoch_that_is_none(epoch):
    foreign = read(sample(epoch=epoch))
    assert foreign.rows["vote"].to_list() == [0]
    assert codes(foreign) == [("warning", "wrong-type", 1)]


def test_the_first_sample_with_an_id_and_epoch_counts():
    foreign = read(sample(), sample(epoch=2), sample(completion="\\boxed{0}"))
    assert foreign.rows["verdict"].to_list() == [1, 1]
    assert foreign.read == 3
    assert codes(foreign) == [("error", "repeated-id", 3)]


@pytest.mark.parametrize(
    ("answer", "completion", "ballot", "verdict"),
    [
        ("0", ANSWER, "0", 0),
        (" -1 ", ANSWER, "-1", -1),
        (2, ANSWER, "2", 2),
        ("-5", ANSWER, "-5", -2),
        ("paragraph 0", ANSWER, "1", 1),
        (None, ANSWER, "1", 1),
        ("C", "no box", None, None),
        (["0"], "\\boxed{a}", "a", None),
    ],
)
def test_the_answer_of_the_first_score_counts_if_it_is_a_number(answer, completion, ballot, verdict):
    foreign = read(sample(answer=answer, completion=completion))
    assert foreign.rows.select("ballot", "verdict").rows() == [(ballot, verdict)]
    assert (foreign.rows["reason"].null_count() == 1) == (verdict is not None)


def test_what_was_read_is_said_with_how_often():
    foreign = read(sample(0, answer="0"), sample(1), sample(2, answer="x"), sample(3, completion="no box"))
    assert foreign.label_base == (
        "0-based, -1 = no error; verdicts read: 1 from the answer of the score 'first', "
        "2 from the last \\boxed{...} of the completion"
    )
    assert read().label_base == "0-based, -1 = no error; verdicts read: none"


@pytest.mark.parametrize("header", [with_eval(metadata={"index_base": 1}), with_eval(task_args={"index_base": 1})])
def test_a_base_of_one_is_converted(header):
    texts = ["\\boxed{1}", "\\boxed{-1}", "\\boxed{0}"]
    foreign = read(*(sample(number, completion=text, target=["2"]) for number, text in enumerate(texts)), **header)
    assert foreign.rows["verdict"].to_list() == [0, -1, -2]
    assert foreign.rows["gold"].to_list() == [1, 1, 1]
    assert foreign.label_base.startswith("1-based (index_base is 1), -1 = no error")


def test_the_base_of_a_sample_goes_before_that_of_the_log():
    based = sample(1, metadata={"steps": STEPS, "index_base": 0})
    foreign = read(sample(0), based, **with_eval(metadata={"index_base": 1}))
    assert foreign.rows["verdict"].to_list() == [0, 1]
    assert foreign.label_base.startswith("0-based and 1-based")


@pytest.mark.parametrize(
    ("target", "gold"),
    [("1", 1), ("-1", -1), (["0", "1"], 0), ([], None), ("C", None), (2, 2), ("-3", None), (None, None)],
)
def test_a_target_that_is_a_step_is_gold(target, gold):
    assert read(sample(target=target)).rows["gold"].to_list() == [gold]


def test_a_sample_that_ended_in_an_error_says_so():
    failed = {"message": "out of money", "traceback": "..."}
    foreign = read(
        sample(0, error=failed, output={"choices": []}),
        sample(1, error=failed, completion="I was just"),
        sample(2, error=failed),
    )
    ended = "the sample ended in an error: out of money"
    assert foreign.rows["reason"].to_list() == [ended, ended, None]
    assert foreign.rows["answer"].to_list() == [None, "I was just", ANSWER]


def test_what_the_model_did_not_say_is_a_reason():
    foreign = read(sample(output={"choices": [], "error": "refused"}), sample(1, output=None))
    assert foreign.rows["reason"].to_list() == ["refused", "the model gave no text"]


def test_reasoning_and_attachments():
    content = [{"type": "reasoning", "reasoning": "attachment://abc"}, {"type": "text", "text": ANSWER}]
    foreign = read(sample(completion=content, attachments={"abc": "A long thought."}), sample(1, completion=content))
    assert foreign.rows["reasoning"].to_list() == ["A long thought.", "attachment://abc"]


def test_an_older_log_has_the_completion_beside_the_choices():
    assert read(sample(output={"choices": [], "completion": ANSWER})).rows["verdict"].to_list() == [1]


def test_texts_that_are_missing_leave_the_id():
    foreign = read(sample(metadata={}))
    assert foreign.rows.select("id", "problem", "steps", "verdict").rows() == [("sums-0", None, None, 1)]


@pytest.mark.parametrize("dataset", [{"name": "Qwen/ProcessBench"}, {"name": "x", "location": "qwen/processbench"}])
def test_the_data_set_says_the_benchmark(dataset):
    assert read(sample(), **with_eval(dataset=dataset)).benchmark == "processbench"


@pytest.mark.parametrize("status", ["started", "cancelled", "error", None])
def test_an_unfinished_log_is_noted(status):
    assert codes(read(sample(), status=status)) == [("note", "unfinished-log", 1)]


def test_no_samples_and_samples_that_are_none():
    assert codes(read()) == [("warning", "no-samples", 1)]
    foreign = read(None, 5, sample())
    assert foreign.read == 3
    assert foreign.rows["line"].to_list() == [3]
    assert codes(foreign) == [("error", "broken-row", 2)]


def test_a_log_without_a_model_is_called_after_its_file():
    assert read(sample(), eval={}).name == "a"


@given(broken(HEADER), st.lists(broken(sample(), sample(1, answer="0"), sample(2, error={"message": "x"})), max_size=4))
def test_hostile_logs_give_findings_and_no_exception(header, samples):
    assert_sound([answers(header, samples, "a.eval", [])], len(samples))
