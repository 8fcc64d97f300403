import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.models.critics.protocols import PROTOCOLS, StepLayout

STEPS = st.lists(st.text(st.sampled_from("a1{i} .\nStep:<>/_paragraph"), max_size=12), min_size=1, max_size=5)


def test_every_protocol_writes_steps_as_its_program_does():
    steps = ["Step 1. a ", "b\nc"]
    assert PROTOCOLS["processbench"].steps.text(steps) == (
        "<paragraph_0>\nStep 1. a \n</paragraph_0>\n\n<paragraph_1>\nb\nc\n</paragraph_1>"
    )
    assert PROTOCOLS["grben"].steps.text(steps) == (
        "<paragraph_1> Step 1. a  </paragraph_1>\n<paragraph_2> b\nc </paragraph_2>"
    )
    assert PROTOCOLS["prmbench"].steps.text(steps) == "Step 1: a \n\nStep 2: b\nc \n\n"
    assert PROTOCOLS["socratic"].steps.text(steps) == ("<step_1>\nStep 1. a \n</step_1>\n\n<step_2>\nb\nc\n</step_2>")


def test_bases():
    assert {name: one.steps.base for name, one in PROTOCOLS.items()} == {
        "processbench": 0,
        "grben": 1,
        "prmbench": 1,
        "socratic": 1,
        "agentprocessbench": 0,
    }


@given(STEPS)
def test_processbench_trims_nothing_of_a_step(steps):
    # The benchmark's loop ends every paragraph with an empty line and strips the whole, which begins and ends in tags.
    looped = ""
    for index, step in enumerate(steps):
        looped += f"<paragraph_{index}>\n{step}\n</paragraph_{index}>\n\n"
    assert PROTOCOLS["processbench"].steps.text(steps) == looped.strip()


@given(STEPS)
def test_the_text_of_a_step_is_never_numbered(steps):
    text = StepLayout(0, "[{i}]", "(/{i})", "|").text(steps)
    for index, step in enumerate(steps):
        prefix = f"[{index}]{step}(/{index})"
        assert text.startswith(prefix)
        text = text.removeprefix(prefix).removeprefix("|")
    assert not text


@pytest.mark.parametrize(
    ("step", "written"),
    [
        ("Step 3. So x = 1", "So x = 1"),
        ("step 12.So", "So"),
        ("  3. So \n", "So"),
        ("Step 3: So", "Step 3: So"),
        ("3) So", "3) So"),
        ("3.5 apples", "5 apples"),
        ("Step 1. Step 2. So", "Step 2. So"),
        ("So, step 3. holds", "So, step 3. holds"),
        ("4.", ""),
    ],
)
def test_numbers_that_steps_come_with(step, written):
    assert PROTOCOLS["prmbench"].steps.step(step) == written
    assert PROTOCOLS["processbench"].steps.step(step) == step


def test_marks_are_found_whatever_the_number():
    assert PROTOCOLS["processbench"].steps.marks().search("as <paragraph_12> says")
    assert PROTOCOLS["processbench"].steps.marks().search("as </paragraph_0> says")
    assert PROTOCOLS["prmbench"].steps.marks().search("from Step 2: x = 3")
    assert not PROTOCOLS["prmbench"].steps.marks().search("from Step 2 we have")
    assert not StepLayout(0, "- ", "", "\n").marks().search("- a")


def test_no_steps_are_no_text():
    assert not PROTOCOLS["prmbench"].steps.text([])
