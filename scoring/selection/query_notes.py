"""Notes on what a query loads: what is missing, what is stale, and which flags had no effect."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from scoring.data.errors import DamagedWorkspace
from scoring.data.names import match_name
from scoring.data.reward_keys import reward_keys
from scoring.data.scorer import Scorer
from scoring.evaluation.evaluation import Evaluation
from scoring.formats.benchmarks import demo
from scoring.formats.benchmarks.benchmark_registry import step_labelled
from scoring.metrics.deciding import Wishes
from scoring.metrics.step_contributions import asked_by_redundancy, redundancy_rows
from scoring.runs.reparse import protocol_of_critic, stale
from scoring.selection.query import Query, shell_word
from scoring.workspace.cache import BALLOTS, Parts, RewardParts, VoteParts
from scoring.workspace.rows_of_cases import case_rows
from scoring.workspace.workspace import Workspace

EVERY = "every scorer"


# -- of what is not there, or old


def absence_notes(query: Query, workspace: Workspace, *, unscored: bool) -> Iterator[str]:
    """Explain why nothing is to be seen, with the command that changes it.

    Args:
        query: what was asked for; who named benchmarks knows what they are.
        workspace: where it was looked for.
        unscored: whether there are cases and no scorer has anything for them.
    """
    if query.benchmarks:
        return
    where = "" if query.workspace is None else f" -w {shell_word(query.workspace)}"
    if not workspace.default_benchmarks():
        yield f"This workspace has no benchmark yet: prm-inspect import PATH{where}"
        # Imported only for who has an empty workspace.
        from scoring.workspace.trash import removed

        names = [entry.name for entry in (removed(workspace) if workspace.root else ()) if entry.kind == "benchmark"]
        if names:
            yield f"In its trash: {', '.join(names)}. One comes back with: prm-inspect restore NAME{where}"
    elif unscored and (names := scorers_of(workspace, demo.NAME)):
        they = f"{', '.join(names)} scored the demo and none of these cases"
        yield f"{they}; the demo shows with: prm-inspect{where} --benchmark {demo.NAME}"


def scorers_of(workspace: Workspace, benchmark: str) -> list[str]:
    """Name the workspace's scorers that have a row for a case of a benchmark.

    Raises:
        UsageError, DamagedWorkspace: its cases are not here, or cannot be read.
    """
    cases, texts = workspace.cases((benchmark,))
    names = []
    for folder in workspace.reward_folders():
        try:
            scorer = Scorer.load(folder)
        except DamagedWorkspace:
            # Whoever reads the scorers says so.
            continue
        keyed = reward_keys(cases, texts, scorer.reads)
        if any(case_rows(keyed, reward_part.read(columns)[0]).height for reward_part, columns in _given(folder)):
            names.append(scorer.name)
    return names


def _given(folder: Path) -> Iterator[tuple[Parts, Sequence[str]]]:
    """What a scorer gave, with the columns that tell one row from another."""
    yield RewardParts(folder), ()
    yield VoteParts(folder), BALLOTS


def stale_notes(evaluations: list[Evaluation], folders: Mapping[str, Path], workspace: str | None) -> Iterator[str]:
    """Name every critic whose answers an older reader has read, with the command that reads them again.

    Args:
        evaluations: those whose scorers are looked at.
        folders: by the scorer's name where its answers are.
        workspace: the folder as the user named it; None = the usual one.
    """
    where = "" if workspace is None else f" -w {shell_word(workspace)}"
    critics = [evaluation.scorer for evaluation in evaluations if evaluation.scorer.name in folders]
    for scorer in critics:
        protocol = protocol_of_critic(scorer)
        older = stale(VoteParts(folders[scorer.name]), protocol.read) if protocol else 0
        if older:
            again = f"prm-inspect reparse{where} --save {shell_word(scorer.name)}"
            yield f"{scorer.name}: an older reader has read {older:,} of its answers. Read them again: {again}"


# -- options without effect


def wish_notes(query: Query, evaluations: Sequence[Evaluation]) -> Iterator[str]:
    """Name every threshold, rule or redundancy threshold that was asked for and decides nothing.

    Args:
        query: whose wishes were granted, so that every scorer in them is one of the evaluations.
        evaluations: all scorers.
    """
    names = [evaluation.scorer.name for evaluation in evaluations]
    numbered = [evaluation.scorer.name for evaluation in evaluations if evaluation.rewards.redundancy.present.any()]
    yield from _overridden("--threshold", query.thresholds, names)
    yield from _overridden("--rule", query.rules, names)
    yield from _overridden("--redundancy", query.redundancy, numbered)
    if query.redundancy and not any(map(_cuts_redundancy, evaluations)):
        words = " ".join(dict.fromkeys(word for _, word in query.redundancy))
        yield f"--redundancy {words} changes nothing: no redundancy number of a scorer here is compared with it"


def _overridden(flag: str, words: Wishes, names: Sequence[str]) -> Iterator[str]:
    """A sentence for every wish that a later one for the same scorer, or for every one, contradicts.

    A wish for a scorer by name after one for every scorer is an exception and no contradiction.
    """
    meant = [(None if name is None else match_name(name, names, "scorer"), word) for name, word in words]
    for place, (name, word) in enumerate(meant):
        later = [other for whose, other in meant[place + 1 :] if whose in {None, name}]
        if later and later[-1] != word:
            yield f"{flag} {word} is overridden by {later[-1]} for {name or EVERY}"


def _cuts_redundancy(evaluation: Evaluation) -> bool:
    """Whether redundancy numbers of the scorer decide a step somewhere, once there is a threshold for them."""
    facts = map(step_labelled, evaluation.gold.cases["benchmark"].unique().to_list())
    compared = (asked_by_redundancy(evaluation, labelled) for labelled in facts if labelled is not None)
    return any(bool(redundancy_rows(evaluation, rows, 0.0).numbers.any()) for rows in compared)
