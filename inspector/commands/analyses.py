"""What a person can do to understand numbers: the screens of analysis, and what is known on all of them."""

from inspector.commands.command import ANALYSES, Command

PAGED = ("compare", "thresholds")
"""The screens of several pages."""

ANALYSIS: tuple[Command, ...] = (
    Command(
        "compare",
        "c",
        "Compare",
        "Scorers against each other: who is right where the other is wrong, and whether it is chance",
        "go('compare')",
        footer=True,
    ),
    Command(
        "card",
        "i",
        "Card",
        "The protocol card: how this number came to be, and in what two differ",
        "go('card')",
    ),
    Command(
        "common-cases",
        "equals_sign",
        "Common cases",
        "All figures on the cases that every scorer has, or each on its own again",
        "common",
        ("board", "card"),
        shown_key="=",
    ),
    Command(
        "compare-with",
        "o",
        "Other",
        "Choose the scorer to compare with",
        "other",
        ("compare", "card"),
        footer=True,
    ),
    Command(
        "thresholds",
        "H",
        "Thresholds",
        "What every threshold would give, ways to choose one, and histograms of the rewards behind it",
        "go('thresholds')",
    ),
    Command(
        "curves",
        "o",
        "Others",
        "Choose up to seven scorers whose curves stand beside this one's",
        "curves",
        ("thresholds",),
        footer=True,
    ),
    Command("swap", "x", "Swap", "The two scorers change places", "swap", ("compare",)),
    Command(
        "next-page",
        "tab",
        "Next page",
        "The next page of this screen",
        "page(1)",
        PAGED,
        footer=True,
        shown_key="Tab",
        priority=True,
    ),
    Command(
        "page-before",
        "shift+tab",
        "Page before",
        "The page before",
        "page(-1)",
        PAGED,
        shown_key="Shift+Tab",
        priority=True,
    ),
    Command(
        "drill",
        "enter",
        "Its cases",
        "Exactly the cases behind the number under the cursor",
        "drill",
        ANALYSES,
        footer=True,
        shown_key="Enter",
    ),
)
