"""One search while it runs: what a list shows of it as it goes, and the screen state that it ends in."""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator

import numpy as np
from msgspec import Struct, field

from inspector.state.case_list.listed import searched
from inspector.state.screen_state import ScreenState
from scoring.data.schema import Bools, Ints
from scoring.data.texts import Texts
from scoring.selection.result_set import searchable
from scoring.workspace.filtering.text_query import TextQuery
from scoring.workspace.filtering.text_search import SearchMatches, search

FIRST_AFTER = 0.05
"""Seconds after which a search is worth being shown before it has ended."""
SPARSE = 8
"""Where at most one in so many of the cases is listed, those are searched first and by themselves."""


class SearchProgress(Struct, frozen=True, eq=False):
    """A search under way: the rows to list (row ids, in their order), and the share of the texts that was read.

    `matches` is all that was found; `state` the finished value, None until every text was read. `seconds` since the
    search began.
    """

    rows: Ints
    share: float
    matches: SearchMatches
    seconds: float
    state: ScreenState | None = None


class FoundBefore(Struct):
    """What finished searches found, the last few of them: going back while typing reads nothing again."""

    kept: int = 12
    _texts: Texts | None = None
    _found: "OrderedDict[TextQuery, SearchMatches]" = field(default_factory=OrderedDict)

    def get(self, text_query: TextQuery, texts: Texts) -> SearchMatches | None:
        """Return what this query found in these texts, if it is remembered."""
        return self._found.get(text_query) if texts is self._texts else None

    def keep(self, result: SearchMatches, texts: Texts) -> None:
        """Remember a result; what was found in other texts is forgotten."""
        if texts is not self._texts:
            self._texts = texts
            self._found.clear()
        self._found[result.query] = result
        self._found.move_to_end(result.query)
        while len(self._found) > self.kept:
            self._found.popitem(last=False)


def run_search(
    state: ScreenState,
    text_query: TextQuery,
    remembered: FoundBefore,
    stopped: Callable[[], bool] = lambda: False,
    every: float = 0.0,
) -> Iterator[SearchProgress]:
    """Search the cases of the benchmark in focus; a value after every batch, the last with the finished screen state.

    With `every`, values are at least so many seconds apart, and none comes before FIRST_AFTER but the last.

    Where `stopped` says so, it ends without one. What the last value needs on screen is computed here as well, so that
    whoever shows it need not wait.

    Raises:
        DamagedWorkspace: a file of texts cannot be read.
    """
    began = time.perf_counter()
    if not text_query:
        plain = searched(state, None)
        yield SearchProgress(
            plain.shown, 1.0, SearchMatches.nothing(text_query, state.results.evaluated.height), 0.0, plain
        )
        return
    results = state.results
    bare = searched(state, None)
    result = remembered.get(text_query, results.loaded.texts) or SearchMatches.nothing(
        text_query, results.evaluated.height
    )
    following = min(FIRST_AFTER, every)
    for rows in _turns(bare):
        for now in search(text_query, searchable(results), rows, result):
            if stopped():
                return
            result = now
            seconds = time.perf_counter() - began
            if seconds < following:
                continue
            following = seconds + every
            read = float((result.searched & bare.benchmark_rows).sum()) / max(1, int(bare.benchmark_rows.sum()))
            yield SearchProgress(bare.shown[result.mask[bare.shown]], read, result, seconds)
    remembered.keep(result, results.loaded.texts)
    done = searched(state, result)
    _ = done.summary.headline, done.summary.outcome_counts
    yield SearchProgress(done.shown, 1.0, result, time.perf_counter() - began, done)


def _turns(bare: ScreenState) -> Iterator[Bools]:
    """Which cases are searched first, and then which."""
    listed = np.zeros(bare.results.evaluated.height, dtype=np.bool_)
    listed[bare.shown] = True
    if bare.shown.size * SPARSE <= int(bare.benchmark_rows.sum()):
        yield listed
    yield bare.benchmark_rows
