"""The columns of the list of cases: those that are usual for what is looked at, or those that were chosen."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import polars as pl
from msgspec import Struct
from rich.cells import cell_len

from inspector.case_page.facts import BLINDED
from inspector.render.charts.glyphs import Glyphs
from inspector.render.texts.short_names import short_name
from inspector.render.texts.text import TextPart, number
from inspector.state.case_list.case_rows import FOUND_IN, LEVELS
from inspector.state.case_list.catalogue import OF_SCORER, REWARDS, catalogue, entry_of
from inspector.state.screen_state import ScreenState
from inspector.state.thresholds.threshold_span import threshold_span
from inspector.widgets.columns import Paint, TableColumn

# -- how a value of a case becomes the cell of a list


RewardPicture = tuple[list[float] | None, int | None, int | None, str | None]
"""Rewards, gold step and predicted step of a case, and the levels of the rewards."""


class CellPaint(Struct, frozen=True):
    """Painters of cells. A reward of `low` is the lowest on a picture, one of `high` the highest."""

    glyphs: Glyphs
    low: float
    high: float

    def index(self, value: int | None, _width: int) -> list[TextPart]:
        """Write a step (0-based), `none` for no error, a dash where it is not known."""
        if value is None:
            return [self._missing]
        return [("none" if value == -1 else str(value), "dim" if value == -1 else "")]

    def name(self, value: str | None, width: int) -> list[TextPart]:
        """Write a name, which loses its middle where it is too long."""
        return [self._missing if value is None else (short_name(value, width), "")]

    def label(self, value: str | None, width: int, among: Sequence[str]) -> list[TextPart]:
        """Write a value of a column of few, shortened beside all of them."""
        return [self._missing if value is None else (short_name(value, width, among), "")]

    def outcome(self, value: str | None, _width: int) -> list[TextPart]:
        """Write an outcome: glyph, word and colour."""
        return self.glyphs.outcome(value)

    def margin(self, value: float | None, width: int) -> list[TextPart]:
        """Write a signed distance, `never` where no threshold makes the case right."""
        if value is None:
            return [self._missing]
        if abs(value) == float("inf"):
            return [("never", "")]
        written = number(value, 2, width, "+")
        return [(written if self.glyphs.ascii_only else written.replace("-", "−"), "")]

    def distance(self, value: float | None, width: int) -> list[TextPart]:
        """Write a distance without a sign."""
        if value is None:
            return [self._missing]
        return [("never" if value == float("inf") else number(value, 2, width), "")]

    def spark(self, value: RewardPicture, width: int) -> list[TextPart]:
        """Draw a picture of the rewards."""
        rewards, gold, verdict, levels = value
        if not rewards:
            return [("", "")]
        return self.glyphs.sparkline(rewards, self.low, self.high, gold, verdict, width, levels or "")

    def bare_spark(self, rewards: list[float] | None, width: int) -> list[TextPart]:
        """Draw a picture of the rewards without marks."""
        return self.spark((rewards, None, None, None), width)

    def listing(self, value: Sequence[object] | None, _width: int) -> list[TextPart]:
        """Write a list with commas."""
        return [self._missing] if value is None else [(", ".join(map(str, value)), "")]

    def places(self, value: str | None, width: int) -> list[TextPart]:
        """Write where a search found something; where there is no room, the first place and how many more there are."""
        first, *others = (value or "").split(", ")
        return [(value or "" if not others or len(value or "") <= width else f"{first} +{len(others)}", "")]

    @property
    def _missing(self) -> TextPart:
        return ("-" if self.glyphs.ascii_only else "–", "dim")


LABELS = (
    "error_type",
    "pattern",
    "generator",
    "error_category",
    "subset_group",
    "origin",
    "language",
)
"""Labels that are shown where they tell cases apart, the most telling first."""
SHOWN_LABELS = 4
WIDTHS = {
    "id": 16,
    "case": 20,
    "n_steps": 5,
    "earliest_error": 4,
    "error_steps": 10,
    "tags": 14,
    "note": 24,
    "error_type": 18,
    "subset_group": 10,
    "origin": 10,
    "language": 8,
    "verdict": 4,
    "outcome": 13,
    "margin": 6,
    "abs_margin": 8,
    REWARDS: 10,
    "reward_at_gold": 7,
    "drop_at_gold": 6,
    "lowest_reward": 6,
    "decision_distance": 8,
    "lowest_compared": 8,
    "lowest_to_gold": 7,
    "lowest_before_gold": 11,
    "seconds": 8,
    "tokens_in": 9,
    "tokens_out": 10,
    "cost": 8,
    "currency": 8,
    "step_accuracy": 8,
    "solution": 8,
}
"""Cells of a column; 14 where nothing is said."""
USUAL = 14
DECIMALS = {"solution": 3, "cost": 4}
"""Digits of fractions, where there are not two."""
LEAST = {"id": 14, "case": 14, REWARDS: 7, "note": 10}
FLEX = {REWARDS: 2, "note": 1, "id": 3, "case": 3}
OWNER = 12
"""Cells of the name of another scorer above its column."""
FEW_VALUES = 200
"""Labels with more values than this are names of their own, with nothing that all of them share."""
LEAVE = {
    "margin": 1,
    REWARDS: 2,
    "n_steps": 3,
    "solution": 3,
    "reward_at_gold": 5,
    **dict.fromkeys(LABELS, 6),
    "tags": 4,
}
"""See `inspector.widgets.columns.TableColumn`; of the usual columns. Chosen ones never leave: they scroll."""


TELLING = BLINDED | {
    *("earliest_error", "error_steps", "neutral_steps", "outcome", "verdict", "margin", "abs_margin"),
    *("reward_at_gold", "drop_at_gold", "step_accuracy", "lowest_to_gold", "lowest_before_gold"),
    *("ruling", "adjudication", "category", "our_error_type", "tags", "note"),
}
"""Columns that tell gold labels, what a scorer decided or what people said, others among them."""


def case_columns(
    state: ScreenState, glyphs: Glyphs, keys: Sequence[str] = (), *, blind: bool = False
) -> list[TableColumn]:
    """Return the columns that the list shows, in order; none of gold labels and verdicts where these are hidden.

    `keys` are the columns; () = those that were chosen, else the usual ones.
    """
    chosen = chosen_keys(state)
    wanted = keys or chosen or usual_keys(state)
    keys = [key for key in wanted if not (blind and _tells(state, key))] or ["id"]
    paint = CellPaint(glyphs, *threshold_span(state.evaluation))
    columns = [_column(state, key, paint, leave=not chosen, blind=blind) for key in keys]
    if state.results.matches is not None:
        place = next((place for place, key in enumerate(keys) if key in LABELS), len(keys))
        columns.insert(place, TableColumn(FOUND_IN, entry_of(FOUND_IN).title, 15, paint=paint.places, least=8))
    return columns


def chosen_keys(state: ScreenState) -> tuple[str, ...]:
    """Return the columns that were chosen, as far as there are such columns here; () where none were."""
    keys = state.results.query.columns
    known = {entry.key for entry in catalogue(state) if entry.listable} if keys else set()
    return tuple(key for key in keys if key in known)


def usual_keys(state: ScreenState) -> tuple[str, ...]:
    """Return the columns that are shown where none were chosen.

    What a moving threshold changes stands at the left, with a fixed width before it: less is written again.
    """
    keys = ["id", "n_steps", "earliest_error"]
    evaluation = state.evaluation
    if evaluation is not None:
        scored = evaluation.rule.is_movable or bool(evaluation.rewards.scored.any())
        keys += ["verdict", "outcome"]
        keys += ["margin"] if evaluation.rule.is_movable else []
        keys += [REWARDS, "reward_at_gold"] if scored else []
        keys += ["solution"] if np.isfinite(evaluation.rewards.solutions).any() else []
    journal = state.results.labels.journal
    keys += ["tags"] if journal is not None and journal.triage.tags else []
    return (*keys, *[name for name in LABELS if _tells_apart(state, name)][:SHOWN_LABELS])


def empty_keys(state: ScreenState) -> tuple[str, ...]:
    """Return the usual columns in which no row that is listed has a value; none where no row is listed."""
    usual, of_scorer = usual_keys(state), OF_SCORER.keys() - {REWARDS}
    sources = {key: f"{state.focus.scorer}.{key}" if key in of_scorer else key for key in usual}
    without = state.rows.without_values(tuple(sources.values()), state.shown)
    return tuple(key for key in usual if sources[key] in without)


def _tells_apart(state: ScreenState, name: str) -> bool:
    """Whether a label differs among the cases; it is known after it was asked for once."""
    coded = state.results.evaluated.categories(name)
    return coded is None or len(coded.values) > 1


def _tells(state: ScreenState, key: str) -> bool:
    """Whether a column tells gold labels, verdicts or what people said; one of the file may."""
    return _kind(key) in TELLING or state.results.evaluated.is_metadata(key)


def _kind(key: str) -> str:
    """A key without the scorer's name."""
    return key.removeprefix(f"{entry_of(key).of}.")


def _column(state: ScreenState, key: str, paint: CellPaint, *, leave: bool, blind: bool) -> TableColumn:
    """The column of a key; with `leave` it may give way where there is little room."""
    entry, kind = entry_of(key), _kind(key)
    scorer = entry.of or state.focus.scorer
    source: str | tuple[str, ...] = f"{scorer}.{kind}" if kind in OF_SCORER else key
    if kind == REWARDS:
        source = REWARDS if blind else (REWARDS, "earliest_error", f"{scorer}.verdict", LEVELS)
    width, most = WIDTHS.get(kind, USUAL), 0
    painter = _painter(state, kind, source, paint)
    flex, whole = FLEX.get(kind, 0), cell_len(entry.title)
    if entry.of:
        owner = cell_len(entry.of)
        width, most = max(width, whole + 1 + min(owner, OWNER)), whole + 1 + owner
    elif values := _values_of(state, key):
        painter, most = partial(paint.label, among=values), max(whole, *map(cell_len, values))
        width, flex = min(width, most), 1
    elif kind in {"id", "case"}:
        # Only cases of the benchmark in focus are listed.
        names = state.cases[kind].filter(pl.Series(state.benchmark_rows))
        most = max(whole, names.to_frame().select(pl.col(kind).str.len_chars().max()).item() or 0)
        width = min(width, most)
    elif kind == REWARDS:
        # A bar a step: what is beyond the longest case has a use in other columns.
        most = int(state.cases["n_steps"].to_numpy()[state.benchmark_rows].max(initial=width))
    return TableColumn(
        key,
        entry.title,
        width,
        right=kind in {"earliest_error", "verdict", "margin", "abs_margin"},
        paint=painter,
        source=source,
        flex=flex,
        most=most,
        of=entry.of,
        decimals=DECIMALS.get(kind, 2),
        least=min(width, LEAST.get(kind, 0)) if leave else 0,
        leave=LEAVE.get(kind, 0) if leave else 0,
        start=kind == "outcome" and not entry.of,
    )


def _values_of(state: ScreenState, key: str) -> tuple[str, ...]:
    """All values of a label, whatever the filter; () for other columns, and where they are many."""
    coded = state.results.evaluated.categories(key) if key in LABELS else None
    if coded is None or len(coded.values) > FEW_VALUES:
        return ()
    return tuple(str(value) for value in coded.values if value is not None)


def _painter(state: ScreenState, kind: str, source: str | tuple[str, ...], paint: CellPaint) -> Paint | None:
    painters: dict[str, Paint] = {
        "id": paint.name,
        "case": paint.name,
        "earliest_error": paint.index,
        "verdict": paint.index,
        "outcome": paint.outcome,
        "margin": paint.margin,
        "abs_margin": paint.distance,
        REWARDS: paint.spark if isinstance(source, tuple) else paint.bare_spark,
    }
    if kind in painters or isinstance(source, tuple):
        return painters[kind]
    listed = isinstance(state.results.evaluated.schema[source], pl.List)
    return paint.listing if listed else None
