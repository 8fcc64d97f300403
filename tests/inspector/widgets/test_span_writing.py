"""Segments are written in fewer bytes, and the terminal shows the same."""

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from inspector.widgets.span_writing import changed_codes, written_segments

COLOURS = st.sampled_from((None, "#102030", "#aabbcc", "red", "bright_blue", "color(120)", "default"))
FLAGS = ("bold", "dim", "italic", "underline", "reverse", "strike")
STYLES = st.builds(
    lambda colour, ground, flags: Style(color=colour, bgcolor=ground, **dict.fromkeys(flags, True)),
    COLOURS,
    COLOURS,
    st.sets(st.sampled_from(FLAGS), max_size=3),
)
TEXTS = st.text(st.sampled_from("ab│█ "), max_size=4)
SEGMENTS = st.lists(st.tuples(TEXTS, st.none() | STYLES).map(lambda pair: Segment(*pair)), min_size=1, max_size=8)


def shown(written):
    """What a terminal shows: characters with their colours and attributes; of blanks, what can be seen."""
    screen = pyte.Screen(40, 1)
    # What is written next is as the terminal was before.
    pyte.Stream(screen).feed(f"{written}|")
    cells = dict(screen.buffer[0])
    plain = {"fg": "default", "bold": False, "italics": False}
    return {
        at: cell._replace(**plain)
        if cell.data == " " and not (cell.underscore or cell.reverse or cell.strikethrough)
        else cell
        for at, cell in cells.items()
    }


@pytest.mark.parametrize("system", ["truecolor", "256", "standard"])
@given(segments=SEGMENTS)
def test_a_terminal_shows_the_same_and_less_is_written(segments, system):
    console = Console(color_system=system, force_terminal=True)
    ours, theirs = "".join(written_segments(segments, console)), Strip(segments).render(console)
    assert shown(ours) == shown(theirs)
    assert len(ours) <= len(theirs)


def test_only_what_changes_is_written():
    codes = "38;2;1;2;3;48;2;4;5;6"
    assert changed_codes("", codes) == f"\x1b[{codes}m"
    assert changed_codes(codes, "38;2;9;9;9;48;2;4;5;6") == "\x1b[38;2;9;9;9m"
    assert changed_codes(codes, f"1;{codes}") == "\x1b[1m"
    assert changed_codes(f"1;{codes}", codes) == "\x1b[22m"
    assert changed_codes(f"1;2;4;{codes}", f"1;{codes}") == "\x1b[22;24;1m"
    assert changed_codes(codes, "38;2;1;2;3") == "\x1b[49m"
    assert changed_codes("1;31", "31") == "\x1b[22m"
    assert changed_codes("1;4;31", "3") == "\x1b[0;3m"
    assert changed_codes(codes, "") == "\x1b[0m"
