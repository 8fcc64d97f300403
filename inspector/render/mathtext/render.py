"""From LaTeX to text: reads a piece once from left to right and writes it to a line.

What is not understood stays as it was written, with its arguments.
"""

import re
from collections.abc import Callable
from typing import ClassVar

from inspector.render.mathtext import symbols
from inspector.render.mathtext.commands import SIMPLE, SPECIAL, STRUCTURES
from inspector.render.mathtext.dollar_signs import is_formula
from inspector.render.mathtext.line import FormulaLine, base, closed_up, is_letter, tight
from inspector.render.mathtext.source import ROW_OPTIONS, WHOLE, FormulaSource, TextSpan
from inspector.render.mathtext.symbols import UNSEEN

# Groups nested deeper than this stay as they are written; what people write is nested less than ten deep.
DEEPEST = 30

# After these a printed formula shows no space before a letter: "∠ABC", "Δx", "πr".
_PREFIXES = frozenset({"angle", "measuredangle", "triangle", "partial", "nabla", "neg", "lnot"})
_LETTERS_AHEAD = re.compile(rf" +(?=[A-Za-z]{{1,2}}(?![A-Za-z])|[A-Z]|\\(?:{'|'.join(symbols.LETTERS)})(?![A-Za-z]))")
_ESCAPED_IN_PROSE = frozenset("$%&#_{}|,; ")

_MATHS = re.compile(
    r"(?P<plain>[^\\{}^_'|&$~\s]+(?: [^\\{}^_'|&$~\s]+)*)|(?P<space>\s+)|\\(?P<command>[A-Za-z]+)|(?P<script>[\^_])"
    r"|(?P<brace>[{}])|\\(?P<escape>.)|(?P<prime>'+)|(?P<other>.)",
    re.DOTALL,
)
_PROSE = re.compile(
    r"(?P<words>(?:[^\\$^_]|[\^_](?!\{|\\[A-Za-z]))+)|\\(?P<bare_command>[A-Za-z]+)|(?P<bare_script>[\^_])"
    r"|(?P<opener>\\[(\[]|\$\$?)|\\(?P<bare_escape>.)|(?P<literal>.)",
    re.DOTALL,
)
_SCRIPT = re.compile(r"\s*([\^_])")
_SCRIPTED = re.compile(r"\s*[\^_']")
_SPACES = re.compile(r" *")
_PARTED = re.compile(r"&|\\\\|\\(?:left|begin|over.*\\over)", re.DOTALL)  # an infix then is of a part, not of the whole
_AFTER_BREAK = re.compile(rf"{ROW_OPTIONS}[ \t]*\n?")
_NO_LETTER = re.compile(r"[^A-Za-z]|\Z")

_BINDING = re.compile(r"[A-Za-z^(]")
_GLANCE = 4  # how many characters behind a formula tell whether it would run into them
_TOUCHED = re.compile(r"[^\s(（]")
_TEXT_FOLLOWS = re.compile(r" *[^\s.,;:!?)\]}。，；：、）]")
_NO_ENDING = re.compile(r"[A-Za-z]{3}|\d")  # a word or a number, not the "th" of "nth"
_DISPLAYS = frozenset({"$$", "\\["})
_CLOSERS = {"\\(": "\\)", "\\[": "\\]", "$": "$", "$$": "$$"}
# Up to the next delimiter, whether it is the partner of the one before or not; a display may hold \( \) in its words.
_TO_DELIMITER = {
    "\\(": re.compile(r"(?:[^\\]+|\\[^()\[\]])*", re.DOTALL),
    "\\[": re.compile(r"(?:[^\\]+|\\[^\[\]])*", re.DOTALL),
    "$": re.compile(r"(?:[^\\$]+|\\text\{[^{}$]*\$[^{}$]*\$[^{}$]*\}|\\.)*", re.DOTALL),
}


class Renderer:
    """One piece of LaTeX on its way to text. Positions are those of `text`."""

    def __init__(self, text: str, depth: int = 0) -> None:
        self.source = FormulaSource(text)
        self.text = text
        self.depth = depth
        self.fences: list[str] = []  # what each open \left wrote, or ROWS_IN_BRACE
        self.unseen_closers: set[int] = set()
        self.nested = 0  # more than 0 where rows are parted by ";", not by line breaks

    def prose(self, start: int, end: int) -> str:
        """Render words, with formulas and bare commands among them."""
        line = FormulaLine()
        self.fill(line, start, end, _PROSE)
        return str(line)

    def formula(self) -> str:
        """Render the whole text as mathematics; line breaks stay."""
        line = FormulaLine()
        infix = self.source.infixes.get(WHOLE)
        if infix and not _PARTED.search(self.text):
            self._infix(line, (0, len(self.text)), infix)
        else:
            self.fill(line, 0, len(self.text))
        return str(line).strip(" ")

    def argument(self, span: TextSpan) -> str:
        """Render mathematics on one line."""
        infix = self.source.infixes.get(span[0] - 1)
        if infix is None:
            return self._flat(*span)
        line = FormulaLine()
        self._infix(line, span, infix)
        return str(line)

    def _flat(self, start: int, end: int) -> str:
        line = FormulaLine()
        self.nested += 1
        self.fill(line, start, end)
        self.nested -= 1
        return " ".join(str(line).split())

    def fill(self, line: FormulaLine, start: int, end: int, tokens: re.Pattern[str] = _MATHS) -> None:
        """Write what stands between start and end to the line."""
        if self.depth > DEEPEST:
            line.operand(self.text[start:end])
            return
        self.depth += 1
        pos = start
        while pos < end and (match := tokens.match(self.text, pos, end)):
            pos = self._ACTIONS[match.lastgroup or ""](self, line, match, end)
        self.depth -= 1

    def raw(self, line: FormulaLine, start: int, pos: int, end: int) -> int:
        """Write the source as it is from start to pos, and the arguments that follow there."""
        pos = self.source.skip_groups(pos, end)
        line.operand(self.text[start:pos])
        return pos

    def scripted(self, pos: int, end: int) -> bool:
        """Return whether a script or a prime follows."""
        return _SCRIPTED.match(self.text, pos, end) is not None

    # The tokens. Each writes what it stands for and returns where reading goes on.

    def _plain(self, line: FormulaLine, match: re.Match[str], _end: int) -> int:
        line.operand(match[0])
        return match.end()

    def _words(self, line: FormulaLine, match: re.Match[str], _end: int) -> int:
        line.prose(match[0])
        return match.end()

    def _space(self, line: FormulaLine, match: re.Match[str], _end: int) -> int:
        line.space("\n" * match[0].count("\n") or " ")
        return match.end()

    def _other(self, line: FormulaLine, match: re.Match[str], _end: int) -> int:
        char = match[0]
        if char == "~":
            line.space()
        elif char == "|":
            around = self.text[max(0, match.start() - 1) : match.end() + 1]
            line.bar(char, apart=around == " | ")
        else:
            line.operand(char)
        return match.end()

    def _prime(self, line: FormulaLine, match: re.Match[str], _end: int) -> int:
        before = self.text[max(0, match.start() - 2) : match.start()]
        after = self.text[match.end() : match.end() + 1]
        if not before or before[-1].isspace() or (len(before) == 2 and before.isalpha() and after.isalpha()):
            line.operand(match[0])  # a quotation mark or an apostrophe
        else:
            line.prime(len(match[0]))
        return match.end()

    def _brace(self, line: FormulaLine, match: re.Match[str], end: int) -> int:
        pos = match.start()
        span = self.source.group(pos, end) if match[0] == "{" else None
        if span is None:
            if pos not in self.unseen_closers:
                line.operand(match[0])
        elif infix := self.source.infixes.get(pos):
            self._infix(line, span, infix)
            pos = span[1]
        elif self.text[pos - 1 : pos] == "/" or self.scripted(span[1] + 1, end):
            line.operand(base(self.argument(span)))
            pos = span[1]
        else:
            self.unseen_closers.add(span[1])
        return pos + 1

    def _infix(self, line: FormulaLine, span: TextSpan, infix: re.Match[str]) -> None:
        above, below = self._flat(span[0], infix.start()), self._flat(infix.end(), span[1])
        if infix["infix"] == "over":
            line.quotient(closed_up(above), closed_up(below))
        else:
            line.call(f"C({tight(above)},{tight(below)})")

    def _script(self, line: FormulaLine, match: re.Match[str], end: int) -> int:
        scripts = {"_": "", "^": ""}
        pos = match.start()
        while (mark := _SCRIPT.match(self.text, pos, end)) and not scripts[mark[1]]:
            argument = self.source.argument(mark.end(), end)
            if argument is None:
                break
            scripts[mark[1]] = self.argument(argument[0]) or " "
            pos = argument[1]
        if pos == match.start():
            line.operand(match[0])
            return match.end()
        above = scripts["^"].replace("′ ′", "″").replace("′′", "″")
        line.script(closed_up(scripts["_"]).strip(), "°" if above == "∘" else closed_up(above).strip())
        return pos

    def _bare_script(self, line: FormulaLine, match: re.Match[str], end: int) -> int:
        before = self.text[match.start() - 1 : match.start()]
        if before.isalnum() or (before and before in ")]}|'"):
            return self._script(line, match, end)
        line.operand(match[0])
        return match.end()

    def _command(self, line: FormulaLine, match: re.Match[str], end: int) -> int:
        name = match[match.lastgroup or 0]
        if simple := SIMPLE.get(name):
            simple[0](line, simple[1])
            clings = name in _PREFIXES or (name in symbols.LETTERS and match.lastgroup == "command")
            return self.source.skip(_LETTERS_AHEAD, match.end(), end) if clings else match.end()
        if structure := STRUCTURES.get(name):
            arguments = self.source.arguments(name, match.end(), end)
            if arguments is None:
                return self.raw(line, match.start(), match.end(), end)
            structure(self, line, arguments[0])
            return arguments[1]
        if special := SPECIAL.get(name):
            return special(self, line, match, end)
        if name in symbols.UNSEEN:
            return self.source.skip(_SPACES, match.end(), end)
        return self.raw(line, match.start(), match.end(), end)

    def _bare_command(self, line: FormulaLine, match: re.Match[str], end: int) -> int:
        pos = self._command(line, match, end)
        while self.text[pos : pos + 1] in {"^", "_"} and (mark := _SCRIPT.match(self.text, pos, end)):
            pos = self._script(line, mark, end)
        return pos

    def _escape(self, line: FormulaLine, match: re.Match[str], end: int) -> int:
        char = match[match.lastgroup or 0]
        if char == "\\":
            if self.nested:
                line.operator(";")
            else:
                line.space("\n")
            return self.source.skip(_AFTER_BREAK, match.end(), end)
        if simple := SIMPLE.get(char):
            simple[0](line, simple[1])
        elif char not in symbols.UNSEEN:
            line.operand(match[0])
        return match.end()

    def _bare_escape(self, line: FormulaLine, match: re.Match[str], end: int) -> int:
        char = match["bare_escape"]
        if char in _ESCAPED_IN_PROSE or (char == "\\" and _NO_LETTER.match(self.text, match.end())):
            return self._escape(line, match, end)
        line.operand(match[0])
        return match.end()

    def _opener(self, line: FormulaLine, match: re.Match[str], end: int) -> int:
        """A formula between delimiters; a delimiter without its partner stays."""
        opener = match["opener"]
        stop = self.source.skip(_TO_DELIMITER[opener if opener[0] == "\\" else "$"], match.end(), end)
        inside = self.text[match.end() : stop]
        after = stop + len(opener)
        closed = after <= end and self.text.startswith(_CLOSERS[opener], stop)
        if not closed or (opener == "$" and not is_formula(inside, self.text[after : after + 1])):
            line.operand(opener)
            return match.end()
        text = Renderer(inside, self.depth + 1).formula()
        behind = self.text[after : min(end, after + _GLANCE)]
        # A display is followed by a line break, and a word by a space: only what will touch the formula binds to it.
        display, spaced = opener in _DISPLAYS, inside[-1:] == " "
        if "/" in text and not display and not _word_follows(behind, spaced=spaced) and _BINDING.match(behind):
            text = f"({text})"
        if text:
            self._apart(line, text, behind, display=display, spaced=spaced)
        return after

    @staticmethod
    def _apart(line: FormulaLine, text: str, behind: str, *, display: bool, spaced: bool) -> None:
        """Write a formula so that it does not run into the words and numbers beside it, or into the next one."""
        before = line.parts[-1][-1] if line.parts else ""
        if (display and _TOUCHED.match(before)) or (is_letter(before) and is_letter(text[0])):
            line.space()
        line.operand(text)
        if display and _TEXT_FOLLOWS.match(behind):
            line.space("\n")
        elif _word_follows(behind, spaced=spaced):
            line.space()

    _ACTIONS: ClassVar[dict[str, Callable[["Renderer", FormulaLine, re.Match[str], int], int]]] = {
        "plain": _plain,
        "space": _space,
        "command": _command,
        "script": _script,
        "brace": _brace,
        "escape": _escape,
        "prime": _prime,
        "other": _other,
        "words": _words,
        "bare_command": _bare_command,
        "bare_script": _bare_script,
        "opener": _opener,
        "bare_escape": _bare_escape,
        "literal": _plain,
    }


def _word_follows(behind: str, *, spaced: bool) -> bool:
    """Whether a word, not an ending such as a plural s, stands right after a formula and has to be kept apart."""
    return is_letter(behind[:1]) and (spaced or bool(_NO_ENDING.match(behind)))


# -- a whole text: what was decoded or written out too early, then its formulas


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


def converted(text: str) -> str:
    """Write a text without drawings as Unicode, after what was decoded too early is what was meant."""
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
