"""Sentences about critics whose answers an older reader has read than the present one."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from inspector.request import shell_word
from scoring.cache import VoteParts
from scoring.critics.catalogue import PROTOCOLS
from scoring.critics.protocol import CriticProtocol
from scoring.evaluation import Evaluation
from scoring.reread import stale
from scoring.scorer import Scorer


def protocol_of_critic(scorer: Scorer) -> CriticProtocol | None:
    """The protocol that a critic was asked by here; None of a scorer that was imported, or is no critic."""
    return PROTOCOLS.get(str(scorer.settings.get("protocol"))) if scorer.kind == "critic" else None


def stale_notes(evaluations: list[Evaluation], folders: Mapping[str, Path], workspace: str | None) -> Iterator[str]:
    """A sentence for every critic of which there are such answers, with the command that reads them again.

    Args:
        evaluations: those whose scorers are looked at.
        folders: by the scorer's name where its answers are.
        workspace: the folder as the user named it; None = the usual one.
    """
    where = "" if workspace is None else f" -w {shell_word(workspace)}"
    for scorer in (one.scorer for one in evaluations if one.scorer.name in folders):
        protocol = protocol_of_critic(scorer)
        older = stale(VoteParts(folders[scorer.name]), protocol.read) if protocol else 0
        if older:
            again = f"prm-inspect reread{where} {shell_word(scorer.name)}"
            yield f"{scorer.name}: an older reader has read {older:,} of its answers. Read them again: {again}"
