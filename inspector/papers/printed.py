"""Which printed figures are those of a scorer here: by its name, and by how its answers were made."""

from dataclasses import replace

import polars as pl

from inspector.request import Request
from scoring.evaluation import Evaluation
from scoring.protocols import protocol_of
from scoring.published.figures import figures
from scoring.published.names import model_of


def as_printed(request: Request, benchmark: str) -> Request:
    """The request with the boundary of the printed figures, where nobody asked for another."""
    comparison = protocol_of(benchmark).comparison
    asked = request.rules or request.protocol or comparison is None
    return request if asked else replace(request, rules=((None, str(comparison)),))


def table_figures(paper: str, table: int) -> pl.DataFrame:
    """The printed figures of a table, with the columns of `figures`."""
    return figures().filter((pl.col("paper") == paper) & (pl.col("table") == table))


def printed_for(evaluation: Evaluation, table: pl.DataFrame) -> tuple[pl.DataFrame, str | None]:
    """The figures that a table prints for a scorer; and, where there is none, why."""
    named = table.filter(pl.col("model") == model_name(evaluation))
    if not named.height:
        return named, "the table names no such scorer"
    fitting = [one for one in named["setting"].unique(maintain_order=True) if one is None or fits(evaluation, one)]
    found = named.filter(pl.col("setting").is_in(fitting, nulls_equal=True))
    if found.height:
        return found, None
    settings = ", ".join(named["setting"].unique(maintain_order=True))
    return (
        found,
        f"the table prints it for {settings}, and this scorer is {made_how(evaluation) or 'not said to be so'}",
    )


def model_name(evaluation: Evaluation) -> str:
    """The scorer's model; a mode of thinking at the end of its name is a setting and no part of the model's name."""
    mode = thinking(evaluation)
    name = evaluation.scorer.name
    return model_of(name.removesuffix(f"-{mode}") if mode else name)


def fits(evaluation: Evaluation, setting: str) -> bool:
    """Whether a scorer's answers were made as the paper says; what is not known does not fit.

    A single answer is greedy unless the scorer's settings say a temperature. A threshold can be the best one of each
    subset wherever there is one.
    """
    return evaluation.movable if setting == "best threshold" else setting in made_how(evaluation).split(", ")


def made_how(evaluation: Evaluation) -> str:
    """How a scorer's answers were made, in the words of the printed settings; "" where nothing is known."""
    told = evaluation.scorer.settings
    most = 0 if evaluation.votes is None else evaluation.votes.most
    parts = [
        f"voting@{most}" if most > 1 else "greedy" if most == 1 and not told.get("temperature") else "",
        thinking(evaluation),
        f"{told['shots']}-shot" if isinstance(told.get("shots"), int) else "",
    ]
    return ", ".join(part for part in parts if part)


def thinking(evaluation: Evaluation) -> str:
    """The mode of thinking that a critic's settings name (`fast` or `slow`); "" where they name none."""
    return str(evaluation.scorer.settings.get("thinking_mode") or "")
