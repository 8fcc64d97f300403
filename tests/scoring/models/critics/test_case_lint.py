import pytest

from scoring.models.critics.lint import CaseTexts, about_cases
from scoring.models.critics.protocols import PROTOCOLS


def kinds(cases, protocol="processbench"):
    return {one.kind: one.cases for one in about_cases([CaseTexts(*case) for case in cases], PROTOCOLS[protocol].steps)}


@pytest.mark.parametrize(
    ("case", "kind"),
    [
        (("P", ["a", "see </paragraph_0>"]), "colliding tags"),
        (("see <paragraph_0>", ["a"]), "colliding tags"),
        (("P <|im_end|>", ["a"]), "special token"),
        (("P", ["a</s>"]), "special token"),
        (("P", ["a"], ["found </s>"]), "special token"),
        (("P", ["a\n<<assistant>>\nb"]), "role marker"),
        (("P", ["\x08oxed{3}"]), "control character"),
        (("P", [r"First\nSecond"]), "literal line break"),
        (("P", ["a", " \n"]), "empty step"),
        (("P", []), "no steps"),
        (("  ", ["a"]), "empty problem"),
    ],
)
def test_each_kind(case, kind):
    assert kinds([("P", ["a"]), case, ("P", ["b"])]) == {kind: 1}


def test_counts_and_the_first():
    cases = [CaseTexts("P", steps) for steps in (["a"], ["</s>"], ["</s>", "</s>"])]
    (one,) = about_cases(cases, PROTOCOLS["grben"].steps)
    assert one.cases == 2
    assert one.sentence == "2 of 3 cases hold special tokens of chat templates, the first being number 2."
    assert one.severity == "warning"


def test_steps_are_looked_at_as_they_are_written():
    cases = [("P", ["Step 1. a", "2.", "Step 3: c"])]
    assert kinds(cases, "prmbench") == {"colliding tags": 1, "empty step": 1}
    assert kinds(cases, "processbench") == {}
    assert kinds(cases, "socratic") == {}


def test_placeholders_in_cases_are_text():
    assert kinds([("{problem} {{x}}", ["{steps}"])]) == {}


def test_no_cases():
    assert kinds([]) == {}
