"""Equations in one unknown, a pair of equations, and lines given by a rule."""

from collections.abc import Sequence

from generator.draft import Draft
from generator.plan import INTEGRATION, TRANSFORMATION, Cell, Plan

SOLVE = (
    "Solve {e} for {x}.",
    "Find {x} if {e}.",
    "For which {x} is {e}?",
    "Determine {x} from {e}.",
    "Let {e}. What is {x}?",
    "What must {x} be so that {e}?",
)
SOLVE_PRODUCT = (
    "Find the product of {x} and {y} if {e}.",
    "Two numbers {x} and {y} satisfy {e}. What is their product?",
    "Let {e}. What is the product of {x} and {y}?",
    "Given that {e}, compute the product of {x} and {y}.",
    "Multiply {x} by {y}, where {e}.",
)
TIMES_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine")
WORDS = (
    "{times} times a number {x} {more} {b} is {c}.",
    "if you take {times} times the number {x} and {verb} {b}, you get {c}.",
    "a number {x} is multiplied by {a}, then you {verb} {b} and the result is {c}.",
    "{times} times {x} {more} {b} equals {c}, where {x} is a number.",
    "someone multiplies {x} by {a}, wants to {verb} {b} next, and reaches {c}.",
)
ASK_WORDS = ("what is {x}?", "find {x}.", "which number is {x}?", "what number is {x}?", "name the number {x}.")
AS_EQUATION = (
    "as an equation this is {e}.",
    "we write this as {e}.",
    "the text says {e}.",
    "this means {e}.",
    "put into symbols, {e}.",
)
SUBTRACT = (
    "subtract {b} from both sides: {eq}.",
    "we take {b} from both sides, so {eq}.",
    "moving {b} to the right, {eq}.",
    "subtracting {b} on both sides gives {eq}.",
    "we remove {b} on the left and on the right: {eq}.",
)
ADD = (
    "add {b} to both sides: {eq}.",
    "we put {b} on both sides, so {eq}.",
    "moving {b} to the right with its sign changed, {eq}.",
    "adding {b} on both sides gives {eq}.",
    "we restore {b} on the left and on the right: {eq}.",
)
DIVIDE = (
    "divide both sides by {b}: {eq}.",
    "dividing by {b} gives {eq}.",
    "we divide by {b}, so {eq}.",
    "after division by {b}, {eq}.",
    "the factor {b} goes to the right: {eq}.",
)
COLLECT = (
    "subtract {b}{x} from both sides; the coefficient of {x} is {eq}.",
    "collecting {x} on the left, its coefficient is {eq}.",
    "we take {b}{x} from both sides, which leaves the coefficient {eq}.",
    "bringing {b}{x} to the left gives the coefficient {eq}.",
    "all terms with {x} go to the left, with coefficient {eq}.",
)
TWICE = (
    "adding both equations gives {eq}.",
    "the sum of the equations is {eq}.",
    "we add the two equations: {eq}.",
    "if both are added, {y} drops out: {eq}.",
    "one added to the other leaves {eq}.",
)
OTHER = (
    "from the first equation, {eq}.",
    "putting {b} for {x} in the first equation, {eq}.",
    "the first equation now gives {eq}.",
    "with {x} known, {eq}.",
    "going back to the first equation, {eq}.",
)
PRODUCT = (
    "we multiply: {eq}.",
    "the product is {eq}.",
    "put {b} for {x}: {eq}.",
    "the term with {x} is {eq}.",
    "inserting {b} for {x}, {eq}.",
)
PLUS = (
    "adding {b}, {eq}.",
    "we add {b}: {eq}.",
    "with the constant {b}, {eq}.",
    "plus {b} gives {eq}.",
    "the constant {b} makes it {eq}.",
)
MINUS = (
    "subtracting {b}, {eq}.",
    "we subtract {b}: {eq}.",
    "less the constant {b}, {eq}.",
    "minus {b} gives {eq}.",
    "the constant {b} goes off: {eq}.",
)
THEN = (
    "then find {e}.",
    "what is {e}?",
    "compute {e} as well.",
    "use it to find {e}.",
    "go on to {e}.",
)
RULE = (
    "let {e}.",
    "a function is given by {e}.",
    "consider the rule {e}.",
    "we define {e}.",
    "suppose that {e}.",
)
END = (
    "the number {x} is {r}.",
    "this means that {x} equals {r}.",
    "the value of {x} is {r}.",
    "we have found {x}, namely {r}.",
    "{r} is what {x} is.",
)
END_PAIR = (
    "the product of {x} and {y} is {r}.",
    "their product is {r}.",
    "multiplied, they give {r}.",
    "their product: {r}.",
)
END_RULE = ("the value is {r}.", "it has the value {r}.", "we arrive at {r}.", "it takes the value {r}.")

LETTERS = "xyntkmwz"


def plan(draft: Draft) -> Plan:
    """One of five sorts of problem."""
    sort = draft.rng.choice((_one_side, _one_side, _both_sides, _pair, _rule))
    return sort(draft)


def _move(draft: Draft, side: Cell, term: Cell, *, subtract: bool, left: str, more: Sequence[Cell] = ()) -> Cell:
    """One term goes to the right-hand side."""
    frame = draft.word(ADD if subtract else SUBTRACT)
    return draft.step(
        "-" if subtract else "+",
        side,
        term,
        *more,
        says=SUBTRACT if subtract else ADD,
        pattern=TRANSFORMATION,
        skip=0,
        reverse=("+" if subtract else "-", frame, "wrong operation"),
        left=left,
    )


def _one_side(draft: Draft) -> Plan:
    rng = draft.rng
    x, a, value, b = rng.choice(LETTERS), rng.randint(2, 9), rng.randint(2, 12), rng.randint(2, 30)
    plus = rng.random() < 0.6 or a * value - b < 2
    c = a * value + b if plus else a * value - b
    equation = draft.math(f"{a}{x} {'+' if plus else '-'} {b} = {c}")
    factor, term, side = (draft.premise(n) for n in (a, b, c))
    in_words = rng.random() < 0.4
    if in_words:
        draft.tell(WORDS, times=TIMES_WORDS[a - 2], a=a, x=x, b=b, c=c, more="plus" if plus else "minus",
                   verb="add" if plus else "subtract")  # fmt: skip
        draft.tell(ASK_WORDS, x=x)
        shown = draft.math(f"{{a}}{x} {'+' if plus else '-'} {{b}} = {{c}}")
        says = [line.replace("{e}", shown) for line in AS_EQUATION]
        draft.step("given", factor, term, side, says=says, pattern=TRANSFORMATION)
    else:
        draft.tell(SOLVE, e=equation, x=x)
    moved = _move(draft, side, term, subtract=plus, left=f"{{c}}{x}", more=(factor,))
    root = draft.step("/", moved, factor, says=DIVIDE, skip=0, left=x)
    draft.check(0.2)
    goals = [f"the term with {x}", f"the value of {x}"]
    if rng.random() < 0.35:
        k, m = rng.randint(2, 6), rng.randint(2, 20)
        draft.tell(THEN, e=draft.math(f"{k}{x} + {m}"))
        product = draft.step("*", draft.premise(k), root, says=PRODUCT, x=x)
        total = draft.step("+", product, draft.premise(m), says=PLUS, skip=0,
                           reverse=("-", draft.word(MINUS), "contradiction"))  # fmt: skip
        draft.check(0.15)
        draft.opening([*goals, "the last expression"])
        draft.answer(total, "", END_RULE)
    else:
        if not in_words:
            draft.opening(goals)
        draft.answer(root, "", END, x=x)
    return draft.done("linear")


def _both_sides(draft: Draft) -> Plan:
    rng = draft.rng
    x, small, gap = rng.choice(LETTERS), rng.randint(2, 6), rng.randint(2, 7)
    value, b = rng.randint(2, 9), rng.randint(2, 20)
    a, d = small + gap, gap * value + b
    draft.tell(SOLVE, e=draft.math(f"{a}{x} + {b} = {small}{x} + {d}"), x=x)
    big, less, term, side = (draft.premise(n) for n in (a, small, b, d))
    rest = draft.step("-", big, less, says=COLLECT, pattern=TRANSFORMATION, skip=0, x=x,
                      reverse=("+", draft.word(COLLECT), "wrong operation"))  # fmt: skip
    moved = _move(draft, side, term, subtract=True, left=f"{{c}}{x}", more=(rest,))
    root = draft.step("/", moved, rest, says=DIVIDE, skip=0, left=x)
    draft.check(0.2)
    draft.opening([f"the coefficient of {x}", f"the term with {x}", f"the value of {x}"], f"the value of {x}",
                  f"the value of {small}{x}")  # fmt: skip
    draft.answer(root, "", END, x=x)
    return draft.done("linear")


def _pair(draft: Draft) -> Plan:
    rng = draft.rng
    x, y = rng.sample(LETTERS, 2)
    low, gap = rng.randint(2, 9), rng.randint(2, 12)
    high = low + gap
    equations = f"{draft.math(f'{x} + {y} = {low + high}')} and {draft.math(f'{x} - {y} = {gap}')}"
    product = low <= 9 and high <= 15 and rng.random() < 0.4
    draft.tell(SOLVE_PRODUCT if product else SOLVE, e=equations, x=x if product else y, y=y)
    total, difference, two = draft.premise(low + high), draft.premise(gap), draft.knowledge(2)
    double = draft.step("+", total, difference, says=TWICE, pattern=INTEGRATION, y=y, left=f"2{x}",
                        reverse=("-", draft.word(TWICE), "wrong operation"))  # fmt: skip
    first = draft.step("/", double, two, says=DIVIDE, skip=0, left=x)
    second = draft.step("-", total, first, says=OTHER, x=x, left=y, skip=0)
    draft.check(0.2)
    goals = [x, y]
    if product:
        both = draft.step("*", first, second, says=PRODUCT[:2] + PRODUCT[-1:], pattern=INTEGRATION, x=y)
        draft.opening([*goals, "the product"], "the product of both", "the sum of both")
        draft.answer(both, "", END_PAIR, x=x, y=y)
    else:
        draft.opening(goals, f"the value of {y}", f"the value of {x}")
        draft.answer(second, "", END, x=y)
    return draft.done("linear")


def _rule(draft: Draft) -> Plan:
    rng = draft.rng
    a, b, start = rng.randint(2, 5), rng.randint(2, 9), rng.randint(1, 5)
    times = 2 if a * (a * start + b) + b <= 120 else 1
    draft.tell(RULE, e=draft.math(f"f(x) = {a}x + {b}"))
    shown = f"f(f({start}))" if times == 2 else f"f({start})"
    factor, term, now = draft.premise(a), draft.premise(b), draft.premise(start)
    k = 0
    if rng.random() < 0.5:
        k = rng.randint(2, 20)
        shown += f" + {k}"
    draft.tell(THEN[1:], e=draft.math(shown))
    for _ in range(times):
        product = draft.step("*", factor, now, says=PRODUCT[:2] + PRODUCT[-1:], x="x")
        now = draft.step("+", product, term, says=PLUS, skip=0, reverse=("-", draft.word(MINUS), "contradiction"))
    if k:
        now = draft.step("+", now, draft.premise(k), says=PLUS, skip=0, pattern=INTEGRATION,
                         reverse=("-", draft.word(MINUS), "contradiction"))  # fmt: skip
    draft.check(0.15)
    draft.opening(["the inner value", "the outer value"] if times == 2 else [])
    draft.answer(now, "", END_RULE)
    return draft.done("linear")
