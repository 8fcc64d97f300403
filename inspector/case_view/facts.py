"""What is known of a case beside its steps: what happened to it, what people said, and where it is from."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from msgspec.structs import replace
from rich.cells import cell_len

from inspector.case_view.open_case import OpenCase, Stop
from inspector.case_view.page import StopLine
from inspector.case_view.prose import paragraph
from inspector.case_view.tracks import Track
from inspector.texts.paint import OUTCOME_STYLES
from inspector.texts.sentences import GLYPHS, WORDS, counted, outcome_sentence, votes_words
from inspector.texts.text import cell, clean
from inspector.texts.wrap import wrap
from inspector.triage.annotations import own_note, own_tags
from inspector.widgets.line_view import Line
from scoring.errors import DamagedWorkspace
from scoring.evaluations.verdicts import OUTCOMES, UNPARSED
from scoring.triage.words import words_of
from scoring.workspace import Workspace

ABOVE = frozenset({"n_steps", "earliest_error", "error_steps"})
"""Columns that are told by the steps and their marks."""
OF_GOLD = frozenset(
    {"error_type", "error_category", "error_kind", "pattern", "final_answer_correct", "agreement", "modified_steps"}
)
"""Columns that say something of the labels: hidden with them."""
TOLD = frozenset({"case", "key", "benchmark", "id", "subset", "generator", "origin", "language"}) | OF_GOLD
"""Columns that the lines above tell, and the key, which is for programs: left out of the one line."""
LABEL = 24


def facts_lines(shown: OpenCase) -> Iterator[Line]:
    """One line with the most of it, or a line a fact."""
    manner, facts = shown.manner, known(shown)
    key = manner.keys.of("facts")
    if manner.facts == (Stop("facts") in manner.turned):
        told = manner.dot.join(f"{name} {value}" for name, value in facts.items() if name not in _words_of(TOLD))
        rest = f"  ({key} shows all)"
        line = cell(f"Facts  {told}", max(20, manner.width - cell_len(rest))).rstrip()
        yield StopLine([(line, "dim"), (rest, "dim")], stop=Stop("facts"))
        return
    yield StopLine([("Facts", "strong"), (f"  ({key} folds them)", "dim")], stop=Stop("facts"))
    noticed = {} if manner.blind else {f"import {at}": said for at, said in enumerate(findings_of(shown), 1)}
    for name, value in {**facts, **noticed}.items():
        for number, line in enumerate(wrap(clean(value), max(10, manner.width - LABEL))):
            yield Line([(cell(f"  {name}", LABEL) if number == 0 else " " * LABEL, "dim"), (line, "")])


def known(shown: OpenCase) -> dict[str, str]:
    """Name and value of what is known; nothing of gold where it is hidden."""
    case, texts = shown.case, shown.texts
    labels = {name: value for name, value in case.items() if name not in ABOVE | {"source", "line"}}
    places = {
        "read from": f"{case['source']}:{case['line']}" if case["source"] else None,
        "step_patterns": _numbered(texts["step_patterns"]),
        "modified_steps": ", ".join(map(str, texts["modified_steps"] or [])) or None,
        "original_steps": f"{len(texts['original_steps'])}" if texts["original_steps"] else None,
    }
    # Nobody knows what a column of the user's own tells of the labels.
    own = {} if shown.manner.blind else {name: _words(value) for name, value in shown.metadata.items()}
    first, last = _spelt(labels, blind=shown.manner.blind), _spelt(places, blind=shown.manner.blind)
    return {**first, **{name: value for name, value in own.items() if name not in first | last}, **last}


def _spelt(facts: Mapping[str, Any], *, blind: bool) -> dict[str, str]:
    hidden = OF_GOLD if blind else frozenset()
    return {
        name.replace("_", " "): _words(value)
        for name, value in facts.items()
        if value is not None and name not in hidden
    }


def _words_of(names: frozenset[str]) -> set[str]:
    return {name.replace("_", " ") for name in names}


def _numbered(patterns: list[str] | None) -> str | None:
    """Runs of steps with the same kind of reasoning: `0-2 deduction, 3 analogy`."""
    runs: list[tuple[int, int, str]] = []
    for step, pattern in enumerate(patterns or []):
        if runs and runs[-1][2] == pattern:
            runs[-1] = (runs[-1][0], step, pattern)
        else:
            runs.append((step, step, pattern))
    said = [f"{first if first == last else f'{first}-{last}'} {pattern}" for first, last, pattern in runs]
    return ", ".join(said) or None


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)


# -- what the import noticed

Place = tuple[str | None, int | str | None]


def findings_of(shown: OpenCase) -> tuple[str, ...]:
    """A sentence a finding, with its severity; or why they cannot be read."""
    case = shown.case
    try:
        found = _by_place(shown.inspection.selection.workspace, case["benchmark"])
    except DamagedWorkspace as error:
        return (str(error),)
    places = {(case["source"], case["line"]), (case["source"], case["id"])}
    return tuple(dict.fromkeys(sentence for place in places for sentence in found.get(place, ())))


@lru_cache(maxsize=4)
def _by_place(workspace: Workspace, benchmark: str) -> dict[Place, list[str]]:
    """The findings by source and line, and by source and id; those about a whole file are left out.

    Cases are read once, so what is kept here is of the same import as they are.
    """
    found: dict[Place, list[str]] = {}
    for one in workspace.imports(benchmark):
        for finding in one.get("findings", ()):
            sentence = f"{finding['severity']}: {finding['message']}"
            for where in (finding["line"], finding["case"]):
                if where is not None:
                    found.setdefault((finding["source"], where), []).append(sentence)
    return found


# -- what happened to the case, in plain words: for the scorer in focus, and how far the others agree


TAIL = 300
"""Characters of an answer's end that are shown where it could not be read."""
_HIDDEN = "gold labels, reasons and verdicts are hidden"


def sentence_lines(shown: OpenCase) -> Iterator[Line]:
    """Verdict, gold and how they differ, for the scorer in focus."""
    if shown.manner.blind:
        hidden = "gold labels and scorers are hidden until you rule" if shown.manner.unscored else _HIDDEN
        told = f"blind: {hidden}; {shown.manner.keys.of('blind')} shows them"
        for line in wrap(told, shown.manner.width):
            yield Line([(line, "strong")])
        return
    if not shown.tracks:
        return
    first = shown.tracks[0]
    # The legend has the name of a letter.
    who = first.letter or first.name
    text = f"{GLYPHS[first.outcome]} {outcome_sentence(first.evaluation, shown.row)}  [{who}]"
    for line in wrap(clean(text), shown.manner.width):
        yield Line([(line, f"{OUTCOME_STYLES.get(first.outcome, 'dim')} strong")])


def agreement_lines(shown: OpenCase) -> Iterator[Line]:
    """How far several scorers agree: `3 of 5 exact; A and D early`."""
    if shown.manner.blind or len(shown.tracks) < 2:
        return
    for line in wrap(agreement(shown.tracks, shown.case["earliest_error"]), shown.manner.width):
        yield Line([(line, "")])


def agreement(tracks: tuple[Track, ...], gold: int | None) -> str:
    """How many are right, and by their letters who is wrong in which way; without gold, how often which verdict."""
    if gold is None:
        verdicts = Counter(_verdict(track.verdict) for track in tracks)
        told = ", ".join(f"{count} x {words}" for words, count in verdicts.most_common())
        return f"no gold to agree with: {told}"
    right = "exact" if gold >= 0 else "clean"
    found = [track for track in tracks if track.outcome == right]
    outcomes = {track.outcome for track in tracks}
    if len(outcomes) == 1 and not found:
        return f"all {len(tracks)} {WORDS[tracks[0].outcome]}"
    others = [
        f"{_listed([track.letter for track in tracks if track.outcome == outcome])} {WORDS[outcome]}"
        for outcome in OUTCOMES
        if outcome != right and outcome in outcomes
    ]
    return "; ".join([f"{len(found) or 'none'} of {len(tracks)} {right}", *others])


def _verdict(verdict: int | None) -> str:
    if verdict is None:
        return "no verdict"
    return {-1: "no error", -2: "no step"}.get(verdict, f"step {verdict}")


def _listed(letters: list[str]) -> str:
    """`A`, `A and D`, `A, C and D`."""
    *first, last = sorted(letters)
    return f"{', '.join(first)} and {last}" if first else last


def answer_words(shown: OpenCase) -> Iterator[Line]:
    """What there is beside a verdict: how answers voted, how one that was not read ends, a number for the solution."""
    evaluation, row, manner = shown.focus, shown.row, shown.manner
    if evaluation is None or manner.blind:
        return
    if words := votes_words(evaluation, row):
        yield from paragraph("", "", f"votes: {words}", manner, style="dim")
    solution = float(evaluation.rewards.solutions[row])
    if evaluation.answered[row] and math.isfinite(solution):
        yield Line([(f"one number for the solution: {solution:.4g}", "dim")])
    if evaluation.codes[row] != UNPARSED:
        return
    answers = shown.inspection.selection.answers(evaluation.scorer.name, row)
    if answers:
        end = answers[0].rstrip()
        cut = "..." if len(end) > TAIL else ""
        yield from paragraph("", "", f"The answer ends: {cut}{end[-TAIL:]}", replace(manner, raw=True), style="dim")


# -- what people said of the case: rulings, ratings of its steps, tags, categories and notes; and what they tried


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
