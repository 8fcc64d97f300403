"""Checkpoints of a training run, what broke; drift of rewards."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise

import numpy as np
import polars as pl
from msgspec.structs import replace

from inspector.analyses import Option, OptionValue, Page, Params, analysis
from inspector.analyses._pair import TEST, test_note, which_is_better
from inspector.analyses.timeline.drift import drift_view, has_rollouts, rollout_runs
from inspector.analyses.timeline.training_course import TrainingCourse, TrainingRun, training_runs
from inspector.render.blocks import Block, Note, Panel, Section, quiet_notes
from inspector.render.chart_blocks import Curve, Series
from inspector.render.table_blocks import (
    Cell,
    Column,
    Kind,
    Table,
    count,
    difference_column,
    figure,
    forest_column,
    p_value,
    points,
    table,
    text,
)
from inspector.render.texts.sentences import counted
from inspector.render.view import View
from inspector.state.common_cases import aligned_cases, aligned_official, set_aside, without_gold
from inspector.state.comparability import incomparable
from inspector.state.figure_notes import first_run_notes
from inspector.state.provenance import provenance, repeated_solutions
from scoring.data.errors import UsageError
from scoring.data.names import match_name
from scoring.data.schema import Row
from scoring.metrics.aligned_conditions import EVERY
from scoring.metrics.first_error import SIDES
from scoring.metrics.kernel import Metric
from scoring.metrics.official_rows import METRICS
from scoring.metrics.resampling import RESAMPLES
from scoring.metrics.shared_draws import OF_CASES
from scoring.selection.result_set import ResultSet, within

TIMELINE = {
    "series": pl.String(),
    "at": pl.Int64(),
    "scorer": METRICS["scorer"],
    # The checkpoint that it is held against: the one before, and that of --from; null = none.
    "other": pl.String(),
    **{name: METRICS[name] for name in ("benchmark", "subset", "metric", "value", "low", "high", "n")},
    "left_out": pl.Int64(),
    "p": pl.Float64(),
    "p_holm": pl.Float64(),
    "reason": METRICS["reason"],
    "note": pl.String(),
}
TITLES = {
    "f1": "F1",
    "error_acc": "on erroneous",
    "correct_acc": "on clean",
    "prmscore": "PRMScore",
    "positive_acc": "on right steps",
    "negative_acc": "on wrong steps",
}


def _titled(metric: Metric) -> str:
    return TITLES.get(metric.name, metric.title)


SIDE_OF = {"f1": EVERY, "error_acc": "erroneous", "correct_acc": "clean"}
FEW_STEPS = 12
"""Checkpoints of which the chart tells every step."""
NAMED = 20
"""Steps that a sentence names."""
NO_RUN = "no scorer here is said to be a checkpoint of a training run"
CHECKPOINTS, ROLLOUTS = "checkpoints", "drift"
DRIFT_OF_ROLLOUTS = "Rollouts are here: --drift says whether their rewards drift from outcomes."
NAME_ONE = "Say it with --series NAME --at STEP: of `score`, or of `import` (the same file again changes nothing else)."
NOTES = (
    "figures of a benchmark are of the cases that all checkpoints of the run tried, those set aside that tried none",
    "metrics that end with _difference: scorer less other, with a 95% interval on the same draws",
    "broken: right at other, wrong at scorer; mended: wrong at other, right at scorer; of n cases, by first errors",
    "each interval is a 95% one by itself, not adjusted for how many checkpoints there are",
)


def _offered_runs(results: ResultSet, params: Params) -> Iterator[OptionValue]:
    if params.page == ROLLOUTS:
        yield OptionValue(None, "all of them", "as usual")
        yield from (OptionValue(name, name) for name in rollout_runs(results))
        return
    runs = training_runs(results)
    if len(runs) > 1:
        yield OptionValue(None, "all of them", "as usual")
    for run in runs:
        yield OptionValue(run.name, run.name, f"{counted(len(run.steps), 'checkpoint')}, {_reach(run)}")


def _offered_steps(results: ResultSet, params: Params, *, end: str) -> Iterator[OptionValue]:
    runs = _asked_runs(results, params)
    if len(runs) == 1:
        yield OptionValue(None, f"the {end} one", "as usual")
        for step, scorer in zip(runs[0].steps, runs[0].scorers, strict=True):
            yield OptionValue(step, f"{step:,}", scorer)


def _reach(run: TrainingRun) -> str:
    first, last = run.steps[0], run.steps[-1]
    return f"step {first:,}" if first == last else f"steps {first:,} to {last:,}"


@analysis(
    "Timeline",
    (
        Page(CHECKPOINTS, "checkpoints", holds=lambda results, _: bool(training_runs(results))),
        Page(
            ROLLOUTS,
            "drift of rewards",
            help="whether rewards of rollouts drift from outcomes; exit code 1: an alarm",
            holds=has_rollouts,
        ),
    ),
    examples=("prm-inspect timeline", "prm-inspect timeline my-run --from 1000 --to 4000"),
    options=(
        Option(
            "series",
            "the training run, by its name or a unique part of it (default: all that there are)",
            "Training run",
            metavar="SERIES",
            words="?",
            positional=True,
            offered=_offered_runs,
        ),
        Option(
            "from",
            "what broke and what was mended since this training step (default: the first)",
            "From step",
            metavar="STEP",
            type=int,
            pages=(CHECKPOINTS,),
            offered=partial(_offered_steps, end="first"),
        ),
        Option(
            "to",
            "until this one (default: the last)",
            "To step",
            metavar="STEP",
            type=int,
            pages=(CHECKPOINTS,),
            offered=partial(_offered_steps, end="last"),
        ),
    ),
    help="The checkpoints of a training run: the official figure at every step with its interval, the difference to "
    "the step before, and which cases broke or were mended between any two. Each number opens exactly its cases, with "
    "both checkpoints beside each other.",
)
def timeline(results: ResultSet, params: Params, intervals: bool) -> View:
    """Follow every training run, or the one that is named, on the cases that all of its checkpoints tried.

    Or, on its other page, by the rollouts that were sampled while it trained.

    Raises:
        UsageError: there is no such run or step, or --from and --to are asked for of several runs.
    """
    if params.page == ROLLOUTS:
        command = results.query.command("timeline", *params.words, form=params.form)
        return drift_view(results, command, params.get("series"))
    runs = _asked_runs(results, params)
    _check_steps(runs, params)
    seed = results.query.seed if intervals else None
    courses = [
        TrainingCourse(
            run, benchmark, aligned, official.get(benchmark, aligned), within(results, benchmark), _span(params), seed
        )
        for run in runs
        for own in (replace(results, chosen=run.scorers),)
        for official in (aligned_official(own),)
        for benchmark, aligned in aligned_cases(own).items()
    ]
    chosen = tuple(dict.fromkeys(name for run in runs for name in run.scorers))
    own = replace(results, chosen=chosen)
    notes = [*NOTES, *_same_steps(runs), *first_run_notes(own), *without_gold(own)]
    if repeated := repeated_solutions(own):
        notes.append(f"{repeated} cases repeat the problem and steps of another")
    facts = {
        **provenance(own, results.query.command("timeline", *params.words, form=params.form), tuple(notes)),
        "common_cases": _by_run(courses, "words"),
        "test": f"{TEST}, Holm over the two",
        "interval": _by_run(courses, "interval"),
        "level": 0.95,
        "resamples": RESAMPLES,
    }
    frame = pl.DataFrame([row for course in courses for row in course.rows], schema=TIMELINE, orient="row")
    return View(frame, facts, title="Timeline", lay_out=lambda: _sections(own, courses, notes))


def _asked_runs(results: ResultSet, params: Params) -> list[TrainingRun]:
    runs = training_runs(results)
    if not runs:
        raise UsageError(f"{NO_RUN}.", DRIFT_OF_ROLLOUTS if rollout_runs(results) else NAME_ONE)
    if (word := params.get("series")) is None:
        return runs
    name = match_name(word, [run.name for run in runs], "training run")
    return [run for run in runs if run.name == name]


def _span(params: Params) -> tuple[int | None, int | None]:
    return params.get("from"), params.get("to")


def _check_steps(runs: Sequence[TrainingRun], params: Params) -> None:
    for name in ("from", "to"):
        step = params.get(name)
        if step is None:
            continue
        if len(runs) > 1:
            listed = ", ".join(run.name for run in runs)
            raise UsageError(f"--{name} is a step of one training run, and there are {len(runs)}.", f"Name: {listed}.")
        if step not in runs[0].steps:
            more = "" if len(runs[0].steps) <= NAMED else ", ..."
            there = ", ".join(map(str, dict.fromkeys(runs[0].steps[:NAMED])))
            raise UsageError(f"{runs[0].name} has no checkpoint at step {step!r}.", f"There are: {there}{more}.")


def _same_steps(runs: Sequence[TrainingRun]) -> Iterator[str]:
    """Which steps several scorers are at."""
    for run in runs:
        for step in dict.fromkeys(same for same in run.steps if run.steps.count(same) > 1):
            names = ", ".join(name for at, name in zip(run.steps, run.scorers, strict=True) if at == step)
            yield f"{run.name}: several scorers are at step {step:,}: {names}; the first is held against others"


def _by_run(courses: Sequence[TrainingCourse], what: str) -> dict[str, dict[str, str]]:
    by_benchmark: dict[str, dict[str, str]] = {}
    for course in courses:
        by_benchmark.setdefault(course.benchmark, {})[course.run.name] = str(getattr(course, what))
    return by_benchmark


# -- what people see


def _sections(results: ResultSet, courses: Sequence[TrainingCourse], notes: Sequence[str]) -> tuple[Section, ...]:
    by_benchmark: dict[str, list[TrainingCourse]] = {}
    for course in courses:
        by_benchmark.setdefault(course.benchmark, []).append(course)
    several = [note for note in notes if "several scorers are at step" in note]
    sections = []
    for number, (benchmark, own) in enumerate(by_benchmark.items()):
        blocks = [block for course in own for block in _blocks(results, course)]
        lacking = without_gold(results, benchmark)
        scorers = tuple(name for course in own for name in course.run.scorers)
        blocks += quiet_notes((*several, *lacking, *first_run_notes(replace(results, chosen=scorers), benchmark)))
        sections.append(Section(benchmark, f"timeline-{number}", tuple(blocks)))
    return tuple(sections)


def _blocks(results: ResultSet, course: TrainingCourse) -> Iterator[Block]:
    run = course.run
    yield Note(f"{run.name}: {counted(len(run.steps), 'checkpoint')}, {_reach(run)}", "lead")
    yield Note(f"On {'the ' if course.official.trying else ''}{course.words}.", "quiet")
    yield from quiet_notes(set_aside(course.aligned))
    cells = {(row["scorer"], row["other"], row["metric"]): row for row in course.rows}
    if chart := _chart(course, cells):
        yield chart
    yield _checkpoint_table(course, cells)
    if course.metrics is OF_CASES and course.official.trying and course.figures[1] != "average":
        yield Note("F1 is of all subsets together: some subset has cases of one side alone, and no F1.", "quiet")
    yield from _span_blocks(course, cells, results.query.seed)
    for reason in incomparable(results, run.scorers, course.benchmark, results.mask):
        # Cases are those in common, and of several runs it is the first.
        if reason.why not in {"cases", "runs"}:
            yield Note(f"Not quite comparable: {reason}.", "warning")


CheckpointCells = Mapping[tuple[str, str | None, str], Row]


def _chart(course: TrainingCourse, cells: CheckpointCells) -> Curve | None:
    """The official figure by training step with its band; nothing of a single point."""
    metric = course.metrics[0].name
    by_step: dict[int, Row] = {}
    for step, scorer in zip(course.run.steps, course.run.scorers, strict=True):
        row = cells[scorer, None, metric]
        if row["value"] is not None:
            by_step.setdefault(step, row)
    if len(by_step) < 2:
        return None
    xs = np.array(list(by_step), dtype=np.float64)
    ys, low, high = (
        np.array([np.nan if row[name] is None else row[name] for row in by_step.values()])
        for name in ("value", "low", "high")
    )
    band = (low, high) if np.isfinite(low).any() else (None, None)
    known = np.concatenate([ys, low, high])
    known = known[np.isfinite(known)]
    room = max(0.02, 0.1 * float(np.ptp(known)))
    upward = (max(0.0, float(known.min()) - room), min(1.0, float(known.max()) + room))
    series = Series(course.run.name, "a", "scorer-a", xs, ys, *band)
    title, across = _titled(course.metrics[0]), (float(xs[0]), float(xs[-1]))
    return Curve("", "training step", title, (series,), (), across, upward, whole=len(xs) <= FEW_STEPS)


def _checkpoint_table(course: TrainingCourse, cells: CheckpointCells) -> Table:
    """A line a checkpoint: its figures, the difference to the one before, and the cases that changed since."""
    official = course.metrics[0].name
    before_figure, before_case = (
        {later: earlier for earlier, later in pairwise(columns)}
        for columns in (course.official.trying, course.aligned.trying)
    )
    lines = []
    for place, (step, scorer) in enumerate(zip(course.run.steps, course.run.scorers, strict=True)):
        line = [Cell(step, Kind.COUNT), text(scorer)]
        made = [_figure(course, place, cells[scorer, None, metric.name]) for metric in course.metrics]
        line.append(replace(made[0], style="strong"))
        earlier = before_figure.get(place)
        difference = None if earlier is None else cells[_key(course, place, earlier, f"{official}_difference")]
        line.append(text("") if difference is None else points(difference))
        earlier = before_case.get(place)
        line += [text(""), text("")] if earlier is None else _change_cells(course, place, earlier, EVERY)
        lines.append([*line, *made[1:]])
    titles = [_titled(metric) for metric in course.metrics]
    heads: list[str | Column] = [
        "step",
        Column("scorer", 1),
        forest_column(titles[0]),
        difference_column("vs. the one before"),
        "broke",
        "mended",
    ]
    return table("Checkpoints", [*heads, *(Column(title, 2) for title in titles[1:])], lines, labels=2)


def _figure(course: TrainingCourse, place: int, row: Row) -> Cell:
    # Steps are judged of other cases than first errors, and no condition tells them.
    side = SIDE_OF.get(str(row["metric"]))
    link = None if side is None or row["value"] is None else course.common_link(place, place, side)
    return figure({**row, "small": (row["note"] or "").startswith("small n")}, link=link)


def _change_cells(course: TrainingCourse, later: int, earlier: int, side: str) -> list[Cell]:
    """How many cases broke, and how many were mended."""
    changed = course.changes(later, earlier, side)
    link = partial(course.link, later, earlier, side)
    steps = f"from step {course.run.steps[earlier]:,} to {course.run.steps[later]:,}"
    broken = link({earlier: True, later: False}, changed.broken, f"broke {steps}") if changed.broken else None
    mended = link({earlier: False, later: True}, changed.mended, f"mended {steps}") if changed.mended else None
    return [count(changed.broken, broken, "bad"), count(changed.mended, mended, "good")]


def _span_blocks(course: TrainingCourse, cells: CheckpointCells, seed: int) -> Iterator[Block]:
    """Between the two checkpoints that are asked for: the differences, and the cases that changed by side."""
    figures, cases = course.span(course.official.trying), course.span(course.aligned.trying)
    if cases is None and course.compared_steps != (None, None):
        yield Note("No cases are held against each other: a checkpoint that was asked for tried none here.")
    if figures is not None:
        yield _difference_table(course, *figures, cells)
    if cases is not None:
        yield _change_table(course, *cases, cells)
        notes = [test_note(seed, f"{TEST}, Holm over the two", course.interval)]
        if any(cells[_key(course, *cases, f"{side}_mcnemar")]["note"] for side in SIDES):
            notes.append(Note("Cases share problems, and McNemar's test takes them as independent.", "quiet"))
        yield Panel("How this is tested", tuple(notes), place="method")


def _key(course: TrainingCourse, later: int, earlier: int, metric: str) -> tuple[str, str, str]:
    return course.run.scorers[later], course.run.scorers[earlier], metric


def _difference_table(course: TrainingCourse, later: int, earlier: int, cells: CheckpointCells) -> Table:
    lines = []
    for metric in course.metrics:
        row = cells[_key(course, later, earlier, f"{metric.name}_difference")]
        lines.append(
            [text(_titled(metric)), points(row), which_is_better(row, text("better", "good"), text("worse", "bad"))]
        )
    first, last = course.run.steps[earlier], course.run.steps[later]
    return table(
        f"Step {last:,} minus step {first:,}", ["", difference_column("points, 95%", "worse", "better"), " "], lines
    )


def _change_table(course: TrainingCourse, later: int, earlier: int, cells: CheckpointCells) -> Table:
    """By side how many cases were right before, broke, were mended, and are right after."""
    lines = []
    for side in SIDES:
        changed = course.changes(later, earlier, side)
        link = partial(course.link, later, earlier, side)
        steps = [f"right at step {course.run.steps[place]:,}" for place in (earlier, later)]
        before, after = changed.both_right + changed.broken, changed.both_right + changed.mended
        line = [text(side), count(before, link({earlier: True}, before, steps[0]))]
        line += _change_cells(course, later, earlier, side)
        line.append(count(after, link({later: True}, after, steps[1])))
        line.append(count(changed.n, course.common_link(later, earlier, side), "dim"))
        test = cells[_key(course, later, earlier, f"{side}_mcnemar")]
        lines.append([*line, p_value(test["p"]), p_value(test["p_holm"])])
    first, last = course.run.steps[earlier], course.run.steps[later]
    heads = ["", "right before", "broke", "mended", "right after", "n", "p McNemar", "p Holm"]
    return table(f"Cases from step {first:,} to step {last:,}", heads, lines)
