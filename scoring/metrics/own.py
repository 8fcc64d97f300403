"""Metrics of the user's own: what each case contributes, and a score of sums of that.

    import numpy as np
    from scoring.api import metric

    def share(sums):
        return sums["near"] / sums["erroneous"]

    @metric("near", title="within a step", counts=("near", "erroneous"), score=share)
    def near(decided):
        erroneous = decided.members & (decided.earliest >= 0)
        close = np.abs(decided.verdicts - decided.earliest) <= 1
        return np.column_stack([erroneous & close & (decided.verdicts >= 0), erroneous])

It stands beside the official metrics wherever these stand: by subset, pooled and averaged, with an interval from
resamples of whole problems, as a paired difference, in the cells of a breakdown, and as a curve over thresholds.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from scoring.data.errors import PluginError
from scoring.data.own_code import OwnCode
from scoring.data.schema import Floats
from scoring.metrics.kernel import CasesOf, Decided, Empty, Metric, NumberArray, Sums
from scoring.metrics.outcome_conditions import TRIED_CASES

_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
FOR_EVERY_BENCHMARK: tuple["OwnMetric", ...] = ()
"""Metrics of this project that stand beside what each benchmark reports, wherever a user's own do."""
_KEPT: dict[str, "OwnMetric"] = {}


@dataclass(frozen=True, eq=False)
class OwnMetric(Metric):
    """A metric of the user's own, or of one benchmark.

    Attributes:
        name: As it stands in the column `metric`: small letters, digits and _.
        title: For people.
        counts: What a case contributes, k names.
        contribute: Gives what each of n cases contributes, (n, k), of one repetition of a scorer as it is decided.
        make: Makes the figure of sums by name, in their shape; NaN where it is undefined.
        of: The name of the count that says how many cases (or whatever it counts) a figure is of.
        kind: `share`, a fraction that people read in percent, or `number`.
        code: Where it comes from; None before it was loaded.
        reason: Says why the figure of one group's sums by name is undefined, where the name of a count would not.
        cases: Which cases it is of; None = nobody said, and its numbers open none.
        unit: What `of` counts.
        about: What it is, for people who see its title: a part of a sentence.
    """

    name: str
    title: str
    counts: tuple[str, ...]
    contribute: Callable[[Decided], Any]
    make: Callable[[Sums], Any]
    of: str
    kind: Literal["share", "number"] = "share"
    code: OwnCode | None = None
    reason: Callable[[Sums], str] | None = None
    cases: CasesOf | None = None
    unit: Literal["cases", "steps"] = "cases"
    about: str = ""

    def contributions(self, decided: Decided) -> Floats:
        """Return what each case contributes, (n, k).

        Raises:
            PluginError: the code raises, or gives something else.
        """
        contributions = self._run(lambda: np.asarray(self.contribute(decided)), "contributions")
        wanted = (decided.gold.known.size, len(self.counts))
        if contributions.shape != wanted:
            raise self._wrong(f"its contributions have the shape {contributions.shape} and should have {wanted}")
        if contributions.dtype.kind not in "biuf" or not np.isfinite(contributions.astype(np.float64)).all():
            raise self._wrong("its contributions should be finite numbers")
        parts: Floats = contributions.astype(np.float64)
        return parts

    def score(self, sums: Sums, empty: Empty = np.nan) -> Floats:  # noqa: ARG002  # it has no other number
        """Make the figure.

        Raises:
            PluginError: the code raises, or gives another shape.
        """
        named = {name: np.asarray(sums[name], dtype=np.float64) for name in self.counts}
        wanted = np.broadcast_shapes(*(counted.shape for counted in named.values()))
        # Whoever writes a metric may ask for the shape of any of them.
        named = {name: np.broadcast_to(counted, wanted) for name, counted in named.items()}
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = self._run(lambda: np.asarray(self.make(named), dtype=np.float64), "score")
        if scores.shape != wanted:
            raise self._wrong(f"its score has the shape {scores.shape} and should have {wanted}")
        figures: Floats = np.where(np.isfinite(scores), scores, np.nan)
        return figures

    def size(self, sums: Sums) -> NumberArray:
        """Count what figures are of."""
        return np.asarray(sums[self.of])

    def why(self, sums: Sums) -> str:
        """Return why the figure of one group's sums is undefined; "" where it is defined."""
        if np.isfinite(self.score(sums)):
            return ""
        if self.reason is not None:
            return self.reason(sums)
        return f"{self.name} is undefined: {self.of} is {self.size(sums):g}"

    def _run(self, call: Callable[[], Any], what: str) -> Any:
        if self.code is None:
            return call()
        with self.code.told(f"in the {what} of the metric {self.name!r}"):
            return call()

    def _wrong(self, what: str) -> PluginError:
        where = f"{self.code.path}, " if self.code else ""
        return PluginError(f"{where}the metric {self.name!r}: {what}.", "Correct it, or leave it out.")


def metric(
    name: str,
    *,
    title: str,
    counts: Sequence[str],
    score: Callable[[Sums], Any],
    of: str = "",
    kind: Literal["share", "number"] = "share",
    cases: Literal["tried", "erroneous", "clean"] | CasesOf | None = None,
) -> Callable[[Callable[[Decided], Any]], OwnMetric]:
    """Make a function that gives what cases contribute a metric.

    Args:
        name: as it stands in files: small letters, digits and _.
        title: for people.
        counts: names of what a case contributes, k of them.
        score: makes the figure of sums by these names, arrays of one shape, in that shape.
        of: the count that says how many cases a figure is of; "" = the last one.
        kind: `share` for fractions, `number` for what has no unit.
        cases: those that the metric is of, so that its numbers open them: all that the scorer tried, those of one side,
            or others, with the conditions that select them; None = its numbers open none.

    Raises:
        ValueError: a name, counts or cases that cannot be used.
    """
    if not _NAME.match(str(name)):
        raise ValueError(f"{name!r} is not a name of a metric: a small letter, then small letters, digits and _")
    if not counts or (of and of not in counts):
        raise ValueError(f"the counts {tuple(counts)!r} should name what a case contributes, and of one of them")
    if isinstance(cases, str) and cases not in TRIED_CASES:
        raise ValueError(f"cases={cases!r} should be one of {', '.join(TRIED_CASES)}, or a CasesOf")
    of_cases = TRIED_CASES[cases] if isinstance(cases, str) else cases
    names = name, title, tuple(counts)
    return lambda function: OwnMetric(*names, function, score, of or counts[-1], kind, cases=of_cases)


def keep_own_metric(made: OwnMetric, code: OwnCode) -> None:
    """Let a metric stand beside the official ones from now on; one of the same file takes the place of the old.

    Raises:
        PluginError: another file has one of its name.
    """
    if any(known.name == made.name for known in FOR_EVERY_BENCHMARK):
        raise PluginError(f"{code.path} holds a metric {made.name!r}, which is here already.", "Give it another name.")
    known = _KEPT.get(made.name)
    if known is not None and known.code is not None and known.code.path != code.path:
        raise PluginError(
            f"two files hold a metric {made.name!r}: {known.code.path} and {code.path}.", "Give one another name."
        )
    _KEPT[made.name] = replace(made, code=code)


def own_metrics() -> tuple[OwnMetric, ...]:
    """Return the metrics that stand beside what each benchmark reports: the user's own in the order of loading last."""
    return *FOR_EVERY_BENCHMARK, *_KEPT.values()
