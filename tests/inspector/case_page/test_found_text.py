"""Hits stand out in wrapped text, and no text is changed by it."""

from hypothesis import given
from hypothesis import strategies as st

from inspector.case_page.prose import FOUND, found_text
from inspector.render.texts.text import clean
from inspector.render.texts.wrap import wrap
from scoring.workspace.filtering.text_query import TextQuery
from scoring.workspace.filtering.text_spans import spans

letters = st.text(st.sampled_from("ab  \n界é𝒳[$\\x1"), max_size=80)


@given(letters, st.integers(1, 30), st.sampled_from(["a", "ab", "b a", '"a b"', "界", "[", "/a+ ?b/", "zz"]))
def test_the_lines_are_those_of_wrap_and_the_hits_those_of_the_text(text, width, query):
    shown = clean(text, lines=True)
    found = TextQuery.parse(query)
    body = found_text(text, shown, width, "strong", found)
    assert ["".join(part for part, _ in line) for line in body.lines] == wrap(shown, width)
    hits = "".join(part for line in body.lines for part, names in line if FOUND in names.split())
    expected = "".join(shown[start:stop] for start, stop in spans(found, shown))
    assert "".join(hits.split()) == "".join(expected.split()), "but for the blanks at which a line was broken"
    assert all("strong" in names.split() for line in body.lines for _, names in line)


def test_what_is_repeated_is_dim_and_what_is_found_in_it_is_both():
    body = found_text("so x = 4 now", "so x = 4 now", 8, "", TextQuery.parse("4"), [(0, 6), (7, 9)])
    assert body.lines == ((("so x =", "dim"), (" ", ""), ("4", f"dim {FOUND}")), (("now", ""),))


def test_a_phrase_over_two_lines():
    body = found_text("see the premise here", "see the premise here", 8, "", TextQuery.parse('"the premise"'))
    assert [[part for part in line if part[1]] for line in body.lines] == [
        [("the", FOUND)],
        [("premise", FOUND)],
        [],
    ]


def test_what_only_the_raw_text_holds_is_told():
    query = TextQuery.parse(r"\frac")
    assert found_text(r"$\frac{1}{2}$", "1/2", 20, "", query).only_raw
    assert not found_text(r"$\frac{1}{2}$", r"$\frac{1}{2}$", 20, "", query).only_raw
    assert not found_text("x", "x", 20, "", query).only_raw
    assert not found_text("x", "x", 20, "", None).only_raw
