"""The page of `compare` on every two scorers: their agreement, and how far errors go together."""

from collections.abc import Iterator, Sequence
from itertools import chain

import polars as pl
from msgspec.structs import replace

from inspector.analyses import Params
from inspector.render.blocks import Block, quiet_notes
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import Cell, Column, count, figure, forest_column, points, table, text
from inspector.render.view import View
from inspector.state.common_cases import aligned_cases, compare_command, comparison_sections, need_two, without_gold
from inspector.state.figure_notes import first_run_notes
from inspector.state.provenance import provenance
from scoring.data.schema import Row
from scoring.metrics.aligned import AlignedScorers
from scoring.metrics.ensembles import OVER_BETTER
from scoring.metrics.official_rows import METRICS
from scoring.metrics.resampling import RESAMPLES
from scoring.metrics.scorer_pairs import agreement_rows, covered_rows, oracle_rows
from scoring.selection.result_set import ResultSet, within

PAIR_ROWS = {
    "scorer": METRICS["scorer"],
    "other": pl.String(),
    **{name: METRICS[name] for name in ("benchmark", "subset")},
    "side": pl.String(),
    **{name: METRICS[name] for name in ("metric", "value", "low", "high", "n")},
    "count": pl.Int64(),
    "better": pl.String(),
    "reason": METRICS["reason"],
    "note": pl.String(),
    "where": pl.String(),
}
_PAIR_NOTES = (
    (
        "both_right_or_wrong, same_outcome, same_verdict: shares of the cases that both tried (of verdicts: that both "
        "have one of) on which they agree; covered: of the cases that `scorer` has wrong the share that `other` has "
        "right"
    ),
    f"oracle_METRIC: a case is right as soon as one of the two has it right; its gain is over `better`, {OVER_BETTER}",
    "`where` selects `count` cases: those that agree or are covered, or for the oracle all in the denominator",
    (
        "low and high: 95%, Wilson's for shares with cases taken as independent, and for the oracle a bootstrap of "
        f"{RESAMPLES} resamples, which is paired for its gain"
    ),
)


def pairs_view(results: ResultSet, params: Params, intervals: bool) -> View:
    """Show how every two scorers agree, what each lacks that the other has, and the oracle's choice of both."""
    need_two(results)
    frames, sections = [pl.DataFrame(schema=PAIR_ROWS)], {}
    for benchmark, aligned in aligned_cases(results).items():
        oracle = oracle_rows(aligned, results.query.seed if intervals else None)
        inside, own = within(results, benchmark), []
        for row in chain(agreement_rows(aligned), covered_rows(aligned), oracle):
            subset = "average" if row["metric"].startswith("oracle_") else "all"
            where = " AND ".join((*inside, row["where"]))
            own.append({"benchmark": benchmark, "subset": subset, **row, "where": where})
        frames.append(pl.DataFrame(own, schema=PAIR_ROWS, orient="row"))
        sections[benchmark] = _pairs_blocks(results, benchmark, aligned, frames[-1].to_dicts())
    notes = (*_PAIR_NOTES, *first_run_notes(results), *without_gold(results))
    facts = provenance(results, compare_command(results, "--pairs", form=params.form), notes)
    return View(pl.concat(frames), facts, title="All pairs", lay_out=lambda: comparison_sections(results, sections))


def _pairs_blocks(results: ResultSet, benchmark: str, aligned: AlignedScorers, rows: Sequence[Row]) -> Iterator[Block]:
    of_pair: dict[tuple[str, str], dict[str, Row]] = {}
    for row in rows:
        if row["side"] == "all":
            of_pair.setdefault((row["scorer"], row["other"]), {})[row["metric"]] = row
    pairs = [(names, cells) for names, cells in of_pair.items() if "same_outcome" in cells]
    pairs.sort(key=lambda pair: -(pair[1].get("oracle_f1", {}).get("value") or -1.0))

    def link(row: Row, words: str) -> CaseLink:
        return CaseLink((row["where"],), row["count"], words, row["scorer"], (row["scorer"], row["other"]), benchmark)

    def share(row: Row, words: str) -> Cell:
        return replace(figure(row, link=link(row, words) if row["count"] else None), low=None, high=None)

    lines = []
    for (scorer, other), cells in pairs:
        line = [text(scorer), text(other)]
        line.append(share(cells["same_outcome"], f"{scorer} and {other} have the same outcome"))
        line.append(share(cells["same_verdict"], f"{scorer} and {other} have the same verdict"))
        for here, there in ((scorer, other), (other, scorer)):
            row = of_pair[here, there]["covered"]
            made = count(
                row["count"] if row["value"] is not None else None, link(row, f"{there} right and {here} wrong")
            )
            line.append(replace(made, note=f"of {row['n']:,}" if row["value"] is not None else ""))
        oracle, gain = cells.get("oracle_f1"), cells.get("oracle_f1_gain")
        opens = None if oracle is None or oracle["value"] is None else link(oracle, "tried by both")
        lines.append([*line, figure(oracle, link=opens), points(gain)])
    titles: list[str | Column] = ["scorer", "other", "same outcome", "same verdict", "other has of its mistakes"]
    titles += ["it has of the other's", forest_column("F1 of an oracle"), "over the better"]
    yield table("Every two of them, the highest oracle first", titles, lines, labels=2)
    yield from _agreement(aligned, rows, benchmark)
    yield from quiet_notes(without_gold(results, benchmark))


def _agreement(aligned: AlignedScorers, rows: Sequence[Row], benchmark: str) -> Iterator[Block]:
    """How often each two are both right or both wrong, as a map."""
    names = [aligned.names[place] for place in aligned.trying]
    if len(names) < 2:
        return
    by_pair = {
        frozenset((row["scorer"], row["other"])): row
        for row in rows
        if row["side"] == "all" and row["metric"] == "both_right_or_wrong"
    }
    lines = []
    for place, name in enumerate(names[:-1]):
        line = [text(name)]
        for at, other in enumerate(names[1:], 1):
            row = by_pair.get(frozenset((name, other))) if at > place else None
            if row is None:
                line.append(text(""))
                continue
            words = f"{row['scorer']} and {row['other']} both right or both wrong"
            pair = (row["scorer"], row["other"])
            where = CaseLink((row["where"],), row["count"], words, row["scorer"], pair, benchmark)
            made = figure(row, link=where if row["count"] else None)
            line.append(replace(made, n=row["n"], shade=row["value"]))
        lines.append(line)
    title = "How often two agree: both right or both wrong, of the cases that both tried"
    yield table(title, ["", *names[1:]], lines, heat=True)
