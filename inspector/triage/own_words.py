"""What whoever is at work said of a case: all that they are shown of what people said, while labels are hidden."""

from scoring.triage.journal import Journal
from scoring.triage.words import words_of


def own_tags(journal: Journal, case: str) -> tuple[str, ...]:
    """The tags on a case that the author of the journal put there, in alphabetical order."""
    said = words_of(case, journal.of_case(case))
    there = journal.triage.tags.get(case, ())
    return tuple(tag for one in said if one.who == journal.author.who for tag in one.tags if tag in there)


def own_note(journal: Journal, case: str) -> str:
    """The author's note on a case, "" where there is none."""
    return journal.triage.notes.get(case, {}).get(journal.author.who, "")
