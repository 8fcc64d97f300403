"""The triaged cases with their texts and what people say of them: `export triage --to csv` and `jsonl`."""

import polars as pl

from inspector.selection import Selection
from inspector.triage.document import described, triage_rows
from inspector.triage.said import Said
from scoring.export import Document
from scoring.exporters import annotations_by_case
from scoring.triage.adjudicated import CHANGED, CONFIRMED

TEXTS = ("problem", "steps")
NOTE = (
    "adjudicated_error: the earliest error after triage (0-based, -1 none), null where it is not decided or the case "
    "is ruled an import problem, which `adjudication` says; without an adjudication it is the case's own"
)


def triaged_cases_document(selection: Selection, found: Said, command: str) -> Document:
    """The rows of `triage` for the shown cases, and beside them gold, the label after triage, problem and steps.

    The label is that of all people who are listened to, the same in every row of a case.
    """
    rows = triage_rows(selection, found.shown)
    spoken = selection.cases["case"].is_in(rows["case"].implode()).arg_true()
    cases = pl.concat(
        [
            selection.cases.select("case", "generator", "n_steps", "earliest_error", "final_answer_correct")[spoken],
            selection.texts.gather(spoken.to_numpy()).frame(list(TEXTS)),
        ],
        how="horizontal",
    )
    after = annotations_by_case(found.shown, selection.cases)
    told = {case: (of.adjudication, of.earliest_error) for case, of in after.items() if of.adjudication is not None}
    labels = pl.DataFrame(
        [(case, *rest) for case, rest in told.items()],
        schema={"case": pl.String(), "adjudication": pl.String(), "_given": cases.schema["earliest_error"]},
        orient="row",
    )
    given = pl.when(pl.col("adjudication").is_in([CHANGED, CONFIRMED])).then("_given")
    own = pl.when(pl.col("adjudication").is_null()).then("earliest_error")
    columns = [*cases.columns[:4], "adjudicated_error", "adjudication", *cases.columns[4:]]
    beside = cases.join(labels, on="case", how="left").with_columns(adjudicated_error=pl.coalesce(given, own))
    joined = rows.join(beside.select(columns), on="case", how="left", maintain_order="left")
    facts = described(selection, found, found.shown, command)
    return Document(joined, {**facts, "notes": [*facts["notes"], NOTE]})
