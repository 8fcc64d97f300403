"""Rules that lead from one property of a thing to the next, with an exception now and then."""

from dataclasses import dataclass
from itertools import pairwise
from random import Random

from generator import wordings
from generator.draft import Draft
from generator.plan import INTEGRATION, REGATHER, Cell, Plan


@dataclass(frozen=True)
class World:
    """What a thing is, and its properties level by level; a property's phrase follows the thing's name."""

    thing: str
    things: str
    levels: tuple[tuple[str, ...], ...]
    goal: str
    fee: str


WORLDS = (
    World("parcel", "parcels", (("red", "green", "blue"), ("heavy", "light", "flat"), ("urgent", "normal", "slow"),
          ("insured", "plain", "sealed")), "kind", "cost"),
    World("plant", "plants", (("thorny", "smooth", "hairy"), ("tall", "low", "creeping"), ("thirsty", "dry", "hardy"),
          ("rare", "common", "wild")), "kind", "cost"),
    World("robot", "robots", (("square", "round", "thin"), ("quick", "slow", "careful"), ("noisy", "silent", "humming"),
          ("blue", "yellow", "white")), "kind", "need"),
    World("stone", "stones", (("black", "white", "grey"), ("warm", "cold", "wet"), ("hard", "soft", "brittle"),
          ("sacred", "useful", "worthless")), "kind", "weigh"),
)  # fmt: skip
UNIT_OF = {"cost": "dollars", "need": "volts", "weigh": "grams"}

FACT = (
    "{who} is a {fact} {thing}.",
    "the {thing} called {who} is {fact}.",
    "among the {things}, {who} is {fact}.",
    "{who}, one of the {things}, is {fact}.",
    "there is a {thing} {who}, which is {fact}.",
)
RULE = (
    "{fact} {things} are {then}.",
    "all {fact} {things} are {then}.",
    "every {fact} {thing} is {then}.",
    "if a {thing} is {fact}, it is {then}.",
    "being {fact} makes a {thing} {then}.",
)
NUMBER = (
    "{fact} {things} {fee} {n} {unit} each.",
    "a {fact} {thing} {fee}s {n} {unit}.",
    "every {fact} {thing} {fee}s {n} {unit}.",
    "it is {n} {unit} that a {fact} {thing} {fee}s.",
)
TAKE = (
    "{who} is {a}.",
    "we know that {who} is {a}.",
    "the text says that {who} is {a}.",
    "about {who} we know: it is {a}.",
    "it is given that {who} is {a}.",
)
APPLY = (
    "{who} is {a} and {a} {things} are {q}, so {who} is {r}.",
    "since {a} {things} are {q}, {who} is {r}.",
    "as {who} is {a}, and {a} {things} are {q}, we see that {who} is {r}.",
    "{a} {things} are {q}; therefore {who} is {r}.",
    "from {a} follows {q}, which makes {who} {r}.",
)
EXCEPTION = (
    "but a {thing} that is {mark} is {then}, no matter what.",
    "however, any {mark} {thing} is {then}.",
    "only the {mark} {things} are always {then}.",
    "there is one exception: {mark} {things} are {then}.",
    "as an exception, what is {mark} is {then}.",
)
MARKED = (
    "{who} is also {mark}.",
    "besides, {who} is {mark}.",
    "it is known that {who} is {mark}.",
    "moreover {who} is {mark}.",
    "{mark} is true of {who} as well.",
)
EXCEPT = (
    "{who} is {mark}, so by the exception {who} is {r}.",
    "here the exception counts: {who} is {mark} and therefore {r}.",
    "since {who} is {mark}, the exception makes it {r}.",
    "{a} or not, {who} is {mark}, which means {r}.",
    "the exception for what is {mark} makes {who} {r}.",
)
MARKS = ("marked", "broken", "new", "old", "holy", "signed")
COSTS = (
    "{who} is {a}, so {who} {fee}s {r} {u}.",
    "{a} {things} {fee} {q} {u}, so {who} {fee}s {r} {u}.",
    "being {a}, {who} {fee}s {r} {u}.",
    "with {a} it is {q}, so for {who} we have {r} {u}.",
)
ASK = (
    "is {who} {options}?",
    "which is true of {who}: {options}?",
    "find out whether {who} is {options}.",
    "decide if {who} is {options}.",
)
END = ("{who} is {r}.", "we conclude that {who} is {r}.", "it follows that {who} is {r}.", "{r} is what {who} is.")
SUM = (
    "together they {fee} {eq} {u}.",
    "the sum is {eq} {u}.",
    "adding, we get {eq} {u}.",
    "both taken together: {eq} {u}.",
)
SUM_LESS = (
    "the difference is {eq} {u}.",
    "taking one from the other, we get {eq} {u}.",
    "they differ by {eq} {u}.",
    "one less the other: {eq} {u}.",
)
ASK_SUM = (
    "how many {u} do {all} {fee} together?",
    "what do {all} {fee} in all?",
    "find the {u} for {all} together.",
    "how much do {all} {fee}?",
)
END_SUM = ("the total is {r} {u}.", "together it is {r} {u}.", "they {fee} {r} {u}.", "the whole is {r} {u}.")


def plan(draft: Draft) -> Plan:
    """One thing through three or four rules, or several things whose numbers are added."""
    rng = draft.rng
    world = rng.choice(WORLDS)
    if draft.long or rng.random() < 0.35:
        return _several(draft, world)
    return _one(draft, world)


def _tables(rng: Random, world: World, depth: int, width: int) -> tuple[list[tuple[str, ...]], list[dict[str, str]]]:
    """Properties of each level, and the rules from each level to the next (one to one)."""
    levels = [tuple(rng.sample(level, width)) for level in world.levels[:depth]]
    tables = []
    for here, there in pairwise(levels):
        tables.append(dict(zip(here, rng.sample(there, width), strict=True)))
    return levels, tables


def _tell_rules(draft: Draft, world: World, tables: list[dict[str, str]]) -> None:
    rules = [pair for table in tables for pair in table.items()]
    if draft.rng.random() < 0.3:
        draft.rng.shuffle(rules)
    for fact, then in rules:
        draft.tell(RULE, fact=fact, then=then, thing=world.thing, things=world.things)


def _chain(draft: Draft, world: World, who: str, fact: Cell, tables: list[Cell], levels: list[tuple[str, ...]]) -> Cell:
    """The steps from a thing's first property to its last."""
    now = draft.step("say", fact, says=TAKE, pattern=REGATHER, choices=levels[0], who=who)
    for table, level in zip(tables, levels[1:], strict=True):
        now = draft.step("lookup", now, table, says=APPLY, choices=level, who=who, things=world.things)
    return now


def _exception(draft: Draft, world: World, who: str, now: Cell, table: Cell, level: tuple[str, ...]) -> Cell:
    """The step at which the rule does not count, because the thing is marked."""
    mark, then = draft.rng.choice(MARKS), draft.rng.choice(level)
    draft.tell(EXCEPTION, mark=mark, then=then, thing=world.thing, things=world.things)
    draft.tell(MARKED, who=who, mark=mark)
    return draft.step("except", now, table, draft.premise(then), says=EXCEPT, choices=level, who=who, mark=mark,
                      things=world.things, reverse=("lookup", draft.word(APPLY), "dropped premise"))  # fmt: skip


def _one(draft: Draft, world: World) -> Plan:
    rng = draft.rng
    depth, width = rng.choice((3, 4)), 2
    levels, tables = _tables(rng, world, depth, width)
    who = wordings.names(rng, 1)[0]
    fact = rng.choice(levels[0])
    cell = draft.premise(fact)
    told_first = rng.random() < 0.5
    if told_first:
        draft.tell(FACT, who=who, fact=fact, thing=world.thing, things=world.things)
    _tell_rules(draft, world, tables)
    if not told_first:
        draft.tell(FACT, who=who, fact=fact, thing=world.thing, things=world.things)
    cells: list[Cell] = [draft.premise(table) for table in tables]
    if rng.random() < 0.5:
        found = _chain(draft, world, who, cell, cells[:-1], levels[:-1])
        found = _exception(draft, world, who, found, cells[-1], levels[-1])
    else:
        found = _chain(draft, world, who, cell, cells, levels)
    draft.tell(ASK, who=who, options=" or ".join(sorted(levels[-1])))
    draft.answer(found, "", END, choices=levels[-1], who=who)
    draft.opening([f"the first property of {who}", "what follows from it", f"whether {who} is {levels[-1][0]}"],
                  f"the last property of {who}", f"the first property of {who}")  # fmt: skip
    return draft.done("rules")


def _several(draft: Draft, world: World) -> Plan:
    rng = draft.rng
    count, depth = (rng.randint(4, 5), 3) if draft.long else (2, 2)
    levels, tables = _tables(rng, world, depth, 2)
    people = wordings.names(rng, count)
    unit, fee = UNIT_OF[world.fee], world.fee
    numbers = dict(zip(levels[-1], rng.sample(range(3, 25), 2), strict=True))
    _tell_rules(draft, world, tables)
    for fact, n in numbers.items():
        draft.tell(NUMBER, fact=fact, n=n, unit=unit, fee=fee, thing=world.thing, things=world.things)
    facts = []
    for who in people:
        fact = rng.choice(levels[0])
        draft.tell(FACT, who=who, fact=fact, thing=world.thing, things=world.things)
        facts.append(draft.premise(fact, f"that {who} is {{v}}"))
    table_cells = [draft.premise(table) for table in tables]
    prices = draft.premise(numbers)
    costs = []
    for who, fact in zip(people, facts, strict=True):
        end = _chain(draft, world, who, fact, table_cells, levels)
        costs.append(draft.step("lookup", end, prices, says=COSTS, unit=unit, units=("pieces",), who=who, fee=fee,
                                things=world.things, choices=tuple(numbers.values())))  # fmt: skip
    total = costs[0]
    for cell in costs[1:]:
        total = draft.step("+", total, cell, says=SUM, unit=unit, pattern=INTEGRATION, skip=0, fee=fee,
                           reverse=("-", draft.word(SUM_LESS), "wrong operation"))  # fmt: skip
        draft.check(0.1)
    draft.tell(ASK_SUM, u=unit, fee=fee, all=", ".join(people[:-1]) + " and " + people[-1])
    draft.opening([*(f"what {who} {fee}s" for who in people[:3]), "the sum"] if count <= 3 else [])
    draft.answer(total, unit, END_SUM, units=("pieces",), fee=fee)
    return draft.done("rules")
