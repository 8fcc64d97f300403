"""The endless stream: cases with a label for every step, and the same as examples for training, mixed with drills.

Case number `i` of a seed depends on the seed, `i` and `held_out` alone, so any part of the stream can be made again
without the rest. The demo takes its generated cases from `make`, and the training set of a PRM is `examples`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from random import Random

from generator import kinds
from generator.draft import Draft
from generator.drills import PROBLEM, drill, first_difference
from generator.errors import edits
from generator.families import CAN_BE_LONG, FAMILIES
from generator.plan import Edit, Line, Plan, evaluate
from generator.render import VOICES, texts

ERROR_WEIGHTS = {
    kinds.CALCULATION_SLIP: 16,
    kinds.WRONG_OPERATION: 6,
    kinds.CARRIED_OVER: 14,
    kinds.MISREAD_PREMISE: 14,
    kinds.MISREAD_QUESTION: 2,
    kinds.DROPPED_PREMISE: 10,
    kinds.CONTRADICTION: 10,
    kinds.WRONG_UNIT: 12,
    kinds.REDUNDANT_STEP: 10,
    kinds.WRONG_PLAN: 3,
    kinds.INVALID_CONCLUSION: 10,
    kinds.FAULTY_CHECK: 2,
    kinds.FAULTY_CORRECTION: 2,
}
"""How often each error type is tried."""

VOICE_WEIGHTS = (6, 2, 2)
ATTEMPTS = 40


@dataclass(frozen=True)
class Case:
    """One problem with its solution.

    `labels` has one entry a step: True right, False wrong, None after the first error, where "right" has no clear
    meaning. `bad_from` is the character of the wrong step at which it first differs from what the right solution says
    (0 for an inserted step), -1 where nothing is wrong. `modified` are the 0-based steps that differ from
    `original`; both are empty for a clean case. Steps are 0-based and -1 is "no error".
    """

    family: str
    voice: str
    problem: str
    steps: tuple[str, ...]
    labels: tuple[bool | None, ...]
    earliest_error: int
    bad_from: int
    error: str
    kind: str
    pattern: str
    reason: str
    original: tuple[str, ...]
    modified: tuple[int, ...]
    final_answer_correct: bool

    @property
    def erroneous(self) -> bool:
        """Whether a step is wrong."""
        return self.earliest_error >= 0


@dataclass(frozen=True)
class Example:
    """What a PRM is trained on. Every tuple has one entry a step.

    `labels`: True right, False wrong, None = no label. `bad_from`: the character from which a wrong step is wrong, -1
    otherwise. `result_from`: the character at which the result of the step's last equation begins, -1 without one.
    """

    problem: str
    steps: tuple[str, ...]
    labels: tuple[bool | None, ...]
    bad_from: tuple[int, ...]
    result_from: tuple[int, ...]
    drill: bool


def examples(
    seed: int, *, held_out: bool = False, drills: Callable[[int], float] = lambda _index: 0.15
) -> Iterator[Example]:
    """Training examples without end. `drills(i)` is the probability that example number `i` is a drill.

    Those that are cases are the cases of the same seed and number, whatever `drills` says of the others.
    """
    for index in count():
        rng = Random(f"{seed}/{index}/{held_out}/drill")
        if rng.random() < drills(index):
            made = drill(rng, rng.choices(VOICES, VOICE_WEIGHTS)[0])
            yield Example(PROBLEM, made.steps, made.labels, made.bad_from, _results(made.steps), drill=True)
        else:
            one = case(seed, index, held_out=held_out)
            bad_from = tuple(one.bad_from if i == one.earliest_error else -1 for i in range(len(one.steps)))
            yield Example(one.problem, one.steps, one.labels, bad_from, _results(one.steps), drill=False)


def _results(steps: tuple[str, ...]) -> tuple[int, ...]:
    """Where the text after each step's last equality sign begins."""
    signs = (step.rfind(" = ") for step in steps)
    return tuple(at + 3 if at >= 0 else -1 for at in signs)


def cases(seed: int, *, held_out: bool = False) -> Iterator[Case]:
    """Cases without end, about two in three with an error, one in fifty long; `held_out` for the held-out wordings."""
    for index in count():
        yield case(seed, index, held_out=held_out)


def case(seed: int, index: int, *, held_out: bool = False) -> Case:
    """Case number `index` of the stream with this seed."""
    rng = Random(f"{seed}/{index}/{held_out}")
    clean = rng.random() < 0.33
    long = rng.random() < 0.02
    voice = rng.choices(VOICES, VOICE_WEIGHTS)[0]
    error = "" if clean else rng.choices(list(ERROR_WEIGHTS), list(ERROR_WEIGHTS.values()))[0]
    while True:
        family = rng.choice(CAN_BE_LONG if long else tuple(FAMILIES))
        made = make(rng, family, voice, error, held_out=held_out, long=long)
        if made is not None:
            return made


def make(
    rng: Random, family: str, voice: str, error: str, *, held_out: bool = False, long: bool = False
) -> Case | None:
    """One case of this family, voice and error type ("" = clean), or None if it does not come about in `ATTEMPTS`."""
    for _ in range(ATTEMPTS):
        plan = FAMILIES[family](Draft(rng, voice, held_out=held_out, long=long))
        lines = evaluate(plan)
        if lines is None:
            raise ValueError(f"the right solution of a {family} problem cannot be evaluated: {plan}")
        if not error:
            return _clean(plan, lines)
        for edit in edits(plan, lines, error, rng):
            made = _erroneous(plan, lines, edit)
            if made is not None:
                return made
    return None


def _clean(plan: Plan, lines: tuple[Line, ...]) -> Case:
    steps = texts(lines, plan)
    return Case(
        plan.family, plan.voice, plan.problem, steps, (True,) * len(steps), -1, -1, "", "", "", "", (), (), True
    )


def _erroneous(plan: Plan, lines: tuple[Line, ...], edit: Edit) -> Case | None:
    """The case after the edit; None if it cannot be evaluated or the wrong step reads like the right one."""
    changed = evaluate(plan, edit)
    if changed is None:
        return None
    original, steps = texts(lines, plan), texts(changed, plan)
    right = {line.step.id: text for line, text in zip(lines, original, strict=True)}
    at = next(i for i, line in enumerate(changed) if line.step.id == edit.at)
    differ = tuple(i for i, line in enumerate(changed) if steps[i] != right.get(line.step.id))
    if at not in differ or differ[0] != at or _check_fails(changed, edit):
        return None
    was = right.get(edit.at, "")
    last, end = changed[-1], lines[-1]
    return Case(
        family=plan.family,
        voice=plan.voice,
        problem=plan.problem,
        steps=steps,
        labels=tuple(None if i > at else i < at for i in range(len(steps))),
        earliest_error=at,
        bad_from=first_difference(was, steps[at]) if was else 0,
        error=edit.error,
        kind=edit.kind,
        pattern=changed[at].step.pattern,
        reason=edit.reason,
        original=original,
        modified=differ,
        final_answer_correct=(last.result, last.unit) == (end.result, end.unit),
    )


def _check_fails(lines: tuple[Line, ...], edit: Edit) -> bool:
    """Whether a later check would claim to agree and does not, which would be a second error."""
    first_operand = {line.step.cell: line.values[0] for line in lines if line.values}
    return any(
        line.step.id != edit.at and line.result != first_operand.get(line.step.target)
        for line in lines
        if line.step.target
    )
