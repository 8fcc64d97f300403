"""Which checkpoint of which training run a scorer is, and how folders of checkpoints are called.

It is a label: nothing that is computed depends on it, and no fingerprint holds it.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from scoring.data.errors import UsageError
from scoring.data.storage.files import expand_home

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
