"""What a person can do on one case."""

from inspector.commands.command import ONE_CASE, Command

CASE: tuple[Command, ...] = (
    Command("next-case", "n", "Next", "The next case of the list", "turn(1)", ONE_CASE, footer=True),
    Command("previous-case", "p", "Previous", "The case before", "turn(-1)", ONE_CASE, footer=("triage",)),
    Command(
        "overlay", "o", "Scorers", "Put up to eight scorers beside each other", "overlay", ONE_CASE, footer=("case",)
    ),
    Command(
        "next-hit",
        "greater_than_sign",
        "Next hit",
        "To the next text that was searched for",
        "hit(1)",
        ONE_CASE,
        shown_key=">",
    ),
    Command("previous-hit", "less_than_sign", "Hit before", "To the one before", "hit(-1)", ONE_CASE, shown_key="<"),
    Command(
        "next-step",
        "j",
        "Next step",
        "The cursor to the next step; through long ones page by page",
        "step(1)",
        ONE_CASE,
    ),
    Command("previous-step", "k", "Step back", "The cursor to the step before", "step(-1)", ONE_CASE),
    Command("first-step", "g", "Top", "To the problem", "end(False)", ONE_CASE),
    Command("last-step", "G", "Bottom", "To what stands last", "end(True)", ONE_CASE),
    Command(
        "turn-over",
        "enter",
        "Fold",
        "Fold or unfold what the cursor stands on; in an answer, go to the step that is named",
        "turn_over",
        ONE_CASE,
    ),
    Command(
        "prefix", "F", "Fold prefix", "Fold the steps before the first that gold or a scorer names", "prefix", ONE_CASE
    ),
    Command("curve", "O", "Curves", "Rewards as curves against the steps", "curve", ONE_CASE),
    Command(
        "original", "D", "Original", "What was changed in the original, with both reward tracks", "original", ONE_CASE
    ),
    Command(
        "tokens", "X", "Tokens", "The tokens that the scorer is shown, and where it reads them", "tokens", ONE_CASE
    ),
    Command(
        "score-case",
        "S",
        "Score case",
        "Have this case judged: by a PRM or a critic of the workspace's, or by a checkpoint",
        "score_case",
        ONE_CASE,
    ),
    Command(
        "what-if",
        "W",
        "What if",
        "Change, insert, delete, swap and cut steps of a variant of this case, score it and see what differs",
        "what_if",
        ONE_CASE,
        footer=("case",),
    ),
    Command("facts", "I", "Facts", "Everything else that is known of the case", "facts", ONE_CASE),
    Command("yank", "y", "Copy", "Copy the text under the cursor, as it was given", "yank(False)", ONE_CASE),
    Command("yank-case", "Y", "Copy case", "Copy the whole case, as it was given", "yank(True)", ONE_CASE),
)
