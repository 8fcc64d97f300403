"""One case as lines for a pane: an ordered list of sections, each a function from the case at hand to lines.

A new part of the view is a function in a module of its own and an entry in one of the lists here. The first sections
stay in place while the others scroll, as far as there is room for them.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from inspector.case_view import original_lines, token_lines
from inspector.case_view.facts import facts_lines
from inspector.case_view.folding import telling
from inspector.case_view.gold import gold_lines, other_texts
from inspector.case_view.head import head_lines, problem_lines
from inspector.case_view.legend import legend_lines
from inspector.case_view.manner import Manner, Stop
from inspector.case_view.open_case import OpenCase, open_case
from inspector.case_view.page import StopLine
from inspector.case_view.prose import paragraph
from inspector.case_view.said import said_lines
from inspector.case_view.steps import step_lines
from inspector.case_view.story import agreement_lines, answer_words, sentence_lines
from inspector.inspection import Inspection
from inspector.text import clean
from inspector.widgets.line_view import Line
from inspector.wrap import wrap
from scoring.errors import InspectError

__all__ = ["BODIES", "CaseLines", "Manner", "Section", "case_lines", "paragraph"]

Section = Callable[[OpenCase], Iterable[Line]]


def blank(shown: OpenCase) -> Iterable[Line]:  # noqa: ARG001  # a section like the others
    """An empty line."""
    return (Line([]),)


PINNED: tuple[Section, ...] = (head_lines, said_lines, sentence_lines, agreement_lines, legend_lines)
"""Above everything; they stay there while the rest scrolls."""
BODIES: Mapping[str, Section] = {
    "": step_lines,
    original_lines.MODE: original_lines.original_lines,
    token_lines.MODE: token_lines.token_lines,
}
"""What stands where the steps are, by `Manner.mode`: other ways to show them than step by step."""
ABOVE: tuple[Section, ...] = (problem_lines, answer_words, blank)
BELOW: tuple[Section, ...] = (blank, gold_lines, other_texts, facts_lines)
PINNED_SHARE = 3
"""At most one of so many parts of what is seen at once stays in place."""


@dataclass(frozen=True)
class CaseLines:
    """The lines, and what stands where.

    `starts` says for each step (0-based) on which line it starts, folded ones all on theirs. `stops` are the places of
    the step cursor with their lines, from above. The first `pinned` lines stay where they are while the rest scrolls.
    `telling` are the gold step and the one that the scorer in focus names, ascending, as far as there are such.
    """

    lines: tuple[Line, ...]
    starts: tuple[int, ...]
    stops: tuple[tuple[Stop, int], ...] = ()
    pinned: int = 0
    telling: tuple[int, ...] = ()

    @property
    def length(self) -> int:
        """How many lines there are."""
        return len(self.lines)


def case_lines(inspection: Inspection, row: int, manner: Manner) -> CaseLines:
    """The case with this row id, seen through the scorer in focus and those beside it.

    Where its texts can no longer be read there is only its name, and why.
    """
    try:
        shown = open_case(inspection, row, manner)
    except InspectError as error:
        return _unreadable(inspection.cases["case"][row], error, manner)
    lines: list[Line] = []
    pinned = 0
    for section in PINNED:
        lines += section(shown)
        if len(lines) * PINNED_SHARE <= manner.height:
            pinned = len(lines)
    shown = replace(shown, room=manner.height - pinned)
    for section in (*ABOVE, BODIES.get(manner.mode, step_lines), *BELOW):
        lines += section(shown)
    stopped = [(line, at) for at, line in enumerate(lines) if isinstance(line, StopLine)]
    starts = {step: at for line, at in stopped for step in line.steps}
    stops = tuple((line.stop, at) for line, at in stopped)
    return CaseLines(tuple(lines), tuple(starts[step] for step in sorted(starts)), stops, pinned, tuple(telling(shown)))


def _unreadable(name: str, error: InspectError, manner: Manner) -> CaseLines:
    said = wrap(clean(str(error)), manner.width)
    return CaseLines((Line([(clean(name), "strong")]), Line([]), *(Line([(line, "bad")]) for line in said)), ())
