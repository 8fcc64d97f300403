import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import islice
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.equations import equations
from baselines.tokens import NUMBER, tokens
from generator import kinds, wordings
from generator.draft import Draft
from generator.drills import drill
from generator.errors import MAKERS, edits
from generator.families import CAN_BE_LONG, FAMILIES, SUBSET_OF, expr, linear, order, percent, rules, story, units
from generator.plan import LARGEST, evaluate, place
from generator.render import VOICES, math
from generator.stream import ERROR_WEIGHTS, Case, case, cases, examples, make
from thoroughness import THOROUGH, up_to

MANY = 1200 if THOROUGH else 600


@cache
def stream(*, held_out: bool = False) -> list[Case]:
    return list(islice(cases(1, held_out=held_out), MANY))


@cache
def erroneous() -> list[Case]:
    return [c for c in stream() if c.erroneous]


def false_equations(text: str) -> list[str]:
    return [f"{e.left} = {e.right}" for e in equations(tokens(text)) if not e.holds]


def test_a_case_depends_on_seed_and_number_alone() -> None:
    assert case(1, 7) == stream()[7]
    assert case(1, 7) == case(1, 7)
    assert case(2, 7) != case(1, 7)


def test_most_of_the_stream_is_erroneous_and_every_type_family_and_voice_comes() -> None:
    assert 0.6 < len(erroneous()) / MANY < 0.75
    assert {c.error for c in erroneous()} == set(ERROR_WEIGHTS) == set(MAKERS)
    assert {c.family for c in stream()} == set(FAMILIES) == set(SUBSET_OF)
    assert {c.voice for c in stream()} == set(VOICES)


def test_clean_cases_have_no_gold_error_and_every_equation_holds() -> None:
    for c in stream():
        if not c.erroneous:
            assert (c.earliest_error, c.bad_from, c.error, c.kind, c.pattern, c.reason) == (-1, -1, "", "", "", "")
            assert set(c.labels) == {True}
            assert c.final_answer_correct
            assert not [text for step in c.steps for text in false_equations(step)]


def test_one_step_is_wrong_those_before_are_right_and_those_after_have_no_label() -> None:
    for c in erroneous():
        at = c.earliest_error
        assert c.labels == (True,) * at + (False,) + (None,) * (len(c.steps) - at - 1)


def test_up_to_the_error_the_solution_is_the_original_and_the_wrong_step_is_new() -> None:
    for c in erroneous():
        at = c.earliest_error
        assert c.steps[:at] == c.original[:at]
        assert c.steps[at] not in c.original
        assert c.modified[0] == at
        assert set(c.modified) >= {i for i, step in enumerate(c.steps) if step not in c.original}
        assert all(0 <= i < len(c.steps) for i in c.modified)


def test_bad_from_is_where_the_wrong_step_leaves_the_right_one() -> None:
    for c in erroneous():
        wrong = c.steps[c.earliest_error]
        assert 0 <= c.bad_from < len(wrong)
        if c.bad_from:
            assert any(step.startswith(wrong[: c.bad_from]) for step in c.original)
            assert not any(step.startswith(wrong[: c.bad_from + 1]) for step in (c.original[c.earliest_error],))


def test_originals_hold_and_only_the_wrong_step_states_a_false_equation() -> None:
    for c in erroneous():
        assert not [text for step in c.original for text in false_equations(step)]
        others = [step for i, step in enumerate(c.steps) if i != c.earliest_error]
        assert not [text for step in others for text in false_equations(step)]


def test_a_slip_and_a_faulty_check_are_false_equations_and_other_types_compute_rightly() -> None:
    for c in erroneous():
        false = bool(false_equations(c.steps[c.earliest_error]))
        assert false == (c.error in {kinds.CALCULATION_SLIP, kinds.FAULTY_CHECK})


def test_the_answer_is_wrong_only_if_the_last_step_changed() -> None:
    for c in erroneous():
        if not c.final_answer_correct:
            assert c.steps[-1] != c.original[-1]
        if c.steps[-1] == c.original[-1]:
            assert c.final_answer_correct


def test_redundant_steps_leave_everything_else_alone() -> None:
    found = [c for c in erroneous() if c.error == kinds.REDUNDANT_STEP]
    assert found
    for c in found:
        at = c.earliest_error
        assert c.steps[:at] + c.steps[at + 1 :] == c.original
        assert c.modified == (at,)
        assert c.final_answer_correct


def test_a_dropped_premise_is_one_step_less_unless_it_is_an_exception() -> None:
    for c in erroneous():
        if c.error == kinds.DROPPED_PREMISE:
            assert len(c.original) - len(c.steps) in {0, 1}
            if len(c.original) == len(c.steps):
                assert "exception" in c.reason


def test_values_after_the_error_come_from_the_steps_as_they_stand() -> None:
    seen = 0
    for seed in range(MANY // 3):
        rng = Random(seed)
        family = rng.choice(list(FAMILIES))
        plan = FAMILIES[family](Draft(rng, "plain"))
        lines = evaluate(plan)
        assert lines is not None
        for error in MAKERS:
            for edit in edits(plan, lines, error, rng)[:2]:
                changed = evaluate(plan, edit)
                if changed is None:
                    continue
                seen += 1
                cells = {**plan.premises}
                for line in changed:
                    if line.step.id != edit.at:
                        dropped = f"s{edit.drop}"
                        wanted = [(cells.get(cell), cell) for cell in line.step.operands]
                        assert all(v == w for v, (w, cell) in zip(line.values, wanted, strict=True) if cell != dropped)
                    cells[line.step.cell] = line.result
                    if line.step.id == edit.at:
                        cells.update(edit.later)
    assert seen > MANY


def test_kinds_and_categories_are_known_words() -> None:
    words = {"redundancy", "incompleteness", "inconsistency", "unsoundness", "counter-factuality", "imprecision",
             "invalidity", "detection", "correction"}  # fmt: skip
    assert {c.kind for c in erroneous()} == words
    assert set(ERROR_WEIGHTS) <= set(kinds.CATEGORY)
    for c in erroneous():
        assert (c.kind in {"detection", "correction"}) == (c.pattern == "Verification")
        assert c.reason.endswith((".", "!"))


def test_numbers_stay_in_the_register_of_a_small_model() -> None:
    for c in stream():
        for text in (c.problem, *c.steps):
            assert all(t.value <= LARGEST for t in tokens(text) if t.kind == NUMBER), text


def test_text_has_no_field_left_and_begins_with_a_capital() -> None:
    for c in stream():
        for text in (c.problem, *c.steps):
            assert not re.search(r"(?<!\\text)\{[a-z]+\}|  |\.\.|\bNone\b", text), text
            assert text[0] == text[0].upper()


def test_long_cases_have_many_steps() -> None:
    for family in CAN_BE_LONG:
        made = [make(Random(f"{family}/{i}"), family, "plain", "", long=True) for i in range(20)]
        assert all(m is not None and 15 <= len(m.steps) <= 40 for m in made)


def templates() -> Iterator[tuple[str, ...]]:
    for module in (wordings, expr, linear, order, percent, rules, story, units):
        for value in vars(module).values():
            groups = value.values() if isinstance(value, dict) else (value,)
            for group in groups:
                texts = isinstance(group, tuple) and len(group) > 2 and all(isinstance(x, str) for x in group)
                if texts and any("{" in x for x in group):
                    yield group


def fragment(template: str) -> str:
    """The longest stretch of a template without a field."""
    return max(re.split(r"\{\w+\}", template), key=len).strip(" .,:;?").lower()


def test_held_out_wordings_never_come_in_the_stream_and_come_in_the_other() -> None:
    groups = list(templates())
    assert len(groups) > 80
    used = "\n".join(template for group in groups for template in group[:-1]).lower()
    held = {f for group in groups if len(f := fragment(group[-1])) >= 9 and f not in used}
    assert len(held) > 60
    text = "\n".join("\n".join((c.problem, *c.steps)) for c in stream()).lower()
    assert not [f for f in held if f in text and re.search(rf"\b{re.escape(f)}\b", text)]
    other = "\n".join("\n".join((c.problem, *c.steps)) for c in stream(held_out=True)).lower()
    assert len([f for f in held if f in other]) > 0.9 * len(held)


def test_held_out_cases_obey_the_same_rules() -> None:
    for c in stream(held_out=True)[:200]:
        bad = [i for i, step in enumerate(c.steps) if false_equations(step)]
        assert set(bad) <= {c.earliest_error}
        assert c.labels.count(False) == c.erroneous


@given(
    st.integers(0, 10**9), st.sampled_from(sorted(FAMILIES)), st.sampled_from(VOICES), st.sampled_from(sorted(MAKERS))
)
@up_to(60)
def test_any_family_voice_and_type_gives_a_case_or_says_no(seed: int, family: str, voice: str, error: str) -> None:
    made = make(Random(seed), family, voice, error)
    if made is not None:
        assert made.error == error
        assert made.steps[made.earliest_error] not in made.original


def test_a_sum_that_may_still_get_its_missing_term_is_not_called_wrong() -> None:
    for c in erroneous():
        if c.error == kinds.DROPPED_PREMISE and c.family in {"expr", "percent", "units"}:
            step, dropped = c.steps[c.earliest_error], c.original[c.earliest_error]
            assert not (re.search(r" [+-] ", step) and re.search(r" [+-] ", dropped))


def test_impossible_errors_give_none() -> None:
    assert make(Random(1), "linear", "plain", kinds.WRONG_UNIT) is None


def test_drills_are_labelled_by_arithmetic() -> None:
    labels = Counter[bool]()
    for seed in range(200):
        made = drill(Random(seed), VOICES[seed % 3])
        assert 4 <= len(made.steps) == len(made.labels) == len(made.bad_from) <= 10
        for step, label, bad_from in zip(made.steps, made.labels, made.bad_from, strict=True):
            (equation,) = equations(tokens(step))
            assert equation.holds == label == (bad_from == -1)
            assert label or " = " in step[:bad_from]
        labels.update(made.labels)
    assert 0.3 < labels[False] / labels.total() < 0.5


def test_drills_know_their_voices() -> None:
    with pytest.raises(ValueError, match="no voice"):
        drill(Random(1), "loud")


def test_examples_are_the_cases_mixed_with_drills() -> None:
    only_cases = list(islice(examples(1, drills=lambda _index: 0.0), 50))
    assert [e.steps for e in only_cases] == [c.steps for c in stream()[:50]]
    mixed = list(islice(examples(1, drills=lambda index: 1.0 if index < 10 else 0.0), 30))
    assert [e.drill for e in mixed] == [True] * 10 + [False] * 20
    assert mixed[10:] == only_cases[10:30]
    for e in only_cases + mixed:
        assert len(e.steps) == len(e.labels) == len(e.bad_from) == len(e.result_from)
        assert [b >= 0 for b in e.bad_from] == [label is False for label in e.labels]
        for step, at in zip(e.steps, e.result_from, strict=True):
            assert at == -1 or re.match(r"(\d+|\\)", step[at:])


def test_clues_are_placed_beside_the_known_name() -> None:
    assert place(("A", "B"), ("B", "C")) == ("A", "B", "C")
    assert place(("A", "B"), ("C", "A")) == ("C", "A", "B")
    assert place(("A", "B"), ("A", "B")) is None
    assert place(("A", "B"), ("C", "D")) is None


def test_the_voices_write_the_same_formula() -> None:
    assert math("plain", "6 * 54 / 9 = 36") == "6 * 54 / 9 = 36"
    assert math("chatty", "6 * 54 / 9 = 36") == "6 × 54 ÷ 9 = 36"
    assert math("latex", "6 * 54 / 9 = 36") == r"$6 \times \frac{54}{9} = 36$"
    for voice in VOICES:
        (equation,) = equations(tokens(math(voice, "25% of 80 = 20")))
        assert (equation.left, equation.holds) == (Fraction(20), True)


def test_a_case_can_be_compared_and_hashed() -> None:
    assert isinstance(stream()[0], Case)
    assert len(set(stream()[:50])) == 50
