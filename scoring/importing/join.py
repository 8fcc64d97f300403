"""Results meet the cases: by content where the file repeats it, else by ids.

Content wins over ids, and of cases of equal content ids tell which is meant: a result whose id is one of theirs belongs
to that case alone, and one without belongs to all of them that no other row names. Ids alone join only within the one
benchmark that they fit (at least `ENOUGH` of them are its ids, and their numbers are as many as its steps), within
several that fit them together where each id is of one alone, or within the one that was named; anything less is
refused, because small whole numbers are ids of many things. Where a file says whether it judges errors or redundancy,
only benchmarks whose labels are of that are looked at. Ids that name their benchmark (`processbench/gsm8k-0`) join
wherever they are cases.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import NotJoined, UsageError
from scoring.data.schema import METADATA, REWARDS, VOTES, content_key
from scoring.formats.benchmarks import demo, mrmath_redundant
from scoring.formats.reading.findings import Finding
from scoring.formats.reading.label_checks import gold_findings, verdict_findings
from scoring.formats.reading.reward_checks import constant_findings, reward_findings
from scoring.formats.results.result_format import ExternalResults
from scoring.importing.id_checks import equal_ids, equal_ids_finding, id_hints, refuse_shifted, shift_findings
from scoring.importing.reward_lengths import cut_padding, length_findings, unpadded_lengths, why_lengths_differ
from scoring.importing.step_values import at_steps, grouped, judged
from scoring.workspace.cache import why_refused

ENOUGH = 0.95
"""Share of a file's ids that must be a benchmark's, with as many numbers as steps, for ids to join."""

_CASE = (
    *("key", "benchmark", "n_steps", "sub_steps", "step_messages", "earliest_error"),
    *("error_steps", "neutral_steps", "problem_id"),
)
OF_CASES: dict[str, pl.DataType] = {name: METADATA[name] for name in ("case", "id", "subset", *_CASE)}
"""The columns of cases that results are joined to."""
NO_VERDICT_READ = pl.col("verdict").is_null() & pl.col("rewards").is_null()
"""Of answers, those from which neither a verdict nor ratings could be read, whatever they vote with."""
TEXTED = pl.col("problem").is_not_null() & pl.col("steps").is_not_null()
"""Of results, those that repeat what was judged."""

_OF_REDUNDANCY = frozenset({mrmath_redundant.NAME})
"""Benchmarks whose labels mark redundant steps and no wrong ones."""
# How benchmarks write a subset and an id in one: PRMBench and Socratic, ProcessBench, paths.
_BETWEEN = ("_", "-", "/")
_SHOWN, _LONGEST, _NAMED = 3, 40, 6
"""Benchmarks that a refusal names, characters of an id in it, and cases that a finding lists."""
_REFUSED = "the case is refused until the file has one number for each step of its solution"
_RESULT = (
    *("rewards", "redundancy", "labels", "redundancy_labels", "solution"),
    *("answer", "ballot", "verdict", "reason"),
)
_PLACE = ("key", "vote", "run")


class JoinedResults(Struct, frozen=True, eq=False):
    """One scorer's results, on the keys of the cases, and on the cases themselves where the file names them.

    `rewards` and `votes` have the columns of `scoring.data.schema`; each row of the file that joined is in one of them,
    except repetitions, of which the first counts. `row_counts` counts the rows of the file that gave rewards, labels, a
    number for redundancy or for the solution that can be used, those that are `refused`, and answers, by column. `by`
    says in a word what joined, `benchmarks` with what. `joined` counts rows of the file,
    `unparsed` the answers that say nothing (`NO_VERDICT_READ`); `findings` holds what the reader and the join noticed.
    """

    results: ExternalResults
    by: str
    benchmarks: tuple[str, ...]
    rewards: pl.DataFrame
    votes: pl.DataFrame
    row_counts: Mapping[str, int]
    joined: int
    unparsed: int
    findings: tuple[Finding, ...]


def join(results: ExternalResults, cases: pl.DataFrame, benchmark: str | None = None) -> JoinedResults:
    """Join results to cases.

    Args:
        results: the results, as a reader gave them.
        cases: the columns of OF_CASES, of every benchmark that may be meant, twins included.
        benchmark: the only one that is meant, if the user said so.

    Raises:
        NotJoined: no row joins, or ids alone do not say which benchmark they are of; the candidates are named.
        UsageError: there are no cases of the benchmark that is meant.
    """
    if benchmark is not None:
        here = _list(cases["benchmark"].unique(maintain_order=True)) or "none"
        cases = cases.filter(pl.col("benchmark") == benchmark)
        if cases.is_empty():
            raise UsageError(f"there are no cases of a benchmark {benchmark!r}.", f"Benchmarks here: {here}.")
    if results.in_order is not None:
        in_order = _one_row_a_step(results, results.in_order, cases, benchmark)
        if in_order is not None:
            return in_order
    # How many numbers or labels a row has; null for a row that has none a step, or says itself of which messages.
    numbers = pl.coalesce(pl.col("rewards").list.len(), pl.col("labels").list.len()).cast(pl.Int64)
    numbers = pl.when(pl.col("messages").is_null()).then(numbers)
    rows = results.rows.with_row_index("_row").with_columns(_numbers=numbers, _unpadded=unpadded_lengths(results.rows))
    same = equal_ids(rows["id"], pl.concat([cases["id"], cases["case"]]))
    if same:
        rows = rows.with_columns(id=pl.col("id").replace(same))
        results = replace(results, findings=(*results.findings, equal_ids_finding(results.source, same)))
    by_content, by_ids, named = _matched(results, rows, cases, benchmark)
    joined = pl.concat([by_content, by_ids]).sort("_row")
    whole = rows.join(joined, on="_row", how="inner", maintain_order="left")
    results, whole = cut_padding(results, whole)
    results, whole = judged(results, whole)
    if results.labels_explained and results.on == "differences":
        # Grouping before would compare the lowest rewards of neighbouring steps, which is not what was labelled.
        whole = _rewards_or_labels(whole)
    whole, placed = at_steps(whole, results.source)
    whole, findings = grouped(whole, results.source)
    findings += placed
    if results.labels_explained:
        whole = _rewards_or_labels(whole)
    findings = [*results.findings, *findings, *_lost(results, rows, joined, cases)]
    findings += _doubts(results, rows, by_ids, whole)
    if benchmark is not None and by_ids.height:
        findings += shift_findings(results.source, benchmark, _with_subsets(rows.filter(~TEXTED), cases), cases)
    of_cases = whole.join(named, on="_row", how="left", maintain_order="left")
    # Looking at one column is several times cheaper than at four.
    distinct = not of_cases["case"].null_count() and of_cases["case"].is_unique().all()
    once = of_cases if distinct else of_cases.unique([*_PLACE, "case"], keep="first", maintain_order=True)
    findings += equal_texts(results.source, of_cases, once, cases)
    if benchmark is not None and not _of_its_question(results, benchmark):
        message = f"the file judges {results.judges}, and the labels of {benchmark} are of something else"
        findings.append(Finding("warning", "other-question", message, results.source))
    by = " and ".join(word for word, part in (("content", by_content), ("ids", by_ids)) if part.height)
    return _split(results, by, whole, once, findings)


def _matched(
    results: ExternalResults, rows: pl.DataFrame, cases: pl.DataFrame, benchmark: str | None
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """The rows that join by content and by ids, with their case's columns, and which cases they name."""
    by_content, named = _by_content(rows, cases)
    try:
        by_ids = _by_ids(results, rows.filter(~TEXTED), cases, benchmark)
    except NotJoined:
        if by_content.is_empty():
            raise
        # The rows that repeat their content have joined; these are listed with those that did not.
        return by_content, by_content.clear(), named
    if rows.is_empty():
        why = next((f": {finding.message}" for finding in results.findings if finding.severity == "error"), "")
        raise NotJoined(
            f"not one row of {results.source} ({results.format}) gives a result{why}.",
            "Name the columns that hold one value a row: --id COL, --rewards COL, --verdict COL or --answers COL.",
        )
    if by_content.is_empty() and by_ids.is_empty():
        ids = rows.filter(~TEXTED & pl.col("id").is_not_null())
        both = ids.height and cases.height
        alike = f" Its ids look like {_examples(ids)}, and theirs like {_examples(cases)}." if both else ""
        raise NotJoined(
            f"none of the {rows.height:,} results of {results.source} ({results.format}) belongs to a case of "
            f"{_list(cases['benchmark'].unique(maintain_order=True)) or 'this workspace'}.{alike}",
            "Import the benchmark they are of first, in the same command or before.",
        )
    return by_content, by_ids.drop("case"), pl.concat([named, by_ids.select("_row", "case")])


def _doubts(
    results: ExternalResults, rows: pl.DataFrame, by_ids: pl.DataFrame, whole: pl.DataFrame
) -> Iterator[Finding]:
    only_ids = by_ids.height and rows["_numbers"].gather(by_ids["_row"]).null_count() == by_ids.height
    of_messages = rows["messages"].count() > 0
    if only_ids and not of_messages and results.judges != "redundancy":
        # Small whole numbers are ids of many benchmarks.
        names = _list(by_ids["benchmark"].unique(maintain_order=True))
        message = f"nothing but their ids says that these are cases of {names}"
        yield Finding("note", "ids-alone", message, results.source)
    yield from length_findings(results, whole)
    yield from _lengths(results, whole)
    yield from gold_findings(results.source, whole)
    yield from verdict_findings(results.source, whole)
    if results.judges != "redundancy" and results.on == "rewards":
        yield from constant_findings(results.source, whole)
        of_errors = whole.filter(~pl.col("benchmark").is_in(list(_OF_REDUNDANCY)))
        yield from reward_findings(results.source, of_errors, results.settings.get("higher_is", "better"))


def _split(
    results: ExternalResults, by: str, whole: pl.DataFrame, once: pl.DataFrame, findings: list[Finding]
) -> JoinedResults:
    answered = pl.any_horizontal(pl.col("answer", "ballot", "verdict").is_not_null())
    has_numbers = pl.any_horizontal(pl.col("rewards", "labels", "solution").is_not_null())
    is_vote = answered | (~has_numbers & (results.kind == "critic"))
    votes, beyond = _with_ratings(once.filter(is_vote))
    if beyond:
        message = f"{beyond:,} answers name steps that are not there; these are left out"
        findings.append(Finding("note", "named-beyond-end", message, results.source))
    unparsed, answers = votes.filter(NO_VERDICT_READ)["_row"].n_unique(), votes["_row"].n_unique()
    if results.reads_answers and 2 * unparsed > answers:
        message = f"{unparsed:,} of {answers:,} answers could not be read: "
        message += "once they are imported, prm-inspect reparse SCORER tells what other parsers make of them"
        findings.append(Finding("warning", "mostly-unparsed", message, results.source))
    # Ratings that were read of an answer stay with it.
    numbers = once.filter(~is_vote | (has_numbers & (not results.reads_answers)))
    # A row that names several cases is stored for each, and counts once.
    first = numbers["_row"].is_first_distinct()
    each = numbers if first.all() else numbers.filter(first)
    # What an evaluation will refuse is counted as nothing else.
    usable = each.filter(why_refused().is_null())
    counts = {name: usable[name].count() for name in ("rewards", "labels", "redundancy", "solution")}
    return JoinedResults(
        results,
        by,
        tuple(whole["benchmark"].unique(maintain_order=True)),
        numbers.select([_column(name, dtype, once) for name, dtype in REWARDS.items()]),
        votes.select([_column(name, dtype, votes) for name, dtype in VOTES.items()]),
        {**counts, "refused": each.height - usable.height, "answers": answers},
        whole.height,
        unparsed,
        tuple(findings),
    )


def _one_row_a_step(
    results: ExternalResults, rows: pl.DataFrame, cases: pl.DataFrame, benchmark: str | None
) -> JoinedResults | None:
    """The results as one row a step in the order of the file; None where too many cases have other numbers of steps."""
    message = (
        f"{results.rows.height:,} ids have several rows, as many as their cases have steps: they were read as one row "
        "a step, in the order of the file; --step COLUMN names a column of step numbers"
    )
    kept = [finding for finding in results.findings if finding.code != "repeated-id"]
    findings = (*kept, Finding("note", "two-readings", message, results.source))
    try:
        joined = join(replace(results, rows=rows, read=rows.height, findings=findings, in_order=None), cases, benchmark)
    except NotJoined:
        return None
    unlike = sum(finding.code == "length-mismatch" for finding in joined.findings)
    return joined if unlike <= (1 - ENOUGH) * joined.joined else None


def _column(name: str, dtype: pl.DataType, frame: pl.DataFrame) -> pl.Expr:
    return (pl.col(name) if name in frame.columns else pl.lit(None)).cast(dtype).alias(name)


def _by_content(rows: pl.DataFrame, cases: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rows whose problem and steps are a case's, and which cases of this content they name (`_row`, `case`).

    Where several cases are equal, the first one that the row names stands for them, or the first of all.
    """
    texted = rows.filter(TEXTED)
    texted = texted.select("_row", "id", "subset", content_keys(texted))
    of_content = cases.select("id", "case", "subset", *_CASE)
    pairs = texted.join(of_content, on="key", how="inner", maintain_order="left")
    # A row names a case by its id, or by id and subset in one.
    named = (pl.col("id") == pl.col("id_right")) | (pl.col("id") == pl.col("case"))
    for between in _BETWEEN:
        named |= (pl.col("subset") + between + pl.col("id") == pl.col("id_right")).fill_null(value=False)
    pairs = pairs.with_columns(_named=named.fill_null(value=False))
    # The same id in several benchmarks, or subsets: the subset tells, if the row says it.
    within = pl.col("_named") & (pl.col("subset") == pl.col("subset_right")).fill_null(value=False)
    pairs = pairs.with_columns(_named=pl.when(within.any().over("_row")).then(within).otherwise("_named"))
    ranked = pairs.sort("_row", ~pl.col("_named"), maintain_order=True)
    first = ranked.unique("_row", keep="first", maintain_order=True)
    return first.select("_row", *_CASE), pairs.filter("_named").select("_row", "case")


def content_keys(texted: pl.DataFrame) -> pl.Series:
    """Return the keys of the contents of results; null for a list with an absent step, which no case could have.

    Args:
        texted: columns of RESULT_COLUMNS of rows that are `TEXTED`.
    """
    pairs = zip(texted["problem"], texted["steps"].to_list(), strict=True)
    keys = [None if None in steps else content_key(problem, steps) for problem, steps in pairs]
    return pl.Series("key", keys, dtype=pl.String)


def _by_ids(results: ExternalResults, bare: pl.DataFrame, cases: pl.DataFrame, benchmark: str | None) -> pl.DataFrame:
    """Rows whose ids are those of the benchmark that is named, or of the only one that they fit; with their `case`."""
    named = _with_subsets(bare.filter(pl.col("id").is_not_null()), cases)
    named = named.select("_row", "id", "_numbers", "_unpadded")
    if named.is_empty():
        return named.clear().join(cases.clear().select("id", "case", *_CASE), on="id").select("_row", *_CASE, "case")
    if benchmark is None and named["id"].str.contains("/", literal=True).sum() >= ENOUGH * named.height:
        # Names of cases with their benchmark's say of themselves which they are of, be it of several.
        of_cases = cases.select("case", *_CASE)
        whole = named.join(of_cases, left_on="id", right_on="case", how="inner", maintain_order="left")
        if whole.height >= ENOUGH * named.height:
            return whole.select("_row", *_CASE, case="id")
    names = cases["benchmark"].unique(maintain_order=True).to_list()
    left_out = [name for name in names if benchmark is None and not _of_its_question(results, name)]
    fits = {}
    for name in names:
        if name in left_out:
            continue
        of_it = cases.filter(pl.col("benchmark") == name).filter(pl.col("id").is_first_distinct())
        short = named.with_columns(pl.col("id").str.strip_prefix(f"{name}/"))
        fits[name] = short.join(of_it.select("id", "case", *_CASE), on="id", how="inner", maintain_order="left")
    fitting = [name for name, matching in fits.items() if _are_enough(matching, named)]
    chosen = benchmark if benchmark in fits else None
    if chosen is None and (len(fitting) == 1 or results.benchmark in fitting):
        chosen = fitting[0] if len(fitting) == 1 else results.benchmark
    if chosen is None and not fitting and (several := _of_several(named, fits)) is not None:
        return several.select("_row", *_CASE, "case")
    if chosen is None:
        others = f" It judges {results.judges}, of which {_list(left_out)} has no labels." if left_out else ""
        others += why_lengths_differ(results, bare, fits)
        raise _ambiguous(results, named, fits, cases, others)
    if benchmark is None:
        refuse_shifted(results.source, chosen, named, cases)
    return fits[chosen].select("_row", *_CASE, "case")


def _with_subsets(bare: pl.DataFrame, cases: pl.DataFrame) -> pl.DataFrame:
    """The rows with their subset before their id, where only the two together are the id of a case."""
    if not bare["subset"].count():
        return bare
    known = pl.lit(cases["id"]).implode()
    for between in _BETWEEN:
        both = pl.col("subset") + between + pl.col("id")
        only = both.is_in(known) & ~pl.col("id").is_in(known)
        bare = bare.with_columns(id=pl.when(only).then(both).otherwise("id"))
    return bare


def _of_several(named: pl.DataFrame, fits: Mapping[str, pl.DataFrame]) -> pl.DataFrame | None:
    """The rows of a file about several benchmarks; None where an id is of two of them, or too few rows fit."""
    if not fits:
        return None
    every = pl.concat(fits.values()).sort("_row")
    alone = every["_row"].is_unique().all() and _are_enough(every, named)
    return every if alone else None


def _of_its_question(results: ExternalResults, benchmark: str) -> bool:
    """Whether a benchmark's labels are of what the file judges, as far as it says."""
    return not results.judges or (results.judges == "redundancy") == (benchmark in _OF_REDUNDANCY)


def _with_ratings(votes: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """Rate every step where an answer names all that it means: -1 for these, 1 for the others.

    Where not one of those named is there nothing is rated, and the verdict stands alone. Also how many answers name
    steps that are not there.
    """
    if votes["named_steps"].null_count() == votes.height:
        return votes, 0
    ratings, beyond = [], 0
    for rewards, named, n_steps in votes.select("rewards", "named_steps", "n_steps").iter_rows():
        if named is None:
            ratings.append(rewards)
            continue
        inside = {step for step in named if 0 <= step < n_steps}
        beyond += len(inside) < len(set(named))
        rated = inside or not named
        ratings.append([-1.0 if at in inside else 1.0 for at in range(n_steps)] if rated else None)
    return votes.with_columns(pl.Series("rewards", ratings, dtype=votes.schema["rewards"])), beyond


def _as_many(matching: pl.DataFrame) -> int:
    """How many of the rows have as many numbers as their case has steps or sub-steps, or none."""
    numbers = pl.col("_numbers")
    fits = numbers.is_null() | (numbers == pl.col("n_steps")) | (numbers == pl.col("sub_steps").list.sum())
    fits |= (pl.col("_unpadded") == pl.col("n_steps")).fill_null(value=False)
    return int(matching.select(fits.sum()).item() or 0)


def _are_enough(matching: pl.DataFrame, named: pl.DataFrame) -> bool:
    """Return whether enough of the rows `named` by an id match a case.

    Ids with U+FFFD are not counted: they were damaged, so they match no case whatever the benchmark is.
    """
    readable = named.filter(~pl.col("id").str.contains("\ufffd", literal=True)).height
    return matching.height > 0 and _as_many(matching) >= ENOUGH * readable


def _ambiguous(
    results: ExternalResults, named: pl.DataFrame, fits: Mapping[str, pl.DataFrame], cases: pl.DataFrame, others: str
) -> NotJoined:
    start = f"{results.source} ({results.format}) has ids and no texts, and "
    own = [name for name in fits if name != demo.NAME]
    others += id_hints(results.source, named, fits, cases)
    known = max(matching.height for matching in fits.values()) if fits else 0
    if not known and not own:
        return NotJoined(
            f"{start}no benchmark is imported that they could be of.{others}",
            "Import the benchmark they are of first, or both at once: prm-inspect import BENCHMARK-FILE RESULTS-FILE",
        )
    if not known:
        here = "; ".join(f"{name}: {_examples(cases.filter(pl.col('benchmark') == name))}" for name in own[:_SHOWN])
        return NotJoined(
            f"{start}no imported case has one of them. They look like {_examples(named)}, and those that are here like "
            f"{here}.{others}",
            "Import the benchmark they are of first, write its ids into the file, or repeat problem and steps in it.",
        )
    ranked = sorted(fits, key=lambda name: (-_as_many(fits[name]), -fits[name].height))
    parts = [
        f"{name} has {fits[name].height:,}, {_as_many(fits[name]):,} with as many numbers as steps"
        for name in ranked[:_SHOWN]
        if fits[name].height
    ]
    flags = " or ".join(f"--benchmark {name}" for name in ranked[:_SHOWN] if fits[name].height)
    return NotJoined(
        f"{start}which benchmark they are of is not clear: of its {named.height:,} ids {'; '.join(parts)} "
        f"({ENOUGH:.0%} in one benchmark alone are needed).{others}",
        f"If you know it, say so, and what does not fit is listed: {flags}",
    )


def _examples(rows: pl.DataFrame) -> str:
    return ", ".join(f"'{name[:_LONGEST]}'" for name in rows["id"].head(2))


def _lost(results: ExternalResults, rows: pl.DataFrame, joined: pl.DataFrame, cases: pl.DataFrame) -> Iterator[Finding]:
    lost = rows.join(joined.select("_row"), on="_row", how="anti", maintain_order="left")
    known = {*cases["id"], *cases["case"]} if lost.height else set()
    for line, name, texted in lost.select("line", "id", TEXTED).iter_rows():
        if name is None:
            why = "its text is no case's" if texted else "it has neither an id nor a whole text"
        elif name in known:
            why = "the case of this id has another text" if texted else "which benchmark its id is of is not clear"
        else:
            why = "neither its text nor its id is a case's" if texted else "no case has this id"
        yield Finding("warning", "not-joined", why, results.source, line, name)


def _rewards_or_labels(whole: pl.DataFrame) -> pl.DataFrame:
    """The rows with their labels where rewards are more or fewer than the steps, and without them where they fit."""
    both = pl.col("rewards").is_not_null() & pl.col("labels").is_not_null()
    fit = pl.col("rewards").list.len().cast(pl.Int64) == pl.col("n_steps")
    return whole.with_columns(
        rewards=pl.when(both & ~fit).then(None).otherwise("rewards"),
        labels=pl.when(both & fit).then(None).otherwise("labels"),
    )


def _lengths(results: ExternalResults, whole: pl.DataFrame) -> Iterator[Finding]:
    deciding = pl.coalesce(pl.col("labels").list.len(), pl.col("rewards").list.len()).cast(pl.Int64)
    wrong = whole.with_columns(_numbers=deciding, _labelled=pl.col("labels").is_not_null()).filter(
        pl.col("_numbers") != pl.col("n_steps")
    )
    for row in wrong.select("line", "id", "_numbers", "n_steps", "_labelled").iter_rows(named=True):
        n_numbers, steps = row["_numbers"], row["n_steps"]
        code, message = "length-mismatch", f"{n_numbers} numbers for {steps} steps; {_REFUSED}"
        if results.reads_answers:
            message = f"{n_numbers} numbers for {steps} steps; they count in official figures of steps alone"
        elif row["_labelled"] and n_numbers < steps:
            code, message = "fewer-labels", f"labels for {n_numbers} of {steps} steps; the others are not judged"
        elif row["_labelled"]:
            where = "those beyond count in official figures of steps alone"
            code, message = "more-labels", f"{n_numbers} labels for {steps} steps; {where}"
        yield Finding("warning", code, message, results.source, row["line"], row["id"])


def _list(names: Iterable[Any]) -> str:
    return ", ".join(map(str, names))


# Benchmarks hold cases of equal problem and steps, with gold labels of their own. A file that names the case of each
# result tells their results apart. One that names none may hold a result for each of them all the same, and nothing
# says which is whose.
def equal_texts(source: str, rows: pl.DataFrame, counting: pl.DataFrame, cases: pl.DataFrame) -> Iterator[Finding]:
    """Find results that do not count because there is one before them, and those that cannot be told apart.

    Args:
        source: the file.
        rows: columns of RESULT_COLUMNS, `_row` (a number a row of the file), `key`, and `case` (null = the row names
            none); a row that names several cases is there once for each.
        counting: those of the rows that count: the first one of each content, case, vote and run.
        cases: columns `case` and `key`, of every case that may be meant.

    A row that names a case repeats what was said of the case before. Of rows that name none the file may hold as many
    as there are cases of that text which it does not name; where these rows differ, the finding lists the cases.
    """
    if counting.height == rows.height and not 0 < rows["case"].null_count() < rows.height:
        return
    named, unnamed = rows.filter(pl.col("case").is_not_null()), rows.filter(pl.col("case").is_null())
    repeated = named["_row"].n_unique() - counting.filter(pl.col("case").is_not_null())["_row"].n_unique()
    meeting = unnamed.filter(unnamed.select(_PLACE).is_duplicated() | unnamed["key"].is_in(named["key"].implode()))
    # The cases of these contents that no row names.
    left = cases.select("key", "case").join(meeting.select("key"), on="key", how="semi", maintain_order="left")
    left = left.join(named.select("case"), on="case", how="anti", maintain_order="left")
    left = left.group_by("key", maintain_order=True).agg(pl.col("case").alias("_open"))
    meeting = meeting.join(left, on="key", how="left", maintain_order="left")
    open_cases = pl.col("_open").list.len().fill_null(0).cast(pl.Int64)
    places = meeting.group_by(_PLACE).agg(surplus=pl.len().cast(pl.Int64) - open_cases.first())
    repeated += int(places["surplus"].clip(0).sum())
    undecided = set()
    # Few cases have the text of another: only their rows are looked at one by one.
    for (key, *_), group in meeting.filter(open_cases > 1).group_by(*_PLACE, maintain_order=True):
        if key in undecided or len(set(map(repr, group.select(_RESULT).rows()))) == 1:
            continue
        undecided.add(key)
        line, case, names = group.select("line", "id", "_open").row(0)
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        message = (
            f"{', '.join(names[:_NAMED])}{more} have the same text, and the file gives it several results without "
            "naming the case: the first one counts for all of them; ids in the file would tell them apart"
        )
        yield Finding("warning", "equal-texts", message, source, line, case)
    if repeated:
        are = "result is" if repeated == 1 else "results are"
        message = f"{repeated:,} {are} of a case that already has one; the first one counts"
        yield Finding("note", "repeated-result", message, source)
