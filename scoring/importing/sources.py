"""What a named source holds: a benchmark's cases, scorers' results, or both in one table. Told by its content."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
from msgspec import Struct
from msgspec.structs import fields, replace

from scoring.data.errors import InputError, UnknownFormat, UsageError
from scoring.data.schema import CASES
from scoring.data.training_point import NOWHERE, guessed_point
from scoring.formats.benchmarks import benchmark_registry as benchmarks
from scoring.formats.benchmarks.case_format import CaseFormat, Imported
from scoring.formats.reading.compressed_streams import start_of
from scoring.formats.reading.file_bytes import printable
from scoring.formats.reading.findings import Finding, some_of
from scoring.formats.reading.metadata import half_characters, metadata_of
from scoring.formats.reading.reward_checks import first_of_pairs_finding, named_direction_findings
from scoring.formats.reading.rows import Rows, read_rows, some_rows
from scoring.formats.reading.text_rows import CSV_FORMATS
from scoring.formats.results import inspect_log, reasoneval
from scoring.formats.results import result_registry as formats
from scoring.formats.results.result_format import ExternalResults, reversed_results
from scoring.formats.tables import table
from scoring.formats.tables.cell_values import at, listed, outermost
from scoring.formats.tables.column_guess import SCORER_NAMES, column_called, doubtful_rewards, propose, rewards_beside
from scoring.formats.tables.column_mapping import COLUMNS, ColumnMapping, guessed_worse
from scoring.formats.tables.column_readings import readings, refuse_undirected_labels, untaken_labels
from scoring.formats.tables.response_lists import response_list, unfold
from scoring.formats.tables.results import refuse_nested_columns
from scoring.formats.tables.results import results as table_results
from scoring.importing.bringing import bring
from scoring.importing.hub_datasets import hub_rows
from scoring.importing.join import TEXTED, content_keys
from scoring.importing.ledger import Unchanged
from scoring.importing.local_files import LocalFile
from scoring.importing.proposal import OF_RESULTS, OpenTable, Proposal, propose_mapping
from scoring.importing.refusals import RUN_NAMES, check_layout, check_one_scorer, shown, unknown_format
from scoring.importing.source_locations import HUB

FRAME = "frame://"
"""What stands before the name of a data frame where a file has its path: it cannot be read again."""
_SAMPLE = 100
_KEYS = 12
_FIRST = "[][0]"
"""How a path to the first of several numbers per step ends."""
_MAPPING = {"format", *(field.name for field in fields(ColumnMapping))}
_OPTIONS = ("separator", "label_base", "wrong_below", "wrong")
_OWN = frozenset({*CASES, "label"})
"""What a benchmark of the user's own, which does not say it, is taken to read."""
_FLAGS = {
    "rewards": ("step rewards", "--rewards"),
    "verdicts": ("verdicts", "--verdict"),
    "answers": ("answers", "--answers"),
}


class Source(Struct, frozen=True, eq=False):
    """What one source holds; `mapping` is how it was read, where it is a table.

    `alone` is what results are where no case that is known has their texts (`wholly`: where one of them is of none that
    is known): cases, and results of these. `proposal` is
    there where a table was to be previewed. `among` says that it is one of many that a word stands for, `brought` from
    which file it was read; `unchanged` is there where it was not read because the workspace has it as it is.
    """

    imported: tuple[Imported, ...] = ()
    results: tuple[ExternalResults, ...] = ()
    mapping: ColumnMapping | None = None
    alone: "Source | None" = None
    proposal: Proposal | None = None
    among: bool = False
    brought: LocalFile | None = None
    unchanged: Unchanged | None = None
    wholly: bool = False


class ReadOptions(Struct, frozen=True):
    """How sources are to be read.

    Attributes:
        benchmark: Whose rows they are, whatever their content looks like: a name, or the path of a Python file (see
            `scoring.formats.benchmarks.own`).
        mapping: Which column of a table is what, where a person wrote that down.
        columns: What a person said of single columns; the others are found.
        table: What the benchmark of a table is called, whatever its mapping or its file says.
        folder: Where the texts of a source that is too large for memory go. None = they stay there.
        progress: Hears how many bytes of a file are read.
        known: Gives the cases that are known, with the columns that joining needs. None = results are not opened alone.
        ask: Decides the mapping of a table; None, as its answer too = the one that is proposed.
        preview: Whether the mapping of a table is wanted with what it makes of the first rows.
    """

    benchmark: str | None = None
    mapping: ColumnMapping | None = None
    columns: ColumnMapping | None = None
    table: str | None = None
    folder: Path | None = None
    progress: Callable[[int], None] = lambda _: None
    known: Callable[[], pl.DataFrame] | None = None
    ask: Callable[[OpenTable], ColumnMapping | None] | None = None
    preview: bool = False


def read_source(source: str | LocalFile, options: ReadOptions | None = None) -> Source:
    """Read one source: a file that was brought, `hf:NAME`, or a word that stands for one file.

    Raises:
        InputError: it cannot be read, or nothing recognises it.
        UsageError: there is no such benchmark, the mapping does not fit, or a table would be called like a benchmark.
    """
    options = options or ReadOptions()
    _free_name(options.table)
    if isinstance(source, LocalFile):
        return _read(source, options)
    if source.startswith(HUB):
        return _of(hub_rows(source.removeprefix(HUB)), options)
    with TemporaryDirectory(prefix="prm-inspect-") as folder:
        for brought in bring(source, Path(folder)):
            if not brought.alone:
                raise UsageError(f"{source} holds several files.", "Unpack it and name one of them.")
            return _read(brought, options)
    raise AssertionError(source)


def _free_name(name: str | None) -> None:
    if name in benchmarks.MODULES:
        raise UsageError(f"{name!r} is the name of a benchmark that is known here.", "Give the table another name.")


def read_table(table: pl.DataFrame, name: str, options: ReadOptions | None = None) -> Source:
    """Read a data frame as if it were a file of this name.

    Raises:
        InputError: it holds no rows, or nothing recognises them.
        UsageError: as for `read_source`.
    """
    options = options or ReadOptions()
    _free_name(options.table)
    rows = some_rows(Rows(printable(name), "data frame", table=table))
    return as_frame_source(_of(rows, options), rows.source)


def as_frame_source(source: Source, name: str) -> Source:
    """Name the data frame of this name, its identity, as where the content came from."""
    return _placed(source, LocalFile(name, f"{FRAME}{printable(name)}", Path(name)))


def _read(brought: LocalFile, options: ReadOptions) -> Source:
    if brought.refusal is not None:
        raise brought.refusal
    if inspect_log.recognises_file(start_of(brought.path), brought.path):
        return _placed(Source(results=tuple(inspect_log.load_file(brought.path, brought.name))), brought)
    rows = read_rows(brought.path, brought.name, brought.until)
    rows.progress = options.progress
    return _placed(_of(rows, options), brought)


def recognised(rows: Rows) -> tuple[str, str | None]:
    """Give (`benchmark` or `results`, name) of the format that knows most of a hundred rows; or (`table`, None)."""
    first = rows.sample()
    values = first[:: len(first) // _SAMPLE + 1]
    # Results that repeat their benchmark's fields are recognised by both, so they are asked first.
    votes = {("results", name): count for name, count in formats.recognised(values).items()}
    votes |= {("benchmark", name): count for name, count in benchmarks.recognised(values).items()}
    if not any(votes.values()):
        votes |= {("benchmark", name): count for name, count in benchmarks.recognised_by_installed(values).items()}
    best = max(votes, key=lambda name: votes[name])
    if best == ("results", "reasoneval") and not reasoneval.is_distinct(values, rows.source):
        return "table", None
    return best if votes[best] else ("table", None)


def _of(rows: Rows, options: ReadOptions) -> Source:
    stated = options.columns
    if options.mapping is not None:
        mapping = options.mapping if stated is None else options.mapping.overridden(stated)
        return _table(rows, mapping, options)
    if options.benchmark is not None:
        return _benchmark(rows, options.benchmark, options)
    # The cells of CSV are all texts: only a table's reader knows how to take lists and numbers out of them.
    cells = rows.format in CSV_FORMATS.values()
    kind, name = ("table", None) if cells else recognised(rows)
    if not cells and kind != "results" and (of_responses := response_list(rows.sample())):
        return _responses(rows, of_responses, options)
    if name is None and _is_mapping(rows):
        raise UnknownFormat(f"{rows.source} is a mapping and holds no rows.", "Give it with --mapping FILE.")
    if kind == "benchmark" and name is not None and not _names_a_table(stated):
        return _benchmark(rows, name, options)
    if kind == "results" and name is not None and (stated is None or not _names_results(stated)):
        return _results(rows, name, options)
    proposed = propose(rows, stated)
    decided = None if options.ask is None else options.ask(OpenTable(rows, stated, options.known))
    chosen_mapping = decided or proposed
    if chosen_mapping is None:
        refuse_nested_columns(rows)
        raise unknown_format(rows, stated)
    if decided is None:
        refuse_undirected_labels(rows, chosen_mapping)
    _refuse_worse_names(rows.source, chosen_mapping, decided or stated)
    # Who leaves all columns as they were found has not stated them.
    guessed = proposed is not None and chosen_mapping.named == proposed.named
    source = _table(rows, chosen_mapping, options, decided or stated, guessed=guessed)
    perhaps_known = guessed and options.known is not None
    return _results_alone(source, chosen_mapping, decided or stated) if perhaps_known else source


def _refuse_worse_names(source: str, mapping: ColumnMapping, stated: ColumnMapping | None) -> None:
    """Refuse to guess that columns hold rewards whose names say that a higher value means worse."""
    if worse := [printable(shown(column)) for column in guessed_worse(mapping, stated)]:
        raise InputError(
            f"{source} has no column of step rewards but {some_of([repr(column) for column in worse], _KEYS)}, and the "
            "name says that a higher value means worse.",
            "Say what a higher value means.",
            instead=(
                ("--higher-is worse", f"reads each reward as 1 - {worse[0]}"),
                ("--higher-is better", f"reads {worse[0]} as it is"),
            ),
        )


def _results_alone(source: Source, mapping: ColumnMapping, stated: ColumnMapping | None) -> Source:
    """A table of rewards beside the texts that they are of, without a label: results alone where all texts are here."""
    labelled = mapping.earliest_error or mapping.error_steps or mapping.step_labels
    if labelled or not (source.imported and source.results):
        return source
    scorers = tuple(_noted(mapping, scorer, stated) for scorer in source.results)
    return Source(results=scorers, alone=source, proposal=source.proposal, wholly=True)


def _names_a_table(stated: ColumnMapping | None) -> bool:
    """Whether a person said what a benchmark's own declaration says already."""
    if stated is None:
        return False
    named = any(name in COLUMNS or name == "step" for name, _ in stated.named)
    # Beside verdicts it is said of these what stands for no error: of its labels a benchmark's declaration says it.
    of_labels = stated.clean is not None and not stated.verdicts
    return named or of_labels or any(getattr(stated, option) is not None for option in _OPTIONS)


def _names_results(stated: ColumnMapping) -> bool:
    """Whether a person said of results what their format does not say itself."""
    return replace(stated, verdict_base=None, clean=None, label_base=None, higher_is=None) != ColumnMapping()


def _benchmark(rows: Rows, name: str, options: ReadOptions) -> Source:
    """The cases of a benchmark, and what somebody put beside them: the named columns, else step rewards."""
    stated = options.columns
    reader = benchmarks.case_reader(name)
    form = reader if isinstance(reader, CaseFormat) else reader.form
    if form is not None:
        rows = form.unfolded(rows)
    keys = {} if form is None else form.layout.row_keys()
    steps = keys[form.layout.content[1]] if form is not None and form.layout.content else "steps"
    claimed = set(keys.values())
    mapping = stated if stated is not None and stated.scorers else None
    left_out: list[Finding] = []
    if mapping is None:
        by_column = form is not None and form.one_of_many
        mapping = rewards_beside(rows, steps, claimed, by_column=by_column)
        if mapping is not None and stated is not None:
            mapping = mapping.overridden(ColumnMapping(higher_is=stated.higher_is))
        if mapping is not None and (worse := guessed_worse(mapping, stated)):
            mapping, left_out = None, [_not_taken(column, rows.source) for column in worse]
    beside = () if mapping is None else _keys_of(mapping)
    imported = reader.load(rows, options.folder, beside)
    if imported.fates is None:
        imported = with_metadata(imported, rows, [*_OWN, *beside])
    imported = replace(imported, findings=(*imported.findings, *left_out))
    if stated is None:
        imported = replace(imported, findings=(*imported.findings, *doubtful_rewards(rows, steps, claimed)))
    if mapping is None:
        return Source((imported,))
    mapping = replace(mapping, benchmark=imported.benchmark)
    if form is None:
        # One of the user's own: its cases are told by their texts.
        mapping = replace(mapping, problem="problem", steps="steps")
    check_layout(rows, mapping)
    scorers = _direction_doubted(rows, mapping, table_results(rows, mapping, form), stated)
    if mapping is not stated:
        scorers = [_noted(mapping, scorer, stated) for scorer in scorers]
    return Source((imported,), tuple(scorers))


def _not_taken(column: str, source: str) -> Finding:
    name = printable(column)
    message = (
        f"the column {name!r} was not taken for step rewards: its name says that a higher value means worse; "
        "--higher-is worse reads each reward as 1 - value, --higher-is better reads it as it is"
    )
    return Finding("warning", "reward-direction", message, source)


def _direction_doubted(
    rows: Rows, mapping: ColumnMapping, scorers: list[ExternalResults], stated: ColumnMapping | None
) -> list[ExternalResults]:
    """The scorers of a table, with what their columns say against how they are read."""
    guessed = guessed_worse(mapping, stated)
    findings = list(named_direction_findings(rows.source, mapping.rewards, mapping.higher_is, guessed))
    pairs = [column.removesuffix(_FIRST) for column in mapping.rewards.values() if column.endswith(_FIRST)]
    for column in pairs if mapping.higher_is is None else ():
        sample = (value for value in rows.sample()[:_SAMPLE] if isinstance(value, Mapping))
        findings += first_of_pairs_finding(rows.source, column, [listed(at(value, column)) for value in sample])
    return [replace(scorers[0], findings=(*findings, *scorers[0].findings)), *scorers[1:]]


def with_metadata(imported: Imported, rows: Rows, claimed: Iterable[str]) -> Imported:
    """Give cases the metadata columns of the rows that they were made of.

    Args:
        imported: what a reader made of `rows`.
        rows: the rows as they stand in the source.
        claimed: the keys that the reader took.
    """
    values = _rows_of(imported, rows)
    if values is None:
        message = "whose rows the cases are is not known, so that no other column of the file was kept"
        return replace(imported, findings=(*imported.findings, Finding("note", "no-metadata", message, rows.source)))
    frame, fates, mended = metadata_of(values, claimed, cells=rows.format in CSV_FORMATS.values())
    findings = (*imported.findings, *half_characters(mended, rows.source))
    return replace(imported, metadata=frame, fates=fates, findings=findings)


def _rows_of(imported: Imported, rows: Rows) -> list[Mapping[str, Any] | None] | None:
    """The row of each case; None where they cannot be told. Several rows may stand on one line."""
    lines = imported.cases["line"].to_list()
    numbers = rows.cases if len(rows.cases) == len(lines) else []
    by_number = {row.number: row for row in rows.rows}
    if [by_number[number].line for number in numbers if number in by_number] == lines:
        values = [by_number[number].value for number in numbers]
    else:
        times = Counter(row.line for row in rows.rows)
        by_line = {row.line: row.value for row in rows.rows if times[row.line] == 1}
        if any(line not in by_line for line in lines):
            return None
        values = [by_line[line] for line in lines]
    return [value if isinstance(value, Mapping) else None for value in values]


def _keys_of(mapping: ColumnMapping) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for _, column in mapping.named for name in (column, outermost(column))))


def _results(rows: Rows, name: str, options: ReadOptions) -> Source:
    scorers = tuple(formats.result_reader(name).load(rows))
    if options.columns is not None:
        scorers = tuple(_said_by_format(scorer, options.columns) for scorer in scorers)
        if options.columns.higher_is == "worse":
            scorers = tuple(map(_read_reversed, scorers))
    known = options.known
    if (
        known is None
        or not any(scorer.rows.select(TEXTED.any()).item() for scorer in scorers)
        or belongs(scorers, lambda: known()["key"])
    ):
        return Source(results=scorers)
    if cases := own_cases(rows, name, options.folder):
        return Source(results=scorers, alone=Source(cases, scorers))
    proposed = propose(rows)
    gold = proposed and (proposed.earliest_error or proposed.error_steps or proposed.step_labels)
    if proposed is not None and gold and proposed.rewards:
        alone = _table(rows, proposed, replace(options, preview=False), guessed=True)
        return Source(results=scorers, alone=alone)
    if of_responses := response_list(rows.sample()):
        return Source(results=scorers, alone=_responses(rows, of_responses, replace(options, known=None)))
    return Source(results=scorers)


def _responses(rows: Rows, name: str, options: ReadOptions) -> Source:
    """The cases and the results of a file whose rows hold several responses, by the columns of these."""
    responses = unfold(rows, name)
    mapping = responses.mapping if options.columns is None else responses.mapping.overridden(options.columns)
    source = _table(responses.rows, mapping, options)
    cases = [replace(part, findings=(*responses.findings, *part.findings)) for part in source.imported]
    # A mapping of columns that the file itself does not have is no mapping to keep.
    both = replace(source, imported=tuple(cases), mapping=None)
    if options.known is None or not source.results:
        return both
    # Another scorer's file of the same responses makes no cases of its own.
    broken = [finding for finding in responses.findings if finding.severity != "note"]
    first = replace(source.results[0], findings=(*broken, *source.results[0].findings))
    return Source(results=(first, *source.results[1:]), alone=both, proposal=source.proposal, wholly=True)


def own_cases(rows: Rows, name: str, folder: Path | None) -> tuple[Imported, ...]:
    """Make cases of the rows of a result format, by the reader of the benchmark whose rows they repeat.

    Args:
        rows: the source's, in which results stand beside the fields of a benchmark.
        name: the result format.
        folder: where the texts of a large file go; None = they stay in memory.

    Returns:
        Nothing where the rows, without what the format adds, are no benchmark's.
    """
    reader = formats.result_reader(name)
    added = reader.added
    sample = [value for value in rows.sample()[:_SAMPLE] if isinstance(value, Mapping)]
    sample = [{key: inner for key, inner in value.items() if key not in added} for value in sample]
    votes = benchmarks.recognised(sample) if added else {}
    best = max(votes, key=lambda benchmark: votes[benchmark], default="")
    form = benchmarks.case_format(best) if best and votes[best] else None
    if form is None:
        return ()
    imported = form.load(rows, folder, sorted(added))
    if not imported.cases.select(pl.any_horizontal(pl.col("earliest_error", "error_steps").is_not_null()).any()).item():
        return ()
    message = (
        "no case that is here has one of these texts: the cases were made from the rows of the results "
        f"({reader.title}), as those of {imported.benchmark}"
    )
    finding = Finding("note", "opened-alone", message, imported.source)
    return (replace(imported, findings=(finding, *imported.findings)),)


def belongs(results: Sequence[ExternalResults], keys: Callable[[], pl.Series], *, whole: bool = False) -> bool:
    """Return whether a row has the text of a case.

    Args:
        results: those of one source.
        keys: gives the keys of the cases that are known; it is not asked where no row has a text.
        whole: ask instead whether every row with a text has that of a case.
    """
    for scorer in results:
        texts = content_keys(scorer.rows.filter(TEXTED)).drop_nulls()
        known = texts.is_in(keys().implode()) if texts.len() else pl.Series([whole])
        if known.any() and not whole:
            return True
        if whole and not known.all():
            return False
    return whole


def _is_mapping(rows: Rows) -> bool:
    value = rows.rows[0].value if len(rows.sample()) == 1 else None
    return isinstance(value, dict) and "format" in value and value.keys() <= _MAPPING


def _table(
    rows: Rows,
    mapping: ColumnMapping,
    options: ReadOptions,
    stated: ColumnMapping | None = None,
    *,
    guessed: bool = False,
) -> Source:
    """The cases of a table, if the mapping says where they are, and the results that it names.

    `guessed` where nobody stated the mapping, or only what of it is `stated`: that is said.
    """
    has_texts = mapping.problem is not None and mapping.steps is not None
    if options.table is not None and has_texts:
        # The name is the benchmark's where there are cases. Otherwise it is a scorer's, which need not be a folder's.
        mapping = replace(mapping, benchmark=options.table)
    if mapping.benchmark is None:
        mapping = replace(mapping, benchmark=table.table_name(rows.source))
    cases = [table.load(rows, mapping, options.folder)] if has_texts and mapping.step is None else []
    check_layout(rows, mapping)
    scorers = table_results(rows, mapping) if mapping.scorers or not cases else []
    if mapping.step is not None:
        check_one_scorer(rows, mapping, scorers)
    if scorers:
        scorers = _direction_doubted(rows, mapping, scorers, stated)
    if not cases and (left_out := _left_out(rows, mapping)):
        scorers[0] = replace(scorers[0], findings=(left_out, *scorers[0].findings))
    findings = (finding for scorer in scorers for finding in scorer.findings)
    repeated = any((finding.severity, finding.code) == ("error", "repeated-id") for finding in findings)
    if repeated and mapping.scorer is None and mapping.run is None and (apart := _told_apart(rows, mapping)):
        scorers[0] = replace(scorers[0], findings=(apart, *scorers[0].findings))
    if guessed and cases:
        message = "which column is what was guessed by name and content; state it with --mapping FILE"
        noticed = [Finding("note", "guessed-columns", message, rows.source)]
        noticed += [reading.finding(rows.source) for reading in readings(rows, mapping, stated, with_findings=False)]
        noticed += untaken_labels(rows, mapping)
        cases[0] = replace(cases[0], findings=(*noticed, *cases[0].findings))
    elif guessed:
        scorers = [_noted(mapping, scorer, stated) for scorer in scorers]
    source = Source(tuple(cases), tuple(scorers), mapping)
    if not options.preview:
        return source
    known = None if options.known is None else options.known()
    return replace(source, proposal=propose_mapping(rows, options.columns, known, mapping=mapping))


def _told_apart(rows: Rows, mapping: ColumnMapping) -> Finding | None:
    """A note which column may tell rows of one id apart: by scorer or, of verdicts, by run; None where none does."""
    ways = [(SCORER_NAMES, "--scorer-column {}")]
    if not mapping.rewards:
        ways.append((RUN_NAMES, '{{"run": "{}"}} in a mapping (--save-mapping, --mapping)'))
    named = {column for _, column in mapping.named}
    for names, flag in ways:
        column = column_called(names, rows)
        if column is not None and column not in named:
            message = f"rows share ids, and {column!r} may tell them apart: {flag.format(column)}"
            return Finding("note", "two-readings", message, rows.source)
    return None


def _left_out(rows: Rows, mapping: ColumnMapping) -> Finding | None:
    """A note which columns of results are not kept: what is of a case belongs to the cases' own file."""
    columns = dict.fromkeys(str(key) for value in rows.sample() if isinstance(value, dict) for key in value)
    names = [printable(shown(column)) for column in columns if column not in _keys_of(mapping)]
    if not names:
        return None
    message = f"{OF_RESULTS}; left out: {some_of(names, _KEYS)}"
    return Finding("note", "left-out-columns", message, rows.source)


def _said_by_format(scorer: ExternalResults, stated: ColumnMapping) -> ExternalResults:
    """The results of a format that says itself what verdicts count from, where a person says it too."""
    flags = {"--base": stated.verdict_base, "--label-base": stated.label_base, "--clean": stated.clean}
    passed_over = [flag for flag, value in flags.items() if value is not None]
    if scorer.kind != "critic" or not passed_over:
        return scorer
    message = (
        f"{' and '.join(passed_over)} passed over: {scorer.format} says itself what verdicts mean; "
        "with --verdict COLUMN the rows are read as a table, by what these say"
    )
    return replace(scorer, findings=(Finding("warning", "label-base", message, scorer.source), *scorer.findings))


def _read_reversed(scorer: ExternalResults) -> ExternalResults:
    """The results of a format whose rewards are higher where a step is worse, as a person says."""
    rows = scorer.rows
    if not (rows["rewards"].count() or rows["solution"].count()):
        return scorer
    if scorer.reads_answers or scorer.kind == "critic" or rows["labels"].count() or rows["redundancy"].count():
        message = f"--higher-is worse passed over: {scorer.format} says itself what its numbers mean"
        finding = Finding("warning", "reward-direction", message, scorer.source)
        return replace(scorer, findings=(finding, *scorer.findings))
    return reversed_results(scorer)


def _noted(mapping: ColumnMapping, scorer: ExternalResults, stated: ColumnMapping | None) -> ExternalResults:
    findings = []
    for kind, (what, flag) in _FLAGS.items():
        columns = getattr(mapping, kind)
        # In a table with a row a case and scorer, a scorer is not called as its column is.
        name = scorer.name if mapping.scorer is None else next(iter(columns), "")
        if name in columns and (stated is None or name not in getattr(stated, kind)):
            findings.append(_guess(columns[name], what, flag, scorer.source))
    if mapping.scorer is not None and (stated is None or stated.scorer is None):
        findings.append(_guess(mapping.scorer, "the scorer's name", "--scorer-column", scorer.source))
    return replace(scorer, findings=(*findings, *scorer.findings))


def _guess(column: str, what: str, flag: str, source: str) -> Finding:
    words = f"the column {printable(column)!r} was taken for {what} by its name and content"
    return Finding("note", "guessed-columns", f"{words}; {flag} COLUMN names another", source)


def _placed(source: Source, brought: LocalFile) -> Source:
    """The source with the place of its file, so that its rows can be looked up later, and what was noticed before."""
    place = brought.place
    imported = [replace(cases, path=place) for cases in source.imported]
    # Of several scorers in a file its path tells none from the others.
    guess = guessed_point(place) if len(source.results) == 1 and not place.startswith((FRAME, HUB)) else NOWHERE
    results = [replace(scorer, place=printable(place), training=guess) for scorer in source.results]
    if imported:
        imported[0] = replace(imported[0], findings=(*brought.findings, *imported[0].findings))
    elif results:
        results[0] = replace(results[0], findings=(*brought.findings, *results[0].findings))
    alone = None if source.alone is None else _placed(source.alone, brought)
    return replace(source, imported=tuple(imported), results=tuple(results), alone=alone)
