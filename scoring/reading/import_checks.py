"""Checks on what an import is about to believe: of cases, labels, rewards and answers, each against the data.

A name or a shape says how a column is probably meant; the data say whether that can be so. A check that fails is a
warning that names the flag for the other reading; a contradiction is refused.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import polars as pl
from msgspec import Struct

from scoring.reading.findings import Finding, some_of

_FEW, _MOST, _FAR_BETTER = 5, 0.9, 3
"""How many labels show that a file counts from another base, and by how much they must be the others' better."""
_ENOUGH = 20
"""Erroneous cases that show which way rewards go."""


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


def reward_findings(source: str, rows: pl.DataFrame) -> Iterator[Finding]:
    """Warn where rewards rise at the gold error far more often than they fall there.

    Args:
        source: the file.
        rows: columns `rewards`, `n_steps` and `earliest_error`.
    """
    first, rewards = pl.col("earliest_error"), pl.col("rewards")
    whole = rows.filter((first > 0) & (rewards.list.len() == pl.col("n_steps")) & (first < pl.col("n_steps")))
    change = whole.select(rewards.list.get(first) - rewards.list.head(first).list.mean()).to_series()
    rise, fall = int((change > 0).sum()), int((change < 0).sum())
    if rise + fall >= _ENOUGH and rise > _FAR_BETTER * fall:
        message = (
            f"rewards are higher at the gold error than before it in {rise:,} of {rise + fall:,} erroneous cases: "
            "they may say how likely a step is wrong; the file has to hold 1 less that"
        )
        yield Finding("warning", "rewards-reversed", message, source)


# -- labels


_MOST_UNREAD, _UNREAD_SHARE = 20, 0.05
_SHOWN_WORDS = 8
_TWICE, _MANY_CLEAN = 2, 3
_SEVERAL, _BOTH = 10, 2
"""Labels from which on it says something that there are no others, and the two values of an outcome."""
_NO_ERROR = frozenset(
    {"no error", "no errors", "no_error", "no-error", "noerror", "error-free", "error free", "no mistake"}
    | {"no mistakes", "no wrong step", "correct", "all correct", "right", "clean", "valid"}
)
_NOTHING = frozenset({"none", "n/a", "na", "n.a.", "null", "nil", "nan", "not applicable", "-", "--", "\N{EN DASH}"})
"""Words for no error, and words that may mean that nobody labelled the case as well."""
_WRONG_NAMES = frozenset(
    {"error", "errors", "erroneous", "wrong", "incorrect", "mistake", "mistakes", "mistaken", "fault", "faults"}
    | {"faulty", "flaw", "flaws", "flawed", "invalid", "bad", "inaccurate"}
    | {"hallucination", "hallucinations", "hallucinated"}
)
_RIGHT_NAMES = frozenset({"no", "not", "non", "free", "without", "correct", "corrected", "right", "valid", "good"})
_NAME_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def is_few(unread: int, labels: int) -> bool:
    """Return whether so few labels cannot be read that they are broken cells, and the others no biased selection.

    One is, and so are at most 20 that are at most 5% of all. More of them are a vocabulary that is not understood:
    which cases have such a label depends on the label.
    """
    return unread <= max(1, min(_MOST_UNREAD, _UNREAD_SHARE * labels))


def says_wrong(column: str) -> bool:
    """Return whether a column's name says that its true values mean wrong: `is_error`, but not `no_error`."""
    name = column.rpartition("[].")[2].rpartition(".")[2]
    words = [word.lower() for word in _NAME_WORDS.findall(name)]
    return not _WRONG_NAMES.isdisjoint(words) and _RIGHT_NAMES.isdisjoint(words)


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
    if known.len() < _SEVERAL or not known.is_in([0, 1]).all():
        return False
    return 2 * int((n_steps > _BOTH).sum()) >= n_steps.len()


def _quoted(words: Sequence[str]) -> str:
    joined = ",".join(words)
    return joined if joined.replace("/", "").replace(",", "").isalnum() else shlex.quote(joined)


# -- texts


_SAME, _DIFFERENT, _HALF = 5, 3, 0.5
_SHORT_PROBLEM = 120
_UNSPLIT_SHARE = 0.1
_NEXT_STEP = r"(?i)[\n.!?][\s#*_>-]*step\s+[0-9]{1,3}[*_\s]*[:.)]"
_STEP_MARK = re.compile(r"(?:\A|[\n.!?])[\s#*_>-]*step\s+([0-9]{1,3})[*_\s]*[:.)]", re.IGNORECASE)


def problem_evidence(problem: pl.Expr) -> dict[str, pl.Expr]:
    """Return what the checks of problems need of each text: `digest`, and whether it is `empty` or `vague`.

    A vague problem is short and has neither a number nor a question, as an instruction of a prompt.
    """
    short = problem.str.len_chars() <= _SHORT_PROBLEM
    return {
        "digest": problem.hash(),
        "empty": problem.str.strip_chars() == "",
        "vague": short & ~problem.str.contains(r"[0-9?]|\p{Han}|[\\$]"),
    }


def problem_findings(source: str, rows: pl.DataFrame) -> Iterator[Finding]:
    """Warn of empty problems and of several problems that became one.

    Args:
        source: the file.
        rows: columns of `problem_evidence`, and `reference_answer` and `problem_id` of each case.
    """
    if count := int(rows["empty"].sum()):
        yield Finding("warning", "empty-problem", f"the problem of {count:,} cases is empty", source)
    known = rows.filter(~pl.col("empty"))
    ids, answers = pl.col("problem_id").drop_nulls().n_unique(), pl.col("reference_answer").drop_nulls().n_unique()
    same = (
        known.group_by("digest")
        .agg(n=pl.len(), vague=pl.col("vague").first(), ids=ids, answers=answers)
        .filter(pl.col("n") >= _SAME)
    )
    differing = same.filter((pl.col("ids") >= _DIFFERENT) | (pl.col("answers") >= _DIFFERENT))
    instructions = same.filter(pl.col("vague") & (pl.col("n") >= max(_SEVERAL, _HALF * rows.height)))
    merged = pl.concat([differing, instructions]).unique("digest")
    if merged.is_empty():
        return
    why = "and differ in their reference answers or problem ids" if differing.height else "which states no problem"
    message = (
        f"{merged['n'].sum():,} cases share {merged.height:,} problem texts {why}: several problems may have become "
        "one; --problem COLUMN names the column of the problem"
    )
    yield Finding("warning", "merged-problems", message, source)


def unsplit_findings(source: str, cases: pl.DataFrame) -> Iterator[Finding]:
    """Warn where a step contains the marker of the next one, so that a solution was not split.

    Args:
        source: the file.
        cases: columns `steps` and `line`; steps are numbered as `Step 2:`.
    """
    long = cases.select("line", "steps", place=pl.int_ranges(pl.col("steps").list.len())).with_row_index("row")
    marked = long.explode("steps", "place").filter(pl.col("steps").str.contains(_NEXT_STEP))
    rows = {row for row, place, step in marked.select("row", "place", "steps").iter_rows() if _holds_next(place, step)}
    if len(rows) <= 1 or len(rows) < _UNSPLIT_SHARE * cases.height:
        return
    message = (
        f"in {len(rows):,} of {cases.height:,} cases a step contains the next one, as in 'Step 1: ... Step 2: ...': "
        "the solution was not split; --separator TEXT states what stands between two steps of one text"
    )
    yield Finding("warning", "unsplit-steps", message, source, cases["line"][min(rows)])


def _holds_next(place: int, step: str) -> bool:
    """Return whether a step, the `place`-th from 0, contains two consecutive markers or that of the next step."""
    marks = [(match.start() > 0, int(match[1])) for match in _STEP_MARK.finditer(step)]
    numbers = [number for _, number in marks]
    return any(b == a + 1 for a, b in pairwise(numbers)) or any(inside and mark == place + 2 for inside, mark in marks)
