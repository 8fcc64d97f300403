"""What a benchmark's figures come to, in a few sentences."""

from collections.abc import Iterator

import polars as pl

from inspector.analyses.compare import STANDING
from inspector.render.view import Block, Bullets, View
from inspector.report.facts import OfBenchmark, percent
from inspector.sentences import WORDS, counted
from scoring.verdicts import OUTCOMES, REFUSED, RIGHT, UNPARSED, WRONG


def summary_blocks(of: OfBenchmark, *, several: bool) -> Iterator[Block]:
    """Who is best and who is not told apart from it, and in which way the best one fails most."""
    about = f"{of.name}: " if several else ""
    yield Bullets(tuple(f"{about}{said}" for said in (*_highest(of), *_tied(of), *_failures(of))))


def _highest(of: OfBenchmark) -> Iterator[str]:
    best = of.best
    if best is None:
        yield "No scorer has a figure here." if of.scorers else "No scorer has anything for these cases yet."
        return
    values = {one.scorer.name: (of.figure(one.scorer.name) or {}).get("value") for one in of.scorers}
    defined = [name for name, value in values.items() if value is not None]
    equal = [name for name in defined if values[name] == values[best.scorer.name]]
    among = f"Highest {of.title} of {counted(len(defined), 'scorer')} with one" if len(defined) > 1 else of.title
    row = of.figure(best.scorer.name)
    why = f" ({row['reason']})" if row is not None and row["reason"] else ""
    yield f"{among}: {', '.join(equal)}, {percent(row)} in percent, with its 95% interval{why}."


def _tied(of: OfBenchmark) -> Iterator[str]:
    """Which scorers the comparison on common cases does not tell apart from the best one there."""
    if not isinstance(of.comparison, View):
        return
    behind, tied = STANDING[of.head]
    rows = of.comparison.rows.filter(pl.col("value").is_not_null())
    best = next(iter(rows.filter(pl.col("metric") == behind)["other"].drop_nulls()), None)
    others = rows.filter(pl.col("metric") == tied, pl.col("scorer") != (best or "")).select("scorer", "value").rows()
    if best is None or not others:
        return
    close = [name for name, value in others if value]
    told = f"none of {len(others)} others" if not close else f"{len(close)} of {len(others)} others: {', '.join(close)}"
    yield f"On common cases {best} is first; the 95% interval of the difference to it holds 0 for {told}."


def _failures(of: OfBenchmark) -> Iterator[str]:
    """In which ways the best scorer fails."""
    if of.best is None:
        return
    name, counts = of.best.scorer.name, of.outcomes(of.best)
    total = sum(counts[OUTCOMES[code]] for code in (*RIGHT, *WRONG))
    failures = {OUTCOMES[code]: counts[OUTCOMES[code]] for code in WRONG if counts[OUTCOMES[code]]}
    told = ", ".join(f"{WORDS[outcome]} {count:,}" for outcome, count in failures.items())
    silent = sum(counts[OUTCOMES[code]] for code in (UNPARSED, REFUSED))
    also = f"; {silent:,} more are unparsed or refused" if silent else ""
    if failures:
        yield f"{name} fails on {sum(failures.values()):,} of {counted(total, 'case')} with a verdict: {told}{also}."
