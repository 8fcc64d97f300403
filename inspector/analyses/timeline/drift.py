"""Whether step rewards drift from outcomes over a training run: figures by training step, their trends, and alarms."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct

from inspector.render.blocks import Block, Note, Section
from inspector.render.chart_blocks import Curve, Series
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import Cell, Column, Kind, Table, count, p_value, table, text
from inspector.render.texts.sentences import counted
from inspector.render.view import View
from inspector.state.provenance import provenance
from scoring.data.errors import UsageError
from scoring.data.names import match_name
from scoring.data.schema import Bools, Ints, Row
from scoring.evaluation.evaluation import Evaluation
from scoring.formats.benchmarks.rollouts import TRAINING_STEP
from scoring.metrics.drift import (
    ALPHA,
    DRIFTS,
    FEWEST,
    LAST,
    LENGTH,
    MARGIN,
    OUTCOME,
    RISES,
    DriftFigure,
    Rollouts,
    Trend,
    drift_figures,
    outcome_weights,
    rollouts_of,
    trends,
)
from scoring.metrics.reward_bins import has_rewards
from scoring.selection.result_set import ResultSet, by_benchmark, within
from scoring.workspace.filtering.filters import Facet
from scoring.workspace.filtering.sql_words import literal, named

DRIFT = {
    "series": pl.String(),
    "scorer": pl.String(),
    "benchmark": pl.String(),
    # The training step; null = over all of them.
    "at": pl.Int64(),
    "metric": pl.String(),
    "value": pl.Float64(),
    # Of a trend: the figure's mean over the first and over the last third of the training steps.
    "first": pl.Float64(),
    "last": pl.Float64(),
    "tau": pl.Float64(),
    "p": pl.Float64(),
    "p_holm": pl.Float64(),
    "alarm": pl.Boolean(),
    "n": pl.Int64(),
    "reason": pl.String(),
}
TITLES = {OUTCOME: "tells right from wrong", LENGTH: "prefers longer", LAST: "last step above"}
WORDS = {
    OUTCOME: "the rewards tell right rollouts from wrong ones less well",
    LENGTH: "longer rollouts of the same outcome get higher rewards",
    LAST: "the reward gathers in the last step",
}
_OF_OUTCOME = (
    "tells right from wrong (outcome): of pairs of a right and a wrong rollout of one training step, the share in "
    "which the right one has the higher mean step reward, less the share in which it has the lower one"
)
_OF_OTHERS = (
    "prefers longer (length): the same of the longer of two rollouts of equal outcome; last step above (last): the "
    "last step's reward less the mean of those before it; both weighted by the run's shares of right and wrong rollouts"
)
_OF_ALARMS = (
    "alarm: the first falls, or one of the others rises: Mann-Kendall's test over the training steps, one-sided, "
    f"p < {ALPHA:g} after Holm over the three, by at least {MARGIN:g} (of last: of the range of rewards) from the "
    "first third of the training steps to the last"
)
NOTES = (
    _OF_OUTCOME,
    _OF_OTHERS,
    _OF_ALARMS,
    f"it takes {FEWEST} training steps; looking again after each of many raises a false alarm more often than one look",
    "an alarm proves nothing, as what the policy writes changes too; nor does none: a drift may be small, or late",
)
NO_ROLLOUTS = "no case here says at which training step it was sampled"
IMPORT_SOME = "Import rollouts (verl, TRL's GRPO, verifiers), or a table with a column `step`; see `guide own-data`."
_FEW = 12
"""Training steps of which the chart tells every one."""
_COUNTED, _RIGHT, _REWARD, _STEPS = "rollouts", "right", "mean_reward", "mean_steps"


class RolloutCourse(Struct, frozen=True, eq=False, dict=True):
    """The rollouts of one training run that one scorer gave step rewards.

    Attributes:
        series: The run, or the benchmark where its cases say none.
        evaluation: The scorer's.
        benchmark: Whose cases they are.
        rows: The row ids of the rollouts, shape (n,).
        rollouts: What the figures are made of.
        where: The conditions that tell the run's cases from others.
    """

    series: str
    evaluation: Evaluation
    benchmark: str
    rows: Ints
    rollouts: Rollouts
    where: tuple[str, ...]

    @property
    def scorer(self) -> str:
        """The scorer's name."""
        return self.evaluation.scorer.name

    @cached_property
    def figures(self) -> list[tuple[int, dict[str, DriftFigure]]]:
        """Every training step and its figures."""
        weights = outcome_weights(self.rollouts)
        return [(int(step), drift_figures(self.rollouts, int(step), weights)) for step in self.rollouts.steps]

    @cached_property
    def trends(self) -> list[Trend]:
        """How the figures moved."""
        by_figure = {name: [figures[name].value for _, figures in self.figures] for name in DRIFTS}
        return trends(by_figure, self.evaluation.scorer.high - self.evaluation.scorer.low)

    @property
    def alarms(self) -> dict[str, str]:
        """A sentence for every figure that raises an alarm."""
        return {
            trend.figure: f"{WORDS[trend.figure]}: {trend.first:+.2f} in the first third of the training steps, "
            f"{trend.last:+.2f} in the last (p {trend.p_holm:.1g} after Holm)"
            for trend in self.trends
            if trend.alarm
        }

    @cached_property
    def counts(self) -> dict[int, dict[str, float | None]]:
        """What else is known of the rollouts of every training step, by its name."""
        made: dict[int, dict[str, float | None]] = {}
        for step in self.rollouts.steps:
            here = self.rollouts.at == step
            made[int(step)] = {
                _COUNTED: float(here.sum()),
                _RIGHT: float((self.rollouts.outcomes[here] == 1).sum()),
                _REWARD: float(self.rollouts.means[here].mean()),
                _STEPS: float(self.rollouts.lengths[here].mean()),
            }
        return made

    # -- rows

    def frame_rows(self) -> Iterator[Row]:
        """Yield the rows of DRIFT."""
        about = {"series": self.series, "scorer": self.scorer, "benchmark": self.benchmark}
        for step, figures in self.figures:
            counts = self.counts[step]
            for name, value in counts.items():
                yield {**about, "at": step, "metric": name, "value": value, "n": int(counts[_COUNTED] or 0)}
            for name, made in figures.items():
                reason = made.reason or None
                yield {**about, "at": step, "metric": name, "value": made.value, "n": made.n, "reason": reason}
        for trend in self.trends:
            yield {
                **about,
                "metric": f"{trend.figure}_trend",
                "value": trend.change,
                "first": trend.first,
                "last": trend.last,
                "tau": trend.tau,
                "p": trend.p,
                "p_holm": trend.p_holm,
                "alarm": trend.alarm if trend.p is not None else None,
                "n": trend.n,
                "reason": trend.reason or None,
            }

    # -- what people see

    def blocks(self) -> Iterator[Block]:
        """Yield what there is to see: the alarms, a chart, the trends, and every training step."""
        steps = self.rollouts.steps
        reach = f"{steps[0]:,} to {steps[-1]:,}" if steps.size > 1 else f"{steps[0]:,}"
        sampled = f"{counted(int(self.rows.size), 'rollout')} of {counted(int(steps.size), 'training step')}, {reach}"
        yield Note(f"{self.series}, rewards of {self.scorer}: {sampled}", "lead")
        for sentence in self.alarms.values():
            yield Note(f"Alarm: {sentence}.", "warning")
        if not self.alarms:
            tested = any(trend.p is not None for trend in self.trends)
            none = "none of the figures moves the way of a drift" if tested else self.trends[0].reason
            yield Note(f"No alarm: {none}.")
        if (chart := self._chart()) is not None:
            yield chart
        yield self._trend_table()
        yield self._step_table()

    def _chart(self) -> Curve | None:
        if len(self.figures) < 2:
            return None
        xs = np.array([step for step, _ in self.figures], dtype=np.float64)
        series = []
        for letter, style, name in (("a", "scorer-a", OUTCOME), ("b", "scorer-b", LENGTH)):
            values = [figures[name].value for _, figures in self.figures]
            ys = np.array([np.nan if value is None else value for value in values])
            if np.isfinite(ys).any():
                series.append(Series(TITLES[name], letter, style, xs, ys))
        if not series:
            return None
        known = np.concatenate([np.asarray(each.ys)[np.isfinite(each.ys)] for each in series])
        upward = (max(-1.0, min(0.0, float(known.min()) - 0.1)), min(1.0, max(0.0, float(known.max()) + 0.1)))
        across = float(xs[0]), float(xs[-1])
        return Curve("", "training step", "correlation", tuple(series), (), across, upward, Kind.MEAN, len(xs) <= _FEW)

    def _trend_table(self) -> Table:
        lines = []
        for trend in self.trends:
            moves = "falls" if RISES[trend.figure] < 0 else "rises"
            verdict = text("alarm", "bad") if trend.alarm else text("no", "dim")
            if trend.p is None:
                verdict = text("", remark=trend.reason)
            values = (trend.first, trend.last, trend.change, trend.tau)
            cells = [_mean(value, trend.reason) for value in values]
            p = [p_value(trend.p), p_value(trend.p_holm)] if trend.p is not None else [text(""), text("")]
            lines.append([text(TITLES[trend.figure]), text(moves, "dim"), *cells, *p, verdict])
        heads: list[str | Column] = [
            "",
            Column("drifts if it", 1),
            "first third",
            "last third",
            "change",
            Column("tau", 2),
            Column("p", 2),
            "p Holm",
            "alarm",
        ]
        return table("Trends over the training steps", heads, lines)

    def _step_table(self) -> Table:
        lines = []
        for step, figures in self.figures:
            counts = self.counts[step]
            n, right = int(counts[_COUNTED] or 0), int(counts[_RIGHT] or 0)
            made = figures[OUTCOME].n
            known = made > 0
            lines.append(
                [
                    Cell(step, Kind.COUNT),
                    count(n, self._link(step, n, f"sampled at training step {step:,}")),
                    self._right(step, right) if known else text(""),
                    Cell(right / made, Kind.SHARE, n=made) if known else text(""),
                    Cell(counts[_REWARD], Kind.REWARD),
                    Cell(counts[_STEPS], Kind.MEAN),
                    *(_mean(figures[name].value, figures[name].reason) for name in DRIFTS),
                ]
            )
        heads: list[str | Column] = [
            "step",
            "rollouts",
            Column("right", 2),
            "% right",
            "mean reward",
            Column("steps", 1),
            *(Column(TITLES[name]) for name in DRIFTS),
        ]
        return table("Training steps", heads, lines, counted="rollouts")

    def _right(self, step: int, right: int) -> Cell:
        return count(right, self._link(step, right, f"right at training step {step:,}", "final_answer_correct"))

    def _link(self, step: int, n: int, words: str, *more: str) -> CaseLink:
        at = f"{named(TRAINING_STEP)} = {literal(step)}"
        where = (*self.where, at, has_rewards(self.evaluation), *more)
        return CaseLink(where, n, words, self.scorer, (), self.benchmark)


def _mean(value: float | None, reason: str) -> Cell:
    return Cell(value, Kind.MEAN, reason=reason if value is None else "")


# -- which rollouts there are


def training_steps(results: ResultSet) -> pl.Series | None:
    """Return at which training step each case was sampled, null of others; None where no case says it."""
    if not results.evaluated.is_metadata(TRAINING_STEP):
        return None
    column = results.evaluated.column(TRAINING_STEP)
    return column if column.dtype == pl.Int64() and column.null_count() < column.len() else None


def has_rollouts(results: ResultSet, benchmark: str) -> bool:
    """Return whether a scorer gave step rewards to cases of a benchmark that say when they were sampled."""
    steps = training_steps(results)
    if steps is None:
        return False
    there = (steps.is_not_null() & (results.cases["benchmark"] == benchmark)).to_numpy()
    return any(bool((there & evaluation.rewards.scored).any()) for evaluation in results.evaluations)


def rollout_runs(results: ResultSet) -> list[str]:
    """Name the training runs of the shown cases that say when they were sampled, in file order."""
    steps = training_steps(results)
    if steps is None:
        return []
    cases = results.cases.filter(pl.Series(results.mask) & steps.is_not_null())
    names = cases.select(pl.coalesce("subset", "benchmark").alias("run"))["run"]
    return names.unique(maintain_order=True).to_list()


def _courses(results: ResultSet, wanted: str | None) -> Iterator[RolloutCourse]:
    steps = training_steps(results)
    if steps is None:
        return
    there, subsets = steps.is_not_null().to_numpy(), results.cases["subset"]
    outcomes = results.cases["final_answer_correct"].cast(pl.Int64).fill_null(-1).to_numpy()
    at = steps.fill_null(0).to_numpy()
    for benchmark, inside in by_benchmark(results):
        runs: list[str | None] = subsets.filter(pl.Series(inside & there)).unique(maintain_order=True).to_list()
        for run in runs:
            name = benchmark if run is None else run
            if wanted not in {None, name}:
                continue
            of_run: Bools = subsets.eq_missing(pl.Series([run], dtype=pl.String)).to_numpy() & inside & there
            where = (*within(results, benchmark), "subset IS NULL" if run is None else Facet("subset", (run,)).sql)
            for evaluation in results.chosen_evaluations:
                rows = np.flatnonzero(of_run & evaluation.rewards.scored)
                if rows.size:
                    rewards = evaluation.rewards
                    made = rollouts_of(rewards.values, rewards.offsets, rows, at[rows], outcomes[rows])
                    yield RolloutCourse(name, evaluation, benchmark, rows, made, where)


class DriftAlarm(Struct, frozen=True):
    """An alarm: which figure, of which run's rollouts and of whose rewards, and a sentence that says so."""

    series: str
    scorer: str
    figure: str
    sentence: str


def _alarms(courses: Sequence[RolloutCourse]) -> list[DriftAlarm]:
    return [
        DriftAlarm(course.series, course.scorer, figure, f"Alarm: {course.series}, {course.scorer}: {words}.")
        for course in courses
        for figure, words in course.alarms.items()
    ]


def drift_alarms(results: ResultSet) -> list[DriftAlarm]:
    """Give the alarms of all runs and scorers; none where there are no rollouts."""
    return _alarms(list(_courses(results, None)))


def drift_view(results: ResultSet, command: str, series: str | None) -> View:
    """Lay out whether step rewards drift from outcomes, for every training run and scorer, or the run that is named.

    Raises:
        UsageError: no case says at which training step it was sampled, none that does has step rewards, or there is no
            such run.
    """
    runs = rollout_runs(results)
    if not runs:
        raise UsageError(f"{NO_ROLLOUTS}.", IMPORT_SOME)
    wanted = None if series is None else match_name(series, runs, "training run")
    courses = list(_courses(results, wanted))
    if not courses:
        why = "no scorer gave the rollouts step rewards."
        raise UsageError(why, "Score them (prm-inspect score), or import them with the rewards beside them.")
    rows = [row for course in courses for row in course.frame_rows()]
    facts: dict[str, Any] = {**provenance(results, command, NOTES, decides=False), "alarm_p": ALPHA, "margin": MARGIN}
    alarms = [alarm.sentence for alarm in _alarms(courses)]
    frame = pl.DataFrame(rows, schema=DRIFT, orient="row")
    return View(
        frame,
        facts,
        title="Drift of step rewards",
        lay_out=lambda: _sections(courses),
        exit_code=1 if alarms else 0,
        because=tuple(alarms),
    )


def _sections(courses: Sequence[RolloutCourse]) -> tuple[Section, ...]:
    by_benchmark: dict[str, list[Block]] = {}
    for course in courses:
        by_benchmark.setdefault(course.benchmark, []).extend(course.blocks())
    notes = [Note(f"{words[0].upper()}{words[1:]}.", "quiet") for words in NOTES]
    return tuple(
        Section(benchmark, f"drift-{number}", (*blocks, *notes))
        for number, (benchmark, blocks) in enumerate(by_benchmark.items())
    )
