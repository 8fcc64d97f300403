"""What of a filter is about the data, and not about what scorers made of it."""

from scoring.evaluation.evaluated_cases import EvaluatedCases
from scoring.workspace.filtering.condition_expressions import columns_read
from scoring.workspace.filtering.filters import Filter


def without_scorers(chosen: Filter, cases: EvaluatedCases) -> Filter:
    """Return a filter less its conditions on outcomes, and on whatever else scorers made of the cases."""
    of_scorers = cases.said_by_scorers
    facets = tuple(facet for facet in chosen.facets if not of_scorers(facet.column))
    return Filter(facets, tuple(text for text in chosen.where if not any(map(of_scorers, columns_read(text)))))
