import pytest

from scoring.data.errors import InputError
from scoring.runs.generative.generative_catalogue import FAMILIES
from scoring.runs.generative.talk_templates import TalkTemplate

TEXTS = {"problem": "{step} {{x}}", "previous": "{problem}", "step": "<<user>>", "steps": "{steps}"}


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_the_packaged_words_have_every_placeholder_and_nothing_is_looked_for_in_a_case(family):
    wording = family.wording(None, family.chosen_options({}))
    assert wording.own
    prompt = wording.prompt(TEXTS)
    said = "\n".join(message.text for message in prompt)
    for name in family.placeholders:
        assert said.count(TEXTS[name]) >= 1
    assert prompt[-1].role == "user"
    assert "own words" in wording.note


def test_braces_of_a_template_are_text(tmp_path):
    path = tmp_path / "own.txt"
    path.write_text("<<system>>\n{{a}} {b}\n<<user>>\n{problem}: {step}\n")
    wording = TalkTemplate.of(path, "genprm.txt", ("problem", "step"))
    assert [one.text for one in wording.prompt({"problem": "P", "step": "S"})] == ["{{a}} {b}", "P: S"]
    assert not wording.own
    assert "own words" not in wording.note


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{problem}", r"no \{step\}"),
        ("nothing", r"no \{problem\} and no \{step\}"),
        ("<<user>>\na\n<<assistant>>\nb\n<<user>>\n{problem} {step}", "worked examples"),
    ],
)
def test_a_template_that_cannot_be_filled(tmp_path, text, told):
    path = tmp_path / "own.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=told):
        TalkTemplate.of(path, "genprm.txt", ("problem", "step"))
