"""Views and reports as Markdown. In the place of a chart stands the table of its numbers.

Pictures beside the file would be lost where a report is pasted into an issue or a mail, and places that show Markdown
leave pictures that are written into it out; the numbers of a chart are a table either way.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

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
from inspector.render.chart_views import numbers_of
from inspector.render.documents.literal_text import markdown_code, markdown_text
from inspector.render.readable import readable
from inspector.render.table_blocks import Cell, Table
from inspector.render.texts.text import clean
from inspector.render.tokens import page_blocks

_LINKED = re.compile(r"(?<=[^\W_])([:.])(?=/|[^\W\d_])|(?<=/)(/)")
"""Where readers would see an address: `http:/`, `www.x`, `x.org`, `//`."""
_NAMED = re.compile("@")


def prose(text: str) -> str:
    """Escape any text as literal text on one line of Markdown: no markup, and no link that readers make by themselves.

    An address is parted by a backslash that nobody sees, and a name behind `@` by an empty comment, so that it calls
    nobody.
    """
    literal = markdown_text(clean(text, lines=True))
    return _NAMED.sub("@<!-- -->", _LINKED.sub(r"\\\g<0>", literal))


def markdown_page(report: Report) -> str:
    """Render the whole document."""
    lines = [f"# {prose(report.title)}", "", *_blocks(report.about)]
    for section in report.sections:
        lines += _section(section, 2)
    return "\n".join(lines).rstrip() + "\n"


def markdown_sections(sections: Sequence[Section], level: int = 3) -> Iterator[str]:
    """Yield the lines of sections under headings of a level."""
    for section in sections:
        yield from _section(section, level)


def _section(section: Section, level: int) -> Iterator[str]:
    yield from [f"{'#' * min(level, 6)} {prose(section.title)}", ""] if section.title else []
    yield from _blocks(section.blocks)
    for part in section.parts:
        yield from _section(part, level + 1)


def _blocks(blocks: tuple[Block, ...]) -> Iterator[str]:
    for block in blocks:
        yield from _MADE[type(block)](block)
        yield ""


def _note(block: Note) -> Iterator[str]:
    yield f"{'**Note:** ' if block.level == 'warning' else ''}{_begun(block.text)}"


def _begun(text: str) -> str:
    """A text at the beginning of a line, where a number or a sign would begin a list, a rule or a heading."""
    return re.sub(r"^(\s*)(\d*)([-+=.)])", r"\1\2\\\3", prose(text).lstrip())


def _bullets(block: Bullets) -> Iterator[str]:
    yield from (f"- {_begun(item)}" for item in block.items)


def _facts(block: Facts) -> Iterator[str]:
    yield from (f"- **{prose(name)}**: {prose(value)}" for name, value in block.items)


def _command(block: CommandLine) -> Iterator[str]:
    yield f"{block.gives}: {markdown_code(clean(block.line))}"


def _fold(block: Fold) -> Iterator[str]:
    yield from [f"**{prose(block.summary)}**", ""]
    yield from _blocks(block.blocks)


def _panel(block: Panel) -> Iterator[str]:
    yield from [f"**{prose(block.heading)}**", ""] if block.title else []
    yield from _blocks(block.blocks)


def _verbatim(block: Verbatim) -> Iterator[str]:
    yield f"**{prose(block.title)}:** {prose(block.text)}"


def _tokens(block: Tokens) -> Iterator[str]:
    return _blocks(tuple(page_blocks(block)))


def _picture(block: Picture) -> Iterator[str]:
    if block.table is not None:
        yield from [f"**{prose(block.title)}**", ""]
        yield from _rows(block.table)


def _drawn(block: Chart) -> Iterator[str]:
    yield from [f"**{prose(block.title)}**", ""] if block.title else []
    yield from _rows(numbers_of(block))


def _table(block: Table) -> Iterator[str]:
    yield from [f"*{prose(block.title).strip()}*", ""] if block.title.strip() else []
    yield from _rows(block)
    for words in legend(block):
        yield from ["", _begun(words)]


def _rows(block: Table) -> Iterator[str]:
    yield _row(*(prose(column.title) for column in block.columns))
    yield "|" + "|".join("---:" if right else "---" for right in rights(block)) + "|"
    yield from (_row(*map(_cell, row)) for row in block.rows)


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    if not cell.rows:
        return ""
    value, further = prose(value_text(cell)), further_text(cell)
    text = f"**{value}**" if "strong" in cell.style and value.strip() else value
    words = " ".join(part for part in (text, prose(further)) if part)
    return "<br>".join([words, *(prose(why) for why in (cell.remark or cell.reason,) if why)])


def _case(block: CaseBlock) -> Iterator[str]:
    yield from [" · ".join(map(prose, block.facts)), ""]
    yield from (f"- {prose(name)}: {prose(f'{glyph} {outcome}'.strip())}" for name, glyph, outcome in block.outcomes)
    yield from ([f"- {prose(block.others)}"] if block.others else [])
    yield from ["", f"**Problem.** {_readable(block.problem)}", ""]
    yield _row("step", "text", "gold", *map(prose, block.scorers))
    yield "|---:|---|---|" + "---:|" * len(block.scorers)
    yield from (_step(step) for step in block.steps)
    if block.scorers:
        yield _row("", "verdict", "", *map(prose, block.verdicts))
        yield _row("", "step accuracy", "", *map(prose, block.accuracies))
    yield from ["", f"**Gold.** {prose(block.gold)}"]
    if block.reason:
        note = f" ({prose(block.reason_note)})" if block.reason_note else ""
        yield from ["", f"**Why.** {_readable(block.reason)}{note}"]


def _step(step: Step) -> str:
    gold = GOLD.get(step.gold or "", prose(step.gold or ""))
    gold = f"**{gold}**" if step.gold == "error" else gold
    return _row(str(step.number), _readable(step.text), gold, *map(_judged, step.judged))


def _judged(judged: Judged) -> str:
    text = prose(f"{judged.text} (truncated)" if judged.truncated else judged.text)
    text = f"**✗ {text}**" if judged.wrong and text else "**✗**" if judged.wrong else text
    return f"{text} ←".strip() if judged.verdict else text


def _readable(text: str) -> str:
    return prose(readable(text))


_MADE: dict[type, Callable[[Any], Iterator[str]]] = {
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
