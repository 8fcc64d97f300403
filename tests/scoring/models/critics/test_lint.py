import json

import pytest

from scoring.data.errors import UsageError
from scoring.models.critics.lint import CaseTexts, lint
from scoring.models.critics.protocols import PROTOCOLS
from scoring.models.critics.template import Template

PROCESSBENCH = PROTOCOLS["processbench"]
GOOD = r"Steps are indexed from 0. {problem} {steps} Put it in \boxed{}, or -1 if there is none."
RATED = 'Answer in JSON: {"validity": [0.5], "redundancy": [0.5]}. {problem} {steps}'


def found(text, protocol="processbench", cases=()):
    return [(one.severity, one.kind) for one in lint(Template.of(text, "mine.txt"), PROTOCOLS[protocol], cases)]


def rated(text, protocol="prmbench"):
    return [(one.severity, one.kind) for one in lint(Template.of(text, "mine.txt"), PROTOCOLS[protocol], shots=0)]


@pytest.mark.parametrize("name", PROTOCOLS)
def test_nothing_is_wrong_with_the_packaged_templates(name):
    protocol = PROTOCOLS[name]
    assert lint(Template.packaged(protocol.template), protocol, [CaseTexts("What is 1 + 1?", ["It is 2."])]) == []


def test_packaged_examples_are_what_their_protocol_reads():
    for protocol in PROTOCOLS.values():
        for question, answer in Template.packaged(protocol.template).examples:
            steps = question.text.count("\nStep ") + question.text.count(" Step 1:")
            read = protocol.read(answer.text, steps)
            assert read.reason is None
            assert read.rewards is not None
            assert read.redundancy is not None
            assert len(read.rewards) == len(read.redundancy) == steps == len(json.loads(answer.text)["validity"])


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (GOOD.replace(r"\boxed", "\x08oxed"), "control character"),
        (GOOD.replace(r"\boxed", "\x08oxed"), "missing answer instruction"),
        (GOOD.replace("{}", "{{}}") + r"\text{a}", "mixed braces"),
        (GOOD.replace("{problem}", "{{problem}}").replace("{}", "{{}}"), "doubled placeholder"),
        (GOOD.replace("{problem}", "{{problem}}").replace("{}", "{{}}"), "missing placeholder"),
        (GOOD.replace("{problem}", "{Problem}"), "unfilled placeholder"),
        (GOOD + " {solution}", "unfilled placeholder"),
        (GOOD.replace("{problem}", ""), "missing placeholder"),
        (GOOD.replace("{steps}", ""), "missing placeholder"),
        (GOOD.replace(r"\boxed{}", "a box"), "missing answer instruction"),
        (GOOD.replace("from 0", "from 1"), "index base"),
        (GOOD.replace("from 0", "from 0 or from 1, indexed from 1"), "index base"),
        (GOOD.replace("indexed from 0", "like <paragraph_1>"), "index base"),
        ("<<User>>\n" + GOOD, "message marker"),
        ("<<user>> \n" + GOOD, "message marker"),
        ("<<user>>\n{problem}\n<<assistant>>\nb\n<<user>>\n" + GOOD, "placeholder in an example"),
    ],
)
def test_errors(text, kind):
    assert ("error", kind) in found(text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (GOOD.replace(". ", r".\n", 1), "literal line break"),
        (GOOD + "\u200b!", "invisible character"),
        ("<|im_start|>user\n" + GOOD, "special token"),
        (GOOD.replace("-1", "minus one"), "no word for no error"),
        (GOOD.replace("indexed from 0", "numbered"), "no index base"),
        (GOOD + " {problem}", "repeated placeholder"),
        (GOOD + " {tagged_response}", "repeated placeholder"),
    ],
)
def test_warnings(text, kind):
    assert found(text) == [("warning", kind)]


def test_a_good_template_in_either_style_of_braces():
    assert found(GOOD) == []
    assert found(GOOD.replace("{}", "{{}}")) == []
    # Words in braces of a command, an index or doubled braces are text.
    assert found(GOOD + r" \boxed{index} \frac{a}{b} x_{max} \sqrt[3]{n}") == []
    assert found(GOOD.replace("{}", "{{}}") + " {{index}}") == []


def test_the_base_is_the_protocols():
    one_based = GOOD.replace("from 0", "from 1")
    assert found(one_based, "grben") == []
    assert found(GOOD, "grben") == [("error", "index base")]
    # Of ratings only the order counts.
    assert rated(RATED + " Steps are indexed from 0.") == [("warning", "index base")]


def test_ratings_ask_for_their_keys():
    assert rated(RATED) == []
    assert rated(RATED.replace("JSON", "lists")) == [("error", "missing answer instruction")]
    assert rated(RATED.replace("validity", "rightness")) == [("error", "missing answer instruction")]
    assert rated(RATED.replace("redundancy", "more")) == [("error", "missing answer instruction")]
    assert rated(RATED.replace("redundancy", "more"), "socratic") == []


def test_an_answer_shown_in_an_example_is_not_asked_for():
    text = f"<<user>>\nQ\n<<assistant>>\n{RATED[:62]}\n<<user>>\n{{problem}}{{steps}}"
    assert ("error", "missing answer instruction") in rated(text)


def test_too_few_examples():
    with pytest.raises(UsageError, match="2 worked examples"):
        lint(Template.of(RATED, "mine.txt"), PROTOCOLS["prmbench"])


def test_errors_come_first_and_read_as_sentences():
    every = lint(Template.of("<|im_start|> {solution}", "mine.txt"), PROCESSBENCH)
    severities = [one.severity for one in every]
    assert severities == sorted(severities)
    assert {"error", "warning"} == set(severities)
    for one in every:
        assert one.sentence.endswith(".")
        assert one.next_step.endswith(".")
        assert str(one) == f"{one.severity}: {one.sentence} {one.next_step}"


def test_cases_are_looked_at():
    assert found(GOOD, cases=[CaseTexts("P", ["as <paragraph_3> says"])]) == [("warning", "colliding tags")]
