"""Where the weights of a scorer lie, as far as is known here, and whether what was found there is what was used."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from scoring.data.errors import InspectError, UsageError
from scoring.data.scorer import Scorer
from scoring.formats.benchmarks import demo
from scoring.models.fingerprint import FILE, Digests

_FREE = frozenset({"weights", "reference", "sources", "dtype", "reads"})
"""Settings of a scorer that an adapter does not have."""
_GIVE = "Give the checkpoint: --model DIR_OR_ID"


class WeightsPlace(NamedTuple):
    """Where a PRM's weights lie: a folder or a hub name with a commit, and their dtype.

    `reference` is the place of the model to which its rewards are ratios; None where they are none.
    """

    model: str
    revision: str | None
    dtype: str
    reference: str | None


def place_of(scorer: Scorer | None, root: Path | None) -> WeightsPlace:
    """Find the weights of a scorer, and of its reference model.

    Weights that were not taken from a hub are known by the digests of their files: those that this workspace (`root`)
    remembers where they were read, and those of the demo's own models.

    Raises:
        UsageError: there is no PRM, or its weights lie nowhere that is known.
    """
    if scorer is None:
        raise UsageError("--explain needs a PRM's tokenizer.", _GIVE)
    reference = scorer.settings.get("reference")
    other, _ = (None, None) if reference is None else _place(scorer.name, reference, root)
    return WeightsPlace(
        *_place(scorer.name, scorer.settings.get("weights"), root), str(scorer.settings.get("dtype", "auto")), other
    )


def _place(name: str, weights: Any, root: Path | None) -> tuple[str, str | None]:
    """Where weights lie that stand so in a scorer's settings."""
    if isinstance(weights, Mapping) and "hub" in weights:
        return str(weights["hub"]), str(weights["commit"])
    files = weights.get("files") if isinstance(weights, Mapping) else None
    if not isinstance(files, Mapping) or not files:
        raise UsageError(f"{name} has no weights of which the tokens could be told.", _GIVE)
    folder = Digests(root / FILE if root else None).folder_of(files) or _of_demo(files)
    if folder is None:
        raise UsageError(f"{name} is known by digests of its weights, and not where they lie.", _GIVE)
    return str(folder), None


def _of_demo(files: Mapping[str, str]) -> Path | None:
    """The demo's model that has these files; they are small enough to be read for it."""
    for folder in sorted((demo.folder() / "models").glob("*/")):
        try:
            seen = Digests(None).of([folder / name for name in files])
        except InspectError:
            continue
        if seen.digests == dict(files):
            return folder
    return None


def other_settings(scorer: Scorer | None, answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence where the tokens in an answer of `explain` are not those that the scorer named was given."""
    if scorer is None:
        return
    made, here = scorer.settings, answer["settings"]
    differing = [name for name in sorted({*made, *here} - _FREE) if made.get(name) != here.get(name)]
    for name in differing:
        values = f"{str(made.get(name))[:40]!r} there, {str(here.get(name))[:40]!r} here"
        yield f"{scorer.name} was made with another {name} ({values}): give --adapter and --option as then"
