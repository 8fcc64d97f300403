"""`remove`, `restore` and `prune`: out of the workspace, back again, or gone."""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from inspector.render.texts.sentences import counted
from inspector.render.texts.text import clean
from inspector.state.triage.annotations import benchmark_of
from scoring.data.errors import InspectError, NoWorkspace, UsageError
from scoring.data.names import match_name
from scoring.formats.benchmarks import demo
from scoring.formats.reading.compressed_streams import size_words
from scoring.selection.query import shell_word
from scoring.selection.query_notes import scorers_of
from scoring.workspace.trash import (
    Removable,
    TrashEntry,
    TrashKind,
    leftovers,
    prune,
    removable,
    remove,
    removed,
    restore,
)
from scoring.workspace.triage.annotations import words_of
from scoring.workspace.triage.history import History
from scoring.workspace.workspace import Workspace
from scoring.workspace.workspace_place import find_workspace

_NAMED = 3
"""Scorers that are named one by one."""


def run(args: argparse.Namespace) -> int:
    """Do what `args.command` says.

    Raises:
        UsageError: nothing or several are of that name, the demo is meant, or nobody agreed to `prune`.
        WorkspaceError: another process is at work there, or nothing can be written.
    """
    return {"remove": _remove, "restore": _restore, "prune": _prune}[args.command](args)


def _remove(args: argparse.Namespace) -> int:
    workspace = _workspace(args)
    wanted = _wanted(workspace, args.kind, args.name)
    stays = list(_stays(workspace, wanted)) if wanted.kind == "benchmark" else []
    gone = remove(workspace, wanted)
    lines = [f"Moved {gone.label} ({size_words(gone.bytes)}) into the trash of {workspace.place}.", *stays]
    lines += [f"Bring it back:  {_command(args, 'restore', gone.name)}"]
    lines += [f"Free the space: {_command(args, 'prune')}"]
    _print(lines, args)
    return 0


def _workspace(args: argparse.Namespace) -> Workspace:
    """The workspace, also where it is the demo's that is meant."""
    try:
        return find_workspace(args.workspace)
    except NoWorkspace:
        if getattr(args, "name", None) == demo.NAME and args.workspace is None:
            return Workspace(None)
        raise


def _wanted(workspace: Workspace, kind: TrashKind, word: str) -> Removable:
    """The one thing of a kind that has this name, or alone this part in its name.

    Raises:
        UsageError: none or several, whose names are told; or it belongs to the demo.
    """
    there = removable(workspace, kind) if workspace.root else []
    names = [thing.name for thing in there]
    if word not in names and word in _bundled(kind):
        what = "the demo" if kind == "benchmark" else f"{word} is part of the demo, which"
        raise UsageError(
            f"{what} comes with the program: it takes no room in a workspace and cannot be removed.",
            f"It shows only when it is asked for: --benchmark {demo.NAME}.",
        )
    return there[names.index(match_name(word, names, kind))]


def _bundled(kind: TrashKind) -> list[str]:
    if kind == "benchmark":
        return [demo.NAME]
    from scoring.data.scorer import Scorer

    return [Scorer.load(folder).name for folder in Workspace(None).reward_folders([demo.NAME])]


def _stays(workspace: Workspace, wanted: Removable) -> Iterator[str]:
    """What of a benchmark is not removed with it: rewards belong to texts, and words of people to names of cases."""
    journal = workspace.journal()
    history = journal.history if journal else History(())
    of_it = [case for case in history.cases if benchmark_of(case) == wanted.name]
    number = sum(bool(words_of(case, history.of_case(case))) for case in of_it)
    what = []
    try:
        if names := scorers_of(workspace, wanted.name):
            more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            what.append(f"rewards of {counted(len(names), 'scorer')} ({', '.join(names[:_NAMED])}{more})")
    except InspectError as error:
        # That may be why it is removed.
        yield f"Its cases could not be read: {error}"
        what.append("rewards that scorers gave its cases")
    if number:
        what.append(f"what people said of {counted(number, 'case')}")
    if what:
        yield f"What stays: {' and '.join(what)}. It shows again once the benchmark is back."


def _restore(args: argparse.Namespace) -> int:
    workspace = find_workspace(args.workspace)
    there = removed(workspace)
    if not args.words:
        _print(_listed(there, workspace), args)
        return 0
    word = " ".join(args.words)
    label = _label(word, there)
    *older, newest = (thing for thing in there if thing.label == label)
    place = restore(workspace, newest)
    _print([f"Brought back {newest.label} ({size_words(newest.bytes)}), removed {newest.time}: {place}"], args)
    if older:
        _print([f"The trash still holds {len(older)} more of that name, removed before."], args)
    return 0


def _label(word: str, there: Sequence[TrashEntry]) -> str:
    """The kind and name of what is meant, by its name, a part that only one has, or both.

    Raises:
        UsageError: none or several are; those that there are, are named.
    """
    exact = dict.fromkeys(thing.label for thing in there if thing.name == word)
    part = dict.fromkeys(thing.label for thing in there if word.lower() in thing.name.lower())
    labels = list(exact or part or dict.fromkeys(thing.label for thing in there))
    return labels[0] if len(exact or part) == 1 else match_name(word, labels, "removed thing")


def _prune(args: argparse.Namespace) -> int:
    workspace = find_workspace(args.workspace)
    there, left = removed(workspace), leftovers(workspace)
    if not there and not left:
        prune(workspace, [])
        _print([f"The trash of {workspace.place} is empty."], args)
        return 0
    total = sum(thing.bytes for thing in there) + left
    _print(_listed(there, workspace, left), args)
    if not args.yes and not _agreed(total):
        _print(["Nothing was deleted."], args)
        return 2
    problems = prune(workspace, there)
    for problem in problems:
        print(clean(problem), file=sys.stderr)
    if not problems:
        _print([f"Deleted {size_words(total)} ({total:,} bytes). The trash is empty."], args)
    return 2 if problems else 0


def _agreed(total: int) -> bool:
    """Whether a person at a terminal says yes.

    Raises:
        UsageError: there is none.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        others = [("--yes", "delete it without a question")]
        sentence = "this deletes what is in the trash, and nobody can be asked."
        raise UsageError(sentence, "Agree to it with --yes.", instead=others)
    print(f"Delete {size_words(total)} for good? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _listed(there: Sequence[TrashEntry], workspace: Workspace, left: int = 0) -> Iterable[str]:
    """A line for each thing in the trash, and one for all."""
    if not there and not left:
        yield f"The trash of {workspace.place} is empty."
        return
    for thing in there:
        when = f", removed {thing.time}" if thing.time else ""
        yield f"  {thing.label}: {size_words(thing.bytes)}{when}"
    if left:
        yield f"  what an interrupted prune left: {size_words(left)}"
    total = sum(thing.bytes for thing in there) + left
    yield f"In the trash of {workspace.place}: {counted(len(there), 'removed thing')}, {total:,} bytes."


def _command(args: argparse.Namespace, *words: str) -> str:
    where = ["-w", args.workspace] if args.workspace is not None else []
    return " ".join(shell_word(word) for word in ("prm-inspect", *words, *where))


def _print(lines: Iterable[Any], args: argparse.Namespace) -> None:
    for line in lines:
        if not args.quiet:
            print(clean(line))
