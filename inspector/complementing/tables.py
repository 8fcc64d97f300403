"""The rows of `compare --upset`, `--pairs` and `--cascade` laid out for people."""

from typing import Any

import polars as pl

from inspector.request import split

LINES = 15
"""Sets of a side that a terminal shows, beside those of nobody, everybody and one alone."""
NAMED = 3
"""Scorers of a set that are named; of larger sets those that are missing are, if they are as few."""
ALWAYS = ("unanimous_wrong", "unanimous_right", "lone_right")


def wide_sets(rows: pl.DataFrame) -> pl.DataFrame:
    """A line a set, the largest first: who is right, how many cases, their share with its interval."""
    place = pl.int_range(pl.len()).over("benchmark", "side")
    told = rows.filter((place < LINES) | pl.col("kind").is_in(ALWAYS) | pl.col("kind").is_null())
    everybody = {
        benchmark: max((split(right or "") for right in part["right"]), key=len, default=())
        for (benchmark,), part in rows.group_by("benchmark")
    }
    lines = [
        {
            "benchmark": row["benchmark"],
            "cases": row["side"],
            "right": _who(split(row["right"] or ""), everybody[row["benchmark"]]) if row["kind"] else None,
            "n": row["count"],
            "share": _percent(row),
        }
        for row in told.iter_rows(named=True)
    ]
    return pl.DataFrame(lines, infer_schema_length=None)


def _who(right: tuple[str, ...], everybody: tuple[str, ...]) -> str:
    missing = [name for name in everybody if name not in right]
    if not right:
        return "nobody"
    if not missing:
        return "everybody"
    if len(right) <= NAMED:
        return ", ".join(right)
    return f"all but {', '.join(missing)}" if len(missing) <= NAMED else f"{len(right)} of {len(everybody)}"


def wide_pairs(rows: pl.DataFrame) -> pl.DataFrame:
    """A line a pair, the highest oracle first: agreement, what each has right of the other's mistakes, the oracle."""
    of_pair: dict[tuple[str, str, str], dict[str, dict[str, Any]]] = {}
    for row in rows.filter(pl.col("side") == "all").iter_rows(named=True):
        of_pair.setdefault((row["benchmark"], row["scorer"], row["other"]), {})[row["metric"]] = row
    pairs = [(names, cells) for names, cells in of_pair.items() if "oracle_f1" in cells]
    pairs.sort(key=lambda pair: (pair[0][0], -(pair[1]["oracle_f1"]["value"] or -1.0)))
    lines = [
        {
            "benchmark": benchmark,
            "scorer": scorer,
            "other": other,
            "same outcome": _percent(cells["same_outcome"], ends=False),
            "same verdict": _percent(cells["same_verdict"], ends=False),
            "other has of its mistakes": _of_mistakes(cells["covered"]),
            "it has of the other's": _of_mistakes(of_pair[benchmark, other, scorer]["covered"]),
            "F1 of whichever is right": _percent(cells["oracle_f1"]),
            "over the better": _percent(cells["oracle_f1_gain"], sign="+"),
        }
        for (benchmark, scorer, other), cells in pairs
    ]
    return pl.DataFrame(lines, infer_schema_length=None)


def _of_mistakes(row: dict[str, Any]) -> str:
    return "-" if row["value"] is None else f"{row['count']} of {row['n']}"


def wide_cascade(rows: pl.DataFrame) -> pl.DataFrame:
    """A line a cut: what is sent on and what that gives; the scorers alone above, the best cut below."""
    lines: list[dict[str, Any]] = []
    for (benchmark, kind, cut), part in rows.group_by("benchmark", "kind", "cut", maintain_order=True):
        cells = {row["metric"]: row for row in part.iter_rows(named=True)}
        named = part["scorer" if kind == "first" else "other"][0]
        alone = kind in {"first", "second"}
        sent = {} if alone else {"sent": cells["share_sent"]["count"], "share": _percent(cells["share_sent"])}
        lines.append(
            {
                "benchmark": benchmark,
                "asked": f"{named} alone" if alone else f"below {cut:.4g}{' (best*)' if kind == 'best' else ''}",
                "sent": sent.get("sent"),
                "share": sent.get("share"),
                **{name: _percent(cells[name], ends=name == "f1") for name in ("error_acc", "correct_acc", "f1")},
                "over first": None if alone else _percent(cells["f1_over_first"], sign="+"),
                "over second": None if alone else _percent(cells["f1_over_second"], sign="+"),
                "tokens": None if alone else _tokens(cells["second_tokens"]),
            }
        )
    made = pl.DataFrame(lines, infer_schema_length=None)
    return made.drop("tokens") if lines and not made["tokens"].count() else made


def _tokens(row: dict[str, Any]) -> str | None:
    return None if row["value"] is None else f"{row['value']:,.0f}"


def _percent(row: dict[str, Any], *, ends: bool = True, sign: str = "") -> str:
    """A fraction in percent, with its interval where it has one."""
    if row["value"] is None:
        return f"- ({row['reason']})"
    value = f"{100 * row['value']:{sign}.1f}"
    if not ends or row["low"] is None:
        return value
    return f"{value}  [{100 * row['low']:{sign}.1f}, {100 * row['high']:{sign}.1f}]"
