"""Shares of a hundred: prices with a discount or a tip, and groups of people."""

from generator import wordings
from generator.draft import Draft
from generator.plan import INTEGRATION, Cell, Plan

SHARES = (5, 10, 20, 25, 30, 40, 50, 60, 75, 80)

PRICE = (
    "a {thing} costs {a} dollars.",
    "the price of a {thing} is {a} dollars.",
    "a shop sells a {thing} for {a} dollars.",
    "{who} looks at a {thing} for {a} dollars.",
    "one pays {a} dollars for a {thing}.",
)
OFF_TOLD = (
    "it is sold with {b}% off.",
    "today there is a discount of {b}%.",
    "the shop takes {b}% off the price.",
    "with a coupon {who} gets {b}% off.",
    "a rebate of {b}% applies.",
)
ON_TOLD = (
    "a tax of {b}% is added.",
    "on top comes a tip of {b}%.",
    "the price then goes up by {b}%.",
    "a service charge of {b}% is added.",
    "the bill grows by a fee of {b}%.",
)
FEE_TOLD = (
    "shipping costs {b} dollars more.",
    "the delivery adds {b} dollars.",
    "{who} also pays {b} dollars for wrapping.",
    "there is a fee of {b} dollars on top.",
    "another {b} dollars go to the courier.",
)
COUNT_TOLD = (
    "{who} buys {b} of them.",
    "{who} takes {b} of these.",
    "in all {who} orders {b} of them.",
    "the order is for {b} such pieces.",
)
SHARE = (
    "the {a}% come to {eq} {u}.",
    "the share is {eq} {u}.",
    "we compute {eq} {u}.",
    "{a}% of the price is {eq} {u}.",
    "the percentage comes to {eq} {u}.",
)
OFF = (
    "taking off {b} leaves {eq} {u}.",
    "the price falls to {eq} {u}.",
    "after the discount it costs {eq} {u}.",
    "less the {b}, we pay {eq} {u}.",
    "with {b} off, what remains is {eq} {u}.",
)
ON = (
    "adding {b} makes {eq} {u}.",
    "the price rises to {eq} {u}.",
    "with the extra {b} it costs {eq} {u}.",
    "plus the {b}, we pay {eq} {u}.",
    "with {b} on top, it goes up to {eq} {u}.",
)
FEE = (
    "with the fee of {b} it is {eq} {u}.",
    "the fee of {b} makes it {eq} {u}.",
    "adding the fee of {b}, we pay {eq} {u}.",
    "the {b} for the fee lead to {eq} {u}.",
)
NO_FEE = (
    "without the fee of {b} it is {eq} {u}.",
    "the fee of {b} lowers it to {eq} {u}.",
    "taking off the fee of {b}, we pay {eq} {u}.",
    "the {b} for the fee drop out, {eq} {u}.",
)
TIMES = (
    "{b} of them cost {eq} {u}.",
    "for {b} pieces this is {eq} {u}.",
    "buying {b} of them comes to {eq} {u}.",
    "an order of {b} needs {eq} {u}.",
)
ASK_PRICE = (
    "how much is paid in all?",
    "what does {who} pay?",
    "find the final price.",
    "how many dollars are due?",
)
END_PRICE = ("the final price is {r} {u}.", "{who} pays {r} {u}.", "in all this is {r} {u}.", "{r} {u} are due.")
ENOUGH_TOLD = (
    "is the final price more than {b} dollars?",
    "does {who} pay more than {b} dollars?",
    "is more than {b} dollars needed?",
    "will it take over {b} dollars?",
)

GROUP = (
    "there are {a} {u} in a hall.",
    "a club has {a} {u}.",
    "{a} {u} come to a fair.",
    "a school trip has {a} {u}.",
    "we look at {a} {u}.",
)
PART_TOLD = (
    "{b}% of them {do}.",
    "of these, {b}% {do}.",
    "{b}% of the group {do}.",
    "we hear that {b}% {do}.",
)
REST_TOLD = (
    "{b}% of the others {do}.",
    "of the others, {b}% {do}.",
    "among the rest, {b}% {do}.",
    "out of those who remain, {b}% {do}.",
)
PART = (
    "{a}% of {b} {do}, so {eq} {u} {do}.",
    "those who {do} are {eq} {u}.",
    "the number who {do} is {eq} {u}.",
    "we find that {eq} {u} {do}.",
    "for the {a}% who {do} we get {eq} {u}.",
)
REST = (
    "the others are {eq} {u}.",
    "{b} less, so {eq} {u} remain.",
    "without them there are {eq} {u}.",
    "this leaves {eq} {u}.",
    "the rest counts {eq} {u}.",
)
BOTH = (
    "adding both, we get {eq} {u}.",
    "both groups make {eq} {u}.",
    "together these are {eq} {u}.",
    "the two join to {eq} {u}.",
)
ASK_LAST = (
    "how many {u} {do}?",
    "find how many {u} {do}.",
    "what is the number of {u} who {do}?",
    "count the {u} who {do}.",
)
ASK_OTHERS = (
    "how many {u} do neither?",
    "how many {u} are left?",
    "find the number of {u} who do neither.",
    "count those {u} who do none of this.",
)
END = ("this is {r} {u}.", "the number is {r}.", "we end with {r} {u}.", "so many are they: {r} {u}.")
DOINGS = ("walk", "sing", "dance", "swim", "wear a hat", "play chess", "take the bus", "bring a dog", "drink tea")
PEOPLE = ("students", "guests", "children", "players", "visitors", "members")
THINGS = ("coat", "lamp", "bike", "chair", "watch", "tent", "drum", "phone", "table", "guitar")


def plan(draft: Draft) -> Plan:
    """A price, or a group of people."""
    return _price(draft) if draft.rng.random() < 0.55 else _group(draft)


def _whole(draft: Draft, share: int, largest: int) -> int:
    """A whole of which the share is a whole number."""
    return draft.rng.choice([n for n in range(20, largest + 1, 4) if share * n % 100 == 0])


def _price(draft: Draft) -> Plan:
    rng = draft.rng
    who = wordings.names(rng, 1)[0]
    thing = wordings.invented(rng) if rng.random() < 0.15 else rng.choice(THINGS)
    share, less = rng.choice(SHARES), rng.random() < 0.6
    price = _whole(draft, share, 120)
    draft.tell(PRICE, thing=thing, a=price, who=who)
    draft.tell(OFF_TOLD if less else ON_TOLD, b=share, who=who)
    cost = draft.premise(price, "a price of {v} dollars")
    of = draft.premise(share, "a discount of {v}%" if less else "an extra of {v}%")
    part = draft.step("%", of, cost, says=SHARE, unit="dollars", units=("percent",))
    amount = price - price * share // 100 if less else price + price * share // 100
    frame = draft.word(ON if less else OFF)
    now = draft.step("-" if less else "+", cost, part, says=OFF if less else ON, unit="dollars", skip=0,
                     reverse=("+" if less else "-", frame, "contradiction"), units=("percent",))  # fmt: skip
    draft.check(0.15)
    goals = ["the discount" if less else "the extra", "the new price"]
    if rng.random() < 0.5:
        fee = rng.randint(2, 15)
        draft.tell(FEE_TOLD, b=fee, who=who)
        now = draft.step("+", now, draft.premise(fee, "a fee of {v} dollars"), says=FEE, unit="dollars", skip=0,
                         reverse=("-", draft.word(NO_FEE), "contradiction"), units=("percent",))  # fmt: skip
        amount += fee
        goals.append("the price with the fee")
    if amount <= 40 and rng.random() < 0.6:
        count = rng.randint(2, 4)
        draft.tell(COUNT_TOLD, b=count, who=who)
        now = draft.step("*", now, draft.premise(count, "{v} pieces"), says=TIMES, unit="dollars", skip=0,
                         units=("pieces",), pattern=INTEGRATION)  # fmt: skip
        amount *= count
        goals.append("the price of all pieces")
    _price_end(draft, now, amount, who, goals)
    return draft.done("percent")


def _price_end(draft: Draft, now: Cell, amount: int, who: str, goals: list[str]) -> None:
    if draft.rng.random() < 0.25:
        bar = max(2, amount + draft.rng.choice((-10, -6, -3, 3, 6, 10)))
        draft.tell(ENOUGH_TOLD, b=bar, who=who)
        over = f"whether it is more than {bar} dollars"
        draft.opening([*goals, over], over, "the price before any change")
        draft.step("more", now, draft.premise(bar), says=wordings.ENOUGH, pattern=INTEGRATION)
        return
    draft.tell(ASK_PRICE, who=who)
    draft.opening(goals, "the final price", "the price before any change")
    draft.answer(now, "dollars", END_PRICE, units=("percent",), who=who)


def _group(draft: Draft) -> Plan:
    rng = draft.rng
    u = rng.choice(PEOPLE)
    first, second = rng.sample(DOINGS, 2)
    share = rng.choice(SHARES[1:])
    size = _whole(draft, share, 200)
    draft.tell(GROUP, a=size, u=u)
    draft.tell(PART_TOLD, b=share, do=first)
    whole, of = draft.premise(size, f"{{v}} {u}"), draft.premise(share, f"{{v}}% who {first}")
    part = draft.step("%", of, whole, says=PART, unit=u, units=("percent",), do=first)
    rest = size - size * share // 100
    left = draft.step("-", whole, part, says=REST, unit=u, skip=0, units=("percent",))
    draft.check(0.15)
    goals = [f"those who {first}", "the others"]
    options = [s for s in SHARES if s * rest % 100 == 0]
    if not options:
        draft.tell(ASK_OTHERS, u=u)
        draft.opening(goals, "those who are left", f"those who {first}")
        draft.answer(left, u, END, units=("percent",))
        return draft.done("percent")
    share = rng.choice(options)
    draft.tell(REST_TOLD, b=share, do=second)
    of = draft.premise(share, f"{{v}}% of the others who {second}")
    part = draft.step("%", of, left, says=PART, unit=u, units=("percent",), do=second)
    if rng.random() < 0.5:
        left = draft.step("-", left, part, says=REST, unit=u, skip=0, units=("percent",))
        draft.tell(ASK_OTHERS, u=u)
        draft.opening([*goals, f"those who {second}", "who is left"], "those who do neither", f"those who {second}")
        draft.answer(left, u, END, units=("percent",))
    else:
        draft.tell(ASK_LAST, u=u, do=second)
        draft.opening([*goals, f"those who {second}"], f"those who {second}", f"those who {first}")
        draft.answer(part, u, END, units=("percent",))
    return draft.done("percent")
