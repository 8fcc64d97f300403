"""The tables of views as LaTeX: one `tabular` each, with the sentences as comments.

A chart has no place among tables: those of its numbers stand for it. A case is a table for a paper, with the problem
above and the reason of its gold label beneath.
"""

from collections.abc import Iterator, Sequence

from inspector.render.blocks import (
    Block,
    Bullets,
    CaseBlock,
    CommandLine,
    Facts,
    Fold,
    Judged,
    Note,
    Panel,
    Section,
    Tokens,
    Verbatim,
)
from inspector.render.cells import legend, plain_text, remark_of, rights
from inspector.render.chart_blocks import Chart, Picture
from inspector.render.chart_views import numbers_of
from inspector.render.documents.latex_prose import PACKAGES, latex_prose, literal
from inspector.render.documents.literal_text import latex_text, one_line
from inspector.render.table_blocks import Table
from inspector.render.tokens import page_blocks

#
# Text from data must neither act nor break the file it stands in. A formula is kept only where a small grammar knows
# all of it: commands that LaTeX has with PACKAGES, with their arguments, groups that close, pairs of \left and
# \right, and one script above and one below at most. Whatever else there is stands as it was written, to be read.


NAMED, LETTERS = 3, 36
"""Up to so many scorers, with as many letters, have their names above their columns; else these have numbers, told
beneath."""
SMALL = 5
"""Up to so many, a case is set in small letters; with more in tiny ones: ten come near the width of an article."""
TRUNCATED = "$^{t}$"
"""Stands behind a reward of a case whose later steps were cut off."""


def latex_sections(sections: Sequence[Section]) -> Iterator[str]:
    """Yield the lines of sections."""
    for section in sections:
        if section.title:
            yield f"% {one_line(section.title)}"
        for block in section.blocks:
            yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Chart):
        yield from _tabular(numbers_of(block))
    elif isinstance(block, Table):
        yield from _tabular(block)
    elif isinstance(block, CaseBlock):
        yield from _case(block)
    elif parts := _parts(block):
        if isinstance(block, Panel) and block.title:
            yield f"% {one_line(block.heading)}"
        yield from (line for part in parts for line in _block(part))
    else:
        yield from (f"% {one_line(words)}" for words in _sentences(block))


def _parts(block: Block) -> Sequence[Block]:
    """The blocks that a block holds, or that stand for it."""
    if isinstance(block, Fold | Panel):
        return block.blocks
    if isinstance(block, Tokens):
        return tuple(page_blocks(block))
    return () if not isinstance(block, Picture) or block.table is None else (block.table,)


def _sentences(block: Block) -> Iterator[str]:
    if isinstance(block, Note):
        yield block.text
    elif isinstance(block, Facts):
        yield from (f"{name}: {value}" for name, value in block.items)
    elif isinstance(block, CommandLine):
        yield f"{block.gives}: {block.line}"
    elif isinstance(block, Verbatim):
        yield f"{block.title}: {block.text}"
    elif isinstance(block, Bullets):
        yield from block.items


def _tabular(block: Table) -> Iterator[str]:
    if block.title:
        yield f"% {one_line(block.title)}"
    yield rf"\begin{{tabular}}{{{''.join('r' if right else 'l' for right in rights(block))}}}"
    yield r"\hline"
    yield " & ".join(literal(column.title) for column in block.columns) + r" \\"
    yield r"\hline"
    for row in block.rows:
        cells = ["" if not cell.rows else literal(plain_text(cell)) for cell in row]
        remark = f" % {one_line(remark_of(row))}" if remark_of(row) else ""
        yield " & ".join(cells) + r" \\" + remark
    yield from [r"\hline", r"\end{tabular}"]
    yield from (f"% {one_line(words)}" for words in legend(block))
    yield ""


# -- a case


def _case(block: CaseBlock) -> Iterator[str]:
    names = [latex_text(name) for name in block.scorers]
    numbered = len(names) > NAMED or sum(map(len, block.scorers)) > LETTERS
    heads = [f"({number})" for number in range(1, len(names) + 1)] if numbered else names
    yield rf"% needs: \usepackage{{{','.join(PACKAGES)}}}"
    yield from [rf"\noindent\textbf{{Problem.}} {latex_prose(block.problem)}", ""]
    width, style = _layout(len(names))
    yield rf"\noindent{{{style}\begin{{tabular}}{{rp{{{width:.2f}\linewidth}}l{'r' * len(names)}}}"
    yield from [r"\hline", _line("step", "text", "gold", *heads), r"\hline"]
    for step in block.steps:
        gold = rf"\textbf{{{step.gold}}}" if step.gold == "error" else step.gold or ""
        yield _line(str(step.number), latex_prose(step.text), gold, *map(_judged, step.judged))
    yield r"\hline"
    if names:
        yield _line("", "verdict", "", *map(latex_text, block.verdicts))
        yield _line("", "step accuracy", "", *map(latex_text, block.accuracies))
        yield r"\hline"
    yield from [r"\end{tabular}}", ""]
    if names:
        who = "; ".join(f"{head} {name}" for head, name in zip(heads, names, strict=True))
        cut = any(judged.truncated for step in block.steps for judged in step.judged)
        marks = f"Bold: judged wrong. Underlined: the verdict.{f' {TRUNCATED}: truncated.' if cut else ''}"
        yield from [rf"\noindent {marks}{f' {who}.' if numbered else ''}", ""]
    if block.reason:
        yield from [rf"\noindent\textbf{{Reason of the gold label.}} {latex_prose(block.reason)}", ""]


def _layout(scorers: int) -> tuple[float, str]:
    """The width of the texts' column as a share of a line, and the size of the table, beside so many scorers."""
    if scorers <= NAMED:
        return 0.6 - 0.1 * scorers, ""
    if scorers <= SMALL:
        return 0.6 - 0.07 * scorers, r"\small\setlength{\tabcolsep}{3pt}"
    return 0.18, r"\scriptsize\setlength{\tabcolsep}{2pt}"


def _line(*cells: str) -> str:
    return rf"{' & '.join(cells)} \\"


def _judged(judged: Judged) -> str:
    words = latex_text(judged.text or ("first error" if judged.verdict else ""))
    words = rf"\textbf{{{words}}}" if judged.wrong and words else words
    words += TRUNCATED if judged.truncated else ""
    return rf"\underline{{{words}}}" if judged.verdict else words
