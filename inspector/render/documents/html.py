"""Views and reports as pages of HTML that need nothing else: no script, no font, no picture from elsewhere.

Its policy (a `Content-Security-Policy` in the page itself) forbids whatever is not there, so that even markup that came
in by mistake could neither run nor fetch anything.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from msgspec.structs import replace

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
    Report,
    Section,
    Step,
    Tokens,
    Verbatim,
)
from inspector.render.cells import GOLD, further_text, legend, rights, value_text
from inspector.render.chart_blocks import Chart, Columns, Curve, Histogram, Picture, Reliability, Square
from inspector.render.chart_views import numbers_of, pictured
from inspector.render.charts.chart_columns import DRAWN, axis_of
from inspector.render.documents.cell_pictures import cell_picture
from inspector.render.elements import Element, element, number, rendered
from inspector.render.readable import readable
from inspector.render.table_blocks import Cell, CellChart, Column, Table
from inspector.render.tokens import page_blocks

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
LISTED = 8
"""A list of contents with more entries is folded."""


@cache
def style() -> str:
    """Return the style sheet."""
    return (Path(__file__).parent / "page.css").read_text(encoding="utf-8")


def fragment(sections: Sequence[Section]) -> str:
    """Render sections for a notebook: without a style sheet, which would be that of the whole notebook.

    Pictures have no colours then, so that the tables of their numbers stand in their place.
    """
    return "".join(rendered(node) for section in sections for node in _plain(section))


def _plain(section: Section) -> Iterator[Element]:
    if section.title:
        yield element("h4", section.title)
    for block in section.blocks:
        if isinstance(block, Chart):
            yield from _table(numbers_of(block))
        elif isinstance(block, Table):
            yield from _table(replace(block, columns=tuple(replace(column, chart=None) for column in block.columns)))
        else:
            yield from _MADE[type(block)](block)


def html_page(report: Report) -> str:
    """Render the whole document."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", report.title),
        element("style", style()),
    )
    body = element(
        "body",
        element("header", element("h1", report.title), *_blocks(report.about)),
        element("nav", element("h2", "Contents"), _contents(report.sections), aria_label="Contents"),
        element("main", *(_section(section, 2) for section in report.sections)),
    )
    return f"<!DOCTYPE html>\n{rendered(element('html', head, body, lang='en'))}\n"


def _contents(sections: tuple[Section, ...]) -> Element:
    """Links to sections and to their parts; many parts are folded."""
    items = []
    for section in sections:
        link = element("a", section.title, href=f"#{section.anchor}")
        if not section.parts:
            items.append(element("li", link))
            continue
        inner = _contents(section.parts)
        if len(section.parts) > LISTED:
            inner = element("details", element("summary", f"{len(section.parts)} entries"), inner)
        items.append(element("li", link, inner))
    return element("ol", *items)


def _section(section: Section, level: int) -> Element:
    heading = element(f"h{min(level, 6)}", section.title)
    inner = (*_blocks(section.blocks), *(_section(part, level + 1) for part in section.parts))
    return element("section", heading, *inner, id=section.anchor)


def _blocks(blocks: tuple[Block, ...]) -> Iterator[Element]:
    for block in blocks:
        yield from _MADE[type(block)](block)


def _note(block: Note) -> Iterator[Element]:
    warned = ("Note: ",) if block.level == "warning" else ()
    yield element("p", *(element("strong", word) for word in warned), block.text, class_=block.level or None)


def _bullets(block: Bullets) -> Iterator[Element]:
    yield element("ul", *(element("li", item) for item in block.items))


def _facts(block: Facts) -> Iterator[Element]:
    pairs = ((element("dt", name), element("dd", value)) for name, value in block.items)
    yield element("dl", *(part for pair in pairs for part in pair))


def _command(block: CommandLine) -> Iterator[Element]:
    yield element("p", f"{block.gives}: ", element("code", block.line), class_="command")


def _verbatim(block: Verbatim) -> Iterator[Element]:
    yield element("p", element("b", f"{block.title}: "), block.text, class_="raw")


def _tokens(block: Tokens) -> Iterator[Element]:
    return _blocks(tuple(page_blocks(block)))


def _fold(block: Fold) -> Iterator[Element]:
    yield element("details", element("summary", block.summary), *_blocks(block.blocks))


def _panel(block: Panel) -> Iterator[Element]:
    status = (element("small", block.status),) if block.status else ()
    heading = (element("h4", block.title, *status),) if block.title else ()
    classes = "panel half" if block.place == "half" else "panel"
    yield element("section", *heading, *_blocks(block.blocks), class_=classes)


def _picture(block: Picture) -> Iterator[Element]:
    caption = (element("figcaption", block.title),) if block.title else ()
    numbers: tuple[Element, ...] = ()
    if block.table is not None:
        numbers = (element("details", element("summary", "The numbers of this chart"), *_table(block.table)),)
    yield element("figure", *caption, element("div", block.picture, class_="scroll"), *numbers)


def _drawn(block: Chart) -> Iterator[Element]:
    yield from _picture(pictured(block))


def _table(block: Table) -> Iterator[Element]:
    sides = rights(block)
    axes = {
        at: axis_of([row[at] for row in block.rows], column.chart)
        for at, column in enumerate(block.columns)
        if column.chart in DRAWN
    }
    block = _heated(block)
    heads = (
        element(
            "th",
            column.title,
            *_ends(column),
            scope="col",
            class_="right" if right else None,
            colspan="2" if at in axes else None,
        )
        for at, (column, right) in enumerate(zip(block.columns, sides, strict=True))
    )
    labels = tuple("first" if at == 0 else "further" if at < block.labels else "" for at in range(len(block.columns)))
    rows = (
        element(
            "tr",
            *(
                made
                for at, cell in enumerate(row)
                if cell.rows
                for made in (
                    _cell(cell, sides[at], labels[at]),
                    *((element("td", cell_picture(cell, block.columns[at].chart, axes[at])),) if at in axes else ()),
                )
            ),
        )
        for row in block.rows
    )
    table = element(
        "table",
        *((element("caption", block.title),) if block.title else ()),
        element("thead", element("tr", *heads)),
        element("tbody", *rows),
        class_="heat" if block.heat else None,
    )
    yield element("div", table, class_="scroll")
    yield from (element("p", words, class_="quiet") for words in legend(block))


def _ends(column: Column) -> Iterator[Element]:
    """Write what is better at either end of a chart of differences."""
    if any(column.ends):
        yield element("small", f"{column.ends[0]} ← 0 → {column.ends[1]}")


def _heated(block: Table) -> Table:
    """Shade the cells of heat columns."""
    heated = [at for at, column in enumerate(block.columns) if column.chart is CellChart.HEAT]
    if not heated:
        return block
    axes = {at: axis_of([row[at] for row in block.rows], CellChart.HEAT) for at in heated}
    rows = (
        tuple(
            replace(cell, shade=axes[at].share(float(cell.value)))
            if at in axes and isinstance(cell.value, (int, float)) and not cell.small
            else cell
            for at, cell in enumerate(row)
        )
        for row in block.rows
    )
    return replace(block, rows=tuple(rows))


def _cell(cell: Cell, right: bool, label: str) -> Element:
    text: Element | str = value_text(cell)
    if isinstance(cell.value, (int, float)):
        text = element("data", text, value=repr(cell.value))
    if "strong" in cell.style:
        text = element("strong", text)
    content = [text, *([element("small", further)] if (further := further_text(cell)) else [])]
    if why := cell.remark or cell.reason:
        content.append(element("small", why, class_="why"))
    classes = " ".join(
        word for word, on in (("right", right), ("few", cell.small), ("further", label == "further")) if on
    )
    shade = None if cell.shade is None else f"--h:{min(1.0, max(0.0, cell.shade)):.2f}"
    if label:
        span = str(cell.rows) if cell.rows > 1 else None
        return element("th", *content, scope="row", rowspan=span, class_=classes or None)
    return element("td", *content, class_=classes or None, style=shade)


def _case(block: CaseBlock) -> Iterator[Element]:
    """Outcomes, problem, steps, the reason of the gold label, and the texts as they were written."""
    yield element("p", " · ".join(block.facts), class_="quiet")
    yield from _outcomes(block)
    yield element("p", element("strong", "Problem. "), readable(block.problem), class_="text")
    yield _steps(block)
    yield element("p", element("strong", "Gold. "), block.gold)
    if block.reason:
        note = (element("em", f" ({block.reason_note})"),) if block.reason_note else ()
        yield element("p", element("strong", "Why. "), readable(block.reason), *note, class_="text")
    if block.command:
        yield element("p", "As written, with its LaTeX: ", element("code", block.command), class_="command")
    elif block.written:
        raw = (part for name, text in block.written for part in (element("b", f"{name}: "), f"{text}\n"))
        yield element("details", element("summary", "As written, with its LaTeX"), element("p", *raw, class_="raw"))


def _outcomes(block: CaseBlock) -> Iterator[Element]:
    """What happened, of the first scorer; of the others folded."""
    outcomes = [(element("strong", name), f": {f'{glyph} {items}'.strip()}") for name, glyph, items in block.outcomes]
    yield from (element("p", *first) for first in outcomes[:1])
    if outcomes[1:]:
        summary = element("summary", "The other scorers")
        items = [element("li", *parts) for parts in outcomes[1:]]
        items += [element("li", block.others)] if block.others else []
        yield element("details", summary, element("ul", *items))


def _steps(block: CaseBlock) -> Element:
    right = (element("th", name, scope="col", class_="right") for name in block.scorers)
    head = element("tr", element("th", "step", scope="col"), element("th", "text", scope="col"), *_gold_head(), *right)
    foot: tuple[Element, ...] = ()
    if block.scorers:
        lines = (("verdict", block.verdicts), ("step accuracy", block.accuracies))
        foot = (element("tfoot", *(_foot(name, words) for name, words in lines)),)
    rows = (_step(step) for step in block.steps)
    return element(
        "div", element("table", element("thead", head), element("tbody", *rows), *foot, class_="steps"), class_="scroll"
    )


def _foot(name: str, words: Sequence[str]) -> Element:
    cells = (element("td", word, class_="right") for word in words)
    return element("tr", element("th"), element("th", name), element("td"), *cells)


def _gold_head() -> Iterator[Element]:
    yield element("th", "gold", scope="col")


def _step(step: Step) -> Element:
    gold = GOLD.get(step.gold or "", step.gold or "")
    wrong = "gold" if (step.gold or "").startswith("error") else None
    return element(
        "tr",
        element("th", str(step.number), scope="row"),
        element("td", readable(step.text)),
        element("td", gold),
        *(_judged(judged) for judged in step.judged),
        class_=wrong,
    )


def _judged(judged: Judged) -> Element:
    words = f"{judged.text} (truncated)" if judged.truncated else judged.text
    marks = f"{'✗ ' if judged.wrong else ''}{words}{' ←' if judged.verdict else ''}".strip()
    # There are thousands of these in a report of hundreds of cases: the style alone says that there is a bar.
    text: Element | str = element("b", marks) if judged.wrong or judged.verdict else marks
    return element("td", text, style=None if judged.share is None else f"--r:{number(judged.share)}")


_MADE: dict[type, Callable[[Any], Iterator[Element]]] = {
    Note: _note,
    Bullets: _bullets,
    Facts: _facts,
    CommandLine: _command,
    Table: _table,
    Columns: _drawn,
    Curve: _drawn,
    Histogram: _drawn,
    Reliability: _drawn,
    Square: _drawn,
    Picture: _picture,
    CaseBlock: _case,
    Verbatim: _verbatim,
    Tokens: _tokens,
    Fold: _fold,
    Panel: _panel,
}
