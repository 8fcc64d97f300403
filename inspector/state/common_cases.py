"""Scorers side by side on the cases they share, and links to the cases on which they are right or wrong."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from inspector.render.blocks import Block, Note, Section, quiet_notes
from inspector.render.lines import CaseLink
from inspector.render.texts.sentences import counted
from inspector.render.texts.short_names import short_name
from inspector.state.figure_notes import untuned_notes
from scoring.data.errors import UsageError
from scoring.data.schema import Bools
from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.aligned import AlignedScorers, AlignedSums, align_scorers, with_labelled_step
from scoring.metrics.aligned_conditions import EVERY, common_of
from scoring.metrics.benchmark_metrics import every_metrics_of, metrics_of, own_cases
from scoring.metrics.case_groups import group_masks
from scoring.metrics.correct_sets import CorrectSet, correct_sets
from scoring.metrics.shared_draws import official_values
from scoring.selection.result_set import ResultSet, within

NOBODY = "There is no case that all of them tried; each two of them are compared on their own common cases."


def need_two(results: ResultSet) -> None:
    """Raise UsageError where fewer than two scorers are chosen."""
    if len(results.chosen) < 2:
        listed = ", ".join(evaluation.scorer.name for evaluation in results.evaluations) or "none"
        raise UsageError("compare needs two different scorers at least.", f"There are: {listed}.")


def best_first(results: ResultSet) -> ResultSet:
    """Order the chosen scorers by their official figure on common cases, the highest first.

    It is F1 on the cases that all tried, PRMScore on those whose steps all judged, or the benchmark's own leading
    figure on those that count for all. With several benchmarks it is the mean of those where it is defined; scorers
    without any come last.
    """
    by_name: dict[str, list[float]] = {name: [] for name in results.chosen}
    official = aligned_official(results)
    for benchmark, aligned in aligned_cases(results).items():
        for name, value in official_values(official.get(benchmark, aligned)).items():
            by_name[name] += [] if np.isnan(value) else [value]
    means = {name: float(np.mean(values)) if values else -1.0 for name, values in by_name.items()}
    return replace(results, chosen=tuple(sorted(means, key=lambda name: -means[name])))


def with_all_cases(
    evaluations: Sequence[Evaluation], aligned: AlignedScorers | AlignedSums
) -> tuple[list[Evaluation], str]:
    """Keep the scorers that tried each case that any of them tried: only their figures are of the same cases.

    Args:
        evaluations: the scorers.
        aligned: the same scorers, side by side.

    Returns:
        These scorers, and how many cases the others tried, in words; "" where there are no others.
    """
    n = int(aligned.tried.any(axis=1).sum())
    whole, others = [], []
    for evaluation, size in zip(evaluations, aligned.tried.sum(axis=0).tolist(), strict=True):
        if size == n > 0:
            whole.append(evaluation)
        elif size:
            others.append(f"{evaluation.scorer.name} tried {size:,}")
    return whole, f"{', '.join(others)} of {n:,} cases, and only scorers of all cases are ranked" if others else ""


def aligned_cases(results: ResultSet) -> dict[str, AlignedScorers]:
    """Put the chosen scorers side by side on the shown cases of each benchmark for which one of them gave anything.

    Where none did for any, all benchmarks are there, so that there are rows to say so.
    """
    evaluations = results.chosen_evaluations
    return {name: align_scorers(evaluations, rows, results.unparsed(name)) for name, rows in _compared(results).items()}


def aligned_official(results: ResultSet) -> dict[str, AlignedSums]:
    """Do the same by what the official figure adds up, for those of the benchmarks where it is not of first errors."""
    evaluations, made = results.chosen_evaluations, {}
    for name, rows in _compared(results).items():
        aligned = metrics_of(name).aligned(evaluations, rows, results.unparsed(name))
        if aligned is not None:
            made[name] = aligned
    return made


def aligned_own(results: ResultSet, benchmark: str) -> Iterator[AlignedSums]:
    """Put the chosen scorers side by side by what each metric of the user's own adds up on the shown cases."""
    rows = (results.cases["benchmark"] == benchmark).to_numpy() & results.mask
    for reported in every_metrics_of(benchmark)[1:]:
        aligned = reported.aligned(results.chosen_evaluations, rows, results.unparsed(benchmark))
        if aligned is not None:
            yield aligned


def own_link(
    results: ResultSet, benchmark: str, metric: str, names: Sequence[str], n: int, words: str
) -> CaseLink | None:
    """Link to the `n` cases that count in a metric of a benchmark's own, or of the user's, for all of these scorers.

    None where there is no such metric, or no condition selects exactly these.
    """
    cases, unparsed = own_cases(benchmark, metric), results.unparsed(benchmark)
    if cases is None or not n:
        return None
    each = (condition for name in names for condition in cases.where(name, unparsed))
    where = (*within(results, benchmark), *dict.fromkeys(each))
    if int((results.mask & results.evaluated.passing(where)).sum()) != n:
        return None
    return CaseLink(where, n, words, names[0], tuple(names[:8]), benchmark)


def _compared(results: ResultSet) -> dict[str, Bools]:
    """The shown cases, shape (n,), of each benchmark that is compared."""
    evaluations, mask = results.chosen_evaluations, results.mask
    of_benchmark = {part["benchmark"]: inside & mask for part, inside in group_masks(results.cases, ("benchmark",))}
    present = {
        name: rows
        for name, rows in of_benchmark.items()
        if any((evaluation.coverage.present & rows).any() for evaluation in evaluations)
    }
    return present or of_benchmark


def compare_command(results: ResultSet, *words: str, form: str = "") -> str:
    """Write the command with the chosen scorers as words; a name that looks like a flag goes behind its flag."""
    query, names = results.query, results.chosen
    if any(name.startswith("-") for name in names):
        return replace(query, scorers=names).command("compare", *words, form=form)
    return replace(query, scorers=()).command("compare", *names, *words, form=form)


def comparison_sections(results: ResultSet, blocks_of: Mapping[str, Iterable[Block]]) -> tuple[Section, ...]:
    """Make a section of the blocks of each benchmark, with who is not at the thresholds that were asked for."""
    sections = []
    for at, (name, blocks) in enumerate(blocks_of.items()):
        untuned = quiet_notes(untuned_notes(results, name))
        sections.append(Section(name, f"compare-{at}", (*blocks, *untuned)))
    return tuple(sections)


def without_gold(results: ResultSet, only: str | None = None) -> Iterator[str]:
    """Yield for every benchmark, or one, how many cases cannot be compared on, because they have no gold labels."""
    first = results.chosen_evaluations[0]
    for benchmark, rows in _compared(results).items():
        if only not in {None, benchmark}:
            continue
        missing = int((rows & ~first.gold.known).sum())
        if missing:
            what = "has" if missing == 1 else "have"
            lacking = f"{missing} of {int(rows.sum())} cases {what} no gold label of a first error"
            yield f"{benchmark}: {lacking}, and what is compared of first errors leaves them out"
        bare = int((rows & ~with_labelled_step(first)).sum()) if metrics_of(benchmark).steps else 0
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
    def of(cls, results: ResultSet, benchmark: str, aligned: AlignedScorers) -> "ScorerField":
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
    yield from quiet_notes(set_aside(field.aligned))
