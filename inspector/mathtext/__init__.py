"""LaTeX as text that a terminal can show: `unicode_math`.

What comes out is for reading. It says the same as the printed formula would: brackets appear where a fraction or root
that lies flat would be read differently, and what is not understood stays as it was written.
"""

import re

from inspector.mathtext.commands import SIMPLE, SPECIAL, STRUCTURES
from inspector.mathtext.render import Renderer
from inspector.mathtext.symbols import UNSEEN

_LATEX = re.compile(r"[\\$\a\b\v\f]|[\^_]\{|\t(?:imes|ext|heta|frac)")
_DRAWING = ("[asy]", "[/asy]")

_COMMANDS = frozenset(SIMPLE) | frozenset(STRUCTURES) | frozenset(SPECIAL) | UNSEEN
_OTHER_COMMANDS = frozenset({"newcommand", "newpage", "newenvironment", "newtheorem", "numberwithin", "natural"})
# A backslash and an n, the letters after it and a script after those; pairs of backslashes are passed over.
_WRITTEN_BREAK = re.compile(r"\\\\|\\n([A-Za-z]*)(?=([\^_])?)")

# A command whose backslash and first letter were read as one control character, as a form feed before "rac". A tab or a
# carriage return is one by right, unless what follows is no word.
_CONTROLS = {"\a": "a", "\b": "b", "\v": "v", "\f": "f", "\t": "t", "\r": "r"}
_TO_THE_LETTER = {"times", "text", "textbf", "theta", "tfrac", "triangle", "tilde", "rfloor", "rceil", "rightarrow"}
_DECODED = re.compile(
    "|".join(
        f"{control}(?:{'|'.join(sorted(name[1:] for name in names if name[0] == letter))})(?![A-Za-z])"
        for control, letter in _CONTROLS.items()
        for names in [_TO_THE_LETTER if letter in "tr" else {name for name in _COMMANDS if name.isalpha()}]
    )
)


def unicode_math(text: str) -> str:
    r"""Write the LaTeX of a text as Unicode; never raises, and returns a text without LaTeX as it is.

    Formulas stand between `$`, `$$`, `\(` `\)`, `\[` `\]` or in an environment; known commands are converted
    outside of them too. A written-out backslash-n that begins no command becomes a line break; a control character
    that was the beginning of a command becomes it again. Drawings between `[asy]` and `[/asy]` stay.
    """
    if not _LATEX.search(text):
        return text
    opening, closing = _DRAWING
    pieces = []
    pos = 0
    while (start := text.find(opening, pos)) >= 0 and (end := text.find(closing, start)) >= 0:
        pieces += [_converted(text[pos:start]), text[start : end + len(closing)]]
        pos = end + len(closing)
    return "".join([*pieces, _converted(text[pos:])])


def _converted(text: str) -> str:
    text = _DECODED.sub(_encoded, text)
    if "\\n" in text:
        text = _WRITTEN_BREAK.sub(_line_break, text)
    return Renderer(text).prose(0, len(text)) if text else text


def _encoded(match: re.Match[str]) -> str:
    return f"\\{_CONTROLS[match[0][0]]}{match[0][1:]}"


def _line_break(match: re.Match[str]) -> str:
    if match[0] == r"\\":
        return match[0]
    name = f"n{match[1]}"
    # Where a formula opens, or before a script, "ne" is no relation: it is a break and an e.
    no_relation = name == "ne" and (match[2] or match.string.endswith(("$$", r"\["), 0, match.start()))
    if no_relation or not (name in _COMMANDS or name in _OTHER_COMMANDS):
        return f"\n{match[1]}"
    return match[0]
