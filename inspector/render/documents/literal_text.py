"""Text from data as literal text of Markdown and of LaTeX: nothing in it is read as markup."""

import re

_MARKDOWN = str.maketrans({mark: f"\\{mark}" for mark in r"\`*_{}[]<>|#~$&"})
_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_CONTROL = re.compile("[\x00-\x1f\x7f]+")
_LATEX = {
    # After a row's end these two would be read as its arguments.
    "[": "{[}",
    "*": "{*}",
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    # These three print as other signs in the fonts that LaTeX takes by itself.
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # Two minus signs would be joined to a dash.
    "-": "-{}",
}
_LATEX_SPECIAL = re.compile(r"[\\{}$&%#_~^\[*<>|]|-(?=-)")


def markdown_text(text: str) -> str:
    """Write the text on one line of a Markdown table: marks behind backslashes, line breaks as <br>."""
    return _LINE_BREAK.sub("<br>", text.translate(_MARKDOWN))


def markdown_code(text: str) -> str:
    """Write a code span, so that a command can be copied from the file as well as from the page."""
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    pad = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{fence}{pad}{_LINE_BREAK.sub(' ', text)}{pad}{fence}"


def latex_text(text: str) -> str:
    """Write the text on one line of LaTeX: special characters as commands that print them, control characters as
    spaces.
    """
    return _LATEX_SPECIAL.sub(lambda match: _LATEX[match[0]], one_line(text))


def one_line(text: str) -> str:
    """Write the text with every run of control characters as one space."""
    return _CONTROL.sub(" ", text)
