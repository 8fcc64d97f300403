"""The board: a row a scorer and benchmark (or subset), with the official metric and the outcomes behind it."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct, field
from msgspec.structs import asdict

from inspector.analyses.board.arrangement import COMPARED
from inspector.analyses.board.cells import (
    BASELINE,
    BEST,
    BUSY,
    FAULT,
    NOBODY,
    NOT_HERE,
    PUBLISHED,
    REFERENCE,
    SCORER,
    TIED,
)
from inspector.render.texts.sentences import F1, PRMSCORE, Headline, headline, official_title, subset_headlines
from inspector.state.common_cases import with_all_cases
from inspector.state.filtering.searching import matching
from inspector.state.result_set import ResultSet
from scoring.data.errors import PluginError
from scoring.data.schema import Bools
from scoring.data.storage.remembered import IdentityCache
from scoring.evaluation.case_counts import runs_among
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
from scoring.metrics.aligned import align_official, align_scorers
from scoring.metrics.baselines import is_baseline
from scoring.metrics.benchmark_figures import official_metric
from scoring.metrics.bias import bias_rows
from scoring.metrics.deciding import rule_among
from scoring.metrics.first_error import CORRECT_ACC, ERROR_ACC
from scoring.metrics.kernel import Unparsed
from scoring.metrics.own import own_metrics
from scoring.metrics.own_figures import own_value
from scoring.metrics.paired import standing_rows, tied_name
from scoring.metrics.published.papers import NO_SCORERS, PAPERS, figures
from scoring.metrics.resampling import Figure
from scoring.metrics.shared_draws import Aligned, compared_metrics, shared, shared_scores
from scoring.metrics.step_contributions import judged_steps
from scoring.metrics.step_metrics import NEGATIVE_ACC, POSITIVE_ACC
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
    member = results.passing(conditions)
    if search is None:
        return member
    return _MASKS.of(conditions, (member, search), lambda: member & matching(search, results.height))


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
            "metric": official_title(piece.benchmark),
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
    heads_of = _subset_heads(results, evaluation, piece) if piece.subset is not None else {}
    head = heads_of.get(piece.subset or "") or headline(evaluation, piece.rows, unparsed, seed, piece.benchmark)
    return _Line(head, counts, _figures(evaluation, piece, counts, head, unparsed))


def _subset_heads(results: ResultSet, evaluation: Evaluation, piece: BoardSlice) -> dict[str, Headline]:
    counting = results.unparsed(piece.benchmark), results.query.seed, piece.benchmark
    made = partial(subset_headlines, evaluation, piece.whole, *counting)
    return _LINES.of(("subsets", evaluation.scorer.name, *counting), (evaluation, piece.whole), made)


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


def metrics_of(frame: pl.DataFrame) -> tuple[str, ...]:
    """Return the metrics that a board's rows are of; F1 where there is no row."""
    return tuple(frame["metric"].unique().sort()) or (F1,)


# -- how the rows of a board stand to the best one, and to a reference: on cases that both have in common, paired
#
# The numbers are those of `compare`. They take a moment, so that a screen computes them behind and fills them in.


_MADE = IdentityCache(256)
"""Standings and differences, by piece: of evaluations with other thresholds they are other ones."""
_ON_SIDES = {"f1": (ERROR_ACC, CORRECT_ACC), "prmscore": (NEGATIVE_ACC, POSITIVE_ACC)}
"""By official figure the accuracies beside it, on what is wrong and on what is right."""


class Ranks(Struct, frozen=True):
    """Which scorers of a piece are `BEST` and `TIED`: the paired interval of the difference to the best one holds 0.

    Only the `scorers` that tried all `n` cases take part: marks are of the same cases as the scores next to them. `why`
    names the scorers that take no part and the reason; "" where all take part.
    """

    kinds: Mapping[str, str]
    n: int
    scorers: int
    why: str = ""


class Differences(Struct, frozen=True):
    """A row's score and accuracies less those of the reference, on the cases that both have: None where undefined."""

    score: Figure
    on_wrong: Figure
    on_right: Figure
    n: int

    @property
    def cells(self) -> tuple[float | None, ...]:
        """COMPARED, then `n`."""
        score = self.score
        return score.value, score.low, score.high, self.on_wrong.value, self.on_right.value, self.n


class OwnFigures(Struct, frozen=True):
    """Metrics of the user's own: `values` by metric and name of the row; what their code did wrong, by metric."""

    values: Mapping[tuple[str, str], float | None] = field(default_factory=dict)
    faults: Mapping[str, PluginError] = field(default_factory=dict)


def state_of(metric: str) -> str:
    """Name the column that says what stands for a value that there is not."""
    return f"{metric}.state"


class Standings(Struct, frozen=True):
    """What is known of the rows of a board beside each other.

    `ranks` by benchmark and subset, `differences` by the name of the row. `against` is the reference, "" for none;
    `busy` says that this is still being computed. `own` are the metrics of the user's own, None = not computed yet.
    """

    ranks: Mapping[tuple[str, str | None], Ranks] = field(default_factory=dict)
    differences: Mapping[str, Differences] = field(default_factory=dict)
    against: str = ""
    busy: bool = False
    own: "OwnFigures | None" = None

    def beside(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return the rows of a board with their `standing`, and their differences as `d_score` and so on."""
        rows, names = frame["row"].to_list(), [f"d_{name}" for name in COMPARED]
        places = frame.select("benchmark", "subset", "scorer", "kind").iter_rows()
        standing = pl.Series("standing", [self._rank(*place) for place in places], dtype=pl.String)
        cells = [self.differences[row].cells if row in self.differences else (None,) * 6 for row in rows]
        schema = {**dict.fromkeys(names, pl.Float64()), "d_n": pl.Int64()}
        beside = pl.DataFrame(cells, schema=schema, orient="row")
        about = [self._about(scorer) for scorer in frame["scorer"]]
        reasons = [self.differences[row].score.reason if row in self.differences else None for row in rows]
        why = pl.Series("d_reason", reasons, dtype=pl.String)
        own = [column for made in own_metrics() for column in self._own(made.name, rows, frame["kind"])]
        return frame.with_columns(standing, why, pl.Series("d_standing", about, dtype=pl.String), *beside, *own)

    def _own(self, metric: str, rows: Sequence[str], kinds: Iterable[str]) -> Iterator[pl.Series]:
        """The values of a metric of the user's own, and what stands for those that there are not."""
        values = [None] * len(rows) if self.own is None else [self.own.values.get((metric, row)) for row in rows]
        state = BUSY if self.own is None else FAULT if metric in self.own.faults else None
        states = [None if kind in NOT_HERE else state for kind in kinds]
        yield pl.Series(metric, values, dtype=pl.Float64)
        yield pl.Series(state_of(metric), states, dtype=pl.String)

    def _rank(self, benchmark: str, subset: str | None, scorer: str, kind: str) -> str | None:
        ranks = self.ranks.get((benchmark, subset))
        return ranks.kinds.get(scorer) if ranks is not None and kind == SCORER else None

    def _about(self, scorer: str) -> str | None:
        return REFERENCE if scorer == self.against else BUSY if self.busy and self.against else None


def standings(
    results: ResultSet, pieces: Sequence[BoardSlice], against: str = "", stop: Callable[[], bool] = lambda: False
) -> Standings:
    """Rank all scorers on each piece; baselines are no rivals. `stop` is asked between pieces.

    `against` is the name of the reference, a baseline perhaps; one that has no evaluation here compares with nothing.
    """
    rivals = [evaluation for evaluation in results.evaluations if not is_baseline(evaluation.scorer)]
    ranks: dict[tuple[str, str | None], Ranks] = {}
    differences: dict[str, Differences] = {}
    for piece in pieces:
        if stop():
            break
        seed, unparsed = results.query.seed, results.unparsed(piece.benchmark)
        there = [evaluation for evaluation in rivals if (evaluation.coverage.present & piece.rows).any()]
        key = (piece.benchmark, piece.subset, seed, unparsed)
        if len(there) > 1:
            made = partial(_ranks, there, piece, unparsed, seed)
            ranks[piece.benchmark, piece.subset] = _MADE.of(("ranks", *key), (piece.rows, *there), made)
        every = [evaluation for evaluation in results.evaluations if (evaluation.coverage.present & piece.rows).any()]
        reference = next((evaluation for evaluation in every if evaluation.scorer.name == against), None)
        if reference is not None and not stop():
            made_of_pairs = partial(_differences, every, reference, piece, unparsed, seed)
            pairs = _MADE.of(("differences", against, *key), (piece.rows, *every), made_of_pairs)
            differences |= {piece.key(name): difference for name, difference in pairs.items()}
    return Standings(ranks, differences, against)


def own_figures(
    results: ResultSet, pieces: Sequence[BoardSlice], stop: Callable[[], bool] = lambda: False
) -> OwnFigures:
    """Ask the metrics of the user's own about every row; it takes what their code takes. `stop` is asked between."""
    values: dict[tuple[str, str], float | None] = {}
    faults: dict[str, PluginError] = {}
    for made, piece, evaluation in product(own_metrics(), pieces, results.evaluations):
        if stop():
            break
        if made.name in faults or not (evaluation.coverage.present & piece.rows).any():
            continue
        ask = partial(own_value, made, evaluation, piece.rows, unparsed := results.unparsed(piece.benchmark))
        try:
            figure = _MADE.of(("own", made.name, unparsed), (made, evaluation, piece.rows), ask)
        except PluginError as error:
            faults[made.name] = error
        else:
            values[made.name, piece.key(evaluation.scorer.name)] = figure
    return OwnFigures(values, faults)


def waiting(against: str) -> Standings:
    """Return what may be shown while everything is being computed: nothing that may not be true any more."""
    return Standings(against=against, busy=True)


def _ranks(evaluations: list[Evaluation], piece: BoardSlice, unparsed: Unparsed, seed: int) -> Ranks:
    """How the scorers of a piece stand to its best one.

    A score that is a mean over runs takes no part, and where one is above the best there is no best one. Neither does a
    scorer that did not try all cases: its score is of other cases than those of the others.
    """
    single = [evaluation for evaluation in evaluations if runs_among(evaluation, piece.rows) < 2]
    several = [evaluation for evaluation in evaluations if runs_among(evaluation, piece.rows) > 1]
    why = several_runs = _of_several_runs(several, piece.rows)
    if single:
        single, partial_words = with_all_cases(single, _aligned(single, piece, unparsed))
        why = "; ".join(words for words in (why, partial_words) if words)
    if len(single) < 2:
        return Ranks({}, 0, len(single), why)
    aligned = _aligned(single, piece, unparsed)
    rows = standing_rows(aligned, seed)
    tied = tied_name(compared_metrics(aligned)[0].name)
    ties = [row for row in rows if row["metric"] == tied]
    kinds = {
        row["scorer"]: BEST if row["other"] == row["scorer"] else TIED if row["value"] else ""
        for row in ties
        if row["value"] is not None
    }
    best = [evaluation for evaluation in single if kinds.get(evaluation.scorer.name) == BEST]
    if several_runs and best:
        heads = [headline(evaluation, piece.rows, unparsed, None, piece.benchmark) for evaluation in (*best, *several)]
        lead, *means = [head.score or 0.0 for head in heads]
        kinds = {} if max(means) > lead else kinds
    return Ranks(kinds, max((row["n"] for row in ties), default=0), len(single), why)


def _of_several_runs(evaluations: Sequence[Evaluation], rows: Bools) -> str:
    """Why some scores are not compared in pairs: they are means over runs of the cases `rows`, and pairs are of one."""
    counts = [(evaluation.scorer.name, runs_among(evaluation, rows)) for evaluation in evaluations]
    several = [f"{name} ran {runs} times" for name, runs in counts if runs > 1]
    return f"{', '.join(several)}, and scorers are compared by single runs" if several else ""


def _aligned(evaluations: Sequence[Evaluation], piece: BoardSlice, unparsed: Unparsed) -> Aligned:
    """The scorers side by side, as the benchmark's figure is made."""
    official = align_official(evaluations, piece.rows, piece.benchmark, unparsed)
    return official or align_scorers(evaluations, piece.rows, unparsed, verdicts=False)


def _differences(
    evaluations: list[Evaluation], reference: Evaluation, piece: BoardSlice, unparsed: Unparsed, seed: int
) -> dict[str, Differences]:
    """Every other scorer of a piece less the reference, on the cases that the two have in common."""
    aligned, place = _aligned(evaluations, piece, unparsed), evaluations.index(reference)
    official, *sides = compared_metrics(aligned)
    by_first_errors = None if sides else align_scorers(evaluations, piece.rows, unparsed, verdicts=False)
    alike: dict[bytes, list[int]] = {}
    for column in range(len(evaluations)):
        if column != place:
            alike.setdefault(np.packbits(aligned.common((column, place))).tobytes(), []).append(column)
    by_scorer = {}
    for columns in alike.values():
        # Scorers that have the same cases in common with the reference share the draws.
        scores = shared(aligned, tuple(sorted((*columns, place))), seed)
        for column in columns:
            if why := _of_several_runs((evaluations[column], reference), piece.rows):
                nothing = Figure(official.name, None, None, None, 0, why)
                by_scorer[evaluations[column].scorer.name] = Differences(nothing, nothing, nothing, 0)
                continue
            score = scores.difference(official, column, place)
            if by_first_errors is None:
                on_wrong, on_right = (scores.difference(metric, column, place) for metric in _ON_SIDES[official.name])
            else:
                # A figure without accuracies of its own has those of first errors beside it, pooled as it is.
                ends = shared_scores(by_first_errors, (column, place), None).pooled
                on_wrong, on_right = (ends.difference(metric, column, place) for metric in _ON_SIDES["f1"])
            by_scorer[evaluations[column].scorer.name] = Differences(score, on_wrong, on_right, scores.n)
    return by_scorer


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
    name = official_metric(benchmark)
    sides = _SIDES.get(name, ("error_acc", "correct_acc"))
    # How the papers' tables call the official figure of a whole benchmark.
    whole = "average" if name == "f1" else "all"
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
            "metric": official_title(benchmark),
            "score": score["value"],
            "on_wrong": values[sides[0]]["value"] if sides[0] in values else None,
            "on_right": values[sides[1]]["value"] if sides[1] in values else None,
            "over": "as printed",
            "small": False,
            "threshold_source": source,
            "about": about,
        }
