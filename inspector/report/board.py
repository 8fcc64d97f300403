"""The board: scorers on one benchmark, with the official figure, what lies behind it, and the outcomes."""

from collections.abc import Iterator

from msgspec.structs import replace

from inspector.notes import first_run_notes
from inspector.render.view import Block, Bullets, Cell, Facts, Fold, Kind, Note, Table, count, figure, table, text
from inspector.report.charts import Measured, interval_chart, outcome_chart
from inspector.report.facts import SIDES, UNKNOWN, OfBenchmark, Row, percent
from scoring.evaluation import Evaluation
from scoring.metrics.own import OwnMetric, own_metrics
from scoring.transforms import REWARDS, transform
from scoring.verdicts import AsGiven, RuleByCase

SIDE_HEADS = {"f1": ("on erroneous", "on clean"), "prmscore": ("on wrong steps", "on right steps")}


def board_blocks(of: OfBenchmark) -> Iterator[Block]:
    """The table, two charts, and every subset."""
    if not of.scorers:
        yield Note("No scorer has anything for these cases yet, so there is no figure.")
        return
    yield from map(_warning, unlike(of))
    yield board_table(of)
    if about := tuple((one.scorer.name, one.scorer.about) for one in of.scorers if one.scorer.about):
        yield Fold("About the scorers", (Facts(about),))
    measured = [_measured(of, one) for one in of.scorers]
    if any(one.value is not None for one in measured):
        yield interval_chart(f"{of.title} with 95% intervals, {of.name}", measured)
    if notes := tuple(first_run_notes(of.selection)):
        yield Bullets(notes)
    counts = [(one.scorer.name, of.outcomes(one)) for one in of.scorers]
    yield outcome_chart(f"Outcomes of {of.n:,} cases, {of.name}", counts)
    if len(of.subsets) > 1:
        yield Fold(f"{of.title} of every subset", (subset_table(of),))


def _warning(text: str) -> Note:
    return Note(text, "warning")


def unlike(of: OfBenchmark) -> Iterator[str]:
    """Why figures of this board are not to be compared as they stand."""
    tried = {one.scorer.name: one.tried & of.rows & of.selection.evaluations[0].gold.known for one in of.scorers}
    tried = {name: rows for name, rows in tried.items() if rows.any()}
    if len({rows.tobytes() for rows in tried.values()}) > 1:
        sizes = ", ".join(f"{name} {int(rows.sum())}" for name, rows in tried.items())
        yield (
            f"Not the same cases: {sizes}. These figures are not to be compared as they stand; the comparisons are on"
            " common cases."
        )
    optimistic = [one.scorer.name for one in of.scorers if "optimistic" in one.rule.source]
    if optimistic:
        told = ", ".join(optimistic)
        yield f"Optimistic: the threshold of {told} was tuned on cases that the figures are of."


def _measured(of: OfBenchmark, one: Evaluation) -> Measured:
    row = of.figure(one.scorer.name)
    value, low, high = (None, None, None) if row is None else (row["value"], row["low"], row["high"])
    return Measured(one.scorer.name, value, low, high, percent(row))


def board_table(of: OfBenchmark) -> Table:
    """A line a scorer."""
    over = f"mean of {len(of.subsets)} subsets" if of.whole == "average" else "all cases"
    over = "all steps pooled" if of.head == "prmscore" else over
    heads = (
        "scorer",
        f"{of.title} (95%)",
        *SIDE_HEADS[of.head],
        "n",
        "with a verdict",
        *(made.title for made in own_metrics()),
        "wrong if reward",
        "its source",
    )
    caption = f"{of.name}: {of.title} in percent, {over}; n counts {'steps' if of.head == 'prmscore' else 'cases'}"
    return table(caption, heads, [_line(of, one, first=one is of.best) for one in of.scorers])


def _line(of: OfBenchmark, one: Evaluation, *, first: bool) -> tuple[Cell, ...]:
    name = one.scorer.name
    row = of.figure(name)
    sides = (of.figure(name, metric) for metric in SIDES[of.head])
    answered = int((one.answered & of.rows).sum())
    return (
        text(name, "strong" if first else ""),
        _figure(row, why=True, strong=first),
        *(_figure(side) for side in sides),
        count(None if row is None else row["n"]),
        text(f"{answered:,} of {of.n:,}"),
        *(_own(of, name, made) for made in own_metrics()),
        _threshold(one),
        text(one.rule.source, "strong" if "optimistic" in one.rule.source else ""),
    )


def _figure(row: Row | None, *, why: bool = False, strong: bool = False) -> Cell:
    """A figure in percent over its interval; why there is none, where asked for.

    One that is a protocol's own number for what is undefined has its reason as well.
    """
    made = figure(row or UNKNOWN, style="strong" if strong else "")
    made = replace(made, note="" if made.sd is None else f"mean of {made.runs} runs")
    return made if why or made.value is not None else replace(made, reason="")


def _own(of: OfBenchmark, scorer: str, made: OwnMetric) -> Cell:
    """A metric of the user's own, of the whole benchmark."""
    row = of.figure(scorer, made.name) or UNKNOWN
    return replace(figure(row, Kind.SHARE if made.kind == "share" else Kind.NUMBER), reason="")


def _threshold(one: Evaluation) -> Cell:
    """The threshold and what is compared with it; by subset where it differs."""
    rule = one.rule
    if isinstance(rule, AsGiven):
        return Cell(None, Kind.NUMBER)
    on = "" if rule.on == REWARDS else f"its {transform(rule.on).noun}"
    on = f"{on} of the lowest step".strip() if rule.step == "lowest" else on
    if isinstance(rule, RuleByCase):
        cuts = ", ".join(f"{name} {value:.4g}" for name, value in rule.told.items())
        return Cell(f"{rule.comparison} by subset", note=f"{on} {cuts}".strip())
    return Cell(f"{rule.comparison} {rule.threshold:.4g}", note=on)


def subset_table(of: OfBenchmark) -> Table:
    """The official figure by subset: a line a scorer, a column a subset."""
    rows = []
    for one in of.scorers:
        found = [of.figure(one.scorer.name, of.head, subset) for subset in of.subsets]
        rows.append([Cell(one.scorer.name), *(_subset(row) for row in found)])
    heads = ["scorer", *(subset or "(no subset)" for subset in of.subsets)]
    return table(f"{of.name}: {of.title} by subset, in percent", heads, rows, heat=True)


def _subset(row: Row | None) -> Cell:
    made = figure(row or UNKNOWN)
    return made if row is None or row["value"] is None else replace(made, n=row["n"], shade=row["value"])
