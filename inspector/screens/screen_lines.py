"""Lines of text and tables that screens compose, and the text on the lines."""

from collections.abc import Sequence

from rich.cells import cell_len

from inspector.render.charts.glyphs import Glyphs
from inspector.render.texts.phrases import Phrase, name_forms
from inspector.render.texts.text import clean
from inspector.screens.controller import ControlledScreen
from inspector.screens.threshold_bar.rail_lines import score_words
from inspector.state.focusing import covering
from inspector.state.screen_state import ScreenState
from inspector.widgets.frame_table import FrameTable
from inspector.widgets.line_view import PhraseLine
from scoring.evaluation.verdicts import Decision, compared_words

WIDE = 110
"""Columns from which there is room for words that can be left out, and for steps beside the list."""
LONGEST_SOURCE = 16
"""Longest source of a threshold in a header, in cells."""


def one_line(name: str) -> PhraseLine:
    """Make a line of text; `write_text` and `write_phrases` change it."""
    line = PhraseLine(id=name, classes="one-line")
    line.can_focus = False
    return line


def make_table(glyphs: Glyphs, name: str, empty: str) -> FrameTable:
    """Make a table that says `empty` where it has no rows."""
    if glyphs.ascii_only:
        return FrameTable(id=name, empty=empty, mark=">", chosen=("*", "#"), null="-")
    return FrameTable(id=name, empty=empty)


def write_text(screen: ControlledScreen, name: str, text: str, style: str = "") -> None:
    """Write text from anywhere on a line of `one_line`; only cells that change are painted."""
    screen.query_one(f"#{name}", PhraseLine).tell([Phrase((text,))], style=style)


def write_header(screen: ControlledScreen, path: Sequence[Phrase], facts: Sequence[Phrase]) -> None:
    """Write the header: the path on the left and facts on the right, including adjudicated labels.

    The header is the widget `title`.
    """
    ascii_only = screen.context.glyphs.ascii_only
    if screen.state.results.labels.adjudicated is not None:
        behind = screen.state.results.labels.outdated
        late = ("adjudicated labels without the last rulings", "labels without the last rulings", "earlier labels")
        forms = late if behind else ("adjudicated labels", "adjudicated")
        facts = [*facts, Phrase(forms, rank=1 if behind else 2)]
    screen.query_one("#title", PhraseLine).tell_path(path, " > " if ascii_only else " ▸ ", facts)


def place_in_app(state: ScreenState) -> list[Phrase]:
    """Return the benchmark and the scorer in focus, the first parts of a path."""
    scorer, names = state.focus.scorer, covering(state)
    path = [Phrase((*name_forms(state.focus.benchmark, 14), ""), rank=4)]
    return [*path, Phrase((*name_forms(scorer, 20, 14, among=names), ""), rank=3)] if scorer else path


def state_facts(state: ScreenState, glyphs: Glyphs) -> list[Phrase]:
    """Return the threshold and the headline of the scorer in focus."""
    evaluation, line = state.evaluation, state.summary.headline
    if evaluation is None:
        return []
    rule = state.rule_of(evaluation.scorer.name)
    facts = [Phrase(threshold_forms(rule, glyphs), rank=1)]
    if line is None:
        return facts
    return [*facts, Phrase((score_words(line, ascii_only=glyphs.ascii_only), ""), style="strong")]


def write_phrases(screen: ControlledScreen, name: str, phrases: Sequence[Phrase], style: str) -> None:
    """Write phrases on a line of `one_line`, in the longest forms that fit."""
    between = " | " if screen.context.glyphs.ascii_only else " · "
    screen.query_one(f"#{name}", PhraseLine).tell(phrases, between, style)


def threshold_forms(rule: Decision, glyphs: Glyphs) -> tuple[str, ...]:
    """Return forms of the threshold, the longest first, with its source if it is short.

    The protocol card shows the full source.
    """
    if rule.threshold is None:
        return rule.source, ""
    name = " ".join(word for word in ("threshold" if glyphs.ascii_only else "θ", compared_words(rule)) if word)
    words = f"{name} {rule.threshold:.3f}"
    source = "optimistic" if "optimistic" in rule.source else clean(rule.source)
    return (f"{words} {source}", words, "") if cell_len(source) <= LONGEST_SOURCE else (words, "")
