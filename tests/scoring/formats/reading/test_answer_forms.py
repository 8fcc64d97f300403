r"""Normal forms of final answers: which two are the same mathematics; all are invented."""

from fractions import Fraction
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formats.reading.answer_forms import answer_form, distinct_answers, same_answer, told_apart
from thoroughness import up_to

EQUAL = [
    (r"\frac12", r"\frac{1}{2}"),
    (r"\dfrac{1}{2}", r"\tfrac12"),
    (r"\frac{1}{2}", "1/2"),
    (r"\frac{2}{4}", "0.50"),
    (r"\frac 1 2", ".5"),
    (r"\frac{-1}{2}", r"-\frac{1}{2}"),
    (r"\frac\pi2", r"\pi/2"),
    (r"3\sqrt{2}/2", r"\frac{3\sqrt{2}}{2}"),
    ("1 1/2", r"1\frac{1}{2}"),
    (r"1\frac12", "1.5"),
    ("0.5x", r"\frac{1}{2}x"),
    ("2.0", "2"),
    ("+7", "7."),
    ("-0", "0"),
    ("1,000", "1000"),
    (r"1{,}000", r"1\,000"),
    (r"1,\!000,\!000", "1000000"),
    ("12 000", "12000"),
    ("1,234.50", "1234.5"),
    ("\u22123", "-3"),
    ("\u00bd", "0.5"),
    ("\uff15", "5"),
    (r"90^\circ", "90"),
    (r"90^{\circ}", "90\u00b0"),
    ("90 degrees", r"90\degree"),
    (r"\text{A}", "A"),
    ("(A)", "A"),
    (r"\textbf{(A)}", "A."),
    (r"\mathrm{B}", r"\mbox{B}"),
    (r"\text{two words}", "two words"),
    ("5 cm", "5"),
    (r"5\text{ cm}", "5cm"),
    (r"5\,\mathrm{cm}", "5 centimeters"),
    (r"5\text{ cm}^2", "5 square centimeters"),
    (r"60\text{ miles per hour}", "60 mph"),
    ("3 apples", "3"),
    ("10 km/h", r"10\text{ km per hour}"),
    ("20^\\circ C", "20"),
    (r"\$5", "5 dollars"),
    (r"\$1,200.50", "1200.5"),
    (r"50\%", "50"),
    ("50%", "50 percent"),
    (r"50\%", "0.5"),
    (r"12.5\%", r"\frac{1}{8}"),
    (r"20^\circ\text{C}", "20 degrees Celsius"),
    (r"\left( 1, 2 \right]", "(1,2]"),
    (r"\bigl[0, 1\bigr)", "[0,1)"),
    ("(0.5, 2)", r"\left(\frac12,2\right)"),
    (r"(-\infty, 3)", "(-\u221e,3)"),
    (r"[1,2] \cup (3,4)", r"[1,2]\cup(3,4)"),
    (r"\{1,2\}", r"\{ 2, 1 \}"),
    (r"\{\}", r"\emptyset"),
    ("1, 2", "2,1"),
    ("x=1 or x=2", r"1 \text{ and } 2"),
    ("x=5", "5"),
    (r"x \in [1,5]", "[1, 5]"),
    ("(x,y)=(1,2)", "(1,2)"),
    ("f(x)=2x+1", "2x + 1"),
    (r"\sqrt2", r"\sqrt{2}"),
    (r"3 \sqrt 2", r"3\sqrt{2}"),
    (r"2\cdot 3", r"2 \times 3"),
    (r"2\cdot x", "2x"),
    ("x^{2}", "x^2"),
    ("x^{10}", "x^10"),
    ("x\u00b2", "x^2"),
    ("x\u00b9\u2070", "x^{10}"),
    ("5\u00bd", "5.5"),
    ("a\u2081", "a_1"),
    (r"\boxed{7}", "$7$."),
    (r"\pi r^2", r"\pi  r^{2}"),
    (r"a \leq b", r"a \le b"),
    ("(5)", "5"),
    (r"\displaystyle\frac{3}{4}", "0.75"),
]
UNEQUAL = [
    ("1", "2"),
    ("0.333", "1/3"),
    (r"\frac{1}{2}", r"\frac{2}{1}"),
    ("11/2", "1 1/2"),
    ("-3", "3"),
    ("1,000", "(1,000)"),
    ("(1,000)", "(1,0)"),
    ("1,000", "1, 000"),
    ("100,200", "100, 200"),
    ("(1,2]", "[1,2]"),
    ("(1,2)", "(2,1)"),
    ("[1,2]", "[1,3]"),
    ("(1,2)", r"\{1,2\}"),
    ("A", "B"),
    ("A", "a"),
    ("5 cm", "5 meters"),
    ("5 cm", r"5\text{ m}"),
    # Without a sign of text, a letter is a variable.
    (r"5\text{ m}", "6m"),
    (r"50\%", "5"),
    (r"50\%", "50 cm"),
    ("x=5", "6"),
    ("x=1, y=2", "y=1, x=2"),
    (r"\sqrt{2}", "2"),
    (r"\sqrt{23}", r"\sqrt{2}3"),
    ("x^2", "x2"),
    ("x^{12}", "x^1 2"),
    (r"2\cdot\frac{1}{2}", r"2\frac{1}{2}"),
    ("2*3", "23"),
    (r"x\frac{-1}{2}", r"x-\frac{1}{2}"),
    ("2^3", "8"),
    ("007", "7"),
    (r"\leftarrow", "arrow"),
    ("1/2x", r"\frac{1}{2x}"),
    ("5!", "5"),
    ("3:2", "3/2"),
    (r"0.\overline{3}", "0.3"),
    ("2 3", "23"),
    (r"\frac{1}{0}", "1"),
    ("x\u2074", "x4"),
    ("5\u00bd", "51/2"),
    ("x+1", "x-1"),
    ("2 0.5", "2.5"),
    (r"3/4 \frac12", r"\frac23"),
    (r"1/2\cdot x", "1/2x"),
    ("12 12", "12*12"),
    (r"\frac{24}{2}345", "12345"),
    (r"\frac{-1}{3}^2", r"-\frac{1}{3}^2"),
    ("5 more than x", "5"),
    (r"5\text{ more than }x", "5"),
    ("5 is not what was asked for", "5"),
]


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_spellings_of_one_answer_are_equal(one, other):
    assert same_answer(one, other)
    assert same_answer(other, one)


@pytest.mark.parametrize(("one", "other"), UNEQUAL)
def test_different_answers_differ(one, other):
    assert not same_answer(one, other)
    assert not same_answer(other, one)


@pytest.mark.parametrize(
    ("one", "other", "known"),
    [
        ("1", "2", True),
        ("A", "B", True),
        ("(1,2]", "[1,2]", True),
        (r"\{1\}", r"\{2\}", True),
        ("5 cm", "6 meters", True),
        (r"\sqrt{12}", r"2\sqrt{3}", False),
        ("2", r"\sqrt{4}", False),
        ("(1,000)", "(1,0)", False),
        (r"\{1, 2\}", "1, 2", False),
        ("Yes", "No", False),
        ("", "", False),
    ],
)
def test_rules_tell_numbers_and_brackets_of_numbers_apart(one, other, known):
    assert told_apart(one, other) is known


PIECES = (
    *(r"\frac", r"\sqrt", r"\text{", r"\mathrm{", "{", "}", "(", ")", "[", "]", r"\{", r"\}", ",", ", ", "1", "2"),
    *("12", "000", "0.5", ".5", "-", "+", "/", "^", "_", "x", "y", "cm", "degrees", " ", r"\%", r"^\circ", r"\pi"),
    *(
        "=",
        r"\in",
        r"\cdot",
        "*",
        "!",
        r"\$",
        "$",
        ".",
        r"\\",
        "or",
        "square",
        r"\,",
        r"\!",
        "'",
        r"\overline",
        r"\cup",
    ),
    *(r"\infty", "A", ":", "\u00b2", "\u2212"),
)
ANSWERS = st.lists(st.sampled_from(PIECES), max_size=9).map("".join)


@up_to(3000, 300)
@given(answer=ANSWERS)
def test_a_normal_form_is_its_own_normal_form(answer):
    form = answer_form(answer)
    assert answer_form(str(form)) == form
    assert same_answer(answer, answer)


@up_to(1000, 100)
@given(answers=st.lists(st.one_of(ANSWERS, st.sampled_from([side for pair in EQUAL for side in pair])), max_size=5))
def test_equality_is_symmetric_and_groups_of_equal_answers_are_transitive(answers):
    for one, other in combinations(answers, 2):
        assert same_answer(one, other) == same_answer(other, one)
    spelled = distinct_answers(answers)
    for (one, first), (other, second) in combinations(zip(answers, spelled, strict=True), 2):
        # Equal spellings are an equivalence; they join equal answers only.
        assert first != second or same_answer(one, other)
        assert first == second or answer_form(one) != answer_form(other)


@pytest.mark.parametrize(
    ("answers", "groups"),
    [
        (["5 cm", "5", "5\\text{ cm}", "6"], [0, 0, 0, 1]),
        # 5 equals either: joined with one of them, the order of the file would decide the vote.
        (["5 cm", "5", "5 meters", None], [0, 1, 2, None]),
        (["50\\%", "50", "0.5"], [0, 1, 2]),
        (["\\frac12", "1/2", "2/4", ".5"], [0, 0, 0, 0]),
    ],
)
def test_answers_vote_together_in_any_order(answers, groups):
    for order in permutations(range(len(answers))):
        spelled = distinct_answers([answers[place] for place in order])
        for (first, one), (second, other) in combinations(zip(order, spelled, strict=True), 2):
            assert (one == other) == (groups[first] == groups[second])
        assert [one is None for one in spelled] == [groups[place] is None for place in order]


NUMBERS = st.fractions(min_value=-2000, max_value=2000, max_denominator=400)


def spellings(number: Fraction) -> list[str]:
    """Ways to write a number, from its digits alone."""
    sign, top, bottom = "-" if number < 0 else "", abs(number.numerator), number.denominator
    ways = [
        f"{sign}{top}/{bottom}",
        f"{sign}\\frac{{{top}}}{{{bottom}}}",
        f"\\dfrac{{{sign}{3 * top}}}{{{3 * bottom}}}",
    ]
    whole, rest = divmod(top, bottom)
    if whole and rest:
        ways.append(f"{sign}{whole}\\frac{{{rest}}}{{{bottom}}}")
    if 10**6 % bottom == 0:
        digits = f"{top * (10**6 // bottom):07}"
        ways += [f"{sign}{digits[:-6]}.{digits[-6:]}", f"x = {sign}{int(digits[:-6]):,}.{digits[-6:]}\\text{{ kg}}"]
    return [*ways, f"${ways[-1]}$.", f"\\left({ways[0]}\\right)"]


@up_to(500, 60)
@given(one=NUMBERS, other=NUMBERS, data=st.data())
def test_numbers_are_equal_iff_their_values_are(one, other, data):
    first, second = (
        data.draw(st.sampled_from(spellings(number))) for number in (one, data.draw(st.sampled_from([one, other])))
    )
    value = answer_form(second).number
    assert answer_form(first).number == one
    assert same_answer(first, second) == (value == one)


@pytest.mark.parametrize(
    "answer",
    [
        "9" * 100_000,
        "{" * 100_000,
        r"\frac" * 20_000,
        "(1," * 50_000,
        "^" * 900,
        r"\sqrt" * 150,
        "{" * 400 + "5" + "}" * 400,
        "(" * 450 + "1" + ")" * 450,
        "9^{9^{9^{9}}}",
        "9^9^9^9",
        "10^{999999999}",
        "0." + "1" * 900,
        "\\",
        "]1,2[",
        "}",
    ],
)
def test_hostile_answers_are_compared_as_texts(answer):
    form = answer_form(answer)
    assert form.kind == ""
    assert same_answer(answer, f" {answer} ")
    assert not same_answer(answer, f"{answer}1")
