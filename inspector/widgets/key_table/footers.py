"""Footer hints of each screen, the most important first.

At 80 columns the first two fit, and the hints of every footer: see `KeyLine`.
"""

from collections.abc import Mapping

from inspector.widgets.key_table.command import ANALYSES

HELP = "help"
EVERY = ("threshold", "export", "command_palette")
"""Hints of every footer, in this order, in addition to help at the right edge."""
_WORDS = {"threshold": "threshold", "export": "export", "command_palette": "commands", HELP: "help"}
RAIL_OPEN = "rail-keep"
"""The command that is active while the threshold rail is open; the footer then shows only the keys of the rail."""
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
"""Commands that only move; their hints precede those of other commands."""
PAIRS = {
    "next-step": "previous-step",
    "next-scorer": "previous-scorer",
    "next-page": "page-before",
    "next-vote": "previous-vote",
    "rail-up": "rail-down",
    "rail-flip-up": "rail-flip-down",
}
"""Commands whose hint starts with the key of another command."""


def footer_of(screen: str) -> Mapping[str, str]:
    """Return the ids of the commands in the footer of a screen, with their titles.

    The keys of a critic's answers come first; they work while the answers have the focus.
    """
    own = _SCREENS.get(screen, _ANALYSIS)
    return {**RAIL, **(_ANSWERS if screen in {"case", "triage"} else {}), **own, **_WORDS}


def enter_titles(screen: str) -> Mapping[str, str]:
    """Return the Enter hints of the widgets of a screen, by binding id."""
    table = {"board": "failures", "cases": "case"}.get(screen, "open")
    return {"table.open": table, "sheet.open": "cases" if screen in {"board", *ANALYSES} else "open"}
