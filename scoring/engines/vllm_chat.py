"""Prompts as the model's own chat template writes them, with what comes from data kept from acting.

A template decides where turns begin by writing special tokens, so its text is read for these when it is turned into
ids. A message that says `<|im_end|>` must not end a turn: whatever a message says that the vocabulary has as an
added token is broken by a mark behind its first character before the template sees it. The marks are taken out of
the rendered text, and the pieces between two of them become ids apart from each other. A message without such
words, and so nearly every one, is encoded exactly as everywhere else.
"""

import re
from functools import cached_property
from itertools import chain
from typing import Any

from scoring.data.errors import EngineError
from scoring.models.asking import Prompt, Sampling

_CODE = re.compile(r"\{[{%].*?[%}]\}", re.DOTALL)
_VARIABLE = r"(?<![.\w'\"]){}\b(?!['\"])"
"""A name in a template's code that is no field of something, no key and no text."""
_THINK = "<think>"
_FIRST_MARK, _BEHIND_MARKS = 0xF0000, 0x110000
"""Characters of the planes for private use: no text means anything by them."""

SWITCHES: dict[str, tuple[str, ...]] = {
    "thinking": ("enable_thinking", "thinking"),
    "effort": ("reasoning_effort",),
    "thinking_budget": ("thinking_budget",),
}
"""Field of Sampling -> the names that templates know it by; the first that the template has is set."""


class ChatError(Exception):
    """The template does not take this conversation; the text says why."""


class VllmChat:
    """Conversations to token ids, with one tokenizer (transformers') and one set of switches."""

    def __init__(self, tokenizer: Any, name: str, sampling: Sampling) -> None:
        """Find the template and its switches. `name` is the model's, for people.

        Raises:
            EngineError: the model has no chat template, or lacks a switch that the sampling sets.
        """
        self.tokenizer = tokenizer
        self._template = _template(tokenizer, name)
        self.switches = dict(self._switches(name, sampling))

    def ids(self, prompt: Prompt) -> list[int]:
        """Return the token ids of a conversation, and of the beginning of the answer.

        A last message of the assistant's is left open, to be written on. `<think>` acts where it begins with that, as
        it does where a template begins the answer so.

        Raises:
            ChatError: the template refuses it, as some do a system message.
        """
        mark = self._mark(message.text for message in prompt)
        messages = [{"role": message.role, "content": self._broken(message.text, mark)} for message in prompt]
        goes_on = bool(prompt) and prompt[-1].role == "assistant"
        if goes_on and prompt[-1].text.startswith(_THINK):
            messages[-1]["content"] = _THINK + self._broken(prompt[-1].text.removeprefix(_THINK), mark)
        from jinja2 import TemplateError

        try:
            rendered: str = self.tokenizer.apply_chat_template(
                messages,
                tokenize=False,
                add_generation_prompt=not goes_on,
                continue_final_message=goes_on,
                **self.switches,
            )
        except (TemplateError, ValueError) as error:
            cause = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
            raise ChatError(f"the model's chat template refuses it: {cause}") from None
        pieces = (self.tokenizer.encode(piece, add_special_tokens=False) for piece in rendered.split(mark) if piece)
        return list(chain.from_iterable(pieces))

    def _switches(self, name: str, sampling: Sampling) -> list[tuple[str, Any]]:
        code = " ".join(_CODE.findall(self._template))
        switches = []
        for field, names in SWITCHES.items():
            value = getattr(sampling, field)
            if value is None:
                continue
            known = next((name_known for name_known in names if re.search(_VARIABLE.format(name_known), code)), None)
            if known is None:
                raise EngineError(
                    f"the chat template of {name} knows no {names[0]}, so {field.replace('_', ' ')} {value!r} would "
                    "change nothing.",
                    "Leave it out, or ask a server that knows it.",
                )
            switches.append((known, value))
        return switches

    def _mark(self, texts: Any) -> str:
        """A character that stands in no text of the conversation."""
        used = set().union(*map(set, texts), self._template)
        return next(chr(code) for code in range(_FIRST_MARK, _BEHIND_MARKS) if chr(code) not in used)

    def _broken(self, text: str, mark: str) -> str:
        if self._added is None:
            return text
        # Looked for at every place, because a cut inside one must not leave another behind it.
        cuts = [match.start() + 1 for match in self._added.finditer(text)]
        return mark.join(text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True))

    @cached_property
    def _added(self) -> re.Pattern[str] | None:
        """Where an added token stands. Runs of blanks are added tokens of some vocabularies, and mean only blanks."""
        tokens = map(str, self.tokenizer.get_added_vocab())
        acting = [token for token in tokens if token.strip()]
        return re.compile(f"(?={'|'.join(map(re.escape, acting))})") if acting else None


def _template(tokenizer: Any, name: str) -> str:
    try:
        source = tokenizer.get_chat_template()
    except ValueError:
        source = None
    if not source:
        raise EngineError(
            f"{name} has no chat template, so it is not known how it is asked.",
            "Use a model that was trained on conversations.",
        )
    return str(source)
