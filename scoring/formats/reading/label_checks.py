"""Checks on labels that an import is about to believe: gold labels, verdicts, and what a column of labels means.

A name or a shape says how a column is probably meant; the data say whether that can be so. A check that fails is a
warning that names the flag for the other reading; a contradiction is refused.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence

import polars as pl
from msgspec import Struct

from scoring.formats.reading.findings import Finding, some_of
from scoring.formats.reading.reward_checks import implies_worse

_FEW, _MOST, _FAR_BETTER = 5, 0.9, 3
"""How many labels show that a file counts from another base, and by how much they must be the others' better."""


def gold_findings(source: str, rows: pl.DataFrame) -> Iterator[Finding]:
    """Describe what differs between the gold labels that a file repeats and those of the cases.

    Args:
        source: the file.
        rows: columns `key`, `gold`, `earliest_error`, `line`, `id`; a case with several answers counts once.
    """
    both = rows.filter(pl.col("gold").is_not_null() & pl.col("earliest_error").is_not_null())
    both = both.unique(["key", "gold", "earliest_error"], keep="first", maintain_order=True)
    differing = both.filter(pl.col("gold") != pl.col("earliest_error"))
    if differing.is_empty():
        return
    erroneous = both.filter((pl.col("earliest_error") >= 0) & (pl.col("gold") >= -1))
    off = erroneous["gold"] - erroneous["earliest_error"]
    for shift, way in ((1, "higher"), (-1, "lower")):
        if (count := int((off == shift).sum())) >= max(_FEW, _MOST * off.len()):
            message = (
                f"{count:,} of {off.len():,} gold error steps of the file are one {way} than the benchmark's: "
                "one of the two counts from another base"
            )
            yield Finding("warning", "gold-shifted", message, source)
            return
    first = differing.row(0, named=True)
    here = f"here {first['gold']} and not {first['earliest_error']}, 0-based"
    message = f"{differing.height:,} gold labels of the file are not the benchmark's, {here}"
    yield Finding("warning", "gold-differs", message, source, first["line"], first["id"])


def verdict_findings(source: str, rows: pl.DataFrame) -> Iterator[Finding]:
    """Warn where the verdicts fit the gold labels far better when they are all moved by one step.

    Args:
        source: the file.
        rows: columns `key`, `verdict`, `earliest_error`; equal answers to one case count once.
    """
    # Only verdicts that name a step: one below a gold step of 0 is "no error", which is no sign of a shift.
    named = rows.filter((pl.col("verdict") >= 0) & (pl.col("earliest_error") >= 0)).unique(
        ["key", "verdict", "earliest_error"]
    )
    off = named["verdict"] - named["earliest_error"]
    equal = int((off == 0).sum())
    for shift, way in ((1, "higher"), (-1, "lower")):
        count = int((off == shift).sum())
        if count >= _FEW and count > _FAR_BETTER * equal:
            message = (
                f"{count:,} verdicts are one {way} than the gold error and {equal:,} equal it: "
                "they may count from another base"
            )
            yield Finding("warning", "verdicts-shifted", message, source)


_MOST_UNREAD, _UNREAD_SHARE = 20, 0.05
_SHOWN_WORDS = 8
_TWICE, _MANY_CLEAN = 2, 3
_LEAST_LABELS, _BOTH = 10, 2
"""Labels from which on it says something that there are no others, and the two values of an outcome."""
_NO_ERROR = frozenset(
    {"no error", "no errors", "no_error", "no-error", "noerror", "error-free", "error free", "no mistake"}
    | {"no mistakes", "no wrong step", "correct", "all correct", "right", "clean", "valid"}
)
_NOTHING = frozenset({"none", "n/a", "na", "n.a.", "null", "nil", "nan", "not applicable", "-", "--", "\N{EN DASH}"})
"""Words for no error, and words that may mean that nobody labelled the case as well."""


def is_few(unread: int, labels: int) -> bool:
    """Return whether so few labels cannot be read that they are broken cells, and the others no biased selection.

    One is, and so are at most 20 that are at most 5% of all. More of them are a vocabulary that is not understood:
    which cases have such a label depends on the label.
    """
    return unread <= max(1, min(_MOST_UNREAD, _UNREAD_SHARE * labels))


def says_wrong(column: str) -> bool:
    """Return whether a column's name says that its true values mean wrong: `is_error`, but not `no_error`."""
    return implies_worse(column.rpartition("[].")[2].rpartition(".")[2])


def may_mean_unlabelled(word: str) -> bool:
    """Return whether a word in lower case may say of a case that nobody labelled it: `n/a`."""
    return word in _NOTHING


def no_error_words(words: Mapping[str, int], n_clean: int) -> list[str]:
    """Return which words of a column of indices mean no error.

    Args:
        words: word in lower case -> rows that have it.
        n_clean: rows that say no error by -1: then `N/A` and the like mean that the case has no label.
    """
    return [word for word in words if word in _NO_ERROR or (word in _NOTHING and not n_clean)]


def no_error_finding(source: str, column: str, words: Sequence[str], count: int) -> Finding:
    """Tell which words were read as no error; warn where they may mean that nobody labelled the case."""
    doubtful = any(word in _NOTHING for word in words)
    named = "empty" if list(words) == ["null"] else " or ".join(map(repr, words))
    message = f"{count:,} cells of {column!r} are {named} and were read as no error; --clean {_quoted(words)} states it"
    if doubtful:
        message += ", --clean=-1 says that such a case has no label"
    return Finding("warning" if doubtful else "note", "no-error-words", message, source)


def unread_labels_finding(source: str, column: str, words: Mapping[str, int], flags: str) -> Finding:
    """Warn that a column of labels is not used because too many cells hold words that are not known."""
    most = sorted(words.items(), key=lambda pair: (-pair[1], pair[0]))
    listed = some_of([f"{word!r} in {count:,} rows" for word, count in most], _SHOWN_WORDS)
    message = f"the labels in {column!r} are not used, because these are not known: {listed}; state them with {flags}"
    return Finding("warning", "unknown-labels", message, source)


def unfit_labels_finding(source: str, column: str) -> Finding:
    """Warn that a column is called like gold labels and does not hold them."""
    message = (
        f"{column!r} is called like gold labels and was not used: its cells are not lists of indices (--error-steps) "
        "or of one label per step (--step-labels)"
    )
    return Finding("warning", "unknown-labels", message, source)


def wrong_name_finding(source: str, column: str) -> Finding:
    """Warn that true was read as right although the column's name says that it means wrong."""
    message = (
        f"the name {column!r} says that true means wrong, and true was read as right; "
        "--wrong true reads it as wrong, --wrong false states that it means right"
    )
    return Finding("warning", "label-direction", message, source)


def absent_wrong_finding(source: str, column: str, wrong: str, words: Mapping[str, int]) -> Finding:
    """Warn that no label is one of those stated to mean wrong."""
    listed = some_of([repr(word) for word in words], _SHOWN_WORDS) or "none"
    message = (
        f"no label in {column!r} is {wrong!r}, which --wrong states, so that all are right; labels found: {listed}"
    )
    return Finding("warning", "label-direction", message, source)


def rating_limit(ratings: Mapping[float, int]) -> tuple[float | None, bool, str]:
    """Decide below which rating a step is wrong where nobody stated it.

    Args:
        ratings: rating -> how many labels have it.

    Returns:
        (the limit, None = the usual one; whether the labels can be used; a doubt in words). Ratings -1, 0 and 1 are
        PRM800K's, where 0 is right; which ratings mean wrong on another scale cannot be known.
    """
    if not ratings:
        return None, True, ""
    low, high = min(ratings), max(ratings)
    if low < 0 and 0 in ratings:
        return 0.0, True, "ratings of 0 were read as right, as some are below 0; --wrong-below 0.5 reads them as wrong"
    if low >= 0 and high > 1:
        words = f"ratings lie between {low:g} and {high:g}, and which of them mean wrong is not known"
        return None, False, f"{words}; state it with --wrong-below X or --wrong VALUES"
    return None, True, ""


def is_signed(ratings: Mapping[float, int]) -> bool:
    """Return whether the ratings are -1, 0 and 1, all of which occur."""
    return {*ratings} == {-1, 0, 1}


class EndLabels(Struct, frozen=True):
    """What labels of 0 and of the number of steps mean in a column without -1.

    Attributes:
        base: What the first step is called.
        clean: The word of the mapping for labels that mean no error; "" where none does.
        usable: False where that cannot be known.
        seen: The evidence, in words; "" where nothing is doubtful.
        flags: What states this reading.
        instead: What states the other one.
    """

    base: int = 0
    clean: str = ""
    usable: bool = True
    seen: str = ""
    flags: str = ""
    instead: str = ""

    def doubt(self, column: str) -> str:
        """Say how the labels of the column were read, and how the other reading is stated."""
        if not self.usable:
            return f"the labels in {column!r} are not used: {self.seen}; state {self.flags} or {self.instead}"
        read = {"": "as a step", "0": "0 as no error"}.get(self.clean, "as no error")
        return f"{self.seen} in {column!r}, read {read} ({self.flags}); the other reading: {self.instead}"


def read_end_labels(labels: int, *, zeros: int, ends: int, after: int, beyond: int, stated: int | None) -> EndLabels:
    """Decide whether 0 or the index after the last step means no error, in a column in which nothing else does.

    Labels from 0 to the number of steps fit no other meaning: then the more frequent end is no error, if it is twice
    as frequent as the other, at which an error is as likely as at any step. A few labels of the number of steps may be
    broken cells, unless a third of all labels are 0.

    Args:
        labels: how many labels there are.
        zeros: labels that are 0.
        ends: labels that equal the number of steps.
        after: labels that are one more.
        beyond: labels that are more than the number of steps, those included.
        stated: what the first step is called; None = nobody stated it.
    """
    last, first = "--label-base 0 --clean steps", "--label-base 1 --clean 0"
    many_zeros = stated is None and ends > 0 and _MANY_CLEAN * zeros >= labels
    if stated != 1 and not beyond and (zeros or stated == 0) and (many_zeros or not is_few(ends, labels)):
        seen = f"no label is -1, {zeros:,} are 0 and {ends:,} equal the number of steps"
        if stated == 0 or ends >= _TWICE * zeros:
            return EndLabels(0, "steps", True, seen, last, first)
        if zeros >= _TWICE * ends:
            return EndLabels(1, "0", True, seen, first, last)
        return EndLabels(0, "", False, seen, last, first)
    if stated != 0 and not zeros and after == beyond and not is_few(after, labels):
        seen = f"no label is -1 or 0 and {after:,} are one more than the number of steps"
        return EndLabels(1, "steps", True, seen, "--label-base 1 --clean steps", "--clean=-1")
    if stated is None and not zeros and not beyond and not is_few(ends, labels):
        seen = f"no label is -1 or 0 and {ends:,} equal the number of steps"
        return EndLabels(1, "", True, seen, "--label-base 1", last)
    return EndLabels()


def outcome_finding(source: str, column: str) -> Finding:
    """Warn that labels of 0 and 1 without a clean case are not used: they probably say whether the answer is right."""
    message = (
        f"{column!r} is not used as a label: it holds only 0 and 1 and no clean case, so that it probably says whether "
        f"the final answer is right (--final-answer-correct {column}); if it is the first wrong step: "
        f"--earliest-error {column} --label-base 0"
    )
    return Finding("warning", "outcome-label", message, source)


def are_outcomes(labels: pl.Series, n_steps: pl.Series) -> bool:
    """Return whether labels that should be the first wrong step, -1 = none, are outcomes: 0 and 1, and never -1.

    There are at least ten labels, and most solutions have steps beyond 1.
    """
    known = labels.drop_nulls()
    if known.len() < _LEAST_LABELS or not known.is_in([0, 1]).all():
        return False
    return 2 * int((n_steps > _BOTH).sum()) >= n_steps.len()


def _quoted(words: Sequence[str]) -> str:
    joined = ",".join(words)
    return joined if joined.replace("/", "").replace(",", "").isalnum() else shlex.quote(joined)
