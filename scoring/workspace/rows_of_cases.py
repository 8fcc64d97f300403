"""Which rows of a scorer belong to which case: those that name it, or else those of its content.

A row of `scoring.data.schema.REWARDS` or VOTES with a `case` was said of that case by a file that told it from others
of the same text. A row without one holds for every case of its content (`key`): what a model of ours computes, and
what files say that name no case. Everything that joins rewards or votes to cases joins them here, so that no figure
takes what was said of one case for another.
"""

import polars as pl


def case_rows(cases: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Find for each case the rows that count for it.

    Args:
        cases: columns `key` (String) and `case` (String, unique); without `case` no row that names one counts.
        rows: columns `key` and, where there are any, `case` (String, null = by content) and `run`; one row an identity.

    Returns:
        Columns `case_row` and `row` (UInt32, 0-based: places in `cases` and in `rows`), in the order of `rows`. A row
        that names a case counts for that case alone, and only while it has the content that the row is of. A row by
        content counts for every case of the content that has no row of its own; of votes, none in the same run.
    """
    # Columns are taken by name, not selected: a query takes longer than the whole join of a few hundred rows.
    of_case = cases[["key", *_present(cases, "case")]].with_row_index("case_row")
    numbered = rows[["key", *_present(rows, "case", "run")]].with_row_index("row")
    pairs = ["case_row", "row"]
    is_named = rows["case"].is_not_null() if "case" in rows.columns else pl.Series([False])
    unnamed = numbered.filter(~is_named) if is_named.any() else numbered
    by_content = unnamed[["row", "key", *_present(rows, "run")]].join(
        of_case, on="key", how="inner", maintain_order="left"
    )
    if unnamed is numbered or "case" not in cases.columns:
        return by_content[pairs]
    # Joining on both leaves out what was said of another text of the case, which has been corrected since.
    own = numbered.join(of_case, on=["case", "key"], how="inner", maintain_order="left")
    if by_content.is_empty():
        return own[pairs]
    scope = ["case_row", *_present(rows, "run")]
    rest = by_content.join(own, on=scope, how="anti", maintain_order="left")
    return pl.concat([own[pairs], rest[pairs]]).sort("row", maintain_order=True)


def rows_of_cases(cases: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Give each case its own copy of the rows that count for it (see `case_rows`).

    Returns:
        The columns of `rows` with `case` never null, and `case_row` (UInt32, the case's place in `cases`); in the order
        of `rows`. A row by content comes once for every case that takes it.
    """
    pairs = case_rows(cases, rows)
    names = cases["case"] if "case" in cases.columns else cases["key"]
    return rows[pairs["row"]].with_columns(names.gather(pairs["case_row"]).alias("case"), pairs["case_row"])


def rows_about(cases: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows that count for any of the cases (see `case_rows`), each once and as it is, in their order."""
    return rows[case_rows(cases, rows)["row"].unique().sort()]


def cases_with_rows(cases: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the cases for which any of the rows counts (see `case_rows`), in their order."""
    return cases[case_rows(cases, rows)["case_row"].unique().sort()]


def _present(frame: pl.DataFrame, *names: str) -> list[str]:
    return [name for name in names if name in frame.columns]
