"""A training run on one benchmark: its checkpoints side by side, their figures, and the cases that changed."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from msgspec import Struct

from inspector.analyses._pair import resampling_words
from inspector.render.lines import CaseLink
from inspector.render.texts.sentences import counted
from scoring.data.schema import Bools, Row
from scoring.metrics.aligned import OF_STEPS, AlignedScorers, AlignedSums
from scoring.metrics.aligned_conditions import EVERY, OF_SIDE, common_of, conjunction, right_of, wrong_of
from scoring.metrics.closed_forms import holm
from scoring.metrics.first_error import F1_SCORE, SIDES
from scoring.metrics.kernel import Metric
from scoring.metrics.paired import comparison_row, mcnemar_row, quadrants
from scoring.metrics.shared_draws import OF_CASES, Shared, SharedScores, compared_metrics, shared
from scoring.selection.result_set import ResultSet


class TrainingRun(Struct, frozen=True):
    """The checkpoints of a training run in the order of their steps: steps and scorers of the same length."""

    name: str
    steps: tuple[int, ...]
    scorers: tuple[str, ...]


def training_runs(results: ResultSet) -> list[TrainingRun]:
    """Find the training runs that the chosen scorers are checkpoints of, in the order of their first scorers."""
    by_series: dict[str, list[tuple[int, str]]] = {}
    for evaluation in results.chosen_evaluations:
        point = evaluation.scorer.training
        if point.series is not None and point.at is not None:
            by_series.setdefault(point.series, []).append((point.at, evaluation.scorer.name))
    runs = []
    for name, checkpoints in by_series.items():
        steps, scorers = zip(*sorted(checkpoints), strict=True)
        runs.append(TrainingRun(name, steps, scorers))
    return runs


class TrainingCourse(Struct, frozen=True, eq=False, dict=True):
    """A training run on one benchmark: its checkpoints by place, in the order of their steps.

    Attributes:
        run: The checkpoints.
        benchmark: Its name.
        aligned: The checkpoints side by side on its cases.
        official: The same by what the official figure adds up, where that is not of first errors.
        inside: The conditions that tell its cases from others.
        compared_steps: From which step to which cases are told that broke or were mended; None = the first and the
            last.
        seed: That of the resamples; None = there are none.
    """

    run: TrainingRun
    benchmark: str
    aligned: AlignedScorers
    official: AlignedScorers | AlignedSums
    inside: tuple[str, ...]
    compared_steps: tuple[int | None, int | None]
    seed: int | None

    @cached_property
    def members(self) -> Bools:
        """The cases that all checkpoints tried which tried any. Shape (n,)."""
        columns = self.aligned.trying
        return self.aligned.common(columns) if columns else np.zeros(self.aligned.rows.size, dtype=np.bool_)

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The official figure, and its accuracies."""
        return compared_metrics(self.official)

    @property
    def compared(self) -> tuple[AlignedScorers | AlignedSums, ...]:
        """What rows are made of: the official figure, and first errors beside a figure of the benchmark's own."""
        alone = self.metrics in {OF_CASES, OF_STEPS}
        return (self.official,) if alone else (self.official, self.aligned)

    @cached_property
    def figures(self) -> tuple[Shared, str]:
        """The official figures of all checkpoints on shared draws, and over which subset they are.

        That is the mean over subsets; where it is undefined of all, all subsets together.
        """
        return self._scored(self.official)

    def _scored(self, side_by_side: AlignedScorers | AlignedSums) -> tuple[Shared, str]:
        scores = shared(side_by_side, side_by_side.trying, self.seed)
        if not isinstance(scores, SharedScores):
            return scores, "all"
        if not np.isfinite(scores.values(F1_SCORE)).any() and np.isfinite(scores.pooled.values(F1_SCORE)).any():
            return scores.pooled, "all"
        return scores, "average"

    def pairs(self, columns: Sequence[int]) -> list[tuple[int, int]]:
        """Return each checkpoint of some places with the one before, and the last with the first that are asked for."""
        beside = [(later, earlier) for earlier, later in pairwise(columns)]
        span = self.span(columns)
        return beside if span is None or span in beside else [*beside, span]

    def span(self, columns: Sequence[int]) -> tuple[int, int] | None:
        """Return the last and the first checkpoint that are asked for, by place; None where one is not among these."""
        if not columns or (len(columns) < 2 and self.compared_steps == (None, None)):
            return None
        ends = []
        for step, usual in zip(self.compared_steps, (columns[0], columns[-1]), strict=True):
            there = [place for place in columns if self.run.steps[place] == step]
            ends.append(usual if step is None else there[0] if there else None)
        first, last = ends
        return None if first is None or last is None else (last, first)

    @property
    def words(self) -> str:
        """On how many cases the figures are."""
        columns = self.official.trying
        if not columns:
            return "no case was tried by a checkpoint"
        n, left_out = int(self.official.common(columns).sum()), self.official.left_out(columns)
        who = "the one checkpoint" if len(columns) == 1 else f"all {len(columns)} checkpoints"
        if self.metrics is OF_STEPS:
            sentence = f"{counted(n, 'case')} whose steps {who} judged"
        else:
            sentence = f"{counted(n, 'case')} that {who} tried"
        if not left_out:
            return sentence
        sizes = {place: int(self.official.tried[:, place].sum()) for place in columns}
        fewest = min(sizes, key=lambda place: sizes[place])
        return f"{sentence}, {left_out:,} left out; step {self.run.steps[fewest]:,} has the fewest, {sizes[fewest]:,}"

    @property
    def interval(self) -> str:
        """How the differences were resampled."""
        return self.official.paired if isinstance(self.official, AlignedSums) else resampling_words(self.aligned)

    # -- rows

    @cached_property
    def rows(self) -> list[Row]:
        """The rows of TIMELINE."""
        steps = dict(zip(self.run.scorers, self.run.steps, strict=True))
        about = {"series": self.run.name, "benchmark": self.benchmark}
        made = (*self._figure_rows(), *self._difference_rows(), *self._case_rows(), *self._tests())
        return [{**about, "at": steps[str(row["scorer"])], **row} for row in made]

    def _about(self, place: int, other: int | None, side_by_side: AlignedScorers | AlignedSums) -> dict[str, Any]:
        names = {"scorer": self.run.scorers[place], "other": None if other is None else self.run.scorers[other]}
        return {**names, "left_out": side_by_side.left_out(side_by_side.trying)}

    def _figure_rows(self) -> Iterator[Row]:
        tried_none = "judged the steps of no case" if self.metrics is OF_STEPS else "tried no case"
        for compared in self.compared:
            scores, subset = self.figures if compared is self.official else self._scored(compared)
            for place, nothing in enumerate(compared.nothing):
                about = self._about(place, None, compared)
                for metric in compared_metrics(compared):
                    if place in compared.trying:
                        yield comparison_row(about, metric.name, scores.estimate(metric, place), subset=subset)
                    else:
                        yield comparison_row(about, metric.name, None, 0, nothing or tried_none, subset)

    def _difference_rows(self) -> Iterator[Row]:
        for compared in self.compared:
            scores, subset = self.figures if compared is self.official else self._scored(compared)
            for later, earlier in self.pairs(compared.trying):
                about = self._about(later, earlier, compared)
                for metric in compared_metrics(compared):
                    difference = scores.difference(metric, later, earlier)
                    yield comparison_row(about, f"{metric.name}_difference", difference, subset=subset)

    def _case_rows(self) -> Iterator[Row]:
        """How many cases broke and how many were mended, from each checkpoint to the next and over the span."""
        for later, earlier in self.pairs(self.aligned.trying):
            for side in SIDES:
                changed, about = self.changes(later, earlier, side), self._about(later, earlier, self.aligned)
                for name, value in (("broken", changed.broken), ("mended", changed.mended)):
                    known, why = value if changed.n else None, f"no {side} case in common"
                    yield comparison_row(about, f"{side}_{name}", known, changed.n, why)

    def _tests(self) -> Iterator[Row]:
        """McNemar's test over the span, on erroneous and on clean cases."""
        span = self.span(self.aligned.trying)
        if span is None:
            return
        rows = []
        for side, members in self.aligned.sides:
            counts = quadrants(self.aligned, *span, members & self.members)
            related = self.aligned.related(members & self.members)
            about = self._about(*span, self.aligned)
            rows.append(mcnemar_row(about, side, counts, f"no {side} case in common", related=related))
        adjusted = holm(np.array([np.nan if row["p"] is None else row["p"] for row in rows], dtype=np.float64))
        for row, p in zip(rows, adjusted, strict=True):
            yield {**row, "p_holm": None if row["p"] is None else float(p)}

    # -- cases

    def changes(self, later: int, earlier: int, side: str) -> "OutcomeChanges":
        """Count what broke and what was mended between two checkpoints (places), of a side or (EVERY) of both."""
        counts = quadrants(self.aligned, later, earlier, self._of_side(side))
        return OutcomeChanges(
            counts["both_right"], counts["only_other_right"], counts["only_scorer_right"], counts["neither_right"]
        )

    def link(self, later: int, earlier: int, side: str, right: Mapping[int, bool], n: int, words: str) -> CaseLink:
        """Link to `n` cases that all tried, on which some checkpoints (places) are right (True) or wrong (False).

        They are those of a side or (EVERY) of both, with both checkpoints beside each other.
        """
        each = [(right_of if is_right else wrong_of)(self.aligned, place, side) for place, is_right in right.items()]
        # What the others tried tells cases apart only where these ones tried more than all did.
        others = [place for place in self.aligned.trying if place not in right]
        alike = bool(right) and bool((self.aligned.common(list(right)) == self.members).all())
        where = conjunction((OF_SIDE[side] if alike else common_of(self.aligned, others, side), *each))
        beside = tuple(dict.fromkeys((self.run.scorers[earlier], self.run.scorers[later])))
        title = words if side == EVERY else f"{words}, {side}"
        return CaseLink((*self.inside, where), n, title, self.run.scorers[later], beside, self.benchmark)

    def common_link(self, later: int, earlier: int, side: str) -> CaseLink:
        """Link to the cases that all tried, of a side or (EVERY) of both."""
        return self.link(later, earlier, side, {}, int(self._of_side(side).sum()), "tried by all checkpoints")

    def _of_side(self, side: str) -> Bools:
        """The cases that all tried, of a side or (EVERY) of both. Shape (n,)."""
        return self.members if side == EVERY else self.members & dict(self.aligned.sides)[side]


class OutcomeChanges(Struct, frozen=True):
    """How many cases are right at both of two checkpoints, broke, were mended, and are wrong at both."""

    both_right: int
    broken: int
    mended: int
    both_wrong: int

    @property
    def n(self) -> int:
        """Count all of them."""
        return self.both_right + self.broken + self.mended + self.both_wrong
