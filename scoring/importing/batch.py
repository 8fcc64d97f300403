"""Sources are read, results among them are joined, and all of it is put into the workspace."""

import os
import re
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import InputError, MissingColumn, ScorerConflict, UsageError
from scoring.data.names import without
from scoring.data.own_code import is_file
from scoring.data.rules import DEFAULTS
from scoring.data.scorer import Comparison, On
from scoring.data.storage.files import uuid7
from scoring.data.training_point import stated_point
from scoring.formats.benchmarks.benchmark_registry import MODULES
from scoring.formats.benchmarks.case_format import DECRYPTED, Imported
from scoring.formats.reading.file_bytes import printable
from scoring.formats.reading.findings import Finding, worst
from scoring.formats.results.result_format import RESULT_COLUMNS, ExternalResults
from scoring.formats.tables.column_mapping import ColumnMapping
from scoring.importing.bringing import TellSentence, bring
from scoring.importing.join import OF_CASES, JoinedResults, join
from scoring.importing.known_cases import (
    KnownCases,
    joinable_cases,
    opened_alone,
    without_copied_cases,
    without_shifted_labels,
)
from scoring.importing.ledger import Ledger, RememberedFile, Unchanged
from scoring.importing.local_files import LocalFile
from scoring.importing.proposal import OpenTable, Proposal
from scoring.importing.refusals import RefusedFile, commands_apart, refuse_unusable
from scoring.importing.saving import LEFT_OUT, SavedResults, save, scorer_of
from scoring.importing.source_locations import HUB, expanded, place, size_of
from scoring.importing.sources import ReadOptions, Source, read_source
from scoring.workspace.generation import Added
from scoring.workspace.workspace import Workspace

_ABANDONED_SECONDS = 86_400
# Nobody else calls a folder like this: what has such a name may be removed.
_SPILLED = re.compile(r"\.import-\d+-[0-9a-f]{32}\Z")


class ImportBatch(Struct, frozen=True, eq=False):
    """What the sources hold: cases, and results on the keys of cases.

    `skipped` says, in a sentence each, which files of folders and patterns could not be read, recognised or joined, and
    `skipped_places` where these are; `mappings` are those by which tables among the sources were read. `unchanged` are
    files that are in the workspace as they are, and were not read; `read` those that were, with how many scorers each
    holds. `proposals` are what mappings make of the first rows, if that was wanted. `passed_over` are files of folders
    that were not looked at, because their names do not end like those of files with rows, and `workspaces` are
    those that folders and patterns lead to, which were not looked into.
    """

    imported: tuple[Imported, ...]
    joined: tuple[JoinedResults, ...]
    skipped: tuple[str, ...] = ()
    mappings: tuple[ColumnMapping, ...] = ()
    unchanged: tuple[Unchanged, ...] = ()
    read: tuple[tuple[LocalFile, int], ...] = ()
    ledger: Ledger | None = None
    proposals: tuple[Proposal, ...] = ()
    passed_over: tuple[str, ...] = ()
    workspaces: tuple[str, ...] = ()
    skipped_places: tuple[str, ...] = ()
    # Whether a person wants the texts of rows that are published encrypted in the workspace.
    plain_text: bool = False

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """Of which benchmarks all of this is, each once."""
        held = [[file.benchmark] for file in self.imported]
        held += [[*file.benchmarks] for file in self.joined] + [[*file.benchmarks] for file in self.unchanged]
        return tuple(dict.fromkeys(name for names in held for name in names))

    @property
    def grave(self) -> bool:
        """Whether there is anything graver than a note."""
        each = [*(part.findings for part in self.imported), *(part.findings for part in self.joined)]
        before = any(file.grave for file in self.unchanged)
        return bool(self.skipped) or before or any(map(_is_grave, each))

    def put(self, workspace: Workspace, name: str | None = None) -> tuple[list[Added], list[SavedResults]]:
        """Put all of it into a workspace; what changed, an import and a scorer's file each.

        Results that cannot be saved because a scorer's name is taken do not keep the others out.

        Args:
            workspace: where to.
            name: what the one scorer is called, instead of after its file.

        Raises:
            UsageError: rows that are published encrypted would be written in plain text, and nobody wants that.
            WorkspaceError: it cannot be read or written.
            ScorerConflict: a scorer's name is taken, and there is nothing else.
        """
        self._check_wanted()
        added, saved = workspace.add(self.imported), [self._save(workspace, joined, name) for joined in self.joined]
        if self.ledger is not None:
            benchmarks = {imported.benchmark for imported in self.imported}
            self.ledger.remember(workspace, self._remembered(added, saved), benchmarks)
        return added, saved

    def _check_wanted(self) -> None:
        for imported in () if self.plain_text else self.imported:
            if any(finding.code == DECRYPTED for finding in imported.findings):
                raise UsageError(
                    f"{imported.source} is published encrypted, so that no model is trained on its texts, and a "
                    "workspace holds plain text.",
                    "Import it with --plain-text if nobody else reads this workspace, and share neither it nor what "
                    "is exported from it.",
                    instead=[("--plain-text", "keep its texts readable in this workspace")],
                )

    def _remembered(self, added: Sequence[Added], saved: Sequence[SavedResults]) -> Iterator[RememberedFile]:
        """The files that are whole in the workspace now, and of which nothing else has to be said."""
        cases_of: dict[str, list[int]] = {}
        results_of: dict[str, list[int]] = {}
        for at, imported in enumerate(self.imported):
            cases_of.setdefault(imported.path, []).append(at)
        for at, joined in enumerate(self.joined):
            results_of.setdefault(joined.results.place, []).append(at)
        for brought, scorers in self.read:
            cases = cases_of.get(brought.place, [])
            results = results_of.get(printable(brought.place), [])
            unusual = any(added[at].elsewhere for at in cases) or any(saved[at].why for at in results)
            # What code of the user's own makes of rows may change without a word.
            own = any(not self.imported[at].mapping and self.imported[at].benchmark not in MODULES for at in cases)
            # Of a file whose labels look shifted nothing is here, and that is to be said again.
            if own or unusual or len(results) < scorers or not (cases or results):
                continue
            held = [f"{self.imported[at].cases.height:,} cases of {self.imported[at].benchmark}" for at in cases]
            held += [f"{self.joined[at].joined:,} results of {saved[at].scorer}" for at in results]
            findings = [*(self.imported[at].findings for at in cases), *(self.joined[at].findings for at in results)]
            folders = tuple(saved[at].folder for at in results)
            benchmarks = [self.imported[at].benchmark for at in cases]
            benchmarks += [name for at in results for name in self.joined[at].benchmarks]
            is_grave = any(map(_is_grave, findings))
            yield RememberedFile(brought, " and ".join(held), is_grave, folders, tuple(dict.fromkeys(benchmarks)))

    def _save(self, workspace: Workspace, joined: JoinedResults, name: str | None) -> SavedResults:
        try:
            return save(workspace, joined, name)
        except ScorerConflict as error:
            if len(self.joined) + len(self.imported) + len(self.unchanged) == 1:
                raise
            return SavedResults(scorer_of(joined, name).name, LEFT_OUT, str(error))


def _is_grave(findings: Iterable[Finding]) -> bool:
    return worst(findings) in {"warning", "error"}


class NamedSources(Struct, frozen=True):
    """What is to be brought and read.

    `many` says that it is one of many that a word stands for, of which one may be refused without the others; `until`
    how many bytes of it are read, where it may be growing (None = all that there are).
    """

    word: str
    many: bool = False
    until: int | None = None


@dataclass(frozen=True)
class ImportOptions:
    """How sources are to be read.

    Attributes:
        benchmark: Whose rows they are.
        mapping, columns: What is said of a table's columns; see `ReadOptions`.
        join_to: Whose cases results belong to, where content does not say it.
        name: What the one table or scorer among them is called.
        run: Which independent repetition the answers are of.
        threshold, comparison, on: What decides on the rewards of the scorers among them; None = as they say themselves.
        series, at: Which training run the scorers are checkpoints of, and at which step the one is; None = as their
            paths say. Digests in workspaces were made without them.
        plain_text: Whether the texts of rows that are published encrypted may be written.
    """

    benchmark: str | None = None
    mapping: ColumnMapping | None = None
    columns: ColumnMapping | None = None
    threshold: float | None = None
    comparison: Comparison | None = None
    on: On | None = None
    join_to: str | None = None
    name: str | None = None
    run: int | None = None
    series: str | None = field(default=None, repr=False)
    at: int | None = field(default=None, repr=False)
    plain_text: bool = field(default=False, repr=False)

    @property
    def how(self) -> object:
        """Everything that says how sources are read, for what is remembered of them."""
        return self if self.series is None and self.at is None else (self, self.series, self.at)


AskMapping = Callable[[OpenTable], ColumnMapping | None]
"""Decides what the columns of a table are; None = as they are proposed."""
ImportProgress = Callable[[int, int, str], None]
"""Hears how many bytes of how many are read, and of what."""


def read_sources(
    words: Sequence[str | NamedSources],
    options: ImportOptions,
    workspace: Workspace | None,
    spill: Path | None,
    tell: TellSentence = lambda _: None,
    progress: ImportProgress = lambda *_: None,
    *,
    skip_unchanged: bool = False,
    ask: AskMapping | None = None,
    preview: bool = False,
    alone: bool = True,
) -> ImportBatch:
    """Read all sources and join the results among them to the cases of the workspace and of the sources themselves.

    Args:
        words: paths of files and folders, patterns, `hf:NAME`, `-` for standard input, addresses (`https://`, `s3://`),
            or sources that are known one by one, which come first.
        options: how they are to be read.
        workspace: whose cases results may belong to, beside those that are read; None = there is none yet.
        spill: where texts go that are too large for memory, and where what is no plain local file is unpacked. None =
            texts stay in memory.
        tell: see `scoring.importing.bringing.bring`.
        progress: hears how far it is, before every source and within large ones.
        skip_unchanged: whether files that were imported so before, and would change nothing, are left unread.
        ask: decides what the columns of a table are that is the only one of its word.
        preview: whether mappings of tables are wanted with what they make of the first rows.
        alone: whether there is nothing beside them that results may be of.

    Raises:
        InputError: a source that was named cannot be read or joined, or nothing at all was recognised.
        UsageError: a benchmark, column or name does not fit.
    """
    named = [word for word in words if isinstance(word, NamedSources)]
    workspaces: list[Path] = []
    plain = [word for word in words if isinstance(word, str)]
    named += [NamedSources(word, many) for word, many in expanded(plain, workspaces.append)]
    ledger = Ledger(workspace, options.how) if skip_unchanged and not is_file(options.benchmark or "") else None
    known = KnownCases(workspace)
    reading = ReadOptions(
        options.benchmark,
        options.mapping,
        options.columns,
        options.name,
        spill,
        known=known.beside if options.join_to is None else None,
        ask=ask,
        preview=preview,
    )
    every, skipped = _read(named, reading, tell, progress, ledger, known)
    unchanged = tuple(source.unchanged for source in every if source.unchanged is not None)
    read = tuple((source.brought, len(source.results)) for source in every if source.brought is not None)
    sources = list(opened_alone([source for source in every if source.unchanged is None], known))
    batch = join_sources(sources, skipped, options, workspace, alone=alone and not unchanged, held=bool(unchanged))
    left = tuple(dict.fromkeys(map(printable, workspaces)))
    return replace(batch, unchanged=unchanged, read=read, ledger=ledger, workspaces=left)


def join_sources(
    sources: list[Source],
    skipped: list[RefusedFile],
    options: ImportOptions,
    workspace: Workspace | None,
    *,
    alone: bool = True,
    held: bool = False,
) -> ImportBatch:
    """Join the results among sources to the cases of the workspace and of the sources themselves.

    Args:
        sources: what was read. One `among` many that does not fit is left out with a sentence, any other is an error.
        skipped: those that could not be read.
        options: how they are to be read; its name, run and threshold count here.
        workspace: whose cases results may belong to; None = there is none yet.
        alone: whether there is nothing beside them.
        held: whether there are others that are unchanged: what a name, or a step of training, is of may be among them.

    Raises:
        InputError: one cannot be joined, or nothing at all was recognised.
        UsageError: a name, run or threshold does not fit.
    """
    if workspace is not None:
        sources = [
            without_copied_cases(source, workspace) for source in without_shifted_labels(sources, workspace, skipped)
        ]
    imported = tuple(part for source in sources for part in source.imported)
    results = [(source, scorer) for source in sources for scorer in source.results]
    named = len({scorer.name for _, scorer in results}) or sum(bool(part.mapping) for part in imported)
    if options.name is not None and (named > 1 or not (named or held)):
        why = f"--name {options.name!r} is for one scorer or one table, and there are {named}."
        benchmarks = ", ".join(dict.fromkeys(part.benchmark for part in imported))
        as_table = f"Leave it out, or name a column (--problem COL), so that rows of {benchmarks} are read as a table."
        together = f" If all of it is one scorer's: --rewards COL={options.name} (or --verdict, --answers)."
        by_itself = f"Import it alone.{together if results else ''}"
        raise UsageError(why, as_table if benchmarks and not named else by_itself)
    if options.name is not None:
        results = [(source, replace(scorer, name=options.name)) for source, scorer in results]
    if results or not held:
        results = list(_as_checkpoints(results, options))
    cases = joinable_cases(workspace, imported) if results else pl.DataFrame(schema=OF_CASES)
    joined, failed = _joined(results, cases, options)
    skipped += failed
    if alone and not imported and not joined:
        # What was refused says itself what to do next.
        others = f"{len(skipped) - 1:,} more {'file was' if len(skipped) == 2 else 'files were'} left out"
        why = f" {skipped[0].sentence}{f' ({others})' if len(skipped) > 1 else ''}" if skipped else ""
        next_step = "" if skipped else "Name the benchmark: import BENCHMARK PATH"
        raise InputError(f"nothing was recognised.{why}", next_step)
    mappings = tuple(source.mapping for source in sources if source.mapping is not None)
    proposals = tuple(source.proposal for source in sources if source.proposal is not None)
    return ImportBatch(
        imported,
        tuple(joined),
        tuple(refused.sentence for refused in skipped),
        mappings,
        proposals=proposals,
        skipped_places=tuple(refused.place for refused in skipped),
        plain_text=options.plain_text,
    )


def _joined(
    results: Sequence[tuple[Source, ExternalResults]], cases: pl.DataFrame, options: ImportOptions
) -> tuple[list[JoinedResults], list[RefusedFile]]:
    """Join results to cases. Results that do not fit are refused if their source is one of many or has others that fit.

    Raises:
        InputError: nothing of a source fits.
        UsageError: a run or threshold does not fit.
    """
    joined: list[JoinedResults] = []
    refused: list[RefusedFile] = []
    errors: dict[int, InputError] = {}
    fitting: set[int] = set()
    for source, scorer in results:
        try:
            joined_results = join(_decided(_in_run(scorer, options.run), options), cases, options.join_to)
            refuse_unusable(joined_results)
            joined.append(joined_results)
            fitting.add(id(source))
        except InputError as error:
            refused.append(RefusedFile(scorer.place, str(error)))
            if not source.among:
                errors.setdefault(id(source), error)
    for place_of, first in errors.items():
        if place_of not in fitting:
            raise first
    return joined, refused


def _as_checkpoints(
    results: Sequence[tuple[Source, ExternalResults]], options: ImportOptions
) -> Iterator[tuple[Source, ExternalResults]]:
    """The results as checkpoints of the run that is stated.

    Raises:
        UsageError: it is not clear which scorer is at which step.
    """
    if options.series is None and options.at is None:
        yield from results
        return
    flag = "--series" if options.series is not None else "--at"
    names = {scorer.name for _, scorer in results}
    if not names:
        others = without("--series", "--at", meaning="cases alone")
        message = f"{flag} is for what scorers gave, and there is nothing of that kind."
        raise UsageError(message, "Leave it out.", instead=others)
    if options.at is not None and len(names) > 1:
        raise UsageError(f"--at {options.at} is for one scorer, and there are {len(names)}.", "Import it alone.")
    for source, scorer in results:
        if len(source.results) > 1:
            why = f"{scorer.source} holds {len(source.results)} scorers, and {flag} is for files of one each."
            others = without("--series", "--at", meaning="scorers that are no checkpoints of a training run")
            raise UsageError(why, "Name the column of one: --rewards COLUMN=SCORER.", instead=others)
        yield source, replace(scorer, training=stated_point(options.series, options.at, scorer.training))


def _in_run(results: ExternalResults, run: int | None) -> ExternalResults:
    if run is None:
        return results
    counts = results.rows.select("rewards", "labels", "solution").null_count().row(0)
    if any(count < results.rows.height for count in counts):
        raise UsageError(
            f"{results.source} holds step rewards, and only answers have runs.",
            "Leave --run out.",
            instead=without("--run", meaning="step rewards of one run"),
        )
    if not 0 <= run < 2**31:
        raise UsageError(f"{run} is not a number of a run.", "Count runs from 0 or 1 on.")
    if results.rows["run"].n_unique() > 1:
        raise UsageError(
            f"{results.source} says itself which runs its answers are of.",
            "Leave --run out.",
            instead=without("--run", meaning="runs as the file says"),
        )
    return replace(results, rows=results.rows.with_columns(run=pl.lit(run, dtype=RESULT_COLUMNS["run"])))


def _decided(results: ExternalResults, options: ImportOptions) -> ExternalResults:
    if options.threshold is None and options.comparison is None:
        return results
    rows = results.rows if results.in_order is None else results.in_order
    if rows["rewards"].null_count() == rows.height:
        others = without("--threshold", "--rule", meaning="what the file holds")
        message = f"{results.source} holds no step rewards that a threshold decides on."
        raise UsageError(message, "Leave it out.", instead=others)
    on, comparison = options.on or results.on, options.comparison or results.comparison
    threshold, source, findings = results.threshold, results.threshold_source, results.findings
    if options.threshold is not None:
        threshold, source = options.threshold, "stated at import"
        # Where a person states it, nothing is only a default.
        findings = tuple(finding for finding in findings if finding.code != "reward-range")
    elif on != results.on:
        threshold, source = DEFAULTS[on]
    return replace(
        results, threshold=threshold, threshold_source=source, comparison=comparison, on=on, findings=findings
    )


def _read(
    named: Sequence[NamedSources],
    options: ReadOptions,
    tell: TellSentence,
    progress: ImportProgress,
    ledger: Ledger | None,
    known: KnownCases,
) -> tuple[list[Source], list[RefusedFile]]:
    sources: list[Source] = []
    skipped: list[RefusedFile] = []
    sizes = [size_of(source_named.word) for source_named in named]
    total, done = sum(sizes), 0
    with ExitStack() as stack:
        folder = options.folder or Path(stack.enter_context(TemporaryDirectory(prefix="prm-inspect-")))
        for source_named, size in zip(named, sizes, strict=True):
            word = source_named.word
            progress(done, total, word)
            within = partial(_tell_bytes, progress, done, size, total, word)
            try:
                for brought in [word] if word.startswith(HUB) else bring(word, folder, tell, source_named.until):
                    among = source_named.many or (isinstance(brought, LocalFile) and not brought.alone)
                    where = brought.place if isinstance(brought, LocalFile) else brought
                    beside = partial(known.beside, where) if options.known is not None else None
                    if isinstance(brought, LocalFile) and brought.parts[1] > 1:
                        # Members of an archive count equally: packed sizes hardly predict how long they take.
                        part, parts = brought.parts
                        share, before = size // parts, done + size * part // parts
                        progress(before, total, brought.name)
                        within = partial(_tell_bytes, progress, before, share, total, brought.name)
                    try:
                        source = _read_one(
                            brought, replace(options, progress=within, known=beside), ledger, among=among
                        )
                        sources.append(replace(source, among=among))
                    except InputError as error:
                        if not among:
                            raise
                        skipped.append(RefusedFile(where, str(error)))
            except InputError as error:
                if not source_named.many:
                    raise
                skipped.append(RefusedFile(place(Path(word)), str(error)))
            except MissingColumn as error:
                words = [] if any(source.many for source in named) else [source.word for source in named]
                raise commands_apart(error, words, options.columns) from error
            done += size
    progress(total, total, "joining")
    return sources, skipped


def _tell_bytes(progress: ImportProgress, before: int, size: int, total: int, name: str, read: int) -> None:
    """Report how many bytes of a source are read, which may be more than it has: it may have been unpacked."""
    progress(before + min(read, size), total, name)


def _read_one(brought: str | LocalFile, options: ReadOptions, ledger: Ledger | None, *, among: bool) -> Source:
    file = brought if isinstance(brought, LocalFile) and brought.refusal is None else None
    if ledger is not None and file is not None and file.until is not None and size_of(str(file.path)) != file.until:
        # Its digest is that of all of it.
        ledger = None
    if ledger is not None and file is not None and (unchanged := ledger.unchanged(file)):
        return Source(unchanged=unchanged)
    # Nobody wants to answer for each file of a folder.
    source = read_source(brought, replace(options, ask=None) if among else options)
    check_usable(source)
    if ledger is not None and file is not None:
        ledger.look(file)
    return replace(source, brought=file)


def check_usable(source: Source) -> None:
    """Refuse a source of which not one row could be used.

    Raises:
        InputError: none could.
    """
    if source.results or any(imported.cases.height for imported in source.imported):
        return
    for imported in source.imported:
        first = next((finding for finding in imported.findings if finding.severity == "error"), None)
        why = f" ({first.message}, on line {first.line})" if first else ""
        raise InputError(
            f"not one of the {imported.read:,} rows of {imported.source} could be read as {imported.benchmark}{why}.",
            "If its columns mean something else, say so with --mapping FILE.",
        )


@contextmanager
def spill_folder(root: Path) -> Iterator[Path]:
    """Name a folder for what does not fit into memory; whoever writes first makes it, and it is gone afterwards.

    It is on the workspace's file system, so that its files can be linked there. `root` is the workspace's folder, there
    or not. What an import that was killed left behind is removed a day later.
    """
    home = root if root.is_dir() else root.parent
    for old in home.glob(".import-*"):
        # Another import may be removing it too.
        with suppress(OSError):
            if _SPILLED.match(old.name) and time.time() - old.stat().st_mtime > _ABANDONED_SECONDS:
                shutil.rmtree(old, ignore_errors=True)
    folder = home / f".import-{os.getpid()}-{uuid7()}"
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
