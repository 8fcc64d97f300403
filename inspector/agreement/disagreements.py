"""The cases on which people differ, those on which they differ most first."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from inspector.agreement.document import LOOKED, described
from inspector.agreement.spoken import Spoken, spoken
from inspector.selection import Selection
from scoring.export import Document
from scoring.triage.statements import KINDS

DISAGREEMENTS = {
    "case": pl.String(),
    "benchmark": pl.String(),
    "subset": pl.String(),
    # Kinds of statements and people that differ, and how many rulings, steps, tags and categories they differ on.
    "kinds": pl.List(pl.String()),
    "people": pl.List(pl.String()),
    "things": pl.Int64(),
    # What each says, of every kind on which they differ, else null.
    **dict.fromkeys(KINDS, pl.String()),
}


@dataclass(frozen=True)
class Difference:
    """One thing of a case of which people say different things: `said` by who says it; `step` is 0-based."""

    case: str
    about: str
    tag: str | None
    step: int | None
    said: dict[str, str]

    @property
    def words(self) -> str:
        """What each says, and of what."""
        told = ", ".join(f"{who}: {value}" for who, value in sorted(self.said.items()))
        of = self.tag if self.step is None else f"step {self.step}"
        return told if of is None else f"{of} ({told})"


def disagreements_document(selection: Selection, form: str = "") -> Document:
    """A row a shown case on which people differ: the most kinds first, then the most people, the most things.

    Raises:
        UsageError: fewer than two people say anything.
    """
    found = spoken(selection)
    command = selection.request.command("agreement", "--disagreements", form=form)
    order = "order: most kinds, then most people, then most things on which people differ, then as the cases stand"
    return Document(disagreements(selection, found), described(selection, found, command, (order, LOOKED)))


def disagreements(selection: Selection, found: Spoken) -> pl.DataFrame:
    """The shown cases on which people differ, in order, with the columns of DISAGREEMENTS."""
    by_case: defaultdict[str, list[Difference]] = defaultdict(list)
    for one in _differences(found):
        by_case[one.case].append(one)
    shown = selection.cases.select("case", "benchmark", "subset")[selection.shown]
    rows = [
        {**case, **_told(by_case[case["case"]])}
        for case in shown.filter(pl.col("case").is_in(list(by_case))).iter_rows(named=True)
    ]
    rows.sort(key=lambda row: (-len(row["kinds"]), -len(row["people"]), -row["things"]))
    return pl.DataFrame(rows, schema=DISAGREEMENTS, orient="row")


def _told(differences: list[Difference]) -> dict[str, object]:
    """The row of one case."""
    words = {kind: "; ".join(one.words for one in differences if one.about == kind) for kind in KINDS}
    return {
        "kinds": [kind for kind in KINDS if words[kind]],
        "people": sorted({who for one in differences for who in one.said}),
        "things": len(differences),
        **{kind: text or None for kind, text in words.items()},
    }


def _differences(found: Spoken) -> Iterator[Difference]:
    """By kind, then by tag or step."""
    by = ["about", "tag", "case", "step"]
    differing = found.said.filter(pl.col("value").n_unique().over(by) > 1)
    grouped = differing.group_by(by, maintain_order=True).agg("who", "value").sort("tag", "step", nulls_last=False)
    for about, tag, case, step, people, values in grouped.iter_rows():
        yield Difference(case, about, tag, step, dict(zip(people, values, strict=True)))
