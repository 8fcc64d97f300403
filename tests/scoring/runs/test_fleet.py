"""The run on several workers, here values in this process whose fates a test decides."""

import itertools
import random
from collections import deque
from dataclasses import dataclass, field

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fake_scoring
import making
import reference
from scoring.data.errors import InspectError
from scoring.runs.arguments import Shard
from scoring.runs.case_sampling import in_shard
from scoring.runs.events import CaseRefused, End, Nodes, Notice, Ready
from scoring.runs.fleet import ENDS, FIRST_CASES, HOPELESS, Fleet, WaitingCases, characters
from scoring.runs.interrupt import Interrupt
from scoring.runs.plan import MissingAnswers
from scoring.runs.prm_runs import Encoding, encoded, read
from scoring.runs.prm_worker import _result
from scoring.runs.run import RunUsage, score
from scoring.runs.run_cases import RunCase
from scoring.runs.workers import (
    BlockResult,
    WorkerFailed,
    WorkerGone,
    WorkerReady,
    decode_block,
    decode_reply,
    encode_message,
)
from scoring.workspace.cache import RewardParts
from thoroughness import up_to

ENCODING = Encoding(lambda: fake_scoring.encode)


@dataclass
class Fated:
    """Workers of which `fate` says, before each message that one would send, what becomes of it.

    `poison` are keys of cases that end whoever computes them.
    """

    fate: object
    count: int = 3
    poison: frozenset = frozenset()
    queues: dict = field(default_factory=dict)
    given: list = field(default_factory=list)
    started: list = field(default_factory=list)
    held_at_ends: list = field(default_factory=list)
    name: str = "fated"

    def wanted(self):
        return self.count

    def label(self, number):
        return f"worker {number}"

    def start(self, number):
        self.started.append(number)
        self.queues[number] = deque([None])

    def give(self, number, block):
        self.given.append((number, decode_block(encode_message(block))))
        self.queues[number].append(self.given[-1][1])

    def news(self, _):
        able = [number for number, waiting in sorted(self.queues.items()) if waiting]
        if not able:
            return ()
        number, end = self.fate(able)
        if end:
            return self.ended(number, end)
        block = self.queues[number].popleft()
        if block is None:
            return [(number, WorkerReady("fake 1.0", 0.0, f"node {number % 2}"))]
        if self.poison & {case.key for _, case in block.cases}:
            self.queues[number].appendleft(block)
            return self.ended(number, KILLED)
        return [(number, decode_reply(encode_message(computed(block))))]

    def ended(self, number, end):
        blocks = [block for block in self.queues.pop(number) if block]
        if end == KILLED:
            self.held_at_ends.append({case.key for block in blocks for _, case in block.cases})
        return [(number, end)]

    def close(self):
        pass


KILLED, LOST = WorkerGone("was killed by SIGKILL"), WorkerGone("was lost with its node", preempted=True)


def computed(block):
    made = [encoded(fake_scoring.encode, missing, case, truncate=False) for missing, case in block.cases]
    window, settled = [one for one in made if hasattr(one, "tokens")], [one for one in made if hasattr(one, "rows")]
    spent = RunUsage()
    for came in read(fake_scoring.Engine(), window, (), spent, Interrupt()):
        settled += came
    places = {missing.row: place for place, (missing, _) in enumerate(block.cases)}
    return BlockResult(block.number, [_result(places[one.missing.row], one) for one in settled], spent)


def in_turn(able):
    return able[0], None


def run_of(folder, frame, workers, *clock):
    parts, texts = RewardParts(folder), fake_scoring.texts(frame)
    return score(frame, texts, fake_scoring.SCORER, parts, Fleet(ENCODING, 1, *clock), engine=lambda: workers)


def ran(folder, frame, workers, *clock):
    return list(run_of(folder, frame, workers, *clock))


def rows(folder):
    frame, problems = RewardParts(folder).read()
    assert not problems
    return {key: rest for key, *rest in frame.select("key", "rewards", "reason").sort("key").iter_rows()}


@up_to(80, 6, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    number=st.integers(1, 90),
    count=st.integers(1, 5),
    lost=st.floats(0, 0.3),
    killed=st.floats(0, 0.1),
    poisoned=st.integers(0, 2),
)
def test_whatever_workers_come_to_the_rows_are_those_of_one_machine(
    tmp_path_factory, seed, number, count, lost, killed, poisoned
):
    chance = random.Random(seed)
    frame = fake_scoring.cases(number)
    poison = frozenset(frame["key"].sample(min(poisoned, number), seed=seed))
    one, many = tmp_path_factory.mktemp("one"), tmp_path_factory.mktemp("many")
    list(fake_scoring.events(one, frame))

    def fate(able):
        draw = chance.random()
        return chance.choice(able), LOST if draw < lost else KILLED if draw < lost + killed else None

    workers, events, failed = Fated(fate, count, poison), [], ""
    try:
        events.extend(run_of(many, frame, workers))
    except InspectError as error:
        # Every place ended three times in a row, by chance or by the last cases.
        failed = str(error)
    found, expected = rows(many), rows(one)
    refused = {key for key in found if found[key] != expected[key]}
    assert all("the worker that computed it alone was killed by SIGKILL" in found[key][1] for key in refused)
    # Nobody is refused who was not there three times: with others, and twice alone.
    assert all(sum(key in held for held in workers.held_at_ends) >= 3 for key in refused)
    if failed:
        assert all(workers.started.count(place) >= ENDS for place in set(workers.started))
        return
    assert found.keys() == expected.keys()
    assert {key for key in poison if expected[key][1] is None} <= refused
    assert (events[-1].status, events[-1].left) == ("done", 0)
    assert (events[-1].scored, events[-1].refused) == _counts(found)
    assert sum(isinstance(event, CaseRefused) for event in events) == events[-1].refused


def _counts(kept):
    refused = sum(reason is not None for _, reason in kept.values())
    return len(kept) - refused, refused


def test_blocks_are_of_like_length_some_seconds_long_and_shorter_towards_the_end(tmp_path):
    frame = fake_scoring.cases(2000)
    clock = [0.0]

    def fate(able):
        clock[0] += 0.5
        return able[len(workers.given) % len(able)], None

    workers = Fated(fate, 2)
    ran(tmp_path, frame, workers, lambda: clock[0])
    sizes = [len(block.cases) for _, block in workers.given]
    lengths = [[characters(case) for _, case in block.cases] for _, block in workers.given]
    assert all(block == sorted(block, reverse=True) for block in lengths)
    assert sorted(missing.row for _, block in workers.given for missing, _ in block.cases) == list(range(2000))
    assert sizes[:2] == [FIRST_CASES] * 2
    few = Fated(in_turn, 4)
    ran(tmp_path / "few", frame.head(8), few)
    assert [len(block.cases) for _, block in few.given][:2] == [1, 1]
    assert sizes[-1] < max(sizes) / 3


@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_case_that_ends_every_worker_alone_is_refused_and_the_others_are_not(tmp_path, count):
    frame = fake_scoring.cases(60)
    poison = frame["key"][20]
    workers = Fated(in_turn, count, frozenset({poison}))
    events = ran(tmp_path, frame, workers)
    kept = rows(tmp_path)
    rewards, reason = kept.pop(poison)
    assert (rewards, reason) == (
        None,
        f"the worker that computed it alone was killed by SIGKILL, {HOPELESS} times",
    )
    expected = tmp_path / "one"
    list(fake_scoring.events(expected, frame.filter(pl.col("key") != poison)))
    assert kept == rows(expected)
    assert events[-1].status == "done"
    assert len(workers.started) < count + 10


def test_a_broken_worker_makes_no_case_suspect_to_the_others(tmp_path):
    frame = fake_scoring.cases(80)
    turns = itertools.count()

    def fate(able):
        number = able[next(turns) % len(able)]
        opened = workers.queues[number][0] is None
        return number, KILLED if number == 0 and not opened else None

    workers = Fated(fate, 2)
    events = ran(tmp_path, frame, workers)
    expected = tmp_path / "one"
    list(fake_scoring.events(expected, frame))
    assert rows(tmp_path) == rows(expected)
    assert workers.started.count(0) == ENDS
    assert (events[-1].status, events[-1].left) == ("done", 0)


def test_where_every_worker_is_broken_nothing_is_refused(tmp_path):
    def fate(able):
        number = random.Random(len(workers.given)).choice(able)
        return number, None if workers.queues[number][0] is None else KILLED

    workers = Fated(fate, 8)
    with pytest.raises(InspectError, match="3 times in a row"):
        ran(tmp_path, fake_scoring.cases(200), workers)
    assert rows(tmp_path) == {}
    assert len(workers.started) == 8 * ENDS


def test_a_worker_that_ends_again_and_again_is_not_started_again_and_the_last_one_ends_the_run(tmp_path):
    events, workers = [], Fated(lambda able: (able[0], KILLED), 2)
    run = run_of(tmp_path, fake_scoring.cases(20), workers)
    with pytest.raises(InspectError, match="worker 1 was killed by SIGKILL, 3 times in a row"):
        events.extend(run)
    assert [workers.started.count(number) for number in (0, 1)] == [ENDS, ENDS]


def test_a_worker_that_cannot_work_leaves_its_part_to_the_others(tmp_path):
    failed = WorkerFailed("Engine", "device 'cuda:7' is not usable here.", "Use another.")
    fates = iter([(1, failed)])
    events = ran(tmp_path, fake_scoring.cases(30), Fated(lambda able: next(fates, (able[0], None)), 2))
    assert [event.sentence for event in events if isinstance(event, Notice)] == [
        "worker 1 is not used: device 'cuda:7' is not usable here."
    ]
    assert isinstance(events[-1], End)
    assert (events[-1].status, events[-1].left) == ("done", 0)
    assert sum(isinstance(event, Ready) for event in events) == 1


def test_what_is_wrong_everywhere_ends_the_run_at_once(tmp_path):
    failed = WorkerFailed("Cannot use the checkpoint", "its weights hold no numbers.", "Download it again.", True)
    fates = iter([(0, None), (0, failed)])
    with pytest.raises(InspectError) as caught:
        ran(tmp_path, fake_scoring.cases(30), Fated(lambda _: next(fates), 2))
    assert str(caught.value) == ("Cannot use the checkpoint: its weights hold no numbers. Download it again.")


def test_each_machine_tells_how_far_it_is(tmp_path):
    events = ran(tmp_path, fake_scoring.cases(50), Fated(in_turn, 3))
    nodes = [event for event in events if isinstance(event, Nodes)][-1].nodes
    contents = fake_scoring.cases(50)["key"].n_unique()
    assert sum(node.done for node in nodes) == contents
    assert sum(node.tokens for node in nodes) == events[-1].tokens


def test_what_waits_counts_what_is_not_drawn_too():
    pairs = [(MissingAnswers(row), RunCase(f"b/{row}", str(row), "p" * 10, ["s" * row])) for row in range(10)]
    waiting = WaitingCases(iter(pairs), 10)
    waiting.draw(4)
    assert waiting.left == pytest.approx((10 * 4 + 6) / 4 * 10)
    assert [pair[0].row for pair in waiting.take(25)] == [3, 2]
    assert waiting.size == 21


# -- shards, which are as old as batch systems


@up_to(100, 12)
@given(
    texts=st.lists(st.tuples(st.integers(0, 30), st.integers(1, 4000)), min_size=1, max_size=200),
    count=st.integers(1, 7),
    seed=st.integers(0, 99),
)
def test_shards_part_the_contents_in_shares_of_about_equal_work_whatever_their_order(texts, count, seed):
    size_of = {f"{key:032x}": size for key, size in texts}
    keys = [f"{key:032x}" for key, _ in texts]
    sizes = np.array([size_of[key] for key in keys])

    def shards(order):
        chosen = [in_shard(pl.Series(keys)[order], sizes[order], Shard(number + 1, count)) for number in range(count)]
        return [[keys[order[row]] for row in rows] for rows in chosen]

    order = list(range(len(keys)))
    found = shards(order)
    assert sorted(key for shard in found for key in shard) == sorted(keys)
    assert all(not {*one} & {*other} for at, one in enumerate(found) for other in found[:at])
    random.Random(seed).shuffle(order)
    assert [sorted(shard) for shard in shards(order)] == [sorted(shard) for shard in found]
    work = [sum(size_of[key] for key in {*shard}) for shard in found]
    assert max(work) - min(work) <= max(size_of.values())


def test_sizes_of_texts_are_bytes_of_problem_and_steps(tmp_path):
    frame = making.full_frame([reference.Case(index % 4 + 1, -1) for index in range(30)])
    frame = frame.with_columns(problem=pl.col("problem") + "é")
    path = tmp_path / "texts.parquet"
    frame.write_parquet(path)
    expected = [
        len(problem.encode()) + sum(len(step.encode()) for step in steps)
        for problem, steps in frame.select("problem", "steps").iter_rows()
    ]
    picked = np.array([7, 3, 29, 3])
    for source in (path, frame):
        texts = fake_scoring.Texts.whole((source, source), (30, 30))
        assert texts.sizes().tolist() == expected * 2
        assert texts.gather(picked + 30).sizes().tolist() == [expected[row] for row in picked]
