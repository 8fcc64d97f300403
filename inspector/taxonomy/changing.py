"""Changes to a taxonomy: what a person does to their own notes, as one batch that is undone as one."""

from collections.abc import Sequence
from dataclasses import dataclass

from inspector.sentences import counted
from inspector.taxonomy.gathered import Gathered, named_categories
from inspector.text import clean
from scoring.errors import UsageError
from scoring.names import match_name
from scoring.triage.actions import Change
from scoring.triage.notes import Note, in_category, sorting


@dataclass(frozen=True)
class Changed:
    """What is to be done (`Journal.do`), [] where all is as it shall be, and in words what that does."""

    changes: list[Change]
    words: str


def category_name(typed: str) -> str:
    """A category as a person names it: one line without what could act on a terminal, blanks put in order.

    Raises:
        UsageError: there is nothing in it.
    """
    name = " ".join(clean(typed).split())
    if not name:
        raise UsageError("a category needs a name.", "Give it one, such as 'wrong units'.")
    return name


def typed_category(typed: str, names: Sequence[str]) -> str:
    """The category that reads as what was typed, if there is one, else a new one.

    Another person's journal may hold a name that nobody could type: it is found by what it looks like.

    Raises:
        UsageError: nothing was typed.
    """
    name = category_name(typed)
    return next((one for one in names if name in (one, category_name(one) if clean(one).strip() else one)), name)


def put(chosen: Sequence[Note], who: str, category: str) -> Changed:
    """Put a person's own notes among these into a category; "" takes them out of theirs.

    Raises:
        UsageError: none of them is theirs.
    """
    own = [one for one in chosen if one.who == who]
    if not own:
        raise UsageError(
            f"none of these notes is {who}'s, and a category is its author's word.",
            "Write a note on the case first, or be that person: PRM_INSPECT_USER=NAME.",
        )
    changes = sorting(own, who, category)
    if not changes:
        return Changed([], f"They are in {category} already." if category else "They are in no category already.")
    moved = counted(sum(len(cases) for _, cases, _ in changes), "note")
    return Changed(changes, f"{moved} put into {category}" if category else f"{moved} taken out of the category")


def merge(found: Gathered, who: str, source: str, target: str) -> Changed:
    """Put a person's notes of one category into another one that there is already.

    Raises:
        UsageError: there is no such category, both are the same, or none of its notes is theirs.
    """
    source, target = (match_name(word, found.names, "category") for word in (source, target))
    if source == target:
        raise UsageError(f"{source} cannot be merged into itself.", f"There are: {named_categories(found.names)}.")
    return _moved(found, who, source, target)


def rename(found: Gathered, who: str, source: str, typed: str) -> Changed:
    """Give a category of a person's notes another name, that no other category has.

    Raises:
        UsageError: there is no such category, the name is taken or empty, or none of its notes is theirs.
    """
    source, target = match_name(source, found.names, "category"), typed_category(typed, found.names)
    if source == target:
        return Changed([], f"It is called {target} already.")
    if target in found.names:
        raise UsageError(f"there is a category {target} already.", "Merge the two, or choose another name.")
    return _moved(found, who, source, target)


def _moved(found: Gathered, who: str, source: str, target: str) -> Changed:
    notes = in_category(found.notes, source)
    told = put(notes, who, target)
    others = [one for one in notes if one.who != who]
    if not others:
        return told
    whose = ", ".join(sorted({one.who for one in others}))
    stay = f"{counted(len(others), 'note')} of {whose} {'stays' if len(others) == 1 else 'stay'} in {source}"
    return Changed(told.changes, f"{told.words}; {stay}: a category is its author's word")
