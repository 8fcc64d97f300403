import pytest

from scoring.data.readout import Refused
from scoring.models.prms.base import MarkedText

MARK = ord("#")


class Letters:
    """A token a character, except that `@` swallows the mark behind it."""

    def spans(self, text):
        ids, ends = [], []
        for at, letter in enumerate(text):
            if letter == "#" and text[at - 1] == "@":
                ids[-1], ends[-1] = 1, at + 1
                continue
            ids.append(ord(letter))
            ends.append(at + 1)
        return ids, ends


def marked(problem, steps):
    text = MarkedText()
    text.add(problem)
    for step in steps:
        text.add(f"\n{step}")
        text.mark("#")
    return text.encode(Letters(), MARK)


def test_the_tokens_at_the_marks_are_read():
    ids, positions = marked("p", ["a", "bc"])
    assert [ids[at] for at in positions] == [MARK, MARK]
    assert positions == [3, 7]


@pytest.mark.parametrize(
    ("problem", "steps", "where"),
    [
        ("has # in it", ["a"], "the problem ('has # in it\\na#')"),
        ("p", ["#a", "b"], "step 0 ('p\\n#a#\\nb#')"),
        ("p", ["a", "b # c"], "step 1 ('p\\na#\\nb # c#')"),
        ("#", ["a", "#"], "the problem ('#\\na#\\n##') and step 1 ('#\\na#\\n##')"),
    ],
)
def test_a_mark_in_a_text_is_refused_by_its_place(problem, steps, where):
    found = marked(problem, steps)
    assert isinstance(found, Refused)
    end = ", where the model would take it for one; this family cannot score such a text"
    assert found.reason == f"a step end stands within {where}{end}"


def test_a_long_text_with_many_marks_is_not_told_whole():
    found = marked("p", ["a" * 2000 + "####" + "b" * 2000])
    assert " and 1 more, where" in found.reason
    assert len(found.reason) < 300


@pytest.mark.parametrize(
    ("steps", "where"),
    [
        (["a@", "b"], "step 0"),
        (["a", "b@", "c@"], "step 1 and step 2"),
        (["@"] * 6, "step 0, step 1, step 2 and 3 more"),
    ],
)
def test_marks_that_merge_with_a_text_are_told_by_their_steps(steps, where):
    end = "is one token with the text beside it; this family cannot score such a text"
    assert marked("p", steps) == Refused(f"the end of {where} {end}")
