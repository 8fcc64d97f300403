"""What the footer of each screen shows, the most important first.

At 80 columns there is room for the first two, and for what every footer shows: see `KeyLine`.
"""

from collections.abc import Mapping

from inspector.widgets.key_table.command import ANALYSES

HELP = "help"
EVERY = ("threshold", "export", "command_palette")
"""What every footer has, in this order, beside its help at the right edge."""
_WORDS = {"threshold": "threshold", "export": "export", "command_palette": "commands", HELP: "help"}
RAIL_OPEN = "rail-keep"
"""The command that works while the threshold rail is open; the footer then shows the keys of the rail alone."""
RAIL = {
    RAIL_OPEN: "keep",
    "rail-up": "move",
    "rail-restore": "restore",
    "rail-flip-up": "flip",
    "rail-default": "default",
}
_ANSWERS = {"choose-mention": "go to step", "next-mention": "mention", "next-vote": "vote"}
_ANALYSIS = {
    "drill": "cases",
    "next-page": "page",
    "scorers": "scorers",
    "next-pane": "pane",
    "options": "options",
    "method": "method",
    "swap": "swap",
    "go": "go to",
}
_SCREENS = {
    "board": {
        "open-failures": "failures",
        "next-pane": "pane",
        "compare-here": "compare",
        "go": "go to",
        "view": "view",
        "score": "score",
        "board-sort": "sort",
    },
    "cases": {
        "open-case": "case",
        "next-pane": "pane",
        "search": "search",
        "facets": "facets",
        "sort": "sort",
        "slices": "slices",
        "go": "go to",
    },
    "case": {
        "next-case": "next",
        "overlay": "scorers",
        "next-step": "step",
        "next-scorer": "scorer",
        "tag": "tag",
        "note": "note",
        "undo": "undo",
        "view": "view",
    },
    "triage": {
        "next-case": "next",
        "note": "note",
        "tag": "tag",
        "undo": "undo",
        "defer": "later",
        "rate-wrong": "step wrong",
        "rate-right": "step right",
        "unrule": "take away",
    },
    "taxonomy": {
        "drill": "cases",
        "next-pane": "pane",
        "put": "put into",
        "rename-category": "rename",
        "tick": "tick",
        "tick-with": "tick with",
        "go": "go to",
    },
}
MOVES = frozenset(
    {
        *("next-pane", "next-page", "next-case", "next-step", "next-scorer", "next-mention", "next-vote"),
        *("rail-up", "rail-flip-up"),
    }
)
"""Commands that only move: they come before those that do something."""
PAIRS = {
    "next-step": "previous-step",
    "next-scorer": "previous-scorer",
    "next-page": "page-before",
    "next-vote": "previous-vote",
    "rail-up": "rail-down",
    "rail-flip-up": "rail-flip-down",
}
"""Commands whose hint shows the key of another one too, before their own."""


def footer_of(screen: str) -> Mapping[str, str]:
    """Return the ids of the commands that the footer of a screen shows, and what it calls them there.

    The keys of a critic's answers come first, which work while they have the focus.
    """
    own = _SCREENS.get(screen, _ANALYSIS)
    return {**RAIL, **(_ANSWERS if screen in {"case", "triage"} else {}), **own, **_WORDS}


def enter_titles(screen: str) -> Mapping[str, str]:
    """Return what Enter opens in the widgets of a screen, by the ids of their own bindings."""
    table = {"board": "failures", "cases": "case"}.get(screen, "open")
    return {"table.open": table, "sheet.open": "cases" if screen in {"board", *ANALYSES} else "open"}
