"""Typed steps to sentences: how each voice writes equations and answers."""

import re
from collections.abc import Mapping

from generator.plan import ARITHMETIC, Line, Plan, Value

VOICES = ("plain", "latex", "chatty")
"""Ways of writing a solution: ASCII operators; LaTeX between dollars with a boxed answer; × and ÷ and more talk."""

_DIVISION = re.compile(r"(\w+) / (\w+)")


def math(voice: str, ascii_form: str) -> str:
    """A formula in ASCII (`7 * 8 = 56`, `25% of 80`) as the voice writes it."""
    if voice == "chatty":
        return ascii_form.replace("*", "×").replace("/", "÷")
    if voice == "latex":
        text = _DIVISION.sub(r"\\frac{\1}{\2}", ascii_form)
        text = text.replace("% of ", r"\% \cdot ").replace("*", r"\times")
        return f"${text}$"
    return ascii_form


def say(value: Value) -> str:
    """A value as words stand it in a sentence: names of an order with commas."""
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def text_of(line: Line, voice: str) -> str:
    """The line's sentence, with its lead."""
    text = line.text.format_map(_fields(line, voice))
    if line.step.lead:
        text = line.step.lead + text
    return text[:1].upper() + text[1:]


def texts(lines: tuple[Line, ...], plan: Plan) -> tuple[str, ...]:
    """The sentences of all lines, in order."""
    return tuple(text_of(line, plan.voice) for line in lines)


def equation(line: Line) -> str:
    """The line's operation and result in ASCII, with what stands left of it (`3x`) if the step names such a thing."""
    a, b = say(line.values[0]), say(line.values[1])
    body = f"{a}% of {b}" if line.op == "%" else f"{a} {line.op} {b}"
    names: Mapping[str, str] = line.step.names
    left = (
        names["left"].format(c=say(line.values[2]) if len(line.values) > 2 else "") + " = " if "left" in names else ""
    )
    return f"{left}{body} = {say(line.result)}"


def _fields(line: Line, voice: str) -> dict[str, object]:
    fields: dict[str, object] = dict(line.step.names)
    fields.update(zip("abcd", (say(value) for value in line.values), strict=False))
    fields["r"] = say(line.result)
    fields["u"] = line.unit
    if line.op in ARITHMETIC:
        fields["eq"] = math(voice, equation(line))
    elif line.op == "more":
        a, b = line.values[:2]
        fields["rel"] = "more than" if isinstance(a, int) and isinstance(b, int) and a > b else "less than"
        fields["yes"] = "yes" if line.result else "no"
    elif line.op == "lookup":
        fact, table = line.values[:2]
        fields["q"] = table[fact] if isinstance(table, Mapping) and isinstance(fact, str) else ""
    elif line.op == "place":
        fields["x"], fields["y"] = line.values[1] if isinstance(line.values[1], tuple) else ("", "")
    elif line.step.notes:
        notes = [note.format(v=say(value)) for note, value in zip(line.step.notes, line.values, strict=True)]
        fields["notes"] = notes[0] if len(notes) == 1 else ", ".join(notes[:-1]) + " and " + notes[-1]
    fields["ans"] = _answer(line, voice)
    return fields


def _answer(line: Line, voice: str) -> str:
    result = say(line.result)
    if voice == "latex":
        shown = result if isinstance(line.result, int) else rf"\text{{{result}}}"
        return rf"$\boxed{{{shown}}}$" + (f" {line.unit}" if line.unit else "")
    return f"{result} {line.unit}".strip()
