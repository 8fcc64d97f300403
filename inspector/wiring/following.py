"""Rewards and benchmarks that come or go while the app is open are followed, and gold labels that people change."""

from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace
from textual.worker import get_current_worker

from inspector.messages import Back, NewRewards, Reloaded
from inspector.text import clean
from inspector.wiring.base import INSPECT, Wired

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import polars as pl

    from inspector.inspection import Inspection
    from inspector.request import Request
    from inspector.selection import Selection
    from scoring.workspace import Workspace

FOLLOW_SECONDS = 1.5
"""How often the rewards folder is looked at: another process may be writing there."""


class Following(Wired):
    """Reads all again where rewards or benchmarks have come or gone, or where labels are others after triage.

    Not for labels while a person triages: every ruling would have it read again.
    """

    _heard: object = None
    """What people said when labels were made anew last."""
    _known: frozenset[str] = frozenset()
    """The benchmarks when it was looked last."""
    _seen: frozenset[str] | None = None
    """The files and benchmarks that were read; None: they are to be read again."""

    def follow(self, selection: "Selection") -> None:
        """Begin to look, from what was read."""
        self._seen, self._known = self._there(selection.workspace), self._names(selection.workspace)
        self.set_interval(FOLLOW_SECONDS, self._look)
        self._keep(selection)

    def _keep(self, selection: "Selection") -> None:
        """Keep what had to be computed for the next time, and nothing that is of no use any more.

        Quitting waits for one scorer of it at most.
        """

        def keep() -> None:
            from scoring.derived import clean

            worker = get_current_worker()
            for one in selection.unkept:
                if worker.is_cancelled:
                    return
                one.keep()
            clean(selection.workspace)

        self.run_worker(keep, thread=True, exclusive=True, group="keep", description="keep")

    def _look(self) -> None:
        inspection = self.inspection
        if inspection is None or self.held:
            return
        now = inspection.selection
        there = self._there(now.workspace)
        if self._would_interrupt(now.workspace) or (there == self._seen and not self._labels_late(now)):
            return
        self._seen, self._known = there, self._names(now.workspace)
        self.read_again()

    def read_at_once(self, then: "Callable[[], object]") -> None:
        """Read all again although nobody looked, because something is known to have come; then do what is left."""
        if self.inspection is not None:
            workspace = self.inspection.selection.workspace
            self._seen, self._known = self._there(workspace), self._names(workspace)
        self.read_again(then)

    def read_again(self, then: "Callable[[], object]" = lambda: None) -> None:
        """Read what was asked for anew, less what has gone; say so where that is everything. Then do what is left."""
        if self.inspection is None:
            return
        request = self._request(self.inspection.selection)
        if request is None:
            gone = ", ".join(self.request.benchmarks)
            self._tell(f"{gone}: removed from the workspace. What is on screen was read before, and has no texts.")
            then()
            return
        self.run_worker(
            partial(self._reload, request, then), thread=True, exclusive=True, group="reload", description="reload"
        )

    def on_new_rewards(self, message: NewRewards) -> None:  # noqa: ARG002  # whosever they are
        """Do not wait for the next look."""
        self._look()

    def _would_interrupt(self, workspace: "Workspace") -> bool:
        """Whether a benchmark came, and none went, while a person looks at cases: that waits until they are back."""
        names = self._names(workspace)
        away = self.front is not None and self.front.NAME != "board"
        return away and bool(names - self._known) and not self._known - names

    def _names(self, workspace: "Workspace") -> frozenset[str]:
        """The benchmarks that are there, among those that the app was opened on."""
        names = frozenset(workspace.benchmarks())
        return names.intersection(self.request.benchmarks) if self.request.benchmarks else names

    def _there(self, workspace: "Workspace") -> frozenset[str]:
        """The files of rewards, and the benchmarks."""
        return workspace.reward_files(self.benchmarks()) | self._names(workspace)

    def _request(self, now: "Selection") -> "Request | None":
        """What is to be read in the place of what is on screen, less what has gone; None where that is everything."""
        from inspector.filtering.searching import asked
        from scoring.benchmarks import demo
        from scoring.scorer import FILE

        known = {demo.NAME, *now.workspace.benchmarks()}
        benchmarks = tuple(name for name in self.request.benchmarks if name in known)
        if self.request.benchmarks and not benchmarks:
            return None
        names = [
            one.scorer.name
            for one in now.evaluations
            if one.scorer.name not in now.folders or (now.folders[one.scorer.name] / FILE).exists()
        ]
        request = replace(
            self.request,
            benchmarks=benchmarks,
            thresholds=_of(names, now.request.thresholds),
            rules=_of(names, self.request.rules),
            redundancy=_of(names, self.request.redundancy),
        )
        request = replace(request, slices=(), **asked(now.found))
        return replace(request, baselines=now.request.baselines)

    def _tell(self, sentence: str) -> None:
        self.notify(clean(sentence), severity="warning", markup=False, timeout=15)

    def _labels_late(self, now: "Selection") -> bool:
        """Whether labels are to be made of what people say by now; True once for the same words."""
        if not now.behind or now.journal is None or self.front is None or self.front.NAME == "triage":
            return False
        before, self._heard = self._heard, now.journal.triage
        return before is not self._heard

    def on_back(self, message: Back) -> None:  # noqa: ARG002  # it came here whichever way it goes
        """Who comes back from triage need not wait for the next look."""
        if self.inspection is not None and self.inspection.selection.behind:
            self.call_later(self._look)

    def _reload(self, request: "Request", then: "Callable[[], object]") -> None:
        from inspector.selection import load
        from scoring.errors import InspectError

        try:
            self.post_message(Reloaded(load(request), then))
        except InspectError as error:
            self.call_from_thread(self.notify, clean(str(error)), severity="warning", markup=False)
            self.call_from_thread(then)

    def on_reloaded(self, message: Reloaded) -> None:
        """Show the same with the rewards that there are now, and do what is left.

        Where a person moved a threshold or searched while they were read, they are read again under that.
        """
        if self.inspection is not None:
            self._show_reloaded(message.selection, self.inspection)
        message.then()

    def _show_reloaded(self, selection: "Selection", before: "Inspection") -> None:
        names = [one.scorer.name for one in selection.evaluations]
        moved = not _begins_with(selection.cases["case"], before.cases["case"])
        late = moved and self.current_mode != INSPECT
        if self.held or late or _asked(selection, names) != _asked(before.selection, names):
            self._seen = None
            return
        for problem in selection.problems:
            if problem not in before.selection.problems:
                self._tell(problem)
        self.inspection = self._now(before, selection)
        self._tell_gone(before, self.inspection)
        if moved:
            self._close_all_above()
        self._keep(selection)
        if self.front is not None:
            self.front.inspection = self.inspection

    def _now(self, before: "Inspection", selection: "Selection") -> "Inspection":
        """The same view of what was read anew; of another benchmark, where the one in focus has gone."""
        from inspector.first_inspection import inspect

        if before.benchmark in selection.cases["benchmark"]:
            return before.renewed(selection)
        return inspect(replace(selection, request=replace(selection.request, where=before.base, subsets=())))

    def _close_all_above(self) -> None:
        """Close every screen but the first: they know cases by their rows, and these are other cases' now."""
        from inspector.screens.base import InspectionScreen

        first = next(screen for screen in self.screen_stack if isinstance(screen, InspectionScreen))
        while self.screen is not first:
            self.pop_screen()

    def _tell_gone(self, before: "Inspection", now: "Inspection") -> None:
        """Say what has gone, and what is on screen in its place."""
        left = now.cases["benchmark"].unique()
        gone = [name for name in before.cases["benchmark"].unique(maintain_order=True) if name not in left]
        if gone:
            instead = f"On screen is {now.benchmark}." if now.benchmark else "There is no other."
            removed = f"{', '.join(gone)}: removed from the workspace."
            self._tell(f"{removed} {instead}" if before.benchmark in gone else removed)
        if before.benchmark not in gone and before.scorer not in {None, now.scorer}:
            instead = "There is no other scorer." if now.scorer is None else f"What is on screen is {now.scorer}'s."
            self._tell(f"The rewards of {before.scorer} are gone. {instead}")


def _asked(selection: "Selection", names: "Sequence[str]") -> object:
    """What a person may have changed that was read with the rewards, as far as it is about these scorers."""
    from inspector.filtering.searching import asked

    return _of(names, selection.request.thresholds), selection.request.baselines, asked(selection.found)


def _begins_with(names: "pl.Series", beginning: "pl.Series") -> bool:
    return names.head(beginning.len()).equals(beginning)


def _of(names: "Sequence[str]", pairs: "Sequence[tuple[str | None, str]]") -> tuple[tuple[str | None, str], ...]:
    """The pairs of a scorer, by name or a part of it, and a value whose scorer is one of these, or all."""
    every = [name.lower() for name in names]
    return tuple(pair for pair in pairs if pair[0] is None or any(pair[0].lower() in name for name in every))
