"""Where things begin and end in a piece of LaTeX: matching braces, arguments, rows; nothing about how they look."""

import re
from collections import Counter

from inspector.render.mathtext import symbols

TextSpan = tuple[int, int]

# How many arguments a command takes.
ARGUMENTS = dict.fromkeys((*symbols.FRACTIONS, *symbols.BINOMIALS, "stackrel", "overset", "underset"), 2)
for _names in (symbols.ACCENTS, symbols.LINES, symbols.ALPHABETS, symbols.STYLES, symbols.TEXTS, symbols.SPACERS):
    ARGUMENTS |= dict.fromkeys(_names, 1)
ARGUMENTS |= dict.fromkeys(
    ("sqrt", "boxed", "fbox", "pmod", "pod", "operatorname", "substack", "tag", "xleftarrow", "xrightarrow"), 1
)

ROW_OPTIONS = r"\*?(?:\s*\[\s*-?[\d.]+\s*(?:pt|em|ex|mm|cm|in|mu)\s*\])?"  # what may follow a row's "\\\\"
WHOLE = -1  # where the group that is the whole text would open
_OPTIONAL = frozenset({"sqrt", "xleftarrow", "xrightarrow"})
_OF_TWO = symbols.FRACTIONS | symbols.BINOMIALS
_LONGEST_GROUP = 80  # characters in which a bracket that stands for braces closes
_STARRED = frozenset({"operatorname", "hspace", "vspace", "tag"})
_UNBRACED_DEPTH = 3

_STRUCTURE = re.compile(
    r"\\(?P<side>begin|end)\s*\{(?P<name>[^{}\\$]*)\}|\\(?P<infix>over|choose)(?![A-Za-z])|\\(?:sqrt|x(?:left|right)arrow)\s*(?P<option>\[)"
    r"|\\.|(?P<brace>[{}\]])",
    re.DOTALL,
)
_ROW = re.compile(
    rf"(?P<row>\\\\{ROW_OPTIONS}|\\(?:cr|tabularnewline)(?![A-Za-z]))"
    r"|(?P<jump>\\begin\s*\{|\{)|\\.|(?P<cell>&)",
    re.DOTALL,
)
_COMMAND = re.compile(r"\\(?:([A-Za-z]+)|.)", re.DOTALL)
_BRACKETED = re.compile(r"\((?:[^()]|\([^()]*\))*\)|\[[^\[\]]*\]")
_BLANK = re.compile(r"\s*")
_BRACKETS = re.compile(r"\s*\[[^\[\]{}\\$]*\]")


class FormulaSource:
    """A text with the places where its groups close.

    `closes` maps the position of a "{", of an option's "[" or of an environment's beginning to where the matching "}",
    "]" or end begins; what matches nothing is not in it. `infixes` maps a "{" to the "over" or "choose" in its group,
    and WHOLE to one in no group.
    """

    __slots__ = ("closes", "infixes", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.closes: dict[int, int] = {}
        self.infixes: dict[int, re.Match[str]] = {}
        if "{" in text or "[" in text or "\\over" in text or "\\choose" in text:
            self._match_groups()

    def _match_groups(self) -> None:
        braces: list[int] = []
        environments: list[tuple[str, int]] = []
        open_names: Counter[str] = Counter()
        for match in _STRUCTURE.finditer(self.text):
            if char := match["brace"]:
                self._match_brace(char, match.start(), braces)
            elif match["option"]:
                braces.append(match.end() - 1)
            elif match["infix"]:
                self.infixes.setdefault(braces[-1] if braces else WHOLE, match)
            elif match["side"] == "begin":
                environments.append((match["name"], match.start()))
                open_names[match["name"]] += 1
            elif match["side"] and open_names[match["name"]]:
                name = ""
                while name != match["name"]:
                    name, begin = environments.pop()
                    open_names[name] -= 1
                self.closes[begin] = match.start()

    def _match_brace(self, char: str, at: int, braces: list[int]) -> None:
        if char == "{":
            braces.append(at)
        elif char == "]":
            if braces and self.text[braces[-1]] == "[":
                self.closes[braces.pop()] = at
        else:
            while braces and self.text[braces[-1]] == "[":
                braces.pop()
            if braces:
                self.closes[braces.pop()] = at

    def group(self, pos: int, end: int) -> TextSpan | None:
        """Find the inside of the group that opens at pos, if it closes before end."""
        close = self.closes.get(pos, end)
        return (pos + 1, close) if close < end else None

    def argument(self, pos: int, end: int, depth: int = 0) -> tuple[TextSpan, int] | None:
        """Find the argument that begins at pos, after spaces, and its end: a group, a command or one character."""
        pos = self.skip(_BLANK, pos, end)
        if pos >= end or self.text[pos] in "}&$^_":
            return None
        if self.text[pos] == "{":
            span = self.group(pos, end)
            return (span, span[1] + 1) if span else None
        if self.text[pos] in "([":
            # Printed, only the bracket would be the argument; what was meant is what it holds.
            group = _BRACKETED.match(self.text, pos, min(end, pos + _LONGEST_GROUP))
            return (group.span(), group.end()) if group else None
        if self.text[pos] != "\\":
            return (pos, pos + 1), pos + 1
        match = _COMMAND.match(self.text, pos, end)
        if match is None or match[1] in {"begin", "end", "left", "right", "over", "choose"} or match[0] == "\\\\":
            return None
        taken = self.arguments(match[1] or "", match.end(), end, depth + 1)
        return ((pos, taken[1]), taken[1]) if taken else None

    def arguments(self, name: str, pos: int, end: int, depth: int = 0) -> tuple[list[TextSpan], int] | None:
        """Find the arguments of the named command that stand at pos, and where they end; None if one is missing.

        An optional one, such as a root's degree, comes last.
        """
        if depth > _UNBRACED_DEPTH:
            return None
        spans: list[TextSpan] = []
        option = None
        if name in _OPTIONAL and self.text.startswith("[", bracket := self.skip(_BLANK, pos, end)):
            option = self.group(bracket, end)
            pos = option[1] + 1 if option else pos
        elif name in _STARRED and self.text[pos : pos + 1] == "*":
            pos += 1
        for _ in range(ARGUMENTS.get(name, 0)):
            pos = self.skip(_BLANK, pos, end)
            # Two brackets beside each other do not tell which of them a power behind is of.
            argument = (
                None if name in _OF_TWO and self.text[pos : pos + 1] in {"(", "["} else self.argument(pos, end, depth)
            )
            if argument is None:
                return None
            spans.append(argument[0])
            pos = argument[1]
        return spans + ([option] if option else []), pos

    def skip(self, pattern: re.Pattern[str], pos: int, end: int) -> int:
        """Return the place past what the pattern matches at pos."""
        match = pattern.match(self.text, pos, end)
        return match.end() if match else pos

    def skip_groups(self, pos: int, end: int) -> int:
        """Return the place past the bracketed and braced arguments that stand directly at pos."""
        pos = self.skip(_BRACKETS, pos, end)
        while pos < end and self.text[pos] == "{" and (span := self.group(pos, end)):
            pos = span[1] + 1
        return pos

    def rows(self, start: int, end: int) -> list[list[TextSpan]]:
        """Return the cells between `&`, row by row, of what stands between start and end."""
        rows: list[list[TextSpan]] = [[]]
        cell = pos = start
        while match := _ROW.search(self.text, pos, end):
            pos = match.end()
            if match["jump"]:
                close = self.closes.get(match.start(), end)
                pos = close if close < end else pos
            elif match["cell"] or match["row"]:
                rows[-1].append((cell, match.start()))
                cell = pos
                if match["row"]:
                    rows.append([])
        rows[-1].append((cell, end))
        return rows
