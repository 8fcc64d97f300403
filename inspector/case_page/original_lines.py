"""A case against its original or a variant of it: two solutions with their rewards, and what differs.

In two columns where there is room, else one below the other. The signs say the same as the colours: `-` stands only in
the first solution, `+` only in the second, `~` in both and changed.
"""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct
from rich.cells import cell_len

from inspector.case_page.columns import ScorerColumn, columns
from inspector.case_page.context_lines import message_lines, tool_lines
from inspector.case_page.open_case import DisplayOptions, OpenCase, Stop
from inspector.case_page.original import StepPair, StepSpan, against_list, aligned, differing_spans, pairs_of, summary
from inspector.case_page.original_track import original_evaluation, original_of
from inspector.case_page.page import StopLine
from inspector.case_page.prose import marked, readable
from inspector.case_page.reward_cells import cells
from inspector.case_page.rewriting_track import rewriting_beside, rewriting_of
from inspector.case_page.steps import MARK, gutter, step_lines
from inspector.case_page.tracks import LARGE, Track, track
from inspector.case_page.variant_track import ScoredVariant
from inspector.render.texts.sentences import outcome_sentence
from inspector.render.texts.text import TextPart, clean, number
from inspector.render.texts.wrap import wrap
from inspector.widgets.line_view import Line
from scoring.data.errors import UsageError
from scoring.workspace.filtering.text_spans import spans

# -- one version of a text that was changed, as lines in which the changes stand out


NARROWEST = 10
"""Cells of a text at least, however little room there is."""


class Version(Struct, frozen=True):
    """One version of a step or of the problem, ready to be written.

    `text` is readable, `margins` are the parts at the left of its first line. `differing` are spans of the text that
    are written in the style `mark`, the rest of it is in `style`. A `short` one is one line. What was searched for
    stands out where the text is one of the case's own (`searched`).
    """

    text: str
    margins: list[TextPart]
    differing: tuple[StepSpan, ...] = ()
    style: str = ""
    mark: str = "strong"
    short: bool = False
    searched: bool = False


def version_lines(version: Version, width: int, display: DisplayOptions) -> Iterator[list[TextPart]]:
    """Yield the lines of a version in so many cells, its changes marked."""
    indent = sum(cell_len(text) for text, _ in version.margins)
    lines = wrap(version.text, max(NARROWEST, width - indent))
    text_query = display.searched("steps") if version.searched else None
    hits = spans(text_query, version.text) if text_query else ()
    if version.short and len(lines) > 1:
        more = f"... {len(lines) - 1} more" if display.glyphs.ascii_only else f"… {len(lines) - 1} more"
        lines = wrap(version.text, max(NARROWEST, width - indent - len(more) - 1))[:1]
        (parts,) = marked(lines, version.text, hits, version.style, version.differing, version.mark)
        yield [*version.margins, *parts, (f" {more}", "dim")]
        return
    styled = marked(lines, version.text, hits, version.style, version.differing, version.mark)
    for place, parts in enumerate(styled):
        yield [*(version.margins if place == 0 else [(" " * indent, "")]), *parts]


MODE = "original"
REWRITING = "rewriting"
WIDE = 120
"""Cells from which the two solutions stand beside each other."""
NARROW = 60
"""Cells below which a variant stands without the rewards of the case."""
SIGN, NUMBER, DIFFERENCE = 3, 4, 7
"""Cells of a step's sign, of its number, and of the difference of its rewards."""
_CHANGED = ("bad strong", "good strong")  # words that went, and that came


class SolutionPair(Struct, frozen=True, eq=False):
    """Two solutions, `before` and `after`: problems, steps and tracks of one scorer; None = it gave nothing.

    They are a case's original and the case, or, where there are `differences`, the case and a variant of it: these are
    then of each step of the variant, its reward less that of the step it was made of; None = there is none. `called`
    says what the variant is.
    """

    shown: OpenCase
    problems: tuple[str, str]
    before: tuple[str, ...]
    after: tuple[str, ...]
    tracks: tuple[Track | None, Track | None]
    differences: Sequence[float | None] | None = None
    called: str = "variant"

    @property
    def display(self) -> DisplayOptions:
        """How it is shown."""
        return self.shown.display

    @property
    def own(self) -> int:
        """Which of the two is the case itself, whose gold labels are known."""
        return 1 if self.differences is None else 0

    @property
    def names(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """What each is called, in full and in a column."""
        return (
            (("original", "orig"), ("modified", "mod"))
            if self.own
            else (("case", "case"), (self.called, self.called[:3]))
        )


def original_lines(case: OpenCase) -> Iterator[Line]:
    """Yield the changes; the steps as they are, under a sentence, where there is nothing to compare them with."""
    both = _both(case)
    if both is None or case.display.blind:
        why = "This case has no original: its benchmark gives the one solution only."
        sentence = why if both is None else "Hidden: the original would tell where the error is."
        yield from (Line([(line, "strong")]) for line in wrap(sentence, case.display.width))
        yield Line([])
        yield from step_lines(case)
        return
    pairs = aligned(both.before, both.after)
    yield from story_lines(case, pairs, both.problems, both.tracks[0])
    yield Line([])
    yield from both_lines(both, pairs)


def variant_lines(case: OpenCase, tried: ScoredVariant) -> Iterator[Line]:
    """Lay out a case and a variant of it with their rewards, and the difference of each step."""
    problem = case.texts["problem"]
    case_track, variant = (track(*judged, "") if judged else None for judged in tried.judged)
    steps = tuple(step.text for step in tried.steps)
    problems = (problem, problem if tried.problem is None else tried.problem)
    both = SolutionPair(case, problems, tried.before, steps, (case_track, variant), tried.differences, tried.name)
    # What stands there is no place for the cursor: what can be changed is steps.
    context = message_lines(case, tried.messages)
    between = {step: [Line(line.parts) for line in lines] for step, lines in context.items()}
    yield from (Line(line.parts) for line in (tool_lines(case) if tried.messages else ()))
    yield from both_lines(both, pairs_of(tried.before, tried.steps), between)


def rewriting_lines(case: OpenCase) -> Iterator[Line]:
    """Yield what the rewriting that is looked at makes of the case beside it: what is done, its law, and both rewards.

    The steps as they are, under a sentence, where there is nothing to put beside them.
    """
    display, name, focus = case.display, case.state.focus.rewriting, case.focus
    rewriting, tried = rewriting_of(name), None
    sentences: list[TextPart] = []
    if rewriting is not None and focus is not None:
        try:
            tried = rewriting_beside(case.state.results, focus, case.row, name)
        except UsageError as error:
            sentences = [(error.sentence, "strong")]
        else:
            key = display.keys.of("original")
            sentences = [(f"{name}: {rewriting.about} ({key} shows the case alone)", "strong")]
            sentences.append((f"The law: {rewriting.law}.", "dim"))
            if not tried.rewards[1] and tried.judged[1] is None:
                sentences.append((f"{focus.scorer.name} was not given it: stress scores it.", ""))
            elif not display.blind:
                sentences += [(words, "") for words in tried.words()]
    yield from (Line([(line, style)]) for text, style in sentences for line in wrap(clean(text), display.width))
    if sentences:
        yield Line([])
    yield from step_lines(case) if tried is None else variant_lines(case, tried)


def both_lines(
    both: SolutionPair, pairs: Sequence[StepPair], between: Mapping[int, Sequence[Line]] = MappingProxyType({})
) -> Iterator[Line]:
    """Yield the steps of two solutions: beside each other where there is room, else one below the other.

    `between` are lines that stand before a step of the second one, or behind its last.
    """
    write = _Columns(both) if both.display.width >= WIDE else _Unified(both)
    yield from write.heads()
    if len({readable(problem, both.display) for problem in both.problems}) > 1:
        yield from write.problem()
    for pair in pairs:
        yield from () if pair.after is None else between.get(pair.after, ())
        yield from write.pair(pair)
    yield from between.get(len(both.after), ())


def _both(case: OpenCase) -> SolutionPair | None:
    original = original_of(case.texts)
    if original is None:
        return None
    focus, results = case.focus, case.state.results
    evaluation = None if focus is None else original_evaluation(results, focus, case.row, original)
    tracks = (track(evaluation, 0, "") if evaluation else None, track(focus, case.row, "") if focus else None)
    return SolutionPair(case, (original[0], case.texts["problem"]), original[1], tuple(case.texts["steps"]), tracks)


class _Writer:
    """What both ways to write have in common."""

    def __init__(self, both: SolutionPair, column: tuple[ScorerColumn | None, ScorerColumn | None]) -> None:
        self.both = both
        self.display = both.display
        self.column = column
        widths = [side.width if side else 0 for side in column]
        # A variant that was not scored yet keeps the room of its rewards, so that nothing moves when they come.
        self.width = widths if both.own else [widths[0], (widths[1] or widths[0]) + DIFFERENCE]

    def versions(self, pair: StepPair) -> tuple[Version | None, Version | None]:
        """The two versions of a step; None where it has only one."""
        before = None if pair.before is None else readable(self.both.before[pair.before], self.display)
        after = None if pair.after is None else readable(self.both.after[pair.after], self.display)
        old, new = differing_spans(before or "", after or "") if pair.kind == "changed" else ((), ())
        earlier = None if pair.again else self._version(0, pair, before, old)
        return earlier, self._version(1, pair, after, new)

    def _version(self, side: int, pair: StepPair, text: str | None, differing: tuple[StepSpan, ...]) -> Version | None:
        step = pair.after if side else pair.before
        if step is None or text is None:
            return None
        style = {"same": "dim", "removed": "bad", "added": "good"}.get(pair.kind, "")
        short = pair.kind == "same" and Stop("step", pair.after or 0) not in self.display.turned
        return Version(text, self.margins(side, step, pair.kind), differing, style, _CHANGED[side], short, bool(side))

    def margins(self, side: int, step: int, kind: str) -> list[TextPart]:
        """Sign, word and number of a step, and what the scorer gave to it."""
        raise NotImplementedError

    def word(self, side: int, step: int) -> list[TextPart]:
        """The word of a step of the first (side 0) or the second solution (1): gold, predicted or both."""
        if side == self.both.own:
            return gutter(self.both.shown, step)
        track = self.both.tracks[side]
        text = "pred" if track is not None and track.verdict == step and not self.display.blind else ""
        return [(text, "predicted"), (" " * (MARK - len(text)), "")]

    def word_of_same(self, before: int, after: int) -> list[TextPart]:
        """The word of a step that is the same in both."""
        own = self.word(self.both.own, after if self.both.own else before)
        other = self.word(1, after)
        return own if self.both.own or not other[0][0] else other

    def judged(self, side: int, step: int) -> list[TextPart]:
        """What the scorer gave to a step of one of the two, in its column; of a variant, with the difference."""
        column = self.column[side]
        if column is None:
            return self.room(side)
        return [*cells(column, step, self.display), *(self._difference(step) if side else ())]

    def _difference(self, step: int) -> list[TextPart]:
        if self.both.differences is None:
            return []
        value = self.both.differences[step] if step < len(self.both.differences) else None
        if value is None:
            return [(" " * DIFFERENCE, "")]
        value = 0.0 if abs(value) < 0.005 else value
        text = number(value, 2, DIFFERENCE - 1, "+" if value else "").rjust(DIFFERENCE - 1)
        scorer = self.both.tracks[1].evaluation.scorer if self.both.tracks[1] else None
        much = scorer is not None and abs(value) >= LARGE * (scorer.high - scorer.low)
        return [(f"{text} ", ("bad strong" if value < 0 else "good strong") if much else "dim")]

    def room(self, side: int) -> list[TextPart]:
        """Blanks in the place of that."""
        return [(" " * self.width[side], "")] if self.width[side] else []

    def problem_versions(self) -> tuple[Version, Version]:
        before, after = (readable(text, self.display) for text in self.both.problems)
        old, new = differing_spans(before, after)
        left, right = ([("~" + sign, "strong"), ("question  ", "dim")] for sign in self.signs)
        return Version(before, left, old, "", _CHANGED[0]), Version(after, right, new, "", _CHANGED[1])

    signs = ("  ", "  ")


class _Columns(_Writer):
    """Original and modified solution beside each other."""

    signs = (" ", " ")

    def __init__(self, both: SolutionPair) -> None:
        self.gap = " | " if both.display.glyphs.ascii_only else " │ "
        self.half = (both.display.width - len(self.gap)) // 2
        left, right = (columns([side], self.half)[0] if side else None for side in both.tracks)
        super().__init__(both, (left, right))

    def heads(self) -> Iterator[Line]:
        left, right = ([(name, "strong")] for name, _ in self.both.names)
        yield self._line(left, right)

    def problem(self) -> Iterator[Line]:
        for left, right in _zipped(*(self._lines(version) for version in self.problem_versions())):
            yield self._line(left, right)

    def pair(self, pair: StepPair) -> Iterator[Line]:
        """The two versions of a step, or its only one."""
        lines = _zipped(*(self._lines(version) if version else [] for version in self.versions(pair)))
        for at, (left, right) in enumerate(lines):
            line = self._line(left, right)
            yield line if at else _stopped(line, pair.after)

    def margins(self, side: int, step: int, kind: str) -> list[TextPart]:
        sign = {"changed": "~", "removed": "-", "added": "+"}.get(kind, " ")
        return [(f"{sign} ", "strong"), *self.word(side, step), (_number(step), "dim"), *self.judged(side, step)]

    def _lines(self, version: Version) -> list[list[TextPart]]:
        return list(version_lines(version, self.half, self.display))

    def _line(self, left: Sequence[TextPart], right: Sequence[TextPart]) -> Line:
        blank = self.half - sum(cell_len(text) for text, _ in left)
        return Line([*left, (" " * blank, ""), (self.gap, "dim"), *right])


class _Unified(_Writer):
    """One below the other, the rewards of both before the text."""

    signs = ("-", "+")

    def __init__(self, both: SolutionPair) -> None:
        left, right = (_small(side) for side in both.tracks)
        # Where texts have no room, what the case has is told by the difference.
        narrow = not both.own and both.display.width < NARROW
        super().__init__(both, (None if narrow else left, right))

    def heads(self) -> Iterator[Line]:
        """What stands where; nothing where there are no columns to name."""
        sides = zip(self.width, self.both.names, strict=True)
        text = "".join(name.ljust(width) for width, (_, name) in sides if width)
        if any(self.column):
            text = text if self.both.own else f"{text[:-DIFFERENCE]}{'diff':>{DIFFERENCE - 1}}"
            yield Line([(" " * (SIGN + MARK + 2 * NUMBER) + text, "dim")])

    def problem(self) -> Iterator[Line]:
        for version in self.problem_versions():
            yield from (Line(parts) for parts in version_lines(version, self.display.width, self.display))

    def pair(self, pair: StepPair) -> Iterator[Line]:
        """What is the same once, with the rewards of both; else each version by itself."""
        before, after = self.versions(pair)
        if pair.kind == "same" and after is not None and pair.before is not None and pair.after is not None:
            rewards = [*self.judged(0, pair.before), *self.judged(1, pair.after)]
            margins = [
                (" " * SIGN, ""),
                *self.word_of_same(pair.before, pair.after),
                (_numbers(pair.before, pair.after), "dim"),
                *rewards,
            ]
            after = Version(after.text, margins, (), after.style, short=after.short, searched=True)
            yield from self._lines(after, pair.after)
            return
        if before is not None:
            yield from self._lines(before, None)
        if after is not None:
            yield from self._lines(after, pair.after)

    def _lines(self, version: Version, step: int | None) -> Iterator[Line]:
        for at, parts in enumerate(version_lines(version, self.display.width, self.display)):
            yield Line(parts) if at else _stopped(Line(parts), step)

    def margins(self, side: int, step: int, kind: str) -> list[TextPart]:
        sign = {"changed": "~-", "removed": " -"}[kind] if not side and kind != "same" else ""
        sign = {"changed": "~+", "added": " +"}[kind] if side and kind != "same" else sign
        judged = [*self.room(0), *self.judged(1, step)] if side else [*self.judged(0, step), *self.room(1)]
        numbers = _numbers(None, step) if side else _numbers(step, None)
        return [(sign.ljust(SIGN), "strong"), *self.word(side, step), (numbers, "dim"), *judged]


def _number(step: int | None) -> str:
    return f"{'' if step is None else step:>{NUMBER - 1}} "


def _numbers(before: int | None, after: int | None) -> str:
    """The number in the original and in the modified solution."""
    return _number(before) + _number(after)


def _small(reward_track: Track | None) -> ScorerColumn | None:
    """A track in few cells: its height in one character, and the number."""
    return None if reward_track is None else ScorerColumn(reward_track, 0, 5, fall=False)


def _stopped(line: Line, step: int | None) -> Line:
    return line if step is None else StopLine(line.parts, stop=Stop("step", step), steps=range(step, step + 1))


def _zipped(left: list[list[TextPart]], right: list[list[TextPart]]) -> Iterator[tuple[list[TextPart], list[TextPart]]]:
    for at in range(max(len(left), len(right))):
        yield left[at] if at < len(left) else [], right[at] if at < len(right) else []


# -- what was changed, in sentences


def story_lines(
    case: OpenCase, pairs: Sequence[StepPair], problems: tuple[str, str], original: Track | None
) -> Iterator[Line]:
    """Yield how much was changed, what the benchmark says of that, and what the scorer made of the original."""
    sentences = [(summary(pairs, asked_anew=problems[0] != problems[1]), "strong")]
    if disagreement := against_list(pairs, case.texts["modified_steps"]):
        sentences.append((disagreement, "dim"))
    if case.focus is not None:
        name = case.focus.scorer.name
        words = "no rewards for it" if original is None else outcome_sentence(original.evaluation, 0)
        sentences.append((f"On the original: {words}  [{name}]", "dim"))
    for text, style in sentences:
        for line in wrap(clean(text), case.display.width):
            yield Line([(line, style)])
