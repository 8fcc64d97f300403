"""The tables of views as LaTeX: one `tabular` each, with the sentences as comments.

A chart has no place among tables: those of its numbers stand for it.
"""

from collections.abc import Iterator, Sequence

from inspector.render.cells import legend, plain_text, remark_of, rights
from inspector.render.charts import numbers_of
from inspector.render.view import (
    Block,
    Bullets,
    Chart,
    Command,
    Facts,
    Fold,
    Note,
    Picture,
    Section,
    Table,
)
from scoring.markup import latex_text, one_line


def latex_sections(sections: Sequence[Section]) -> Iterator[str]:
    """Give the lines of sections."""
    for section in sections:
        if section.title:
            yield f"% {one_line(section.title)}"
        for block in section.blocks:
            yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Chart):
        block = numbers_of(block)
    if isinstance(block, Picture) and block.table is not None:
        block = block.table
    if isinstance(block, Table):
        yield from _tabular(block)
    elif isinstance(block, Fold):
        for part in block.blocks:
            yield from _block(part)
    elif isinstance(block, Note):
        yield f"% {one_line(block.text)}"
    elif isinstance(block, Facts):
        yield from (f"% {one_line(f'{name}: {value}')}" for name, value in block.items)
    elif isinstance(block, Command):
        yield f"% {one_line(f'{block.gives}: {block.line}')}"
    elif isinstance(block, Bullets):
        yield from (f"% {one_line(item)}" for item in block.items)


def _tabular(block: Table) -> Iterator[str]:
    if block.title:
        yield f"% {one_line(block.title)}"
    yield rf"\begin{{tabular}}{{{''.join('r' if right else 'l' for right in rights(block))}}}"
    yield r"\hline"
    yield " & ".join(latex_text(column.title) for column in block.columns) + r" \\"
    yield r"\hline"
    for row in block.rows:
        cells = ["" if not cell.rows else latex_text(plain_text(cell)) for cell in row]
        remark = f" % {one_line(remark_of(row))}" if remark_of(row) else ""
        yield " & ".join(cells) + r" \\" + remark
    yield from [r"\hline", r"\end{tabular}"]
    yield from (f"% {one_line(words)}" for words in legend(block))
    yield ""
