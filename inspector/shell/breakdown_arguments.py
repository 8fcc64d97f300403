"""The flags of `breakdown`, without anything of weight."""

import argparse

OF = ("cells", "offset", "position", "step_position", "aligned", "rewards", "reliability", "length")
PRESETS = ("processbench", "prmbench", "prmbench-figure4", "socratic", "relative")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags that say what is broken down, and by what."""
    parser.add_argument("--rows", default="", metavar="COL", help="a column of cases, or steps, position (in bins)")
    parser.add_argument("--cols", default="", metavar="COL", help="a second one")
    of = (
        "offset (verdict minus gold), position (of errors), step_position (accuracy by step), aligned (rewards around "
        "the earliest error), rewards (histograms by gold class), reliability (reward against share right), length"
    )
    parser.add_argument("--of", choices=OF, default="cells", help=f"instead of the cells of a table: {of}")
    bins = "how positions are put in bins: as a paper's figure has them, or relative to the length"
    parser.add_argument("--preset", choices=PRESETS, default="", help=bins)
    parser.add_argument(
        "--errors", choices=("first", "all"), default="", help="positions of the first errors or of all"
    )
    difference = "the first of two scorers less the second, on the cases of both"
    parser.add_argument("--difference", action="store_true", help=difference)
