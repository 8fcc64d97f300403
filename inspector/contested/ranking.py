"""The shown cases whose gold label is contested, by the consensus of the scorers or by how the benchmark is made.

The weights of the scorers come from all cases of a benchmark, whatever is shown: a filter chooses what is listed, and
never what the consensus on a case is.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from inspector.selection import Selection
from scoring.benchmarks.construction import OF_TEXTS, Broken, broken_by_case
from scoring.evaluation import Evaluation
from scoring.metrics.aligned import AlignedScorers, align_scorers
from scoring.metrics.baselines import is_baseline
from scoring.metrics.contested import Contested, contested
from scoring.parts import parts
from scoring.schema import METADATA, TEXTS
from scoring.step_rewards import Bools, Ints


@dataclass(frozen=True, eq=False)
class Ranking:
    """The contested ones of the shown cases of one benchmark.

    `rows` are row ids of the selection's cases. First come the `by_consensus` ones that the consensus contradicts, the
    largest lead first, then those that only break a rule of construction, the most rules first; equal ones in the order
    of the file. `broken` (row id -> rules) holds the rules that the cases of the benchmark break. `found` is the
    consensus of the scorers in `aligned`, on all cases of the benchmark that have a gold label; None where no scorer
    has a verdict on any. `shown` counts the cases that were looked at.
    """

    benchmark: str
    rows: tuple[int, ...]
    by_consensus: int
    broken: Mapping[int, tuple[Broken, ...]]
    aligned: AlignedScorers | None
    found: Contested | None
    shown: int

    @cached_property
    def contested(self) -> frozenset[int]:
        """The contested ones, as a set."""
        return frozenset(self.rows)

    def place(self, row: int) -> int | None:
        """Where a case stands in the aligned, by its row id; None where it has no gold label or there is no aligned."""
        if self.aligned is None:
            return None
        place = int(np.searchsorted(self.aligned.rows, row))
        return place if place < self.aligned.rows.size and self.aligned.rows[place] == row else None


def rankings(selection: Selection) -> Iterator[Ranking]:
    """One ranking a benchmark, of those of which any case is shown.

    Raises:
        DamagedWorkspace: texts that the rules need cannot be read.
    """
    shown = selection.mask
    for part, members in parts(selection.cases, ("benchmark",)):
        if (members & shown).any():
            yield _ranking(selection, part["benchmark"], members, shown)


def ranking_of(selection: Selection, benchmark: str, scorers: Sequence[str]) -> Ranking:
    """The ranking of all cases of one benchmark, whatever is shown, by these scorers (full names).

    Raises:
        DamagedWorkspace: texts that the rules need cannot be read.
    """
    members = (selection.cases["benchmark"] == benchmark).to_numpy()
    return _ranking(replace(selection, chosen=tuple(scorers)), benchmark, members, members)


def voting(evaluations: Sequence[Evaluation], members: Bools) -> tuple[Evaluation, ...]:
    """Those of the scorers that have a verdict on any of the cases (n,) and are no baseline that looks at nothing."""
    return tuple(one for one in evaluations if not is_baseline(one.scorer) and bool((one.answered & members).any()))


def _ranking(selection: Selection, benchmark: str, members: Bools, shown: Bools) -> Ranking:
    broken = _broken(selection, np.flatnonzero(members))
    evaluations = voting(selection.chosen_evaluations, members)
    aligned = align_scorers(evaluations, members, selection.unparsed(benchmark)) if evaluations else None
    found = contested(aligned) if aligned is not None else None
    rows = [] if aligned is None or found is None else aligned.rows[found.order].tolist()
    first = [row for row in rows if shown[row]]
    taken = set(first)
    rest = [row for row in broken if shown[row] and row not in taken]
    rest.sort(key=lambda row: -len(broken[row]))
    return Ranking(benchmark, (*first, *rest), len(first), broken, aligned, found, int((members & shown).sum()))


def _broken(selection: Selection, rows: Ints) -> dict[int, tuple[Broken, ...]]:
    """The rules that these cases break, by their row ids. Steps are read only where there are originals beside them."""
    cases = selection.cases.select(list(METADATA))[rows]
    texts = selection.texts.gather(rows)
    others = texts.frame([name for name in OF_TEXTS if name != "steps"])
    with_original = others["original_steps"].is_not_null().any()
    steps = (
        texts.frame(["steps"])
        if with_original
        else pl.DataFrame({"steps": [None] * rows.size}, {"steps": TEXTS["steps"]})
    )
    found = broken_by_case(pl.concat([cases, others, steps], how="horizontal"))
    return {int(rows[row]): broken for row, broken in found.items()}
