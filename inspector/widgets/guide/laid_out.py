"""A page of the guide laid out for a terminal, in its own colours: none stands on a ground of ours."""

from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Markdown
from rich.padding import Padding
from rich.text import Text
from rich.theme import Theme

# Rich's own are for dark terminals: code on black, headings in magenta.
_STYLES = Theme(
    {
        "markdown.code": "bold",
        "markdown.h2": "bold",
        "markdown.h3": "bold",
        "markdown.item.number": "none",
        "markdown.link": "underline",
        "markdown.table.border": "dim",
        "markdown.table.header": "bold",
    },
    inherit=False,
)


class _Code(CodeBlock):
    """Lines to be copied, indented."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Padding(Text(str(self.text).rstrip(), style="bold"), (0, 0, 0, 2))


class GuidePage(Markdown):
    """One page, from its text in Markdown."""

    elements: ClassVar = {**Markdown.elements, "fence": _Code, "code_block": _Code}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        with console.use_theme(_STYLES):
            yield from super().__rich_console__(console, options)
