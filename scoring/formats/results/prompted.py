r"""What harnesses that run any prompt keep: which case a prompt asks about, and the answers to it, which vote.

Such a harness knows nothing of steps. Where it repeats the prompt, and that is ProcessBench's, the problem and the
steps stand in it: `[Math Problem]`, the problem, `[Solution]`, and each step between `<paragraph_i>` and
`</paragraph_i>`, i from 0 (arXiv 2412.06559, `templates/critique_template.txt`). No other prompt is taken apart.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import polars as pl

from scoring.formats.reading.fields import Fields
from scoring.formats.results.model_outputs import message_text
from scoring.formats.results.result_format import RESULT_COLUMNS, ResultRow

_PROBLEM, _SOLUTION, _BETWEEN = "[Math Problem]\n\n", "\n\n[Solution]\n\n", "\n\n"
_OF_AN_ANSWER = ("answer", "reasoning", "finish_reason", "tokens_in", "tokens_out", "reason")
ANSWERS = pl.List(pl.Struct({name: RESULT_COLUMNS[name] for name in _OF_AN_ANSWER}))
"""dtype of the answers to one prompt, in the order in which they vote: see `ResultFormat.votes`."""


class AskedCase(NamedTuple):
    """The problem of a prompt and the steps that it shows."""

    problem: str
    steps: list[str]


def asked_case(prompt: str) -> AskedCase | None:
    """Take the case out of a prompt of ProcessBench's form; None of any other.

    Steps are read in their order from the first on, each up to its own closing tag: what follows the last one, such as
    instructions, is none.
    """
    heading, first = prompt.rfind(_PROBLEM), prompt.rfind(f"{_SOLUTION}<paragraph_0>")
    if not 0 <= heading < first:
        return None
    steps: list[str] = []
    at = first + len(_SOLUTION)
    while prompt.startswith(opening := f"<paragraph_{len(steps)}>\n", at):
        end = prompt.find(f"\n</paragraph_{len(steps)}>", at + len(opening) - 1)
        if end < 0:
            return None
        # Of an empty step both breaks are one.
        steps.append(prompt[at + len(opening) : end])
        at = end + len(f"\n</paragraph_{len(steps) - 1}>")
        at += len(_BETWEEN) if prompt.startswith(_BETWEEN, at) else 0
    return AskedCase(prompt[heading + len(_PROBLEM) : first], steps) if steps else None


def case_of_prompts(fields: Fields, prompts: Iterable[str]) -> ResultRow:
    """Return the columns `problem` and `steps` of the last prompt that shows a case; none where no prompt does."""
    cases = [case for prompt in prompts if (case := asked_case(prompt)) is not None]
    if not cases:
        return {}
    texts = fields.of({"problem": cases[-1].problem, "steps": cases[-1].steps})
    return {"problem": texts.text("problem"), "steps": texts.texts("steps")}


def texts_of_messages(value: Any) -> list[str]:
    """Return the texts in a prompt: of a plain one that text, of a conversation those of its messages.

    Messages hold their text as `content` (a text, or parts) or, in OpenCompass, as `prompt`.
    """
    if isinstance(value, str):
        return [value]
    messages = value if isinstance(value, list) else [value]
    texts = [
        message.get("prompt") if isinstance(message.get("prompt"), str) else message_text(message)
        for message in messages
        if isinstance(message, Mapping)
    ]
    return [text for text in texts if isinstance(text, str)]


def plain_answers(fields: Fields, values: Iterable[Any], name: str, otherwise: str) -> list[ResultRow]:
    """Return one answer for each value, a text; what is no text has the reason why not.

    Args:
        fields: the row, for what is odd about a text.
        values: the answers.
        name: what the field is called.
        otherwise: the reason where a value is no text.
    """
    answers = []
    for number, value in enumerate(values):
        label = f"{name}[{number}]"
        answer = fields.of({label: value}).text(label) if isinstance(value, str) else None
        answers.append({"answer": answer, "reason": None if answer is not None else otherwise})
    return answers


def without_answer(fields: Fields, reason: str) -> list[ResultRow]:
    """Return the one place of an answer that is not there, and warn of it."""
    fields.note("warning", "no-answer", reason)
    return [{"reason": reason}]
