"""Texts that mean something to a program and are only text in a prompt."""

import re
import unicodedata

CHAT_TOKENS = re.compile(
    r"<\|[A-Za-z][\w.:/-]{0,40}\|>"
    r"|</?s>|<pad>|<unk>|<bos>|<eos>|<(?:start|end)_of_turn>|</?think>"
    r"|\[/?INST\]|<</?SYS>>|<｜[^｜>]{1,40}｜>|<extra_\d+>"
)
"""Special tokens of the chat templates in use: Qwen's, Llama's, Mistral's, Gemma's, DeepSeek's."""

ROLE_MARKERS = re.compile(r"^<<(?:system|user|assistant)>>$", re.MULTILINE)
"""The lines that start a message in a template."""

_ESCAPES = {"\x07": "\\a", "\x08": "\\b", "\x0b": "\\v", "\x0c": "\\f", "\r": "\\r", "\t": "\\t"}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]|\t(?=ext|imes|frac|an\b|heta|au\b|o\b|ilde|herefore)")
_LATEX_N = (
    *("ne", "neq", "neg", "nu", "nabla", "not", "notin", "ni", "nmid", "newline", "nolimits", "nearrow", "nwarrow"),
    *("nleq", "ngeq", "nless", "ngtr", "nexists", "nparallel", "nsim", "ncong", "nsubseteq", "nsupseteq", "nonumber"),
    *("noindent", "nrightarrow", "nleftarrow", "newcommand", "normalsize", "nobreak", "notag", "natural"),
)
_LITERAL_BREAK = re.compile(rf"(?<!\\)\\n(?!(?:{'|'.join(name[1:] for name in _LATEX_N)})(?![A-Za-z]))")


def control_character(text: str) -> str | None:
    """The first control character in words, with the escape that makes it in Python; None where there is none.

    Line breaks and tabs are none, but for a tab in the place of the first letter of a LaTeX command.
    """
    found = _CONTROL.search(text)
    if found is None:
        return None
    character, rest = found[0], re.match(r"[A-Za-z]*", text[found.end() :])
    escape = _ESCAPES.get(character)
    if escape and rest and rest[0]:
        return (
            f"U+{ord(character):04X} before {rest[0][:20]!r}, which {escape + rest[0][:20]} becomes in a Python string"
        )
    return f"U+{ord(character):04X}"


def invisible_character(text: str) -> str | None:
    """The first character that shows nothing or stands for a lost one; None where there is none."""
    for character in text:
        if character == "\ufffd" or unicodedata.category(character) == "Cf":
            return f"U+{ord(character):04X}"
    return None


def literal_break(text: str) -> bool:
    r"""Whether backslash and n stand where a line break was meant: no LaTeX command begins there."""
    return _LITERAL_BREAK.search(text) is not None
