"""What an import says of itself, in lines: totals, what joined, and what is unusual, grouped over all files.

It fits a screen however many files there are: what is left out is counted, and `verbose` lists every file and finding.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import PurePath

import polars as pl
from msgspec import Struct
from rich.cells import cell_len

from inspector.render.source_report import (
    LISTED,
    NAMED,
    PLACES,
    cases_report,
    checkpoint_lines,
    fate_lines,
    finding_lines,
    finding_text,
    folder_name_words,
    gives_words,
    joined_counts,
    joined_words,
    listed_kinds,
    moved_words,
    otherwise_words,
    place_limit,
    results_report,
    saving_remarks,
    some_named,
    wrapped_lines,
)
from inspector.render.texts.sentences import counted as number_of
from inspector.render.texts.text import cell, clean
from scoring.formats.benchmarks.case_format import Imported
from scoring.formats.reading.findings import Finding, Severity, counted
from scoring.formats.results.result_format import NO_INDICES
from scoring.importing.batch import ImportBatch
from scoring.importing.join import JoinedResults
from scoring.importing.ledger import Unchanged
from scoring.importing.saving import SavedResults
from scoring.workspace.generation import Added

NOT_READ, REFUSED_REASONS = "not-read", 6
"""The code of files of folders that could not be read, and for how many reasons each first file is listed."""
_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


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
    yield from wrapped_lines(_unchanged(batch.unchanged), width)
    if batch.unchanged and not batch.imported and not batch.joined and not batch.skipped:
        return
    of_cases = [(imported, added[at] if added else None) for at, imported in enumerate(batch.imported)]
    of_results = [(joined, saved[at] if saved else None) for at, joined in enumerate(batch.joined)]
    if len(of_cases) + len(of_results) + len(batch.skipped) > 1:
        names = _Names.of([*(cases.source for cases in batch.imported), *(of.results.source for of in batch.joined)])
        every = list(_remarks(batch, added, saved))
        yield from wrapped_lines([_head(batch, saved, names, every)], width)
        yield from _benchmarks(of_cases, width)
        if not verbose:
            yield from wrapped_lines(fate_lines(batch.imported), width)
            yield from wrapped_lines(_scorers(of_results), width)
            yield from wrapped_lines(checkpoint_lines(of_results), width)
            yield from _unusual(every, names, width)
            yield from wrapped_lines(_passed_over(batch, whole=False), width)
            yield "-v lists every file and finding."
            return
    for imported, one_added in of_cases:
        yield from wrapped_lines(cases_report(imported, one_added, whole=verbose), width)
        yield from finding_lines(imported.findings, width, whole=verbose)
    for joined, one_saved in of_results:
        yield from wrapped_lines(results_report(joined, one_saved), width)
        yield from finding_lines(joined.findings, width, whole=verbose)
    yield from batch.skipped
    yield from wrapped_lines(_passed_over(batch, whole=verbose), width)


def _passed_over(batch: ImportBatch, *, whole: bool) -> Iterator[str]:
    """Which files of folders and which workspaces were not looked at, all of them or the first."""
    if files := batch.passed_over:
        named = files if whole else [PurePath(file).name for file in files[:NAMED]]
        names = some_named(list(named), len(files))
        yield f"not looked at, by their names: {number_of(len(files), 'file')} ({names}); to read one, name it"
    if folders := batch.workspaces:
        names = some_named(list(folders if whole else folders[:NAMED]), len(folders))
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
        return some_named(named, len(count), "file")


def _remarks(batch: ImportBatch, added: Sequence[Added], saved: Sequence[SavedResults]) -> Iterator[Finding]:
    """Every finding, and what else a person should look at as if it were one."""
    for sentence in batch.skipped:
        yield Finding("warning", NOT_READ, sentence, "")
    for at, imported in enumerate(batch.imported):
        yield from imported.findings
        for path in added[at].elsewhere if added else ():
            yield Finding("warning", "moved", moved_words(path), imported.source)
    for at, joined in enumerate(batch.joined):
        yield from joined.findings
        name = saved[at].scorer if saved else joined.results.name
        if of_folder := folder_name_words(joined.results.source, name):
            yield Finding("note", "folder-name", of_folder, joined.results.source)
        for code, sentence in saving_remarks(saved[at]) if saved else ():
            yield Finding("warning", code, sentence, joined.results.source)


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
    states += otherwise_words(saved)
    results = ", ".join(number_of(count, kind) for kind, count in kinds.items())
    parts += [f"{results} ({states})" if states else results] if kinds else []
    noticed = noticed_words(every)
    where = f"{number_of(len(files), 'file')} in {names.folder}" if names.folder else number_of(len(files), "file")
    if len(files) == 1:
        (where,) = files
    counts = "; ".join([*parts, noticed] if noticed else parts)
    return f"{where}: {counts}"


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
        each = [f"{some_named(list(names)[:NAMED], len(names))} {base}" for base, names in list(bases.items())[:LISTED]]
        more = f"; {len(bases) - LISTED:,} more ways" if len(bases) > LISTED else ""
        yield from wrapped_lines([f"  labels: {'; '.join(each)}{more}"], width)


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
    joins = {joined_counts(joined) for joined, _ in of_results}
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
        yield f"  {some_named(names[:NAMED], len(names))}: {facts}"
    if rest := ordered[LISTED:]:
        yield f"  ... and {number_of(sum(len(groups[facts]) for facts in rest), 'more scorer')}"


def _facts(joined: JoinedResults) -> str:
    """What a scorer gives, and how its indices were read."""
    base = joined.results.label_base.partition(" (")[0]
    indices = "" if base == NO_INDICES else f"; indices {base}" if base[:1].isdigit() else f"; {base}"
    return f"{gives_words(joined, short=True)}{indices}"


def _unusual(every: Sequence[Finding], names: _Names, width: int | None) -> Iterator[str]:
    """Errors, warnings, then notes, a kind at a time over all files."""
    kinds = counted(every)
    serious = sum(severity != "note" for severity, *_ in kinds)
    one_source = len({finding.source for finding in every}) == 1
    for severity, code, number, further in listed_kinds(kinds):
        if further:
            yield from wrapped_lines([further], width)
            continue
        if code == NOT_READ:
            yield from wrapped_lines([f"{severity}: {number:,} x {code}"], width)
            yield from wrapped_lines(_refused([finding.message for finding in every if finding.code == code]), width)
            continue
        alike = [finding for finding in every if (finding.severity, finding.code) == (severity, code)]
        count = Counter(finding.source for finding in alike if finding.source)
        several = f" in {number_of(len(count), 'file')}" if count else ""
        if severity == "note":
            if one_source:
                # What was guessed of one file is worth the lines that it takes; notes of many files get one each.
                yield from wrapped_lines([f"note: {number:,} x {code}: {finding_text(alike[0])}"], width)
                continue
            yield _cut(
                f"note: {number:,} x {code}{several}: {finding_text(alike[0])} ({_place(alike[0], names)})", width
            )
            continue
        limit = place_limit(severity, serious)
        which = f" ({names.listed(count)})" if len(count) > 1 and number > limit else ""
        yield from wrapped_lines([f"{severity}: {number:,} x {code}{several}{which}"], width)
        for finding in _first_of_each_file(alike, limit):
            place = f"{_place(finding, names)}: " if finding.source else ""
            yield from wrapped_lines([f"  {place}{finding_text(finding)}"], width)
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


def _cut(line: str, width: int | None) -> str:
    """The line, its end left out where it is too long."""
    return line if width is None else cell(clean(line), width).rstrip()
