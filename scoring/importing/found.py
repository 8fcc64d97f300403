"""Sources are read, results among them are joined, and all of it is put into the workspace."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from scoring.benchmarks import demo
from scoring.benchmarks.base import Imported
from scoring.benchmarks.registry import MODULES
from scoring.boundary import DEFAULTS
from scoring.errors import InputError, ScorerConflict, UsageError
from scoring.generation import Added
from scoring.importing.alone import belongs
from scoring.importing.bringing import STDIN, Brought, Tell, bring, is_address, is_elsewhere
from scoring.importing.joining import OF_CASES, Joined, join
from scoring.importing.proposal import Proposal
from scoring.importing.saving import LEFT_OUT, Saved, save, scorer_of
from scoring.importing.shifted import relabelled
from scoring.importing.sources import HUB, ReadOptions, Source, read_source
from scoring.importing.unchanged import Ledger, Remembered, Unchanged
from scoring.own_code import is_file
from scoring.reading.file_bytes import printable
from scoring.reading.files_in import expand, is_pattern, passed_over, place
from scoring.reading.findings import Finding, worst
from scoring.results.base import RESULT_COLUMNS, ExternalResults
from scoring.scorer import Comparison, On
from scoring.tables.column_guess import Choice, Reading
from scoring.tables.column_mapping import ColumnMapping
from scoring.workspace import Workspace


@dataclass(frozen=True, eq=False)
class Found:
    """What the sources hold: cases, and results on the keys of cases.

    `skipped` says, in a sentence each, which files of folders and patterns could not be read, recognised or joined;
    `mappings` are those by which tables among the sources were read. `unchanged` are files that are in the workspace as
    they are, and were not read; `read` those that were, with how many scorers each holds. `proposals` are what mappings
    make of the first rows, if that was wanted. `passed_over` are files of folders that were not looked at, because
    their names do not end like those of files with rows.
    """

    imported: tuple[Imported, ...]
    joined: tuple[Joined, ...]
    skipped: tuple[str, ...] = ()
    mappings: tuple[ColumnMapping, ...] = ()
    unchanged: tuple[Unchanged, ...] = ()
    read: tuple[tuple[Brought, int], ...] = ()
    ledger: Ledger | None = None
    proposals: tuple[Proposal, ...] = ()
    passed_over: tuple[str, ...] = ()

    @property
    def grave(self) -> bool:
        """Whether there is anything graver than a note."""
        each = [*(one.findings for one in self.imported), *(one.findings for one in self.joined)]
        before = any(one.grave for one in self.unchanged)
        return bool(self.skipped) or before or any(map(_is_grave, each))

    def put(self, workspace: Workspace, name: str | None = None) -> tuple[list[Added], list[Saved]]:
        """Put all of it into a workspace; what changed, an import and a scorer's file each.

        Results that cannot be saved because a scorer's name is taken do not keep the others out.

        Args:
            workspace: where to.
            name: what the one scorer is called, instead of after its file.

        Raises:
            WorkspaceError: it cannot be read or written.
            ScorerConflict: a scorer's name is taken, and there is nothing else.
        """
        added, saved = workspace.add(self.imported), [self._save(workspace, one, name) for one in self.joined]
        if self.ledger is not None:
            benchmarks = {one.benchmark for one in self.imported}
            self.ledger.remember(workspace, self._remembered(added, saved), benchmarks)
        return added, saved

    def _remembered(self, added: Sequence[Added], saved: Sequence[Saved]) -> Iterator[Remembered]:
        """The files that are whole in the workspace now, and of which nothing else has to be said."""
        for brought, scorers in self.read:
            cases = [at for at, one in enumerate(self.imported) if one.path == brought.place]
            results = [at for at, one in enumerate(self.joined) if one.foreign.place == printable(brought.place)]
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
            yield Remembered(brought, " and ".join(held), any(map(_is_grave, findings)), folders)

    def _save(self, workspace: Workspace, joined: Joined, name: str | None) -> Saved:
        try:
            return save(workspace, joined, name)
        except ScorerConflict as error:
            if len(self.joined) + len(self.imported) + len(self.unchanged) == 1:
                raise
            return Saved(scorer_of(joined, name).name, LEFT_OUT, str(error))


def _is_grave(findings: Iterable[Finding]) -> bool:
    return worst(findings) in {"warning", "error"}


@dataclass(frozen=True)
class Wish:
    """How sources are to be read.

    Attributes:
        benchmark: Whose rows they are.
        mapping, columns: What is said of a table's columns; see `ReadOptions`.
        join_to: Whose cases results belong to, where content does not say it.
        name: What the one table or scorer among them is called.
        run: Which independent repetition the answers are of.
        threshold, comparison, on: What decides on the rewards of the scorers among them; None = as they say themselves.
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


Ask = Callable[[str, Reading], Choice | None]
"""Decides which reading is meant of a source, given what it is called; None = nothing is said, and the first taken."""
Progress = Callable[[int, int, str], None]
"""Hears how many bytes of how many are read, and of what."""


def find(
    words: Sequence[str],
    wish: Wish,
    workspace: Workspace | None,
    spill: Path | None,
    tell: Tell = lambda _: None,
    progress: Progress = lambda *_: None,
    *,
    skip_unchanged: bool = False,
    ask: Ask | None = None,
    preview: bool = False,
) -> Found:
    """Read all sources and join the results among them to the cases of the workspace and of the sources themselves.

    Args:
        words: paths of files and folders, patterns, `hf:NAME`, `-` for standard input, or addresses (`https://`).
        wish: how they are to be read.
        workspace: whose cases results may belong to, beside those that are read; None = there is none yet.
        spill: see `scoring.sources.read_source`; what is no plain local file is unpacked there too.
        tell: see `scoring.importing.bringing.bring`.
        progress: hears how far it is, before every source and within large ones.
        skip_unchanged: whether files that were imported so before, and would change nothing, are left unread.
        ask: decides which of several readings of a table is meant that is the only one of its word.
        preview: whether mappings of tables are wanted with what they make of the first rows.

    Raises:
        InputError: a source that was named cannot be read or joined, or nothing at all was recognised.
        UsageError: a benchmark, column or name does not fit.
    """
    ledger = Ledger(workspace, wish) if skip_unchanged and not is_file(wish.benchmark or "") else None
    known = cache(lambda: _cases(workspace, ()))
    options = ReadOptions(
        wish.benchmark,
        wish.mapping,
        wish.columns,
        wish.name,
        spill,
        known=known if wish.join_to is None else None,
        ask=ask,
        preview=preview,
    )
    every, skipped = _read(words, options, tell, progress, ledger)
    unchanged = tuple(one.unchanged for one in every if one.unchanged is not None)
    read = tuple((one.brought, len(one.source.foreign)) for one in every if one.brought is not None)
    sources = list(_opened_alone([(one.among, one.source) for one in every if one.unchanged is None], known))
    found = together(sources, skipped, wish, workspace, alone=not unchanged)
    return replace(found, unchanged=unchanged, read=read, ledger=ledger)


def together(
    sources: list[tuple[bool, Source]],
    skipped: list[str],
    wish: Wish,
    workspace: Workspace | None,
    *,
    alone: bool = True,
) -> Found:
    """Join the results among sources to the cases of the workspace and of the sources themselves.

    Args:
        sources: what was read, each with whether it is one of many that a word stands for: such a one that does not fit
            is left out with a sentence, any other is an error.
        skipped: a sentence for each that could not be read.
        wish: how they are to be read; its name, run and threshold count here.
        workspace: whose cases results may belong to; None = there is none yet.
        alone: whether there is nothing beside them.

    Raises:
        InputError: one cannot be joined, or nothing at all was recognised.
        UsageError: a name, run or threshold does not fit.
    """
    if workspace is not None:
        sources = list(_not_shifted(sources, workspace, skipped))
        sources = [(many, _not_copied(source, workspace)) for many, source in sources]
    imported = tuple(one for _, source in sources for one in source.imported)
    results = [(within, foreign) for within, source in sources for foreign in source.foreign]
    _one_name(wish.name, imported, [foreign for _, foreign in results])
    joined = []
    cases = _cases(workspace, imported) if results else pl.DataFrame(schema=OF_CASES)
    for within, foreign in results:
        try:
            joined.append(join(_decided(_in_run(foreign, wish.run), wish), cases, wish.join_to))
        except InputError as error:
            if not within:
                raise
            skipped.append(str(error))
    if alone and not imported and not joined:
        more = f" ({len(skipped) - 1} more files alike)" if len(skipped) > 1 else ""
        why = f" {skipped[0]}{more}" if skipped else ""
        raise InputError(f"nothing was recognised.{why}", "Name the benchmark: import BENCHMARK PATH")
    mappings = tuple(source.mapping for _, source in sources if source.mapping is not None)
    proposals = tuple(source.proposal for _, source in sources if source.proposal is not None)
    return Found(imported, tuple(joined), tuple(skipped), mappings, proposals=proposals)


def _opened_alone(
    sources: Sequence[tuple[bool, Source]], known: Callable[[], pl.DataFrame]
) -> Iterator[tuple[bool, Source]]:
    """The sources; results that can be opened alone with cases of their own, where none that is known has their texts.

    Cases that were made of one source are known to those after it.
    """
    cases = [one.cases["key"] for _, source in sources for one in source.imported]
    for many, source in sources:
        if source.alone is None:
            yield many, source
        elif belongs(source.foreign, partial(pl.concat, [known()["key"], *cases])):
            yield many, replace(source, alone=None)
        else:
            cases += [one.cases["key"] for one in source.alone.imported]
            yield many, source.alone


def _in_run(foreign: ExternalResults, run: int | None) -> ExternalResults:
    """The results as one repetition among several.

    Raises:
        UsageError: they are no answers, or say themselves of which runs they are.
    """
    if run is None:
        return foreign
    given = foreign.rows.select("rewards", "labels", "solution").null_count().row(0)
    if any(count < foreign.rows.height for count in given):
        raise UsageError(f"{foreign.source} holds step rewards, and only answers have runs.", "Leave --run out.")
    if not 0 <= run < 2**31:
        raise UsageError(f"{run} is no number of a run.", "Count runs from 0 or 1 on.")
    if foreign.rows["run"].n_unique() > 1:
        raise UsageError(f"{foreign.source} says itself which runs its answers are of.", "Leave --run out.")
    return replace(foreign, rows=foreign.rows.with_columns(run=pl.lit(run, dtype=RESULT_COLUMNS["run"])))


def _decided(foreign: ExternalResults, wish: Wish) -> ExternalResults:
    """The results with the threshold and the boundary that a person stated.

    Raises:
        UsageError: no threshold decides on them.
    """
    if wish.threshold is None and wish.comparison is None:
        return foreign
    rows = foreign.rows if foreign.in_order is None else foreign.in_order
    if rows["rewards"].null_count() == rows.height:
        raise UsageError(f"{foreign.source} holds no step rewards that a threshold decides on.", "Leave it out.")
    threshold, source = foreign.threshold, foreign.threshold_source
    on = wish.on or foreign.on
    if wish.threshold is not None:
        threshold, source = wish.threshold, "stated at import"
    elif on != foreign.on:
        threshold, source = DEFAULTS[on]
    comparison = wish.comparison or foreign.comparison
    # Where a person states it, nothing is only a default.
    findings = tuple(one for one in foreign.findings if wish.threshold is None or one.code != "reward-range")
    return replace(
        foreign, threshold=threshold, threshold_source=source, comparison=comparison, on=on, findings=findings
    )


@dataclass(frozen=True, eq=False)
class _Read:
    """A source, and whether it is one of many that a word stands for.

    `brought` is the file that it was read from; `unchanged` stands for one that was not read.
    """

    among: bool
    source: Source
    brought: Brought | None = None
    unchanged: Unchanged | None = None


def _read(
    words: Sequence[str], options: ReadOptions, tell: Tell, progress: Progress, ledger: Ledger | None
) -> tuple[list[_Read], list[str]]:
    """Every source, and what could not be read of those that are among many."""
    sources: list[_Read] = []
    skipped: list[str] = []
    _apart(words)
    named = list(_named(words))
    sizes = [_size(word) for word, _ in named]
    total, done = sum(sizes), 0
    with ExitStack() as stack:
        folder = options.folder or Path(stack.enter_context(TemporaryDirectory(prefix="prm-inspect-")))
        for (word, many), size in zip(named, sizes, strict=True):
            progress(done, total, word)
            within = partial(_within, progress, done, total, size, word)
            try:
                for brought in [word] if word.startswith(HUB) else bring(word, folder, tell):
                    among = many or (isinstance(brought, Brought) and not brought.alone)
                    try:
                        sources.append(_read_one(among, brought, replace(options, progress=within), ledger))
                    except InputError as error:
                        if not among:
                            raise
                        skipped.append(str(error))
            except InputError as error:
                if not many:
                    raise
                skipped.append(str(error))
            done += size
    progress(total, total, "joining")
    return sources, skipped


def _size(word: str) -> int:
    """The bytes of a source; 0 where they are not known, and reading it in earnest says why."""
    try:
        return Path(word).stat().st_size
    except (OSError, ValueError):
        return 0


def _within(progress: Progress, before: int, total: int, size: int, word: str, read: int) -> None:
    # What is unpacked may be more than the file.
    progress(before + min(read, size), total, word)


def _read_one(
    among: bool,  # it goes into the record as it is
    brought: str | Brought,
    options: ReadOptions,
    ledger: Ledger | None,
) -> _Read:
    file = brought if isinstance(brought, Brought) and brought.refusal is None else None
    if ledger is not None and file is not None and (unchanged := ledger.unchanged(file)):
        return _Read(among, Source(), unchanged=unchanged)
    # Nobody wants to answer for each file of a folder.
    source = read_source(brought, replace(options, ask=None) if among else options)
    check_usable(source)
    if ledger is not None and file is not None:
        ledger.look(file)
    return _Read(among, source, file)


def _named(words: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """What is to be brought, each once, with whether it is one of many that a word stands for."""
    seen = set()
    for word in words:
        whole = word.startswith(HUB) or is_elsewhere(word)
        files = [word] if whole else [str(path) for path in expand([Path(word)])]
        # os.path says False of what cannot be looked at, where pathlib raises.
        many = not whole and (os.path.isdir(word) or is_pattern(Path(word)))  # noqa: PTH112
        for file in files:
            where = file if whole else place(Path(file))
            if where not in seen:
                seen.add(where)
                yield file, many


def not_looked_at(words: Sequence[str]) -> tuple[str, ...]:
    """The files in the folders among the words that were left out because of their names."""
    # os.path says False of what cannot be looked at, where pathlib raises.
    folders = [Path(word) for word in words if not word.startswith(HUB) and os.path.isdir(word)]  # noqa: PTH112
    return tuple(dict.fromkeys(printable(file) for folder in folders for file in passed_over(folder)))


def _apart(words: Sequence[str]) -> None:
    """Refuse addresses that would be one and the same once what stands after the `?` is left out."""
    addresses = dict.fromkeys(word for word in words if word != STDIN and is_address(word))
    bare = [address.partition("?")[0] for address in addresses]
    if len(set(bare)) < len(bare):
        raise UsageError(
            "two addresses differ only after the '?', which is not kept, so that their rows could not be told apart.",
            "Import them one by one under different names (--name), or download them.",
        )


def _not_shifted(
    sources: Iterable[tuple[bool, Source]], workspace: Workspace, skipped: list[str]
) -> Iterator[tuple[bool, Source]]:
    """Leave out, or refuse, what would put labels that look shifted in the place of those that are there."""
    for many, source in sources:
        for one in source.imported:
            known = workspace.cases([one.benchmark])[0] if one.benchmark in workspace.benchmarks() else None
            number = 0 if known is None else relabelled(one, known.select("case", "key", "earliest_error"))
            if number:
                refusal = InputError(
                    f"the labels of {one.source} look shifted, and {number:,} of its cases are here with other labels.",
                    "Nothing of it was taken over: correct it, or look at it in a workspace of its own.",
                )
                if not many:
                    raise refusal
                skipped.append(str(refusal))
                break
        else:
            yield many, source


def _not_copied(source: Source, workspace: Workspace) -> Source:
    """Rows that only repeat cases to say what a scorer gave them, without ids, are results and no new cases."""
    if not source.foreign:
        return source
    kept, findings = [], []
    for one in source.imported:
        unnamed = [finding.line for finding in one.findings if finding.code == "no-id" and finding.line]
        known = workspace.cases([one.benchmark])[0] if one.benchmark in workspace.benchmarks() else None
        if known is None or not unnamed:
            kept.append(one)
            continue
        again = pl.col("line").is_in(unnamed) & pl.col("key").is_in(known["key"].implode())
        kept_rows = one.cases.select(kept=~again)["kept"]
        cases = one.cases.filter(kept_rows)
        if count := one.cases.height - cases.height:
            message = f"{count:,} rows without an id have the text of cases that are here: nothing of them was copied"
            findings.append(Finding("note", "known-cases", message, one.source))
        if cases.height:
            metadata = one.metadata.filter(kept_rows) if one.metadata.width else one.metadata
            kept.append(replace(one, cases=cases, metadata=metadata))
    foreign = (replace(one, findings=(*findings, *one.findings)) for one in source.foreign)
    return replace(source, imported=tuple(kept), foreign=tuple(foreign))


def check_usable(source: Source) -> None:
    """Refuse a source of which not one row could be used.

    Raises:
        InputError: none could.
    """
    if source.foreign or any(one.cases.height for one in source.imported):
        return
    for one in source.imported:
        first = next((finding for finding in one.findings if finding.severity == "error"), None)
        why = f" ({first.message}, on line {first.line})" if first else ""
        raise InputError(
            f"not one of the {one.read:,} rows of {one.source} could be read as {one.benchmark}{why}.",
            "If its columns mean something else, say so with --mapping FILE.",
        )


def _one_name(name: str | None, imported: Iterable[Imported], foreign: Sequence[ExternalResults]) -> None:
    """A name given must be that of one thing."""
    named = len({one.name for one in foreign}) or sum(bool(one.mapping) for one in imported)
    if name is not None and named != 1:
        raise UsageError(f"--name {name!r} is for one scorer or one table, and there are {named}.", "Import it alone.")


def _cases(workspace: Workspace | None, imported: Sequence[Imported]) -> pl.DataFrame:
    """The metadata of all cases that results may belong to, twins included; those read last come first.

    Of several cases of one identity that is the one which will be in the workspace.
    """
    columns = list(OF_CASES)
    parts = [part.select(columns) for one in reversed(imported) for part in (one.cases, one.twins) if part.height]
    if workspace is not None:
        parts.append(workspace.some_columns(columns))
    if workspace is None or demo.NAME not in workspace.benchmarks():
        parts.append(demo.read().cases.select(columns))
    # Within what is in the workspace no identity stands twice.
    every = pl.concat([pl.DataFrame(schema=OF_CASES), *parts])
    return every.unique("case", keep="first", maintain_order=True) if imported else every
