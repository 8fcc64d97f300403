"""Texts of a case as a colleague reads them: formulas as Unicode, and drawings that are programs only named."""

import re

from inspector.render.mathtext import unicode_math
from inspector.render.texts.sentences import counted

_DRAWING = re.compile(r"\[asy\](.*?)\[/asy\]", re.DOTALL)


def readable(text: str) -> str:
    """Write the LaTeX of a text as Unicode, and the number of lines in the place of an Asymptote program."""
    return _DRAWING.sub(_named, unicode_math(text))


def _named(match: re.Match[str]) -> str:
    return f"[a drawing: {counted(len(match[1].strip().splitlines()), 'line')} of Asymptote]"
