"""What a notebook or a script imports: a workspace whose cases, rewards and metrics go in and out as data frames.

    from scoring.api import open_workspace
    workspace = open_workspace(".prm-inspect")
    workspace.add_cases(frame)                                  # a benchmark's rows, or a table of your own
    workspace.add_rewards("my-prm", scores, threshold=0.5)      # columns: id, rewards
    workspace.metrics(scorer="my-prm")                          # as `prm-inspect metrics --json`

Frames that go in are polars frames (lazy ones too), pandas frames, Arrow tables, batches and readers, or whatever else
has `__arrow_c_stream__`, and lists of dictionaries; neither pandas nor pyarrow is imported for it. Frames that come out
are polars frames. Steps are 0-based and -1 means that no step is wrong; metrics are fractions. A frame is read as
`prm-inspect import` reads a file, and everything odd is a finding: nothing is dropped without one. What is expected to
go wrong raises one of `scoring.data.errors.InspectError`, whose text says what to do next; flags that it names are
keywords here. An app that is open on the folder shows what was added. `rule`, `metric`, `column`: `prm-inspect guide
plugins`.
"""

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import InputError, InspectError, StrictFindings, UsageError
from scoring.data.metadata_columns import columns_frame
from scoring.data.names import match_name
from scoring.data.own_columns import column
from scoring.data.reward_keys import reward_keys
from scoring.data.rules import check_own_rule, rule
from scoring.data.schema import STEP_INDEX
from scoring.data.scorer import Scorer
from scoring.data.storage.files import expand_home
from scoring.formats.benchmarks.benchmark_registry import MODULES
from scoring.formats.reading.findings import Finding, counted
from scoring.formats.reading.rows import Rows
from scoring.formats.results.result_format import ExternalResults
from scoring.formats.tables.case_frames import is_case_frame, names_its_benchmarks, read_case_frame
from scoring.formats.tables.column_mapping import ColumnMapping, StatedMapping
from scoring.importing.batch import ImportBatch, ImportOptions, check_usable, join_sources, spill_folder
from scoring.importing.saving import SavedResults
from scoring.importing.sources import ReadOptions, Source, as_frame_source, read_table, recognised
from scoring.metrics.kernel import CasesOf, Decided, Unparsed
from scoring.metrics.own import metric
from scoring.metrics.plugins import load_plugins
from scoring.selection.loading import load
from scoring.selection.official_figures import official_figures
from scoring.selection.query import Query
from scoring.selection.result_set import ResultSet
from scoring.workspace.cache import RewardParts
from scoring.workspace.generation import Added
from scoring.workspace.rows_of_cases import rows_of_cases
from scoring.workspace.workspace import Workspace, workspace_folder

__all__ = [
    "AddedFrame",
    "CasesOf",
    "ColumnMapping",
    "Decided",
    "OpenedWorkspace",
    "WorkspaceWarning",
    "column",
    "metric",
    "open_workspace",
    "rule",
]


def __dir__() -> list[str]:
    """List what this module is imported for, not what it imports."""
    return __all__


Names = str | Sequence[str]
"""One name or several; of scorers and subsets any part of one is enough that only one has. () = all."""
Threshold = float | str
"""A number, or `default`, `best` (optimistic), `dev`, `dev:kept` or `from:SUBSET`."""

_FINDINGS = {
    "severity": pl.String(),
    "code": pl.String(),
    "message": pl.String(),
    "line": pl.Int64(),
    "case": pl.String(),
}
_KINDS = 8
"""Kinds of findings that are written out."""
_CASES = "frame"
"""What a frame of cases is called that was given no name."""


class WorkspaceWarning(UserWarning):
    """Something of a workspace that could not be read, so that what was asked for lacks it."""


class AddedFrame(Struct, frozen=True, eq=False):
    """What adding a frame did, and everything that was noticed.

    Attributes:
        source: What the frame is called in the workspace.
        read: Its rows, usable or not.
        benchmarks: Name -> how many of its cases are `new`, `changed` and `unchanged`.
        scorers: Name -> `new`, `changed` or `unchanged`.
        joined: Scorer's name -> how many of its results (rows; answers, where several of a row vote) belong to a case.
        unparsed: Scorer's name -> how many of its answers cannot be read.
        columns: Column that is no field of cases -> what became of it: `kept`, `kept as NAME`, or why it is left out.
        findings: Columns `severity` (`error`: a row was left out; `warning`: look at it; `note`), `code`, `message`,
            `line` (the row of the frame, counted from 1 as in messages; null = it is of the whole frame), `case`.
    """

    source: str
    read: int
    benchmarks: Mapping[str, Added]
    scorers: Mapping[str, str]
    joined: Mapping[str, int]
    unparsed: Mapping[str, int]
    columns: Mapping[str, str]
    findings: pl.DataFrame

    @property
    def grave(self) -> bool:
        """Whether there is anything graver than a note."""
        return bool(self.findings["severity"].is_in(["error", "warning"]).any())

    def __repr__(self) -> str:
        lines = [f"{self.source}: {self.read:,} rows read"]
        for name, added in self.benchmarks.items():
            lines.append(f"  {name}: {added.new:,} cases new, {added.changed:,} changed, {added.unchanged:,} unchanged")
        for name, state in self.scorers.items():
            unread = f", {self.unparsed[name]:,} answers cannot be read" if self.unparsed[name] else ""
            lines.append(f"  {name}: {state}, {self.joined[name]:,} results belong to a case{unread}")
        if self.columns:
            lines.append("  further columns: " + "; ".join(f"{name} {fate}" for name, fate in self.columns.items()))
        kinds = counted(Finding(source=self.source, **row) for row in self.findings.iter_rows(named=True))
        for severity, code, count, first in kinds[:_KINDS]:
            place = "" if first.line is None else f" (line {first.line})"
            lines.append(f"  {count:,} x {severity} {code}: {first.message}{place}")
        more = kinds[_KINDS:]
        lines += [f"  and {len(more)} more kinds of findings: see .findings"] if more else []
        return "\n".join(lines)


def open_workspace(path: str | Path = ".prm-inspect", *, create: bool = True) -> "OpenedWorkspace":
    """Open the workspace in a folder.

    Args:
        path: the folder or the address; what `prm-inspect -w` names, or the `.prm-inspect` in the current folder. What
            is added to a workspace on object storage is there when the call that adds it returns.
        create: make it where there is none.

    Raises:
        NoWorkspace: there is none, and none is to be made.
        UnwritableWorkspace: it cannot be made.
        DamagedWorkspace: it is of a newer format, or its mark cannot be read.
        UsageError: it is an address that cannot be read.
        StoreError, MissingExtra: it is on object storage, and cannot be had.
    """
    folder = expand_home(str(workspace_folder(str(path), create=create)))
    workspace = Workspace.create(folder) if create else Workspace.open(folder)
    if workspace.mirror is not None:
        # It may have been opened before, and others write there.
        workspace.mirror.refresh()
    return OpenedWorkspace(workspace)


class OpenedWorkspace(Struct, frozen=True, eq=False):
    """A workspace whose contents go in and out as frames. Everything is read from the folder when it is asked for."""

    workspace: Workspace

    def __repr__(self) -> str:
        return f"OpenedWorkspace({self.workspace.place!r}, benchmarks={self.benchmarks()}, scorers={self.scorers()})"

    def benchmarks(self) -> list[str]:
        """Return the names of the benchmarks here, in their order."""
        return self.workspace.benchmarks()

    def scorers(self) -> list[str]:
        """Return the names of the scorers here, in their order; one whose `scorer.json` is damaged is warned of."""
        return list(self._folders())

    # -- in

    def add_cases(
        self,
        frame: Any,
        name: str | None = None,
        *,
        benchmark: str | None = None,
        mapping: StatedMapping | None = None,
        strict: bool = False,
        **columns: Any,
    ) -> AddedFrame:
        """Add the cases of a frame, and the scorers whose rewards stand beside them.

        The rows are those of a benchmark, which is recognised; cases as `cases()` gives them (columns `problem` String,
        `steps` List(String), `earliest_error` integer, 0-based, -1 = none; others of the names of
        `scoring.data.schema.CASES`); or those of any table, whose columns are found by name and content, with a note. A
        case of an identity that is here already is replaced, so that adding a frame again changes nothing. Further
        columns with one value a case are kept as metadata.

        Args:
            frame: a frame, see the module.
            name: what a table's benchmark, and the frame in findings, is called; None = after `benchmark`, or "frame".
            benchmark: whose rows they are, if it is not to be recognised: a name, or the path of a Python file.
            mapping: which column is what: a ColumnMapping, its fields, or the file that `--save-mapping` wrote.
            strict: raise, and write nothing, where there is anything graver than a note.
            columns: what single columns are, as fields of a ColumnMapping (`problem="question"`, `label_base=1`,
                `rewards={"my-prm": "scores"}`); the others are found.

        Raises:
            InputError: nothing recognises the rows, or not one can be used.
            UsageError: there is no such benchmark, column or field.
            StrictFindings: `strict`, and there are such findings.
            WorkspaceError: the workspace cannot be read or written.
        """
        known = benchmark is not None and benchmark in MODULES
        source = name or (benchmark if known else None) or _CASES
        table = _polars(frame)
        stated, wanted = _mapping(mapping), _mapping(columns or None)
        if benchmark is None and stated is None and wanted is None and _is_ours(table, source):
            # It is not the benchmark of that name.
            called = f"{source}-table" if source in MODULES else source
            cases, scorers = read_case_frame(table, source, called)
            frame_source = as_frame_source(Source(tuple(cases), tuple(scorers)), source)
            return self._add(frame_source, source, table.height, ImportOptions(), strict=strict)
        with spill_folder(self._root) as spill:
            options = ReadOptions(benchmark, stated, wanted, None if source in MODULES else source, spill)
            return self._add(read_table(table, source, options), source, table.height, ImportOptions(), strict=strict)

    def add_rewards(
        self,
        name: str,
        frame: Any,
        *,
        threshold: float | None = None,
        rule: str | None = None,
        benchmark: str | None = None,
        source: str | None = None,
        mapping: StatedMapping | None = None,
        strict: bool = False,
        id: str | None = None,  # noqa: A002  # the flag's name
        rewards: str | None = None,
        step: str | None = None,
        higher_is: Literal["better", "worse"] | None = None,
        series: str | None = None,
        at: int | None = None,
    ) -> AddedFrame:
        """Add one scorer's step rewards.

        A row is of one case and holds a list of numbers, one a step, in step order; or, with `step`, of one step, and
        holds a number. It names its case by an id (`gsm8k-0`, or with the benchmark `processbench/gsm8k-0` in a column
        `case` or `id`), else by the text in `problem` and `steps`. The cases must be here. What an earlier frame of the
        same name said is replaced; the same frame again changes nothing.

        Args:
            name: the scorer's.
            frame: a frame, see the module.
            threshold: a step is wrong iff its reward is below; None = 0.5. Rewards may lie in any range.
            rule: the boundary, in the words of `--rule`: `<` (the default), `<=`, `diff<` and so on.
            benchmark: whose ids these are, where several benchmarks have them.
            source: what this frame is called, for a scorer whose rewards come in several frames; None = `name`.
            mapping: which column is what: a ColumnMapping, its fields, or the file that `--save-mapping` wrote.
            strict: raise, and write nothing, where there is anything graver than a note.
            id: the column with the ids; None = it is found.
            rewards: the column with the rewards; None = it is found.
            step: the column with the index of the step, in a frame with a row a step; None = it is found.
            higher_is: what a higher number means; "worse" = each is read as 1 - value, and `threshold` applies to that.
            series: the training run that the scorer is a checkpoint of; None = it is not said.
            at: the training step that the checkpoint was saved at.

        Raises:
            NotJoined: no row belongs to a case here, or it is not clear to which.
            InputError: nothing recognises the rows, or they hold no rewards of one scorer.
            UsageError: a column or rule is not there, or the threshold is no finite number.
            ScorerConflict: another source gave a scorer of this name other rewards of the same cases.
            StrictFindings: `strict`, and there are such findings.
            WorkspaceError: the workspace cannot be read or written.
        """
        comparison, on = (None, None) if rule is None else check_own_rule(rule)
        if threshold is not None and not np.isfinite(threshold):
            raise UsageError(f"{threshold!r} is not a threshold that can be stored.", "Give a finite number.")
        options = ImportOptions(
            threshold=threshold, comparison=comparison, on=on, join_to=benchmark, name=name, series=series, at=at
        )
        stated = ColumnMapping(
            id=id, step=step, rewards={} if rewards is None else {name: rewards}, higher_is=higher_is
        )
        called, what = source or name, "step rewards (rewards=COLUMN)"
        return self._add_scorer(frame, called, options, stated, mapping, _has_numbers, what, strict=strict)

    def add_answers(
        self,
        name: str,
        frame: Any,
        *,
        benchmark: str | None = None,
        source: str | None = None,
        run: int | None = None,
        mapping: StatedMapping | None = None,
        strict: bool = False,
        id: str | None = None,  # noqa: A002  # the flag's name
        answers: str | None = None,
        verdict: str | None = None,
        base: Literal[0, 1] | None = None,
        series: str | None = None,
        at: int | None = None,
    ) -> AddedFrame:
        """Add one critic's answers in words, which the benchmark's own parser reads, or its verdicts as numbers.

        A row holds a text, or a list of texts that vote; or the index of the step that the critic takes for the
        earliest wrong one. It names its case as for `add_rewards`.

        Args:
            name: the critic's.
            frame: a frame, see the module.
            benchmark: whose ids these are, where several benchmarks have them.
            source: what this frame is called; None = `name`, with the run where one is given.
            run: which independent repetition the answers are of (from 0 on); None = there is one.
            mapping: which column is what: a ColumnMapping, its fields, or the file that `--save-mapping` wrote.
            strict: raise, and write nothing, where there is anything graver than a note.
            id: the column with the ids; None = it is found.
            answers: the column with the answers; None = it is found.
            verdict: the column with the verdicts; None = it is found.
            base: what verdicts call the first step, 0 or 1; None = it is found, or assumed to be 0 with a warning.
            series: the training run that the critic is a checkpoint of; None = it is not said.
            at: the training step that the checkpoint was saved at.

        Raises:
            NotJoined, UsageError, ScorerConflict, StrictFindings, WorkspaceError: as for `add_rewards`.
            InputError: nothing recognises the rows, or they hold no answers of one critic.
        """
        stated = ColumnMapping(
            id=id,
            answers={} if answers is None else {name: answers},
            verdicts={} if verdict is None else {name: verdict},
            verdict_base=base,
        )
        called = source or (name if run is None else f"{name} run {run}")
        options = ImportOptions(join_to=benchmark, name=name, run=run, series=series, at=at)
        what = "answers or verdicts (answers=COLUMN, verdict=COLUMN)"
        return self._add_scorer(frame, called, options, stated, mapping, _has_answers, what, strict=strict)

    def _add_scorer(
        self,
        frame: Any,
        source: str,
        options: ImportOptions,
        columns: ColumnMapping,
        mapping: StatedMapping | None,
        fits: Callable[[ExternalResults], bool],
        what: str,
        *,
        strict: bool,
    ) -> AddedFrame:
        table = _polars(frame)
        stated = _mapping(mapping)
        if stated is None and columns.id is None and "case" in table.columns:
            # The whole identity says more than the id.
            columns = replace(columns, id="case")
        content = read_table(table, source, ReadOptions(None, stated, None if columns == ColumnMapping() else columns))
        if len(content.results) != 1 or not fits(content.results[0]):
            listed = ", ".join(results.name for results in content.results) or "none"
            raise InputError(
                f"the frame of {source} should hold {what} of one scorer, and holds: {listed}.", "Name it."
            )
        # Cases are added by name, not because a scorer's rows repeat them.
        return self._add(replace(content, imported=()), source, table.height, options, strict=strict)

    def _add(self, content: Source, source: str, read: int, options: ImportOptions, *, strict: bool) -> AddedFrame:
        check_usable(content)
        joined = join_sources([content], [], options, self.workspace)
        if strict and joined.grave:
            finding = next(finding for finding in _findings(joined) if finding.severity != "note")
            raise StrictFindings(f"there are findings and strict was asked: {finding}.", "Nothing was written.")
        added, saved = joined.put(self.workspace, options.name)
        if self.workspace.mirror is not None:
            self.workspace.mirror.send()
        return _added(source, read, joined, added, saved)

    # -- out

    def cases(self, benchmark: Names = (), *, where: Names = (), texts: bool = True) -> pl.DataFrame:
        """Return the cases, a row a case: the columns of `scoring.data.schema.CASES`, then metadata columns of their
        files.

        Args:
            benchmark: whose cases; () = all that were imported.
            where: SQL conditions, as of `prm-inspect cases --where`; a case must fulfil all.
            texts: with the columns `problem`, `steps` and the further texts, which are most of the bytes.

        Raises:
            UsageError: a benchmark is not here.
            FilterError: a condition cannot be read or names a column that is not there.
            PluginError: a column of your own cannot be computed.
            DamagedWorkspace: cases cannot be read.
        """
        results = self._load(Query(benchmarks=_several(benchmark), where=_several(where)), scorers=False)
        cases, metadata, rows = results.cases, results.loaded.metadata, results.shown
        own = [metadata.column(name) for name in metadata.schema]
        parts = [cases, columns_frame(own, cases.height)] if own else [cases]
        frame = pl.concat(parts, how="horizontal")[rows]
        if not texts:
            return frame
        held: pl.DataFrame = results.loaded.texts.gather(rows).frame()
        # A file may have a column that is called like a text: its metadata name is another one.
        return pl.concat([frame.select(cases.columns), held, frame.drop(cases.columns)], how="horizontal")

    def rewards(self, scorer: str, *, benchmark: Names = (), by: Literal["case", "step"] = "case") -> pl.DataFrame:
        """Return what one scorer gave the cases here: by identity where a file named the case, else by content.

        Args:
            scorer: its name, or any part that only one has.
            benchmark: of whose cases; () = of all that were imported.
            by: a row a case, or a row a step.

        Returns:
            By case: `case`, `key` (of its content), `vote` (Int32, 0 but for sampled answers), `rewards`
            (List(Float64), one a step; null = refused), `redundancy`, `labels`, `redundancy_labels`, `solution` (one
            number for the whole) and `reason` (why there is nothing), in the order of the cases. By step: `case`,
            `key`, `vote`, `step` (Int32, 0-based), `reward`, `redundancy`, `label`; a case without numbers has no row.
            A critic's verdicts are columns of conditions and of `metrics`.

        Raises:
            UsageError: no scorer, several, or no benchmark of that name.
            DamagedWorkspace: cases or the scorer's description cannot be read.
        """
        if by not in {"case", "step"}:
            raise UsageError(f"rewards are given by case or by step, not by {by!r}.", "Say by='case' or by='step'.")
        folders = self._folders(_several(benchmark))
        folder = folders[match_name(scorer, list(folders), "scorer")]
        cases, texts = self.workspace.cases(_several(benchmark))
        rows, problems = RewardParts(folder).read()
        _warn(problems)
        keyed = reward_keys(cases, texts, Scorer.load(folder).reads)
        joined_rows = rows_of_cases(keyed, rows).sort("case_row", "vote", maintain_order=True)
        joined_rows = joined_rows.with_columns(key=cases["key"].gather(joined_rows["case_row"]))
        names = ("case", "key", "vote", "rewards", "redundancy", "labels", "redundancy_labels", "solution", "reason")
        selected = joined_rows.select(names)
        return selected if by == "case" else _by_step(selected)

    def metrics(
        self,
        benchmark: Names = (),
        *,
        scorer: Names = (),
        subset: Names = (),
        where: Names = (),
        threshold: Threshold | Mapping[str, Threshold] | None = None,
        rule: str | Mapping[str, str] | None = None,
        plugin: Names = (),
        redundancy: float | Mapping[str, float] | None = None,
        protocol: str | None = None,
        unparsed: Unparsed | None = None,
        by: Names = (),
        seed: int = 0,
    ) -> pl.DataFrame:
        """Return the official metrics: exactly the rows of `prm-inspect metrics --json` with the same flags.

        Args:
            benchmark: of whose cases; () = of all that were imported.
            scorer: of which scorers; () = all.
            subset: of which subsets; () = all.
            where: SQL conditions, of which a case must fulfil all.
            threshold: one for all scorers, or by scorer; None = each scorer's own.
            rule: what decides, in the words of `--rule`, for all scorers or by scorer; None = each scorer's own.
            plugin: Python files of your own: metrics, columns, and rules that `rule` may name.
            redundancy: the number above which a step is redundant, for all scorers or by scorer.
            protocol: the benchmark whose protocol decides; None = each benchmark's own way of counting.
            unparsed: whether cases without a verdict count as `wrong`, or `drop` out; None = as the protocol does.
            by: columns to group by: then only `all` is told of each group.
            seed: of the bootstrap intervals, and of dev sets.

        Returns:
            `scorer, benchmark, subset, metric` (String), `value, low, high` (Float64, fractions; null = undefined, and
            `reason` says why; `low` and `high` are the 95% interval), `n` (Int64, the denominator), `reason`, `small`
            (fewer than 20 cases), `sd` and `runs` (of several runs), and the columns of `by` as texts.

        Raises:
            UsageError: a name, threshold, rule or protocol that there is not.
            PluginError: a file or rule of your own cannot be used.
            FilterError: a condition cannot be read or names a column that is not there.
            DamagedWorkspace: cases cannot be read.
        """
        load_plugins(_several(plugin))
        query = Query(
            benchmarks=_several(benchmark),
            scorers=_several(scorer),
            subsets=_several(subset),
            where=_several(where),
            thresholds=_by_scorer(threshold),
            rules=_by_scorer(rule),
            redundancy=_by_scorer(redundancy),
            protocol=protocol,
            unparsed=unparsed,
            by=_several(by),
            seed=seed,
        )
        return official_figures(self._load(query))

    @property
    def _root(self) -> Path:
        assert self.workspace.root is not None  # noqa: S101  # it was opened in a folder
        return self.workspace.root

    def _folders(self, benchmarks: Sequence[str] = ()) -> dict[str, Path]:
        """Scorer's name -> the folder of its parts."""
        folders: dict[str, Path] = {}
        names = list(benchmarks) or self.workspace.default_benchmarks()
        for folder in self.workspace.reward_folders(names):
            try:
                folders.setdefault(Scorer.load(folder).name, folder)
            except InspectError as error:
                _warn([str(error)])
        return folders

    def _load(self, query: Query, *, scorers: bool = True) -> ResultSet:
        """What a query selects here; a warning for what cannot be read."""
        return load(query, workspace=self.workspace, scorers=scorers, report=partial(_warn, stacklevel=5))


def _several(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _by_scorer(choice: Any) -> tuple[tuple[str | None, str], ...]:
    """What is asked for all scorers, or for some by name, in words."""
    if choice is None:
        return ()
    pairs = choice.items() if isinstance(choice, Mapping) else [(None, choice)]
    return tuple((name, value if isinstance(value, str) else repr(float(value))) for name, value in pairs)


def _warn(problems: Sequence[str], stacklevel: int = 4) -> None:
    for problem in problems:
        warnings.warn(problem, WorkspaceWarning, stacklevel=stacklevel)


def _mapping(stated: StatedMapping | None) -> ColumnMapping | None:
    if stated is None or isinstance(stated, ColumnMapping):
        return stated
    if isinstance(stated, Mapping):
        return ColumnMapping.of(stated, "the mapping")
    return ColumnMapping.read(Path(stated))


def _is_ours(table: pl.DataFrame, source: str) -> bool:
    """Whether a frame holds cases with our own columns, and not a benchmark's own rows that look so."""
    if names_its_benchmarks(table):
        return True
    return is_case_frame(table) and recognised(Rows(source, "data frame", table=table))[0] == "table"


def _has_numbers(foreign: ExternalResults) -> bool:
    null_counts = foreign.rows.select("rewards", "labels", "solution").null_count().row(0)
    return any(count < foreign.rows.height for count in null_counts) or foreign.kind == "prm"


def _has_answers(foreign: ExternalResults) -> bool:
    return foreign.kind == "critic"


def _polars(frame: Any) -> pl.DataFrame:
    """A frame of whatever kind as columns.

    Raises:
        UsageError: it is none.
        InputError: it cannot be had as columns.
    """
    pandas = sys.modules.get("pandas")
    try:
        if isinstance(frame, pl.LazyFrame):
            return frame.collect()
        if isinstance(frame, pl.DataFrame):
            return frame
        if pandas is not None and isinstance(frame, pandas.DataFrame):
            # A name says that the index is a column.
            named = any(name is not None for name in frame.index.names)
            return pl.from_pandas(frame, include_index=named)
        if hasattr(frame, "__arrow_c_stream__") or hasattr(frame, "__arrow_c_array__"):
            return pl.DataFrame(frame)
        if isinstance(frame, list) and all(isinstance(row, Mapping) for row in frame):
            return pl.DataFrame(frame, infer_schema_length=None)
    except Exception as error:
        # polars, pandas and pyarrow each raise classes of their own.
        why = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        raise InputError(
            f"the {type(frame).__name__} cannot be read as columns: {why}.", "Give polars columns."
        ) from error
    raise UsageError(
        f"{type(frame).__name__} is not a data frame.",
        "Give a frame of polars or pandas, an Arrow table, or dictionaries.",
    )


def _by_step(by_case: pl.DataFrame) -> pl.DataFrame:
    lists = {"reward": "rewards", "redundancy": "redundancy", "label": "labels"}
    length = pl.max_horizontal(pl.col(name).list.len().fill_null(0) for name in lists.values())
    steps = by_case.with_columns(step=pl.int_ranges(0, length, dtype=STEP_INDEX)).filter(length > 0)
    steps = steps.explode("step", empty_as_null=False)
    picked = [pl.col(name).list.get(pl.col("step"), null_on_oob=True).alias(alias) for alias, name in lists.items()]
    return steps.select("case", "key", "vote", "step", *picked)


def _findings(batch: ImportBatch) -> list[Finding]:
    each = [*(source.findings for source in batch.imported), *(joined.findings for joined in batch.joined)]
    return [finding for findings in each for finding in findings]


def _added(
    source: str, read: int, batch: ImportBatch, added: Sequence[Added], saved: Sequence[SavedResults]
) -> AddedFrame:
    rows = [
        {
            "severity": finding.severity,
            "code": finding.code,
            "message": finding.message,
            "line": finding.line,
            "case": finding.case,
        }
        for finding in _findings(batch)
    ]
    # What saving a scorer has to say, as that another threshold stays, is of the whole frame.
    rows += [
        {"severity": "warning", "code": "scorer", "message": scorer_saved.why}
        for scorer_saved in saved
        if scorer_saved.why
    ]
    for imported, counts in zip(batch.imported, added, strict=True):
        if counts.elsewhere:
            message = f"cases of {imported.benchmark} came from {', '.join(counts.elsewhere)} before, and were changed"
            rows.append({"severity": "warning", "code": "changed-cases", "message": message})
    return AddedFrame(
        source,
        read,
        {imported.benchmark: counts for imported, counts in zip(batch.imported, added, strict=True)},
        {scorer_saved.scorer: scorer_saved.state for scorer_saved in saved},
        {scorer_saved.scorer: joined.joined for scorer_saved, joined in zip(saved, batch.joined, strict=True)},
        {scorer_saved.scorer: joined.unparsed for scorer_saved, joined in zip(saved, batch.joined, strict=True)},
        dict(_fates(batch)),
        pl.DataFrame(rows, schema=_FINDINGS),
    )


def _fates(batch: ImportBatch) -> Iterator[tuple[str, str]]:
    """What became of the columns that no reader of cases takes."""
    for fates in (imported.fates for imported in batch.imported if imported.fates is not None):
        yield from ((name, "kept" if name == here else f"kept as {here}") for name, here in fates.kept.items())
        yield from ((name, f"left out: {why}") for name, why in fates.left_out.items())
