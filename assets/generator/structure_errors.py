"""Errors in what follows from what: a step too many or too few, a conclusion, a check, a plan."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from random import Random

from msgspec.structs import replace

from generator import wordings
from generator.kinds import (
    DROPPED_PREMISE,
    FAULTY_CHECK,
    FAULTY_CORRECTION,
    INVALID_CONCLUSION,
    REDUNDANT_STEP,
)
from generator.plan import ARITHMETIC, VERIFICATION, Edit, Line, Plan, Step, Value
from generator.render import equation, say, text_of
from generator.value_errors import edit_of, near, reversed_steps, swapped

Lines = Sequence[Line]
Maker = Callable[[Plan, Lines, Random], Iterator[Edit]]

NEW_ID = 990
"""Id of an inserted step."""


def dropped_premises(_plan: Plan, lines: Lines, _rng: Random) -> Iterator[Edit]:
    """A step that is needed is missing, or an exception is not seen; the next step that builds on it is wrong."""
    yield from reversed_steps(lines, DROPPED_PREMISE, "Leaves out that there is an exception: right is {e}.")
    for line, user in pairwise(lines):
        is_check = user.step.target == line.step.cell
        if line.step.skip is None or is_check or line.step.cell not in user.step.operands or _made_up(line, user):
            continue
        bare = replace(line, step=replace(line.step, lead=""))
        needed = f"{equation(line)}." if line.op in ARITHMETIC else text_of(bare, "plain")
        yield replace(
            edit_of(DROPPED_PREMISE, user, f"Leaves out what the problem needs here: {needed}"), drop=line.step.id
        )


def _made_up(dropped: Line, user: Line) -> bool:
    """Whether a later step could still make up for the dropped one: a sum without one term may yet get it."""
    return {dropped.op, user.op} <= {"+", "-"} and not user.step.state


def redundant_steps(plan: Plan, lines: Lines, rng: Random) -> Iterator[Edit]:
    """A step more, which repeats an earlier one or computes what nothing needs."""
    for at, line in enumerate(lines[:-1]):
        if line.op not in ARITHMETIC | {"lookup", "place"} or line.step.pattern == VERIFICATION:
            continue
        lead = rng.choice(wordings.AGAIN_LEADS)
        twin = replace(line.step, id=NEW_ID, text=line.step.again, lead=lead, skip=None, reverse=None)
        host = lines[min(len(lines) - 2, at + rng.choice((0, 0, 0, 1, 2)))]
        cells = zip(line.step.operands, line.values, strict=True)
        if all(_value(plan, lines, cell) == value for cell, value in cells):
            yield _insertion(line, twin, host, "Repeats an earlier step and adds nothing.")
    needless = _needless(plan, lines, rng)
    if needless is not None:
        host = lines[rng.randrange(len(lines) - 1)]
        yield _insertion(host, needless, host, "Computes something that nothing needs.")


def _insertion(like: Line, step: Step, host: Line, reason: str) -> Edit:
    return replace(edit_of(REDUNDANT_STEP, like, reason), at=NEW_ID, insert=step, after=host.step.id)


def _value(plan: Plan, lines: Lines, cell: str) -> Value | None:
    if cell in plan.premises:
        return plan.premises[cell]
    return next((line.result for line in lines if line.step.cell == cell), None)


def _needless(plan: Plan, lines: Lines, rng: Random) -> Step | None:
    """A right sum of two premises that no step of the solution computes."""
    cells = [
        cell for cell, value in plan.premises.items() if isinstance(value, int) and value > 1 and cell not in plan.known
    ]
    used = {frozenset(line.step.operands[:2]) for line in lines}
    pairs = [(a, b) for i, a in enumerate(cells) for b in cells[i + 1 :] if frozenset((a, b)) not in used]
    if not pairs:
        return None
    a, b = rng.choice(pairs)
    text = wordings.pick(rng, wordings.NEEDLESS, held_out=False)
    return Step(NEW_ID, "+", (a, b), text, text, lead=rng.choice(("", "", "also, ")))


def invalid_conclusions(_plan: Plan, lines: Lines, rng: Random) -> Iterator[Edit]:
    """The ground is right and the conclusion is not."""
    for line in lines:
        wrong = _concluded(line, lines, rng)
        if wrong is not None and wrong != line.result:
            should, does = (_word(line, value) for value in (line.result, wrong))
            reason = f"The step should conclude {should}; it concludes {does}."
            yield replace(edit_of(INVALID_CONCLUSION, line, reason), result=wrong)


def _word(line: Line, value: Value) -> str:
    if line.op == "more":
        return "yes" if value else "no"
    return say(value)


def _concluded(line: Line, lines: Lines, rng: Random) -> Value | None:
    """Another conclusion from the same ground, for steps that conclude without computing; None for the others."""
    if line.op == "more":
        return 1 - line.result if isinstance(line.result, int) else None
    if line.op == "place" and isinstance(line.result, tuple):
        return swapped(line.result, rng)
    if line.op in {"lookup", "except", "first", "last"}:
        others = [choice for choice in line.step.choices if choice != line.result]
        return rng.choice(others) if others else None
    if line.op == "say" and line is lines[-1]:
        if isinstance(line.result, int):
            found = [
                v for other in lines[:-1] for v in other.values if isinstance(v, int) and v not in (line.result, 0)
            ]
            return rng.choice(found) if found and rng.random() < 0.5 else near(rng, line.result)
        others = [choice for choice in line.step.choices if choice != line.result]
        return rng.choice(others) if others else None
    return None


def said_wrongly(error: str) -> Maker:
    """Edits of steps whose words alone go wrong: plans and restated questions."""

    def edits_of(_plan: Plan, lines: Lines, _rng: Random) -> Iterator[Edit]:
        for line in lines:
            for flaw in line.step.flaws:
                if flaw.error == error:
                    yield Edit(error, flaw.kind, flaw.reason, line.step.id, text=flaw.text)

    return edits_of


def faulty_checks(_plan: Plan, lines: Lines, rng: Random) -> Iterator[Edit]:
    """A check that sees a mistake where there is none."""
    for line, text in _checks(lines, FAULTY_CHECK):
        if isinstance(line.result, int):
            edit = edit_of(FAULTY_CHECK, line, f"Sees a mistake where there is none: {equation(line)}.")
            yield replace(edit, result=near(rng, line.result), text=text.replace("{w}", str(line.result)))


def faulty_corrections(_plan: Plan, lines: Lines, rng: Random) -> Iterator[Edit]:
    """A check after which a right value is changed."""
    for line, text in _checks(lines, FAULTY_CORRECTION):
        value = line.values[0]
        if isinstance(value, int):
            wrong = near(rng, value)
            said = text.replace("{v}", str(value)).replace("{w}", str(wrong))
            edit = edit_of(FAULTY_CORRECTION, line, f"Changes {value}, which was right, to {wrong}.")
            yield replace(edit, text=said, later={line.step.target: wrong})


def _checks(lines: Lines, error: str) -> Iterator[tuple[Line, str]]:
    return ((line, flaw.text) for line in lines for flaw in line.step.flaws if line.step.target and flaw.error == error)
