"""The comparison: who stands where on common cases, and every pair with the best, as `compare` tells them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from inspector.analyses import Params
from inspector.analyses.compare import compare
from inspector.common_cases import best_first
from inspector.render.view import Block, Bullets, Command, Note, View
from inspector.report.facts import OfBenchmark
from inspector.selection import Selection


@dataclass(frozen=True, eq=False)
class Comparison:
    """The view of `compare`, or why there is none."""

    view: View | None
    reason: str = ""


def comparison_of(selection: Selection) -> Comparison:
    """The chosen scorers that have a verdict on the shown cases, compared; the best first unless some were named."""
    shown = selection.mask
    able = tuple(one.scorer.name for one in selection.chosen_evaluations if (one.answered & shown).any())
    if len(able) < 2:
        return Comparison(None, _alone(able))
    chosen = replace(selection, chosen=able)
    named = chosen if selection.request.scorers else best_first(chosen)
    # Named, so that no order is looked for again.
    request = replace(selection.request, scorers=named.chosen)
    return Comparison(compare.view(replace(named, request=request), Params()))


def _alone(able: Sequence[str]) -> str:
    """Why there is no comparison of the scorers that have a verdict."""
    told = f"{able[0]} is the only scorer with a verdict here" if able else "no scorer has a verdict here"
    return f"No comparison: it needs two scorers, and {told}."


def comparison_blocks(of: OfBenchmark, found: Comparison) -> Iterator[Block]:
    """The standings, what all make of a case together, and the pairs."""
    if found.view is None:
        yield Note(found.reason)
        return
    able = [one.scorer.name for one in of.scorers if (one.answered & of.rows).any()]
    section = next((section for section in found.view.sections if section.title == of.name), None)
    if len(able) < 2 or section is None:
        yield Note(_alone(able))
        return
    yield from section.blocks
    others = [f"{other.title}: " for other in found.view.sections if other is not section]
    notes = (note for note in found.view.provenance["notes"] if not note.startswith(tuple(others)))
    yield Bullets(tuple(note.removeprefix(f"{of.name}: ") for note in notes))
    yield Command(found.view.provenance["command"])
