"""Protocols as values: how each benchmark turns what a scorer gave into its official figure.

A benchmark's own protocol always says how answers that cannot be read count. Asked for by name, a protocol also
decides the boundary, which thresholds are tuned and on what, and what an undefined figure is.
"""

from typing import Literal

from msgspec import Struct

from scoring.data.errors import UsageError
from scoring.data.scorer import Comparison, Scorer
from scoring.metrics.kernel import Unparsed
from scoring.metrics.published.papers import normalised


class Protocol(Struct, frozen=True):
    """How one benchmark's figures are made.

    `unparsed` says whether refused and unparsed cases count as wrong or leave the denominators. `comparison` is how a
    reward stands to the threshold where its step is wrong; None = as the scorer has it. Scorers whose family or name
    begins with one of `tuned` have rewards without a natural threshold and get the one that `tuning` says; all others
    keep their own. Of those that begin with one of `on_differences` it is each reward less the one before it that is
    compared, with the default threshold for differences; with `on_rewards` a scorer whose own rule is on differences is
    decided on its rewards. `undefined` is what the official figure says where a denominator is empty; None = nothing at
    all. `counts` says in words what becomes of answers without a verdict, `source` where all of this is stated.
    """

    name: str
    unparsed: Unparsed
    counts: str
    source: str
    comparison: Comparison | None = None
    tuned: tuple[str, ...] = ()
    tuning: Literal["default", "dev", "from:gsm8k"] = "default"
    on_differences: tuple[str, ...] = ()
    on_rewards: bool = False
    undefined: float | None = None

    def __str__(self) -> str:
        decides = [self.counts]
        if self.comparison:
            decides.append(f"a step is wrong iff its reward {self.comparison} threshold")
        if self.on_rewards:
            decides.append("rewards themselves are compared, differences of none")
        if self.on_differences:
            decides.append(f"of {', '.join(self.on_differences)} the differences are compared")
        if self.tuned:
            decides.append(f"thresholds of {', '.join(self.tuned)} are tuned ({self.tuning})")
        if self.undefined is not None:
            decides.append(f"what has an empty denominator is {self.undefined:g}")
        return "; ".join(decides)

    def tunes(self, scorer: Scorer) -> bool:
        """Return whether the scorer's threshold is tuned: a property of scorer and protocol together."""
        return _called(scorer, self.tuned)

    def rule(self, scorer: Scorer) -> str | None:
        """Return the rule that is asked of the scorer, in the words of `--rule`; None = none."""
        if self.on_rewards and scorer.on == "differences":
            return f"reward{self.comparison or scorer.comparison}"
        if self.comparison is None:
            return None
        return f"diff{self.comparison}" if _called(scorer, self.on_differences) else self.comparison

    def threshold(self, scorer: Scorer) -> str:
        """Return the threshold that is asked of the scorer, in the words of `--threshold`."""
        return self.tuning if self.tunes(scorer) else "default"


def _called(scorer: Scorer, names: tuple[str, ...]) -> bool:
    """Whether the scorer's family or name begins with one of the names."""
    return any(normalised(word).startswith(names) for word in (scorer.family, scorer.name))


_AS_PRMBENCH = "what cannot be read is left out and lowers the validity rate"

PROTOCOLS: dict[str, Protocol] = {
    protocol.name: protocol
    for protocol in (
        Protocol(
            "processbench",
            unparsed="wrong",
            counts="unparsed and refused cases count as wrong",
            source="Zheng et al., arXiv 2412.06559, section 4.1 and run_eval.py",
            tuned=("skywork",),
            tuning="from:gsm8k",
            on_rewards=True,
        ),
        Protocol(
            "prmbench",
            unparsed="drop",
            counts=_AS_PRMBENCH,
            source="Song et al., arXiv 2501.03124, section 4.2 and mr_eval/tasks/prmtest_classified/task.py",
            comparison="<=",
            on_differences=("skywork",),
            undefined=-1.0,
        ),
        Protocol(
            "socratic",
            unparsed="drop",
            counts=_AS_PRMBENCH,
            source="Li et al., arXiv 2505.23474, section 4, which uses PRMBench's toolkit",
            comparison="<=",
            on_differences=("skywork",),
            undefined=-1.0,
        ),
        Protocol(
            "grben",
            unparsed="drop",
            counts="unparsed and refused cases are left out",
            source="GR-Ben, section 4 and evaluation/metrics.py",
            comparison="<",
            tuned=("universal", "versa", "llemma"),
            tuning="dev",
            on_rewards=True,
            undefined=0.0,
        ),
        Protocol(
            "deltabench",
            unparsed="drop",
            counts="unparsed and refused cases are left out, and sections named beyond the last one listed; micro "
            "figures with an empty denominator are 0",
            source="He et al., arXiv 2502.19361 and evaluation.py",
        ),
        Protocol(
            "hard2verify",
            unparsed="wrong",
            counts="steps without a judgement and unreadable answers count as judged the other way",
            source="Pandit et al., arXiv 2510.13744 and utils.py",
        ),
        Protocol(
            "visualprocessbench",
            unparsed="drop",
            counts="neutral steps and what cannot be read are left out; others' re-implementation cuts at 0.85 "
            "(--threshold 0.85)",
            source="Wang et al., arXiv 2503.10291, and re-implementations of its evaluation",
            comparison="<=",
        ),
        Protocol(
            "agentprocessbench",
            unparsed="wrong",
            counts="failed answers count as wrong; in first_error_acc alone they say that no step is wrong",
            source="arXiv 2603.14465 and eval/compare.py",
        ),
    )
}
"""Name -> protocol. A name is that of the benchmark it belongs to."""

_OTHERS = PROTOCOLS["processbench"]


def protocol_of(benchmark: str) -> Protocol:
    """Return a benchmark's own protocol; that of ProcessBench where it has none."""
    return PROTOCOLS.get(benchmark, _OTHERS)


def protocol_named(name: str) -> Protocol:
    """Return the protocol of that name.

    Raises:
        UsageError: there is none.
    """
    if name not in PROTOCOLS:
        raise UsageError(f"there is no protocol {name!r}.", f"There are: {', '.join(PROTOCOLS)}.")
    return PROTOCOLS[name]
