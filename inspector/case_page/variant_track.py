"""A variant of a case beside the case: what a scorer gave to both, and what the changes made of its rewards."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from inspector.case_page.original_track import decided_alike
from inspector.render.texts.sentences import verdict_words
from scoring.data.context_messages import ContextMessage, context_messages
from scoring.data.errors import DamagedWorkspace, UsageError
from scoring.data.reward_keys import further_texts, reward_key
from scoring.data.schema import METADATA, content_key
from scoring.data.scorer import Scorer
from scoring.evaluation.evaluation import Evaluation, evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.single_case import verdict_of
from scoring.selection.result_set import ResultSet
from scoring.workspace.cache import RewardParts
from scoring.workspace.variants import REWARDS, Variant, VariantStep, apply_edits, placed_steps, reward_differences

JudgedVariant = tuple[Evaluation, int]
"""An evaluation, and the row in it."""


class ScoredVariant(Struct, frozen=True, eq=False, dict=True):
    """A case and a variant of it, seen through one scorer.

    `before` are the steps of the case, `steps` those of the variant; `judged` is what the scorer made of each of the
    two, None = it gave nothing to it, and `engines` what ran for it, as far as that is known. `problem` is that of
    the variant where it is another one; `name` says in a word what the variant is. `places` are those of the
    variant's steps among all messages of a trajectory (`scoring.workspace.variants.placed_steps`), None = there are
    none; then `unplaced` says why, where they are not known. `messages` are those that are no steps, with their places
    in the case and the step of the variant that each stands before; `moved` says which belong elsewhere than in the
    case.
    """

    variant: Variant
    before: tuple[str, ...]
    steps: tuple[VariantStep, ...]
    scorer: Scorer | None = None
    judged: tuple[JudgedVariant | None, JudgedVariant | None] = (None, None)
    engines: tuple[str, str] = ("", "")
    problem: str | None = None
    name: str = "variant"
    places: list[int] | None = None
    unplaced: str = ""
    messages: tuple[ContextMessage, ...] = ()
    moved: tuple[str, ...] = ()

    @property
    def refused(self) -> str:
        """Why the scorer cannot be given the variant; "" where it can."""
        return self.unplaced if self.scorer is not None and "context" in self.scorer.reads else ""

    @cached_property
    def rewards(self) -> tuple[list[float], list[float]]:
        """Return the rewards of the steps of the case and of the variant; if truncated, those of its first steps."""
        before, after = (_rewards(*pair) if pair else [] for pair in self.judged)
        return before, after

    @cached_property
    def differences(self) -> list[float | None]:
        """For each step of the variant its reward less that of the step it was made of; None where there is none."""
        return reward_differences(*self.rewards, self.steps)

    @property
    def edited(self) -> list[int]:
        """The steps (0-based) of the variant that have another text than the step they were made of."""
        origins = [None if step.origin is None else self.before[step.origin] for step in self.steps]
        return [at for at, (step, origin) in enumerate(zip(self.steps, origins, strict=True)) if step.text != origin]

    def words(self) -> Iterator[str]:
        """Say what the scorer made of both, as far as it has seen them."""
        if self.scorer is None:
            return
        verdicts = [verdict_of(pair[0], pair[1]) if pair else None for pair in self.judged]
        whats = ("case", self.name) if self.variant.edits or self.problem is not None else ("case",)
        predictions = [
            f"{verdict_words(verdict)} in the {what}"
            for verdict, what in zip(verdicts, whats, strict=False)
            if verdict is not None
        ]
        if predictions:
            yield f"{self.scorer.name} predicts {', '.join(predictions)}"
        moved = [(abs(value), at) for at, value in enumerate(self.differences) if value is not None]
        if moved and max(moved)[0] >= 0.005:
            at = max(moved)[1]
            yield f"largest difference {self.differences[at]:+.2f}, at step {at}"
        case, variant = (engine.rsplit(", ", 2)[1:] for engine in self.engines)
        if case and variant and case != variant:
            where = f"the case ran on {', '.join(case)}, the {self.name} on {', '.join(variant)}"
            yield f"{where}: some of it may be rounding"


def variant_beside(
    results: ResultSet, row: int, variant: Variant, scorer: Scorer | None, seen: Evaluation | None = None
) -> ScoredVariant:
    """Put a variant of the case in this row beside it.

    Args:
        results: where the case and its scorers are.
        row: the case's row id.
        variant: of this case's content.
        scorer: whose rewards stand beside both; None = nobody's.
        seen: its evaluation, as whose the variant is decided; None = it has none of these cases.

    Raises:
        UsageError: the edits do not fit the case.
        DamagedWorkspace: the case's texts cannot be read.
    """
    texts = results.loaded.texts.row(row)
    before = tuple(texts["steps"])
    steps = apply_edits(before, variant.edits)
    about = results.cases.row(row, named=True)
    made = _in_context(ScoredVariant(variant, before, steps, scorer), about, texts)
    if scorer is None:
        return made
    folders = _folders(results, scorer, seen)
    changed = [step.text for step in steps]
    changed_about = {**about, "step_messages": made.places}
    keys = [_key(scorer, about, texts, before), _key(scorer, changed_about, texts, changed)]
    case: JudgedVariant | None = (seen, row) if seen is not None and _rewards(seen, row) else None
    case = case or _alone(scorer, folders, keys[0], len(before), seen, row)
    if made.refused:
        return replace(made, judged=(case, None))
    if keys[0] == keys[1]:
        return replace(made, judged=(case, case))
    after = _alone(scorer, folders, keys[1], len(changed), seen, row)
    engines = [_engine(folders, key) if after else "" for key in keys]
    return replace(made, judged=(case, after), engines=(engines[0], engines[1]))


def _in_context(made: ScoredVariant, case: Mapping[str, Any], texts: Mapping[str, Any]) -> ScoredVariant:
    """The variant with its context, as far as it is known where that belongs."""
    messages = context_messages(case, texts)
    try:
        places = placed_steps(case, texts, made.variant.edits)
    except UsageError as error:
        return replace(made, unplaced=error.words)
    if places is None:
        return made
    there = context_messages({"step_messages": places}, texts)
    moved = tuple(
        message._replace(before=in_variant.before) for message, in_variant in zip(messages, there, strict=True)
    )
    return replace(made, places=places, messages=moved, moved=tuple(moved_words(messages, moved, made.steps)))


MOST_MOVED = 3
"""So many sentences at most say what belongs elsewhere; the steps show the others."""


def moved_words(
    messages: Sequence[ContextMessage], moved: Sequence[ContextMessage], steps: Sequence[VariantStep]
) -> Iterator[str]:
    """Say which messages stand behind another step than in the case, and behind which ones a step was put in.

    `messages` are those of the case, `moved` the same as they stand in its variant, and `steps` the variant's.
    """
    sentences = []
    for message, in_variant in zip(messages, moved, strict=True):
        earlier, now = message.before - 1, in_variant.before - 1
        if (steps[now].origin if now >= 0 else -1) != earlier:
            put_in = " that was put in" if now >= 0 and steps[now].origin is None else ""
            behind = f"behind step {now}{put_in}" if now >= 0 else "before all steps"
            sentences.append(f"{message_name(message)}, behind step {earlier} in the case, stands {behind} here")
    for at, step in enumerate(steps):
        if step.origin is None and (before := [message for message in moved if message.before == at]):
            sentences.append(f"step {at}, put in, stands behind {message_name(before[-1])}")
    yield from sentences[:MOST_MOVED]
    if (more := len(sentences) - MOST_MOVED) > 0:
        yield f"{more} more belong elsewhere than in the case"


def message_name(message: ContextMessage) -> str:
    """Name a message by its place in the case and who speaks: `[3] tool till`."""
    return f"[{message.place}] {message.speaker}"


def tried_by_all(results: ResultSet, row: int, variants: Sequence[Variant]) -> list[list[ScoredVariant]]:
    """Put variants of the case in this row beside it, each as every scorer sees it; by nobody where there is none.

    Scorers are those chosen, and those that have seen nothing here but variants.

    Raises:
        UsageError, DamagedWorkspace: as for `tried`.
    """
    scorers: list[tuple[Scorer | None, Evaluation | None]] = [
        (evaluation.scorer, evaluation) for evaluation in results.chosen_evaluations
    ]
    known = {evaluation.scorer.name for evaluation in results.evaluations}
    there = results.loaded.workspace.variants
    for path in sorted((there.folder / REWARDS).glob("*/scorer.json")) if there else ():
        with suppress(DamagedWorkspace):
            scorer = Scorer.load(path.parent)
            if scorer.name not in known and not results.query.scorers:
                scorers.append((scorer, None))
    return [
        [variant_beside(results, row, variant, *pair) for pair in scorers or [(None, None)]] for variant in variants
    ]


def variant_rows(results: ResultSet) -> Iterator[dict[str, Any]]:
    """Yield every variant of the shown cases as one JSON object: its edits, its texts, and rewards by scorer.

    `origins` say for each of its steps which step of the case it was made of (0-based, null = it was put in), and
    `step_messages` of a trajectory where it stands among all messages (0-based).

    Raises:
        UsageError: a variant's edits do not fit its case.
        DamagedWorkspace: a case's texts cannot be read.
    """
    there = results.loaded.workspace.variants
    for row in results.shown.tolist() if there else ():
        variants = there.of(results.cases["key"][row]) if there else ()
        for seen in tried_by_all(results, row, variants):
            made, scored = (
                seen[0],
                {trial.scorer.name: trial.rewards for trial in seen if trial.scorer and trial.rewards[1]},
            )
            yield {
                "case": results.cases["case"][row],
                "variant": made.variant.id,
                "edits": [edit.document() for edit in made.variant.edits],
                "problem": results.loaded.texts.row(row)["problem"],
                "case_steps": list(made.before),
                "steps": [step.text for step in made.steps],
                "origins": [step.origin for step in made.steps],
                **({} if made.places is None else {"step_messages": made.places}),
                "case_rewards": {name: before for name, (before, _) in scored.items()},
                "rewards": {name: after for name, (_, after) in scored.items()},
            }


def _folders(results: ResultSet, scorer: Scorer, seen: Evaluation | None) -> list[Path]:
    """Where rewards of a scorer may lie: those of cases, which may have the text of a variant, and of variants."""
    workspace = results.loaded.workspace
    if seen is not None and scorer.name in results.loaded.folders:
        folders = [results.loaded.folders[scorer.name]]
    else:
        there = workspace.reward_folders(results.cases["benchmark"].unique().to_list())
        folders = [folder for folder in there if folder.name == scorer.folder]
    return [*folders, *([workspace.variants.folder / REWARDS / scorer.folder] if workspace.variants else [])]


def _rewards(evaluation: Evaluation, row: int) -> list[float]:
    return list(evaluation.rewards.of(row) or evaluation.rewards.first_of(row) or [])


def _key(scorer: Scorer, case: Mapping[str, Any], texts: Mapping[str, Any], steps: Sequence[str]) -> str:
    """What a scorer's rewards of a solution to the problem are joined on."""
    return reward_key(content_key(texts["problem"], list(steps)), further_texts(scorer.reads, case, texts))


def _saved(folders: Sequence[Path], key: str) -> Iterator[pl.DataFrame]:
    """What is saved of a content in each folder that has anything of it."""
    for folder in folders:
        rows = RewardParts(folder).of(key).filter(pl.col("case").is_null())
        if rows.height:
            yield rows


def _engine(folders: Sequence[Path], key: str) -> str:
    rows = next(_saved(folders, key), None)
    return "" if rows is None else rows["engine"][0] or ""


def _alone(
    scorer: Scorer, folders: Sequence[Path], key: str, n_steps: int, seen: Evaluation | None, row: int
) -> JudgedVariant | None:
    """What is saved of one solution to the problem, decided as the case is; its gold labels are not known."""
    for rows in _saved(folders, key):
        record = {"case": "variant", "key": key, "benchmark": "", "id": "", "n_steps": n_steps}
        evaluation = evaluate(Gold(pl.DataFrame([record], schema=METADATA)), scorer, rows)
        if evaluation.coverage.present[0]:
            return evaluation if seen is None else decided_alike(evaluation, seen, row), 0
    return None
