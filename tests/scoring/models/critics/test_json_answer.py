import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formats.reading.critic_answers import ParseFault
from scoring.formats.reading.rated_answers import placed_object


def json_object(text):
    found = placed_object(text)
    return found if isinstance(found, ParseFault) else found.value


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": [1]}', {"a": [1]}),
        ('Here it is:\n```json\n{"a": {"b": 1}}\n```\nDone.', {"a": {"b": 1}}),
        # The first that is JSON decides, whatever it holds.
        ('{} {"validity": [1]}', {}),
        ('{not this} {"a": 1} {"a": 2}', {"a": 1}),
        ('{"a": [1, // fine\n -1 # not\n]}', {"a": [1, -1]}),
        # Comments are taken away before anything is read, numbers with them.
        ('{"a": [1, // 2,\n 3]}', {"a": [1, 3]}),
        # What comes after the object that counts does not matter.
        ('{"a": 1} }', {"a": 1}),
        ('{"a": 1} {', {"a": 1}),
        ('{"a": "{}"}', {"a": "{}"}),
        ("no object", ParseFault.NO_JSON),
        ("[1, 2]", ParseFault.NO_JSON),
        ("", ParseFault.NO_JSON),
        ('} {"a": 1}', ParseFault.STRAY_BRACE),
        ('{x} } {"a": 1}', ParseFault.STRAY_BRACE),
        ('{"a": [1, ', ParseFault.OPEN_JSON),
        ('{ {"a": 1}', ParseFault.OPEN_JSON),
        # Braces in texts are paired like any other.
        ('{"a": "{"}', ParseFault.OPEN_JSON),
        ('{"a": "}"}', ParseFault.STRAY_BRACE),
        ("{'a': 1}", ParseFault.BROKEN_JSON),
        ('{"a": [1,]}', ParseFault.BROKEN_JSON),
        # What looks like a comment goes, in texts too.
        ('{"see": "http://x", "a": 1}', ParseFault.BROKEN_JSON),
        ('{"see": "#1",\n "a": 1}', ParseFault.BROKEN_JSON),
        ('{"a": ' + "9" * 5000 + '} {"a": 1}', ParseFault.BROKEN_JSON),
        ('{"a": ' * 100_000 + "1" + "}" * 100_000, ParseFault.BROKEN_JSON),
    ],
)
def test_json_object(text, found):
    assert json_object(text) == found


def reference(text):
    """By the letter of the rules, a character at a time; None where the toolkit has nothing or gives up."""
    depth = start = 0
    for place, letter in enumerate(text):
        if letter == "{":
            start, depth = (place if depth == 0 else start), depth + 1
        elif letter == "}" and depth == 0:
            return None
        elif letter == "}":
            depth -= 1
            lines = [re.split("//|#", line)[0] for line in text[start : place + 1].split("\n")]
            try:
                if depth == 0:
                    return json.loads("\n".join(lines))
            except json.JSONDecodeError:
                continue
    return None


@given(st.lists(st.sampled_from(('{"a":', "{", "}", "1", "[", "]", ",", '"', "//", "#", "\n", " ", "\r")), max_size=14))
def test_the_object_is_the_toolkits(pieces):
    text = "".join(pieces)
    found = json_object(text)
    assert (None if isinstance(found, ParseFault) else found) == reference(text)
