"""The loop that asks critics: what is asked, kept, resumed and told. Engines here are the simplest that are one."""

import random
import signal
from functools import partial

import polars as pl
import pytest

import judged
import making
import reference
from fake_scoring import in_turn
from scoring.data.readout import FAILED
from scoring.evaluation.scorer_columns import ScorerUsage
from scoring.evaluation.verdicts import NO_VERDICT
from scoring.evaluation.votes import by_run, tally
from scoring.formats.reading.critic_answers import Reading
from scoring.models.asking import Answered, GeneratedAnswer, Message, Noticed
from scoring.runs import leases
from scoring.runs.critic_runs import Asking, CriticAsker
from scoring.runs.events import Asked, CaseRefused, Notice, Progress, Start
from scoring.runs.interrupt import Interrupt
from scoring.runs.plan import REFUSED, reward_plan, vote_plan
from scoring.runs.run import score
from scoring.workspace.cache import RewardParts, VoteParts

CASES = [reference.Case(3, gold) for gold in (-1, 0, 1, 2, -1, 0)]


def prompt(problem, steps):
    return (Message("user", "\n".join([problem, *steps])),)


def read(text, n_steps):
    text = text.rpartition("</think>")[2].strip()
    return Reading(ballot=text, verdict=int(text)) if text.lstrip("-").isdigit() else Reading(reason="no number")


class Engine:
    """Answers each ask by a function of it, in another order than it was asked."""

    name = "made up"

    def __init__(self, answer=lambda ask, _: GeneratedAnswer("1", tokens_in=10, tokens_out=5, seed=ask.seed), flight=4):
        self.answer, self.flight, self.asked = answer, flight, []

    def answers(self, asks):
        shuffled, waiting, done = random.Random(1), [], False
        while waiting or not done:
            while not done and len(waiting) < self.flight:
                one = next(asks, None)
                done = one is None
                if one is not None:
                    waiting.append(one)
                    self.asked.append(one)
            yield None
            if waiting:
                one = waiting.pop(shuffled.randrange(len(waiting)))
                yield Answered(one.index, tuple(self.answer(one, vote) for vote in range(one.count)), 1, 0)


@pytest.fixture
def bench(tmp_path):
    workspace = making.workspace(tmp_path / "ws", CASES, [])
    cases, texts = workspace.cases()
    return cases, texts, VoteParts(tmp_path / "ws" / "rewards" / "critic")


def run(bench, engine, **how):
    return list(started(bench, engine, **how))


def started(bench, engine, **how):
    cases, texts, parts = bench
    words = {name: how.pop(name) for name in ("retry_refused", "interrupt", "rows") if name in how}
    asking = Asking(partial(CriticAsker, prompt, read, how.pop("seed", None)), **how)
    return score(cases, texts, making.scorer("critic"), parts, asking, engine=lambda: engine, **words)


def test_every_vote_of_every_run_is_asked_once_and_kept_as_it_came(bench):
    engine = Engine(lambda ask, vote: GeneratedAnswer(f"{vote}", "hm", "stop", 10 if not vote else 0, 5, ask.seed))
    events = run(bench, engine, votes=3, runs=2, seed=42)
    frame, problems = bench[2].read()
    assert problems == []
    assert len(frame) == 36
    assert sorted(one.count for one in engine.asked) == [3] * 12
    assert {one.seed for one in engine.asked} == {42, 1042}
    row = frame.filter(key=bench[0]["key"][0], run=1, vote=2).row(0, named=True)
    told = {"answer": "2", "reasoning": "hm", "finish_reason": "stop", "tokens_in": 0, "tokens_out": 5, "seed": 1042}
    assert {name: row[name] for name in told} == told
    assert (row["ballot"], row["verdict"], row["engine"], len(row["prompt"])) == ("2", 2, "made up", 32)
    start, end = events[0], events[-1]
    assert start == Start("critic", start.fingerprint, start.folder, 6, 6, 0, 0, 6, ())
    assert (end.status, end.scored, end.refused, end.left, end.saved) == ("done", 6, 0, 0, 36)
    assert end.asked == Asked(wanted=36, answers=36, tokens_in=120, tokens_out=180, calls=12)


def test_a_vote_has_its_own_seed_also_where_one_before_it_is_there(bench):
    """Of several answers to one ask an engine seeds each one behind the one before."""
    failing = {1, 3, 4}

    def answer(ask, place):
        vote = ask.seed - 42 + place
        return GeneratedAnswer(None, reason="down") if vote in failing else GeneratedAnswer(f"{vote}")

    run(bench, Engine(answer), votes=5, seed=42)
    failing.clear()
    again = Engine(answer)
    end = run(bench, again, votes=5, seed=42)[-1]
    assert sorted((one.seed, one.count) for one in again.asked) == sorted([(43, 1), (45, 2)] * 6)
    rows = bench[2].read()[0]
    assert (rows["answer"] == rows["vote"].cast(pl.String)).all()
    assert (end.scored, end.refused, end.left, end.saved) == (6, 0, 0, 18)


def test_the_seconds_of_a_call_are_with_its_first_answer(bench):
    run(bench, Engine(), votes=3)
    frame, _ = bench[2].read()
    assert frame["seconds"].min() == 0
    assert frame.group_by("vote").agg(pl.col("seconds").max() > 0).sort("vote")["seconds"].to_list() == [
        True,
        False,
        False,
    ]


def test_what_is_there_is_not_asked_again_and_more_votes_are_asked_alone(bench):
    run(bench, Engine(), votes=2)
    again = Engine()
    events = run(bench, again, votes=2)
    assert (again.asked, events[0].cached, events[0].to_do) == ([], 6, 0)
    more = Engine()
    run(bench, more, votes=5, seed=7)
    assert [(one.count, one.seed) for one in more.asked] == [(3, 9)] * 6
    assert len(bench[2].read()[0]) == 30


def test_two_runs_of_different_votes_ask_for_each_vote_once(bench, monkeypatch):
    monkeypatch.setattr(leases, "_SMALLEST", 1)
    engines = [Engine(), Engine()]
    ends = in_turn(
        *(started(bench, engine, votes=votes, runs=2) for engine, votes in zip(engines, (2, 3), strict=True))
    )
    assert [(end.status, end.left) for end in ends] == [("done", 0)] * 2
    assert all(engine.asked for engine in engines)
    assert sum(one.count for engine in engines for one in engine.asked) == 36
    assert len(bench[2].read()[0]) == 36


def test_two_runs_that_nobody_answers_do_not_wait_for_each_other(bench, monkeypatch):
    monkeypatch.setattr(leases, "_SMALLEST", 1)
    silent = [Engine(lambda *_: GeneratedAnswer(None, reason="HTTP 500 after 6 tries"), flight=2) for _ in range(2)]
    ends = in_turn(*(started(bench, engine) for engine in silent))
    assert [(end.status, end.refused) for end in ends] == [("done", 6)] * 2


def test_answers_that_cannot_be_read_are_counted_and_not_asked_again(bench):
    events = run(bench, Engine(lambda _, __: GeneratedAnswer("hello", finish_reason="length")))
    assert (events[-1].asked.unparsed, events[-1].asked.cut, events[-1].refused) == (6, 6, 0)
    assert run(bench, Engine())[0].to_do == 0


def test_failures_are_asked_again_and_what_cannot_be_asked_only_on_demand(bench):
    hopeless = bench[0]["case"][0]

    def answer(ask, vote):
        if ask.prompt[0].text.startswith("problem 0"):
            return GeneratedAnswer(None, reason="too long", lasting=True)
        return GeneratedAnswer(None, reason="HTTP 500 after 6 tries")

    events = run(bench, Engine(answer))
    refused = [event for event in events if isinstance(event, CaseRefused)]
    assert {event.reason for event in refused if event.case == hopeless} == {REFUSED + "too long"}
    assert {event.reason for event in refused if event.case != hopeless} == {FAILED + "HTTP 500 after 6 tries"}
    assert (events[-1].refused, events[-1].asked.unanswered) == (6, 6)
    engine = Engine()
    second = run(bench, engine)
    assert (second[0].to_do, second[0].refused, len(engine.asked)) == (5, 1, 5)
    third = run(bench, Engine(), retry_refused=True)
    assert (third[0].to_do, third[-1].scored) == (1, 1)
    assert bench[2].read()[0]["verdict"].to_list() == [1] * 6


def test_an_interrupted_run_keeps_what_came_and_loses_what_is_in_flight(bench):
    with Interrupt() as interrupt:

        def answer(ask, vote):
            if len(bench[2].parts()) == 0 and ask.index == 3:
                signal.raise_signal(signal.SIGINT)
            return GeneratedAnswer("1")

        events = run(bench, Engine(answer), interrupt=interrupt)
    end = events[-1]
    assert (end.status, end.signal) == ("interrupted", signal.SIGINT)
    assert len(bench[2].read()[0]) == end.saved == 6 - end.left > 0
    second = run(bench, Engine())
    assert (second[0].to_do, second[-1].left) == (end.left, 0)


def test_equal_contents_are_asked_once_and_rows_limit_what_is_asked(bench):
    cases, texts, parts = bench
    twice = cases.vstack(cases)
    events = list(
        score(
            twice,
            texts.gather([*range(6), *range(6)]),
            making.scorer(),
            parts,
            Asking(partial(CriticAsker, prompt, read)),
            engine=Engine,
            rows=[1, 7, 8],
        )
    )
    assert (events[0].cases, events[0].contents) == (3, 2)
    assert parts.read()[0]["key"].to_list() == [cases["key"][1], cases["key"][2]]


def test_a_dry_run_estimates_what_would_be_asked(bench):
    cases, texts, parts = bench
    cases = cases.with_columns(subset=pl.Series(["a", "b", "a", "b", "b", "b"]))
    asking = Asking(
        partial(CriticAsker, prompt, read),
        4,
        2,
        max_tokens=100,
        price=lambda found, made: found + 2 * made,
        currency="USD",
    )
    start, found, end = score(cases, texts, making.scorer("critic"), parts, asking, engine=Engine, dry_run=True)
    lengths = [len(prompt(*row)[0].text) for row in texts.frame(["problem", "steps"]).rows()]
    tokens = -(-2 * sum(lengths) // 4)
    assert (start.to_do, end.status, end.left, end.asked.wanted) == (6, "dry_run", 6, 48)
    assert (found.prompts, found.answers, found.characters, found.tokens_in) == (12, 48, 2 * sum(lengths), tokens)
    assert [(one["subset"], one["prompts"], one["answers"]) for one in found.subsets] == [("a", 4, 16), ("b", 8, 32)]
    assert sum(one["characters"] for one in found.subsets) == found.characters
    assert (found.money, found.money_at_most, found.currency) == (tokens, tokens + 2 * 4800, "USD")
    assert not parts.folder.exists()


def test_an_answer_keeps_what_it_cost_and_all_of_them_what_the_run_did(bench):
    engine = Engine(
        lambda _, vote: GeneratedAnswer("0", tokens_in=None if vote == 2 else 100 * (vote == 0), tokens_out=vote + 1)
    )
    end = run(bench, engine, votes=3, price=lambda found, made: 0.25 * found + 2 * made, currency="EUR")[-1]
    rows = bench[2].read()[0].sort("key", "vote")
    assert rows["cost"].to_list() == [27.0, 4.0, None] * 6
    assert rows["currency"].to_list() == ["EUR", "EUR", None] * 6
    # What was not counted of the last answer is missing in the sum of the run, too.
    assert (end.money, end.currency) == (6 * (27.0 + 4.0 + 6.0), "EUR")


def test_what_a_call_for_several_answers_cost_is_with_its_first_and_known_of_the_case(bench):
    engine = Engine(
        lambda _, vote: GeneratedAnswer("0", tokens_in=100 * (vote == 0), tokens_out=None if vote else 9),
    )
    end = run(bench, engine, votes=3, price=lambda found, made: 0.25 * found + 2 * made, currency="EUR")[-1]
    rows = bench[2].read()[0].sort("key", "vote")
    assert rows["cost"].to_list() == [43.0, 0.0, 0.0] * 6
    assert end.money == 6 * 43.0
    spent = ScorerUsage(bench[2].folder, lambda: bench[0])
    assert [spent.column(name).to_list() for name in ("tokens_in", "tokens_out", "cost")] == [
        [100] * 6,
        [9] * 6,
        [43.0] * 6,
    ]


def test_what_an_engine_notices_is_told(bench):
    class Noticing(Engine):
        def answers(self, asks):
            yield Noticed("it does not sample")
            yield from super().answers(asks)

    assert Notice("it does not sample") in run(bench, Noticing())


def test_progress_counts_cases_and_answers(bench):
    last = [event for event in run(bench, Engine(), votes=2) if isinstance(event, Progress)][-1]
    assert (last.done, last.to_do, last.asked.answers, last.asked.wanted) == (6, 6, 12, 12)


def test_the_votes_of_a_run_decide_on_the_board(bench):
    run(bench, Engine(lambda _, vote: GeneratedAnswer(("2", "0", "2", "x")[vote])), votes=4)
    (first,) = by_run(bench[0], bench[2].read()[0])
    assert tally(bench[0], first).verdicts.tolist() == [2] * 6
    assert NO_VERDICT not in tally(bench[0], first).verdicts


@pytest.mark.parametrize("seed", range(3))
def test_a_plan_lacks_exactly_what_is_not_there(bench, seed):
    cases, _, parts = bench
    keys, chance = cases["key"].to_list(), random.Random(seed)
    rows = []
    for key in keys:
        for vote in range(3):
            for index in range(2):
                kind = chance.choice(("read", "unread", "failed", "refused", "none"))
                if kind != "none":
                    reason = {"read": None, "unread": "no box", "failed": f"{FAILED}x", "refused": f"{REFUSED}x"}[kind]
                    rows.append(
                        {
                            "key": key,
                            "vote": vote,
                            "run": index,
                            "verdict": 0 if reason is None else None,
                            "reason": reason,
                        }
                    )
    parts.append(
        making.pl.DataFrame(
            rows, schema_overrides={"vote": making.pl.Int32, "run": making.pl.Int32, "verdict": making.pl.Int32}
        )
    )
    there = {(row["key"], row["vote"], row["run"]): row["reason"] or "" for row in rows}
    for retry in (False, True):
        found = vote_plan(cases, parts, votes=3, runs=2, retry_refused=retry)
        missing = {(keys[one.row], vote, one.run) for one in found.missing for vote in one.votes}
        again = (FAILED, REFUSED) if retry else (FAILED,)
        every = [(key, vote, index) for key in keys for vote in range(3) for index in range(2)]
        assert missing == {one for one in every if there.get(one, FAILED).startswith(again)}
        assert found.cached + found.refused + len(found.rows) == found.contents == 6


def test_ratings_that_do_not_fit_the_steps_are_unparsed(bench):
    def misfit(text, n_steps):
        return Reading(rewards=(1.0,), reason="list too short (1 of 3)")

    cases, texts, parts = bench
    asking = Asking(partial(CriticAsker, prompt, misfit))
    events = list(score(cases, texts, making.scorer("critic"), parts, asking, engine=Engine))
    assert events[-1].asked.unparsed == 6


def test_what_a_file_said_of_one_case_is_no_answer_to_its_text(bench):
    cases, _, parts = bench
    parts.append(judged.votes(cases["key"], [["0"]] * 6).with_columns(case=cases["case"]))
    assert vote_plan(cases, parts, votes=1, runs=1).answers == 6
    RewardParts(parts.folder).append(
        making.pl.DataFrame(
            {
                "key": cases["key"],
                "case": cases["case"],
                "vote": making.pl.Series([0] * 6, dtype=making.pl.Int32),
                "rewards": [[0.5] * length for length in cases["n_steps"]],
            }
        )
    )
    assert len(reward_plan(cases, RewardParts(parts.folder)).rows) == 6
