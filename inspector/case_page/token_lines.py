"""The tokens of a case as the scorer in focus is shown them: whose each is, and which are read for which step."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from inspector.case_page.open_case import DisplayOptions, OpenCase, Stop
from inspector.case_page.page import StopLine
from inspector.case_page.steps import step_lines
from inspector.render.texts.text import TextPart, apart_from, cell, clean
from inspector.render.texts.token_text import TokenFacts, TokenGroup, counts_of_parts, grouped, visible
from inspector.render.texts.wrap import wrap
from inspector.state.processes.xray import XrayAnswer
from inspector.widgets.line_view import Line

MODE = "tokens"
ASKING = "asking the tokenizer..."
INDENT = 2
LONGEST = 3
"""A token takes at most one of so many parts of a line."""


def token_lines(case: OpenCase) -> Iterator[Line]:
    """Yield the tokens; the steps as they are, under a sentence, as long as there are none."""
    display, xray = case.display, _of_this(case)
    if xray is None or xray.answer is None:
        problem = "" if xray is None else xray.problem
        for line in wrap(clean(problem or ASKING), display.width):
            yield Line([(line, "strong")])
        yield Line([])
        yield from step_lines(case)
        return
    tokens = xray.answer["tokens"]
    yield from _head(xray, tokens, display)
    several = bool(tokens) and tokens[-1]["sequence"] > 0
    stopped: set[int] = set()
    for group in grouped(tokens):
        yield from _group(group, case, xray, stopped, several=several)
    for step in range(case.case["n_steps"]):
        if step not in stopped:
            yield StopLine([(f"step {step}: no tokens", "dim")], stop=Stop("step", step), steps=range(step, step + 1))


def _of_this(case: OpenCase) -> XrayAnswer | None:
    """What is known, if it is of this case and of the scorer in focus."""
    xray, at_hand = case.display.xray, (case.case["case"], case.state.focus.scorer)
    return xray if xray is not None and (xray.case, xray.scorer) == at_hand else None


def _head(xray: XrayAnswer, tokens: Sequence[TokenFacts], display: DisplayOptions) -> Iterator[Line]:
    answer = xray.answer or {}
    counts = (
        f"{len(tokens):,} tokens of {answer['model']} ({answer['family']}): {counts_of_parts(tokens)}; "
        f"{sum(bool(token['read']) for token in tokens):,} are read"
    )
    text, layout = _joints(display)
    legend = (
        f"{text} before a token of the texts, {layout} of the layout, {_blank(display)} is a space; beneath it its id, "
        "* where it is read"
    )
    for line in wrap(clean(counts), display.width):
        yield Line([(line, "strong")])
    for line in wrap(legend, display.width):
        yield Line([(line, "dim")])
    for note in xray.notes:
        for line in wrap(clean(f"! {note}"), display.width):
            yield Line([(line, "bad")])


def _group(group: TokenGroup, case: OpenCase, xray: XrayAnswer, stopped: set[int], *, several: bool) -> Iterator[Line]:
    yield Line([])
    where = f", sequence {group.sequence}" if several else ""
    words = f"{group.name}{where}{_read_at(group, case, xray)}"
    first, *rest = wrap(clean(words), max(10, case.display.width))
    if group.step is None or group.step in stopped or group.step >= case.case["n_steps"]:
        yield Line([(first, "strong")])
    else:
        stopped.add(group.step)
        steps = range(group.step, group.step + 1)
        yield StopLine([(first, "strong")], stop=Stop("step", group.step), steps=steps)
    for line in rest:
        yield Line([(line, "strong")])
    for row in _rows(group.tokens, case.display):
        yield from row


def _read_at(group: TokenGroup, case: OpenCase, xray: XrayAnswer) -> str:
    """Where the step is read, and what the scorer gave to it."""
    token = group.read
    if token is None:
        return ""
    words = f": read at token {token['index']}, id {token['id']}"
    track = case.tracks[0] if case.tracks else None
    step = token["step"]
    if track is not None and track.name == xray.scorer and step is not None and step < len(track.rewards):
        words += f", reward {apart_from(track.rewards[step], track.threshold(step), 4)}"
    return words + (f" ({token['warning']})" if token["warning"] else "")


def _rows(tokens: Sequence[TokenFacts], display: DisplayOptions) -> Iterator[tuple[Line, Line]]:
    """Texts above their ids, as many beside each other as fit."""
    room = max(10, display.width - INDENT)
    above: list[TextPart] = []
    below: list[TextPart] = []
    used = 0
    for token in tokens:
        text, number, style = _seen(token, room, display)
        size = max(cell_len(text), len(number) + 1)
        if above and used + size > room:
            yield _pair(above, below)
            above, below, used = [], [], 0
        above.append((text + " " * (size - cell_len(text)), style))
        below.append((number.rjust(len(number) + 1).ljust(size), style if token["read"] else "dim"))
        used += size
    if above:
        yield _pair(above, below)


def _pair(above: list[TextPart], below: list[TextPart]) -> tuple[Line, Line]:
    indent: TextPart = (" " * INDENT, "")
    return Line([indent, *above]), Line([indent, *below])


def _seen(token: TokenFacts, room: int, display: DisplayOptions) -> tuple[str, str, str]:
    """A token's text behind its sign, its id, and the style of both."""
    of_text, of_layout = _joints(display)
    text = clean(visible(token["text"], ascii_only=display.glyphs.ascii_only)).replace(" ", _blank(display))
    most = max(4, room // LONGEST)
    if cell_len(text) > most:
        text = f"{cell(text, most - 3)[:-1].rstrip()}..." if display.glyphs.ascii_only else cell(text, most).rstrip()
    sign = of_layout if token["part"] == "layout" else of_text
    style = "match strong" if token["read"] else "dim" if token["part"] == "layout" else ""
    return sign + text, f"{'*' if token['read'] else ''}{token['id']}", style


def _blank(display: DisplayOptions) -> str:
    """What stands for a space of a token: blanks fill the line up to the next one."""
    return "_" if display.glyphs.ascii_only else "␣"


def _joints(display: DisplayOptions) -> tuple[str, str]:
    return ("|", ":") if display.glyphs.ascii_only else ("│", "┊")
