"""Every event of a critic's run in words."""

import pytest

from inspector.state.processes.scoring_words import RecentRate, ended, parts_done, speed, words_of

ASKED = {"wanted": 80, "answers": 40, "unparsed": 0, "unanswered": 0, "cut": 0,
         "tokens_in": 900, "tokens_out": 4000, "calls": 5, "retries": 0}  # fmt: skip
END = {
    "event": "end", "status": "done", "scored": 0, "refused": 0, "truncated": 0, "cached": 0, "cached_refused": 0,
    "left": 0, "saved": 0, "seconds": 2.0, "tokens": 0, "case_tokens": 0, "padding": 0,
    "asked": ASKED, "money": None, "currency": "",
}  # fmt: skip
ESTIMATE = {
    "event": "estimate", "prompts": 3, "answers": 24, "characters": 4000, "tokens_in": 1000, "max_tokens": 100,
    "subsets": [
        {"benchmark": "b", "subset": "s", "prompts": 1, "answers": 8, "characters": 1000, "tokens_in": 250},
        {"benchmark": "c", "subset": None, "prompts": 2, "answers": 16, "characters": 3000, "tokens_in": 750},
    ],
    "money": None, "money_at_most": None, "currency": "",
}  # fmt: skip


def lines(event):
    return list(words_of(event, "the same command"))


def progress(**changes):
    return {"event": "progress", "done": 3, "to_do": 10, "refused": 0, "seconds": 2.0, "asked": {**ASKED, **changes}}


def test_progress_counts_answers_and_tells_what_is_left():
    assert parts_done(progress()) == (40, 80)
    assert speed(progress(), 20.0) == "answers, 2 s left, 2,000 tokens/s, 3 of 10 cases"


def test_progress_tells_every_trouble():
    told = speed(progress(unparsed=7, cut=2, unanswered=1, retries=4), 20.0)
    assert "7 unparsed, 2 cut at the token limit, 1 unanswered, 4 retries" in told
    assert ", 1 retry, " in speed(progress(retries=1), 20.0)


def test_progress_tells_no_speed_that_is_not_known():
    event = progress(answers=0, tokens_out=0)
    assert speed({**event, "seconds": 0.0}, 0.0) == speed(event, 0.0) == "answers, 3 of 10 cases"


def test_progress_of_a_prm_counts_cases():
    event = {"event": "progress", "done": 3, "to_do": 10, "refused": 0, "seconds": 1.5, "asked": None}
    assert parts_done(event) == (3, 10)
    assert speed(event, 2.0) == "2.0 cases/s, 4 s left"
    assert speed(event, 0.0) == ""


def test_what_is_left_is_estimated_from_the_last_seconds_and_not_from_loading():
    """Bug E7: a run that loaded for 25 s and then scored 4 cases per second showed "28 min left"."""
    rate = RecentRate()
    told = [(25.0 + second, 3 + 4 * second) for second in range(30)]
    rates = [rate.after({"done": done, "to_do": 999, "seconds": seconds}) for seconds, done in told]
    assert rates[0] == 0.0
    assert rates[1:] == pytest.approx([4.0] * 29)
    # It slows down, and after ten seconds only the new rate counts.
    slower = [rate.after({"done": 119 + second, "to_do": 999, "seconds": 54.0 + second}) for second in range(1, 14)]
    assert 1.0 < slower[0] < 4.0
    assert slower[-1] == pytest.approx(1.0)


def test_a_server_is_connected_to_and_a_checkpoint_loaded():
    ready = {"event": "ready", "seconds": 1.25}
    assert lines({**ready, "engine": "vllm at http://h:1, model m"}) == ["connected to vllm at http://h:1, model m"]
    assert lines({**ready, "engine": "vllm 1"}) == ["vllm 1 loaded in 1.2 s"]


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("no answer: server: HTTP 500", "no answer: b/1: server: HTTP 500 (the same command asks again)"),
        ("refused: too long", "refused: b/1: too long (--retry-refused asks again)"),
        ("over length", "refused: b/1: over length"),
    ],
)
def test_a_case_without_an_answer_says_whether_it_is_asked_again(reason, words):
    assert lines({"event": "case_refused", "case": "b/1", "reason": reason, "scored_steps": 0}) == [words]


def test_a_notice_is_loud():
    assert lines({"event": "notice", "sentence": "All are alike."}) == ["NOTICE: All are alike."]


def test_an_estimate_tells_every_subset_and_the_whole():
    assert lines(ESTIMATE) == [
        "  b/s: 1 prompt for 8 answers, 1,000 characters, about 250 tokens",
        "  c: 2 prompts for 16 answers, 3,000 characters, about 750 tokens",
        "In all: 3 prompts for 24 answers, 4,000 characters, about 1,000 tokens",
        "The answers have at most 2,400 tokens, 100 each.",
    ]


def test_an_estimate_tells_money_where_prices_are_known():
    event = {**ESTIMATE, "money": 0.00125, "money_at_most": 12.5, "currency": "USD"}
    assert lines(event)[-1] == "Cost: the prompts about 0.0013 USD, with the longest answers 12.50 USD."
    unlimited = lines({**event, "max_tokens": None, "money_at_most": None})
    assert unlimited[-3:] == [
        "No limit is set on the tokens of an answer (--max-tokens).",
        "Cost: the prompts about 0.0013 USD.",
        "What the answers cost is not known: nothing limits them.",
    ]


def test_the_end_tells_answers_tokens_calls_and_money():
    asked = {**ASKED, "answers": 80, "unparsed": 7, "cut": 2, "unanswered": 8, "calls": 12, "retries": 2}
    assert lines({**END, "scored": 9, "refused": 1, "asked": asked, "money": 0.5, "currency": "EUR"}) == [
        "Done: 9 of 10 cases have all their answers, 1 lack some, in 2.0 s.",
        "72 of 80 answers came: 7 unparsed, 2 cut at the token limit",
        "900 tokens in, 4,000 out (as the server counts them); 12 calls, 2 of them again after a failure",
        "Cost: 0.5000 EUR",
    ]


def test_the_end_counts_replies_with_a_field_that_could_not_be_used():
    asked = {**ASKED, "answers": 80, "flawed": 3}
    assert "3 with a field that could not be used" in lines({**END, "scored": 10, "asked": asked})[2]


def test_the_end_of_a_run_without_trouble_says_so():
    asked = {**ASKED, "answers": 80}
    assert lines({**END, "scored": 10, "asked": asked})[1] == "80 of 80 answers came, and all could be read"


def test_the_end_tells_no_answers_where_none_came():
    asked = {**ASKED, "answers": 80, "unanswered": 80}
    assert lines({**END, "refused": 10, "asked": asked})[1] == "0 of 80 answers came"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"status": "dry_run", "left": 10}, "Only looked: 10 cases lack 80 answers; nothing was asked or saved"),
        (
            {"status": "interrupted", "scored": 4, "left": 6},
            "Interrupted: 4 of 10 cases have all their answers, 6 left, in 2.0 s; again goes on with what is left",
        ),
        ({"cached": 7, "cached_refused": 3}, "Nothing to do: 7 cases have all their answers, 3 were refused before"),
    ],
)
def test_the_end_counts_cases_by_their_answers(changes, words):
    assert ended({**END, **changes}, "again") == words


def test_a_failure_and_what_is_not_known_say_nothing_here():
    assert lines({**END, "status": "failed"}) == lines({"event": "saved"}) == lines({"event": "new"}) == []
