"""A case as a rule of `stress` rewrites it, beside the case, with what a scorer made of both."""

from pathlib import Path

import numpy as np
from msgspec.structs import replace

from inspector.case_page.variant_track import JudgedVariant, ScoredVariant
from scoring.data.errors import UsageError
from scoring.data.schema import Ints
from scoring.data.storage.remembered import IdentityCache
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.gold import Gold
from scoring.runs.stress.cutting import GIVEN
from scoring.runs.stress.rewriting import Rewriting
from scoring.runs.stress.trials import REWRITINGS, Contents, JudgedContents, contents_of, judged_variants
from scoring.selection.result_set import ResultSet
from scoring.workspace.cache import RewardParts, VoteParts
from scoring.workspace.variants import REWARDS, Variant

_contents = IdentityCache(4)
_judged = IdentityCache(4)


def rewriting_of(name: str) -> Rewriting | None:
    """Return the rewriting of this name; None where there is none."""
    return next((rewriting for rewriting in REWRITINGS if rewriting.name == name), None)


def rewritten_contents(results: ResultSet, gold: Gold, rows: Ints) -> Contents:
    """Rewrite some cases (row ids), once while they and their labels are the same."""
    seed = results.query.seed
    return _contents.of(
        (seed, rows.tobytes()),
        (results.cases, results.loaded.texts, gold),
        lambda: contents_of(results.cases, results.loaded.texts, gold, rows, seed),
    )


def rewriting_folders(results: ResultSet, seen: Evaluation) -> list[Path]:
    """Return where what the scorer gave to rewritings lies: one folder, or none."""
    variants = results.loaded.workspace.variants
    folder = None if variants is None else variants.folder / REWARDS / seen.scorer.folder
    return [folder] if folder is not None and folder.is_dir() else []


def rewriting_beside(results: ResultSet, seen: Evaluation, row: int, name: str) -> ScoredVariant:
    """Put the case in this row as it is rewritten beside the case.

    Rewards of both are those that `stress` compares. Where the scorer was given no rewritings of the case, those of the
    case are its own.

    Args:
        results: where the case and its scorers are.
        seen: the scorer on the cases, as whose the rewriting is decided.
        row: the case's row id.
        name: the rewriting's.

    Raises:
        UsageError: it does not rewrite this case; why.
        DamagedWorkspace: the case's texts, or what was saved, cannot be read.
    """
    contents = rewritten_contents(results, seen.gold, np.array([row], dtype=np.int64))
    case = results.cases["case"][row]
    if (row, name) not in contents.place:
        reasons = ", ".join(contents.refused.get(name, ())) or "there is no such rewriting"
        raise UsageError(f"{name} does not rewrite {case}: {reasons}.", "Another rewriting may.")
    made = contents.every[contents.place[row, name]].made
    as_it_is = contents.every[contents.place[row, GIVEN]].made
    judged = _judged_pair(results, contents, seen, row, name)
    before: JudgedVariant | None = judged[0] or ((seen, row) if seen.rewards.of(row) else None)
    variant = Variant(results.cases["key"][row], case, made.edits, name)
    problem = None if made.problem == as_it_is.problem else made.problem
    texts = tuple(step.text for step in as_it_is.steps)
    return ScoredVariant(
        variant, texts, made.steps, seen.scorer, (before, judged[1]), problem=problem, name="rewriting"
    )


def _judged_pair(
    results: ResultSet, contents: Contents, seen: Evaluation, row: int, name: str
) -> tuple[JudgedVariant | None, JudgedVariant | None]:
    """What the scorer made of the case as `stress` gave it, and of the rewriting; None = it gave nothing to it."""
    folders = rewriting_folders(results, seen)
    if not folders:
        return None, None
    both = replace(contents, every=tuple(contents.every[contents.place[row, way]] for way in (GIVEN, name)))
    parts = tuple(path.name for kind in (RewardParts, VoteParts) for path in kind(folders[0]).parts())
    made: JudgedContents = _judged.of((name, *parts), (contents, seen), lambda: judged_variants(both, seen, folders))
    evaluation = made.evaluation
    first, second = ((evaluation, at) if evaluation.coverage.present[at] else None for at in range(2))
    return first, second
