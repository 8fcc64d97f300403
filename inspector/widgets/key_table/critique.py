"""What a person can do with a critic's answers."""

from inspector.widgets.key_table.command import LEFT, ONE_CASE, OPEN, PANE, PANE_BEFORE, RIGHT, Command, view

CRITIQUE: tuple[Command, ...] = (
    Command(
        "answers",
        view("c"),
        "Critique",
        "What a critic answered, beside the steps: open, go there, back",
        "critique",
        ONE_CASE,
    ),
    Command(
        "next-vote",
        RIGHT,
        "Next vote",
        "The next answer to this case",
        "vote(1)",
        (),
        in_answers=True,
    ),
    Command(
        "previous-vote",
        LEFT,
        "Vote before",
        "The answer before",
        "vote(-1)",
        (),
        in_answers=True,
    ),
    Command(
        "next-mention",
        PANE,
        "Next mention",
        "The next step that the answer names; after the last one, the next pane",
        "mention(1)",
        (),
        in_answers=True,
    ),
    Command("previous-mention", PANE_BEFORE, "Mention before", "The one before", "mention(-1)", (), in_answers=True),
    Command(
        "choose-mention",
        OPEN,
        "Go to step",
        "To the step that is named; fold and unfold reasoning",
        "choose",
        (),
        in_answers=True,
    ),
    Command(
        "zoom-critique",
        view("z"),
        "Zoom critique",
        "The answers on the whole screen, or beside",
        "zoom_critique",
        ONE_CASE,
        in_answers=True,
    ),
    Command(
        "unparsed",
        view("u"),
        "Unparsed",
        "The cases whose answers could not be read or did not come",
        "unparsed",
        ("cases", "case"),
    ),
)
