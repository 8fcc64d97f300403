import pytest

from scoring.models.critics.lint import stated_bases


@pytest.mark.parametrize(
    ("text", "bases"),
    [
        ("split into paragraphs, enclosed with tags and indexed from 0", {0}),
        ("enclosed with tags and indexed from 1):", {1}),
        ("the numbering is 0-based", {0}),
        ("one-indexed paragraphs", {1}),
        ("numbers starting from 1.", {1}),
        ("Numbering starts at zero", {0}),
        ("counting the paragraphs from one", {1}),
        ("numbered with 1", {1}),
        ("the first paragraph has index 0", {0}),
        ("the first step is number 1", {1}),
        ("indexed from 0, or rather indexed from 1", {0, 1}),
        # Words count more than tags in passing.
        ("indexed from 0, as in <paragraph_1>", {0}),
        ("as in <paragraph_0> and <paragraph_1>", {0}),
        ("as in <paragraph_1> and <paragraph_2>", {1}),
        ("as in <paragraph_3>", set()),
        # No word about numbering.
        ("a floating-point number from -1 to 1", set()),
        ("a number from 0.5 to 1", set()),
        ("start with one paragraph at a time", set()),
        ("indexed from 10", set()),
        ("return the index of -1", set()),
        ("", set()),
        ("<paragraph_99999999999999999999>", set()),
    ],
)
def test_bases(text, bases):
    assert stated_bases(text) == bases
