"""The document of `compare --pairs`: agreement, what each lacks that the other has, and the oracle's choice of both."""

from itertools import chain

import polars as pl

from inspector.breakdown import within
from inspector.comparison import lineups, need_two, scorer_command, without_gold
from inspector.documents import provenance
from inspector.run_notes import first_run_notes
from inspector.selection import Selection
from scoring.export import Document
from scoring.metrics.complements import OVER_BETTER, agreement_rows, covered_rows, oracle_rows
from scoring.metrics.intervals import RESAMPLES
from scoring.official_rows import METRICS

PAIRS = {
    "scorer": METRICS["scorer"],
    "other": pl.String(),
    **{name: METRICS[name] for name in ("benchmark", "subset")},
    "side": pl.String(),
    **{name: METRICS[name] for name in ("metric", "value", "low", "high", "n")},
    "count": pl.Int64(),
    "better": pl.String(),
    "reason": METRICS["reason"],
    "note": pl.String(),
    "where": pl.String(),
}
NOTES = (
    (
        "both_right_or_wrong, same_outcome, same_verdict: shares of the cases that both tried (of verdicts: that both "
        "have one of) on which they agree; covered: of the cases that `scorer` has wrong the share that `other` has "
        "right"
    ),
    f"oracle_METRIC: a case is right as soon as one of the two has it right; its gain is over `better`, {OVER_BETTER}",
    "`where` selects `count` cases: those that agree or are covered, or for the oracle all in the denominator",
    (
        "low and high: 95%, Wilson's for shares with cases taken as independent, and for the oracle a paired bootstrap "
        f"of {RESAMPLES} resamples"
    ),
)


def pairs_document(selection: Selection, form: str = "") -> Document:
    """Rows of every two of the chosen scorers; `covered` is told both ways.

    `side` is all, erroneous or clean. `subset` is `average` for what is a mean over subsets, else `all`.

    Raises:
        UsageError: fewer than two scorers are chosen.
    """
    need_two(selection)
    rows = []
    for benchmark, lineup in lineups(selection).items():
        found = chain(agreement_rows(lineup), covered_rows(lineup), oracle_rows(lineup, selection.request.seed))
        for row in found:
            where = " AND ".join((*within(selection, benchmark), row["where"]))
            subset = "average" if row["metric"].startswith("oracle_") else "all"
            rows.append({"benchmark": benchmark, "subset": subset, **row, "where": where})
    notes = (*NOTES, *first_run_notes(selection), *without_gold(selection))
    command = scorer_command(selection, "compare", "--pairs", form=form)
    return Document(pl.DataFrame(rows, schema=PAIRS, orient="row"), provenance(selection, command, notes))
