"""A paper's cells of a judge that ran several times are means over its runs."""

import numpy as np
import polars as pl

import judged
import making
from reference import Case
from scoring.data.schema import REWARDS
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.metrics.paper_figures import TableScope, values_of
from scoring.metrics.published.papers import PAPERS


def test_cells_are_means_over_runs_with_their_sd():
    cases = [Case(2, 0, subset="gsm8k"), Case(2, 1, subset="gsm8k"), Case(2, -1, subset="gsm8k")]
    frame = making.frame(cases, "processbench")
    answers = [["0", "0", "-1"], ["0", "1", "-1"], ["1", "0", "0"]]
    votes = pl.concat(
        judged.votes(frame["key"], [[one] for one in ballots], run) for run, ballots in enumerate(answers)
    )
    found = evaluate(Gold(frame), making.scorer("judge"), pl.DataFrame(schema=REWARDS), votes=votes)
    table = next(one for one in PAPERS["processbench"].tables if one.kind == "first errors")
    wanted = [("gsm8k", "error_acc"), ("gsm8k", "f1"), ("math", "f1")]
    values = values_of(found, TableScope("processbench", table, np.ones(3, dtype=np.bool_), "wrong"), wanted)
    error_acc, f1, math = (values[cell] for cell in wanted)
    assert (error_acc.value, error_acc.sd, error_acc.runs, error_acc.n) == (0.5, 0.5, 3, 2)
    assert (f1.value, f1.reason) == (None, "undefined in 1 of 3 runs")
    assert (math.value, math.reason) == (None, "no erroneous case was scored")
