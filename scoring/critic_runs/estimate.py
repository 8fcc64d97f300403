"""What a critic would be asked, before anything is."""

from collections.abc import Callable, Iterable

import polars as pl

from scoring.asking import Ask
from scoring.critics import cost
from scoring.events import Estimate

Price = Callable[[int, int], float]


def estimate(
    asks: Iterable[tuple[tuple[str, str | None], Ask]], max_tokens: int | None, price: Price | None, currency: str
) -> Estimate:
    """The asks counted.

    Args:
        asks: each with its benchmark and subset.
        max_tokens: the limit of each answer.
        price: the money for tokens in and out.
        currency: its currency.
    """
    found = cost.estimates(asks)
    every = sum(found.values(), cost.Estimate())
    most = every.tokens_out_at_most(max_tokens)
    return Estimate(
        every.asks,
        every.answers,
        every.characters,
        every.tokens_in,
        tuple(
            {"benchmark": benchmark, "subset": subset, "prompts": one.asks, "answers": one.answers,
             "characters": one.characters, "tokens_in": one.tokens_in}
            for (benchmark, subset), one in found.items()
        ),
        max_tokens,
        price(every.tokens_in, 0) if price else None,
        price(every.tokens_in, most) if price and most is not None else None,
        currency if price else "",
    )  # fmt: skip


def with_subsets(cases: pl.DataFrame, asks: Iterable[tuple[int, Ask]]) -> Iterable[tuple[tuple[str, str | None], Ask]]:
    """Each ask with its case's benchmark and subset; it comes with the case's row."""
    benchmarks, subsets = cases["benchmark"].to_list(), cases["subset"].to_list()
    return (((benchmarks[row], subsets[row]), ask) for row, ask in asks)
