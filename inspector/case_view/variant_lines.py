"""Variants of a case as lines: that there are some, on the case's page; and one of them beside the case."""

from collections.abc import Iterator

from inspector.case_view.open_case import OpenCase
from inspector.case_view.original import pairs_of
from inspector.case_view.original_lines import Both, both_lines
from inspector.case_view.tracks import Track, track
from inspector.sentences import counted
from inspector.text import clean
from inspector.variant_track import Judged, Tried
from inspector.widgets.line_view import Line
from inspector.wrap import wrap

MOST = 3
"""Variants that are told on the case's page one by one."""


def variants_lines(shown: OpenCase) -> Iterator[Line]:
    """Say which variants a case has, the newest first; nothing where it has none."""
    there = shown.inspection.selection.workspace.variants
    found = there.of(shown.case["key"])[::-1] if there else ()
    if not found:
        return
    listed = [variant.words for variant in found[:MOST]]
    more = [f"{len(found) - MOST} more"] if len(found) > MOST else []
    told = f"{counted(len(found), 'variant')}: {'; '.join([*listed, *more])}"
    key = shown.manner.keys.of("what-if")
    for line in wrap(clean(f"{told} ({key} opens {'it' if len(found) == 1 else 'them'})"), shown.manner.width):
        yield Line([(line, "dim")])


def variant_lines(shown: OpenCase, tried: Tried) -> Iterator[Line]:
    """Lay out a case and a variant of it with their rewards, and the difference of each step."""
    problem = shown.texts["problem"]
    judged = tried.judged
    both = Both(
        shown,
        (problem, problem),
        tried.before,
        tuple(step.text for step in tried.steps),
        (_track(judged[0]), _track(judged[1])),
        tried.differences,
    )
    yield from both_lines(both, pairs_of(tried.before, tried.steps))


def _track(judged: Judged | None) -> Track | None:
    return None if judged is None else track(*judged, "")
