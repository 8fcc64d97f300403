"""Stories about things that come and go, and about who has more."""

from generator import wordings
from generator.draft import Draft
from generator.plan import INTEGRATION, Cell, Plan

START = (
    "{who} has {a} {u}.",
    "{who} owns {a} {u}.",
    "at first {who} has {a} {u}.",
    "in the morning {who} has {a} {u}.",
    "{who} starts with {a} {u}.",
    "there are {a} {u} in the hands of {who}.",
)
GAINS = (
    "buys {b} more",
    "finds {b} more",
    "gets {b} from a friend",
    "wins {b} more",
    "picks up {b} more",
    "is handed another {b}",
)
LOSSES = (
    "gives away {b}",
    "loses {b}",
    "sells {b}",
    "hands {b} to a friend",
    "throws away {b}",
    "parts with {b} of them",
)
TOLD = (
    "then {who} {event}.",
    "later {who} {event}.",
    "on the next day {who} {event}.",
    "after lunch {who} {event}.",
    "soon after that {who} {event}.",
    "it also happens that {who} {event}.",
)
FRAMES = (
    "{who} {event}, so there are {eq} {u}.",
    "after {who} {event} there are {eq} {u}.",
    "since {who} {event}, the number is {eq} {u}.",
    "{who} {event}, which makes {eq} {u}.",
    "when {who} {event}, we get {eq} {u}.",
    "because {who} {event}, we are at {eq} {u}.",
)
BOXES_TOLD = (
    "then {who} buys {a} {box} with {b} {u} in each.",
    "later {who} gets {a} {box} of {b} {u} each.",
    "a friend brings {who} {a} {box}, each with {b} {u}.",
    "in the evening {who} finds {a} {box} with {b} {u} in each.",
    "someone also leaves {who} {a} {box} of {b} {u} apiece.",
)
BOXES_HOLD = (
    "the {a} {box} with {b} {u} each hold {eq} {u}.",
    "{a} {box} of {b} {u} make {eq} {u}.",
    "in {a} {box} with {b} in each there are {eq} {u}.",
    "with {b} {u} in each of {a} {box}, that is {eq} {u}.",
    "all {a} {box} of {b} together contain {eq} {u}.",
)
BOXES_IN = (
    "adding the {b} {u} gives {eq} {u}.",
    "with those {b} {u} there are {eq} {u}.",
    "the {b} {u} come on top: {eq} {u}.",
    "together with the {b} {u} we have {eq} {u}.",
    "counting the {b} {u} in, it is {eq} {u}.",
)
BOXES_OUT = (
    "taking away the {b} {u} gives {eq} {u}.",
    "without those {b} {u} there are {eq} {u}.",
    "the {b} {u} go away: {eq} {u}.",
    "after giving up the {b} {u} we have {eq} {u}.",
    "leaving the {b} {u} out, it is {eq} {u}.",
)
SHARE_TOLD = (
    "at last {who} shares them equally among {b} friends.",
    "in the end {who} divides them equally among {b} children.",
    "finally {who} splits them into {b} equal heaps.",
    "to finish, {who} makes {b} equal groups of them.",
)
SHARE = (
    "dividing by {b} gives {eq} {u} each.",
    "split equally in {b}, this is {eq} {u} each.",
    "each of the {b} parts has {eq} {u}.",
    "one of {b} equal parts is {eq} {u}.",
    "shared fairly among {b}, it comes to {eq} {u} each.",
)
ASK = (
    "how many {u} does {who} have in the end?",
    "how many {u} are there now?",
    "find the number of {u} in the end.",
    "what is the final number of {u}?",
    "with how many {u} is {who} left?",
)
ASK_SHARE = (
    "how many {u} are in each part?",
    "how many {u} is that for each?",
    "find the number of {u} in one part.",
    "what does each part come to in {u}?",
)
ASK_ENOUGH = (
    "does {who} have more than {b} {u} in the end?",
    "is the final number of {u} more than {b}?",
    "are there more than {b} {u} in the end?",
    "is {who} left with over {b} {u}?",
)
END = (
    "{who} has {r} {u} in the end.",
    "there are {r} {u} now.",
    "the final number is {r}.",
    "it comes to {r} {u}.",
    "what {who} is left with is {r} {u}.",
)
END_SHARE = ("each part has {r} {u}.", "that is {r} {u} for each.", "it comes to {r} {u} each.", "one part is {r} {u}.")

MORE_TOLD = (
    "{other} has {b} more {u} than {who}.",
    "{other} owns {b} {u} more than {who}.",
    "compared with {who}, {other} has {b} more.",
    "{other} is {b} {u} ahead of {who}.",
)
TIMES_TOLD = (
    "{other} has {b} times as many {u} as {who}.",
    "{other} owns {b} times as many as {who}.",
    "compared with {who}, {other} has {b} times as many.",
    "the {u} of {other} are {b} times those of {who}.",
)
MORE = (
    "{other} has {b} more than {who}, so {other} has {eq} {u}.",
    "with {b} more than {who}, {other} has {eq} {u}.",
    "{b} more than {who} means {eq} {u} for {other}.",
    "since it is {b} more than {who}, {other} is at {eq} {u}.",
)
FEWER = (
    "{other} has {b} fewer than {who}, so {other} has {eq} {u}.",
    "with {b} fewer than {who}, {other} has {eq} {u}.",
    "{b} fewer than {who} means {eq} {u} for {other}.",
    "since it is {b} fewer than {who}, {other} is at {eq} {u}.",
)
TIMES = (
    "{other} has {b} times as many as {who}, so {other} has {eq} {u}.",
    "with {b} times as many as {who}, {other} has {eq} {u}.",
    "{b} times the {u} of {who} make {eq} {u} for {other}.",
    "since it is {b} times what {who} has, {other} is at {eq} {u}.",
)
SUM = (
    "{who} and {other} together have {eq} {u}.",
    "adding both, {who} and {other} have {eq} {u}.",
    "the sum for {who} and {other} is {eq} {u}.",
    "{who} joined with {other} makes {eq} {u}.",
)
SUM_MORE = (
    "with {other} it is {eq} {u}.",
    "adding {other} gives {eq} {u}.",
    "including {other}, we have {eq} {u}.",
    "once {other} joins, it makes {eq} {u}.",
)
ASK_SUM = (
    "how many {u} do they have together?",
    "how many {u} do all of them have?",
    "find how many {u} they own in all.",
    "what is the total number of {u}?",
)
END_SUM = ("together they have {r} {u}.", "the total is {r} {u}.", "in all it is {r} {u}.", "they own {r} {u} in all.")


def plan(draft: Draft) -> Plan:
    """Things come and go, or, less often, friends are compared."""
    if not draft.long and draft.rng.random() < 0.3:
        return _friends(draft)
    return _events(draft)


def _events(draft: Draft) -> Plan:
    rng = draft.rng
    who, u = wordings.names(rng, 1)[0], wordings.item(rng)
    amount = rng.randint(12, 60)
    draft.tell(START, who=who, a=amount, u=u)
    now = draft.premise(amount, f"{{v}} {u} at the start")
    count = rng.randint(14, 19) if draft.long else rng.randint(2, 5)
    for _ in range(count):
        if rng.random() < 0.25 and amount < 60:
            now, amount = _boxes(draft, now, amount, who, u)
        else:
            now, amount = _event(draft, now, amount, who, u)
        draft.check(0.04 if draft.long else 0.12)
    _end(draft, now, amount, who, u)
    return draft.done("story")


def _event(draft: Draft, now: Cell, amount: int, who: str, u: str) -> tuple[Cell, int]:
    rng = draft.rng
    gain = amount < 33 or (amount < 90 and rng.random() < 0.5)
    change = rng.randint(3, 30)
    verbs, others = (GAINS, LOSSES) if gain else (LOSSES, GAINS)
    at = len(verbs) - 1 if draft.held_out else rng.randrange(len(verbs) - 1)
    frame = draft.word(FRAMES)
    draft.tell([line.replace("{event}", verbs[at]) for line in TOLD], who=who, b=change)
    cell = draft.step(
        "+" if gain else "-",
        now,
        draft.premise(change, "{v} more" if gain else "{v} fewer"),
        says=[line.replace("{event}", verbs[at]) for line in FRAMES],
        unit=u,
        skip=0,
        reverse=("-" if gain else "+", frame.replace("{event}", others[at]), "contradiction"),
        units=("dollars",),
        state=True,
        who=who,
    )
    return cell, amount + change if gain else amount - change


def _boxes(draft: Draft, now: Cell, amount: int, who: str, u: str) -> tuple[Cell, int]:
    rng = draft.rng
    box, count, each = rng.choice(wordings.BOXES), rng.randint(2, 9), rng.randint(2, 6)
    draft.tell(BOXES_TOLD, who=who, a=count, b=each, box=box, u=u)
    cells = draft.premise(count, f"{{v}} {box}"), draft.premise(each, f"{{v}} {u} in each of the {box}")
    held = draft.step("*", *cells, says=BOXES_HOLD, unit=u, units=(box,), box=box)
    frame = draft.word(BOXES_OUT)
    cell = draft.step("+", now, held, says=BOXES_IN, unit=u, skip=0, units=(box,), box=box,
                      reverse=("-", frame, "contradiction"))  # fmt: skip
    return cell, amount + count * each


def _end(draft: Draft, now: Cell, amount: int, who: str, u: str) -> None:
    rng = draft.rng
    parts = [k for k in range(2, 10) if amount % k == 0 and amount // k >= 2]
    kind = rng.random()
    if parts and kind < 0.3:
        count = rng.choice(parts)
        draft.tell(SHARE_TOLD, who=who, b=count)
        each = draft.step("/", now, draft.premise(count), says=SHARE, unit=u, skip=0, units=("parts",))
        draft.check(0.15)
        draft.tell(ASK_SHARE, u=u)
        draft.opening(goal=f"the number of {u} in each part", other_goal=f"the number of {u} in the end")
        draft.answer(each, u, END_SHARE, units=("parts",), who=who)
    elif kind < 0.5:
        bar = max(2, amount + rng.choice((-12, -7, -4, 4, 7, 12)))
        draft.tell(ASK_ENOUGH, who=who, b=bar, u=u)
        draft.opening(
            goal=f"whether there are more than {bar} {u}", other_goal=f"whether there are fewer than {bar} {u}"
        )
        draft.step("more", now, draft.premise(bar), says=wordings.ENOUGH, pattern=INTEGRATION)
    else:
        draft.tell(ASK, who=who, u=u)
        draft.opening(goal=f"the number of {u} in the end", other_goal=f"the number of {u} at the start")
        draft.answer(now, u, END, units=("dollars",), who=who)


def _friends(draft: Draft) -> Plan:
    rng = draft.rng
    count = rng.randint(2, 4)
    people, u = wordings.names(rng, count), wordings.item(rng)
    amount = rng.randint(4, 12)
    draft.tell(START, who=people[0], a=amount, u=u)
    cells, amounts = [draft.premise(amount, f"{{v}} {u} for {people[0]}")], [amount]
    for i in range(1, count):
        who, other = people[i - 1], people[i]
        if rng.random() < 0.45 and amounts[-1] <= 15:
            times = rng.randint(2, 4 if amounts[-1] > 9 else 6)
            draft.tell(TIMES_TOLD, who=who, other=other, b=times, u=u)
            cells.append(draft.step("*", cells[-1], draft.premise(times), says=TIMES, unit=u, skip=0, who=who,
                                    other=other, units=("dollars",)))  # fmt: skip
            amounts.append(amounts[-1] * times)
        else:
            more = rng.randint(2, 9)
            draft.tell(MORE_TOLD, who=who, other=other, b=more, u=u)
            cells.append(draft.step("+", cells[-1], draft.premise(more), says=MORE, unit=u, skip=0, state=True, who=who,
                                    other=other, reverse=("-", draft.word(FEWER), "contradiction")))  # fmt: skip
            amounts.append(amounts[-1] + more)
        draft.check(0.1)
    total = draft.step("+", cells[0], cells[1], says=SUM, unit=u, pattern=INTEGRATION, who=people[0], other=people[1])
    for i in range(2, count):
        total = draft.step("+", total, cells[i], says=SUM_MORE, unit=u, pattern=INTEGRATION, skip=0, other=people[i])
    draft.tell(ASK_SUM, u=u)
    goals = [f"what {name} has" for name in people[1:]]
    draft.opening([*goals, "the total"], "the total of all", f"what {people[-1]} has")
    draft.answer(total, u, END_SUM, units=("dollars",))
    return draft.done("story")
