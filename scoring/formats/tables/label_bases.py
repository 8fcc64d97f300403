"""What the first step is called in labels, 0 or 1, as stated or as the labels show."""

from typing import Any

import polars as pl
from msgspec import Struct

from scoring.formats.reading.findings import Finding

_BASE_FLAGS = {"label_base": "--label-base", "verdict_base": "--base"}
_ENOUGH = 10
"""Indices from which on it says something that none of them is 0."""


class LabelBase(Struct, frozen=True):
    """`base` is what the first step is called, `words` how that is known, `finding` a doubt about it.

    `zeros` says whether a label is 0 although the base was assumed.
    """

    base: int
    words: str
    finding: Finding | None = None
    zeros: bool = False


class Evidence(Struct, frozen=True):
    """Counts of labels that name a wrong step: all, those that are 0, those at and beyond the number of steps.

    `after` are those one beyond it.
    """

    labels: int = 0
    zeros: int = 0
    ends: int = 0
    beyond: int = 0
    after: int = 0

    @classmethod
    def of(cls, pairs: pl.DataFrame) -> "Evidence":
        """Count labels, one a row: columns `label` and `n`, the number of steps (null = not known)."""
        label, n = pl.col("label"), pl.col("n")
        named: dict[str, Any] = (
            pairs.filter(label >= 0)
            .select(
                labels=pl.len(),
                zeros=(label == 0).sum(),
                ends=(label == n).sum(),
                beyond=(label > n).sum(),
                after=(label == n + 1).sum(),
            )
            .row(0, named=True)
        )
        return cls(**named)


def label_base(
    stated: int | None,
    evidence: Evidence,
    *,
    marked: bool,
    source: str,
    option: str = "label_base",
    clean: str | None = None,
) -> LabelBase:
    """Decide the base of labels.

    Clear evidence is, for 0: a label 0 where clean cases are marked in another way (`marked`); for 1: no label 0, some
    that equal the number of steps, none above it. Without either 0 is assumed, with a warning that names the `option`
    by which to state it. `clean` is the word of a label that no step is wrong: such labels are not counted.
    """
    zeros, ends, beyond = evidence.zeros, evidence.ends, evidence.beyond
    seen = f"{ends:,} labels equal the number of steps"
    if zeros or clean != "0":
        seen = f"{zeros:,} labels are 0, {ends:,} equal the number of steps"
    if stated is not None:
        return LabelBase(stated, f"{stated}-based, as stated ({seen})", _against(stated, zeros, ends, source, option))
    if not evidence.labels:
        return LabelBase(0, "0-based (no label names a step)")
    if zeros and marked:
        return LabelBase(0, f"0-based, inferred ({seen})")
    if not zeros and ends and not beyond and evidence.labels >= _ENOUGH:
        return LabelBase(1, f"1-based, inferred ({seen})")
    why = "0 may also stand for no error" if zeros else "nothing shows whether they count from 0 or from 1"
    flag = _BASE_FLAGS.get(option.partition(" ")[0], "")
    flag += " 1 --clean 0, if 0 is no error" if flag and zeros else " 0 or 1" if flag else ""
    named = f"{option} in the mapping ({flag})" if flag else f"{option} in the mapping"
    message = f"labels were assumed to count from 0: {why} ({seen}); state {named}"
    return LabelBase(0, f"0-based, assumed ({seen})", Finding("warning", "label-base", message, source), zeros > 0)


def base_note(base: LabelBase, source: str) -> Finding:
    """Return which base of verdicts was inferred, and that another can be stated."""
    message = f"verdicts were read {base.words}; --base states another"
    return Finding("note", "label-base", message, source)


def _against(stated: int, zeros: int, ends: int, source: str, option: str) -> Finding | None:
    # Gold labels that name no step are said one by one; a verdict that names none is a wrong answer.
    if stated and zeros and (not ends or option == "verdict_base"):
        flag = _BASE_FLAGS[option]
        message = (
            f"{option} is stated as 1, but {zeros:,} labels are 0, which is not a step then: if 0 is the first step, "
            f"it is 0 ({flag} 0), and if 0 means no error, `clean` in the mapping says so ({flag} 1 --clean 0)"
        )
    elif not stated and ends and not zeros:
        message = f"{option} is stated as 0, but no label is 0 and {ends:,} equal the number of steps: it may be 1"
    else:
        return None
    return Finding("warning", "label-base", message, source)
