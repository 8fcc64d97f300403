"""A scorer's folder in a workspace: whether its name is free, and which others there are of its model."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from scoring.data.errors import DamagedWorkspace, NoWorkspace, ScorerConflict
from scoring.data.scorer import FILE, Scorer
from scoring.data.training_point import GUESSED, NOWHERE, TrainingPoint, point_of_model, stated_point
from scoring.models.checkpoint import CHAT, CONFIG, TOKENIZER
from scoring.workspace.cache import RewardParts
from scoring.workspace.variants import REWARDS
from scoring.workspace.workspace import Workspace


def find(workspace: Workspace, fingerprint: str) -> Scorer | None:
    """Find the workspace's scorer with this fingerprint, under whatever name."""
    return next((scorer for scorer, _ in scorers(workspace) if scorer.fingerprint == fingerprint), None)


def reserve_scorer(workspace: Workspace, scorer: Scorer, *, variants: bool = False) -> RewardParts:
    """Return where the scorer's reward parts are and go, with `variants` those of solutions that are no cases.

    Nothing is written yet.

    Raises:
        ScorerConflict: the name belongs to another fingerprint; both are shown, and in what they differ.
        NoWorkspace: the workspace has no folder.
        DamagedWorkspace: the folder is there and its `scorer.json` cannot be read.
    """
    if workspace.root is None:
        raise NoWorkspace("there is no folder to save rewards in.", "Name one with --workspace DIR.")
    folder = workspace.root / REWARDS / scorer.folder
    for other, place in scorers(workspace):
        if other.fingerprint != scorer.fingerprint and (other.name == scorer.name or place == folder):
            raise _taken(scorer, other)
    if (folder / FILE).exists():
        Scorer.load(folder)
    apart = workspace.variants if variants else None
    return RewardParts(folder if apart is None else apart.folder / REWARDS / scorer.folder)


def as_checkpoint(scorer: Scorer, folder: Path, training: TrainingPoint, *, keep: bool = True) -> Scorer:
    """Return the scorer as the checkpoint that it is; with `keep` a folder that is there already says so from now on.

    What was stated or guessed before stays where `training` is nothing, or only guessed. Nothing else in the folder
    changes: what was computed goes on to count.

    Raises:
        DamagedWorkspace: the folder's `scorer.json` cannot be read.
        UnwritableWorkspace: it cannot be written.
    """
    if not (folder / FILE).exists():
        return scorer.as_checkpoint(training)
    there = Scorer.load(folder)
    now = training.over(there.training)
    if keep and not now.same(there.training):
        there.as_checkpoint(now).save(folder)
    return scorer.as_checkpoint(now)


def placed(
    scorer: Scorer, parts: RewardParts, *, model: str | None, series: str | None, at: int | None, dry_run: bool
) -> tuple[Scorer, tuple[str, ...]]:
    """Return the scorer of a run as the checkpoint that is stated or seen from its model's folder, and what to say of
    it.

    Raises:
        UsageError: a series without a step is stated, or the other way round.
        DamagedWorkspace, UnwritableWorkspace: as for `as_checkpoint`.
    """
    there = Scorer.load(parts.folder).training if (parts.folder / FILE).exists() else NOWHERE
    training = stated_point(series, at, there if there.known or not model else point_of_model(model))
    made = as_checkpoint(scorer, parts.folder, training, keep=not dry_run)
    if not made.training.known:
        return made, ()
    guessed = training.guessed and made.training.same(training)
    return made, (f"{made.training.words}{GUESSED if guessed else ''}",)


def scorers(workspace: Workspace) -> list[tuple[Scorer, Path]]:
    """Return the workspace's scorers and their folders, but for those that cannot be read: they have no name to clash
    with.
    """
    scorer_folders = []
    for folder in workspace.reward_folders():
        with suppress(DamagedWorkspace):
            scorer_folders.append((Scorer.load(folder), folder))
    return scorer_folders


def _taken(scorer: Scorer, other: Scorer) -> ScorerConflict:
    names = sorted(scorer.settings.keys() | other.settings.keys())
    differing = [name for name in names if scorer.settings.get(name) != other.settings.get(name)]
    what = f" They differ in {', '.join(differing)}." if differing else ""
    mine, others = scorer.settings, other.settings
    differences = ", ".join(
        setting_words(name, mine, others) for name in differing if name not in {"weights", "sources"}
    )
    return ScorerConflict(
        f"{scorer.name!r} has the fingerprint {other.fingerprint[:16]} here, and this run would be "
        f"{scorer.fingerprint[:16]}.{what}{f' ({differences})' if differences else ''}",
        "Give this one another name: --name NAME",
    )


def setting_words(name: str, mine: Mapping[str, Any], others: Mapping[str, Any]) -> str:
    """Describe one setting of a scorer that is here already (`others`), and of the one that is to run (`mine`).

    Of a setting that holds several, such as a critic's sampling, those that differ.
    """
    there, now = others.get(name), mine.get(name)
    if isinstance(there, Mapping) and isinstance(now, Mapping):
        differing = [setting for setting in {**there, **now} if there.get(setting) != now.get(setting)]
        return ", ".join(f"{name} {setting_words(setting, now, there)}" for setting in differing)
    return f"{name}: {repr(there)[:40]} there, {repr(now)[:40]} now"


# -- scorers of one model in a workspace: whoever compares two of them should know in what they differ


_BESIDE = (CONFIG, TOKENIZER, *CHAT)
"""What of a checkpoint's files is none of its weights."""
_OF_ANY_ADAPTER = frozenset({"adapter", "dtype", "commit", *_BESIDE})
_MOST = 3
"""How many scorers, and how many settings of each, are told of."""


def same_model(workspace: Workspace, scorer: Scorer) -> list[str]:
    """Return a sentence for each of the workspace's scorers, the first three, that is this model and has other rewards.

    The same model is the same weights whatever lies beside them, the same name on the hub, or the same LoRA adapter
    over the same base.
    """
    model = _model(scorer)
    others = [
        other
        for other, _ in scorers(workspace)
        if model and _model(other) == model and other.fingerprint != scorer.fingerprint
    ]
    sentences = [
        f"The workspace has {other.name!r}, which is the same model with other settings ({_differing(scorer, other)})."
        for other in others[:_MOST]
    ]
    return sentences + ([f"It has {len(others) - _MOST} more of them."] if len(others) > _MOST else [])


def _model(scorer: Scorer) -> Any:
    """What a scorer's model is known by, as far as its settings say; falsy where they do not."""
    sources, weights = (_table(scorer.settings.get(name)) for name in ("sources", "weights"))
    if "lora" in sources:
        return [sources["lora"], sources.get("base")]
    if files := _table(weights.get("files")):
        return sorted(str(digest) for name, digest in files.items() if name not in _BESIDE)
    return weights.get("hub")


def _differing(scorer: Scorer, other: Scorer) -> str:
    mine, others = _settings(scorer), _settings(other)
    names = sorted(name for name in mine.keys() | others.keys() if mine.get(name) != others.get(name))
    if "adapter" in names:
        # Each adapter has settings of its own, which need not be listed.
        names = [name for name in names if name in _OF_ANY_ADAPTER]
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return ", ".join(setting_words(name, mine, others) for name in names[:_MOST]) + more


def _settings(scorer: Scorer) -> dict[str, Any]:
    """The settings, with what can differ within the weights of one model in the place of these."""
    weights = _table(scorer.settings.get("weights"))
    files = _table(weights.get("files")) or weights
    beside = {name: str(files[name])[:8] for name in ("commit", *_BESIDE) if name in files}
    return {**{name: value for name, value in scorer.settings.items() if name not in {"weights", "sources"}}, **beside}


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
