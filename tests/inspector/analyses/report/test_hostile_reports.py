"""Reports of workspaces in which every text is hostile, read by parsers: nothing of the data is markup."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import hostile_space
import markup_space
from inspector.analyses.report.document import Choices, report_document
from inspector.render.documents.html import POLICY, style
from inspector.render.documents.markdown import prose
from inspector.render.mathtext import unicode_math
from inspector.render.texts.text import clean
from report_parts import Parts
from scoring.selection.loading import load
from scoring.selection.query import Query
from thoroughness import up_to

SPACES = {"markup": markup_space, "controls": hostile_space}
OWN = {"<br>", "<!-- -->"}
"""HTML that Markdown reports write."""
LITERAL = {"text", "softbreak", "html_inline", "strong_open", "strong_close", "em_open", "em_close", "code_inline"}
BLOCKS = {"heading", "paragraph", "bullet_list", "list_item", "table", "thead", "tbody", "tr", "th", "td"}


@pytest.fixture(scope="module", params=SPACES)
def space(request, tmp_path_factory):
    module = SPACES[request.param]
    # In an order of their own all cases are shown.
    results = load(Query(workspace=str(module.make(tmp_path_factory.mktemp("hostile") / "w")), sort="n_steps"))
    title = f"report {module.TEXTS[0]} {markup_space.HTML[4]}"
    return module, report_document(results, Choices(cases=100, title=title))


@pytest.fixture(scope="module")
def page(space):
    module, document = space
    return module, Parts(document.render("html"))


def test_no_element_or_attribute_but_those_of_the_templates(page):
    _, found = page
    assert found.wrong == []
    assert not {"script", "img", "iframe", "link", "base", "form", "input", "object"} & {
        tag for tag, _ in found.elements
    }
    assert not [name for _, attributes in found.elements for name in attributes if name.startswith("on")]


def test_it_fetches_nothing_and_its_policy_allows_nothing(page):
    _, found = page
    assert found.policy == POLICY
    assert POLICY.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:")
    assert "script-src" not in POLICY
    links = [attributes["href"] for _, attributes in found.elements if "href" in attributes]
    anchors = [attributes["id"] for tag, attributes in found.elements if tag == "section" and "id" in attributes]
    assert len(anchors) == len(set(anchors)) > 8
    assert {link.removeprefix("#") for link in links} == set(anchors)
    assert found.styles == [style()]
    assert not re.search(r"url\(|@import|@font-face|expression|</", style())


def test_every_text_is_there_as_text(page):
    module, found = page
    said = found.text
    for text in module.TEXTS:
        assert clean(text, lines=True).strip() in said
        assert clean(unicode_math(text), lines=True).strip() in said
    assert found.title.startswith("report ")


def test_no_character_acts(page):
    _, found = page
    assert not set(found.text) & set("\x00\x07\x08\x1b\x7f\x9b\x9d\u202e\u2066\u200b\ufeff\u2028")


def tokens(page):
    """The tokens of a page, as readers that make links of addresses have them."""
    parser = MarkdownIt("gfm-like", {"linkify": True, "html": True})
    for token in parser.parse(page):
        yield token
        yield from token.children or ()


def test_markdown_holds_no_link_picture_or_html_of_the_data(space):
    module, document = space
    found = list(tokens(document.render("markdown")))
    kinds = {token.type.removesuffix("_open").removesuffix("_close") for token in found}
    assert kinds <= {*LITERAL, *BLOCKS, "inline", "strong", "em"}
    assert {token.content for token in found if token.type == "html_inline"} <= OWN
    said = "".join(token.content for token in found if token.type == "text")
    for text in module.TEXTS:
        for line in clean(unicode_math(text), lines=True).split("\n"):
            # Blanks at the ends of a cell are not told.
            assert line.strip().replace("\t", "    ") in said


@up_to(100, 10)
@given(st.text() | st.lists(st.sampled_from(markup_space.TEXTS) | st.text(max_size=4), max_size=3).map("".join))
def test_a_text_in_a_cell_of_markdown_is_text(text):
    found = list(tokens(f"| a |\n|---|\n| x {prose(text)} x |\n"))
    kinds = {token.type for token in found} - {"inline", "text", "html_inline"}
    assert {kind.removesuffix("_open").removesuffix("_close") for kind in kinds} <= BLOCKS
    assert {token.content for token in found if token.type == "html_inline"} <= OWN
    assert sum(token.type == "td_open" for token in found) == 1
