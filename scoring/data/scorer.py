"""A scorer as its folder describes it: who gave the rewards, and everything that changes its numbers."""

import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from scoring.data.errors import DamagedWorkspace, UsageError
from scoring.data.schema import READABLE
from scoring.data.storage.files import expand_home, write_atomically

# -- which checkpoint of which training run a scorer is, and how folders of checkpoints are called.
#
# It is a label: nothing that is computed depends on it, and no fingerprint holds it.


_CHECKPOINT = re.compile(r"(?:(?P<series>.+?)[-_.])?checkpoint-(?P<at>\d{1,15})(?![^-_.]|\.\d)", re.IGNORECASE)
"""`checkpoint-1200`, as the Trainer of transformers calls it, perhaps with the run before it and an ending behind."""
_NO_SERIES = re.compile(r"checkpoints?|ckpts?|[A-Za-z]:|\.{0,2}", re.IGNORECASE)
"""Folders whose names say nothing of a run."""
_BETWEEN = re.compile(r"[/\\#]")
"""Between folders, and between an archive and what is in it."""
_ARCHIVE = re.compile(r"\.zip\Z", re.IGNORECASE)
_HOST = re.compile(r"https?://[^/]*/?", re.IGNORECASE)
_WEIGHTS = ("*.safetensors", "*.safetensors.index.json", "*.bin", "*.bin.index.json")
NEAR = 3
"""Parts of a path that may say it: a file, its folder, and the one that this is in."""
GUESSED = ", as the path says (--series NAME --at STEP overrules it)"
"""What is said behind a guess."""
LARGEST = 2**63 - 1


class TrainingPoint(Struct, frozen=True):
    """A training run, by its name, and how many of its training steps were made.

    Both are None where nothing is known. `guessed` says that nobody stated it: it is how a folder or file is called.
    """

    series: str | None = None
    at: int | None = None
    guessed: bool = False

    @property
    def known(self) -> bool:
        """Whether it is known which checkpoint of which run it is."""
        return self.series is not None and self.at is not None

    @property
    def words(self) -> str:
        """`step 1,200 of RUN`; "" where it is not known."""
        return f"step {self.at:,} of {self.series}" if self.known else ""

    def same(self, other: "TrainingPoint") -> bool:
        """Return whether it is the same checkpoint of the same run, whoever says so."""
        return (self.series, self.at) == (other.series, other.at)

    def over(self, earlier: "TrainingPoint") -> "TrainingPoint":
        """Return what holds where something was known earlier: a guess takes the place of nothing that is known."""
        return self if self.known and not (self.guessed and earlier.known) else earlier


NOWHERE = TrainingPoint()


def guessed_point(path: str) -> TrainingPoint:
    """Guess the checkpoint from a path: of `RUN/checkpoint-1200/x.json` and `RUN-checkpoint-1200.json` run and step.

    Of its last NEAR parts the last one that says it counts. Works on the words alone: nothing is looked up on the disk.
    """
    parts = _BETWEEN.split(_HOST.sub("", path))
    for place in range(len(parts) - 1, max(-1, len(parts) - 1 - NEAR), -1):
        if match := _CHECKPOINT.match(parts[place]):
            above = (_ARCHIVE.sub("", part) for part in reversed(parts[:place]))
            named = match["series"] or next((part for part in above if not _NO_SERIES.fullmatch(part)), None)
            return NOWHERE if named is None else TrainingPoint(named, int(match["at"]), guessed=True)
    return NOWHERE


def point_of_model(model: str) -> TrainingPoint:
    """Guess it from how a checkpoint's folder is called; nothing of a model that is no folder here."""
    folder = expand_home(model)
    if not folder.is_dir():
        return NOWHERE
    # A link may be called like a checkpoint, or lead to one.
    called = guessed_point(os.path.abspath(folder))  # noqa: PTH100
    return called if called.known else guessed_point(str(folder.resolve()))


def stated_point(series: str | None, at: int | None, guess: TrainingPoint) -> TrainingPoint:
    """Return what a person states; what is left open is as guessed, and all of it where nothing is stated.

    Raises:
        UsageError: the run is named and no step is known, or the other way round.
    """
    if series is None and at is None:
        return guess
    if series is not None and not series.strip():
        raise UsageError("--series is empty.", "Give the training run a name.")
    if at is not None and not 0 <= at <= LARGEST:
        raise UsageError(f"--at {at} is not a number of training steps.", "Give a whole number from 0 on.")
    stated = TrainingPoint(guess.series if series is None else series, guess.at if at is None else at)
    if stated.at is None:
        raise UsageError(f"--series {series} does not say at which training step.", "Add --at STEP.")
    if stated.series is None:
        raise UsageError(f"--at {at} does not say of which training run.", "Add --series NAME.")
    return stated


def checkpoints_in(folder: Path) -> Sequence[Path]:
    """Find the checkpoints of a run that lie in its folder, in the order of their steps.

    None where the folder has weights itself: then it is a model.
    """
    if not folder.is_dir() or _has_weights(folder):
        return ()
    numbered = {}
    for inside in folder.iterdir():
        name = re.fullmatch(r"checkpoint-(\d{1,15})", inside.name)
        if name and inside.is_dir() and _has_weights(inside):
            numbered[inside] = int(name[1])
    return sorted(numbered, key=lambda path: numbered[path])


def _has_weights(folder: Path) -> bool:
    left_behind = ("training_args", "optimizer", "scheduler")
    paths = (path for pattern in _WEIGHTS for path in folder.glob(pattern))
    return any(not path.name.startswith(left_behind) for path in paths)


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


# -- what it was made with, as plain names and texts


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
