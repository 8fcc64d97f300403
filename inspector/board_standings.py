"""How the rows of a board stand to the best one, and to a reference: on cases that both have in common, paired.

The numbers are those of `compare`. They take a moment, so that a screen computes them behind and fills them in.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product

import numpy as np
import polars as pl
from msgspec import Struct, field

from inspector.board import Piece
from inspector.board_arrangement import COMPARED
from inspector.board_cells import BEST, BUSY, FAULT, NOT_HERE, REFERENCE, SCORER, TIED
from inspector.selection import Selection
from scoring.benchmarks.registry import step_labelled
from scoring.errors import PluginError
from scoring.evaluation import Evaluation
from scoring.metrics.aligned import AlignedSteps, align_scorers, align_steps
from scoring.metrics.baselines import is_baseline
from scoring.metrics.first_error import CORRECT_ACC, ERROR_ACC, F1_SCORE
from scoring.metrics.kernel import Metric, Unparsed
from scoring.metrics.own import own_metrics, own_value
from scoring.metrics.paired import Aligned, shared, standing_rows
from scoring.metrics.resampling import Figure
from scoring.metrics.step_labels import NEGATIVE_ACC, POSITIVE_ACC, PRMSCORE
from scoring.remembered import Remembered

_MADE = Remembered(256)
"""Standings and differences, by piece: of evaluations with other thresholds they are other ones."""
_OF_F1: tuple[Metric, ...] = (F1_SCORE, ERROR_ACC, CORRECT_ACC)
_OF_STEPS: tuple[Metric, ...] = (PRMSCORE, NEGATIVE_ACC, POSITIVE_ACC)


class Ranks(Struct, frozen=True):
    """Which scorers of a piece are `BEST` and `TIED`: the paired interval of the difference to the best one holds 0.

    That is on the `n` cases that all of the `scorers` who tried any tried; `left_out` some of them did not.
    """

    kinds: Mapping[str, str]
    n: int
    left_out: int
    scorers: int


class Differences(Struct, frozen=True):
    """A row's score and accuracies less those of the reference, on the cases that both have: None where undefined."""

    score: Figure
    on_wrong: Figure
    on_right: Figure
    n: int

    @property
    def cells(self) -> tuple[float | None, ...]:
        """COMPARED, then `n`."""
        one = self.score
        return one.value, one.low, one.high, self.on_wrong.value, self.on_right.value, self.n


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
        """The rows of a board with their `standing`, and their differences as `d_score` and so on."""
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
        found = self.ranks.get((benchmark, subset))
        return found.kinds.get(scorer) if found is not None and kind == SCORER else None

    def _about(self, scorer: str) -> str | None:
        return REFERENCE if scorer == self.against else BUSY if self.busy and self.against else None


def standings(
    selection: Selection, pieces: Sequence[Piece], against: str = "", stop: Callable[[], bool] = lambda: False
) -> Standings:
    """How all scorers stand on each piece; baselines are no rivals. `stop` is asked between pieces.

    `against` is the name of the reference, a baseline perhaps; one that has no evaluation here compares with nothing.
    """
    rivals = [one for one in selection.evaluations if not is_baseline(one.scorer)]
    ranks: dict[tuple[str, str | None], Ranks] = {}
    differences: dict[str, Differences] = {}
    for piece in pieces:
        if stop():
            break
        seed, unparsed = selection.request.seed, selection.unparsed(piece.benchmark)
        there = [one for one in rivals if (one.present & piece.rows).any()]
        key = (piece.benchmark, piece.subset, seed, unparsed)
        if len(there) > 1:
            made = partial(_ranks, there, piece, unparsed, seed)
            ranks[piece.benchmark, piece.subset] = _MADE.of(("ranks", *key), (piece.rows, *there), made)
        every = [one for one in selection.evaluations if (one.present & piece.rows).any()]
        reference = next((one for one in every if one.scorer.name == against), None)
        if reference is not None and not stop():
            made_of_pairs = partial(_differences, every, reference, piece, unparsed, seed)
            pairs = _MADE.of(("differences", against, *key), (piece.rows, *every), made_of_pairs)
            differences |= {piece.key(name): one for name, one in pairs.items()}
    return Standings(ranks, differences, against)


def own_figures(selection: Selection, pieces: Sequence[Piece], stop: Callable[[], bool] = lambda: False) -> OwnFigures:
    """Ask the metrics of the user's own about every row; it takes what their code takes. `stop` is asked between."""
    values: dict[tuple[str, str], float | None] = {}
    faults: dict[str, PluginError] = {}
    for made, piece, one in product(own_metrics(), pieces, selection.evaluations):
        if stop():
            break
        if made.name in faults or not (one.present & piece.rows).any():
            continue
        ask = partial(own_value, made, one, piece.rows, unparsed := selection.unparsed(piece.benchmark))
        try:
            figure = _MADE.of(("own", made.name, unparsed), (made, one, piece.rows), ask)
        except PluginError as error:
            faults[made.name] = error
        else:
            values[made.name, piece.key(one.scorer.name)] = figure
    return OwnFigures(values, faults)


def waiting(against: str) -> Standings:
    """What may be shown while everything is being computed: nothing that may not be true any more."""
    return Standings(against=against, busy=True)


def _ranks(evaluations: list[Evaluation], piece: Piece, unparsed: Unparsed, seed: int) -> Ranks:
    """How the scorers of a piece stand to its best one."""
    aligned = _aligned(evaluations, piece, unparsed)
    tied = "prmscore_tied_with_best" if isinstance(aligned, AlignedSteps) else "tied_with_best"
    rows, trying = standing_rows(aligned, seed), len(aligned.trying)
    told = [row for row in rows if row["metric"] == tied]
    kinds = {
        row["scorer"]: BEST if row["other"] == row["scorer"] else TIED if row["value"] else ""
        for row in told
        if row["value"] is not None
    }
    return Ranks(kinds, max((row["n"] for row in told), default=0), max(row["left_out"] for row in told), trying)


def _aligned(evaluations: Sequence[Evaluation], piece: Piece, unparsed: Unparsed) -> Aligned:
    """The scorers side by side, by case or by step as the benchmark's figure is."""
    facts = step_labelled(piece.benchmark)
    if facts is None:
        return align_scorers(evaluations, piece.rows, unparsed, verdicts=False)
    return align_steps(evaluations, piece.rows, facts)


def _differences(
    evaluations: list[Evaluation], reference: Evaluation, piece: Piece, unparsed: Unparsed, seed: int
) -> dict[str, Differences]:
    """Every other scorer of a piece less the reference, on the cases that the two have in common."""
    aligned, place = _aligned(evaluations, piece, unparsed), evaluations.index(reference)
    metrics = _OF_STEPS if isinstance(aligned, AlignedSteps) else _OF_F1
    alike: dict[bytes, list[int]] = {}
    for column in range(len(evaluations)):
        if column != place:
            alike.setdefault(np.packbits(aligned.common((column, place))).tobytes(), []).append(column)
    found = {}
    for columns in alike.values():
        # Scorers that have the same cases in common with the reference share the draws.
        scores = shared(aligned, tuple(sorted((*columns, place))), seed)
        for column in columns:
            differences = [scores.difference(metric, column, place) for metric in metrics]
            found[evaluations[column].scorer.name] = Differences(
                differences[0], differences[1], differences[2], scores.n
            )
    return found
