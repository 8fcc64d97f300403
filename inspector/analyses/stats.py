"""Statistics of a benchmark, without scorers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl
from msgspec.structs import replace

from inspector.analyses import Params, analysis
from inspector.render.blocks import Block, Note, Section
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import Cell, Column, Kind, Table, bar_column, count, table, text
from inspector.render.texts.sentences import counted
from inspector.render.view import View
from inspector.state.label_words import published_note
from inspector.state.provenance import provenance
from scoring.data.schema import Row
from scoring.metrics.outcome_conditions import SIDES
from scoring.metrics.published.papers import beside
from scoring.metrics.statistics import LONG, PROBLEM_CHARACTERS, statistics_rows
from scoring.selection.loading import load
from scoring.selection.result_set import ResultSet, within
from scoring.workspace.filtering.filters import Facet

STATISTICS = {
    "benchmark": pl.String(),
    "subset": pl.String(),
    "group": pl.String(),
    "statistic": pl.String(),
    "value": pl.Float64(),
    "n": pl.Int64(),
    "reason": pl.String(),
}
FACTS = ("command", "version", "data", "labels", "filter", "notes")
"""What of a provenance is said where no scorer has a part."""
COUNTS = {"cases", "erroneous", "clean", "no_gold", "steps", "max_steps", "generators", "distinct_solutions"}
"""Statistics that are whole numbers."""
NO_CASE = "No case passes the filter, so that there is nothing to count."


class StatisticPlace(NamedTuple):
    """A statistic: its group ("" = all cases of the subset) and its name."""

    group: str
    statistic: str


SECTIONS: Mapping[str, Mapping[str, StatisticPlace]] = {
    "Cases": {
        "cases": StatisticPlace("", "cases"),
        "erroneous": StatisticPlace("", "erroneous"),
        "clean": StatisticPlace("", "clean"),
        "no gold": StatisticPlace("", "no_gold"),
        "distinct": StatisticPlace("", "distinct_solutions"),
        "generators": StatisticPlace("", "generators"),
        "problem, characters": StatisticPlace("", "mean_question_characters"),
    },
    "Steps": {
        "mean": StatisticPlace("", "mean_steps"),
        **{f">= {n}, %": StatisticPlace("", f"share_steps_ge_{n}") for n in LONG},
        "most": StatisticPlace("", "max_steps"),
        "mean, erroneous": StatisticPlace("erroneous", "mean_steps"),
        "clean": StatisticPlace("clean", "mean_steps"),
    },
    "Wrong steps (0-based)": {
        "mean first one": StatisticPlace("", "mean_earliest_error"),
        "mean number": StatisticPlace("", "mean_error_steps"),
        "right answer, wrong process, %": StatisticPlace("", "process_error_rate"),
    },
}
"""Title -> the columns of a table with a row a subset; the characters of problems are their mean."""
_COUNTED = {
    "cases": (),
    "erroneous": (SIDES["erroneous"],),
    "clean": (SIDES["clean"],),
    "no_gold": ("earliest_error IS NULL",),
    "process_error_rate": ("final_answer_correct = true", SIDES["erroneous"]),
    **{f"share_steps_ge_{n}": (f"n_steps >= {n}",) for n in LONG},
}
"""Conditions of the cases that a statistic counts, or is the share of."""
_NAMED = {"cases": "generator", "share_error_type": "error_type"}
"""Statistics that there is one of for each value of a column, as in `cases:a-generator`."""
_ERROR_TYPE = "share_error_type:"


@analysis(
    "Statistics",
    whose="none",
    loader=lambda query, _: load(query, scorers=False),
    refuses={"--scorer": "Cases are counted, whoever scored them."},
    examples=(
        "prm-inspect stats --benchmark demo",
        "prm-inspect stats --benchmark demo --where 'n_steps > 6' --markdown",
    ),
    help="The benchmark itself. Each count opens exactly its cases; dim figures called published are a paper's.",
)
def stats(results: ResultSet, params: Params, intervals: bool) -> View:  # noqa: ARG001  # nothing here is resampled
    """Count the shown cases by subset, without scorers; `published` and `source` are what the papers print."""
    rows = list(statistics_rows(described_cases(results)))
    frame = beside(pl.DataFrame(rows, schema=STATISTICS, orient="row", strict=False))
    notes = tuple(published_note(results.labels.adjudicated)) if _printed(frame) else ()
    facts = provenance(
        results, replace(results.query, scorers=()).command("stats", form=params.form), notes, decides=False
    )
    kept: dict[str, Any] = {name: facts[name] for name in FACTS if name in facts}
    return View(
        frame, kept, title="Statistics", lay_out=lambda: _sections(results, frame, notes), empty="" if rows else NO_CASE
    )


def described_cases(results: ResultSet) -> pl.DataFrame:
    """Return the shown cases in file order, with the lengths of their problems."""
    problems = results.loaded.texts.frame(["problem"])["problem"]
    lengths = problems.str.len_chars().alias(PROBLEM_CHARACTERS)
    return results.cases.with_columns(lengths).filter(pl.Series(results.mask))


def statistic_kind(name: str) -> Kind:
    """Return how a statistic is written: counts whole, shares in percent, means with two digits."""
    if name.partition(":")[0] in COUNTS:
        return Kind.COUNT
    return Kind.SHARE if name.startswith(("share", "agreement")) or name.endswith("rate") else Kind.MEAN


def _printed(frame: pl.DataFrame) -> bool:
    """Whether a paper prints any of them."""
    return frame["published"].null_count() < frame.height


def _sections(results: ResultSet, frame: pl.DataFrame, notes: Sequence[str]) -> tuple[Section, ...]:
    parts = frame.partition_by("benchmark", maintain_order=True)
    return tuple(
        Section(str(rows["benchmark"][0]), f"statistics-{number}", tuple(statistics_blocks(results, rows, notes)))
        for number, rows in enumerate(parts)
    )


def statistics_blocks(results: ResultSet, rows: pl.DataFrame, notes: Sequence[str] = ()) -> Iterator[Block]:
    """Lay out the statistics of one benchmark, of which there are any."""
    benchmark = str(rows["benchmark"][0])
    whole = int((results.cases["benchmark"] == benchmark).sum())
    counts = {(row["subset"], row["group"], row["statistic"]): row for row in rows.iter_rows(named=True)}
    if _printed(rows):
        if counts["all", "", "cases"]["value"] < whole:
            yield Note(f"Published figures are of the whole benchmark, and {counted(whole, 'case')} are not all here.")
        yield from (Note(f"{note[0].upper()}{note[1:]}.", "warning") for note in notes)
    subsets: list[str] = rows["subset"].unique(maintain_order=True).to_list()
    # A subset without a name is left out where it is all there is.
    subsets = ["all"] if set(subsets) == {"", "all"} else subsets
    for title, columns in SECTIONS.items():
        yield _by_subset(results, benchmark, title, columns, subsets, counts)
    of_types = [row for row in counts.values() if row["subset"] == "all" and row["statistic"].startswith(_ERROR_TYPE)]
    if of_types:
        yield _by_type(results, benchmark, of_types)
    names = [row["statistic"] for row in counts.values() if row["subset"] == "all"]
    if generators := list(dict.fromkeys(name.removeprefix("cases:") for name in names if name.startswith("cases:"))):
        yield _by_generator(results, benchmark, generators, counts)
    if others := [row for row in counts.values() if row["published"] is not None and not _laid_out(row)]:
        yield _also_published(results, benchmark, others)
    if sources := rows["source"].drop_nulls().unique().sort().to_list():
        yield Note(f"Published: {'; '.join(sources)}.", "quiet")


def _by_subset(
    results: ResultSet,
    benchmark: str,
    title: str,
    columns: Mapping[str, StatisticPlace],
    subsets: Sequence[str],
    counts: Mapping[tuple[str, str, str], Row],
) -> Table:
    """A row a subset, and a dim one beneath it where a paper prints something of it."""
    used = {
        head: place for head, place in columns.items() if any(_says(counts.get((subset, *place))) for subset in subsets)
    }
    lines: list[list[Cell]] = []
    for subset in subsets:
        cells = [counts.get((subset, *place)) for place in used.values()]
        name = text(subset or "(none)", "strong" if subset == "all" else "")
        lines.append([name, *(_statistic(results, benchmark, row) for row in cells)])
        if any(row is not None and row["published"] is not None for row in cells):
            lines.append([text("  published", "dim"), *map(_published, cells)])
    return table(title, ["subset", *(Column(head, right=True) for head in used)], lines)


def _says(row: Row | None) -> bool:
    """Whether there is anything to tell; that every case has gold labels goes without saying."""
    if row is None or (row["value"] is None and row["published"] is None):
        return False
    return bool(row["value"]) or row["statistic"] != "no_gold"


def _statistic(results: ResultSet, benchmark: str, row: Row | None) -> Cell:
    if row is None or row["value"] is None:
        return Cell(None, Kind.SHARE, style="dim")
    style = "" if row["value"] else "dim"
    return Cell(
        row["value"], statistic_kind(row["statistic"]), link=statistic_link(results, benchmark, row), style=style
    )


def _published(row: Row | None) -> Cell:
    if row is None or row["published"] is None:
        return text("")
    return Cell(row["published"], statistic_kind(row["statistic"]), style="dim")


def _by_type(results: ResultSet, benchmark: str, rows: Sequence[Row]) -> Table:
    """The error types of all erroneous cases that have one, the most frequent first."""
    lines = []
    for row in sorted(rows, key=lambda row: -(row["value"] or 0)):
        link = statistic_link(results, benchmark, row)
        name = text(row["statistic"].removeprefix(_ERROR_TYPE))
        lines.append([name, count(link.n if link else 0, link), _statistic(results, benchmark, row), _published(row)])
    title = "Error types, of the erroneous cases that have one"
    return table(title, ["error type", "cases", bar_column("share, %"), "published"], lines)


def _by_generator(
    results: ResultSet, benchmark: str, generators: Sequence[str], counts: Mapping[tuple[str, str, str], Row]
) -> Table:
    """How many solutions of each generator are erroneous and clean."""
    lines = []
    for name in generators:
        rows = [counts.get(("all", side, f"cases:{name}")) for side in SIDES]
        cells = [cell for row in rows for cell in (_statistic(results, benchmark, row), _published(row))]
        lines.append([text(name), *cells])
    return table("Generators", ["generator", "erroneous", "published", "clean", "published"], lines)


def _laid_out(row: Row) -> bool:
    """Whether the statistic stands in one of the tables above."""
    place, kind = StatisticPlace(row["group"], row["statistic"]), row["statistic"].partition(":")[0]
    of_all = row["subset"] == "all" and kind in _NAMED and kind != row["statistic"]
    return of_all or any(place in columns.values() for columns in SECTIONS.values())


def _also_published(results: ResultSet, benchmark: str, rows: Sequence[Row]) -> Table:
    """What else papers print, beside what is here, where that can be counted."""
    lines = []
    for row in rows:
        name = " ".join(word for word in (row["group"], row["statistic"].replace("_", " ")) if word)
        here = replace(_statistic(results, benchmark, row), remark=row["reason"] or "")
        lines.append([text(row["subset"] or "(none)"), text(name), here, _published(row)])
    return table("Also published", ["subset", "statistic", "here", "published"], lines, labels=2)


def counted_by(place: StatisticPlace) -> tuple[str, ...] | None:
    """Return the conditions of the cases that a count or share is of, within its subset; None: it counts none."""
    side = (SIDES[place.group],) if place.group else ()
    kind, colon, value = place.statistic.partition(":")
    if colon:
        of_errors = (SIDES["erroneous"],) if kind == "share_error_type" else ()
        return (*side, *of_errors, Facet(_NAMED[kind], (value,)).sql) if kind in _NAMED else None
    conditions = _COUNTED.get(place.statistic)
    return None if conditions is None else (*side, *conditions)


def statistic_link(results: ResultSet, benchmark: str, row: Row) -> CaseLink | None:
    """Link to the cases that a statistic counts, or is the share of; None where it is a mean or counts none."""
    conditions = counted_by(StatisticPlace(row["group"], row["statistic"]))
    if conditions is None or row["value"] is None:
        return None
    share = row["statistic"].startswith("share_") or row["statistic"] == "process_error_rate"
    n = round(row["value"] * row["n"]) if share else int(row["value"])
    what = " ".join(word for word in (row["group"], row["statistic"].replace("_", " ")) if word)
    where = (*within(results, benchmark), *_of_subset(results, benchmark, row["subset"]), *conditions)
    return CaseLink(where, n, f"{what}, {row['subset'] or 'no subset'}", benchmark=benchmark) if n else None


def _of_subset(results: ResultSet, benchmark: str, subset: str) -> tuple[str, ...]:
    """The condition of the cases of a subset, or of a pattern that joins several."""
    if subset == "all":
        return ()
    own = results.cases.filter(pl.Series(results.mask) & (results.cases["benchmark"] == benchmark))
    # A row without a name is of the cases that have none, or an empty one.
    values = (subset,) if subset else ("", None)
    column = "pattern" if set(values).isdisjoint(own["subset"].unique()) else "subset"
    return (Facet(column, values).sql,)
