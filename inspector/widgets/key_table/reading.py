"""What a person can do wherever steps are read: on the list of cases and on one case."""

from inspector.widgets.key_table.command import ANALYSES, CLOSE, ONE_CASE, REDO, RIGHT, TAG, UNDO, WRITE, Command, go, view
from inspector.analyses.report.report_charts import LEFT
from inspector.widgets.theme_colours import SCORERS

THROUGH_A_SCORER = ("cases", *(one for one in ANALYSES if one not in {"stats", "paper"}))
"""The screens of many cases that look through one scorer."""
READING: tuple[Command, ...] = (
    Command("another-scorer", view("n"), "Next scorer", "Look through the next scorer", "scorer(1)", THROUGH_A_SCORER),
    Command("next-scorer", RIGHT, "Next scorer", "Look through the next scorer", "scorer(1)", ONE_CASE),
    Command(
        "previous-scorer",
        LEFT,
        "Previous scorer",
        "Look through the scorer before",
        "scorer(-1)",
        ONE_CASE,
    ),
    Command(
        "scorers",
        SCORERS,
        "Scorers",
        "Choose the scorer that this is seen through, and where it is about several those beside it",
        "scorers",
        THROUGH_A_SCORER,
    ),
    Command(
        "reason", view("r"), "Gold reason", "Show or hide why the gold labels are so", "reason", ("cases", *ONE_CASE)
    ),
    Command(
        "blind",
        view("b"),
        "Blind",
        "Hide gold labels, reasons and verdicts, or show them again",
        "blind",
        ("cases", *ONE_CASE),
    ),
    Command(
        "raw",
        view("w"),
        "Raw LaTeX",
        "Formulas as they were written, or readable",
        "raw",
        ("cases", *ONE_CASE),
    ),
    Command(
        "news",
        view("d"),
        "What is new",
        "Dim in every step what it repeats of the one before, so that what is new in it stands out",
        "news",
        ("cases", *ONE_CASE),
    ),
    Command(
        "similar",
        go("k"),
        "Similar",
        "Cases like this one, in words and formulas or in the course of its rewards, with why",
        "similar",
        ("cases", *ONE_CASE),
    ),
    Command(
        "back",
        CLOSE,
        "Back",
        "One level back, never out",
        "back",
        ("cases", *ONE_CASE, *ANALYSES),
        in_answers=True,
    ),
    Command(
        "tag",
        TAG,
        "Tag",
        "Put tags on this case, or on the marked ones, or take them away",
        "tag",
        ("cases", *ONE_CASE),
        priority=True,
    ),
    Command(
        "note",
        WRITE,
        "Note",
        "Write a note on this case, or on the marked ones",
        "note",
        ("cases", *ONE_CASE),
        priority=True,
    ),
    Command(
        "history",
        view("h"),
        "History",
        "What everybody did to this case, with what was undone; what others did not, while labels are hidden",
        "history",
        ONE_CASE,
    ),
    Command(
        "undo",
        UNDO,
        "Undo",
        "Undo what you did last: a ruling, tags, a note, a category",
        "undo",
        ("cases", *ONE_CASE, "taxonomy"),
        footer=("triage",),
    ),
    Command("redo", REDO, "Redo", "Do again what was undone", "redo", ("cases", *ONE_CASE, "taxonomy")),
)
