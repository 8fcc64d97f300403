"""What other thresholds would give: the official figure at every one, the present one marked."""

from collections.abc import Iterator
from dataclasses import replace

from inspector.analyses.thresholds import curve_chart
from inspector.notes import first_run_notes
from inspector.render.view import Block, Bullets, Command, Fold, Note
from inspector.report.facts import OfBenchmark
from inspector.sentences import counted
from scoring.verdicts import Rule


def threshold_blocks(of: OfBenchmark) -> Iterator[Block]:
    """A curve a scorer whose threshold can be moved."""
    movable = [one for one in of.scorers if isinstance(one.rule, Rule)]
    charts = [
        replace(chart, title=f"{of.title} by threshold, {one.scorer.name}")
        for one in movable
        if (chart := curve_chart(of.alone, (one,), of.name)) is not None
    ]
    still = [one.scorer.name for one in of.scorers if not isinstance(one.rule, Rule)]
    if still:
        yield Note(f"No one threshold decides for {', '.join(still)}.", "quiet")
    if not charts:
        if not still:
            yield Note("There is no threshold to move.")
        return
    yield Note(
        f"{of.title} at every threshold. The best one is optimistic: it was found on the cases that the figure is of."
    )
    if notes := tuple(first_run_notes(of.selection)):
        yield Bullets(notes)
    yield charts[0]
    if charts[1:]:
        yield Fold(f"The same of {counted(len(charts) - 1, 'other scorer')}", tuple(charts[1:]))
    yield Command(of.selection.request.command("thresholds"))
