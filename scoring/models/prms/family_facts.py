"""What is known of a family without a checkpoint: for lists, for checks, and for what is said about tokens."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from scoring.models.prms.base import Options, Scale


class FamilyFacts(Struct, frozen=True):
    """The facts of one family, as the class attributes of `Family` name them; None for a scale that is not known."""

    scale: Scale | None
    checkpoints: tuple[str, ...]
    source: str
    options: Options
    meanings: Mapping[str, str]
    prefix: bool
    separated: bool

    @property
    def range(self) -> str:
        """Lowest and highest reward, in words."""
        return "" if self.scale is None else range_of(self.scale)

    @property
    def cut(self) -> str:
        """How a reward stands to the family's own threshold where its step is wrong."""
        return "" if self.scale is None else f"{self.scale.comparison} {self.scale.threshold:g}"

    @property
    def rule(self) -> str:
        """When a step is wrong, and when redundant where the family judges it, and whose cuts these are."""
        return "" if self.scale is None else rule_of(self.scale)

    @property
    def choices(self) -> tuple[str, ...]:
        """`name=value|value` for every option, the family's own value first."""
        return tuple(f"{name}={'|'.join(values)}" for name, values in self.options.items())


def range_of(scale: Scale) -> str:
    """Return the lowest and highest reward, in words."""
    return f"{scale.low:g} to {scale.high:g}"


def rule_of(scale: Scale) -> str:
    """Return when a step is wrong, and when redundant where that is judged, and whose cuts these are."""
    rule = f"wrong iff {scale.comparison} {scale.threshold:g} ({scale.threshold_source})"
    if scale.redundancy_threshold is None:
        return rule
    return f"{rule}; redundant iff > {scale.redundancy_threshold:g} ({scale.redundancy_threshold_source})"


def facts_of(family: Any) -> FamilyFacts:
    """Return what a family's class states, which may be the user's own; an adapter, its instance, serves too."""
    scale = getattr(family, "SCALE", getattr(family, "scale", None))
    return FamilyFacts(
        scale if isinstance(scale, Scale) else None,
        tuple(getattr(family, "CHECKPOINTS", ())),
        str(getattr(family, "SOURCE", "")),
        getattr(family, "OPTIONS", {}),
        getattr(family, "MEANINGS", {}),
        bool(getattr(family, "PREFIX", True)),
        bool(getattr(family, "SEPARATED", True)),
    )
