"""Sources against known cases: which cases results may join, which are copies, and whose labels look shifted."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial

import polars as pl
from msgspec.structs import replace

from scoring.data.errors import InputError
from scoring.formats.benchmarks import demo
from scoring.formats.benchmarks.case_format import Imported
from scoring.formats.reading.findings import Finding
from scoring.formats.tables.response_answers import ANSWER_FINDINGS
from scoring.importing.join import OF_CASES
from scoring.importing.refusals import RefusedFile
from scoring.importing.sources import Source, belongs
from scoring.workspace.workspace import Workspace


class KnownCases:
    """The cases that results may belong to, read when they are first asked for."""

    def __init__(self, workspace: Workspace | None) -> None:
        self._workspace = workspace

    @cached_property
    def _every(self) -> pl.DataFrame:
        return joinable_cases(self._workspace, ())

    @cached_property
    def _sources(self) -> dict[str, list[tuple[str, str]]]:
        """The path of a file -> the benchmarks that have cases of it, with what it is called there."""
        sources_of: dict[str, list[tuple[str, str]]] = {}
        if self._workspace is None:
            return sources_of
        for benchmark in self._workspace.benchmarks():
            for report in self._workspace.imports(benchmark):
                sources_of.setdefault(report.get("path") or "", []).append((benchmark, report["source"]))
        return sources_of

    def answer_findings(self, path: str) -> list[str]:
        """Return what the last import of the file at this path said of how its final answers were compared."""
        return [
            finding["message"]
            for benchmark, source in self._sources.get(path, [])
            for report in ([] if self._workspace is None else self._workspace.imports(benchmark))
            if report["source"] == source
            for finding in report["findings"]
            if finding["code"] in ANSWER_FINDINGS
        ]

    def beside(self, path: str = "") -> pl.DataFrame:
        """Return those that were not made of the file at this path: reading it again is to give what it gave before."""
        cases = self._every
        if self._workspace is None or not path:
            return cases
        for benchmark, source in self._sources.get(path, []):
            there = self._workspace.cases([benchmark], twins=True)[0]
            cases = cases.join(there.filter(pl.col("source") == source), on="case", how="anti", maintain_order="left")
        return cases


def joinable_cases(workspace: Workspace | None, imported: Sequence[Imported]) -> pl.DataFrame:
    """Return the metadata of all cases that results may belong to, twins included; those read last come first.

    Of several cases of one identity that is the one which will be in the workspace.
    """
    columns = list(OF_CASES)
    frames = [frame for part in reversed(imported) for frame in (part.cases, part.twins)]
    parts = [frame.select(columns) for frame in frames if frame.height]
    if workspace is not None:
        parts.append(workspace.some_columns(columns))
    if workspace is None or demo.NAME not in workspace.benchmarks():
        parts.append(demo.read().cases.select(columns))
    # Within what is in the workspace no identity stands twice.
    every = pl.concat([pl.DataFrame(schema=OF_CASES), *parts])
    return every.unique("case", keep="first", maintain_order=True) if imported else every


def opened_alone(sources: Sequence[Source], known: KnownCases) -> Iterator[Source]:
    """Yield the sources; results that can be opened alone get cases of their own, where no known case has their texts.

    Cases that were made of one source are known to those after it.
    """
    cases = [part.cases["key"] for source in sources for part in source.imported]
    for source in sources:
        if source.alone is None:
            yield source
        elif _belongs_here(source, known, cases):
            yield replace(source, alone=None)
        else:
            cases += [part.cases["key"] for part in source.alone.imported]
            yield replace(source.alone, among=source.among)


def _belongs_here(source: Source, known: KnownCases, further: Sequence[pl.Series]) -> bool:
    """Whether results are of cases that other files gave, or that are all here because this file gave them before."""
    path = next((part.path for part in source.alone.imported), "") if source.alone is not None else ""
    of_others = partial(pl.concat, [known.beside(path)["key"], *further])
    if belongs(source.results, of_others, whole=source.wholly):
        return True
    return not _answers_judged_anew(source, known, path) and belongs(
        source.results, lambda: known.beside()["key"], whole=True
    )


def _answers_judged_anew(source: Source, known: KnownCases, path: str) -> bool:
    """Whether a file that is imported again has its final answers compared by other rules than its cases here had."""
    parts = () if source.alone is None else source.alone.imported
    now = [finding.message for part in parts for finding in part.findings if finding.code in ANSWER_FINDINGS]
    return bool(now) and now != known.answer_findings(path)


def _relabelled(imported: Imported, known: pl.DataFrame) -> int:
    """Count the known cases that would get another gold label from an import whose labels look shifted; else 0.

    Not of a table, whose base may only be unsaid.

    Args:
        imported: what was read.
        known: columns `case`, `key`, `earliest_error` of the cases that are there.
    """
    if imported.mapping or not any(
        finding.code == "label-base" and finding.severity == "warning" for finding in imported.findings
    ):
        return 0
    both = imported.cases.select("case", "key", "earliest_error").join(known, on=["case", "key"], how="inner")
    return int(both["earliest_error"].ne_missing(both["earliest_error_right"]).sum())


def without_shifted_labels(
    sources: Iterable[Source], workspace: Workspace, skipped: list[RefusedFile]
) -> Iterator[Source]:
    """Leave out, or refuse, what would put labels that look shifted in the place of those that are there."""
    for source in sources:
        refusal = None
        for imported in source.imported:
            known = _known_cases(workspace, imported)
            number = 0 if known is None else _relabelled(imported, known.select("case", "key", "earliest_error"))
            if number:
                refusal = InputError(
                    f"the labels of {imported.source} look shifted, and {number:,} of its cases are here with other "
                    "labels.",
                    "Nothing of it was taken over: correct it, or look at it in a workspace of its own.",
                )
                break
        if refusal is None:
            yield source
        elif source.among:
            skipped.append(RefusedFile(imported.path, str(refusal)))
        else:
            raise refusal


def _known_cases(workspace: Workspace, imported: Imported) -> pl.DataFrame | None:
    name = imported.benchmark
    return workspace.cases([name])[0] if name in workspace.benchmarks() else None


def without_copied_cases(source: Source, workspace: Workspace) -> Source:
    """Drop cases without ids that only repeat known ones to say what a scorer gave them: those are results."""
    if not source.results:
        return source
    kept, findings = [], []
    for imported in source.imported:
        unnamed = [finding.line for finding in imported.findings if finding.code == "no-id" and finding.line]
        known = _known_cases(workspace, imported)
        if known is not None:
            # Those that an earlier state of this file gave are its own, and no copies.
            own = [
                report["source"]
                for report in workspace.imports(imported.benchmark)
                if report.get("path") == imported.path
            ]
            known = known.filter(~pl.col("source").is_in(own)) if imported.path else known
        if known is None or not unnamed:
            kept.append(imported)
            continue
        again = pl.col("line").is_in(unnamed) & pl.col("key").is_in(known["key"].implode())
        new = imported.cases.select(new=~again)["new"]
        cases = imported.cases.filter(new)
        if count := imported.cases.height - cases.height:
            message = f"{count:,} rows without an id have the text of cases that are here: nothing of them was copied"
            findings.append(Finding("note", "known-cases", message, imported.source))
        if cases.height:
            metadata = imported.metadata.filter(new) if imported.metadata.width else imported.metadata
            kept.append(replace(imported, cases=cases, metadata=metadata))
    results = (replace(scorer, findings=(*findings, *scorer.findings)) for scorer in source.results)
    return replace(source, imported=tuple(kept), results=tuple(results))
