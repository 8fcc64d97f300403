"""The sections of a view as a page: Markdown, LaTeX or HTML, with its provenance beneath."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from inspector.render.blocks import Block, CommandLine, Facts, Report, Section
from inspector.render.documents.html import html_page
from inspector.render.documents.latex import latex_sections
from inspector.render.documents.markdown import markdown_sections
from inspector.render.documents.row_documents import footer, latex_footer, markdown_footer

Sections = tuple[Section, ...]
Provenance = Mapping[str, Any]


def page(form: str, title: str, sections: Sections, provenance: Provenance) -> str:
    """Render sections as `markdown`, `latex` or `html`, with the provenance that they do not tell themselves."""
    return _RENDERERS[form](title, sections, provenance)


def _markdown(_title: str, sections: Sections, provenance: Provenance) -> str:
    return "\n".join([*markdown_sections(sections), *markdown_footer(provenance), ""])


def _latex(_title: str, sections: Sections, provenance: Provenance) -> str:
    return "\n".join([*latex_sections(sections), *latex_footer(provenance)]) + "\n"


def _html(title: str, sections: Sections, provenance: Provenance) -> str:
    made = Section("How this was made", "provenance", tuple(_provenance(provenance)))
    parts = tuple(
        Section(section.title or title, f"part-{number}", section.blocks, section.parts)
        for number, section in enumerate(sections)
    )
    return html_page(Report(title, (), (*parts, made)))


def _provenance(provenance: Provenance) -> Iterator[Block]:
    facts = dict(provenance)
    if command := str(facts.pop("command", "")):
        yield CommandLine(command, "The same file")
    lines = (text.partition(": ") for text in footer(facts))
    yield Facts(tuple((name, value) for name, _, value in lines))


_RENDERERS: dict[str, Callable[[str, Sections, Provenance], str]] = {
    "markdown": _markdown,
    "latex": _latex,
    "html": _html,
}
