"""How the rows of a board stand to the best one, and to a reference: on cases that both have in common, paired."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product

import numpy as np
import polars as pl
from msgspec import Struct, field

from inspector.analyses.board.arrangement import COMPARED
from inspector.analyses.board.board_rows import BoardSlice
from inspector.analyses.board.cells import BEST, BUSY, FAULT, NOT_HERE, REFERENCE, SCORER, TIED
from inspector.state.common_cases import with_all_cases
from scoring.data.errors import PluginError
from scoring.data.schema import Bools
from scoring.data.storage.remembered import IdentityCache
from scoring.evaluation.case_counts import runs_among
from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.aligned import align_scorers
from scoring.metrics.baselines import is_baseline
from scoring.metrics.benchmark_metrics import metrics_of
from scoring.metrics.first_error import CORRECT_ACC, ERROR_ACC
from scoring.metrics.headline import score_of
from scoring.metrics.kernel import Unparsed
from scoring.metrics.own import own_metrics
from scoring.metrics.own_family import family_of
from scoring.metrics.paired import standing_rows, tied_name
from scoring.metrics.resampling import Figure
from scoring.metrics.shared_draws import Aligned, compared_metrics, shared, shared_scores
from scoring.metrics.step_metrics import NEGATIVE_ACC, POSITIVE_ACC
from scoring.selection.result_set import ResultSet

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
        unparsed = results.unparsed(piece.benchmark)
        ask = partial(score_of, family_of(made), "average", evaluation, piece.rows, unparsed)
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
        heads = [
            metrics_of(piece.benchmark).headline(evaluation, piece.rows, unparsed, None)
            for evaluation in (*best, *several)
        ]
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
    official = metrics_of(piece.benchmark).aligned(evaluations, piece.rows, unparsed)
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
