"""What people said of the case: rulings, ratings of its steps, tags, categories and notes; and what they tried."""

from collections.abc import Iterator, Mapping

from inspector.case_view.open_case import OpenCase
from inspector.case_view.prose import paragraph
from inspector.sentences import counted
from inspector.text import clean
from inspector.triage.own_words import own_note, own_tags
from inspector.widgets.line_view import Line
from inspector.wrap import wrap
from scoring.triage.words import words_of

MOST_VARIANTS = 3
"""Variants that are told one by one."""


def said_lines(shown: OpenCase) -> Iterator[Line]:
    """A line or more for each of them, notes below; nothing where there are none.

    While labels are hidden, so is what others said: who decides should not be told how.
    """
    journal, case, manner = shown.inspection.selection.journal, shown.case["case"], shown.manner
    if journal is None:
        return
    me, triage = journal.author.who, journal.triage
    ratings = {who: _ratings(of) for who, of in triage.ratings.get(case, {}).items()}
    tags, note = (
        (own_tags(journal, case), own_note(journal, case))
        if manner.blind
        else (triage.tags.get(case, ()), triage.note(case))
    )
    for name, said in (
        ("Ruling", _by_whom(triage.rulings.get(case, {}), me, alone=manner.blind)),
        ("Rated", _by_whom(ratings, me, alone=manner.blind)),
        ("", _outdated(shown, alone=manner.blind)),
        ("Category", _by_whom(triage.categories.get(case, {}), me, alone=manner.blind)),
        ("Tags", ", ".join(tags)),
    ):
        if said:
            for line in wrap(clean(f"{name}  {said}" if name else said), manner.width):
                yield Line([(line, "strong")])
    if note:
        yield from paragraph("Note  ", "strong", note, manner, scope="notes")


def kept_variants_lines(shown: OpenCase) -> Iterator[Line]:
    """Say which variants a case has, the newest first; nothing where it has none."""
    there = shown.inspection.selection.workspace.variants
    found = there.of(shown.case["key"])[::-1] if there else ()
    if not found:
        return
    listed = [variant.words for variant in found[:MOST_VARIANTS]]
    more = [f"{len(found) - MOST_VARIANTS} more"] if len(found) > MOST_VARIANTS else []
    told = f"{counted(len(found), 'variant')}: {'; '.join([*listed, *more])}"
    key = shown.manner.keys.of("what-if")
    for line in wrap(clean(f"{told} ({key} opens {'it' if len(found) == 1 else 'them'})"), shown.manner.width):
        yield Line([(line, "dim")])


def _outdated(shown: OpenCase, *, alone: bool) -> str:
    """Whose ruling or ratings do not count since the case has another text; with `alone`, whether mine."""
    journal, case = shown.inspection.selection.journal, shown.case
    said = () if journal is None else words_of(case["case"], journal.of_case(case["case"]))
    me = "" if journal is None else journal.author.who
    late = [one.who for one in said if one.of(case["key"]).outdated and (one.who == me or not alone)]
    return f"Of another text of this case, and so without effect: {', '.join(late)}" if late else ""


def _by_whom(said: Mapping[str, str], me: str, *, alone: bool) -> str:
    """What each person said, by name where it is not me alone; with `alone`, what I said."""
    if set(said) <= {me} or alone:
        return said.get(me, "")
    return "; ".join(f"{who}: {said[who]}" for who in sorted(said))


def _ratings(steps: Mapping[int, int]) -> str:
    return ", ".join(f"step {step} {rating:+d}" if rating else f"step {step} 0" for step, rating in steps.items())
