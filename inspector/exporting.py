"""What the app exports, and where it goes."""

from pathlib import Path

from inspector.documents import case_document, cases_document, metrics_document
from inspector.inspection import Inspection
from inspector.messages import Export
from scoring.export import Document

ENDINGS = {"csv": "csv", "json": "json", "jsonl": "jsonl", "markdown": "md", "latex": "tex"}


def export_document(inspection: Inspection, asked: Export) -> Document:
    """The table on screen as a document: the cases, one case, or the metrics behind the board or the list of cases."""
    if asked.what == "cases":
        return cases_document(inspection.selection, asked.form)
    if asked.what == "case":
        return case_document(inspection.selection, asked.row, asked.form)
    # The filter of the list of cases does not touch the board.
    behind = inspection.cleared() if asked.what == "board" else inspection
    return metrics_document(behind.for_metrics(), asked.form)


def free_path(folder: Path, stem: str, form: str) -> Path:
    """A path in the folder that no file has: `stem.csv`, then `stem-2.csv` and so on."""
    ending = ENDINGS[form]
    number, path = 1, folder / f"{stem}.{ending}"
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}.{ending}"
    return path
