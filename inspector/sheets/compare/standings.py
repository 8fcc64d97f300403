"""All scorers on the cases that all of them tried: who is best, who may be, who is right alone."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from inspector.paint import Brush
from inspector.sentences import counted
from inspector.sheets.layout import Cell, heading, paragraph, table
from inspector.sheets.sheet import Drill, Piece, Row
from inspector.sheets.words import count, difference, percent, tests_words
from inspector.text import squeezed
from scoring.metrics.lineup import Lineup
from scoring.metrics.lineup_conditions import EVERY, common_of
from scoring.metrics.paired import shared_values
from scoring.metrics.right_sets import RightSet, right_sets

Cells = Mapping[tuple[str, str], Mapping[str, Any]]
"""Rows of the standings by scorer and metric."""
NAME = 30
"""Cells of a scorer's name at most."""
NOBODY = "There is no case that all of them tried; each two of them are compared on their own common cases."


@dataclass(frozen=True, eq=False)
class Field:
    """All scorers that tried any case of a lineup; `focus` are the names of A and B."""

    lineup: Lineup
    focus: tuple[str, str]

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """The places of those that tried any."""
        return tuple(place for place in range(len(self.lineup.names)) if self.lineup.tried[:, place].any())

    @cached_property
    def n(self) -> int:
        """How many cases all of them tried."""
        return int(self.lineup.common(self.columns).sum()) if self.columns else 0

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The places of those that tried any, the highest F1 on the common cases first."""
        f1 = shared_values(self.lineup, self.columns)[0] if self.n else np.zeros(len(self.columns))
        ranked = sorted(zip(self.columns, f1.tolist(), strict=True), key=lambda pair: -np.nan_to_num(pair[1], nan=-1.0))
        return tuple(place for place, _ in ranked)

    @cached_property
    def sets(self) -> tuple[RightSet, ...]:
        """Who is right together, of every side."""
        return tuple(right_sets(self.lineup, self.columns)) if self.n else ()

    def letter(self, name: str) -> Piece:
        """A or B, before the name of those two."""
        letter = next((letter for letter, other in zip("AB", self.focus, strict=True) if other == name), "")
        return Piece(f"{letter or ' '} ", f"scorer-{letter.lower()} strong" if letter else "")

    def drill(self, found: RightSet, words: str) -> Drill:
        """The cases of a set; one of those that are right looks at them, beside one that is not."""
        right = [self.lineup.names[place] for place in found.right]
        wrong = [self.lineup.names[place] for place in self.columns if place not in found.right]
        first = next((name for name in self.focus if name in right), (right or wrong)[0])
        there = {self.lineup.names[place] for place in self.columns}
        others = dict.fromkeys((*(name for name in self.focus if name in there), first, *right, *wrong))
        return Drill((found.where,), found.count, words, first, tuple(others)[:8])


def field_head(field: Field, width: int) -> Iterator[Row]:
    """Of how many scorers and cases the page is."""
    yield heading(f"All {len(field.columns)} scorers")
    if not field.n:
        yield from paragraph(NOBODY, width)
        return
    out = field.lineup.left_out(field.columns)
    left = f", {out:,} left out that not all tried" if out else ""
    yield from paragraph(f"On the {counted(field.n, 'case')} that all of them tried{left}.", width)
    yield ()


def standing_lines(
    field: Field, cells: Cells | None, facts: Mapping[str, Any], brush: Brush, width: int
) -> Iterator[Row]:
    """The standings; `cells` None and `facts`, the provenance of their document, {} while they are computed."""
    yield from field_head(field, width)
    if not field.n:
        return
    whole = Drill((common_of(field.lineup, field.columns, EVERY),), field.n, "tried by all scorers")
    alone = {(one.side, one.right): one for one in field.sets if one.kind == "lone_right"}
    rows: list[list[Cell]] = []
    for place in field.order:
        name = field.lineup.names[place]
        about = {} if cells is None else {metric: cells.get((name, metric)) for metric in _TOLD}
        rows.append(
            [
                (field.letter(name), Piece(squeezed(name, NAME))),
                percent(about.get("f1"), brush, whole, "strong"),
                _behind(about, name, brush, whole),
                _tied(about),
                *(_alone(field, alone.get((side, (place,))), name) for side in ("erroneous", "clean")),
            ]
        )
    header = [Piece(word) for word in ("  scorer", "F1", "behind the best", "tied", "alone right: err.", "clean")]
    yield from table(header, rows, [False, False, False, False, True, True])
    yield ()
    yield from _unanimous(field)
    yield ()
    if facts:
        yield from paragraph(f"{tests_words(facts)} Tied: the interval of the difference to the best holds 0.", width)


_TOLD = ("f1", "f1_behind_best", "tied_with_best")


def _alone(field: Field, found: RightSet | None, name: str) -> Piece:
    if found is None:
        return count(0)
    return count(found.count, field.drill(found, f"only {name} right, {found.side}"))


def _behind(about: Mapping[str, Any], name: str, brush: Brush, drill: Drill) -> Row:
    row = about.get("f1_behind_best")
    if row is not None and row.get("other") == name:
        return (Piece("best", "good"),)
    return difference(row, brush, drill)


def _tied(about: Mapping[str, Any]) -> Piece:
    row = about.get("tied_with_best")
    if row is None or row["value"] is None:
        return Piece("")
    return Piece("yes" if row["value"] else "no", "" if row["value"] else "dim")


def _unanimous(field: Field) -> Iterator[Row]:
    """On which cases nobody is right, and on which everybody is."""
    rows: list[list[Cell]] = []
    for side in ("erroneous", "clean"):
        of_side = {one.kind: one for one in field.sets if one.side == side}
        wrong, right = of_side["unanimous_wrong"], of_side["unanimous_right"]
        n = Drill((common_of(field.lineup, field.columns, side),), wrong.n, f"tried by all scorers, {side}")
        rows.append(
            [
                Piece(side),
                count(wrong.count, field.drill(wrong, f"no scorer is right, {side}"), "strong"),
                count(right.count, field.drill(right, f"all scorers are right, {side}")),
                count(wrong.n, n, "dim"),
            ]
        )
    yield from table([Piece(word) for word in ("", "all wrong", "all right", "n")], rows, [False, True, True, True])
