"""Figures of several scorers on screen: what makes them incomparable, and all of them on the common cases and back.

The cases are chosen by conditions that hold for the whole app, which a key adds and takes away.
"""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from inspector.render.texts.phrases import Phrase
from inspector.screens.base import AppScreen
from inspector.screens.screen_lines import write_phrases
from inspector.state.case_list.listed import cleared
from inspector.state.comparability import NOT_COMPARABLE, Incomparable, incomparable, remedy_of
from inspector.state.counted_cases import only_tried
from inspector.state.focusing import covering
from inspector.state.label_words import other_labels, with_own_labels
from inspector.state.screen_state import ScreenState
from inspector.widgets.key_table.key_words import KeyWords
from scoring.data.errors import InspectError
from scoring.selection.searching import matching

SHORT = {
    "cases": "other cases",
    "unparsed": "unparsed ones left out",
    "threshold": "other threshold sources",
    "rule": "another rule",
    "boundary": "another boundary",
    "runs": "other numbers of runs",
    "votes": "other numbers of votes",
    "filter": "chosen by an outcome",
}
"""Each reason in a few words."""


def reasons_on_screen(state: ScreenState) -> list[Incomparable]:
    """Return why the figures of the scorers that cover the benchmark in focus are not comparable as they stand.

    They are those that the board tells: on all cases of the benchmark under the conditions of the whole app.
    """
    results = state.results
    query = replace(results.query, where=state.base)
    rows = state.benchmark_rows & results.evaluated.passing(state.base)
    if state.base_search is not None:
        rows = rows & matching(cleared(state).results.matches, cleared(state).cases.height)
    return incomparable(replace(results, query=query), covering(state), state.focus.benchmark, rows)


def banner(reasons: Sequence[Incomparable], keys: KeyWords, *, common: bool = False, labels: str = "") -> list[Phrase]:
    """Return the phrases of the line that warns; none where there is nothing to warn of.

    `labels` says why the figures are not those of the benchmark's own labels, "" where they are. `common` says that all
    figures are on the common cases because somebody asked for it: then the line says how to go back, whatever the
    reasons.
    """
    if labels:
        warning = f"{NOT_COMPARABLE} {with_own_labels(labels)}"
        return [Phrase((warning, f"{NOT_COMPARABLE}: {labels}", labels)), *banner(reasons, keys, common=common)]
    key = keys.of("common-cases")
    back = [Phrase((f"All on the common cases; {key}: each on its own", "On the common cases"), rank=2)]
    if not reasons:
        return back if common else []
    short = ", ".join(SHORT[reason.why] for reason in reasons)
    first = reasons[0].sentence + (f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else "")
    phrases = [Phrase((f"{NOT_COMPARABLE}: {first}", f"{NOT_COMPARABLE}: {short}", NOT_COMPARABLE), rank=3)]
    if remedy_of(reasons):
        phrases.append(Phrase((f"{key}: all on the common cases", f"{key}: common cases", ""), rank=2))
    elif common:
        phrases += back
    return [*phrases, Phrase((f"{keys.of('card')}: why", ""), rank=1)]


def show_banner(screen: AppScreen, state: ScreenState) -> None:
    """Warn, on the line called `banner`, of what makes the figures on screen incomparable."""
    common, labels = is_on_common_cases(state), other_labels(state.results.labels.adjudicated)
    phrases = banner(reasons_on_screen(state), screen.context.keys, common=common, labels=labels)
    screen.query_one("#banner").display = bool(phrases)
    if phrases:
        write_phrases(screen, "banner", phrases, "bad")


# -- to the common cases and back


def toggle_common_cases(screen: AppScreen, reasons: Callable[[ScreenState], Sequence[Incomparable]]) -> None:
    """Put every figure on the cases that all scorers have; or, where they are, each on its own again."""
    screen.close_rail()
    try:
        back = on_all_cases(screen.state)
        there = back or on_common_cases(screen.state, reasons(screen.state))
    except InspectError as error:
        screen.say(str(error))
        return
    if there is None:
        screen.say("The scorers have the same cases here, or none in common.")
        return
    screen.put(there)


def on_common_cases(state: ScreenState, reasons: Sequence[Incomparable]) -> ScreenState | None:
    """Add the conditions that leave the common cases, for the whole app; None where no reason is about cases."""
    where = tuple(condition for condition in remedy_of(reasons) if condition not in state.base)
    return _based(state, (*state.base, *where)) if where else None


def on_all_cases(state: ScreenState) -> ScreenState | None:
    """Take such conditions away; None where there are none."""
    kept = tuple(condition for condition in state.base if not is_common(state, condition))
    return None if kept == state.base else _based(state, kept)


def is_on_common_cases(state: ScreenState) -> bool:
    """Return whether there is such a condition."""
    return any(is_common(state, condition) for condition in state.base)


def is_common(state: ScreenState, condition: str) -> bool:
    """Return whether a condition is one of those."""
    return any(only_tried(condition, evaluation.scorer.name) for evaluation in state.results.evaluations)


def _based(state: ScreenState, base: tuple[str, ...]) -> ScreenState:
    return replace(state, base=base).selected(chosen=state.filter)
