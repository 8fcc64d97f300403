import json
import math
import signal
import threading
from itertools import pairwise

import polars as pl
import pytest

import fake_scoring
from fake_scoring import Engine, cases, encode, events, expected, kept
from scoring.data.errors import EngineError, UnwritableWorkspace
from scoring.data.readout import BEYOND_MEMORY, BEYOND_SERVER, FAILED, Batch, Encoded, EngineOutput, Refused
from scoring.data.scorer import Scorer
from scoring.models.asking import Noticed
from scoring.runs import prm_runs as module
from scoring.runs import row_saver
from scoring.runs.events import CaseRefused, End, Notice, Progress, Ready, Saved, Start, document
from scoring.runs.interrupt import Interrupt, Stopped
from scoring.runs.plan import MissingAnswers
from scoring.runs.prm_runs import EncodedCase
from scoring.runs.run_cases import RunCase
from scoring.workspace.cache import RewardParts

N = 60
REFUSED = sum(index % 7 == 6 for index in range(N))


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "fake"


def never():
    raise AssertionError("this run needs none")


def of(kind, found):
    return [event for event in found if isinstance(event, kind)]


def test_a_run_scores_everything_and_tells_it(folder):
    frame = cases(N)
    engine = Engine()
    found = list(events(folder, frame, engine))
    assert kept(folder) == expected(frame)
    assert found[0] == Start("fake", fake_scoring.SCORER.fingerprint, str(folder), N, N, 0, 0, N)
    assert of(Ready, found)[0].engine == "fake 1.0"
    assert len(of(CaseRefused, found)) == REFUSED
    assert sum(saved.rows for saved in of(Saved, found)) == of(Saved, found)[-1].total == N
    end = found[-1]
    tokens = sum(map(len, engine.ran))
    assert (end.status, end.scored, end.refused, end.saved, end.left) == ("done", N - REFUSED, REFUSED, N, 0)
    assert (end.case_tokens, end.tokens, end.padding) == (tokens, tokens, N - REFUSED)
    assert of(Progress, found)[-1].done == N
    assert Scorer.load(folder) == fake_scoring.SCORER


def test_rows_tell_the_engine_that_ran(folder):
    list(events(folder, cases(N)))
    frame, _ = RewardParts(folder).read()
    assert set(frame.filter(pl.col("rewards").is_not_null())["engine"]) == {"fake 1.0"}


def test_rows_tell_what_each_case_took(folder):
    frame = cases(N)
    end = list(events(folder, frame, Engine(8, 0.01)))[-1]
    rows, _ = RewardParts(folder).read()
    tokens = {key: encode(*texts) for key, *texts in frame.select("key", "problem", "steps").rows()}
    assert dict(rows.select("key", "tokens_in").rows()) == {
        key: None if isinstance(found, Refused) else len(found.ids) for key, found in tokens.items()
    }
    run = rows.filter(pl.col("tokens_in").is_not_null())
    assert (rows["seconds"].null_count(), set(run["tokens_out"])) == (REFUSED, {0})
    assert run["seconds"].min() > 0
    assert 0.01 * (N - REFUSED) / 8 < run["seconds"].sum() <= end.computing + 0.001


def test_every_event_is_one_line_of_json(folder):
    for event in events(folder, cases(N)):
        line = json.dumps(document(event), allow_nan=False)
        assert "\n" not in line
        assert json.loads(line)["event"] in {"start", "ready", "progress", "saved", "case_refused", "end"}


def test_a_finished_run_makes_neither_encoder_nor_engine(folder):
    frame = cases(N)
    list(events(folder, frame))
    parts = {path: path.read_bytes() for path in RewardParts(folder).parts()}
    start, end = events(folder, frame, encoder=never, engine=never)
    assert (start.cached, start.refused, start.to_do) == (N - REFUSED, REFUSED, 0)
    assert (end.status, end.cached, end.cached_refused, end.saved) == ("done", N - REFUSED, REFUSED, 0)
    assert {path: path.read_bytes() for path in RewardParts(folder).parts()} == parts


def test_only_what_is_missing_is_run(folder):
    frame = cases(N)
    list(events(folder, frame, rows=range(0, N, 2)))
    assert kept(folder) == expected(frame[::2])
    engine = Engine()
    list(events(folder, frame, engine))
    assert kept(folder) == expected(frame)
    odd = {
        encode(*row).ids
        for row in frame[1::2].select("problem", "steps").rows()
        if not isinstance(encode(*row), Refused)
    }
    assert set(engine.ran) == odd
    assert len(engine.ran) == len(odd)


def test_rows_are_the_rows_that_were_asked_for(folder):
    frame = cases(N)
    start = next(events(folder, frame, rows=[]))
    assert (start.cases, start.contents, start.to_do) == (0, 0, 0)
    list(events(folder, frame, rows=[41, 3, 17]))
    assert kept(folder) == expected(frame[[41, 3, 17]])


def test_cases_of_equal_content_are_run_once(folder):
    frame = cases(10)
    engine = Engine()
    found = list(events(folder, pl.concat([frame, frame]), engine))
    assert (found[0].cases, found[0].contents, found[0].to_do) == (20, 10, 10)
    assert len(engine.ran) == 9
    assert found[-1].scored == 9


def test_a_refusal_is_kept_and_tried_again_only_when_asked(folder):
    frame = cases(N)
    list(events(folder, frame))
    found = list(events(folder, frame, engine=never, retry_refused=True))
    assert (found[0].refused, found[0].to_do, found[-1].refused) == (0, REFUSED, REFUSED)
    list(events(folder, frame, encoder=lambda: lambda _, steps: encode("0", steps), retry_refused=True))
    assert all(reason is None for _, reason in kept(folder).values())


@pytest.mark.parametrize(
    "reason",
    [
        f"12 {BEYOND_MEMORY} cuda holds, of which 0.1 of 85.0 GB were free",
        f"12 {BEYOND_SERVER} 8",
        f"{FAILED}HTTP 500 (out of order) after 6 tries",
    ],
)
def test_a_case_that_may_be_had_another_time_or_elsewhere_is_tried_again_without_being_asked(folder, reason):
    frame = cases(N)

    class Full(Engine):
        def read(self, encoded):
            yield Batch(tuple(EngineOutput(index, Refused(reason)) for index in range(len(encoded))), 1, 0)

    assert list(events(folder, frame, Full()))[-1].refused == N
    found = list(events(folder, frame))
    assert (found[0].refused, found[0].to_do, found[-1].scored) == (REFUSED, N - REFUSED, N - REFUSED)
    assert kept(folder) == expected(frame)


def test_a_cached_row_that_does_not_fit_its_case_is_computed_again(folder):
    frame = cases(3)
    broken = [[0.5] * 9, [math.nan], None]
    rows = pl.DataFrame({"key": frame["key"], "rewards": broken}).with_columns(vote=pl.lit(0, dtype=pl.Int32))
    RewardParts(folder).append(rows)
    assert next(events(folder, frame)).to_do == 3
    list(events(folder, frame))
    assert kept(folder) == expected(frame)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ((math.nan,), "the reward of step 0 is nan, no finite number"),
        ((math.inf,), "the reward of step 0 is inf, no finite number"),
        ((0.5, 0.5), "2 rewards for 1 steps"),
        ((), "0 rewards for 1 steps"),
        (Refused("no memory"), "no memory"),
    ],
)
def test_an_answer_that_is_no_reward_a_step_is_refused_and_the_rest_goes_on(folder, answer, reason):
    frame = cases(5)
    engine = Engine(change=lambda found, place: answer if place == 0 else found)
    found = list(events(folder, frame, engine))
    wanted = expected(frame) | {frame["key"][0]: (None, reason)}
    assert kept(folder) == wanted
    assert of(CaseRefused, found) == [CaseRefused(frame["case"][0], frame["key"][0], reason)]
    assert (found[-1].scored, found[-1].refused) == (4, 1)


def test_both_numbers_of_a_step_must_be_finite():
    case = EncodedCase(MissingAnswers(0), RunCase("c", "k", "p", ["s", "t"], ()), Encoded((1, 2), (0, 1)))
    good = (0.5, 0.25)
    assert case.checked(EngineOutput(0, good, good)) == good
    for second, reason in (
        ((0.5, math.nan), "the redundancy of step 1 is nan, no finite number (it overflows)"),
        ((0.5,), "1 redundancies for 2 steps"),
    ):
        assert case.checked(EngineOutput(0, good, second, "it overflows")) == Refused(reason)


def test_positions_must_be_as_many_as_steps(folder):
    frame = cases(2)
    list(events(folder, frame, encoder=lambda: lambda problem, steps: encode(problem, [*steps, "more"])))
    assert [reason for _, reason in kept(folder).values()] == ["2 positions for 1 steps", "3 positions for 2 steps"]


def test_it_saves_as_often_as_it_says(folder, monkeypatch):
    monkeypatch.setattr(row_saver, "ROWS", 16)
    found = list(events(folder, cases(N), Engine(4)))
    assert all(saved.rows >= 16 for saved in of(Saved, found)[:-1])
    assert len(of(Saved, found)) >= 3
    monkeypatch.setattr(row_saver, "ROWS", 10**6)
    monkeypatch.setattr(row_saver, "SECONDS", 0.0)
    found = list(events(folder.with_name("other"), cases(N), Engine(4)))
    assert len(of(Saved, found)) >= N // 4 - 2


def test_many_parts_are_merged_and_nothing_is_lost(folder, monkeypatch):
    monkeypatch.setattr(row_saver, "ROWS", 1)
    monkeypatch.setattr(row_saver, "MANY_PARTS", 5)
    list(events(folder, cases(N), Engine(1, 0.002)))
    assert len(RewardParts(folder).parts()) < N / 2
    assert kept(folder) == expected(cases(N))


def test_parts_that_stay_are_not_looked_at_again_with_every_one_that_is_saved(folder, monkeypatch):
    monkeypatch.setattr(row_saver, "ROWS", 1)
    monkeypatch.setattr(row_saver, "MANY_PARTS", 5)
    looked = []
    monkeypatch.setattr(RewardParts, "compact", lambda *_, **__: looked.append(None))
    list(events(folder, cases(N), Engine(1, 0.002)))
    assert 1 < len(looked) <= N // 5


def test_a_run_does_not_wait_for_parts_to_be_merged(folder, monkeypatch):
    monkeypatch.setattr(row_saver, "ROWS", 1)
    monkeypatch.setattr(row_saver, "MANY_PARTS", 5)
    through, waited = threading.Event(), []
    monkeypatch.setattr(RewardParts, "compact", lambda *_, **__: waited.append(through.wait(10)))
    for event in events(folder, cases(N), Engine(1)):
        if isinstance(event, Progress) and event.done == N:
            through.set()
    assert waited == [True]
    assert kept(folder) == expected(cases(N))


@pytest.mark.parametrize(("name", "size"), [("WINDOW_CASES", 10), ("WINDOW_TOKENS", 200)])
def test_memory_is_bounded_by_windows(folder, monkeypatch, name, size):
    monkeypatch.setattr(module, name, size)
    given = []

    class Watched(Engine):
        def read(self, encoded):
            given.append(len(encoded))
            return super().read(encoded)

    list(events(folder, cases(N), Watched()))
    assert max(given) <= 10
    assert len(given) > 5
    assert sum(given) == N - REFUSED
    assert kept(folder) == expected(cases(N))


def test_the_next_cases_are_encoded_while_an_engine_runs(folder, monkeypatch):
    monkeypatch.setattr(module, "WINDOW_CASES", 10)
    begun = threading.Event()
    waited = []

    def noting(problem, steps):
        if int(problem.split()[-1]) >= 10:
            begun.set()
        return encode(problem, steps)

    class Waits(Engine):
        def read(self, encoded):
            waited.append(begun.wait(10))
            yield from super().read(encoded)

    list(events(folder, cases(N), Waits(), encoder=lambda: noting))
    assert all(waited)
    assert kept(folder) == expected(cases(N))


def test_what_an_engine_notices_in_every_window_is_told_once(folder, monkeypatch):
    monkeypatch.setattr(module, "WINDOW_CASES", 10)

    class Notices(Engine):
        def read(self, encoded):
            yield Noticed("a server is set aside")
            yield from super().read(encoded)

    told = of(Notice, list(events(folder, cases(N), Notices())))
    assert told == [Notice("a server is set aside")]
    assert kept(folder) == expected(cases(N))


def test_a_window_full_of_refusals_does_not_end_the_run(folder, monkeypatch):
    monkeypatch.setattr(module, "WINDOW_CASES", 1)
    list(events(folder, cases(N)))
    assert kept(folder) == expected(cases(N))


def test_a_dry_run_refuses_and_counts_and_writes_nothing(folder):
    frame = cases(N)
    found = list(events(folder, frame, engine=never, dry_run=True))
    tokens = sum(
        len(encode(*row).ids)
        for row in frame.select("problem", "steps").rows()
        if not isinstance(encode(*row), Refused)
    )
    end = found[-1]
    assert (end.status, end.refused, end.scored, end.saved, end.case_tokens) == ("dry_run", REFUSED, 0, 0, tokens)
    assert len(of(CaseRefused, found)) == REFUSED
    assert not folder.exists()


def test_an_engine_that_does_not_load_leaves_no_empty_scorer(folder):
    def fails():
        raise EngineError("no device.", "")

    with pytest.raises(EngineError):
        list(events(folder, cases(5), engine=fails))
    assert not folder.exists()


def test_what_was_computed_is_saved_when_the_engine_breaks(folder):
    class Breaks(Engine):
        def read(self, encoded):
            for number, batch in enumerate(super().read(encoded)):
                if number == 2:
                    raise ZeroDivisionError
                yield batch

    with pytest.raises(ZeroDivisionError):
        list(events(folder, cases(N), Breaks(8)))
    found = kept(folder)
    assert sum(reason is None for _, reason in found.values()) == 16
    assert found.items() <= expected(cases(N)).items()


def test_what_was_computed_is_saved_when_the_caller_leaves(folder):
    run = events(folder, cases(N), Engine(8))
    for event in run:
        if isinstance(event, Progress):
            break
    run.close()
    assert len(kept(folder)) == REFUSED + 8


def test_a_full_disk_ends_the_run_and_keeps_what_is_saved(folder, monkeypatch):
    monkeypatch.setattr(row_saver, "ROWS", 8)
    append = RewardParts.append
    calls = []

    def full(parts, frame):
        calls.append(frame.height)
        if len(calls) > 2:
            raise UnwritableWorkspace("full.", "")
        return append(parts, frame)

    monkeypatch.setattr(RewardParts, "append", full)
    with pytest.raises(UnwritableWorkspace):
        list(events(folder, cases(N), Engine(4)))
    assert len(calls) == 3
    assert len(kept(folder)) == sum(calls[:2])


def test_unreadable_parts_are_told(folder):
    folder.mkdir()
    (folder / "part-0.parquet").write_bytes(b"PAR1")
    start = next(events(folder, cases(2)))
    assert start.to_do == 2
    assert "part-0.parquet was left out" in start.notes[0]


class Asked(Interrupt):
    """A signal that comes while the engine runs its nth batch."""

    def __init__(self, batch):
        super().__init__()
        self.left = batch

    def signal(self, found, _):
        self.left -= 1
        if self.left == 0:
            self._note(signal.SIGTERM, None)
        return found


def test_a_signal_ends_the_run_with_everything_saved(folder):
    interrupt = Asked(20)
    found = list(events(folder, cases(N), Engine(8, change=interrupt.signal), interrupt=interrupt))
    end = found[-1]
    assert (end.status, end.signal, end.scored, end.left) == ("interrupted", signal.SIGTERM, 16, N - 16 - REFUSED)
    assert end.saved == len(kept(folder)) == 16 + REFUSED
    assert isinstance(found[-2], Saved)
    list(events(folder, cases(N)))
    assert kept(folder) == expected(cases(N))


def test_a_signal_between_two_events_is_obeyed_at_the_next(folder):
    interrupt = Interrupt()
    run = events(folder, cases(N), Engine(8), interrupt=interrupt)
    assert isinstance(next(run), Start)
    interrupt._note(signal.SIGINT, None)
    assert [event.status for event in run] == ["interrupted"]
    with pytest.raises(Stopped):
        interrupt._note(signal.SIGINT, None)


def test_a_signal_while_cases_are_encoded_ends_the_run_before_the_next(folder):
    interrupt = Interrupt()
    seen = []

    def signalled(problem, steps):
        seen.append(problem)
        interrupt._note(signal.SIGINT, None)
        return encode(problem, steps)

    found = list(events(folder, cases(N), encoder=lambda: signalled, interrupt=interrupt))
    assert (len(seen), found[-1].status, found[-1].left) == (1, "interrupted", N)


def test_progress_is_told_at_most_ten_times_a_second_and_never_falls(folder):
    found = list(events(folder, cases(N), Engine(1, 0.002)))
    told = of(Progress, found)
    assert all(one.done <= other.done and one.tokens <= other.tokens for one, other in pairwise(told))
    assert len(told) <= 10 * found[-1].seconds + 3


def test_a_finished_run_of_many_cases_asks_nobody(folder):
    frame = cases(3400)
    list(events(folder, frame, Engine(512)))
    assert list(events(folder, frame, encoder=never, engine=never))[-1].status == "done"
    assert isinstance(list(events(folder, frame, engine=never))[-1], End)
