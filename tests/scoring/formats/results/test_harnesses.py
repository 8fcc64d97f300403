"""Critics that were run by lm-evaluation-harness, OpenAI's batches and OpenCompass: rows in the documented shapes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import authored
from broken_rows import as_rows, assert_sound, broken
from scoring.formats.reading.rows import read_rows
from scoring.formats.results import lm_eval, openai_batch, opencompass, phoenix
from scoring.formats.results.prompted import asked_case, texts_of_messages
from scoring.importing.batch import ImportOptions, read_sources
from thoroughness import up_to

STEP = st.text(st.sampled_from("ab <>/_\n"), max_size=12) | st.sampled_from(["</paragraph_9>", "<paragraph_1>", "\n"])


def tagged(steps):
    return "\n\n".join(f"<paragraph_{at}>\n{step}\n</paragraph_{at}>" for at, step in enumerate(steps))


def prompt(problem, steps):
    return f"Look.\n\n[Math Problem]\n\n{problem}\n\n[Solution]\n\n{tagged(steps)}\n\nEnd with \\boxed{{}}."


def box(number):
    return f"I looked.\n\\boxed{{{number}}}"


# -- the case in a prompt


@given(st.text(st.sampled_from("ab \n"), max_size=9), st.lists(STEP, min_size=1, max_size=12))
def test_the_case_of_a_prompt_is_what_was_put_into_it(problem, steps):
    # A step that holds its own closing tag cannot be told from one that ends there.
    inside = any(f"\n</paragraph_{at}>" in f"\n{step}\n" for at, step in enumerate(steps))
    found = asked_case(prompt(problem, steps))
    if inside:
        assert found is None or found.steps != []
        return
    assert found == (problem, steps)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "What is 1 + 1?",
        "[Solution]\n\n<paragraph_0>\na\n</paragraph_0>",
        "[Math Problem]\n\np\n\n[Solution]\n\n<paragraph_0>\nnever closed",
        "[Math Problem]\n\np\n\n[Solution]\n\n<paragraph_1>\na\n</paragraph_1>",
    ],
)
def test_another_prompt_shows_no_case(text):
    assert asked_case(text) is None


def test_prompts_are_texts_and_conversations_of_either_kind():
    assert texts_of_messages("a") == ["a"]
    assert texts_of_messages([{"role": "HUMAN", "prompt": "a"}, {"content": [{"type": "text", "text": "b"}]}, 3]) == [
        "a",
        "b",
    ]
    assert texts_of_messages(None) == []


# -- lm-evaluation-harness


def sample(number=0, answers=("\\boxed{1}",), kept="1", **changes):
    sound = {
        "doc_id": number,
        "doc": authored.row(number, label=1),
        "target": "1",
        "arguments": {"gen_args_0": {"arg_0": "Look.", "arg_1": {}}},
        "resps": [list(answers)],
        "filtered_resps": [kept],
        "filter": "none",
        "metrics": ["exact_match"],
        "exact_match": 1.0,
        "doc_hash": "d",
        "prompt_hash": "p",
        "target_hash": "t",
    }
    return {**sound, **changes}


def read_samples(*values, source="results/org__a-critic/samples_steps_2026-01-02T03-04-05.678.jsonl"):
    (foreign,) = lm_eval.FORMAT.load(as_rows(values, source))
    return foreign


def codes(foreign):
    return [(finding.severity, finding.code) for finding in foreign.findings]


def test_repeats_of_a_sample_vote_and_the_model_is_the_folders():
    foreign = read_samples(sample(3, ("\\boxed{1}", "\\boxed{0}", "\\boxed{1}")))
    assert (foreign.name, foreign.kind, foreign.reads_answers) == ("org__a-critic", "critic", True)
    assert foreign.rows.select("id", "vote", "answer").rows() == [
        ("sums-3", 0, "\\boxed{1}"),
        ("sums-3", 1, "\\boxed{0}"),
        ("sums-3", 2, "\\boxed{1}"),
    ]
    assert foreign.rows["problem"][0] == "What is 3 + 1?"
    assert foreign.settings["votes"] == 3
    assert not foreign.findings


def test_every_filter_has_a_row_of_its_own_and_a_document_counts_once():
    foreign = read_samples(sample(filter="strict"), sample(filter="flexible", kept="0"))
    assert foreign.rows.height == 1
    assert sorted(codes(foreign)) == [("note", "repeated-id"), ("warning", "prediction-differs")]
    assert any("made 0 of what has '1' in its box" in finding.message for finding in foreign.findings)


@pytest.mark.parametrize(
    ("resps", "reason"),
    [
        ([[[-1.5, False]], [[-2.5, True]]], "the harness compared likelihoods: there is no answer in words"),
        ([[-1.5, False], [-2.5, True]], "the harness compared likelihoods: there is no answer in words"),
        ([], "resps holds no answer"),
        (None, "resps holds no answer"),
        ([[None, "\\boxed{1}"]], "the answer is no text"),
    ],
)
def test_what_is_no_answer_is_null_with_a_reason_and_never_a_verdict(resps, reason):
    foreign = read_samples(sample(resps=resps))
    assert foreign.rows.row(0, named=True)["reason"] == reason
    assert foreign.rows["answer"][0] is None
    assert foreign.rows["verdict"].null_count() == foreign.rows.height


def test_a_flat_list_of_answers_is_read_too_and_a_document_without_texts_or_id_is_told():
    foreign = read_samples(sample(resps=["\\boxed{1}"], doc={"text": "x"}))
    assert foreign.rows["answer"].to_list() == ["\\boxed{1}"]
    assert codes(foreign) == [("warning", "no-id")]


def test_documents_without_ids_join_by_their_texts_and_count_once(tmp_path):
    cases = authored.write(tmp_path / "sums.json", authored.rows(4))
    folder = tmp_path / "a-critic"
    folder.mkdir()
    rows = [sample(at, (box(-1),), doc=authored.row(at, id=...)) for at in range(4)]
    filtered = [{**row, "filter": "flexible"} for row in rows]
    samples = authored.write(folder / "samples_steps_2026.jsonl", [*rows, *filtered])
    (joined,) = read_sources([str(cases), str(samples)], ImportOptions(), None, None).joined
    assert (joined.results.name, joined.by, joined.votes.height, joined.unparsed) == ("a-critic", "content", 4, 0)
    assert joined.votes["verdict"].to_list() == [-1] * 4


# -- OpenAI's batches


def line(name="sums-0", *answers, status=200, error=None, body=None, **message):
    choices = [
        {"index": at, "message": {"role": "assistant", "content": answer, **message}, "finish_reason": "stop"}
        for at, answer in enumerate(answers or (box(1),))
    ]
    usage = {"prompt_tokens": 70, "completion_tokens": 9, "total_tokens": 79}
    made = {"id": "chatcmpl-1", "object": "chat.completion", "model": "a-critic", "choices": choices, "usage": usage}
    response = {"status_code": status, "request_id": "r", "body": made if body is None else body}
    return {"id": f"batch_req_{name}", "custom_id": name, "response": response, "error": error}


def query(name, text):
    body = {
        "model": "a-critic",
        "messages": [{"role": "system", "content": "Judge."}, {"role": "user", "content": text}],
    }
    return {"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": body}


def read_batch(*values):
    (foreign,) = openai_batch.load(as_rows(values))
    return foreign


def test_choices_vote_and_the_first_has_the_tokens_of_the_call():
    foreign = read_batch(line("sums-0", box(1), box(0)), line("sums-1", reasoning_content="Long thought."))
    assert foreign.rows.select("id", "vote", "answer", "tokens_in", "tokens_out", "reasoning").rows() == [
        ("sums-0", 0, box(1), 70, 9, None),
        ("sums-0", 1, box(0), 0, 0, None),
        ("sums-1", 0, box(1), 70, 9, "Long thought."),
    ]
    assert (foreign.name, foreign.kind) == ("a-critic", "critic")


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (line(status=500, body={"error": {"message": "overloaded"}}), "the request failed with status 500: overloaded"),
        (
            {**line(), "response": None, "error": {"code": "batch_expired", "message": "expired"}},
            "the request failed: expired",
        ),
        (line("sums-0", None), "the model gave no text"),
        (line("sums-0", None, refusal="I may not."), "the model refused: I may not."),
    ],
)
def test_what_failed_has_the_services_reason(row, reason):
    foreign = read_batch(line("sums-9"), row)
    assert foreign.rows["reason"].to_list() == [None, reason]
    assert foreign.name == "a-critic"


def test_a_batch_most_of_which_failed_is_still_one_of_answers(tmp_path):
    cases = authored.write(tmp_path / "sums.json", authored.rows(4))
    failed = [line(f"sums-{at}", status=500, body={"error": {"message": "slow"}}) for at in (0, 1, 3)]
    output = authored.write(tmp_path / "out.jsonl", [*failed, line("sums-2", box(-1))])
    (joined,) = read_sources([str(cases), str(output)], ImportOptions(), None, None).joined
    assert (joined.results.format, joined.joined, joined.unparsed) == ("OpenAI batch output", 4, 3)


def test_who_reasoned_and_said_nothing_answered_with_nothing():
    assert read_batch(line("a", None, reasoning="Hm.")).rows.select("answer", "reason").rows() == [("", None)]


def test_a_response_is_one_answer_with_what_all_its_messages_say():
    message = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": box(1)}]}
    thought = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Long thought."}]}
    body = {"object": "response", "model": "a-critic", "output": [thought, message], "usage": {"input_tokens": 7}}
    cut = {**body, "output": [thought], "incomplete_details": {"reason": "max_output_tokens"}}
    refusing = [{"type": "message", "content": [{"type": "refusal", "refusal": "I may not."}]}]
    rows = [line("a", body=body), line("b", body=cut), line("c", body={**body, "output": refusing})]
    assert all(map(openai_batch.recognises, rows))
    assert read_batch(*rows).rows.select("answer", "reasoning", "finish_reason", "tokens_in", "reason").rows() == [
        (box(1), "Long thought.", None, 7, None),
        ("", "Long thought.", "length", 7, None),
        (None, None, None, 7, "the model refused: I may not."),
    ]


@pytest.fixture
def batch(tmp_path):
    """A benchmark, a batch's output whose names say nothing, and its input beside it; other files lie there too."""
    cases = authored.rows(6)
    (tmp_path / "bench").mkdir()
    benchmark = authored.write(tmp_path / "bench" / "sums.json", cases)
    folder = tmp_path / "batch"
    folder.mkdir()
    requests = [query(f"request-{at}", prompt(row["problem"], row["steps"])) for at, row in enumerate(cases)]
    authored.write(folder / "input.jsonl", requests)
    authored.write(folder / "another-input.jsonl", requests[:2])
    authored.write(folder / "notes.jsonl", [{"a": 1}])
    (folder / "broken.jsonl").write_bytes(b'{"custom_id": \xff')
    lines = [line(f"request-{at}", box(row["label"])) for at, row in enumerate(cases)]
    return benchmark, authored.write(folder / "output.jsonl", lines[::-1])


def test_the_input_beside_the_output_says_which_case_a_line_is_about(batch):
    benchmark, output = batch
    read = read_sources([str(benchmark), str(output)], ImportOptions(), None, None)
    (joined,) = read.joined
    assert (joined.by, joined.joined, joined.unparsed) == ("content", 6, 0)
    labels = dict(read.imported[0].cases.select("key", "earliest_error").iter_rows())
    assert dict(joined.votes.select("key", "verdict").iter_rows()) == labels
    (told,) = [finding for finding in joined.findings if finding.code == "batch-input"]
    assert told.message == "the batch's input, input.jsonl, lies beside it: 6 prompts, 6 of them show a case"


def test_the_input_is_found_beside_an_output_whose_first_line_is_long(batch):
    benchmark, output = batch
    first, *others = output.read_text().splitlines()
    long = json.loads(first)
    long["response"]["body"]["choices"][0]["message"]["content"] = "x" * 2_000_000 + box(-1)
    output.write_text("\n".join([json.dumps(long), *others]) + "\n")
    (joined,) = read_sources([str(benchmark), str(output)], ImportOptions(), None, None).joined
    assert (joined.by, joined.joined, joined.unparsed) == ("content", 6, 0)


def test_without_the_input_names_that_say_nothing_are_refused_in_a_sentence(batch, tmp_path, capsys):
    from inspector.cli import main

    benchmark, output = batch
    alone = tmp_path / "output.jsonl"
    alone.write_bytes(output.read_bytes())
    assert main(["import", "-w", str(tmp_path / "w"), str(benchmark), str(alone)]) == 2
    assert "request-5" in capsys.readouterr().err


# -- OpenCompass


def entry(number=0, prediction=None, **changes):
    row = authored.row(number)
    asked = [{"role": "SYSTEM", "prompt": "Judge."}, {"role": "HUMAN", "prompt": prompt(row["problem"], row["steps"])}]
    return {"origin_prompt": asked, "prediction": prediction or box(1), "gold": -1, **changes}


def read_predictions(whole, source="predictions/a-critic/steps_0.json"):
    (foreign,) = opencompass.FORMAT.load(as_rows([whole], source))
    return foreign


def test_the_case_of_an_entry_is_that_of_its_prompt():
    foreign = read_predictions({"0": entry(0), "1": entry(4, [box(2), box(0)])})
    assert foreign.name == "a-critic"
    assert foreign.read == 2
    assert foreign.rows.select("problem", "vote", "answer", "gold").rows() == [
        ("What is 0 + 1?", 0, box(1), -1),
        ("What is 4 + 1?", 0, box(2), -1),
        ("What is 4 + 1?", 1, box(0), -1),
    ]
    assert not foreign.findings


def test_an_unknown_prompt_and_a_prediction_that_is_no_text_are_told():
    foreign = read_predictions(
        {"0": entry(), "1": entry(origin_prompt="Judge this."), "2": entry(prediction=[3]), "3": 1}
    )
    assert foreign.rows["problem"].is_not_null().to_list() == [True, False, True]
    assert foreign.rows["reason"].to_list() == [None, None, "the prediction is no text"]
    told = sorted(codes(foreign))
    assert told == [("error", "broken-row"), ("warning", "no-answer"), ("warning", "unknown-prompt")]


def test_a_file_of_predictions_is_told_from_a_mapping_and_joins(tmp_path):
    cases = authored.write(tmp_path / "sums.json", authored.rows(5))
    folder = tmp_path / "predictions" / "a-critic"
    folder.mkdir(parents=True)
    entries = {str(at): entry(at, box(-1)) for at in range(5)}
    (folder / "steps.json").write_text(json.dumps(entries, indent=4))
    assert opencompass.recognises(read_rows(folder / "steps.json").rows[0].value)
    (joined,) = read_sources([str(cases), str(folder / "steps.json")], ImportOptions(), None, None).joined
    assert (joined.results.name, joined.by, joined.joined) == ("a-critic", "content", 5)
    assert joined.votes["verdict"].to_list() == [-1] * 5


# -- Phoenix's annotations


def annotation(span="sums-0", name="good", kind="LLM", **changes):
    return {"span_id": span, "annotation_name": name, "annotator_kind": kind, "score": 0.5, **changes}


def test_an_annotation_is_a_number_a_solution_of_a_scorer_told_by_name_and_kind():
    rows = [annotation(), annotation(kind="HUMAN", score=1), annotation("sums-1", score=None, label="bad")]
    rows += [annotation("sums-2", score=float("nan"), explanation="Because."), annotation(span=None)]
    model, person = phoenix.FORMAT.load(as_rows(rows))
    assert [model.name, person.name] == ["good (llm)", "good (human)"]
    assert model.rows.select("id", "solution", "reason").rows() == [
        ("sums-0", 0.5, None),
        ("sums-1", None, "a label without a score: bad"),
        ("sums-2", None, "there is no score"),
    ]
    assert person.rows["solution"].to_list() == [1.0]
    assert sorted(codes(model)) == [("error", "no-id"), ("note", "explanations"), ("warning", "wrong-type")]


def test_annotations_join_cases_called_after_their_spans(tmp_path):
    cases = authored.write(tmp_path / "sums.json", authored.rows(3))
    given = authored.write(tmp_path / "annotations.jsonl", [annotation(f"sums-{at}", score=at / 4) for at in range(3)])
    (joined,) = read_sources([str(cases), str(given)], ImportOptions(), None, None).joined
    assert joined.rewards["solution"].to_list() == [0.0, 0.25, 0.5]


# -- whatever a file holds

SAMPLES = {
    lm_eval.FORMAT.load: [sample(), sample(resps=[[[-1.0, True]]])],
    openai_batch.load: [line(), line("b", box(1), box(2)), line(status=429, body={"error": {"message": "slow"}})],
    opencompass.FORMAT.load: [{"0": entry(), "1": entry(1, [box(0), box(1)])}],
    phoenix.FORMAT.load: [annotation(), annotation(score=None, label="bad", explanation="Because.")],
}


@pytest.mark.parametrize("load", SAMPLES, ids=["lm_eval", "openai_batch", "opencompass", "phoenix"])
@up_to(100, 10)
@given(data=st.data())
def test_broken_rows_give_results_or_findings(load, data):
    assert_sound(load(as_rows(data.draw(st.lists(broken(*SAMPLES[load]), max_size=4)))))


@pytest.mark.parametrize("load", [*SAMPLES][:3], ids=["lm_eval", "openai_batch", "opencompass"])
def test_texts_of_five_megabytes_and_rows_of_other_formats_cost_themselves_alone(load):
    long = "x" * 5_000_000
    huge = {
        lm_eval.FORMAT.load: sample(answers=(f"{long}\\boxed{{1}}",)),
        openai_batch.load: line("huge", f"{long}\\boxed{{1}}"),
        opencompass.FORMAT.load: {"7": entry(prediction=f"{long}\\boxed{{1}}")},
    }[load]
    strays = [authored.row(5), {"id": "x", "rewards": [0.5]}, 3, None, [1]]
    (foreign,) = load(as_rows([huge, *strays]))
    answers = foreign.rows.filter(foreign.rows["answer"].is_not_null())
    assert answers["answer"].str.len_chars().to_list() == [5_000_000 + len("\\boxed{1}")]
    assert foreign.rows.filter(foreign.rows["answer"].is_null())["reason"].null_count() == 0
    assert foreign.findings
