"""`reread`: a critic's kept answers read again with the present reader; nothing is asked."""

import argparse
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from inspector.critique.counts import OTHER
from inspector.critique.talk import is_talk
from inspector.notes import protocol_of_critic
from inspector.sentences import counted
from inspector.shell.output import say
from inspector.workspace_place import find_workspace
from scoring.benchmarks import demo
from scoring.cache import VoteParts
from scoring.claim import scorers
from scoring.critics.protocol import CriticProtocol
from scoring.critics.readers import version
from scoring.errors import UsageError
from scoring.names import match_name
from scoring.reread import Reread, reread, stale
from scoring.scorer import Scorer
from scoring.workspace import Workspace

Critic = tuple[Scorer, Path, CriticProtocol]
_IDENTITY = ("key", "case", "vote", "run", "ballot", "verdict", "rewards", "reason")


def run(args: argparse.Namespace) -> int:
    """Read again and tell the counts."""
    workspace = find_workspace(args.workspace)
    wanted = _wanted(workspace, (*args.scorers, *args.scorer))
    if not wanted:
        say(["Nothing to read again: the present readers have read every answer here."], args)
        return 0
    names = [*workspace.benchmarks(), *([] if demo.NAME in workspace.benchmarks() else [demo.NAME])]
    cases, _ = workspace.cases(names, twins=True)
    for scorer, folder, protocol in wanted:
        say(_again(scorer, VoteParts(folder), protocol, cases), args)
    return 0


def _wanted(workspace: Workspace, words: tuple[str, ...]) -> list[Critic]:
    """The critics that are named, or those whose answers an older reader has read.

    Raises:
        UsageError: there is no critic, or none of that name; or it was imported, and by which protocol it was asked is
            not known.
    """
    _refuse_talks(workspace, words)
    # The demo's own scorers lie elsewhere, and are nobody's to rewrite.
    every = [(one, folder) for one, folder in scorers(workspace) if one.kind == "critic"]
    asked = [(one, folder, protocol) for one, folder in every if (protocol := protocol_of_critic(one))]
    if not words:
        return [one for one in asked if stale(VoteParts(one[1]), one[2].read)]
    if not every:
        raise UsageError("this workspace has no critic.", "Make one: prm-inspect score BENCHMARK --critic PROTOCOL")
    found = dict.fromkeys(match_name(word, [one.name for one, _ in every], "critic") for word in words)
    imported = [name for name in found if name not in {one.name for one, _, _ in asked}]
    if imported:
        raise UsageError(
            f"{imported[0]} was not asked here, so that it is not known by which protocol its answers are read.",
            "Import its answers again: the importer reads them.",
        )
    return [one for one in asked if one[0].name in found]


def _refuse_talks(workspace: Workspace, words: tuple[str, ...]) -> None:
    """Say why a PRM that generates is not read again, where one is named.

    Raises:
        UsageError: it is.
    """
    names = [one.name for one, _ in scorers(workspace) if is_talk(one)]
    for word in words:
        if word in names:
            raise UsageError(
                f"{word} is a PRM that generates: its rewards are probabilities that the model gave to two words while "
                "it was asked, so that no reader of texts makes them again.",
                "Where it should be read otherwise, ask it again with another --option.",
            )


def _again(scorer: Scorer, parts: VoteParts, protocol: CriticProtocol, cases: pl.DataFrame) -> Iterator[str]:
    before = parts.read(_IDENTITY)[0].height
    told = reread(parts, protocol.read, cases)
    after = parts.read(_IDENTITY)[0].height
    yield f"{scorer.name}: {_counts(told)} (reader {version(protocol.read)})"
    kinds = ", ".join(f"{count:,} {kind or OTHER}" for kind, count in told.faults.most_common())
    if kinds:
        yield f"  cannot be read: {kinds}"
    for note, count in told.notes.items():
        yield f"  {counted(count, 'answer')}: {note}"
    if told.unknown:
        are = "is to a case that is not here, and was left as it is"
        are = are if told.unknown == 1 else "are to cases that are not here, and were left as they are"
        yield f"  {counted(told.unknown, 'answer')} {are}"
    yield from (f"  {problem}" for problem in told.problems)
    if after > before:
        came = f"{counted(after - before, 'answer')} came meanwhile: a run is asking this critic"
        yield f"  WARNING: {came}. Read again when it has ended."


def _counts(told: Reread) -> str:
    """How many answers were read, and of how many the reading is another now."""
    if not told.changed:
        return f"{counted(told.answers, 'answer')} read again, and none says anything else"
    turned = f"{told.found:,} can be read that could not, {told.lost:,} can no longer"
    say_else = "says" if told.changed == 1 else "say"
    return f"{counted(told.answers, 'answer')} read again, {told.changed:,} {say_else} something else now: {turned}"
