"""The responses to problems: which there are, their final answers, and what to keep in mind about them."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct

from scoring.data.errors import UsageError
from scoring.data.schema import Ints
from scoring.evaluation.evaluation import Evaluation
from scoring.formats.reading.answer_forms import answer_form, distinct_answers
from scoring.formats.reading.final_answers import boxed_answer
from scoring.formats.reading.findings import some_of
from scoring.formats.tables.response_answers import BY_TEXT, COMPARED_BY, EQUAL_ANSWER, OLD_COMPARISON
from scoring.metrics.aggregations import AGGREGATIONS
from scoring.metrics.answer_votes import AnswerGroups, answer_groups
from scoring.metrics.case_groups import group_masks
from scoring.metrics.responses import Responses, responses_of
from scoring.selection.result_set import ResultSet


class ProblemResponses(Struct, frozen=True, eq=False):
    """The responses to a benchmark's problems, and their final answers (m); null where a response has none.

    `ballots` (m) are what they vote for: one spelling for all answers to a problem that are equal.
    """

    benchmark: str
    responses: Responses
    answers: Sequence[str | None]
    ballots: Sequence[str | None]

    def groups(self, seed: int, *, empty: bool = False) -> AnswerGroups:
        """Group them by their answers; with `empty`, a response without an answer has the empty one."""
        answers = ["" if ballot is None else ballot for ballot in self.ballots] if empty else self.ballots
        own = self.responses
        return answer_groups(own.bounds, own.right, answers, seed)


PARSED = "parsed_answer"
"""The column of a file that says a response's final answer."""


def found_responses(results: ResultSet, n: int | None = None) -> dict[str, Responses]:
    """Return the responses of every benchmark that has any, less the problems with fewer than n.

    Raises:
        UsageError: there are none, and why.
    """
    wording = _wording(results)
    by_benchmark, known, most = {}, False, 0
    for part, rows in group_masks(results.cases, ("benchmark",), results.mask):
        known |= bool(results.cases["final_answer_correct"].is_not_null().filter(pl.Series(rows)).any())
        responses = responses_of(results.cases, wording, rows)
        most = max(most, int(responses.sizes.max(initial=0)))
        kept = responses if n is None else responses.keep(responses.sizes >= n)
        if kept.subsets.size:
            by_benchmark[part["benchmark"]] = kept
    if by_benchmark:
        return by_benchmark
    if not known:
        wanted = "Import responses with a column final_answer_correct (or is_correct), several a problem."
        raise UsageError("of no shown case is it known whether its final answer is right.", wanted)
    if most and n is not None:
        raise UsageError(f"no shown problem has {n} responses.", f"The most that one has is {most}.")
    wanted = "Give the responses of a problem the same problem_id, or the same text as their problem."
    raise UsageError("no shown problem has two responses whose final answers are known.", wanted)


def _wording(results: ResultSet) -> pl.Series:
    """The texts of all problems, by which those without an id are told; nulls where each has one."""
    if results.cases["problem_id"].null_count():
        return results.loaded.texts.frame(["problem"])["problem"]
    return pl.repeat(None, results.evaluated.height, dtype=pl.String, eager=True)


def with_answers(results: ResultSet, benchmark: str, responses: Responses) -> ProblemResponses:
    """Read the final answers of responses, and find those that are equal."""
    answers = _file_column(results, PARSED, responses.rows)
    unsaid = np.array([place for place, answer in enumerate(answers) if answer is None], dtype=np.int64)
    if unsaid.size:
        steps = results.loaded.texts.gather(responses.rows[unsaid]).frame(["steps"])["steps"]
        for place, solution in zip(unsaid.tolist(), steps.to_list(), strict=True):
            answers[place] = boxed_answer(solution)
    equal = _file_column(results, EQUAL_ANSWER, responses.rows)
    compared = [same or answer for same, answer in zip(equal, answers, strict=True)]
    ballots: list[str | None] = []
    for start, end in pairwise(responses.bounds.tolist()):
        ballots += distinct_answers(compared[start:end])
    return ProblemResponses(benchmark, responses, answers, ballots)


def _file_column(results: ResultSet, name: str, rows: Ints) -> list[str | None]:
    """Return the texts that a column of the cases' files has for some rows; nulls without such a column."""
    if not results.evaluated.is_metadata(name):
        return [None] * rows.size
    return results.evaluated.column(name).gather(rows).cast(pl.String).to_list()


def told_apart_by_text(results: ResultSet, made: ProblemResponses) -> int:
    """Count the responses whose answer differs from the reference, or from the problem's other answers, as text alone.

    Those that the file judges, or that equal the reference, differ from other answers only.
    """
    compared_by = _file_column(results, COMPARED_BY, made.responses.rows)
    total = 0
    for start, end in pairwise(made.responses.bounds.tolist()):
        ballots = made.ballots[start:end]
        kinds = {ballot: answer_form(ballot).kind for ballot in ballots if ballot is not None}
        known = len(set(kinds.values()) - {""})
        for ballot, by in zip(ballots, compared_by[start:end], strict=True):
            if by is None and ballot is not None and len(kinds) > 1:
                total += not kinds[ballot] or known > 1
            else:
                total += by == BY_TEXT
    return total


def answer_oddities(results: ResultSet, made: ProblemResponses, as_text: int) -> Iterator[str]:
    """Explain how the final answers of a benchmark were compared, where that may be wrong."""
    benchmark = made.benchmark
    if as_text:
        total = made.responses.rows.size
        yield f"{benchmark}: {as_text:,} of {total:,} responses have an answer that is told apart by its text alone"
    if old := _compared_as_texts(results, benchmark):
        yield f"{benchmark}: an older version compared the final answers of {old} as texts; import them again"


def _compared_as_texts(results: ResultSet, benchmark: str) -> str:
    """Name the files whose answers an older version compared with the reference as texts; "" without any."""
    reports = results.loaded.workspace.imports(benchmark)
    old = [report for report in reports if any(finding["code"] == OLD_COMPARISON for finding in report["findings"])]
    return some_of([str(report["source"]) for report in old], 3) if old else ""


def coverage_words(evaluation: Evaluation, responses: Responses) -> str:
    """Write `k of n`, the problems all of whose responses have a score of the same kind."""
    whole = [responses.whole(aggregation.scored(evaluation)) for aggregation in AGGREGATIONS.values()]
    return f"{int(np.max([complete.sum() for complete in whole]))} of {responses.subsets.size} problems"


def oddities_of(results: ResultSet, made: ProblemResponses, groups: AnswerGroups) -> Iterator[str]:
    """Warn of what is odd about the responses of one benchmark and their scores."""
    benchmark, responses = made.benchmark, made.responses
    if responses.alone:
        yield f"{benchmark}: {responses.alone} problems with one response are left out: nothing is chosen there"
    if responses.unknown:
        yield f"{benchmark}: {responses.unknown} responses are left out: their final answer is neither right nor wrong"
    mixed = int(((responses.n_right > 0) & (responses.n_right < responses.sizes)).sum())
    mixture = f"right and wrong responses in {mixed} of {responses.subsets.size} problems"
    yield f"{benchmark}: {mixture}: the choice matters there alone"
    if several := int((_generators(results, responses) > 1).sum()):
        yield f"{benchmark}: {several} problems have responses of several generators, and the best of all is chosen"
    if contradicted := groups.contradicted():
        both = f"in {contradicted} problems one answer is labelled right and wrong"
        yield f"{benchmark}: {both}; votes count the share that is right"
    silent = int((groups.groups < 0).sum())
    if silent and groups.voted.any():
        yield f"{benchmark}: {silent} of {groups.groups.size} responses have no readable answer and do not vote"
    for evaluation in results.chosen_evaluations:
        rewards = evaluation.rewards
        member = np.zeros(evaluation.codes.size, dtype=np.bool_)
        member[responses.rows] = True
        below = int((rewards.values[np.repeat(member, np.diff(rewards.offsets))] < 0).sum())
        if below:
            name = evaluation.scorer.name
            yield f"{name} on {benchmark}: {below} step rewards are below 0, so that products change sign"


def _generators(results: ResultSet, responses: Responses) -> np.ndarray[Any, Any]:
    """How many generators the responses of each problem are known to have. Shape (p,)."""
    frame = pl.DataFrame(
        {"problem": responses.problems, "generator": results.cases["generator"].gather(responses.rows)}
    )
    counted = frame.group_by("problem").agg(pl.col("generator").drop_nulls().n_unique())
    return counted.sort("problem")["generator"].to_numpy()
