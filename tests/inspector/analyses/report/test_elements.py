"""Elements are written as HTML in one place, and no text gets out of the element that it is in."""

from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import markup_space
from inspector.render.elements import element, escaped, number, rendered
from inspector.render.texts.text import clean

HOSTILE = st.sampled_from(markup_space.TEXTS)
TEXT = st.text() | HOSTILE | st.lists(HOSTILE | st.text(max_size=4), max_size=3).map("".join)


class Read(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.found, self.said = [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.said.append(data)

    def handle_comment(self, data):
        self.found.append(("comment", data))


@given(TEXT)
@example("'\"<>&\x00\x1b\u202e\u2028\r\n\ud800")
def test_a_text_is_the_same_after_parsing_and_nothing_else_is_there(text):
    found = Read(rendered(element("p", text, class_=text)))
    assert found.found == [("p", {"class": clean(text, lines=True)})]
    assert "".join(found.said) == clean(text, lines=True)


@given(TEXT)
def test_no_sign_of_markup_is_left_and_nothing_that_acts(text):
    told = escaped(text)
    assert not set(told) & set("<>\"'")
    assert not set(told) & set("\x00\x07\x1b\x7f\u202e\u2066\u200b\u2028")
    assert told.encode().decode() == told


def test_elements_in_elements():
    page = element("ul", element("li", "a", element("br"), "b"), element("li"), class_=None, aria_label="x & y")
    assert rendered(page) == '<ul aria-label="x &amp; y"><li>a<br>b</li><li></li></ul>'


def test_a_style_sheet_stands_as_it_is():
    assert rendered(element("style", "a > b { c: 'd' }")) == "<style>a > b { c: 'd' }</style>"


@pytest.mark.parametrize(("value", "told"), [(1.0, "1"), (0.5, "0.5"), (1 / 3, "0.33"), (100, "100"), ("a", "a")])
def test_numbers_are_short(value, told):
    assert number(value) == told
