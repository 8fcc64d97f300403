"""What a person can do on one case."""

from inspector.commands.command import Command

CASE: tuple[Command, ...] = (
    Command("next-case", "n", "Next", "The next case of the list", "turn(1)", ("case",), footer=True),
    Command("previous-case", "p", "Previous", "The case before", "turn(-1)", ("case",), footer=True),
    Command("overlay", "o", "Scorers", "Put up to eight scorers beside each other", "overlay", ("case",), footer=True),
    Command(
        "next-hit",
        "greater_than_sign",
        "Next hit",
        "To the next text that was searched for",
        "hit(1)",
        ("case",),
        shown_key=">",
    ),
    Command("previous-hit", "less_than_sign", "Hit before", "To the one before", "hit(-1)", ("case",), shown_key="<"),
    Command(
        "next-step",
        "j",
        "Next step",
        "The cursor to the next step; through long ones page by page",
        "step(1)",
        ("case",),
    ),
    Command("previous-step", "k", "Step back", "The cursor to the step before", "step(-1)", ("case",)),
    Command("first-step", "g", "Top", "To the problem", "end(False)", ("case",)),
    Command("last-step", "G", "Bottom", "To what stands last", "end(True)", ("case",)),
    Command(
        "turn-over",
        "enter",
        "Fold",
        "Fold or unfold what the cursor stands on; in an answer, go to the step that is named",
        "turn_over",
        ("case",),
    ),
    Command(
        "prefix", "F", "Fold prefix", "Fold the steps before the first that gold or a scorer names", "prefix", ("case",)
    ),
    Command("curve", "O", "Curves", "Rewards as curves against the steps", "curve", ("case",)),
    Command(
        "original", "D", "Original", "What was changed in the original, with both reward tracks", "original", ("case",)
    ),
    Command(
        "tokens", "X", "Tokens", "The tokens that the scorer is shown, and where it reads them", "tokens", ("case",)
    ),
    Command("facts", "I", "Facts", "Everything else that is known of the case", "facts", ("case",)),
    Command("yank", "y", "Copy", "Copy the text under the cursor, as it was given", "yank(False)", ("case",)),
    Command("yank-case", "Y", "Copy case", "Copy the whole case, as it was given", "yank(True)", ("case",)),
)
