"""A request, loaded: the cases, their texts and one evaluation a scorer, ready to be shown or printed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from inspector.case_measures import MEASURES, CaseMeasures
from inspector.deciding import Deciding, decided
from inspector.filtering.searching import found_in, matching
from inspector.label_set import on_labels
from inspector.names import match_name
from inspector.ordering import Orders
from inspector.request import Request
from inspector.triage_columns import DTYPES as SAID
from inspector.triage_columns import TriageColumns
from inspector.wishes import Surroundings
from scoring.cache import VoteParts
from scoring.categories import Categories
from scoring.condition_masks import ConditionMasks
from scoring.derived import Unkept
from scoring.errors import FilterError
from scoring.evaluation import Evaluation
from scoring.importing.missing_columns import missing_column
from scoring.metadata_columns import MetadataColumns
from scoring.metrics.baselines import is_baseline
from scoring.metrics.first_error import Unparsed
from scoring.protocols import protocol_named, protocol_of
from scoring.scorer_columns import EVERY_COLUMN
from scoring.step_rewards import Bools, Ints
from scoring.text_search import Found
from scoring.texts import Texts
from scoring.triage.adjudicated import Adjudicated
from scoring.triage.said import Triage
from scoring.triage.words import Words
from scoring.verdicts import OUTCOMES
from scoring.workspace import Workspace

if TYPE_CHECKING:
    from scoring.triage.journal import Journal


@dataclass(frozen=True, eq=False)
class Selection:
    """Everything a view needs. `cases` and all arrays in `evaluations` have the same n rows in the same order.

    `evaluations` are all scorers, since a condition may speak of any; `chosen` names those that are shown. `shown` (row
    ids) are the cases that the request's conditions keep, in the order it asks for. `problems` are sentences about what
    could not be read and what was asked for in vain, `folders` say by name where a scorer's parts lie. `found` is what
    the request's text search found, as far as cases were searched; None where it asks for none. `unkept` is what had to
    be computed and may be kept for the next time. `metadata` are the metadata columns of the cases' files, `said` those
    of what people said, `further` are others beside those of the cases and the scorers, by name: whoever changes one
    puts another Series in its place. `masks`, `orders` and `measures` remember what was made of columns. `journal` is
    where tags and notes are written, None where the workspace has no folder. `adjudicated` are the labels that were
    laid over those of `cases` when they were read; None = the cases have their own. `heard` are the words that those
    labels are made of, and `behind` says that people said something else of the labels since.
    """

    request: Request
    workspace: Workspace
    cases: pl.DataFrame
    texts: Texts
    evaluations: tuple[Evaluation, ...]
    chosen: tuple[str, ...]
    shown: Ints
    problems: tuple[str, ...] = ()
    folders: Mapping[str, Path] = field(default_factory=dict)
    found: Found | None = None
    unkept: tuple[Unkept, ...] = ()
    metadata: MetadataColumns = field(default_factory=MetadataColumns)
    said: TriageColumns | None = None
    further: Mapping[str, pl.Series] = field(default_factory=dict)
    masks: ConditionMasks = field(default_factory=ConditionMasks)
    orders: Orders = field(default_factory=Orders)
    measures: CaseMeasures = field(default_factory=CaseMeasures)
    journal: "Journal | None" = None
    adjudicated: Adjudicated | None = None
    heard: Mapping[str, Sequence[Words]] = field(default_factory=dict)
    behind: bool = False

    @property
    def chosen_evaluations(self) -> tuple[Evaluation, ...]:
        """The evaluations of the scorers that were asked for, in that order."""
        return tuple(self.evaluation(name) for name in self.chosen)

    @property
    def mask(self) -> Bools:
        """The shown cases as a mask over all, shape (n,)."""
        mask = np.zeros(self.cases.height, dtype=np.bool_)
        mask[self.shown] = True
        return mask

    def unparsed(self, benchmark: str) -> Unparsed:
        """How the refused and unparsed cases of a benchmark count: as asked, else as the protocol does."""
        request = self.request
        protocol = protocol_named(request.protocol) if request.protocol else protocol_of(benchmark)
        return request.unparsed or protocol.unparsed

    def evaluation(self, scorer: str) -> Evaluation:
        """The evaluation of a scorer, by its full name."""
        return next(one for one in self.evaluations if one.scorer.name == scorer)

    def answers(self, scorer: str, row: int) -> list[str]:
        """A critic's answers to one case in its first run, in the order of their votes; [] where none were kept."""
        first = self.evaluation(scorer).votes
        if scorer not in self.folders or first is None or not first.tried[row]:
            return []
        votes = VoteParts(self.folders[scorer]).answers(self.cases["key"][row], self.cases["case"][row])
        return votes.filter(pl.col("run") == pl.col("run").min())["answer"].drop_nulls().to_list()

    # -- columns, which are made when they are asked for

    @property
    def height(self) -> int:
        """How many cases there are."""
        return self.cases.height

    @cached_property
    def schema(self) -> dict[str, pl.DataType]:
        """Names and dtypes of all columns that a condition, an order or a list may speak of."""
        made = {f"{one.scorer.name}.{name}": dtype for one in self.evaluations for name, dtype in EVERY_COLUMN.items()}
        further = {name: column.dtype for name, column in self.further.items()}
        said = {name: SAID[name] for name in self.said or ()}
        ours = {**said, **further, **MEASURES, **made}
        own = {name: dtype for name, dtype in self.metadata.schema.items() if name not in ours}
        return {**self.cases.schema, **own, **ours}

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns that a condition, an order or a list may speak of."""
        return tuple(self.schema)

    def column(self, name: str) -> pl.Series:
        """One column of all cases, in file order. Raises polars' ColumnNotFoundError."""
        if (beside := self.beside(name)) is not None:
            return beside
        if name in MEASURES:
            return self.measures.column(name, self.evaluations, self.height)
        evaluation = self._of_scorer(name)
        if evaluation is None:
            return self.metadata.column(name) if self.is_metadata(name) else self.cases.get_column(name)
        return evaluation.column(name.removeprefix(f"{evaluation.scorer.name}."))

    def beside(self, name: str) -> pl.Series | None:
        """One of the columns that are neither of the cases nor of a scorer; None where there is none of that name."""
        if name in self.further:
            return self.further[name]
        return self.said[name] if self.said is not None and name in SAID else None

    def table(self, names: Sequence[str]) -> pl.DataFrame:
        """Some columns of all cases: whoever needs few of many asks here, not for the whole frame."""
        return pl.DataFrame([self.column(name).alias(name) for name in names])

    def owner(self, name: str) -> object:
        """What a column is made from: while it is the same object, the column's values are the same."""
        if name in MEASURES:
            return self.evaluations
        beside = self.beside(name)
        return (self._of_scorer(name) or self._of_cases(name)) if beside is None else beside

    def is_metadata(self, name: str) -> bool:
        """Whether a column is one of the cases' files that no reader claims."""
        return name in self.metadata.schema and self.beside(name) is None and not self.said_by_scorers(name)

    def _of_cases(self, name: str) -> object:
        return self.metadata if self.is_metadata(name) else self.cases

    def coded(self, name: str) -> Categories | None:
        """An outcome column as codes; None for the others."""
        evaluation = self._of_scorer(name)
        if evaluation is None or not name.endswith(".outcome"):
            return None
        return Categories(OUTCOMES, evaluation.codes)

    def categories(self, name: str) -> Categories | None:
        """A column of few values as numbers; None where they are too many. Raises polars' ColumnNotFoundError."""
        return self.masks.categories(self, name)

    def passing(self, conditions: Sequence[str]) -> Bools:
        """The cases that fulfil every SQL condition, as a mask (n,) that nobody may write to.

        Raises:
            FilterError: a condition cannot be read or names a column that is not there.
        """
        try:
            return self.masks.passing(self, conditions)
        except FilterError as error:
            raise self.explained(error) from None

    def explained(self, error: FilterError) -> FilterError:
        """The error, and where it is of a column that an imported file has, why it is not there."""
        why, sure = self._missing(error.unknown)
        if not why:
            return error
        fault = f"there is no column {error.unknown!r}. {why}" if sure else f"{error.fault.rstrip('.')}. {why}"
        return FilterError(fault, place=error.place, fault=fault, unknown=error.unknown)

    def why_missing(self, name: str) -> str:
        """Why a column of an imported file is not there, and what brings it, as a sentence; or ""."""
        why, sure = self._missing(name)
        return why if sure else ""

    def _missing(self, name: str) -> tuple[str, bool]:
        if not name or name in self.schema:
            return "", False
        return missing_column(self.workspace, self.cases["benchmark"].unique(maintain_order=True).to_list(), name)

    def scorer_of(self, name: str) -> str | None:
        """The scorer that a column is of; None for the cases' own and for those that are of none."""
        found = self._of_scorer(name)
        return found.scorer.name if found else None

    def said_by_scorers(self, name: str) -> bool:
        """Whether a column says what one scorer or several made of the cases."""
        return name in MEASURES or self._of_scorer(name) is not None

    def _of_scorer(self, name: str) -> Evaluation | None:
        return self._owners.get(name)

    @cached_property
    def _owners(self) -> dict[str, Evaluation]:
        return {f"{one.scorer.name}.{name}": one for one in self.evaluations for name in EVERY_COLUMN}

    def triaged(self, journal: "Journal | None" = None) -> "Selection":
        """With the tags and notes that there are now, in another journal or in the present one; the rows shown stay.

        The gold labels stay too: where words on them have changed, it is `behind`.
        """
        journal = journal or self.journal
        if journal is None:
            return self
        said = self.said or TriageColumns(Triage(), self.cases["case"])
        behind = self.adjudicated is not None and (self.behind or on_labels(journal) != self.heard)
        return replace(self, journal=journal, said=said.after(journal.triage), behind=behind)

    def frame(self) -> pl.DataFrame:
        """The cases with every evaluation's columns beside them: for files, never for a screen."""
        return self.table(self.columns)


def with_baselines(selection: Selection, added: Sequence[Evaluation]) -> Selection:
    """The same with these baselines in the place of those that there were; of all scorers, none of them chosen alone.

    None of the name of another scorer is taken. A threshold, a rule and the like are asked of others alone.
    """
    others = tuple(one for one in selection.evaluations if not is_baseline(one.scorer))
    names = {one.scorer.name for one in others}
    evaluations = (*others, *(one for one in added if one.scorer.name not in names))
    request = replace(selection.request, baselines=bool(added), scorers=())
    return replace(
        selection, request=request, evaluations=evaluations, chosen=tuple(one.scorer.name for one in evaluations)
    )


def decide(selection: Selection) -> Selection:
    """Put every evaluation under the rule and at the threshold that the request asks for it.

    Raises:
        UsageError: no rule, threshold or scorer of that name, or one for a scorer by name that has none.
    """
    how = Deciding(
        selection.request, selection.chosen, lambda found: surroundings(replace(selection, evaluations=found))
    )
    return replace(selection, evaluations=decided(selection.evaluations, how))


def surroundings(selection: Selection) -> Surroundings:
    """What thresholds are tuned in: the shown cases, and how the request counts."""
    request = selection.request
    return Surroundings(lambda: select(selection).mask, request.where, selection.unparsed, request.seed)


def select(selection: Selection, order: Ints | None = None) -> Selection:
    """Keep what the request's conditions keep, in the order it asks for or in the one given (all row ids)."""
    request = selection.request
    keep = np.ones(selection.cases.height, dtype=np.bool_)
    if request.subsets:
        names = [name for name in selection.cases["subset"].unique(maintain_order=True).to_list() if name]
        wanted = [match_name(word, names, "subset") for word in request.subsets]
        keep &= selection.cases["subset"].is_in(wanted).fill_null(value=False).to_numpy()
    keep &= selection.passing(request.where)
    found = found_in(selection, keep)
    keep &= matching(found, selection.height)
    if order is None:
        order = selection.orders.of(selection, request.sort)
    return replace(selection, shown=order[keep[order]], found=found)
