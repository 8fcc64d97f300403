"""What a board's columns and marks mean: a sentence where the column cursor stands, and all of it under `?`."""

from collections.abc import Iterator

import polars as pl
from msgspec import Struct

from inspector.board import Ranks, Standings
from inspector.board_arrangement import Arrangement, meanings
from inspector.board_cells import BASELINE, BEST, PUBLISHED, TIED, BoardCells
from inspector.headline import F1, PRMSCORE
from inspector.sentences import GLYPHS, WORDS, counted

ALWAYS = ("exact", "early", "late", "missed", "clean", "false_alarm")
WHERE_PRESENT = ("refused", "unparsed")
EXPLAINED = {
    F1: "in percent, the harmonic mean of the accuracies on erroneous and on clean cases",
    PRMSCORE: "in percent, the mean of the F1s of right and of wrong steps, pooled",
}
ONE_METRIC = {
    ("on_wrong", F1): "accuracy on erroneous cases",
    ("on_wrong", PRMSCORE): "accuracy on wrong steps",
    ("on_right", F1): "accuracy on clean cases",
    ("on_right", PRMSCORE): "accuracy on right steps",
    ("bias", F1): "accuracy on clean minus on erroneous cases, all subsets together",
    ("bias", PRMSCORE): "accuracy on right minus on wrong steps",
}
"""Columns that mean more where rows are of both metrics."""
TEST = "paired bootstrap"


class Legend(Struct, frozen=True):
    """The legend of these rows of a board, as it is arranged.

    `known` is what is known of them beside each other, `seed` that of the intervals, and `cells` know the marks.
    """

    frame: pl.DataFrame
    how: Arrangement
    known: Standings
    seed: int
    cells: BoardCells

    def column(self, key: str) -> str:
        """Say what stands in a column."""
        made = {"scorer": self._scorer, "score": self._score, "outcomes": self._outcomes}
        words = made[key]() if key in made else self._meaning(key)
        if self.how.against and key in {"interval", "on_wrong", "on_right"}:
            return f"{words}, less that of {self.how.against}"
        return words

    def marks(self) -> Iterator[tuple[str, str]]:
        """Give the marks in the cells and what they mean."""
        if not self.how.against and any(one.kinds for one in self._ranks()):
            yield self.cells.mark(BEST), "the best"
            yield self.cells.mark(TIED), f"tied with it: the 95% interval of the difference holds 0 ({self._tests()})"
        if self._has(PUBLISHED):
            yield "( )", "as the paper prints it, of the whole benchmark; not computed here, and never ranked"

    @property
    def _metrics(self) -> tuple[str, ...]:
        return tuple(self.frame["metric"].unique().sort()) or (F1,)

    def _meaning(self, key: str) -> str:
        alone = (key, self._metrics[0]) if len(self._metrics) == 1 else ("", "")
        return ONE_METRIC.get(alone, meanings()[key][1])

    def _scorer(self) -> str:
        baselines = self.frame.filter(pl.col("kind") == BASELINE)["scorer"].unique(maintain_order=True)
        what = "baselines, which look at nothing and are never called the best"
        return f"its name; {', '.join(baselines)}: {what}" if baselines.len() else "its name"

    def _outcomes(self) -> str:
        names = (*ALWAYS, *(name for name in WHERE_PRESENT if self.frame[name].sum()))
        return "the share of each: " + ", ".join(f"{GLYPHS[name]} {WORDS[name]}" for name in names)

    def _score(self) -> str:
        metrics = self._metrics
        words = [EXPLAINED[metrics[0]]] if len(metrics) == 1 else [f"{one}, {EXPLAINED[one]}" for one in metrics]
        said = self._against() if self.how.against else self._standing()
        printed = self.frame.filter(pl.col("kind") == PUBLISHED).height
        in_brackets = [f"in brackets {counted(printed, 'figure')} as the paper prints them"] if printed else []
        return "; ".join((*words, *([said] if said else []), *in_brackets))

    def _standing(self) -> str:
        if self.known.busy:
            return "who is tied with the best is being computed"
        if not (ranks := self._ranks()):
            return ""
        if not any(one.kinds for one in ranks):
            return "nobody is the best: no two scorers have a score on cases that all of them tried"
        return f"{self.cells.mark(BEST)} the best, {self.cells.mark(TIED)} tied with it ({self._tests()})"

    def _ranks(self) -> list[Ranks]:
        shown = set(self.frame.select("benchmark", "subset").iter_rows())
        return [one for place, one in self.known.ranks.items() if place in shown]

    def _tests(self) -> str:
        """By which test, and on how many cases."""
        ranks = self._ranks()
        scorers = {one.scorers for one in ranks}
        whose = f"all {scorers.pop()} scorers" if len(scorers) == 1 else "all scorers of a row's group"
        return f"{TEST}, seed {self.seed}; {_range([one.n for one in ranks])} cases that {whose} tried"

    def _against(self) -> str:
        if self.known.busy:
            return f"differences to {self.how.against} are being computed"
        rows = set(self.frame["row"])
        sizes = [one.n for row, one in self.known.differences.items() if row in rows and one.n]
        cases = f"the {_range(sizes)} cases" if sizes else "the cases"
        return f"less that of {self.how.against}, on {cases} that both tried ({TEST}, seed {self.seed})"

    def _has(self, kind: str) -> bool:
        return bool((self.frame["kind"] == kind).any())


def _range(sizes: list[int]) -> str:
    low, high = min(sizes), max(sizes)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
