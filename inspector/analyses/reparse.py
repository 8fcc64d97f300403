"""A critic's kept answers read with another parser; what that changes."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from inspector.analyses import Option, OptionValue, Page, Params, analysis
from inspector.analyses.thresholds.flip_page import outcome_matrices, outcomes_words
from inspector.render.blocks import Block, Facts, Note
from inspector.render.charts.glyphs import OUTCOME_STYLES
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import Cell, Column, Table, count, figure, p_value, points, table, text
from inspector.render.texts.sentences import WORDS, named_step
from inspector.render.view import View
from inspector.state.case_links import OF_SIDE
from inspector.state.figure_notes import first_run_notes, interval_notes
from inspector.state.kept_answers import counts_of
from inspector.state.provenance import provenance
from inspector.state.thresholds.flips import LISTED, MOVED_CASES, MovedThreshold, moved_cases
from inspector.state.thresholds.ways import TITLES, threshold_sections
from scoring.data.errors import UsageError
from scoring.data.schema import Bools, RowDict
from scoring.data.scorer import Scorer
from scoring.data.storage.remembered import IdentityCache
from scoring.evaluation.evaluation import Evaluation, evaluate
from scoring.evaluation.verdicts import OUTCOMES, UNPARSED
from scoring.evaluation.verdicts import REFUSED as WAS_REFUSED
from scoring.metrics.aligned import AlignedScorers, align_scorers
from scoring.metrics.benchmark_metrics import metrics_of
from scoring.metrics.closed_forms import mcnemar
from scoring.metrics.first_error import SIDES
from scoring.metrics.kernel import Metric
from scoring.metrics.paired import CASE_NAMES, STEP_NAMES, quadrants
from scoring.metrics.shared_draws import OF_CASES, Aligned, shared
from scoring.models.critics.answer_parsers import PARSERS, parser_of, version
from scoring.models.critics.protocols import CriticProtocol
from scoring.runs.generative.generative_catalogue import is_talk
from scoring.runs.reparse import misfit, parsers_for, protocol_of_critic, reader, readings
from scoring.selection.result_set import ResultSet, by_benchmark, within
from scoring.workspace.cache import RewardParts, VoteParts
from scoring.workspace.filtering.filters import Facet
from scoring.workspace.rows_of_cases import rows_about

CHANGES, CASES = "changes", "cases"
FIGURES = {
    "scorer": pl.String(),
    "parser": pl.String(),
    "benchmark": pl.String(),
    # A figure; `answers`, `unparsed_answers` or `changed_verdicts`; or an outcome, of which cases are counted.
    "metric": pl.String(),
    "before": pl.Float64(),
    "after": pl.Float64(),
    "difference": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "n": pl.Int64(),
    "p": pl.Float64(),
    "reason": pl.String(),
}
TURNED = {
    "scorer": pl.String(),
    "parser": pl.String(),
    # `flip`: the outcome became right, or wrong, or is as right as it was.
    **MOVED_CASES,
    "reason_before": pl.String(),
    "reason_after": pl.String(),
}
WITHOUT_VERDICT = (UNPARSED, WAS_REFUSED)
NOTHING_IS_ASKED = "No server is asked, and what is kept stays as it is."
COMMON = (
    "before and after are of the cases that count under each reading; difference, interval and test (exact McNemar, "
    "two-sided) are of those that count under both"
)
_TITLES = {**TITLES, "positive_acc": "right steps", "negative_acc": "wrong steps"}
_READINGS = IdentityCache(16)


class Rereading(Struct, frozen=True, eq=False, dict=True):
    """A critic as it is kept (`before`) and as a parser reads its answers (`after`); both are of all cases."""

    parser: str
    before: Evaluation
    after: Evaluation
    kept: pl.DataFrame
    read: pl.DataFrame

    @property
    def name(self) -> str:
        """The critic's name."""
        return self.before.scorer.name

    @property
    def moved(self) -> MovedThreshold:
        """The same as a move from one decision to another."""
        return MovedThreshold(self.before, self.after, self.before)

    @cached_property
    def changed(self) -> Bools:
        """The cases whose verdict or outcome is another. Shape (n,)."""
        differs: Bools = (self.before.verdicts != self.after.verdicts) | (self.before.codes != self.after.codes)
        return differs


def _parsers(results: ResultSet, params: Params) -> Iterator[OptionValue]:  # noqa: ARG001  # as all offers
    yield OptionValue(None, "all of them", "what each would change")
    protocols = [protocol_of_critic(evaluation.scorer) for evaluation in results.chosen_evaluations]
    fitting = {name: parser for protocol in protocols if protocol for name, parser in parsers_for(protocol).items()}
    yield from (OptionValue(name, name, parser.about) for name, parser in fitting.items())


@analysis(
    "Parsers",
    (
        Page(CHANGES, "What changes", "focus"),
        Page(CASES, "Changed cases", "focus", help="the cases whose verdict or outcome changes, one by one"),
    ),
    slow=True,
    scorers="critics by name or a unique part of it (default: all that were asked here)",
    options=(
        Option(
            "parser",
            f"read the answers with this one ({', '.join(PARSERS)}; default: with each that finds what was asked for)",
            "Parser",
            choices=tuple(PARSERS),
            offered=_parsers,
        ),
    ),
    examples=("prm-inspect reparse my-critic --parser loose", "prm-inspect reparse my-critic --parser loose --save"),
    needs="Answers in words are read again, and no critic has any on {benchmark}.",
    help="What the answers that a critic gave say when another parser reads them; nothing that is kept changes.",
)
def reparse(results: ResultSet, params: Params, intervals: bool) -> View:
    """Read the kept answers of the chosen critics again, and hold it against what is kept.

    Raises:
        UsageError: none of them was asked here, or the parser finds what none of them was asked for.
    """
    parser = params.get("parser")
    of_critics = [reading for name in results.chosen for reading in _readings_of(results, name, parser)]
    misfits = tuple(_misfits(results, parser)) if parser else ()
    if not of_critics:
        if misfits:
            raise UsageError(misfits[0])
        raise UsageError(
            why_none([evaluation.scorer for evaluation in results.chosen_evaluations]),
            "Ask one: prm-inspect score BENCHMARK --critic PROTOCOL --server URL",
        )
    names = dict.fromkeys(reading.name for reading in of_critics)
    reread = replace(results, chosen=tuple(names))
    of_cases = params.page == CASES
    if of_cases:
        frame = pl.concat([pl.DataFrame(schema=TURNED), *(_turned(reread, reading) for reading in of_critics)])
    else:
        seed = results.query.seed if intervals else None
        rows = [row for reading in of_critics for row in _figures(reread, reading, seed)]
        frame = pl.DataFrame(rows, schema=FIGURES, orient="row")
    command = results.query.command("reparse", *params.words, form=params.form)
    intervals_of = () if of_cases else (COMMON, *interval_notes(reread))
    facts = provenance(reread, command, (NOTHING_IS_ASKED, *misfits, *intervals_of, *first_run_notes(reread)))
    versions: dict[str, set[str]] = {}
    for reading in of_critics:
        versions.setdefault(reading.parser, set()).add(version(_reader(reading)))
    facts["parsers"] = {name: ", ".join(sorted(several)) for name, several in versions.items()}

    def blocks(benchmark: str, scope: ResultSet) -> Iterator[Block]:
        if of_cases:
            yield from _case_blocks(frame, bool(parser), benchmark, scope)
        else:
            yield from _blocks(of_critics, frame, bool(parser), benchmark, scope)
        yield from map(Note, misfits)

    empty = "" if results.shown.size else "No case is shown."
    return View(
        frame,
        facts,
        title="Parsers",
        lay_out=lambda: threshold_sections(reread, blocks),
        empty=empty,
        because=misfits if params.form else (),
    )


def why_none(scorers: Sequence[Scorer]) -> str:
    """Explain why the answers of none of these scorers can be read again."""
    talks = [scorer.name for scorer in scorers if is_talk(scorer)]
    if talks:
        return (
            f"{talks[0]} is a PRM that generates: its rewards are probabilities that the model gave to two words while "
            "it was asked, so that no reader of texts makes them again."
        )
    imported = [scorer.name for scorer in scorers if scorer.kind == "critic"]
    if imported:
        return f"{imported[0]} was not asked here, so that it is not known by which protocol its answers are read."
    return "no critic that was asked here has answers that could be read again."


# -- reading


def _readings_of(results: ResultSet, name: str, parser: str | None) -> Iterator[Rereading]:
    """A critic under one parser, or under each that finds what it was asked for."""
    before = results.evaluation(name)
    protocol = protocol_of_critic(before.scorer)
    if protocol is None or name not in results.loaded.folders or not VoteParts(results.loaded.folders[name]).parts():
        return
    for name_of_parser in parsers_for(protocol):
        if parser in {None, name_of_parser}:
            yield _reading(results, before, protocol, name_of_parser)


def _misfits(results: ResultSet, parser: str) -> Iterator[str]:
    """A sentence for every chosen critic whose answers the parser cannot read."""
    for evaluation in results.chosen_evaluations:
        protocol = protocol_of_critic(evaluation.scorer)
        if protocol is not None and parser not in parsers_for(protocol):
            yield misfit(evaluation.scorer, protocol, parser)


def _reading(results: ResultSet, before: Evaluation, protocol: CriticProtocol, parser: str) -> Rereading:
    scorer, folder = before.scorer, results.loaded.folders[before.scorer.name]
    read, parts = reader(scorer, protocol, parser), VoteParts(folder)
    own = version(read) == version(protocol.read)
    key = (str(folder), tuple(part.name for part in parts.parts()), version(read))
    keyed = results.loaded.keyed(scorer)
    rows = _READINGS.of(key, (results.cases,), lambda: readings(parts, read, keyed, own=own))
    kept = parts.read(tuple(rows.columns))[0]
    after = evaluate(before.gold, scorer, RewardParts(folder).read()[0], votes=rows, cases=keyed)
    if before.rule.movable is not None and after.rule.is_movable:
        after = after.under(before.rule.movable)
    return Rereading(parser, before, after, kept, rows)


def _reader(reading: Rereading) -> Any:
    protocol = protocol_of_critic(reading.before.scorer)
    assert protocol is not None  # noqa: S101  # it was read by one
    return reader(reading.before.scorer, protocol, reading.parser)


def _scopes(results: ResultSet) -> Iterator[tuple[str, ResultSet]]:
    """Every benchmark with a shown case, and the result set with its cases alone."""
    for name, rows in by_benchmark(results):
        if rows.any():
            of_benchmark = results.shown[rows[results.shown]]
            yield name, replace(results, shown=of_benchmark)


# -- rows


def _figures(results: ResultSet, reading: Rereading, seed: int | None) -> Iterator[RowDict]:
    for benchmark, scope in _scopes(results):
        about = {"scorer": reading.name, "parser": reading.parser, "benchmark": benchmark}
        mask = scope.mask
        if not (reading.before.coverage.tried | reading.after.coverage.tried)[mask].any():
            continue
        here = results.loaded.keyed(reading.before.scorer).filter(pl.Series(mask))
        before, after = (counts_of(rows_about(here, rows)) for rows in (reading.kept, reading.read))
        yield {**about, "metric": "answers", "before": before.answers, "after": after.answers}
        unparsed = {"before": sum(before.unparsed.values()), "after": sum(after.unparsed.values())}
        yield {**about, "metric": "unparsed_answers", **unparsed}
        yield {**about, "metric": "changed_verdicts", "after": float((reading.changed & mask).sum())}
        for code, outcome in enumerate(OUTCOMES):
            counts = [int((evaluation.codes[mask] == code).sum()) for evaluation in (reading.before, reading.after)]
            if any(counts):
                yield {**about, "metric": outcome, "before": counts[0], "after": counts[1]}
        each: tuple[tuple[Evaluation, ...], ...] = (
            (reading.before,),
            (reading.after,),
            (reading.before, reading.after),
        )
        cases = [align_scorers(some, mask, results.unparsed(benchmark)) for some in each]
        yield from (about | row for row in _paired(OF_CASES, cases, _tests(cases[-1]), seed))
        sums = [metrics_of(benchmark).aligned(some, mask, results.unparsed(benchmark)) for some in each]
        if officials := [of_some for of_some in sums if of_some is not None]:
            yield from (about | row for row in _paired(officials[0].metrics, officials, {}, seed))


def _tests(both: AlignedScorers) -> dict[str, float]:
    """McNemar's test of the two readings, by side of the gold label; none where a side has no case."""
    sides = {side: quadrants(both, 0, 1, members) for side, members in both.sides}
    return {
        side: float(mcnemar(np.array(four["only_scorer_right"]), np.array(four["only_other_right"])))
        for side, four in sides.items()
        if sum(four.values())
    }


def _paired(
    metrics: Sequence[Metric], aligned: Sequence[Aligned], tests: Mapping[str, float], seed: int | None
) -> Iterator[RowDict]:
    """A row a figure: before and after on the cases that each has, and the difference on those of both."""
    before, after = shared(aligned[0], (0,), None), shared(aligned[1], (0,), None)
    both = shared(aligned[2], (0, 1), seed)
    for metric in metrics:
        olds, news, less = before.estimate(metric, 0), after.estimate(metric, 0), both.difference(metric, 1, 0)
        yield {
            "metric": metric.name,
            "before": olds.value,
            "after": news.value,
            "difference": less.value,
            "low": less.low,
            "high": less.high,
            "n": less.n,
            "p": tests.get(OF_SIDE.get(metric.name) or ""),
            "reason": less.reason or news.reason or olds.reason,
        }


def _turned(results: ResultSet, reading: Rereading) -> pl.DataFrame:
    rows = np.flatnonzero(results.mask & reading.changed)
    reasons = {
        f"reason_{when}": pl.Series([evaluation.coverage.reasons[row] for row in rows.tolist()], dtype=pl.String)
        for when, evaluation in (("before", reading.before), ("after", reading.after))
    }
    moved = moved_cases(reading.before, reading.after, rows, same="other").with_columns(
        **reasons, scorer=pl.lit(reading.name), parser=pl.lit(reading.parser)
    )
    return moved.select(pl.col(name).cast(dtype) for name, dtype in TURNED.items())


# -- what people see


def _blocks(
    of_critics: Sequence[Rereading], frame: pl.DataFrame, alone: bool, benchmark: str, scope: ResultSet
) -> Iterator[Block]:
    """What changes, of each critic; `alone` says that one parser was asked for."""
    rows = frame.filter(pl.col("benchmark") == benchmark)
    for name in dict.fromkeys(reading.name for reading in of_critics):
        of_scorer = [reading for reading in of_critics if reading.name == name]
        own = rows.filter(pl.col("scorer") == name)
        if own.is_empty():
            yield Note(f"{name} has no answer to these cases.")
            continue
        yield Facts((("critic", name), ("kept as read by", _kept_by(of_scorer[0])), *_about(of_scorer[0], alone)))
        if alone:
            yield from _changes(of_scorer[0], _by_metric(own), benchmark, scope)
        else:
            yield _overview(of_scorer, own, benchmark, scope)
    yield Note(f"{NOTHING_IS_ASKED} --save keeps a reading as a scorer of its own.", "quiet")


def _about(reading: Rereading, alone: bool) -> Iterator[tuple[str, str]]:
    if alone:
        yield "parser", f"{reading.parser}: {PARSERS[reading.parser].about}"


def _kept_by(reading: Rereading) -> str:
    protocol = protocol_of_critic(reading.before.scorer)
    return parser_of(protocol) if protocol else ""


def _title(metric: str, benchmark: str) -> str:
    return metrics_of(benchmark).title if metric == metrics_of(benchmark).name else _TITLES[metric]


def _overview(of_critic: Sequence[Rereading], rows: pl.DataFrame, benchmark: str, scope: ResultSet) -> Table:
    """A line a parser: what it cannot read, how many verdicts it changes, and the figures that come of it."""
    lines = []
    official = metrics_of(benchmark).name
    official = official if rows.filter(pl.col("metric") == official)["after"].count() else "f1"
    for reading in of_critic:
        cells = _by_metric(rows.filter(pl.col("parser") == reading.parser))
        changed = int(cells["changed_verdicts"]["after"])
        lines.append(
            [
                text(reading.parser),
                count(int(cells["unparsed_answers"]["after"])),
                count(
                    changed,
                    _link(scope, reading, reading.changed & scope.mask, f"{reading.parser} changes them", benchmark),
                ),
                _share(cells[official], "after"),
                _difference(cells[official]),
                text(PARSERS[reading.parser].about, "dim"),
            ]
        )
    how = Column("how it reads", 2, right=False, wraps=True)
    columns: list[str | Column] = ["parser", "unparsed", "changed", _title(official, benchmark), "difference", how]
    return table("What each parser would make of the answers", columns, lines)


def _changes(reading: Rereading, cells: Mapping[str, RowDict], benchmark: str, scope: ResultSet) -> Iterator[Block]:
    """What one parser changes: answers, figures, outcomes, and which faults it finds."""
    answers, lost = int(cells["answers"]["after"]), [int(cells["unparsed_answers"][w]) for w in ("before", "after")]
    changed = int(cells["changed_verdicts"]["after"])
    yield Note(
        f"Of {answers:,} answers {lost[0]:,} were unparsed and {lost[1]:,} would be; the verdict of {changed:,} of "
        f"{scope.shown.size:,} cases changes.",
        "lead",
    )
    here = scope.loaded.keyed(reading.before.scorer).filter(pl.Series(scope.mask))
    counts = [counts_of(rows_about(here, rows)) for rows in (reading.kept, reading.read)]
    faults = [{**each.unparsed, **each.misfit} for each in counts]
    kinds = dict.fromkeys((*faults[0], *faults[1]))
    lines = [[text(kind), *(count(each.get(kind, 0)) for each in faults)] for kind in kinds]
    if lines:
        yield table("What is wrong with answers", ["", "before", "after"], lines)
    official = metrics_of(benchmark).name
    names = [name for name in dict.fromkeys((official, *STEP_NAMES, *CASE_NAMES)) if name in cells]
    yield table(
        "Figures",
        ["", "before", "after", "difference", "p McNemar"],
        [
            [
                text(_title(name, benchmark), "strong" if name in {"f1", official} else ""),
                _share(cells[name], "before"),
                _share(cells[name], "after"),
                _difference(cells[name]),
                p_value(cells[name]["p"]),
            ]
            for name in names
        ],
    )
    erroneous = reading.before.gold.earliest >= 0

    def link(side: str, old: int, new: int, n: int) -> CaseLink | None:
        members = scope.mask & (erroneous if side == SIDES[0] else ~erroneous)
        rows = members & (reading.before.codes == old) & (reading.after.codes == new)
        return _link(scope, reading, rows, f"{outcomes_words(old, new)}, {side}", benchmark) if n else None

    codes = np.concatenate([reading.before.codes[scope.mask], reading.after.codes[scope.mask]])
    silent = [code for code in WITHOUT_VERDICT if code in codes]
    yield from outcome_matrices(scope, reading.moved, link, tuple(silent))


def _case_blocks(frame: pl.DataFrame, alone: bool, benchmark: str, scope: ResultSet) -> Iterator[Block]:
    """The changed cases one by one."""
    several = len(frame["scorer"].unique()) > 1
    rows = frame.filter(pl.col("benchmark") == benchmark)
    if rows.is_empty():
        yield Note("No verdict changes.")
        return
    lines = []
    for row in rows.iter_rows(named=True):
        where = (*within(scope, benchmark), Facet("case", (row["case"],)).sql)
        link = CaseLink(where, 1, row["case"], row["scorer"], benchmark=benchmark)
        lines.append(
            [
                Cell(row["case"], link=link),
                *([text(row["scorer"])] if several else []),
                *([] if alone else [text(row["parser"])]),
                text(_gold(row["earliest_error"])),
                *(_outcome(row, when) for when in ("before", "after")),
            ]
        )
    heads = ["case", *(["critic"] if several else []), *([] if alone else ["parser"]), "gold"]
    columns = [
        *(Column(head, right=False) for head in heads),
        *(Column(w, right=False, wraps=True) for w in ("before", "after")),
    ]
    yield table("Cases whose verdict changes", columns, lines, labels=len(heads))


def _gold(earliest: int | None) -> str:
    return "no label" if earliest is None else named_step(earliest)


def _outcome(row: Mapping[str, Any], when: str) -> Cell:
    outcome, verdict = row[f"outcome_{when}"], row[f"verdict_{when}"]
    note = (row[f"reason_{when}"] or "") if verdict is None else named_step(verdict)
    return replace(text(WORDS[outcome], OUTCOME_STYLES.get(outcome, "dim")), note=note)


def _by_metric(rows: pl.DataFrame) -> dict[str, RowDict]:
    return {row["metric"]: row for row in rows.iter_rows(named=True)}


def _share(row: Mapping[str, Any], when: str) -> Cell:
    value = row[when]
    return figure({"value": value, "low": None, "high": None, "reason": None if value is not None else row["reason"]})


def _difference(row: Mapping[str, Any]) -> Cell:
    return points({**row, "value": row["difference"]})


def _link(scope: ResultSet, reading: Rereading, rows: Bools, words: str, benchmark: str) -> CaseLink | None:
    """What opens cases by their names; None where they are none or too many to be named."""
    names = tuple(scope.cases["case"].filter(pl.Series(rows)))
    if not 0 < len(names) <= LISTED:
        return None
    where = (*within(scope, benchmark), Facet("case", names).sql)
    return CaseLink(where, len(names), words, reading.name, benchmark=benchmark)
