"""How often a scorer puts the right one of several responses first."""

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl
from msgspec.structs import replace

from inspector.analyses import Option, OptionValue, Page, Params, analysis
from inspector.analyses.best_of_n.choice_tables import choice_sections
from inspector.analyses.best_of_n.lost_problems import (
    LOST,
    LOST_NOTES,
    ONE_PROBLEM,
    PROBLEM_NOTES,
    lost_rows,
    lost_sections,
    one_problem,
    problem_names,
    problem_sections,
    way_to_choose,
)
from inspector.analyses.best_of_n.protocol_page import PROTOCOL_NOTES, PROTOCOLS, protocol_rows, protocol_sections
from inspector.analyses.best_of_n.responses import (
    ProblemResponses,
    answer_oddities,
    coverage_words,
    found_responses,
    oddities_of,
    told_apart_by_text,
    with_answers,
)
from inspector.analyses.best_of_n.scorer_spread import SD, SOMERS, official_rows, rows_over_scorers
from inspector.render.view import View
from inspector.state.provenance import provenance
from scoring.data.errors import UsageError
from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.aggregations import AGGREGATIONS, Aggregation
from scoring.metrics.answer_votes import DRAWS, MOST_CHOICES, MOST_RESPONSES
from scoring.metrics.best_of_n import (
    SAME,
    response_rows,
    scorer_rows,
)
from scoring.metrics.resampling import RESAMPLES
from scoring.selection.result_set import ResultSet

BEST_OF_N = {
    "scorer": pl.String(),
    "benchmark": pl.String(),
    "subset": pl.String(),
    "aggregation": pl.String(),
    "metric": pl.String(),
    "of": pl.Int64(),
    "value": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    # Half the 95% interval of a value whose choices of responses were drawn; null for exact values.
    "sampling_error": pl.Float64(),
    "n": pl.Int64(),
    "responses": pl.Int64(),
    "left_out": pl.Int64(),
    "reason": pl.String(),
}
NOTES = (
    "prm@n: share of problems whose highest-scored response is right, of equal scores the first in the file",
    "of: out of how many responses; of fewer than there are: mean over every choice of so many",
    "mean@1: a response picked at random; pass@n: any is right; maj@n: the most frequent final answer",
    "weighted@n: the final answer with the highest sum of its responses' scores",
    "maj@n, weighted@n: answers that tie share the win, in any order of the responses",
    "maj@n, weighted@n: a response without a readable answer does not vote; if none votes, one is picked at random",
    "maj@n, weighted@n: of one response, both are mean@1",
    f"weighted@n: exact up to {MOST_CHOICES:,} choices a problem; maj@n: also up to {MOST_RESPONSES} responses",
    f"maj@n, weighted@n beyond that: mean over up to {DRAWS:,} choices a problem, drawn with the seed",
    "sampling_error: a drawn value is within so much of the exact one, at 95%; null: the value is exact",
    r"final answers: the column parsed_answer of a case's file, else the text in the last \boxed{...}",
    "final answers are compared as mathematics, by rules; math-verify compares more at import (extra answers)",
    "n counts problems; left_out: problems of which a response is not scored",
    f"low and high: 95% bootstrap, {RESAMPLES} resamples of problems",
    f"{SD}: population standard deviation over scorers; {SOMERS}_*: Somers' D of prm@n given their official figure",
    f"over scorers: those that scored every problem, and n counts them; values within {SAME:g} are tied",
    "prmscore and f1 are of all cases of PRMBench and ProcessBench here, whatever the filter",
)


CHOICE, AS_COUNTED, LOSES, ONE = "choice", "protocols", "lost", "problem"
PAGES = (
    Page(CHOICE, "which is chosen"),
    Page(AS_COUNTED, "as others count", help="figures by the rules of others (search-and-learn, RewardBench 2)"),
    Page(LOSES, "problems lost", "focus", help="problems whose right response is passed over (a wrong one is chosen)"),
    Page(ONE, "one problem", "focus", help="the responses to one problem", takes="problem"),
)
RANKED_BY = "Step rewards, or one number a solution, rank responses: import or score some."


def _problems(results: ResultSet, params: Params) -> Iterator[OptionValue]:
    """Offer the problems that the scorer in focus loses, and then the others."""
    for benchmark, responses in found_responses(results).items():
        unread = [None] * responses.rows.size
        made = ProblemResponses(benchmark, responses, unread, unread)
        lost: list[str] = []
        for evaluation in results.chosen_evaluations[:1]:
            if (way := way_to_choose(evaluation, responses, params.get("aggregation"))) is not None:
                lost = [row["problem_id"] or row["chosen"] for row in lost_rows(results, made, evaluation, way)[0]]
        others = [name for name in problem_names(results, made) if name not in set(lost)]
        yield from (OptionValue(name, name, "lost") for name in lost)
        yield from (OptionValue(name, name) for name in others)


@analysis(
    "Best of N",
    PAGES,
    examples=("prm-inspect best-of-n", "prm-inspect best-of-n --lost --aggregation last --csv"),
    options=(
        Option(
            "of",
            "choose out of N responses (the mean over every choice of N; default: all, and 1, 2, 4, ... of them)",
            "Responses",
            metavar="N",
            type=int,
            pages=(CHOICE,),
            offered=lambda results, _: _numbers_of_responses(results),
        ),
        Option(
            "aggregation",
            "how step rewards become the score that chooses (drawn first, with its band; default: the first there is)",
            "Chosen by",
            metavar="WAY",
            choices=tuple(AGGREGATIONS),
            pages=(CHOICE, LOSES, ONE),
        ),
        Option(
            "problem",
            "the responses to the problem with this id beside each other",
            "Problem",
            metavar="ID",
            pages=(ONE,),
            offered=_problems,
        ),
    ),
    help="Of several responses to a problem, how often the one that a scorer gives the highest score is right, beside "
    "chance, the majority of answers, and the best that there is.",
)
def best_of_n(results: ResultSet, params: Params, intervals: bool) -> View:
    """Choose among the responses of the shown problems that have several with a known final answer.

    Raises:
        UsageError: no shown problem has two responses whose final answers are known to be right or wrong, or as many
            as are asked for; fewer than 1 are.
    """
    n = params.get("of")
    if n is not None and n < 1:
        raise UsageError(f"nothing is chosen out of {n} responses.", "Give --of a number from 1 on.")
    every = [
        with_answers(results, benchmark, responses) for benchmark, responses in found_responses(results, n).items()
    ]
    seed = results.query.seed if intervals else None
    answer = {AS_COUNTED: _protocols, LOSES: _lost, ONE: _one}.get(params.page, _choice)
    return answer(results, params, every, seed)


def _choice(results: ResultSet, params: Params, every: Sequence[ProblemResponses], seed: int | None) -> View:
    """How often the best of so many is right."""
    n = params.get("of")
    rows: list[dict[str, Any]] = []
    notes = [*NOTES, *(f"{aggregation.name}: {aggregation.words}" for aggregation in AGGREGATIONS.values())]
    oddities: list[str] = []
    coverage: dict[str, dict[str, str]] = {evaluation.scorer.name: {} for evaluation in results.chosen_evaluations}
    as_text: dict[str, int] = {}
    for made in every:
        as_text[made.benchmark] = told_apart_by_text(results, made)
        oddities += answer_oddities(results, made, as_text[made.benchmark])
        benchmark, responses, groups = made.benchmark, made.responses, made.groups(results.query.seed)
        own = list(response_rows(responses, groups, n, seed))
        rows += ({"scorer": None, "benchmark": benchmark, **row} for row in own)
        for evaluation in results.chosen_evaluations:
            of_scorer = scorer_rows(evaluation, responses, groups, n, seed)
            rows += ({"scorer": evaluation.scorer.name, "benchmark": benchmark, **row} for row in of_scorer)
            coverage[evaluation.scorer.name][benchmark] = coverage_words(evaluation, responses)
        oddities += oddities_of(results, made, groups)
    official = list(official_rows(results))
    rows += [*official, *rows_over_scorers(rows, official)]
    frame = pl.DataFrame(rows, schema=BEST_OF_N, orient="row")
    made_of = _facts(results, params, notes, decides=bool(official))
    facts = {**made_of, "coverage": coverage, "answers_told_apart_by_text": as_text, "oddities": oddities}
    return View(
        frame, facts, title="Best of N", lay_out=lambda: choice_sections(frame, oddities, params.get("aggregation"))
    )


def _facts(results: ResultSet, params: Params, notes: Sequence[str], *, decides: bool = False) -> dict[str, Any]:
    command = results.query.command("best-of-n", *params.words, form=params.form)
    facts = provenance(results, command, tuple(notes), decides=decides)
    return {name: facts[name] for name in ("command", "version", "data", "scorers", "filter", "seed", "notes")}


def _protocols(results: ResultSet, params: Params, every: Sequence[ProblemResponses], seed: int | None) -> View:
    """What search-and-learn and RewardBench 2 would say of the same responses."""
    rows = [
        row
        for made in every
        for evaluation in results.chosen_evaluations
        for row in protocol_rows(results, made, evaluation, seed)
    ]
    frame = pl.DataFrame(rows, schema=PROTOCOLS, orient="row")
    facts = _facts(results, params, PROTOCOL_NOTES)
    return View(frame, facts, title="Best of N, as others count", lay_out=lambda: protocol_sections(frame))


def _lost(
    results: ResultSet,
    params: Params,
    every: Sequence[ProblemResponses],
    seed: int | None,  # noqa: ARG001  # as all pages
) -> View:
    """The problems of which a right response is there and not chosen."""
    rows: list[dict[str, Any]] = []
    counts: dict[tuple[str, str], int] = {}
    for made in every:
        for evaluation in results.chosen_evaluations:
            way = way_to_choose(evaluation, made.responses, params.get("aggregation"))
            if way is not None:
                own, problems = lost_rows(results, made, evaluation, way)
                rows += own
                counts[made.benchmark, evaluation.scorer.name] = problems
    if not counts:
        raise UsageError("no scorer has a number by which a response could be chosen.", RANKED_BY)
    frame = pl.DataFrame(rows, schema=LOST, orient="row")
    notes = (*LOST_NOTES, *(f"{name}: {AGGREGATIONS[name].words}" for name in frame["aggregation"].unique().sort()))
    facts = _facts(results, params, notes)
    return View(frame, facts, title="Problems lost", lay_out=lambda: lost_sections(results, frame, counts))


def _one(
    results: ResultSet,
    params: Params,
    every: Sequence[ProblemResponses],
    seed: int | None,  # noqa: ARG001  # as all pages
) -> View:
    """The responses to one problem beside each other: to the one that is named, else to the first that is lost."""
    ways = {
        (made.benchmark, evaluation.scorer.name): (made, evaluation, way)
        for made in every
        for evaluation in results.chosen_evaluations
        if (way := way_to_choose(evaluation, made.responses, params.get("aggregation"))) is not None
    }
    if not ways:
        raise UsageError("no scorer has a number by which a response could be chosen.", RANKED_BY)
    wanted = params.get("problem") or _first_lost(results, *next(iter(ways.values())))
    # A screen names none at first; the command without one is of another page.
    params = replace(params, options={**params.options, "problem": wanted})
    params = replace(params, words=best_of_n.words(params))
    rows = [
        row
        for made, evaluation, way in ways.values()
        for at, name in enumerate(problem_names(results, made))
        if name == wanted
        for row in one_problem(results, made, at, evaluation, way)
    ]
    if not rows:
        known = problem_names(results, every[0])[:3]
        raise UsageError(f"no shown problem is called {wanted!r}.", f"There are, for instance: {', '.join(known)}.")
    frame = pl.DataFrame(rows, schema=ONE_PROBLEM, orient="row")
    facts = _facts(results, params, PROBLEM_NOTES)
    return View(frame, facts, title="One problem", lay_out=lambda: problem_sections(results, frame))


def _first_lost(results: ResultSet, made: ProblemResponses, evaluation: Evaluation, way: Aggregation) -> str:
    rows, _ = lost_rows(results, made, evaluation, way)
    names = [row["problem_id"] or row["chosen"] for row in rows[:1]]
    return next(iter(names), problem_names(results, made)[0])


def _numbers_of_responses(results: ResultSet) -> Iterator[OptionValue]:
    yield OptionValue(None, "all, and fewer", "as usual")
    most = max(int(responses.sizes.max()) for responses in found_responses(results).values())
    yield from (OptionValue(number, f"{number}") for number in range(1, most + 1))
