"""Sentences about adjudicated gold labels, on a case and next to published figures."""

from collections.abc import Iterator

from inspector.render.texts.gold_words import gold_words
from inspector.render.texts.sentences import counted
from scoring.selection.labels import COLUMN, names_words
from scoring.workspace.triage.adjudicated import OVERLAID, WITHOUT_GOLD, Adjudicated


def changed_words(adjudicated: Adjudicated | None, case: str) -> str:
    """Write `changed by ann, the benchmark says step 2`; "" where a case (by identity) has its own label."""
    row = None if adjudicated is None else adjudicated.overlaid.get(case)
    if row is None:
        return ""
    own = {"earliest_error": row["own_earliest_error"], "error_steps": row["own_error_steps"]}
    what = "taken away as an import problem" if row[COLUMN] == WITHOUT_GOLD else "changed"
    return f"{what} by {names_words(row['who'])}, the benchmark says: {gold_words(own)}"


def other_labels(adjudicated: Adjudicated | None) -> str:
    """Explain why figures are not those of the benchmark's own labels, as printed ones are; "" where they are."""
    changed = 0 if adjudicated is None else adjudicated.count(*OVERLAID)
    return f"{counted(changed, 'gold label')} adjudicated here" if changed else ""


def with_own_labels(why: str) -> str:
    """Say what figures are not comparable with, and why: the words of `other_labels`."""
    return f"with figures of the benchmark's own labels: {why}"


def published_note(adjudicated: Adjudicated | None) -> Iterator[str]:
    """Yield a warning that published figures use other labels; nothing if the labels are the same."""
    if why := other_labels(adjudicated):
        yield f"published figures are of the benchmark's own labels, and {why}: not comparable"
