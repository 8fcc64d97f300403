"""How well people agree on cases; how well scorers do, with gold too."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, groupby
from typing import Any

import numpy as np
import polars as pl
from msgspec.structs import replace

from inspector.analyses import Page, Params, analysis
from inspector.analyses.agreement.scorer_agreement import scorers_view
from inspector.render.blocks import Block, Note, Section
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import Cell, Column, Kind, count, figure, forest_column, table, text
from inspector.render.texts.sentences import counted
from inspector.render.view import View
from inspector.state.provenance import provenance_of_people
from inspector.state.triage.disagreements import StatementsByPerson, Topic, disagreements, statements_by_person
from scoring.metrics.annotator_agreement import (
    AnnotatorAnswers,
    agreement_of_all,
    agreement_of_two,
    confusion_of,
)
from scoring.metrics.resampling import LEVEL, RESAMPLES, SMALL, Figure
from scoring.selection.result_set import ResultSet
from scoring.workspace.filtering.filters import Facet
from scoring.workspace.triage.actions import TAG
from scoring.workspace.triage.statements import CATEGORY, RATING, RULING

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
        columns: list[str | Column] = [
            "about",
            "people",
            forest_column("same, in percent"),
            "kappa, of all: alpha",
            "steps",
            "cases",
        ]
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
