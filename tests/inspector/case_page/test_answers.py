"""A critic's answers: counted by kind, beside the case in the shell, and unfolded in the app."""

import json
import re

import polars as pl
import pytest

import critic_spaces
import making
from inspector import cli
from inspector.state.kept_answers import AnswerCounts, answer_counts, kept_answers, measures, reading_words
from opened import opened
from scoring.data.schema import VOTES
from scoring.models.asking import GeneratedAnswer
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.cache import VoteParts
from screen_text import press, rests, shows

ACTS = "\x1b[2J[red]"


def answers(row, _run):
    """Four votes: one to read, one that is cut, one without a box, one that never came."""
    return [
        GeneratedAnswer(
            rf"Step {row} {ACTS} \boxed{{1}}", reasoning="Let me think.", finish_reason="stop", tokens_out=9
        ),
        GeneratedAnswer("Let me", finish_reason="length", tokens_out=7),
        GeneratedAnswer("Who knows?", finish_reason="stop", tokens_out=3),
        GeneratedAnswer(None, reason="HTTP 500"),
    ]


@pytest.fixture
def space(tmp_path):
    return critic_spaces.imported(tmp_path)


# -- counted


def test_answers_are_counted_by_what_is_wrong_with_them(space):
    folder = critic_spaces.critic(space, answers)
    cases = load(Query(workspace=str(space))).cases
    found = answer_counts(folder, cases)
    assert found == AnswerCounts(36, 12, {"cut at the token limit": 12, "no box": 12})
    told = "24 of 36 answers unparsed: 12 cut at the token limit, 12 no box; 12 answers did not come"
    assert found.words == told
    assert answer_counts(folder, cases.head(3)).answers == 9


def test_ratings_that_do_not_fit_are_told_apart_from_what_says_nothing(space):
    short, whole = (json.dumps({"validity": [1] * count, "redundancy": [0] * count}) for count in (2, 3))
    texts = [short, "Who knows?", whole]
    folder = critic_spaces.critic(space, lambda row, _: [texts[row % 3]], protocol="prmbench")
    found = answer_counts(folder, load(Query(workspace=str(space))).cases)
    assert (found.unparsed, found.misfit) == ({"no JSON": 4}, {"list too short": 4})
    assert "4 of 12 answers do not fit the steps (4 list too short)" in found.words


def test_one_answer_is_one():
    assert AnswerCounts(1, 1, {"no box": 1}).words == "1 of 1 answer unparsed: 1 no box; 1 answer did not come"
    assert AnswerCounts(2, 0, {}, {"too long": 1}).words.startswith("1 of 2 answers does not fit the steps")


def test_thoughts_without_an_answer_are_counted_as_unparsed(space):
    folder = critic_spaces.critic(space, lambda *_: [GeneratedAnswer("", reasoning="hm", finish_reason="stop")])
    found = answer_counts(folder, load(Query(workspace=str(space))).cases)
    assert (found.lacking, set(found.unparsed)) == (0, {"empty answer"})


def test_a_critic_without_trouble_has_nothing_to_say(space, capsys):
    folder = critic_spaces.critic(space, lambda *_: [r"\boxed{1}"])
    assert answer_counts(folder, load(Query(workspace=str(space))).cases).words == ""
    assert cli.main(["scorers", "-w", str(space)]) == 0
    assert "unparsed:" not in capsys.readouterr().err


def test_scorers_and_metrics_tell_them(space, capsys):
    critic_spaces.critic(space, answers)
    told = "judge: 24 of 36 answers unparsed: 12 cut at the token limit, 12 no box; 12 answers did not come"
    for command in ("scorers", "metrics"):
        assert cli.main([command, "-w", str(space)]) == 0
        shown = capsys.readouterr()
        assert told in shown.err + shown.out
    assert cli.main(["metrics", "-w", str(space), "--json"]) == 0
    assert told in json.loads(capsys.readouterr().out)["provenance"]["notes"]
    assert cli.main(["scorers", "-w", str(space), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["answers"], row["unparsed_answers"], row["misfit_answers"], row["lacking_answers"]) == (36, 24, 0, 12)
    assert row["answer_faults"] == "12 cut at the token limit, 12 no box"


# -- in words


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"verdict": 3}, "step 3"),
        ({"verdict": -1}, "no error"),
        ({"verdict": -2}, "names no step"),
        ({"reason": "no box"}, "unparsed: no box"),
        ({}, "unparsed"),
        ({"rewards": [1.0, 0.5]}, "rates 2 steps"),
        ({"rewards": [1.0], "reason": "list too short (1 of 2)"}, "rates 1 step: list too short (1 of 2)"),
        ({"answer": None, "reason": "no answer: HTTP 500"}, "no answer: HTTP 500"),
    ],
)
def test_what_an_answer_says(changes, words):
    assert reading_words({"answer": "text", "verdict": None, "rewards": None, "reason": None, **changes}) == words


def test_tokens_of_several_answers_together_are_of_none():
    alone = {"run": 0, "tokens_out": 5, "finish_reason": "length"}
    assert measures(alone, [alone]) == "5 tokens, ended: length"
    mate = {**alone, "tokens_out": None, "finish_reason": "stop"}
    assert measures(alone, [alone, mate]) == "ended: length"
    assert measures(mate, [alone, mate]) == ""
    # Another run was another call.
    assert measures(alone, [alone, {**mate, "run": 1}]) == "5 tokens, ended: length"


def test_only_critics_have_answers(space):
    critic_spaces.critic(space, answers)
    results = load(Query(workspace=str(space), baselines=True))
    assert kept_answers(results, "judge", 0).height == 4
    baseline = next(one.scorer.name for one in results.evaluations if one.scorer.kind == "baseline")
    assert not kept_answers(results, baseline, 0).height


# -- beside the case


def test_show_prints_a_line_a_vote(space, capsys):
    critic_spaces.critic(space, answers)
    assert cli.main(["show", "sums-2", "-w", str(space), "-q"]) == 0
    told = capsys.readouterr().out
    lines = [re.split(" {2,}", line.strip()) for line in told.partition("Answers of judge: ")[2].splitlines()]
    assert lines == [
        ["1 x step 1, 3 unparsed"],
        ["vote", "read as", "how it ended"],
        ["0", "step 1", "9 tokens"],
        ["1", "unparsed: cut at the token limit: no box", "7 tokens, ended: length"],
        ["2", "unparsed: no box", "3 tokens"],
        ["3", "no answer: HTTP 500"],
    ]
    assert "Who knows?" not in told
    assert "Let me think" not in told


def test_show_prints_the_texts_where_asked_and_nothing_in_them_acts(space, capsys):
    critic_spaces.critic(space, answers)
    assert cli.main(["show", "sums-2", "-w", str(space), "--answers"]) == 0
    told = capsys.readouterr()
    assert "    Who knows?" in told.out
    assert "vote 0, reasoning\n    Let me think." in told.out
    assert "\x1b" not in told.out
    assert "show processbench/sums-2" in told.err
    assert "--answers" in told.err


def test_show_has_them_in_its_document(space, capsys):
    critic_spaces.critic(space, answers)
    assert cli.main(["show", "sums-2", "-w", str(space), "--json"]) == 0
    assert "answers" not in json.loads(capsys.readouterr().out)["provenance"]
    assert cli.main(["show", "sums-2", "-w", str(space), "--json", "--answers"]) == 0
    facts = json.loads(capsys.readouterr().out)["provenance"]
    (first, *_) = facts["answers"]["judge"]
    assert (first["vote"], first["verdict"], first["reader"]) == (0, 1, "processbench-1")
    assert first["answer"] == rf"Step 2 {ACTS} \boxed{{1}}"
    assert facts["command"].endswith("--json --answers")


async def test_the_case_has_a_line_a_vote(space, tmp_path):
    critic_spaces.critic(space, answers)
    async with opened(Query(workspace=str(space)), folder=tmp_path, size=(120, 40)) as pilot:
        await press(pilot, "g", "l", "enter")
        for size in ((120, 40), (80, 24)):
            await pilot.resize_terminal(*size)
            lines = await rests(pilot, "4 answers; v c opens them", "vote 0  step 1", "vote 3  no answer: HTTP 500")
            assert "Who knows?" not in lines


async def test_runs_are_told_apart(space, tmp_path):
    critic_spaces.critic(space, lambda _, run: [rf"\boxed{{{run}}}"], runs=2)
    async with opened(Query(workspace=str(space)), folder=tmp_path) as pilot:
        await press(pilot, "g", "l", "enter")
        await shows(pilot, "run 0 vote 0  step 0", "run 1 vote 0  step 1")


def test_a_talk_is_printed_call_for_call(space, capsys):
    talks = making.scorer("thinker", settings={"protocol": "rprm", "options": {}})
    folder = space / "rewards" / talks.folder
    talks.save(folder)
    key = load(Query(workspace=str(space))).cases["key"][2]
    kept = {
        "key": key,
        "vote": 0,
        "run": 0,
        "answer": json.dumps([["Well\x1b[2J", "Yes"], ["Hm", "No"], ["So", "Yes"]]),
    }
    kept |= {"rewards": [0.9, 0.2, 0.8], "logprobs": "[null,null,null]"}
    VoteParts(folder).append(pl.DataFrame([kept], schema=VOTES, orient="row"))
    assert cli.main(["show", "sums-2", "-w", str(space), "--answers", "-q"]) == 0
    told = capsys.readouterr().out
    assert "vote 0, analysis of step 0\n    Well␛[2J" in told
    assert "vote 0, judgement of step 1\n    No" in told
    assert '[["Well' not in told
    assert cli.main(["show", "sums-2", "-w", str(space), "--answers", "--json"]) == 0
    (answer,) = json.loads(capsys.readouterr().out)["provenance"]["answers"]["thinker"]
    assert answer["talk"][3] == {"step": 1, "stage": "judgement", "text": "No"}
    # As it was kept, too.
    assert answer["answer"] == kept["answer"]
