"""How often a scorer puts the right one of several responses first."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from msgspec.structs import replace

from inspector.analyses import Option, OptionValue, Page, Params, analysis
from inspector.analyses.best_of_n.response_pages import (
    DRAWN,
    LOST,
    LOST_NOTES,
    ONE_PROBLEM,
    PROBLEM_NOTES,
    PROTOCOL_NOTES,
    PROTOCOLS,
    ProblemResponses,
    choice_curves,
    lost_rows,
    lost_sections,
    one_problem,
    problem_names,
    problem_sections,
    protocol_rows,
    protocol_sections,
    way_to_choose,
)
from inspector.render.blocks import (
    Block,
    Cell,
    Column,
    Kind,
    Note,
    Section,
    Table,
    count,
    figure,
    quiet_notes,
    table,
    text,
)
from inspector.render.cells import share as share_text
from inspector.render.texts.sentences import official_score
from inspector.render.view import View
from inspector.state.provenance import provenance
from inspector.state.result_set import ResultSet
from scoring.data.errors import UsageError
from scoring.data.schema import NO_SUBSET, Ints, RowDict
from scoring.evaluation.evaluation import Evaluation
from scoring.formats.reading.answer_forms import answer_form, distinct_answers
from scoring.formats.reading.final_answers import boxed_answer
from scoring.formats.reading.findings import some_of
from scoring.formats.tables.response_answers import BY_TEXT, COMPARED_BY, EQUAL_ANSWER, OLD_COMPARISON
from scoring.metrics.aggregations import AGGREGATIONS, Aggregation
from scoring.metrics.answer_votes import DRAWS, MOST_CHOICES, MOST_RESPONSES, AnswerGroups
from scoring.metrics.best_of_n import (
    FEWEST,
    MAJORITY,
    MEAN,
    OVER_MEAN,
    PASS,
    PRM,
    PROBLEMS,
    SAME,
    TIED,
    WEIGHTED,
    population_sd,
    response_rows,
    scorer_rows,
    somers_d,
)
from scoring.metrics.case_groups import group_masks
from scoring.metrics.resampling import RESAMPLES, SMALL
from scoring.metrics.responses import Responses, responses_of

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
OFFICIAL = {"prmbench": "prmscore", "processbench": "f1"}
"""Benchmarks whose official figure is held against prm@n, and what that figure is called."""
SD, SOMERS = "prm@n_sd", "prm@n_somers_d"
ASSOCIATED = {f"{SOMERS}_{metric}": f"Somers' D ({metric})" for metric in OFFICIAL.values()}
CHOSEN = (MEAN, MAJORITY, PASS, PRM, WEIGHTED)
"""Accuracies of what is chosen, or of chance."""
BESIDE = (OVER_MEAN, TIED)
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
PARSED = "parsed_answer"
"""The column of a file that says a response's final answer."""


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
        _with_answers(results, benchmark, responses) for benchmark, responses in found_responses(results, n).items()
    ]
    seed = results.query.seed if intervals else None
    answer = {AS_COUNTED: _protocols, LOSES: _lost, ONE: _one}.get(params.page, _choice)
    return answer(results, params, every, seed)


def _choice(results: ResultSet, params: Params, every: Sequence[ProblemResponses], seed: int | None) -> View:
    """How often the best of so many is right."""
    n = params.get("of")
    rows: list[RowDict] = []
    notes = [*NOTES, *(f"{aggregation.name}: {aggregation.words}" for aggregation in AGGREGATIONS.values())]
    oddities: list[str] = []
    coverage: dict[str, dict[str, str]] = {evaluation.scorer.name: {} for evaluation in results.chosen_evaluations}
    as_text: dict[str, int] = {}
    for made in every:
        as_text[made.benchmark] = _told_apart_by_text(results, made)
        oddities += _answer_oddities(results, made, as_text[made.benchmark])
        benchmark, responses, groups = made.benchmark, made.responses, made.groups(results.query.seed)
        own = list(response_rows(responses, groups, n, seed))
        rows += ({"scorer": None, "benchmark": benchmark, **row} for row in own)
        for evaluation in results.chosen_evaluations:
            of_scorer = scorer_rows(evaluation, responses, groups, n, seed)
            rows += ({"scorer": evaluation.scorer.name, "benchmark": benchmark, **row} for row in of_scorer)
            coverage[evaluation.scorer.name][benchmark] = _coverage(evaluation, responses)
        oddities += _oddities(results, made, groups)
    official = list(_official(results))
    rows += [*official, *_over_scorers(rows, official)]
    frame = pl.DataFrame(rows, schema=BEST_OF_N, orient="row")
    made_of = _facts(results, params, notes, decides=bool(official))
    facts = {**made_of, "coverage": coverage, "answers_told_apart_by_text": as_text, "oddities": oddities}
    return View(frame, facts, title="Best of N", lay_out=lambda: _sections(frame, oddities, params.get("aggregation")))


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
    rows: list[RowDict] = []
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


# -- what people see


def _sections(frame: pl.DataFrame, oddities: Sequence[str], by: str | None) -> tuple[Section, ...]:
    chosen = frame.filter(pl.col("metric").is_in([*CHOSEN, *BESIDE, PROBLEMS]))
    sections: list[Section] = []
    for rows in chosen.partition_by("benchmark", maintain_order=True):
        benchmark = str(rows["benchmark"][0])
        own = frame.filter(pl.col("benchmark") == benchmark)
        blocks = tuple(_blocks(rows, own, [note for note in oddities if f"{benchmark}: " in note], by))
        sections.append(Section(benchmark, f"best-of-n-{len(sections)}", blocks))
    return tuple(sections)


def _blocks(rows: pl.DataFrame, own: pl.DataFrame, oddities: Sequence[str], by: str | None) -> Iterator[Block]:
    problems = rows.filter(pl.col("metric") == PROBLEMS, pl.col("subset") == "all")
    sizes = ", ".join(f"{n:,} with {of}" for of, n in problems.select("of", "n").iter_rows())
    yield Note(f"{problems['n'].sum():,} problems, {problems['responses'].sum():,} responses ({sizes}).")
    yield from choice_curves(rows, by)
    yield _choice_table(rows.filter(pl.col("metric") != PROBLEMS))
    errors = rows["sampling_error"].drop_nulls().to_list()
    if errors:
        most = share_text(max(errors), 2)
        yield Note(f"{DRAWN} mean over drawn choices of responses: within {most} points of the exact value (95%).")
    if (over := _spread_table(own)).rows:
        yield over
    yield from quiet_notes(oddities)


def _choice_table(rows: pl.DataFrame) -> Table:
    """A line a scorer and aggregation: the accuracy of the best of all responses by subset, then of fewer of them."""
    subsets = rows.filter(pl.col("metric").is_in(CHOSEN))["subset"].unique(maintain_order=True).to_list()
    sizes = rows.filter(pl.col("metric").is_in(CHOSEN), pl.col("subset") == "all")["of"].drop_nulls().unique().sort()
    fewer = sizes.to_list() if sizes.len() > 1 else []
    lines: dict[tuple[str, str], dict[object, RowDict]] = {}
    for row in rows.iter_rows(named=True):
        # What no scorer chooses is told by its metric.
        way = row["aggregation"] or ("" if row["scorer"] else row["metric"])
        key = (row["scorer"] or "(no scorer)", f"votes by {way}" if row["metric"] == WEIGHTED else way)
        line = lines.setdefault(key, {})
        if row["metric"] in CHOSEN:
            # The last rows of a figure are those of most responses.
            line[row["subset"]] = row
            if row["subset"] == "all":
                line[row["of"]] = row
        elif row["subset"] == "all":
            line[row["metric"]] = row
    heads: list[str | Column] = ["scorer", "chosen by", *(Column(name or NO_SUBSET) for name in subsets)]
    heads += [*(Column(f"of {size}", 1) for size in fewer), "over mean@1", Column("tied", 1), "left out"]
    cells = []
    for (scorer, by), line in lines.items():
        whole = line.get("all")
        gone = text(f"{whole['left_out']} of {whole['left_out'] + whole['n']}" if whole and whole["left_out"] else "")
        cells.append(
            [
                text(scorer),
                text(by),
                *(_share(line.get(name)) for name in subsets),
                *(replace(_share(line.get(size)), low=None, high=None) for size in fewer),
                _share(line.get(OVER_MEAN), Kind.POINTS),
                _share(line.get(TIED)),
                gone,
            ]
        )
    return table("Which response is chosen", heads, cells, labels=2, counted="problems")


def _share(row: RowDict | None, kind: Kind = Kind.SHARE) -> Cell:
    if row is None:
        return text("")
    made = figure({**row, "small": row["metric"] in CHOSEN and row["n"] < SMALL}, kind)
    return replace(made, note=DRAWN) if row["sampling_error"] else made


def _spread_table(rows: pl.DataFrame) -> Table:
    """A line a subset and aggregation where two scorers or more have figures: their spread, and Somers' D."""
    lines: dict[tuple[str, str], dict[str, RowDict]] = {}
    for row in rows.filter(pl.col("metric").is_in([SD, *ASSOCIATED])).iter_rows(named=True):
        lines.setdefault((row["subset"], row["aggregation"]), {})[row["metric"]] = row
    cells = [
        [
            text(subset),
            text(by),
            count(line[SD]["n"]),
            Cell(100 * line[SD]["value"], Kind.MEAN),
            *(Cell(line[metric]["value"], Kind.MEAN) if metric in line else text("") for metric in ASSOCIATED),
        ]
        for (subset, by), line in lines.items()
        if line[SD]["value"] is not None
    ]
    heads = ["subset", "chosen by", "scorers", "sd of prm@n, points", *ASSOCIATED.values()]
    return table("Over scorers", heads, cells, labels=2)


# -- rows


def _numbers_of_responses(results: ResultSet) -> Iterator[OptionValue]:
    yield OptionValue(None, "all, and fewer", "as usual")
    most = max(int(responses.sizes.max()) for responses in found_responses(results).values())
    yield from (OptionValue(number, f"{number}") for number in range(1, most + 1))


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
        return results.texts.frame(["problem"])["problem"]
    return pl.repeat(None, results.height, dtype=pl.String, eager=True)


def _with_answers(results: ResultSet, benchmark: str, responses: Responses) -> ProblemResponses:
    """Read the final answers of responses, and find those that are equal."""
    answers = _file_column(results, PARSED, responses.rows)
    unsaid = np.array([place for place, answer in enumerate(answers) if answer is None], dtype=np.int64)
    if unsaid.size:
        steps = results.texts.gather(responses.rows[unsaid]).frame(["steps"])["steps"]
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
    if not results.is_metadata(name):
        return [None] * rows.size
    return results.column(name).gather(rows).cast(pl.String).to_list()


def _told_apart_by_text(results: ResultSet, made: ProblemResponses) -> int:
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


def _answer_oddities(results: ResultSet, made: ProblemResponses, as_text: int) -> Iterator[str]:
    """Explain how the final answers of a benchmark were compared, where that may be wrong."""
    benchmark = made.benchmark
    if as_text:
        total = made.responses.rows.size
        yield f"{benchmark}: {as_text:,} of {total:,} responses have an answer that is told apart by its text alone"
    if old := _compared_as_texts(results, benchmark):
        yield f"{benchmark}: an older version compared the final answers of {old} as texts; import them again"


def _compared_as_texts(results: ResultSet, benchmark: str) -> str:
    """Name the files whose answers an older version compared with the reference as texts; "" without any."""
    reports = results.workspace.imports(benchmark)
    old = [report for report in reports if any(finding["code"] == OLD_COMPARISON for finding in report["findings"])]
    return some_of([str(report["source"]) for report in old], 3) if old else ""


def _coverage(evaluation: Evaluation, responses: Responses) -> str:
    """`k of n` problems all of whose responses have a score of the same kind."""
    whole = [responses.whole(aggregation.scored(evaluation)) for aggregation in AGGREGATIONS.values()]
    return f"{int(np.max([complete.sum() for complete in whole]))} of {responses.subsets.size} problems"


def _oddities(results: ResultSet, made: ProblemResponses, groups: AnswerGroups) -> Iterator[str]:
    """What to keep in mind about the responses of one benchmark and their scores."""
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


# -- over scorers


def _official(results: ResultSet) -> Iterator[RowDict]:
    """The official figure of every chosen scorer on PRMBench and ProcessBench, where it has one."""
    for benchmark, metric in OFFICIAL.items():
        within = (results.cases["benchmark"] == benchmark).to_numpy()
        for evaluation in results.chosen_evaluations:
            if (evaluation.coverage.present & within).any():
                value = official_score(evaluation, within, results.unparsed(benchmark), benchmark)
                yield {
                    "scorer": evaluation.scorer.name,
                    "benchmark": benchmark,
                    "subset": "all" if benchmark == "prmbench" else "average",
                    "metric": metric,
                    "value": value,
                    "n": int((evaluation.coverage.answered & within).sum()),
                    "reason": "undefined here" if value is None else None,
                }


def _over_scorers(rows: list[RowDict], official: list[RowDict]) -> Iterator[RowDict]:
    """The spread of prm@n over scorers, and its association with each official figure; and their own spread."""
    groups: dict[tuple[Any, ...], dict[str, float]] = {}
    for row in rows:
        if row["metric"] == PRM and row["aggregation"] is not None:
            key = tuple(row[name] for name in ("benchmark", "subset", "aggregation", "of"))
            group = groups.setdefault(key, {})
            if row["value"] is not None and not row["left_out"]:
                group[row["scorer"]] = row["value"]
    figures = {
        metric: {
            row["scorer"]: row["value"] for row in official if row["metric"] == metric and row["value"] is not None
        }
        for metric in OFFICIAL.values()
    }
    for (benchmark, subset, aggregation, of), values in groups.items():
        about = {"benchmark": benchmark, "subset": subset, "aggregation": aggregation, "of": of}
        yield {**about, "metric": SD, **_spread(values)}
        for metric, x in figures.items():
            yield {**about, "metric": f"{SOMERS}_{metric}", **_association(x, values, metric)}
    for benchmark, metric in OFFICIAL.items():
        if len(figures[metric]) > 1:
            subset = "all" if benchmark == "prmbench" else "average"
            yield {"benchmark": benchmark, "subset": subset, "metric": f"{metric}_sd", **_spread(figures[metric])}


def _spread(values: dict[str, float]) -> RowDict:
    if len(values) < 2:
        return {"n": len(values), "reason": "fewer than two scorers scored every problem"}
    return {"n": len(values), "value": population_sd(np.array(list(values.values())))}


def _association(x: dict[str, float], y: dict[str, float], metric: str) -> RowDict:
    names = [name for name in y if name in x]
    if len(names) < FEWEST:
        why = f"fewer than {FEWEST} scorers have both {PRM} of every problem and {metric}"
        return {"n": len(names), "reason": why}
    value = somers_d(*(np.array([side[name] for name in names]) for side in (x, y)))
    return {"n": len(names), "value": value, "reason": f"{metric} is the same for all" if value is None else None}
