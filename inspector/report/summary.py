"""What a benchmark's figures come to, in a few sentences."""

from collections.abc import Iterator

from inspector.report.blocks import Block, Bullets
from inspector.report.facts import OfBenchmark, percent
from inspector.sentences import WORDS, counted
from scoring.verdicts import OUTCOMES, WRONG


def summary_blocks(of: OfBenchmark, *, several: bool) -> Iterator[Block]:
    """Who is best and by how much it is known, and in which way the best one fails most."""
    about = f"{of.name}: " if several else ""
    yield Bullets(tuple(f"{about}{said}" for said in _said(of)))


def _said(of: OfBenchmark) -> Iterator[str]:
    best = of.best
    if best is None:
        yield "No scorer has a figure here." if of.scorers else "No scorer has anything for these cases yet."
        return
    name, figure = best.scorer.name, of.figure(best.scorer.name)
    defined = [one for one in of.scorers if (of.figure(one.scorer.name) or {}).get("value") is not None]
    values = {one.scorer.name: (of.figure(one.scorer.name) or {})["value"] for one in defined}
    equal = [other for other, value in values.items() if value == values[name]]
    among = f"Highest {of.title} of {counted(len(defined), 'scorer')} with one" if len(defined) > 1 else of.title
    yield f"{among}: {', '.join(equal)}, {percent(figure)} in percent, with its 95% interval."
    counts = of.outcomes(best)
    failures = {OUTCOMES[code]: counts[OUTCOMES[code]] for code in WRONG if counts[OUTCOMES[code]]}
    if failures:
        told = ", ".join(f"{WORDS[outcome]} {count}" for outcome, count in failures.items())
        yield f"{name} fails on {sum(failures.values()):,} of {counted(of.n, 'case')}: {told}."
