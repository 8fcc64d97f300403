"""Talks in a run: what is in flight, what is kept, resumed and counted. Engines here are the simplest that are one."""

import json
import random
import signal
from functools import partial

import pytest
from msgspec.structs import replace

import making
import reference
import talking
from fake_scoring import in_turn
from scoring.data.errors import EngineError
from scoring.data.readout import FAILED
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.models.asking import Answered, GeneratedAnswer, GenerationRequest, Sampling, other_seed
from scoring.runs import leases, row_saver
from scoring.runs.critic_runs import Asking
from scoring.runs.events import Asked, CaseRefused, Estimate
from scoring.runs.generative.dialogues import Dialogues
from scoring.runs.generative.generative_catalogue import FAMILIES
from scoring.runs.interrupt import Interrupt
from scoring.runs.plan import REFUSED
from scoring.runs.prompts import sent
from scoring.runs.run import score
from scoring.workspace.cache import VoteParts

CASES = [reference.Case(3, gold) for gold in (-1, 0, 1, 2, -1, 0)]
ANALYSIS = GeneratedAnswer("Fine. Is the step correct (Yes/No)? Yes", finish_reason="stop", tokens_in=10, tokens_out=5)


def family(name="rprm", **options):
    found = FAMILIES[name]
    every = found.chosen_options(options)
    return found.make(found.wording(None, every), every, Sampling(0.5, max_tokens=100))


def judges(question, yes=0.8):
    """An analysis, and for a question about one token a decision."""
    if question.sampling.max_tokens == 1:
        return replace(talking.decides(_Yes=yes, _No=1 - yes), tokens_in=12)
    return ANALYSIS


class Engine:
    """Answers each ask by a function of it, in another order than it was asked, as many at a time as `flight`."""

    name = "made up"

    def __init__(self, answer=judges, flight=4):
        self.answer, self.flight, self.asked, self.most = answer, flight, [], 0

    def answers(self, asks):
        shuffled, waiting, more = random.Random(1), [], True
        while waiting or more:
            while more and len(waiting) < self.flight:
                one = next(asks, "end")
                more = one != "end"
                if not isinstance(one, GenerationRequest):
                    break
                waiting.append(one)
                self.asked.append(one)
            self.most = max(self.most, len(waiting))
            yield None
            if waiting:
                one = waiting.pop(shuffled.randrange(len(waiting)))
                yield Answered(one.index, (self.answer(one),), 1, 0)


@pytest.fixture
def bench(tmp_path):
    workspace = making.workspace(tmp_path / "ws", CASES, [])
    cases, texts = workspace.cases()
    return cases, texts, VoteParts(tmp_path / "ws" / "rewards" / "prm")


def run(bench, engine, talking_about=None, **how):
    return list(started(bench, engine, talking_about, **how))


def started(bench, engine, talking_about=None, **how):
    cases, texts, parts = bench
    words = {name: how.pop(name) for name in ("retry_refused", "interrupt", "rows", "dry_run") if name in how}
    prm = talking_about or family()
    asking = Asking(partial(Dialogues, prm, how.pop("seed", None)), max_tokens=prm.longest, **how)
    return score(cases, texts, making.scorer("prm"), parts, asking, engine=lambda: engine, **words)


def test_a_vote_is_one_row_with_all_that_was_said_and_a_reward_a_step(bench):
    events = run(bench, Engine(), votes=2, runs=2, seed=7)
    frame, problems = bench[2].read()
    assert problems == []
    assert frame.select("vote", "run").n_unique() == 4
    assert len(frame) == 24
    row = frame.filter(key=bench[0]["key"][0], run=1, vote=1).row(0, named=True)
    assert row["rewards"] == pytest.approx([0.8] * 3)
    assert json.loads(row["answer"]) == [[ANALYSIS.text, "Yes"]] * 3
    tokens = json.loads(row["logprobs"])
    assert [one[0] for one in tokens] == [" Yes"] * 3
    assert [talking.reference(dict(one[2])[" Yes"], dict(one[2])[" No"]) for one in tokens] == pytest.approx([0.8] * 3)
    told = {"finish_reason": "stop", "tokens_in": 66, "tokens_out": 18, "seed": 1008, "reader": "rprm-softmax-1"}
    assert {name: row[name] for name in told} == told
    assert (row["reason"], row["ballot"], row["verdict"], row["engine"], len(row["prompt"])) == (
        None,
        None,
        None,
        "made up",
        32,
    )
    assert row["seconds"] > 0
    end = events[-1]
    assert (end.status, end.scored, end.refused, end.left, end.saved) == ("done", 6, 0, 0, 24)
    assert end.asked == Asked(wanted=24, answers=24, tokens_in=24 * 66, tokens_out=24 * 18, calls=24 * 6)


def test_two_runs_at_once_hold_each_talk_once(bench, monkeypatch):
    monkeypatch.setattr(leases, "_SMALLEST", 1)
    monkeypatch.setattr(row_saver, "ROWS", 1)
    engines = [Engine(), Engine()]
    ends = in_turn(*(started(bench, engine, votes=4) for engine in engines))
    assert [(end.status, end.left) for end in ends] == [("done", 0)] * 2
    assert all(engine.asked for engine in engines)
    assert sum(len(engine.asked) for engine in engines) == 24 * 6
    assert sum(end.saved for end in ends) == len(bench[2].read()[0]) == 24


def test_the_engine_is_kept_full_and_nothing_more_is_begun_than_it_has_room_for(bench):
    engine = Engine(flight=5)
    run(bench, engine)
    assert engine.most == 5
    assert len(engine.asked) == 36
    # A talk goes on before another begins, so talks are never opened ahead of what is in flight.
    opened = closed = ahead = 0
    for one in engine.asked:
        opened += one.sampling.max_tokens != 1
        closed += one.sampling.max_tokens == 1
        ahead = max(ahead, opened - closed)
    assert ahead <= 5


def test_every_call_has_a_seed_of_its_own(bench):
    engine = Engine()
    run(bench, engine, rows=[0], votes=2, runs=2, seed=3)
    seeds = [one.seed for one in engine.asked]
    assert len(set(seeds)) == len(seeds) == 24
    assert all(0 <= seed < 2**31 for seed in seeds)
    again = Engine(flight=1)
    run((bench[0], bench[1], VoteParts(bench[2].folder.with_name("again"))), again, rows=[0], votes=2, runs=2, seed=3)
    assert sorted(one.seed for one in again.asked) == sorted(seeds)
    assert other_seed(None, 1, 2) is None
    unseeded = Engine()
    run(bench, unseeded, rows=[1])
    assert {one.seed for one in unseeded.asked} == {None}


def test_what_is_there_is_not_asked_again(bench):
    run(bench, Engine(), votes=2)
    again = Engine()
    assert run(bench, again, votes=2)[0].cached == 6
    assert again.asked == []
    run(bench, again, votes=3)
    assert len(again.asked) == 36


def test_a_step_without_a_reward_is_a_vote_that_could_not_be_read(bench):
    def judged(question):
        second = "Now Step: Step 2" in question.prompt[1].text and question.sampling.max_tokens == 1
        return talking.decides(perhaps=1.0) if second else judges(question)

    events = run(bench, Engine(judged))
    frame, _ = bench[2].read()
    assert set(frame["reason"]) == {"neither word among the likeliest (step 1)"}
    assert frame["rewards"].null_count() == 6
    for row in frame.iter_rows(named=True):
        first, second, third = [one if one is None else one[0] for one in json.loads(row["logprobs"])]
        assert second == "perhaps"
        assert {first, third} <= {" Yes", None}
        # What is begun is kept, and what is not is not begun.
        assert [len(texts) for texts in json.loads(row["answer"])][1] == 2
    assert (events[-1].asked.unparsed, events[-1].scored, events[-1].refused) == (6, 6, 0)
    assert run(bench, Engine())[0].to_do == 0


def test_nothing_more_is_asked_about_a_vote_that_has_come_to_nothing(bench):
    nothing = replace(ANALYSIS, text="")
    empty = Engine(lambda _: nothing, flight=1)
    run(bench, empty)
    assert len(empty.asked) == 6
    assert set(bench[2].read()[0]["reason"]) == {"empty answer (step 0)"}


def test_a_failed_call_ends_its_vote_alone_and_it_is_asked_again(bench):
    cases = bench[0]
    lost = {"reason": "HTTP 500 after 6 tries"}

    def answer(question):
        text = question.prompt[1].text
        if "problem 0" in text and "Now Step: Step 2" in text:
            return GeneratedAnswer(None, **lost)
        if "problem 1" in text:
            return GeneratedAnswer(None, reason="too long", lasting=True)
        return judges(question)

    engine = Engine(answer, flight=1)
    events = run(bench, engine)
    refused = {event.case: event.reason for event in events if isinstance(event, CaseRefused)}
    assert refused == {cases["case"][0]: f"{FAILED}{lost['reason']}", cases["case"][1]: f"{REFUSED}too long"}
    assert (events[-1].refused, events[-1].asked.unanswered, events[-1].scored) == (2, 2, 4)
    # Three calls of the first case, one of the second: what else belonged to their votes is not asked.
    assert len(engine.asked) == 3 + 1 + 4 * 6
    frame, _ = bench[2].read()
    assert frame.filter(key=cases["key"][0])["answer"].to_list() == [None]
    again = Engine()
    second = run(bench, again)
    assert (second[0].to_do, second[0].refused, len(again.asked)) == (1, 1, 6)
    assert run(bench, Engine(), retry_refused=True)[-1].scored == 1


def test_an_engine_without_log_probabilities_ends_the_run_and_one_lapse_does_not(bench):
    def silent(question):
        return replace(judges(question), logprobs=None)

    with pytest.raises(EngineError, match="no log-probabilities"):
        run(bench, Engine(silent))
    assert len(bench[2].read()[0]) == 0
    given = []

    def lapse(question):
        given.append(question)
        return silent(question) if len(given) > 20 else judges(question)

    run(bench, Engine(lapse))
    frame, _ = bench[2].read()
    assert 0 < frame["rewards"].null_count() < 6
    assert all(reason is None or reason.startswith("no log-probabilities (step ") for reason in frame["reason"])


@pytest.mark.parametrize("text", ["No idea.", "<output>\n**Judgement**: $\\boxed{Yes}$\n"])
@pytest.mark.parametrize("reader", ["box", "official"])
def test_so_does_one_whose_first_judgement_is_any_text_without_them(bench, text, reader):
    engine = Engine(lambda _: GeneratedAnswer(text, finish_reason="stop", tokens_out=3), flight=1)
    with pytest.raises(EngineError, match="no log-probabilities"):
        run(bench, engine, family("genprm", reader=reader))
    assert [one.sampling.logprobs for one in engine.asked] == [None, 20]
    assert len(bench[2].read()[0]) == 0


@pytest.mark.parametrize("name", ["genprm", "rprm", "thinkprm"])
def test_a_judgement_without_text_says_nothing_about_the_engine(bench, name):
    def wordless(question):
        return GeneratedAnswer("" if question.sampling.logprobs else "Fine.", finish_reason="stop", tokens_out=1)

    run(bench, Engine(wordless), family(name))
    reason = "no box" if name == "genprm" else "empty answer"
    assert {one.split(" (")[0] for one in bench[2].read()[0]["reason"]} == {reason}


def test_an_interrupted_run_keeps_whole_votes(bench):
    with Interrupt() as interrupt:

        def answer(question):
            if len(engine.asked) == 20:
                signal.raise_signal(signal.SIGINT)
            return judges(question)

        engine = Engine(answer)
        events = run(bench, engine, interrupt=interrupt)
    end = events[-1]
    assert (end.status, end.signal) == ("interrupted", signal.SIGINT)
    assert len(bench[2].read()[0]) == end.saved == 6 - end.left > 0
    assert run(bench, Engine())[-1].left == 0


def test_a_case_without_steps_is_refused_without_a_question(tmp_path):
    workspace = making.workspace(tmp_path / "ws", [reference.Case(0, -1), reference.Case(1, 0)], [])
    cases, texts = workspace.cases()
    parts = VoteParts(tmp_path / "ws" / "rewards" / "prm")
    for name, asked in (("rprm", 2), ("genprm", 0)):
        engine = Engine()
        rows = None if name == "rprm" else [0]
        how = {"engine": lambda engine=engine: engine, "rows": rows, "retry_refused": True}
        events = list(score(cases, texts, making.scorer("prm"), parts, Asking(partial(Dialogues, family(name))), **how))
        assert len(engine.asked) == asked
        assert [event.reason for event in events if isinstance(event, CaseRefused)] == [f"{REFUSED}it has no steps"]
        assert events[-1].status == "done"


def test_a_dry_run_counts_the_first_calls(bench):
    engine = Engine()
    events = run(bench, engine, votes=2, dry_run=True)
    (found,) = [event for event in events if isinstance(event, Estimate)]
    assert (found.prompts, found.answers, found.max_tokens) == (18, 36, 100)
    assert engine.asked == []
    (whole,) = [one for one in run(bench, engine, family("genprm"), dry_run=True) if isinstance(one, Estimate)]
    assert whole.prompts == 6


def test_a_conversation_goes_on_from_step_to_step(bench):
    def answer(question):
        if question.sampling.logprobs is None:
            return GeneratedAnswer("Right.\n", finish_reason="stop", tokens_in=3, tokens_out=2)
        return replace(talking.box("No", Yes=0.3, No=0.6), finish_reason="stop", tokens_in=3)

    engine = Engine(answer)
    run(bench, engine, family("genprm", verify="off"))
    frame, _ = bench[2].read()
    assert len(engine.asked) == 36
    assert frame["rewards"].to_list() == [pytest.approx([1 / 3] * 3)] * 6
    assert json.loads(frame["answer"][0]) == [["Right.\n", "{No}$\n"] * 3]


def test_the_mean_of_the_votes_decides_on_the_board(bench):
    chances = {0: 0.9, 1: 0.3, 2: 0.3}
    seeds = {other_seed(5 + vote, talk, 1): vote for vote in chances for talk in range(3)}
    run(bench, Engine(lambda question: judges(question, chances[seeds.get(question.seed, 0)])), votes=3, seed=5)
    found = evaluate(Gold(bench[0]), making.scorer("prm"), making.rewards([]), votes=bench[2].read()[0])
    assert [found.rewards.of(row) for row in range(6)] == [pytest.approx([0.5] * 3)] * 6
    assert found.rule.is_movable


@pytest.mark.parametrize("name", ["genprm", "rprm", "thinkprm"])
def test_what_was_sent_is_made_again_of_what_was_kept(bench, name):
    def answer(question):
        if name != "genprm":
            return judges(question)
        if question.sampling.logprobs is None:
            return GeneratedAnswer("Right, as {Yes} shows.\n", finish_reason="stop", tokens_in=3, tokens_out=2)
        if len(engine.asked) % 3 == 0:
            return GeneratedAnswer("print(1)", finish_reason="stop", tokens_out=2, logprobs=(talking.token("print"),))
        return replace(talking.box("No", "}$\n</output>\n", Yes=0.3, No=0.6), finish_reason="stop", tokens_in=3)

    engine, made = Engine(answer, flight=1), family(name, **({"verify": "off"} if name == "genprm" else {}))
    cases, texts, parts = bench
    run(bench, engine, made)
    settings = {"protocol": name, "template": made.wording.template.hash, "options": dict(made.options)}
    settings["sampling"] = {"temperature": 0.5, "max_tokens": 100}
    scorer = making.scorer("prm", settings=settings)
    asked = [one.prompt for one in engine.asked]
    for row in range(cases.height):
        (kept,) = parts.of(cases["key"][row]).iter_rows(named=True)
        found = sent(None, scorer, {}, texts.row(row), kept)
        assert found.fits, found.words
        for call in found.calls:
            asked.remove(call.prompt)
        # Nothing says what was asked before an answer failed to come: the first prompts are shown, unchecked.
        failed = sent(None, scorer, {}, texts.row(row), {**kept, "answer": None})
        assert failed.fits is None
    assert asked == []
