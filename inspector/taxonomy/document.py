"""The documents of `taxonomy`: categories of notes, the notes themselves, and how categories came."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from inspector.provenance import provenance
from inspector.selection import Selection
from inspector.sentences import counted
from inspector.taxonomy.gathered import Gathered, gathered, saturation_words
from scoring.deciding import speaks_of
from scoring.evaluation import Evaluation
from scoring.export import Document
from scoring.grouping import grouped, groups
from scoring.metrics.first_error import FAILURES
from scoring.metrics.kernel import Unparsed
from scoring.metrics.outcome_conditions import RIGHT_OUTCOMES
from scoring.metrics.resampling import SMALL
from scoring.metrics.saturation import LAST
from scoring.step_rewards import Bools, Ints
from scoring.verdicts import OUTCOMES

BY_SCORER = "scorer"
"""What `--by` takes beside columns: which scorers have the cases wrong."""
TAXONOMY = {
    # null: the notes in no category, which come last.
    "category": pl.String(),
    "notes": pl.Int64(),
    "cases": pl.Int64(),
    "people": pl.List(pl.String()),
    # Of the sorted notes.
    "share": pl.Float64(),
    "example": pl.String(),
    "example_case": pl.String(),
    "reason": pl.String(),
}
COUNTS = {
    "category": pl.String(),
    # Of the case counts: the cases of the category, of the scorer that tried them, and in the group.
    "cases": pl.Int64(),
    "tried": pl.Int64(),
    "wrong": pl.Int64(),
    "share": pl.Float64(),
    "small": pl.Boolean(),
    "reason": pl.String(),
}
NOTES = {
    "case": pl.String(),
    "benchmark": pl.String(),
    "subset": pl.String(),
    "pattern": pl.String(),
    "error_type": pl.String(),
    "who": pl.String(),
    "time": pl.String(),
    "category": pl.String(),
    "note": pl.String(),
    # The scorers that have the case wrong.
    "wrong": pl.List(pl.String()),
}
CURVE = {
    "case": pl.String(),
    "who": pl.String(),
    "category": pl.String(),
    # Whether no note before it was in this category, and how many categories there were after it.
    "new": pl.Boolean(),
    "categories": pl.Int64(),
}
UNSORTED = "not in a category"
NOT_TRIED = "the scorer has tried none of these cases"
ORDERED = (
    "notes stand in the order in which they were begun; a category is its author's word, and only sorted notes count "
    "for shares and saturation"
)
CHOSEN = (
    "cases were chosen to be noted, many of them because a scorer has them wrong: shares speak of these notes, not of "
    "the benchmark, and have no interval"
)


@dataclass(frozen=True, eq=False)
class Failing:
    """Which cases each chosen scorer has wrong, by the protocol of their benchmark."""

    selection: Selection

    @cached_property
    def _dropped(self) -> Bools:
        """The cases of the benchmarks in which a case without a verdict does not count."""
        names = self.selection.benchmarks
        dropped = [name for name in names if self.selection.unparsed(name) == "drop"]
        found: Bools = self.selection.cases["benchmark"].is_in(dropped).to_numpy()
        return found

    def of(self, evaluation: Evaluation) -> tuple[Bools, Bools]:
        """The cases in the scorer's denominators, and those it has wrong, as masks (n,)."""
        usual, fewer = (np.isin(evaluation.codes, _codes(FAILURES[unparsed])) for unparsed in ("wrong", "drop"))
        wrong = np.where(self._dropped, fewer, usual)
        return wrong | np.isin(evaluation.codes, _codes(RIGHT_OUTCOMES)), wrong


def _codes(outcomes: tuple[str, ...]) -> list[int]:
    return [OUTCOMES.index(outcome) for outcome in outcomes]


def taxonomy_document(selection: Selection, who: str = "", form: str = "") -> Document:
    """A row a category: how many notes and cases, and the first note; with `--by`, how these cases are distributed.

    Raises:
        UsageError: there is no folder that could hold notes, nobody of that name wrote any, or no such column.
    """
    found = notes_of(selection, who)
    if selection.request.by:
        return _counts_document(selection, found, who, form)
    rows = list(_categories(found))
    command = selection.request.command("taxonomy", *_words(who), form=form)
    return Document(pl.DataFrame(rows, schema=TAXONOMY, orient="row"), described(selection, found, command))


def notes_document(selection: Selection, who: str = "", form: str = "") -> Document:
    """A row a note, in the order in which they were written.

    Raises:
        UsageError: there is no folder that could hold notes, or nobody of that name wrote any.
    """
    found = notes_of(selection, who)
    failing = Failing(selection)
    wrong = {one.scorer.name: failing.of(one)[1] for one in selection.chosen_evaluations}
    columns = ("benchmark", "subset", "pattern", "error_type")
    known = selection.cases.select(columns)[found.rows[found.rows >= 0]].rows(named=True)
    there = iter(known)
    rows = []
    for one, row in zip(found.notes, found.rows.tolist(), strict=True):
        said = {"case": one.case, "who": one.who, "time": one.time or None}
        of = {"category": one.category or None, "note": one.text or None}
        here = next(there) if row >= 0 else {}
        rows.append({**said, **of, **here, "wrong": [name for name in wrong if wrong[name][row]] if row >= 0 else []})
    command = selection.request.command("taxonomy", "--notes", *_words(who), form=form)
    facts = described(selection, found, command, scorers=True)
    return Document(pl.DataFrame(rows, schema=NOTES, orient="row"), facts)


def curve_document(selection: Selection, who: str = "", form: str = "") -> Document:
    """A row a sorted note, in the order in which they were written: how many categories there were after it.

    Raises:
        UsageError: there is no folder that could hold notes, or nobody of that name wrote any.
    """
    found = notes_of(selection, who)
    steps = zip(found.sorted, found.saturation.new.tolist(), found.saturation.distinct.tolist(), strict=True)
    rows = [(one.case, one.who, one.category, new, distinct) for one, new, distinct in steps]
    command = selection.request.command("taxonomy", "--saturation", *_words(who), form=form)
    return Document(pl.DataFrame(rows, schema=CURVE, orient="row"), described(selection, found, command))


def notes_of(selection: Selection, who: str = "") -> Gathered:
    """The notes on the shown cases, of one person or ("") of all.

    Raises:
        UsageError: there is no folder that could hold notes, or nobody of that name wrote any.
    """
    from scoring.names import match_name

    found = gathered(selection)
    return found.of(match_name(who, found.people, "person")) if who else found


def described(selection: Selection, found: Gathered, command: str, *, scorers: bool = False) -> dict[str, Any]:
    """How a document of notes came to be; of scorers only where its rows or a condition speak of them."""
    facts = provenance(selection, command, tuple(_notes(found)), decides=scorers)
    kept = ["command", "version", "data", "filter", "notes"]
    if scorers or any(speaks_of(one.scorer.name, selection.request.where) for one in selection.evaluations):
        kept += ["rule", "scorers", "threshold", "threshold_source", "unparsed"]
    n_cases = np.unique(found.rows[found.rows >= 0]).size
    met = found.saturation
    return {
        **{name: facts[name] for name in kept},
        "people": list(found.people),
        "coverage": f"notes on {n_cases} of {counted(selection.shown.size, 'case')}",
        "saturation": saturation_words(found),
        "sorted_notes": met.n,
        "unsorted_notes": len(found.notes) - met.n,
        "categories": met.categories,
        f"new_in_last_{LAST}": met.new_in_last(),
        "good_turing": met.unseen,
    }


def _notes(found: Gathered) -> Iterator[str]:
    yield ORDERED
    yield CHOSEN
    gone = int((found.rows < 0).sum())
    if gone:
        yield f"{counted(gone, 'note')} {'is' if gone == 1 else 'are'} on cases that are in no benchmark any more"
    if found.elsewhere:
        yield f"{counted(found.elsewhere, 'note')} on cases of no benchmark looked at {_is(found.elsewhere)} left out"


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def _words(who: str) -> tuple[str, ...]:
    return ("--who", who) if who else ()


def _categories(found: Gathered) -> Iterator[dict[str, Any]]:
    for name, notes in found.by_category.items():
        example = next((one for one in notes if one.text), None)
        yield {
            "category": name or None,
            "notes": len(notes),
            "cases": len({one.case for one in notes}),
            "people": sorted({one.who for one in notes}),
            "share": len(notes) / found.saturation.n if name else None,
            "example": example.text if example else None,
            "example_case": example.case if example else None,
            "reason": None if name else UNSORTED,
        }


def _counts_document(selection: Selection, found: Gathered, who: str, form: str) -> Document:
    by = selection.request.by
    columns = tuple(name for name in by if name != BY_SCORER)
    taken = {name: pl.String() for name in columns if name not in COUNTS}
    first = {BY_SCORER: pl.String()} if BY_SCORER in by else {}
    rows = list(_counts(selection, found, columns, scorers=bool(first)))
    schema = {"category": pl.String(), **first, **taken, **COUNTS}
    if not first:
        schema = {name: dtype for name, dtype in schema.items() if name not in {"tried", "wrong"}}
    command = selection.request.command("taxonomy", *_words(who), form=form)
    facts = described(selection, found, command, scorers=bool(first))
    share = "share: wrong of tried" if first else "share: of the cases of the category"
    return Document(
        pl.DataFrame([{name: row.get(name) for name in schema} for row in rows], schema=schema, orient="row"),
        {**facts, "notes": [*facts["notes"], share]},
    )


def _counts(selection: Selection, found: Gathered, columns: tuple[str, ...], *, scorers: bool) -> Iterator[Any]:
    """For every category and every value of the columns, and every scorer, the cases; cases that are gone are in none.

    A case counts once, however many people noted it.
    """
    frame = grouped(selection.evaluated, columns)
    failing = Failing(selection)
    decided = {one.scorer.name: failing.of(one) for one in selection.chosen_evaluations} if scorers else {}
    for name in found.by_category:
        rows = found.rows_of(name)
        within = np.zeros(selection.height, dtype=np.bool_)
        within[rows] = True
        if not rows.size:
            continue
        for values, mask in groups(frame, columns, within):
            cases = int(mask.sum())
            there = {"category": name or None, **values, "cases": cases}
            if not scorers:
                yield {**there, "share": cases / rows.size, "small": rows.size < SMALL, "reason": None}
            for scorer, (tried, wrong) in decided.items():
                yield {**there, BY_SCORER: scorer, **_wrong(mask, tried, wrong)}


def _wrong(mask: Bools, tried: Bools, wrong: Bools) -> dict[str, Any]:
    n, failed = int((mask & tried).sum()), int((mask & wrong).sum())
    share = failed / n if n else None
    return {"tried": n, "wrong": failed, "share": share, "small": n < SMALL, "reason": None if n else NOT_TRIED}


def judged(evaluation: Evaluation, rows: Ints, unparsed: Unparsed) -> tuple[int, int]:
    """How many of these cases of one benchmark are in a scorer's denominators, and how many of them it has wrong."""
    codes = evaluation.codes[rows]
    wrong = int(np.isin(codes, _codes(FAILURES[unparsed])).sum())
    return wrong + int(np.isin(codes, _codes(RIGHT_OUTCOMES)).sum()), wrong
