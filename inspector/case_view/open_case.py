"""The case at hand: everything that its sections read."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from inspector.case_view.manner import Manner
from inspector.case_view.tracks import LETTERS, Track, track
from inspector.inspection import Inspection
from scoring.evaluation import Evaluation


class OpenCase(Struct, frozen=True, eq=False):
    """One case, the scorers it is seen through and the manner.

    `case` and `texts` are its rows of the frames of cases and texts. `tracks` are the scorers beside each other, the
    one in focus first; there is none in a workspace without scorers, and where they are hidden. `room` is how many
    lines of what scrolls are seen at once; with 0 there is no end to it. `metadata` are the values of the metadata
    columns that the case has.
    """

    inspection: Inspection
    row: int
    case: dict[str, Any]
    texts: dict[str, Any]
    tracks: tuple[Track, ...]
    manner: Manner
    room: int = 0
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def focus(self) -> Evaluation | None:
        """The evaluation in focus, unless scorers are hidden."""
        return None if self.manner.unscored else self.inspection.evaluation

    @property
    def gold(self) -> int | None:
        """The earliest error if it is a step of the case, 0-based; None for a clean case too."""
        earliest = self.case["earliest_error"]
        return earliest if earliest is not None and 0 <= earliest < self.case["n_steps"] else None

    @property
    def named_steps(self) -> list[int]:
        """The steps that gold labels or any scorer here name as the earliest error, ascending; 0-based."""
        named = {track.verdict for track in self.tracks} | {self.gold}
        return sorted(step for step in named if step is not None and 0 <= step < self.case["n_steps"])


def open_case(inspection: Inspection, row: int, manner: Manner) -> OpenCase:
    """The case with this row id."""
    case = inspection.cases.row(row, named=True)
    chosen = [] if manner.unscored else scorers_shown(inspection, manner.beside)
    several = len(chosen) > 1
    letters = letters_of(inspection, chosen) if several else {}
    tracks = tuple(track(one, row, letters.get(one.scorer.name, "")) for one in chosen)
    texts, metadata = inspection.selection.texts.row(row), inspection.selection.metadata.row(row)
    return OpenCase(inspection, row, case, texts, tracks, manner, metadata=metadata)


def scorers_shown(inspection: Inspection, beside: tuple[str, ...]) -> list[Evaluation]:
    """The one in focus, then the chosen ones that are there on its benchmark; at most as many as there are letters."""
    if inspection.evaluation is None:
        return []
    benchmark = inspection.benchmark
    there = {one.scorer.name: one for one in inspection.selection.evaluations if one.covers(benchmark)}
    others = [there[name] for name in beside if name in there and name != inspection.scorer]
    return [inspection.evaluation, *others][: len(LETTERS)]


def letters_of(inspection: Inspection, chosen: list[Evaluation]) -> dict[str, str]:
    """A letter a scorer by name, in the order of the workspace: another focus does not change them.

    Those whose cases are listed come first, with the letters that they had where the list was opened.
    """
    names = {one.scorer.name for one in chosen}
    every = dict.fromkeys((*inspection.beside, *(one.scorer.name for one in inspection.selection.evaluations)))
    ordered = [name for name in every if name in names]
    return dict(zip(ordered, LETTERS, strict=False))
