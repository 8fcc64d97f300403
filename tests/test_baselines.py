from fractions import Fraction
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines import BASELINES, equations_hold, evidence, ledger, novelty, numbers_traced
from baselines.equations import equations
from baselines.tokens import NUMBER, tokens
from thoroughness import THOROUGH, also, up_to

EVERY = pytest.mark.parametrize("module", BASELINES.values(), ids=list(BASELINES))
ALONE = [name for name in BASELINES if name != "blend"]
"""The blend asks each of them, and takes what it says together."""

# Far more than Python nests, or lets become a number at once.
FAR, FARTHER = (5_000, 10_000) if THOROUGH else (1_500, 5_000)
HOSTILE = (
    "",
    " ",
    "\x00\x1b[31m\ud800\u202e",
    "(" * FAR,
    "(" * FAR + "1" + ")" * FAR + " = 1",
    "1 = " * (FAR // 2),
    "2^" * 1_200 + "2 = 4",
    "9^9^9^9 = 1",
    "((((9^12)^12)^12)^12)^12 = 1",
    "1 / 0 = 1 / 0",
    "\\frac" * 1_200 + "{1}{2} = 3",
    "\\frac{1}{" * 1_200 + "2" + "}" * 1_200 + " = 3",
    "9" * FARTHER + " + 1 = 2",
    "0." + "9" * FARTHER + " = 1",
    "1,000,000,000,000,000,000,000,000 = 1",
    "- " * FAR + "1 = 1",
    "1 + " * FAR,
    "a = " * (FAR // 2),
    "% % % = % of 3",
    "²³^^ = ²",
    "٣ + ٤ = ٧ and １ + １ = ２ and ½ + ½ = 1",
    "$$\\[\\left(\\boxed{\\text{x}}",
    "x" * (2 * FARTHER),
    "3 apples " * (FAR // 2),
)


def found(text: str) -> list[tuple[Fraction, Fraction, bool]]:
    return [(e.left, e.right, e.holds) for e in equations(tokens(text))]


@pytest.mark.parametrize(
    "text",
    [
        "34 + 12 = 46 stamps.",
        "so 3 boxes * 8 pens = 24 pens",
        "3x = 20 - 5 = 15",
        r"$\frac{54}{6} + 1 = 10$",
        r"\(2^3 \times 5 = 40\)",
        "25% of 80 = 20",
        r"$25\% \cdot 80 = 20$",
        "3 x 4 = 12",
        "6 × 54 ÷ 9 = 36",
        "$240 - $35 = $205",
        "1,200 + 300 = 1,500",
        "10 / 3 = 3.33",
        "22 / 7 ≈ 3.14",
        "(3 + 4 = 7)",
        "2 * (5 + 4) * 3 = 54",
        "5(2 + 1) = 15",
        "6 - 3 - (-2) = 5",
        "60 minutes/hour * 2 hours = 120 minutes",
        "\\boxed{2 + 2 = 4}",
        "先求总数：24 × 5 = 120 个。",
    ],
)
def test_true_equations_are_read_and_hold(text: str) -> None:
    assert [holds for _, _, holds in found(text)] == [True], text


@pytest.mark.parametrize(
    "text",
    [
        "34 + 12 = 47",
        "3x = 20 - 5 = 14",
        r"$\frac{54}{6} = 8$",
        "25% of 80 = 25",
        "10 / 3 = 3.34",
        "22 / 7 ≈ 3.5",
        "5 = 2 + 2",
    ],
)
def test_false_equations_do_not_hold(text: str) -> None:
    assert [holds for _, _, holds in found(text)] == [False], text


@pytest.mark.parametrize(
    "text",
    [
        "x = 5",
        "f(2) = 2^2",
        "x - 3 = 5 + 1",
        r"\sum_{k=1}^{20} k = 3\sum k",
        "6 = 2(x - 1)",
        r"\binom{8}{2} = 28",
        "the cost of 3 pens = 6 dollars",
        "1 + 2 + \\dots + 10 = 55",
        "a[4] = 3 * a[3] - 1",
        "1 / 0 = 5",
        "3 < 5",
    ],
)
def test_what_is_no_equation_in_plain_numbers_is_left_alone(text: str) -> None:
    assert found(text) == [], text


def test_a_chain_gives_an_equation_for_each_sign() -> None:
    assert found("3 * 5 * 2 = 15 * 2 = 30") == [(30, 30, True), (30, 30, True)]
    assert [holds for _, _, holds in found("20 - 5 = 14 = 7 * 2")] == [False, True]


def test_numbers_are_exact() -> None:
    (number,) = [t for t in tokens("1,234.50") if t.kind == NUMBER]
    assert (number.value, number.decimals) == (Fraction("1234.5"), 2)
    assert found("0.1 + 0.2 = 0.3") == [(Fraction(3, 10), Fraction(3, 10), True)]


def test_evidence_grows_with_its_count_and_one_bad_sign_is_heavy() -> None:
    assert evidence.reward(0, 0) == pytest.approx(0.6)
    assert evidence.reward(0, 0) < evidence.reward(1, 0) < evidence.reward(3, 0) < 1
    assert 0 < evidence.reward(0, 3) < evidence.reward(0, 1) < 0.5
    assert evidence.reward(1, 1) < 0.5


def test_equations_hold_rates_true_above_nothing_above_false() -> None:
    true, nothing, false = equations_hold.rewards("", ["2 + 3 = 5", "So it is.", "2 + 3 = 6"])
    assert true > nothing > 0.5 > false


def test_a_number_from_nowhere_is_noticed_and_a_result_is_not() -> None:
    problem = "Mia has 34 stamps and buys 12 more."
    traced, untraced, word = numbers_traced.rewards(problem, ["34 + 12 = 46", "50 - 9 = 41", "A dozen, so 12."])
    assert traced > 0.6
    assert untraced < 0.5
    assert word > 0.5


def test_the_ledger_prefers_what_is_open() -> None:
    problem = "Mia has 34 stamps, buys 12 more and gives away 7."
    first, stale, right = ledger.rewards(problem, ["34 + 12 = 46", "34 - 7 = 27", "46 - 27 = 19"])
    assert first > stale
    assert right > stale
    good, bad = (ledger.rewards(problem, ["34 + 12 = 46", f"The answer is {n}."])[1] for n in (46, 34))
    assert good > 0.6 > bad


def test_novelty_falls_when_a_step_comes_again() -> None:
    first, other, again = novelty.rewards("", ["So 34 + 12 = 46.", "Then 46 - 7 = 39.", "Once more, 34 + 12 = 46."])
    assert first == other == 1.0
    assert again < 0.5


@EVERY
def test_a_baseline_says_what_it_is(module: ModuleType) -> None:
    assert module.NAME in BASELINES
    assert module.ABOUT.endswith(".")


@EVERY
def test_no_steps_no_rewards(module: ModuleType) -> None:
    assert module.rewards("A problem.", []) == []


@pytest.mark.parametrize("name", [*ALONE, *also("blend")])
def test_any_text_has_a_reward_and_many_steps_are_no_trouble(name: str) -> None:
    for text in HOSTILE:
        rewards = BASELINES[name].rewards(text, [text, "2 + 2 = 4", text])
        assert len(rewards) == 3, text[:40]
        assert all(0 <= reward <= 1 for reward in rewards), text[:40]
    steps = [f"{i} + {i + 1} = {2 * i + 1}" for i in range(1_000)]
    assert len(BASELINES[name].rewards("From 0 to 1000.", steps)) == 1_000


@EVERY
@given(st.text(), st.lists(st.text(alphabet="0123456789 +-*/^=()%.,x{}\\frac$of apples\n"), max_size=6))
@up_to(60, usually=8)
def test_rewards_are_in_range_and_look_at_no_later_step(module: ModuleType, problem: str, steps: list[str]) -> None:
    rewards = module.rewards(problem, steps)
    assert all(isinstance(reward, float) and 0 <= reward <= 1 for reward in rewards)
    for n in range(len(steps)):
        assert module.rewards(problem, steps[:n]) == rewards[:n]


def test_the_blend_lies_between_the_lowest_and_the_mean() -> None:
    problem, steps = "Mia has 34 stamps and buys 12.", ["34 + 12 = 46", "34 + 12 = 47", "50 - 3 = 47"]
    parts = [BASELINES[name].rewards(problem, steps) for name in ALONE]
    for blend, each in zip(BASELINES["blend"].rewards(problem, steps), zip(*parts, strict=True), strict=True):
        assert min(each) <= blend <= sum(each) / len(each)
