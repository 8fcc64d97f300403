"""What an import says of one source: its cases or results, what became of its rows, and what was found."""

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import PurePath

import polars as pl

from inspector.render.texts.sentences import counted as number_of
from scoring.data.errors import with_short_names
from scoring.data.rules import when_wrong
from scoring.data.training_point import GUESSED
from scoring.evaluation.verdicts import NO_VERDICT
from scoring.evaluation.votes import most_answers, tally
from scoring.formats.benchmarks.case_format import Imported
from scoring.formats.reading.critic_answers import fault_of
from scoring.formats.reading.findings import Finding, Severity, counted
from scoring.formats.reading.metadata import LISTS
from scoring.formats.results.result_format import NO_INDICES
from scoring.formats.results.scorer_names import named_after_folder
from scoring.importing.join import NO_VERDICT_READ, JoinedResults
from scoring.importing.saving import LEFT_OUT, SavedResults
from scoring.workspace.generation import Added

PLACES = 3
"""Places that a kind of errors or warnings shows, fewer where there are many kinds; a kind of notes shows one."""
GRAVE_KINDS, NOTE_KINDS, CODES = 6, 4, 12
"""Kinds of errors and warnings, and of notes, that are listed with a place, and further ones that are named."""
LISTED = 8
"""Benchmarks, and groups of scorers, that are listed one by one."""
SUBSETS = 12
"""Subsets of one file that are named."""
STEPS = 12
"""Steps of a training run that are named."""
NAMED = 3
"""Files, and names of scorers, that a line names."""
COLUMNS = 20
"""Columns that a line names."""
REASONS = 4
"""Kinds of reasons why answers could not be read that a line names."""


def cases_report(imported: Imported, added: Added | None, *, whole: bool = True) -> Iterator[str]:
    """Yield one import in a few lines: rows, subsets (all of them, or the first), labels, what changed."""
    yield f"{imported.source}: {imported.benchmark} ({imported.format})"
    lost = f", {imported.read - imported.cases.height:,} left out" if imported.read != imported.cases.height else ""
    unlabelled = imported.cases.height - imported.erroneous - imported.clean
    rest = f", {unlabelled:,} without a gold label" if unlabelled else ""
    twins = f"; {imported.twins.height:,} twins beside them" if imported.twins.height else ""
    kept = f"{number_of(imported.cases.height, 'case')} of {number_of(imported.read, 'row')}{lost}"
    yield f"  {kept}: {imported.erroneous:,} erroneous, {imported.clean:,} clean{rest}{twins}"
    if imported.cases.height:
        subsets = imported.cases.group_by("subset", maintain_order=True).len().rows()
        named = [f"{name or '(none)'} {n:,}" for name, n in subsets]
        yield f"  subsets: {some_named(named if whole else named[:SUBSETS], len(named), 'subset')}"
    if imported.mapping:
        yield f"  columns: {imported.mapping}"
    yield f"  labels: {imported.label_base}"
    yield from fate_lines([imported])
    if added:
        yield f"  in the workspace: {added.new:,} new, {added.changed:,} changed, {added.unchanged:,} unchanged"
        for path in added.elsewhere:
            yield f"  warning: {moved_words(path)}"


def moved_words(path: str) -> str:
    """Say which results are out of use since cases were imported from elsewhere."""
    return (
        f"some of the changed ones were imported from {path}, and are now those of this file; results of their former "
        "texts are theirs again once that file is imported again"
    )


def fate_lines(imports: Sequence[Imported]) -> Iterator[str]:
    """Yield the metadata columns that were kept, and those that were left out with the reason."""
    kept: dict[str, None] = {}
    left_out: dict[str, dict[str, None]] = {}
    uncounted = 0
    for fates in (imported.fates for imported in imports if imported.fates is not None):
        kept.update((name if name == here else f"{name} (here {here})", None) for name, here in fates.kept.items())
        for name, why in fates.left_out.items():
            left_out.setdefault(why, {})[name] = None
        uncounted += fates.uncounted
    if kept:
        yield f"  kept as metadata: {some_named(list(kept)[:COLUMNS], len(kept))}"
    for why, names in left_out.items():
        hint = " (numbers a step: --rewards COLUMN takes them)" if why == LISTS else ""
        yield f"  left out, {why}: {some_named(list(names)[:COLUMNS], len(names))}{hint}"
    if uncounted:
        yield f"  left out without a look: {uncounted:,} more columns"


def results_report(joined: JoinedResults, saved: SavedResults | None) -> Iterator[str]:
    """Yield one scorer's results in a few lines: what joined and how, what could not be read."""
    foreign = joined.results
    name = saved.scorer if saved else foreign.name
    yield f"{foreign.source}: {foreign.kind} {name} ({foreign.format})"
    if of_folder := folder_name_words(foreign.source, name):
        yield f"  {of_folder}"
    yield f"  {joined_counts(joined)}"
    yield f"  what it gives: {gives_words(joined)}"
    yield from checkpoint_lines([(joined, saved)])
    if foreign.label_base != NO_INDICES:
        yield f"  indices: {foreign.label_base}"
    if saved:
        yield ". ".join(
            [
                f"  in the workspace: {saved.state}{otherwise_words([saved])}",
                *(sentence for _, sentence in saving_remarks(saved)),
            ]
        )


def checkpoint_lines(of_results: Sequence[tuple[JoinedResults, SavedResults | None]]) -> Iterator[str]:
    """Yield a line a training run: at which of its steps the scorers are."""
    runs: dict[tuple[str, bool], list[str]] = {}
    for joined, saved in of_results:
        point = saved.training if saved else joined.results.training
        if point.series is not None and point.at is not None:
            runs.setdefault((point.series, point.guessed), []).append(f"{point.at:,}")
    for (series, guessed), steps in list(runs.items())[:LISTED]:
        noun = "step" if len(steps) == 1 else "steps"
        at = some_named(steps[:STEPS], len(steps))
        yield f"  of the training run {series}: {noun} {at}{GUESSED if guessed else ''}"
    if len(runs) > LISTED:
        yield f"  ... and {number_of(len(runs) - LISTED, 'more training run')}"


def folder_name_words(source: str, name: str) -> str:
    """Say that a scorer is called as its folder; "" where it is not."""
    if not named_after_folder(source, name):
        return ""
    file = PurePath(source.replace("\\", "/")).name
    return f"name: that of its folder, for {file} does not say whose it is; --name NAME gives another"


def joined_counts(joined: JoinedResults) -> str:
    """Say how many rows of a file joined, to what and by what."""
    rows, read = joined.results.rows.height, joined.results.read
    lost = f", {rows - joined.joined:,} not" if rows != joined.joined else ""
    left = read - rows
    unused = f"; {left:,} of {read:,} rows {'was' if left == 1 else 'were'} left out while reading" if left > 0 else ""
    return (
        f"{joined.joined:,} of {rows:,} results joined to {', '.join(joined.benchmarks)} by {joined.by}{lost}{unused}"
    )


def joined_words(joined: JoinedResults) -> str:
    """Say how many rows of a scorer's file joined, to what and by what: behind the name of the scorer."""
    return joined_counts(joined).replace(" results joined", " joined", 1)


def gives_words(joined: JoinedResults, *, short: bool = False) -> str:
    """Say what kind of numbers or answers there are, how many could not be read, and what decides on them."""
    kinds = given_words(joined, short=short)
    if kinds and joined.results.settings.get("higher_is") == "worse":
        kinds += ", each read as 1 - value"
    if joined.row_counts["rewards"] and not joined.row_counts["answers"]:
        rule = joined.results
        wrong = when_wrong(rule.on, rule.comparison, f"{rule.threshold:g}")
        words = f"wrong iff {wrong.rpartition(' iff ')[2]}" if short else wrong
        return f"{kinds}; {words} ({rule.threshold_source})"
    return kinds or "nothing"


def given_words(joined: JoinedResults, *, short: bool = False) -> str:
    """Count what a file gave a scorer, by kind, and what of it could not be read; "" where it gave nothing."""
    numbers = joined.row_counts
    counts = {
        "with step rewards": numbers["rewards"],
        "with step labels as given": numbers["labels"],
        "with a second number a step for redundancy": numbers["redundancy"],
        "with one number a solution, which names no step": numbers["solution"],
        "refused": numbers["refused"],
        _verdict_words(joined): numbers["answers"],
        "unparsed": joined.unparsed,
    }
    # Where all is refused, what there is none of is said as well; otherwise a number of all results is told already.
    all_refused = 0 < numbers["refused"] == sum(numbers.values())
    parts = [
        what.removeprefix("with ") if short and n == joined.joined and not all_refused else f"{n:,} {what}"
        for what, n in counts.items()
        if n or (all_refused and what == "with step rewards")
    ]
    if joined.unparsed and parts:
        parts[-1] += f" ({_unparsed_reasons(joined.votes)}){_cases_without_verdict(joined.votes)}"
    return ", ".join(parts)


def _verdict_words(joined: JoinedResults) -> str:
    """What rows with verdicts are: a critic's answers, or a PRM's verdicts, which it said without words."""
    return "answers" if joined.results.kind == "critic" else "verdicts as given, without step rewards"


def _unparsed_reasons(votes: pl.DataFrame) -> str:
    """Why answers could not be read, by kind of reason with its count: the most frequent kinds, then the rest."""
    reasons = Counter(_kind_of_reason(reason) for reason in votes.filter(NO_VERDICT_READ)["reason"])
    frequent = reasons.most_common(REASONS)
    rest = reasons.total() - sum(count for _, count in frequent)
    if len(frequent) == 1 and not rest:
        return frequent[0][0]
    words = [f"{count:,} {kind}" for kind, count in frequent]
    return ", ".join([*words, *([f"{rest:,} for other reasons"] if rest else [])])


def _kind_of_reason(reason: str | None) -> str:
    """What a reason says before its detail, which differs from answer to answer."""
    return str(fault_of(reason or "") or (reason or "no reason given").partition(": ")[0])


def _cases_without_verdict(votes: pl.DataFrame) -> str:
    """Of answers that vote, how many cases have no verdict after the vote, as `metrics` counts them; else ""."""
    # A row that names no case stands for its content.
    votes = votes.with_columns(case=pl.coalesce("case", "key"))
    if most_answers(votes.filter(pl.col("run") == votes["run"].min())) <= 1:
        return ""
    rated = votes.filter(pl.col("rewards").is_not_null())
    voted = votes.join(rated, on=["case", "run"], how="anti", maintain_order="left")
    cases = [tally(run.select("key", "case").unique("case"), run) for run in voted.partition_by("run")]
    unread = sum(int((counts.verdicts == NO_VERDICT).sum()) for counts in cases)
    return f"; after the vote {unread:,} of {sum(counts.verdicts.size for counts in cases):,} cases are unparsed"


def finding_lines(findings: Sequence[Finding], width: int | None, *, whole: bool) -> Iterator[str]:
    """Yield the findings of one source, all of them or the first of each kind."""
    kinds = counted(findings)
    serious = sum(severity != "note" for severity, *_ in kinds)
    n_listed = 0
    for severity, code, number, further in listed_kinds(kinds, whole=whole):
        if further:
            yield from wrapped_lines([f"  {further}"], width)
            continue
        yield f"  {severity}: {number:,} x {code}"
        alike = (finding for finding in findings if (finding.severity, finding.code) == (severity, code))
        limit = number if whole else min(number, place_limit(severity, serious))
        for finding in islice(alike, limit):
            place = f"line {finding.line}: " if finding.line is not None else ""
            yield from wrapped_lines([f"    {place}{finding_text(finding)}"], width)
        if number > limit:
            yield f"    ... and {number - limit:,} more"
        n_listed += limit
    if n_listed < len(findings):
        yield "  -v lists every finding."


def place_limit(severity: Severity, serious: int) -> int:
    """Return how many places a kind of findings shows beside so many kinds of errors and warnings."""
    return 1 if severity == "note" else max(1, min(PLACES, 2 * PLACES // serious))


def finding_text(finding: Finding) -> str:
    """Write the message of a finding and its case."""
    return finding.message + (f" [{finding.case}]" if finding.case else "")


def listed_kinds(
    kinds: Sequence[tuple[Severity, str, int, Finding]], *, whole: bool = False
) -> Iterator[tuple[Severity, str, int, str]]:
    """Yield (severity, code, how many, "") a kind that is listed, errors and warnings before notes.

    Where there are more of a kind of severity than are listed, the last is a line that names the rest.
    """
    for severities, number in ((("error", "warning"), GRAVE_KINDS), (("note",), NOTE_KINDS)):
        of_it = [kind for kind in kinds if kind[0] in severities]
        listed = len(of_it) if whole else number
        yield from ((severity, code, count, "") for severity, code, count, _ in of_it[:listed])
        for severity in severities:
            rest = [kind for kind in of_it[listed:] if kind[0] == severity]
            if rest:
                codes = some_named([f"{count:,} x {code}" for _, code, count, _ in rest[:CODES]], len(rest), "kind")
                count = sum(kind[2] for kind in rest)
                yield rest[0][0], "", count, f"{severity}: {count:,} more: {codes}"


def some_named(named: Sequence[str], number: int, noun: str = "") -> str:
    """List names, and how many more there are."""
    more = number - len(named)
    rest = f"{more:,} more" + (f" {noun}{'s' * (more != 1)}" if noun else "")
    return ", ".join(named) + (f" and {rest}" if more else "")


def saving_remarks(saved: SavedResults) -> Iterator[tuple[str, str]]:
    """Yield code and sentence of what a person should look at."""
    if saved.why:
        yield "not-saved" if saved.state == LEFT_OUT else "kept-threshold", saved.why
    if saved.gone:
        gone = f"What this file gave {number_of(saved.gone, 'case')} before is gone"
        yield "results-gone", f"{gone}: what was read of it now takes its place; under another --name both stay."


def otherwise_words(saved: Sequence[SavedResults]) -> str:
    """Count the cases with another result than before; "" where there are none."""
    number = sum(results.otherwise for results in saved)
    return f", {number_of(number, 'case')} with another result" if number else ""


def wrapped_lines(lines: Iterable[str], width: int | None) -> Iterator[str]:
    """Yield the lines, those that are too long in several whose further ones are indented."""
    for line in map(with_short_names, lines):
        if width is None or len(line) <= width:
            yield line
            continue
        indent = " " * (len(line) - len(line.lstrip()) + 4)
        yield from textwrap.wrap(line, max(20, width), subsequent_indent=indent, break_on_hyphens=False)
