"""What `agreement` shows on a terminal: a line for whom and about what."""

from typing import Any

import polars as pl

COEFFICIENT = "beyond chance"
"""The column of kappa (of two) and alpha (of all)."""


def wide_agreement(rows: pl.DataFrame) -> pl.DataFrame:
    """A line a pair or all people and what they speak of: agreement, the coefficient, and why there is none."""
    lines: dict[tuple[str | None, ...], dict[str, object]] = {}
    for row in rows.iter_rows(named=True):
        about = row["about"] if row["tag"] is None else f"tag {row['tag']}"
        who = "all" if row["scope"] == "all" else f"{row['person_a']} and {row['person_b']}"
        # People may be called "a and b".
        key = (row["about"], row["tag"], row["person_a"], row["person_b"])
        line = lines.setdefault(key, {"about": about, "people": who, "n": row["n"], "cases": row["cases"]})
        if row["metric"] == "observed":
            line["observed"] = "-" if row["value"] is None else f"{100 * row['value']:.1f}"
        else:
            line[COEFFICIENT] = _coefficient(row)
            line["why"] = row["reason"] or ("few cases" if row["small"] else "")
    columns = ("about", "people", "observed", COEFFICIENT, "n", "cases", "why")
    numbers = dict.fromkeys(("n", "cases"), pl.Int64())
    return pl.DataFrame(list(lines.values()), schema={name: numbers.get(name, pl.String()) for name in columns})


def wide_disagreements(rows: pl.DataFrame) -> pl.DataFrame:
    """A line a case, and what each says in one text."""
    return rows.drop("kinds", "people", "things")


def _coefficient(row: dict[str, Any]) -> str:
    if row["value"] is None:
        return f"{row['metric']} -"
    between = "" if row["low"] is None else f"  [{row['low']:.2f}, {row['high']:.2f}]"
    return f"{row['metric']} {row['value']:.2f}{between}"
