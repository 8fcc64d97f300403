"""The board: a row a scorer and benchmark (or subset), with the official metric and the outcomes behind it."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import asdict

from inspector.board_cells import BASELINE, NOBODY, SCORER
from inspector.filtering.searching import matching
from inspector.headline import F1, PRMSCORE, Headline, headline, subset_headlines
from inspector.selection import Selection
from scoring.benchmarks.registry import step_labelled
from scoring.evaluation import Evaluation
from scoring.filters import Facet
from scoring.metrics.baselines import is_baseline
from scoring.metrics.kernel import Unparsed
from scoring.metrics.shares import bias_rows
from scoring.metrics.step_counts import judged_steps
from scoring.remembered import Remembered
from scoring.step_rewards import Bools
from scoring.text_search import Found
from scoring.verdicts import (
    CLEAN,
    DEV,
    EARLY,
    EXACT,
    LATE,
    MISSED,
    ON_CLEAN,
    ON_ERRONEOUS,
    OUTCOMES,
    REFUSED,
    UNPARSED,
    UNSCORED,
    Decision,
    compared_words,
)

BOARD = {
    "row": pl.String(),
    "kind": pl.String(),
    "scorer": pl.String(),
    "benchmark": pl.String(),
    # Null where the row is of the whole benchmark.
    "subset": pl.String(),
    # F1 or PRMScore, whichever `metric` says the benchmark reports, and the accuracies on what is wrong and right.
    "metric": pl.String(),
    "score": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "on_wrong": pl.Float64(),
    "on_right": pl.Float64(),
    "over": pl.String(),
    "reason": pl.String(),
    # Over the runs that the figures are means of: the sample standard deviation of the score, null for one run.
    "sd": pl.Float64(),
    "runs": pl.Int64(),
    # Cases (F1) or steps (PRMScore) in the score's denominators, and whether few cases say it.
    "n": pl.Int64(),
    "small": pl.Boolean(),
    # Accuracy on what is right minus that on what is wrong, of all subsets counted together.
    "bias": pl.Float64(),
    # Shares of the erroneous cases that are called wrong too early, and too late or not at all.
    "fp": pl.Float64(),
    "fn": pl.Float64(),
    "erroneous": pl.Int64(),
    "threshold": pl.Float64(),
    "threshold_source": pl.String(),
    "scored": pl.Int64(),
    "cases": pl.Int64(),
    "about": pl.String(),
    **{outcome: pl.Int64() for outcome in OUTCOMES},
}
SEPARATOR = "\n"
"""Between scorer, benchmark and subset in the column `row`; no name holds a line break."""
_LINES = Remembered(512)
"""Lines that were made, by scorer and piece: an evaluation with another threshold is another one."""
_MASKS = Remembered(64)
"""Cases under conditions and a text search."""


class Piece(Struct, frozen=True, eq=False):
    """The cases of a benchmark, or of one of its subsets, that the board speaks of.

    `rows` (n,) are these, `whole` (n,) those of the benchmark; `subset` is None where both are the same.
    """

    benchmark: str
    subset: str | None
    rows: Bools
    whole: Bools

    def key(self, scorer: str) -> str:
        """The name of a scorer's row."""
        return SEPARATOR.join((scorer, self.benchmark, *(() if self.subset is None else (self.subset,))))


class _Line(Struct, frozen=True, eq=False):
    """What a scorer made of a piece: the metric, the cases by outcome, and the figures beside."""

    head: Headline
    counts: list[int]
    figures: dict[str, Any]


def pieces(
    selection: Selection, base: tuple[str, ...] = (), search: Found | None = None, *, subsets: bool = False
) -> list[Piece]:
    """Every benchmark, in the order of the cases, and with `subsets` after each its subsets, if it has two or more.

    `base` and `search` are the conditions and the text search that hold for the whole app; filters of the cases screen
    do not touch the board.
    """
    found = []
    for benchmark in selection.benchmarks:
        conditions = (*base, Facet("benchmark", (benchmark,)).sql)
        whole = _members(selection, conditions, search)
        found.append(Piece(benchmark, None, whole, whole))
        for subset in subsets_of(selection, benchmark) if subsets else ():
            rows = _members(selection, (*conditions, Facet("subset", (subset,)).sql), search)
            found.append(Piece(benchmark, subset, rows, whole))
    return found


def _members(selection: Selection, conditions: tuple[str, ...], search: Found | None) -> Bools:
    """The cases under conditions and a text search: the same mask as long as nothing changes."""
    member = selection.passing(conditions)
    if search is None:
        return member
    return _MASKS.of(conditions, (member, search), lambda: member & matching(search, selection.height))


def subsets_of(selection: Selection, benchmark: str) -> list[str]:
    """The subsets of a benchmark in the order of the cases; none where it has fewer than two."""
    subsets = selection.cases.filter(pl.col("benchmark") == benchmark)["subset"].drop_nulls()
    names: list[str] = subsets.unique(maintain_order=True).to_list()
    return names if len(names) > 1 else []


def board_frame(
    selection: Selection,
    base: tuple[str, ...] = (),
    search: Found | None = None,
    *,
    subsets: bool = False,
    scorers: Sequence[str] | None = None,
) -> pl.DataFrame:
    """One row for every scorer and benchmark that it gave anything for, the best first within a benchmark.

    With `subsets` also one for every subset, after those of its benchmark. `scorers` are names; None = all. For `base`
    and `search` see `pieces`.
    """
    rows = []
    for piece in pieces(selection, base, search, subsets=subsets):
        for evaluation in selection.evaluations:
            if scorers is None or evaluation.scorer.name in scorers:
                line = _line_of(selection, evaluation, piece)
                rows += [] if line is None else [_row(evaluation, piece, line)]
    frame = pl.DataFrame(rows, schema=BOARD, orient="row").with_row_index("_at")
    first = pl.col("_at").min().over("benchmark", "subset")
    ordered = frame.sort("benchmark", first, "score", "scorer", descending=[False, False, True, False], nulls_last=True)
    return ordered.drop("_at")


def unscored_frame(found: Sequence[Piece], scored: Collection[str]) -> pl.DataFrame:
    """One row for every whole benchmark but those that are `scored`, so that it is seen and can be opened."""
    rows = [
        {
            **dict.fromkeys(BOARD),
            "row": SEPARATOR.join(("", piece.benchmark)),
            "kind": NOBODY,
            "scorer": "(not scored)",
            "benchmark": piece.benchmark,
            "metric": F1 if step_labelled(piece.benchmark) is None else PRMSCORE,
            "small": False,
            "threshold_source": "",
            "about": "",
            "scored": 0,
            "cases": int(piece.rows.sum()),
        }
        for piece in found
        if piece.subset is None and piece.benchmark not in scored and piece.rows.any()
    ]
    return pl.DataFrame(rows, schema=BOARD, orient="row")


def _line_of(selection: Selection, evaluation: Evaluation, piece: Piece) -> _Line | None:
    asked = selection.unparsed(piece.benchmark), selection.request.seed, piece.benchmark
    made = partial(_line, selection, evaluation, piece)
    # Most lines stay when one threshold moves.
    key = (evaluation.scorer.name, *asked, piece.subset)
    return _LINES.of(key, (evaluation, piece.rows), made)


def _source(rule: Decision) -> str:
    """Where a threshold comes from, and what it is on where that is not the rewards."""
    compared = compared_words(rule)
    return f"{rule.source}, {compared}" if compared else rule.source


def _row(evaluation: Evaluation, piece: Piece, line: _Line) -> dict[str, Any]:
    scorer, counts = evaluation.scorer, line.counts
    return {
        "row": piece.key(scorer.name),
        "kind": BASELINE if is_baseline(scorer) else SCORER,
        "scorer": scorer.name,
        "benchmark": piece.benchmark,
        "subset": piece.subset,
        **{name: value for name, value in asdict(line.head).items() if name in BOARD},
        **line.figures,
        "threshold": evaluation.rule.threshold,
        "threshold_source": _source(evaluation.rule),
        "scored": sum(counts) - sum(counts[code] for code in (DEV, UNPARSED, REFUSED, UNSCORED)),
        "cases": sum(counts),
        "about": scorer.about,
        **dict(zip(OUTCOMES, counts, strict=True)),
    }


def _line(selection: Selection, evaluation: Evaluation, piece: Piece) -> _Line | None:
    """The metric and the outcome counts of one line; None: nothing was given for any of its cases."""
    if not (evaluation.present & piece.rows).any():
        return None
    unparsed, seed = selection.unparsed(piece.benchmark), selection.request.seed
    counts: list[int] = np.bincount(evaluation.codes[piece.rows], minlength=len(OUTCOMES)).tolist()
    # A subset's interval is that of its line of `metrics`, where all subsets are drawn together if they share problems.
    heads_of = _subset_heads(selection, evaluation, piece) if piece.subset is not None else {}
    head = heads_of.get(piece.subset or "") or headline(evaluation, piece.rows, unparsed, seed, piece.benchmark)
    return _Line(head, counts, _figures(evaluation, piece, counts, head, unparsed))


def _subset_heads(selection: Selection, evaluation: Evaluation, piece: Piece) -> dict[str, Headline]:
    """The headlines of all subsets of a piece's benchmark."""
    asked = selection.unparsed(piece.benchmark), selection.request.seed, piece.benchmark
    made = partial(subset_headlines, evaluation, piece.whole, *asked)
    return _LINES.of(("subsets", evaluation.scorer.name, *asked), (evaluation, piece.whole), made)


def _figures(
    evaluation: Evaluation, piece: Piece, counts: list[int], head: Headline, unparsed: Unparsed
) -> dict[str, Any]:
    """Bias by the unit of the score, and FP and FN as shares of the erroneous cases in the denominators."""
    erroneous, clean = _sides(evaluation, piece, counts, unparsed)
    bias = counts[CLEAN] / clean - counts[EXACT] / erroneous if erroneous and clean else None
    if head.metric != F1:
        found = bias_rows(evaluation, piece.rows, unparsed, judged_steps(evaluation, piece.benchmark))
        bias = next(row["value"] for row in found if (row["unit"], row["metric"]) == ("step", "bias"))
    return {
        "bias": bias,
        "fp": counts[EARLY] / erroneous if erroneous else None,
        "fn": (counts[LATE] + counts[MISSED]) / erroneous if erroneous else None,
        "erroneous": erroneous,
    }


def _sides(evaluation: Evaluation, piece: Piece, counts: list[int], unparsed: Unparsed) -> tuple[int, int]:
    """How many erroneous and clean cases stand in the denominators.

    From the counts of outcomes, which say all but on which side cases without a verdict are.
    """
    erroneous, clean = (sum(counts[code] for code in codes) for codes in (ON_ERRONEOUS, ON_CLEAN))
    if unparsed == "wrong" and counts[UNPARSED] + counts[REFUSED] and evaluation.nothing is None:
        lost = piece.rows & evaluation.gold.known & np.isin(evaluation.codes, (UNPARSED, REFUSED))
        wrong = int((lost & (evaluation.gold.earliest >= 0)).sum())
        erroneous, clean = erroneous + wrong, clean + int(lost.sum()) - wrong
    return erroneous, clean


def metrics_of(frame: pl.DataFrame) -> tuple[str, ...]:
    """The metrics that a board's rows are of; F1 where there is no row."""
    return tuple(frame["metric"].unique().sort()) or (F1,)
