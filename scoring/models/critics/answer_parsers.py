"""Which reader read an answer, and how an answer with its reasoning apart and its end is handed to one.

A reader's version changes whenever the same text may be read as something else. It is kept beside what was read, so
that readings of an older one are noticed and made again from the text (`scoring.runs.reparse`).
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from msgspec import Struct

from scoring.formats.reading.answer_reasoning import joined, opened, place_of_reasoning
from scoring.formats.reading.boxed_answers import read_grben, read_loosely, read_processbench
from scoring.formats.reading.critic_answers import NOTHING_THERE, ParseFault, Reading, Span, fault_of
from scoring.formats.reading.rated_answers import read_agentprocessbench, read_prmbench, read_socratic
from scoring.models.critics.protocols import CriticProtocol, Gives, ReadAnswer

READERS: dict[str, ReadAnswer] = {
    "processbench-1": read_processbench,
    "grben-1": read_grben,
    "prmbench-1": read_prmbench,
    "socratic-1": read_socratic,
    "agentprocessbench-1": read_agentprocessbench,
    "processbench-1-from-1": partial(read_processbench, base=1),
    "grben-1-from-0": partial(read_grben, base=0),
    "loose-2": read_loosely,
    "loose-2-from-1": partial(read_loosely, base=1),
}
"""Version -> reader. One whose prompt calls the first step otherwise than its benchmark does is a version apart."""
CORRECTED = {"loose-1": "loose-2", "loose-1-from-1": "loose-2-from-1"}
"""Version of before -> the one that reads on for scorers that were made by it."""


class Parser(Struct, frozen=True):
    """A way to find what an answer says, whatever its prompt calls the first step.

    `gives` is what it finds, `about` says how. `versions` are those in READERS, by what the prompt calls the first step
    (0 or 1).
    """

    gives: Gives
    about: str
    versions: Mapping[int, str]

    def version(self, base: int) -> str:
        """Return the version that reads answers to a prompt that calls the first step so."""
        return self.versions[base]

    def read(self, base: int) -> ReadAnswer:
        """Return its reader."""
        return READERS[self.version(base)]


PARSERS: dict[str, Parser] = {
    "processbench": Parser(
        "earliest error",
        r"the last \boxed{...} of all that was generated, if a whole number is all it holds",
        {0: "processbench-1", 1: "processbench-1-from-1"},
    ),
    "grben": Parser(
        "earliest error",
        r"the last \boxed{number} after the reasoning; other boxes do not count",
        {0: "grben-1-from-0", 1: "grben-1"},
    ),
    "loose": Parser(
        "earliest error",
        r"the one whole number in the last \boxed{...}, whatever words stand around it",
        {0: "loose-2", 1: "loose-2-from-1"},
    ),
    "prmbench": Parser(
        "step rewards",
        "a JSON object with validity and redundancy, a number a step",
        dict.fromkeys((0, 1), "prmbench-1"),
    ),
    "socratic": Parser(
        "step rewards", "a JSON object with validity, a number a step", dict.fromkeys((0, 1), "socratic-1")
    ),
    "agentprocessbench": Parser(
        "step labels",
        "a JSON object with step_labels: 1, 0 or -1 by the step's number, counted from 0",
        dict.fromkeys((0, 1), "agentprocessbench-1"),
    ),
}
"""The parsers by name; those of a benchmark have its name."""


def parser_of(protocol: CriticProtocol) -> str:
    """Return the name of the parser by which a protocol's answers are read."""
    return next(name for name, parser in PARSERS.items() if version(protocol.read) in parser.versions.values())


_CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})


def version(read: ReadAnswer) -> str:
    """Return the reader's name and version; of one that is not in READERS, where it is defined."""
    known = next((name for name, reader in READERS.items() if reader is read), None)
    return known or f"{read.__module__}:{getattr(read, '__qualname__', type(read).__qualname__)}"


def was_cut(finish_reason: str | None) -> bool:
    """Return whether the answer ended because it had no tokens left, in the words of any server."""
    return finish_reason is not None and finish_reason.lower() in _CUT


def read_answer(
    read: ReadAnswer,
    text: str,
    n_steps: int,
    *,
    reasoning: str | None = None,
    finish_reason: str | None = None,
    thinking: bool = False,
) -> Reading:
    """Read what an answer says, as the text it would be if nothing had been told apart.

    Args:
        read: the protocol's reader.
        text: the answer as it came.
        n_steps: how many steps the case has.
        reasoning: what the server gave apart as the model's reasoning.
        finish_reason: in the server's words.
        thinking: whether the prompt ended within the reasoning, so that a text without any tag is reasoning that never
            ended.

    Where there is nothing to be read and the answer was cut, the reason says that first. The span is that of `text`, or
    of `reasoning`.
    """
    cut = was_cut(finish_reason)
    whole = text
    if reasoning is not None:
        whole = joined(text, reasoning, closed=not cut or bool(text.strip()))
    elif thinking:
        whole = opened(text)
    reading = read(whole, n_steps)
    if reading.span is not None and whole is not text:
        reading = replace(reading, span=_moved(reading.span, len(whole) - len(text), reasoning))
    if cut and reading.reason is not None and fault_of(reading.reason) in NOTHING_THERE:
        return replace(reading, reason=f"{ParseFault.CUT}: {reading.reason}")
    return reading


def _moved(span: Span, before: int, reasoning: str | None) -> Span | None:
    """A span of the text that was read, which has so many characters before the answer, as one of the answer or of the
    reasoning; None where it is neither's.
    """
    if span.start >= before:
        return Span(span.start - before, span.end - before)
    first = place_of_reasoning()
    if reasoning is None or span.end > first + len(reasoning):
        return None
    return Span(span.start - first, span.end - first, "reasoning")
