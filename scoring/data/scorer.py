"""A scorer as its folder describes it: who gave the rewards, and everything that changes its numbers."""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from scoring.data.errors import DamagedWorkspace
from scoring.data.schema import READABLE
from scoring.data.storage.files import write_atomically
from scoring.data.training_point import LARGEST, TrainingPoint

ScorerKind = Literal["prm", "critic", "baseline"]
Comparison = Literal["<", "<="]
On = Literal["rewards", "differences"]
"""What a threshold is compared with: the rewards, or each less that of the step before (of the first, its reward)."""

FILE = "scorer.json"
FORMAT = 1
NOT_SAID = "not said"
"""Stands for a setting that is not known."""
_ADVICE = "Correct it, or import or score again."
_TEXTS = frozenset({"family", "about", "threshold_source", "redundancy_threshold_source"})
_CHOICES = {"kind": get_args(ScorerKind), "comparison": get_args(Comparison), "on": get_args(On)}
_NUMBERS = frozenset({"threshold", "low", "high", "redundancy_threshold"})


class Scorer(Struct, frozen=True):
    """What `scorer.json` says.

    `fingerprint` is a hex digest over everything that changes the numbers. `threshold` is the scorer's own default cut
    in the units of its rewards, `comparison` how a reward stands to it where the step is judged wrong, `on` whether it
    is a reward that is compared or a difference of two, and `threshold_source` says where the cut comes from; `low` and
    `high` are the range of its rewards. Of a scorer that
    judges redundancy beside validity, `redundancy_threshold` is the cut above which a step is redundant, in the units
    of its second number, and `redundancy_threshold_source` says where that comes from; None = there is none. `family`
    names scorers that are siblings, `settings` keeps what was used, to be shown and compared. `series` names the
    training run that it is a checkpoint of, `at` how many training steps that had made; None = it is not known.
    """

    name: str
    fingerprint: str
    kind: ScorerKind = "prm"
    family: str = ""
    about: str = ""
    threshold: float = 0.5
    threshold_source: str = "default"
    comparison: Comparison = "<"
    on: On = "rewards"
    low: float = 0.0
    high: float = 1.0
    redundancy_threshold: float | None = None
    redundancy_threshold_source: str = ""
    settings: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    series: str | None = None
    at: int | None = None

    @property
    def training(self) -> TrainingPoint:
        """Which checkpoint of which training run it is."""
        return TrainingPoint(self.series, self.at)

    def as_checkpoint(self, training: TrainingPoint) -> "Scorer":
        """Return the same scorer as a checkpoint of a run."""
        return replace(self, series=training.series, at=training.at)

    @property
    def reads(self) -> tuple[str, ...]:
        """The texts that are read beside problem and steps, some of READABLE; the keys of the rewards cover them."""
        return tuple(self.settings.get("reads", ()))

    @property
    def folder(self) -> str:
        """The name of its folder of reward parts: slug of the name, eight hex digits of the fingerprint."""
        slug = re.sub(r"[^a-z0-9.]+", "-", self.name.lower()).strip("-.") or "scorer"
        return f"{slug[:60]}-{self.fingerprint[:8]}"

    def save(self, folder: Path) -> None:
        """Write `scorer.json` into its folder, whole or not at all."""
        document = {"format": FORMAT, **asdict(self), "settings": dict(self.settings)}
        write_atomically(folder / FILE, json.dumps(document, ensure_ascii=False, indent=2).encode() + b"\n")

    @classmethod
    def load(cls, folder: Path) -> "Scorer":
        """Load the scorer of a folder of reward parts.

        Raises:
            DamagedWorkspace: `scorer.json` is missing, no JSON, of a newer format, or a value is not what it should be.
        """
        path = folder / FILE
        try:
            document = json.loads(path.read_bytes())
            if document.pop("format") != FORMAT:
                raise DamagedWorkspace(f"{path} has a format this version does not know.", "Update prm-inspect.")
            known = {name: value for name, value in document.items() if name in cls.__struct_fields__}
            return cls(**_checked(known))
        except KeyError as error:
            raise DamagedWorkspace(f"{path} lacks {error}.", _ADVICE) from None
        except (OSError, ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise DamagedWorkspace(f"{path} is not a description of a scorer ({error}).", _ADVICE) from None


def _checked(known: dict[str, Any]) -> dict[str, Any]:
    """The values, their types made sure of; what is wrong is a KeyError, TypeError, ValueError or OverflowError."""
    for name in ("name", "fingerprint", *(known.keys() & _TEXTS)):
        if not isinstance(known[name], str):
            raise TypeError(f"{name} is not text")
        known[name].encode()
    if not known["name"].strip() or not known["fingerprint"].strip():
        raise ValueError("name or fingerprint is empty")
    numbers = {name for name in known.keys() & _NUMBERS if name != "redundancy_threshold" or known[name] is not None}
    for name in numbers:
        known[name] = _number(name, known[name])
    for name, allowed in _CHOICES.items():
        if known.get(name, allowed[0]) not in allowed:
            raise ValueError(f"{name} is none of {', '.join(allowed)}")
    _check_training(known.get("series"), known.get("at"))
    if not isinstance(known.get("settings", {}), Mapping):
        raise TypeError("settings is not an object")
    reads = known.get("settings", {}).get("reads", [])
    if not isinstance(reads, list) or not all(isinstance(name, str) and name in READABLE for name in reads):
        raise ValueError(f"reads is not a list of {', '.join(READABLE)}")
    return known


def _check_training(series: Any, at: Any) -> None:
    if series is not None:
        if not isinstance(series, str) or not series.strip():
            raise TypeError("series is not text")
        series.encode()
    if at is not None and (isinstance(at, bool) or not isinstance(at, int) or not 0 <= at <= LARGEST):
        raise TypeError(f"at is {json.dumps(at)}, not a number of training steps")


def _number(name: str, value: Any) -> float:
    """The finite number that a field holds."""
    if value is None or isinstance(value, (bool, list, dict)):
        raise TypeError(f"{name} is {json.dumps(value)}, not a number")
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{name} is not a finite number")
    return number


def settings_of(scorer: Scorer) -> dict[str, str]:
    """List what changes a scorer's numbers, as far as it is known, by dotted name: `sampling.temperature`."""
    facts: dict[str, Any] = {"kind": scorer.kind, "family": scorer.family or NOT_SAID}
    facts |= {"fingerprint": scorer.fingerprint, "range": f"{scorer.low:g} to {scorer.high:g}"}
    if scorer.redundancy_threshold is not None:
        facts["redundancy_threshold"] = scorer.redundancy_threshold
    return {name: _setting_text(value) for name, value in [*facts.items(), *_flat(scorer.settings)]}


def settings_that_differ(scorer: Scorer, other: Scorer) -> dict[str, tuple[str, str]]:
    """Return by name the two values of every setting that is not the same in both; what one lacks is NOT_SAID.

    The fingerprints are left out, which differ wherever anything does, and so is what they sum up.
    """
    first, second = settings_of(scorer), settings_of(other)
    names = [name for name in dict.fromkeys((*first, *second)) if name != "fingerprint"]
    pairs = {name: (first.get(name, NOT_SAID), second.get(name, NOT_SAID)) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def not_recorded(scorers: Iterable[Scorer]) -> str:
    """Name the scorers whose numbers come from unknown models, their results being imported; "" where none were."""
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


def _setting_text(value: Any) -> str:
    """A value as a text: texts as they are, nothing as `none`, all else as JSON has it."""
    if isinstance(value, str):
        return value or "none"
    return "none" if value is None else json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
