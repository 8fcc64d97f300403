"""Who is tried by `stress`, on which cases, and what came of their rewritings."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from inspector.analyses import Params
from inspector.case_page.rewriting_track import rewriting_folders, rewritten_contents
from inspector.render.lines import CaseLink
from scoring.data.schema import Bools, Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.runs.case_sampling import sample
from scoring.runs.stress.measuring import TOLERANCE
from scoring.runs.stress.trials import Contents, JudgedContents, judged_variants
from scoring.selection.result_set import ResultSet, by_benchmark, within
from scoring.workspace.filtering.filters import Facet

CASES = 240
"""Cases that are rewritten, unless another number is asked for."""
NOTHING = "{scorer} was given no rewritten solutions of these cases yet. In a shell: {command}"


class StressedScorer(Struct, frozen=True, eq=False, dict=True):
    """A scorer on the drawn cases of one benchmark; `judged` is None where it was given none of their rewritings."""

    scope: ResultSet
    benchmark: str
    seen: Evaluation
    rows: Ints
    tolerance: float
    judged: JudgedContents | None

    @property
    def contents(self) -> Contents:
        """The drawn cases, rewritten in every way.

        Raises:
            DamagedWorkspace: a case's texts cannot be read.
        """
        return _rewritten(self.scope, self.rows)

    @property
    def name(self) -> str:
        """The scorer's."""
        return self.seen.scorer.name

    @property
    def title(self) -> str:
        """Who is tried, and on what."""
        return f"{self.name} on {self.benchmark}"

    @property
    def cases(self) -> int:
        """How many cases were drawn."""
        return self.rows.size

    @property
    def missing(self) -> Sequence[int]:
        """The places of the solutions that the scorer was not given yet."""
        return range(len(self.contents.every)) if self.judged is None else self.judged.missing

    @property
    def nothing(self) -> str:
        """What to do where nothing was scored."""
        query = replace(self.scope.query, scorers=())
        return NOTHING.format(scorer=self.name, command=query.command("stress", self.name))

    def link(self, cases: Sequence[str], words: str, rewriting: str = "") -> CaseLink | None:
        """Link to cases by their names, shown beside what a rewriting makes of them; None where there are none."""
        names = tuple(dict.fromkeys(cases))
        if not names:
            return None
        where = (*within(self.scope, self.benchmark), Facet("case", names).sql)
        return CaseLink(where, len(names), words, self.name, benchmark=self.benchmark, rewriting=rewriting)


def stressed(results: ResultSet, params: Params) -> Iterator[StressedScorer]:
    """Yield each chosen scorer on each benchmark of which a case is shown, with what it made of rewritten cases.

    Raises:
        DamagedWorkspace: a case's texts, or what was saved, cannot be read.
    """
    for benchmark, inside in by_benchmark(results):
        rows = _drawn(results, inside, params.get("cases", CASES))
        if not rows.size or not results.chosen:
            continue
        for seen in results.chosen_evaluations:
            tolerance, judged = params.get("tolerance", tolerance_of(seen)), None
            # Rewriting takes longest, and shows nothing where no rewriting was ever scored.
            if folders := rewriting_folders(results, seen):
                there = judged_variants(_rewritten(results, rows), seen, folders)
                judged = there if there.tried else None
            yield StressedScorer(results, benchmark, seen, rows, tolerance, judged)


def _rewritten(results: ResultSet, rows: Ints) -> Contents:
    return rewritten_contents(results, results.chosen_evaluations[0].gold, rows)


def tolerance_of(seen: Evaluation) -> float:
    """Return the usual tolerance, in units of the rewards: a share of their range, or of 1 where that has no end."""
    reach = seen.scorer.high - seen.scorer.low
    return TOLERANCE * reach if math.isfinite(reach) and reach > 0 else TOLERANCE


def _drawn(results: ResultSet, inside: Bools, number: int) -> Ints:
    """The row ids of the cases that are rewritten, rising."""
    here = np.flatnonzero(inside)
    chosen = sample(results.cases[here].select("case"), number, seed=results.query.seed)
    return here[np.array(chosen, dtype=np.int64)]
