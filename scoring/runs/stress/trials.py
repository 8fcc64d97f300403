"""The rewritings of some cases: what a scorer is given of them, and what it made of each, beside the case.

Nothing of a rewriting is kept but a scorer's rewards or answers, by content: the same cases and seed make the same ones
again. They lie where those of variants do (`scoring.workspace.variants`), never with a benchmark's cases.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct

from scoring.data.errors import UsageError
from scoring.data.reward_keys import reward_keys
from scoring.data.schema import METADATA, READABLE, Ints
from scoring.data.texts import Texts
from scoring.evaluation.evaluation import Evaluation, evaluate
from scoring.evaluation.gold import RIGHT_STEP, WRONG_STEP, Gold
from scoring.runs.stress.breaking import BREAKING
from scoring.runs.stress.cutting import GIVEN, WAYS, cut_into_parts
from scoring.runs.stress.measuring import Judgement, Trial
from scoring.runs.stress.preserving import PRESERVING
from scoring.runs.stress.rewriting import NotRewritten, Rewriting, Rewritten, Solution, rewritten
from scoring.workspace.cache import BALLOTS, RewardParts, VoteParts
from scoring.workspace.variants import content_frames

CONTROL = Rewriting("control", "control", "a blank behind the problem", lambda _solution, _rng: [])
REWRITINGS: tuple[Rewriting, ...] = (CONTROL, *PRESERVING, *BREAKING)
"""The control first; then what preserves, and what breaks."""
VERSION = 1
"""Of the rewritings: another one may make others of the same seed."""


class Content(Struct, frozen=True):
    """One solution that a scorer is given: that of a case (`made_by` GIVEN), a rewriting, or another way to cut it.

    `row` is the case's in the cases frame, 0-based.
    """

    row: int
    made_by: str
    made: Rewritten


class Contents(Struct, frozen=True, eq=False, dict=True):
    """What is made of some cases of a frame, with its texts and gold labels.

    `right` says by row of each step of the case whether its gold label is right (None = not known), `refused` counts by
    rewriting why cases were not rewritten.
    """

    cases: pl.DataFrame
    texts: Texts
    every: tuple[Content, ...]
    right: Mapping[int, tuple[bool | None, ...]]
    refused: Mapping[str, Counter[str]]

    @cached_property
    def frames(self) -> tuple[pl.DataFrame, Texts]:
        """A row a content, with its key and its texts, as a run takes cases."""
        return content_frames(list(self.documents()))

    def documents(self, places: Sequence[int] | None = None) -> Iterator[dict[str, Any]]:
        """Yield contents, at these places or all of them, as `scoring.workspace.variants.content_frames` takes them."""
        texts: dict[int, dict[str, Any]] = {}
        names = self.cases["case"]
        for content in self.every if places is None else [self.every[place] for place in places]:
            if content.row not in texts:
                texts = {content.row: self.texts.row(content.row)}
            further = {name: texts[content.row][name] for name in READABLE}
            made = content.made
            steps = [step.text for step in made.steps]
            name = f"{names[content.row]} ({content.made_by})"
            yield {"case": name, **further, "problem": made.problem, "steps": steps}

    @cached_property
    def place(self) -> dict[tuple[int, str], int]:
        """The place in `every` (0-based) of what was made of a case in one way."""
        return {(content.row, content.made_by): at for at, content in enumerate(self.every)}


def contents_of(cases: pl.DataFrame, texts: Texts, gold: Gold, rows: Ints, seed: int) -> Contents:
    """Rewrite some cases in every way, and cut them in every way.

    Args:
        cases: n of them.
        texts: theirs, row for row.
        gold: theirs.
        rows: which of them, 0-based.
        seed: of the rewritings.
    """
    ends = np.cumsum(gold.n_steps)
    every: list[Content] = []
    right: dict[int, tuple[bool | None, ...]] = {}
    refused: dict[str, Counter[str]] = {rewriting.name: Counter() for rewriting in REWRITINGS}
    for row in rows.tolist():
        read = texts.row(row)
        labels = gold.step_labels[ends[row] - gold.n_steps[row] : ends[row]].tolist()
        right[row] = tuple({RIGHT_STEP: True, WRONG_STEP: False}.get(label) for label in labels)
        solution = Solution(read["problem"], tuple(read["steps"]), right[row])
        every += [Content(row, way, Rewritten(solution.problem, cut_into_parts(solution.steps, way))) for way in WAYS]
        trajectory = "step_messages" in cases.columns and cases["step_messages"][row] is not None
        for rewriting in REWRITINGS:
            if trajectory:
                refused[rewriting.name]["a trajectory: what an agent does is not reworded"] += 1
                continue
            try:
                made = rewritten(rewriting, solution, f"{seed}|{cases['case'][row]}")
            except NotRewritten as refusal:
                refused[rewriting.name][str(refusal)] += 1
            else:
                every.append(Content(row, rewriting.name, made))
    return Contents(cases, texts, tuple(every), right, refused)


class JudgedContents(Struct, frozen=True, eq=False, dict=True):
    """What a scorer made of contents: by their places, and decided as it decides the cases (`seen`)."""

    contents: Contents
    seen: Evaluation
    evaluation: Evaluation

    @cached_property
    def judgements(self) -> list[Judgement | None]:
        """What it made of each content; None where there is nothing."""
        evaluation, verdicts = self.evaluation, self.evaluation.verdicts
        answered, made = evaluation.coverage.answered, []
        for place in range(len(self.contents.every)):
            rewards = evaluation.rewards.of(place) or evaluation.rewards.first_of(place) or ()
            verdict = int(verdicts[place]) if answered[place] else None
            made.append(Judgement(tuple(rewards), verdict) if rewards or verdict is not None else None)
        return made

    @property
    def tried(self) -> int:
        """How many contents have been given to the scorer."""
        return int(self.evaluation.coverage.present.sum())

    @property
    def missing(self) -> list[int]:
        """The places of the contents that have not."""
        return np.flatnonzero(~self.evaluation.coverage.present).tolist()

    def trials(self, rewriting: Rewriting) -> list[Trial]:
        """Return the cases of which the scorer gave something, as they are and rewritten."""
        contents, problems = self.contents, self.seen.gold.problems
        made = []
        for at, content in enumerate(contents.every):
            before = self._of(content.row, GIVEN)
            after = self.judgements[at]
            if content.made_by != rewriting.name or before is None or after is None:
                continue
            right = contents.right[content.row]
            control = self._of(content.row, CONTROL.name)
            name = contents.cases["case"][content.row]
            made.append(Trial(name, int(problems[content.row]), right, content.made, before, after, control))
        return made

    def unscored(self, rewriting: Rewriting) -> int:
        """Count the rewritten cases of which the scorer gave nothing, before or after."""
        every = sum(content.made_by == rewriting.name for content in self.contents.every)
        return every - len(self.trials(rewriting))

    def _of(self, row: int, made_by: str) -> Judgement | None:
        place = self.contents.place.get((row, made_by))
        return None if place is None else self.judgements[place]

    def of_case(self, row: int, way: str) -> tuple[Content, Judgement | None] | None:
        """Return what was made of a case in one way, and what the scorer made of that."""
        place = self.contents.place.get((row, way))
        return None if place is None else (self.contents.every[place], self.judgements[place])


def judged_variants(contents: Contents, seen: Evaluation, folders: Sequence[Path]) -> JudgedContents:
    """Join contents with what a scorer gave to them, and decide them as `seen` decides the cases.

    Args:
        contents: of the cases that `seen` is of.
        seen: the scorer on the cases.
        folders: where its rewards or votes lie; what is in a later one goes before what is in an earlier one.

    Raises:
        UsageError: the scorer reads the context of trajectories, and there are some.
    """
    trajectories = contents.cases["step_messages"].count() if "step_messages" in contents.cases.columns else 0
    if trajectories and "context" in seen.scorer.reads:
        raise UsageError(
            f"{seen.scorer.name} reads what stands between the steps, and {trajectories:,} of these cases are "
            "trajectories: solutions are rewritten without it.",
            "Give stress a scorer that reads problem and steps.",
        )
    cases, texts = contents.frames
    keyed = reward_keys(cases, texts, seen.scorer.reads)
    keys = keyed["key"].implode()
    rewards = [RewardParts(folder).read()[0].filter(pl.col("key").is_in(keys)) for folder in folders]
    votes = [VoteParts(folder).read(BALLOTS)[0].filter(pl.col("key").is_in(keys)) for folder in folders]
    # What a file said of one case is nothing that was made of a content.
    together = [pl.concat(frames).filter(pl.col("case").is_null()) for frames in (rewards, votes)]
    step_rewards = together[0].unique(["key", "vote"], keep="last", maintain_order=True)
    answers = together[1].unique(["key", "vote", "run"], keep="last", maintain_order=True)
    # Nobody labelled them: only what the scorer says of them is asked for.
    unlabelled = pl.concat([pl.DataFrame(schema=METADATA), cases], how="diagonal").with_columns(benchmark=pl.lit(""))
    gold = Gold(unlabelled)
    keyed = keyed.with_columns(benchmark=pl.lit(""))
    evaluation = evaluate(gold, seen.scorer, step_rewards, votes=answers if answers.height else None, cases=keyed)
    return JudgedContents(contents, seen, _decided_alike(evaluation, seen, [content.row for content in contents.every]))


def _decided_alike(evaluation: Evaluation, seen: Evaluation, rows: Sequence[int]) -> Evaluation:
    """Decide contents as the cases (`rows`) are decided that they were made of."""
    if seen.rule.comparing is None or not evaluation.rule.by_threshold:
        return evaluation
    if seen.rule.movable is None:
        return evaluation.under(seen.rule.comparing.of_cases(np.array(rows, dtype=np.int64)))
    rule = seen.rule.movable
    return evaluation.compared(rule.comparison, rule.on, rule.step).at(rule.threshold, rule.source)
