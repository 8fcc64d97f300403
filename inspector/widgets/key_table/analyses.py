"""What a person can do to understand numbers: the screens of analysis, and what is known on all of them."""

from inspector.widgets.key_table.command import ANALYSES, METHOD, OPEN, PAGE, PAGE_BEFORE, Command, go, view

PAGED = ("compare", "thresholds", "paper", "breakdown", "best-of-n")
"""The screens of several pages."""

ANALYSIS: tuple[Command, ...] = (
    Command(
        "metrics",
        go("m"),
        "Metrics",
        "Every official metric of every scorer, by subset",
        "go('metrics')",
    ),
    Command(
        "highlights",
        go("o"),
        "What stands out",
        "What is furthest from the usual about a scorer, as far as its interval carries it",
        "go('highlights')",
    ),
    Command(
        "compare",
        go("c"),
        "Compare",
        "Scorers against each other: who is right where the other is wrong, and whether it is chance",
        "go('compare')",
    ),
    Command(
        "card",
        go("r"),
        "Card",
        "The protocol card: how this number came to be, and in what two differ",
        "go('card')",
    ),
    Command(
        "stats",
        go("s"),
        "Statistics",
        "The benchmark itself, without scorers: counts, lengths, where errors lie",
        "go('stats')",
    ),
    Command(
        "paper",
        go("p"),
        "Papers",
        "The tables of the benchmark's paper: here, published, difference",
        "go('paper')",
    ),
    Command(
        "common-cases",
        view("a"),
        "Common cases",
        "All figures on the cases that every scorer has, or each on its own again",
        "common",
        ("board", "card"),
    ),
    Command(
        "options",
        view("v"),
        "Options",
        "Choose what this page shows: columns, bins, a table and the like",
        "options",
        ANALYSES[:-1],
    ),
    Command(
        "thresholds",
        go("h"),
        "Thresholds",
        "What every threshold would give, ways to choose one, and histograms of the rewards behind it",
        "go('thresholds')",
    ),
    Command(
        "breakdown",
        go("d"),
        "Breakdown",
        "Where a scorer goes wrong: by any columns of the cases, kinds of errors, positions and steps",
        "go('breakdown')",
    ),
    Command(
        "bias", go("a"), "Bias", "Which way a scorer leans, and on which cases it is better or worse", "go('bias')"
    ),
    Command(
        "best-of-n",
        go("n"),
        "Best of N",
        "Of several responses to a problem, how often the one that a scorer prefers is right",
        "go('best-of-n')",
    ),
    Command("votes", go("v"), "Votes", "What a critic would have said with fewer votes", "go('votes')"),
    Command(
        "timeline",
        go("e"),
        "Timeline",
        "The checkpoints of a training run: what broke and what was mended between them",
        "go('timeline')",
    ),
    Command("swap", view("s"), "Swap", "The two scorers change places", "swap", ("compare", "breakdown")),
    Command(
        "rows",
        view("r"),
        "Rows",
        "Choose the column whose values are the rows",
        "option('rows')",
        ("breakdown",),
    ),
    Command(
        "across", view("c"), "Across", "Choose the column whose values stand above", "option('cols')", ("breakdown",)
    ),
    Command("figure", view("f"), "Figure", "Choose what stands in the cells", "option('figure')", ("breakdown",)),
    Command("bins", view("b"), "Bins", "How positions are put in bins", "option('preset')", ("breakdown",)),
    Command(
        "next-page",
        PAGE,
        "Next page",
        "The next page of this screen",
        "page(1)",
        PAGED,
        priority=True,
    ),
    Command(
        "page-before",
        PAGE_BEFORE,
        "Page before",
        "The page before",
        "page(-1)",
        PAGED,
        priority=True,
    ),
    Command("method", METHOD, "Method", "Explain how the figures of this page are computed", "method", ANALYSES),
    Command(
        "drill",
        OPEN,
        "Its cases",
        "Exactly the cases behind the number under the cursor",
        "drill",
        ANALYSES,
    ),
)
