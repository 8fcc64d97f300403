"""The cases of a category of notes, and whose they are: who has them wrong, and what they have in common."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from inspector.render.lines import CaseLink
from inspector.render.table_blocks import Cell, Table, count, table, text
from inspector.render.texts.sentences import counted
from inspector.render.texts.short_names import short_name
from inspector.state.filtering.facets import column_words
from inspector.state.triage.gathered_notes import GatheredNotes
from scoring.data.schema import Bools, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import OUTCOMES
from scoring.metrics.first_error import FAILURES
from scoring.metrics.kernel import Unparsed
from scoring.metrics.outcome_conditions import RIGHT_OUTCOMES, tried, wrong
from scoring.selection.result_set import ResultSet
from scoring.workspace.filtering.filters import Facet
from scoring.workspace.triage.case_notes import CaseNote, in_category

IN_NONE = "(in none)"
NOT_TRIED = "the scorer has tried none of these cases"
VALUES = 8
"""Values of a column that a category is told by."""
NAME = 24
"""Cells of such a value at most."""


class CategoryCases(Struct, frozen=True, eq=False, dict=True):
    """The cases of one category, "" of the notes in none, among the shown ones (n,) of a result set.

    `notes` are those on all shown cases; `unparsed` says how the cases of each benchmark that have no verdict count.
    """

    results: ResultSet
    shown: Bools
    notes: GatheredNotes
    name: str
    unparsed: Mapping[str, Unparsed]

    @cached_property
    def own(self) -> tuple[CaseNote, ...]:
        """The notes of this category."""
        return in_category(self.notes.notes, self.name)

    @cached_property
    def rows(self) -> Ints:
        """The rows of its cases, each once."""
        return self.notes.rows_of(self.name)

    @cached_property
    def conditions(self) -> tuple[str, ...]:
        """What selects exactly these cases: the category where that does, else the cases by name."""
        if self.name:
            facet = Facet("category", (self.name,), listed=True).sql
            there = self.shown & self.results.evaluated.passing((facet,))
            if np.array_equal(np.flatnonzero(there), self.rows):
                return (facet,)
        return (Facet("case", tuple(self.results.cases["case"].gather(self.rows))).sql,)

    @property
    def words(self) -> str:
        """What it is called."""
        return self.name or IN_NONE

    def link(self, words: str = "", *where: str, n: int | None = None, scorer: str | None = None) -> CaseLink:
        """Link to its cases, or to those of them that fulfil more conditions."""
        about = f"{self.words}, {words}" if words else f"category {self.words}"
        return CaseLink((*self.conditions, *where), self.rows.size if n is None else n, about, scorer)

    def judged_cells(self, scorer: str, n_tried: int, n_wrong: int, *where: str) -> tuple[Cell, Cell]:
        """Count how many a scorer has wrong and of how many; the cells open these cases."""
        failed, of = (self._as_counted(condition, scorer) for condition in (wrong, tried))
        return (
            count(n_wrong, self.link(f"wrong of {scorer}", *where, failed, n=n_wrong, scorer=scorer)),
            count(n_tried, self.link(f"tried by {scorer}", *where, of, n=n_tried, scorer=scorer), "dim"),
        )

    def _as_counted(self, condition: Callable[[str, Unparsed], str], scorer: str) -> str:
        """The condition as each benchmark counts cases without a verdict."""
        policies = dict.fromkeys(self.unparsed.values())
        parts = {policy: condition(scorer, policy) for policy in policies}
        if len(parts) == 1:
            return next(iter(parts.values()))
        by_policy = {
            policy: Facet("benchmark", tuple(name for name, own in self.unparsed.items() if own == policy)).sql
            for policy in policies
        }
        return " OR ".join(f"(({by_policy[policy]}) AND ({part}))" for policy, part in parts.items())


def judged(evaluation: Evaluation, rows: Ints, unparsed: Unparsed) -> tuple[int, int]:
    """Count the cases of one benchmark in these rows that are in a scorer's denominators, and those it has wrong."""
    codes = evaluation.codes[rows]
    n_wrong = int(np.isin(codes, _codes(FAILURES[unparsed])).sum())
    return n_wrong + int(np.isin(codes, _codes(RIGHT_OUTCOMES)).sum()), n_wrong


def tried_and_wrong(results: ResultSet) -> dict[str, tuple[Bools, Bools]]:
    """Find the cases (n,) in each chosen scorer's denominators, and those it has wrong, as benchmarks count."""
    drop = [name for name in results.benchmarks if results.unparsed(name) == "drop"]
    dropped: Bools = results.cases["benchmark"].is_in(drop).to_numpy()
    masks = {}
    for evaluation in results.chosen_evaluations:
        usual, fewer = (np.isin(evaluation.codes, _codes(FAILURES[unparsed])) for unparsed in ("wrong", "drop"))
        failed = np.where(dropped, fewer, usual)
        masks[evaluation.scorer.name] = failed | np.isin(evaluation.codes, _codes(RIGHT_OUTCOMES)), failed
    return masks


def _codes(outcomes: tuple[str, ...]) -> list[int]:
    return [OUTCOMES.index(outcome) for outcome in outcomes]


def scorers_of_category(cases: CategoryCases, evaluations: Sequence[Evaluation], unparsed: Unparsed) -> Table:
    """Lay out how many of the cases of a category each scorer has wrong, of those it tried, for one benchmark."""
    lines, idle = [], []
    for evaluation in evaluations:
        name = evaluation.scorer.name
        n_tried, n_wrong = judged(evaluation, cases.rows, unparsed)
        if n_tried:
            lines.append([text(name), *cases.judged_cells(name, n_tried, n_wrong)])
        else:
            idle.append([text(name, "dim"), count(None), replace(count(None), reason=NOT_TRIED)])
    return table("", ["scorer", "wrong", "of"], [*lines, *idle])


def values_of_category(cases: CategoryCases, columns: Sequence[str]) -> Table:
    """Lay out by each of some columns how many cases of a category have its commonest values; a line a column.

    Columns of which nothing is known are left out.
    """
    frame, lines = cases.results.cases, []
    for column in columns:
        if column not in frame.columns or frame[column].null_count() == frame.height:
            continue
        values = frame[column].gather(cases.rows).to_frame().group_by(column, maintain_order=True).len()
        values = values.sort("len", descending=True, maintain_order=True)
        line = [text(column_words(column))]
        for value, many in values.head(VALUES).iter_rows():
            words = short_name("(none)" if value is None else value, NAME)
            link = cases.link(f"{column_words(column)} {words}", Facet(column, (value,)).sql, n=many)
            line.append(replace(count(many, link), note=words))
        if (more := values.height - VALUES) > 0:
            line.append(text(f"and {counted(more, 'other value')}", "dim"))
        lines.append(line)
    width = max(map(len, lines), default=1)
    return table("", [""] * width, [[*line, *[text("")] * (width - len(line))] for line in lines])
