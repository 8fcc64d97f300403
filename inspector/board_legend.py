"""What a board's marks, columns and rows mean, in lines below it."""

from collections.abc import Iterator

import polars as pl

from inspector.board_arrangement import Arrangement
from inspector.board_cells import BASELINE, BEST, PUBLISHED, TIED, BoardCells
from inspector.board_standings import Standings
from inspector.headline import F1, PRMSCORE
from inspector.sentences import GLYPHS, WORDS, counted
from inspector.wrap import wrap

ALWAYS = ("exact", "early", "late", "missed", "clean", "false_alarm")
WHERE_PRESENT = ("refused", "unparsed")
EXPLAINED = {
    F1: "F1 in percent: harmonic mean of the accuracies on erroneous and on clean cases",
    PRMSCORE: "PRMScore in percent: mean of the F1s of right and of wrong steps, pooled",
}
SIDES = "on wrong, on right: accuracy on wrong and on right steps"
BOTH_SIDES = "on wrong, on right: accuracy on such cases (F1) or on such steps (PRMScore)"
BIAS = {
    (F1,): "bias: accuracy on clean minus on erroneous cases, all subsets together",
    (PRMSCORE,): "bias: accuracy on right minus on wrong steps",
}
BOTH_BIASES = "bias: accuracy on what is right minus on what is wrong, all subsets together"
LEGEND_WIDTH = 78
TEST = "paired bootstrap"


def legend(
    frame: pl.DataFrame,
    columns: tuple[str, ...] = (),
    how: Arrangement | None = None,
    known: Standings | None = None,
    seed: int = 0,
    cells: BoardCells | None = None,
    width: int = LEGEND_WIDTH,
) -> str:
    """The outcomes' glyphs with their words, what the metrics are, and what marks and rows mean, as lines.

    Args:
        frame: the rows of the board.
        columns: the keys of the columns on screen.
        how: how it is arranged.
        known: what is known of the rows beside each other.
        seed: of the intervals.
        cells: knows the marks.
        width: cells of a line.
    """
    names = [*ALWAYS, *(name for name in WHERE_PRESENT if frame[name].sum())]
    words = [f"{GLYPHS[name]} {WORDS[name]}" for name in names]
    line = "  ".join(words)
    if len(line) > LEGEND_WIDTH:
        line = "  ".join(words[:-1]) + "\n" + words[-1]
    metrics = tuple(frame["metric"].unique().sort()) or (F1,)
    sides = {(PRMSCORE,): SIDES, (F1, PRMSCORE): BOTH_SIDES}.get(metrics)
    said = [*(EXPLAINED[metric] for metric in metrics), *([sides] if sides else [])]
    if how is not None and how.against:
        said.append(_against(frame, known or Standings(), how, seed))
    elif known is not None and cells is not None:
        said += _standing(frame, known, seed, cells)
    said += [BIAS.get(metrics, BOTH_BIASES)] if "bias" in columns else []
    said += _kinds(frame)
    return "\n".join([line, *(part for text in said for part in wrap(text, max(width, LEGEND_WIDTH)))])


def _standing(frame: pl.DataFrame, known: Standings, seed: int, cells: BoardCells) -> Iterator[str]:
    """What the marks mean, and on how many cases that was found."""
    if known.busy:
        yield "Who is tied with the best is being computed."
        return
    shown = set(frame.select("benchmark", "subset").iter_rows())
    found = [one for place, one in known.ranks.items() if place in shown]
    if not found:
        return
    if not any(one.kinds for one in found):
        yield "Nobody is the best: no two scorers have a score on cases that all of them tried."
        return
    sizes = sorted({one.n for one in found})
    told = f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,}"
    scorers = {one.scorers for one in found}
    whose = f"all {scorers.pop()} scorers" if len(scorers) == 1 else "all scorers of a row's group"
    yield (
        f"{cells.mark(BEST)} the best, {cells.mark(TIED)} tied with it: the 95% interval of the difference holds 0 "
        f"({TEST}, seed {seed}; {told} cases that {whose} tried)"
    )


def _against(frame: pl.DataFrame, known: Standings, how: Arrangement, seed: int) -> str:
    """What the differences are, and on how many cases."""
    if known.busy:
        return f"Differences to {how.against} are being computed."
    rows = set(frame["row"])
    sizes = sorted({one.n for row, one in known.differences.items() if row in rows and one.n})
    told = "" if not sizes else f" {sizes[0]:,}" if len(sizes) == 1 else f" {sizes[0]:,} to {sizes[-1]:,}"
    return (
        f"Scores, intervals and accuracies are those of a row less those of {how.against}, on the{told} cases that "
        f"both tried ({TEST}, seed {seed}); the other columns are each scorer's own"
    )


def _kinds(frame: pl.DataFrame) -> Iterator[str]:
    """What rows are that are no scorer's of this workspace."""
    there = set(frame["kind"])
    if BASELINE in there:
        told = ", ".join(frame.filter(pl.col("kind") == BASELINE)["scorer"].unique(maintain_order=True))
        yield f"{told}: baselines that look at nothing; none is ever called the best"
    if PUBLISHED in there:
        n = frame.filter(pl.col("kind") == PUBLISHED).height
        printed = f"{counted(n, 'figure')} as the paper prints them, of the whole benchmark"
        yield f"in brackets, published: {printed}; not computed here, and never ranked"
