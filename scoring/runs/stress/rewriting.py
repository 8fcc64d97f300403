"""What a rewriting is: a pure function of a solution and a seed that gives edits of its steps, or refuses and says why.

A preserving one changes how a solution is written and nothing that it says; a breaking one makes one right step wrong.
Whoever cannot be sure of that refuses: what is refused is counted, and says why.
"""

import random
import re
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct

from scoring.data.errors import UsageError
from scoring.workspace.variants import Edit, VariantStep, apply_edits

RewritingKind = Literal["control", "preserving", "breaking"]
LAWS: dict[RewritingKind, str] = {
    "control": "nothing is changed that a reader sees: rewards move by the scorer's own noise alone",
    "preserving": "a right step must not lose more than the tolerance, and a wrong one must not gain more",
    "breaking": "the step that was broken must not gain more than the tolerance",
}
MOST = 100_000
"""Characters of a solution that is rewritten."""


class Solution(Struct, frozen=True):
    """A problem, the n steps of a solution, and for each whether its gold label is right (None = not known)."""

    problem: str
    steps: tuple[str, ...]
    right: tuple[bool | None, ...] = ()


class NotRewritten(Exception):  # noqa: N818  # nothing has failed
    """A rewriting would change what the solution says, or has nothing to change; the reason is what is counted."""


RewriteFunction = Callable[[Solution, random.Random], Sequence[Edit]]


class Rewriting(Struct, frozen=True):
    """A way to rewrite solutions.

    Attributes:
        name: How it is called.
        kind: Whether it preserves what a solution says, breaks one step, or changes nothing (the control).
        about: What it does, in a few words.
        rewrite: Gives the edits, in the order in which they apply; raises NotRewritten.
    """

    name: str
    kind: RewritingKind
    about: str
    rewrite: RewriteFunction

    @property
    def law(self) -> str:
        """What a scorer may make of it."""
        return LAWS[self.kind]


class Rewritten(Struct, frozen=True):
    """A solution as it was rewritten.

    `steps` say of which step (0-based) each was made, `edits` how. `broken` is the step of the rewriting that is wrong
    now, None where it preserves. `together` names the place of each step of the original, where steps of one place
    changed their order: verdicts on two of them are the same verdict.
    """

    problem: str
    steps: tuple[VariantStep, ...]
    edits: tuple[Edit, ...] = ()
    broken: int | None = None
    together: tuple[int, ...] = ()


def rewritten(rewriting: Rewriting, solution: Solution, seed: str) -> Rewritten:
    """Rewrite a solution; equal seeds give equal rewritings.

    Raises:
        NotRewritten: it cannot be done without changing what the solution says, or there is nothing to do.
    """
    if len(solution.problem) + sum(map(len, solution.steps)) > MOST:
        raise NotRewritten(f"problem and steps have more than {MOST:,} characters")
    edits = tuple(rewriting.rewrite(solution, random.Random(f"{seed}|{rewriting.name}")))  # noqa: S311
    try:
        steps = apply_edits(solution.steps, edits)
    except UsageError as error:
        raise NotRewritten(error.sentence.rstrip(".")) from None
    if [step.text for step in steps] == list(solution.steps) and rewriting.kind != "control":
        raise NotRewritten("nothing to change")
    place = list(range(len(solution.steps)))
    for edit in edits:
        if edit.kind == "swap":
            place[edit.other] = place[edit.step]
    broken = edits[0].step if rewriting.kind == "breaking" else None
    problem = f"{solution.problem} " if rewriting.kind == "control" else solution.problem
    return Rewritten(problem, steps, edits, broken, tuple(place))


# -- what most of them have to know of a text


_MATH = re.compile(r"\$\$.*?\$\$|\$[^$\n]*\$|\\\(.*?\\\)|\\\[.*?\\\]|```.*?```|`[^`\n]*`", re.DOTALL)
"""Formulas and code, which are nobody's to reword."""
LABEL = re.compile(
    r"\s*(?:\*\*)?(?:Step\s+)?\(?\d{1,3}[.):](?:\*\*)?\s+|\s*(?:\*\*)?Step\s+\d{1,3}\b(?:\*\*)?[.:)]?\s*", re.IGNORECASE
)
"""The number that a step calls itself by, at its beginning."""
_STEP_NAMED = re.compile(r"\b(?:steps?|equations?|eqs?\.|lines?|paragraphs?|parts?)\s*\(?\d|\(\d+\)", re.IGNORECASE)
"""A step or an equation that is called by its number."""
_FENCES = (("\\(", "\\)"), ("\\[", "\\]"), ("\\begin{", "\\end{"), ("\\left", "\\right"))


def open_formula(text: str) -> bool:
    """Return whether a formula, an environment or a block of code begins in the text and does not end there."""
    # Where a dollar is money the count may be odd: then nothing is known, and that is said.
    dollars = len(re.findall(r"(?<!\\)\$", text))
    return bool(dollars % 2 or text.count("```") % 2 or any(text.count(a) != text.count(b) for a, b in _FENCES))


def closed(steps: Sequence[str]) -> None:
    """Refuse where a formula goes over the end of a step: what is put there would stand inside it."""
    if any(map(open_formula, steps)):
        raise NotRewritten("a formula or a block of code may go on beyond its step, or a dollar be money")


def unnumbered(solution: Solution) -> None:
    """Refuse where steps are numbered or called by their numbers, which would be others afterwards."""
    if any(LABEL.match(step) for step in solution.steps):
        raise NotRewritten("the steps are numbered")
    if any(_STEP_NAMED.search(step) for step in solution.steps):
        raise NotRewritten("a step or an equation is called by its number")


def prose_parts(text: str) -> list[tuple[str, bool]]:
    """Split a text into its parts, each with whether it is prose and no formula or code; joined they are the text.

    Where a formula begins and does not end, all is prose: whoever would change it asks `closed` first.
    """
    if any(text.count(opening) != text.count(end) for opening, end in _FENCES[:2]):
        return [(text, True)] if text else []
    parts, end = [], 0
    for match in _MATH.finditer(text):
        parts += [(text[end : match.start()], True), (match.group(), False)]
        end = match.end()
    return [part for part in (*parts, (text[end:], True)) if part[0]]


def after_label(text: str, put: str) -> str:
    """Put words at the beginning of a step, behind its number where it has one."""
    match = LABEL.match(text)
    start = match.end() if match else len(text) - len(text.lstrip())
    return f"{text[:start]}{put}{text[start:]}"


def replaced(steps: Sequence[str], texts: Sequence[str]) -> list[Edit]:
    """Return the edits that put new texts in the place of the steps that they differ from."""
    pairs = enumerate(zip(steps, texts, strict=True))
    return [Edit("replace", at, text=text) for at, (step, text) in pairs if step != text]
