"""Views of result sets, for tests: an analysis with a page each, asked as a command asks it."""

from msgspec.structs import replace

from inspector.analyses import Params
from inspector.analyses.agreement.agreement import agreement
from inspector.analyses.breakdown.breakdown import breakdown
from inspector.analyses.card.card import card
from inspector.analyses.cases import cases
from inspector.analyses.compare.compare import compare
from inspector.analyses.contested.contested import contested
from inspector.analyses.metrics.metrics import metrics
from inspector.analyses.show.show import show
from inspector.analyses.taxonomy import taxonomy
from inspector.analyses.thresholds.thresholds import thresholds
from inspector.analyses.triage import triage
from inspector.render.blocks import CaseBlock, Panel
from inspector.render.cells import plain_text
from inspector.render.charts.glyphs import Glyphs
from inspector.render.lines import Sheet, text_of
from inspector.render.table_blocks import Table
from inspector.render.terminal import Terminal
from inspector.state.subject import subject


def agreement_view(results, page="", form=""):
    return agreement.view(results, Params(page, form=form))


def metrics_view(results, form=""):
    return metrics.view(results, Params(form=form))


def compare_view(results, form=""):
    return compare.view(results, Params(form=form))


def contested_view(results, form=""):
    return contested.view(results, Params(form=form))


def pairs_view(results, form=""):
    return compare.view(results, Params("pairs", form=form))


def sets_view(results, form=""):
    return compare.view(results, Params("upset", form=form))


def cascade_view(results, form=""):
    return compare.view(results, Params("cascade", form=form))


def card_view(results, *names, form=""):
    """The card of a scorer, or of two beside each other, as the command asks for it."""
    return card.view(replace(results, query=replace(results.query, scorers=names)), Params(form=form))


def thresholds_view(results, form=""):
    return thresholds.view(results, Params(form=form))


def curve_view(results, points=None, form=""):
    return thresholds.view(results, Params("curve", {"curve": points}, form))


def flips_view(results, before, after, form=""):
    return thresholds.view(results, Params("flips", {"flips": (before, after)}, form))


def breakdown_view(results, told=None, form="", *, page=""):
    return breakdown.view(results, Params(page, told or {}, form))


def cases_view(results, form=""):
    return cases.view(results, Params(form=form))


def taxonomy_view(results, page="", who="", form=""):
    return taxonomy.view(results, Params(page, {"who": who} if who else {}, form))


def triage_view(results, form="", **options):
    """What people said: told `who`, `gone` or `case`, as the command is."""
    return triage.view(results, Params("", options, form))


def show_view(results, row, form="", *, page="", **options):
    """The case with this row id."""
    case = results.cases["case"][row]
    return show.view(results, Params(page, {"case": case, **options}, form))


# -- as a screen shows them


def page_view(analysis, state, page, names, *, intervals=True):
    """The view of a page about some scorers, on the slice of a screen state."""
    return analysis.view(subject(state, names), Params(page), intervals=intervals)


def page_sheet(view, size=(100, 40), *, ascii_only=False):
    """The lines of a view in a pane of so many cells and lines."""
    terminal = Terminal(size[0], Glyphs(ascii_only), size[1])
    return Sheet(tuple(terminal.sections(view.sections, title=False)))


def lines_of(view, size=(100, 40), *, ascii_only=False):
    return [text_of(row) for row in page_sheet(view, size, ascii_only=ascii_only).lines]


def words_of(view, size=(100, 40)):
    """All that a view says on one line."""
    return " ".join(" ".join(lines_of(view, size)).split())


def case_of(view):
    """The case that a view is of."""
    return next(block for block in view.blocks() if isinstance(block, CaseBlock))


def panels_of(view):
    """Return the lines of the first table of each panel, by panel title."""
    panels = [block for section in view.sections for block in section.blocks if isinstance(block, Panel)]
    return {
        panel.title: _lines(next(block for block in panel.blocks if isinstance(block, Table)))
        for panel in panels
        if any(isinstance(block, Table) for block in panel.blocks)
    }


def table_of(view, title=""):
    """The lines of the first table whose title begins so, as texts by the titles of their columns."""
    return _lines(next(block for block in view.blocks() if isinstance(block, Table) and block.title.startswith(title)))


def _lines(table):
    names = [column.title for column in table.columns]
    return [dict(zip(names, map(plain_text, row), strict=True)) for row in table.rows]
