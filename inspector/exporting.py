"""What the app exports, and where it goes."""

import re
from pathlib import Path

from inspector.analyses import Params
from inspector.analyses.cases import cases
from inspector.analyses.metrics import metrics
from inspector.analyses.show import show
from inspector.inspection import Inspection
from inspector.messages import ENDINGS, Export
from scoring.export import ROWS_ALONE, Document, provenance_beside
from scoring.files import expand_home, unwritable

LONGEST_NAME = 80
"""Characters of a file's name: far fewer than any file system takes, in any encoding."""


def export_document(inspection: Inspection, export: Export) -> Document:
    """The table on screen as a document: board, cases or one case; or the metrics behind the board or the list."""
    if export.make is not None:
        return export.make(export.form)
    if export.what == "cases":
        return cases_of(inspection, export.form)
    if export.what == "case":
        case = inspection.cases["case"][export.row]
        return show.view(inspection.selection, Params("", {"case": case}, export.form))
    # The filter of the list of cases does not touch the board.
    behind = inspection.cleared() if export.what == "all-metrics" else inspection
    return metrics.view(behind.for_metrics(), Params(form=export.form))


def cases_of(inspection: Inspection, form: str) -> Document:
    """The cases that are listed."""
    return cases.view(inspection.selection, Params(form=form))


def report_of(inspection: Inspection, form: str) -> Document:
    """A report of the cases that the headline speaks of, by all scorers, in `html` or `markdown`."""
    # Imported only for who asks: a screen opens sooner.
    from inspector.report.document import report_document

    return report_document(inspection.for_metrics(), form=form)


def file_name(inspection: Inspection, export: Export) -> str:
    """What a file is called: after the benchmark and the table, or after its one case."""
    what = "metrics" if export.what == "all-metrics" else export.what
    stem = f"{inspection.benchmark or 'cases'}-{what}"
    if export.what in {"case", "variants"}:
        stem = inspection.cases["case"][export.row] + ("-variants" if export.what == "variants" else "")
    plain = re.sub(r"[^\w.-]+", "-", stem).strip("-.")[:LONGEST_NAME] or "case"
    return f"{plain}.{ENDINGS[export.form]}"


def export_path(folder: Path, name: str, into: str = "") -> Path:
    """Where a file goes that is called `name`: `into` this file or folder, else into `folder`.

    Nothing is written over: where there is a `bench.csv`, or the provenance of one, it is `bench-2.csv`, and so on.

    Raises:
        UnwritableWorkspace: nobody may look there, or there can be no such name.
    """
    path = folder / (expand_home(into) if into else name)
    try:
        if into and (into.endswith("/") or path.is_dir()):
            path /= name
        number, free, rows_alone = 1, path, name.rpartition(".")[2] in ROWS_ALONE
        while free.exists() or (rows_alone and provenance_beside(free).exists()):
            number += 1
            free = path.with_name(f"{path.stem}-{number}{path.suffix}")
    except OSError as error:
        raise unwritable(path, error) from error
    return free
