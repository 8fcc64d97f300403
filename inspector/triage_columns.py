"""What people said of the cases, as columns beside them."""

from collections.abc import Mapping

import numpy as np
import polars as pl

from scoring.triage.said import Triage

DTYPES: dict[str, pl.DataType] = {"tags": pl.List(pl.String()), "note": pl.String()}
"""`tags` in alphabetical order, [] where there is none, so that a condition that one is missing holds there; `note` is
null where there is none."""


def triage_columns(triage: Triage, cases: pl.Series) -> dict[str, pl.Series]:
    """The columns of DTYPES for the cases with these identities, in their order."""
    notes = {case: triage.note(case) for case in triage.notes}
    return {"tags": _column("tags", triage.tags, [], cases), "note": _column("note", notes, None, cases)}


def _column(name: str, said: Mapping[str, object], otherwise: object, cases: pl.Series) -> pl.Series:
    """What was said of each case. Few are spoken of among perhaps a million, and many are told the same."""
    places = np.zeros(cases.len(), dtype=np.uint32)
    distinct = dict.fromkeys(said.values())
    if said:
        numbers = {value: number for number, value in enumerate(distinct, 1)}
        spoken = pl.DataFrame({"case": list(said), "place": [numbers[value] for value in said.values()]})
        rows = cases.is_in(spoken["case"].implode()).arg_true()
        found = pl.DataFrame({"case": cases.gather(rows), "row": rows}).join(spoken, on="case")
        places[found["row"].to_numpy()] = found["place"].to_numpy()
    values = [otherwise, *(list(one) if isinstance(one, tuple) else one for one in distinct)]
    return pl.Series(name, values, dtype=DTYPES[name]).gather(places)
