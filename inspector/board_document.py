"""The document of the board: the rows and columns on screen, and the command that makes them again."""

from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from inspector.board import board_frame, pieces
from inspector.board_arrangement import Arrangement, arranged, kind_of
from inspector.board_cells import PUBLISHED
from inspector.board_columns import COMPARED, SOURCES
from inspector.board_published import published_frame
from inspector.board_standings import Standings, standings
from inspector.headline import F1
from inspector.inspection import Inspection
from inspector.label_set import published_note
from inspector.notes import boundary_notes, mean_notes, unlike_notes
from inspector.provenance import provenance
from scoring.export import Document

BIAS = "bias: accuracy on what is right minus on what is wrong, all subsets together; fp, fn: of the erroneous (GR-Ben)"
STANDING = "standing: best, or tied where the 95% interval of the paired difference to the best holds 0"


def board_document(
    inspection: Inspection, how: Arrangement, form: str = "", scorers: tuple[str, ...] | None = None
) -> Document:
    """The board as it is arranged: a column on screen is one here, or those that it is made of.

    `kind` says of rows that are no scorer's what they are, and `standing` stands beside a score. Where there is a
    reference, the differences to it are `d_score` and so on, on `d_n` cases. `scorers` are names; None = all.
    """
    selection = inspection.cleared().for_metrics()
    every = tuple(one.scorer.name for one in selection.evaluations)
    if scorers is not None and scorers != every:
        request = replace(selection.request, scorers=scorers)
        chosen = tuple(one for one in selection.evaluations if one.scorer.name in {*scorers, how.against})
        selection = replace(selection, request=request, chosen=scorers, evaluations=chosen)
    base, search = inspection.base, inspection.base_search
    found = pieces(selection, base, search, subsets=how.subsets)
    frame = board_frame(selection, base, search, subsets=how.subsets, scorers=scorers)
    if how.published or not frame.height:
        frame = pl.concat([frame, published_frame((piece.benchmark, piece.subset) for piece in found)])
    known = standings(selection, found, how.against)
    rows = arranged(known.beside(frame), how)
    kind = kind_of(rows, how, several=len(selection.benchmarks) > 1)
    names = ["kind", *(name for key in kind.keys for name in _sources(key, against=bool(how.against)))]
    made = rows.select(list(dict.fromkeys(names)))
    command = selection.request.command("board", *how.words, form=form)
    beside = published_note(selection.adjudicated) if (rows["kind"] == PUBLISHED).any() else ()
    alone = (*boundary_notes(selection), *unlike_notes(selection), *mean_notes(selection))
    notes = (*beside, *_notes(known, how, rows), *alone)
    return Document(made, provenance(selection, command, notes))


def _sources(key: str, *, against: bool) -> Iterator[str]:
    """The columns of the document that a column on screen becomes."""
    own = SOURCES.get(key, (key,))
    if not against:
        yield from own
    elif key == "score":
        yield from ("d_score", "d_n", "d_reason")
    else:
        yield from (f"d_{name}" if name in COMPARED else name for name in own)


def _notes(known: Standings, how: Arrangement, rows: pl.DataFrame) -> Iterator[str]:
    yield BIAS
    if not how.against:
        yield STANDING
        for (benchmark, subset), one in known.ranks.items():
            where = benchmark if subset is None else f"{benchmark}, {subset}"
            tried = f"on the {one.n} cases that all {one.scorers} scorers tried"
            yield f"{where}: standing {tried}, which leaves out {one.left_out}"
    else:
        yield f"d_score and the like: less those of {how.against}, on the cases that both tried, paired bootstrap"
    if F1 in set(rows["metric"]):
        yield "score: F1 is the mean over subsets where there are some"
