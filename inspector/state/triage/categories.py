"""Categories of notes: found by what is typed, and changed by a person for their own notes, as one batch each."""

from collections.abc import Sequence

from msgspec import Struct

from inspector.render.texts.sentences import counted
from inspector.render.texts.text import clean
from inspector.state.triage.gathered_notes import GatheredNotes, named_categories
from scoring.data.errors import UsageError
from scoring.data.names import match_name
from scoring.workspace.triage.actions import JournalChange
from scoring.workspace.triage.case_notes import CaseNote, in_category, sorting


class CategoryChange(Struct, frozen=True):
    """What is to be done (`Journal.do`), [] where all is as it shall be, and in words what that does."""

    changes: list[JournalChange]
    words: str


def category_name(typed: str) -> str:
    """Read a category as a person names it: one line without what could act on a terminal, blanks put in order.

    Raises:
        UsageError: there is nothing in it.
    """
    name = " ".join(clean(typed).split())
    if not name:
        raise UsageError("a category needs a name.", "Give it one, such as 'wrong units'.")
    return name


def typed_category(typed: str, names: Sequence[str]) -> str:
    """Find the category that reads as what was typed; else it is a new one.

    Another person's journal may hold a name that nobody could type: it is found by what it looks like.

    Raises:
        UsageError: nothing was typed.
    """
    name = category_name(typed)
    return next(
        (
            category
            for category in names
            if name in (category, category_name(category) if clean(category).strip() else category)
        ),
        name,
    )


def ranked(names: Sequence[str], typed: str) -> list[str]:
    """Find the names that hold what was typed, the closest first; those that are equally close stay in their order.

    First the name itself, then those that begin so, then those of which a word does, then those that hold it anywhere,
    then those that hold its letters in their order. Large and small letters are alike; nothing typed gives all.
    What nobody could type is looked for as it is shown.
    """
    wanted = " ".join(typed.casefold().split())
    places = [
        (place, at) for at, name in enumerate(names) if (place := _place(clean(name).casefold(), wanted)) is not None
    ]
    return [names[at] for _, at in sorted(places)]


def _place(name: str, wanted: str) -> int | None:
    """How close a name is, 0 the closest; None where it is not meant."""
    if not wanted or name == wanted:
        return 0
    if name.startswith(wanted):
        return 1
    if f" {wanted}" in name:
        return 2
    if wanted in name:
        return 3
    letters = iter(name)
    return 4 if all(letter in letters for letter in wanted.replace(" ", "")) else None


# -- changes


def put(chosen: Sequence[CaseNote], who: str, category: str) -> CategoryChange:
    """Put a person's own notes among these into a category; "" takes them out of theirs.

    Raises:
        UsageError: none of them is theirs.
    """
    own = [note for note in chosen if note.who == who]
    if not own:
        raise UsageError(
            f"none of these notes is {who}'s, and a category is its author's word.",
            "Write a note on the case first, or be that person: PRM_INSPECT_USER=NAME.",
        )
    changes = sorting(own, who, category)
    if not changes:
        return CategoryChange(
            [], f"They are in {category} already." if category else "They are in no category already."
        )
    moved = counted(sum(len(cases) for _, cases, _ in changes), "note")
    return CategoryChange(changes, f"{moved} put into {category}" if category else f"{moved} taken out of the category")


def merge(gathered: GatheredNotes, who: str, source: str, target: str) -> CategoryChange:
    """Put a person's notes of one category into another one that there is already.

    Raises:
        UsageError: there is no such category, both are the same, or none of its notes is theirs.
    """
    source, target = (match_name(word, gathered.names, "category") for word in (source, target))
    if source == target:
        raise UsageError(f"{source} cannot be merged into itself.", f"There are: {named_categories(gathered.names)}.")
    return _moved(gathered, who, source, target)


def rename(gathered: GatheredNotes, who: str, source: str, typed: str) -> CategoryChange:
    """Rename a category of a person's notes; no other category may have the new name.

    Raises:
        UsageError: there is no such category, the name is taken or empty, or none of its notes is theirs.
    """
    source, target = match_name(source, gathered.names, "category"), typed_category(typed, gathered.names)
    if source == target:
        return CategoryChange([], f"It is called {target} already.")
    if target in gathered.names:
        raise UsageError(f"there is a category {target} already.", "Merge the two, or choose another name.")
    return _moved(gathered, who, source, target)


def _moved(gathered: GatheredNotes, who: str, source: str, target: str) -> CategoryChange:
    notes = in_category(gathered.notes, source)
    moved = put(notes, who, target)
    others = [note for note in notes if note.who != who]
    if not others:
        return moved
    whose = ", ".join(sorted({note.who for note in others}))
    stay = f"{counted(len(others), 'note')} of {whose} {'stays' if len(others) == 1 else 'stay'} in {source}"
    return CategoryChange(moved.changes, f"{moved.words}; {stay}: a category is its author's word")
