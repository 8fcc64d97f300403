"""One case as lines for a pane: an ordered list of sections, each a function from the case at hand to lines.

A new part of the view is a function and an entry in one of the lists here. The first sections
stay in place while the others scroll, as far as there is room for them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len

from inspector.case_page import original_lines, token_lines
from inspector.case_page.facts import facts_lines
from inspector.case_page.images import MOST
from inspector.case_page.open_case import DisplayOptions, OpenCase, Stop, images_of, open_case
from inspector.case_page.outcome_lines import agreement_lines, answer_words, sentence_lines
from inspector.case_page.page import StopLine, cut, cut_last
from inspector.case_page.prose import paragraph
from inspector.case_page.statement_lines import kept_variants_lines, said_lines
from inspector.case_page.step_folds import telling
from inspector.case_page.steps import letter_lines, step_lines
from inspector.case_page.tracks import Track
from inspector.render.charts.glyphs import OUTCOME_STYLES
from inspector.render.texts.gold_words import counts_from_one, gold_words
from inspector.render.texts.sentences import GLYPHS, WORDS, counted
from inspector.render.texts.short_names import short_name
from inspector.render.texts.text import TextPart, clean
from inspector.render.texts.wrap import wrap
from inspector.state.label_words import changed_words
from inspector.state.screen_state import ScreenState
from inspector.widgets.line_view import Line
from scoring.data.errors import InspectError

# -- what stands above the steps

PROBLEM_SHARE = 5
"""A problem takes at most one of so many parts of what is seen at once, unless it is unfolded."""
PROBLEM_LEAST = 3
"""Lines of a problem that are shown at least."""
IMAGE = "Image  "


def origin_facts(case: OpenCase) -> list[str]:
    """Return the source of the case, its number of steps and whether its final answer is correct."""
    record = case.case
    facts = [
        record["subset"],
        record["origin"],
        record["language"],
        record["generator"],
        counted(record["n_steps"], "step"),
    ]
    if record["final_answer_correct"] is not None and not case.display.blind:
        facts.append("final answer right" if record["final_answer_correct"] else "final answer wrong")
    return [clean(fact) for fact in facts if fact]


def head_lines(case: OpenCase) -> Iterator[Line]:
    """Yield the source of the case and whether its final answer is correct."""
    display = case.display
    described = display.dot.join(origin_facts(case))
    name = f"{clean(case.case['case'])}  " if display.named else ""
    for line in wrap(f"{name}{described}", display.width):
        yield Line([(line, "dim")])


def problem_lines(case: OpenCase) -> Iterator[Line]:
    """Yield the problem, cut where it would leave the steps no room."""
    display, stop = case.display, Stop("problem")
    lines = list(paragraph("", "", case.texts["problem"], display, style="strong", scope="problem"))
    if stop not in display.turned and display.height:
        key = display.keys.of("turn-over")
        if "problem" in display.apart:
            lines = cut_last(lines, display.height, key, display.width)
        else:
            lines = cut(lines, max(PROBLEM_LEAST, display.height // PROBLEM_SHARE), key)
    first, *rest = lines
    yield StopLine(first.parts, stop=stop)
    yield from rest


def image_lines(case: OpenCase) -> Iterator[Line]:
    """Yield a line or more for each image that the case names: its name, and what it is or why it is not opened."""
    key = case.display.keys.of("turn-over")
    for number, image in enumerate(images_of(case)):
        words = f"{clean(image.name)}  ({clean(image.words)}{f'; {key} opens it' if image.sound else ''})"
        first, *rest = wrap(words, max(10, case.display.width - cell_len(IMAGE)))
        yield StopLine([(IMAGE, "dim"), (first, "" if image.sound else "bad")], stop=Stop("image", number))
        yield from (Line([(" " * cell_len(IMAGE), ""), (line, "" if image.sound else "bad")]) for line in rest)
        if number == MOST - 1:
            yield Line([(" " * cell_len(IMAGE), ""), (f"no more than {MOST} are looked at", "dim")])


# -- gold labels, and the texts beside the problem


def kind_words(case: OpenCase) -> list[str]:
    """Return how adjudication changed the label, and the error types."""
    record = case.case
    changed = changed_words(case.state.results.labels.adjudicated, record["case"])
    kinds = [changed, record["error_category"], record["error_type"], record["error_kind"], record["pattern"]]
    return [kind for kind in kinds if kind]


def gold_lines(case: OpenCase) -> Iterator[Line]:
    """Yield the gold labels and, unless hidden, why."""
    display, record, texts = case.display, case.case, case.texts
    if display.blind:
        return
    dot = " | " if display.glyphs.ascii_only else " · "
    words = dot.join([gold_words(record), *kind_words(case)])
    first, *rest = paragraph("Gold  ", "gold", words, display)
    yield StopLine(first.parts, stop=Stop("gold"))
    yield from rest
    if texts["reason"] and display.reason:
        yield from paragraph("Why   ", "gold", texts["reason"], display, scope="reason")
        if counts_from_one(record["benchmark"], texts["reason"]):
            yield Line([("      ", ""), ("(this text counts steps from 1, the screen from 0)", "dim")])
    elif texts["reason"]:
        yield Line([("Why   ", "gold"), (f"hidden; {display.keys.of('reason')} shows it", "dim")])


def other_texts(case: OpenCase) -> Iterator[Line]:
    """Yield other wordings of the problem, where they read otherwise, and the reference answer."""
    texts, display = case.texts, case.display
    for label, name in (("Question  ", "question"), ("Original  ", "original_problem")):
        if texts[name] is None:
            continue
        # Some differ in their LaTeX alone, and read the same.
        wording, again = (
            list(paragraph(label, "dim", texts[of], display, scope="problem")) for of in (name, "problem")
        )
        if wording != again:
            yield from wording
    if texts["reference_answer"] is not None and not display.blind:
        yield from paragraph("Answer    ", "dim", texts["reference_answer"], display, scope="reason")


# -- who is who among several scorers

NAME, SHORT = 28, 12
"""Cells of a scorer's name at most; and at least, where more of them then stand in a line."""
OTHERS = 16
"""Cells of the letter, the outcome and the verdict."""
BETWEEN = 3


def legend_lines(case: OpenCase) -> Iterator[Line]:
    """Yield the scorers beside each other, as many as fit; nothing for one scorer, whom the sentence names."""
    if len(case.tracks) < 2:
        if case.tracks and case.tracks[0].redundancy:
            yield Line([("beneath each reward, marked r: redundancy", "dim")])
        return
    room = _name_cells(case)
    entries = [_entry(track, case, room) for track in sorted(case.tracks, key=lambda track: track.letter)]
    widest = max(sum(cell_len(text) for text, _ in entry) for entry in entries)
    beside = max(1, (case.display.width + BETWEEN) // (widest + BETWEEN))
    for start in range(0, len(entries), beside):
        parts: list[TextPart] = []
        for entry in entries[start : start + beside]:
            blank = widest - sum(cell_len(text) for text, _ in entry) + BETWEEN
            parts += [*entry, (" " * blank, "")]
        yield Line(parts[:-1])


def _name_cells(case: OpenCase) -> int:
    """Cells for a name: as many as let two entries stand in a line at least, three or more in a wide one."""
    width = case.display.width
    beside = max(2 if width >= 2 * (SHORT + OTHERS) + BETWEEN else 1, width // (NAME + OTHERS))
    return max(4, min(NAME, (width - (beside - 1) * BETWEEN) // beside - OTHERS))


def _entry(track: Track, case: OpenCase, room: int) -> list[TextPart]:
    name = short_name(track.name, room, (other.name for other in case.tracks))
    parts: list[TextPart] = [(f"{track.letter} ", f"{track.style} strong"), (name, track.style)]
    if case.display.blind:
        return parts
    verdict = f" {track.verdict}" if track.verdict is not None and track.verdict >= 0 else ""
    style = OUTCOME_STYLES.get(track.outcome, "dim")
    return [*parts, (f" {GLYPHS[track.outcome]} {WORDS[track.outcome]}{verdict}", style)]


# -- all of it

CaseSection = Callable[[OpenCase], Iterable[Line]]


def blank(case: OpenCase) -> Iterable[Line]:  # noqa: ARG001  # a section like the others
    """Return an empty line."""
    return (Line([]),)


PINNED: tuple[tuple[str, CaseSection], ...] = (
    ("head", head_lines),
    ("why", said_lines),
    ("why", kept_variants_lines),
    ("verdicts", sentence_lines),
    ("verdicts", agreement_lines),
    ("verdicts", legend_lines),
)
"""Sections at the top, with their parts; they stay in place while the rest scrolls."""
BODIES: Mapping[str, CaseSection] = {
    "": step_lines,
    original_lines.MODE: original_lines.original_lines,
    original_lines.REWRITING: original_lines.rewriting_lines,
    token_lines.MODE: token_lines.token_lines,
}
"""What stands where the steps are, by `DisplayOptions.mode`: other ways to show them than step by step."""
ABOVE: tuple[tuple[str, CaseSection], ...] = (
    ("problem", problem_lines),
    ("problem", image_lines),
    ("verdicts", answer_words),
    ("problem", blank),
)
BELOW: tuple[tuple[str, CaseSection], ...] = (
    ("why", blank),
    ("why", gold_lines),
    ("why", other_texts),
    ("why", facts_lines),
)
PINNED_SHARE = 3
"""At most one of so many parts of what is seen at once stays in place."""


class CaseLines(Struct, frozen=True):
    """The lines, and what stands where.

    `starts` says for each step (0-based) on which line it starts, folded ones all on theirs. `stops` are the places of
    the step cursor with their lines, from above. The first `pinned` lines stay where they are while the rest scrolls.
    `telling` are the gold step and the one that the scorer in focus names, ascending, as far as there are such.
    `scorers` are the letters and names of the visible scorers, by letter.
    """

    lines: tuple[Line, ...]
    starts: tuple[int, ...]
    stops: tuple[tuple[Stop, int], ...] = ()
    pinned: int = 0
    telling: tuple[int, ...] = ()
    scorers: tuple[tuple[str, str], ...] = ()

    @property
    def length(self) -> int:
        """How many lines there are."""
        return len(self.lines)


def case_lines(state: ScreenState, row: int, display: DisplayOptions) -> CaseLines:
    """Return the case with this row id, seen through the scorer in focus and those beside it.

    Where its texts can no longer be read there is only its name, and why.
    """
    try:
        case = open_case(state, row, display)
    except InspectError as error:
        return unreadable(state.cases["case"][row], error, display)
    return page_of(case)


def page_of(case: OpenCase) -> CaseLines:
    """Return the page of a case, without the parts that have their own panes."""
    display, pinned = case.display, 0
    lines: list[Line] = []
    pinnable = PINNED[1:] if "problem" in display.apart else PINNED
    for section in _here(pinnable, display):
        lines += section(case)
        if len(lines) * PINNED_SHARE <= display.height:
            pinned = len(lines)
    if "problem" in display.apart and not display.mode:
        # The letters of the scorers, right above the steps, also stay in place.
        lines += letter_lines(case)
        pinned = len(lines) if len(lines) * PINNED_SHARE <= display.height else pinned
    case = replace(case, room=display.height - pinned)
    for section in (*_here(ABOVE, display), BODIES.get(display.mode, step_lines), *_here(BELOW, display)):
        lines += section(case)
    lines += marks_lines(case)
    scorers = tuple(sorted((track.letter, track.name) for track in case.tracks))
    return replace(numbered(lines, pinned, tuple(telling(case))), scorers=scorers)


def marks_lines(case: OpenCase) -> Iterator[Line]:
    """Yield a legend of the marks next to the rewards, if the steps have a pane with room for it."""
    display, drawn = case.display, [track for track in case.tracks if track.rewards]
    if "why" not in display.apart or display.mode or display.blind or not drawn:
        return
    ascii_only = display.glyphs.ascii_only
    cross, drop, line, arrow = ("x", "v", "|", "<") if ascii_only else ("✗", "▼", "┊", "◂")
    theta = "threshold" if ascii_only else "θ"
    words = [f"{line} {theta}", f"{cross} below {theta}", f"{drop} drop from the step before"]
    words += [f"{arrow} first step called wrong"] if len(case.tracks) > 1 else []
    yield Line([])
    yield from (Line([(text, "dim")]) for text in wrap("    ".join(words), display.width))


def _here(sections: Iterable[tuple[str, CaseSection]], display: DisplayOptions) -> tuple[CaseSection, ...]:
    """Return the sections of all parts without their own pane."""
    return tuple(section for part, section in sections if part not in display.apart)


def numbered(lines: Sequence[Line], pinned: int = 0, telling_steps: tuple[int, ...] = ()) -> CaseLines:
    """Return lines with the positions of the step cursor."""
    stopped = [(line, at) for at, line in enumerate(lines) if isinstance(line, StopLine)]
    starts = {step: at for line, at in stopped for step in line.steps}
    stops = tuple((line.stop, at) for line, at in stopped)
    return CaseLines(tuple(lines), tuple(starts[step] for step in sorted(starts)), stops, pinned, telling_steps)


def unreadable(name: str, error: InspectError, display: DisplayOptions) -> CaseLines:
    """Return a page that explains why the texts of a case cannot be read."""
    reason = wrap(clean(str(error)), display.width)
    return CaseLines((Line([(clean(name), "strong")]), Line([]), *(Line([(line, "bad")]) for line in reason)), ())
