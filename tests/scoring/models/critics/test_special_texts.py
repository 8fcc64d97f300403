import pytest

from scoring.models.critics.lint import CHAT_TOKENS, ROLE_MARKERS, control_character, invisible_character, literal_break


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("in \x08oxed{}", "U+0008 before 'oxed', which \\boxed becomes in a Python string"),
        ("\x0crac{1}{2}", "U+000C before 'rac', which \\frac becomes in a Python string"),
        ("a \times b", "U+0009 before 'imes', which \\times becomes in a Python string"),
        ("a\x00b", "U+0000"),
        ("a\x1b[31m", "U+001B"),
        ("a\x85b", "U+0085"),
        ("a\rb", "U+000D before 'b', which \\rb becomes in a Python string"),
    ],
)
def test_control_characters(text, words):
    assert control_character(text) == words


@pytest.mark.parametrize("text", ["", "a\nb", "a\tb", "\tindented", "α ≤ β", r"\boxed{}"])
def test_no_control_characters(text):
    assert control_character(text) is None


def test_invisible_characters():
    assert invisible_character("a\u200bb") == "U+200B"
    assert invisible_character("a\u202eb") == "U+202E"
    assert invisible_character("a\ufffdb") == "U+FFFD"
    assert invisible_character("a b é") is None


@pytest.mark.parametrize("text", [r"one\ntwo", r"<|im_end|>\n<|im_start|>", r"end\n", r"\n\n"])
def test_literal_breaks(text):
    assert literal_break(text)


@pytest.mark.parametrize("text", [r"a \neq b", r"\nu", r"x \ne 0", r"\nabla f", r"\\next", "a\nb", r"a \not= b", ""])
def test_no_literal_breaks(text):
    assert not literal_break(text)


@pytest.mark.parametrize(
    "text",
    ["<|im_start|>", "<|eot_id|>", "[INST]", "[/INST]", "</s>", "<think>", "</think>", "<start_of_turn>", "<extra_0>"],
)
def test_chat_tokens(text):
    assert CHAT_TOKENS.search(f"a{text}b")


@pytest.mark.parametrize("text", ["a < b > c", "|x| < 3", "[1, 2]", "<paragraph_0>", "<sub>", "thinking"])
def test_no_chat_tokens(text):
    assert not CHAT_TOKENS.search(text)


def test_role_markers_fill_a_line():
    assert ROLE_MARKERS.search("a\n<<user>>\nb")
    assert not ROLE_MARKERS.search("a <<user>> b")
