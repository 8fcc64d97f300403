"""The documents of `agreement`: how well people agree, and what each says where another says something."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from inspector.agreement.spoken import Spoken, Subject, spoken
from inspector.provenance import provenance
from inspector.selection import Selection
from inspector.sentences import counted
from scoring.deciding import speaks_of
from scoring.export import Document
from scoring.metrics.people import agreement_of_all, agreement_of_two, confusion_of, library
from scoring.metrics.resampling import LEVEL, RESAMPLES, SMALL, Figure

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
CONFUSION = {
    **{name: AGREEMENT[name] for name in ("about", "tag", "person_a", "person_b")},
    "said_a": pl.String(),
    "said_b": pl.String(),
    "n": pl.Int64(),
}
LOOKED = (
    "a tag: of the cases that a person has looked at (where a ruling, rating, note or category of theirs stands, or a "
    "tag that they put on or took off that case alone), those without their tag count as no; other cases do not count"
)
NOTES = (
    "observed: the share of cases, or steps of ratings, of which two people say the same",
    "kappa: Cohen's, all disagreements alike; alpha: Krippendorff's of all people, ordinal for ratings, else nominal",
    LOOKED,
    "intervals: bootstrap of whole cases, with all their steps",
    "people who saw what others had said agree more than they would by themselves; the journals cannot tell",
)


def agreement_document(selection: Selection, form: str = "") -> Document:
    """How well every two people and all of them agree on the shown cases, by what they speak of.

    Raises:
        UsageError: fewer than two people say anything.
        MissingExtra: the package that reckons it is not installed.
    """
    found = spoken(selection)
    rows = [row for subject in found.subjects() for row in _rows(subject, found.people, selection.request.seed)]
    facts = {
        **described(selection, found, selection.request.command("agreement", form=form), NOTES),
        "level": LEVEL,
        "resamples": RESAMPLES,
        "seed": selection.request.seed,
        "library": library(),
    }
    return Document(pl.DataFrame(rows, schema=AGREEMENT, orient="row"), facts)


def confusion_document(selection: Selection, form: str = "") -> Document:
    """How often one person says this where another says that; pairs of values that never come are left out.

    Raises:
        UsageError: fewer than two people say anything.
    """
    found = spoken(selection)
    rows = [row for subject in found.subjects() for row in _confusions(subject, found.people)]
    command = selection.request.command("agreement", "--confusion", form=form)
    frame = pl.DataFrame(rows, schema=CONFUSION, orient="row")
    return Document(frame, described(selection, found, command, ("n: cases, or steps of ratings", LOOKED)))


def described(selection: Selection, found: Spoken, command: str, notes: Sequence[str]) -> dict[str, Any]:
    """How a document of people's statements came to be; of scorers only where a condition speaks of them."""
    lost = found.elsewhere
    told = [f"{counted(lost, 'case')} that people spoke of {'is' if lost == 1 else 'are'} in no benchmark looked at"]
    facts = provenance(selection, command, (*notes, *(told if lost else ())), decides=False)
    kept = ["command", "version", "data", "filter", "notes"]
    if any(speaks_of(one.scorer.name, selection.request.where) for one in selection.evaluations):
        kept += ["rule", "threshold", "threshold_source"]
    several = found.said.group_by("case").agg(pl.col("who").n_unique()).filter(pl.col("who") > 1).height
    coverage = f"two people or more speak of {several} of {counted(selection.shown.size, 'case')}"
    return {**{name: facts[name] for name in kept}, "people": list(found.people), "coverage": coverage}


def _rows(subject: Subject, people: Sequence[str], seed: int) -> Iterator[dict[str, Any]]:
    answers = subject.answers
    for left, right in combinations(range(len(people)), 2):
        who = {"scope": "pair", "person_a": people[left], "person_b": people[right]}
        yield from _told(subject, who, agreement_of_two(answers, left, right, seed), (left, right))
    yield from _told(subject, {"scope": "all"}, agreement_of_all(answers, seed), range(len(people)))


def _told(
    subject: Subject, who: dict[str, str], figures: Sequence[Figure], places: Sequence[int]
) -> Iterator[dict[str, Any]]:
    cases = subject.answers.of(places).n_cases
    for one in figures:
        yield {
            "about": subject.about,
            "tag": subject.tag,
            **who,
            **{name: getattr(one, name) for name in ("metric", "value", "low", "high", "n", "reason", "note")},
            "cases": cases,
            "small": cases < SMALL,
        }


def _confusions(subject: Subject, people: Sequence[str]) -> Iterator[dict[str, Any]]:
    for left, right in combinations(range(len(people)), 2):
        counts = confusion_of(subject.answers, left, right)
        for one, other in np.argwhere(counts).tolist():
            yield {
                "about": subject.about,
                "tag": subject.tag,
                "person_a": people[left],
                "person_b": people[right],
                "said_a": subject.values[one],
                "said_b": subject.values[other],
                "n": int(counts[one, other]),
            }
