"""LaTeX as text that a terminal can show: `unicode_math`.

What comes out is for reading. It says the same as the printed formula would: brackets appear where a fraction or root
that lies flat would be read differently, and what is not understood stays as it was written.
"""

import re

_LATEX = re.compile(r"[\\$\a\b\v\f]|[\^_]\{|\t(?:imes|ext|heta|frac)")
_DRAWING = ("[asy]", "[/asy]")


def unicode_math(text: str) -> str:
    r"""Write the LaTeX of a text as Unicode; never raises, and returns a text without LaTeX as it is.

    Formulas stand between `$`, `$$`, `\(` `\)`, `\[` `\]` or in an environment; known commands are converted
    outside of them too. A written-out backslash-n that begins no command becomes a line break; a control character
    that was the beginning of a command becomes it again. Drawings between `[asy]` and `[/asy]` stay.
    """
    if not _LATEX.search(text):
        return text
    # Most of what a command prints has no formula.
    from inspector.render.mathtext.render import converted

    opening, closing = _DRAWING
    pieces = []
    pos = 0
    while (start := text.find(opening, pos)) >= 0 and (end := text.find(closing, start)) >= 0:
        pieces += [converted(text[pos:start]), text[start : end + len(closing)]]
        pos = end + len(closing)
    return "".join([*pieces, converted(text[pos:])])
