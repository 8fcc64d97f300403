"""`reparse`: what another parser would make of a critic's kept answers; with `--save`, keep it. Nothing is asked."""

import argparse
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from inspector.analyses.reparse import why_none
from inspector.cli.actions import analysis
from inspector.cli.actions.output import say
from inspector.render.texts.sentences import counted
from inspector.state.kept_answers import OTHER
from scoring.data.errors import UsageError
from scoring.data.names import match_name, name_choices, without
from scoring.data.reward_keys import reward_keys
from scoring.data.scorer import Scorer
from scoring.formats.benchmarks import demo
from scoring.models.critics.answer_parsers import version
from scoring.models.critics.protocols import CriticProtocol, ReadAnswer
from scoring.runs.generative.generative_catalogue import is_talk
from scoring.runs.reparse import (
    ReparseCounts,
    keep_second_reading,
    parsed_before,
    parsed_by,
    protocol_of_critic,
    reader,
    reparse,
    stale,
)
from scoring.workspace.cache import VoteParts
from scoring.workspace.reservation import find, reserve_scorer, scorers
from scoring.workspace.workspace import Workspace
from scoring.workspace.workspace_place import find_workspace

Critic = tuple[Scorer, Path, CriticProtocol]
_IDENTITY = ("key", "case", "vote", "run", "ballot", "verdict", "rewards", "reason")
_CHOOSING = ("where", "search", "slice", "benchmark", "subset")


def run(args: argparse.Namespace) -> int:
    """Print what would change, or keep it and tell the counts."""
    if not args.save:
        if args.name:
            sentence = "--name says what a reading that is kept is called."
            keep, look = ("--save", "keep the new reading"), without("--name", meaning="only look")
            raise UsageError(sentence, "Give it with --save.", instead=[keep, *look])
        return analysis.run(args)
    chosen = next((name for name in _CHOOSING if getattr(args, name)), "")
    if chosen:
        others = without(*(f"--{name}" for name in _CHOOSING), meaning="all answers of the critic")
        sentence = "a critic is read as a whole where that is kept."
        raise UsageError(sentence, f"Leave --{chosen} out.", instead=others)
    workspace = find_workspace(args.workspace)
    words = (*args.scorers, *args.scorer)
    wanted = _wanted(workspace, words, args.told_parser)
    if not wanted:
        say(["Nothing to read again: the present readers have read every answer here."], args)
        return 0
    if args.name and len(wanted) > 1:
        raise UsageError("--name is about one critic, and several are read.", "Name one.")
    # Nothing is kept of the first where another does not fit the parser.
    reads = [
        protocol.read if args.told_parser is None else reader(scorer, protocol, args.told_parser)
        for scorer, _, protocol in wanted
    ]
    names = [*workspace.benchmarks(), *([] if demo.NAME in workspace.benchmarks() else [demo.NAME])]
    cases, texts = workspace.cases(names, twins=True)
    for (scorer, folder, protocol), read in zip(wanted, reads, strict=True):
        keyed = reward_keys(cases, texts, scorer.reads)
        say(_kept(workspace, scorer, VoteParts(folder), protocol, read, keyed, args), args)
    return 0


def _wanted(workspace: Workspace, words: tuple[str, ...], parser: str | None) -> list[Critic]:
    """The critics that are named, or those whose answers an older reader has read.

    Raises:
        UsageError: there is no critic, or none of that name; or it was imported, and by which protocol it was asked is
            not known; or a parser is given and no critic.
    """
    # The demo's own scorers lie elsewhere, and are nobody's to rewrite.
    every = [(scorer, folder) for scorer, folder in scorers(workspace) if scorer.kind == "critic" or is_talk(scorer)]
    readable = [(scorer, folder, protocol) for scorer, folder in every if (protocol := protocol_of_critic(scorer))]
    if not words:
        if parser:
            sentence = "--save --parser makes a scorer of one critic's answers."
            raise UsageError(
                sentence,
                "Name the critic.",
                instead=name_choices("", [critic[0].name for critic in readable], "answers of"),
            )
        return [critic for critic in readable if stale(VoteParts(critic[1]), critic[2].read)]
    if not every:
        raise UsageError("this workspace has no critic.", "Make one: prm-inspect score BENCHMARK --critic PROTOCOL")
    names = dict.fromkeys(match_name(word, [scorer.name for scorer, _ in every], "critic") for word in words)
    lacking = [
        scorer
        for scorer, _ in every
        if scorer.name in names and scorer.name not in {known.name for known, _, _ in readable}
    ]
    if lacking:
        talks = any(is_talk(scorer) for scorer in lacking)
        advice = "Where it should be read otherwise, ask it again with another --option."
        raise UsageError(why_none(lacking), advice if talks else "Import its answers again: the importer reads them.")
    return [critic for critic in readable if critic[0].name in names]


def _kept(
    workspace: Workspace,
    scorer: Scorer,
    parts: VoteParts,
    protocol: CriticProtocol,
    read: ReadAnswer,
    cases: pl.DataFrame,
    args: argparse.Namespace,
) -> Iterator[str]:
    """Keep a reading: the critic's own parser corrects what is kept, another one makes a scorer."""
    before = parts.read(_IDENTITY)[0].height
    if version(read) == version(protocol.read):
        result = reparse(parts, protocol.read, cases)
        yield f"{scorer.name}: {_counts(result)} (reader {version(protocol.read)})"
        yield from _details(result)
    else:
        made = parsed_by(scorer, read, args.name or f"{scorer.name}-{args.told_parser}")
        known = find(workspace, made.fingerprint)
        corrected = find(workspace, parsed_before(scorer, read).fingerprint)
        if not args.name:
            made = parsed_by(scorer, read, known.name) if known is not None else corrected or made
        into = VoteParts(reserve_scorer(workspace, made).folder)
        kept = keep_second_reading(parts, read, cases, made, into)
        answers = f"{counted(kept, 'answer')} of {scorer.name}"
        yield f"{made.name}: {answers}, read by {version(read)}, kept as a scorer of its own"
        yield f"  {scorer.name} stays as it is; what it answers from now on is not taken over until this is done again"
    after = parts.read(_IDENTITY)[0].height
    if after > before:
        came = f"{counted(after - before, 'answer')} came meanwhile: a run is asking this critic"
        yield f"  WARNING: {came}. Read again when it has ended."


def _details(result: ReparseCounts) -> Iterator[str]:
    kinds = ", ".join(f"{count:,} {kind or OTHER}" for kind, count in result.faults.most_common())
    if kinds:
        yield f"  cannot be read: {kinds}"
    for note, count in result.notes.items():
        yield f"  {counted(count, 'answer')}: {note}"
    if result.unknown:
        are = "is to a case that is not here, and was left as it is"
        are = are if result.unknown == 1 else "are to cases that are not here, and were left as they are"
        yield f"  {counted(result.unknown, 'answer')} {are}"
    yield from (f"  {problem}" for problem in result.problems)


def _counts(result: ReparseCounts) -> str:
    """How many answers were read, and of how many the reading is another now."""
    if not result.changed:
        return f"{counted(result.answers, 'answer')} read again, and none says anything else"
    turned = f"{result.recovered:,} can be read that could not, {result.lost:,} can no longer"
    say_else = "says" if result.changed == 1 else "say"
    return f"{counted(result.answers, 'answer')} read again, {result.changed:,} {say_else} something else now: {turned}"
