"""The page of `best-of-n` with the figures of other programs: search-and-learn and RewardBench 2."""

from collections.abc import Iterator

import polars as pl

from inspector.analyses.best_of_n.responses import ProblemResponses
from inspector.render.blocks import Section
from inspector.render.table_blocks import Column, Kind, Table, count, figure, table
from inspector.render.table_blocks import text as text_cell
from scoring.data.schema import NO_SUBSET, RowDict
from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.response_protocols import REWARDBENCH, SEARCH_AND_LEARN, rewardbench_rows, search_and_learn_rows
from scoring.selection.result_set import ResultSet

PROTOCOLS = {
    "scorer": pl.String(),
    "benchmark": pl.String(),
    "protocol": pl.String(),
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
PROTOCOL_NOTES = (
    f"{SEARCH_AND_LEARN}: of the first n completions in the file, by the last step's reward; of equal ones the first",
    "pred_naive: the answer with the highest score; pred_weighted: with the highest sum; pred_maj: the most frequent",
    f"{SEARCH_AND_LEARN} joins answers by sympy; here the rules for answers do, so votes may differ",
    f"{SEARCH_AND_LEARN}: a completion without an answer has the empty one, which takes part",
    f"{SEARCH_AND_LEARN}: n counts problems whose completions are all scored, and known to be right or wrong",
    f"{REWARDBENCH}: 1 / k where the first response shares the highest score with k - 1 others, else 0",
    f"{REWARDBENCH}, Ties: .30 tied accuracy + .30 ref accuracy + .20 preferred + .20 preferred_hard + .01 margin",
)


def protocol_rows(
    results: ResultSet, made: ProblemResponses, evaluation: Evaluation, seed: int | None
) -> Iterator[RowDict]:
    """Yield the rows of PROTOCOLS of a scorer on a benchmark."""
    about = {"scorer": evaluation.scorer.name, "benchmark": made.benchmark}
    groups = made.groups(results.query.seed, empty=True)
    names = results.cases["problem_id"].gather(made.responses.rows[made.responses.bounds[:-1]]).to_list()
    each = {
        SEARCH_AND_LEARN: search_and_learn_rows(evaluation, made.responses, groups, seed),
        REWARDBENCH: rewardbench_rows(evaluation, made.responses, names, seed),
    }
    for protocol, rows in each.items():
        yield from ({**about, "protocol": protocol, **row} for row in rows)


def protocol_sections(frame: pl.DataFrame) -> tuple[Section, ...]:
    """Lay out a table a protocol: a line a scorer and figure, a column a number of responses or a subset."""
    sections = []
    for number, own in enumerate(frame.partition_by("benchmark", maintain_order=True)):
        tables = []
        for part in own.partition_by("protocol", maintain_order=True):
            protocol = str(part["protocol"][0])
            column = "of" if protocol == SEARCH_AND_LEARN else "subset"
            laid_out = part.filter(pl.col("subset") == "all") if column == "of" else part
            tables.append(_protocol_table(protocol, column, laid_out))
        sections.append(Section(str(own["benchmark"][0]), f"protocols-{number}", tuple(tables)))
    return tuple(sections)


def _protocol_table(protocol: str, column: str, rows: pl.DataFrame) -> Table:
    keys = rows[column].unique(maintain_order=True).to_list()
    lines: dict[tuple[str, str, str], dict[object, RowDict]] = {}
    for row in rows.iter_rows(named=True):
        name = row["metric"] if column == "of" else row["aggregation"] or row["metric"]
        lines.setdefault((row["scorer"], name, ""), {})[row[column]] = row
    heads: list[str | Column] = ["scorer", "figure" if column == "of" else "score by"]
    heads += [_head(column, key) for key in keys]
    heads += [Column("problems", 1), Column("left out", 1)]
    cells = []
    for (scorer, name, _), line in lines.items():
        last = list(line.values())[-1]
        cells.append(
            [
                text_cell(scorer),
                text_cell(name),
                *(figure(line[key], Kind.SHARE) if key in line else text_cell("") for key in keys),
                count(sum(row["n"] for row in line.values()) if column == "subset" else last["n"]),
                text_cell(f"{last['left_out']:,}" if last["left_out"] else ""),
            ]
        )
    return table(protocol, heads, cells, labels=2, counted="problems")


def _head(column: str, key: object) -> str:
    if key is None:
        return "figure" if column == "of" else NO_SUBSET
    return f"first {key}" if column == "of" else str(key)
