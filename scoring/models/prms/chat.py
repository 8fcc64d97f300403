"""Chats as families write them, and the checkpoint's own chat template, with which they are compared.

No template writes the tokens that are run: text of a case could act in it as a special token. It is rendered with texts
of ours alone, in jinja's immutable sandbox, to see the system turn that it puts first and whether it lays turns out as
they are laid out here.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from scoring.data.errors import CheckpointError, MissingExtra
from scoring.data.storage.files import read_plain
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.base import Tokenizer, special_id

TEMPLATE, SETTINGS = "chat_template.jinja", "tokenizer_config.json"
"""Where a checkpoint has its template, and its special tokens by role."""

ROLES = ("system", "user", "assistant")
Turns = Sequence[tuple[str, str]]
"""The role and the text of each turn."""

_PROBE: Turns = (("user", "What is 1 + 1?"), ("assistant", "It is 2."))
_SHOWN = 60
"""Characters of a system turn that are told."""


class Chat(Struct, frozen=True):
    """How turns are written: all names are of added tokens, but for `gap` and `after`, which are plain text.

    `start` begins the chat ("" = nothing), `turn` begins a turn, `role_end` stands behind the role ("" = nothing) and
    `gap` between that and the text, `end` behind the text and `after` behind that. With `stripped` blanks are taken off
    both ends of a text.
    """

    start: str
    turn: str
    role_end: str
    gap: str
    end: str
    after: str
    stripped: bool = False

    def text(self, turns: Turns) -> str:
        """Return the whole chat as text."""
        written = [
            f"{self.turn}{role}{self.role_end}{self.gap}{self.content(role, text)}{self.end}{self.after}"
            for role, text in turns
        ]
        return self.start + "".join(written)

    def content(self, role: str, text: str) -> str:
        """Return what of a text stands in its turn; a system turn is written as it is."""
        return text.strip() if self.stripped and role != "system" else text

    def writer(self, tokenizer: Tokenizer) -> "ChatWriter":
        """Make what writes the turns as ids.

        Raises:
            CheckpointError: one of the tokens is not in the vocabulary.
        """
        return ChatWriter(self, tokenizer)


class ChatWriter:
    """The ids of a chat, turn by turn; plain text in them is never read for special tokens."""

    def __init__(self, chat: Chat, tokenizer: Tokenizer) -> None:
        """A writer of `chat` in the vocabulary of `tokenizer`."""
        self._chat, self._tokenizer = chat, tokenizer
        self.start: tuple[int, ...] = (special_id(tokenizer, chat.start),) if chat.start else ()
        turn, end = special_id(tokenizer, chat.turn), special_id(tokenizer, chat.end)
        role_end = special_id(tokenizer, chat.role_end) if chat.role_end else None
        # Role, gap and text are one stretch of text, unless a token stands between them.
        self._before = {
            role: [turn] if role_end is None else [turn, *tokenizer.encode(role), role_end] for role in ROLES
        }
        self._lead = {role: f"{role}{chat.gap}" if role_end is None else chat.gap for role in ROLES}
        self.end: tuple[int, ...] = (end, *tokenizer.encode(chat.after))

    def turn(self, role: str, text: str) -> list[int]:
        """Encode a whole turn."""
        return [*self.open(role, text), *self.end]

    def open(self, role: str, text: str) -> list[int]:
        """Encode a turn without its end."""
        return [*self._before[role], *self._tokenizer.encode(self._lead[role] + self._chat.content(role, text))]

    def spans(self, role: str, text: str) -> tuple[list[int], list[int]]:
        """Encode the turn, and for each id return the place in the text of the turn (characters) behind it: 0 before
        that text.
        """
        before, lead = self._before[role], self._lead[role]
        ids, ends = self._tokenizer.spans(lead + self._chat.content(role, text))
        return [*before, *ids], [*(0 for _ in before), *(max(0, end - len(lead)) for end in ends)]


CHATML = Chat("", "<|im_start|>", "", "\n", "<|im_end|>", "\n")
"""Qwen's."""
LLAMA3 = Chat("<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "\n\n", "<|eot_id|>", "", stripped=True)
"""Llama 3's."""


def rendered(checkpoint: Checkpoint, turns: Turns) -> str | None:
    """Render turns by a checkpoint's template; None where it has none.

    Raises:
        CheckpointError: it cannot be rendered in the sandbox.
        MissingExtra: there is one, and jinja2 is not installed.
    """
    template, settings = _template(checkpoint.folder)
    if not template:
        return None
    try:
        from jinja2.exceptions import TemplateError
        from jinja2.sandbox import ImmutableSandboxedEnvironment
    except ImportError:
        raise MissingExtra("jinja2", "score") from None

    def raise_exception(message: str) -> None:
        raise TemplateError(message)

    # As the library renders them. Today's date is left out: what is run must be the same tomorrow.
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.globals["raise_exception"] = raise_exception
    messages = [{"role": role, "content": text} for role, text in turns]
    tokens = {name: special_token(settings, name) for name in ("bos_token", "eos_token", "unk_token", "pad_token")}
    try:
        return environment.from_string(template).render(messages=messages, add_generation_prompt=False, **tokens)
    except Exception as error:  # noqa: BLE001  # a template can raise anything, like any program
        raise CheckpointError(
            f"the chat template of {checkpoint.name} cannot be rendered ({type(error).__name__}).",
            "Choose another value of the option 'system' than template.",
        ) from None


def special_token(settings: dict[str, Any], name: str) -> str:
    """Return a token of `tokenizer_config.json` by its role, such as `bos_token`; "" where there is none."""
    token = settings.get(name)
    content = token.get("content") if isinstance(token, dict) else token
    return content if isinstance(content, str) else ""


def tokenizer_settings(folder: Path) -> dict[str, Any]:
    """Read `tokenizer_config.json`; {} where it is missing or damaged, as it decides nothing by itself."""
    try:
        document = json.loads(read_plain(folder / SETTINGS))
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def template_system(checkpoint: Checkpoint, chat: Chat) -> str:
    """Return the system turn that a checkpoint's template puts before a chat that has none; "" where it puts none.

    Raises:
        CheckpointError: there is no template, it cannot be rendered, or it does not begin as `chat` does.
        MissingExtra: see `rendered`.
    """
    text = rendered(checkpoint, _PROBE)
    if text is None:
        raise CheckpointError(
            f"{checkpoint.name} has no chat template, neither in {TEMPLATE} nor in {SETTINGS}.",
            "Download it too, or choose another value of the option 'system'.",
        )
    system = _system(text, chat)
    if system is None:
        raise CheckpointError(
            f"the chat template of {checkpoint.name} does not lay a chat out as this family does.",
            "Choose another value of the option 'system'.",
        )
    return system


def template_note(checkpoint: Checkpoint, chat: Chat, system: str) -> str:
    """Return a sentence where a checkpoint's template would write a chat otherwise than with `system` first; ""
    elsewhere.
    """
    try:
        text = rendered(checkpoint, _PROBE)
    except MissingExtra:
        return ""
    except CheckpointError as error:
        return f"Whether the checkpoint's chat template differs from the layout used is not known: {error.sentence}"
    written = chat.text([*([("system", system)] if system else []), *_PROBE])
    if text is None or text == written:
        return ""
    own = _system(text, chat)
    if own is None:
        return (
            "The checkpoint's chat template lays a chat out in another way than this family's authors do, whose layout "
            "is used; no option follows the template."
        )
    here = f"the system turn {_short(system)} is sent" if system else "no system turn is sent"
    there = f"puts the system turn {_short(own)} first" if own else "has no system turn"
    return (
        f"The checkpoint's chat template {there} where a chat brings none of its own; here {here}. "
        "--option system=template does as the template."
    )


def _system(text: str, chat: Chat) -> str | None:
    """The text of the system turn before the probe; "" where there is none; None where the text is no such chat."""
    if text == chat.text(_PROBE):
        return ""
    # The turns behind it begin with the token of a turn, as it does itself.
    head, tail = chat.text([("system", "")]).removesuffix(chat.end + chat.after), chat.end + chat.after
    tail += chat.text(_PROBE).removeprefix(chat.start)
    if not text.startswith(head) or not text.endswith(tail) or len(text) < len(head) + len(tail):
        return None
    system = text[len(head) : len(text) - len(tail)]
    return None if any(token in system for token in (chat.turn, chat.end)) else system


def _template(folder: Path) -> tuple[str, dict[str, Any]]:
    """The template's source, "" where there is none, and what `tokenizer_config.json` says."""
    settings = tokenizer_settings(folder)
    try:
        return (folder / TEMPLATE).read_text(encoding="utf-8"), settings
    except (OSError, ValueError):
        settings_template = settings.get("chat_template")
    if isinstance(settings_template, list):
        named = {entry.get("name"): entry.get("template") for entry in settings_template if isinstance(entry, dict)}
        settings_template = named.get("default")
    return (settings_template if isinstance(settings_template, str) else ""), settings


def _short(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")
