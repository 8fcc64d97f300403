"""What a person can do with a critic's answers."""

from inspector.commands.command import Command

CRITIQUE: tuple[Command, ...] = (
    Command(
        "answers",
        "v",
        "Critique",
        "What a critic answered, beside the steps: open, go there, back",
        "critique",
        ("case",),
    ),
    Command(
        "next-vote",
        "right_square_bracket",
        "Next vote",
        "The next answer to this case",
        "vote(1)",
        ("case",),
        shown_key="]",
    ),
    Command(
        "previous-vote", "left_square_bracket", "Vote before", "The answer before", "vote(-1)", ("case",), shown_key="["
    ),
    Command("next-mention", "tab", "Next mention", "The next step that the answer names", "mention(1)", ("case",)),
    Command("previous-mention", "shift+tab", "Mention before", "The one before", "mention(-1)", ("case",)),
    Command(
        "choose-mention",
        "space",
        "Go to step",
        "To the step that is named; fold and unfold reasoning",
        "choose",
        ("case",),
        shown_key="Space",
    ),
    Command(
        "zoom-critique", "z", "Zoom critique", "The answers on the whole screen, or beside", "zoom_critique", ("case",)
    ),
    Command(
        "unparsed",
        "U",
        "Unparsed",
        "The cases whose answers could not be read or did not come",
        "unparsed",
        ("cases", "case"),
    ),
)
