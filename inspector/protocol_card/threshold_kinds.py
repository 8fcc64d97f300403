"""Where a threshold comes from, in few kinds: figures at thresholds of different kinds are no fair comparison."""

from typing import Literal

from scoring.deciding import CHOSEN
from scoring.verdicts import AsGiven, Decision

Kind = Literal["given", "own", "chosen", "dev", "these"]
TUNED_HERE: Kind = "these"
WORDS: dict[Kind, str] = {
    "given": "has no threshold, its verdicts are taken as given",
    "own": "is at its own threshold",
    "chosen": "is at a threshold that somebody chose",
    "dev": "is at thresholds tuned on dev cases",
    "these": "is at a threshold tuned on these cases (optimistic)",
}
_OPTIMISTIC = "optimistic"
_DEV = "dev-tuned"


def threshold_kind(rule: Decision) -> Kind:
    """What kind of source a decision's threshold has; one tuned on a part of what is shown counts as tuned on it."""
    if isinstance(rule, AsGiven):
        return "given"
    if _OPTIMISTIC in rule.source:
        return "these"
    if rule.source.startswith(_DEV):
        return "dev"
    return "chosen" if rule.source == CHOSEN else "own"
