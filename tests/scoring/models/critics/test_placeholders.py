import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.models.critics.template import NAMES, braces, filled, slots


def slowly_filled(text, style, values):
    """One character after the other, without a regular expression."""
    out, at = "", 0
    while at < len(text):
        pair = text[at : at + 2]
        name = next((name for name in NAMES if text.startswith("{" + name + "}", at)), None)
        if pair in {"{{", "}}"}:
            out += pair[0] if style == "doubled" else pair
            at += 2
        elif name:
            out += values[NAMES[name]]
            at += len(name) + 2
        else:
            out += text[at]
            at += 1
    return out


PIECES = st.lists(
    st.sampled_from([*("{" + name + "}" for name in NAMES), "{", "}", "{{", "}}", "problem", "x", "\\", "1", "\n"])
).map("".join)


@given(PIECES, PIECES, PIECES, st.sampled_from(["literal", "doubled", "mixed"]))
def test_one_pass_as_the_slow_reference(text, problem, steps, style):
    values = {"problem": problem, "steps": steps}
    assert filled(text, style, values) == slowly_filled(text, style, values)


@given(PIECES, PIECES)
def test_values_come_out_as_they_went_in(problem, steps):
    for style in ("literal", "doubled"):
        assert filled("<{problem}|{steps}>", style, {"problem": problem, "steps": steps}) == f"<{problem}|{steps}>"


@given(st.text(), st.text(), st.text())
def test_doubled_braces_fill_as_str_format_does(before, problem, steps):
    text = before.replace("{", "{{").replace("}", "}}") + "{{x}}{problem}{{}}{tagged_response}"
    assert braces(text) == "doubled"
    expected = text.format(problem=problem, tagged_response=steps)
    assert filled(text, "doubled", {"problem": problem, "steps": steps}) == expected


@pytest.mark.parametrize(
    ("text", "style"),
    [
        ("{problem} {steps}", "literal"),
        ("no braces at all", "literal"),
        (r"\boxed{} {problem}", "literal"),
        (r"\boxed{{}} {problem}", "doubled"),
        ('{{"validity": [{{}}]}} {steps}', "doubled"),
        (r"\boxed{{}} {answer}", "mixed"),
        # A nested pair ends in two braces that are each one.
        (r"\frac{\sqrt{2}}{3}", "mixed"),
        ("{{{problem}}}", "doubled"),
        ("{{problem}}", "doubled"),
    ],
)
def test_style(text, style):
    assert braces(text) == style


def test_a_doubled_placeholder_is_text():
    assert filled("{{problem}} {{{problem}}}", "doubled", {"problem": "P", "steps": "S"}) == "{problem} {P}"
    assert not slots("{{problem}}")


def test_every_name_fills_its_slot():
    for name, slot in NAMES.items():
        assert slots("{" + name + "}") == {slot: 1}
        assert (
            filled("{" + name + "}", "literal", {"problem": "P", "steps": "S"}) == {"problem": "P", "steps": "S"}[slot]
        )
