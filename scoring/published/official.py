"""Which subsets of a benchmark are here whole, so that figures can be held against the printed ones."""

from collections import Counter

import polars as pl

from scoring.benchmarks import grben, prmbench, processbench, socratic


def subsets_of(benchmark: str, domain: str = "") -> tuple[str, ...]:
    """The official subsets of a benchmark, or of PRMBench-STEM's domain, whether or not they are anywhere here."""
    if domain:
        return (domain,)
    return _SUBSETS.get(benchmark, ())


def whole_subsets(cases: pl.DataFrame, benchmark: str) -> dict[str, str]:
    """Every official subset -> "" where it has as many cases as published, else what is amiss.

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
        for name, one in socratic.CLASSES.items():
            patterns[one.pattern] += here[name]
        amiss = {name: _amiss(patterns[name], (rows,)) for name, rows in socratic.PATTERNS.items()}
        return {name: amiss[one.pattern] for name, one in socratic.CLASSES.items()}
    official = {"prmbench": _prmbench(), "grben": grben.OFFICIAL}.get(benchmark, {})
    return {name: _amiss(here[name], wanted) for name, wanted in official.items()}


def _both_sides(own: pl.DataFrame, subset: str, official: tuple[int, int]) -> str:
    gold = own.filter(pl.col("subset") == subset)["earliest_error"]
    found = int((gold >= 0).sum()), int((gold == -1).sum())
    if found == official:
        return ""
    return f"{found[0]:,} erroneous and {found[1]:,} clean cases here, {official[0]:,} and {official[1]:,} in the paper"


def _amiss(found: int, wanted: tuple[int, ...]) -> str:
    return "" if found in wanted else f"{found:,} cases here, {wanted[0]:,} in the paper"


def _prmbench() -> dict[str, tuple[int, ...]]:
    classes = {name: (one.rows,) for name, one in prmbench.CLASSES.items()}
    # The first row with an id is the case, and of this class five ids stand in two rows.
    classes[prmbench.CLEAN_CLASS] = (prmbench.CLASSES[prmbench.CLEAN_CLASS].rows - len(prmbench.REPEATED),)
    return {**classes, **{domain: (rows,) for domain, rows in prmbench.STEM_ROWS.items()}}


_SUBSETS: dict[str, tuple[str, ...]] = {
    "processbench": tuple(processbench.OFFICIAL),
    "prmbench": tuple(prmbench.CLASSES),
    "socratic": tuple(socratic.CLASSES),
    "grben": tuple(grben.OFFICIAL),
}
