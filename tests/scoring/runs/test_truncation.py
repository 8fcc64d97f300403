import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fake_scoring
import making
from checkpoints import Letters
from fake_scoring import Engine, cases, events, kept
from reference import Case
from scoring.data.readout import Encoded, Refused
from scoring.evaluation.evaluation import columns_of, evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.single_case import judged_wrong
from scoring.evaluation.step_rewards import align
from scoring.models.prms.base import NO_STEPS, Separated, too_long
from scoring.runs.events import CaseRefused, End, Progress
from scoring.runs.plan import reward_plan
from scoring.runs.prm_runs import Truncated, truncated
from scoring.workspace.cache import RewardParts

LIMIT = 30


def limited(problem, steps, limit=LIMIT):
    """The encoder of `fake_scoring` with a length limit."""
    found = fake_scoring.encode(problem, steps)
    return too_long(len(found.ids), limit) if isinstance(found, Encoded) and len(found.ids) > limit else found


def cut(encode, steps, further=()):
    return truncated(encode, "p", steps, further, encode("p", steps, *further))


@given(steps=st.lists(st.text("ab", max_size=5), min_size=1, max_size=30), limit=st.integers(1, 40))
def test_as_many_steps_are_kept_as_fit(steps, limit):
    asked = []

    def encode(problem, some):
        asked.append(len(some))
        return Separated(Letters(), [1], limit)(problem, some)

    whole = encode("p", steps)
    if isinstance(whole, Encoded):
        return
    found = truncated(encode, "p", steps, (), whole)
    assert len(asked) <= 2 + len(steps).bit_length()
    fitting = [n for n in range(1, len(steps)) if isinstance(encode("p", steps[:n]), Encoded)]
    if not fitting:
        assert found is whole
        return
    kept = max(fitting)
    those = "step 0" if kept == 1 else f"steps 0 to {kept - 1}"
    assert (found.kept, found.encoded) == (kept, encode("p", steps[:kept]))
    assert found.reason.startswith(f"{whole.reason}; {those} of {len(steps)} w")
    assert found.reason.endswith("scored (--truncate)")


def test_a_family_of_several_sequences_is_cut_at_a_step_and_gets_what_it_reads():
    def encode(problem, steps, reference):
        sequences, said = [], problem + reference
        for step in steps:
            said += step
            if len(said) > 12:
                return too_long(len(said), 12)
            sequences.append(Encoded(tuple(said.encode()), (len(said) - 1,)))
        return Encoded(sequences[0].ids, sequences[0].positions, tuple(sequences[1:]))

    found = cut(encode, ["aaa", "bbb", "ccc", "ddd"], ("42",))
    assert (found.kept, found.encoded.n_positions) == (3, 3)
    assert bytes(found.encoded.sequences[-1].ids) == b"p42aaabbbccc"
    assert found.reason == (
        "15 tokens are more than the 12 the model takes; steps 0 to 2 of 4 were scored (--truncate)"
    )


def test_steps_that_fit_and_are_refused_for_another_reason_refuse_the_case():
    def encode(_, steps):
        if len(steps) > 6:
            return too_long(len(steps), 6)
        return Refused("a seam") if "x" in steps else Encoded(tuple(range(len(steps))), tuple(range(len(steps))))

    assert cut(encode, ["x", *"abcdefgh"]) == Refused("a seam")
    assert cut(encode, [*"abcdefgh", "x"]).kept == 6
    assert isinstance(cut(encode, [*"abcdefgh"]), Truncated)


def test_only_a_refusal_over_length_is_known_as_one():
    assert too_long(5120, 4096).over_length
    assert not NO_STEPS.over_length
    assert too_long(5120, 4096) == Refused("5,120 tokens are more than the 4,096 the model takes")


# -- a run


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "fake"


@pytest.fixture
def frame():
    """Twelve cases of one to four steps; those of three and four are over the limit."""
    return cases(12)


def whole(frame, row):
    return fake_scoring.expected(frame)[frame["key"][row]][0]


def test_a_case_over_length_has_the_rewards_of_its_first_steps_and_stays_refused(folder, frame):
    found = list(events(folder, frame, encoder=lambda: limited, truncate=True))
    rows = kept(folder)
    (long,) = (row for row in range(12) if row == 3)
    rewards, reason = rows[frame["key"][long]]
    assert 0 < len(rewards) < 4
    assert rewards == whole(frame, long)[: len(rewards)]
    assert "--truncate" in reason
    cut_off = [key for key, (some, why) in rows.items() if some is not None and why is not None]
    told = [event for event in found if isinstance(event, CaseRefused)]
    assert {event.key: event.scored_steps for event in told} == {
        key: len(some or []) for key, (some, why) in rows.items() if why
    }
    end = found[-1]
    assert (end.truncated, end.refused) == (len(cut_off), len(told))
    assert end.scored + end.refused == end.saved == 12
    assert [event for event in found if isinstance(event, Progress)][-1].truncated == len(cut_off)


def test_without_it_nothing_is_cut(folder, frame):
    end = list(events(folder, frame, encoder=lambda: limited))[-1]
    assert (end.truncated, end.refused > 0) == (0, True)
    assert all((rewards is None) == (reason is not None) for rewards, reason in kept(folder).values())


def test_what_was_refused_as_too_long_is_tried_again_once_and_nothing_else(folder, frame):
    first = list(events(folder, frame, encoder=lambda: limited))
    too = [event for event in first if isinstance(event, CaseRefused) and "the model takes" in event.reason]
    others = first[-1].refused - len(too)
    again = list(events(folder, frame, encoder=lambda: limited, truncate=True))
    assert (again[0].to_do, again[0].refused) == (len(too), others)
    assert again[-1].truncated == len(too) > 0
    third = list(events(folder, frame, encoder=lambda: limited, truncate=True))
    assert (third[0].to_do, third[0].refused) == (0, first[-1].refused)
    # Nor does a run without it take the rewards away, be it one that tries again what was refused.
    assert next(events(folder, frame, encoder=lambda: limited)).to_do == 0
    before = kept(folder)
    list(events(folder, frame, encoder=lambda: limited, retry_refused=True))
    assert kept(folder) == before


def test_a_first_step_that_does_not_fit_is_refused_as_ever(folder, frame):
    end = list(events(folder, frame, encoder=lambda: lambda *case: limited(*case, 5), truncate=True))[-1]
    assert (end.truncated, end.scored) == (0, 0)
    assert all(rewards is None for rewards, _ in kept(folder).values())


def test_an_engine_may_refuse_a_truncated_case(folder, frame):
    engine = Engine(change=lambda *_: Refused("no memory"))
    end = list(events(folder, frame, engine, encoder=lambda: limited, truncate=True))[-1]
    assert (end.truncated, end.scored) == (0, 0)
    assert "no memory" in {reason for _, reason in kept(folder).values()}


def test_a_dry_run_tells_what_would_be_cut(folder, frame):
    found = list(events(folder, frame, encoder=lambda: limited, truncate=True, dry_run=True))
    end = found[-1]
    assert isinstance(end, End)
    assert end.truncated == sum(event.scored_steps > 0 for event in found if isinstance(event, CaseRefused)) > 0
    assert not folder.exists()


# -- what comes of it


def rows_of(cases, reasons):
    return making.rewards(cases).with_columns(reason=pl.Series(reasons, dtype=pl.String))


def test_rewards_of_first_steps_are_kept_apart_and_decide_nothing():
    cases = [Case(3, 0, (0.1, 0.9)), Case(3, 0, (0.1, 0.9, 0.2)), Case(2, -1, (0.9, 0.9)), Case(2, -1, ())]
    rewards = rows_of(cases, ["over", None, "odd", "over"])
    found = align(making.frame(cases), rewards)
    assert [found.first_of(row) for row in range(4)] == [[0.1, 0.9], None, None, None]
    assert [found.of(row) for row in range(4)] == [None, [0.1, 0.9, 0.2], None, None]
    assert found.refused.tolist() == [True, False, True, True]
    decided = evaluate(Gold(making.frame(cases)), making.scorer("s"), rewards)
    bare = evaluate(
        Gold(making.frame(cases)),
        making.scorer("s"),
        rewards.with_columns(rewards=pl.when(pl.col("reason").is_null()).then("rewards")),
    )
    assert columns_of(decided).equals(columns_of(bare))
    assert judged_wrong(decided, 0) is None


@pytest.mark.parametrize(("value", "shown"), [(None, [0.1]), (float("nan"), None), (float("inf"), None)])
def test_rewards_that_are_not_finite_are_not_shown(value, shown):
    cases = [Case(3, 0, (0.1, value))]
    assert align(making.frame(cases), rows_of(cases, ["over"])).first_of(0) == shown


def test_a_case_scored_whole_beats_one_that_was_truncated(folder):
    cases = making.full_frame([Case(3)]).select("key", "n_steps")
    parts = RewardParts(folder)
    done = making.rewards([Case(3, -1, (0.1, 0.2, 0.3))])
    parts.append(done)
    parts.append(rows_of([Case(3, -1, (0.1,))], ["over"]))
    assert align(cases, parts.read()[0]).of(0) == [0.1, 0.2, 0.3]
    assert reward_plan(cases, parts, truncate=True).rows == ()
