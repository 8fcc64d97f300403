"""People's rulings and ratings as the rows that other programs read: a function a format.

Sources are named at each function.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.evaluation.case_exports import processbench_row
from scoring.evaluation.exported_rows import CaseRow, ExportedRow, left_out
from scoring.workspace.triage.adjudicated import (
    BEYOND,
    CHANGED,
    CONFIRMED,
    OUTDATED,
    UNFINISHED,
    UNRATED,
    WITHOUT_GOLD,
    adjudicate,
)
from scoring.workspace.triage.annotations import Annotation

_WHY_LEFT_OUT = {
    WITHOUT_GOLD: "ruled an import problem",
    UNRATED: "ruled gold wrong and no step is rated",
    UNFINISHED: "ruled gold wrong and not every step is rated",
}
_OPEN = ("both defensible", "unsure")
"""Rulings that leave a case its label and yet do not uphold it."""


class CaseAnnotations(Struct, frozen=True):
    """What those say of a case who are listened to; each rules on it or rates a step of it, or did so of another text
    of it, which does not count.

    `adjudication` is one of `scoring.workspace.triage.adjudicated`, and `earliest_error` (0-based, -1 = none) the label
    that people give; None where nobody rules "gold wrong" or "import problem".
    """

    words: tuple[Annotation, ...]
    adjudication: str | None = None
    earliest_error: int | None = None

    @property
    def outdated(self) -> bool:
        """Whether anything was said of another text of the case."""
        return any(person.outdated for person in self.words)

    @property
    def rulings(self) -> frozenset[str]:
        """All rulings on the case."""
        return frozenset(person.ruling for person in self.words if person.ruling is not None)

    def ratings(self, case: CaseRow) -> dict[int, int] | ExportedRow:
        """Return the ratings of the case's steps (0-based, ascending), or say why it is left out.

        What one person rates and another does not counts; where two rate a step differently the case is left out, and
        so is one that anybody rules an import problem.
        """
        if "import problem" in self.rulings:
            return left_out("ruled an import problem")
        pairs = sorted({pair for person in self.words for pair in person.ratings.items()})
        if not pairs:
            return left_out(OUTDATED if self.outdated else "no step is rated")
        ratings = dict(pairs)
        if len(ratings) < len(pairs):
            return left_out("people rate a step differently")
        return left_out(BEYOND) if max(ratings) >= len(case["steps"]) else ratings


def annotations_by_case(words: Iterable[Annotation], cases: pl.DataFrame) -> dict[str, CaseAnnotations]:
    """Gather the cases on which somebody rules or of which somebody rates a step.

    Args:
        words: those of the people who are listened to, those on one case together.
        cases: columns of METADATA.
    """
    of_case = groupby((person for person in words if person.ruling or person.ratings), key=lambda person: person.case)
    spoken = {case: tuple(people) for case, people in of_case}
    adjudicated = adjudicate(spoken, cases).rows
    labels = {case: rest for case, *rest in adjudicated.select("case", "adjudication", "earliest_error").iter_rows()}
    keys = dict(cases.select("case", "key").filter(pl.col("case").is_in(list(spoken))).iter_rows())
    return {
        case: CaseAnnotations(tuple(person.of(keys[case]) for person in people), *labels.get(case, ()))
        for case, people in spoken.items()
        if case in keys
    }


def processbench_after_triage(case: CaseRow, annotations: CaseAnnotations) -> ExportedRow:
    """Write a case as ProcessBench has it, with the label that it has after triage: 0-based, -1 = no error.

    A case that nobody rules wrong keeps its own label; one of "gold wrong" has the label that the ratings of those who
    rule so give it (`scoring.workspace.triage.adjudicated`), and is left out where they give none, differ, or another
    rules otherwise, and where they ruled on another text of the case.
    """
    note = ""
    if not annotations.rulings:
        return left_out(OUTDATED if annotations.outdated else "nobody rules on them")
    if annotations.adjudication in {CHANGED, CONFIRMED}:
        note = "labels that people changed" if case["earliest_error"] != annotations.earliest_error else ""
        case = {**case, "earliest_error": annotations.earliest_error}
    elif annotations.adjudication is not None:
        return left_out(_WHY_LEFT_OUT.get(annotations.adjudication, annotations.adjudication))
    elif annotations.rulings.issubset(_OPEN):
        note = f"cases with their own label, ruled {' or '.join(_OPEN)}"
    row = processbench_row(case)
    return row if row.value is None or not note else replace(row, notes=(*row.notes, (note, 1)))


def prm800k_ratings(case: CaseRow, annotations: CaseAnnotations) -> ExportedRow:
    """Write people's ratings of steps as PRM800K has them: -1 wrong, 0 right without progress, 1 right, null not rated.

    Rows: `labeler, timestamp, is_quality_control_question, is_initial_screening_question, question, label`, with the
    keys that the README of openai/prm800k explains (Lightman et al., arXiv 2305.20050). `generation` is left out: it
    says in which round of theirs a solution was made. Of several people who agree, all are its labeler. A step has one
    completion, the one that was chosen, so that the whole solution comes back. `finish_reason` is `found_error` where a
    step is rated -1, `solution` where every step is rated and none so and the final answer is not known to be wrong,
    else null.
    """
    ratings = annotations.ratings(case)
    if isinstance(ratings, ExportedRow):
        return ratings
    raters = [person for person in annotations.words if person.ratings]
    unrated = len(case["steps"]) - len(ratings)
    solved = not unrated and case["final_answer_correct"] is not False
    steps = [
        {
            "completions": [{"text": text, "rating": ratings.get(step), "flagged": False}],
            "human_completion": None,
            "chosen_completion": 0,
        }
        for step, text in enumerate(case["steps"])
    ]
    row = {
        "labeler": ", ".join(person.who for person in raters),
        "timestamp": max(person.last for person in raters) or None,
        "is_quality_control_question": False,
        "is_initial_screening_question": False,
        "question": {
            "problem": case["problem"],
            "ground_truth_solution": None,
            "ground_truth_answer": case["reference_answer"],
            "pre_generated_steps": case["steps"],
            "pre_generated_answer": None,
            "pre_generated_verifier_score": None,
        },
        "label": {
            "steps": steps,
            "total_time": None,
            "finish_reason": "found_error" if -1 in ratings.values() else "solution" if solved else None,
        },
    }
    return ExportedRow(row, (("steps without a rating", unrated),) if unrated else ())


def trl_ratings(case: CaseRow, annotations: CaseAnnotations) -> ExportedRow:
    """Write people's ratings of steps as stepwise supervision for TRL, true where a step is right; see `trl_row`.

    A row ends with the last step that is rated, and a case with a gap before that is left out. A neutral step is no
    wrong one, as in PRM800K and as in labels after triage; TRL's own conversion of PRM800K makes it false.
    """
    ratings = annotations.ratings(case)
    if isinstance(ratings, ExportedRow):
        return ratings
    kept = max(ratings) + 1
    if len(ratings) < kept:
        return left_out("a step before the last rated one has no rating")
    row = {
        "prompt": case["problem"],
        "completions": case["steps"][:kept],
        "labels": [ratings[step] != -1 for step in range(kept)],
    }
    counts = {
        "steps left out, after the last that is rated": len(case["steps"]) - kept,
        "neutral steps, called right (TRL's own conversion of PRM800K calls them wrong)": [*ratings.values()].count(0),
    }
    return ExportedRow(row, tuple((words, count) for words, count in counts.items() if count))


TRIAGE_FORMATS: dict[str, Callable[[CaseRow, CaseAnnotations], ExportedRow]] = {
    "processbench": processbench_after_triage,
    "prm800k": prm800k_ratings,
    "trl": trl_ratings,
}
"""Name -> what writes what people say of one case."""


def triage_lines(name: str, cases: pl.DataFrame, words: Iterable[Annotation]) -> Iterator[ExportedRow]:
    """Write every row of a cases frame (`scoring.data.schema.CASES`) that people rule on or rate a step of."""
    annotations = annotations_by_case(words, cases)
    write = TRIAGE_FORMATS[name]
    for row in cases.filter(pl.col("case").is_in(list(annotations))).iter_rows(named=True):
        yield write(row, annotations[row["case"]])
