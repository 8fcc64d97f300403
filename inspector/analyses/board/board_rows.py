"""The board: a row a scorer and benchmark (or subset), with the official metric and the outcomes behind it."""

from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import asdict

from inspector.analyses.board.cells import BASELINE, NOBODY, PUBLISHED, SCORER
from inspector.render.texts.sentences import F1, PRMSCORE
from scoring.data.schema import Bools
from scoring.data.storage.remembered import IdentityCache
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import (
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
    compared_words,
)
from scoring.metrics.baselines import is_baseline
from scoring.metrics.benchmark_metrics import metrics_of
from scoring.metrics.bias import bias_rows
from scoring.metrics.deciding import rule_among
from scoring.metrics.headline import Headline
from scoring.metrics.kernel import Unparsed
from scoring.metrics.published.papers import NO_SCORERS, PAPERS, figures
from scoring.metrics.step_contributions import judged_steps
from scoring.selection.result_set import ResultSet
from scoring.selection.searching import matching
from scoring.workspace.filtering.filters import Facet
from scoring.workspace.filtering.text_search import SearchMatches

BOARD = {
    "row": pl.String(),
    "kind": pl.String(),
    "scorer": pl.String(),
    "benchmark": pl.String(),
    # Null where the row is of the whole benchmark.
    "subset": pl.String(),
    # What `metric` says the benchmark reports, and the accuracies on what is wrong and right.
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
    # Cases (F1) or steps (PRMScore) in the score's denominators, and whether few say it.
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
_LINES = IdentityCache(512)
"""Lines that were made, by scorer and piece: an evaluation with another threshold is another one."""
_MASKS = IdentityCache(64)
"""Cases under conditions and a text search."""


class BoardSlice(Struct, frozen=True, eq=False):
    """The cases of a benchmark, or of one of its subsets, that the board speaks of.

    `rows` (n,) are these, `whole` (n,) those of the benchmark; `subset` is None where both are the same, and "" of the
    cases that have none.
    """

    benchmark: str
    subset: str | None
    rows: Bools
    whole: Bools

    def key(self, scorer: str) -> str:
        """Return the name of a scorer's row."""
        return SEPARATOR.join((scorer, self.benchmark, *(() if self.subset is None else (self.subset,))))


class _Line(Struct, frozen=True, eq=False):
    """What a scorer made of a piece: the metric, the cases by outcome, and the figures beside."""

    head: Headline
    counts: list[int]
    figures: dict[str, Any]


def pieces(
    results: ResultSet, base: tuple[str, ...] = (), search: SearchMatches | None = None, *, subsets: bool = False
) -> list[BoardSlice]:
    """Return every benchmark, in the order of the cases, and with `subsets` its subsets after it, if it has several.

    `base` and `search` are the conditions and the text search that hold for the whole app; filters of the cases screen
    do not touch the board.
    """
    listed = []
    for benchmark in results.benchmarks:
        conditions = (*base, Facet("benchmark", (benchmark,)).sql)
        whole = _members(results, conditions, search)
        listed.append(BoardSlice(benchmark, None, whole, whole))
        for subset in subsets_of(results, benchmark) if subsets else ():
            rows = _members(results, (*conditions, subset_facet(subset).sql), search)
            listed.append(BoardSlice(benchmark, subset, rows, whole))
    return listed


def _members(results: ResultSet, conditions: tuple[str, ...], search: SearchMatches | None) -> Bools:
    """The cases under conditions and a text search: the same mask as long as nothing changes."""
    member = results.evaluated.passing(conditions)
    if search is None:
        return member
    return _MASKS.of(conditions, (member, search), lambda: member & matching(search, results.evaluated.height))


def subsets_of(results: ResultSet, benchmark: str) -> list[str]:
    """Return the subsets of a benchmark in the order of the cases; none where it has fewer than two.

    "" are the cases without one, beside others, as in `metrics`.
    """
    subsets = results.cases.filter(pl.col("benchmark") == benchmark)["subset"].fill_null("")
    names: list[str] = subsets.unique(maintain_order=True).to_list()
    return names if len(names) > 1 else []


def subset_facet(subset: str) -> Facet:
    """Select the cases of a subset, or those without one ("")."""
    return Facet("subset", (subset,) if subset else ("", None))


def board_frame(
    results: ResultSet,
    base: tuple[str, ...] = (),
    search: SearchMatches | None = None,
    *,
    subsets: bool = False,
    scorers: Sequence[str] | None = None,
) -> pl.DataFrame:
    """Return one row for every scorer and benchmark that it gave anything for, the best first within a benchmark.

    With `subsets` also one for every subset, after those of its benchmark. `scorers` are names; None = all. For `base`
    and `search` see `pieces`.
    """
    rows = []
    for piece in pieces(results, base, search, subsets=subsets):
        for evaluation in results.evaluations:
            if scorers is None or evaluation.scorer.name in scorers:
                line = _line_of(results, evaluation, piece)
                rows += [] if line is None else [_row(evaluation, piece, line, results.query.seed)]
    frame = pl.DataFrame(rows, schema=BOARD, orient="row").with_row_index("_at")
    first = pl.col("_at").min().over("benchmark", "subset")
    ordered = frame.sort("benchmark", first, "score", "scorer", descending=[False, False, True, False], nulls_last=True)
    return ordered.drop("_at")


def unscored_frame(among: Sequence[BoardSlice], scored: Collection[str]) -> pl.DataFrame:
    """Return one row for every whole benchmark but those that are `scored`, so that it is seen and can be opened."""
    rows = [
        {
            **dict.fromkeys(BOARD),
            "row": SEPARATOR.join(("", piece.benchmark)),
            "kind": NOBODY,
            "scorer": "(not scored)",
            "benchmark": piece.benchmark,
            "metric": metrics_of(piece.benchmark).title,
            "small": False,
            "threshold_source": "",
            "about": "",
            "scored": 0,
            "cases": int(piece.rows.sum()),
        }
        for piece in among
        if piece.subset is None and piece.benchmark not in scored and piece.rows.any()
    ]
    return pl.DataFrame(rows, schema=BOARD, orient="row")


def _line_of(results: ResultSet, evaluation: Evaluation, piece: BoardSlice) -> _Line | None:
    counting = results.unparsed(piece.benchmark), results.query.seed, piece.benchmark
    made = partial(_line, results, evaluation, piece)
    # Most lines stay when one threshold moves.
    key = (evaluation.scorer.name, *counting, piece.subset)
    return _LINES.of(key, (evaluation, piece.rows), made)


def _row(evaluation: Evaluation, piece: BoardSlice, line: _Line, seed: int) -> dict[str, Any]:
    scorer, counts, rule = evaluation.scorer, line.counts, rule_among(evaluation, piece.rows, seed)
    return {
        "row": piece.key(scorer.name),
        "kind": BASELINE if is_baseline(scorer) else SCORER,
        "scorer": scorer.name,
        "benchmark": piece.benchmark,
        "subset": piece.subset,
        **{name: value for name, value in asdict(line.head).items() if name in BOARD},
        **line.figures,
        "threshold": rule.threshold,
        "threshold_source": f"{rule.source}, {compared}" if (compared := compared_words(rule)) else rule.source,
        "scored": sum(counts) - sum(counts[code] for code in (DEV, UNPARSED, REFUSED, UNSCORED)),
        "cases": sum(counts),
        "about": scorer.about,
        **dict(zip(OUTCOMES, counts, strict=True)),
    }


def _line(results: ResultSet, evaluation: Evaluation, piece: BoardSlice) -> _Line | None:
    """The metric and the outcome counts of one line; None: nothing was given for any of its cases."""
    if not (evaluation.coverage.present & piece.rows).any():
        return None
    unparsed, seed = results.unparsed(piece.benchmark), results.query.seed
    counts: list[int] = np.bincount(evaluation.codes[piece.rows], minlength=len(OUTCOMES)).tolist()
    # A subset's interval is that of its line of `metrics`, where all subsets are drawn together if they share problems.
    heads_of = subset_heads(results, evaluation, piece) if piece.subset is not None else {}
    head = heads_of.get(piece.subset or "") or metrics_of(piece.benchmark).headline(
        evaluation, piece.rows, unparsed, seed
    )
    return _Line(head, counts, _figures(evaluation, piece, counts, head, unparsed))


def subset_heads(results: ResultSet, evaluation: Evaluation, piece: BoardSlice) -> dict[str, Headline]:
    """Return the official figures of a scorer on the subsets of a benchmark, by name."""
    counting = results.unparsed(piece.benchmark), results.query.seed
    made = partial(metrics_of(piece.benchmark).headlines, evaluation, piece.whole, *counting)
    return _LINES.of(("subsets", evaluation.scorer.name, *counting, piece.benchmark), (evaluation, piece.whole), made)


def _figures(
    evaluation: Evaluation, piece: BoardSlice, counts: list[int], head: Headline, unparsed: Unparsed
) -> dict[str, Any]:
    """Bias by the unit of the score, and FP and FN as shares of the erroneous cases in the denominators."""
    erroneous, clean = _sides(evaluation, piece, counts, unparsed)
    bias = counts[CLEAN] / clean - counts[EXACT] / erroneous if erroneous and clean else None
    if head.metric == PRMSCORE:
        biases = bias_rows(evaluation, piece.rows, unparsed, judged_steps(evaluation, piece.benchmark), None)
        bias = next(row["value"] for row in biases if (row["unit"], row["metric"]) == ("step", "bias"))
    return {
        "bias": bias,
        "fp": counts[EARLY] / erroneous if erroneous else None,
        "fn": (counts[LATE] + counts[MISSED]) / erroneous if erroneous else None,
        "erroneous": erroneous,
    }


def _sides(evaluation: Evaluation, piece: BoardSlice, counts: list[int], unparsed: Unparsed) -> tuple[int, int]:
    """How many erroneous and clean cases stand in the denominators.

    From the counts of outcomes, which say all but on which side cases without a verdict are.
    """
    erroneous, clean = (sum(counts[code] for code in codes) for codes in (ON_ERRONEOUS, ON_CLEAN))
    if unparsed == "wrong" and counts[UNPARSED] + counts[REFUSED] and evaluation.coverage.nothing is None:
        lost = piece.rows & evaluation.gold.known & np.isin(evaluation.codes, (UNPARSED, REFUSED))
        wrong = int((lost & (evaluation.gold.earliest >= 0)).sum())
        erroneous, clean = erroneous + wrong, clean + int(lost.sum()) - wrong
    return erroneous, clean


def metrics_in(frame: pl.DataFrame) -> tuple[str, ...]:
    """Return the metrics that a board's rows are of; F1 where there is no row."""
    return tuple(frame["metric"].unique().sort()) or (F1,)


#
# The numbers are those of `compare`. They take a moment, so that a screen computes them behind and fills them in.


# -- printed figures as rows of a board: what a benchmark's own paper reports, beside what is computed here


_SIDES = {"prmscore": ("negative_acc", "positive_acc")}
"""By official figure the accuracies beside it, where these are not those of first errors."""


def published_frame(benchmarks: Iterable[tuple[str, str | None]]) -> pl.DataFrame:
    """Return printed figures as rows, a scorer and setting once a benchmark or subset, from the first table with it.

    Args:
        benchmarks: the benchmarks with their subsets, None for the whole one. A benchmark without a paper has no rows.
    """
    rows = [row for benchmark, subset in benchmarks for row in _rows(benchmark, subset)]
    return pl.DataFrame(rows, schema=BOARD, orient="row")


def _rows(benchmark: str, subset: str | None) -> Iterable[dict[str, object]]:
    if benchmark not in PAPERS:
        return
    name = metrics_of(benchmark).name
    sides = _SIDES.get(name, ("error_acc", "correct_acc"))
    # How the papers' tables call the official figure of a whole benchmark.
    whole = metrics_of(benchmark).whole
    printed = figures().filter(
        pl.col("paper") == benchmark,
        pl.col("domain").is_null(),
        pl.col("subset") == (whole if subset is None else subset),
        pl.col("metric").is_in([name, *sides]),
        ~pl.col("scorer").is_in(list(NO_SCORERS)),
        pl.col("value").is_not_null(),
    )
    for (_, setting), cells in printed.group_by("model", "setting", maintain_order=True):
        values = {row["metric"]: row for row in reversed(cells.sort("table").to_dicts())}
        if name not in values:
            continue
        score = values[name]
        suffix = f", {setting}" if setting else ""
        source = f"{PUBLISHED}, Table {score['table']}{suffix}"
        elsewhere = f"; the paper also prints {score['elsewhere']}" if score["elsewhere"] else ""
        tables = sorted({values[side]["table"] for side in sides if side in values} - {score["table"]})
        others = f"; its accuracies in Table {', '.join(map(str, tables))}" if tables else ""
        where = f"{PAPERS[benchmark].title}, Table {score['table']}{suffix}{others}{elsewhere}"
        about = f"Printed in {where}. No case of it is here."
        yield {
            **dict.fromkeys(BOARD),
            "row": SEPARATOR.join((score["scorer"], benchmark, subset or "", PUBLISHED, str(setting or ""))),
            "kind": PUBLISHED,
            "scorer": score["scorer"],
            "benchmark": benchmark,
            "subset": subset,
            "metric": metrics_of(benchmark).title,
            "score": score["value"],
            "on_wrong": values[sides[0]]["value"] if sides[0] in values else None,
            "on_right": values[sides[1]]["value"] if sides[1] in values else None,
            "over": "as printed",
            "small": False,
            "threshold_source": source,
            "about": about,
        }
