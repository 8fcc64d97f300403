"""Checks on the ids of results against those of the cases that they are of."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from scoring.data.errors import NotJoined
from scoring.formats.reading.findings import Finding

_NUMBERED = r"^(?s:(.*?))([0-9]{1,15})([^0-9]*)$"
"""An id as the words before its last number, the number, and the words after it."""
_FLOAT_ID = r"^(?:.*[-_/])?[0-9]+\.0+$"
"""An id that became a float, as pandas converts whole numbers in a column with missing values."""
_LEADING_ZEROS = re.compile(r"(?<![0-9.])0+(?=[0-9])")
_LEAST_IDS, _ENOUGH_IDS, _LEAST_SHIFT, _CLEARLY, _HARDLY, _MOST_IDS = 3, 10, 2, 0.95, 0.8, 100_000
"""Numbered ids whose range or whose lengths show a shift, shifts that are always small, shares of results whose numbers
of steps fit and do not fit, and ids that are compared sign by sign."""


def equal_ids(ids: pl.Series, known: pl.Series) -> dict[str, str]:
    """Match ids that are equal but for Unicode normalization (NFC), or for the ".0" of a float.

    Args:
        ids: those of results.
        known: those of cases.

    Returns:
        Id of a result -> id of a case, of ids that match nothing as they are and mean one id on each side.
    """
    distinct = ids.drop_nulls().unique()
    unmatched = distinct.filter(~distinct.is_in(known.implode()))
    if unmatched.is_empty():
        return {}
    results = _by_spelling(unmatched)
    spelled = known.filter(known.str.contains(r"[^\x00-\x7F]") | known.str.contains(_FLOAT_ID)).unique()
    plain = pl.Series([*results], dtype=pl.String)
    cases = _by_spelling(pl.concat([spelled, plain.filter(plain.is_in(known.implode()))]).unique())
    taken = set(distinct)
    pairs = [(names, cases.get(spelling, [])) for spelling, names in results.items()]
    return {names[0]: same[0] for names, same in pairs if len(names) == len(same) == 1 and same[0] not in taken}


def _by_spelling(names: pl.Series) -> dict[str, list[str]]:
    by_spelling: dict[str, list[str]] = {}
    for name in names:
        by_spelling.setdefault(_one_spelling(name), []).append(name)
    return by_spelling


def _one_spelling(name: str) -> str:
    spelling = unicodedata.normalize("NFC", name)
    return spelling.rstrip("0").removesuffix(".") if re.match(_FLOAT_ID, spelling) else spelling


def id_shift(results: pl.DataFrame, cases: pl.DataFrame) -> int:
    """Return what to add to the numbers in the ids of results so that they are those of their cases; 0 if they are.

    Ids are shifted where both sides are consecutive whole numbers and the same range but for a small constant, or where
    one side starts at 0 and the other at 1 and each has an end without a partner. Numbers of steps overrule that: they
    may show that the ids are right as they are, or that they fit only if moved by one.

    Args:
        results: columns `id` and `_numbers`, how many numbers a row has (null = none per step).
        cases: columns `id` and `n_steps`, of one benchmark.
    """
    theirs, ours = _numbered(results), _numbered(cases)
    pairs = _ranges(theirs).join(_ranges(ours), on=["before", "after"], how="inner", suffix="_case")
    pairs = pairs.filter(pl.col("n") >= _LEAST_IDS)
    if pairs.is_empty():
        return 0
    high, case_high, n = pl.col("high"), pl.col("high_case"), pl.col("n")
    shift = pl.col("low_case") - pl.col("low")
    same_range = (case_high - high == shift) & (shift.abs() <= (n * (1 - _CLEARLY)).clip(_LEAST_SHIFT))
    out_of_step = ((shift == 1) & (high < case_high)) | ((shift == -1) & (high > case_high))
    consecutive = pl.col("consecutive") & pl.col("consecutive_case")
    shifts = pairs.select(pl.when(consecutive & (same_range | out_of_step)).then(shift).otherwise(0)).to_series()
    by_range = int(shifts[0]) if shifts.n_unique() == 1 else 0
    as_it_is = _share_of_fitting(theirs, ours, 0)
    if by_range:
        proves_ids = as_it_is >= _CLEARLY and _share_of_fitting(theirs, ours, by_range) < _HARDLY
        return 0 if proves_ids else by_range
    if as_it_is >= _HARDLY or theirs.height < _ENOUGH_IDS:
        return 0
    return next((moved for moved in (1, -1) if _share_of_fitting(theirs, ours, moved) >= _CLEARLY), 0)


def _numbered(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows whose ids hold a number, with the words `before` and `after` it and the `number`."""
    groups = pl.col("id").str.extract_groups(_NUMBERED)
    numbered = rows.with_columns(groups.struct.rename_fields(["before", "digits", "after"])).unnest("id")
    return numbered.filter(pl.col("digits").is_not_null()).with_columns(number=pl.col("digits").cast(pl.Int64))


def _ranges(numbered: pl.DataFrame) -> pl.DataFrame:
    """The lowest and highest number of equal words, how many, and whether none is missing."""
    number = pl.col("number")
    ranges = numbered.group_by("before", "after").agg(low=number.min(), high=number.max(), n=number.n_unique())
    return ranges.with_columns(consecutive=pl.col("high") - pl.col("low") + 1 == pl.col("n"))


def _share_of_fitting(theirs: pl.DataFrame, ours: pl.DataFrame, shift: int) -> float:
    """The share of results with as many numbers as their case has steps if ids are moved; 1 where nothing tells."""
    moved = theirs.filter(pl.col("_numbers").is_not_null()).with_columns(number=pl.col("number") + shift)
    pairs = moved.join(ours, on=["before", "after", "number"], how="inner")
    return 1.0 if pairs.is_empty() else float((pairs["_numbers"] == pairs["n_steps"]).sum()) / pairs.height


def alike_ids(ids: Sequence[str], known: Sequence[str]) -> str:
    """Say in what the first id that looks like a case's differs from it; "" where none looks like one.

    Args:
        ids: those of results that are no case's.
        known: those of cases.
    """
    looks = {_look(name): name for name in reversed(known[:_MOST_IDS])}
    for name in ids[:_MOST_IDS]:
        if (other := looks.get(_look(name))) is not None and other != name:
            return f"{name!r} of the file looks like the case {other!r}, and {_difference(name, other)}"
    return ""


def _look(name: str) -> str:
    """What ids that look alike, or differ in leading zeros, have in common."""
    signs = (sign for sign in unicodedata.normalize("NFKC", name) if unicodedata.category(sign) != "Cf")
    look = "".join("-" if unicodedata.category(sign) == "Pd" else sign for sign in signs)
    return _LEADING_ZEROS.sub("", " ".join(look.split()).casefold())


def _difference(name: str, other: str) -> str:
    if _LEADING_ZEROS.sub("", name) == _LEADING_ZEROS.sub("", other):
        return "differs only in leading zeros"
    place = next((place for place, pair in enumerate(zip(name, other, strict=False)) if len(set(pair)) > 1), None)
    place = min(len(name), len(other)) if place is None else place
    here, there = (_sign(text[place : place + 1]) for text in (name, other))
    return f"has {here} where the case has {there}"


def _sign(sign: str) -> str:
    return f"U+{ord(sign):04X} {unicodedata.name(sign, 'without a name')}" if sign else "no further character"


def id_hints(source: str, named: pl.DataFrame, fits: Mapping[str, pl.DataFrame], cases: pl.DataFrame) -> str:
    """Return sentences, each after a blank, on what may be wrong with ids that do not join."""
    unknown = named.filter(~pl.col("id").is_in(cases["id"].implode()))["id"]
    closest = max(fits, key=lambda name: fits[name].height, default=None)
    hints = [alike_ids(unknown.to_list(), cases["id"].to_list())]
    if closest is not None:
        hints += [finding.message for finding in shift_findings(source, closest, named, cases)]
    return "".join(f" {hint[:1].upper()}{hint[1:]}." for hint in hints if hint)


def equal_ids_finding(source: str, same: Mapping[str, str]) -> Finding:
    """Say how many ids were matched by `equal_ids`."""
    name, other = next(iter(same.items()))
    count = f"{len(same):,} ids are" if len(same) > 1 else "1 id is"
    message = (
        f"{count} equal to those of cases but for Unicode normalization or a '.0' ({name!r} and {other!r}): joined"
    )
    return Finding("note", "equal-ids", message, source)


def refuse_shifted(source: str, benchmark: str, named: pl.DataFrame, cases: pl.DataFrame) -> None:
    """Refuse to join ids that are shifted.

    Raises:
        NotJoined: they are.
    """
    for finding in shift_findings(source, benchmark, named, cases):
        raise NotJoined(
            f"{finding.message}.",
            "Correct the ids in the file, or repeat problem and steps in it.",
            instead=((f"--benchmark {benchmark}", "joins the ids as they are, with a warning"),),
        )


def shift_findings(source: str, benchmark: str, rows: pl.DataFrame, cases: pl.DataFrame) -> Iterator[Finding]:
    """Warn where the ids of results are those of their cases but for a constant."""
    of_it = cases.filter(pl.col("benchmark") == benchmark).filter(pl.col("id").is_first_distinct())
    named = rows.filter(pl.col("id").is_not_null()).select(pl.col("id").str.strip_prefix(f"{benchmark}/"), "_numbers")
    if shift := id_shift(named, of_it.select("id", "n_steps")):
        ends = (
            f"{named['id'][0]!r} to {named['id'][-1]!r}, those of {benchmark} {of_it['id'][0]!r} to {of_it['id'][-1]!r}"
        )
        message = (
            f"the ids of {source} seem to be shifted by {abs(shift)} (they go from {ends}): each result would join the "
            f"case {'before' if shift > 0 else 'after'} its own; {'add' if shift > 0 else 'subtract'} {abs(shift)} "
            f"{'to' if shift > 0 else 'from'} the number in each id"
        )
        yield Finding("warning", "ids-shifted", message, source)
