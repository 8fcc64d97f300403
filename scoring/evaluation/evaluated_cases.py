"""Cases with every column that a condition, an order or a group may speak of: each is made when it is asked for."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
from msgspec import Struct, field

from scoring.data.errors import FilterError
from scoring.data.metadata_columns import MetadataColumns
from scoring.data.reward_keys import reward_keys
from scoring.data.schema import Bools, Floats, Ints
from scoring.data.scorer import Scorer
from scoring.data.storage.remembered import IdentityCache
from scoring.data.texts import Texts
from scoring.evaluation.derived import UncachedEvaluation
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.scorer_columns import EVERY_COLUMN
from scoring.evaluation.triage_columns import SAID, TriageColumns
from scoring.evaluation.verdicts import NO_VERDICT, OUTCOMES
from scoring.workspace.filtering.coded_columns import Categories
from scoring.workspace.filtering.condition_masks import ConditionMasks
from scoring.workspace.workspace import Workspace


def disagreement(verdicts: Sequence[Ints], n: int) -> Floats:
    """Return the share of the pairs of scorers with a verdict on a case whose verdicts differ. Shape (n,).

    Verdicts differ where they are not the same number: another step, or a step and none. NaN where fewer than two
    scorers have one.

    Args:
        verdicts: one array (n,) a scorer, 0-based, -1 no error, -2 no step, NO_VERDICT where there is none.
        n: how many cases there are.
    """
    differing, pairs = np.zeros(n, np.int32), np.zeros(n, np.int32)
    # Half the bytes to go through; verdicts are Int32 wherever they come from.
    narrow = [scorer_verdicts.astype(np.int32) for scorer_verdicts in verdicts]
    there = [scorer_verdicts != NO_VERDICT for scorer_verdicts in narrow]
    for first, second in combinations(range(len(narrow)), 2):
        both = there[first] & there[second]
        pairs += both
        differing += both & (narrow[first] != narrow[second])
    return np.where(pairs > 0, differing / np.maximum(pairs, 1), np.nan)


MEASURES: dict[str, pl.DataType] = {"disagreement": pl.Float64()}
"""Names and dtypes; undefined is null.

`disagreement`: see the function; over all scorers but the baselines, which look at nothing.
"""


class CaseMeasures:
    """The measures, remembered as long as the evaluations that they are made from stay."""

    def __init__(self) -> None:
        self._made: tuple[object, pl.Series] | None = None

    def column(self, name: str, evaluations: Sequence[Evaluation], n: int) -> pl.Series:
        """Return one of MEASURES for all n cases. Raises KeyError for another name."""
        _ = MEASURES[name]
        if self._made is None or self._made[0] is not evaluations:
            looking = [evaluation for evaluation in evaluations if evaluation.scorer.kind != "baseline"]
            shares = disagreement([evaluation.verdicts for evaluation in looking], n)
            self._made = evaluations, pl.Series(name, shares).fill_nan(None)
        return self._made[1]


_KEYED = IdentityCache(4)
"""Cases with the keys of scorers, by the fields that scorers read in addition to problem and steps."""


class Loaded(Struct, frozen=True, eq=False):
    """What was read of a workspace.

    Attributes:
        workspace: Where it was read from.
        cases: Columns of METADATA, n rows, with the gold labels that were asked for.
        texts: Of the cases, n rows.
        metadata: The columns of the cases' files that no reader claims.
        folders: Scorer's name -> the folder of its parts.
        problems: Sentences about what could not be read.
        unkept: Evaluations that were computed because the workspace had not stored them; the app stores them.
    """

    workspace: Workspace
    cases: pl.DataFrame
    texts: Texts
    metadata: MetadataColumns = field(default_factory=MetadataColumns)
    folders: Mapping[str, Path] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    unkept: tuple[UncachedEvaluation, ...] = ()

    def keyed(self, scorer: Scorer) -> pl.DataFrame:
        """Return the cases with the keys of a scorer's rewards and answers."""
        return _KEYED.of(
            scorer.reads, (self.cases, self.texts), lambda: reward_keys(self.cases, self.texts, scorer.reads)
        )


class EvaluatedCases(Struct, frozen=True, eq=False, dict=True):
    """n cases, and what files, scorers and people say of them.

    Attributes:
        loaded: What was read: the cases, their texts and further columns.
        evaluations: Of all scorers, on these cases.
        triage_columns: What people said of the cases; None = it is not known.
        further: Columns beside those, by name.
        masks, measures: Remember what was made of columns.
    """

    loaded: Loaded
    evaluations: tuple[Evaluation, ...] = ()
    triage_columns: TriageColumns | None = None
    further: Mapping[str, pl.Series] = field(default_factory=dict)
    masks: ConditionMasks = field(default_factory=ConditionMasks)
    measures: CaseMeasures = field(default_factory=CaseMeasures)

    @property
    def height(self) -> int:
        """How many cases there are."""
        return self.loaded.cases.height

    @cached_property
    def benchmarks(self) -> tuple[str, ...]:
        """The benchmarks that there are cases of, in file order."""
        return tuple(self.loaded.cases["benchmark"].unique(maintain_order=True))

    @cached_property
    def schema(self) -> dict[str, pl.DataType]:
        """Names and dtypes of all columns that a condition, an order or a list may speak of."""
        made = {
            f"{evaluation.scorer.name}.{name}": dtype
            for evaluation in self.evaluations
            for name, dtype in EVERY_COLUMN.items()
        }
        further = {name: column.dtype for name, column in self.further.items()}
        triage_dtypes = {name: SAID[name] for name in self.triage_columns or ()}
        ours = {**triage_dtypes, **further, **MEASURES, **made}
        own = {name: dtype for name, dtype in self.loaded.metadata.schema.items() if name not in ours}
        return {**self.loaded.cases.schema, **own, **ours}

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns that a condition, an order or a list may speak of."""
        return tuple(self.schema)

    def column(self, name: str) -> pl.Series:
        """Return one column of all cases, in their order. Raises polars' ColumnNotFoundError."""
        if (beside := self.beside(name)) is not None:
            return beside
        if name in MEASURES:
            return self.measures.column(name, self.evaluations, self.height)
        evaluation = self.evaluation_of(name)
        if evaluation is None:
            return self.loaded.metadata.column(name) if self.is_metadata(name) else self.loaded.cases.get_column(name)
        return evaluation.column(name.removeprefix(f"{evaluation.scorer.name}."))

    def beside(self, name: str) -> pl.Series | None:
        """Return one of the columns that are neither of the cases nor of a scorer; None where there is none of that
        name.
        """
        if name in self.further:
            return self.further[name]
        return self.triage_columns[name] if self.triage_columns is not None and name in SAID else None

    def table(self, names: Sequence[str]) -> pl.DataFrame:
        """Return some columns of all cases. All columns at once are meant for files, not for screens."""
        return pl.DataFrame([self.column(name).alias(name) for name in names])

    def owner(self, name: str) -> object:
        """Return what a column is made from: while it is the same object, the column's values are the same."""
        if name in MEASURES:
            return self.evaluations
        beside = self.beside(name)
        return (self.evaluation_of(name) or self._of_cases(name)) if beside is None else beside

    def is_metadata(self, name: str) -> bool:
        """Return whether a column is one of the cases' files that no reader claims."""
        return name in self.loaded.metadata.schema and self.beside(name) is None and not self.said_by_scorers(name)

    def coded(self, name: str) -> Categories | None:
        """Return an outcome column as codes; None for the others."""
        evaluation = self.evaluation_of(name)
        if evaluation is None or not name.endswith(".outcome"):
            return None
        return Categories(OUTCOMES, evaluation.codes)

    def categories(self, name: str) -> Categories | None:
        """Code a column of few values as numbers; None where they are too many. Raises polars' ColumnNotFoundError."""
        return self.masks.categories(self, name)

    def passing(self, conditions: Sequence[str]) -> Bools:
        """Return the cases that fulfil every SQL condition, as a mask (n,) that nobody may write to.

        Raises:
            FilterError: a condition cannot be read or names a column that is not there.
        """
        try:
            return self.masks.passing(self, conditions)
        except FilterError as error:
            raise self.explained(error) from None

    def explained(self, error: FilterError) -> FilterError:
        """Return the error, and where it is of a column that an imported file has, why it is not there."""
        why, sure = self._missing(error.unknown)
        if not why:
            return error
        fault = f"there is no column {error.unknown!r}. {why}" if sure else f"{error.fault.rstrip('.')}. {why}"
        return FilterError(fault, place=error.place, fault=fault, unknown=error.unknown)

    def why_missing(self, name: str) -> str:
        """Return why a column of an imported file is not there, and what brings it, as a sentence; or ""."""
        why, sure = self._missing(name)
        return why if sure else ""

    def _missing(self, name: str) -> tuple[str, bool]:
        if not name or name in self.schema:
            return "", False
        # Imported only where a column is missing: what reads files takes a while.
        from scoring.importing.imported_files import missing_column

        return missing_column(self.loaded.workspace, list(self.benchmarks), name)

    def said_by_scorers(self, name: str) -> bool:
        """Return whether a column depends on the results of scorers."""
        return name in MEASURES or self.evaluation_of(name) is not None

    def evaluation_of(self, name: str) -> Evaluation | None:
        """Return the evaluation that a column is of; None for the cases' own and for those that are of no scorer."""
        return self._owners.get(name)

    @cached_property
    def _owners(self) -> dict[str, Evaluation]:
        return {
            f"{evaluation.scorer.name}.{name}": evaluation for evaluation in self.evaluations for name in EVERY_COLUMN
        }

    def _of_cases(self, name: str) -> object:
        return self.loaded.metadata if self.is_metadata(name) else self.loaded.cases
