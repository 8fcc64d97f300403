"""Answers that rate steps, read as rewards of their run."""

import numpy as np
import polars as pl
import pytest

import making
import reference
import step_making
from scoring.data.schema import VOTES, conform
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.step_ratings import split
from scoring.evaluation.verdicts import NO_VERDICT, UNPARSED
from scoring.metrics.step_labels import PooledSteps, step_rows
from scoring.metrics.step_metrics import PRMSCORE

CASES = [reference.Case(2, -1), reference.Case(2, 0), reference.Case(2, 1)]
FRAME = making.frame(CASES)
NONE = making.rewards([])


def votes(*rows):
    told = [
        {
            "key": FRAME["key"][case],
            "run": run,
            "vote": vote,
            "rewards": rewards,
            "reason": None if rewards else "no JSON",
        }
        for case, run, vote, rewards in rows
    ]
    frame = pl.DataFrame(told, schema={name: VOTES[name] for name in ("key", "run", "vote", "rewards", "reason")})
    return conform(frame, VOTES, "votes")


def test_each_run_has_its_own_rewards_and_what_cannot_be_read_is_unparsed():
    critic = making.scorer("critic", kind="critic", threshold=0.0, comparison="<=", low=-1.0)
    given = votes(
        (0, 0, 0, [1.0, 0.5]), (1, 0, 0, [0.0, 1.0]), (2, 0, 0, None), (0, 1, 0, [1.0, -1.0]), (2, 1, 0, [1.0, 0.0])
    )
    found = evaluate(Gold(FRAME), critic, NONE, votes=given)
    first, second = found.runs
    assert [first.rewards.of(row) for row in range(3)] == [[1.0, 0.5], [0.0, 1.0], None]
    assert first.verdicts.tolist() == [-1, 0, NO_VERDICT]
    assert first.codes[2] == UNPARSED
    assert list(first.coverage.reasons) == [None, None, "no JSON"]
    assert [second.rewards.of(row) for row in range(3)] == [[1.0, -1.0], None, [1.0, 0.0]]
    assert first.rule.is_movable


def test_votes_without_ratings_stay_votes():
    given = votes((0, 0, 0, None)).with_columns(
        ballot=pl.lit("-1"), verdict=pl.lit(-1, dtype=pl.Int32), reason=pl.lit(None, dtype=pl.String)
    )
    found = evaluate(Gold(FRAME), making.scorer(), NONE, votes=given)
    assert found.votes.verdicts[0] == -1
    assert not found.rule.is_movable


def rated(*rows):
    """Rows of (case, vote, rewards, redundancy, reason), split; the rewards frame by case."""
    told = [
        {"key": FRAME["key"][case], "run": 0, "vote": vote, "rewards": numbers, "redundancy": second, "reason": reason}
        for case, vote, numbers, second, reason in rows
    ]
    names = ("key", "run", "vote", "rewards", "redundancy", "reason")
    rewards, rest = split(conform(pl.DataFrame(told, schema={name: VOTES[name] for name in names}), VOTES, "v"), NONE)
    return {FRAME["key"].to_list().index(row["key"]): row for row in rewards.iter_rows(named=True)}, rest


def test_several_votes_are_averaged_step_by_step():
    found, rest = rated(
        (0, 2, [0.2, 1.0], None, None),
        (0, 0, [0.4, 0.0], None, None),
        (0, 1, [0.9, 0.5], None, None),
        (1, 3, [0.7, 0.1], [1.0, 0.0], None),
        (1, 5, [0.1, 0.1], [0.0, 0.0], None),
        (2, 1, [0.3, 0.6], None, None),
        (2, 0, None, None, "no box"),
    )
    assert found[0]["rewards"] == pytest.approx([1.5 / 3, 1.5 / 3])
    assert (found[1]["rewards"], found[1]["redundancy"]) == (pytest.approx([0.4, 0.1]), [0.5, 0.0])
    assert (found[2]["rewards"], found[2]["vote"], found[2]["labels"]) == ([0.3, 0.6], 1, None)
    assert rest is None


def test_a_vote_out_of_range_counts_by_its_signs_only_where_no_vote_is_sound():
    found, _ = rated(
        (0, 0, [9.0, -9.0], None, "out of range"),
        (0, 1, [0.5, 0.5], None, None),
        (1, 0, [9.0, -9.0], None, "out of range"),
    )
    assert (found[0]["rewards"], found[0]["labels"]) == ([0.5, 0.5], None)
    assert (found[1]["rewards"], found[1]["labels"]) == (None, [True, False])


def test_lists_of_another_length_and_empty_ones_have_no_part_in_the_mean():
    found, _ = rated(
        (0, 0, [0.5, 0.5], None, None),
        (0, 1, [0.9], None, None),
        (1, 0, [], None, None),
        (1, 1, [], None, None),
        (2, 0, [0.1, 0.2], None, None),
        (2, 1, [0.3, 0.4], None, None),
    )
    assert found[0]["rewards"] == [0.5, 0.5]
    assert found[1]["rewards"] == []
    assert found[2]["rewards"] == pytest.approx([0.2, 0.3])


def test_runs_with_another_number_of_votes_are_no_repetitions():
    one = pl.DataFrame(
        {"key": FRAME["key"], "ballot": ["-1", "0", "0"], "verdict": pl.Series([-1, 0, 0], dtype=pl.Int32)}
    )
    rows = [(0, 0), (0, 1), (1, 0), (2, 0), (2, 1)]
    told = [one.with_columns(run=pl.lit(run, dtype=pl.Int32), vote=pl.lit(vote, dtype=pl.Int32)) for run, vote in rows]
    found = evaluate(Gold(FRAME), making.scorer(), NONE, votes=conform(pl.concat(told), VOTES, "votes"))
    assert (len(found.runs), found.unlike) == (2, 1)


def test_figures_of_steps_are_means_over_the_runs():
    critic = making.scorer("critic", kind="critic", threshold=0.0, comparison="<=", low=-1.0)
    cases = [
        reference.Case(2, -1, error_steps=()),
        reference.Case(2, 0, error_steps=(0,)),
        reference.Case(2, 1, error_steps=(1,)),
    ]
    gold = Gold(making.frame(cases, error_type=["a", "a", "a"]))
    right = [(0, 0, 0, [1.0, 0.5]), (1, 0, 0, [-1.0, 1.0]), (2, 0, 0, [1.0, -1.0])]
    wrong = [(0, 1, 0, [1.0, -0.5]), (1, 1, 0, [1.0, 1.0]), (2, 1, 0, [1.0, -1.0])]
    facts = step_making.FACTS
    both, first, second = (
        evaluate(gold, critic, NONE, votes=votes(*rows))
        for rows in (right + wrong, right, [(c, 0, v, r) for c, _, v, r in wrong])
    )
    everyone = np.ones(3, dtype=bool)
    told = [
        {(row["subset"], row["metric"]): row for row in step_rows(one, everyone, facts)}
        for one in (both, first, second)
    ]
    for key, row in told[0].items():
        alone = [one[key]["value"] for one in told[1:]]
        assert row["runs"] == 2
        if None in alone:
            assert row["value"] is None
            continue
        assert row["value"] == pytest.approx(np.mean(alone))
        assert row["sd"] == pytest.approx(np.std(alone, ddof=1))
    assert PooledSteps.of(both, everyone, facts).values(PRMSCORE).mean() == told[0]["all", "prmscore"]["value"]
