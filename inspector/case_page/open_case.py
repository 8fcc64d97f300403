"""The case at hand: everything that its sections read."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from inspector.case_page.images import NamedImage, named_images
from inspector.case_page.tracks import LETTERS, Track, track
from inspector.render.charts.glyphs import Glyphs
from inspector.state.processes.xray import XrayAnswer
from inspector.state.screen_state import ScreenState
from inspector.widgets.key_table.key_words import USUAL, KeyWords
from scoring.evaluation.evaluation import Evaluation
from scoring.workspace.filtering.text_query import TextQuery

# -- how a case is shown: what a person has chosen, and the room there is


class Stop(NamedTuple):
    """A place where the step cursor can stand: a step (0-based), folded steps by their first one, or another part.

    Of images and single tools `step` is the number (0-based) of the one, of a message of the context its place among
    all messages.
    """

    kind: Literal["problem", "image", "step", "run", "context", "tools", "tool", "gold", "facts"]
    step: int = -1


PARTS = ("head", "problem", "verdicts", "why")
"""Parts of the page that may have their own panes, next to the steps."""


class DisplayOptions(Struct, frozen=True):
    """How cases are shown: width in cells, pictures, and what is shown, hidden and folded.

    `named` puts the case's name above, where it does not stand elsewhere. `height` is the number of lines that are
    seen at once; with 0 nothing is cut for want of room. `raw` leaves formulas as they were written, `news` dims
    what a step repeats of the one before, `reason` shows why the gold labels are so. `beside` names the scorers
    that are shown next to the scorer in focus. `blind` hides gold, verdicts and outcomes, `unscored` all
    that scorers say. `facts` unfolds everything else that is known of a case, `prefix` folds the steps before the
    first that anybody names, `curve` draws the rewards against the steps (None: where there is room beside them).
    `mode` names another body than the steps (see `lines.BODIES`), `xray` what the body of tokens shows. `turned` are
    the parts of this one case that a person folded or unfolded. `search` is what was searched for: it stands out in
    the texts. `keys` are those that hints name. `apart` are the parts of the page that have their own panes, of
    PARTS.
    """

    width: int
    glyphs: Glyphs
    raw: bool = False
    news: bool = False
    reason: bool = True
    named: bool = True
    height: int = 0
    beside: tuple[str, ...] = ()
    blind: bool = False
    unscored: bool = False
    facts: bool = False
    prefix: bool = False
    curve: bool | None = None
    mode: str = ""
    xray: XrayAnswer | None = None
    turned: frozenset[Stop] = frozenset()
    search: TextQuery | None = None
    keys: KeyWords = USUAL
    apart: frozenset[str] = frozenset()

    def searched(self, scope: str) -> TextQuery | None:
        """Return what was searched for in texts of this scope; None where nothing was."""
        return self.search if self.search and scope in self.search.scopes else None

    @property
    def dot(self) -> str:
        """What stands between facts in one line."""
        return "  |  " if self.glyphs.ascii_only else "  ·  "

    def turn(self, stop: Stop) -> "DisplayOptions":
        """Return it with this part folded if it was unfolded, and the other way round."""
        return replace(self, turned=self.turned ^ {stop})

    def kept(self) -> "DisplayOptions":
        """Return what of it holds for another case as well."""
        return replace(self, turned=frozenset(), xray=None)


class OpenCase(Struct, frozen=True, eq=False):
    """One case, the scorers it is seen through and how it is shown.

    `case` and `texts` are its rows of the frames of cases and texts. `tracks` are the scorers beside each other, the
    one in focus first; there is none in a workspace without scorers, and where they are hidden. `room` is how many
    lines of what scrolls are seen at once; with 0 there is no end to it. `metadata` are the values of the metadata
    columns that the case has.
    """

    state: ScreenState
    row: int
    case: dict[str, Any]
    texts: dict[str, Any]
    tracks: tuple[Track, ...]
    display: DisplayOptions
    room: int = 0
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def focus(self) -> Evaluation | None:
        """The evaluation in focus, unless scorers are hidden."""
        return None if self.display.unscored else self.state.evaluation

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


def open_case(state: ScreenState, row: int, display: DisplayOptions) -> OpenCase:
    """Open the case with this row id."""
    case = state.cases.row(row, named=True)
    chosen = [] if display.unscored else scorers_shown(state, display.beside)
    several = len(chosen) > 1
    letters = letters_of(state, chosen, display.beside) if several else {}
    tracks = tuple(track(evaluation, row, letters.get(evaluation.scorer.name, "")) for evaluation in chosen)
    texts, metadata = state.results.loaded.texts.row(row), state.results.loaded.metadata.row(row)
    return OpenCase(state, row, case, texts, tracks, display, metadata=metadata)


def images_of(case: OpenCase) -> tuple[NamedImage, ...]:
    """Return the images that the case names, in order."""
    return tuple(named_images(case.state.results.loaded.workspace, case.case, case.metadata))


def scorers_shown(state: ScreenState, beside: tuple[str, ...]) -> list[Evaluation]:
    """Return the scorer in focus, then the chosen ones there on its benchmark; at most one a letter."""
    if state.evaluation is None:
        return []
    benchmark = state.focus.benchmark
    there = {
        evaluation.scorer.name: evaluation
        for evaluation in state.results.evaluations
        if evaluation.coverage.covers(benchmark)
    }
    others = [there[name] for name in beside if name in there and name != state.focus.scorer]
    return [state.evaluation, *others][: len(LETTERS)]


def letters_of(state: ScreenState, chosen: Sequence[Evaluation], beside: Sequence[str] = ()) -> dict[str, str]:
    """Return the letter of each scorer by name.

    They follow the order in which the scorers were chosen: that of the board or of the comparison. Focusing on
    another of these scorers does not change them.
    """
    names = {evaluation.scorer.name for evaluation in chosen}
    every = (*beside, *(evaluation.scorer.name for evaluation in state.results.evaluations))
    ordered = [name for name in dict.fromkeys((*state.focus.beside, *every)) if name in names]
    return dict(zip(ordered, LETTERS, strict=False))
