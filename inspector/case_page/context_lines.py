"""The context of a trajectory: its tools at the head, and between the steps the messages that are none.

Each is a line, or whole where it is unfolded.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from rich.cells import cell_len

from inspector.case_page.columns import GUTTER
from inspector.case_page.open_case import DisplayOptions, OpenCase, Stop
from inspector.case_page.page import StopLine
from inspector.case_page.prose import FOUND, NARROWEST, in_raw, is_hit, marked
from inspector.render.texts.sentences import counted
from inspector.render.texts.text import TextPart, clean
from inspector.render.texts.wrap import wrap
from inspector.widgets.line_view import Line
from scoring.data.context_messages import ContextMessage, context_messages
from scoring.workspace.filtering.text_query import TextQuery
from scoring.workspace.filtering.text_spans import MatchSpan, occurs, spans

LONGEST_MESSAGE = 60_000
"""Characters of a message that are shown at most: a tool may give millions."""
_GLANCE = 4
"""Characters that are looked at for each cell of a folded message: some have no width."""
_BEFORE_HIT = 4
"""The first hit of a folded message has at most one of so many parts of the line's cells before it."""
_HIT_ROOM = 24
"""Cells for the place of a hit at least, where more is not said beside it."""
FEW_TOOLS = 4
"""So many tools have a line each from the beginning; more stand in one line until that is unfolded."""
_WHITE = re.compile(r"\s+")


def messages_between(case: OpenCase) -> dict[int, list[Line]]:
    """Return the lines that stand before each step (0-based), or behind the last one under the number of the steps.

    A message is one line, in which it is said how much more there is; unfolded it is whole, up to LONGEST_MESSAGE. Of
    one that holds what is searched for the line shows the first place and says how many there are.
    """
    return message_lines(case, context_messages(case.case, case.texts))


def message_lines(case: OpenCase, messages: Iterable[ContextMessage]) -> dict[int, list[Line]]:
    """Return the lines of messages, by the step that each stands before, as for `messages_between`."""
    lines: dict[int, list[Line]] = {}
    for message in messages:
        lines.setdefault(message.before, []).extend(_message(case, message))
    return lines


def tool_lines(case: OpenCase) -> Iterator[Line]:
    """Yield a line with the names of the functions that the agent could call, and one for each of them.

    The latter has the name and the beginning of the description; unfolded it is followed by the whole description and
    the rest of the definition as JSON. Of a tool that holds what is searched for the line shows the first place.
    """
    tools, display, stop = case.texts.get("tools") or [], case.display, Stop("tools")
    if not tools:
        return
    text_query = display.searched("context")
    searched = [_searched_tool(tool, text_query) for tool in tools]
    unfolded = (len(tools) <= FEW_TOOLS) != (stop in display.turned)
    head = f"{counted(len(tools), 'tool')}: "
    names = ", ".join(clean(tool["name"] or NO_NAME) for tool in tools)
    within = sum(is_hit(name) or bool(hits) or only_raw for name, _, hits, only_raw in searched)
    more = f"; {within} with hits" if within and not unfolded else ""
    room = max(NARROWEST, display.width - GUTTER - cell_len(head) - cell_len(more))
    parts: list[TextPart] = [(" " * GUTTER, ""), (head, "dim strong")]
    parts += [] if unfolded else _first_line(names, room, display)
    yield StopLine([*parts, *([(more, f"dim {FOUND}")] if more else [])], stop=stop)
    if unfolded:
        for number, (name, text, hits, only_raw) in enumerate(searched):
            yield from _tool(case, Stop("tool", number), name, text, (text_query, hits, only_raw))


NO_NAME = "no name"


def _searched_tool(
    tool: Mapping[str, Any], text_query: TextQuery | None
) -> tuple[list[TextPart], str, Sequence[MatchSpan], bool]:
    """A tool's name, in which hits stand out, its text, the hits in that, and whether its JSON alone has any."""
    text, called, style = _tool_text(tool), tool["name"] or NO_NAME, "dim strong"
    if text_query is None:
        return [(clean(called), style)], text, (), False
    cleaned, hits, _ = _searched(called, text_query)
    (name,) = marked([clean(cleaned)], clean(cleaned), hits if tool["name"] else (), style)
    places = _searched(text, text_query)[1]
    return name, text, places, not places and not is_hit(name) and occurs(text_query, tool["definition"])


@lru_cache(maxsize=256)
def _rest_of_tool(definition: str) -> str:
    """What a definition holds beside name and description, as JSON; "" where that is nothing."""
    entry = json.loads(definition)
    function = entry.get("function", entry) if isinstance(entry, dict) else entry
    if not isinstance(function, dict):
        return "" if isinstance(entry, str) else definition
    rest = {name: value for name, value in function.items() if name not in {"name", "description"}}
    return json.dumps(rest, ensure_ascii=False) if rest else ""


def _tool_text(tool: Mapping[str, Any]) -> str:
    return "\n".join(filter(None, (tool["about"], _rest_of_tool(tool["definition"]))))


def _tool(
    case: OpenCase,
    stop: Stop,
    name: list[TextPart],
    text: str,
    search: tuple[TextQuery | None, Sequence[MatchSpan], bool],
) -> Iterator[Line]:
    display, (text_query, hits, only_raw) = case.display, search
    mark = "- " if display.glyphs.ascii_only else "· "
    head = [(" " * GUTTER, ""), (mark, FOUND if only_raw else "dim"), *name, *([(": ", "dim strong")] if text else [])]
    room = max(NARROWEST, display.width - sum(cell_len(part) for part, _ in head))
    if stop not in display.turned:
        glance = glance_at_hit(text, text_query, room, display) if text_query and hits else None
        yield StopLine([*head, *(_first_line(text, room, display) if glance is None else glance)], stop=stop)
        return
    hint = "found in its JSON, which is copied from here" if only_raw else ""
    yield StopLine([*head, (hint, "dim")], stop=stop)
    for line in _wrapped(case, text, hits):
        yield Line([(" " * GUTTER, ""), *line])


def _first_line(text: str, room: int, display: DisplayOptions) -> Iterator[TextPart]:
    """The first line of a tool's text in so many cells; the key that shows more, where there is room to say so."""
    first, _, rest = text.partition("\n")
    glance = clean(" ".join(first[: _GLANCE * room].split()))
    more = f" ... ({display.keys.of('turn-over')})" if rest or cell_len(glance) > room else ""
    if room - cell_len(more) < NARROWEST:
        more = ""
    yield (wrap(glance, max(1, room - cell_len(more)))[0] if glance else "", "dim")
    yield (more, "dim")


def _message(case: OpenCase, message: ContextMessage) -> Iterator[Line]:
    display, stop = case.display, Stop("context", message.place)
    text_query = display.searched("context")
    hits, only_raw = _searched(message.text, text_query)[1:] if text_query else ((), False)
    speaker = _speaker(message, text_query)
    # As for a step: where only the raw text has what was searched for, the number stands out in its place.
    only_raw = only_raw and not is_hit(speaker)
    place = f"[{message.place}] "
    head = [(" " * GUTTER, ""), (place, FOUND if only_raw else "dim"), *speaker]
    if stop not in display.turned:
        room = max(NARROWEST, display.width - sum(cell_len(text) for text, _ in head))
        folded = glance_at_hit(message.text, text_query, room, display) if text_query and hits else None
        glance = _glance(message.text, room, display) if folded is None else folded
        yield StopLine([*head, *glance], stop=stop)
        return
    yield StopLine([*head, (in_raw(display.keys), "dim")] if only_raw else head, stop=stop)
    for line in _wrapped(case, message.text, hits):
        yield Line([(" " * GUTTER, ""), *line])


def _speaker(message: ContextMessage, text_query: TextQuery | None) -> list[TextPart]:
    """Role and, of a tool, its name, in which what was searched for stands out."""
    role, style = message.speaker.removesuffix(message.name), "dim strong"
    name, hits, _ = _searched(clean(message.name), text_query) if text_query else (clean(message.name), (), False)
    (parts,) = marked([name], name, hits, style)
    return [(clean(role), style), *parts, (": ", style)]


@lru_cache(maxsize=256)
def _searched(text: str, text_query: TextQuery) -> tuple[str, tuple[MatchSpan, ...], bool]:
    """The text as it is on screen, where the query occurs in that, and whether it does in the raw text alone."""
    if not occurs(text_query, text):
        return text, (), False
    cleaned = clean(text, lines=True)
    hits = spans(text_query, cleaned)
    return cleaned, hits, not hits


def _glance(text: str, room: int, display: DisplayOptions) -> Iterator[TextPart]:
    """The beginning of a text in so many cells, and how long it is where that is not all."""
    glance = clean(" ".join(text[: _GLANCE * room].split()))
    if cell_len(glance) <= room and len(text) <= _GLANCE * room:
        yield (glance, "dim")
        return
    more = f" ... {len(text):,} characters ({display.keys.of('turn-over')})"
    if room - cell_len(more) < NARROWEST:
        more = " ..."
    yield (wrap(glance, max(1, room - cell_len(more)))[0], "dim")
    yield (more, "dim")


def glance_at_hit(text: str, text_query: TextQuery, room: int, display: DisplayOptions) -> Iterator[TextPart]:
    """Yield the place of the first hit in `room` cells, and how many there are where that is not the whole text.

    The text holds a hit; any white space of it is one blank here.
    """
    cleaned, hits, _ = _searched(text, text_query)
    first = hits[0][0]
    count = counted(len(hits), "hit")
    whole, every = _on_one_line(cleaned[: _GLANCE * room], hits, 0)
    if len(cleaned) <= _GLANCE * room and cell_len(whole) <= room:
        yield from next(marked([whole], whole, every, "dim"))
        return
    forms = (f" ... {count} in {len(text):,} characters ({display.keys.of('turn-over')})", f" ... {count}")
    more = next((form for form in forms if room - cell_len(form) >= _HIT_ROOM), forms[-1])
    cells = max(1, room - cell_len(more))
    start = 0 if first <= cells // _BEFORE_HIT else first - cells // _BEFORE_HIT
    if start and (blank := _WHITE.search(cleaned, start, first)):
        start = blank.end()
    lead = "... " if start else ""
    glance, places = _on_one_line(cleaned[start : start + _GLANCE * room], hits, start)
    line = wrap(glance, max(1, cells - len(lead)))[0]
    (parts,) = marked([line], glance, places, "dim")
    yield (lead, "dim")
    yield from parts
    # In a narrow line the place itself may be beyond the end: the line is one with hits all the same.
    yield (more, "dim" if is_hit(parts) else f"dim {FOUND}")


def _on_one_line(text: str, hits: tuple[MatchSpan, ...], start: int) -> tuple[str, tuple[MatchSpan, ...]]:
    """A part of a text with any white space as one blank, and the hits in it; it begins at `start` of the whole."""
    pieces, places, length, at = [], [], 0, 0
    for low, high in hits:
        if low - start >= len(text):
            break
        low, high = max(0, low - start), min(len(text), high - start)  # noqa: PLW2901  # in the part
        if high <= low:
            continue
        before, inside = _WHITE.sub(" ", text[at:low]), _WHITE.sub(" ", text[low:high])
        length += len(before)
        places.append((length, length + len(inside)))
        length += len(inside)
        pieces += [before, inside]
        at = high
    return "".join([*pieces, _WHITE.sub(" ", text[at:])]), tuple(places)


def _wrapped(case: OpenCase, text: str, hits: Sequence[MatchSpan]) -> Iterator[list[TextPart]]:
    """All of a text, up to LONGEST_MESSAGE, with its hits; how much more there is, and how many hits in that."""
    width = max(NARROWEST, case.display.width - GUTTER)
    beginning = clean(text[:LONGEST_MESSAGE], lines=True)
    yield from marked(wrap(beginning, width), beginning, hits, "dim")
    if (rest := len(text) - LONGEST_MESSAGE) > 0:
        beyond = sum(high > len(beginning) for _, high in hits)
        inside = f" with {counted(beyond, 'hit')}" if beyond else ""
        words = f"... {rest:,} more characters{inside}; prm-inspect show {case.case['case']} --json prints all"
        yield from ([(line, f"dim {FOUND}" if beyond else "dim")] for line in wrap(clean(words), width))
