"""A critic's figures with fewer votes, for every number of them."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from inspector.analyses import Option, OptionValue, Page, Params, analysis
from inspector.analyses.votes.label_votes import label_votes_view, labels_steps
from inspector.render.blocks import Block, Section, quiet_notes
from inspector.render.chart_blocks import Curve, Series
from inspector.render.table_blocks import Cell, Column, Kind, Table, count, figure, forest_column, table, text
from inspector.render.texts.sentences import counted
from inspector.render.view import View
from inspector.state.case_links import figure_link, group_facets
from inspector.state.figure_notes import interval_notes
from inspector.state.provenance import averaging, provenance
from scoring.data.errors import UsageError
from scoring.data.readout import FAILED
from scoring.data.schema import NO_SUBSET, Bools, Floats, Ints, RowDict
from scoring.evaluation.evaluation import Evaluation, evaluate
from scoring.evaluation.votes import by_run
from scoring.metrics.case_groups import group_masks
from scoring.metrics.first_error import NAMES
from scoring.metrics.kernel import Unparsed, harmonic
from scoring.metrics.official_rows import CountingRules, figures_of
from scoring.metrics.vote_curve import MOST_CHOSEN, vote_curve
from scoring.runs.plan import REFUSED
from scoring.selection.result_set import ResultSet
from scoring.workspace.cache import BALLOTS, RewardParts, VoteParts
from scoring.workspace.rows_of_cases import rows_about, rows_of_cases

FIGURES, STEPS = "figures", "steps"
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
AVERAGE, WHOLE = "average", "all"
"""Where a benchmark's figure stands: in the mean over its subsets, or else in that of all cases."""
NOTES = (
    "votes: of each case the first so many answers vote, the others are left out; a case with fewer has all it has",
    "the most frequent answer wins, of equally frequent ones the first; votes 1 is a sampled answer, no greedy one",
    "expected: the mean accuracy over every choice of so many of each case's answers, exactly; of runs their mean",
    "expected f1: that of the expected accuracies, averaged over subsets as f1 is",
)


class _Ballots(Struct, frozen=True, eq=False):
    """What one critic's cases were voted.

    `evaluation` is its own, with all votes, `rows` the columns of BALLOTS, `rewards` what else it gave.
    """

    evaluation: Evaluation
    rows: pl.DataFrame
    rewards: pl.DataFrame

    @property
    def most(self) -> int:
        """The largest number of answers to one case in one run."""
        return max(run.votes.most for run in self.evaluation.runs if run.votes is not None)

    def first(self, count: int) -> Evaluation:
        """The same critic, had each case had so many answers at most."""
        own, place = self.evaluation, pl.col("vote").rank("ordinal").over("key", "case", "run")
        return evaluate(own.gold, own.scorer, self.rewards, votes=self.rows.filter(place <= count))

    def by_run(self) -> Iterator[tuple[Evaluation, pl.DataFrame]]:
        """Each run and its rows; runs are ranked within a benchmark, as evaluations do."""
        yield from zip(self.evaluation.runs, by_run(self.evaluation.gold.cases, self.rows), strict=True)


def _may_vote(results: ResultSet) -> bool:
    """Whether any scorer votes; so too where nobody labels steps, whose page would be the only other one."""
    return any(each.votes is not None for each in results.evaluations) or not labels_steps(results)


def _numbers_of_votes(results: ResultSet, params: Params) -> Iterator[OptionValue]:  # noqa: ARG001  # as all offers
    most = max(
        (evaluation.votes.most for evaluation in results.chosen_evaluations if evaluation.votes is not None), default=0
    )
    for number in range(1, most + 1):
        yield OptionValue(number, counted(number, "vote"))


@analysis(
    "Votes",
    (
        Page(FIGURES, "Figures", "focus", holds=lambda results, _: _may_vote(results)),
        Page(
            STEPS,
            "Labels",
            "focus",
            help="how many answers give each step which label (critics that label steps: right, neutral, wrong)",
            holds=lambda results, _: labels_steps(results),
        ),
    ),
    scorers="critics by name or a unique part of it (default: all with several votes)",
    options=(
        Option(
            "at",
            "also every subset with so many votes a case (its figures; default: as many as there are)",
            "Votes",
            metavar="N",
            type=int,
            pages=(FIGURES,),
            offered=_numbers_of_votes,
        ),
    ),
    examples=("prm-inspect votes my-critic --at 3 --csv", "prm-inspect votes my-judge --steps"),
    needs="Votes are several answers of a critic to a case, and no critic has any on {benchmark}.",
    help="What fewer votes would have said: F1 for every number of them, and what is expected of so "
    "many over every choice of them.",
)
def votes(results: ResultSet, params: Params, intervals: bool) -> View:
    """Return the figures of the chosen critics over the shown cases for every number of votes, subset and metric.

    Raises:
        UsageError: none of them has several votes, and why; or no number of votes is asked for.
    """
    if params.page == STEPS:
        return label_votes_view(results, params)
    at = params.get("at")
    if at is not None and (not isinstance(at, int) or at < 1):
        raise UsageError(f"{at!r} is not a number of votes.", "Give --at a number from 1 on.")
    critics = [ballots for ballots in map(_Reader(results), results.chosen_evaluations) if ballots is not None]
    if not critics:
        raise UsageError(
            "no scorer that was asked for has several votes on these cases.",
            "Make some: prm-inspect score BENCHMARK --critic processbench --votes 8 --server URL. "
            "Of critics that label every step see prm-inspect votes --steps.",
        )
    counting = results.counting if intervals else replace(results.counting, seed=None)
    rows = [row for critic in critics for row in _rows(results, critic, counting)]
    voting = replace(results, chosen=tuple(critic.evaluation.scorer.name for critic in critics))
    frame = pl.DataFrame(rows, schema=VOTES, orient="row")
    oddities = [note for critic in critics for note in _notes(results, critic)]
    facts = provenance(
        voting,
        results.query.command("votes", *params.words, form=params.form),
        (
            *NOTES,
            *interval_notes(voting),
            *oddities,
        ),
    )
    made = {**facts, "averaging": averaging(voting)}
    empty = "" if rows else "No case is shown."
    return View(frame, made, title="Votes", lay_out=lambda: _sections(voting, frame, oddities, at), empty=empty)


# -- what people see


def _sections(results: ResultSet, frame: pl.DataFrame, oddities: Sequence[str], at: int | None) -> tuple[Section, ...]:
    parts_of = frame.partition_by("benchmark", maintain_order=True)
    return tuple(
        Section(str(rows["benchmark"][0]), f"votes-{number}", tuple(_blocks(results, rows, oddities, at)))
        for number, rows in enumerate(parts_of)
    )


def _blocks(results: ResultSet, rows: pl.DataFrame, oddities: Sequence[str], at: int | None) -> Iterator[Block]:
    benchmark = str(rows["benchmark"][0])
    whole = AVERAGE if AVERAGE in rows["subset"] else WHOLE
    lines: dict[tuple[str, int], dict[str, RowDict]] = {}
    for row in rows.filter(pl.col("subset") == whole, pl.col("metric").is_in(NAMES)).iter_rows(named=True):
        lines.setdefault((row["scorer"], row["votes"]), {})[row["metric"]] = row
    if any(figures["f1"]["value"] is not None for figures in lines.values()):
        yield _curves(lines)
    several = len({scorer for scorer, _ in lines}) > 1
    cells = [
        [
            *([text(scorer)] if several else []),
            Cell(number, Kind.COUNT),
            figure(line["f1"], style="strong"),
            Cell(line["f1"]["expected"], Kind.SHARE),
            *(replace(figure(line[name]), low=None, high=None) for name in ACCURACIES),
        ]
        for (scorer, number), line in lines.items()
    ]
    columns: list[str | Column] = ["votes", forest_column("F1"), "expected F1", "error acc", "correct acc"]
    heads = ["scorer", *columns] if several else columns
    yield table("The first so many answers of a case vote", heads, cells, labels=2 if several else 1)
    for scorer in dict.fromkeys(name for name, _ in lines):
        most = max(number for name, number in lines if name == scorer)
        yield _by_subset(results, rows, scorer, min(at or most, most), benchmark)
    yield from quiet_notes(oddities)


def _curves(lines: Mapping[tuple[str, int], Mapping[str, RowDict]]) -> Curve:
    series = []
    for letter, scorer in zip("abcdefgh", dict.fromkeys(name for name, _ in lines), strict=False):
        own = [(number, line["f1"]) for (name, number), line in lines.items() if name == scorer]
        xs = np.array([float(number) for number, _ in own])
        for key, name, style in (("value", scorer, "exact"), ("expected", f"{scorer}, expected", "dim")):
            ys = np.array([np.nan if row[key] is None else row[key] for _, row in own])
            ends = [np.array([np.nan if row[end] is None else row[end] for _, row in own]) for end in ("low", "high")]
            band = ends if key == "value" and np.isfinite(ends[0]).any() else [None, None]
            if np.isfinite(ys).any():
                series.append(Series(name, letter if key == "value" else "", style, xs, ys, *band))
    xs = (
        np.concatenate([np.asarray(curve.xs, dtype=np.float64) for curve in series]) if series else np.array([1.0, 2.0])
    )
    return Curve("", "votes", "F1", tuple(series), across=(1.0, float(xs.max())), whole=True)


def _by_subset(results: ResultSet, rows: pl.DataFrame, scorer: str, votes_of: int, benchmark: str) -> Table:
    """Every subset with so many votes; with all of them its cases can be opened."""
    evaluation = results.evaluation(scorer)
    own = rows.filter(pl.col("scorer") == scorer, pl.col("votes") == votes_of, pl.col("metric").is_in(NAMES))
    every = evaluation.votes is not None and votes_of == evaluation.votes.most and not evaluation.further
    lines = []
    for part in own.partition_by("subset", maintain_order=True):
        metrics = {row["metric"]: row for row in part.iter_rows(named=True)}
        facets = group_facets(results, benchmark, metrics["f1"]["subset"])
        link = figure_link(results, evaluation, benchmark, "f1", facets) if every and facets is not None else None
        name = metrics["f1"]["subset"] or NO_SUBSET
        lines.append([text(name), figure(metrics["f1"], link=link), Cell(metrics["f1"]["expected"], Kind.SHARE)])
        lines[-1] += [replace(figure(metrics[metric]), low=None, high=None) for metric in ACCURACIES]
        lines[-1].append(count(metrics["f1"]["n"]))
    title = f"With {counted(votes_of, 'vote')} a case, {scorer}"
    return table(title, ["subset", forest_column("F1"), "expected F1", "error acc", "correct acc", "n"], lines)


# -- rows


class _Reader(Struct, frozen=True, eq=False):
    """Reads the ballots of an evaluation; None where there are not several votes of one run."""

    results: ResultSet

    def __call__(self, evaluation: Evaluation) -> _Ballots | None:
        name = evaluation.scorer.name
        if evaluation.votes is None or name not in self.results.loaded.folders:
            return None
        folder = self.results.loaded.folders[name]
        rows, _ = VoteParts(folder).read(BALLOTS)
        if rows["rewards"].null_count() < rows.height:
            # Numbers do not vote.
            return None
        here = rows_about(self.results.cases, rows)
        ballots = _Ballots(evaluation, here, RewardParts(folder).read()[0])
        return ballots if ballots.most > 1 else None


def _rows(results: ResultSet, ballots: _Ballots, counting: CountingRules) -> Iterator[RowDict]:
    """The official rows for every number of votes, each with what is to be expected of such a number."""
    own = ballots.evaluation
    every = [ballots.first(count) for count in range(1, ballots.most + 1)]
    for part, rows in group_masks(results.cases, ("benchmark",), results.mask):
        if not (own.coverage.tried & rows).any():
            continue
        name = part["benchmark"]
        expected = _expected(ballots, rows, results.unparsed(name))
        for number, evaluation in enumerate(every, 1):
            for row in figures_of(evaluation, name, rows, counting):
                expected_values = expected.get((row["subset"], row["metric"]))
                value = None if expected_values is None or row["value"] is None else expected_values[number - 1]
                yield {"scorer": own.scorer.name, "benchmark": name, "votes": number, **row, "expected": value}


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
    there = rows & gold.known & run.coverage.tried
    names, groups = gold.subsets
    by_subset: dict[tuple[str, str], Floats] = {}
    present = [number for number in range(len(names)) if (there & (groups == number)).any()]
    for number in present:
        by_subset |= _figures(shares, there & (groups == number), gold.earliest, names[number] or "")
    pooled = _figures(shares, there, gold.earliest, "all")
    subsets = [names[number] or "" for number in present]
    for metric in (*ACCURACIES, "f1"):
        by_subset["average", metric] = np.mean([by_subset[subset, metric] for subset in subsets], axis=0)
    return by_subset | pooled


def _figures(shares: Floats, rows: Bools, earliest: Ints, subset: str) -> dict[tuple[str, str], Floats]:
    with np.errstate(invalid="ignore"):
        sides = [_mean(shares[rows & (earliest >= 0)]), _mean(shares[rows & (earliest < 0)])]
    f1 = harmonic(*sides)
    return {(subset, metric): side for metric, side in zip((*ACCURACIES, "f1"), (*sides, f1), strict=True)}


def _mean(shares: Floats) -> Floats:
    """The mean over cases; NaN where there is none."""
    return shares.mean(axis=0) if len(shares) else np.full(shares.shape[1], np.nan)


def _notes(results: ResultSet, ballots: _Ballots) -> Iterator[str]:
    """What to keep in mind about the votes of one critic."""
    own, name = ballots.evaluation, ballots.evaluation.scorer.name
    cases = own.gold.cases.filter(pl.Series(results.mask))
    rows = rows_about(cases, ballots.rows)
    sizes = rows_of_cases(cases, ballots.rows).group_by("case", "run").len()["len"]
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
        results.unparsed(benchmark) == "drop" for benchmark in results.benchmarks
    ):
        yield f"{name}: expected is not told where unparsed answers are left out: which cases count differs by choice"
