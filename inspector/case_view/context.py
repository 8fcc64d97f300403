"""The messages of a trajectory that are no steps, between the steps: a line each, and their whole text unfolded."""

from collections.abc import Iterator

from rich.cells import cell_len

from inspector.case_view.open_case import OpenCase, Stop
from inspector.case_view.page import StopLine
from inspector.case_view.prose import NARROWEST
from inspector.texts.text import clean
from inspector.texts.wrap import wrap
from inspector.widgets.line_view import Line
from scoring.texts import ContextMessage

LONGEST = 60_000
"""Characters of a message that are shown at most: a tool may give millions."""
_GLANCE = 4
"""Characters that are looked at for each cell of a folded message: some have no width."""


def context_lines(case: OpenCase, messages: tuple[ContextMessage, ...], step: int, indent: int) -> Iterator[Line]:
    """Yield what stands between a step (0-based) and the one before it; behind the last one with the number of steps.

    A message is one line, in which it is said how much more there is; unfolded it is whole, up to LONGEST characters.
    """
    for message in messages:
        if message.before == step:
            yield from _message(case, message, indent)


def _message(case: OpenCase, message: ContextMessage, indent: int) -> Iterator[Line]:
    display, stop = case.manner, Stop("context", message.place)
    label, width = f"{clean(message.speaker)}: ", max(NARROWEST, display.width - indent)
    place = f"[{message.place}] "
    room = max(NARROWEST, width - cell_len(place) - cell_len(label))
    head = [(" " * indent, ""), (place, "dim"), (label, "dim strong")]
    if stop not in display.turned:
        start = " ".join(message.text[: _GLANCE * room].split())
        glance = clean(start)
        if cell_len(glance) <= room and len(message.text) <= _GLANCE * room:
            yield StopLine([*head, (glance, "dim")], stop=stop)
            return
        more = f" ... {len(message.text):,} characters ({display.keys.of('turn-over')})"
        if room - cell_len(more) < NARROWEST:
            more = " ..."
        cut = wrap(glance, max(1, room - cell_len(more)))[0]
        yield StopLine([*head, (cut, "dim"), (more, "dim")], stop=stop)
        return
    yield StopLine(head, stop=stop)
    for line in wrap(clean(message.text[:LONGEST], lines=True), width):
        yield Line([(" " * indent, ""), (line, "dim")])
    if (rest := len(message.text) - LONGEST) > 0:
        words = f"... {rest:,} more characters; prm-inspect show {case.case['case']} --json prints all"
        yield from (Line([(" " * indent, ""), (line, "dim")]) for line in wrap(clean(words), width))
