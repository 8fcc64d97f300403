"""The gold labels of benchmarks as all their scorers see them: how suspicious each is, and what that is worth."""

from functools import cached_property, partial

import numpy as np
from msgspec import Struct

from inspector.state.contested_gold import voting
from scoring.data.schema import Bools
from scoring.data.storage.remembered import IdentityCache
from scoring.metrics.aligned import AlignedScorers, align_scorers
from scoring.metrics.audit import (
    AuditGround,
    ConfidentLearning,
    LabelAudit,
    audit_ground,
    audit_labels,
    auditable,
    confident_learning,
    why_no_audit,
)
from scoring.metrics.case_groups import group_masks
from scoring.metrics.contested import LEAST
from scoring.metrics.planted_labels import PlantedFigures, planted_figures
from scoring.selection.result_set import ResultSet


class AuditedBenchmark(Struct, frozen=True, eq=False, dict=True):
    """The labels of one benchmark, as scorers see them.

    `members` (n_all,) are its cases among all. `aligned` are those of them that are audited, with the scorers that have
    a verdict. `why` says why no label is, None where some are; then there is none of the other three.
    """

    members: Bools
    aligned: AlignedScorers | None
    ground: AuditGround | None
    audit: LabelAudit | None
    why: str | None
    seed: int

    @property
    def ranked(self) -> list[int]:
        """The row ids of the audited cases, the most suspicious first."""
        if self.aligned is None or self.audit is None:
            return []
        rows: list[int] = self.aligned.rows[self.audit.order].tolist()
        return rows

    @property
    def one_sided(self) -> str:
        """What to keep in mind where no audited case is labelled clean; "" elsewhere."""
        if self.aligned is None or not self.aligned.erroneous.all():
            return ""
        return "no case is labelled clean: nothing says what rewards are worth where no step is wrong"

    @cached_property
    def flat(self) -> ConfidentLearning | None:
        """The same by confident learning."""
        if self.aligned is None or self.ground is None:
            return None
        return confident_learning(self.ground, self.aligned.earliest)

    @cached_property
    def figures(self) -> PlantedFigures | None:
        """What rankings find of planted errors; takes some seconds."""
        if self.aligned is None or self.ground is None or self.audit is None:
            return None
        return planted_figures(self.aligned, self.ground, self.audit, self.seed)


_AUDITED = IdentityCache(8)


def audited_benchmarks(results: ResultSet) -> dict[str, AuditedBenchmark]:
    """Audit each benchmark of which a case is shown, on all its cases; kept while scorers and thresholds stay."""
    audited = {}
    for part, members in group_masks(results.cases, ("benchmark",)):
        name = part["benchmark"]
        if (members & results.mask).any():
            key = (name, results.query.seed, results.unparsed(name))
            owners = (results.cases, *results.chosen_evaluations)
            audited[name] = _AUDITED.of(key, owners, partial(_audited, results, name, members))
    return audited


def _audited(results: ResultSet, benchmark: str, members: Bools) -> AuditedBenchmark:
    evaluations = voting(results.chosen_evaluations, members)
    seed = results.query.seed
    if not evaluations:
        return AuditedBenchmark(members, None, None, None, "no scorer has a verdict on this benchmark", seed)
    every = align_scorers(evaluations, members, results.unparsed(benchmark))
    if len(evaluations) < LEAST:
        why = f"only {every.names[0]} has verdicts, and one scorer cannot tell whose mistake it is"
        return AuditedBenchmark(members, None, None, None, why, seed)
    if not every.rows.size:
        return AuditedBenchmark(members, None, None, None, "no case has a gold label that names a step or none", seed)
    # By their names, so that what is planted and which of equal ones comes first hang on no order of rows.
    there = np.flatnonzero(auditable(every))
    by_name = results.cases["case"].gather(every.rows[there]).arg_sort().to_numpy()
    aligned = every.only(there[by_name], range(len(evaluations)))
    if refusal := why_no_audit(aligned):
        return AuditedBenchmark(members, None, None, None, refusal, seed)
    ground = audit_ground(aligned, evaluations, seed)
    return AuditedBenchmark(members, aligned, ground, audit_labels(ground, aligned.earliest), None, seed)
