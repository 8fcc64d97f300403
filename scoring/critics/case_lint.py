"""Looking at the texts of cases that go into a critic's prompt: what a model could take for something else."""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from scoring.critics.special_texts import CHAT_TOKENS, ROLE_MARKERS, control_character, literal_break
from scoring.critics.step_layout import StepLayout

CaseTexts = tuple[str, Sequence[str]]
"""A case's problem and its steps."""

_AS_TEXT = "They are sent as plain text; look at the answers to these cases."


class PromptFinding(Struct, frozen=True):
    """One thing about a template or about the texts that go into it.

    An "error" would make answers mean something else than the protocol says, and nothing is asked; a "warning" is told.
    `kind` is a stable word to count by. `cases` is how many of the looked-at cases it is about, 0 = the template.
    """

    severity: Literal["error", "warning"]
    kind: str
    sentence: str
    next_step: str
    cases: int = 0

    def __str__(self) -> str:
        return f"{self.severity}: {self.sentence} {self.next_step}"


def about_cases(cases: Sequence[CaseTexts], layout: StepLayout) -> Iterator[PromptFinding]:
    """One finding a kind, with how many of the cases it is about and the place of the first (1-based, as given)."""
    marks = layout.marks()
    for kind, what, next_step, holds in (
        (
            "colliding tags",
            "hold the marks that number steps",
            "The model may miscount their steps.",
            _any(marks.search),
        ),
        ("special token", "hold special tokens of chat templates", _AS_TEXT, _any(CHAT_TOKENS.search)),
        ("role marker", "hold a line that starts a message in templates", _AS_TEXT, _any(ROLE_MARKERS.search)),
        ("control character", "hold control characters", _AS_TEXT, _any(control_character)),
        (
            "literal line break",
            "hold a backslash and an n where a line break may be meant",
            "They are sent as they are; see whether the file or its import lost the line breaks.",
            _any(literal_break),
        ),
        ("empty step", "have a step without text", "It keeps its number, and the model may pass over it.", _blank),
        ("no steps", "have no steps", "There is nothing to judge in them.", lambda _, steps: not steps),
        (
            "empty problem",
            "have a problem without text",
            "Their steps are judged alone.",
            lambda text, _: not text.strip(),
        ),
    ):
        found = [n for n, (problem, steps) in enumerate(cases, 1) if holds(problem, [*map(layout.step, steps)])]
        if found:
            yield PromptFinding(
                "warning",
                kind,
                f"{len(found):,} of {len(cases):,} cases {what}, the first being number {found[0]:,}.",
                next_step,
                len(found),
            )


def _any(found: Callable[[str], object]) -> Callable[[str, Sequence[str]], bool]:
    """Whether something is found in the problem or in a step."""
    return lambda problem, steps: any(map(found, (problem, *steps)))


def _blank(_: str, steps: Sequence[str]) -> bool:
    return any(not step.strip() for step in steps)
