"""Slices: those that need not be saved, those that were, and how one comes upon a screen state."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from inspector.state.filtering.searching import found_in, matching
from inspector.state.query import Query
from inspector.state.screen_state import ScreenState
from scoring.data.errors import FilterError, NoWorkspace, UnwritableWorkspace, UsageError
from scoring.data.names import match_name
from scoring.data.schema import Bools
from scoring.data.storage.files import locked, unwritable, write_atomically
from scoring.evaluation.verdicts import OUTCOMES, RIGHT, WRONG
from scoring.metrics.first_error import FAILURES
from scoring.metrics.statistics import is_baseline
from scoring.workspace.filtering.filters import Facet, Filter, NumberRange, filter_of
from scoring.workspace.filtering.sql_words import named

# -- slices that need not be saved: what people look at first


LONGEST = 0.1
"""The share of the cases that count as long."""
CLOSE = 0.05
"""The share of a scorer's range within which a threshold is close."""
ERRONEOUS = "earliest_error >= 0"
"""The condition on a case that one of its steps is wrong."""


class ReadySlice(Struct, frozen=True):
    """A slice with the key that chooses it, its words, and how many cases it holds, among those given at the start."""

    key: str
    title: str
    filter: Filter
    sort: str
    cases: int


def ready_slices(state: ScreenState) -> list[ReadySlice]:
    """Return the slices that make sense for a benchmark seen through its scorer, those without a case included."""
    within = state.benchmark_rows & _given(state)
    slices = []
    for key, title, chosen, sort in offered(state):
        rows = within & state.results.passing(chosen.conditions)
        slices.append(ReadySlice(key, title, chosen, sort, int(np.count_nonzero(rows))))
    return slices


def _given(state: ScreenState) -> Bools:
    """The cases under the conditions and the search that were given when the app was opened, as a mask over all."""
    rows: Bools = state.results.passing(state.base) & matching(state.base_search, state.results.height)
    return rows


def condition_titles(state: ScreenState) -> dict[str, str]:
    """Return what the conditions of ready-made slices say, by their SQL."""
    offers = [*(_close_calls(state)), *_of_scorers(state)]
    return {ERRONEOUS: "the process is wrong", **{chosen.where[0]: title for _, title, chosen, _ in offers}}


SliceOffer = tuple[str, str, Filter, str]


def offered(state: ScreenState) -> Iterator[SliceOffer]:
    """Yield key, title, filter and order of each slice that makes sense; their cases are not counted."""
    if state.scorer is not None:
        yield from _of_outcomes(state)
    answers = state.results.categories("final_answer_correct")
    if answers is not None and answers.among((True, False))[state.benchmark_rows].any():
        right = Facet("final_answer_correct", (True,))
        yield "w", "right answer, wrong process", Filter((right,), (ERRONEOUS,)), ""
    yield from _of_scorers(state)
    lengths = state.cases["n_steps"].to_numpy()[state.benchmark_rows]
    if lengths.size and lengths.min() < lengths.max():
        least = max(int(np.quantile(lengths, 1 - LONGEST, method="higher")), int(lengths.min()) + 1)
        title = f"long cases: {least} steps or more"
        yield "l", title, Filter((Facet("n_steps", (NumberRange(least, None),)),)), "n_steps:desc"
    if "tags" in state.results.columns:
        yield "t", "cases with a tag", Filter((Facet("tags", (None,), keep=False, listed=True),)), ""


def _of_outcomes(state: ScreenState) -> Iterator[SliceOffer]:
    """Slices of what the scorer in focus made of the cases."""

    def outcomes(*names: str) -> Filter:
        return Filter((Facet(state.outcome_column, names),))

    yield "f", "all failures", outcomes(*FAILURES[state.unparsed]), "instructive"
    yield "e", "exact: the error found at its step", outcomes("exact"), ""
    yield "m", "missed errors", outcomes("missed"), "instructive"
    yield "a", "false alarms", outcomes("false_alarm"), "instructive"
    yield "p", "unparsed or refused", outcomes("unparsed", "refused"), ""
    yield from _close_calls(state)


def _close_calls(state: ScreenState) -> Iterator[SliceOffer]:
    """The cases whose outcome another threshold nearby would change."""
    if state.evaluation is None or not state.evaluation.movable:
        return
    low, high = state.span
    near = round(CLOSE * (high - low), 6)
    margin = named(f"{state.scorer}.margin")
    close = Filter(where=(f"{margin} BETWEEN {-near!r} AND {near!r}",))
    yield "c", f"close calls: within {near:g} of the threshold", close, ""


def _of_scorers(state: ScreenState) -> Iterator[SliceOffer]:
    """Slices of what several scorers made of the cases; one without a verdict on any is neither right nor wrong.

    Nor is a baseline one of them: it looks at nothing.
    """
    judging = [
        evaluation.scorer.name
        for evaluation in state.results.evaluations
        if evaluation.judges(state.benchmark) and not is_baseline(evaluation.scorer)
    ]
    if len(judging) < 2:
        return
    right, wrong = ([OUTCOMES[code] for code in codes] for codes in (RIGHT, WRONG))
    is_right = [Facet(f"{name}.outcome", tuple(right)).sql for name in judging]
    is_wrong = [Facet(f"{name}.outcome", tuple(wrong)).sql for name in judging]
    disagree = Filter(where=(f"({' OR '.join(is_right)}) AND ({' OR '.join(is_wrong)})",))
    yield "d", "some scorers right, some wrong", disagree, ""
    yield "x", "every scorer wrong", Filter(where=(" AND ".join(is_wrong),)), ""


# -- slices that were saved under a name: what is kept, searched for and sorted by, in one small file of the workspace
#
# They hold SQL, so that `--slice NAME` keeps the same cases as the screen did.


FILE = "slices.json"
FORMAT = 1


class SavedSlice(msgspec.Struct, frozen=True):
    """A slice: every condition of `where` (SQL) holds, and `search` is found in the scopes `within` (none = all).

    `sort` is that of a query, "" the order of the file.
    """

    name: str
    where: tuple[str, ...] = ()
    search: str = ""
    within: tuple[str, ...] = ()
    sort: str = ""


class SavedSlices(Struct, frozen=True):
    """The slices of a workspace, in the order they were saved; `problem` says what of the file cannot be read.

    `entries` are all that the file holds, also what a later version wrote.
    """

    slices: tuple[SavedSlice, ...] = ()
    problem: str = ""
    entries: tuple[Any, ...] = ()
    damaged: bool = False


def read_slices(root: Path | None) -> SavedSlices:
    """Read the slices saved in the workspace at `root`. Nothing is raised: a file that is unreadable is a `problem`."""
    path = root / FILE if root else None
    try:
        document = json.loads(path.read_bytes()) if path else {"slices": []}
        entries = document["slices"]
        if not isinstance(entries, list):
            raise TypeError("slices is not a list")  # noqa: TRY301  # one way out for all that is wrong with the file
    except FileNotFoundError:
        return SavedSlices()
    except OSError as error:
        return SavedSlices(problem=f"{path} cannot be read: {error.strerror or error}.")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        aside = "The next slice that is saved moves it aside and begins anew."
        return SavedSlices(problem=f"{path} is damaged ({error}). {aside}", damaged=True)
    read = [_read(entry) for entry in entries]
    unread = sum(saved is None for saved in read)
    problem = f"{unread} of the slices in {path} cannot be read and are left alone." if unread else ""
    return SavedSlices(tuple(saved for saved in read if saved is not None), problem, tuple(entries))


def _read(entry: object) -> SavedSlice | None:
    try:
        return msgspec.convert(entry, SavedSlice)
    except msgspec.ValidationError:
        return None


def save_slice(root: Path | None, new: SavedSlice) -> Path | None:
    """Save a slice in place of one of the same name; return where a damaged file was moved to.

    Raises:
        NoWorkspace: there is no folder to save it in.
        UnwritableWorkspace: it cannot be written; what was there is untouched.
    """
    folder = _folder(root)
    with locked(folder):
        there = read_slices(folder)
        aside = _moved_aside(folder / FILE) if there.damaged else None
        _write(folder, [*_others(there, new.name), msgspec.to_builtins(new)])
    return aside


def delete_slice(root: Path | None, name: str) -> None:
    """Delete the slice of this name, if there is one.

    Raises:
        NoWorkspace, UnwritableWorkspace: as for `save_slice`.
    """
    folder = _folder(root)
    with locked(folder):
        there = read_slices(folder)
        if any(saved.name == name for saved in there.slices):
            _write(folder, _others(there, name))


def _others(there: SavedSlices, name: str) -> list[Any]:
    """The entries less the one of this name; what cannot be read stays as it is."""
    read = ((entry, _read(entry)) for entry in there.entries)
    return [entry for entry, saved in read if saved is None or saved.name != name]


def _folder(root: Path | None) -> Path:
    if root is None:
        raise NoWorkspace("slices are kept in a workspace, and the demo alone has no folder.", "Name one with -w DIR.")
    return root


def _moved_aside(path: Path) -> Path:
    """Give a file a name that no other has, beside its old one."""
    number, aside = 1, path.with_name(f"{path.name}.damaged")
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.name}.damaged-{number}")
    try:
        path.rename(aside)
    except OSError as error:
        raise unwritable(path, error) from error
    return aside


def _write(folder: Path, entries: Sequence[Any]) -> None:
    text = json.dumps({"format": FORMAT, "slices": list(entries)}, ensure_ascii=False, indent=1)
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise UnwritableWorkspace(f"a slice holds a byte that is not UTF-8 ({error}).", "Write it in UTF-8.") from None
    write_atomically(folder / FILE, data + b"\n")


def with_slices(query: Query, root: Path | None) -> Query:
    """Return the query with the slices it names spelled out, so that it no longer depends on them.

    Raises:
        UsageError: no slice of that name, or two searches.
    """
    saved = read_slices(root)
    for word in query.slices:
        names = [saved_slice.name for saved_slice in saved.slices]
        if not names:
            raise UsageError(
                saved.problem or "no slice is saved in this workspace.",
                "Save one in the app: on the list of cases, in the menu of slices.",
            )
        saved_slice = saved.slices[names.index(match_name(word, names, "slice"))]
        if saved_slice.search and query.search and saved_slice.search != query.search:
            raise UsageError(
                f"slice {saved_slice.name!r} searches as well, and one search is known at a time.", "Leave one out."
            )
        query = replace(
            query,
            where=(*query.where, *(text for text in saved_slice.where if text not in query.where)),
            search=saved_slice.search or query.search,
            within=saved_slice.within if saved_slice.search else query.within,
            sort=query.sort or saved_slice.sort,
        )
    return replace(query, slices=())


# -- slices put on a screen state, taken from it, and kept for it


def sliced(state: ScreenState, saved: SavedSlice) -> ScreenState:
    """Return a screen state under a saved slice instead of its own filter, search and order.

    Raises:
        FilterError, UsageError: a condition or an order of it speaks of what is not here.
        SearchError, DamagedWorkspace: as for a search.
    """
    chosen = filter_of(text for text in saved.where if text not in state.base)
    focus, now = _benchmark_of(chosen), state
    if focus is not None:
        chosen = replace(chosen, facets=tuple(facet for facet in chosen.facets if facet is not focus))
        now = now if focus.values[0] == now.benchmark else now.on_benchmark(str(focus.values[0]))
    search = now.base_search
    if saved.search:
        query = replace(now.results.query, search=saved.search, within=saved.within)
        every = np.ones(now.results.height, dtype=np.bool_)
        search = found_in(replace(now.results, query=query, matches=None), every)
    return now.searched(search, chosen).ordered(saved.sort)


def slice_of(state: ScreenState, name: str) -> SavedSlice:
    """Return what is on screen as a slice of this name."""
    query = state.results.query
    return SavedSlice(name, query.where, query.search, query.within, query.sort)


def size_of(state: ScreenState, saved: SavedSlice) -> int | None:
    """Count the cases that a slice lists; None where it searches too, or names what is not here."""
    if saved.search:
        return None
    try:
        rows = _given(state) & state.results.passing(saved.where)
    except FilterError:
        return None
    # One that names no benchmark lists cases of the one in focus.
    return int(np.count_nonzero(rows if _benchmark_of(filter_of(saved.where)) else rows & state.benchmark_rows))


def _benchmark_of(chosen: Filter) -> Facet | None:
    """The facet of a filter that names one benchmark."""
    focus = chosen.facet("benchmark", keep=True)
    return focus if focus is not None and len(focus.values) == 1 else None


class SliceShelf:
    """The saved slices of one workspace, and what was last taken off."""

    def __init__(self, root: Path | None) -> None:
        self._root = root
        self._gone: SavedSlice | None = None

    def read(self) -> SavedSlices:
        """Read what is saved now, by whichever process."""
        return read_slices(self._root)

    def save(self, new: SavedSlice) -> str:
        """Save a slice; return a sentence that says so.

        Raises:
            NoWorkspace, UnwritableWorkspace: it cannot be saved.
        """
        again = any(saved.name == new.name for saved in self.read().slices)
        aside = save_slice(self._root, new)
        moved = f" The damaged file is now {aside.name}." if aside else ""
        return f"{'Saved again' if again else 'Saved'}: {new.name}. Repeat it with --slice.{moved}"

    def delete(self, gone: SavedSlice) -> str:
        """Delete a slice; return a sentence that says so.

        Raises:
            NoWorkspace, UnwritableWorkspace: as for `save`.
        """
        delete_slice(self._root, gone.name)
        self._gone = gone
        return f"Deleted: {gone.name}. u in this menu brings it back."

    def put_back(self) -> str:
        """Save again what was deleted last; return a sentence that says so.

        Raises:
            NoWorkspace, UnwritableWorkspace: as for `save`.
        """
        if self._gone is None:
            return "No slice was deleted."
        gone, self._gone = self._gone, None
        save_slice(self._root, gone)
        return f"Back again: {gone.name}."
