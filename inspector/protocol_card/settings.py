"""What a scorer was made with, as plain names and texts, and in what two scorers differ."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scoring.scorer import Scorer

UNTOLD = "not said"


def settings_of(scorer: Scorer) -> dict[str, str]:
    """Everything that changes a scorer's numbers, as far as it is known, by dotted name (`sampling.temperature`)."""
    facts: dict[str, Any] = {"kind": scorer.kind, "family": scorer.family or UNTOLD, "fingerprint": scorer.fingerprint}
    facts |= {"range": f"{scorer.low:g} to {scorer.high:g}"}
    if scorer.redundancy_threshold is not None:
        facts["redundancy_threshold"] = scorer.redundancy_threshold
    return {name: _text(value) for name, value in [*facts.items(), *_flat(scorer.settings)]}


def settings_that_differ(one: Scorer, other: Scorer) -> dict[str, tuple[str, str]]:
    """By name the two values of every setting that is not the same in both; what one lacks is UNTOLD.

    The fingerprints are left out, which differ wherever anything does, and so is what they sum up.
    """
    first, second = settings_of(one), settings_of(other)
    names = [name for name in dict.fromkeys((*first, *second)) if name != "fingerprint"]
    pairs = {name: (first.get(name, UNTOLD), second.get(name, UNTOLD)) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def not_recorded(scorers: Iterable[Scorer]) -> str:
    """Say of whose numbers it is not known what made them, because their results were imported; "" where none were."""
    imported = [scorer.name for scorer in scorers if "imported_from" in scorer.settings]
    if not imported:
        return ""
    return f"What made the numbers of {' and '.join(imported)} is not recorded: imported results do not say it."


def _flat(settings: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in settings.items():
        whole = f"{before}{name}"
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{whole}.")
        else:
            yield whole, value


def _text(value: Any) -> str:
    """A value as a text: texts as they are, nothing as `none`, all else as JSON has it."""
    if isinstance(value, str):
        return value or "none"
    return "none" if value is None else json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
