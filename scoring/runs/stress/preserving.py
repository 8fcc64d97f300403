"""Rewritings that change how a solution is written, and nothing of what it says."""

import random
import re
from collections.abc import Iterator, Sequence

from scoring.runs.stress.rewriting import (
    LABEL,
    NotRewritten,
    Rewriting,
    Solution,
    after_label,
    closed,
    open_formula,
    prose_parts,
    replaced,
    unnumbered,
)
from scoring.workspace.variants import Edit

# -- more words


SENTENCES = ("Let us keep this in mind.", "We note this down.", "This is worth keeping in mind.")
"""They claim nothing, so that they are right behind any step."""
NEUTRAL_STEPS = ("Let us look at what we have.", "Let us go on.", "We look at the problem once more.")


def inflate(solution: Solution, rng: random.Random) -> list[Edit]:
    """Put a sentence that claims nothing behind each step."""
    closed(solution.steps)
    return replaced(solution.steps, [f"{step.rstrip()} {rng.choice(SENTENCES)}" for step in solution.steps])


def restate(solution: Solution, _: random.Random) -> list[Edit]:
    """Say each step twice."""
    closed(solution.steps)
    if any("\n" in step.strip() for step in solution.steps):
        raise NotRewritten("a step has several lines, which do not read on in one sentence")
    bodies = [LABEL.sub("", step, count=1).strip() for step in solution.steps]
    return replaced(solution.steps, [f"{s.rstrip()} Again: {b}" for s, b in zip(solution.steps, bodies, strict=True)])


def neutral_step(solution: Solution, rng: random.Random) -> list[Edit]:
    """Put in a step that claims nothing, before any step but the first."""
    unnumbered(solution)
    closed(solution.steps)
    if len(solution.steps) < 2:
        raise NotRewritten("there is one step only")
    return [Edit("insert", rng.randrange(1, len(solution.steps)), text=rng.choice(NEUTRAL_STEPS))]


CERTAIN = ("I am sure of this.", "There is no doubt here.", "This is certain.")
UNSURE = ("I am not sure of this.", "I hope that this holds.", "Perhaps this is so.")


def _led(solution: Solution, rng: random.Random, sentences: Sequence[str]) -> list[Edit]:
    closed(solution.steps)
    return replaced(solution.steps, [after_label(step, f"{rng.choice(sentences)} ") for step in solution.steps])


def confident(solution: Solution, rng: random.Random) -> list[Edit]:
    """Say before each step that it is certain."""
    return _led(solution, rng, CERTAIN)


def hedged(solution: Solution, rng: random.Random) -> list[Edit]:
    """Say before each step that one is not sure: what it claims stays as right as it is."""
    return _led(solution, rng, UNSURE)


# -- other words


CONNECTIVES = {
    "therefore": ("hence", "thus"),
    "hence": ("therefore", "thus"),
    "thus": ("hence", "therefore"),
    "consequently": ("as a consequence",),
    "in total": ("altogether",),
    "altogether": ("in total",),
    "finally": ("in the end", "lastly"),
    "next": ("after that",),
    "to begin with": ("to start with",),
    "for example": ("for instance",),
    "for instance": ("for example",),
    "we get": ("we obtain",),
    "we obtain": ("we get",),
    "in other words": ("that is to say",),
    "in order to": ("to",),
    "moreover": ("furthermore", "in addition"),
    "furthermore": ("moreover", "in addition"),
}
"""What may stand for what, so that the sentence goes on as it did."""
_FREE = frozenset({"in total", "altogether", "we get", "we obtain", "for example", "for instance", "in order to"})
"""Those that may stand anywhere in a sentence; others are exchanged at its beginning, before a comma."""
_WORDS = re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, CONNECTIVES), key=len, reverse=True))})\b", re.IGNORECASE)


def _exchangeable(text: str, match: re.Match[str]) -> bool:
    if match.group().lower() in _FREE:
        return True
    before = text[: match.start()].rstrip()
    return (not before or before[-1] in ".!?:;") and text[match.end() :].startswith(",")


def _exchanged(text: str, rng: random.Random) -> str:
    def other(match: re.Match[str]) -> str:
        word = match.group()
        if not _exchangeable(text, match):
            return word
        instead = rng.choice(CONNECTIVES[word.lower()])
        return instead[:1].upper() + instead[1:] if word[:1].isupper() else instead

    return _WORDS.sub(other, text)


def paraphrase(solution: Solution, rng: random.Random) -> list[Edit]:
    """Exchange connectives for others that say the same; formulas and quotations stay."""
    closed(solution.steps)
    texts = []
    for step in solution.steps:
        parts = prose_parts(step)
        texts.append("".join(_exchanged(part, rng) if words and '"' not in part else part for part, words in parts))
    edits = replaced(solution.steps, texts)
    if not edits:
        raise NotRewritten("no connective of the table stands where it can be exchanged")
    return edits


LANGUAGES = {
    "German": {"therefore": "Daher", "so": "Also", "hence": "Folglich", "thus": "Somit", "next": "Danach",
               "first": "Zuerst", "then": "Dann", "finally": "Schließlich", "now": "Nun"},
    "French": {"therefore": "Par conséquent", "so": "Donc", "hence": "D'où", "thus": "Ainsi", "next": "Ensuite",
               "first": "D'abord", "then": "Puis", "finally": "Enfin", "now": "Maintenant"},
    "Spanish": {"therefore": "Por lo tanto", "so": "Así que", "hence": "De ahí", "thus": "Así", "next": "Después",
                "first": "Primero", "then": "Luego", "finally": "Por último", "now": "Ahora"},
    "Chinese": {"therefore": "因此", "so": "所以", "hence": "故", "thus": "于是", "next": "接下来",
                "first": "首先", "then": "然后", "finally": "最后", "now": "现在"},
}  # fmt: skip
"""What stands before the comma at the beginning of a sentence, in other languages."""
_OPENING = re.compile(rf"(^|[.!?]\s+)({'|'.join(LANGUAGES['German'])})(?=,)", re.IGNORECASE)


def translate_connectives(solution: Solution, rng: random.Random) -> list[Edit]:
    """Write the connectives at the beginning of sentences in another language, the same one throughout."""
    closed(solution.steps)
    table = LANGUAGES[rng.choice(sorted(LANGUAGES))]

    def translated(match: re.Match[str]) -> str:
        return f"{match.group(1)}{table[match.group(2).lower()]}"

    texts = []
    for step in solution.steps:
        parts, start = [], True
        for part, words in prose_parts(step):
            # What follows a formula is no beginning of a sentence.
            parts.append(_OPENING.sub(translated, part) if words and start else part)
            start = False
        texts.append("".join(parts))
    edits = replaced(solution.steps, texts)
    if not edits:
        raise NotRewritten("no step begins with a connective of the table and a comma")
    return edits


# -- another order


_BACK = re.compile(
    r"\b(?:this|that|these|those|it|its|they|them|their|he|she|his|her|so|thus|hence|therefore|consequently|then|which"
    r"|same|above|previous|previously|earlier|before|after|later|both|either|again|also|too|another|other|others"
    r"|first|second|third|last|lastly|finally|former|latter|result|results|answer|total|remaining|rest|left|sum"
    r"|similarly|likewise|verify|check|checks|matches|back|step|steps|equation|case|cases|let|suppose|assume|if|since"
    r"|because|as|once|more|substitute|substituting|plug|plugging|using|use|given|conclude|conclusion|overall)\b",
    re.IGNORECASE,
)
"""Words by which a step leans on another one, or on its place."""
_ENGLISH = re.compile(
    r"\b(?:the|of|and|is|are|we|to|in|has|have|with|from|by|for|at|on|get|makes?|gives?)\b", re.IGNORECASE
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SYMBOL = re.compile(r"\\[A-Za-z]+|(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])")
_CONTENT = re.compile(r"[^\W\d_]{4,}")
_PLAIN = frozenset({"\\times", "\\cdot", "\\div", "\\frac", "\\left", "\\right", "\\text", "a", "A", "I"})
_BOXED = re.compile(r"\\boxed|####|final", re.IGNORECASE)


def mentioned_terms(text: str) -> frozenset[str]:
    """Return the numbers, symbols and longer words of a text."""
    symbols = set(_SYMBOL.findall(text)) - _PLAIN
    words = {word.lower() for word in _CONTENT.findall(_SYMBOL.sub(" ", text))}
    return frozenset({number.rstrip(".,") for number in _NUMBER.findall(text)} | symbols | words)


def stated_results(text: str) -> frozenset[str]:
    """Return the numbers and symbols behind equals signs, and behind "is" and "are", which a step states."""
    stated = " ".join(re.split(r"=|\\approx|≈|\bis\b|\bare\b", text)[1:])
    return frozenset(name for name in mentioned_terms(stated) if len(name) < 2 or not name.isalpha())


def english(solution: Solution) -> bool:
    """Return whether a solution seems to be written in English, whose words that refer back are known here."""
    text = " ".join((solution.problem, *solution.steps))
    words = re.findall(r"[^\W\d_]{2,}", text)
    return all(word.isascii() for word in words) and 12 * len(_ENGLISH.findall(text)) >= len(words) > 0


def independent(solution: Solution, at: int) -> bool:
    """Return whether step `at` (0-based) and the next one may change places.

    Neither leans on the other: no word refers back, none of the two names the answer or its own number, and no number,
    symbol or longer word that either brings in (it is neither in the problem nor in a step before both) or states
    behind an equals sign is in the other.
    """
    step, after = solution.steps[at], solution.steps[at + 1]
    if any(
        _BACK.search(text) or _BOXED.search(text) or LABEL.match(text) or open_formula(text) for text in (step, after)
    ):
        return False
    known = frozenset().union(mentioned_terms(solution.problem), *map(mentioned_terms, solution.steps[:at]))
    brought = [(mentioned_terms(text) - known) | stated_results(text) for text in (step, after)]
    return not (brought[0] & mentioned_terms(after) or brought[1] & mentioned_terms(step))


def reorder(solution: Solution, rng: random.Random) -> list[Edit]:
    """Swap two steps beside each other that do not depend on each other; the last step stays."""
    if not english(solution):
        raise NotRewritten("it does not seem to be English: words that refer back are not known")
    pairs = [at for at in range(len(solution.steps) - 2) if independent(solution, at)]
    if not pairs:
        raise NotRewritten("no two steps beside each other are surely independent")
    at = rng.choice(pairs)
    return [Edit("swap", at, other=at + 1)]


# -- another look


def renumber(solution: Solution, _: random.Random) -> list[Edit]:
    """Take "Step 1:" away from all steps, or put it before all."""
    numbered = [bool(LABEL.match(step)) for step in solution.steps]
    if any(numbered) and not all(numbered):
        raise NotRewritten("some steps are numbered and others are not")
    numbers = [int(re.sub(r"\D", "", match.group())) for step in solution.steps if (match := LABEL.match(step))]
    if numbers and numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        raise NotRewritten("the numbers before the steps do not count them")
    bodies = [LABEL.sub("", step, count=1) for step in solution.steps]
    unnumbered(Solution(solution.problem, tuple(bodies)))
    if all(numbered):
        return replaced(solution.steps, bodies)
    return replaced(solution.steps, [f"Step {at}: {step.lstrip()}" for at, step in enumerate(solution.steps, 1)])


_DISPLAY = re.compile(r"(?<![\\$])\$\$([^$]+)\$\$(?!\$)")
_INLINE = re.compile(r"(?<![\\$])\$([^$\n]+)\$(?!\$)")
_AMOUNT = re.compile(r"(?<![\\$])\$\s?\d[\d,.]*(?=[\s,.;:?!)]|$)")
"""A dollar before a number and no other behind it: an amount of money."""


def delimiters(solution: Solution, _: random.Random) -> list[Edit]:
    r"""Write formulas between `\(` and `\)` for those between `$` and `$`, and display formulas likewise."""
    closed(solution.steps)
    for step in solution.steps:
        if _AMOUNT.search(_INLINE.sub("", _DISPLAY.sub("", step))) or _money_pair(step):
            raise NotRewritten("a dollar may be money")
    texts = [_INLINE.sub(r"\\(\1\\)", _DISPLAY.sub(r"\\[\1\\]", step)) for step in solution.steps]
    edits = replaced(solution.steps, texts)
    if not edits:
        raise NotRewritten("no formula stands between dollars")
    return edits


def _money_pair(text: str) -> bool:
    """Whether what stands between two dollars begins with a number and goes on in words: "$5 and $7"."""
    return any(re.match(r"\s*\d[\d,.]*\s+[A-Za-z]{2,}", inside) for inside in re.findall(r"\$([^$]+)\$", text))


def blank_lines(solution: Solution, _: random.Random) -> list[Edit]:
    """Put a blank line for each line break inside a step."""
    closed(solution.steps)
    if any("\n" in part for step in solution.steps for part, words in prose_parts(step) if not words):
        raise NotRewritten("a formula or a block of code has several lines")
    if any(re.search(r"^\s*(?:[-*+|>]|\d+[.)])\s|^\s{2,}\S", step, re.MULTILINE) for step in solution.steps):
        raise NotRewritten("a list, a table or an indented line may be another one with blank lines")
    texts = [re.sub(r"(?<!\n)\n(?!\n)(?=.*\S)", "\n\n", step, flags=re.DOTALL) for step in solution.steps]
    edits = replaced(solution.steps, texts)
    if not edits:
        raise NotRewritten("no step has several lines")
    return edits


def bullets(solution: Solution, _: random.Random) -> list[Edit]:
    """Make each step an item of a Markdown list."""
    for step in solution.steps:
        # A dash before a number or a formula would be a minus.
        if not step.lstrip()[:1].isalpha():
            raise NotRewritten("a step does not begin with a letter: a dash before it might be read as a minus")
        if "\n" in step.strip():
            raise NotRewritten("a step has several lines")
    return replaced(solution.steps, [f"- {step.lstrip()}" for step in solution.steps])


def line_ends(solution: Solution, _: random.Random) -> list[Edit]:
    """End every step with a line break, as where steps are joined by one more."""
    closed(solution.steps)
    return replaced(solution.steps, [f"{step.rstrip()}\n" for step in solution.steps])


def _rewritings() -> Iterator[Rewriting]:
    for name, rewrite, about in (
        ("inflation", inflate, "a sentence that claims nothing behind each step"),
        ("restating", restate, "each step said twice"),
        ("neutral-step", neutral_step, "a step that claims nothing put in"),
        ("reordering", reorder, "two independent steps swapped"),
        ("confidence", confident, "each step said to be certain"),
        ("hedging", hedged, "each step said to be uncertain"),
        ("paraphrase", paraphrase, "connectives exchanged by a table"),
        ("language", translate_connectives, "connectives in German, French, Spanish or Chinese"),
        ("numbering", renumber, "'Step 1:' before all steps, or taken away"),
        ("delimiters", delimiters, "formulas between \\( and \\) in place of dollars"),
        ("blank-lines", blank_lines, "a blank line for each line break"),
        ("bullets", bullets, "each step an item of a list"),
        ("separators", line_ends, "a line break behind each step"),
    ):
        yield Rewriting(name, "preserving", about, rewrite)


PRESERVING = tuple(_rewritings())
