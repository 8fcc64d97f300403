"""What a person can do on one case."""

from inspector.widgets.key_spelling import NO_KEY
from inspector.widgets.key_table.command import BEFORE, COPY, DOWN, HALF_DOWN, HALF_UP, NEXT, ONE_CASE, OPEN, UP, Command, go, view
from inspector.widgets.guide import FIRST
from scoring.metrics.saturation import LAST
from scoring.metrics.response_protocols import SCORE
from inspector.widgets.theme_colours import SCORERS

CASE: tuple[Command, ...] = (
    Command(
        "next-case",
        NEXT,
        "Next",
        "The next case of the list; while a search is on, the next hit",
        "walk(1)",
        ONE_CASE,
        footer=True,
    ),
    Command(
        "previous-case",
        BEFORE,
        "Previous",
        "The case before, or the hit before",
        "walk(-1)",
        ONE_CASE,
        footer=("triage",),
    ),
    Command(
        "overlay",
        SCORERS,
        "Scorers",
        "Put up to eight scorers beside each other",
        "overlay",
        ONE_CASE,
        footer=("case",),
    ),
    Command(
        "next-step",
        DOWN,
        "Next step",
        "The cursor to the next step; through long ones page by page",
        "step(1)",
        ONE_CASE,
    ),
    Command("previous-step", UP, "Step back", "The cursor to the step before", "step(-1)", ONE_CASE),
    Command("half-page-down", HALF_DOWN, "Half a page down", "Half a page of steps on", "half(1)", ONE_CASE),
    Command("half-page-up", HALF_UP, "Half a page up", "Half a page back", "half(-1)", ONE_CASE),
    Command("first-step", FIRST, "Top", "To the problem", "end(False)", ONE_CASE),
    Command("last-step", LAST, "Bottom", "To what stands last", "end(True)", ONE_CASE),
    Command(
        "turn-over",
        OPEN,
        "Fold",
        "Fold or unfold what the cursor stands on, open an image outside; in an answer, go to the step that is named",
        "turn_over",
        ONE_CASE,
    ),
    Command(
        "prefix",
        view("p"),
        "Fold prefix",
        "Fold the steps before the first that gold or a scorer names",
        "prefix",
        ONE_CASE,
    ),
    Command("curve", view("v"), "Curves", "Rewards as curves against the steps", "curve", ONE_CASE),
    Command(
        "original",
        view("o"),
        "Original",
        "What was changed in the original, or by a rewriting, with both reward tracks",
        "original",
        ONE_CASE,
    ),
    Command(
        "tokens",
        view("t"),
        "Tokens",
        "The tokens that the scorer is shown, and where it reads them",
        "tokens",
        ONE_CASE,
    ),
    Command(
        "score-case",
        SCORE,
        "Score case",
        "Have this case judged: by a PRM or a critic of the workspace's, or by a checkpoint",
        "score_case",
        ONE_CASE,
    ),
    Command(
        "what-if",
        go("w"),
        "What if",
        "Change, insert, delete, swap and cut steps of a variant of this case, score it and see what differs",
        "what_if",
        ONE_CASE,
    ),
    Command("facts", view("f"), "Facts", "Everything else that is known of the case", "facts", ONE_CASE),
    Command("yank", COPY, "Copy", "Copy the text under the cursor, as it was given", "yank(False)", ONE_CASE),
    Command("yank-case", NO_KEY, "Copy case", "Copy the whole case, as it was given", "yank(True)", ONE_CASE),
)
