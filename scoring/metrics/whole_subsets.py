"""Which subsets of a benchmark are here whole, so that figures can be held against the printed ones."""

from collections import Counter

import polars as pl

from scoring.formats.benchmarks import grben, prmbench, processbench, socratic


def subsets_of(benchmark: str, domain: str = "") -> tuple[str, ...]:
    """Return the official subsets of a benchmark, or of PRMBench-STEM's domain, whether or not they are here."""
    if domain:
        return (domain,)
    return _SUBSETS.get(benchmark, ())


def whole_subsets(cases: pl.DataFrame, benchmark: str) -> dict[str, str]:
    """Map every official subset to "" where it has as many cases as published, else to what is amiss.

    PRMBench's are its classes and the domains of PRMBench-STEM.

    Socratic-PRMBench publishes counts of patterns: a class is whole where its pattern is.

    Args:
        cases: with `benchmark, subset, earliest_error`; only the cases that a figure is computed over.
        benchmark: its name; one without a paper here gives nothing.
    """
    own = cases.filter(pl.col("benchmark") == benchmark)
    here = Counter(own["subset"].to_list())
    if benchmark == "processbench":
        return {name: _both_sides(own, name, sides) for name, sides in processbench.OFFICIAL.items()}
    if benchmark == "socratic":
        patterns: Counter[str] = Counter()
        for name, pattern_class in socratic.CLASSES.items():
            patterns[pattern_class.pattern] += here[name]
        amiss = {name: _amiss(patterns[name], (rows,)) for name, rows in socratic.PATTERNS.items()}
        return {name: amiss[pattern_class.pattern] for name, pattern_class in socratic.CLASSES.items()}
    official = {"prmbench": _prmbench(), "grben": grben.OFFICIAL}.get(benchmark, {})
    return {name: _amiss(here[name], wanted) for name, wanted in official.items()}


def _both_sides(own: pl.DataFrame, subset: str, official: tuple[int, int]) -> str:
    gold = own.filter(pl.col("subset") == subset)["earliest_error"]
    here = int((gold >= 0).sum()), int((gold == -1).sum())
    if here == official:
        return ""
    return f"{here[0]:,} erroneous and {here[1]:,} clean cases here, {official[0]:,} and {official[1]:,} in the paper"


def _amiss(count: int, wanted: tuple[int, ...]) -> str:
    return "" if count in wanted else f"{count:,} cases here, {wanted[0]:,} in the paper"


def _prmbench() -> dict[str, tuple[int, ...]]:
    classes = {name: (error_class.rows,) for name, error_class in prmbench.CLASSES.items()}
    # The first row with an id is the case, and of this class five ids stand in two rows.
    classes[prmbench.CLEAN_CLASS] = (prmbench.CLASSES[prmbench.CLEAN_CLASS].rows - len(prmbench.REPEATED),)
    return {**classes, **{domain: (rows,) for domain, rows in prmbench.STEM_ROWS.items()}}


_SUBSETS: dict[str, tuple[str, ...]] = {
    "processbench": tuple(processbench.OFFICIAL),
    "prmbench": tuple(prmbench.CLASSES),
    "socratic": tuple(socratic.CLASSES),
    "grben": tuple(grben.OFFICIAL),
}
