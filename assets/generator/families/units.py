"""Measures: a larger unit becomes smaller ones, and what is added, used up or shared is counted in these."""

from dataclasses import dataclass

from generator import wordings
from generator.draft import Draft
from generator.plan import TRANSFORMATION, Cell, Plan


@dataclass(frozen=True)
class Measure:
    """A larger and a smaller unit, how many go into one, and how large a number of the larger is usual."""

    big: str
    small: str
    factor: int
    largest: int
    one: str
    matter: str


MEASURES = (
    Measure("weeks", "days", 7, 9, "week", "time"),
    Measure("hours", "minutes", 60, 2, "hour", "time"),
    Measure("minutes", "seconds", 60, 2, "minute", "time"),
    Measure("years", "months", 12, 8, "year", "time"),
    Measure("days", "hours", 24, 4, "day", "time"),
    Measure("feet", "inches", 12, 8, "foot", "rope"),
    Measure("yards", "feet", 3, 9, "yard", "rope"),
    Measure("dozens", "eggs", 12, 8, "dozen", "eggs"),
    Measure("gallons", "quarts", 4, 9, "gallon", "milk"),
    Measure("pounds", "ounces", 16, 5, "pound", "flour"),
    Measure("quarts", "cups", 4, 9, "quart", "juice"),
    Measure("litres", "glasses", 5, 9, "litre", "water"),
)
HIDDEN = ("glasses",)
"""Units whose factor is no common knowledge, so the problem gives it."""

HAS = {
    "time": (
        "a course takes {a} {big}.",
        "{who} trains for {a} {big}.",
        "a trip lasts {a} {big}.",
        "a repair takes {who} {a} {big}.",
        "for a job one needs {a} {big}.",
    ),
    "": (
        "{who} has {a} {big} of {matter}.",
        "there are {a} {big} of {matter}.",
        "{who} buys {a} {big} of {matter}.",
        "a store holds {a} {big} of {matter}.",
        "one delivery is {a} {big} of {matter}.",
    ),
}
FACTOR_TOLD = (
    "one {one} fills {f} {small}.",
    "each {one} is enough for {f} {small}.",
    "{f} {small} go into one {one}.",
    "there are {f} {small} in a {one}.",
    "a {one} is good for {f} {small}.",
)
MORE = {
    "time": (
        "then come {b} {small} more.",
        "{b} {small} are added.",
        "it takes {b} {small} longer.",
        "another {b} {small} are needed.",
        "on top come {b} {small}.",
    ),
    "": (
        "then {b} {small} are added.",
        "{who} gets {b} {small} more.",
        "another {b} {small} come in.",
        "{b} {small} are put to it.",
        "on top come {b} {small}.",
    ),
}
LESS = {
    "time": (
        "{b} {small} of this are a break.",
        "{b} {small} of it are spent waiting.",
        "{b} {small} are saved.",
        "{b} {small} of it are free.",
        "{b} {small} of this do not count.",
    ),
    "": (
        "then {b} {small} are used.",
        "{who} uses {b} {small}.",
        "{b} {small} go bad.",
        "{b} {small} are taken out.",
        "of this, {b} {small} are gone.",
    ),
}
PIECES = (
    "it is divided into parts of {b} {small} each.",
    "all of it is split into parts of {b} {small}.",
    "it is portioned, {b} {small} at a time.",
    "then it is cut into parts of {b} {small}.",
    "each part gets {b} {small}.",
)
CONVERT = (
    "one {one} is {b} {small}, so {a} {big} are {eq} {u}.",
    "one {one} has {b} {small}; this makes {eq} {u}.",
    "with {b} {small} in one {one}, we get {eq} {u}.",
    "{a} {big} of {b} {small} are {eq} {u}.",
    "as {b} {small} make one {one}, it is {eq} {u}.",
)
PLUS = (
    "adding the {b} {small} gives {eq} {u}.",
    "with {b} {small} more, it is {eq} {u}.",
    "plus {b} {small}, we have {eq} {u}.",
    "the {b} {small} raise it to {eq} {u}.",
    "{b} {small} on top make {eq} {u}.",
)
MINUS = (
    "taking off the {b} {small} gives {eq} {u}.",
    "with {b} {small} less, it is {eq} {u}.",
    "minus {b} {small}, we have {eq} {u}.",
    "the {b} {small} lower it to {eq} {u}.",
    "{b} {small} off make {eq} {u}.",
)
SPLIT = (
    "dividing by {b} gives {eq} {u}.",
    "parts of {b} {small} make {eq} {u}.",
    "in portions of {b} there are {eq} {u}.",
    "with {b} {small} in a part, there are {eq} {u}.",
    "cut by {b}, this is {eq} {u}.",
)
ASK = (
    "how many {small} is this?",
    "how many {small} are left to count?",
    "find the number of {small}.",
    "what is this in {small}?",
    "give the result in {small}.",
)
ASK_PIECES = (
    "how many parts are there?",
    "find the number of parts.",
    "how many parts does this make?",
    "count the parts.",
)
END = (
    "the result is {r} {u}.",
    "in the end there are {r} {u}.",
    "it comes to {r} {u}.",
    "that makes {r} {u}.",
    "we arrive at {r} {u}.",
)
BELOW = 110


def plan(draft: Draft) -> Plan:
    """One measure, converted, then changed once to three times."""
    rng = draft.rng
    measure = rng.choice(MEASURES)
    who, small = wordings.names(rng, 1)[0], measure.small
    count = rng.randint(2, measure.largest)
    timed = "time" if measure.matter == "time" else ""
    draft.tell(HAS[timed], who=who, a=count, big=measure.big, matter=measure.matter)
    amount = count * measure.factor
    cells = [draft.premise(count, f"{{v}} {measure.big}")]
    if small in HIDDEN:
        draft.tell(FACTOR_TOLD, one=measure.one, f=measure.factor, small=small)
        cells.append(draft.premise(measure.factor))
    else:
        cells.append(draft.knowledge(measure.factor))
    now = draft.step("*", *cells, says=CONVERT, pattern=TRANSFORMATION, unit=small, skip=0, units=(measure.big,),
                     one=measure.one, big=measure.big, small=small)  # fmt: skip
    draft.check(0.1)
    for _ in range(rng.randint(1, 3)):
        now, amount = _change(draft, now, amount, measure, who)
    draft.check(0.1)
    goals = [f"the {small} in {count} {measure.big}", f"the {small} after each change"]
    _end(draft, now, amount, measure, goals)
    return draft.done("units")


def _change(draft: Draft, now: Cell, amount: int, measure: Measure, who: str) -> tuple[Cell, int]:
    rng = draft.rng
    timed, small, change = "time" if measure.matter == "time" else "", measure.small, rng.randint(2, 30)
    more = amount < 35 or (amount + change <= BELOW and rng.random() < 0.5)
    draft.tell((MORE if more else LESS)[timed], b=change, small=small, who=who)
    frame = draft.word(MINUS if more else PLUS)
    cell = draft.step(
        "+" if more else "-",
        now,
        draft.premise(change, f"{{v}} {small} {'more' if more else 'less'}"),
        says=PLUS if more else MINUS,
        unit=small,
        skip=0,
        reverse=("-" if more else "+", frame, "contradiction"),
        units=(measure.big,),
        small=small,
    )
    return cell, amount + change if more else amount - change


def _end(draft: Draft, now: Cell, amount: int, measure: Measure, goals: list[str]) -> None:
    rng, small = draft.rng, measure.small
    sizes = [n for n in range(2, 10) if amount % n == 0 and amount // n >= 2]
    if sizes and rng.random() < 0.4:
        size = rng.choice(sizes)
        draft.tell(PIECES, b=size, small=small)
        parts = draft.step("/", now, draft.premise(size, f"{{v}} {small} in a part"), says=SPLIT, unit="parts", skip=0,
                           units=(small, measure.big), small=small)  # fmt: skip
        draft.tell(ASK_PIECES)
        draft.opening([*goals, "the number of parts"], "the number of parts", f"the number of {small}")
        draft.answer(parts, "parts", END, units=(small,))
        return
    draft.tell(ASK, small=small)
    draft.opening(goals, f"the number of {small}", f"the number of {measure.big}")
    draft.answer(now, small, END, units=(measure.big,))
