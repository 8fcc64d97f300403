"""Expressions to compute: products and quotients first, then sums from left to right, or a bracket first."""

from generator.draft import Draft
from generator.plan import INTEGRATION, TRANSFORMATION, Cell, Plan

ASK = (
    "Compute {e}.",
    "What is {e}?",
    "Find the value of {e}.",
    "Work out {e}.",
    "Evaluate the expression {e}.",
    "How much is {e}?",
)
PRODUCT = (
    "the product is {eq}.",
    "multiplying, {eq}.",
    "we compute {eq}.",
    "for this product we get {eq}.",
    "{a} times {b}: {eq}.",
    "the factors give {eq}.",
)
QUOTIENT = (
    "the quotient is {eq}.",
    "dividing, {eq}.",
    "we compute {eq}.",
    "for this quotient we get {eq}.",
    "{a} over {b}: {eq}.",
    "the division gives {eq}.",
)
PLUS = (
    "we add {b}: {eq}.",
    "adding {b}, we have {eq}.",
    "plus {b} makes {eq}.",
    "with {b} added, {eq}.",
    "{a} and {b} give {eq}.",
    "putting {b} on top, {eq}.",
)
MINUS = (
    "we subtract {b}: {eq}.",
    "subtracting {b}, we have {eq}.",
    "minus {b} makes {eq}.",
    "with {b} taken off, {eq}.",
    "{a} less {b} gives {eq}.",
    "cutting {b} off, {eq}.",
)
BRACKET = (
    "the bracket is {eq}.",
    "inside the bracket, {eq}.",
    "we start in the bracket: {eq}.",
    "the bracket comes to {eq}.",
    "what the bracket holds is {eq}.",
)
SPLIT = (
    "the factor goes over the bracket, so the first part is {eq}.",
    "multiplying out, the first part is {eq}.",
    "we expand; the first part is {eq}.",
    "by the distributive law the first part is {eq}.",
    "opening the bracket, the first part is {eq}.",
)
SPLIT_NEXT = (
    "the second part is {eq}.",
    "for the second part we get {eq}.",
    "the other part is {eq}.",
    "the second term is {eq}.",
    "the part that remains is {eq}.",
)
END = ("the value is {r}.", "the expression equals {r}.", "everything together is {r}.", "it all comes to {r}.")


def plan(draft: Draft) -> Plan:
    """A sum of products, or a product with a bracket."""
    if not draft.long and draft.rng.random() < 0.3:
        return _bracket(draft)
    return _terms(draft)


def _terms(draft: Draft) -> Plan:
    rng = draft.rng
    count = rng.randint(10, 12) if draft.long else rng.randint(2, 4)
    shown, cells, signs, total, computed = "", [], [], 0, 0
    for i in range(count):
        text, value, numbers, op = _term(draft, plain_allowed=i > 0)
        minus = i > 0 and total - value >= 2 and (total > 70 or rng.random() < 0.5)
        if not minus and total + value > 120:
            continue
        shown += (" - " if minus else " + ") + text if shown else text
        total += -value if minus else value
        inner = [draft.premise(n) for n in numbers]
        cells.append((op, inner))
        signs.append("-" if minus else "+")
        computed += op != ""
    draft.tell(ASK, e=draft.math(shown))
    parts = [_compute(draft, op, inner) for op, inner in cells]
    now = parts[0]
    for sign, cell in zip(signs[1:], parts[1:], strict=True):
        now = _sum(draft, sign, now, cell)
        draft.check(0.05 if draft.long else 0.12)
    if not draft.long:
        draft.opening(_goals(computed, len(parts)))
    draft.answer(now, "", END)
    return draft.done("expr")


def _goals(computed: int, terms: int) -> list[str]:
    if computed < 2:
        return []
    names = ["the first product or quotient", "the second one", "the third one", "the fourth one"][:computed]
    return [*names, "the sum from left to right"] if terms > 1 else names


def _term(draft: Draft, *, plain_allowed: bool) -> tuple[str, int, tuple[int, ...], str]:
    """A term as text, its value, its numbers and its operation ("" for a plain number)."""
    rng = draft.rng
    kind = rng.random()
    a, b = rng.randint(2, 9), rng.randint(2, 9)
    if plain_allowed and kind < 0.3:
        number = rng.randint(2, 30)
        return str(number), number, (number,), ""
    if kind < 0.6:
        return f"{a * b} / {b}", a, (a * b, b), "/"
    return f"{a} * {b}", a * b, (a, b), "*"


def _compute(draft: Draft, op: str, cells: list[Cell]) -> Cell:
    if not op:
        return cells[0]
    other = "+" if op == "*" else "-"
    frame = draft.word(PLUS if op == "*" else MINUS)
    return draft.step(op, *cells, says=PRODUCT if op == "*" else QUOTIENT, reverse=(other, frame, "wrong operation"))


def _sum(draft: Draft, sign: str, now: Cell, cell: Cell) -> Cell:
    frame = draft.word(MINUS if sign == "+" else PLUS)
    return draft.step(
        sign,
        now,
        cell,
        says=PLUS if sign == "+" else MINUS,
        pattern=INTEGRATION,
        skip=0,
        reverse=("-" if sign == "+" else "+", frame, "contradiction"),
    )


def _bracket(draft: Draft) -> Plan:
    rng = draft.rng
    factor, a, b, last = rng.randint(2, 9), rng.randint(2, 9), rng.randint(2, 6), rng.randint(2, 30)
    numbers = [draft.premise(n) for n in (factor, a, b, last)]
    draft.tell(ASK, e=draft.math(f"{factor} * ({a} + {b}) + {last}"))
    if rng.random() < 0.5:
        inner = draft.step("+", numbers[1], numbers[2], says=BRACKET, reverse=("-", BRACKET[0], "contradiction"))
        product = draft.step("*", numbers[0], inner, says=PRODUCT, reverse=("+", draft.word(PLUS), "wrong operation"))
        goals = ["the bracket", "the product", "the sum"]
    else:
        left = draft.step("*", numbers[0], numbers[1], says=SPLIT, pattern=TRANSFORMATION)
        right = draft.step("*", numbers[0], numbers[2], says=SPLIT_NEXT, pattern=TRANSFORMATION)
        product = _sum(draft, "+", left, right)
        goals = ["both parts of the product", "their sum", "the whole"]
    draft.check(0.15)
    total = _sum(draft, "+", product, numbers[3])
    draft.opening(goals)
    draft.answer(total, "", END)
    return draft.done("expr")
