"""What `agreement` shows on a terminal: a line for whom and about what."""

import polars as pl


def wide_agreement(rows: pl.DataFrame) -> pl.DataFrame:
    """A line a pair or all people and what they speak of: agreement, the coefficient, and why there is none."""
    lines: dict[tuple[str, str], dict[str, object]] = {}
    for row in rows.iter_rows(named=True):
        about = row["about"] if row["tag"] is None else f"tag {row['tag']}"
        who = "all" if row["scope"] == "all" else f"{row['person_a']} and {row['person_b']}"
        line = lines.setdefault((about, who), {"n": row["n"], "cases": row["cases"]})
        line[row["metric"]] = _percent(row) if row["metric"] == "observed" else _coefficient(row)
        line["small"] = "few cases" if row["small"] else ""
        line["why"] = row["reason"] or ""
    columns = ("observed", "kappa", "alpha", "n", "cases", "small", "why")
    whole = [(*key, *(line.get(name) for name in columns)) for key, line in lines.items()]
    numbers = dict.fromkeys(("n", "cases"), pl.Int64())
    schema = {name: numbers.get(name, pl.String()) for name in ("about", "people", *columns)}
    return pl.DataFrame(whole, schema=schema, orient="row")


def wide_disagreements(rows: pl.DataFrame) -> pl.DataFrame:
    """A line a case, and what each says in one text."""
    return rows.drop("kinds", "people", "things")


def _percent(row: dict[str, float | None]) -> str:
    return "-" if row["value"] is None else f"{100 * row['value']:.1f}"


def _coefficient(row: dict[str, float | None]) -> str:
    between = "" if row["low"] is None or row["high"] is None else f"  [{row['low']:.2f}, {row['high']:.2f}]"
    return "-" if row["value"] is None else f"{row['value']:.2f}{between}"
