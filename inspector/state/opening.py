"""The first screen state of the app."""

import numpy as np
from msgspec.structs import replace

from inspector.state.focusing import best_scorer
from inspector.state.screen_state import Focus, ScreenState
from scoring.data.names import match_name
from scoring.metrics.baselines import is_baseline
from scoring.metrics.deciding import best_choice
from scoring.selection.result_set import ResultSet, found_in
from scoring.workspace.filtering.filters import Facet


def inspect(results: ResultSet) -> ScreenState:
    """Make an app's first value: the largest benchmark with a scorer, all cases, the scorer asked for or the best."""
    counts = results.cases["benchmark"].value_counts(sort=True)["benchmark"].to_list()
    scored = [
        name for name in counts if any(results.evaluation(scorer).coverage.covers(name) for scorer in results.chosen)
    ]
    benchmark = str((scored or counts or [""])[0])
    on_it = [name for name in results.chosen if results.evaluation(name).coverage.covers(benchmark)]
    query = results.query
    names = [name for name in results.cases["subset"].unique(maintain_order=True).to_list() if name]
    subsets = tuple(match_name(word, names, "subset") for word in query.subsets)
    base = (*([Facet("subset", subsets).sql] if subsets else []), *query.where)
    by_name = bool(query.scorers)
    search = found_in(results, np.ones(results.cases.height, dtype=np.bool_))
    # The board also shows baselines that only a condition names.
    there = any(is_baseline(evaluation.scorer) for evaluation in results.evaluations)
    query = replace(query, subsets=(), thresholds=_found(results), baselines=query.baselines or there)
    bare = replace(results, query=query, matches=search)
    start = ScreenState(bare, Focus(benchmark, on_it[0] if on_it else None), base=base, base_search=search)
    return start.focused(start.focus.scorer if by_name else best_scorer(start, on_it), benchmark)


def _found(results: ResultSet) -> tuple[tuple[str | None, str], ...]:
    """The thresholds asked for, with `best` as the number it was: other filters must not tune it again."""
    named = tuple(pair for pair in results.query.thresholds if not pair[1].startswith("best"))
    best = [(evaluation.scorer.name, best_choice(evaluation.rule)) for evaluation in results.evaluations]
    return (*named, *(pair for pair in best if pair[1]))
