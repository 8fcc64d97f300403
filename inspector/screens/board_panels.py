"""Panels below the board: verdicts, highlights, threshold curve, failures and a preview of one failure."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from msgspec import Struct
from rich.cells import cell_len

from inspector.analyses.board.cells import NOBODY, NOT_HERE
from inspector.case_page.brief_cases import brief_cases, case_preview
from inspector.case_page.open_case import DisplayOptions
from inspector.render.blocks import Panel, Place
from inspector.render.cells import share, signed, with_minus
from inspector.render.chart_blocks import Curve, Tick
from inspector.render.charts.axes import axis_numbers, column_of, numbers_row
from inspector.render.charts.chart_columns import ChartAxis, axis_of, axis_text, bar_text, forest_text
from inspector.render.charts.glyphs import OUTCOME_STYLES, Glyphs
from inspector.render.lines import Piece, PieceRow, paragraph
from inspector.render.panels import DrawnPanel, lay_out
from inspector.render.table_blocks import Cell, CellChart, Kind
from inspector.render.texts.frame_edges import TWO_COLUMNS
from inspector.render.texts.sentences import GLYPHS, PRMSCORE, WORDS, counted
from inspector.render.texts.short_names import short_name
from inspector.render.texts.text import cell, clean
from inspector.render.texts.wrap import wrap
from inspector.screens.board_columns import remarks
from inspector.screens.board_facts import CLEAN_CASES, ERRORS, OTHER, FailedCase, NamedFigure, OutcomeCount, RowFacts
from inspector.screens.screen_lines import threshold_forms
from inspector.state.screen_state import ScreenState
from inspector.widgets.key_table.key_words import KeyWords
from scoring.data.errors import InspectError
from scoring.data.schema import NO_SUBSET
from scoring.evaluation.verdicts import CLEAN, EXACT, ON_CLEAN, ON_ERRONEOUS, OUTCOMES

LONGEST_OUTCOME = 13
"""Width of the glyph and the word of an outcome, in cells."""
LOWEST, HIGHEST = 5, 14
"""Least and greatest height of a curve, in lines."""
MARGIN = 6
"""Width of the numbers left of a curve, in cells."""
WORST = 5
"""Most error types shown."""
_Marks = Sequence[tuple[Tick, float]]
"""Thresholds that the curve marks, and their positions."""
BARS = {False: " ▁▂▃▄▅▆▇█", True: " ..oo####"}


class DrawOptions(Struct, frozen=True):
    """Options for drawing panels on a sheet of `width` cells and `height` lines.

    With `wide`, the curve has its own pane of `curve_size` cells and lines, and failures have a panel. `previewed` is
    the row id of the failure shown below the list; -1 for the first one.
    """

    glyphs: Glyphs
    keys: KeyWords
    width: int
    height: int
    wide: bool = False
    curve_size: tuple[int, int] = (0, 0)
    previewed: int = -1


def sheet_lines(state: ScreenState, facts: RowFacts, options: DrawOptions) -> list[PieceRow]:
    """Draw all panels of a row."""
    return lay_out(list(_panels(state, facts, options)), options.width, options.height)[0]


def curve_lines(facts: RowFacts, options: DrawOptions) -> list[PieceRow]:
    """Draw the curve for its own pane."""
    width, height = options.curve_size
    return list(_curve(facts, width, height, options.glyphs))


def curve_caption(facts: RowFacts, options: DrawOptions) -> tuple[str, str, str]:
    """Return title, status and hint of the curve's frame."""
    status = "" if facts.rule is None or facts.curve is None else threshold_forms(facts.rule, options.glyphs)[0]
    metric = facts.line["metric"] if facts.curve is None else facts.curve.y
    hint = "" if facts.curve is None else f"{options.keys.of('threshold')} moves it"
    return f"{metric} by threshold", status, hint


def _panels(state: ScreenState, facts: RowFacts, options: DrawOptions) -> Iterator[DrawnPanel]:
    line, opens = facts.line, "Enter lists the cases"
    name = short_name(line["scorer"], 30, state.results.chosen)
    title = name if line["subset"] is None else f"{name}, {line['subset'] or NO_SUBSET}"
    if line["kind"] in NOT_HERE:
        yield _half(title, lambda width: list(_without_scorer(facts, width, options)), place="row")
        return
    verdicts = f"{title}: verdicts"
    if not options.wide:

        def together(width: int) -> list[PieceRow]:
            parts = (
                _verdicts(facts, width, options.glyphs),
                _sentences(facts, width, None if options.width >= TWO_COLUMNS else options.glyphs),
                _highlights(facts, width, options.glyphs, head="Highlights"),
            )
            lines, about = _apart(map(list, parts)), list(_about(facts, width))
            # A description that alone makes the panel too high is left out.
            fits = not len(lines) <= options.height - 2 <= len(lines) + len(about)
            return _apart([lines, about]) if fits else lines

        yield _half(verdicts, together, hint=opens)
        curve_title, status, hint = curve_caption(facts, options)
        height = min(HIGHEST + 8, options.height - 2)
        yield _half(curve_title, lambda width: list(_curve(facts, width, height, options.glyphs)), status, hint)
        return

    def first(width: int) -> list[PieceRow]:
        parts = (
            _verdicts(facts, width, options.glyphs),
            _sentences(facts, width),
            _subsets(facts, width, options.glyphs),
            _error_types(facts, width, options.glyphs),
            _about(facts, width),
        )
        return _apart(map(list, parts))

    def second(width: int) -> list[PieceRow]:
        parts = (
            _highlights(facts, width, options.glyphs),
            _offsets(facts, width, options.glyphs),
            _rewards(facts, width, options.glyphs),
        )
        return _apart(list(map(list, parts)))

    yield _half(verdicts, first, hint=opens)
    yield _half("Highlights", second, hint=opens)
    if facts.failures:
        selected = max((n for n, failure in enumerate(facts.failures) if failure.row == options.previewed), default=0)
        status = f"{selected + 1} of {facts.n_failures:,}"
        yield _half(
            "Most instructive failures",
            lambda width: list(_failures(state, facts.failures, selected, width, options)),
            status,
            "Enter opens the case",
            "side",
        )


def _half(
    title: str, draw: Callable[[int], Sequence[PieceRow]], status: str = "", hint: str = "", place: Place = "half"
) -> DrawnPanel:
    return DrawnPanel(Panel(title, (), status, hint, place), draw)


def _apart(parts: Iterator[list[PieceRow]] | Sequence[list[PieceRow]]) -> list[PieceRow]:
    """Join parts with blank lines between them."""
    lines: list[PieceRow] = []
    for part in parts:
        lines += [(), *part] if lines and part else part
    return lines


# -- verdicts


def _without_scorer(facts: RowFacts, width: int, options: DrawOptions) -> Iterator[PieceRow]:
    """Describe a row without a scorer of the workspace: a benchmark without scores, or a published figure."""
    line = facts.line
    if line["kind"] == NOBODY:
        score, cases = options.keys.of("score"), counted(line["cases"], "case")
        yield from paragraph(f"{cases} not scored yet. Enter opens them, {score} scores them.", width, "")
        yield from paragraph("prm-inspect import PATH reads results from files.", width)
    yield from paragraph(line["about"] or "", width) if line["about"] else ()
    yield from (row for sentence in remarks(line) for row in paragraph(sentence, width))


def _verdicts(facts: RowFacts, width: int, glyphs: Glyphs) -> Iterator[PieceRow]:
    """Draw a line for each outcome: bar, number of cases and share of its group."""
    groups = list(_groups(facts))
    if not groups:
        return
    label = max(len(f"{total:,} {title}") for title, total, _ in groups)
    axis = ChartAxis(0.0, float(max((outcome.n for outcome in facts.outcomes), default=1)))
    digits = len(f"{int(axis.high):,}")
    room = max(0, width - label - 2 - LONGEST_OUTCOME - 1 - digits - 1 - 5)
    for title, total, outcomes in groups:
        for place, outcome in enumerate(outcomes):
            head = f"{total:,} {title}".rjust(label) if not place else " " * label
            style = OUTCOME_STYLES.get(outcome.name, "dim")
            bar = bar_text(float(outcome.n), axis, room, glyphs).rstrip("░.") if outcome.n else ""
            yield (
                Piece(f"{head}  ", "strong"),
                Piece(f"{GLYPHS[outcome.name]} {WORDS[outcome.name]}".ljust(LONGEST_OUTCOME + 1), style),
                Piece(bar, style),
                Piece(" " * (room - len(bar) + digits + 1 - len(f"{outcome.n:,}"))),
                Piece(f"{outcome.n:,}", "" if outcome.n else "dim", outcome.link),
                Piece(f"{share(outcome.n / total, 0)}%".rjust(5), "dim"),
            )


def _groups(facts: RowFacts) -> Iterator[tuple[str, int, list[OutcomeCount]]]:
    """Yield the outcomes of each group that has cases, including usual outcomes without cases."""
    for group, usual in ((ERRORS, ON_ERRONEOUS), (CLEAN_CASES, ON_CLEAN), (OTHER, ())):
        there = {outcome.name: outcome for outcome in facts.outcomes if outcome.group == group}
        names = dict.fromkeys((*(OUTCOMES[code] for code in usual), *there))
        if there:
            outcomes = [there.get(name, OutcomeCount(group, name, 0, None)) for name in names]
            yield group, sum(outcome.n for outcome in outcomes), outcomes


def _sentences(facts: RowFacts, width: int, glyphs: Glyphs | None = None) -> Iterator[PieceRow]:
    """Yield the accuracies in one sentence, and remarks; with `glyphs`, also a threshold that is not the default."""
    if words := verdict_sentence(facts):
        yield from paragraph(words, width, "")
    marks = () if facts.curve is None or glyphs is None else _marks(facts.curve)
    moved = [f"Threshold {at:.3f}: {tick.source}." for tick, at in marks if tick.name == "now"]
    for sentence in (*moved, *remarks(facts.line)):
        yield from paragraph(sentence, width)


def verdict_sentence(facts: RowFacts) -> str:
    """Write both accuracies, and the bias if its interval excludes zero; "" if an accuracy is undefined."""
    error_acc, correct_acc = facts.line["on_wrong"], facts.line["on_right"]
    if error_acc is None or correct_acc is None:
        return ""
    of_steps = facts.line["metric"] == PRMSCORE
    errors = f"{share(error_acc, 0)}% of {'wrong steps' if of_steps else 'errors'} found"
    clean_ones = f"{share(correct_acc, 0)}% of {'right steps' if of_steps else 'clean solutions'} kept"
    biased = not of_steps and any(fact.figure.get("metric") == "bias" for fact in facts.highlights)
    over = "" if of_steps or _is_pooled(facts) else f" ({facts.line['over']})"
    if biased and correct_acc > error_acc:
        return f"Lenient: {clean_ones}, but only {errors}{over}."
    if biased:
        return f"Strict: {errors}, but only {clean_ones}{over}."
    return f"{errors}, {clean_ones}{over}."


def _is_pooled(facts: RowFacts) -> bool:
    """Return whether the accuracies of the table, perhaps means over subsets, round to the shares of all cases."""
    right = {ERRORS: (OUTCOMES[EXACT], "on_wrong"), CLEAN_CASES: (OUTCOMES[CLEAN], "on_right")}
    for group, total, outcomes in _groups(facts):
        name, column = right.get(group, ("", ""))
        share_right = sum(outcome.n for outcome in outcomes if outcome.name == name) / total
        if name and share(share_right, 0) != share(facts.line[column], 0):
            return False
    return True


def _about(facts: RowFacts, width: int) -> Iterator[PieceRow]:
    if about := facts.line["about"]:
        yield from paragraph(about, width)


# -- highlights


def _highlights(facts: RowFacts, width: int, glyphs: Glyphs, head: str = "") -> Iterator[PieceRow]:
    """Draw a line for each fact: arrow, words, figure, interval and number of cases."""
    rows = [(fact, fact.cell) for fact in facts.highlights]
    if not rows:
        why = "Too many cases to compute here. See the highlights page."
        yield (Piece(head, "strong"),)
        nothing = "No figure differs significantly."
        yield from paragraph(why if facts.skipped else facts.trouble or nothing, width)
        return
    texts = [(_value(value), _range(value), f"{fact.n:,}") for fact, value in rows]
    titles = ("diff.", "95%", "cases")
    sizes = [max(map(cell_len, column)) for column in zip(titles, *texts, strict=True)]
    room = max(12, width - 2 - sum(sizes) - 2 * len(sizes))
    heads = "".join(f"  {title:>{size}}" for title, size in zip(titles, sizes, strict=True))
    yield (Piece(f"{head:<{room + 2}}", "strong"), Piece(heads, "dim"))
    for (fact, value), (figure, ends, n) in zip(rows, texts, strict=True):
        words = clean(fact.short)
        first, *others = wrap(f"{words[:1].upper()}{words[1:]}", room)
        mark, style = _arrow(value, glyphs)
        yield (
            Piece(f"{mark} ", style),
            Piece(f"{first}{' ' * (room - cell_len(first))}"),
            Piece(f"  {figure:>{sizes[0]}}", "strong"),
            Piece(f"  {ends:>{sizes[1]}}", "dim"),
            Piece(" " * (2 + sizes[2] - len(n))),
            Piece(n, "", fact.link(facts.line["scorer"], facts.line["benchmark"])),
        )
        yield from ((Piece(f"  {line}"),) for line in others)


def _arrow(value: Cell, glyphs: Glyphs) -> tuple[str, str]:
    if value.kind is not Kind.POINTS or not isinstance(value.value, float):
        return " ", ""
    up, down = "+-" if glyphs.ascii_only else "▲▼"
    return (up if value.value > 0 else down), "dim"


def _value(value: Cell) -> str:
    if not isinstance(value.value, (int, float)):
        return ""
    return signed(value.value) if value.kind is Kind.POINTS else share(value.value)


def _range(value: Cell) -> str:
    if value.low is None or value.high is None:
        return ""
    return f"{share(value.low, 0)} to {share(value.high, 0)}"


def _offsets(facts: RowFacts, width: int, glyphs: Glyphs) -> Iterator[PieceRow]:
    """Draw columns: distances in steps between the named step and the error."""
    if not facts.offsets:
        return
    most, lines, size = max(n for _, n in facts.offsets) or 1, 4, min(6, width // len(facts.offsets))
    yield (Piece("Step named", "strong"), Piece("  before or after the error, in steps", "dim"))
    for line in range(lines):
        pieces = []
        for offset, n in facts.offsets:
            filled = min(8, max(0, round(n / most * lines * 8) - 8 * (lines - 1 - line)))
            style = "early" if offset < 0 else "late" if offset else "exact"
            pieces.append(Piece(f" {BARS[glyphs.ascii_only][filled] * (size - 2)} ", style))
        yield tuple(pieces)
    ends = {facts.offsets[0][0], facts.offsets[-1][0]}
    further = "." if glyphs.ascii_only else "…"
    names = [
        with_minus(f"{offset:+d}{further if offset in ends else ''}") if offset else "0" for offset, _ in facts.offsets
    ]
    yield tuple(Piece(f"{name:^{size}}", "dim") for name in names)
    yield tuple(Piece(f"{n:^{size},}", "" if n else "dim") for _, n in facts.offsets)


def _rewards(facts: RowFacts, width: int, glyphs: Glyphs) -> Iterator[PieceRow]:
    """Draw a bar for each range of rewards, the highest first: right steps, then wrong steps."""
    if not facts.rewards:
        return
    most = max(counts.right + counts.wrong for counts in facts.rewards) or 1
    digits = max(len(f"{counts.right:,}") for counts in facts.rewards)
    digits_needed = 1 if facts.rewards[0].high - facts.rewards[0].low >= 0.1 else 3
    names = [
        " to ".join(with_minus(f"{end:z.{digits_needed}f}") for end in (counts.low, counts.high))
        for counts in facts.rewards
    ]
    size, full = max(map(len, names)), "#" if glyphs.ascii_only else "█"
    room = max(4, width - size - 2 * digits - 8)
    heads = f"{'right':>{digits + 2}}{'wrong':>{digits + 3}}"
    yield (Piece(f"{'Rewards of steps':<{size + room + 3}}", "strong"), Piece(heads, "dim"))
    for name, counts in reversed(list(zip(names, facts.rewards, strict=True))):
        total = counts.right + counts.wrong
        filled = max(1, round(total / most * room)) if total else 0
        # Even a few wrong steps get a cell, but never the only one.
        bad = max(int(filled > 1), round(counts.wrong / total * filled)) if counts.wrong else 0
        yield (
            Piece(f"{name:>{size}}  ", "dim"),
            Piece(full * (filled - bad), "good"),
            Piece(full * bad, "bad"),
            Piece(" " * (room - filled + 1)),
            Piece(f"{counts.right:>{digits + 2},}"),
            Piece(f"{counts.wrong:>{digits + 3},}"),
        )


# -- by subset and by error type


def _subsets(facts: RowFacts, width: int, glyphs: Glyphs) -> Iterator[PieceRow]:
    rows = facts.subsets
    if not rows:
        return
    axis = axis_of([row.figure for row in rows], CellChart.FOREST)
    yield from _forest(f"{facts.line['metric']} by subset", rows, width, axis, glyphs)


def _forest(title: str, rows: Sequence[NamedFigure], width: int, axis: ChartAxis, glyphs: Glyphs) -> Iterator[PieceRow]:
    names = [row.name for row in rows]
    size = min(max(map(cell_len, (title, *names))), max(12, width // 3))
    room = max(10, width - size - 9)
    yield (Piece(cell(title, size), "strong"), Piece(" " * 9), Piece(axis_text(axis, room, Kind.SHARE), "dim"))
    for row in rows:
        value = "–" if row.figure.value is None else share(float(row.figure.value))
        drawn = forest_text(row.figure, axis, room, glyphs)
        yield (
            Piece(cell(short_name(row.name, size, names), size)),
            Piece(" " * max(0, 7 - len(value))),
            Piece(value, "strong", row.link),
            Piece(f"  {drawn}", "dim"),
        )


def _error_types(facts: RowFacts, width: int, glyphs: Glyphs) -> Iterator[PieceRow]:
    if not facts.error_types:
        return
    rows = facts.error_types[:WORST]
    title = "Errors found by type" if len(facts.error_types) <= WORST else f"Errors found by type, lowest {WORST}"
    names = [row.name for row in rows]
    size = min(max(map(cell_len, names)), max(12, width // 3))
    room = max(4, width - size - 15)
    yield (Piece(title, "strong"), Piece(f"{'found':>{max(1, width - 6 - cell_len(title))}}    of", "dim"))
    for row in rows:
        share_found = float(row.figure.value or 0.0)
        bar = bar_text(share_found, ChartAxis(0.0, 1.0), room, glyphs)
        drawn = bar.rstrip("░.")
        yield (
            Piece(cell(short_name(row.name, size, names), size + 1)),
            Piece(drawn, "exact"),
            Piece(bar[len(drawn) :], "dim"),
            Piece(f"{share(share_found, 0)}%".rjust(7), "strong"),
            Piece(" " * max(0, 6 - len(f"{row.n:,}"))),
            Piece(f"{row.n:,}", "", row.link),
        )


# -- the curve


def _curve(facts: RowFacts, width: int, height: int, glyphs: Glyphs) -> Iterator[PieceRow]:
    """Draw the figure over all thresholds as an area, with marks at the default and the best threshold."""
    chart = facts.curve
    if chart is None:
        if facts.rule is not None and facts.rule.threshold is None:
            yield from paragraph(f"No threshold decides: {facts.rule.source}.", width)
        else:
            yield from paragraph(facts.trouble or "No curve. See the thresholds page.", width)
        return
    marks = _marks(chart)
    legend = [row for tick, at in marks for row in _mark_words(tick, at, chart.y, width, glyphs)]
    lines = min(HIGHEST, max(LOWEST, height - 2 - len(legend) - (1 if height > LOWEST + 6 else 0)))
    yield from _area(chart, marks, width, lines, glyphs)
    if height > LOWEST + 6:
        yield ()
    yield from legend


def _marks(chart: Curve) -> _Marks:
    """Return the thresholds that the board marks, with their positions."""
    return [(tick, tick.at) for tick in chart.ticks if tick.name and tick.at is not None]


def _mark_words(tick: Tick, at: float, metric: str, width: int, glyphs: Glyphs) -> Iterator[PieceRow]:
    figure = "" if tick.score is None else f"   {metric} {share(tick.score)}"
    head = f"{_sign(tick, glyphs)} {tick.name:<7} {at:.3f}{figure}"
    indent = " " * (MARGIN - 2)
    room = width - cell_len(indent + head) - 3
    words = "" if tick.source == tick.name else clean(tick.source)
    words = words if cell_len(words) <= room or tick.name != "best" else words.partition(":")[0]
    if words and cell_len(words) <= room:
        yield (Piece(indent), Piece(head), Piece(f"   {words}", "dim"))
        return
    yield (Piece(indent), Piece(head))
    for line in wrap(words, max(20, width - MARGIN)) if words else ():
        yield (Piece(" " * MARGIN), Piece(line, "dim"))


def _sign(tick: Tick, glyphs: Glyphs) -> str:
    return dict(zip(("now", "default", "best"), "o^*" if glyphs.ascii_only else "◆▲★", strict=True))[tick.name]


def _area(chart: Curve, marks: _Marks, width: int, lines: int, glyphs: Glyphs) -> Iterator[PieceRow]:
    """Draw the area below the curve in eighths of a cell, on an axis that ends above its highest value."""
    room, (first, last) = max(10, width - MARGIN - 1), chart.across
    series = chart.series[0]
    xs = np.linspace(first, last, room)
    ys = np.interp(xs, np.asarray(series.xs, dtype=np.float64), np.asarray(series.ys, dtype=np.float64))
    known = ys[np.isfinite(ys)]
    axis = axis_of([Cell(float(known.max(initial=0.0))), Cell(float(known.min(initial=0.0)))], CellChart.FOREST)
    # Put each number of the axis at the edge of a line.
    parts = max(1, len(axis.marks) - 1)
    lines = lines // parts * parts or lines
    levels = np.array([axis.share(y) if np.isfinite(y) else 0.0 for y in ys]) * lines * 8
    filled = np.round(levels).astype(int)
    percent = chart.kind is Kind.SHARE
    labels = {lines - round(axis.share(mark) * lines): _mark_text(mark, percent=percent) for mark in axis.marks[1:]}
    side, origin, line, tick = "||-+" if glyphs.ascii_only else "┤┼─┬"
    plain = "|" if glyphs.ascii_only else "│"
    for row in range(lines):
        cells = "".join(BARS[glyphs.ascii_only][min(8, max(0, n - 8 * (lines - 1 - row)))] for n in filled.tolist())
        label = labels.get(row, "")
        yield (Piece(f"{label:>{MARGIN - 1}}{side if label else plain}", "dim"), Piece(cells.rstrip(), "area"))
    numbers = [(column, with_minus(text)) for column, text in axis_numbers(first, last, room)]
    ruler = {column: tick for column, _ in numbers}
    ends = {column: (_sign(tick, glyphs), "strong") for column, tick in _places(marks, first, last, room)}
    pieces = [Piece(f"{_mark_text(axis.low, percent=percent):>{MARGIN - 1}}{origin}", "dim")]
    for column in range(room):
        sign, style = ends.get(column, (ruler.get(column, line), "dim"))
        pieces.append(Piece(sign, style))
    yield tuple(_joined(pieces))
    yield numbers_row(numbers, room + 2, MARGIN)


def _mark_text(value: float, *, percent: bool) -> str:
    return share(value, 0) if percent else f"{value:.3g}"


def _places(marks: _Marks, first: float, last: float, room: int) -> Iterator[tuple[int, Tick]]:
    """Return the columns of marks; if two collide, move the second to the nearest free column on its side."""
    taken: dict[int, float] = {}
    for tick, at in marks:
        if not first <= at <= last:
            continue
        column = column_of(at, first, last, room)
        if column in taken:
            step = 1 if at >= taken[column] else -1
            while column in taken and 0 <= column + step < room:
                column += step
        if column not in taken:
            taken[column] = at
            yield column, tick


def _joined(pieces: Sequence[Piece]) -> Iterator[Piece]:
    text, style = "", ""
    for piece in pieces:
        if piece.style != style and text:
            yield Piece(text, style)
            text = ""
        text, style = text + piece.text, piece.style
    yield Piece(text, style)


# -- failures


def _failures(
    state: ScreenState, failures: Sequence[FailedCase], selected: int, width: int, options: DrawOptions
) -> Iterator[PieceRow]:
    """Draw a line for each failure, and preview the steps of one."""
    listed = failures[: max(4, min(len(failures), (options.height - 4) // 3))]
    lines = brief_cases(state, [failure.row for failure in listed], (), width, options.glyphs)
    for place, (failure, parts) in enumerate(zip(listed, lines, strict=True)):
        (mark, mark_style), (name, _), *rest = parts
        yield (
            Piece(mark, mark_style),
            Piece(name, "strong" if place == selected else "", failure.link),
            *(Piece(text, style) for text, style in rest),
        )
    yield ()
    display = DisplayOptions(width, options.glyphs, height=max(4, options.height - 3 - len(listed)), keys=options.keys)
    try:
        preview = case_preview(state, failures[selected].row, display)
    except InspectError as error:
        yield from paragraph(str(error), width, "bad")
        return
    yield from (tuple(Piece(text, style) for text, style in line.parts) for line in preview)
