"""How well people agree on cases; how well scorers do, with gold too."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, groupby
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from inspector.analyses import Page, Params, analysis
from inspector.render.blocks import Block, Cell, Column, Kind, Note, Section, count, figure, table, text
from inspector.render.lines import CaseLink
from inspector.render.texts.sentences import counted
from inspector.render.view import View
from inspector.state.notes import first_run_notes
from inspector.state.provenance import provenance, provenance_of_people
from inspector.state.result_set import ResultSet, by_benchmark, within
from inspector.state.triage.annotations import StatementsByPerson, Topic, disagreements, statements_by_person
from scoring.data.errors import UsageError
from scoring.data.schema import Bools, Row
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.verdicts import NO_VERDICT
from scoring.metrics.annotator_agreement import (
    MISSING,
    NOTHING_SHARED,
    AnnotatorAnswers,
    agreement_of_all,
    agreement_of_two,
    confusion_of,
)
from scoring.metrics.outcome_conditions import LABELLED, answered
from scoring.metrics.resampling import LEVEL, RESAMPLES, SMALL, Figure
from scoring.workspace.filtering.filters import Facet
from scoring.workspace.filtering.sql_words import named
from scoring.workspace.triage.actions import TAG
from scoring.workspace.triage.statements import CATEGORY, RATING, RULING

# -- the page of `agreement` on scorers: their verdicts, held against each other and against gold


SCORER_AGREEMENT = {
    "benchmark": pl.String(),
    # "gold" (a scorer and the gold labels), "pair" (two scorers) or "all".
    "scope": pl.String(),
    "scorer": pl.String(),
    "other": pl.String(),
    "metric": pl.String(),
    "value": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    # Cases with a verdict of both, or of all scorers those with two verdicts at least.
    "n": pl.Int64(),
    "reason": pl.String(),
    "note": pl.String(),
    "small": pl.Boolean(),
}
GOLD, PAIR, ALL = "gold", "pair", "all"
SLOW = 20_000
"""With more cases than this of a benchmark nothing is resampled: it would take minutes."""
NO_CASE = {
    GOLD: "no case has a gold label and a verdict of it",
    PAIR: "no case has verdicts of both",
    ALL: "no case has verdicts of two scorers",
}
SCORER_NOTES = (
    (
        "verdict: the predicted earliest error (0-based, -1 none), a label without order; an answer that names no step "
        "of the solution is one label more, and a case without a verdict does not count"
    ),
    (
        "observed: the share of cases on which two scorers, or a scorer and gold, name the same; of all scorers the "
        "share of pairs of verdicts of one case"
    ),
    "kappa: Cohen's; alpha: Krippendorff's of all scorers that have a verdict, nominal",
    f"intervals: bootstrap of whole problems; none where a benchmark has more than {SLOW:,} cases",
)


def scorers_view(results: ResultSet, params: Params, intervals: bool) -> View:
    """Show how well every two scorers, each scorer and gold, and all scorers agree on the earliest error."""
    rows, notes, sections = list[Row](), list(SCORER_NOTES), list[Section]()
    for number, (benchmark, mask) in enumerate(by_benchmark(results)):
        judging = [
            evaluation for evaluation in results.chosen_evaluations if (evaluation.coverage.answered & mask).any()
        ]
        if not judging:
            continue
        silent = [evaluation.scorer.name for evaluation in results.chosen_evaluations if evaluation not in judging]
        notes += [f"{benchmark}: {name} has no verdict and is left out" for name in silent]
        verdicts = _Verdicts.of(results, benchmark, mask, judging)
        own = list(verdicts.rows(results.query.seed if intervals else None))
        rows += own
        sections.append(Section(benchmark, f"agreement-{number}", tuple(verdicts.blocks(own, silent))))
    if not rows:
        raise UsageError(
            "no scorer has a verdict on any of these cases, so there is nothing to agree on.",
            "Import results, score with a PRM, or widen the filter.",
        )
    command = results.query.command("agreement", *params.words, form=params.form)
    facts = provenance(results, command, (*notes, *first_run_notes(results)))
    facts |= {"level": LEVEL, "resamples": RESAMPLES}
    frame = pl.DataFrame(rows, schema=SCORER_AGREEMENT, orient="row")
    return View(frame, facts, title="Agreement of scorers", lay_out=lambda: tuple(sections))


class _Verdicts(Struct, frozen=True, eq=False):
    """The verdicts of scorers, `names`, on the shown cases of a benchmark, and in a last column those of gold.

    `inside` are the conditions that tell these cases from those of other benchmarks.
    """

    benchmark: str
    names: tuple[str, ...]
    inside: tuple[str, ...]
    answers: AnnotatorAnswers

    @classmethod
    def of(cls, results: ResultSet, benchmark: str, mask: Bools, evaluations: Sequence[Evaluation]) -> "_Verdicts":
        """Put them side by side; the code of a verdict is its place among all that there are."""
        gold = evaluations[0].gold
        columns = [
            np.where(evaluation.coverage.answered, evaluation.verdicts, NO_VERDICT)[mask] for evaluation in evaluations
        ]
        verdicts = np.column_stack([*columns, np.where(gold.known, gold.earliest, NO_VERDICT)[mask]])
        labels = np.unique(verdicts[verdicts != NO_VERDICT])
        codes = np.where(verdicts == NO_VERDICT, MISSING, np.searchsorted(labels, verdicts))
        names = tuple(evaluation.scorer.name for evaluation in evaluations)
        return cls(
            benchmark, names, within(results, benchmark), AnnotatorAnswers(codes, gold.problems[mask], labels.size)
        )

    def rows(self, seed: int | None) -> Iterator[Row]:
        """Give the rows of SCORER_AGREEMENT: each scorer and gold, every two scorers, all of them."""
        gold = len(self.names)
        seed = seed if len(self.answers.codes) <= SLOW else None
        for at, name in enumerate(self.names):
            yield from self._rows(GOLD, agreement_of_two(self.answers, at, gold, seed), name)
        for left, right in combinations(range(gold), 2):
            figures = agreement_of_two(self.answers, left, right, seed)
            yield from self._rows(PAIR, figures, self.names[left], self.names[right])
        without_gold = replace(self.answers, codes=self.answers.codes[:, :gold])
        yield from self._rows(ALL, agreement_of_all(without_gold, seed))

    def _rows(
        self, scope: str, figures: Sequence[Figure], scorer: str | None = None, other: str | None = None
    ) -> Iterator[Row]:
        for coefficient in figures:
            yield {
                "benchmark": self.benchmark,
                "scope": scope,
                "scorer": scorer,
                "other": other,
                **{name: getattr(coefficient, name) for name in ("metric", "value", "low", "high", "n", "note")},
                "reason": NO_CASE[scope] if coefficient.reason == NOTHING_SHARED else coefficient.reason,
                "small": coefficient.n < SMALL,
            }

    def blocks(self, rows: Sequence[Row], silent: Sequence[str]) -> Iterator[Block]:
        """Lay out rows: gold first, then all scorers and every two of them, those that agree most first."""
        # A row of what is observed is followed by that of the coefficient.
        groups = sorted(zip(rows[::2], rows[1::2], strict=True), key=lambda group: -_value(group[1]))
        lines: dict[str, list[list[Cell]]] = {GOLD: [], ALL: [], PAIR: []}
        for observed, coefficient in groups:
            lines[observed["scope"]].append(
                [*self._labels(observed), *self._figures(observed, coefficient), self._cases(observed)]
            )
        columns = ["same, in percent", "kappa", "cases"]
        yield table("With gold", ["scorer", *columns], lines[GOLD])
        if len(self.names) > 1:
            columns[1] = "kappa, of all: alpha"
            yield table("With each other", ["scorer", "other", *columns], [*lines[ALL], *lines[PAIR]], labels=2)
        yield Note("The same is the same earliest error, or that there is none.", "quiet")
        if silent:
            yield Note(f"Without a verdict here: {', '.join(silent)}.", "quiet")

    def _labels(self, row: Row) -> Iterator[Cell]:
        if row["scope"] == ALL:
            yield from (text(f"all {len(self.names)}", "strong"), text(""))
            return
        yield text(row["scorer"])
        if row["scope"] == PAIR:
            yield text(row["other"])

    def _figures(self, observed: Row, coefficient: Row) -> Iterator[Cell]:
        """How often they agree, which opens these cases, and the coefficient."""
        link = None
        if observed["scope"] != ALL and observed["value"]:
            names = [observed["scorer"], *([observed["other"]] if observed["other"] else [])]
            verdicts = [*(named(f"{name}.verdict") for name in names), "earliest_error"][:2]
            known = [*map(answered, names), *([LABELLED] if observed["scope"] == GOLD else [])]
            n = round(observed["value"] * observed["n"])
            link = self._link((*known, " = ".join(verdicts)), n, f"{_names(observed)} name the same", names)
        yield replace(figure(observed, link=link), reason="")
        yield figure(coefficient, Kind.MEAN)

    def _cases(self, row: Row) -> Cell:
        """Of how many cases a line is."""
        if row["scope"] == ALL:
            pairs = combinations(self.names, 2)
            where = [" OR ".join(f"({answered(first)} AND {answered(second)})" for first, second in pairs)]
            return count(row["n"], self._link(where, row["n"], "verdicts of two scorers or more", ()))
        names = [row["scorer"], *([row["other"]] if row["other"] else [])]
        where = [*map(answered, names), *([LABELLED] if row["scope"] == GOLD else [])]
        return count(row["n"], self._link(where, row["n"], f"verdicts of {_names(row)}", names))

    def _link(self, where: Sequence[str], n: int, words: str, names: Sequence[str]) -> CaseLink:
        scorer = names[0] if names else None
        return CaseLink((*self.inside, *where), n, words, scorer, tuple(names), self.benchmark)


def _names(row: Row) -> str:
    return f"{row['scorer']} and {row['other'] or 'gold'}"


def _value(row: Row) -> float:
    return -np.inf if row["value"] is None else float(row["value"])


COEFFICIENTS, CONFUSION, DISAGREEMENTS, SCORERS = "coefficients", "confusion", "disagreements", "scorers"
PAGES = (
    Page(COEFFICIENTS, "kappa and alpha", "none"),
    Page(CONFUSION, "who says what", "none", help="how often one person says this where another says that"),
    Page(
        DISAGREEMENTS,
        "where they differ",
        "none",
        help="the cases on which people differ (what each says, and those they differ most on first)",
    ),
    Page(
        SCORERS, "scorers", help="kappa and alpha of scorers' verdicts (with each other and with gold, not of people)"
    ),
)
_TITLES = {RULING: "Rulings", RATING: "Ratings of steps", TAG: "Tags", CATEGORY: "Categories"}
"""By kind of statement."""


@analysis(
    "Agreement",
    PAGES,
    together="instead of kappa and alpha",
    examples=("prm-inspect agreement", "prm-inspect agreement --disagreements --csv"),
    help="How well every two people and all of them agree, what each says where another says something else, and the "
    "cases to talk about; and how well scorers agree with each other and with gold.",
)
def agreement(results: ResultSet, params: Params, intervals: bool) -> View:
    """Hold what people say of the shown cases against each other, or the verdicts of scorers."""
    if params.page == SCORERS:
        return scorers_view(results, params, intervals)
    people = statements_by_person(results)
    if params.page == CONFUSION:
        return _confusion(results, people, params)
    if params.page == DISAGREEMENTS:
        return _disagreements(results, people, params)
    return _coefficients(results, people, params, intervals)


def _provenance(results: ResultSet, people: StatementsByPerson, params: Params, notes: Sequence[str]) -> dict[str, Any]:
    lost = people.elsewhere
    gone = [f"{counted(lost, 'case')} that people spoke of {'is' if lost == 1 else 'are'} in no benchmark looked at"]
    command = results.query.command("agreement", *params.words, form=params.form)
    several = people.statements.group_by("case").agg(pl.col("who").n_unique()).filter(pl.col("who") > 1).height
    coverage = f"two people or more speak of {several} of {counted(results.shown.size, 'case')}"
    facts = provenance_of_people(results, command, (*notes, *(gone if lost else ())))
    return {**facts, "people": list(people.people), "coverage": coverage}


def _sections(blocks: Iterator[Block]) -> tuple[Section, ...]:
    return (Section("What people say", "agreement", tuple(blocks)),)


def _topic_words(about: str, tag: str | None) -> str:
    return about if tag is None else f"tag {tag}"


def _link(cases: Sequence[str], words: str) -> CaseLink:
    """The cases of these names: no column tells what one person alone said."""
    return CaseLink((Facet("case", tuple(cases)).sql,), len(cases), words)


# -- kappa and alpha

AGREEMENT = {
    "about": pl.String(),
    "tag": pl.String(),
    # "pair" or "all"; the two people of a pair, null of all.
    "scope": pl.String(),
    "person_a": pl.String(),
    "person_b": pl.String(),
    "metric": pl.String(),
    "value": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    # Cases, or steps of ratings, of which two of these people at least say something; how many cases these are of.
    "n": pl.Int64(),
    "cases": pl.Int64(),
    "reason": pl.String(),
    "note": pl.String(),
    "small": pl.Boolean(),
}
LOOKED = (
    "a tag: of the cases that a person has looked at (where a ruling, rating, note or category of theirs stands, or a "
    "tag that they put on or took off that case alone), those without their tag count as no; other cases do not count"
)
SEEN = "people who saw what others had said agree more than they would by themselves; the journals cannot tell"
NOTES = (
    "observed: the share of cases, or steps of ratings, of which two people say the same",
    "kappa: Cohen's, all disagreements alike; alpha: Krippendorff's of all people, ordinal for ratings, else nominal",
    LOOKED,
    "intervals: bootstrap of whole cases, with all their steps",
    SEEN,
)


def _coefficients(results: ResultSet, people: StatementsByPerson, params: Params, intervals: bool) -> View:
    """How well every two people and all of them agree, by what they speak of."""
    seed = results.query.seed if intervals else None
    rows: list[dict[str, Any]] = []
    lines: list[list[Cell]] = []
    for topic in people.topics():
        groups = list(_figures_by_group(topic, people.people, seed))
        for number, (group, shared, figures) in enumerate(groups):
            own = [_row(topic, group, shared, coefficient) for coefficient in figures]
            about = text(_topic_words(topic.about, topic.tag), "strong")
            rows += own
            lines.append([replace(about, rows=0 if number else len(groups)), *_line(topic, shared, own)])
    facts = _provenance(results, people, params, NOTES)
    facts |= {"level": LEVEL, "resamples": RESAMPLES, "seed": results.query.seed}

    def blocks() -> Iterator[Block]:
        columns = ["about", "people", "same, in percent", "kappa, of all: alpha", "steps", "cases"]
        yield table("Agreement of every two, and of all", columns, lines, labels=2)
        yield Note(f"A tag counts as not given where its absence was seen. {SEEN[0].upper()}{SEEN[1:]}.", "quiet")

    frame = pl.DataFrame(rows, schema=AGREEMENT, orient="row")
    return View(frame, facts, title="Agreement", lay_out=lambda: _sections(blocks()))


def _figures_by_group(
    topic: Topic, people: Sequence[str], seed: int | None
) -> Iterator[tuple[dict[str, str], AnnotatorAnswers, Sequence[Figure]]]:
    """The figures of every two people, and of all, with the answers that they are of."""
    answers = topic.answers
    for left, right in combinations(range(len(people)), 2):
        group = {"scope": "pair", "person_a": people[left], "person_b": people[right]}
        yield group, answers.of((left, right)), agreement_of_two(answers, left, right, seed)
    yield {"scope": "all"}, answers.of(range(len(people))), agreement_of_all(answers, seed)


def _row(topic: Topic, group: Mapping[str, str], shared: AnnotatorAnswers, coefficient: Figure) -> dict[str, Any]:
    cases = shared.n_cases
    return {
        "about": topic.about,
        "tag": topic.tag,
        **group,
        **{name: getattr(coefficient, name) for name in ("metric", "value", "low", "high", "n", "reason", "note")},
        "cases": cases,
        "small": cases < SMALL,
    }


def _line(topic: Topic, shared: AnnotatorAnswers, rows: Sequence[dict[str, Any]]) -> Iterator[Cell]:
    """Whom the figures are of, the figures, and of how many steps and cases."""
    observed, coefficient = rows
    who = "all" if observed["scope"] == "all" else f"{observed['person_a']} and {observed['person_b']}"
    yield text(who)
    yield replace(figure(observed), reason="")
    yield figure(coefficient, Kind.MEAN)
    yield count(observed["n"]) if topic.about == RATING else text("")
    words = f"{who} speak of the {_topic_words(topic.about, topic.tag)}"
    yield count(shared.n_cases, _link(topic.cases_of(shared), words))


# -- who says what

CONFUSIONS = {
    **{name: AGREEMENT[name] for name in ("about", "tag", "person_a", "person_b")},
    "said_a": pl.String(),
    "said_b": pl.String(),
    "n": pl.Int64(),
}


def _confusion(results: ResultSet, people: StatementsByPerson, params: Params) -> View:
    """How often one person says this where another says that; pairs of values that never come are left out."""
    topics = list(people.topics())
    rows = [row for topic in topics for row in _confusions(topic, people.people)]
    facts = _provenance(results, people, params, ("n: cases, or steps of ratings", LOOKED))

    def blocks() -> Iterator[Block]:
        yield Note("Lines are what the first person says, columns what the second one says of the same.", "quiet")
        for about, own in groupby(topics, key=lambda topic: topic.about):
            yield from _confusion_table(about, list(own), people.people)

    frame = pl.DataFrame(rows, schema=CONFUSIONS, orient="row")
    return View(frame, facts, title="Who says what", lay_out=lambda: _sections(blocks()))


def _confusions(topic: Topic, people: Sequence[str]) -> Iterator[dict[str, Any]]:
    for left, right in combinations(range(len(people)), 2):
        counts = confusion_of(topic.answers, left, right)
        for code, other_code in np.argwhere(counts).tolist():
            yield {
                "about": topic.about,
                "tag": topic.tag,
                "person_a": people[left],
                "person_b": people[right],
                "said_a": topic.values[code],
                "said_b": topic.values[other_code],
                "n": int(counts[code, other_code]),
            }


def _confusion_table(about: str, topics: Sequence[Topic], people: Sequence[str]) -> Iterator[Block]:
    """A line a pair of people and what the first of them says; nothing where no two speak of the same."""
    columns = list(dict.fromkeys(value for topic in topics for value in topic.values))
    lines = []
    for topic in topics:
        for left, right in combinations(range(len(people)), 2):
            counts = confusion_of(topic.answers, left, right)
            shared = topic.answers.of((left, right))
            for code in np.flatnonzero(counts.any(axis=1)).tolist():
                line = [text(topic.tag or ""), text(people[left]), text(people[right]), text(topic.values[code])]
                for value in columns:
                    other_code = topic.values.index(value) if value in topic.values else None
                    line.append(
                        text("")
                        if other_code is None
                        else _confused(topic, shared, people, (left, right), (code, other_code))
                    )
                lines.append(line)
    if lines:
        # A column that says nothing in any line is left out; the tag is a label, so that it is left out here.
        first = 0 if about == TAG else 1
        heads = [Column(title) for title in ("tag", "first", "second", "says")]
        heads += [Column(value, right=True) for value in columns]
        yield table(_TITLES[about], heads[first:], [line[first:] for line in lines], labels=4 - first)


def _confused(
    topic: Topic, shared: AnnotatorAnswers, people: Sequence[str], pair: tuple[int, int], codes: tuple[int, int]
) -> Cell:
    """How many units have this pair of values."""
    there = (shared.codes == np.array(codes)).all(axis=1)
    if not there.any():
        return text("")
    values = [topic.values[place] for place in codes]
    words = ", ".join(f"{people[place]}: {value}" for place, value in zip(pair, values, strict=True))
    # Steps are of fewer cases than there are steps.
    link = None if topic.about == RATING else _link(topic.cases_of(shared.only(there)), words)
    return count(int(there.sum()), link, "strong" if codes[0] == codes[1] else "")


# -- where they differ


def _disagreements(results: ResultSet, people: StatementsByPerson, params: Params) -> View:
    """The cases on which people differ: the most kinds first, then the most people, the most things."""
    order = "order: most kinds, then most people, then most things on which people differ, then as the cases stand"
    rows = disagreements(results, people)
    facts = _provenance(results, people, params, (order, LOOKED))
    kinds = list(_TITLES)

    def blocks() -> Iterator[Block]:
        lines = [
            [
                text(row["case"], link=replace(_link((row["case"],), row["case"]), benchmark=row["benchmark"])),
                text(row["subset"]),
                *(text(row[kind]) for kind in kinds),
            ]
            for row in rows.iter_rows(named=True)
        ]
        columns = [Column("case"), Column("subset"), *(Column(kind, wraps=True) for kind in kinds)]
        yield table("Cases on which people differ, the most first", columns, lines)

    empty = "" if rows.height else "People differ on none of these cases."
    return View(rows, facts, title="Where people differ", lay_out=lambda: _sections(blocks()), empty=empty)
