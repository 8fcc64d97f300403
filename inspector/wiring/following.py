"""Rewards that land while the app is open are shown, and gold labels that people change."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual.worker import get_current_worker

from inspector.messages import Back, Reloaded
from inspector.text import clean
from inspector.wiring.base import Wired

if TYPE_CHECKING:
    from inspector.request import Request
    from inspector.selection import Selection

FOLLOW_SECONDS = 1.5
"""How often the rewards folder is looked at: another process may be writing there."""


class Following(Wired):
    """Reads everything again where files of rewards have come or gone, or where labels are others after triage.

    Not for labels while a person triages: every ruling would have it read again.
    """

    _heard: object = None
    """What people said when labels were made anew last."""
    _seen: frozenset[str] | None = None
    """The files that were read; None: they are to be read again."""

    def follow(self, selection: "Selection") -> None:
        """Begin to look, from what was read."""
        self._seen = selection.workspace.reward_files(self.benchmarks())
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
        from inspector.filtering.searching import asked

        now = inspection.selection
        files = now.workspace.reward_files(self.benchmarks())
        if files != self._seen or self._labels_late(now):
            self._seen = files
            request = replace(self.request, slices=(), thresholds=now.request.thresholds, **asked(now.found))
            request = replace(request, baselines=now.request.baselines)
            self.run_worker(
                partial(self._reload, request), thread=True, exclusive=True, group="reload", description="reload"
            )

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

    def _reload(self, request: "Request") -> None:
        from inspector.loading import load
        from scoring.errors import InspectError

        try:
            self.post_message(Reloaded(load(request)))
        except InspectError as error:
            self.call_from_thread(self.notify, clean(str(error)), severity="warning", markup=False)

    def on_reloaded(self, message: Reloaded) -> None:
        """Show the same with the rewards that there are now.

        Where a person moved a threshold or searched while they were read, they are read again under that.
        """
        if self.inspection is None:
            return
        if self.held or _asked(message.selection) != _asked(self.inspection.selection):
            self._seen = None
            return
        told = self.inspection.selection.problems
        for problem in message.selection.problems:
            if problem not in told:
                self.notify(clean(problem), severity="warning", markup=False, timeout=15)
        before, self.inspection = self.inspection, self.inspection.renewed(message.selection)
        if before.scorer not in {None, self.inspection.scorer}:
            now = self.inspection.scorer
            instead = "There is no other scorer." if now is None else f"What is on screen is {now}'s."
            gone = f"The rewards of {before.scorer} are gone. {instead}"
            self.notify(clean(gone), severity="warning", markup=False, timeout=15)
        self._keep(message.selection)
        if self.front is not None:
            self.front.inspection = self.inspection


def _asked(selection: "Selection") -> object:
    """What a person may have changed that was read with the rewards."""
    from inspector.filtering.searching import asked

    return selection.request.thresholds, selection.request.baselines, asked(selection.found)
