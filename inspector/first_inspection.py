"""What an app that was opened on a selection shows first."""

import numpy as np
from msgspec.structs import replace

from inspector.best_scorer import best_scorer
from inspector.filtering.searching import found_in
from inspector.inspection import Inspection
from inspector.selection import Selection
from scoring.deciding import OPTIMISTIC
from scoring.filters import Facet
from scoring.names import match_name


def inspect(selection: Selection) -> Inspection:
    """The first value of an app: the largest benchmark with a scorer, all cases, the scorer asked for or the best."""
    counts = selection.cases["benchmark"].value_counts(sort=True)["benchmark"].to_list()
    scored = [name for name in counts if any(selection.evaluation(one).covers(name) for one in selection.chosen)]
    benchmark = str((scored or counts or [""])[0])
    on_it = [name for name in selection.chosen if selection.evaluation(name).covers(benchmark)]
    request = selection.request
    names = [name for name in selection.cases["subset"].unique(maintain_order=True).to_list() if name]
    subsets = tuple(match_name(word, names, "subset") for word in request.subsets)
    base = (*([Facet("subset", subsets).sql] if subsets else []), *request.where)
    by_name = bool(request.scorers)
    found = found_in(selection, np.ones(selection.height, dtype=np.bool_))
    request = replace(request, subsets=(), thresholds=_found(selection))
    bare = replace(selection, request=request, found=found)
    start = Inspection(bare, benchmark, on_it[0] if on_it else None, base=base, base_search=found)
    return start.focused(start.scorer if by_name else best_scorer(start, on_it), benchmark)


def _found(selection: Selection) -> tuple[tuple[str | None, str], ...]:
    """The thresholds asked for, with `best` as the number it was: other filters must not tune it again."""
    asked = tuple(pair for pair in selection.request.thresholds if pair[1] != "best")
    tuned = [one for one in selection.evaluations if one.rule.source == OPTIMISTIC]
    return (*asked, *((one.scorer.name, f"best:{one.rule.threshold!r}") for one in tuned))
