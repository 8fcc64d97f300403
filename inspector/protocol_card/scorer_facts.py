"""What a scorer is, and how its verdicts are decided, as facts."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from inspector.protocol_card.case_sets import on_threshold
from inspector.protocol_card.fact import Fact
from inspector.protocol_card.settings import UNTOLD, settings_of
from inspector.selection import Selection
from scoring.boundary import when_wrong
from scoring.cache import RewardParts, VoteParts
from scoring.evaluation import Evaluation
from scoring.own_rules import source_words
from scoring.protocols import protocol_named, protocol_of
from scoring.transforms import transform
from scoring.verdicts import AsGiven, Rule, RuleByCase, spelled

WANTED: Mapping[str, tuple[str, ...]] = {
    "prm": ("weights", "adapter", "dtype"),
    "critic": ("protocol", "model", "template", "sampling"),
    "baseline": (),
}
"""The settings that make a scorer what it is: one that is not known is told as such."""


def scorer_facts(evaluation: Evaluation, folder: Path | None) -> Iterator[Fact]:
    """Name, fingerprint, every setting, the engines that ran; `folder` holds its parts, None where there is none."""
    scorer = evaluation.scorer
    yield Fact("scorer", "name", scorer.name)
    yield Fact("scorer", "about", scorer.about or UNTOLD)
    told = settings_of(scorer)
    yield from (Fact("scorer", name, value) for name, value in told.items())
    for name in WANTED[scorer.kind]:
        if not any(known == name or known.startswith(f"{name}.") for known in told):
            yield Fact("scorer", name, UNTOLD)
    yield Fact("scorer", "reads", ", ".join(("problem", "steps", *scorer.reads)))
    ran = [] if folder is None else [*RewardParts(folder).engines(), *VoteParts(folder).engines()]
    yield Fact("scorer", "engine", ", ".join(dict.fromkeys(ran)) or UNTOLD)


def decision_facts(evaluation: Evaluation, selection: Selection, benchmark: str) -> Iterator[Fact]:
    """Rule, threshold, where it comes from, and what becomes of a reward that equals it."""
    rule = evaluation.rule
    yield Fact("decision", "rule", str(rule))
    yield Fact("decision", "threshold", _threshold(evaluation))
    yield Fact("decision", "threshold source", rule.source)
    if not isinstance(rule, AsGiven):
        own = Rule(evaluation.scorer.threshold, evaluation.scorer.comparison, on=evaluation.scorer.on)
        words = "its own" if spelled(rule) == spelled(own) else f"as asked; its own is {spelled(own)}"
        yield Fact("decision", "boundary", f"{spelled(rule)} ({words})")
        if (compared := transform(rule.on)).code is not None:
            yield Fact("decision", "code of the rule", source_words(compared))
        yield Fact("decision", "rewards on the threshold", f"{on_threshold(evaluation, selection.mask):,}")
    if evaluation.scorer.redundancy_threshold is not None:
        cut, source = evaluation.scorer.redundancy_threshold, evaluation.scorer.redundancy_threshold_source
        yield Fact("decision", "redundancy threshold", f"above {cut:g} ({source or UNTOLD})")
    asked = selection.request.protocol
    protocol = protocol_named(asked) if asked else protocol_of(benchmark)
    side = "" if protocol.comparison is None else f"; it has {when_wrong('rewards', protocol.comparison)}"
    yield Fact("decision", "protocol that decides", f"{asked}, as asked" if asked else f"none: the scorer's own{side}")


def _threshold(evaluation: Evaluation) -> str:
    rule = evaluation.rule
    if isinstance(rule, RuleByCase):
        return ", ".join(f"{subset} {value:g}" for subset, value in rule.told.items())
    return "none" if rule.threshold is None else f"{rule.threshold!r}"
