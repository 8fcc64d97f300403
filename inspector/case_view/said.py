"""What people said of the case: its tags and notes."""

from collections.abc import Iterator

from inspector.case_view.open_case import OpenCase
from inspector.case_view.prose import paragraph
from inspector.text import clean
from inspector.widgets.line_view import Line
from inspector.wrap import wrap


def said_lines(shown: OpenCase) -> Iterator[Line]:
    """Tags in one line, notes below; nothing where there are none."""
    journal, case, manner = shown.inspection.selection.journal, shown.case["case"], shown.manner
    if journal is None:
        return
    tags, note = journal.triage.tags.get(case, ()), journal.triage.note(case)
    if tags:
        for line in wrap(clean(f"Tags  {', '.join(tags)}"), manner.width):
            yield Line([(line, "strong")])
    if note:
        yield from paragraph("Note  ", "strong", note, manner, scope="notes")
