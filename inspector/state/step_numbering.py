"""From which number a critic was told to count steps."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from scoring.data.scorer import Scorer
from scoring.formats.results.reasoneval import CRITIC_TITLE
from scoring.models.critics.protocols import PROTOCOLS
from scoring.runs.generative.thinkprm import bare

_TELLS = {"genprm": {"analyze": "on"}, "thinkprm": {"numbered": "on"}, "rprm": {}}
"""The families of generative PRMs whose prompts number the steps, from 1, and the options under which they do."""


class Numbering(Struct, frozen=True):
    """What number `base` + i means: step `steps[i]` (0-based) of the case."""

    base: int
    steps: Sequence[int]

    def step(self, number: int) -> int | None:
        """Return the step (0-based) that a number means; None where there is none."""
        at = number - self.base
        return self.steps[at] if 0 <= at < len(self.steps) else None


def numbering(scorer: Scorer, steps: Sequence[str]) -> Numbering | None:
    """Return how the scorer counts the steps of a case (their texts); None where that is not known.

    What its own settings say of the layout of its prompts comes first, then what its protocol, family or file format
    says.
    """
    settings, every = scorer.settings, range(len(steps))
    name = str(settings.get("protocol"))
    base = _base(settings.get("steps"))
    if base is not None:
        return Numbering(base, every)
    if name in PROTOCOLS:
        return Numbering(PROTOCOLS[name].steps.base, every)
    options = settings.get("options")
    if name in _TELLS and isinstance(options, Mapping) and all(options.get(k) == v for k, v in _TELLS[name].items()):
        # ThinkPRM leaves out what is no step, and numbers the others.
        kept = [at for at, step in enumerate(steps) if bare(step)] if name == "thinkprm" else every
        return Numbering(1, kept)
    if settings.get("imported_from") == CRITIC_TITLE:
        return Numbering(1, every)
    return None


def _base(layout: Any) -> int | None:
    base = layout.get("base") if isinstance(layout, Mapping) else None
    return base if base in (0, 1) and not isinstance(base, bool) else None
