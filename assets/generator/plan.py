"""A solution before it is words: premises, typed steps, and what becomes of the values when one step is changed."""

from collections.abc import Callable, Mapping

from msgspec import Struct, field

Value = int | str | tuple[str, ...] | Mapping[str, str | int]
"""A number, a word, an order of names from first to last, or a table of rules."""

Cell = str
"""Where a value stands: `p0`, `p1`, ... are premises, `s0`, `s1`, ... what the step of that id found."""

TRANSFORMATION = "Transformation"
DECOMPOSITION = "Decomposition"
REGATHER = "Regather"
DEDUCTION = "Deduction"
VERIFICATION = "Verification"
INTEGRATION = "Integration"

LARGEST = 250
"""No number in a solution passes this; a changed solution that would is thrown away."""


class Reverse(Struct, frozen=True):
    """The same step with the opposite operation: what it would say, and as which error type that counts."""

    op: str
    text: str
    error: str


class Flaw(Struct, frozen=True):
    """A wrong way of saying a step that holds no value: the error type, its kind, the sentence and what is wrong."""

    error: str
    kind: str
    text: str
    reason: str


class Step(Struct, frozen=True):
    """One typed step.

    `operands` are cells; an operation reads as many as it needs and the sentence may name the rest. `text` and `again`
    are two wordings of the same thing with fields of `generator.render`. The other attributes say how the step can go
    wrong: `skip` is the operand that stands in for the result when the step is left out, `reverse` the opposite
    operation, `units` what the unit is mistaken for, `choices` what a result that is no number is mistaken for,
    `flaws` wrong sentences, `target` the cell which a check is about. `state` marks a step that says how things stand
    at its moment, so that no later step can make up for one that is missing before it.
    """

    id: int
    op: str
    operands: tuple[Cell, ...]
    text: str
    again: str
    pattern: str = DEDUCTION
    unit: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    skip: int | None = None
    reverse: Reverse | None = None
    units: tuple[str, ...] = ()
    choices: tuple[Value, ...] = ()
    flaws: tuple[Flaw, ...] = ()
    target: Cell = ""
    state: bool = False
    lead: str = ""

    @property
    def cell(self) -> Cell:
        """Where the result stands."""
        return f"s{self.id}"


class Plan(Struct, frozen=True):
    """A problem and its right solution; the last step states the answer.

    `known` are premises that are common knowledge and do not stand in the problem (a week has 7 days).
    """

    family: str
    voice: str
    problem: str
    premises: Mapping[Cell, Value]
    known: frozenset[Cell]
    steps: tuple[Step, ...]


class Edit(Struct, frozen=True):
    """One change to a plan. `at` is the id of the step that becomes wrong.

    `operands` (by position), `result`, `op`, `unit` and `text` replace what that step has; `drop` is the id of a step
    that is left out; `insert` is a new step, put after the step with id `after`; `later` are cells that hold another
    value once the step is done.
    """

    error: str
    kind: str
    reason: str
    at: int
    operands: Mapping[int, Value] = field(default_factory=dict)
    result: Value | None = None
    op: str = ""
    unit: str = ""
    text: str = ""
    drop: int | None = None
    insert: Step | None = None
    after: int | None = None
    later: Mapping[Cell, Value] = field(default_factory=dict)


class Line(Struct, frozen=True):
    """A step with its values: what is read, what comes out, in which unit and in which words."""

    step: Step
    op: str
    values: tuple[Value, ...]
    result: Value
    unit: str
    text: str


def evaluate(plan: Plan, edit: Edit | None = None) -> tuple[Line, ...] | None:
    """The plan's steps with their values, after an edit if there is one.

    Everything after the changed step is computed from the changed values. None if that cannot be done: a division that
    leaves a remainder, a negative number, one above `LARGEST`, a name that is not there.
    """
    cells = dict(plan.premises)
    lines: list[Line] = []
    for step in _steps(plan, edit):
        if edit is not None and step.id == edit.drop and step.skip is not None:
            cells[step.cell] = cells[step.operands[step.skip]]
            continue
        change = edit if edit is not None and step.id == edit.at else None
        line = _line(step, cells, change)
        if line is None:
            return None
        lines.append(line)
        cells[step.cell] = line.result
        if change is not None:
            cells.update(change.later)
    return tuple(lines)


def _steps(plan: Plan, edit: Edit | None) -> tuple[Step, ...]:
    if edit is None or edit.insert is None:
        return plan.steps
    place = 1 + next(i for i, step in enumerate(plan.steps) if step.id == edit.after)
    return (*plan.steps[:place], edit.insert, *plan.steps[place:])


def _line(step: Step, cells: Mapping[Cell, Value], change: Edit | None) -> Line | None:
    values = [cells[cell] for cell in step.operands]
    op, result, unit, text = step.op, None, step.unit, step.text
    if change is not None:
        for position, value in change.operands.items():
            values[position] = value
        op, result = change.op or op, change.result
        unit, text = change.unit or unit, change.text or text
    found = OPERATIONS[op](*values)
    result = found if result is None else result
    if result is None or found is None or (isinstance(result, int) and not 0 <= result <= LARGEST):
        return None
    return Line(step, op, tuple(values), result, unit, text)


def _number(function: Callable[[int, int], int | None]) -> Callable[..., Value | None]:
    def operation(a: Value, b: Value, *_named: Value) -> Value | None:
        return function(a, b) if isinstance(a, int) and isinstance(b, int) else None

    return operation


def _quotient(a: int, b: int) -> int | None:
    return a // b if b and a % b == 0 else None


def _same(a: Value, *_named: Value) -> Value:
    return a


def _nothing(*_named: Value) -> Value:
    return ""


def _exception(_fact: Value, _table: Value, instead: Value) -> Value:
    return instead


def _lookup(fact: Value, table: Value, *_named: Value) -> Value | None:
    return table.get(fact) if isinstance(fact, str) and isinstance(table, Mapping) else None


def place(order: Value, clue: Value, *_named: Value) -> Value | None:
    """An order with the clue's new name put next to its known one; a clue (x, y) says that x comes before y.

    None unless exactly one of the two names is in the order already.
    """
    if not (isinstance(order, tuple) and isinstance(clue, tuple)):
        return None
    before, after = clue
    if (before in order) == (after in order):
        return None
    if before in order:
        at = order.index(before) + 1
        return (*order[:at], after, *order[at:])
    at = order.index(after)
    return (*order[:at], before, *order[at:])


def _end(pick: int) -> Callable[..., Value | None]:
    def operation(order: Value, *_named: Value) -> Value | None:
        return order[pick] if isinstance(order, tuple) else None

    return operation


OPERATIONS: Mapping[str, Callable[..., Value | None]] = {
    "+": _number(lambda a, b: a + b),
    "-": _number(lambda a, b: a - b),
    "*": _number(lambda a, b: a * b),
    "/": _number(_quotient),
    "%": _number(lambda share, whole: _quotient(share * whole, 100)),
    "more": _number(lambda a, b: None if a == b else int(a > b)),
    "say": _same,
    "given": _nothing,
    "words": _nothing,
    "lookup": _lookup,
    "except": _exception,
    "place": place,
    "first": _end(0),
    "last": _end(-1),
}
ARITHMETIC = frozenset("+-*/%")
