import numpy as np
import polars as pl
import pytest

import judged
import making
from inspector.analyses.compare.cascade import answer_costs
from reference import Case
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.metrics.aligned import align_scorers
from scoring.metrics.cascade import cascade
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.cache import VoteParts
from views import cascade_view

CASES = [Case(1, 0, (0.1,)), Case(1, 0, (0.6,)), Case(1, -1, (0.55,)), Case(1, -1, (0.9,))]
BALLOTS = [["0", "0"], ["0", "-1"], ["-1", "-1"], ["-1", None]]
IN, OUT = 100, (1, 2, 3, 4)


def workspace(root, votes):
    making.workspace(root, CASES, [(making.scorer("prm"), CASES)])
    critic = making.scorer("critic", kind="critic")
    critic.save(root / "rewards" / critic.folder)
    VoteParts(root / "rewards" / critic.folder).append(votes)
    return load(Query(workspace=str(root), scorers=("prm", "critic")))


@pytest.fixture
def votes():
    """Two answers a case in two runs; the second run costs a thousand times as much."""
    keys = making.full_frame(CASES)["key"]
    found = pl.concat([judged.votes(keys, BALLOTS, run) for run in (0, 1)])
    row = pl.col("key").replace_strict(dict(zip(keys, OUT, strict=True)), return_dtype=pl.Int64)
    return found.with_columns(
        tokens_in=pl.lit(IN, dtype=pl.Int64), tokens_out=row * 1000 ** pl.col("run").cast(pl.Int64)
    )


def test_all_answers_of_the_first_run_are_paid_for(tmp_path, votes):
    results = workspace(tmp_path, votes)
    costs, why = answer_costs(results, "critic")
    assert costs.tolist() == [2 * (IN + out) for out in OUT]
    assert why is None
    rows = cascade_view(results).rows
    told = rows.filter(pl.col("metric") == "second_tokens", pl.col("kind") == "cut")
    # Distances are 0.4, 0.1, 0.05 and 0.4: nobody is sent on, the third case, the second, then the two others.
    assert told.select("count", "value").rows() == [(0, 0), (1, 206), (2, 410), (4, 820)]


def test_what_was_not_counted_is_not_known(tmp_path, votes):
    keys = making.full_frame(CASES)["key"]
    one_lacks = pl.when((pl.col("key") == keys[0]) & (pl.col("vote") == 1)).then(None).otherwise("tokens_in")
    results = workspace(tmp_path / "one", votes.with_columns(one_lacks.alias("tokens_in")))
    costs, why = answer_costs(results, "critic")
    assert np.isnan(costs).tolist() == [True, False, False, False]
    assert why is None
    told = cascade_view(results).rows.filter(pl.col("metric") == "second_tokens", pl.col("kind") == "cut")
    assert told["value"].to_list() == [0, 206, 410, None]
    assert told["reason"].to_list() == [None, None, None, "not all answers to these cases were counted"]
    bare = workspace(tmp_path / "none", votes.with_columns(tokens_in=pl.lit(None, dtype=pl.Int64)))
    assert answer_costs(bare, "critic")[1] == "no tokens were counted of the answers of critic"
    assert answer_costs(bare, "prm")[1] == "prm gives no answers in words, whose tokens could be counted"


def test_costs_are_summed_over_who_is_sent_on(votes):
    gold = Gold(making.frame(CASES))
    first = making.evaluation(CASES)
    second = evaluate(gold, making.scorer("critic"), making.rewards([]), votes=votes)
    aligned = align_scorers([first, second], np.ones(4, dtype=bool))
    found = cascade(aligned, 0, 1, first.decision_distances)
    assert found.spent(np.array([1.0, 2, 3, 4])).tolist() == [0, 3, 5, 10]
