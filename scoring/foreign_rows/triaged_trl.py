"""People's ratings of steps as stepwise supervision for TRL: `prompt, completions, labels`, true where a step is right.

Source: as `scoring.foreign_rows.trl`. There is no label for "unknown": a row ends with the last step that is rated, and
a case with a gap before that is left out. A neutral step is no wrong one, as in PRM800K and as in labels after triage;
TRL's own conversion of PRM800K makes it false.
"""

from collections.abc import Mapping
from typing import Any

from scoring.foreign_rows.judged import Judged, ratings_of
from scoring.foreign_rows.line import Line, left_out


def line(case: Mapping[str, Any], of: Judged) -> Line:
    """The row of one case (a row of `scoring.schema.CASES`)."""
    ratings = ratings_of(case, of)
    if isinstance(ratings, Line):
        return ratings
    kept = max(ratings) + 1
    if len(ratings) < kept:
        return left_out("a step before the last rated one has no rating")
    row = {
        "prompt": case["problem"],
        "completions": case["steps"][:kept],
        "labels": [ratings[step] != -1 for step in range(kept)],
    }
    counts = {
        "steps left out, after the last that is rated": len(case["steps"]) - kept,
        "neutral steps, called right (TRL's own conversion of PRM800K calls them wrong)": [*ratings.values()].count(0),
    }
    return Line(row, tuple((words, count) for words, count in counts.items() if count))
