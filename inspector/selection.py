"""A request, loaded: the cases, their texts and one evaluation a scorer, ready to be shown or printed."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import polars as pl

from inspector.absence_notes import absence_notes
from inspector.deciding import Deciding, decided
from inspector.names import match_name
from inspector.request import Request
from inspector.stale_notes import stale_notes
from inspector.wish_notes import wish_notes
from inspector.wishes import Surroundings
from scoring.cache import BALLOTS, RewardParts, VoteParts
from scoring.errors import DamagedWorkspace, NoWorkspace, UsageError
from scoring.evaluation import Evaluation, evaluate
from scoring.filters import passing
from scoring.gold import Gold
from scoring.metrics.baselines import baselines
from scoring.metrics.first_error import Unparsed
from scoring.protocols import protocol_named, protocol_of
from scoring.reward_keys import reward_keys
from scoring.scorer import Scorer
from scoring.step_rewards import Bools, Ints
from scoring.texts import Texts
from scoring.workspace import MARK, Workspace

ENVIRONMENT = "PRM_INSPECT_WORKSPACE"
LOCAL = Path(".prm-inspect")


@dataclass(frozen=True, eq=False)
class Selection:
    """Everything a view needs. `cases` and all arrays in `evaluations` have the same n rows in the same order.

    `evaluations` are all scorers, since a condition may speak of any; `chosen` names those that are shown.
    `shown` (row ids) are the cases that the request's conditions keep, in the order it asks for. `problems` are
    sentences about what could not be read and what was asked for in vain, `folders` say by name where a scorer's parts
    lie.
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
        votes = VoteParts(self.folders[scorer]).answers(self.cases["key"][row])
        return votes.filter(pl.col("run") == pl.col("run").min())["answer"].drop_nulls().to_list()

    def frame(self) -> pl.DataFrame:
        """The cases with every evaluation's columns beside them."""
        return pl.concat([self.cases, *(one.columns for one in self.evaluations)], how="horizontal")


def find_workspace(given: str | None, *, create: bool = False) -> Workspace:
    """The workspace that a command means: the one given, `$PRM_INSPECT_WORKSPACE`, `./.prm-inspect`, the user's own.

    With `create` (importing), the folder is made where it is missing, and a new one goes to `./.prm-inspect`.

    Raises:
        NoWorkspace: there is none and none is to be made.
    """
    named = given if given is not None else os.environ.get(ENVIRONMENT) or None
    if named is not None:
        return Workspace.create(Path(named)) if create else Workspace.open(Path(named))
    if (LOCAL / MARK).is_file():
        return Workspace.open(LOCAL)
    if create:
        return Workspace.create(LOCAL)
    from platformdirs import user_data_path

    own = user_data_path("prm-inspect")
    if (own / MARK).is_file():
        return Workspace.open(own)
    raise NoWorkspace(
        "nothing was imported here yet.", "Start with: prm-inspect import PATH, or look: prm-inspect demo"
    )


def find_workspace_or_demo(given: str | None, benchmarks: Sequence[str]) -> Workspace:
    """The same for looking: where there is no workspace, the demo can still be asked for by name."""
    try:
        return find_workspace(given)
    except NoWorkspace:
        if "demo" not in benchmarks or given is not None:
            raise
        return Workspace(None)


def load(request: Request) -> Selection:
    """Read what a request names, decide and select.

    Raises:
        InspectError: no workspace, an unknown benchmark, scorer or column, a condition that cannot be read.
    """
    workspace = find_workspace_or_demo(request.workspace, request.benchmarks)
    cases, texts = workspace.cases(tuple(dict.fromkeys(request.benchmarks)))
    evaluations, folders, problems = load_evaluations(workspace, cases, texts)
    problems += absence_notes(request, workspace, cases, tuple(folders))
    problems += stale_notes(evaluations, folders, request.workspace)
    added = _baselines(request, cases, [one.scorer.name for one in evaluations])
    evaluations += added
    names = [one.scorer.name for one in evaluations]
    wanted = [match_name(word, names, "scorer") for word in request.scorers]
    chosen = tuple(dict.fromkeys((*wanted, *(one.scorer.name for one in added)) if wanted else names))
    rows = np.arange(cases.height)
    loaded = (tuple(evaluations), chosen, rows, tuple(problems), folders)
    everything = Selection(request, workspace, cases, texts, *loaded)
    found = decide(everything)
    notes = wish_notes(request, found.evaluations)
    return select(replace(found, problems=(*problems, *notes)))


def _baselines(request: Request, cases: pl.DataFrame, taken: Sequence[str]) -> list[Evaluation]:
    """The baselines where they are asked for, less those whose name a scorer of the workspace has."""
    made = baselines(Gold(cases), request.seed) if request.baselines else ()
    return [one for one in made if one.scorer.name not in taken]


def load_evaluations(
    workspace: Workspace, cases: pl.DataFrame, texts: Texts
) -> tuple[list[Evaluation], dict[str, Path], list[str]]:
    """Every scorer with a row for any of the cases, decided at its own threshold; its folder; and what was wrong."""
    gold = Gold(cases)
    evaluations: list[Evaluation] = []
    folders: dict[str, Path] = {}
    problems: list[str] = []
    for folder in workspace.reward_folders(cases["benchmark"].unique().to_list()):
        try:
            scorer = Scorer.load(folder)
        except DamagedWorkspace as error:
            problems.append(str(error))
            continue
        rewards, unreadable = RewardParts(folder).read()
        votes, also_unreadable = VoteParts(folder).read(BALLOTS)
        problems += unreadable + also_unreadable
        evaluation = evaluate(gold, scorer, rewards, votes=votes, cases=reward_keys(cases, texts, scorer.reads))
        if not evaluation.present.any():
            continue
        if scorer.name in folders:
            problems.append(f"{folder} was left out: another scorer here is called {scorer.name} as well")
            continue
        evaluations.append(evaluation)
        folders[scorer.name] = folder
    return evaluations, folders, problems


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
    frame = selection.frame() if request.where or request.sort else selection.cases
    if request.where:
        keep &= passing(frame, request.where).to_numpy()
    if order is None:
        order = ordering(request.sort, frame, selection.chosen_evaluations)
    return replace(selection, shown=order[keep[order]])


def ordering(sort: str, frame: pl.DataFrame, evaluations: Sequence[Evaluation]) -> Ints:
    """All row ids in the order asked for; ties keep the order of the cases, nulls come last.

    Raises:
        UsageError: no such column.
    """
    if not sort:
        return np.arange(frame.height)
    if sort == "instructive":
        if not evaluations:
            raise UsageError("instructive needs a scorer and there is none.", "Import or compute rewards first.")
        return evaluations[0].instructive()
    column, _, direction = sort.rpartition(":") if sort.endswith((":desc", ":asc")) else (sort, "", "asc")
    if column not in frame.columns:
        column = match_name(column, frame.columns, "column")
    if isinstance(frame.schema[column], pl.List):
        raise UsageError(f"column {column!r} holds lists and has no order.", "Sort by another column.")
    ids = frame.select(pl.col(column), pl.int_range(pl.len()).alias("_row"))
    return ids.sort(column, descending=direction == "desc", nulls_last=True, maintain_order=True)["_row"].to_numpy()
