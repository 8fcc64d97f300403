"""The queue of cases whose answers could not be read or did not come."""

from msgspec.structs import replace

from inspector.screens.reading import ReadingScreen
from inspector.sentences import counted
from inspector.text import clean
from scoring.filters import Facet

UNREAD = ("unparsed", "refused")
"""The outcomes of cases for which a scorer was asked and has no verdict."""


class UnparsedScreen(ReadingScreen):
    """A screen from which one gets to the cases without a verdict of the scorer in focus."""

    def action_unparsed(self) -> None:
        """Show these cases and no others; from there, what was shown before less any condition on outcomes."""
        inspection = self.inspection
        if inspection is None or inspection.evaluation is None:
            self.notify("There is no scorer whose answers could be unparsed.", markup=False)
            return
        column = inspection.outcome_column
        facets = tuple(facet for facet in inspection.filter.facets if facet.column != column)
        queue = Facet(column, UNREAD)
        self.close_rail()
        if queue in inspection.filter.facets:
            self.put(inspection.filtered(replace(inspection.filter, facets=facets)))
            return
        found = inspection.filtered(replace(inspection.filter, facets=(*facets, queue)))
        if not found.shown.size:
            name = inspection.evaluation.scorer.name
            self.notify(clean(f"No case here is unparsed or refused by {name}."), markup=False)
            return
        self.put(found)
        others = f"{self.keys.of('unparsed')} shows the others again"
        self.notify(f"{counted(found.shown.size, 'case')} unparsed or refused; {others}.", markup=False)
