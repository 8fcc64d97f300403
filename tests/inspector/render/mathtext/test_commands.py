from dataclasses import dataclass
from itertools import groupby

import pytest
from textual.command import CommandList

from inherited import INHERITED, action_of
from inspector.screens.analysis import screen_of
from inspector.screens.board import BoardScreen
from inspector.screens.case import CaseScreen
from inspector.screens.cases import CasesScreen
from inspector.screens.taxonomy import TaxonomyScreen
from inspector.screens.triage import TriageScreen
from inspector.widgets.critique_pane import CritiquePane
from inspector.widgets.facet_list import FacetList
from inspector.widgets.frame_table import FrameTable
from inspector.widgets.key_spelling import NO_KEY
from inspector.widgets.key_table import COMMANDS, bindings_of
from inspector.widgets.key_table.command import ANALYSES, SCREENS, VERBS
from inspector.widgets.key_table.rail import RAIL
from inspector.widgets.sheet_view import SheetView
from needing import IN_STORIES, NEEDING
from opened import opened
from screen_text import hides, looks_like, press, rests, shows, strokes, until
from thoroughness import THOROUGH, one_of

CLASSES = {
    "board": BoardScreen,
    "cases": CasesScreen,
    "case": CaseScreen,
    "triage": TriageScreen,
    **{name: screen_of(name) for name in ANALYSES},
    "taxonomy": TaxonomyScreen,
}
LISTS = (CritiquePane, FacetList, FrameTable, SheetView)
"""The widgets with keys of their own."""
REACHED = {
    "board": (),
    "cases": ("enter",),
    "case": ("enter", "enter"),
    "triage": ("enter", "g", "t", "enter"),
    **{command.id: (command.keys,) for command in COMMANDS if command.id in ANALYSES},
}
"""The keys that lead to each screen from the board."""
SHOWN = {
    "board": "2 scorers",
    "cases": "5 of 9 cases",
    "case": "failures ▸ alarm-one",
    "triage": "0 ruled, 5 to go",
    "metrics": "beta",
    "highlights": "further than chance",
    "compare": "no evidence",
    "card": "How a verdict is",
    "thresholds": "best on these  ",
    "stats": "right answer, wrong process",
    "paper": "No tables of a paper",
    "breakdown": "the 95% interval and the value",
    "bias": "too few to say",
    "best-of-n": "No shown problem has two responses",
    "votes": "No scorer that was asked for has several votes",
    "timeline": "No scorer here is said to be a checkpoint",
    "taxonomy": "No case here has a note yet",
}
"""What stands there once it is complete."""


@dataclass(frozen=True)
class Effect:
    """A key makes `appears` stand on the screen, or `goes` vanish; the keys of `undo` give back the exact screen.

    `before` leads to where it is tried; those that begin alike share the way there, and the way back.
    """

    appears: str = ""
    undo: tuple[str, ...] = ("escape",)
    goes: str = ""
    before: tuple[str, ...] = ()


LONG = ("escape", "escape", "g", "l", "G", "enter")
LOW, HIGH = ("home", "j", "ctrl+d", "j"), ("G", "ctrl+u", "k")
"""Keys that lead into the middle of a long case, and to the first or the last step that is on the screen there."""
REASON = ("n", "G", "k")
BESIDE = {
    "metrics": "error acc",
    "highlights": "further than chance",
    "compare": "Cases with an error",
    "stats": "right answer, wrong process",
    "paper": "No tables of a paper",
    "thresholds": "Ways to choose the threshold",
    "breakdown": "Harmonic mean of both",
    "bias": "Compared with the rest",
    "best-of-n": "No shown problem has two responses",
    "votes": "No scorer that was asked for has several votes",
    "timeline": "No scorer here is said to be a checkpoint",
    "taxonomy": "No case here has a note yet",
}
THROUGH_ONE = ("metrics", "highlights", "card", "breakdown", "bias", "best-of-n", "votes", "timeline", "taxonomy")
"""Screens whose title names the scorer in focus."""
EFFECTS = {
    ("board", "open-failures"): Effect("5 of 9 cases"),
    ("board", "open-cases"): Effect("9 of 9 cases"),
    ("board", "threshold"): Effect("* best"),
    ("board", "export"): Effect("CSV file"),
    ("board", "theme"): Effect("Search for themes"),
    ("cases", "theme"): Effect("Search for themes"),
    ("case", "theme"): Effect("Search for themes"),
    ("board", "help"): Effect("Scorers by the official"),
    ("board", "board-rows"): Effect("rows by scorer", undo=("v", "r", "v", "r")),
    ("board", "board-sort"): Effect("type letters to narrow"),
    ("board", "board-columns"): Effect("Columns of the board, and of what is exported from it"),
    ("board", "differences"): Effect("differences to alpha", undo=("v", "d")),
    ("board", "baselines"): Effect("always-clean", undo=("v b",)),
    ("board", "yank-row"): Effect("Copied the row of alpha", undo=()),
    ("board", "triage"): Effect("No case waits for you", undo=()),
    ("board", "published"): Effect("No published figures are known for these benchmarks.", undo=()),
    ("cases", "yank-row"): Effect("Copied the facts of alarm-one", undo=()),
    ("case", "yank-case"): Effect("Copied the whole case bench/alarm-one", undo=()),
    ("cases", "open-case"): Effect("failures ▸ alarm-one"),
    ("cases", "threshold"): Effect("* best"),
    ("cases", "facets"): Effect("[x] o missed"),
    ("cases", "condition"): Effect("take the word"),
    ("cases", "slices"): Effect("right answer, wrong process"),
    ("cases", "keep"): Effect("1 of 9 cases", before=("x", "l"), undo=("x", "home")),
    ("cases", "hide"): Effect("8 of 9 cases", before=("x", "l"), undo=("x", "home")),
    ("cases", "search"): Effect("/ in all:"),
    ("cases", "clear"): Effect("9 of 9 cases", undo=("escape", "enter")),
    ("cases", "sort"): Effect("type letters to narrow"),
    ("cases", "columns"): Effect("Columns of the list, and of what is exported from it"),
    ("cases", "zoom"): Effect(goes="Problem of alarm-one", undo=("v", "z")),
    ("cases", "scorers"): Effect("Look through"),
    ("cases", "reason"): Effect(goes="Because of exact-one", before=("x", "l"), undo=("v", "r")),
    ("cases", "similar"): Effect("Like bench/alarm-one", undo=("escape",)),
    ("case", "similar"): Effect("Like bench/alarm-one", undo=("escape",)),
    ("cases", "news"): Effect("repeats of the one before is dim", undo=("v", "d")),
    ("cases", "raw"): Effect("$\\frac{3}{4}$", undo=("v", "w")),
    ("cases", "tag"): Effect("Tag bench/alarm-one"),
    ("cases", "mark"): Effect("1 marked", undo=("x", "home")),
    ("cases", "mark-all"): Effect("5 marked", undo=("x",)),
    ("cases", "note"): Effect("Note on bench/alarm-one"),
    ("cases", "triage"): Effect("Decide about 5 cases"),
    ("case", "triage"): Effect("Decide about 5 cases"),
    ("case", "tag"): Effect("Tag bench/alarm-one"),
    ("case", "history"): Effect("What was done to bench/alarm-one"),
    ("case", "note"): Effect("Note on bench/alarm-one"),
    ("cases", "export"): Effect("The 5 cases on screen"),
    ("cases", "back"): Effect("2 scorers", undo=("enter",)),
    ("cases", "help"): Effect("The cases that pass the filter"),
    ("case", "threshold"): Effect("* best"),
    ("case", "next-case"): Effect("2 of 5", undo=("N",)),
    ("case", "previous-case"): Effect("1 of 5", before=REASON, undo=REASON),
    ("case", "following-case"): Effect("2 of 5", undo=("left_square_bracket",)),
    ("case", "case-before"): Effect("1 of 5", before=REASON, undo=REASON),
    ("cases", "blind"): Effect("blind: gold", undo=("v", "b")),
    ("case", "blind"): Effect("blind: gold", undo=("v", "b")),
    ("case", "overlay"): Effect("Scorers beside each other"),
    ("case", "next-step"): Effect("Step 26 of", before=(*LONG, *HIGH), undo=HIGH),
    ("case", "previous-step"): Effect("Step 7 of", before=(*LONG, *LOW), undo=LOW),
    ("case", "half-page-down"): Effect("Step 29 of", before=(*LONG, *HIGH), undo=HIGH),
    ("case", "half-page-up"): Effect("Step 0 of", before=(*LONG, *LOW), undo=LOW),
    ("case", "first-step"): Effect("Step 0 of", before=(*LONG, *LOW), undo=LOW),
    ("case", "last-step"): Effect("Why   Because", before=(*LONG, *HIGH), undo=HIGH),
    ("case", "turn-over"): Effect("hidden; v r shows it", before=REASON, undo=("enter",)),
    ("case", "prefix"): Effect("steps 0-10: right, rewards 0.90 to 0.90", before=(*LONG, *LOW), undo=("v", "p", *LOW)),
    ("case", "curve"): Effect("╌╌╌", undo=("v", "v")),
    ("case", "facts"): Effect("v f folds them", undo=("v", "f")),
    ("case", "original"): Effect("This case has no original", undo=()),
    ("case", "score-case"): Effect("Score bench/alarm-one with"),
    ("case", "what-if"): Effect("Nothing is changed yet."),
    ("case", "tokens"): Effect("alpha has no weights", undo=("v", "t")),
    ("case", "next-scorer"): Effect("bench ▸ beta", undo=("h",)),
    ("case", "previous-scorer"): Effect("bench ▸ beta", undo=("l",)),
    ("case", "reason"): Effect("hidden; v r shows it", before=REASON, undo=("v", "r")),
    ("case", "news"): Effect("repeats of the one before is dim", undo=("v", "d")),
    ("case", "raw"): Effect("$\\frac{3}{4}$", undo=("v", "w")),
    ("case", "export"): Effect("This case, a row a step"),
    ("case", "back"): Effect("5 of 9 cases", undo=("enter",)),
    ("case", "help"): Effect("One case: the keys"),
    ("compare", "scorers"): Effect("Compare with"),
    ("compare", "another-scorer"): Effect("A beta", undo=("v n",)),
    ("compare", "swap"): Effect("A beta", undo=("v s",)),
    ("compare", "drill"): Effect("filter tried by both"),
    ("compare", "help"): Effect("Two scorers: A is"),
    ("compare", "next-page"): Effect("[cascade]", undo=("left_square_bracket",)),
    ("compare", "page-before"): Effect("[right together]", undo=("right_square_bracket",)),
    ("card", "scorers"): Effect("the scorer in focus alone"),
    ("card", "common-cases"): Effect("The scorers have the same cases", undo=()),
    ("card", "drill"): Effect("filter tried by alpha"),
    ("card", "help"): Effect("How the number of the scorer"),
    ("stats", "drill"): Effect("filter cases, sums"),
    ("stats", "help"): Effect("The benchmark itself. Each count"),
    ("paper", "export"): Effect("There is nothing to export", undo=()),
    ("paper", "drill"): Effect("There is no number here", undo=()),
    ("paper", "options"): Effect("The paper's other scorers"),
    ("paper", "next-page"): Effect("[all tables]", undo=("left_square_bracket",)),
    ("paper", "page-before"): Effect("[all tables]", undo=("right_square_bracket",)),
    ("paper", "help"): Effect("The paper's tables for the"),
    # One takes the place of the other.
    **{
        (one, other): Effect(words, undo=("escape", "g", "r") if one == "card" else REACHED[one])
        for one in ANALYSES
        for other, words in BESIDE.items()
        if other != one
    },
    **{("board", other): Effect(words) for other, words in BESIDE.items()},
    ("board", "compare-here"): Effect("A alpha, B beta"),
    ("board", "common-cases"): Effect("All on the common cases", undo=("v", "a")),
    ("metrics", "drill"): Effect("filter tried by alpha"),
    ("highlights", "drill"): Effect("filter "),
    ("highlights", "help"): Effect("What is furthest from the usual"),
    ("metrics", "help"): Effect("Every official metric of"),
    ("thresholds", "scorers"): Effect("Scorers beside each other"),
    ("thresholds", "next-page"): Effect("[curves in numbers]", undo=("left_square_bracket",)),
    ("thresholds", "page-before"): Effect("[reliability]", undo=("right_square_bracket",)),
    ("thresholds", "drill"): Effect("filter tried by alpha"),
    ("thresholds", "help"): Effect("What every threshold would"),
    ("breakdown", "rows"): Effect("⏎ take it"),
    ("breakdown", "across"): Effect("a line a value of the first column"),
    ("breakdown", "figure"): Effect("GR-Ben's: a later step is named, or none"),
    ("breakdown", "options"): Effect("Less another scorer"),
    ("breakdown", "swap"): Effect("there is nothing to turn", undo=()),
    ("breakdown", "bins"): Effect("There is nothing of that kind to choose", undo=()),
    ("best-of-n", "next-page"): Effect("[as others count]", undo=("left_square_bracket",)),
    ("best-of-n", "page-before"): Effect("[one problem]", undo=("right_square_bracket",)),
    ("breakdown", "next-page"): Effect("[error types]", undo=("left_square_bracket",)),
    ("breakdown", "page-before"): Effect("[reliability]", undo=("right_square_bracket",)),
    ("breakdown", "drill"): Effect("filter sums, cases tried"),
    ("breakdown", "help"): Effect("Where a scorer goes wrong"),
    **{(one, "drill"): Effect("There is no number here", undo=()) for one in ("best-of-n", "votes", "timeline")},
    ("best-of-n", "options"): Effect("There is nothing to choose from", undo=()),
    ("votes", "options"): Effect("There is nothing to choose from", undo=()),
    ("timeline", "options"): Effect("From step"),
    ("best-of-n", "help"): Effect("Of several responses to a problem"),
    ("votes", "help"): Effect("What fewer votes would have said"),
    ("timeline", "help"): Effect("The checkpoints of a training run: the"),
    ("bias", "drill"): Effect("filter tried: accuracy on erroneous"),
    ("bias", "help"): Effect("Which way the scorer"),
    ("taxonomy", "drill"): Effect("There is no number here", undo=()),
    ("taxonomy", "export"): Effect("There is nothing to export", undo=()),
    ("taxonomy", "help"): Effect("Notes become a taxonomy"),
    ("taxonomy", "card"): Effect("How a verdict is decided", undo=REACHED["taxonomy"]),
    **{(one, "scorers"): Effect("Look through") for one in THROUGH_ONE if one != "card"},
    **{
        (one, "options"): Effect("This page has nothing to choose", undo=())
        for one in ("metrics", "highlights", "compare", "card", "thresholds", "stats", "bias")
    },
    **{
        (one, "card"): Effect("How a verdict is decided", undo=REACHED[one])
        for one in ("breakdown", "bias", "best-of-n", "votes", "timeline")
    },
    ("compare", "method"): Effect("How this is tested"),
    **{(one, "board"): Effect("2 scorers", undo=REACHED[one]) for one in ("cases", "case", *ANALYSES)},
    ("case", "list"): Effect("5 of 9 cases", undo=("enter",)),
    **{(one, "back"): Effect("2 scorers", undo=REACHED[one]) for one in ANALYSES},
}
EVERYWHERE = {
    **{name: Effect(words) for name, words in BESIDE.items()},
    "card": Effect("How a verdict is decided"),
    "threshold": Effect("* best"),
    "export": Effect("CSV file"),
    "score": Effect("⏎ start", undo=("escape",)),
    "import": Effect("Rewards, verdicts, answers or cases", undo=("escape",)),
    "stop-scoring": Effect("No run is going on.", undo=()),
    "theme": Effect("Search for themes"),
    "list": Effect("9 of 9 cases"),
    "another-scorer": Effect("θ 0.000", undo=("v n",)),
    "go": Effect("x Taxonomy"),
    "view": Effect(" View\n"),
    "guide": Effect("Guide: "),
    "method": Effect("Guide: "),
    "messages": Effect("Messages"),
}
"""By the id of a command what it does on every screen that EFFECTS does not name with it."""
MOVED = {
    "rail-up": "threshold 0.510 (was 0.500)",
    "rail-up-fine": "threshold 0.511",
    "rail-down-fine": "threshold 0.510",
    "rail-down": "threshold 0.500 (was 0.500)",
    "rail-flip-down": "threshold 0.400",
    "rail-flip-up": "threshold 0.520",
    "rail-default": "threshold 0.500 (default)",
    "rail-best": "threshold 0.550 (was 0.500)",
    "rail-keep": "0.550",
    "rail-restore": "0.550",
}
"""One after the other."""


def test_every_command_has_words_and_an_id_of_its_own():
    everything = [*COMMANDS, *RAIL]
    assert len({command.id for command in everything}) == len(everything)
    for command in everything:
        assert command.title
        assert command.help
        assert command.keys
        assert set(command.screens) <= set(SCREENS)


@pytest.mark.parametrize("screen", SCREENS)
def test_no_key_has_two_meanings_on_a_screen(screen):
    for commands in (RAIL, [command for command in COMMANDS if screen in command.screens]):
        keys = [key for command in commands for key in command.keys.split(",") if key != NO_KEY]
        assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("screen", SCREENS)
def test_every_action_is_a_method_of_the_screens_that_have_it(screen):
    for binding in bindings_of(screen):
        assert callable(action_of(CLASSES[screen], binding.action))


def test_every_command_of_every_screen_is_tried_here():
    pairs = {(screen, command.id) for screen in SCREENS for command in COMMANDS if screen in command.screens}
    # Quitting ends the app and is tried below; what needs something first, in test_commands_in_their_state.
    elsewhere = {(one, "quit") for one in SCREENS} | set(NEEDING) | IN_STORIES | INHERITED
    everywhere = {(screen, name) for screen, name in pairs - set(EFFECTS) - elsewhere if name in EVERYWHERE}
    assert set(EFFECTS) | elsewhere | everywhere == pairs
    assert {name for _, name in everywhere} == set(EVERYWHERE)
    assert set(MOVED) == {command.id for command in RAIL}


def test_a_key_is_one_verb_everywhere():
    """Of two keys the first is the verb; the letter behind it is an argument."""
    keys = [key for verb, _ in VERBS for key in verb.split(",")]
    assert len(set(keys)) == len(keys) <= 55
    used = [key for command in (*COMMANDS, *RAIL) for key in command.keys.split(",") if key != NO_KEY]
    used += [key for widget in LISTS for one in widget.BINDINGS if not one.system for key in one.key.split(",")]
    assert {key.partition(" ")[0] for key in used} == set(keys)


def effect_of(screen, command):
    """None where it needs something first, comes from Textual, or opened the screen that is there."""
    if (screen, command.id) in INHERITED or command.id == screen or screen not in command.screens:
        return None
    return EFFECTS.get((screen, command.id)) or EVERYWHERE.get(command.id)


EACH = {"yank-row", "triage"}
"""Commands that are something else on each screen."""
TRIED = {screen: [] for screen in SCREENS}
"""Screen -> what is tried there; usually a command is tried on one of the screens that have it. That one analysis takes
the place of another is seen on the way through all of them.
"""
for _number, _command in enumerate(COMMANDS):
    _having = [screen for screen in SCREENS if effect_of(screen, _command)]
    if _command.id in ANALYSES and not THOROUGH:
        _having = [screen for screen in _having if screen not in ANALYSES]
    for _screen in _having if _command.id in EACH else one_of(_having, _number):
        TRIED[_screen].append((_command, effect_of(_screen, _command)))


def way_to(pilot, command, number):
    """A key of a command, once it is seen that all of its keys are bound to one and the same."""
    if command.keys == NO_KEY:
        return strokes(command)
    keys = command.keys.split(",")
    bound = pilot.app.screen.active_bindings
    assert len(keys) == 1 or {bound[key].binding.id for key in keys} == {command.id}, command.id
    return (keys[number % len(keys)],)


@pytest.mark.parametrize("screens", [("board", "cases", "triage"), ("case",), ANALYSES], ids=" ".join)
async def test_every_key_does_what_its_command_says_and_can_be_undone(query, screens):
    """And the palette offers every command of the screen once."""
    async with opened(query, size=(120, 24)) as pilot:
        start = await rests(pilot, "alpha", "beta")
        for screen in screens:
            # From one analysis straight to the next.
            home = screens is not ANALYSES and pilot.app.screen.NAME != "board"
            await press(pilot, *(("g b",) if home else ()), *REACHED[screen])
            reached = await rests(pilot, SHOWN[screen], "Problem of" if screen in {"cases", "case"} else "")
            offered = [command.title for command in pilot.app.get_system_commands(pilot.app.screen)]
            assert len(set(offered)) == len(offered)
            assert set(offered) >= {command.title for command in COMMANDS if screen in command.screens}
            tried = sorted(enumerate(TRIED[screen]), key=lambda one: one[1][1].before)
            for before, alike in groupby(tried, lambda one: one[1][1].before):
                await press(pilot, *before)
                shown = await rests(pilot) if before else reached
                for number, (command, effect) in alike:
                    assert effect.goes in shown, command.id
                    assert not effect.appears or effect.appears not in shown, command.id
                    await press(pilot, *way_to(pilot, command, number))
                    await (hides(pilot, effect.goes) if effect.goes else shows(pilot, effect.appears))
                    await press(pilot, *effect.undo)
                    # A toast would stay for seconds.
                    pilot.app.clear_notifications()
                    await looks_like(pilot, shown)
                if before:
                    await press(pilot, "escape", "escape")
                    await looks_like(pilot, start)
                    await press(pilot, *REACHED[screen])
                    await looks_like(pilot, reached)


@pytest.mark.parametrize("screen", SCREENS if THOROUGH else ("case",))
async def test_every_key_of_the_rail_moves_keeps_or_restores(query, screen):
    """It is one and the same bar on every screen."""
    async with opened(query, size=(120, 24)) as pilot:
        await press(pilot, *REACHED[screen], "t")
        await shows(pilot, SHOWN[screen], "* best", "threshold 0.500")
        keys = {command.id: command.keys for command in RAIL}
        for name, words in MOVED.items():
            if name == "rail-restore":
                await press(pilot, "t", "right")
                await shows(pilot, "threshold 0.560 (was 0.550)")
            await press(pilot, keys[name])
            text = await rests(pilot, words)
            assert ("* best" in text) == (name not in {"rail-keep", "rail-restore"})


async def test_the_palette_does_what_is_typed_and_a_dialog_in_which_one_types_keeps_its_letters(query):
    async with opened(query) as pilot:
        await press(pilot, "S", *"textqaef")
        await shows(pilot, "⏎ start", "textqaef")
        await press(pilot, "escape")
        await shows(pilot, "Alpha reads the text.")
        await press(pilot, "ctrl+p")
        options, offered = pilot.app.screen.query_one(CommandList), [*pilot.app.get_system_commands(pilot.app.screen)]
        await until(pilot, lambda: options.option_count >= len(offered))
        text = "".join(str(options.get_option_at_index(at).prompt) for at in range(options.option_count))
        assert [one.help for one in COMMANDS if "board" in one.screens and text.count(one.help) != 1] == []
        await press(pilot, *"threshold")
        await shows(pilot, "keep it or restore")
        await press(pilot, "enter")
        await shows(pilot, "* best")
