"""Who comes where: places that are counted, and orders that clues build up."""

from itertools import pairwise

from generator import wordings
from generator.draft import Draft
from generator.plan import INTEGRATION, REGATHER, Cell, Plan

BEHIND = ("behind", "after", "below", "past", "later than")
BEFORE = ("ahead of", "before", "above", "in front of", "earlier than")
START = (
    "{who} is in place {a}.",
    "the place of {who} is {a}.",
    "in a row of seats, {who} has seat {a}.",
    "{who} gets number {a}.",
    "place {a} belongs to {who}.",
)
COUNTED = (
    "{who} is {b} places {side} {other}.",
    "{who} comes {b} places {side} {other}.",
    "{b} places {side} {other} is {who}.",
    "one finds {who} {b} places {side} {other}.",
    "it is {b} places {side} {other} that {who} stands.",
)
PLACED = (
    "{who} is {b} places {side} {other}, so {who} is in place {eq}.",
    "{b} places {side} {other} means place {eq} for {who}.",
    "as {who} comes {b} places {side} {other}, the place of {who} is {eq}.",
    "{who}, {b} places {side} {other}, has place {eq}.",
    "standing {b} places {side} {other}, {who} is at {eq}.",
)
ASK_PLACE = ("in which place is {who}?", "what is the place of {who}?", "find the place of {who}.", "where is {who}?")
END_PLACE = (
    "{who} is in place {r}.",
    "the place of {who} is {r}.",
    "{who} comes in place {r}.",
    "{r} is where {who} is.",
)
ASK_GAP = (
    "how many places lie from {other} to {who}?",
    "by how many places is {who} behind {other}?",
    "find by how many places {other} is ahead of {who}.",
    "how far is {who} behind {other}?",
)
GAP = (
    "from {other} to {who} it is {eq} places.",
    "the difference is {eq} places.",
    "{who} is behind {other} by {eq} places.",
    "between {other} and {who} lie {eq} places.",
)
END_GAP = ("the gap is {r} places.", "it is {r} places.", "they are {r} places apart.", "the distance: {r} places.")

TRAITS = (
    ("taller", "tallest", "shortest"),
    ("older", "oldest", "youngest"),
    ("faster", "fastest", "slowest"),
    ("richer", "richest", "poorest"),
    ("stronger", "strongest", "weakest"),
    ("louder", "loudest", "quietest"),
)
CLUE = (
    "{x} is {trait} than {y}.",
    "we know that {x} is {trait} than {y}.",
    "{x} is {trait} than {y}, as all can see.",
    "it is true that {x} is {trait} than {y}.",
    "compared with {y}, {x} is {trait}.",
)
BEGIN = (
    "{b} is {trait} than {c}, so we start with {a}.",
    "we begin with {a}, since {b} is {trait} than {c}.",
    "one clue says that {b} is {trait} than {c}: {a}.",
    "the first pair is {a}, for {b} is {trait} than {c}.",
    "{a} is how it starts, {b} being {trait} than {c}.",
)
GROW = (
    "{x} is {trait} than {y}, so the order is {r}.",
    "since {x} is {trait} than {y}, we get {r}.",
    "the clue that {x} is {trait} than {y} gives {r}.",
    "as {x} is {trait} than {y}, the line is now {r}.",
    "knowing {x} is {trait} than {y}, we have {r}.",
)
ASK_END = (
    "who is the {most}?",
    "which of them is the {most}?",
    "name the {most} of them.",
    "find out who is the {most}.",
)
PICK = {
    "first": (
        "the first in the order {a} is {r}.",
        "at the front of {a} stands {r}.",
        "{r} comes first in {a}.",
        "from {a} we take the first, {r}.",
    ),
    "last": (
        "the last in the order {a} is {r}.",
        "at the end of {a} stands {r}.",
        "{r} comes last in {a}.",
        "from {a} we take the last, {r}.",
    ),
}
END_ORDER = ("the {most} is {r}.", "{r} is the {most} of them.", "{r} is the {most}.", "the {most} of all is {r}.")


def plan(draft: Draft) -> Plan:
    """Counted places or an order from clues."""
    return _places(draft) if draft.rng.random() < 0.5 else _ranking(draft)


def _places(draft: Draft) -> Plan:
    rng = draft.rng
    count = rng.randint(14, 17) if draft.long else rng.randint(2, 5)
    people = wordings.names(rng, count + 1)
    way = rng.randrange(len(BEHIND))
    at = rng.randint(3, 20)
    draft.tell(START, who=people[0], a=at)
    now = draft.premise(at, f"place {{v}} for {people[0]}")
    places, cells = [at], [now]
    for other, who in pairwise(people):
        moves = [n for n in (*range(-9, -1), *range(2, 10)) if at + n > 0 and at + n not in places]
        move = rng.choice([n for n in moves if n < 0] if at > 40 else moves or [60])
        behind, step = move > 0, abs(move)
        side, against = (BEHIND[way], BEFORE[way]) if behind else (BEFORE[way], BEHIND[way])
        draft.tell([t.replace("{side}", side) for t in COUNTED], who=who, other=other, b=step)
        frame = draft.word(PLACED).replace("{side}", against)
        now = draft.step("+" if behind else "-", now, draft.premise(step), skip=0, state=True, who=who, other=other,
                         says=[t.replace("{side}", side) for t in PLACED],
                         reverse=("-" if behind else "+", frame, "contradiction"))  # fmt: skip
        draft.check(0.05)
        at += step if behind else -step
        places.append(at)
        cells.append(now)
    _ask_places(draft, people, places, cells)
    return draft.done("order")


def _ask_places(draft: Draft, people: list[str], places: list[int], cells: list[Cell]) -> None:
    goals = [f"the place of {who}" for who in people[1:]]
    last, first = len(people) - 1, 0
    if places[last] - places[first] >= 2 and draft.rng.random() < 0.4:
        who, other = people[last], people[first]
        draft.tell(ASK_GAP, who=who, other=other)
        draft.opening([*goals[:4], "the difference"])
        ends = cells[last], cells[first]
        gap = draft.step("-", *ends, says=GAP, pattern=INTEGRATION, unit="places", who=who, other=other)
        draft.answer(gap, "", END_GAP)
        return
    draft.tell(ASK_PLACE, who=people[last])
    draft.opening(goals if len(goals) <= 4 else [], f"the place of {people[last]}", f"the place of {people[0]}")
    draft.answer(cells[last], "", END_PLACE, who=people[last])


def _ranking(draft: Draft) -> Plan:
    rng = draft.rng
    count = rng.randint(14, 15) if draft.long else rng.randint(3, 5)
    ranked = wordings.names(rng, count)
    trait, most, least = rng.choice(TRAITS)
    low = high = rng.randrange(count - 1)
    high += 1
    clues = [(ranked[low], ranked[high])]
    while low > 0 or high < count - 1:
        up = low > 0 and (high == count - 1 or rng.random() < 0.5)
        low, high = (low - 1, high) if up else (low, high + 1)
        clues.append((ranked[low], ranked[low + 1]) if up else (ranked[high - 1], ranked[high]))
    told = list(clues)
    rng.shuffle(told)
    for x, y in told:
        draft.tell(CLUE, x=x, y=y, trait=trait)
    names = [draft.premise(name) for name in clues[0]]
    now = draft.premise(clues[0])
    now = draft.step("say", now, *names, says=BEGIN, pattern=REGATHER, trait=trait)
    for clue in clues[1:]:
        now = draft.step("place", now, draft.premise(clue), says=GROW, trait=trait, skip=0)
    end = rng.choice(("first", "last"))
    sought, against = (most, least) if end == "first" else (least, most)
    draft.tell(ASK_END, most=sought)
    draft.opening(["a pair to start with", "the whole order", f"the {sought}"], f"the {sought}", f"the {against}")
    found = draft.step(end, now, says=PICK[end], pattern=INTEGRATION, choices=ranked)
    draft.answer(found, "", END_ORDER, choices=ranked, most=sought)
    return draft.done("order")
