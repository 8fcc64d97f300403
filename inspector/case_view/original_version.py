"""One version of a text that was changed, as lines in which the changes stand out."""

from collections.abc import Iterator

from msgspec import Struct
from rich.cells import cell_len

from inspector.case_view.found_text import marked
from inspector.case_view.manner import Manner
from inspector.case_view.original import Span
from inspector.text import Part
from inspector.wrap import wrap
from scoring.text_spans import spans

NARROWEST = 10
"""Cells of a text at least, however little room there is."""


class Version(Struct, frozen=True):
    """One version of a step or of the problem, ready to be written.

    `text` is readable, `margins` are the parts at the left of its first line. `differing` are spans of the text that
    are written in the style `mark`, the rest of it is in `style`. A `short` one is one line. What was searched for
    stands out where the text is one of the case's own (`searched`).
    """

    text: str
    margins: list[Part]
    differing: tuple[Span, ...] = ()
    style: str = ""
    mark: str = "strong"
    short: bool = False
    searched: bool = False


def written(version: Version, width: int, manner: Manner) -> Iterator[list[Part]]:
    """The lines of a version in so many cells, its changes marked."""
    indent = sum(cell_len(text) for text, _ in version.margins)
    lines = wrap(version.text, max(NARROWEST, width - indent))
    query = manner.searched("steps") if version.searched else None
    hits = spans(query, version.text) if query else ()
    if version.short and len(lines) > 1:
        more = f"... {len(lines) - 1} more" if manner.brush.ascii_only else f"… {len(lines) - 1} more"
        lines = wrap(version.text, max(NARROWEST, width - indent - len(more) - 1))[:1]
        (parts,) = marked(lines, version.text, hits, version.style, version.differing, version.mark)
        yield [*version.margins, *parts, (f" {more}", "dim")]
        return
    found = marked(lines, version.text, hits, version.style, version.differing, version.mark)
    for number, parts in enumerate(found):
        yield [*(version.margins if number == 0 else [(" " * indent, "")]), *parts]
