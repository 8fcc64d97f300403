"""Unicode mathematics in plain ASCII, for terminals without Unicode."""

import re

from inspector.render.mathtext import unicode_math

_SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", "0123456789+-=()ni", strict=True))
_SUBSCRIPTS = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙᵢ", "0123456789+-=()ni", strict=True))
_SCRIPTS = re.compile(f"[{''.join(_SUPERSCRIPTS)}]+|[{''.join(_SUBSCRIPTS)}]+")
_ROOTS = re.compile(r"[√∛](?=\w)")
_SIGNS = {
    "×": "x",
    "·": "*",
    "⋅": "*",
    "∗": "*",
    "÷": "/",
    "∕": "/",
    "⁄": "/",
    "−": "-",
    "–": "-",
    "—": "-",
    "±": "+-",
    "∓": "-+",
    "≤": "<=",
    "≥": ">=",
    "⩽": "<=",
    "⩾": ">=",
    "≠": "!=",
    "≈": "~",
    "≡": "==",
    "∼": "~",
    "∝": "prop. to",
    "√": "sqrt",
    "∛": "cbrt",
    "∞": "inf",
    "∑": "sum",
    "∏": "prod",
    "∫": "int",
    "∂": "d",
    "∇": "grad",
    "→": "->",
    "⟶": "->",
    "←": "<-",
    "↔": "<->",
    "⇒": "=>",
    "⟹": "=>",
    "⇐": "<=",
    "⇔": "<=>",
    "⟺": "<=>",
    "↦": "|->",
    "∈": " in ",
    "∉": " not in ",
    "⊂": " subset of ",
    "⊆": " subset of ",
    "∪": " or ",
    "∩": " and ",
    "∅": "{}",
    "∧": "and",
    "∨": "or",
    "¬": "not ",
    "∀": "for all ",
    "∃": "exists ",
    "∴": "so",
    "∵": "as",
    "⟦": "[",
    "⟧": "]",
    "⌊": "floor(",
    "⌋": ")",
    "⌈": "ceil(",
    "⌉": ")",
    "⟨": "<",
    "⟩": ">",
    "∥": "||",
    "∣": "|",
    "°": " deg",
    "′": "'",
    "″": '"',
    "∘": "o",
    "∠": "angle ",
    "△": "triangle ",
    "⊥": " perp. to ",
    "…": "...",
    "⋯": "...",
    "‘": "'",
    "’": "'",
    "“": '"',
    "”": '"',
    "\N{NO-BREAK SPACE}": " ",
    "\N{NARROW NO-BREAK SPACE}": " ",
    "½": "1/2",
    "⅓": "1/3",
    "⅔": "2/3",
    "¼": "1/4",
    "¾": "3/4",
    "⅕": "1/5",
    "⅛": "1/8",
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "ε": "epsilon",
    "ϵ": "epsilon",
    "ζ": "zeta",
    "η": "eta",
    "θ": "theta",
    "ι": "iota",
    "κ": "kappa",
    "λ": "lambda",
    "μ": "mu",
    "ν": "nu",
    "ξ": "xi",
    "π": "pi",
    "ρ": "rho",
    "σ": "sigma",
    "τ": "tau",
    "φ": "phi",
    "ϕ": "phi",
    "χ": "chi",
    "ψ": "psi",
    "ω": "omega",
    "Γ": "Gamma",
    "Δ": "Delta",
    "Θ": "Theta",
    "Λ": "Lambda",
    "Π": "Pi",
    "Σ": "Sigma",
    "Φ": "Phi",
    "Ψ": "Psi",
    "Ω": "Omega",
    "ℝ": "R",
    "ℕ": "N",
    "ℤ": "Z",
    "ℚ": "Q",
    "ℂ": "C",
}
_PLAIN = str.maketrans(_SIGNS)


def ascii_math(text: str) -> str:
    """Write the LaTeX of a text as ASCII: `unicode_math`, with names for symbols.

    Characters of other scripts stay unchanged.
    """
    plain = unicode_math(text)
    if plain.isascii():
        return plain
    return _ROOTS.sub(r"\g<0> ", _SCRIPTS.sub(_script, plain)).translate(_PLAIN)


def _script(script: re.Match[str]) -> str:
    """Write a power or an index: `^2`, `_(n+1)`."""
    run = script[0]
    mark, table = ("^", _SUPERSCRIPTS) if run[0] in _SUPERSCRIPTS else ("_", _SUBSCRIPTS)
    plain = "".join(table[character] for character in run)
    return f"{mark}{plain}" if plain.isalnum() else f"{mark}({plain})"
