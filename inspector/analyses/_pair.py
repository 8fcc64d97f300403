"""Two scorers, A and B, on the cases of a benchmark that both tried: by how much one is better, and on which cases."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import NamedTuple

from msgspec.structs import replace

from inspector.render.blocks import Block, Note
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import (
    Cell,
    CellChart,
    Column,
    Kind,
    Table,
    count,
    figure,
    forest_column,
    p_value,
    points,
    table,
    text,
)
from inspector.state.common_cases import own_link
from scoring.data.schema import Row
from scoring.data.scorer import not_recorded, settings_that_differ
from scoring.metrics.aligned import AlignedScorers
from scoring.metrics.aligned_conditions import EVERY, OF_SIDE, common_of, conjunction, right_of, wrong_of
from scoring.metrics.benchmark_metrics import metrics_of
from scoring.metrics.first_error import SIDES
from scoring.metrics.own import own_metrics
from scoring.metrics.paired import CASE_NAMES, quadrants
from scoring.metrics.resampling import RESAMPLES
from scoring.selection.result_set import ResultSet, within

TEST = "exact McNemar, two-sided, on erroneous and on clean cases apart"
STRATIFIED = "paired bootstrap, stratified by erroneous/clean within subset"
WHOLE_PROBLEMS = "paired bootstrap of whole problems, without strata, since cases share problems"
_OF_PAIR = {
    ("all", "positive_acc"): ("accuracy on right steps", EVERY),
    ("all", "negative_acc"): ("accuracy on wrong steps", EVERY),
    ("average", "f1"): ("F1 of first errors", EVERY),
    ("all", "f1"): ("F1, all subsets together", EVERY),
    ("average", "error_acc"): ("cases with an error", "erroneous"),
    ("average", "correct_acc"): ("clean cases", "clean"),
}
"""By subset and metric what a line below the official figure's is called, and of which side its cases are."""
QUADRANTS = {
    "both_right": (True, True),
    "only_scorer_right": (True, False),
    "only_other_right": (False, True),
    "neither_right": (False, False),
}
"""By metric that counts cases of a side: whether A and B are right."""


class ScorerPair(NamedTuple):
    """Two scorers, A and B, on the cases of one benchmark; `inside` are the conditions that tell these from others.

    `own` links to the cases that count for both in the metrics of the benchmark's own and of the user's, by name.
    """

    aligned: AlignedScorers
    benchmark: str
    inside: tuple[str, ...]
    own: Mapping[str, CaseLink | None] = MappingProxyType({})

    @classmethod
    def of(cls, results: ResultSet, benchmark: str, aligned: AlignedScorers, rows: Sequence[Row]) -> "ScorerPair":
        """Take the first two of the scorers side by side, and what `rows` say of them."""
        names = aligned.names[:2]
        sizes = {row["metric"]: row["n"] for row in rows if (row["scorer"], row["other"]) == names}
        own = {}
        for metric in (metrics_of(benchmark).name, *(made.name for made in own_metrics())):
            n = sizes.get(f"{metric}_difference", 0)
            own[metric] = own_link(results, benchmark, metric, names, n, "counted for both")
        return cls(aligned, benchmark, within(results, benchmark), own)

    @property
    def names(self) -> tuple[str, str]:
        """Give the full names of A and B."""
        return self.aligned.names[0], self.aligned.names[1]

    def link(self, side: str, left: bool, right: bool, n: int) -> CaseLink:
        """Link to the cases of a side on which A (left) and B (right) are right or wrong."""
        each = (
            (right_of if is_right else wrong_of)(self.aligned, at, side) for at, is_right in enumerate((left, right))
        )
        words = {(True, True): "both right", (True, False): "only A right", (False, True): "only B right"}
        title = f"{words.get((left, right), 'neither right')}, {side}"
        return self._link((conjunction((OF_SIDE[side], *each)),), n, title)

    def common(self, side: str) -> CaseLink:
        """Link to the cases that both tried, of one side or (EVERY) of both."""
        members = self.aligned.common((0, 1))
        n = int((members if side == EVERY else members & dict(self.aligned.sides)[side]).sum())
        title = "tried by both" if side == EVERY else f"tried by both, {side}"
        return self._link((common_of(self.aligned, (0, 1), side),), n, title)

    def _link(self, where: tuple[str, ...], n: int, words: str) -> CaseLink:
        return CaseLink((*self.inside, *where), n, words, self.names[0], self.names, self.benchmark)


AloneRows = Mapping[tuple[str, str, str], Row]
"""Figures of each scorer alone, by scorer name, subset and metric."""


def difference_table(pair: ScorerPair, cells: Mapping[tuple[str, str], Row], alone: AloneRows | None = None) -> Table:
    """Lay out the differences A - B of the official metric and the accuracies; with `alone`, also both values."""
    lines, reported = [], metrics_of(pair.benchmark)
    head = reported.name
    official: dict[tuple[str, str], tuple[str, str]] = {(reported.whole, head): (reported.title, EVERY)}
    for (subset, metric), (title, side) in {**official, **_OF_PAIR, **official}.items():
        row = cells.get((subset, f"{metric}_difference"))
        if row is None or not is_laid_out(cells, head, subset, metric):
            continue
        # Steps are judged of other cases than first errors, and no condition tells them of two scorers.
        link = pair.common(side) if metric in CASE_NAMES else pair.own.get(metric)
        style = "strong" if metric in {"f1", head} else ""
        each = [_alone(alone, name, subset, metric) for name in pair.names] if alone is not None else []
        lines.append(
            [
                text(title, style),
                *each,
                points(row, link if row["value"] is not None else None),
                which_is_better(row, *_A_OR_B),
            ]
        )
    for made in own_metrics():
        row = cells.get(("all", f"{made.name}_difference"))
        if row is not None:
            link = pair.own.get(made.name) if row["value"] is not None else None
            cell = points(row, link) if made.kind == "share" else figure(row, Kind.NUMBER, link)
            values = [(alone or {}).get((name, "all", made.name)) for name in pair.names]
            kind = Kind.SHARE if made.kind == "share" else Kind.NUMBER
            each = [
                text("") if value is None else replace(figure(value, kind), low=None, high=None) for value in values
            ]
            lines.append([text(made.title), *(each if alone is not None else ()), cell, which_is_better(row, *_A_OR_B)])
    difference = Column(
        "A − B" if alone is not None else "points, 95%", chart=_DIFFERENCE, ends=("B better", "A better")
    )
    return table("Difference, A − B", ["", *(["A", "B"] if alone is not None else []), difference, " "], lines)


def _alone(alone: AloneRows, name: str, subset: str, metric: str, kind: Kind = Kind.SHARE) -> Cell:
    row = alone.get((name, subset, metric))
    return text("") if row is None else replace(figure(row, kind), low=None, high=None)


def is_laid_out(cells: Mapping[tuple[str, str], Row], head: str, subset: str, metric: str) -> bool:
    """Return whether a difference has a line: pooled F1 in place of an undefined mean, no gaps beside another figure.

    Args:
        cells: rows by subset and metric.
        head: the benchmark's official figure.
        subset: the row's.
        metric: likewise, without its ending.
    """
    if (subset, metric) == ("all", "f1"):
        pooled = cells["all", "f1_difference"]["value"]
        return pooled is not None and cells["average", "f1_difference"]["value"] is None
    return head == "f1" or metric not in CASE_NAMES or cells[subset, f"{metric}_difference"]["value"] is not None


_DIFFERENCE = CellChart.DIFFERENCE
_A_OR_B = (text("A is better", "scorer-a"), text("B is better", "scorer-b"))


def which_is_better(row: Row, above: Cell, below: Cell) -> Cell:
    """Return `above` or `below` if the interval excludes 0, else "no evidence"."""
    if row["low"] is None or row["high"] is None:
        return text("")
    if row["low"] > 0:
        return above
    return below if row["high"] < 0 else text("no evidence", "dim")


def quadrant_cells(pair: ScorerPair, side: str, counts: Mapping[str, int]) -> list[Cell]:
    """Return the counts of a side in the order of QUADRANTS, each with a link to its cases."""
    return [
        count(counts[name], pair.link(side, left, right, counts[name]), "strong" if left != right else "")
        for name, (left, right) in QUADRANTS.items()
    ]


def quadrant_table(pair: ScorerPair, cells: Mapping[tuple[str, str], Row]) -> Table:
    """Count the cases of each side by who is right, with the tests."""
    lines = []
    for side, members in pair.aligned.sides:
        counts = quadrants(pair.aligned, 0, 1, members)
        test = cells.get(("all", f"{side}_mcnemar"), {})
        line = [text(side), *quadrant_cells(pair, side, counts)]
        line.append(count(sum(counts.values()), pair.common(side), "dim"))
        line += [p_value(test.get("p")), p_value(test.get("p_holm"))]
        lines.append(line)
    titles = ["", "both right", "only A right", "only B right", "both wrong", "n", "p McNemar", "p Holm"]
    return table("Cases by who is right", titles, lines)


PairRows = Mapping[tuple[str, str, str], Row]
"""Rows of `scoring.metrics.scorer_pairs`, by scorer, side and metric."""


def oracle_table(pair: ScorerPair, cells: PairRows, better: str | None, alone: AloneRows) -> Table:
    """Lay out F1 of A, B and their oracle, with the gain of the oracle over the better one."""
    (a, b), lines = pair.names, []
    for letter, name in (("A", a), ("B", b)):
        lines.append([text(f"F1, {letter}"), figure(alone.get((name, "average", "f1"), _NO_FIGURE)), text("")])
    for metric, title, side in (
        ("f1", "F1, oracle", EVERY),
        ("error_acc", "errors found, oracle", "erroneous"),
        ("correct_acc", "clean kept, oracle", "clean"),
    ):
        own, gain = (cells.get((a, side, f"oracle_{metric}{end}")) for end in ("", "_gain"))
        link = None if own is None or own["value"] is None else pair.common(side)
        lines.append([text(title), figure(own, link=link), replace(points(gain), low=None, high=None)])
    over = {a: "over A", b: "over B"}.get(better or "", "over the better")
    return table("", ["", forest_column("percent"), over], lines)


_NO_FIGURE: Row = {"value": None, "low": None, "high": None, "reason": None}


def overlap_table(pair: ScorerPair, cells: PairRows) -> Table:
    """Count how many of each scorer's errors the other has right."""
    (a, b), lines = pair.names, []
    for here, there in ((a, b), (b, a)):
        names = {a: "A", b: "B"}
        line = [text(f"of {names[here]}'s errors, {names[there]} is right on")]
        for side in SIDES:
            row = cells[here, side, "covered"]
            words = f"{there} right and {here} wrong, {side}"
            link = CaseLink((*pair.inside, row["where"]), row["count"], words, here, pair.names, pair.benchmark)
            line.append(replace(count(row["count"], link), note=f"of {row['n']:,}"))
        lines.append(line)
    return table("", ["", "with an error", "clean"], lines)


def setting_blocks(results: ResultSet, names: tuple[str, str], *, titled: bool = True) -> Iterator[Block]:
    """Lay out in what A and B differ, as far as that was recorded."""
    title, before = ("What differs between them", "What differs between them: ") if titled else ("", "")
    left, right = (results.evaluation(name).scorer for name in names)
    differing, unrecorded = settings_that_differ(left, right), not_recorded((left, right))
    if differing:
        lines = [[text(name, "dim"), *(text(value) for value in values)] for name, values in differing.items()]
        columns = [Column(title, right=False) for title in ("", "A", "B")]
        yield table(title, columns, lines, labels=3)
        if unrecorded:
            yield Note(unrecorded, "quiet")
    elif unrecorded:
        yield Note(f"{before}nothing that was recorded. {unrecorded}", "quiet")
    else:
        yield Note(f"{before}nothing that was recorded; the same settings under two names.", "quiet")


def test_note(seed: int, *words: str) -> Note:
    """Describe how differences were told from chance."""
    tests = "; ".join(part for part in words if part)
    return Note(f"Tests: {tests}; {RESAMPLES:,} resamples, seed {seed}.", "quiet")


def resampling_words(aligned: AlignedScorers) -> str:
    """Describe how the differences of all pairs were resampled."""
    related = {aligned.related(aligned.common(pair)) for pair in combinations(range(len(aligned.names)), 2)}
    return "; ".join(words for words, there in ((STRATIFIED, False), (WHOLE_PROBLEMS, True)) if there in related)
