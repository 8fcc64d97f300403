"""What is not there though its user may look for it: any benchmark, or the demo where it alone was scored."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from inspector.request import Request, shell_word
from scoring.benchmarks import demo
from scoring.cache import BALLOTS, Parts, RewardParts, VoteParts
from scoring.case_rows import case_rows
from scoring.errors import DamagedWorkspace
from scoring.reward_keys import reward_keys
from scoring.scorer import Scorer
from scoring.workspace import Workspace


def absence_notes(request: Request, workspace: Workspace, cases: pl.DataFrame, scorers: Sequence[str]) -> Iterator[str]:
    """A sentence where nothing is to be seen, with the command that changes it.

    Args:
        request: what was asked for; who named benchmarks knows what they are.
        workspace: where it was looked for.
        cases: those that were found.
        scorers: names of those that have something for these cases.
    """
    if request.benchmarks:
        return
    where = "" if request.workspace is None else f" -w {shell_word(request.workspace)}"
    if not workspace.default_benchmarks():
        yield f"This workspace has no benchmark yet: prm-inspect import PATH{where}"
        # Imported only for who has an empty workspace.
        from scoring.trash import removed

        names = [one.name for one in (removed(workspace) if workspace.root else ()) if one.kind == "benchmark"]
        if names:
            yield f"In its trash: {', '.join(names)}. One comes back with: prm-inspect restore NAME{where}"
    elif cases.height and not scorers and (names := scorers_of(workspace, demo.NAME)):
        they = f"{', '.join(names)} scored the demo and none of these cases"
        yield f"{they}; the demo shows with: prm-inspect{where} --benchmark {demo.NAME}"


def scorers_of(workspace: Workspace, benchmark: str) -> list[str]:
    """The names of the workspace's scorers that have a row for a case of a benchmark.

    Raises:
        UsageError, DamagedWorkspace: its cases are not here, or cannot be read.
    """
    cases, texts = workspace.cases((benchmark,))
    found = []
    for folder in workspace.reward_folders():
        try:
            scorer = Scorer.load(folder)
        except DamagedWorkspace:
            # Whoever reads the scorers says so.
            continue
        keyed = reward_keys(cases, texts, scorer.reads)
        if any(case_rows(keyed, parts.read(columns)[0]).height for parts, columns in _given(folder)):
            found.append(scorer.name)
    return found


def _given(folder: Path) -> Iterator[tuple[Parts, Sequence[str]]]:
    """What a scorer gave, with the columns that tell one row from another."""
    yield RewardParts(folder), ()
    yield VoteParts(folder), BALLOTS
