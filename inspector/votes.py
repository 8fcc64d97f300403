"""The document of `votes`: the official figures had there been fewer votes, for every number of them, from one run."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from inspector.notes import interval_notes
from inspector.provenance import averaging, provenance
from inspector.selection import Selection
from inspector.sentences import counted
from scoring.cache import BALLOTS, RewardParts, VoteParts
from scoring.case_rows import rows_about, rows_of_cases
from scoring.critic_runs.plan import FAILED, REFUSED
from scoring.errors import UsageError
from scoring.evaluate import evaluate
from scoring.evaluation import Evaluation
from scoring.export import Document
from scoring.metrics.kernel import Unparsed, harmonic
from scoring.metrics.vote_curve import MOST_CHOSEN, vote_curve
from scoring.official_rows import figures_of
from scoring.parts import parts
from scoring.step_rewards import Bools, Floats, Ints
from scoring.votes import by_run

VOTES = {
    "scorer": pl.String(),
    "benchmark": pl.String(),
    "subset": pl.String(),
    # How many answers of each case decide, the first ones.
    "votes": pl.Int64(),
    "metric": pl.String(),
    # Their figure, and its expectation over all choices of so many of the answers; null where it is not known.
    "value": pl.Float64(),
    "expected": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "n": pl.Int64(),
    "reason": pl.String(),
    "small": pl.Boolean(),
    "sd": pl.Float64(),
    "runs": pl.Int64(),
}
ACCURACIES = ("error_acc", "correct_acc")
NOTES = (
    "votes: of each case the first so many answers vote, the others are left out; a case with fewer has all it has",
    "the most frequent answer wins, of equally frequent ones the first; votes 1 is a sampled answer, no greedy one",
    "expected: the mean accuracy over every choice of so many of each case's answers, exactly; of runs their mean",
    "expected f1: that of the expected accuracies, averaged over subsets as f1 is",
)
Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class _Ballots:
    """What one critic's cases were voted.

    `evaluation` is its own, with all votes, `rows` the columns of BALLOTS, `rewards` what else it gave.
    """

    evaluation: Evaluation
    rows: pl.DataFrame
    rewards: pl.DataFrame

    @property
    def most(self) -> int:
        """The largest number of answers to one case in one run."""
        return max(one.votes.most for one in self.evaluation.runs if one.votes is not None)

    def first(self, count: int) -> Evaluation:
        """The same critic, had each case had so many answers at most."""
        own, place = self.evaluation, pl.col("vote").rank("ordinal").over("key", "case", "run")
        return evaluate(own.gold, own.scorer, self.rewards, votes=self.rows.filter(place <= count))

    def by_run(self) -> Iterator[tuple[Evaluation, pl.DataFrame]]:
        """Each run and its rows; runs are ranked within a benchmark, as evaluations do."""
        yield from zip(self.evaluation.runs, by_run(self.evaluation.gold.cases, self.rows), strict=True)


def votes_document(selection: Selection, form: str = "", words: tuple[str, ...] = ()) -> Document:
    """The chosen critics over the shown cases, a row for every number of votes, subset and metric.

    Raises:
        UsageError: none of them has several votes, and why.
    """
    found = [one for one in map(_Reader(selection), selection.chosen_evaluations) if one is not None]
    if not found:
        raise UsageError(
            "no scorer that was asked for has several votes on these cases.",
            "Make some: prm-inspect score BENCHMARK --critic processbench --votes 8 --server URL",
        )
    rows = [row for one in found for row in _rows(selection, one)]
    shown = replace(selection, chosen=tuple(one.evaluation.scorer.name for one in found))
    frame = pl.DataFrame(rows, schema=VOTES, orient="row")
    notes = (*NOTES, *interval_notes(shown), *(note for one in found for note in _notes(selection, one)))
    facts = provenance(shown, selection.request.command("votes", *words, form=form), notes)
    return Document(frame, {**facts, "averaging": averaging(shown)})


@dataclass(frozen=True, eq=False)
class _Reader:
    """Reads the ballots of an evaluation; None where there are not several votes of one run."""

    selection: Selection

    def __call__(self, evaluation: Evaluation) -> _Ballots | None:
        name = evaluation.scorer.name
        if evaluation.votes is None or name not in self.selection.folders:
            return None
        folder = self.selection.folders[name]
        rows, _ = VoteParts(folder).read(BALLOTS)
        if rows["rewards"].null_count() < rows.height:
            # Numbers do not vote.
            return None
        here = rows_about(self.selection.cases, rows)
        found = _Ballots(evaluation, here, RewardParts(folder).read()[0])
        return found if found.most > 1 else None


def _rows(selection: Selection, ballots: _Ballots) -> Iterator[Row]:
    """The official rows for every number of votes, each with what is to be expected of such a number."""
    own = ballots.evaluation
    every = [ballots.first(count) for count in range(1, ballots.most + 1)]
    for part, rows in parts(selection.cases, ("benchmark",), selection.mask):
        if not (own.tried & rows).any():
            continue
        name = part["benchmark"]
        expected = _expected(ballots, rows, selection.unparsed(name))
        for count, evaluation in enumerate(every, 1):
            for row in figures_of(evaluation, name, rows, selection.counting):
                found = expected.get((row["subset"], row["metric"]))
                value = None if found is None or row["value"] is None else found[count - 1]
                yield {"scorer": own.scorer.name, "benchmark": name, "votes": count, **row, "expected": value}


def _expected(ballots: _Ballots, rows: Bools, unparsed: Unparsed) -> dict[tuple[str, str], list[float | None]]:
    """By subset and metric, `all` and `average` included, what each number of votes is expected to give.

    Nothing where it is not known: more answers than every choice of them can be counted, or answers that are left out,
    so that which cases count differs by choice.
    """
    if ballots.most > MOST_CHOSEN or (unparsed == "drop" and ballots.rows["verdict"].null_count()):
        return {}
    runs = [_run_expected(run, votes, rows, ballots.most) for run, votes in ballots.by_run()]
    keys = [key for key in runs[0] if all(key in run for run in runs)]
    means = {key: np.mean([run[key] for run in runs], axis=0) for key in keys}
    return {key: [None if np.isnan(value) else float(value) for value in mean] for key, mean in means.items()}


def _run_expected(run: Evaluation, votes: pl.DataFrame, rows: Bools, most: int) -> dict[tuple[str, str], Floats]:
    """The same of one run, NaN where undefined; arrays of shape (most,)."""
    gold = run.gold
    shares = vote_curve(gold.cases, votes).expected(gold.as_given if run.scorer.kind == "critic" else gold.earliest)
    if shares is None:
        return {}
    shares = np.column_stack([shares, *[shares[:, -1]] * (most - shares.shape[1])])
    there = rows & gold.known & run.tried
    names, groups = gold.subsets
    found: dict[tuple[str, str], Floats] = {}
    present = [number for number in range(len(names)) if (there & (groups == number)).any()]
    for number in present:
        found |= _figures(shares, there & (groups == number), gold.earliest, names[number] or "")
    pooled = _figures(shares, there, gold.earliest, "all")
    subsets = [names[number] or "" for number in present]
    for metric in (*ACCURACIES, "f1"):
        found["average", metric] = np.mean([found[subset, metric] for subset in subsets], axis=0)
    return found | pooled


def _figures(shares: Floats, rows: Bools, earliest: Ints, subset: str) -> dict[tuple[str, str], Floats]:
    with np.errstate(invalid="ignore"):
        sides = [_mean(shares[rows & (earliest >= 0)]), _mean(shares[rows & (earliest < 0)])]
    f1 = harmonic(*sides)
    return {(subset, metric): side for metric, side in zip((*ACCURACIES, "f1"), (*sides, f1), strict=True)}


def _mean(shares: Floats) -> Floats:
    """The mean over cases; NaN where there is none."""
    return shares.mean(axis=0) if len(shares) else np.full(shares.shape[1], np.nan)


def _notes(selection: Selection, ballots: _Ballots) -> Iterator[str]:
    """What to keep in mind about the votes of one critic."""
    own, name = ballots.evaluation, ballots.evaluation.scorer.name
    shown = own.gold.cases.filter(pl.Series(selection.mask))
    rows = rows_about(shown, ballots.rows)
    sizes = rows_of_cases(shown, ballots.rows).group_by("case", "run").len()["len"]
    fewer = int((sizes < ballots.most).sum())
    if fewer:
        has = "has" if fewer == 1 else "have"
        yield f"{name}: {counted(fewer, 'case')} {has} fewer than {ballots.most} answers (counted by run)"
    lost = int(rows["reason"].str.contains(f"^({FAILED}|{REFUSED})").sum())
    if lost:
        kept = "it keeps its place and votes" if lost == 1 else "they keep their places and vote"
        yield f"{name}: {counted(lost, 'answer')} never came; {kept} with nothing"
    if ballots.most > MOST_CHOSEN:
        yield f"{name}: expected is told of up to {MOST_CHOSEN} answers a case, and there are {ballots.most}"
    elif rows["verdict"].null_count() and any(
        selection.unparsed(benchmark) == "drop" for benchmark in selection.benchmarks
    ):
        yield f"{name}: expected is not told where unparsed answers are left out: which cases count differs by choice"
