"""An analysis of one's own, in one file: the longest solutions that each scorer has right."""

import polars as pl

from inspector.api import Section, View, count, define_analysis, provenance, table, text


@define_analysis("Longest", help="The longest solution that each scorer has right.")
def longest(results, params, intervals):
    """Find the longest solution that each chosen scorer has right, on the shown cases."""
    rows = []
    for scorer in results.chosen_evaluations:
        outcomes = scorer.column("outcome")
        right = outcomes.is_in(["exact", "clean"]) & pl.Series(results.mask)
        steps = results.cases["n_steps"].filter(right)
        rows.append({"scorer": scorer.scorer.name, "steps": steps.max()})
    frame = pl.DataFrame(rows, schema={"scorer": pl.String, "steps": pl.Int64})
    lines = [[text(row["scorer"]), count(row["steps"])] for row in rows]
    facts = provenance(results, results.query.command("longest", *params.words, form=params.form))
    section = Section("", "longest", (table("", ["scorer", "steps"], lines),))
    return View(frame, facts, title="Longest", lay_out=lambda: (section,))
