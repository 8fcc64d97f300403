"""A critic's prompt template: a text file with messages, worked examples and two placeholders.

A line that is exactly `<<system>>`, `<<user>>` or `<<assistant>>` starts a message; without any such line the whole
text is one user's message. The last message is the user's and is the one that is asked; pairs of user and assistant
right before it are worked examples; what comes before those, at most one message of the system and one of the user,
instructs. `{problem}` and `{steps}` (and other names of placeholders) are filled outside the
examples.

White space: line breaks of Windows become those of Unix and a byte order mark is dropped. A text without markers loses
white space at both ends, as ProcessBench's own reader has it. With markers every message is exactly its lines, without
the line break that ends the last: an empty line before the next marker or at the end belongs to the message.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Literal, cast

from scoring.data.errors import InputError, UnreadableFile, UsageError
from scoring.formats.reading.file_bytes import UTF8_MARK, file_bytes, printable
from scoring.models.asking import Message, Prompt, Role

# -- placeholders in a template's text, filled in one pass


Slot = Literal["problem", "steps"]
Braces = Literal["literal", "doubled", "mixed"]
"""How a template writes braces that are text: as they are, twice as Python's `str.format` wants them, or both ways."""

NAMES: dict[str, Slot] = {
    "problem": "problem",
    "question": "problem",
    "steps": "steps",
    "tagged_response": "steps",
    "tagged": "steps",
    "steps_str": "steps",
}
"""Placeholder -> what is put there. Beside `problem` and `steps` there are the names that the benchmarks use.

`{problem}` and `{tagged_response}` stand in ProcessBench's template file; `{tagged}` in GR-Ben's
`run_llm_eval.py`; `{question}` and `{steps_str}` in PRMBench's `openai_models.py`.
"""

# A doubled brace goes first, so that "{{problem}}" is the word in braces wherever doubled braces are text.
_MARK = re.compile(rf"\{{\{{|\}}\}}|\{{({'|'.join(NAMES)})\}}|[{{}}]")


def braces(text: str) -> Braces:
    """Return how the braces beside placeholders are written: "doubled" if all are, "literal" if none is."""
    counts = Counter(len(mark[0]) for mark in _MARK.finditer(text) if mark[1] is None)
    if counts[2] and counts[1]:
        return "mixed"
    return "doubled" if counts[2] else "literal"


def slots(text: str) -> Counter[Slot]:
    """Count how often each slot is filled in the text."""
    return Counter(NAMES[mark[1]] for mark in _MARK.finditer(text) if mark[1] is not None)


def filled(text: str, style: Braces, values: Mapping[Slot, str]) -> str:
    """Fill every placeholder with its value, and write single braces for doubled ones where `style` is "doubled".

    The values are never looked at: braces and placeholders in them stay as they are.
    """

    def value(mark: re.Match[str]) -> str:
        if mark[1] is not None:
            return values[NAMES[mark[1]]]
        return mark[0][0] if style == "doubled" else mark[0]

    return _MARK.sub(value, text)


LARGEST = 1024 * 1024
"""Bytes above which a file is taken for something else than a template."""

_FOLDER = Path(__file__).with_name("templates")
_MARKER = re.compile(r"^<<(system|user|assistant)>>(?:\n|\Z)", re.MULTILINE)
_GRAMMAR = "Messages go: <<system>> if any, pairs of <<user>> and <<assistant>> as worked examples, a last <<user>>."
_BEFORE: tuple[tuple[Role, ...], ...] = ((), ("system",), ("user",), ("system", "user"))
"""The roles of messages that instruct. An instruction that the user gives is for models that take no system message."""


@dataclass(frozen=True)
class Template:
    """A template as it was read: `text` makes the prompts and `source` says where it came from.

    `instructions` come first and are always sent, `examples` are the worked ones in their order, `question` is asked.
    `style` says how braces that are text are written in it. Equal texts make equal templates.
    """

    text: str
    source: str = field(compare=False)
    instructions: Prompt
    examples: tuple[tuple[Message, Message], ...]
    question: Message

    @classmethod
    def of(cls, text: str, source: str) -> "Template":
        """Make the template of a text. `source` is only reported.

        Raises:
            InputError: it is empty, holds a lone surrogate, or its messages are in no order that can be asked.
        """
        text = text.replace("\r\n", "\n")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise InputError(f"the template {source} holds half a character.", "Write it as UTF-8.") from None
        text = text.removesuffix("\n") + "\n" if _MARKER.search(text) else text.strip()
        messages = _messages(text, source)
        if messages[-1].role != "user":
            raise InputError(f"the last message of the template {source} is not the user's.", _GRAMMAR)
        question, examples = messages.pop(), []
        while [message.role for message in messages[-2:]] == ["user", "assistant"]:
            examples.append((messages[-2], messages[-1]))
            del messages[-2:]
        if tuple(message.role for message in messages) not in _BEFORE:
            raise InputError(f"the messages of the template {source} are in no order that can be asked.", _GRAMMAR)
        return cls(text, source, tuple(messages), tuple(reversed(examples)), question)

    @classmethod
    def read(cls, path: Path) -> "Template":
        """Read the template in a file.

        Raises:
            UnreadableFile: not there, not allowed, no plain file, larger than LARGEST, or not UTF-8.
            UnknownFormat: it is compressed.
            InputError: as for `of`.
        """
        source = printable(path)
        if path.is_dir():
            raise UnreadableFile(f"{source} is a folder.", "Name a template's file.")
        if path.is_file() and path.stat().st_size > LARGEST:
            raise UnreadableFile(
                f"{source} has more than {LARGEST // 1024**2} MB, which is not a prompt.", "Check the path."
            )
        try:
            text = file_bytes(path).removeprefix(UTF8_MARK).decode()
        except UnicodeDecodeError as error:
            raise UnreadableFile(f"{source} is not UTF-8 at byte {error.start:,}.", "Save it as UTF-8.") from None
        return cls.of(text, source)

    @classmethod
    def packaged(cls, name: str) -> "Template":
        """Read one of this package's own templates, by the name of its file.

        Raises:
            UsageError: there is none of that name.
        """
        names = sorted(path.name for path in _FOLDER.glob("*.txt"))
        if name not in names:
            raise UsageError(f"there is no template {name!r}.", f"There are: {', '.join(names)}. Or give a file.")
        return cls.of((_FOLDER / name).read_text("utf-8"), name)

    @cached_property
    def hash(self) -> str:
        """Hex blake2b (16 bytes) of the text, wherever it lies: part of what identifies a scorer."""
        return blake2b(self.text.encode(), digest_size=16).hexdigest()

    @cached_property
    def style(self) -> Braces:
        """How braces that are text are written in the whole template. "mixed" is filled as "literal"."""
        return braces(self.text)

    def prompt(self, problem: str, steps: str, shots: int | None = None) -> Prompt:
        """Return the prompt for a problem and its steps, which are one text already.

        What is put in is never searched for placeholders, markers or doubled braces.

        Args:
            problem: the problem's text.
            steps: the steps' text, as `StepLayout.text` writes it.
            shots: how many of the first worked examples are sent; None = all.

        Raises:
            UsageError: there are fewer examples.
        """
        values: dict[Slot, str] = {"problem": problem, "steps": steps}
        messages = (
            Message(message.role, filled(message.text, self.style, values))
            for message in (*self.instructions, self.question)
        )
        *instructions, question = messages
        return (*instructions, *self._shown(shots), question)

    def missing(self) -> list[Slot]:
        """Return what no placeholder asks for outside the worked examples."""
        slot_counts = slots("\n".join(message.text for message in (*self.instructions, self.question)))
        wanted: tuple[Slot, ...] = ("problem", "steps")
        return [slot for slot in wanted if not slot_counts[slot]]

    def _shown(self, shots: int | None) -> list[Message]:
        """The messages of the first `shots` worked examples; placeholders in them are text."""
        there = len(self.examples)
        if shots is not None and not 0 <= shots <= there:
            raise UsageError(
                f"{shots} worked examples are asked for and the template {self.source} has {there}.",
                f"Give 0 to {there}, or a template with more." if there else "Give 0, or a template with examples.",
            )
        single = self.style == "doubled"
        return [
            Message(message.role, message.text.replace("{{", "{").replace("}}", "}") if single else message.text)
            for pair in self.examples[:shots]
            for message in pair
        ]


def _messages(text: str, source: str) -> list[Message]:
    """The messages in a text, at least one, none of them blank."""
    head, *rest = _MARKER.split(text)
    if not rest:
        rest = ["user", head]
    elif head.strip():
        raise InputError(
            f"the template {source} has text before its first message.", "Start it with <<system>> or <<user>>."
        )
    messages = [
        Message(cast("Role", role), body.removesuffix("\n")) for role, body in zip(rest[::2], rest[1::2], strict=True)
    ]
    if not all(message.text.strip() for message in messages):
        raise InputError(f"the template {source} has an empty message or nothing in it.", _GRAMMAR)
    return messages
