"""What an import says of itself, in lines: totals, what joined, and what is unusual, grouped over all files.

It fits a screen however many files there are: what is left out is counted, and `verbose` lists every file and finding.
"""

import os
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import PurePath

import polars as pl
from msgspec import Struct
from rich.cells import cell_len

from inspector.render.texts.sentences import counted as number_of
from inspector.render.texts.text import cell, clean
from scoring.data.errors import with_short_names
from scoring.data.rules import when_wrong
from scoring.data.training_point import GUESSED
from scoring.formats.benchmarks.case_format import Imported
from scoring.formats.reading.critic_answers import fault_of
from scoring.formats.reading.findings import Finding, Severity, counted
from scoring.formats.reading.metadata import LISTS
from scoring.formats.results.result_format import NO_INDICES
from scoring.formats.results.scorer_names import named_after_folder
from scoring.importing.batch import ImportBatch
from scoring.importing.join import NO_VERDICT_READ, JoinedResults
from scoring.importing.ledger import Unchanged
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
NOT_READ, REFUSED_REASONS = "not-read", 6
"""The code of files of folders that could not be read, and for how many reasons each first file is listed."""
_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
COLUMNS = 20
"""Columns that a line names."""
REASONS = 4
"""Kinds of reasons why answers could not be read that a line names."""


def reports(
    batch: ImportBatch,
    added: Sequence[Added] = (),
    saved: Sequence[SavedResults] = (),
    *,
    verbose: bool = False,
    width: int | None = None,
) -> Iterator[str]:
    """Yield the lines about what was found.

    Args:
        batch: what the sources hold.
        added: what the import of each of `batch.imported` changed; () = nothing was written.
        saved: the same for each of `batch.joined`.
        verbose: list every source with all of its findings.
        width: cells of the terminal, where lines are to keep to it; None = lines are as long as they are.
    """
    yield from _wrapped(_unchanged(batch.unchanged), width)
    if batch.unchanged and not batch.imported and not batch.joined and not batch.skipped:
        return
    of_cases = [(imported, added[at] if added else None) for at, imported in enumerate(batch.imported)]
    of_results = [(joined, saved[at] if saved else None) for at, joined in enumerate(batch.joined)]
    if len(of_cases) + len(of_results) + len(batch.skipped) > 1:
        names = _Names.of([*(cases.source for cases in batch.imported), *(of.results.source for of in batch.joined)])
        every = list(_remarks(batch, added, saved))
        yield from _wrapped([_head(batch, saved, names, every)], width)
        yield from _benchmarks(of_cases, width)
        if not verbose:
            yield from _wrapped(_fates(batch.imported), width)
            yield from _wrapped(_scorers(of_results), width)
            yield from _wrapped(_checkpoints(of_results), width)
            yield from _unusual(every, names, width)
            yield from _wrapped(_passed_over(batch, whole=False), width)
            yield "-v lists every file and finding."
            return
    for imported, one_added in of_cases:
        yield from _wrapped(cases_report(imported, one_added, whole=verbose), width)
        yield from _findings(imported.findings, width, whole=verbose)
    for joined, one_saved in of_results:
        yield from _wrapped(results_report(joined, one_saved), width)
        yield from _findings(joined.findings, width, whole=verbose)
    yield from batch.skipped
    yield from _wrapped(_passed_over(batch, whole=verbose), width)


def _passed_over(batch: ImportBatch, *, whole: bool) -> Iterator[str]:
    """Which files of folders and which workspaces were not looked at, all of them or the first."""
    if files := batch.passed_over:
        named = files if whole else [PurePath(file).name for file in files[:NAMED]]
        names = _some(list(named), len(files))
        yield f"not looked at, by their names: {number_of(len(files), 'file')} ({names}); to read one, name it"
    if folders := batch.workspaces:
        names = _some(list(folders if whole else folders[:NAMED]), len(folders))
        count = number_of(len(folders), "workspace")
        yield f"not looked into, as prm-inspect's own: {count} ({names}); to read a file in one, name the file"


def _unchanged(files: Sequence[Unchanged]) -> Iterator[str]:
    """Which files are in the workspace as they are, and what they held."""
    for file in files[:LISTED]:
        warned = "; there were warnings (-v reads it again)" if file.grave else ""
        yield f"{file.source}: unchanged since it was imported: {file.held}{warned}"
    if len(files) > LISTED:
        rest = files[LISTED:]
        yield f"{len(rest):,} more files are unchanged, {sum(file.grave for file in rest):,} of them with warnings"


# -- one source


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
        yield f"  subsets: {_some(named if whole else named[:SUBSETS], len(named), 'subset')}"
    if imported.mapping:
        yield f"  columns: {imported.mapping}"
    yield f"  labels: {imported.label_base}"
    yield from _fates([imported])
    if added:
        yield f"  in the workspace: {added.new:,} new, {added.changed:,} changed, {added.unchanged:,} unchanged"
        for path in added.elsewhere:
            yield f"  warning: {_moved_from(path)}"


def _moved_from(path: str) -> str:
    return (
        f"some of the changed ones were imported from {path}, and are now those of this file; results of their former "
        "texts are theirs again once that file is imported again"
    )


def _fates(imports: Sequence[Imported]) -> Iterator[str]:
    """The metadata columns that were kept, and those that were left out with the reason."""
    kept: dict[str, None] = {}
    left_out: dict[str, dict[str, None]] = {}
    uncounted = 0
    for fates in (imported.fates for imported in imports if imported.fates is not None):
        kept.update((name if name == here else f"{name} (here {here})", None) for name, here in fates.kept.items())
        for name, why in fates.left_out.items():
            left_out.setdefault(why, {})[name] = None
        uncounted += fates.uncounted
    if kept:
        yield f"  kept as metadata: {_some(list(kept)[:COLUMNS], len(kept))}"
    for why, names in left_out.items():
        hint = " (numbers a step: --rewards COLUMN takes them)" if why == LISTS else ""
        yield f"  left out, {why}: {_some(list(names)[:COLUMNS], len(names))}{hint}"
    if uncounted:
        yield f"  left out without a look: {uncounted:,} more columns"


def results_report(joined: JoinedResults, saved: SavedResults | None) -> Iterator[str]:
    """Yield one scorer's results in a few lines: what joined and how, what could not be read."""
    foreign = joined.results
    name = saved.scorer if saved else foreign.name
    yield f"{foreign.source}: {foreign.kind} {name} ({foreign.format})"
    if of_folder := _name_of_folder(foreign.source, name):
        yield f"  {of_folder}"
    yield f"  {_joined(joined)}"
    yield f"  what it gives: {_gives(joined)}"
    yield from _checkpoints([(joined, saved)])
    if foreign.label_base != NO_INDICES:
        yield f"  indices: {foreign.label_base}"
    if saved:
        yield ". ".join(
            [
                f"  in the workspace: {saved.state}{_otherwise([saved])}",
                *(sentence for _, sentence in _of_saving(saved)),
            ]
        )


def _checkpoints(of_results: Sequence[tuple[JoinedResults, SavedResults | None]]) -> Iterator[str]:
    """A line a training run: at which of its steps the scorers are."""
    runs: dict[tuple[str, bool], list[str]] = {}
    for joined, saved in of_results:
        point = saved.training if saved else joined.results.training
        if point.series is not None and point.at is not None:
            runs.setdefault((point.series, point.guessed), []).append(f"{point.at:,}")
    for (series, guessed), steps in list(runs.items())[:LISTED]:
        noun = "step" if len(steps) == 1 else "steps"
        yield f"  of the training run {series}: {noun} {_some(steps[:STEPS], len(steps))}{GUESSED if guessed else ''}"
    if len(runs) > LISTED:
        yield f"  ... and {number_of(len(runs) - LISTED, 'more training run')}"


def _name_of_folder(source: str, name: str) -> str:
    """That a scorer is called as its folder; "" where it is not."""
    if not named_after_folder(source, name):
        return ""
    file = PurePath(source.replace("\\", "/")).name
    return f"name: that of its folder, for {file} does not say whose it is; --name NAME gives another"


def _joined(joined: JoinedResults) -> str:
    """How many rows of a file joined, to what and by what."""
    rows, read = joined.results.rows.height, joined.results.read
    lost = f", {rows - joined.joined:,} not" if rows != joined.joined else ""
    left = read - rows
    unused = f"; {left:,} of {read:,} rows {'was' if left == 1 else 'were'} left out while reading" if left > 0 else ""
    return (
        f"{joined.joined:,} of {rows:,} results joined to {', '.join(joined.benchmarks)} by {joined.by}{lost}{unused}"
    )


def joined_words(joined: JoinedResults) -> str:
    """Say how many rows of a scorer's file joined, to what and by what: behind the name of the scorer."""
    return _joined(joined).replace(" results joined", " joined", 1)


def _gives(joined: JoinedResults, *, short: bool = False) -> str:
    """What kind of numbers or answers there are, how many could not be read, and what decides on them."""
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
    from scoring.evaluation.verdicts import NO_VERDICT
    from scoring.evaluation.votes import most_answers, tally

    # A row that names no case stands for its content.
    votes = votes.with_columns(case=pl.coalesce("case", "key"))
    if most_answers(votes.filter(pl.col("run") == votes["run"].min())) <= 1:
        return ""
    rated = votes.filter(pl.col("rewards").is_not_null())
    voted = votes.join(rated, on=["case", "run"], how="anti", maintain_order="left")
    cases = [tally(run.select("key", "case").unique("case"), run) for run in voted.partition_by("run")]
    unread = sum(int((counts.verdicts == NO_VERDICT).sum()) for counts in cases)
    return f"; after the vote {unread:,} of {sum(counts.verdicts.size for counts in cases):,} cases are unparsed"


def _findings(findings: Sequence[Finding], width: int | None, *, whole: bool) -> Iterator[str]:
    """The findings of one source, all of them or the first of each kind."""
    kinds = counted(findings)
    serious = sum(severity != "note" for severity, *_ in kinds)
    n_listed = 0
    for severity, code, number, further in _listed(kinds, whole=whole):
        if further:
            yield from _wrapped([f"  {further}"], width)
            continue
        yield f"  {severity}: {number:,} x {code}"
        alike = (finding for finding in findings if (finding.severity, finding.code) == (severity, code))
        limit = number if whole else min(number, _places(severity, serious))
        for finding in islice(alike, limit):
            place = f"line {finding.line}: " if finding.line is not None else ""
            yield from _wrapped([f"    {place}{_said(finding)}"], width)
        if number > limit:
            yield f"    ... and {number - limit:,} more"
        n_listed += limit
    if n_listed < len(findings):
        yield "  -v lists every finding."


def _places(severity: Severity, serious: int) -> int:
    """How many places a kind of findings shows beside so many kinds of errors and warnings."""
    return 1 if severity == "note" else max(1, min(PLACES, 2 * PLACES // serious))


def _said(finding: Finding) -> str:
    return finding.message + (f" [{finding.case}]" if finding.case else "")


def _listed(
    kinds: Sequence[tuple[Severity, str, int, Finding]], *, whole: bool = False
) -> Iterator[tuple[Severity, str, int, str]]:
    """(severity, code, how many, "") a kind that is listed, errors and warnings before notes.

    Where there are more of a kind of severity than are listed, the last is a line that names the rest.
    """
    for severities, number in ((("error", "warning"), GRAVE_KINDS), (("note",), NOTE_KINDS)):
        of_it = [kind for kind in kinds if kind[0] in severities]
        listed = len(of_it) if whole else number
        yield from ((severity, code, count, "") for severity, code, count, _ in of_it[:listed])
        for severity in severities:
            rest = [kind for kind in of_it[listed:] if kind[0] == severity]
            if rest:
                codes = _some([f"{count:,} x {code}" for _, code, count, _ in rest[:CODES]], len(rest), "kind")
                count = sum(kind[2] for kind in rest)
                yield rest[0][0], "", count, f"{severity}: {count:,} more: {codes}"


# -- several sources


class _Names(Struct, frozen=True):
    """Short names of the sources: the file's where no other is called so, else the path from the common folder.

    `folder` is what all paths have in common; "" = there is none. `repeated` are names that several files have.
    """

    folder: str
    repeated: frozenset[str] = frozenset()

    @classmethod
    def of(cls, sources: Iterable[str]) -> "_Names":
        every = set(sources)
        count = Counter(PurePath(source).name for source in every)
        repeated = frozenset(name for name, number in count.items() if number > 1)
        try:
            common = os.path.commonpath([os.path.dirname(source) for source in every])  # noqa: PTH120
        except ValueError:
            common = ""
        return cls(common if common != os.sep else "", repeated)

    def __getitem__(self, source: str) -> str:
        if not self.folder:
            return source
        name = PurePath(source).name
        return name if name not in self.repeated else source.removeprefix(self.folder + os.sep)

    def listed(self, count: Counter[str]) -> str:
        """The names of sources with a number each, the largest first."""
        named = [f"{self[source]} {number:,}" for source, number in count.most_common(NAMED)]
        return _some(named, len(count), "file")


def _some(named: Sequence[str], number: int, noun: str = "") -> str:
    """Names, and how many more there are."""
    more = number - len(named)
    rest = f"{more:,} more" + (f" {noun}{'s' * (more != 1)}" if noun else "")
    return ", ".join(named) + (f" and {rest}" if more else "")


def _remarks(batch: ImportBatch, added: Sequence[Added], saved: Sequence[SavedResults]) -> Iterator[Finding]:
    """Every finding, and what else a person should look at as if it were one."""
    for sentence in batch.skipped:
        yield Finding("warning", NOT_READ, sentence, "")
    for at, imported in enumerate(batch.imported):
        yield from imported.findings
        for path in added[at].elsewhere if added else ():
            yield Finding("warning", "moved", _moved_from(path), imported.source)
    for at, joined in enumerate(batch.joined):
        yield from joined.findings
        name = saved[at].scorer if saved else joined.results.name
        if of_folder := _name_of_folder(joined.results.source, name):
            yield Finding("note", "folder-name", of_folder, joined.results.source)
        for code, sentence in _of_saving(saved[at]) if saved else ():
            yield Finding("warning", code, sentence, joined.results.source)


def _of_saving(saved: SavedResults) -> Iterator[tuple[str, str]]:
    """Code and sentence of what a person should look at."""
    if saved.why:
        yield "not-saved" if saved.state == LEFT_OUT else "kept-threshold", saved.why
    if saved.gone:
        gone = f"What this file gave {number_of(saved.gone, 'case')} before is gone"
        yield "results-gone", f"{gone}: what was read of it now takes its place; under another --name both stay."


def _head(batch: ImportBatch, saved: Sequence[SavedResults], names: _Names, every: Sequence[Finding]) -> str:
    """All of it in one sentence."""
    files = {*(cases.source for cases in batch.imported), *(joined.results.source for joined in batch.joined)}
    number = pl.concat(
        [pl.Series("case", [], dtype=pl.String), *(imported.cases["case"] for imported in batch.imported)]
    ).n_unique()
    benchmarks = len({imported.benchmark for imported in batch.imported})
    scorers = dict.fromkeys((joined.results.kind, joined.results.name) for joined in batch.joined)
    kinds = Counter("PRM" if kind == "prm" else kind for kind, _ in scorers)
    parts = [f"{number_of(number, 'case')} of {number_of(benchmarks, 'benchmark')}"] if benchmarks else []
    of_states = Counter(results.state for results in saved)
    all_alike = len(of_states) == 1 and len(saved) > 1
    states = ", ".join(f"all {state}" if all_alike else f"{count:,} {state}" for state, count in of_states.items())
    states += _otherwise(saved)
    results = ", ".join(number_of(count, kind) for kind, count in kinds.items())
    parts += [f"{results} ({states})" if states else results] if kinds else []
    noticed = noticed_words(every)
    where = f"{number_of(len(files), 'file')} in {names.folder}" if names.folder else number_of(len(files), "file")
    if len(files) == 1:
        (where,) = files
    counts = "; ".join([*parts, noticed] if noticed else parts)
    return f"{where}: {counts}"


def _otherwise(saved: Sequence[SavedResults]) -> str:
    number = sum(results.otherwise for results in saved)
    return f", {number_of(number, 'case')} with another result" if number else ""


def noticed_words(findings: Iterable[Finding]) -> str:
    """Count findings by severity, the gravest first: `1 error, 2 warnings`; "" where there are none."""
    severities = Counter(finding.severity for finding in findings)
    return ", ".join(number_of(severities[severity], severity) for severity in _SEVERITIES if severities[severity])


def _benchmarks(of_cases: Sequence[tuple[Imported, Added | None]], width: int | None) -> Iterator[str]:
    """A table with a row a benchmark, without columns that would be 0 everywhere, and how labels were read."""
    rows = []
    bases: dict[str, Counter[str]] = {}
    groups: dict[str, list[tuple[Imported, Added | None]]] = {}
    for imported, added in of_cases:
        groups.setdefault(imported.benchmark, []).append((imported, added))
    for benchmark, parts in groups.items():
        cases = pl.concat([imported.cases.select("case", "earliest_error") for imported, _ in parts])
        once = cases.unique("case", keep="last")
        for imported, _ in parts:
            bases.setdefault(imported.label_base.partition(" (")[0], Counter())[benchmark] += 1
        changes = [added for _, added in parts if added]
        read = sum(imported.read for imported, _ in parts)
        row: dict[str, int | str] = {
            "benchmark": benchmark,
            "files": len(parts),
            "rows": read,
            "left out": read - cases.height,
            "repeated": cases.height - once.height,
            "cases": once.height,
            "erroneous": int((once["earliest_error"] >= 0).sum()),
            "clean": int((once["earliest_error"] == -1).sum()),
            "no label": once["earliest_error"].null_count(),
            "twins": sum(imported.twins.height for imported, _ in parts),
            "new": sum(change.new for change in changes),
            "changed": sum(change.changed for change in changes),
            "unchanged": sum(change.unchanged for change in changes),
        }
        rows.append(row)
    always = ("benchmark", "files", "rows", "cases", "erroneous", "clean")
    columns = [name for name in (rows[0] if rows else ()) if name in always or any(row[name] for row in rows)]
    yield from _aligned([{name: row[name] for name in columns} for row in rows[:LISTED]], width)
    if rest := rows[LISTED:]:
        cases_left = sum(int(row["cases"]) for row in rest)
        yield f"  ... and {number_of(len(rest), 'more benchmark')} with {number_of(cases_left, 'case')}"
    if rows:
        each = [f"{_some(list(names)[:NAMED], len(names))} {base}" for base, names in list(bases.items())[:LISTED]]
        more = f"; {len(bases) - LISTED:,} more ways" if len(bases) > LISTED else ""
        yield from _wrapped([f"  labels: {'; '.join(each)}{more}"], width)


def _aligned(rows: Sequence[dict[str, int | str]], width: int | None) -> Iterator[str]:
    """A table under its heads: numbers to the right, texts to the left, closer together where there is little room."""
    if not rows:
        return
    columns = {name: [name, *(_cell(row[name]) for row in rows)] for name in rows[0]}
    wide = {name: max(map(cell_len, cells)) for name, cells in columns.items()}
    gap = "  " if width is None or sum(wide.values()) + 2 * len(wide) <= width else " "
    for at in range(len(rows) + 1):
        texts = []
        for name, cells in columns.items():
            pad = " " * (wide[name] - cell_len(cells[at]))
            texts.append(pad + cells[at] if isinstance(rows[0][name], int) else cells[at] + pad)
        yield f"{gap}{gap.join(texts)}".rstrip()


def _cell(value: int | str) -> str:
    return f"{value:,}" if isinstance(value, int) else clean(value)


def _scorers(of_results: Sequence[tuple[JoinedResults, SavedResults | None]]) -> Iterator[str]:
    """A line for all scorers of whom the same is to be told; those of whom something did not join come first.

    How they joined is told first, and once, where it is the same of scorers that differ otherwise.
    """
    groups: dict[str, list[str]] = {}
    gaps: Counter[str] = Counter()
    joins = {_joined(joined) for joined, _ in of_results}
    alike = len(joins) == 1 and len({_facts(joined) for joined, _ in of_results}) > 1
    if alike:
        yield f"  all {len(of_results):,}: {next(iter(joins))}"
    for joined, saved in of_results:
        facts = _facts(joined)
        if not alike:
            facts = f"{joined_words(joined)}; {facts}"
        groups.setdefault(facts, []).append(saved.scorer if saved else joined.results.name)
        gaps[facts] += joined.results.read - joined.joined
    ordered = sorted(groups, key=lambda facts: -gaps[facts])
    for facts in ordered[:LISTED]:
        files = Counter(groups[facts])
        names = [name if count == 1 else f"{name} ({count:,} files, each)" for name, count in files.items()]
        yield f"  {_some(names[:NAMED], len(names))}: {facts}"
    if rest := ordered[LISTED:]:
        yield f"  ... and {number_of(sum(len(groups[facts]) for facts in rest), 'more scorer')}"


def _facts(joined: JoinedResults) -> str:
    """What a scorer gives, and how its indices were read."""
    base = joined.results.label_base.partition(" (")[0]
    indices = "" if base == NO_INDICES else f"; indices {base}" if base[:1].isdigit() else f"; {base}"
    return f"{_gives(joined, short=True)}{indices}"


def _unusual(every: Sequence[Finding], names: _Names, width: int | None) -> Iterator[str]:
    """Errors, warnings, then notes, a kind at a time over all files."""
    kinds = counted(every)
    serious = sum(severity != "note" for severity, *_ in kinds)
    one_source = len({finding.source for finding in every}) == 1
    for severity, code, number, further in _listed(kinds):
        if further:
            yield from _wrapped([further], width)
            continue
        if code == NOT_READ:
            yield from _wrapped([f"{severity}: {number:,} x {code}"], width)
            yield from _wrapped(_refused([finding.message for finding in every if finding.code == code]), width)
            continue
        alike = [finding for finding in every if (finding.severity, finding.code) == (severity, code)]
        count = Counter(finding.source for finding in alike if finding.source)
        several = f" in {number_of(len(count), 'file')}" if count else ""
        if severity == "note":
            if one_source:
                # What was guessed of one file is worth the lines that it takes; notes of many files get one each.
                yield from _wrapped([f"note: {number:,} x {code}: {_said(alike[0])}"], width)
                continue
            yield _cut(f"note: {number:,} x {code}{several}: {_said(alike[0])} ({_place(alike[0], names)})", width)
            continue
        limit = _places(severity, serious)
        which = f" ({names.listed(count)})" if len(count) > 1 and number > limit else ""
        yield from _wrapped([f"{severity}: {number:,} x {code}{several}{which}"], width)
        for finding in _first_of_each_file(alike, limit):
            place = f"{_place(finding, names)}: " if finding.source else ""
            yield from _wrapped([f"  {place}{_said(finding)}"], width)
        if number > limit:
            yield f"  ... and {number - limit:,} more"


def _refused(sentences: Sequence[str]) -> Iterator[str]:
    """Why files could not be read: each reason once, in the sentence of its first file, with the others alike."""
    reasons: dict[str, list[str]] = {}
    for sentence in sentences:
        # A path, and how much of something there is, differ from file to file.
        words = ["" if os.sep in word else re.sub(r"\d[\d,]*", "0", word) for word in sentence.split()]
        reasons.setdefault(" ".join(words), []).append(sentence)
    for alike in list(reasons.values())[:REFUSED_REASONS]:
        yield f"  {alike[0]}"
        paths = [next((word for word in sentence.split() if os.sep in word), "") for sentence in alike[1:]]
        if len(alike) <= PLACES and all(paths):
            yield from (f"  the same: {path.strip(':,;.')}" for path in paths)
        elif paths:
            yield f"  the same: {number_of(len(paths), 'more file')}"
    if rest := list(reasons.values())[REFUSED_REASONS:]:
        yield f"  ... and {number_of(sum(map(len, rest)), 'more file')} for {number_of(len(rest), 'other reason')}"


def _place(finding: Finding, names: _Names) -> str:
    line = f":{finding.line}" if finding.line is not None else ""
    return f"{names[finding.source]}{line}"


def _first_of_each_file(findings: Sequence[Finding], number: int) -> list[Finding]:
    """The first finding of as many files as there are, and where they are few further ones, in their order."""
    first: dict[str, int] = {}
    for at, finding in enumerate(findings):
        first.setdefault(finding.source, at)
    of_files = set(first.values())
    further = islice((at for at in range(len(findings)) if at not in of_files), number)
    return [findings[at] for at in sorted([*first.values(), *further][:number])]


# -- the width of a terminal


def _wrapped(lines: Iterable[str], width: int | None) -> Iterator[str]:
    """The lines, those that are too long in several whose further ones are indented."""
    for line in map(with_short_names, lines):
        if width is None or len(line) <= width:
            yield line
            continue
        indent = " " * (len(line) - len(line.lstrip()) + 4)
        yield from textwrap.wrap(line, max(20, width), subsequent_indent=indent, break_on_hyphens=False)


def _cut(line: str, width: int | None) -> str:
    """The line, its end left out where it is too long."""
    return line if width is None else cell(clean(line), width).rstrip()
