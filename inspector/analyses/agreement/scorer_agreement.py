"""The page of `agreement` on scorers: their verdicts, held against each other and against gold."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from inspector.analyses import Params
from inspector.render.blocks import Block, Note, Section
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import Cell, Column, Kind, count, figure, forest_column, table, text
from inspector.render.view import View
from inspector.state.figure_notes import first_run_notes
from inspector.state.provenance import provenance
from scoring.data.errors import UsageError
from scoring.data.schema import Bools, Row
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import NO_VERDICT
from scoring.metrics.annotator_agreement import (
    MISSING,
    NOTHING_SHARED,
    AnnotatorAnswers,
    agreement_of_all,
    agreement_of_two,
)
from scoring.metrics.outcome_conditions import LABELLED, answered
from scoring.metrics.resampling import LEVEL, RESAMPLES, SMALL, Figure
from scoring.selection.result_set import ResultSet, by_benchmark, within
from scoring.workspace.filtering.sql_words import named

SCORER_AGREEMENT = {
    "benchmark": pl.String(),
    # "gold" (a scorer and the gold labels), "pair" (two scorers) or "all".
    "scope": pl.String(),
    "scorer": pl.String(),
    "other": pl.String(),
    "metric": pl.String(),
    "value": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    # Cases with a verdict of both, or of all scorers those with two verdicts at least.
    "n": pl.Int64(),
    "reason": pl.String(),
    "note": pl.String(),
    "small": pl.Boolean(),
}
GOLD, PAIR, ALL = "gold", "pair", "all"
SLOW = 20_000
"""With more cases than this of a benchmark nothing is resampled: it would take minutes."""
NO_CASE = {
    GOLD: "no case has a gold label and a verdict of it",
    PAIR: "no case has verdicts of both",
    ALL: "no case has verdicts of two scorers",
}
SCORER_NOTES = (
    (
        "verdict: the predicted earliest error (0-based, -1 none), a label without order; an answer that names no step "
        "of the solution is one label more, and a case without a verdict does not count"
    ),
    (
        "observed: the share of cases on which two scorers, or a scorer and gold, name the same; of all scorers the "
        "share of pairs of verdicts of one case"
    ),
    "kappa: Cohen's; alpha: Krippendorff's of all scorers that have a verdict, nominal",
    f"intervals: bootstrap of whole problems; none where a benchmark has more than {SLOW:,} cases",
)


def scorers_view(results: ResultSet, params: Params, intervals: bool) -> View:
    """Show how well every two scorers, each scorer and gold, and all scorers agree on the earliest error."""
    rows, notes, sections = list[Row](), list(SCORER_NOTES), list[Section]()
    for number, (benchmark, mask) in enumerate(by_benchmark(results)):
        judging = [
            evaluation for evaluation in results.chosen_evaluations if (evaluation.coverage.answered & mask).any()
        ]
        if not judging:
            continue
        silent = [evaluation.scorer.name for evaluation in results.chosen_evaluations if evaluation not in judging]
        notes += [f"{benchmark}: {name} has no verdict and is left out" for name in silent]
        verdicts = _Verdicts.of(results, benchmark, mask, judging)
        own = list(verdicts.rows(results.query.seed if intervals else None))
        rows += own
        sections.append(Section(benchmark, f"agreement-{number}", tuple(verdicts.blocks(own, silent))))
    if not rows:
        raise UsageError(
            "no scorer has a verdict on any of these cases, so there is nothing to agree on.",
            "Import results, score with a PRM, or widen the filter.",
        )
    command = results.query.command("agreement", *params.words, form=params.form)
    facts = provenance(results, command, (*notes, *first_run_notes(results)))
    facts |= {"level": LEVEL, "resamples": RESAMPLES}
    frame = pl.DataFrame(rows, schema=SCORER_AGREEMENT, orient="row")
    return View(frame, facts, title="Agreement of scorers", lay_out=lambda: tuple(sections))


class _Verdicts(Struct, frozen=True, eq=False):
    """The verdicts of scorers, `names`, on the shown cases of a benchmark, and in a last column those of gold.

    `inside` are the conditions that tell these cases from those of other benchmarks.
    """

    benchmark: str
    names: tuple[str, ...]
    inside: tuple[str, ...]
    answers: AnnotatorAnswers

    @classmethod
    def of(cls, results: ResultSet, benchmark: str, mask: Bools, evaluations: Sequence[Evaluation]) -> "_Verdicts":
        """Put them side by side; the code of a verdict is its place among all that there are."""
        gold = evaluations[0].gold
        columns = [
            np.where(evaluation.coverage.answered, evaluation.verdicts, NO_VERDICT)[mask] for evaluation in evaluations
        ]
        verdicts = np.column_stack([*columns, np.where(gold.known, gold.earliest, NO_VERDICT)[mask]])
        labels = np.unique(verdicts[verdicts != NO_VERDICT])
        codes = np.where(verdicts == NO_VERDICT, MISSING, np.searchsorted(labels, verdicts))
        names = tuple(evaluation.scorer.name for evaluation in evaluations)
        return cls(
            benchmark, names, within(results, benchmark), AnnotatorAnswers(codes, gold.problems[mask], labels.size)
        )

    def rows(self, seed: int | None) -> Iterator[Row]:
        """Give the rows of SCORER_AGREEMENT: each scorer and gold, every two scorers, all of them."""
        gold = len(self.names)
        seed = seed if len(self.answers.codes) <= SLOW else None
        for at, name in enumerate(self.names):
            yield from self._rows(GOLD, agreement_of_two(self.answers, at, gold, seed), name)
        for left, right in combinations(range(gold), 2):
            figures = agreement_of_two(self.answers, left, right, seed)
            yield from self._rows(PAIR, figures, self.names[left], self.names[right])
        without_gold = replace(self.answers, codes=self.answers.codes[:, :gold])
        yield from self._rows(ALL, agreement_of_all(without_gold, seed))

    def _rows(
        self, scope: str, figures: Sequence[Figure], scorer: str | None = None, other: str | None = None
    ) -> Iterator[Row]:
        for coefficient in figures:
            yield {
                "benchmark": self.benchmark,
                "scope": scope,
                "scorer": scorer,
                "other": other,
                **{name: getattr(coefficient, name) for name in ("metric", "value", "low", "high", "n", "note")},
                "reason": NO_CASE[scope] if coefficient.reason == NOTHING_SHARED else coefficient.reason,
                "small": coefficient.n < SMALL,
            }

    def blocks(self, rows: Sequence[Row], silent: Sequence[str]) -> Iterator[Block]:
        """Lay out rows: gold first, then all scorers and every two of them, those that agree most first."""
        # A row of what is observed is followed by that of the coefficient.
        groups = sorted(zip(rows[::2], rows[1::2], strict=True), key=lambda group: -_value(group[1]))
        lines: dict[str, list[list[Cell]]] = {GOLD: [], ALL: [], PAIR: []}
        for observed, coefficient in groups:
            lines[observed["scope"]].append(
                [*self._labels(observed), *self._figures(observed, coefficient), self._cases(observed)]
            )
        columns: list[str | Column] = [forest_column("same, in percent"), forest_column("kappa"), "cases"]
        yield table("With gold", ["scorer", *columns], lines[GOLD])
        if len(self.names) > 1:
            columns[1] = "kappa, of all: alpha"
            yield table("With each other", ["scorer", "other", *columns], [*lines[ALL], *lines[PAIR]], labels=2)
        yield Note("The same is the same earliest error, or that there is none.", "quiet")
        if silent:
            yield Note(f"Without a verdict here: {', '.join(silent)}.", "quiet")

    def _labels(self, row: Row) -> Iterator[Cell]:
        if row["scope"] == ALL:
            yield from (text(f"all {len(self.names)}", "strong"), text(""))
            return
        yield text(row["scorer"])
        if row["scope"] == PAIR:
            yield text(row["other"])

    def _figures(self, observed: Row, coefficient: Row) -> Iterator[Cell]:
        """How often they agree, which opens these cases, and the coefficient."""
        link = None
        if observed["scope"] != ALL and observed["value"]:
            names = [observed["scorer"], *([observed["other"]] if observed["other"] else [])]
            verdicts = [*(named(f"{name}.verdict") for name in names), "earliest_error"][:2]
            known = [*map(answered, names), *([LABELLED] if observed["scope"] == GOLD else [])]
            n = round(observed["value"] * observed["n"])
            link = self._link((*known, " = ".join(verdicts)), n, f"{_names(observed)} name the same", names)
        yield replace(figure(observed, link=link), reason="")
        yield figure(coefficient, Kind.MEAN)

    def _cases(self, row: Row) -> Cell:
        """Of how many cases a line is."""
        if row["scope"] == ALL:
            pairs = combinations(self.names, 2)
            where = [" OR ".join(f"({answered(first)} AND {answered(second)})" for first, second in pairs)]
            return count(row["n"], self._link(where, row["n"], "verdicts of two scorers or more", ()))
        names = [row["scorer"], *([row["other"]] if row["other"] else [])]
        where = [*map(answered, names), *([LABELLED] if row["scope"] == GOLD else [])]
        return count(row["n"], self._link(where, row["n"], f"verdicts of {_names(row)}", names))

    def _link(self, where: Sequence[str], n: int, words: str, names: Sequence[str]) -> CaseLink:
        scorer = names[0] if names else None
        return CaseLink((*self.inside, *where), n, words, scorer, tuple(names), self.benchmark)


def _names(row: Row) -> str:
    return f"{row['scorer']} and {row['other'] or 'gold'}"


def _value(row: Row) -> float:
    return -np.inf if row["value"] is None else float(row["value"])
