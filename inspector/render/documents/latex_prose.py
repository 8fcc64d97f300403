"""Text of a case as LaTeX: formulas that are known to be whole stay formulas, all else is literal text."""

import re

from inspector.render.documents.literal_text import latex_text
from inspector.render.mathtext.dollar_signs import is_formula
from inspector.render.mathtext.symbols import OPERATORS, ORDINARY

PACKAGES = ("amsmath", "amssymb")
"""What a file with formulas loads."""
DEEPEST = 20
"""Groups within groups; a formula with more is literal text."""
_FORMULA = re.compile(
    r"\$\$(?P<own_line>[^$]{1,2000})\$\$|(?<!\\)\$(?P<dollars>(?:\\.|[^$\\]){1,2000})\$|(?<!\\)\\\((?P<round>.{1,2000}?)\\\)"
    r"|(?<!\\)\\\[(?P<square>.{1,2000}?)\\\]",
    re.DOTALL,
)
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|.", re.DOTALL)
_PLAIN = re.compile(r"[A-Za-z0-9+*/=<>()\[\]|.,:;!?@-]")
_WORDS = re.compile(r"\{([A-Za-z0-9 .,:;!?()+=/-]*)\}")
_DEGREE = re.compile(r"\[[A-Za-z0-9]+\]")


def _commands(names: str) -> frozenset[str]:
    return frozenset("\\" + name for name in names.split())


_SINGLE = _commands(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi varpi rho varrho "
    "sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega "
    "infty partial ell prime circ ast star bullet dagger perp times pm mp triangle"
)
"""Commands that are one sign, so that they may be a script or an argument without braces."""
_SIGNS = _SINGLE | _commands(
    "nabla hbar aleph emptyset varnothing forall exists nexists neg lnot angle square ddagger dots ldots cdots vdots "
    "ddots therefore because colon le leq leqslant ge geq geqslant ll gg ne neq equiv approx cong sim simeq propto in "
    "notin subset subseteq subsetneq supset supseteq mid nmid parallel to rightarrow leftarrow longrightarrow "
    "leftrightarrow Rightarrow Leftarrow Leftrightarrow Longrightarrow implies iff mapsto uparrow downarrow cdot div "
    "cup cap setminus wedge land vee lor oplus otimes sum prod int iint oint bigcup bigcap lim sin cos tan cot sec csc "
    "sinh cosh tanh arcsin arccos arctan log ln exp det dim ker deg gcd max min sup inf Pr bmod lfloor rfloor lceil "
    "rceil langle rangle lvert rvert vert quad qquad displaystyle % $ & # _ { } | , ; : !"
)
_TYPED = {
    ord(char): rf"\ensuremath{{\{name}}}"
    for table in (OPERATORS, ORDINARY)
    for name, char in reversed(table.items())
    if f"\\{name}" in _SIGNS and len(char) == 1 and not char.isascii()
} | {ord("\u2212"): r"\ensuremath{-}", ord("\u221a"): r"\ensuremath{\surd}"}
"""Signs that a text has as Unicode and that LaTeX's usual fonts have only in formulas."""
_ARGUMENTS = {
    **dict.fromkeys(_commands("overline underline bar hat widehat tilde vec dot ddot boxed pmod sqrt"), 1),
    **dict.fromkeys(_commands("mathbf mathit mathsf mathbb mathcal boldsymbol overrightarrow"), 1),
    **dict.fromkeys(_commands("frac dfrac tfrac cfrac binom"), 2),
}
_NAMED = _commands("text textbf textit textrm mathrm operatorname mbox")
_LARGE = _commands("big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr")
_FENCES = frozenset("()[]|/.") | _commands("{ } | langle rangle lfloor rfloor lceil rceil lvert rvert vert")


def latex_prose(text: str) -> str:
    """Write a text for LaTeX on one line, its formulas between dollar signs.

    It compiles with PACKAGES, whatever the text, but for letters of scripts that need XeLaTeX or LuaLaTeX.
    """
    pieces, end = [], 0
    for match in _FORMULA.finditer(text):
        inside, after = match[match.lastgroup or 0], text[match.end() : match.end() + 1]
        formula = whole_formula(inside) if match.lastgroup != "dollars" or is_formula(inside, after) else None
        if formula is not None:
            pieces += [literal(text[end : match.start()]), f"${formula}$"]
            end = match.end()
    return "".join([*pieces, literal(text[end:])])


def literal(text: str) -> str:
    """Write text without formulas: every sign stands for itself."""
    return latex_text(text).translate(_TYPED)


def whole_formula(text: str) -> str | None:
    """Return the inside of a formula on one line if LaTeX is sure to take it; None if it may not."""
    if not text.strip():
        return None
    reader = _Reader(_TOKEN.findall(text))
    try:
        reader.items(None, 0)
    except ValueError:
        return None
    return "".join(" " if sign.isspace() else sign for sign in reader.tokens).strip()


class _Reader:
    """Goes once through a formula's tokens; raises ValueError at the first thing that it does not know."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0

    def items(self, closing: str | None, depth: int) -> None:
        """Read up to and with the sign that closes this group; None is the formula's end."""
        if depth > DEEPEST:
            raise ValueError
        scripts: set[str] = set()
        while (sign := self.next()) != closing:
            if sign in {"^", "_", "'"}:
                self.script(sign, scripts, depth)
            elif sign is None:
                raise ValueError
            elif not sign.isspace():  # A space does not part a sign from its scripts.
                scripts = set()
                self.item(sign, depth)

    def next(self) -> str | None:
        self.at += 1
        return self.tokens[self.at - 1] if self.at <= len(self.tokens) else None

    def after_spaces(self) -> str | None:
        sign = self.next()
        return self.next() if sign and sign.isspace() else sign

    def script(self, mark: str, scripts: set[str], depth: int) -> None:
        place = "_" if mark == "_" else "^"
        if place in scripts and not (mark == "'" and self.tokens[self.at - 2] == "'"):
            raise ValueError
        scripts.add(place)
        if mark != "'":
            self.argument(depth)

    def argument(self, depth: int) -> None:
        sign = self.after_spaces()
        if sign == "{":
            self.items("}", depth + 1)
        elif sign is None or not (sign in _SINGLE or (sign.isascii() and sign.isalnum())):
            raise ValueError

    def item(self, sign: str, depth: int) -> None:
        if sign == "{":
            self.items("}", depth + 1)
        elif sign in _ARGUMENTS:
            self.call(sign, depth)
        elif sign in _NAMED:
            self.words()
        elif sign == r"\left":
            self.fence()
            self.items(r"\right", depth + 1)
            self.fence()
        elif sign in _LARGE:
            self.fence()
        elif sign not in _SIGNS and not _PLAIN.fullmatch(sign):
            raise ValueError

    def call(self, command: str, depth: int) -> None:
        if command == r"\sqrt":
            self.skip(_DEGREE)
        for _ in range(_ARGUMENTS[command]):
            self.argument(depth)

    def words(self) -> None:
        if not self.skip(_WORDS):
            raise ValueError

    def skip(self, pattern: re.Pattern[str]) -> bool:
        """Past what the pattern matches here, if it does."""
        match = pattern.match("".join(self.tokens[self.at :]))
        self.at += len(_TOKEN.findall(match[0])) if match else 0
        return match is not None

    def fence(self) -> None:
        if self.after_spaces() not in _FENCES:
            raise ValueError
