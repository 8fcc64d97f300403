"""The document of `best-of-n`: how often a scorer puts a right response first, and what that says over scorers."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from inspector.headline import official_score
from inspector.provenance import provenance
from inspector.selection import Selection
from scoring.errors import UsageError
from scoring.evaluation import Evaluation
from scoring.export import Document
from scoring.metrics.aggregations import AGGREGATIONS
from scoring.metrics.best_of_n import PRM, response_rows, scorer_rows
from scoring.metrics.final_answers import boxed_answer, contradicted
from scoring.metrics.over_scorers import FEWEST, SAME, population_sd, somers_d
from scoring.metrics.resampling import RESAMPLES
from scoring.metrics.responses import Responses, responses_of
from scoring.parts import parts

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
    "n": pl.Int64(),
    "responses": pl.Int64(),
    "left_out": pl.Int64(),
    "reason": pl.String(),
}
OFFICIAL = {"prmbench": "prmscore", "processbench": "f1"}
"""Benchmarks whose official figure is held against prm@n, and what that figure is called."""
SD, SOMERS = "prm@n_sd", "prm@n_somers_d"
NOTES = (
    "prm@n: share of problems whose highest-scored response is right, of equal scores the first in the file",
    "of: out of how many responses; of fewer than there are: mean over every choice of so many",
    "mean@1: a response picked at random; pass@n: any is right; maj@n: the most frequent final answer, else the first",
    r"final answers: the text in the last \boxed{...}, less blanks",
    "n counts problems; left_out: problems of which a response is not scored, or whose answers are not known",
    f"low and high: 95% bootstrap, {RESAMPLES} resamples of problems",
    f"{SD}: population standard deviation over scorers; {SOMERS}_*: Somers' D of prm@n given their official figure",
    f"over scorers: those that scored every problem, and n counts them; values within {SAME:g} are tied",
    "prmscore and f1 are of all cases of PRMBench and ProcessBench here, whatever the filter",
)

Row = dict[str, Any]


def best_of_n_document(selection: Selection, n: int | None = None, form: str = "") -> Document:
    """The chosen scorers over the shown problems that have several responses with a known final answer.

    Args:
        selection: the shown cases; those of one problem are its responses.
        n: out of how many responses to choose, of the problems that have as many; None = all, and fewer.
        form: of the command in the provenance.

    Raises:
        UsageError: no shown problem has two responses whose final answers are known to be right or wrong, or n; n < 1.
    """
    if n is not None and n < 1:
        raise UsageError(f"nothing is chosen out of {n} responses.", "Give --of a number from 1 on.")
    rows: list[Row] = []
    notes = [*NOTES, *(f"{one.name}: {one.words}" for one in AGGREGATIONS.values())]
    oddities: list[str] = []
    coverage: dict[str, dict[str, str]] = {one.scorer.name: {} for one in selection.chosen_evaluations}
    for benchmark, responses in found_responses(selection, n).items():
        answers = _answers(selection, responses)
        own = list(response_rows(responses, answers, n, selection.request.seed))
        rows += ({"scorer": None, "benchmark": benchmark, **row} for row in own)
        for one in selection.chosen_evaluations:
            found = scorer_rows(one, responses, n, selection.request.seed)
            rows += ({"scorer": one.scorer.name, "benchmark": benchmark, **row} for row in found)
            coverage[one.scorer.name][benchmark] = _coverage(one, responses)
        oddities += _oddities(selection, benchmark, responses, answers)
    official = list(_official(selection))
    rows += [*official, *_over_scorers(rows, official)]
    frame = pl.DataFrame(rows, schema=BEST_OF_N, orient="row")
    words = () if n is None else ("--of", str(n))
    command = selection.request.command("best-of-n", *words, form=form)
    facts = provenance(selection, command, tuple(notes), decides=bool(official))
    kept = {name: facts[name] for name in ("command", "version", "data", "scorers", "filter", "seed", "notes")}
    return Document(frame, {**kept, "coverage": coverage, "oddities": oddities})


def found_responses(selection: Selection, n: int | None = None) -> dict[str, Responses]:
    """The responses of every benchmark that has any, less the problems with fewer than n.

    Raises:
        UsageError: there are none, and why.
    """
    wording = selection.texts.frame(["problem"])["problem"]
    found, known, most = {}, False, 0
    for part, rows in parts(selection.cases, ("benchmark",), selection.mask):
        known |= bool(selection.cases["final_answer_correct"].is_not_null().filter(pl.Series(rows)).any())
        responses = responses_of(selection.cases, wording, rows)
        most = max(most, int(responses.sizes.max(initial=0)))
        kept = responses if n is None else responses.keep(responses.sizes >= n)
        if kept.subsets.size:
            found[part["benchmark"]] = kept
    if found:
        return found
    if not known:
        wanted = "Import responses with a column final_answer_correct (or is_correct), several a problem."
        raise UsageError("of no shown case is it known whether its final answer is right.", wanted)
    if most and n is not None:
        raise UsageError(f"no shown problem has {n} responses.", f"The most that one has is {most}.")
    wanted = "Give the responses of a problem the same problem_id, or the same text as their problem."
    raise UsageError("no shown problem has two responses whose final answers are known.", wanted)


def _answers(selection: Selection, responses: Responses) -> list[str | None]:
    steps = selection.texts.gather(responses.rows).frame(["steps"])["steps"]
    return [boxed_answer(solution) for solution in steps.to_list()]


def _coverage(evaluation: Evaluation, responses: Responses) -> str:
    """`k of n` problems all of whose responses have a score of the same kind."""
    whole = [responses.whole(one.scored(evaluation)) for one in AGGREGATIONS.values()]
    return f"{int(np.max([one.sum() for one in whole]))} of {responses.subsets.size} problems"


def _oddities(selection: Selection, benchmark: str, responses: Responses, answers: list[str | None]) -> Iterator[str]:
    """What to keep in mind about the responses of one benchmark and their scores."""
    if responses.alone:
        yield f"{benchmark}: {responses.alone} problems with one response are left out: nothing is chosen there"
    if responses.unknown:
        yield f"{benchmark}: {responses.unknown} responses are left out: their final answer is neither right nor wrong"
    mixed = int(((responses.n_right > 0) & (responses.n_right < responses.sizes)).sum())
    told = f"right and wrong responses in {mixed} of {responses.subsets.size} problems"
    yield f"{benchmark}: {told}: the choice matters there alone"
    if several := int((_generators(selection, responses) > 1).sum()):
        yield f"{benchmark}: {several} problems have responses of several generators, and the best of all is chosen"
    if odd := contradicted(responses, answers):
        yield f"{benchmark}: in {odd} problems one answer is labelled right and wrong; for maj@n its first label counts"
    for one in selection.chosen_evaluations:
        rewards = one.rewards
        member = np.zeros(one.codes.size, dtype=np.bool_)
        member[responses.rows] = True
        below = int((rewards.values[np.repeat(member, np.diff(rewards.offsets))] < 0).sum())
        if below:
            yield f"{one.scorer.name} on {benchmark}: {below} step rewards are below 0, so that products change sign"


def _generators(selection: Selection, responses: Responses) -> np.ndarray[Any, Any]:
    """How many generators the responses of each problem are known to have. Shape (p,)."""
    frame = pl.DataFrame(
        {"problem": responses.problems, "generator": selection.cases["generator"].gather(responses.rows)}
    )
    counted = frame.group_by("problem").agg(pl.col("generator").drop_nulls().n_unique())
    return counted.sort("problem")["generator"].to_numpy()


# -- over scorers


def _official(selection: Selection) -> Iterator[Row]:
    """The official figure of every chosen scorer on PRMBench and ProcessBench, where it has one."""
    for benchmark, metric in OFFICIAL.items():
        within = (selection.cases["benchmark"] == benchmark).to_numpy()
        for one in selection.chosen_evaluations:
            if (one.present & within).any():
                value = official_score(one, within, selection.unparsed(benchmark), benchmark)
                yield {
                    "scorer": one.scorer.name,
                    "benchmark": benchmark,
                    "subset": "all" if benchmark == "prmbench" else "average",
                    "metric": metric,
                    "value": value,
                    "n": int((one.answered & within).sum()),
                    "reason": "undefined here" if value is None else None,
                }


def _over_scorers(rows: list[Row], official: list[Row]) -> Iterator[Row]:
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


def _spread(values: dict[str, float]) -> Row:
    if len(values) < 2:
        return {"n": len(values), "reason": "fewer than two scorers scored every problem"}
    return {"n": len(values), "value": population_sd(np.array(list(values.values())))}


def _association(x: dict[str, float], y: dict[str, float], metric: str) -> Row:
    names = [name for name in y if name in x]
    if len(names) < FEWEST:
        why = f"fewer than {FEWEST} scorers have both {PRM} of every problem and {metric}"
        return {"n": len(names), "reason": why}
    value = somers_d(*(np.array([side[name] for name in names]) for side in (x, y)))
    return {"n": len(names), "value": value, "reason": f"{metric} is the same for all" if value is None else None}
