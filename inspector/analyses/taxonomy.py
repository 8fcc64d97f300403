"""Notes in categories, by scorer and column; merge, rename, put; saturation."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl
from msgspec.structs import replace

from inspector.analyses import Option, Page, Params, analysis
from inspector.render.blocks import Block, Note, Section
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import Cell, Column, Kind, count, table, text
from inspector.render.texts.sentences import counted
from inspector.render.view import View
from inspector.state.provenance import provenance_of_people
from inspector.state.triage.category_cases import IN_NONE, NOT_TRIED, CategoryCases, tried_and_wrong
from inspector.state.triage.gathered_notes import GatheredNotes, gathered_notes, saturation_words
from scoring.data.errors import UsageError
from scoring.data.names import match_name
from scoring.data.schema import Bools, Row
from scoring.evaluation.similar import clusters
from scoring.metrics.case_groups import grouped, groups
from scoring.metrics.resampling import SMALL
from scoring.metrics.saturation import LAST
from scoring.selection.result_set import ResultSet
from scoring.workspace.filtering.filters import Facet
from scoring.workspace.triage.case_notes import in_category

CATEGORIES, NOTES, ALIKE, SATURATION = "categories", "notes", "alike", "saturation"
PAGES = (
    Page(CATEGORIES, "categories", "none"),
    Page(
        NOTES,
        "notes",
        "none",
        help="the notes (category, case, who wrote them and when, which scorers have the case wrong)",
    ),
    Page(
        ALIKE,
        "alike",
        "none",
        help="notes in no category that are alike (in their words: suggestions for categories)",
    ),
    Page(
        SATURATION,
        "saturation",
        "none",
        help="note by note, which was the first of its category (and how many there were)",
    ),
)
OPTIONS = (
    Option(
        "by",
        "also by this column (or by scorer: which scorers have the cases wrong; repeatable)",
        metavar="COL",
        many=True,
        of_query=True,
    ),
    Option("who", "the notes of one person (default: everybody's)", metavar="NAME"),
)
BY_SCORER = "scorer"
"""What `--by` takes beside columns: which scorers have the cases wrong."""
NOBODY = "Nobody has noted anything on these cases; the app's command Note writes one."
UNCOUNTED = "No scorer is here that could have these cases wrong."
DAY = len("2026-01-31")
OF_SCORERS = ("rule", "scorers", "threshold", "threshold_source", "unparsed")
ORDERED = (
    "notes stand in the order in which they were begun; a category is its author's word, and only sorted notes count "
    "for shares and saturation"
)
CHOSEN = (
    "cases were chosen to be noted, many of them because a scorer has them wrong: shares speak of these notes, not of "
    "the benchmark, and have no interval"
)


@analysis(
    "Taxonomy",
    PAGES,
    options=OPTIONS,
    examples=("prm-inspect taxonomy --by scorer", "prm-inspect taxonomy --put units --where \"note LIKE '%unit%'\""),
    together="instead of categories",
    help="Notes in categories, whose cases these are, and whether further notes would bring new ones.",
)
def taxonomy(results: ResultSet, params: Params, intervals: bool) -> View:  # noqa: ARG001  # nothing is resampled
    """Count notes by category, list them, or tell how categories came.

    Raises:
        UsageError: there is no folder that could hold notes, nobody of that name wrote any, or no such column.
    """
    refuse_groups(params.page, results.query.by)
    notes = gathered_notes(results)
    if who := params.get("who", ""):
        notes = notes.of(match_name(who, notes.people, "person"))
    if params.page == NOTES:
        return _notes(results, notes, params)
    if params.page == ALIKE:
        return _alike(results, notes, params)
    if params.page == SATURATION:
        return _saturation(results, notes, params)
    return _grouped(results, notes, params) if results.query.by else _categories(results, notes, params)


def refuse_groups(page: str, by: Sequence[str]) -> None:
    """Raise UsageError where a page that lists notes is to be grouped."""
    if by and page in {NOTES, ALIKE, SATURATION}:
        raise UsageError(f"--by groups categories, and --{page} lists notes.", "Leave one of them out.")


def _view(
    results: ResultSet,
    notes: GatheredNotes,
    params: Params,
    rows: pl.DataFrame,
    blocks: Callable[[], Iterator[Block]],
    *,
    decides: bool = False,
    share: str = "",
    nothing: str = "",
) -> View:
    """Give rows about notes with how they came to be; `decides` says that they depend on verdicts.

    `nothing` is said where there is no row though there are notes.
    """
    command = results.query.command("taxonomy", *params.words, form=params.form)
    words = [*_to_know(notes), *([share] if share else [])]
    met, saturation = notes.saturation, saturation_words(notes)
    n_cases = np.unique(notes.rows[notes.rows >= 0]).size
    facts = {
        **provenance_of_people(results, command, words, OF_SCORERS, decides=decides),
        "people": list(notes.people),
        "coverage": f"notes on {n_cases} of {counted(results.shown.size, 'case')}",
        "saturation": saturation,
        "sorted_notes": met.n,
        "unsorted_notes": len(notes.notes) - met.n,
        "categories": met.categories,
        f"new_in_last_{LAST}": met.new_in_last(),
        "good_turing": met.unseen,
    }

    def lay_out() -> tuple[Section, ...]:
        about = [Note(f"Saturation: {saturation}."), Note(f"{CHOSEN[0].upper()}{CHOSEN[1:]}.", "quiet")]
        return (Section("Notes", "taxonomy", (*blocks(), *about)),)

    nothing = nothing or (UNCOUNTED if decides else f"{saturation[0].upper()}{saturation[1:]}.")
    nothing = nothing if notes.notes else NOBODY
    return View(rows, facts, title="Taxonomy", lay_out=lay_out, empty="" if rows.height else nothing)


def _to_know(notes: GatheredNotes) -> Iterator[str]:
    yield ORDERED
    yield CHOSEN
    if gone := int((notes.rows < 0).sum()):
        yield f"{counted(gone, 'note')} {_is(gone)} on cases that are in no benchmark any more"
    if notes.elsewhere:
        yield f"{counted(notes.elsewhere, 'note')} on cases of no benchmark looked at {_is(notes.elsewhere)} left out"


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


# -- categories

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
UNSORTED = "not in a category"


def _categories(results: ResultSet, notes: GatheredNotes, params: Params) -> View:
    """A row a category: how many notes and cases, and the first note."""
    rows = pl.DataFrame(list(_category_rows(notes)), schema=TAXONOMY, orient="row")

    def blocks() -> Iterator[Block]:
        lines = []
        for row in rows.iter_rows(named=True):
            cases = _cases_of(results, notes, row["category"])
            here = cases.rows.size
            # Cases that are gone are counted and not opened.
            gone = f"and {row['cases'] - here} gone" if row["cases"] > here else ""
            lines.append(
                [
                    text(cases.words),
                    count(row["notes"]),
                    replace(count(here, cases.link()), note=gone),
                    replace(_share(row), reason=""),
                    text(row["example"]),
                    text(", ".join(row["people"])),
                ]
            )
        columns = [Column(title) for title in ("category", "notes", "cases", "share, in percent")]
        columns += [Column("first note", wraps=True), Column("people", wraps=True)]
        yield table("Categories, the largest first", columns, lines)

    return _view(results, notes, params, rows, blocks)


def _category_rows(notes: GatheredNotes) -> Iterator[dict[str, Any]]:
    for name, own in notes.by_category.items():
        example = next((note for note in own if note.text), None)
        yield {
            "category": name or None,
            "notes": len(own),
            "cases": len({note.case for note in own}),
            "people": sorted({note.who for note in own}),
            "share": len(own) / notes.saturation.n if name else None,
            "example": example.text if example else None,
            "example_case": example.case if example else None,
            "reason": None if name else UNSORTED,
        }


def _cases_of(results: ResultSet, notes: GatheredNotes, category: str | None) -> CategoryCases:
    unparsed = {name: results.unparsed(name) for name in results.benchmarks}
    return CategoryCases(results, results.mask, notes, category or "", unparsed)


def _share(row: Row) -> Cell:
    return Cell(row["share"], Kind.SHARE, small=bool(row.get("small")), reason=row["reason"] or "")


# -- by scorer and column

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


def _grouped(results: ResultSet, notes: GatheredNotes, params: Params) -> View:
    """How the cases of each category are distributed over scorers and columns."""
    by = results.query.by
    columns = tuple(name for name in by if name != BY_SCORER)
    of_scorers = BY_SCORER in by
    first = {BY_SCORER: pl.String()} if of_scorers else {}
    taken = {name: pl.String() for name in columns if name not in COUNTS}
    schema = {"category": pl.String(), **first, **taken, **COUNTS}
    if not of_scorers:
        schema = {name: dtype for name, dtype in schema.items() if name not in {"tried", "wrong"}}
    counts = [{name: row.get(name) for name in schema} for row in _counts(results, notes, columns, scorers=of_scorers)]
    rows = pl.DataFrame(counts, schema=schema, orient="row")

    def blocks() -> Iterator[Block]:
        names = [*columns, *first]
        lines, facets = [], _facets(results, columns)
        by_category = {name or None: _cases_of(results, notes, name) for name in notes.by_category}
        sizes = Counter(rows["category"])
        for row in rows.iter_rows(named=True):
            cases = by_category[row["category"]]
            where = None if facets is None else tuple(Facet(name, (row[name] or None,)).sql for name in facets)
            # A category stands once, before all of its lines.
            line = [replace(text(cases.words), rows=sizes.pop(row["category"], 0))]
            line += [text(row[name] or "(none)") for name in names]
            if of_scorers:
                cells = cases.judged_cells(row[BY_SCORER], row["tried"], row["wrong"], *(where or ()))
                line += cells if where is not None else [replace(cell, link=None) for cell in cells]
            else:
                link = None if where is None else cases.link("", *where, n=row["cases"])
                line.append(count(row["cases"], link))
            lines.append([*line, _share(row)])
        figures = ["wrong", "of", "wrong, in percent"] if of_scorers else ["cases", "of the category, in percent"]
        heads = ["category", *(name.replace("_", " ") for name in names), *figures]
        yield table("Cases by category", heads, lines, labels=1 + len(names))

    share = "share: wrong of tried" if of_scorers else "share: of the cases of the category"
    return _view(results, notes, params, rows, blocks, decides=of_scorers, share=share)


def _facets(results: ResultSet, columns: Sequence[str]) -> Sequence[str] | None:
    """The columns, where a value of each can be a condition; None where one cannot."""
    return columns if all(results.evaluated.schema.get(name) == pl.String for name in columns) else None


def _counts(
    results: ResultSet, notes: GatheredNotes, columns: tuple[str, ...], *, scorers: bool
) -> Iterator[dict[str, Any]]:
    """For every category and every value of the columns, and every scorer, the cases; cases that are gone are in none.

    A case counts once, however many people noted it.
    """
    frame = grouped(results.evaluated, columns)
    by_scorer = tried_and_wrong(results) if scorers else {}
    for name in notes.by_category:
        rows = notes.rows_of(name)
        within = np.zeros(results.evaluated.height, dtype=np.bool_)
        within[rows] = True
        if not rows.size:
            continue
        for values, mask in groups(frame, columns, within):
            cases = int(mask.sum())
            group = {"category": name or None, **values, "cases": cases}
            if not scorers:
                yield {**group, "share": cases / rows.size, "small": rows.size < SMALL, "reason": None}
            for scorer, (there, failed) in by_scorer.items():
                yield {**group, BY_SCORER: scorer, **_wrong(mask, there, failed)}


def _wrong(mask: Bools, there: Bools, failed: Bools) -> dict[str, Any]:
    n, n_wrong = int((mask & there).sum()), int((mask & failed).sum())
    share = n_wrong / n if n else None
    return {"tried": n, "wrong": n_wrong, "share": share, "small": n < SMALL, "reason": None if n else NOT_TRIED}


# -- notes, and how categories came

NOTE_ROWS = {
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
ALIKE_ROWS = {
    # What the notes have in common, what weighs most first.
    "words": pl.List(pl.String()),
    "notes": pl.Int64(),
    "cases": pl.List(pl.String()),
    "example": pl.String(),
}
SATURATION_ROWS = {
    "case": pl.String(),
    "who": pl.String(),
    "category": pl.String(),
    # Whether no note before it was in this category, and how many categories there were after it.
    "new": pl.Boolean(),
    "categories": pl.Int64(),
}


def _notes(results: ResultSet, notes: GatheredNotes, params: Params) -> View:
    """A row a note, in the order in which they were written."""
    failed = {name: wrong_rows for name, (_, wrong_rows) in tried_and_wrong(results).items()}
    columns = ("benchmark", "subset", "pattern", "error_type")
    there = iter(results.cases.select(columns)[notes.rows[notes.rows >= 0]].rows(named=True))
    rows = []
    for note, row in zip(notes.notes, notes.rows.tolist(), strict=True):
        written = {"case": note.case, "who": note.who, "time": note.time or None}
        written |= {"category": note.category or None, "note": note.text or None}
        wrongs = [name for name, of in failed.items() if of[row]] if row >= 0 else []
        rows.append({**written, **(next(there) if row >= 0 else {}), "wrong": wrongs})
    frame = pl.DataFrame(rows, schema=NOTE_ROWS, orient="row")

    def blocks() -> Iterator[Block]:
        lines = [
            [
                _case(row["case"], row["benchmark"]),
                text(row["who"]),
                text((row["time"] or "")[:DAY]),
                text(row["category"] or IN_NONE),
                text(row["note"]),
                text(", ".join(row["wrong"])),
            ]
            for row in frame.iter_rows(named=True)
        ]
        columns = [Column(title) for title in ("case", "who", "day", "category")]
        columns += [Column("note", wraps=True), Column("wrong", wraps=True)]
        yield table("Notes, in the order in which they were begun", columns, lines)

    return _view(results, notes, params, frame, blocks, decides=True)


def _alike(results: ResultSet, notes: GatheredNotes, params: Params) -> View:
    """A row a cluster of notes in no category."""
    rows = [
        (
            list(cluster.words),
            len(cluster.notes),
            [*dict.fromkeys(note.case for note in cluster.notes)],
            cluster.notes[0].text,
        )
        for cluster in clusters(in_category(notes.notes, ""))
    ]
    frame = pl.DataFrame(rows, schema=ALIKE_ROWS, orient="row")
    here = set(results.cases["case"].gather(results.shown)) if rows else set()

    def blocks() -> Iterator[Block]:
        lines = []
        for row in frame.iter_rows(named=True):
            cases = [case for case in row["cases"] if case in here]
            words = ", ".join(row["words"])
            link = CaseLink((Facet("case", tuple(cases)).sql,), len(cases), f"alike: {words}") if cases else None
            lines.append([text(words), count(row["notes"]), count(len(cases), link), text(row["example"])])
        columns = [*(Column(title) for title in ("words", "notes", "cases")), Column("first note", wraps=True)]
        yield table("Notes that are alike, the largest cluster first", columns, lines)

    return _view(results, notes, params, frame, blocks, nothing="No two notes in no category are alike.")


def _saturation(results: ResultSet, notes: GatheredNotes, params: Params) -> View:
    """A row a sorted note, in the order in which they were written: how many categories there were after it."""
    met = notes.saturation
    steps = zip(notes.sorted, met.new.tolist(), met.distinct.tolist(), strict=True)
    rows = [(note.case, note.who, note.category, new, distinct) for note, new, distinct in steps]
    frame = pl.DataFrame(rows, schema=SATURATION_ROWS, orient="row")
    here = set(results.cases["case"].gather(results.shown)) if rows else set()

    def blocks() -> Iterator[Block]:
        lines = [
            [
                _case(row["case"], row["case"] if row["case"] in here else None),
                text(row["who"]),
                text(row["category"]),
                text("new" if row["new"] else "", "strong"),
                count(row["categories"]),
            ]
            for row in frame.iter_rows(named=True)
        ]
        yield table("Note by note", ["case", "who", "category", "", "categories so far"], lines)

    return _view(results, notes, params, frame, blocks)


def _case(name: str, here: str | None) -> Cell:
    """A case, which opens itself where it is in a benchmark."""
    link = None if here is None else CaseLink((Facet("case", (name,)).sql,), 1, name)
    return text(name, link=link)
