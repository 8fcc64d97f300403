"""Categories of notes: found by what is typed, and changed by a person for their own notes, as one batch each."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from inspector.render.blocks import Cell, Table, count, table, text
from inspector.render.cells import share
from inspector.render.lines import CaseLink
from inspector.render.texts.sentences import counted
from inspector.render.texts.short_names import short_name
from inspector.render.texts.text import clean
from inspector.render.texts.wrap import Phrase
from inspector.state.filtering.facets import column_words
from inspector.state.query import Query
from inspector.state.result_set import ResultSet
from inspector.state.triage.annotations import journal_of
from scoring.data.errors import UsageError
from scoring.data.names import match_name
from scoring.data.schema import Bools, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import OUTCOMES
from scoring.metrics.first_error import FAILURES
from scoring.metrics.kernel import Unparsed
from scoring.metrics.outcome_conditions import RIGHT_OUTCOMES, tried, wrong
from scoring.metrics.saturation import LAST, Saturation, saturation
from scoring.workspace.filtering.filters import Facet
from scoring.workspace.triage.actions import JournalChange
from scoring.workspace.triage.case_notes import CaseNote, categories, in_category, notes, sorting
from scoring.workspace.triage.journal import Journal

# -- the notes on the shown cases, by category, and whether further notes still bring new ones


NOTED = "noted anything on"
"""What nobody has done to these cases where there is no folder for it."""


class GatheredNotes(Struct, frozen=True, eq=False, dict=True):
    """Notes in the order in which they were written, and how many were left out.

    `rows` (n,) are the rows of their cases, -1 of a case that is in no benchmark here. `elsewhere` counts notes on such
    cases that are left out, since not all cases were asked for.
    """

    notes: tuple[CaseNote, ...]
    rows: Ints
    elsewhere: int = 0

    @cached_property
    def by_category(self) -> dict[str, tuple[CaseNote, ...]]:
        """The notes by category, see `scoring.workspace.triage.case_notes.categories`."""
        return categories(self.notes)

    @property
    def names(self) -> tuple[str, ...]:
        """The categories, in that order."""
        return tuple(name for name in self.by_category if name)

    @property
    def people(self) -> tuple[str, ...]:
        """Who wrote them, in alphabetical order."""
        return tuple(sorted({note.who for note in self.notes}))

    @property
    def sorted(self) -> tuple[CaseNote, ...]:
        """The notes that are in a category."""
        return tuple(note for note in self.notes if note.category)

    @cached_property
    def saturation(self) -> Saturation:
        """How categories came, of the sorted notes in the order in which they were written."""
        numbers = {name: number for number, name in enumerate(self.names)}
        return saturation(np.array([numbers[note.category] for note in self.sorted], dtype=np.int64))

    def rows_of(self, category: str) -> Ints:
        """Return the rows of the cases of a category, each once, in file order; "" of the notes in none."""
        chosen = np.array([note.category == category for note in self.notes], dtype=np.bool_)
        return np.unique(self.rows[chosen & (self.rows >= 0)])

    def of(self, who: str) -> "GatheredNotes":
        """Return the notes of one person alone."""
        chosen = np.array([note.who == who for note in self.notes], dtype=np.bool_)
        return GatheredNotes(tuple(note for note in self.notes if note.who == who), self.rows[chosen], self.elsewhere)


def gathered_notes(results: ResultSet) -> GatheredNotes:
    """Gather the notes on the shown cases; where all cases were asked for, also those on cases that have gone since.

    Raises:
        UsageError: there is no folder that could hold notes.
    """
    journal = journal_of(results, NOTED)
    return notes_among(journal, results.cases["case"], results.shown, everything=_all(results.query))


def notes_among(journal: Journal, cases: pl.Series, listed: Ints, *, everything: bool) -> GatheredNotes:
    """Gather the notes on these cases; with `everything` also those a journal knows of cases that `cases` lacks."""
    triage = journal.triage
    named = pl.Series("case", list(dict.fromkeys((*triage.notes, *triage.categories))), dtype=pl.String)
    # Notes are few among perhaps a million cases.
    places = cases.is_in(named.implode()).arg_true()
    where = dict(zip(cases.gather(places), places, strict=True))
    kept = set(listed[np.isin(listed, places.to_numpy())].tolist())
    gone = [case for case in named if case not in where]
    chosen = [case for case in named if where.get(case) in kept] + (gone if everything else [])
    written = notes(journal.of_case, chosen)
    rows = np.array([where.get(note.case, -1) for note in written], dtype=np.int64)
    return GatheredNotes(written, rows, 0 if everything else len(notes(journal.of_case, gone)))


def _all(query: Query) -> bool:
    """Whether all cases of the workspace were asked for."""
    return not (query.benchmarks or query.subsets or query.where or query.slices or query.search)


def saturation_words(gathered: GatheredNotes) -> str:
    """Say in one sentence how many of the last notes brought a new category, and what that says of others."""
    return "; ".join(phrase.forms[0] for phrase in saturation_phrases(gathered))


def saturation_phrases(gathered: GatheredNotes) -> list[Phrase]:
    """Say the same in phrases, for a line of a screen."""
    met = gathered.saturation
    if not met.n:
        return [Phrase((f"no note is in a category yet, of {len(gathered.notes):,}",))]
    new, left = met.new_in_last(), len(gathered.notes) - met.n
    recent = "too few to speak of saturation" if new is None else f"last {LAST} notes: {_categories(new, 'new ')}"
    many, chance = _categories(met.categories), f"{share(met.unseen or 0, 0)}%"
    of_a_new = f"about {chance} of further notes would be of a new one (Good-Turing)"
    forms = of_a_new, f"about {chance} of further notes of a new one", f"Good-Turing {chance}"
    return [
        Phrase((recent,)),
        Phrase((f"{many} in {counted(met.n, 'sorted note')}", many), rank=2),
        *([Phrase(forms, rank=3)] if new is not None else []),
        *([Phrase((f"{counted(left, 'note')} in none", f"{left:,} in none", ""), rank=1)] if left else []),
    ]


def _categories(count: int, kind: str = "") -> str:
    return f"{count:,} {kind}categor{'y' if count == 1 else 'ies'}"


def named_categories(names: Sequence[str], limit: int = 12) -> str:
    """List categories as a sentence does."""
    more = f" and {len(names) - limit:,} more" if len(names) > limit else ""
    return f"{', '.join(names[:limit]) or 'none'}{more}"


class CategoryChange(Struct, frozen=True):
    """What is to be done (`Journal.do`), [] where all is as it shall be, and in words what that does."""

    changes: list[JournalChange]
    words: str


def category_name(typed: str) -> str:
    """Read a category as a person names it: one line without what could act on a terminal, blanks put in order.

    Raises:
        UsageError: there is nothing in it.
    """
    name = " ".join(clean(typed).split())
    if not name:
        raise UsageError("a category needs a name.", "Give it one, such as 'wrong units'.")
    return name


def typed_category(typed: str, names: Sequence[str]) -> str:
    """Find the category that reads as what was typed; else it is a new one.

    Another person's journal may hold a name that nobody could type: it is found by what it looks like.

    Raises:
        UsageError: nothing was typed.
    """
    name = category_name(typed)
    return next(
        (
            category
            for category in names
            if name in (category, category_name(category) if clean(category).strip() else category)
        ),
        name,
    )


def ranked(names: Sequence[str], typed: str) -> list[str]:
    """Find the names that hold what was typed, the closest first; those that are equally close stay in their order.

    First the name itself, then those that begin so, then those of which a word does, then those that hold it anywhere,
    then those that hold its letters in their order. Large and small letters are alike; nothing typed gives all.
    What nobody could type is looked for as it is shown.
    """
    wanted = " ".join(typed.casefold().split())
    places = [
        (place, at) for at, name in enumerate(names) if (place := _place(clean(name).casefold(), wanted)) is not None
    ]
    return [names[at] for _, at in sorted(places)]


def _place(name: str, wanted: str) -> int | None:
    """How close a name is, 0 the closest; None where it is not meant."""
    if not wanted or name == wanted:
        return 0
    if name.startswith(wanted):
        return 1
    if f" {wanted}" in name:
        return 2
    if wanted in name:
        return 3
    letters = iter(name)
    return 4 if all(letter in letters for letter in wanted.replace(" ", "")) else None


# -- changes


def put(chosen: Sequence[CaseNote], who: str, category: str) -> CategoryChange:
    """Put a person's own notes among these into a category; "" takes them out of theirs.

    Raises:
        UsageError: none of them is theirs.
    """
    own = [note for note in chosen if note.who == who]
    if not own:
        raise UsageError(
            f"none of these notes is {who}'s, and a category is its author's word.",
            "Write a note on the case first, or be that person: PRM_INSPECT_USER=NAME.",
        )
    changes = sorting(own, who, category)
    if not changes:
        return CategoryChange(
            [], f"They are in {category} already." if category else "They are in no category already."
        )
    moved = counted(sum(len(cases) for _, cases, _ in changes), "note")
    return CategoryChange(changes, f"{moved} put into {category}" if category else f"{moved} taken out of the category")


def merge(gathered: GatheredNotes, who: str, source: str, target: str) -> CategoryChange:
    """Put a person's notes of one category into another one that there is already.

    Raises:
        UsageError: there is no such category, both are the same, or none of its notes is theirs.
    """
    source, target = (match_name(word, gathered.names, "category") for word in (source, target))
    if source == target:
        raise UsageError(f"{source} cannot be merged into itself.", f"There are: {named_categories(gathered.names)}.")
    return _moved(gathered, who, source, target)


def rename(gathered: GatheredNotes, who: str, source: str, typed: str) -> CategoryChange:
    """Rename a category of a person's notes; no other category may have the new name.

    Raises:
        UsageError: there is no such category, the name is taken or empty, or none of its notes is theirs.
    """
    source, target = match_name(source, gathered.names, "category"), typed_category(typed, gathered.names)
    if source == target:
        return CategoryChange([], f"It is called {target} already.")
    if target in gathered.names:
        raise UsageError(f"there is a category {target} already.", "Merge the two, or choose another name.")
    return _moved(gathered, who, source, target)


def _moved(gathered: GatheredNotes, who: str, source: str, target: str) -> CategoryChange:
    notes = in_category(gathered.notes, source)
    moved = put(notes, who, target)
    others = [note for note in notes if note.who != who]
    if not others:
        return moved
    whose = ", ".join(sorted({note.who for note in others}))
    stay = f"{counted(len(others), 'note')} of {whose} {'stays' if len(others) == 1 else 'stay'} in {source}"
    return CategoryChange(moved.changes, f"{moved.words}; {stay}: a category is its author's word")


# -- the cases of a category of notes, and whose they are: who has them wrong, and what they have in common


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
            there = self.shown & self.results.passing((facet,))
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
