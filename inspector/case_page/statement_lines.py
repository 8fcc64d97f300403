"""What people said of a case: rulings, ratings of its steps, tags, categories and notes; and what they tried."""

from collections.abc import Iterator, Mapping

from inspector.case_page.open_case import OpenCase
from inspector.case_page.prose import paragraph
from inspector.render.texts.sentences import counted
from inspector.render.texts.text import clean
from inspector.render.texts.wrap import wrap
from inspector.state.triage.annotations import own_note, own_tags
from inspector.widgets.line_view import Line
from scoring.workspace.triage.annotations import words_of

MOST_VARIANTS = 3
"""Variants that are told one by one."""


def said_lines(case: OpenCase) -> Iterator[Line]:
    """Yield one or more lines for each statement, notes last."""
    for name, words in statements(case):
        if name == "Note":
            yield from paragraph("Note  ", "strong", words, case.display, scope="notes")
            continue
        for line in wrap(clean(f"{name}  {words}" if name else words), case.display.width):
            yield Line([(line, "strong")])


def statements(case: OpenCase) -> list[tuple[str, str]]:
    """Return human annotations by name, the note last; superseded rulings have no name.

    While labels are hidden, so are the annotations of other people, to keep rulings independent.
    """
    journal, case_name, display = case.state.results.labels.journal, case.case["case"], case.display
    if journal is None:
        return []
    me, triage = journal.author.who, journal.triage
    ratings = {who: _ratings(of) for who, of in triage.ratings.get(case_name, {}).items()}
    tags, note = (
        (own_tags(journal, case_name), own_note(journal, case_name))
        if display.blind
        else (triage.tags.get(case_name, ()), triage.note(case_name))
    )
    every = (
        ("Ruling", _by_whom(triage.rulings.get(case_name, {}), me, alone=display.blind)),
        ("Rated", _by_whom(ratings, me, alone=display.blind)),
        ("", _outdated(case, alone=display.blind)),
        ("Category", _by_whom(triage.categories.get(case_name, {}), me, alone=display.blind)),
        ("Tags", ", ".join(tags)),
        ("Note", note),
    )
    return [(name, words) for name, words in every if words]


def kept_variants_lines(case: OpenCase) -> Iterator[Line]:
    """Yield which variants a case has, the newest first; nothing where it has none."""
    there = case.state.results.loaded.workspace.variants
    variants = there.of(case.case["key"])[::-1] if there else ()
    if not variants:
        return
    listed = [variant.words for variant in variants[:MOST_VARIANTS]]
    more = [f"{len(variants) - MOST_VARIANTS} more"] if len(variants) > MOST_VARIANTS else []
    words = f"{counted(len(variants), 'variant')}: {'; '.join([*listed, *more])}"
    key = case.display.keys.of("what-if")
    for line in wrap(clean(f"{words} ({key} opens {'it' if len(variants) == 1 else 'them'})"), case.display.width):
        yield Line([(line, "dim")])


def _outdated(case: OpenCase, *, alone: bool) -> str:
    """Whose ruling or ratings do not count since the case has another text; with `alone`, whether mine."""
    journal, record = case.state.results.labels.journal, case.case
    statements = () if journal is None else words_of(record["case"], journal.of_case(record["case"]))
    me = "" if journal is None else journal.author.who
    late = [
        statement.who
        for statement in statements
        if statement.of(record["key"]).outdated and (statement.who == me or not alone)
    ]
    return f"Of another text of this case, and so without effect: {', '.join(late)}" if late else ""


def _by_whom(words: Mapping[str, str], me: str, *, alone: bool) -> str:
    """What each person said, by name where it is not me alone; with `alone`, what I said."""
    if set(words) <= {me} or alone:
        return words.get(me, "")
    return "; ".join(f"{who}: {words[who]}" for who in sorted(words))


def _ratings(steps: Mapping[int, int]) -> str:
    return ", ".join(f"step {step} {rating:+d}" if rating else f"step {step} 0" for step, rating in steps.items())
