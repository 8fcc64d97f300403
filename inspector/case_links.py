"""From figures to the cases that they are of, and to those that a threshold has wrong."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from inspector.filtering.searching import asked
from inspector.inspection import Inspection
from inspector.render.lines import CaseLink
from inspector.render.view import Block, Note, Section
from inspector.selection import Selection, within
from inspector.texts.sentences import counted
from inspector.texts.short_names import short_name
from scoring.benchmarks.registry import step_labelled
from scoring.errors import UsageError
from scoring.evaluations.evaluation import Evaluation
from scoring.evaluations.official_rows import parts
from scoring.evaluations.verdicts import OUTCOMES, Rule, under
from scoring.filtering.filters import Facet, Filter
from scoring.filtering.sql_words import named
from scoring.metrics.aligned import (
    EVERY,
    AlignedScorers,
    AlignedSteps,
    align_scorers,
    align_steps,
    common_of,
    with_labelled_step,
)
from scoring.metrics.ensembles import CorrectSet, correct_sets
from scoring.metrics.first_error import FAILURES
from scoring.metrics.kernel import Unparsed
from scoring.metrics.paired import official_values
from scoring.metrics.shares import RIGHT_OUTCOMES, SIDES, tried, wrong
from scoring.metrics.threshold_curves import AtThreshold
from scoring.schema import Bools

OF_SIDE = {"f1": "", "error_acc": "erroneous", "correct_acc": "clean"}
"""By figure of first errors the side that it is of; "" is both."""
KNOWN = "earliest_error >= -1"
"""The condition on a case that gold says where its earliest error is, or that there is none."""
WHOLE = frozenset({"all", "average"})
"""What rows call all cases, and the mean over their groups."""


def group_facets(results: Selection, benchmark: str, group: str) -> tuple[Facet, ...] | None:
    """Select by facets the cases that a row of metrics is of: of all, of a subset, or of a group of subsets.

    None where no column tells them.
    """
    if group in WHOLE:
        return ()
    facts = step_labelled(benchmark)
    facets = [Facet("subset", (group,) if group else ("", None)), *([Facet(facts.group, (group,))] if facts else [])]
    own = Facet("benchmark", (benchmark,)).sql
    return next(((facet,) for facet in facets if results.passing((own, facet.sql)).any()), None)


def figure_link(
    results: Selection, evaluation: Evaluation, benchmark: str, metric: str, groups: tuple[Facet, ...] = ()
) -> CaseLink | None:
    """Link to the shown cases of a benchmark, and of groups, that an official figure of a scorer is of.

    None where no condition tells them: under thresholds of dev sets some cases are left out.
    """
    if evaluation.left_out:
        return None
    name, unparsed = evaluation.scorer.name, results.unparsed(benchmark)
    rows = results.mask & results.passing((Facet("benchmark", (benchmark,)).sql, *(facet.sql for facet in groups)))
    where = (*within(results, benchmark), *(facet.sql for facet in groups))
    group_words = ", ".join(str(facet.values[0] or f"no {facet.column}") for facet in groups)
    if (side := OF_SIDE.get(metric)) is None:
        n = int((np.isfinite(evaluation.step_accuracies) & rows).sum())
        where = (*where, f"{named(f'{name}.step_accuracy')} IS NOT NULL")
        words = "cases whose steps the figure counts"
    else:
        earliest = evaluation.gold.earliest
        of_side = {
            "": evaluation.gold.known,
            "erroneous": earliest >= 0,
            "clean": evaluation.gold.known & (earliest < 0),
        }
        counted = _among(evaluation, (*RIGHT_OUTCOMES, *FAILURES[unparsed]))
        n = int((rows & of_side[side] & counted).sum())
        where = (*where, SIDES[side] if side else KNOWN, tried(name, unparsed))
        words = f"tried by {name}{f', {side}' if side else ''}"
    return CaseLink(where, n, f"{words}, {group_words}" if group_words else words, name, benchmark=benchmark)


def wrong_link(results: Selection, evaluation: Evaluation, benchmark: str) -> CaseLink:
    """Link to the shown cases that a scorer has wrong at its present threshold."""
    name, unparsed = evaluation.scorer.name, results.unparsed(benchmark)
    rows = results.mask & results.passing((Facet("benchmark", (benchmark,)).sql,))
    n = int((_among(evaluation, FAILURES[unparsed]) & rows).sum())
    where = (*within(results, benchmark), wrong(name, unparsed))
    return CaseLink(where, n, f"{name} is wrong, at the present threshold", name, benchmark=benchmark)


def wrong_at_link(
    results: Selection, evaluation: Evaluation, benchmark: str, threshold: float | None
) -> CaseLink | None:
    """Link to those that it would have wrong at another; None where none decides, or cases are left out."""
    if threshold is None or evaluation.left_out or not isinstance(evaluation.rule, Rule):
        return None
    unparsed, name = results.unparsed(benchmark), evaluation.scorer.name
    rows = results.mask & results.passing((Facet("benchmark", (benchmark,)).sql,))
    n = int((wrong_rows(evaluation, threshold, unparsed) & rows).sum())
    where = (*within(results, benchmark), wrong_condition(evaluation, threshold, unparsed))
    return CaseLink(where, n, f"{name} is wrong at the threshold {threshold:.4g}", name, benchmark=benchmark)


def wrong_rows(evaluation: Evaluation, threshold: float, unparsed: Unparsed) -> Bools:
    """Find the cases (n,) that count as wrong at a threshold, whatever the present one is."""
    rule, gold, floats = evaluation.rule, evaluation.gold, evaluation.floats
    assert isinstance(rule, Rule)  # noqa: S101  # the caller has looked
    before, at, lowest = (under(side, threshold, rule.comparison) for side in (floats.before, floats.at, floats.all))
    right = np.where(gold.earliest >= 0, at & ~before, ~lowest)
    moving = gold.known & np.isfinite(floats.all)
    still = _among(evaluation, FAILURES[unparsed])
    rows: Bools = np.where(moving, ~right, still)
    return rows


def wrong_condition(evaluation: Evaluation, threshold: float, unparsed: Unparsed) -> str:
    """Return the condition that selects the cases which a scorer has wrong."""
    rule, name = evaluation.rule, evaluation.scorer.name
    assert isinstance(rule, Rule)  # noqa: S101  # the caller has looked
    decided = AtThreshold(name, threshold, rule.comparison).wrong
    # What no threshold decides is wrong at each of them, or at none.
    return f"{decided} OR ({named(f'{name}.lowest_compared')} IS NULL AND ({wrong(name, unparsed)}))"


def _among(evaluation: Evaluation, outcomes: tuple[str, ...]) -> Bools:
    """Tell of which cases (n,) the outcome is one of these."""
    chosen = np.array([outcome in outcomes for outcome in OUTCOMES])
    among: Bools = chosen[evaluation.codes]
    return among


# -- from a number to the cases behind it, and back


def drilled(inspection: Inspection, drill: CaseLink) -> Inspection:
    """List the cases behind a number: those of the slice that fulfil its conditions, most instructive first.

    The slice is what sheets speak of: conditions on what scorers made of the cases are not part of it, so that they are
    dropped here as well.

    Raises:
        FilterError: a condition of it cannot be read.
    """
    benchmark = drill.benchmark or inspection.benchmark
    scorer = drill.scorer or inspection.scorer
    condition = joined(drill.where)
    kept = inspection.of_data
    chosen = Filter(kept.facets, (*kept.where, condition)) if condition else kept
    bare = replace(inspection, titles={**inspection.titles, condition: drill.words}).filtered(Filter())
    beside = drill.others if scorer in drill.others or not drill.others else (str(scorer), *drill.others)
    there = replace(bare.focused(scorer, benchmark) if scorer else bare, beside=beside)
    return there.filtered(chosen).ordered("instructive" if there.scorer else "")


def joined(where: tuple[str, ...]) -> str:
    """Join conditions into one."""
    return where[0] if len(where) == 1 else " AND ".join(f"({condition})" for condition in where)


def returned(now: Inspection, before: Inspection) -> Inspection:
    """Return to what a sheet showed `before` its cases were listed, with new thresholds, rewards and tags."""
    same = now.cases is before.cases
    search = before.selection.found if same else now.selection.found
    request = replace(
        now.selection.request, sort=before.selection.request.sort, columns=before.selection.request.columns
    )
    again = replace(now, selection=replace(now.selection, request=replace(request, **asked(search)), found=search))
    names = [evaluation.scorer.name for evaluation in now.selection.evaluations]
    scorer = before.scorer if before.scorer in names else now.scorer
    bare = replace(again, scorer=scorer, benchmark=before.benchmark, filter=before.filter, beside=before.beside)
    return bare.filtered(before.filter)


# -- scorers side by side on the cases they share, and links to the cases on which they are right or wrong


NOBODY = "There is no case that all of them tried; each two of them are compared on their own common cases."


def need_two(results: Selection) -> None:
    """Raise UsageError where fewer than two scorers are chosen."""
    if len(results.chosen) < 2:
        listed = ", ".join(evaluation.scorer.name for evaluation in results.evaluations) or "none"
        raise UsageError("compare needs two different scorers at least.", f"There are: {listed}.")


def best_first(results: Selection) -> Selection:
    """Order the chosen scorers by their official figure on common cases, the highest first.

    It is F1 on the cases that all tried, or PRMScore on those whose steps all judged. With several benchmarks it is the
    mean of those where it is defined; scorers without any come last.
    """
    by_name: dict[str, list[float]] = {name: [] for name in results.chosen}
    steps = aligned_steps(results)
    for benchmark, aligned in aligned_cases(results).items():
        official = official_values(steps.get(benchmark, aligned))
        for name, value in official.items():
            by_name[name] += [] if np.isnan(value) else [value]
    means = {name: float(np.mean(values)) if values else -1.0 for name, values in by_name.items()}
    return replace(results, chosen=tuple(sorted(means, key=lambda name: -means[name])))


def aligned_cases(results: Selection) -> dict[str, AlignedScorers]:
    """Put the chosen scorers side by side on the shown cases of each benchmark for which one of them gave anything.

    Where none did for any, all benchmarks are there, so that there are rows to say so.
    """
    evaluations = results.chosen_evaluations
    return {name: align_scorers(evaluations, rows, results.unparsed(name)) for name, rows in _compared(results).items()}


def aligned_steps(results: Selection) -> dict[str, AlignedSteps]:
    """Do the same step by step, for those of the benchmarks whose official figure is PRMScore."""
    facts = {name: (rows, step_labelled(name)) for name, rows in _compared(results).items()}
    evaluations = results.chosen_evaluations
    return {name: align_steps(evaluations, rows, known) for name, (rows, known) in facts.items() if known}


def _compared(results: Selection) -> dict[str, Bools]:
    """The shown cases, shape (n,), of each benchmark that is compared."""
    evaluations, mask = results.chosen_evaluations, results.mask
    of_benchmark = {part["benchmark"]: inside & mask for part, inside in parts(results.cases, ("benchmark",))}
    present = {
        name: rows
        for name, rows in of_benchmark.items()
        if any((evaluation.present & rows).any() for evaluation in evaluations)
    }
    return present or of_benchmark


def compare_command(results: Selection, *words: str, form: str = "") -> str:
    """Write the command with the chosen scorers as words; a name that looks like a flag goes behind its flag."""
    request, names = results.request, results.chosen
    if any(name.startswith("-") for name in names):
        return replace(request, scorers=names).command("compare", *words, form=form)
    return replace(request, scorers=()).command("compare", *names, *words, form=form)


def comparison_sections(blocks_of: Mapping[str, Iterable[Block]]) -> tuple[Section, ...]:
    """Make a section of the blocks of each benchmark."""
    return tuple(Section(name, f"compare-{at}", tuple(blocks)) for at, (name, blocks) in enumerate(blocks_of.items()))


def without_gold(results: Selection) -> Iterator[str]:
    """Yield for every benchmark how many cases cannot be compared on, because they have no gold labels."""
    first = results.chosen_evaluations[0]
    for benchmark, rows in _compared(results).items():
        missing = int((rows & ~first.gold.known).sum())
        if missing:
            what = "has" if missing == 1 else "have"
            lacking = f"{missing} of {int(rows.sum())} cases {what} no gold label of a first error"
            yield f"{benchmark}: {lacking}, and what is compared of first errors leaves them out"
        bare = int((rows & ~with_labelled_step(first)).sum()) if step_labelled(benchmark) else 0
        if bare:
            what = "has" if bare == 1 else "have"
            yield f"{benchmark}: {bare} of {int(rows.sum())} cases {what} no labelled step: prmscore leaves them out"


def set_aside(aligned: AlignedScorers) -> Iterator[str]:
    """Name every scorer that tried no case and is set aside."""
    for column in set(range(len(aligned.names))) - set(aligned.trying):
        why = aligned.nothing[column]
        yield f"{aligned.names[column]} tried no case{f' ({why})' if why else ''} and is set aside"


class ScorerField(NamedTuple):
    """All scorers that tried any case of a benchmark: `columns` are their places.

    `inside` are the conditions that tell the benchmark's cases from others', `sets` say who is right together.
    """

    aligned: AlignedScorers
    benchmark: str
    inside: tuple[str, ...]
    columns: tuple[int, ...]
    sets: tuple[CorrectSet, ...]

    @classmethod
    def of(cls, results: Selection, benchmark: str, aligned: AlignedScorers) -> "ScorerField":
        """Find who tried any case, and who is right together on those that all tried."""
        columns = aligned.trying
        sets = tuple(correct_sets(aligned, columns)) if len(columns) > 1 and aligned.common(columns).any() else ()
        return cls(aligned, benchmark, within(results, benchmark), columns, sets)

    @property
    def names(self) -> list[str]:
        """Name them."""
        return [self.aligned.names[place] for place in self.columns]

    def link(self, correct_set: CorrectSet) -> CaseLink:
        """Link to the cases of a set; one of those that are right looks at them, beside those that are not."""
        right = [self.aligned.names[place] for place in correct_set.right]
        wrong = [name for name in self.names if name not in right]
        names = short_name(", ".join(right), 60)
        who = "no scorer is" if not right else "all scorers are" if not wrong else f"only {names}"
        words = f"{who} right, {correct_set.side}"
        others = tuple(dict.fromkeys((*right, *wrong)))[:8]
        return CaseLink(
            (*self.inside, correct_set.where), correct_set.count, words, (right or wrong)[0], others, self.benchmark
        )

    def common(self, side: str) -> CaseLink:
        """Link to the cases that all tried, of one side or (EVERY) of both."""
        members = self.aligned.common(self.columns)
        n = int((members if side == EVERY else members & dict(self.aligned.sides)[side]).sum())
        words = "tried by all scorers" if side == EVERY else f"tried by all scorers, {side}"
        where = (*self.inside, common_of(self.aligned, self.columns, side))
        return CaseLink(where, n, words, benchmark=self.benchmark)


def field_head(field: ScorerField) -> Iterator[Block]:
    """Say how many scorers and cases a page is of."""
    n = int(field.aligned.common(field.columns).sum()) if field.columns else 0
    yield Note(f"All {len(field.columns)} scorers", "lead")
    if not n:
        yield Note(NOBODY)
        return
    out = field.aligned.left_out(field.columns)
    left = f", {out:,} left out that not all tried" if out else ""
    yield Note(f"On the {counted(n, 'case')} that all of them tried{left}.", "quiet")
    yield from (Note(f"{words}.", "quiet") for words in set_aside(field.aligned))
