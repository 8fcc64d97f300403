"""Foreign results meet the cases: by content where the file repeats it, else by ids within one benchmark.

Content wins over ids, and of cases of equal content ids tell which is meant: a result whose id is one of theirs belongs
to that case alone, and one without belongs to all of them that no other row names. Ids alone join only within the one
benchmark that they fit (at least `ENOUGH` of them are its ids, and their numbers are as many as its steps), or within
the one that was named; anything less is refused, because small whole numbers are ids of many things. Where a file says
whether it judges errors or redundancy, only benchmarks whose labels are of that are looked at. Ids that name their
benchmark (`processbench/gsm8k-0`) join wherever they are cases.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from scoring.benchmarks import demo, mrmath_redundant
from scoring.errors import NotJoined, UsageError
from scoring.importing.equal_texts import equal_texts
from scoring.importing.judging import judged
from scoring.importing.shifted import gold_findings, verdict_findings
from scoring.importing.sub_steps import grouped
from scoring.reading.findings import Finding, Severity
from scoring.results.base import ExternalResults
from scoring.schema import METADATA, REWARDS, VOTES, content_key

ENOUGH = 0.95
"""Share of a file's ids that must be a benchmark's, with as many numbers as steps, for ids to join."""

_CASE = ("key", "benchmark", "n_steps", "sub_steps", "earliest_error")
OF_CASES: dict[str, pl.DataType] = {name: METADATA[name] for name in ("case", "id", "subset", *_CASE)}
"""The columns of cases that results are joined to."""
_OF_REDUNDANCY = frozenset({mrmath_redundant.NAME})
"""Benchmarks whose labels mark redundant steps and no wrong ones."""
# How benchmarks write a subset and an id in one: PRMBench and Socratic, ProcessBench, paths.
_BETWEEN = ("_", "-", "/")
NO_VERDICT_READ = pl.col("verdict").is_null() & pl.col("rewards").is_null()
"""Of answers, those from which neither a verdict nor ratings could be read, whatever they vote with."""
_SHOWN, _LONGEST = 3, 40
"""Benchmarks that a refusal names, and characters of an id in it."""
_TEXTED = pl.col("problem").is_not_null() & pl.col("steps").is_not_null()


@dataclass(frozen=True, eq=False)
class Joined:
    """One scorer's results, on the keys of the cases, and on the cases themselves where the file names them.

    `rewards` and `votes` have the columns of `scoring.schema`; each row of the file that joined is in one of them,
    except repetitions, of which the first counts. `given` counts the rows of the file that gave rewards, labels, a
    number for redundancy or for the solution, a reason without any, and answers, by column. `by` says in a word what
    joined, `benchmarks` with what. `joined` counts rows of the file,
    `unparsed` the answers that say nothing (`NO_VERDICT_READ`); `findings` holds what the reader and the join noticed.
    """

    foreign: ExternalResults
    by: str
    benchmarks: tuple[str, ...]
    rewards: pl.DataFrame
    votes: pl.DataFrame
    given: Mapping[str, int]
    joined: int
    unparsed: int
    findings: tuple[Finding, ...]


def join(foreign: ExternalResults, cases: pl.DataFrame, benchmark: str | None = None) -> Joined:
    """Join results to cases.

    Args:
        foreign: the results, as a reader gave them.
        cases: the columns of OF_CASES, of every benchmark that may be meant, twins included.
        benchmark: the only one that is meant, if the user said so.

    Raises:
        NotJoined: no row joins, or ids alone do not say which benchmark they are of; the candidates are named.
        UsageError: there are no cases of the benchmark that is meant.
    """
    if benchmark is not None:
        cases = _only_of(cases, benchmark)
    if foreign.in_order is not None:
        in_order = _one_row_a_step(foreign, foreign.in_order, cases, benchmark)
        if in_order is not None:
            return in_order
    rows = foreign.rows.with_row_index("_row").with_columns(_numbers=_numbers())
    by_content, named = _by_content(rows, cases)
    try:
        by_ids = _by_ids(foreign, rows.filter(~_TEXTED), cases, benchmark)
    except NotJoined:
        if by_content.is_empty():
            raise
        # The rows that repeat their content have joined; these are listed with those that did not.
        by_ids = by_content.clear()
    else:
        named = pl.concat([named, by_ids.select("_row", "case")])
        by_ids = by_ids.drop("case")
    found = pl.concat([by_content, by_ids]).sort("_row")
    if found.is_empty():
        ids = rows.filter(~_TEXTED & pl.col("id").is_not_null())
        alike = (
            f" Its ids look like {_examples(ids)}, and theirs like {_examples(cases)}."
            if ids.height and cases.height
            else ""
        )
        raise NotJoined(
            f"none of the {rows.height:,} results of {foreign.source} ({foreign.format}) belongs to a case of "
            f"{_list(cases['benchmark'].unique(maintain_order=True)) or 'this workspace'}.{alike}",
            "Import the benchmark they are of first, in the same command or before.",
        )
    foreign, whole = judged(foreign, rows.join(found, on="_row", how="inner", maintain_order="left"))
    if foreign.labels_explained and foreign.on == "differences":
        # Grouping before would compare the lowest rewards of neighbouring steps, which is not what was labelled.
        whole = _rewards_or_labels(whole)
    whole, told = grouped(whole)
    if foreign.labels_explained:
        whole = _rewards_or_labels(whole)
    findings = [*foreign.findings, *_noticed(foreign, told), *_lost(foreign, rows, found, cases)]
    findings += _unconfirmed(foreign, rows, by_ids)
    findings += _lengths(foreign, whole)
    findings += gold_findings(foreign.source, whole)
    findings += verdict_findings(foreign.source, whole)
    said = whole.join(named, on="_row", how="left", maintain_order="left")
    once = _once(said)
    findings += equal_texts(foreign.source, said, once, cases)
    answered = pl.any_horizontal(pl.col("answer", "ballot", "verdict").is_not_null())
    given = pl.any_horizontal(pl.col("rewards", "labels", "solution").is_not_null())
    is_vote = answered | (~given & (foreign.kind == "critic"))
    votes, beyond = _with_ratings(once.filter(is_vote))
    findings += [*_other_question(foreign, whole, benchmark), *_noticed(foreign, beyond)]
    # Ratings that were read of an answer stay with it.
    numbers = once.filter(~is_vote | (given & (not foreign.reads_answers)))
    unparsed = votes.filter(NO_VERDICT_READ)["_row"].n_unique()
    return Joined(
        foreign,
        " and ".join(word for word, part in (("content", by_content), ("ids", by_ids)) if part.height),
        tuple(whole["benchmark"].unique(maintain_order=True)),
        numbers.select([_column(name, dtype, once) for name, dtype in REWARDS.items()]),
        votes.select([_column(name, dtype, votes) for name, dtype in VOTES.items()]),
        _given(numbers, votes),
        whole.height,
        unparsed,
        tuple(findings),
    )


def _once(said: pl.DataFrame) -> pl.DataFrame:
    """The rows without repetitions of what is said of one case by one vote of one run; the first counts."""
    if not said["case"].null_count() and said["case"].is_unique().all():
        # Looking at one column is several times cheaper than at four.
        return said
    return said.unique(["key", "case", "vote", "run"], keep="first", maintain_order=True)


def _one_row_a_step(
    foreign: ExternalResults, rows: pl.DataFrame, cases: pl.DataFrame, benchmark: str | None
) -> Joined | None:
    """The results as one row a step in the order of the file; None where too many cases have other numbers of steps."""
    message = (
        f"{foreign.rows.height:,} ids have several rows, as many as their cases have steps: they were read as one row "
        "a step, in the order of the file; --step COLUMN names a column of step numbers"
    )
    kept = [one for one in foreign.findings if one.code != "repeated-id"]
    findings = (*kept, Finding("note", "two-readings", message, foreign.source))
    try:
        joined = join(replace(foreign, rows=rows, read=rows.height, findings=findings, in_order=None), cases, benchmark)
    except NotJoined:
        return None
    unlike = sum(one.code == "length-mismatch" for one in joined.findings)
    return joined if unlike <= (1 - ENOUGH) * joined.joined else None


def _given(numbers: pl.DataFrame, votes: pl.DataFrame) -> dict[str, int]:
    """How many rows of the file gave what: one that names several cases is stored for each, and counts once."""
    first = numbers["_row"].is_first_distinct()
    once = numbers if first.all() else numbers.filter(first)
    counts = {name: once[name].count() for name in ("rewards", "labels", "redundancy", "solution", "reason")}
    return {**counts, "answers": votes["_row"].n_unique()}


def _only_of(cases: pl.DataFrame, benchmark: str) -> pl.DataFrame:
    found = cases.filter(pl.col("benchmark") == benchmark)
    if found.is_empty():
        here = _list(cases["benchmark"].unique(maintain_order=True)) or "none"
        raise UsageError(f"there are no cases of a benchmark {benchmark!r}.", f"Benchmarks here: {here}.")
    return found


def _column(name: str, dtype: pl.DataType, frame: pl.DataFrame) -> pl.Expr:
    return (pl.col(name) if name in frame.columns else pl.lit(None)).cast(dtype).alias(name)


def _numbers() -> pl.Expr:
    """How many numbers or labels a row has; null for a row that has none a step."""
    return pl.coalesce(pl.col("rewards").list.len(), pl.col("labels").list.len()).cast(pl.Int64)


def _by_content(rows: pl.DataFrame, cases: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rows whose problem and steps are a case's, and which cases of this content they name (`_row`, `case`).

    Where several cases are equal, the first one that the row names stands for them, or the first of all.
    """
    told = rows.filter(_TEXTED)
    pairs = zip(told["problem"], told["steps"].to_list(), strict=True)
    # A list with an absent step is no solution that a case could have.
    keys = [None if None in steps else content_key(problem, steps) for problem, steps in pairs]
    told = told.select("_row", "id", "subset", pl.Series("key", keys, dtype=pl.String))
    of_content = cases.select("id", "case", "subset", *_CASE)
    found = told.join(of_content, on="key", how="inner", maintain_order="left").with_columns(_named=_names())
    # The same id in several benchmarks, or subsets: the subset tells, if the row says it.
    within = pl.col("_named") & (pl.col("subset") == pl.col("subset_right")).fill_null(value=False)
    found = found.with_columns(_named=pl.when(within.any().over("_row")).then(within).otherwise("_named"))
    ranked = found.sort("_row", ~pl.col("_named"), maintain_order=True)
    first = ranked.unique("_row", keep="first", maintain_order=True)
    return first.select("_row", *_CASE), found.filter("_named").select("_row", "case")


def _names() -> pl.Expr:
    """Whether a row (`id`, `subset`) names the case (`id_right`, `case`): by its id, or by id and subset in one."""
    named = (pl.col("id") == pl.col("id_right")) | (pl.col("id") == pl.col("case"))
    for between in _BETWEEN:
        named |= (pl.col("subset") + between + pl.col("id") == pl.col("id_right")).fill_null(value=False)
    return named.fill_null(value=False)


def _by_ids(foreign: ExternalResults, bare: pl.DataFrame, cases: pl.DataFrame, benchmark: str | None) -> pl.DataFrame:
    """Rows whose ids are those of the benchmark that is named, or of the only one that they fit; with their `case`."""
    named = bare.filter(pl.col("id").is_not_null()).select("_row", "id", "_numbers")
    if named.is_empty():
        return named.clear().join(cases.clear().select("id", "case", *_CASE), on="id").select("_row", *_CASE, "case")
    if benchmark is None and named["id"].str.contains("/", literal=True).sum() >= ENOUGH * named.height:
        # Names of cases with their benchmark's say of themselves which they are of, be it of several.
        of_cases = cases.select("case", *_CASE)
        whole = named.join(of_cases, left_on="id", right_on="case", how="inner", maintain_order="left")
        if whole.height >= ENOUGH * named.height:
            return whole.select("_row", *_CASE, case="id")
    names = cases["benchmark"].unique(maintain_order=True).to_list()
    left_out = [name for name in names if benchmark is None and not _of_its_question(foreign, name)]
    fits = {}
    for name in names:
        if name in left_out:
            continue
        of_it = cases.filter(pl.col("benchmark") == name).filter(pl.col("id").is_first_distinct())
        short = named.with_columns(pl.col("id").str.strip_prefix(f"{name}/"))
        fits[name] = short.join(of_it.select("id", "case", *_CASE), on="id", how="inner", maintain_order="left")
    share = {name: _as_many(found) / named.height for name, found in fits.items()}
    chosen = benchmark if benchmark in fits else _only(share, foreign.benchmark)
    if chosen is None:
        others = f" It judges {foreign.judges}, of which {_list(left_out)} has no labels." if left_out else ""
        raise _ambiguous(foreign, named, fits, cases, others)
    return fits[chosen].select("_row", *_CASE, "case")


def _of_its_question(foreign: ExternalResults, benchmark: str) -> bool:
    """Whether a benchmark's labels are of what the file judges, as far as it says."""
    return not foreign.judges or (foreign.judges == "redundancy") == (benchmark in _OF_REDUNDANCY)


def _other_question(foreign: ExternalResults, whole: pl.DataFrame, named: str | None) -> Iterator[Finding]:
    """A warning where the user named a benchmark whose labels are of something else than what the file judges."""
    if named is not None and whole.height and not _of_its_question(foreign, named):
        message = f"the file judges {foreign.judges}, and the labels of {named} are of something else"
        yield Finding("warning", "other-question", message, foreign.source)


def _with_ratings(votes: pl.DataFrame) -> tuple[pl.DataFrame, list[tuple[Severity, str, str]]]:
    """Rate every step where an answer names all that it means: -1 for these, 1 for the others; and what to say of it.

    Where not one of those named is there nothing is rated, and the verdict stands alone.
    """
    if votes["named_steps"].null_count() == votes.height:
        return votes, []
    ratings, beyond = [], 0
    for given, named, n_steps in votes.select("rewards", "named_steps", "n_steps").iter_rows():
        if named is None:
            ratings.append(given)
            continue
        inside = {step for step in named if 0 <= step < n_steps}
        beyond += len(inside) < len(set(named))
        rated = inside or not named
        ratings.append([-1.0 if at in inside else 1.0 for at in range(n_steps)] if rated else None)
    found = votes.with_columns(pl.Series("rewards", ratings, dtype=votes.schema["rewards"]))
    message = f"{beyond:,} answers name steps that are not there; these are left out"
    return found, [("note", "named-beyond-end", message)] if beyond else []


def _as_many(found: pl.DataFrame) -> int:
    """How many of the rows have as many numbers as their case has steps or sub-steps, or none."""
    numbers = pl.col("_numbers")
    fits = numbers.is_null() | (numbers == pl.col("n_steps")) | (numbers == pl.col("sub_steps").list.sum())
    return int(found.select(fits.sum()).item() or 0)


def _only(share: dict[str, float], hint: str | None) -> str | None:
    """The benchmark that the ids are of: the only one that they fit, or of those the one that the format is of."""
    fitting = [name for name, part in share.items() if part >= ENOUGH]
    if hint in fitting:
        return hint
    return fitting[0] if len(fitting) == 1 else None


def _ambiguous(
    foreign: ExternalResults, named: pl.DataFrame, fits: Mapping[str, pl.DataFrame], cases: pl.DataFrame, others: str
) -> NotJoined:
    """Why ids alone do not say which benchmark they are of, and what to do about it.

    Args:
        foreign: the results.
        named: their rows with an id.
        fits: by benchmark, those of the rows whose id is one of its.
        cases: the cases of the benchmarks.
        others: which benchmarks were not considered, "" = none.
    """
    start = f"{foreign.source} ({foreign.format}) has ids and no texts, and "
    own = [name for name in fits if name != demo.NAME]
    known = max(found.height for found in fits.values()) if fits else 0
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
    """The first ids of rows, in quotes."""
    return ", ".join(f"'{name[:_LONGEST]}'" for name in rows["id"].head(2))


def _lost(foreign: ExternalResults, rows: pl.DataFrame, found: pl.DataFrame, cases: pl.DataFrame) -> Iterator[Finding]:
    """A finding a row that belongs to no case."""
    lost = rows.join(found.select("_row"), on="_row", how="anti", maintain_order="left")
    known = {*cases["id"], *cases["case"]} if lost.height else set()
    for line, name, texted in lost.select("line", "id", _TEXTED).iter_rows():
        if name is None:
            why = "its text is no case's" if texted else "it has neither an id nor a whole text"
        elif name in known:
            why = "the case of this id has another text" if texted else "which benchmark its id is of is not clear"
        else:
            why = "neither its text nor its id is a case's" if texted else "no case has this id"
        yield Finding("warning", "not-joined", why, foreign.source, line, name)


def _unconfirmed(foreign: ExternalResults, rows: pl.DataFrame, by_ids: pl.DataFrame) -> Iterator[Finding]:
    """A note where there was nothing but ids to tell a benchmark by, and small whole numbers are ids of many."""
    if foreign.judges == "redundancy":
        return
    if by_ids.height and rows["_numbers"].gather(by_ids["_row"]).null_count() == by_ids.height:
        message = f"nothing but their ids says that these are cases of {by_ids['benchmark'][0]}"
        yield Finding("note", "ids-alone", message, foreign.source)


def _rewards_or_labels(whole: pl.DataFrame) -> pl.DataFrame:
    """The rows with their labels where rewards are more or fewer than the steps, and without them where they fit."""
    both = pl.col("rewards").is_not_null() & pl.col("labels").is_not_null()
    fit = pl.col("rewards").list.len().cast(pl.Int64) == pl.col("n_steps")
    return whole.with_columns(
        rewards=pl.when(both & ~fit).then(None).otherwise("rewards"),
        labels=pl.when(both & fit).then(None).otherwise("labels"),
    )


def _lengths(foreign: ExternalResults, whole: pl.DataFrame) -> Iterator[Finding]:
    """A finding a row whose numbers or labels are not as many as the steps."""
    deciding = pl.coalesce(pl.col("labels").list.len(), pl.col("rewards").list.len()).cast(pl.Int64)
    wrong = whole.with_columns(_numbers=deciding, _labelled=pl.col("labels").is_not_null()).filter(
        pl.col("_numbers") != pl.col("n_steps")
    )
    for row in wrong.select("line", "id", "_numbers", "n_steps", "_labelled").iter_rows(named=True):
        given, steps = row["_numbers"], row["n_steps"]
        code, message = "length-mismatch", f"{given} numbers for {steps} steps; the case is refused"
        if row["_labelled"] and given < steps:
            code, message = "fewer-labels", f"labels for {given} of {steps} steps; the others are not judged"
        elif row["_labelled"]:
            said = "those beyond count in official figures of steps alone"
            code, message = "more-labels", f"{given} labels for {steps} steps; {said}"
        yield Finding("warning", code, message, foreign.source, row["line"], row["id"])


def _noticed(foreign: ExternalResults, told: Iterable[tuple[Severity, str, str]]) -> Iterator[Finding]:
    for severity, code, message in told:
        yield Finding(severity, code, message, foreign.source)


def _list(names: Iterable[Any]) -> str:
    return ", ".join(map(str, names))
