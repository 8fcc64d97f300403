"""DeltaBench's figures: how well the sections named as wrong agree with those listed.

He et al., arXiv 2502.19361; `parse_output` and `calculate_accuracies_v2` of `evaluation.py` in
OpenStellarTeam/DeltaBench. To be found are the sections listed as wrong or as unuseful. What is named beyond the last
of them is dropped first, as nobody labelled what comes after it: late false alarms cost nothing. Precision, recall and
F1 are made of each row, 0 where they are undefined; the macro figures are their means over rows, the micro ones are
made of sums over all rows. By `task_l1`, which is the subset here.

A row that lists no section has no such figures: the authors' code fails on it and leaves it out. So it does with an
answer that is empty.

Macro F1 leads: each row weighs the same in it, and precision or recall alone rewards naming little or much.
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from scoring.data.schema import Bools, Floats
from scoring.metrics.kernel import CasesOf, Decided, Sums, Unparsed, harmonic, share
from scoring.metrics.outcome_conditions import SIDES
from scoring.metrics.own import OwnMetric
from scoring.workspace.filtering.sql_words import named

NAMES = ("f1_macro", "precision_macro", "recall_macro", "f1_micro", "precision_micro", "recall_micro")
"""In the order in which they are reported, before the figures of first errors."""

_COUNTS = ("precision", "recall", "f1", "hits", "named", "listed", "rows")
"""What a case contributes; a figure has those of them that it is made of."""


def section_figures(*, official: bool) -> tuple[OwnMetric, ...]:
    """Return NAMES as metrics of the rows that list a section and whose steps are judged one by one.

    Args:
        official: micro figures with an empty denominator are 0, as in the authors' code; else they are undefined.
    """

    def micro(score: Callable[[Sums], Floats]) -> Callable[[Sums], Floats]:
        def made(sums: Sums) -> Floats:
            figure = score(sums)
            return np.where(np.isnan(figure) & (sums["rows"] > 0), 0.0, figure) if official else figure

        return made

    return (
        _figure("f1_macro", "macro F1", lambda sums: share(sums["f1"], sums["rows"])),
        _figure("precision_macro", "macro precision", lambda sums: share(sums["precision"], sums["rows"])),
        _figure("recall_macro", "macro recall", lambda sums: share(sums["recall"], sums["rows"])),
        _figure("f1_micro", "micro F1", micro(lambda sums: harmonic(_precision(sums), _recall(sums)))),
        _figure("precision_micro", "micro precision", micro(_precision)),
        _figure("recall_micro", "micro recall", micro(_recall)),
    )


def _figure(name: str, title: str, score: Callable[[Sums], Floats]) -> OwnMetric:
    averaged, word = title.split()
    over = f"the mean over cases of the {word} of" if averaged == "macro" else f"the {word} of all"
    about = f"{over} sections named, up to the last one listed, of cases that list one"
    counts = (word.lower(), "rows") if averaged == "macro" else ("hits", "named", "listed", "rows")
    places = [_COUNTS.index(count) for count in counts]
    contribute = partial(_contributions, places=places)
    return OwnMetric(name, title, counts, contribute, score, "rows", reason=_why, cases=_CASES, about=about)


def _why(sums: Sums) -> str:
    if not sums["rows"]:
        return "no case that lists a wrong section was judged step by step"
    return "no listed section was named" if sums["named"] else "no section was named up to the last one listed"


def _precision(sums: Sums) -> Floats:
    return share(sums["hits"], sums["named"])


def _recall(sums: Sums) -> Floats:
    return share(sums["hits"], sums["listed"])


def members(decided: Decided) -> Bools:
    """Find the cases that list a section and whose sections are judged one by one. Shape (n,)."""
    listing = np.zeros(decided.gold.n_steps.size, dtype=np.bool_)
    listing[decided.gold.listed_sections[0]] = True
    mask: Bools = listing & decided.evaluation.judged_steps.rows
    return mask


def _judged(scorer: str, unparsed: Unparsed) -> tuple[str, ...]:  # noqa: ARG001  # an answer that cannot be read judges no section
    return SIDES["erroneous"], f"{named(f'{scorer}.step_accuracy')} IS NOT NULL"


_CASES = CasesOf(members, _judged, "cases whose steps the figure counts")


def _contributions(decided: Decided, places: Sequence[int]) -> Floats:
    """What each case contributes of _COUNTS, by their places, (n, k)."""
    judged, n = decided.evaluation.judged_steps, decided.gold.n_steps.size
    inside = members(decided)
    row, section = decided.gold.listed_sections
    last = np.full(n, -1)
    np.maximum.at(last, row, section)
    # A section beyond the last step may be listed, and named.
    cases = np.concatenate([judged.cases[judged.wrong], judged.beyond.cases[judged.beyond.values]])
    steps = np.concatenate([judged.steps[judged.wrong], judged.beyond.steps[judged.beyond.values]])
    kept = steps <= last[cases]
    cases, steps = cases[kept], steps[kept]
    width = 2 + int(max(last.max(initial=0), steps.max(initial=0)))
    hit = np.isin(width * cases + steps, width * row + section)
    hits, named, listed = (np.bincount(of, minlength=n) * inside for of in (cases[hit], cases, row))
    precision, recall = (np.nan_to_num(share(hits, of)) for of in (named, listed))
    f1 = np.nan_to_num(harmonic(precision, recall))
    every = (precision, recall, f1, hits, named, listed, inside)
    return np.column_stack([every[place] for place in places]).astype(np.float64)


FIGURES = section_figures(official=False)
AS_OFFICIAL = section_figures(official=True)
