"""Rewritings: what each does to a solution written for it, when it refuses, and the laws of all of them."""

import contextlib
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.runs.stress.breaking import equations, value_of
from scoring.runs.stress.cutting import WAYS, cut_into_parts
from scoring.runs.stress.preserving import LANGUAGES, independent, mentioned_terms
from scoring.runs.stress.rewriting import NotRewritten, Solution, open_formula, prose_parts, rewritten
from scoring.runs.stress.trials import CONTROL, REWRITINGS

BY_NAME = {each.name: each for each in REWRITINGS}
PROBLEM = "Ann has 3 boxes of 12 pens and 5 more. Bob has 40 pens. Who has more?"
STEPS = (
    "First, the boxes hold 3 * 12 = 36 pens.",
    "Therefore, Ann has 36 + 5 = 41 pens in total.",
    "So, Ann has more.",
)


def texts(name, *steps, problem=PROBLEM, right=None, seed="0"):
    solution = Solution(problem, tuple(steps), (True,) * len(steps) if right is None else right)
    return [step.text for step in rewritten(BY_NAME[name], solution, seed).steps]


def why_not(name, *steps, **more):
    with pytest.raises(NotRewritten) as refused:
        texts(name, *steps, **more)
    return str(refused.value)


def test_more_words_stand_behind_or_before_what_a_step_says_and_leave_it_whole():
    for name in ("inflation", "restating"):
        assert all(
            made.startswith(step) and len(made) > len(step)
            for made, step in zip(texts(name, *STEPS), STEPS, strict=True)
        )
    for name in ("confidence", "hedging"):
        assert all(
            made.endswith(step) and len(made) > len(step) for made, step in zip(texts(name, *STEPS), STEPS, strict=True)
        )
    assert texts("restating", "1. Two is even.", "2. So is four.")[0] == "1. Two is even. Again: Two is even."
    assert re.fullmatch(
        r"\*\*Step 2:\*\* [A-Z][^.]+\. Two is even\.", texts("confidence", "Go.", "**Step 2:** Two is even.")[1]
    )


def test_a_neutral_step_stands_between_others_and_has_no_origin():
    made = rewritten(BY_NAME["neutral-step"], Solution(PROBLEM, STEPS), "0").steps
    assert len(made) == 4
    assert [step.text for step in made if step.origin is not None] == list(STEPS)
    assert made[0].origin == 0
    assert why_not("neutral-step", "Only one.") == "there is one step only"
    assert why_not("neutral-step", "1. Two.", "2. Four.") == "the steps are numbered"
    assert why_not("neutral-step", "Two.", "From step 0 four.") == "a step or an equation is called by its number"


def test_connectives_are_exchanged_where_they_lead_a_sentence_and_nowhere_in_formulas():
    made = texts("paraphrase", "Therefore, $x = 2$.", "There are 5 in total, hence it fits.", 'He says "in total".')
    assert re.fullmatch(r"(Hence|Thus), \$x = 2\$\.", made[0])
    assert made[1:] == ["There are 5 altogether, hence it fits.", 'He says "in total".']
    assert texts("paraphrase", "$\\text{in total}$ we get 4.")[0] == "$\\text{in total}$ we obtain 4."
    assert "no connective" in why_not("paraphrase", "Two is even.")


def test_connectives_are_written_in_one_other_language():
    table = {word: name for name, words in LANGUAGES.items() for word in words.values()}
    for seed in range(8):
        made = texts("language", *STEPS, seed=str(seed))
        assert [step.partition(",")[2] for step in made] == [step.partition(",")[2] for step in STEPS]
        assert len({table[step.partition(",")[0]] for step in made}) == 1
    assert all(words.keys() == LANGUAGES["German"].keys() for words in LANGUAGES.values())
    assert "no step begins" in why_not("language", "So it is.", "$x$ so, y.")


@pytest.mark.parametrize(
    ("first", "second", "free"),
    [
        ("The boxes hold 3 * 12 = 36 pens.", "Bob gives away 40 - 9 = 31 pens.", True),
        # The result of the first is used.
        ("The boxes hold 3 * 12 = 36 pens.", "Adding, 36 + 5 = 41.", False),
        # It states what the problem has as well: 3 * 4 = 12.
        ("Multiply: 3 * 4 = 12.", "Bob gives away 12 pens.", False),
        # A symbol, a word, and a word that refers back.
        ("Put x = 9.", "Double x.", False),
        ("The envelope is red.", "Bob opens an envelope.", False),
        ("The boxes hold 3 * 12 = 36 pens.", "This leaves 40 - 9 = 31 pens.", False),
        ("1. The boxes hold 36 pens.", "2. Bob gives away 31 pens.", False),
        ("The boxes hold \\boxed{36} pens.", "Bob gives away 31 pens.", False),
        ("Both state 7 * 8 = 56.", "Also 50 + 6 = 56.", False),
    ],
)
def test_steps_are_independent_where_neither_leans_on_the_other(first, second, free):
    solution = Solution(PROBLEM, (first, second, "The end."))
    assert independent(solution, 0) == free
    if free:
        made = rewritten(BY_NAME["reordering"], solution, "0")
        assert [step.origin for step in made.steps] == [1, 0, 2]
        assert made.together == (0, 0, 2)
    else:
        assert "surely independent" in why_not("reordering", first, second, "The end.")


def test_the_order_stays_in_languages_whose_words_that_refer_back_are_not_known():
    for steps in (
        ("设甲有 7 支笔。", "因此乙有 9 支。", "完。"),
        ("Anna hat 7 Stifte.", "Also bleiben Bert 9.", "Ende."),
    ):
        assert "English" in why_not("reordering", *steps, problem="")


def test_numbers_come_and_go_where_nobody_calls_a_step_by_its_number():
    assert texts("numbering", "Two.", "Four.") == ["Step 1: Two.", "Step 2: Four."]
    for written in ("Step {}: ", "{}. ", "({}) ", "**Step {}:** "):
        assert texts("numbering", written.format(1) + "Two.", written.format(2) + "Four.") == ["Two.", "Four."]
    assert why_not("numbering", "1. Two.", "Four.") == "some steps are numbered and others are not"
    assert why_not("numbering", "3. Two.", "7. Four.") == "the numbers before the steps do not count them"
    assert "called by its number" in why_not("numbering", "Step 1: Two.", "Step 2: By step 1 four.")


def test_formulas_get_other_delimiters_and_money_stays_money():
    assert texts("delimiters", "As $x = 2$, $$y = 3$$ holds.") == ["As \\(x = 2\\), \\[y = 3\\] holds."]
    for money in ("It costs $5 and $7.", "It costs $5 and he paid $7.", "For $5 he gets $x$ and $9 back."):
        assert "dollar" in why_not("delimiters", money)
    assert "no formula" in why_not("delimiters", "Two is even.")


def test_other_looks_are_refused_where_they_would_say_something_else():
    assert texts("blank-lines", "One\ntwo\n\nthree", "Four") == ["One\n\ntwo\n\nthree", "Four"]
    for text in ("- a\n- b", "$$a\nb$$", "a\n  b", "```\na\nb\n```"):
        assert why_not("blank-lines", text)
    assert texts("bullets", "Two.", "Four.") == ["- Two.", "- Four."]
    for text in ("5 is odd.", "$x$ is odd.", "-5 is odd.", "Two\nlines."):
        assert why_not("bullets", "Two.", text)
    assert texts("separators", "Two.", "Four.") == ["Two.\n", "Four.\n"]


@pytest.mark.parametrize("name", ["inflation", "restating", "neutral-step", "confidence", "hedging", "separators"])
@pytest.mark.parametrize("text", ["It is $x", "\\begin{align} x", "\\[ x", "```\nx = 2"])
def test_nothing_is_put_into_a_formula_that_goes_on(name, text):
    assert open_formula(text)
    assert "may go on beyond its step" in why_not(name, text, "and $so on")


def test_a_broken_step_held_and_no_longer_does():
    for name in ("changed-number", "flipped-sign"):
        for seed in range(20):
            made = rewritten(BY_NAME[name], Solution(PROBLEM, STEPS, (True,) * 3), str(seed))
            changed = [at for at, step in enumerate(made.steps) if step.text != STEPS[at]]
            assert changed == [made.broken]
            (equation,) = equations(made.steps[made.broken].text)
            assert not equation.holds
            # The number of the first is used by the second, that of the second by nobody; the first is no sum.
            assert made.broken == (0 if name == "changed-number" else 1)


def test_only_what_is_known_to_hold_is_broken():
    sums = ("The sum is 4 + 5 = 9.", "Then 9 * 2 = 18.")
    assert texts("changed-number", *sums) != list(sums)
    for labels in ((False, True), (None, None), ()):
        assert "no right step" in why_not("changed-number", *sums, right=labels)
    assert "no right step" in why_not("changed-number", "The sum is 4 + 5 = 8.", "Then 8 * 2 = 16.")
    assert "no right step" in why_not("flipped-sign", "It is 4 * 5 = 20.", "Then 4 + 0 = 4.")
    assert "another base" in why_not("changed-number", *sums, problem="Compute modulo 7.")
    assert texts("changed-number", "It costs 1.25 * 2 = 2.50.", "For 2.50 he buys.")[0].startswith(
        "It costs 1.25 * 2 = "
    )


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("so 3 + 4 * 5 = 23 pens", [True]),
        ("gives 1,200 / 5 = 240.", [True]),
        ("$6 \\times 7 = 42$", [True]),
        ("7 − 9 = 2", [False]),
        ("8 / 0 = 0", [False]),
        # What is not all of an equation, or not of numbers alone.
        ("x + 3 + 4 = 7", []),
        ("2(3 + 4) = 14", []),
        ("3 + 4 = 7x", []),
        ("3 + 4 = 7 + 1", []),
        ("3 + 4 = 7%", []),
        ("2^3 + 4 = 12", []),
        ("x3 + 4 = 7", []),
        ("3 + 4 = 7.5.", [False]),
    ],
)
def test_equations_are_those_that_stand_alone(text, held):
    assert [equation.holds for equation in equations(text)] == held


NUMBERS = st.integers(1, 40)


@given(NUMBERS, st.lists(st.tuples(st.sampled_from("+-*"), NUMBERS), min_size=1, max_size=4))
def test_values_are_those_of_the_language(first, others):
    written = f"{first} " + " ".join(f"{operator} {number}" for operator, number in others)
    assert value_of(written) == eval(written)  # noqa: S307  # numbers and operators that are drawn here


WORDS = st.text("ab $\\.,\n1+=", max_size=12) | st.sampled_from(
    ["So, we get 3 + 4 = 7.", "Step 1: Then, $x = 2$.", "Hence, 7 * 2 = 14 in total.", "- an item", "(2) is", "\\[ y"]
)


@given(st.lists(WORDS, max_size=5), st.text("ab 3", max_size=5), st.integers(0, 3))
def test_laws_of_all_rewritings(steps, problem, seed):
    solution = Solution(problem, tuple(steps), (True,) * len(steps))
    for rewriting in REWRITINGS:
        try:
            made = rewritten(rewriting, solution, str(seed))
        except NotRewritten:
            continue
        # The same seed, the same rewriting; every step is still there, once.
        assert rewritten(rewriting, solution, str(seed)) == made
        assert sorted(step.origin for step in made.steps if step.origin is not None) == list(range(len(steps)))
        assert len(made.together) == len(steps)
        changed = [step for step in made.steps if step.origin is None or step.text != steps[step.origin]]
        moved = [step.origin for step in made.steps] != list(range(len(steps)))
        if rewriting is CONTROL:
            assert not changed
            assert made.problem == f"{problem} "
        else:
            assert changed or moved
            assert made.problem == problem
        if rewriting.kind == "breaking":
            assert [made.steps[made.broken]] == changed
        else:
            assert made.broken is None
        if rewriting.name in {
            "inflation",
            "confidence",
            "hedging",
            "separators",
            "blank-lines",
            "bullets",
            "numbering",
        }:
            # No number comes but those of the steps, and none goes.
            before = [mentioned_terms(re.sub(r"^\s*(?:Step )?\(?\d+[.:)]", "", step)) for step in steps]
            kept = [numbers(before[at]) <= numbers(mentioned_terms(step.text)) for at, step in enumerate(made.steps)]
            assert all(kept)


def numbers(words):
    return {word for word in words if word[:1].isdigit()}


@given(st.text("ab$\\()[]`\n", max_size=20))
def test_prose_and_formulas_are_all_of_a_text(text):
    assert "".join(part for part, _ in prose_parts(text)) == text


def test_the_seed_decides():
    drawn = {tuple(texts("inflation", *STEPS, seed=str(seed))) for seed in range(10)}
    assert len(drawn) > 3
    assert random.Random("0|inflation").random() == random.Random("0|inflation").random()


def test_nothing_takes_long_or_fails_whatever_a_text_holds():
    for text in (
        "1 + " * 20_000,
        "\\(" * 40_000,
        "7" * 9_000 + " + 1 = 2",
        "$" * 50_001,
        "Step " * 10_000,
        "a. " * 20_000,
    ):
        for rewriting in REWRITINGS:
            with contextlib.suppress(NotRewritten):
                rewritten(rewriting, Solution(text, (text, "and 2 + 3 = 5", "5"), (True,) * 3), "0")
        assert [len(cut_into_parts((text,), way)) > 0 for way in WAYS] == [True] * len(WAYS)
    assert "100,000 characters" in why_not("inflation", "a" * 100_001)
