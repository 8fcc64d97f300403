"""Searching the texts of many cases: batch after batch from the disk, so that it tells how far it is and can stop.

The texts of a million cases are gigabytes: nothing of them is kept, only which cases match and where first.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace

from scoring.data.errors import DamagedWorkspace, FrameError, SearchError
from scoring.data.schema import LATER_TEXTS, TEXTS, Bools
from scoring.data.texts import ROW_GROUP, TextPlaces, Texts
from scoring.workspace.cache import VoteParts
from scoring.workspace.filtering.condition_limits import SECONDS, in_time
from scoring.workspace.filtering.text_query import SCOPES, TextQuery
from scoring.workspace.rows_of_cases import rows_of_cases

# -- searching what critics answered and reasoned, and what PRMs that generate wrote


_TEXTS = ("answer", "reasoning")
_PAGE = 2048
"""Answers read at once: each may be many pages long."""
_BIT = np.uint8(1 << SCOPES.index("answers"))


def answer_hits(query: TextQuery, parts: VoteParts, cases: pl.DataFrame, *, talk: bool) -> npt.NDArray[np.uint8]:
    """Return for every pattern and case the bit of answers where one of a scorer's counts and holds the pattern.

    `cases` has the columns `key` and `case`. Only answers that count are looked at: one that was asked for again stays
    in its part. Unreadable parts are left out, as they are wherever votes are read. Of a `talk` what was written is
    searched, not the JSON that keeps it.
    """
    kept = [*parts.kind.identity, "ballot", "verdict", "rewards"]
    names = [f"hit {number}" for number in range(len(query.patterns))]
    made = [
        pl.any_horizontal(pl.col(_TEXTS).str.contains(pattern).fill_null(value=False)).alias(name)
        for pattern, name in zip(query.patterns, names, strict=True)
    ]
    frames = []
    for part in parts.parts():
        try:
            pages = parts.pages(part, _PAGE, (*kept, *_TEXTS))
            written = (_written(page) if talk else page for page in pages)
            frames += [_in_time(query, partial(page.select, *kept, *made)) for page in written]
        except (OSError, FrameError):
            continue
    if not frames:
        return np.zeros((len(names), cases.height), dtype=np.uint8)
    counted = rows_of_cases(cases, parts.unique(pl.concat(frames)))
    hits = np.zeros((len(names), cases.height), dtype=np.bool_)
    for number, name in enumerate(names):
        hits[number, counted.filter(name)["case_row"].to_numpy()] = True
    return np.where(hits, _BIT, np.uint8(0))


def _written(page: pl.DataFrame) -> pl.DataFrame:
    """Answers with what was written in a talk in the place of its JSON; those that are no such JSON stay."""
    texts = [None if answer is None else _calls(answer) for answer in page["answer"]]
    return page.with_columns(answer=pl.Series(texts, dtype=pl.String))


def _calls(answer: str) -> str:
    """What was written in a talk, call after call, none of them on the line of another."""
    try:
        return "\n".join(text for talk in json.loads(answer) for text in talk)
    except (ValueError, TypeError, RecursionError):
        return answer


COLUMNS = {
    "problem": ("problem", "question", "original_problem"),
    "steps": ("steps",),
    "context": ("context", "tools"),
    "reason": ("reason", "reference_answer"),
}
"""The columns of TEXTS that a scope is searched in."""
FIRST_BATCH = 8192
"""Rows of the first batch: its hits are there after some 20 ms."""
BATCH = 65536
"""Rows of the later ones. Stopping a search waits for one, some 100 ms."""
MANY = 0.25
"""Share of the cases of a batch with hits above which the first step is not looked for in the next one."""
FEW_RANGES = 48
"""So many places of a file are read one by one instead of the whole of it."""


class SearchMatches(Struct, frozen=True, eq=False, dict=True):
    """Which of n cases hold a query, as far as they were searched.

    `searched` (bool) says which cases were looked at; of the others nothing is known. `hits` (uint8, one row a pattern
    of the query) are bits, bit i for scope i of SCOPES; `first_step` (int32) is the first step with any of the
    patterns, 0-based, -1 where there is none or where so many cases match that nobody looked. All have n columns.
    `notes` are the notes that were looked at.
    """

    query: TextQuery
    searched: Bools
    hits: npt.NDArray[np.uint8]
    first_step: npt.NDArray[np.int32]
    notes: pl.Series | None = None

    @classmethod
    def nothing(cls, query: TextQuery, n: int) -> "SearchMatches":
        """Before the first text was read."""
        hits = np.zeros((len(query.patterns), n), dtype=np.uint8)
        return cls(query, np.zeros(n, dtype=np.bool_), hits, np.full(n, -1, dtype=np.int32))

    @cached_property
    def mask(self) -> Bools:
        """The searched cases in which every pattern occurs in some scope, shape (n,)."""
        every: Bools = self.searched & (self.hits != 0).all(axis=0)
        return every

    @cached_property
    def scopes(self) -> npt.NDArray[np.uint8]:
        """For every case the bits of the scopes in which any pattern occurs; 0 where the case does not match."""
        bits: npt.NDArray[np.uint8] = np.bitwise_or.reduce(self.hits, axis=0, initial=0)
        return np.where(self.mask, bits, np.uint8(0))

    def with_notes(self, notes: pl.Series | None) -> "SearchMatches":
        """Return the results with other notes (String, one a case; None = there are none): people write them at any
        time.
        """
        if "notes" not in self.query.scopes or notes is self.notes:
            return self
        bit = np.uint8(1 << SCOPES.index("notes"))
        hits = self.hits & ~bit
        if notes is not None and notes.null_count() < len(notes):
            for number, pattern in enumerate(self.query.patterns):
                hits[number] |= np.where(
                    notes.str.contains(pattern).fill_null(value=False).to_numpy(), bit, np.uint8(0)
                )
        return replace(self, hits=hits, notes=notes)

    def covers(self, rows: Bools) -> bool:
        """Return whether all these cases were searched."""
        return not bool((rows & ~self.searched).any())

    def where(self, row: int) -> tuple[str, ...]:
        """Return the scopes in which a case has any of the patterns."""
        bits = int(self.scopes[row])
        return tuple(scope for place, scope in enumerate(SCOPES) if bits >> place & 1)


class Searchable(Struct, frozen=True, eq=False):
    """What can be searched: the texts of n cases, their `key`s (String), the folders of answers, and notes.

    `names` (String, the `case` of each) tell apart the answers to cases of equal text; None = contents alone do.
    `notes` (String, one a case, null where there is none) is None where there are none at all. `talks` are the folders
    of answers that are kept as JSON: for each talk the list of what was written (`scoring.runs.generative.dialogues`).
    Without `trajectories` no case has context, which is then not looked for. `own_keys` are those of the answers in a
    folder whose scorer reads more of a case than problem and steps, by folder.
    """

    texts: Texts
    keys: pl.Series
    answers: tuple[Path, ...] = ()
    notes: pl.Series | None = None
    talks: tuple[Path, ...] = ()
    names: pl.Series | None = None
    trajectories: bool = True
    own_keys: Mapping[Path, pl.Series] = field(default_factory=dict)

    def joined_on(self, folder: Path) -> pl.DataFrame:
        """Return what the answers in a folder are joined on: columns `key` and, where there are names, `case`."""
        columns = [self.own_keys.get(folder, self.keys).alias("key")]
        return pl.DataFrame(columns if self.names is None else [*columns, self.names.alias("case")])


def search(
    query: TextQuery, among: Searchable, rows: Bools | None = None, before: SearchMatches | None = None
) -> Iterator[SearchMatches]:
    """Search, and give what is found so far after every batch; the last value is complete for `rows` (None = all).

    `before` is what an earlier search of the same query found: its cases are not read again. What was given out is
    never changed. Where few cases are wanted only those are read.

    Raises:
        DamagedWorkspace: a file of texts has gone or cannot be read.
        SearchError: a regular expression takes too long.
    """
    n = len(among.keys)
    so_far = (before or SearchMatches.nothing(query, n)).with_notes(among.notes)
    wanted = ~so_far.searched if rows is None else rows & ~so_far.searched
    if not query or not wanted.any():
        yield replace(so_far, searched=so_far.searched | wanted)
        return
    # Answers first: a case counts as searched when the last of its texts was read.
    hits = so_far.hits.copy()
    if "answers" in query.scopes:
        for folder in (*among.answers, *among.talks):
            hits |= answer_hits(query, VoteParts(folder), among.joined_on(folder), talk=folder in among.talks)
    first_step, searched = so_far.first_step.copy(), so_far.searched.copy()
    scopes = [scope for scope in query.scopes if scope != "context" or among.trajectories]
    columns = tuple(name for scope in scopes for name in COLUMNS.get(scope, ()))
    if not columns:
        yield replace(so_far, searched=searched | wanted, hits=hits)
        return
    for cases, frame in _batches(among.texts, np.flatnonzero(wanted), columns, query):
        matching = cases[frame["at"].to_numpy()]
        for number in range(len(query.patterns)):
            hits[number, matching] |= frame[f"bits {number}"].to_numpy()
        first_step[matching] = frame["step"].to_numpy()
        searched[cases] = True
        yield replace(so_far, searched=searched.copy(), hits=hits.copy(), first_step=first_step.copy())


def search_all(
    query: TextQuery, among: Searchable, rows: Bools | None = None, before: SearchMatches | None = None
) -> SearchMatches:
    """Search all at once.

    Raises:
        DamagedWorkspace: as for `search`.
    """
    *_, last = search(query, among, rows, before)
    return last


# -- the texts of cases


def _batches(
    texts: Texts, wanted: TextPlaces, columns: Sequence[str], query: TextQuery
) -> Iterator[tuple[TextPlaces, pl.DataFrame]]:
    """The cases (row ids) of a batch, and the rows of those of them in which anything was found.

    The rows have `at` (which of the cases, 0-based), `bits 0`, `bits 1`, ... (uint8) and `step` (int32).
    """
    hits = _hits(query, columns)
    size, many = FIRST_BATCH, False
    for number, source in enumerate(texts.sources):
        cases = wanted[texts.part[wanted] == number]
        places = texts.row_in_part[cases]
        order = np.argsort(places, kind="stable")
        cases, places = cases[order], places[order]
        lazy = source.rechunk().lazy() if isinstance(source, pl.DataFrame) else pl.scan_parquet(source, glob=False)
        absent = [name for name in columns if name in LATER_TEXTS and name not in _schema(source, lazy)]
        lazy = lazy.with_columns(pl.lit(None, TEXTS[name]).alias(name) for name in absent)
        if places.size and int(places[-1]) >= (height := _collected(source, lazy.select(pl.len())).item()):
            raise _damaged(source, f"it has {height} rows, and a case uses row {int(places[-1])}, 0-based")
        for first, stop in _ranges(places, size):
            low, high = np.searchsorted(places, (first, stop))
            carried = ["steps"] if "steps" in columns and not many else []
            rows = (
                lazy.slice(first, stop - first)
                .select(*(hit.alias(name) for name, hit in hits.items()), *carried)
                .with_row_index("_at")
            )
            matching = rows.filter(pl.any_horizontal(list(hits)))
            rows_hit = _in_time(query, partial(_collected, source, matching))
            many = rows_hit.height > MANY * (stop - first)
            # In one piece: polars 2.1 cannot evaluate in lists of some columns that are in several.
            hit_rows = _in_time(query, partial(_told, rows_hit.rechunk(), query, columns))
            yield cases[low:high], _among(hit_rows, places[low:high] - first)
        size = BATCH


def _among(rows_hit: pl.DataFrame, places: TextPlaces) -> pl.DataFrame:
    """Of the rows of a batch those at these places (ascending), each with its number among them as `at`."""
    rows = rows_hit["_at"].to_numpy()
    at = np.searchsorted(places, rows)
    kept = at < places.size
    kept[kept] = places[at[kept]] == rows[kept]
    return rows_hit.with_columns(pl.Series("at", at)).filter(pl.Series(kept, dtype=pl.Boolean))


def _ranges(places: TextPlaces, first_size: int) -> Iterator[tuple[int, int]]:
    """The rows of a file to read, as (first, one past the last): the wanted ones (ascending) alone where that is less.

    Both ends lie between the groups in which the file was written.
    """
    if not places.size:
        return
    groups = np.unique(places // ROW_GROUP)
    starts = groups[np.flatnonzero(np.diff(groups, prepend=-2) > 1)]
    stops = groups[np.flatnonzero(np.diff(groups, append=groups[-1] + 2) > 1)] + 1
    if len(starts) > FEW_RANGES:
        starts, stops = groups[:1], groups[-1:] + 1
    size = first_size
    for start, stop in zip((starts * ROW_GROUP).tolist(), (stops * ROW_GROUP).tolist(), strict=True):
        at = start
        while at < stop:
            end = min(stop, at + size)
            if np.searchsorted(places, at) < np.searchsorted(places, end):
                yield at, end
            at, size = end, min(BATCH, 2 * size)


def _hits(query: TextQuery, columns: Sequence[str]) -> dict[str, pl.Expr]:
    """Whether a pattern is in a column: `0 problem`, `0 steps`, `1 problem`, ..."""
    made = {}
    for number, pattern in enumerate(query.patterns):
        for name in columns:
            hit = _IN_COLUMN.get(name, _in_text)(pl.col(name), pattern)
            made[f"{number} {name}"] = hit.fill_null(value=False)
    return made


def _in_text(column: pl.Expr, pattern: str) -> pl.Expr:
    return column.str.contains(pattern)


def _in_steps(column: pl.Expr, pattern: str) -> pl.Expr:
    return column.list.eval(pl.element().str.contains(pattern).any()).list.first()


def _in_messages(column: pl.Expr, pattern: str) -> pl.Expr:
    """In what a message says or the name of its tool; what role it has is not a text."""
    texts = pl.element().struct.field("name", "text").str.contains(pattern)
    return column.list.eval(pl.any_horizontal(texts).any()).list.first()


def _in_tools(column: pl.Expr, pattern: str) -> pl.Expr:
    """In the name of a function, its description, or its whole definition, in which these are written as JSON."""
    texts = pl.element().struct.field("name", "about", "definition").str.contains(pattern)
    return column.list.eval(pl.any_horizontal(texts).any()).list.first()


_IN_COLUMN = {"steps": _in_steps, "context": _in_messages, "tools": _in_tools}


def _told(rows_hit: pl.DataFrame, query: TextQuery, columns: Sequence[str]) -> pl.DataFrame:
    """For rows with hits and perhaps `steps`: the bits of every pattern, and the first step with any of them."""
    made = []
    for number in range(len(query.patterns)):
        bits = pl.lit(0, dtype=pl.UInt8)
        for place, scope in enumerate(SCOPES):
            names = [f"{number} {name}" for name in COLUMNS.get(scope, ()) if name in columns]
            if names:
                bit = pl.lit(1 << place, dtype=pl.UInt8)
                bits |= pl.when(pl.any_horizontal(names)).then(bit).otherwise(pl.lit(0, dtype=pl.UInt8))
        made.append(bits.alias(f"bits {number}"))
    step = pl.lit(-1, dtype=pl.Int32)
    if "steps" in rows_hit.columns:
        step = pl.min_horizontal(_first_step(pattern) for pattern in query.patterns).fill_null(-1)
    return rows_hit.select("_at", *made, step.cast(pl.Int32).alias("step"))


def _first_step(pattern: str) -> pl.Expr:
    """The 0-based index of the first step with the pattern, null where there is none."""
    here = pl.element().str.contains(pattern)
    index = pl.int_range(pl.len(), dtype=pl.Int32)
    return pl.col("steps").list.eval(pl.when(here).then(index).min()).list.first()


def _in_time(query: TextQuery, work: Callable[[], pl.DataFrame]) -> pl.DataFrame:
    """Return what `work` returns. Raises SearchError where a regular expression takes too long on some texts."""
    if not query.is_pattern:
        return work()
    try:
        return in_time(work)
    except TimeoutError:
        problem = f"the regular expression {query.text[:80]!r} takes longer than {SECONDS:.0f} seconds on some texts."
        raise SearchError(problem, "Search for a shorter one, with fewer and smaller repetitions.") from None


def _collected(source: Path | pl.DataFrame, lazy: pl.LazyFrame) -> pl.DataFrame:
    with _unharmed(source):
        return lazy.collect(engine="streaming")


def _schema(source: Path | pl.DataFrame, lazy: pl.LazyFrame) -> pl.Schema:
    with _unharmed(source):
        return lazy.collect_schema()


@contextmanager
def _unharmed(source: Path | pl.DataFrame) -> Iterator[None]:
    try:
        yield
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise _damaged(source, (str(error).strip() or type(error).__name__).splitlines()[0]) from None


def _damaged(source: Path | pl.DataFrame, why: str) -> DamagedWorkspace:
    name = source if isinstance(source, Path) else "a frame of texts"
    return DamagedWorkspace(f"{name} cannot be read: {why}.", "Open the workspace again, or import again.")
