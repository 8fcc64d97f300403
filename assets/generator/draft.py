"""What a family writes on: sentences of the problem, premises and steps in order, until the plan is done."""

from collections.abc import Sequence
from random import Random

from msgspec.structs import replace

from generator import wordings
from generator.plan import (
    DECOMPOSITION,
    DEDUCTION,
    INTEGRATION,
    REGATHER,
    TRANSFORMATION,
    VERIFICATION,
    Cell,
    Flaw,
    Plan,
    Reverse,
    Step,
    Value,
)
from generator.render import math

INVERSE = {"+": "-", "-": "+", "*": "/", "/": "*"}


class Draft:
    """A plan while it is being written.

    Args:
        rng: where every choice comes from.
        voice: one of `generator.render.VOICES`.
        held_out: take the held-out wordings only.
        long: the family should write many steps (15 to 24), where it can.
    """

    def __init__(self, rng: Random, voice: str, *, held_out: bool = False, long: bool = False) -> None:
        self.rng = rng
        self.voice = voice
        self.held_out = held_out
        self.long = long
        self._problem: list[str] = []
        self._premises: dict[Cell, Value] = {}
        self._notes: dict[Cell, str] = {}
        self._known: set[Cell] = set()
        self._opening: list[Step] = []
        self._steps: list[Step] = []

    def word(self, options: Sequence[str]) -> str:
        """One wording of a list."""
        return wordings.pick(self.rng, options, held_out=self.held_out)

    def math(self, ascii_form: str) -> str:
        """A formula as this draft's voice writes it."""
        return math(self.voice, ascii_form)

    def tell(self, options: Sequence[str], /, **fields: object) -> None:
        """Add one sentence to the problem."""
        text = self.word(options).format_map(fields)
        self._problem.append(text[:1].upper() + text[1:])

    def premise(self, value: Value, note: str = "") -> Cell:
        """A value the problem gives; `note` says it in a list of facts (`{v} stamps at the start`)."""
        cell = f"p{len(self._premises)}"
        self._premises[cell] = value
        if note:
            self._notes[cell] = note
        return cell

    def knowledge(self, value: Value) -> Cell:
        """A value everybody knows and the problem does not give."""
        cell = self.premise(value)
        self._known.add(cell)
        return cell

    def step(
        self,
        op: str,
        /,
        *operands: Cell,
        says: Sequence[str],
        pattern: str = DEDUCTION,
        unit: str = "",
        skip: int | None = None,
        reverse: tuple[str, str, str] | None = None,
        units: Sequence[str] = (),
        choices: Sequence[Value] = (),
        state: bool = False,
        **names: str,
    ) -> Cell:
        """Add one step and return the cell of its result; `reverse` is (operation, sentence, error type)."""
        text = self.word(says)
        others = [option for option in says[:-1] if option != text]
        step = Step(
            id=len(self._steps),
            op=op,
            operands=operands,
            text=text,
            again=text if self.held_out else self.rng.choice(others),
            pattern=pattern,
            unit=unit,
            names=names,
            skip=skip,
            reverse=Reverse(*reverse) if reverse else None,
            units=tuple(name for name in units if name != unit),
            choices=tuple(choices),
            state=state,
        )
        self._steps.append(step)
        return step.cell

    def answer(
        self,
        cell: Cell,
        unit: str = "",
        sentence: Sequence[str] = (),
        *,
        units: Sequence[str] = (),
        choices: Sequence[Value] = (),
        **names: str,
    ) -> None:
        """The last step: a sentence of the family's own, if any, and the answer."""
        pairs = [(own, answer) for own in sentence[:-1] for answer in wordings.ANSWER[:-1]]
        pairs += [(own, wordings.ANSWER[-1]) for own in sentence[-1:]]
        says = [f"{own} {answer[:1].upper()}{answer[1:]}" for own, answer in pairs] or wordings.ANSWER
        self.step("say", cell, says=says, pattern=INTEGRATION, unit=unit, units=units, choices=choices)
        self._steps[-1] = replace(self._steps[-1], names=names)

    def check(self, share: float = 0.2) -> None:
        """Now and then, check the last arithmetic step by going back from its result to its first operand."""
        step = self._steps[-1]
        if self.rng.random() >= share or step.op not in INVERSE or len(step.operands) < 2:
            return
        self.step(INVERSE[step.op], step.cell, step.operands[1], says=wordings.CHECK, pattern=VERIFICATION)
        at = wordings.CHECK.index(self._steps[-1].text)
        flaws = (
            Flaw("faulty check", "detection", wordings.FALSE_ALARM[at], ""),
            Flaw("faulty correction", "correction", wordings.FALSE_REPAIR[at], ""),
        )
        self._steps[-1] = replace(self._steps[-1], flaws=flaws, target=step.cell)

    def opening(self, goals: Sequence[str] = (), goal: str = "", other_goal: str = "") -> None:
        """Now and then, steps before the first computation: the question again, the facts, the parts.

        `goals` are the parts in their order, `goal` is what is asked and `other_goal` something else that is not.
        """
        if goal and other_goal and self.rng.random() < 0.18:
            wording = self.word(wordings.RESTATE)
            flaw = Flaw("misread question", "inconsistency", wording.replace("{goal}", other_goal),
                        f"The problem asks for {goal}, not for {other_goal}.")  # fmt: skip
            self._open("words", wording.replace("{goal}", goal), TRANSFORMATION, flaws=(flaw,))
        noted = [cell for cell in self._premises if cell in self._notes]
        if noted and self.rng.random() < 0.3:
            cells = tuple(noted[:3])
            self._open("given", self.word(wordings.GIVEN), REGATHER, cells, tuple(self._notes[c] for c in cells))
        if len(goals) > 1 and self.rng.random() < 0.25:
            wording = self.word(wordings.PARTS)
            self._open("words", wording.replace("{goals}", _listed(goals)), DECOMPOSITION, flaws=_plans(wording, goals))

    def _open(self, op: str, text: str, pattern: str, operands: tuple[Cell, ...] = (), notes: tuple[str, ...] = (),
              flaws: tuple[Flaw, ...] = ()) -> None:  # fmt: skip
        id_ = 900 + len(self._opening)
        self._opening.append(Step(id_, op, operands, text, text, pattern, notes=notes, flaws=flaws))

    def done(self, family: str) -> Plan:
        """The plan, with a lead ("Next, ") for each step."""
        last = len(self._steps) - 1
        led: list[Step] = []
        for i, step in enumerate(self._steps):
            before = led[-1].lead if led else ""
            lead = self.word(self._leads(i, last))
            led.append(replace(step, lead="" if lead == before else lead))
        problem = " ".join(self._problem)
        return Plan(family, self.voice, problem, self._premises, frozenset(self._known), (*self._opening, *led))

    def _leads(self, index: int, last: int) -> Sequence[str]:
        if index == last:
            return wordings.LAST_LEADS[self.voice]
        return (wordings.LEADS if index or self._opening else wordings.FIRST_LEADS)[self.voice]


def _listed(goals: Sequence[str]) -> str:
    return "first " + ", then ".join(goals)


def _plans(wording: str, goals: Sequence[str]) -> tuple[Flaw, ...]:
    """Wrong divisions of the problem: one part is missing, or one is there twice."""
    flaws = []
    for i, part in enumerate(goals):
        rest = [*goals[:i], *goals[i + 1 :]]
        flaws.append(Flaw("wrong plan", "incompleteness", wording.replace("{goals}", _listed(rest)),
                          f"The plan leaves out a part that is needed: {part}."))  # fmt: skip
        twice = [*goals[: i + 1], f"{part} once more", *goals[i + 1 :]]
        flaws.append(Flaw("wrong plan", "redundancy", wording.replace("{goals}", _listed(twice)),
                          f"The plan has the same part twice: {part}."))  # fmt: skip
    if len(goals) > 2:
        swapped = [*goals[:-2], goals[-1], goals[-2]]
        flaws.append(Flaw("wrong plan", "unsoundness", wording.replace("{goals}", _listed(swapped)),
                          f"The plan is out of order: {goals[-1]} needs {goals[-2]} first."))  # fmt: skip
    return tuple(flaws)
