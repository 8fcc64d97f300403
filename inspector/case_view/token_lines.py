"""The tokens of a case as the scorer in focus is shown them: whose each is, and which are read for which step."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from inspector.case_view.open_case import Manner, OpenCase, Stop
from inspector.case_view.page import StopLine
from inspector.case_view.steps import step_lines
from inspector.processes.xray import Xray
from inspector.texts.text import Part, cell, clean
from inspector.texts.token_text import Group, Token, counts_of_parts, grouped, visible
from inspector.texts.wrap import wrap
from inspector.widgets.line_view import Line

MODE = "tokens"
ASKING = "asking the tokenizer..."
INDENT = 2
LONGEST = 3
"""A token takes at most one of so many parts of a line."""


def token_lines(shown: OpenCase) -> Iterator[Line]:
    """The tokens; the steps as they are, under a sentence, as long as there are none."""
    manner, found = shown.manner, _of_this(shown)
    if found is None or found.answer is None:
        problem = "" if found is None else found.problem
        for line in wrap(clean(problem or ASKING), manner.width):
            yield Line([(line, "strong")])
        yield Line([])
        yield from step_lines(shown)
        return
    tokens = found.answer["tokens"]
    yield from _head(found, tokens, manner)
    several = bool(tokens) and tokens[-1]["sequence"] > 0
    stopped: set[int] = set()
    for group in grouped(tokens):
        yield from _group(group, shown, found, stopped, several=several)
    for step in range(shown.case["n_steps"]):
        if step not in stopped:
            yield StopLine([(f"step {step}: no tokens", "dim")], stop=Stop("step", step), steps=range(step, step + 1))


def _of_this(shown: OpenCase) -> Xray | None:
    """What is known, if it is of this case and of the scorer in focus."""
    found, at_hand = shown.manner.xray, (shown.case["case"], shown.inspection.scorer)
    return found if found is not None and (found.case, found.scorer) == at_hand else None


def _head(found: Xray, tokens: Sequence[Token], manner: Manner) -> Iterator[Line]:
    answer = found.answer or {}
    told = (
        f"{len(tokens):,} tokens of {answer['model']} ({answer['family']}): {counts_of_parts(tokens)}; "
        f"{sum(bool(token['read']) for token in tokens):,} are read"
    )
    text, layout = _joints(manner)
    legend = (
        f"{text} before a token of the texts, {layout} of the layout, {_blank(manner)} is a space; beneath it its id, "
        "* where it is read"
    )
    for line in wrap(clean(told), manner.width):
        yield Line([(line, "strong")])
    for line in wrap(legend, manner.width):
        yield Line([(line, "dim")])
    for note in found.notes:
        for line in wrap(clean(f"! {note}"), manner.width):
            yield Line([(line, "bad")])


def _group(group: Group, shown: OpenCase, found: Xray, stopped: set[int], *, several: bool) -> Iterator[Line]:
    yield Line([])
    where = f", sequence {group.sequence}" if several else ""
    words = f"{group.name}{where}{_read_at(group, shown, found)}"
    first, *rest = wrap(clean(words), max(10, shown.manner.width))
    if group.step is None or group.step in stopped or group.step >= shown.case["n_steps"]:
        yield Line([(first, "strong")])
    else:
        stopped.add(group.step)
        steps = range(group.step, group.step + 1)
        yield StopLine([(first, "strong")], stop=Stop("step", group.step), steps=steps)
    for line in rest:
        yield Line([(line, "strong")])
    for row in _rows(group.tokens, shown.manner):
        yield from row


def _read_at(group: Group, shown: OpenCase, found: Xray) -> str:
    """Where the step is read, and what the scorer gave to it."""
    token = group.read
    if token is None:
        return ""
    told = f": read at token {token['index']}, id {token['id']}"
    track = shown.tracks[0] if shown.tracks else None
    step = token["step"]
    if track is not None and track.name == found.scorer and step is not None and step < len(track.rewards):
        told += f", reward {track.rewards[step]:.4f}"
    return told + (f" ({token['warning']})" if token["warning"] else "")


def _rows(tokens: Sequence[Token], manner: Manner) -> Iterator[tuple[Line, Line]]:
    """Texts above their ids, as many beside each other as fit."""
    room = max(10, manner.width - INDENT)
    above: list[Part] = []
    below: list[Part] = []
    used = 0
    for token in tokens:
        text, number, style = _seen(token, room, manner)
        size = max(cell_len(text), len(number) + 1)
        if above and used + size > room:
            yield _pair(above, below)
            above, below, used = [], [], 0
        above.append((text + " " * (size - cell_len(text)), style))
        below.append((number.rjust(len(number) + 1).ljust(size), style if token["read"] else "dim"))
        used += size
    if above:
        yield _pair(above, below)


def _pair(above: list[Part], below: list[Part]) -> tuple[Line, Line]:
    indent: Part = (" " * INDENT, "")
    return Line([indent, *above]), Line([indent, *below])


def _seen(token: Token, room: int, manner: Manner) -> tuple[str, str, str]:
    """A token's text behind its sign, its id, and the style of both."""
    of_text, of_layout = _joints(manner)
    text = clean(visible(token["text"], ascii_only=manner.brush.ascii_only)).replace(" ", _blank(manner))
    most = max(4, room // LONGEST)
    if cell_len(text) > most:
        text = f"{cell(text, most - 3)[:-1].rstrip()}..." if manner.brush.ascii_only else cell(text, most).rstrip()
    sign = of_layout if token["part"] == "layout" else of_text
    style = "match strong" if token["read"] else "dim" if token["part"] == "layout" else ""
    return sign + text, f"{'*' if token['read'] else ''}{token['id']}", style


def _blank(manner: Manner) -> str:
    """What stands for a space of a token: blanks fill the line up to the next one."""
    return "_" if manner.brush.ascii_only else "␣"


def _joints(manner: Manner) -> tuple[str, str]:
    return ("|", ":") if manner.brush.ascii_only else ("│", "┊")
