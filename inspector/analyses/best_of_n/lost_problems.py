"""Pages of `best-of-n` on single problems: those that a scorer loses, and the responses to one beside each other."""

from collections.abc import Mapping

import numpy as np
import polars as pl

from inspector.analyses.best_of_n.responses import ProblemResponses
from inspector.render.blocks import Block, Note, Section
from inspector.render.cells import share as share_text
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import Cell, Column, Kind, Table, count, table
from inspector.render.table_blocks import text as text_cell
from scoring.data.schema import NO_SUBSET, Ints, RowDict
from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.aggregations import AGGREGATIONS, Aggregation
from scoring.metrics.best_of_n import (
    able_aggregations,
    chosen_responses,
    lost_problems,
)
from scoring.metrics.responses import Responses
from scoring.selection.result_set import ResultSet, within
from scoring.workspace.filtering.filters import Facet

LOST = {
    "scorer": pl.String(),
    "benchmark": pl.String(),
    "subset": pl.String(),
    "problem_id": pl.String(),
    "aggregation": pl.String(),
    # How many responses the problem has, and how many of them are right.
    "responses": pl.Int64(),
    "right": pl.Int64(),
    # The case that was chosen, and the right one that stands highest, with their scores where these are one number.
    "chosen": pl.String(),
    "chosen_score": pl.Float64(),
    "best_right": pl.String(),
    "best_right_score": pl.Float64(),
    # How many wrong responses stand before it.
    "before": pl.Int64(),
    # Whether the most frequent answer is right; null if none is readable, or right and wrong answers tie.
    "majority": pl.Boolean(),
    # The condition that selects the problem's responses.
    "where": pl.String(),
}
ONE_PROBLEM = {
    "scorer": pl.String(),
    "benchmark": pl.String(),
    "problem_id": pl.String(),
    # 1 = chosen; equal scores stand in the order of the file. Null where the scorer lacks a number of a response.
    "rank": pl.Int64(),
    "case": pl.String(),
    "right": pl.Boolean(),
    "answer": pl.String(),
    "n_steps": pl.Int64(),
    "aggregation": pl.String(),
    "score": pl.Float64(),
    # The response's score by each way that gives one number.
    **{f"by_{way.name}": pl.Float64() for way in AGGREGATIONS.values() if way.scores is not None},
}
PROBLEM_NOTES = (
    "rank: 1 = the response that is chosen; of equal scores the first in the file stands first",
    "answer: the final answer that the file states, else the text in the last box",
)
LOST_NOTES = (
    "a problem is lost if a right response is there and another is chosen",
    "before: how many wrong responses are ranked above the best right one",
    "majority: whether the most frequent final answer is right; empty if right and wrong ones tie, or none is readable",
    "problems with the largest share of right responses come first",
)
_WORDS = 60


# -- problems that a scorer loses


def way_to_choose(evaluation: Evaluation, responses: Responses, name: str | None) -> Aggregation | None:
    """Return the way that is asked for, or the first that the scorer has numbers for; None where it has none."""
    able = able_aggregations(evaluation, responses)
    return next((way for way in able if name in {None, way.name}), None)


def lost_rows(
    results: ResultSet, made: ProblemResponses, evaluation: Evaluation, by: Aggregation
) -> tuple[list[RowDict], int]:
    """Give the rows of LOST of a scorer on a benchmark, and out of how many problems they are."""
    whole = made.responses.whole(by.scored(evaluation))
    kept = made.responses.keep(whole)
    if not kept.subsets.size:
        return [], 0
    places = by.ranked(evaluation.rewards, kept)
    scores = None if by.scores is None else by.scores(evaluation.rewards, kept)
    groups = made.groups(results.query.seed).keep(whole, np.repeat(whole, made.responses.sizes))
    votes, chosen = groups.expected().values, chosen_responses(kept, places)
    has_majority = groups.voted & ((votes == 0) | (votes == 1))
    # The right responses before all wrong ones of their problem.
    best = np.lexsort((places, ~kept.right, kept.problems))[kept.bounds[:-1]]
    order = np.empty(kept.rows.size, dtype=np.int64)
    order[np.lexsort((places, kept.problems))] = np.arange(kept.rows.size)
    lost = lost_problems(kept, places)
    lost = lost[np.argsort(-(kept.n_right / kept.sizes)[lost], kind="stable")]
    cases, ids = results.cases["case"], results.cases["problem_id"]
    rows = []
    for problem in lost.tolist():
        first, right = int(chosen[problem]), int(best[problem])
        members = kept.rows[kept.bounds[problem] : kept.bounds[problem + 1]]
        rows.append(
            {
                "scorer": evaluation.scorer.name,
                "benchmark": made.benchmark,
                "subset": kept.names[int(kept.subsets[problem])],
                "problem_id": ids[int(members[0])],
                "aggregation": by.name,
                "responses": members.size,
                "right": int(kept.n_right[problem]),
                "chosen": cases[int(kept.rows[first])],
                "chosen_score": None if scores is None else float(scores[first]),
                "best_right": cases[int(kept.rows[right])],
                "best_right_score": None if scores is None else float(scores[right]),
                "before": int(order[right] - kept.bounds[problem]),
                "majority": bool(votes[problem]) if has_majority[problem] else None,
                "where": responses_condition(results, members),
            }
        )
    return rows, kept.subsets.size


def responses_condition(results: ResultSet, members: Ints) -> str:
    """Return the condition on a case of its benchmark that selects the known responses of a problem."""
    row = int(members[0])
    name, subset = results.cases["problem_id"][row], results.cases["subset"][row]
    if name is None:
        return Facet("case", tuple(results.cases["case"].gather(members))).sql
    facets = (Facet("problem_id", (name,)), Facet("subset", (subset,)))
    known = "final_answer_correct IS NOT NULL"
    return " AND ".join([*(f"({facet.sql})" for facet in facets), known])


def lost_sections(
    results: ResultSet, frame: pl.DataFrame, counts: Mapping[tuple[str, str], int]
) -> tuple[Section, ...]:
    """Lay out a table a benchmark and scorer: a line a lost problem, whose cells open its responses."""
    sections = []
    for number, ((benchmark, scorer), problems) in enumerate(counts.items()):
        own = frame.filter(pl.col("benchmark") == benchmark, pl.col("scorer") == scorer)
        blocks: tuple[Block, ...] = (
            Note(f"{own.height:,} of {problems:,} problems are lost{_share_words(own.height, problems)}."),
        )
        if own.height:
            blocks += (_lost_table(results, own),)
        sections.append(Section(f"{benchmark}: {scorer}", f"lost-{number}", blocks))
    return tuple(sections)


def _share_words(part: int, whole: int) -> str:
    return f" ({share_text(part / whole)}%)" if whole else ""


def _lost_table(results: ResultSet, rows: pl.DataFrame) -> Table:
    several = rows["subset"].n_unique() > 1
    cells = []
    for row in rows.iter_rows(named=True):
        where = (*within(results, row["benchmark"]), row["where"])
        link = CaseLink(where, row["responses"], "responses to one problem", row["scorer"], benchmark=row["benchmark"])
        chosen = _case_link(results, row, "chosen", "the response that is chosen")
        best = _case_link(results, row, "best_right", "the best right response")
        cells.append(
            [
                text_cell((row["problem_id"] or row["chosen"])[:_WORDS], link=link),
                *([text_cell(row["subset"] or NO_SUBSET)] if several else []),
                count(row["right"]),
                count(row["responses"], link),
                Cell(row["chosen_score"], Kind.REWARD, link=chosen, reason="no one number"),
                Cell(row["best_right_score"], Kind.REWARD, link=best, reason="no one number"),
                count(row["before"]),
                text_cell({True: "right", False: "wrong"}.get(row["majority"], "")),
            ]
        )
    heads: list[str | Column] = ["problem", *(["subset"] if several else []), Column("right", right=True)]
    heads += ["of", "chosen", "best right", Column("wrong before it", 1), Column("majority", 1)]
    title = f"Lost by {AGGREGATIONS[rows['aggregation'][0]].name}, the most right responses first"
    return table(title, heads, cells, labels=1)


# -- the responses to one problem beside each other


def problem_names(results: ResultSet, made: ProblemResponses) -> list[str]:
    """Name the problems (p): by their ids, else by the first of their cases."""
    first = made.responses.rows[made.responses.bounds[:-1]]
    ids, cases = (results.cases[column].gather(first).to_list() for column in ("problem_id", "case"))
    return [name or case for name, case in zip(ids, cases, strict=True)]


def one_problem(
    results: ResultSet, made: ProblemResponses, problem: int, evaluation: Evaluation, by: Aggregation
) -> list[RowDict]:
    """Give the rows of ONE_PROBLEM of a scorer: the responses to one of the problems (0-based), the best first."""
    kept = made.responses.keep(np.arange(made.responses.subsets.size) == problem)
    start = int(made.responses.bounds[problem])
    answers = made.answers[start : start + kept.rows.size]
    cases = results.cases[kept.rows].select("case", "n_steps").rows()
    whole = bool(by.scored(evaluation)[kept.rows].all())
    places = by.ranked(evaluation.rewards, kept) if whole else np.zeros(kept.rows.size, dtype=np.int64)
    order = np.argsort(places, kind="stable").tolist()
    scores = {
        way.name: way.scores(evaluation.rewards, kept).tolist()
        for way in able_aggregations(evaluation, kept)
        if way.scores is not None and way.scored(evaluation)[kept.rows].all()
    }
    return [
        {
            "scorer": evaluation.scorer.name,
            "benchmark": made.benchmark,
            "problem_id": results.cases["problem_id"][int(kept.rows[0])],
            "rank": rank if whole else None,
            "case": cases[at][0],
            "right": bool(kept.right[at]),
            "answer": answers[at],
            "n_steps": cases[at][1],
            "aggregation": by.name,
            "score": scores[by.name][at] if by.name in scores else None,
            **{f"by_{name}": values[at] for name, values in scores.items()},
        }
        for rank, at in enumerate(order, 1)
    ]


def problem_sections(results: ResultSet, frame: pl.DataFrame) -> tuple[Section, ...]:
    """Lay out a table a scorer: a line a response, whose first cell opens its case, and the problem's words above."""
    sections = []
    for number, own in enumerate(frame.partition_by("benchmark", "scorer", maintain_order=True)):
        benchmark, scorer = (str(own[column][0]) for column in ("benchmark", "scorer"))
        rows = np.flatnonzero(results.cases["case"].is_in(own["case"].implode()).to_numpy())
        words = results.loaded.texts.gather(rows[:1]).frame(["problem"])["problem"][0]
        where = (*within(results, benchmark), responses_condition(results, rows))
        every = CaseLink(where, own.height, "responses to one problem", scorer, benchmark=benchmark)
        ways = [name.removeprefix("by_") for name in own.columns if name.startswith("by_") and own[name].count()]
        lines = [
            [
                Cell(row["rank"], Kind.COUNT, reason="not all responses have a score"),
                text_cell("right" if row["right"] else "wrong", "good" if row["right"] else "bad"),
                text_cell((row["answer"] or "")[:_WORDS]),
                text_cell(row["case"], link=_case_link(results, row, "case", "one response")),
                count(row["n_steps"]),
                *(Cell(row[f"by_{way}"], Kind.REWARD) for way in ways),
            ]
            for row in own.iter_rows(named=True)
        ]
        heads: list[str | Column] = [Column("rank", right=True), "", "answer", "case", Column("steps", 1), *ways]
        title = f"{scorer}, by {own['aggregation'][0]}"
        opens = table("", ["responses", "right"], [[count(own.height, every), count(int(own["right"].sum()))]])
        blocks = (Note(words), opens, table(title, heads, lines, labels=1))
        name = own["problem_id"][0]
        sections.append(Section(f"{benchmark}: {name}" if name else benchmark, f"problem-{number}", blocks))
    return tuple(sections)


def _case_link(results: ResultSet, row: RowDict, column: str, words: str) -> CaseLink:
    where = (*within(results, row["benchmark"]), Facet("case", (row[column],)).sql)
    return CaseLink(where, 1, words, row["scorer"], benchmark=row["benchmark"])
