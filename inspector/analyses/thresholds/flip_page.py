"""The page of `thresholds` about two thresholds: which outcomes a move turns into which, and whether it helps."""

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import polars as pl

from inspector.analyses import Params
from inspector.render.blocks import Block, Facts, Note
from inspector.render.charts.glyphs import OUTCOME_STYLES
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import Cell, Table, count, difference_column, figure, p_value, points, table, text
from inspector.render.texts.sentences import GLYPHS, WORDS
from inspector.render.view import View
from inspector.state.case_links import OF_SIDE
from inspector.state.provenance import provenance
from inspector.state.thresholds.flips import (
    PRESENT,
    MovedThreshold,
    flip_facts,
    flip_rows,
    moved_scorers,
    threshold_words,
)
from inspector.state.thresholds.ways import NOTHING, TITLES, is_present, threshold_sections
from scoring.data.errors import UsageError
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import ON_CLEAN, ON_ERRONEOUS, OUTCOMES
from scoring.metrics.aligned import align_scorers
from scoring.metrics.closed_forms import holm, mcnemar
from scoring.metrics.first_error import SIDES
from scoring.metrics.paired import quadrants
from scoring.metrics.shared_draws import OF_CASES, shared_scores
from scoring.metrics.threshold_flips import AtThreshold, flip_conditions
from scoring.selection.result_set import ResultSet, within

# -- the page of `thresholds` about two thresholds: which outcomes a move turns into which, and whether it helps


_TURNED = {"right": "become right", "wrong": "become wrong", "other": "stay wrong in another way"}


def flips_view(results: ResultSet, params: Params, intervals: bool) -> View:
    """Answer `thresholds --flips`: which outcomes a move of the threshold turns into which."""
    wanted = params.get("flips")
    wanted = _usual_thresholds(results) if wanted is None else wanted or ("default", PRESENT)
    between = wanted if isinstance(wanted, (tuple, list)) else (wanted,)
    if len(between) != 2:
        raise UsageError(f"--flips compares two thresholds, not {len(between)}.", "Give two, or none.")
    before, after = map(str, between)
    moved = moved_scorers(results, before, after)
    frame = flip_rows(results, moved)
    words = () if (before, after) == ("default", PRESENT) else (before, after)
    command = results.query.command("thresholds", "--flips", *words, form=params.form)
    facts = provenance(results, command) | flip_facts(results, moved, frame)

    def blocks(name: str, scope: ResultSet) -> Iterator[Block]:
        there = [change for change in moved if (change.before.coverage.tried & scope.mask).any()]
        if not there:
            yield Note(NOTHING)
        for change in there:
            own = frame.filter(pl.col("scorer") == change.before.scorer.name, pl.col("benchmark") == name)
            yield from _flip_blocks(scope, change, own, name, facts["where"][change.before.scorer.name], intervals)

    return View(frame, facts, title="Two thresholds", lay_out=lambda: threshold_sections(results, blocks))


def _usual_thresholds(results: ResultSet) -> tuple[str, str]:
    """The default against the present threshold; where that is the default, against the best one."""
    movable = [evaluation for evaluation in results.chosen_evaluations if evaluation.rule.is_movable]
    return "default", "best" if movable and all(
        is_present(evaluation, "default", results) for evaluation in movable
    ) else PRESENT


def _flip_blocks(
    scope: ResultSet,
    moved: MovedThreshold,
    rows: pl.DataFrame,
    benchmark: str,
    conditions: Mapping[str, str | None],
    intervals: bool,
) -> Iterator[Block]:
    """Which outcomes a move turns into which, and whether it helps."""
    before, after = moved.before, moved.after
    yield Facts(
        (
            ("scorer", before.scorer.name),
            ("before", f"threshold {threshold_words(before, short=True)}"),
            ("after", f"threshold {threshold_words(after, short=True)}"),
        )
    )
    if not rows.height:
        yield Note("No outcome differs.")
        return
    yield _turned(scope, moved, rows, conditions, benchmark)
    linked = not moved.present.coverage.left_out and flip_conditions(before, after) is not None
    if not linked:
        yield Note("Dev cases are left out at one of them, so that outcomes have no lists.", "quiet")
    yield _moved_figures(scope, moved, benchmark, intervals)
    name, inside = before.scorer.name, within(scope, benchmark)

    def link(_side: str, old: int, new: int, n: int) -> CaseLink | None:
        if not linked:
            return None
        where = (*inside, _condition(before, old), _condition(after, new))
        return CaseLink(where, n, outcomes_words(old, new), name, benchmark=benchmark)

    yield from outcome_matrices(scope, moved, link)


def _turned(
    scope: ResultSet, moved: MovedThreshold, rows: pl.DataFrame, conditions: Mapping[str, str | None], benchmark: str
) -> Table:
    """How many cases turn right, wrong, or wrong in another way; and steps."""
    name = moved.before.scorer.name
    line: list[Cell] = []
    inside = within(scope, benchmark)
    for flip, words in _TURNED.items():
        n = rows.filter(pl.col("flip") == flip).height
        where = conditions.get(flip)
        link = None if where is None else CaseLink((*inside, where), n, words, name, benchmark=benchmark)
        line.append(count(n, link, "strong"))
    columns = [f"cases {words}" for words in _TURNED.values()]
    for flip, title in (("left_out", "left out"), ("taken_in", "taken in")):
        if n := rows.filter(pl.col("flip") == flip).height:
            columns.append(title)
            line.append(count(n))
    for column, title in (("steps_right", "steps become right"), ("steps_wrong", "steps become wrong")):
        if rows[column].count():
            columns.append(title)
            line.append(count(int(rows[column].sum())))
    return table("", columns, [line], labels=0)


def _moved_figures(scope: ResultSet, moved: MovedThreshold, benchmark: str, intervals: bool) -> Table:
    """The paired bootstrap and McNemar's test between a scorer and itself at another threshold."""
    aligned = align_scorers((moved.before, moved.after), scope.mask, scope.unparsed(benchmark))
    scores = shared_scores(aligned, (0, 1), scope.query.seed if intervals else None)
    tests = {}
    for side, members in aligned.sides:
        four = quadrants(aligned, 0, 1, members)
        discordant = (np.array(four[f"only_{who}_right"]) for who in ("scorer", "other"))
        tests[side] = float(mcnemar(*discordant)) if sum(four.values()) else float("nan")
    adjusted = dict(zip(tests, holm(np.array(list(tests.values()))).tolist(), strict=True))
    lines = []
    for metric in OF_CASES:
        estimates = [scores.estimate(metric, 0), scores.estimate(metric, 1), scores.difference(metric, 1, 0)]
        cells = [
            {"value": estimate.value, "low": estimate.low, "high": estimate.high, "reason": estimate.reason}
            for estimate in estimates
        ]
        side = OF_SIDE[metric.name]
        ps = [float(known[side]) for known in (tests, adjusted)] if side else []
        lines.append(
            [
                text(TITLES[metric.name], "strong" if metric.name == "f1" else ""),
                figure(cells[0]),
                figure(cells[1], style="strong"),
                points(cells[2]),
                *(p_value(None if np.isnan(p) else p) for p in ps or (np.nan, np.nan)),
            ]
        )
    return table(
        "Does it help",
        ["", "before", "after", difference_column("after − before", "worse", "better"), "p McNemar", "p Holm"],
        lines,
    )


def outcome_matrices(
    scope: ResultSet,
    moved: MovedThreshold,
    link: Callable[[str, int, int, int], CaseLink | None],
    without_verdict: tuple[int, ...] = (),
) -> Iterator[Table]:
    """Count outcomes before by outcomes after, of each side that has cases.

    `link` gives what opens the cases of a side with an outcome before and one after, of which there are so many;
    `without_verdict` are the codes of cases without a verdict that are counted too.
    """
    erroneous = moved.before.gold.earliest >= 0
    sides = ((SIDES[0], ON_ERRONEOUS, scope.mask & erroneous), (SIDES[1], ON_CLEAN, scope.mask & ~erroneous))
    for side, verdicts, members in sides:
        codes = (*verdicts, *without_verdict)
        lines: list[list[Cell]] = []
        for old in codes:
            line: list[Cell] = [text(_outcome(old), OUTCOME_STYLES.get(OUTCOMES[old], "dim"))]
            for new in codes:
                n = int((members & (moved.before.codes == old) & (moved.after.codes == new)).sum())
                line.append(count(n, link(side, old, new, n), "" if old == new else "strong"))
            lines.append(line)
        if any(cell.value for line in lines for cell in line[1:]):
            heading = f"{side.capitalize()} cases: outcomes before (down) and after (across)"
            yield table(heading, ["", *map(_outcome, codes)], lines)


def outcomes_words(old: int, new: int) -> str:
    """Describe which outcome cases had and which they have."""
    return f"{WORDS[OUTCOMES[old]]} before, {WORDS[OUTCOMES[new]]} after"


def _outcome(code: int) -> str:
    name = OUTCOMES[code]
    return f"{GLYPHS[name]} {WORDS[name]}"


def _condition(evaluation: Evaluation, code: int) -> str:
    rule = evaluation.rule.movable
    assert rule is not None  # noqa: S101  # the caller has looked
    condition: str = getattr(AtThreshold(evaluation.scorer.name, rule.threshold, rule.comparison), OUTCOMES[code])
    return condition
