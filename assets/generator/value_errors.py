"""Errors in values: a result, an operand, an operation or a unit is another one than it should be."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from msgspec.structs import replace

from generator.kinds import (
    CALCULATION_SLIP,
    CARRIED_OVER,
    CONTRADICTION,
    MISREAD_PREMISE,
    WRONG_OPERATION,
    WRONG_UNIT,
    kind_of,
)
from generator.plan import ARITHMETIC, LARGEST, VERIFICATION, Edit, Line, Plan, Value
from generator.render import equation, say

Lines = Sequence[Line]


def near(rng: Random, value: int) -> int:
    """Another number which a slip could have made of this one: a digit or two off, or its digits swapped."""
    swapped = int(str(value)[::-1])
    options = [value + d for d in (1, -1, 2, -2, 10, -10)] + [swapped] * (swapped != value)
    return rng.choice([option for option in options if 1 <= option <= LARGEST])


def edit_of(error: str, line: Line, reason: str) -> Edit:
    """An edit of this line's step that changes nothing yet."""
    return Edit(error, kind_of(error, line.step.pattern), reason, line.step.id)


def _slip(line: Line, rng: Random) -> int:
    """A wrong result of an arithmetic step; products also miss by a factor, as when one row of the table is off."""
    result = line.result
    if not isinstance(result, int):
        raise TypeError(f"{line.op} has no number as its result")
    if line.op == "*" and rng.random() < 0.5:
        factor = rng.choice(line.values[:2])
        if isinstance(factor, int) and factor > 1:
            return result + rng.choice((factor, -factor))
    return near(rng, result)


def calculation_slips(_plan: Plan, lines: Lines, rng: Random) -> Iterator[Edit]:
    """The operation is right and the result is not."""
    for line in _arithmetic(lines):
        wrong = _slip(line, rng)
        right = equation(line)
        yield replace(edit_of(CALCULATION_SLIP, line, f"Gives {wrong} as the result; {right}."), result=wrong)


def wrong_operations(_plan: Plan, lines: Lines, _rng: Random) -> Iterator[Edit]:
    """Another operation than the one the method needs."""
    yield from reversed_steps(
        lines, WRONG_OPERATION, "Uses another operation than the one that is needed: right is {e}."
    )


def contradictions(plan: Plan, lines: Lines, rng: Random) -> Iterator[Edit]:
    """The opposite of what the problem says, or of what everybody knows."""
    yield from reversed_steps(lines, CONTRADICTION, "Says the opposite of what the problem says: right is {e}.")
    for line in _arithmetic(lines):
        for position, cell in enumerate(line.step.operands[:2]):
            right = line.values[position]
            if cell in plan.known and isinstance(right, int) and right > 2:
                wrong = near(rng, right)
                reason = f"Everybody knows that it is {right}; the step says {wrong}."
                yield replace(edit_of(CONTRADICTION, line, reason), operands={position: wrong})
    for line in lines:
        if line.op == "place" and isinstance(line.values[1], tuple):
            x, y = line.values[1]
            reason = f"The problem says that {x} is {line.step.names['trait']} than {y}; the step says the opposite."
            yield replace(edit_of(CONTRADICTION, line, reason), operands={1: (y, x)})


def reversed_steps(lines: Lines, error: str, reason: str) -> Iterator[Edit]:
    """Steps whose reverse counts as this error type, turned round; `{e}` in the reason is what would be right."""
    for line in lines:
        turned = line.step.reverse
        if turned is not None and turned.error == error:
            right = equation(line) if line.op in ARITHMETIC else say(line.result)
            yield replace(edit_of(error, line, reason.format(e=right)), op=turned.op, text=turned.text)


def carried_over_values(plan: Plan, lines: Lines, rng: Random) -> Iterator[Edit]:
    """An earlier result comes in with another value."""
    found = [line.result for line in _arithmetic(lines)]
    for line in lines:
        if line.step.pattern == VERIFICATION:
            continue
        for position, cell in enumerate(line.step.operands[:2]):
            if cell in plan.premises or line.op not in ARITHMETIC | {"more", "lookup", "place", "first", "last"}:
                continue
            right = line.values[position]
            wrong = _other(right, found, line, rng)
            if wrong is not None:
                reason = f"An earlier step found {say(right)}; this one goes on with {say(wrong)}."
                yield replace(edit_of(CARRIED_OVER, line, reason), operands={position: wrong})


def _other(right: Value, found: Sequence[Value], line: Line, rng: Random) -> Value | None:
    """What an earlier result could be confused with, or None."""
    if isinstance(right, int):
        others = [value for value in found if isinstance(value, int) and value != right]
        return rng.choice(others) if others and rng.random() < 0.4 else near(rng, right)
    if isinstance(right, tuple):
        return swapped(right, rng)
    if line.op == "lookup" and isinstance(line.values[1], Mapping):
        facts = [fact for fact in line.values[1] if fact != right]
        return rng.choice(facts) if facts else None
    return None


def swapped(order: tuple[str, ...], rng: Random) -> tuple[str, ...]:
    """The order with two neighbours exchanged."""
    at = rng.randrange(len(order) - 1)
    return (*order[:at], order[at + 1], order[at], *order[at + 2 :])


def misread_premises(plan: Plan, lines: Lines, rng: Random) -> Iterator[Edit]:
    """Something the problem gives comes in with another value."""
    numbers = [value for value in plan.premises.values() if isinstance(value, int)]
    for line in lines:
        if line.step.pattern == VERIFICATION or line.op not in ARITHMETIC | {"more", "given", "say", "lookup"}:
            continue
        for position, cell in enumerate(line.step.operands):
            if cell not in plan.premises or cell in plan.known:
                continue
            right = line.values[position]
            wrong = _misread(right, numbers, line, rng)
            if wrong is None:
                continue
            edit = edit_of(MISREAD_PREMISE, line, _misread_reason(right, wrong, line))
            # What a list of facts gets wrong stays wrong; a step that only uses a fact gets it wrong once.
            yield replace(edit, operands={position: wrong}, later={cell: wrong} if line.op == "given" else {})


def _misread(right: Value, numbers: Sequence[int], line: Line, rng: Random) -> Value | None:
    if isinstance(right, int):
        others = [number for number in numbers if number != right]
        return rng.choice(others) if others and rng.random() < 0.4 else near(rng, right)
    if isinstance(right, Mapping) and isinstance(line.values[0], str):
        fact = line.values[0]
        thens = [then for then in right.values() if then != right[fact]]
        return {**right, fact: rng.choice(thens)} if thens else None
    if line.op == "say" and isinstance(right, str):
        words = [choice for choice in line.step.choices if choice != right]
        return rng.choice(words) if words else None
    return None


def _misread_reason(right: Value, wrong: Value, line: Line) -> str:
    if isinstance(right, Mapping) and isinstance(wrong, Mapping):
        fact = say(line.values[0])
        return f"The problem says that {fact} means {right[fact]}; the step reads {wrong[fact]}."
    return f"The problem says {say(right)}; the step reads {say(wrong)}."


def wrong_units(_plan: Plan, lines: Lines, rng: Random) -> Iterator[Edit]:
    """The result has a unit that is not its own."""
    for line in lines:
        if line.step.units:
            wrong = rng.choice(line.step.units)
            yield replace(edit_of(WRONG_UNIT, line, f"The result is in {line.unit}, not in {wrong}."), unit=wrong)


def _arithmetic(lines: Lines) -> Iterator[Line]:
    return (line for line in lines if line.op in ARITHMETIC and line.step.pattern != VERIFICATION)
