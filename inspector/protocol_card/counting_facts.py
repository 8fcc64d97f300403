"""Which cases are in a figure's denominators, how they are counted, and where their gold labels come from, as facts."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from inspector.headline import headline
from inspector.label_set import COLUMN
from inspector.notes import resampled_words
from inspector.protocol_card.case_sets import counted_cases, counts_unanswered
from inspector.protocol_card.fact import Fact
from inspector.provenance import conditions
from inspector.selection import Selection
from inspector.sentences import counted
from scoring.benchmarks.registry import step_labelled
from scoring.critics.faults import fault_of
from scoring.evaluation import Evaluation
from scoring.filters import Facet
from scoring.metrics.outcome_conditions import SIDES, tried
from scoring.metrics.resampling import LEVEL, RESAMPLES
from scoring.protocols import protocol_named, protocol_of
from scoring.step_rewards import Bools
from scoring.triage.adjudicated import CONFIRMED, OVERLAID, UNDECIDED
from scoring.verdicts import DEV, OUTCOMES, REFUSED, UNPARSED, UNSCORED

NAMED = 4
"""Reasons, subsets and files that a fact names."""
_UNCOUNTED = {
    UNPARSED: "unparsed",
    REFUSED: "refused",
    UNSCORED: "never scored",
    DEV: "left out: the threshold was tuned on them",
}


def counting_facts(evaluation: Evaluation, selection: Selection, benchmark: str) -> Iterator[Fact]:
    """The facts on cases, counting, gold and interval; the selection shows the cases of this benchmark alone."""
    yield from _cases(evaluation, selection, benchmark)
    yield from _counting(evaluation, selection, benchmark)
    yield from _gold(selection, benchmark)
    yield from _interval(selection, benchmark)


def _cases(evaluation: Evaluation, selection: Selection, benchmark: str) -> Iterator[Fact]:
    shown, name = selection.mask, evaluation.scorer.name
    n = int(shown.sum())
    yield Fact("cases", "benchmark", benchmark)
    yield Fact("cases", "filter", " AND ".join(f"({one})" for one in conditions(selection.request)) or "none")
    yield Fact("cases", "shown", counted(n, "case"), (), n)
    whole = int((selection.cases["benchmark"] == benchmark).sum())
    if whole != n:
        yield Fact("cases", "in the benchmark", counted(whole, "case"))
    rows = counted_cases(selection, (name,), benchmark).get(name, np.zeros(shown.size, dtype=np.bool_))
    if step_labelled(benchmark) is None:
        # What a scorer without any verdict was refused on is in no denominator, though its outcome says refused.
        has_them = tried(name, selection.unparsed(benchmark)) if evaluation.nothing is None else "false"
        yield Fact("cases", "in the denominators", counted(int(rows.sum()), "case"), (has_them,), int(rows.sum()))
        gold = evaluation.gold.earliest
        for side, condition in SIDES.items():
            members = rows & ((gold >= 0) if side == "erroneous" else (gold == -1)) & evaluation.gold.known
            yield Fact("cases", side, f"{int(members.sum()):,}", (condition, has_them), int(members.sum()))
    else:
        yield Fact("cases", "with judged steps", counted(int(rows.sum()), "case"))
    unknown = shown & ~evaluation.gold.known
    if unknown.any():
        yield Fact(
            "cases",
            "without a gold first error",
            f"{int(unknown.sum()):,}",
            ("earliest_error IS NULL",),
            int(unknown.sum()),
        )
    yield Fact("cases", "subsets", _subsets(evaluation, rows))


def _subsets(evaluation: Evaluation, rows: Bools) -> str:
    """How many subsets take part, and the size of the first ones."""
    names, numbers = evaluation.gold.subsets
    sizes = np.bincount(numbers[rows], minlength=len(names))
    told = [f"{names[at] or 'none'} {sizes[at]:,}" for at in np.flatnonzero(sizes)]
    more = f" and {len(told) - NAMED} more" if len(told) > NAMED else ""
    return f"{len(told)}: {', '.join(told[:NAMED])}{more}" if told else "none"


def _counting(evaluation: Evaluation, selection: Selection, benchmark: str) -> Iterator[Fact]:
    shown, unparsed = selection.mask, selection.unparsed(benchmark)
    line = headline(evaluation, shown, unparsed, selection.request.seed, benchmark)
    asked = selection.request.protocol
    protocol = protocol_named(asked) if asked else protocol_of(benchmark)
    yield Fact("counting", "official figure", "F1 of first errors" if step_labelled(benchmark) is None else "PRMScore")
    yield Fact("counting", "averaged over", line.over)
    yield Fact("counting", "protocol", f"{protocol.name}: {protocol.counts} ({protocol.source})")
    wrong = counts_unanswered(selection, benchmark)
    policy = "count as wrong" if wrong else "are left out of the denominators"
    by = "" if selection.request.unparsed is None else ", as asked"
    yield Fact("counting", "cases without a verdict", f"unparsed and refused ones {policy}{by}")
    answered = int((evaluation.answered & shown).sum())
    yield Fact("counting", "coverage", f"{answered:,} of {int(shown.sum()):,} with a verdict")
    for code, words in _UNCOUNTED.items():
        rows = shown & (evaluation.codes == code)
        if rows.any():
            where = (Facet(f"{evaluation.scorer.name}.outcome", (OUTCOMES[code],)).sql,)
            yield Fact("counting", words, f"{int(rows.sum()):,}{_why(evaluation, rows, code)}", where, int(rows.sum()))
    yield Fact("counting", "runs", _runs(evaluation))
    if evaluation.votes is not None:
        yield Fact("counting", "votes", f"up to {evaluation.votes.most} a case, one verdict")


def _why(evaluation: Evaluation, rows: Bools, code: int) -> str:
    """The reasons of these cases, the most frequent first; "" where there is nothing to give a reason for."""
    if code not in {UNPARSED, REFUSED}:
        return ""
    reasons = evaluation.reasons
    kinds = Counter(
        str(fault_of(reasons[at] or "") or reasons[at] or "no reason given") for at in np.flatnonzero(rows).tolist()
    )
    told = [f"{count:,} {kind}" for kind, count in kinds.most_common(NAMED)]
    more = f" and {len(kinds) - NAMED} other reasons" if len(kinds) > NAMED else ""
    return f": {', '.join(told)}{more}"


def _runs(evaluation: Evaluation) -> str:
    several = len(evaluation.runs)
    unlike = f"; {evaluation.unlike} further with another number of votes left out" if evaluation.unlike else ""
    return (f"mean of {several} runs" if several > 1 else "one") + unlike


def _gold(selection: Selection, benchmark: str) -> Iterator[Fact]:
    imports = selection.workspace.imports(benchmark)
    yield from _labels(selection)
    for name, key in (("label base in the file", "label_base"), ("read from", "source"), ("format", "format")):
        told = list(dict.fromkeys(str(one[key]) for one in imports if one.get(key)))
        more = f" and {len(told) - NAMED} more" if len(told) > NAMED else ""
        yield Fact("gold", name, "; ".join(told[:NAMED]) + more if told else "not said")
    here = selection.cases.filter(selection.cases["benchmark"] == benchmark)
    repeated = here.height - here["key"].n_unique()
    if repeated:
        yield Fact("gold", "repeated", f"{repeated:,} cases repeat the problem and steps of another")


def _labels(selection: Selection) -> Iterator[Fact]:
    """Whose labels they are; where they were adjudicated, which of the shown cases have another one than before."""
    based = "steps are 0-based here, -1 = no error"
    if selection.adjudicated is None:
        yield Fact("gold", "labels", f"as the benchmark gives them; {based}")
        return
    people = selection.adjudicated.people
    yield Fact("gold", "labels", f"adjudicated{' by ' if people else ''}{', '.join(people)}; {based}")
    there = selection.column(COLUMN).gather(selection.shown)
    for name in (*OVERLAID, *UNDECIDED, CONFIRMED):
        if n := int((there == name).sum()):
            yield Fact("gold", f"labels here: {name}", counted(n, "case"), (Facet(COLUMN, (name,)).sql,), n)


def _interval(selection: Selection, benchmark: str) -> Iterator[Fact]:
    of_steps = step_labelled(benchmark) is not None
    way = "of whole problems" if of_steps else resampled_words(selection, benchmark)
    yield Fact("interval", "method", f"{100 * LEVEL:.0f}% percentile bootstrap, {way}")
    yield Fact("interval", "resamples", f"{RESAMPLES:,}")
    yield Fact("interval", "seed", str(selection.request.seed))
