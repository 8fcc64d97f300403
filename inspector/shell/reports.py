"""What an import says of itself, in lines."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath

import polars as pl

from scoring.benchmarks.imported import Imported
from scoring.boundary import when_wrong
from scoring.critics.faults import fault_of
from scoring.generation import Added
from scoring.importing.found import Found
from scoring.importing.joining import NO_VERDICT_READ, Joined
from scoring.importing.saving import LEFT_OUT, Saved
from scoring.reading.findings import Finding, counted
from scoring.results.names import named_after_folder
from scoring.verdicts import NO_VERDICT
from scoring.votes import most_answers, tally

_SHOWN_FINDINGS = 8
_SHOWN_REASONS = 4


def reports(found: Found, added: Sequence[Added] = (), saved: Sequence[Saved] = ()) -> Iterator[str]:
    """A report a source: the cases, then the results, then what could not be read."""
    for index, one in enumerate(found.imported):
        yield from cases_report(one, added[index] if added else None)
    for index, joined in enumerate(found.joined):
        yield from results_report(joined, saved[index] if saved else None)
    yield from found.skipped
    if len(found.imported) + len(found.joined) > 1:
        yield from _together(found, saved)


def _together(found: Found, saved: Sequence[Saved]) -> Iterator[str]:
    """All of it in a line a benchmark, and one for the scorers."""
    for benchmark in dict.fromkeys(one.benchmark for one in found.imported):
        parts = [one for one in found.imported if one.benchmark == benchmark]
        cases = pl.concat([part.cases.select("case", "earliest_error") for part in parts]).unique("case", keep="last")
        erroneous, clean = ((cases["earliest_error"] >= 0).sum(), (cases["earliest_error"] == -1).sum())
        files = f"{len(parts)} file{'s' * (len(parts) > 1)}"
        read = sum(part.read for part in parts)
        counts = f"{_cases_of(cases.height, read)} in {files}, {erroneous:,} erroneous, {clean:,} clean"
        yield f"Together {benchmark}: {counts}"
    left_out = {index for index, one in enumerate(saved) if one.state == LEFT_OUT}
    taken = (joined.foreign for index, joined in enumerate(found.joined) if index not in left_out)
    kinds = Counter((foreign.kind, foreign.name) for foreign in taken)
    if kinds:
        told = Counter("PRM" if kind == "prm" else kind for kind, _ in kinds)
        yield "Together scorers: " + ", ".join(f"{number} {kind}{'s' * (number > 1)}" for kind, number in told.items())


def cases_report(one: Imported, added: Added | None) -> Iterator[str]:
    """One import in a few lines: rows, subsets, labels, what changed, findings with their places."""
    yield f"{one.source}: {one.benchmark} ({one.format})"
    lost = f", {one.read - one.cases.height:,} left out" if one.read != one.cases.height else ""
    unlabelled = one.cases.height - one.erroneous - one.clean
    rest = f", {unlabelled:,} without a gold label" if unlabelled else ""
    twins = f"; {one.twins.height:,} twins beside them" if one.twins.height else ""
    kept = f"{_cases_of(one.cases.height, one.read)}{lost}"
    yield f"  {kept}: {one.erroneous:,} erroneous, {one.clean:,} clean{rest}{twins}"
    if one.cases.height:
        subsets = one.cases.group_by("subset", maintain_order=True).len().rows()
        yield "  subsets: " + ", ".join(f"{name or '(none)'} {n:,}" for name, n in subsets)
    if one.mapping:
        yield f"  columns: {one.mapping}"
    yield f"  labels: {one.label_base}"
    if added:
        yield f"  in the workspace: {added.new:,} new, {added.changed:,} changed, {added.unchanged:,} unchanged"
        for path in added.elsewhere:
            yield f"  warning: some of the changed ones were imported from {path}, and are now those of this file"
    yield from _findings(one.findings)


def results_report(joined: Joined, saved: Saved | None) -> Iterator[str]:
    """One scorer's results in a few lines: what joined and how, what could not be read."""
    foreign = joined.foreign
    name = saved.scorer if saved else foreign.name
    yield f"{foreign.source}: {foreign.kind} {name} ({foreign.format})"
    if named_after_folder(foreign.source, name):
        file = PurePath(foreign.source.replace("\\", "/")).name
        yield f"  name: that of its folder, for {file} does not say whose it is; --name NAME gives another"
    rows = foreign.rows.height
    named = ", ".join(joined.benchmarks)
    lost = f", {rows - joined.joined:,} not" if rows != joined.joined else ""
    left = foreign.read - rows
    unused = f"; {left:,} of {foreign.read:,} rows were left out while reading" if left > 0 else ""
    yield f"  {joined.joined:,} of {rows:,} results joined to {named} by {joined.by}{lost}{unused}"
    yield f"  what it gives: {_gives(joined)}"
    yield f"  indices: {foreign.label_base}"
    if saved:
        yield f"  in the workspace: {saved.state}" + (f". {saved.why}" if saved.why else "")
    yield from _findings(joined.findings)


def _gives(joined: Joined) -> str:
    """What kind of numbers or answers there are, and how many could not be read."""
    rewards, votes = joined.rewards, joined.votes
    counts = {
        "with step rewards": rewards["rewards"].count(),
        "with step labels as given": rewards["labels"].count(),
        "with a second number a step for redundancy": rewards["redundancy"].count(),
        "with one number a solution, which names no step": rewards["solution"].count(),
        "refused": rewards["reason"].count(),
        _verdict_words(joined): votes.height,
        "unparsed": joined.unparsed,
    }
    told = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
    if joined.unparsed:
        told += f" ({_unparsed_reasons(votes)}){_cases_without_verdict(votes)}"
    if rewards["rewards"].count() and not votes.height:
        rule = joined.foreign
        told += f"; {when_wrong(rule.on, rule.comparison, f'{rule.threshold:g}')} ({rule.threshold_source})"
    return told or "nothing"


def _verdict_words(joined: Joined) -> str:
    """What rows with verdicts are: a critic's answers, or a PRM's verdicts, which it said without words."""
    return "answers" if joined.foreign.kind == "critic" else "verdicts as given, without step rewards"


def _unparsed_reasons(votes: pl.DataFrame) -> str:
    """Why answers could not be read, by kind of reason with its count: the most frequent kinds, then the rest."""
    reasons = Counter(_kind_of_reason(reason) for reason in votes.filter(NO_VERDICT_READ)["reason"])
    frequent = reasons.most_common(_SHOWN_REASONS)
    rest = reasons.total() - sum(count for _, count in frequent)
    words = [f"{count:,} {kind}" for kind, count in frequent]
    return ", ".join([*words, *([f"{rest:,} for other reasons"] if rest else [])])


def _kind_of_reason(reason: str | None) -> str:
    """What a reason says before its detail, which differs from answer to answer."""
    return str(fault_of(reason or "") or (reason or "no reason given").partition(": ")[0])


def _cases_without_verdict(votes: pl.DataFrame) -> str:
    """Of answers that vote, how many cases have no verdict after the vote, as `metrics` counts them; else ""."""
    if most_answers(votes.filter(pl.col("run") == votes["run"].min())) <= 1:
        return ""
    rated = votes.filter(pl.col("rewards").is_not_null())
    voted = votes.join(rated, on=["key", "run"], how="anti", maintain_order="left")
    cases = [tally(run.select("key").unique(), run) for run in voted.partition_by("run")]
    unread = sum(int((counts.verdicts == NO_VERDICT).sum()) for counts in cases)
    return f"; after the vote {unread:,} of {sum(counts.verdicts.size for counts in cases):,} cases are unparsed"


def _findings(findings: Iterable[Finding]) -> Iterator[str]:
    every = list(findings)
    for severity, code, number, _ in counted(every):
        alike = [finding for finding in every if (finding.severity, finding.code) == (severity, code)]
        yield f"  {severity}: {number:,} x {code}"
        for finding in alike[:_SHOWN_FINDINGS]:
            place = f"line {finding.line}: " if finding.line is not None else ""
            yield f"    {place}{finding.message}" + (f" [{finding.case}]" if finding.case else "")
        if number > _SHOWN_FINDINGS:
            yield f"    ... and {number - _SHOWN_FINDINGS:,} more"


def _cases_of(cases: int, rows: int) -> str:
    return f"{cases:,} case{'s' * (cases != 1)} of {rows:,} row{'s' * (rows != 1)}"
