"""What a person types as tags, and what was done to tags and notes in words."""

import re
from collections.abc import Callable, Iterable, Sequence

from inspector.render.texts.sentences import counted
from inspector.render.texts.text import clean
from scoring.formats.benchmarks.benchmark_registry import error_type_of
from scoring.workspace.triage.actions import DEFER, NOTE, QUEUE, RATE, RULE, SKIP, SORT, TAG, Action, rating_of
from scoring.workspace.triage.history import Triage

_DIGITS = frozenset("123456789")
_BETWEEN = re.compile(r"[\s,]+")


def typed_tags(text: str, numbered: Sequence[str] = ()) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the tags to put on and to take away: words with spaces or commas between, `-word` takes one away.

    A digit stands for the tag that is `numbered` so, the first one by 1, unless it is a tag itself. Of one that is
    named several times the last counts.
    """
    wanted: dict[str, bool] = {}
    for word in _BETWEEN.split(clean(text)):
        tag = word.lstrip("-")
        if tag in _DIGITS and tag not in numbered and int(tag) <= len(numbered):
            tag = numbered[int(tag) - 1]
        if tag:
            wanted.pop(tag, None)
            wanted[tag] = not word.startswith("-")
    return tuple(tag for tag, on in wanted.items() if on), tuple(tag for tag, on in wanted.items() if not on)


def last_word(text: str) -> str:
    """Return the word that is being typed, without the sign that takes a tag away."""
    return _BETWEEN.split(text)[-1].removeprefix("-")


def offered_tags(in_use: Iterable[str], own: Iterable[str]) -> list[str]:
    """Return the tags to offer: those in use in their order, then the error types of the benchmark at hand, its `own`.

    A tag has no blanks: a type of several words is one with underscores. One that could act on a terminal is not among
    them, as nobody could type it.
    """
    used = [tag for tag in in_use if clean(tag) == tag]
    named = {*used, *map(error_type_of, used)}
    types = dict.fromkeys(_BETWEEN.sub("_", name) for name in own if clean(name) == name)
    return [*used, *(tag for tag in types if tag not in named)]


def completed(text: str, tags: Sequence[str]) -> str | None:
    """Return what was typed with its last word completed; None where no tag fits.

    To the first tag that begins so, else to one of which a part begins so, else to one that has its letters in order.
    """
    word = last_word(text)
    others = [tag for tag in tags if tag != word]
    letters = re.compile(".*".join(map(re.escape, word.casefold())))
    ways: tuple[Callable[[str], object], ...] = (
        lambda tag: tag.startswith(word),
        lambda tag: any(part.startswith(word.casefold()) for part in re.split(r"[_-]", tag.casefold())),
        lambda tag: letters.search(tag.casefold()),
    )
    if not word or word in tags:
        return None
    completion = next((tag for fits in ways for tag in others if fits(tag)), None)
    return None if completion is None else text[: len(text) - len(word)] + completion


def changes(
    triage: Triage, cases: Sequence[str], add: Sequence[str], remove: Sequence[str]
) -> tuple[list[tuple[str, list[str]]], list[tuple[str, list[str]]]]:
    """Return for each tag to put on the cases that lack it, for each to take away those that have it; no empty ones.

    So that a journal holds what was changed, and no more.
    """
    lacking = [(tag, [case for case in cases if tag not in triage.tags.get(case, ())]) for tag in add]
    having = [(tag, [case for case in cases if tag in triage.tags.get(case, ())]) for tag in remove]
    return [pair for pair in lacking if pair[1]], [pair for pair in having if pair[1]]


def batch_words(actions: Sequence[Action]) -> str:
    """Return what a batch did: `odd, -easy on 12 cases`, `the note on bench/1`, `the queue of 12 cases`."""
    cases = list(dict.fromkeys(case for action in actions for case in action.cases))
    on = cases[0] if len(cases) == 1 else counted(len(cases), "case")
    if actions and (words := _WORDS.get(actions[0].kind)) is not None:
        what = words(actions[0].value)
    else:
        what = ", ".join(f"{'' if action.kind == TAG else '-'}{action.value}" for action in actions)
    return f"{what} on {on}"


def _said(what: str) -> Callable[[str], str]:
    """Words for an action whose text is taken away where it is ""."""
    return lambda value: f"the {what}" if value else f"taking the {what} away"


def _rating(value: str) -> str:
    step, rating = rating_of(value)
    return f"the rating of step {step}" if rating is not None else f"taking the rating of step {step} away"


_WORDS: dict[str, Callable[[str], str]] = {
    NOTE: _said("note"),
    RULE: lambda ruling: f"the ruling {ruling!r}" if ruling else "taking the ruling away",
    RATE: _rating,
    SORT: lambda category: f"the category {category!r}" if category else "taking the category away",
    QUEUE: lambda _: "a new queue",
    SKIP: lambda _: "skipping",
    DEFER: lambda _: "deferring",
}
"""What an action did, by its text; tags are told by their words."""
