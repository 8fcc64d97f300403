"""Scorers on the cases they share: differences, tests, agreement."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, combinations
from typing import Any

import numpy as np
import polars as pl
from msgspec.structs import replace

from inspector.analyses import Page, Params, analysis
from inspector.analyses._pair import (
    QUADRANTS,
    TEST,
    is_laid_out,
    resampling_words,
    test_note,
)
from inspector.analyses.compare.cascade import cascade_view
from inspector.analyses.compare.pair_pages import pairs_view
from inspector.analyses.compare.scorer_sets import sets_view
from inspector.analyses.compare.two_scorers import pair_blocks
from inspector.render.blocks import Block, Fold, Note, Panel, quiet_notes
from inspector.render.cells import share
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import (
    Cell,
    Column,
    Table,
    count,
    difference_column,
    figure,
    forest_column,
    p_value,
    points,
    table,
    text,
)
from inspector.render.view import View
from inspector.state.common_cases import (
    ScorerField,
    aligned_cases,
    aligned_official,
    aligned_own,
    best_first,
    compare_command,
    comparison_sections,
    field_head,
    need_two,
    own_link,
    without_gold,
)
from inspector.state.figure_notes import first_run_notes
from inspector.state.provenance import provenance, repeated_solutions
from scoring.data.schema import Row
from scoring.metrics.aligned import DRAWN_WHOLE, OF_STEPS, AlignedScorers, AlignedSums
from scoring.metrics.aligned_conditions import EVERY, OF_SIDE, conjunction, right_of, wrong_of
from scoring.metrics.benchmark_metrics import metrics_of
from scoring.metrics.ensembles import CONSENSUS, together_rows
from scoring.metrics.first_error import SIDES
from scoring.metrics.official_rows import METRICS
from scoring.metrics.paired import case_comparison_rows, official_comparison_rows, tied_name
from scoring.metrics.resampling import RESAMPLES
from scoring.metrics.shared_draws import official_values
from scoring.selection.result_set import ResultSet

SCORERS, PAIRS, SETS, CASCADE = "scorers", "pairs", "upset", "cascade"
PAGES = (
    Page("pair", "two scorers", "pair", also=PAIRS),
    Page(
        CASCADE,
        "cascade",
        "pair",
        help="the first of two where it is sure, else the second (whose verdict counts; cost against F1)",
        about="ask B only if A is unsure: F1 by the share of cases that B judges",
    ),
    Page(
        SCORERS,
        "all scorers",
        "ranked",
        about="ranking on shared cases, cases that only one has right, differences from the best",
    ),
    Page(
        PAIRS,
        "all pairs",
        "ranked",
        help="agreement of every two (what each lacks that the other has, and whichever of them is right)",
        about="agreement of every pair, and the oracle of both",
    ),
    Page(
        SETS,
        "right together",
        "ranked",
        help="who is right together (every set of scorers, with the condition that selects its cases)",
        about="sets of scorers that are right on the same cases",
    ),
)


@analysis(
    "Comparison",
    PAGES,
    scorers="two scorers or more (by name or a unique part of it; default: all that have a verdict)",
    together="instead of differences and tests",
    examples=(
        "prm-inspect compare blend ledger --benchmark demo",
        "prm-inspect compare --benchmark demo --pairs --csv",
    ),
    needs="Comparing needs two scorers with verdicts on {benchmark}.",
    help="Two scorers: A is the one in focus, B the one it is compared with; then all of them. Each number opens "
    "exactly its cases, with the scorers it is about beside each other.",
)
def compare(results: ResultSet, params: Params, intervals: bool) -> View:
    """Hold the chosen scorers against each other on common cases: all that have a verdict, if none is named."""
    if not results.query.scorers:
        able = tuple(name for name in results.chosen if results.evaluation(name).coverage.count)
        need_two(replace(results, chosen=able))
        results = best_first(replace(results, chosen=able))
    return _PAGES[params.page or SCORERS](results, params, intervals)


# -- differences: the rows

COMPARISON = {
    "scorer": METRICS["scorer"],
    "other": pl.String(),
    **{name: METRICS[name] for name in ("benchmark", "subset", "metric", "value", "low", "high", "n")},
    "left_out": pl.Int64(),
    "p": pl.Float64(),
    "p_holm": pl.Float64(),
    "reason": METRICS["reason"],
    "note": pl.String(),
}
UNADJUSTED = (
    "each interval is a 95% one by itself, not adjusted for how many there are or for which scorer came out best"
)


def _scorers(results: ResultSet, params: Params, intervals: bool) -> View:
    """Every two of the scorers on the cases that both tried, and all of them on those that all tried."""
    need_two(results)
    seed = results.query.seed if intervals else None
    rows: list[Row] = []
    facts: dict[str, Any] = {name: {} for name in ("family", "interval", "common_cases", "cascade")}
    notes = [UNADJUSTED, *first_run_notes(results)]
    if repeated := repeated_solutions(results):
        notes.append(f"{repeated} cases repeat the problem and steps of another")
    officials = aligned_official(results)
    for benchmark, official in officials.items():
        rows += [{**row, "benchmark": benchmark} for row in official_comparison_rows(official, seed)]
        facts.setdefault(official.metrics[0].name, {})[benchmark] = f"{official.paired}; {_common_judged(official)}"
    aligned = aligned_cases(results)
    for benchmark, cases in aligned.items():
        comparisons = [
            *case_comparison_rows(cases, seed),
            *(row for own in aligned_own(results, benchmark) for row in official_comparison_rows(own, seed)),
            *together_rows(cases, seed),
        ]
        rows += [{**row, "benchmark": benchmark} for row in comparisons]
        facts["family"][benchmark] = _family(sum(row["p"] is not None for row in comparisons), len(cases.names))
        facts["interval"][benchmark] = resampling_words(cases)
        facts["common_cases"][benchmark] = _common(cases)
        ranked = official_values(officials.get(benchmark, cases))
        facts["cascade"] |= {benchmark: _order(cases, ranked)} if len(cases.trying) > 2 else {}
        notes += _partial_averages(benchmark, cases)
    notes += without_gold(results)
    document = provenance(results, compare_command(results, form=params.form), tuple(notes))
    facts |= {"consensus": CONSENSUS} if facts["cascade"] else {}
    made = {**document, **facts, "test": TEST, "level": 0.95, "resamples": RESAMPLES}
    frame = pl.DataFrame(rows, schema=COMPARISON, orient="row")
    sections = {}
    for benchmark, cases in aligned.items():
        own = frame.filter(pl.col("benchmark") == benchmark).to_dicts()
        lay_out = pair_blocks if len(results.chosen) == 2 else _standing_blocks
        lacking = (*without_gold(results, benchmark), *first_run_notes(results, benchmark))
        blocks = lay_out(results, benchmark, cases, own, _tests(made, benchmark), seed)
        sections[benchmark] = chain(blocks, quiet_notes(lacking))
    return View(frame, made, title="Comparison", lay_out=lambda: comparison_sections(results, sections))


def _tests(facts: Mapping[str, Any], benchmark: str) -> Note:
    """How differences were told from chance."""
    of_benchmark = (facts[name].get(benchmark, "") for name in ("interval", "family"))
    official = "" if metrics_of(benchmark).name == "f1" else f"of {metrics_of(benchmark).title} {DRAWN_WHOLE}"
    return test_note(facts["seed"], facts["test"], *of_benchmark, official)


def _family(tests: int, scorers: int) -> str:
    return f"Holm over {tests} tests: all pairs of the {scorers} scorers, erroneous and clean cases"


def _common(aligned: AlignedScorers) -> str:
    columns = aligned.trying
    n = int(aligned.common(columns).sum()) if columns else 0
    return f"{n} of {aligned.rows.size} tried by {_all(len(columns))} tried any"


def _common_judged(aligned: AlignedSums) -> str:
    judging = aligned.trying
    n = int(aligned.common(judging).sum()) if judging else 0
    what = "steps of " if aligned.metrics is OF_STEPS else ""
    return f"{what}{n} of {aligned.problems.size} cases judged by {_all(len(judging))} judged any"


def _all(scorers: int) -> str:
    return "the one scorer that" if scorers == 1 else f"all {scorers} scorers that"


def _order(aligned: AlignedScorers, official: Mapping[str, float]) -> str:
    """The order in which the cascade goes through the scorers, and whether it begins with the best."""
    names = [aligned.names[place] for place in aligned.trying]
    values = np.array([official.get(name, np.nan) for name in names])
    ordered = " (best first)" if np.isfinite(values).all() and (np.diff(values) <= 0).all() else ""
    return f"{', '.join(names)}{ordered}"


def _partial_averages(benchmark: str, aligned: AlignedScorers) -> Iterator[str]:
    """A sentence for every pair that has no case in common in some of the subsets."""
    wanted = np.unique(aligned.subsets).size
    for left, right in combinations(range(len(aligned.names)), 2):
        there = np.count_nonzero(np.bincount(aligned.subsets[aligned.common((left, right))]))
        if 0 < there < wanted:
            pair = f"{aligned.names[left]} and {aligned.names[right]}"
            yield f"{benchmark}: {pair} share cases of {there} of {wanted} subsets; averages are over these"


# -- all scorers

MOST_PAIRS = 66
"""All pairs are listed up to so many; of more only those with the best."""
FEW = 3
"""Scorers of which all pairs are shown at once."""


def _standing_blocks(
    results: ResultSet, benchmark: str, aligned: AlignedScorers, rows: Sequence[Row], tests: Note, seed: int | None
) -> Iterator[Block]:
    """Who is best, who may be, who is right alone; every pair with the best; and what all make of a case together."""
    del seed  # The rows have their intervals.
    field = ScorerField.of(results, benchmark, aligned)
    yield from field_head(field)
    cells = {(row["scorer"], row["metric"]): row for row in rows if row["scorer"] is not None}
    head = metrics_of(benchmark).name
    ranked = sorted(
        (row for (_, metric), row in cells.items() if metric == head),
        key=lambda row: (row["value"] is None, -(row["value"] or 0.0)),
    )
    if head == "f1":
        link = field.common(EVERY) if field.sets else None
    else:
        trying = [row["scorer"] for row in ranked if row["n"]]
        n = next((row["n"] for row in ranked if row["n"]), 0)
        link = own_link(results, benchmark, metrics_of(benchmark).name, trying, n, "counted for all scorers")
    yield from _leader(cells, ranked, head, metrics_of(benchmark).title)
    yield _standings(field, cells, ranked, link)
    yield Note("Tied: the interval of the difference to the best holds 0.", "quiet")
    if field.sets:
        yield _unanimous(field)
    pairs = list(_pair_lines(field, rows))
    best = next((row["other"] for row in rows if row["metric"] == f"{head}_behind_best" and row["other"]), None)
    listed = pairs if len(field.columns) <= FEW else [line for line in pairs if best in line[0]]
    if listed:
        yield _pair_table("Differences" if len(listed) == len(pairs) else f"Differences to the best, {best}", listed)
    else:
        yield Note("No pair of scorers has common cases.")
    if len(listed) < len(pairs) <= MOST_PAIRS:
        yield Fold(f"All {len({line[0] for line in pairs})} pairs", (_pair_table("", pairs),))
    elif len(listed) < len(pairs):
        yield Note(f"The other pairs of {len({line[0] for line in pairs})} are in --csv and --json.", "quiet")
    yield from _consensus_blocks(rows)
    yield Panel("How this is tested", (tests,), place="method")


def _leader(cells: Mapping[tuple[str, str], Row], ranked: Sequence[Row], head: str, title: str) -> Iterator[Note]:
    """Name the scorer with the highest figure, and the scorers tied with it."""
    first = next((row for row in ranked if row["value"] is not None), None)
    if first is None:
        return
    others = [row["scorer"] for row in ranked if row is not first]
    tied = [name for name in others if cells[name, tied_name(head)]["value"] == 1.0]
    sentence = f"{first['scorer']} has the highest {title}: {share(first['value'])}."
    yield Note(f"{sentence} Tied with it: {', '.join(tied)}." if tied else sentence)


def _standings(
    field: ScorerField, cells: Mapping[tuple[str, str], Row], ranked: Sequence[Row], link: CaseLink | None
) -> Table:
    """A line a scorer, best first; who is right alone only where the official figure is of first errors as well."""
    head = metrics_of(field.benchmark).name
    alone = {
        (correct_set.side, correct_set.right): correct_set
        for correct_set in field.sets
        if correct_set.kind == "lone_right"
    }
    lines: list[list[Cell]] = []
    for row in ranked:
        name = row["scorer"]
        behind, tied = cells[name, f"{head}_behind_best"], cells[name, tied_name(head)]
        line = [text(name), count(row["n"]), count(row["left_out"])]
        line.append(figure(row, link=link if row["value"] is not None else None, style="strong"))
        line.append(
            text("best", "good") if behind["other"] == name else points(behind, link if behind["value"] else None)
        )
        line.append(text({None: "", 0.0: "no", 1.0: "yes"}[tied["value"]]))
        place = field.aligned.names.index(name)
        for side in SIDES if head == "f1" else ():
            correct_set = alone.get((side, (place,)))
            line.append(count(correct_set.count, field.link(correct_set)) if correct_set else count(0))
        lines.append(line)
    titles: list[str | Column] = [
        "scorer",
        "n",
        Column("left out", 2),
        forest_column(metrics_of(field.benchmark).title),
        difference_column("vs. the best"),
        "tied",
    ]
    titles += ["alone right: erroneous", "clean"] if head == "f1" else []
    return table("Standings on common cases", titles, lines)


def _unanimous(field: ScorerField) -> Table:
    """On which cases nobody is right, and on which everybody is."""
    lines = []
    for side in SIDES:
        kinds = {correct_set.kind: correct_set for correct_set in field.sets if correct_set.side == side}
        wrong, right = kinds["unanimous_wrong"], kinds["unanimous_right"]
        each = [count(correct_set.count, field.link(correct_set)) for correct_set in (wrong, right)]
        lines.append([text(side), *each, count(wrong.n, field.common(side), "dim")])
    return table("Right together", ["", "all wrong", "all right", "n"], lines)


PairLine = tuple[tuple[str, str], list[Cell]]


def _pair_lines(field: ScorerField, rows: Sequence[Row]) -> Iterator[PairLine]:
    """The lines of every pair: the difference of its official figure, and of what that is made of."""
    of_pair: dict[tuple[str, str], dict[tuple[str, str], Row]] = {}
    for row in rows:
        if row["scorer"] is not None and row["other"] is not None:
            of_pair.setdefault((row["scorer"], row["other"]), {})[row["subset"], row["metric"]] = row
    head = metrics_of(field.benchmark).name
    lines = (
        ("all", "all", head if head != "f1" else ""),
        ("right steps", "all", "positive_acc"),
        ("wrong steps", "all", "negative_acc"),
        ("all", "average", "f1"),
        ("all", "all", "f1"),
        ("erroneous", "all", "error_acc"),
        ("clean", "all", "correct_acc"),
    )
    for names, cells in of_pair.items():
        if ("average", "f1_difference") not in cells:
            continue
        places = tuple(field.aligned.names.index(name) for name in names)
        for cases, subset, metric in lines:
            difference = cells.get((subset, f"{metric}_difference"))
            if difference is None or not is_laid_out(cells, head, subset, metric):
                continue
            label = f"{metric}, {'average' if subset == 'average' else 'pooled'}"
            line = [text(cases), text(label), count(difference["n"]), points(difference)]
            line += _quadrant_cells(field, places, cases, cells)
            test = cells.get(("all", f"{cases}_mcnemar"), {})
            yield names, [*line, p_value(test.get("p")), p_value(test.get("p_holm"))]


def _quadrant_cells(
    field: ScorerField, places: tuple[int, ...], side: str, cells: Mapping[tuple[str, str], Row]
) -> Iterator[Cell]:
    for name, sides in QUADRANTS.items():
        row = cells.get(("all", f"{side}_{name}"))
        if row is None or row["value"] is None:
            yield count(None)
            continue
        names = tuple(field.aligned.names[place] for place in places)
        each = (
            (right_of if right else wrong_of)(field.aligned, at, side) for at, right in zip(places, sides, strict=True)
        )
        words = f"{' and '.join(f'{who} {_word(right)}' for who, right in zip(names, sides, strict=True))}, {side}"
        where = (*field.inside, conjunction((OF_SIDE[side], *each)))
        yield count(int(row["value"]), CaseLink(where, int(row["value"]), words, names[0], names, field.benchmark))


def _word(right: bool) -> str:
    return "right" if right else "wrong"


def _pair_table(title: str, pairs: Sequence[PairLine]) -> Table:
    lines, before = [], None
    heights = {names: sum(pair[0] == names for pair in pairs) for names, _ in pairs}
    for names, cells in pairs:
        label = Cell(names[0], note=f"minus {names[1]}", rows=heights[names] if names != before else 0)
        lines.append([label, *cells])
        before = names
    titles: list[str | Column] = [
        "pair",
        "cases",
        "metric",
        "n",
        difference_column("difference"),
        "both",
        "only first",
        "only second",
        "neither",
    ]
    return table(title, [*titles, "p McNemar", "p Holm"], lines, labels=2)


def _consensus_blocks(rows: Sequence[Row]) -> Iterator[Block]:
    """What the consensus decides and how good it is, beside the best scorer and whoever is right."""
    cells = {row["metric"]: row for row in rows if row["metric"].startswith(("consensus_", "oracle_"))}
    if "consensus_decided" not in cells:
        return
    decided, difference = cells["consensus_decided"], cells["consensus_f1_difference"]
    other = difference["other"]
    lines = [
        [text("consensus"), figure(cells["consensus_f1"]), points(difference) if other else text("")],
        [text("whichever is right (an oracle)"), figure(cells["oracle_f1"]), text("")],
    ]
    yield table("All of them together", ["", forest_column("F1"), f"vs. {other}" if other else ""], lines)
    if decided["value"] is not None:
        yield Note(f"The consensus decides {decided['value']:.0f} of {decided['n']} cases; {CONSENSUS}.", "quiet")
    by_cell = {(row["scorer"], row["metric"]): row for row in rows}
    lines = []
    for name in (row["scorer"] for row in rows if row["metric"] == "erroneous_cascade_right"):
        line = [text(name)]
        for side in SIDES:
            right, added = (by_cell[name, f"{side}_cascade_{what}"] for what in ("right", "added"))
            known = right["value"] is not None
            line.append(count(int(right["value"]) if known else None, note=f"({added['value']:+.0f})" if known else ""))
        weight = by_cell[name, "consensus_weight"]["value"]
        lines.append([*line, text("" if weight is None else f"{weight:.2f}")])
    if lines:
        caption = "How many cases at least one scorer so far has right (+ new ones)"
        yield Fold("Any of several scorers right", (table(caption, ["any so far", *SIDES, "weight"], lines),))


_PAGES: Mapping[str, Callable[[ResultSet, Params, bool], View]] = {
    "pair": _scorers,
    SCORERS: _scorers,
    PAIRS: pairs_view,
    SETS: sets_view,
    CASCADE: cascade_view,
}
