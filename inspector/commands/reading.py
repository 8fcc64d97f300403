"""What a person can do wherever steps are read: on the list of cases and on one case."""

from inspector.commands.command import ANALYSES, ONE_CASE, Command

THROUGH_A_SCORER = ("cases", *ONE_CASE, *(one for one in ANALYSES if one not in {"stats", "paper"}))
"""The screens that look through one scorer."""

READING: tuple[Command, ...] = (
    Command("next-scorer", "m", "Next scorer", "Look through the next scorer", "scorer(1)", THROUGH_A_SCORER),
    Command(
        "previous-scorer",
        "M",
        "Previous scorer",
        "Look through the scorer before",
        "scorer(-1)",
        THROUGH_A_SCORER,
    ),
    Command("reason", "r", "Gold reason", "Show or hide why the gold labels are so", "reason", ("cases", *ONE_CASE)),
    Command(
        "blind",
        "B",
        "Blind",
        "Hide gold labels, reasons and verdicts, or show them again",
        "blind",
        ("cases", *ONE_CASE),
    ),
    Command(
        "raw",
        "backslash",
        "Raw LaTeX",
        "Formulas as they were written, or readable",
        "raw",
        ("cases", *ONE_CASE),
        shown_key="\\",
    ),
    Command(
        "back",
        "escape",
        "Back",
        "One level back, never out",
        "back",
        ("cases", *ONE_CASE, *ANALYSES),
        in_answers=True,
        shown_key="Esc",
    ),
    Command("tag", "w", "Tag", "Put tags on this case, or take them away", "tag", ("cases", *ONE_CASE), priority=True),
    Command("tag-shown", "W", "Tag all", "Put tags on every case in the list", "tag_shown", ("cases",), priority=True),
    Command("note", "N", "Note", "Write a note on this case", "note", ("cases", *ONE_CASE), priority=True),
    Command(
        "history",
        "h",
        "History",
        "What everybody did to this case, with what was undone; what others did not, while labels are hidden",
        "history",
        ONE_CASE,
    ),
    Command(
        "undo",
        "u",
        "Undo",
        "Undo what you did last: a ruling, tags, a note, a category",
        "undo",
        ("cases", *ONE_CASE, "taxonomy"),
        footer=("triage",),
    ),
    Command("redo", "ctrl+r", "Redo", "Do again what was undone", "redo", ("cases", *ONE_CASE, "taxonomy")),
)
