"""What people said of the shown cases, and of cases that are gone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inspector.selection import Selection
from scoring.benchmarks import demo
from scoring.errors import UsageError
from scoring.names import match_name
from scoring.triage.history import History
from scoring.triage.journal import Journal
from scoring.triage.words import Words, words_of


@dataclass(frozen=True, eq=False)
class Said:
    """`shown` are the words on the shown cases, in their order and by name of who said them; `gone` those on cases
    that are in no benchmark of the workspace any more. `hidden` counts cases that somebody speaks of and that the
    request leaves out. `people` are those who are listened to.
    """

    shown: tuple[Words, ...]
    gone: tuple[Words, ...]
    hidden: int
    people: tuple[str, ...]
    history: History


def said(selection: Selection, who: str = "") -> Said:
    """What all people say, or `who`, by name or a unique part of it.

    Raises:
        UsageError: there is no folder that could hold it, or no person of that name.
    """
    history = journal_of(selection).history
    people = (match_name(who, history.people, "person"),) if who else history.people
    spoken = set(history.cases)
    shown = selection.cases["case"].gather(selection.shown)
    there = shown.filter(shown.is_in(list(spoken))).to_list()
    left_out = spoken.difference(selection.cases["case"])
    lost = gone(selection, left_out)
    hidden = _cases(_words(history, spoken.difference(there, lost), people))
    return Said(_words(history, there, people), _words(history, lost, people), hidden, people, history)


def journal_of(selection: Selection) -> Journal:
    """The journal of the workspace.

    Raises:
        UsageError: there is no folder that could hold one.
    """
    if selection.journal is None:
        raise UsageError(
            "there is no workspace folder here, so nobody has said anything of these cases.",
            "Make one: prm-inspect import PATH",
        )
    return selection.journal


def gone(selection: Selection, cases: Iterable[str]) -> list[str]:
    """Those of these cases that are in no benchmark of the workspace, by name.

    Where benchmarks are asked for, only cases that were in one of these.
    """
    asked = selection.request.benchmarks
    rest = {case for case in cases if not asked or benchmark_of(case) in asked}
    # Where none is asked for all that were imported are read; the demo is known without.
    if any(benchmark_of(case) == demo.NAME for case in rest):
        rest.difference_update(selection.workspace.cases((demo.NAME,))[0]["case"])
    return sorted(rest.difference(selection.cases["case"]))


def benchmark_of(case: str) -> str:
    """The benchmark in a case's identity."""
    return case.partition("/")[0]


def _words(history: History, cases: Iterable[str], people: Sequence[str]) -> tuple[Words, ...]:
    listened = set(people)
    return tuple(one for case in cases for one in words_of(case, history.of_case(case)) if one.who in listened)


def _cases(words: Iterable[Words]) -> int:
    return len({one.case for one in words})
