"""A view as a page: Markdown, LaTeX or HTML, with its provenance beneath."""

from collections.abc import Callable, Iterator
from typing import Any

from inspector.render.documents import footer, latex_footer, markdown_footer
from inspector.render.html import html_page
from inspector.render.latex import latex_sections
from inspector.render.markdown import markdown_sections
from inspector.render.view import Block, CommandLine, Facts, Report, Section, View


def page(view: View, form: str) -> str:
    """Render a view as `markdown`, `latex` or `html`."""
    return _MADE[form](view)


def _markdown(view: View) -> str:
    return "\n".join([*markdown_sections(view.sections), *markdown_footer(_beneath(view)), ""])


def _latex(view: View) -> str:
    return "\n".join([*latex_sections(view.sections), *latex_footer(_beneath(view))]) + "\n"


def _html(view: View) -> str:
    made = Section("How this was made", "provenance", tuple(_provenance(view)))
    parts = tuple(
        Section(section.title or view.title, f"part-{number}", section.blocks, section.parts)
        for number, section in enumerate(view.sections)
    )
    return html_page(Report(view.title, (), (*parts, made)))


def _beneath(view: View) -> dict[str, Any]:
    """The provenance, less what stands in the sections already."""
    return {name: value for name, value in view.provenance.items() if name not in view.in_sections}


def _provenance(view: View) -> Iterator[Block]:
    facts = _beneath(view)
    if command := str(facts.pop("command", "")):
        yield CommandLine(command, "The same file")
    lines = (text.partition(": ") for text in footer(facts))
    yield Facts(tuple((name, value) for name, _, value in lines))


_MADE: dict[str, Callable[[View], str]] = {"markdown": _markdown, "latex": _latex, "html": _html}
