"""The answer of an analysis: rows for programs, sections of blocks for people.

Renderers work on blocks and know no view, so that a view can render itself.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from inspector.render.blocks import Block, Fold, Panel, Section, links_of
from inspector.render.documents.row_documents import FORMS, Document
from inspector.render.lines import CaseLink


class View(Document, frozen=True, eq=False, dict=True):
    """The answer of an analysis: `rows` and `provenance` for programs, the same as `sections` for people.

    `lay_out` makes the sections when somebody asks for them: a section a benchmark, called after it. `empty` says why
    there are no rows. `exit_code` is that of its command, 0 unless it was asked to judge; `because` are sentences that
    say why it is that, and what else is to be said beside the view. `in_sections` are names of provenance that the
    sections tell: pages do not repeat them beneath.
    """

    title: str = ""
    lay_out: Callable[[], tuple[Section, ...]] = tuple
    empty: str = ""
    exit_code: int = 0
    because: tuple[str, ...] = ()
    in_sections: frozenset[str] = frozenset()

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """What people see."""
        return self.lay_out()

    def laid_out(self) -> "View":
        """Lay out the sections now, in a thread where nobody waits for it, and return the view."""
        _ = self.sections
        return self

    def render(self, form: str) -> str:
        """Render the view in one of FORMS or PAGES: JSON, JSON Lines and CSV hold rows, other forms sections."""
        if form in PAGES:
            # Most commands print neither a page nor HTML.
            from inspector.render.documents.pages import page

            beneath = {name: value for name, value in self.provenance.items() if name not in self.in_sections}
            return page(form, self.title, self.sections, beneath)
        return FORMS[form](self)

    def _repr_html_(self) -> str:
        from inspector.render.documents.html import fragment

        return fragment(self.sections)

    def blocks(self) -> Iterator[Block]:
        """Yield all blocks, those of folds too, in order."""
        for section in self.sections:
            yield from _unfolded(section.blocks)

    def links(self) -> Iterator[CaseLink]:
        """Yield all links that its numbers have."""
        for block in self.blocks():
            yield from links_of(block)


PAGES = frozenset({"markdown", "latex", "html"})
"""Forms that hold what people see."""


def _unfolded(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        if isinstance(block, Fold | Panel):
            yield from _unfolded(block.blocks)
        else:
            yield block
