"""What stands above the steps: the case's facts in one line, and the problem."""

from collections.abc import Iterator

from inspector.case_view.manner import Stop
from inspector.case_view.open_case import OpenCase
from inspector.case_view.page import StopLine, cut
from inspector.case_view.prose import paragraph
from inspector.sentences import counted
from inspector.text import clean
from inspector.widgets.line_view import Line
from inspector.wrap import wrap

SHARE = 5
"""A problem takes at most one of so many parts of what is seen at once, unless it is unfolded."""
LEAST = 3
"""Lines of a problem that are shown at least."""


def head_lines(shown: OpenCase) -> Iterator[Line]:
    """Where the case is from and how it ended."""
    case, manner = shown.case, shown.manner
    facts = [case["subset"], case["origin"], case["language"], case["generator"], counted(case["n_steps"], "step")]
    if case["final_answer_correct"] is not None and not manner.blind:
        facts.append("final answer right" if case["final_answer_correct"] else "final answer wrong")
    described = manner.dot.join(clean(fact) for fact in facts if fact)
    name = f"{clean(case['case'])}  " if manner.named else ""
    for line in wrap(f"{name}{described}", manner.width):
        yield Line([(line, "dim")])


def problem_lines(shown: OpenCase) -> Iterator[Line]:
    """The problem, cut where it would leave the steps no room."""
    manner, stop = shown.manner, Stop("problem")
    lines = list(paragraph("", "", shown.texts["problem"], manner, style="strong", scope="problem"))
    if stop not in manner.turned and manner.height:
        lines = cut(lines, max(LEAST, manner.height // SHARE), manner.keys.of("turn-over"))
    first, *rest = lines
    yield StopLine(first.parts, stop=stop)
    yield from rest
