from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from inspector.render.texts.phrases import Phrase, fitted, joined, name_forms

TEXTS = st.text("a1 ", max_size=12)
PHRASES = st.lists(
    st.builds(
        Phrase,
        st.lists(TEXTS, min_size=1, max_size=3).map(lambda forms: tuple(sorted(forms, key=len, reverse=True))),
        st.integers(0, 3),
    ),
    max_size=6,
)


@given(phrases=PHRASES, width=st.integers(-1, 60))
def test_forms_are_whole_and_fit_wherever_the_shortest_do(phrases, width):
    said, text = fitted(phrases, width, 3), joined(phrases, width, " | ")
    assert all(form in phrase.forms for form, phrase in zip(said, phrases, strict=True))
    shortest = " | ".join(phrase.forms[-1] for phrase in phrases if phrase.forms[-1])
    assert width < 1 or cell_len(text) <= max(width, cell_len(shortest))
    longest = " | ".join(phrase.forms[0] for phrase in phrases if phrase.forms[0])
    assert text == longest or 0 < width < cell_len(longest)


def test_the_highest_rank_gives_way_first_and_of_one_rank_the_last():
    threshold = Phrase(("threshold 0.500 (default)", "0.500"), 2)
    phrases = [Phrase(("case 1,234", "")), Phrase(("F1 72.9", ""), 2), threshold]
    assert joined(phrases, 60, ", ") == "case 1,234, F1 72.9, threshold 0.500 (default)"
    assert joined(phrases, 40, ", ") == "case 1,234, F1 72.9, 0.500"
    assert joined(phrases, 20, ", ") == "case 1,234, 0.500"
    assert joined(phrases, 8, ", ") == "0.500"


def test_a_name_gives_up_its_middle():
    assert name_forms("missing_condition_1", 30, 10) == ("missing_condition_1", "mis…tion_1")
