"""Pages of `thresholds`: what a move turns over, and the rewards behind it."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import polars as pl
from msgspec.structs import replace

from inspector.analyses import Params
from inspector.analyses.breakdown.places import RELIABILITY, REWARDS, bin_frame
from inspector.render.blocks import (
    Bin,
    Block,
    CalibrationBin,
    Cell,
    Classes,
    Facts,
    Histogram,
    Note,
    Reliability,
    Table,
    Tick,
    count,
    figure,
    p_value,
    points,
    table,
    text,
)
from inspector.render.charts.glyphs import OUTCOME_STYLES
from inspector.render.lines import CaseLink
from inspector.render.texts.sentences import GLYPHS, WORDS
from inspector.render.view import View
from inspector.state.case_links import OF_SIDE
from inspector.state.notes import first_run_notes
from inspector.state.provenance import provenance
from inspector.state.result_set import ResultSet, within
from inspector.state.thresholds.flips import (
    PRESENT,
    MovedThreshold,
    flip_facts,
    flip_rows,
    moved_scorers,
    threshold_words,
)
from inspector.state.thresholds.ways import NOTHING, TITLES, is_present, scorers_there, threshold_sections
from scoring.data.errors import UsageError
from scoring.data.reward_transforms import transform
from scoring.data.schema import Row
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import ON_CLEAN, ON_ERRONEOUS, OUTCOMES, ProvidedVerdicts, Rule
from scoring.metrics.aligned import align_scorers
from scoring.metrics.closed_forms import holm, mcnemar
from scoring.metrics.first_error import SIDES
from scoring.metrics.paired import quadrants
from scoring.metrics.shared_draws import OF_CASES, shared_scores
from scoring.metrics.threshold_flips import AtThreshold, flip_conditions

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
    return table("Does it help", ["", "before", "after", "difference", "p McNemar", "p Holm"], lines)


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
    rule = evaluation.rule
    assert isinstance(rule, Rule)  # noqa: S101  # the caller has looked
    condition: str = getattr(AtThreshold(evaluation.scorer.name, rule.threshold, rule.comparison), OUTCOMES[code])
    return condition


# -- pages of `thresholds` about the rewards behind it: by gold class, and as probabilities


GOLD_SIDES: Classes = (("erroneous", "missed"), ("clean", "clean"))
STEPS: Classes = (("wrong", "missed"), ("right", "clean"))
_CLASSES = {"case": (GOLD_SIDES, ({"erroneous"}, {"clean"})), "step": (STEPS, ({"at"}, {"clean", "before"}))}
"""By unit its classes, and which rows are of each: steps after the earliest error are neither."""


def rewards_view(results: ResultSet, params: Params) -> View:
    """Show how rewards lie by gold class, and how well they tell these apart."""
    return _of_bins(results, params, REWARDS, reward_blocks)


def reliability_view(results: ResultSet, params: Params) -> View:
    """Show whether rewards are the probabilities that they look like."""
    return _of_bins(results, params, RELIABILITY, reliability_blocks)


def _of_bins(
    results: ResultSet,
    params: Params,
    page: str,
    lay_out: Callable[[Evaluation, Sequence[Row], str], Iterator[Block]],
) -> View:
    """A page over the rows that the page of `breakdown` of this name has."""
    frame, notes = bin_frame(results, Params(page))

    def blocks(name: str, scope: ResultSet) -> Iterator[Block]:
        there = scorers_there(scope, name)
        for evaluation in there:
            if len(there) > 1:
                yield Note(evaluation.scorer.name, "lead")
            own = frame.filter(pl.col("scorer") == evaluation.scorer.name, pl.col("benchmark") == name)
            yield from lay_out(evaluation, own.to_dicts(), name)
        if not there:
            yield Note(NOTHING)

    title = "Rewards by gold class" if page == REWARDS else "Are rewards probabilities?"
    command = results.query.command("thresholds", f"--{page}", form=params.form)
    facts = provenance(results, command, (*notes, *first_run_notes(results)))
    return View(frame, facts, title=title, lay_out=lambda: threshold_sections(results, blocks))


def reward_blocks(evaluation: Evaluation, rows: Sequence[Row], benchmark: str) -> Iterator[Block]:
    """Draw histograms of cases and of steps by gold class, and say how well rewards tell these apart."""
    of_cases, of_steps = ([row for row in rows if row["unit"] == unit] for unit in ("case", "step"))
    if not any(row["value"] for row in of_cases if row["metric"] == "count"):
        reason = next((row["reason"] for row in of_cases if row["metric"] == "auroc"), "nothing was scored")
        yield Note(f"There are no rewards to lay out: {reason}.")
        return
    rule = evaluation.rule
    on_rewards = not isinstance(rule, ProvidedVerdicts) and rule.on == "rewards"
    ticks = (Tick(rule.threshold, "^", "present threshold"),) if on_rewards and rule.threshold is not None else ()
    separation = _separation(of_cases, "a clean case", "an erroneous one")
    yield _histogram(f"The lowest reward of each case: {separation}", of_cases, "case", ticks, evaluation, benchmark)
    separation = _separation(of_steps, "a right step", "one at an earliest error")
    title = f"The reward of each step before and at the earliest error: {separation}"
    yield _histogram(title, of_steps, "step", ticks, evaluation, benchmark)
    if not isinstance(rule, ProvidedVerdicts) and not on_rewards:
        what = transform(rule.on).plural
        yield Note(f"The threshold is on {what} of rewards, so that it has no place on these axes.", "quiet")


def _separation(rows: Sequence[Row], high: str, low: str) -> str:
    """The AUROC in words, with its interval, or why there is none."""
    row = next(row for row in rows if row["metric"] == "auroc")
    if row["value"] is None:
        return f"no AUROC: {row['reason']}."
    ends = "" if row["low"] is None else f" [{row['low']:.3f}, {row['high']:.3f}]"
    few = " ~" if row["small"] else ""
    return f"AUROC {row['value']:.3f}{ends}{few}: how often that of {high} is above that of {low}."


def _histogram(
    title: str, rows: Sequence[Row], unit: str, ticks: tuple[Tick, ...], evaluation: Evaluation, benchmark: str
) -> Histogram:
    classes, sides = _CLASSES[unit]
    counts = [row for row in rows if row["metric"] == "count"]
    bins = []
    for low, high in dict.fromkeys((row["reward_from"], row["reward_to"]) for row in counts):
        here = [row for row in counts if (row["reward_from"], row["reward_to"]) == (low, high)]
        each = [[row for row in here if row["side"] in side] for side in sides]
        sizes = [int(sum(row["value"] or 0 for row in side)) for side in each]
        links = [_bin_link(side, n, low, high, evaluation, benchmark) for side, n in zip(each, sizes, strict=True)]
        bins.append(Bin(low, high, (sizes[0], sizes[1]), (links[0], links[1])))
    return Histogram(title, tuple(bins), classes, ticks, f"{unit}s")


def _bin_link(
    rows: Sequence[Row], n: int, low: float, high: float, evaluation: Evaluation, benchmark: str
) -> CaseLink | None:
    if len(rows) != 1 or rows[0]["where"] is None or not n:
        return None
    words = f"lowest reward {low:.3g} to {high:.3g}, {rows[0]['side']}"
    return CaseLink((rows[0]["where"],), n, words, evaluation.scorer.name, benchmark=benchmark)


def reliability_blocks(evaluation: Evaluation, rows: Sequence[Row], benchmark: str) -> Iterator[Block]:
    """Draw reliability diagrams of steps and of cases, or say why there is none."""
    of_cases, of_steps = ([row for row in rows if row["unit"] == unit] for unit in ("case", "step"))
    yield from _shares(of_steps, "Share of right steps", "steps", evaluation, benchmark)
    if any(row["metric"] == "share_right" for row in of_steps):
        yield from _shares(of_cases, "Share of clean cases by the lowest reward", "cases", evaluation, benchmark)


def _shares(rows: Sequence[Row], title: str, counted: str, evaluation: Evaluation, benchmark: str) -> Iterator[Block]:
    """A reliability diagram with its calibration error, or why there is none."""
    ece = next(row for row in rows if row["metric"] == "ece")
    if ece["value"] is None:
        yield Note(f"There is no reliability diagram: {ece['reason']}.")
        return
    caption = f"{title}: expected calibration error {ece['value']:.3f} (how far it is from what was given, on average)."
    means = {row["reward_from"]: row["value"] for row in rows if row["metric"] == "mean_reward"}
    bins = []
    for row in rows:
        if row["metric"] == "share_right":
            low, high, where = row["reward_from"], row["reward_to"], row["where"]
            words = f"lowest reward {low:.1f} to {high:.1f}"
            name = evaluation.scorer.name
            link = CaseLink((where,), row["n"], words, name, benchmark=benchmark) if where and row["n"] else None
            bins.append(CalibrationBin(low, high, means[low], replace(figure(row, link=link), n=row["n"])))
    yield Reliability(caption, tuple(bins), counted)
    if all(reward_bin.share.low is None for reward_bin in bins):
        yield Note("No interval: steps of a case are not independent of each other.", "quiet")
