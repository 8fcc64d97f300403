"""The palette: places beside commands, themes, and how it keeps its shape."""

from collections.abc import Iterator, Sequence
from functools import partial

import polars as pl
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.fuzzy import Matcher

from inspector.render.texts.text import clean
from inspector.screens.base import AppScreen
from inspector.screens.messages import Go
from inspector.state.case_list.listed import searched
from inspector.state.filtering.slices import offered
from inspector.state.focusing import on_benchmark, with_case
from inspector.state.screen_state import ScreenState
from inspector.widgets.key_table.synonyms import SYNONYMS
from inspector.widgets.textual_compat import Steady
from inspector.widgets.theme_colours import COLOURS
from scoring.evaluation.evaluation import Evaluation
from scoring.workspace.filtering.filters import Filter

# -- what the palette finds beside commands: benchmarks, scorers, columns, slices, and cases by a part of their names


LEAST_LETTERS = 3
"""Least letters of a query to search synonyms of commands."""
MOST = 12
"""Cases that are offered."""
_HELD, _WHOLE = 10.0, 20.0
"""What names score that hold what was typed, and that are it: more than titles that only have its letters."""
_TOLD = 5.0
"""The score of a column that has all the words, in its title or in what it means."""
_LEAST = 0.2
"""The score of a case that holds it: there may be many."""


class PlacesProvider(Provider):
    """Goes to what is chosen. Names are data: nothing in them acts."""

    async def search(self, query: str) -> Hits:
        """Yield what has these letters."""
        screen = self.screen
        if not isinstance(screen, AppScreen):
            return
        state, matcher = screen.state, self.matcher(query)
        for name in state.results.benchmarks:
            if score := _score(matcher, name, query):
                look = partial(_on_benchmark, screen, state, name)
                yield Hit(score, matcher.highlight(clean(name)), look, help="Benchmark: to its cases and scorers")
        for evaluation in state.results.evaluations:
            name = evaluation.scorer.name
            if score := _score(matcher, name, query):
                look = partial(_through, screen, state, evaluation)
                yield Hit(score, matcher.highlight(clean(name)), look, help="Scorer: look through it")
        words = query.lower().split()
        for hit in (*_synonyms(screen, query), *_columns(screen, words), *_slices(screen, state, words)):
            yield hit
        names = state.cases["case"]
        for row in _holding(names, query.strip()):
            score = _WHOLE if names[row].partition("/")[2] == query.strip() else _LEAST
            yield Hit(score, Content(clean(names[row])), partial(_open, screen, state, row), help="Case: open it")


def _synonyms(screen: AppScreen, query: str) -> Iterator[Hit]:
    """Yield commands that have the query among their synonyms."""
    typed = query.strip().lower()
    if len(typed) < LEAST_LETTERS:
        return
    for command in screen.commands:
        word = next((word for word in SYNONYMS.get(command.id, ()) if typed in word.lower()), None)
        if word is not None and typed not in command.title.lower():
            key = screen.context.keys.written(command.id)
            about = f"{key}: {command.help}" if key else command.help
            title = Content(f"{command.title} ({word})")
            yield Hit(_HELD, title, partial(screen.run_action, command.action), help=about)


def _columns(screen: AppScreen, words: Sequence[str]) -> Iterator[Hit]:
    arranging = screen.arranging
    if arranging is None:
        return
    on_screen = {name for name, _ in arranging.columns_here()}
    for entry in arranging.columns_offered():
        title = f"column: {entry.name}"
        if all(word in f"{title} {entry.meaning}".lower() for word in words):
            does = "To it" if entry.name in on_screen else "Show it"
            look = partial(arranging.to_column, entry.key)
            yield Hit(_TOLD, Content(clean(title)), look, help=clean(f"{does}: {entry.meaning}"))


def _slices(screen: AppScreen, state: ScreenState, words: Sequence[str]) -> Iterator[Hit]:
    for _, title, chosen, order in offered(state):
        label = f"slice: {title}"
        if all(word in label.lower() for word in words):
            look = partial(_slice, screen, state, chosen, order)
            yield Hit(_TOLD, Content(clean(label)), look, help="Slice: list its cases")


def _holding(names: pl.Series, typed: str) -> list[int]:
    """The first rows whose names hold what was typed, in whatever case."""
    return names.str.contains(f"(?i){pl.escape_regex(typed)}").arg_true().head(MOST).to_list()


def _on_benchmark(screen: AppScreen, state: ScreenState, name: str) -> None:
    screen.put(on_benchmark(state, name))


def _through(screen: AppScreen, state: ScreenState, evaluation: Evaluation) -> None:
    here = (
        state.focus.benchmark if evaluation.coverage.covers(state.focus.benchmark) else min(evaluation.coverage.covered)
    )
    screen.put(state.focused(evaluation.scorer.name, here))


def _slice(screen: AppScreen, state: ScreenState, chosen: Filter, order: str) -> None:
    screen.put(searched(state, state.base_search, chosen).selected(sort=order))
    screen.post_message(Go("cases", beneath=True))


def _score(matcher: Matcher, name: str, query: str) -> float:
    low, typed = name.lower(), query.strip().lower()
    return _WHOLE if low == typed else _HELD if typed in low else matcher.match(name)


def _open(screen: AppScreen, state: ScreenState, row: int) -> None:
    screen.put(with_case(state, row))
    screen.post_message(Go("case", row))


# -- the palette, which keeps its shape while the terminal changes its own


class SteadyPalette(Steady, CommandPalette):
    """Textual's palette, made steady."""


# -- the palette in which a theme is chosen: ours first, each with what it is for


ABOUT = {
    "prm-dark": "dark, colour-blind-safe; the usual one",
    "prm-light": "light, colour-blind-safe",
    "prm-dark-contrast": "dark, high contrast (7:1), colour-blind-safe",
    "prm-light-contrast": "light, high contrast (7:1), colour-blind-safe",
    "prm-16-colours": "for terminals with sixteen colours; the usual one there",
}


class Themes(Provider):
    """Every registered theme."""

    def _names(self) -> Iterator[tuple[str, str]]:
        known = self.app.available_themes
        yield from ((name, ABOUT[name]) for name in COLOURS)
        yield from ((name, "of Textual: outcomes may look alike") for name in sorted(known) if name not in COLOURS)

    def _set(self, name: str) -> None:
        self.app.theme = name

    async def discover(self) -> Hits:
        """Yield all themes."""
        for name, about in self._names():
            yield DiscoveryHit(name, partial(self._set, name), help=about)

    async def search(self, query: str) -> Hits:
        """Yield the themes whose name or description matches."""
        matcher = self.matcher(query)
        for name, about in self._names():
            score = max(matcher.match(name), matcher.match(about))
            if score > 0:
                yield Hit(score, matcher.highlight(name), partial(self._set, name), text=name, help=about)
