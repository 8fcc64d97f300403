import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formats.reading.answer_reasoning import SplitAnswer, joined, opened, parted

TAGS = ("<think>", "</think>", "<thinking>", "</thinking>")
TEXTS = st.lists(st.sampled_from(("a", "b", " ", "\n", *TAGS)), max_size=8).map("".join)


@pytest.mark.parametrize(
    ("text", "reasoning", "answer", "closed"),
    [
        ("", None, "", True),
        ("just this", None, "just this", True),
        ("<think>hm</think>so", "hm", "so", True),
        ("\n <think>\nhm\n</think>\n\nso", "\nhm\n", "\n\nso", True),
        ("<thinking>hm</thinking>so", "hm", "so", True),
        # The template opened the reasoning within the prompt.
        ("hm</think>so", "hm", "so", True),
        ("<think></think>so", "", "so", True),
        ("<think>hm", "hm", "", False),
        ("<think>", "", "", False),
        ("hm</think><think>again", "hm</think><think>again", "", False),
        # The last end counts, whichever tag it is.
        ("<think>the tag </think> ends it</think>so", "the tag </think> ends it", "so", True),
        ("<think>a</thinking>b</think>c", "a</thinking>b", "c", True),
        # A tag within the answer is a word of it.
        ("step 2 says <think>", None, "step 2 says <think>", True),
        ("hm</think>step 2 says <think>", "hm", "step 2 says <think>", True),
        ("<thinker>no tag", None, "<thinker>no tag", True),
    ],
)
def test_parted(text, reasoning, answer, closed):
    assert parted(text) == SplitAnswer(reasoning, answer, closed)


@given(TEXTS)
def test_nothing_that_is_said_is_lost_and_open_reasoning_has_no_answer(text):
    part = parted(text)
    assert text.endswith(part.answer)
    assert part.closed or not part.answer
    assert (part.reasoning or "") in text
    assert not any(tag in part.answer for tag in TAGS if tag[1] == "/")


@given(st.none() | TEXTS, st.text(st.sampled_from("ab \n")), st.booleans())
def test_reasoning_told_apart_is_as_if_it_had_come_in_the_text(reasoning, answer, closed):
    part = parted(joined(answer if closed else "", reasoning, closed=closed))
    if reasoning is None:
        assert part == SplitAnswer(None, answer if closed else "")
    elif closed:
        assert part == SplitAnswer(reasoning, answer)
    elif not any(tag in reasoning for tag in TAGS):
        assert part == SplitAnswer(reasoning, "", closed=False)


@pytest.mark.parametrize(
    ("text", "closed"), [("hm", False), ("", False), ("hm</think>so", True), ("<think>hm", False), (" <think>a", False)]
)
def test_text_after_an_opening_in_the_prompt(text, closed):
    assert parted(opened(text)).closed == closed
    assert parted(opened(text)).answer == ("so" if closed else "")
