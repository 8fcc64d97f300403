"""What is known of a case beside its steps: what happened to it, what people said, and where it is from."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from msgspec.structs import replace
from rich.cells import cell_len

from inspector.case_page.open_case import OpenCase, Stop
from inspector.case_page.page import StopLine
from inspector.case_page.prose import paragraph
from inspector.case_page.tracks import Track
from inspector.render.charts.glyphs import OUTCOME_STYLES
from inspector.render.texts.sentences import GLYPHS, WORDS, counted, outcome_sentence, verdict_words, votes_words
from inspector.render.texts.text import cell, clean
from inspector.render.texts.wrap import wrap
from inspector.state.triage.annotations import own_note, own_tags
from inspector.widgets.line_view import Line
from scoring.data.errors import DamagedWorkspace
from scoring.evaluation.verdicts import OUTCOMES, UNPARSED
from scoring.workspace.triage.annotations import words_of
from scoring.workspace.workspace import Workspace

ABOVE = frozenset({"n_steps", "earliest_error", "error_steps", "neutral_steps", "step_messages"})
"""Columns that are told by the steps and their marks."""
OF_GOLD = frozenset(
    {"error_type", "error_category", "error_kind", "pattern", "final_answer_correct", "agreement", "modified_steps"}
    | {"neutral_steps", "errors_so_far"}
)
"""Columns that say something of the labels and are told in the lines above."""
BLINDED = OF_GOLD | {"earliest_error_as_given", "error_type_as_given"}
"""Columns that whoever reads blind does not see: those, and labels as the file has them."""
TOLD = frozenset({"case", "key", "benchmark", "id", "subset", "generator", "origin", "language"}) | OF_GOLD
"""Columns that the lines above tell, and the key, which is for programs: left out of the one line."""
LABEL = 24


def facts_lines(case: OpenCase) -> Iterator[Line]:
    """Yield one line with the most of it, or a line a fact."""
    display, facts = case.display, known(case)
    key = display.keys.of("facts")
    if display.facts == (Stop("facts") in display.turned):
        words = display.dot.join(f"{name} {value}" for name, value in facts.items() if name not in _words_of(TOLD))
        rest = f"  ({key} shows all)"
        line = cell(f"Facts  {words}", max(20, display.width - cell_len(rest))).rstrip()
        yield StopLine([(line, "dim"), (rest, "dim")], stop=Stop("facts"))
        return
    yield StopLine([("Facts", "strong"), (f"  ({key} folds them)", "dim")], stop=Stop("facts"))
    noticed = {} if display.blind else {f"import {at}": finding for at, finding in enumerate(findings_of(case), 1)}
    for name, value in {**facts, **noticed}.items():
        for number, line in enumerate(wrap(clean(value), max(10, display.width - LABEL))):
            yield Line([(cell(f"  {name}", LABEL) if number == 0 else " " * LABEL, "dim"), (line, "")])


def known(case: OpenCase) -> dict[str, str]:
    """Return name and value of what is known; nothing of gold where it is hidden."""
    record, texts = case.case, case.texts
    labels = {name: value for name, value in record.items() if name not in ABOVE | {"source", "line"}}
    places = {
        "read from": f"{record['source']}:{record['line']}" if record["source"] else None,
        "step_patterns": _numbered(texts["step_patterns"]),
        "modified_steps": ", ".join(map(str, texts["modified_steps"] or [])) or None,
        "original_steps": f"{len(texts['original_steps'])}" if texts["original_steps"] else None,
    }
    # Nobody knows what a column of the user's own tells of the labels.
    own = {} if case.display.blind else {name: _words(value) for name, value in case.metadata.items()}
    first, last = _spelt(labels, blind=case.display.blind), _spelt(places, blind=case.display.blind)
    return {**first, **{name: value for name, value in own.items() if name not in first | last}, **last}


def _spelt(facts: Mapping[str, Any], *, blind: bool) -> dict[str, str]:
    hidden = BLINDED if blind else frozenset()
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
    words = [f"{first if first == last else f'{first}-{last}'} {pattern}" for first, last, pattern in runs]
    return ", ".join(words) or None


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)


# -- what the import noticed

FactPlace = tuple[str | None, int | str | None]


def findings_of(case: OpenCase) -> tuple[str, ...]:
    """Return a sentence a finding, with its severity; or why they cannot be read."""
    record = case.case
    try:
        findings = _by_place(case.state.results.workspace, record["benchmark"])
    except DamagedWorkspace as error:
        return (str(error),)
    places = {(record["source"], record["line"]), (record["source"], record["id"])}
    return tuple(dict.fromkeys(sentence for place in places for sentence in findings.get(place, ())))


@lru_cache(maxsize=4)
def _by_place(workspace: Workspace, benchmark: str) -> dict[FactPlace, list[str]]:
    """The findings by source and line, and by source and id; those about a whole file are left out.

    Cases are read once, so what is kept here is of the same import as they are.
    """
    findings: dict[FactPlace, list[str]] = {}
    for imported in workspace.imports(benchmark):
        for finding in imported.get("findings", ()):
            sentence = f"{finding['severity']}: {finding['message']}"
            for where in (finding["line"], finding["case"]):
                if where is not None:
                    findings.setdefault((finding["source"], where), []).append(sentence)
    return findings


# -- what happened to the case, in plain words: for the scorer in focus, and how far the others agree


TAIL = 300
"""Characters of an answer's end that are shown where it could not be read."""
_HIDDEN = "gold labels, reasons and verdicts are hidden"


def sentence_lines(case: OpenCase) -> Iterator[Line]:
    """Yield verdict, gold and how they differ, for the scorer in focus."""
    if case.display.blind:
        hidden = "gold labels and scorers are hidden until you rule" if case.display.unscored else _HIDDEN
        sentence = f"blind: {hidden}; {case.display.keys.of('blind')} shows them"
        for line in wrap(sentence, case.display.width):
            yield Line([(line, "strong")])
        return
    if not case.tracks:
        return
    first = case.tracks[0]
    # The legend has the name of a letter.
    who = first.letter or first.name
    text = f"{GLYPHS[first.outcome]} {outcome_sentence(first.evaluation, case.row)}  [{who}]"
    for line in wrap(clean(text), case.display.width):
        yield Line([(line, f"{OUTCOME_STYLES.get(first.outcome, 'dim')} strong")])


def agreement_lines(case: OpenCase) -> Iterator[Line]:
    """Yield how far several scorers agree: `3 of 5 exact; A and D early`."""
    if case.display.blind or len(case.tracks) < 2:
        return
    for line in wrap(agreement(case.tracks, case.case["earliest_error"]), case.display.width):
        yield Line([(line, "")])


def agreement(tracks: tuple[Track, ...], gold: int | None) -> str:
    """Say how many are right, and by their letters who is wrong in which way; without gold, how often which verdict."""
    if gold is None:
        verdicts = Counter(verdict_words(track.verdict) for track in tracks)
        counts = ", ".join(f"{count} x {words}" for words, count in verdicts.most_common())
        return f"no gold to agree with: {counts}"
    right = "exact" if gold >= 0 else "clean"
    agreeing = [track for track in tracks if track.outcome == right]
    outcomes = {track.outcome for track in tracks}
    if len(outcomes) == 1 and not agreeing:
        return f"all {len(tracks)} {WORDS[tracks[0].outcome]}"
    others = [
        f"{_listed([track.letter for track in tracks if track.outcome == outcome])} {WORDS[outcome]}"
        for outcome in OUTCOMES
        if outcome != right and outcome in outcomes
    ]
    return "; ".join([f"{len(agreeing) or 'none'} of {len(tracks)} {right}", *others])


def _listed(letters: list[str]) -> str:
    """`A`, `A and D`, `A, C and D`."""
    *first, last = sorted(letters)
    return f"{', '.join(first)} and {last}" if first else last


def answer_words(case: OpenCase) -> Iterator[Line]:
    """Yield what there is beside a verdict: the votes, how an unread answer ends, a number for the solution."""
    evaluation, row, display = case.focus, case.row, case.display
    if evaluation is None or display.blind:
        return
    if words := votes_words(evaluation, row):
        yield from paragraph("", "", f"votes: {words}", display, style="dim")
    solution = float(evaluation.rewards.solutions[row])
    if evaluation.coverage.answered[row] and math.isfinite(solution):
        yield Line([(f"one number for the solution: {solution:.4g}", "dim")])
    if evaluation.codes[row] != UNPARSED:
        return
    answers = case.state.results.answers(evaluation.scorer.name, row)
    if answers:
        end = answers[0].rstrip()
        cut = "..." if len(end) > TAIL else ""
        yield from paragraph("", "", f"The answer ends: {cut}{end[-TAIL:]}", replace(display, raw=True), style="dim")


# -- what people said of the case: rulings, ratings of its steps, tags, categories and notes; and what they tried


MOST_VARIANTS = 3
"""Variants that are told one by one."""


def said_lines(case: OpenCase) -> Iterator[Line]:
    """Yield a line or more for each of them, notes below; nothing where there are none.

    While labels are hidden, so is what others said: who decides should not be told how.
    """
    journal, case_name, display = case.state.results.journal, case.case["case"], case.display
    if journal is None:
        return
    me, triage = journal.author.who, journal.triage
    ratings = {who: _ratings(of) for who, of in triage.ratings.get(case_name, {}).items()}
    tags, note = (
        (own_tags(journal, case_name), own_note(journal, case_name))
        if display.blind
        else (triage.tags.get(case_name, ()), triage.note(case_name))
    )
    for name, words in (
        ("Ruling", _by_whom(triage.rulings.get(case_name, {}), me, alone=display.blind)),
        ("Rated", _by_whom(ratings, me, alone=display.blind)),
        ("", _outdated(case, alone=display.blind)),
        ("Category", _by_whom(triage.categories.get(case_name, {}), me, alone=display.blind)),
        ("Tags", ", ".join(tags)),
    ):
        if words:
            for line in wrap(clean(f"{name}  {words}" if name else words), display.width):
                yield Line([(line, "strong")])
    if note:
        yield from paragraph("Note  ", "strong", note, display, scope="notes")


def kept_variants_lines(case: OpenCase) -> Iterator[Line]:
    """Yield which variants a case has, the newest first; nothing where it has none."""
    there = case.state.results.workspace.variants
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
    journal, record = case.state.results.journal, case.case
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
