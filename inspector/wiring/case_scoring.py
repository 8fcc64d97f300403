"""Single cases are scored in a process of their own, which stays while the app is open."""

from typing import TYPE_CHECKING

from inspector.messages import CaseTold, NewRewards, Reloaded, Score, ScoreCase
from inspector.wiring.base import Wired

if TYPE_CHECKING:
    from inspector.case_job import CaseJob


class CaseScoring(Wired):
    """Starts the process when the first case is to be scored, and ends it with the app."""

    _case_job: "CaseJob | None" = None
    _awaited = ""
    """The scorer through which the case is to be seen once its rewards have been read; "" where none is."""

    def on_score_case(self, message: ScoreCase) -> None:
        """Ask for one case; where the process has died, another one."""
        from inspector.case_job import CaseJob
        from scoring.errors import InspectError

        if self.inspection is None:
            return
        try:
            if self._case_job is None:
                self._case_job = job = CaseJob(self.scored_workspace(self.inspection.selection.workspace))
                self.run_worker(
                    lambda: job.listen(lambda event: self.post_message(CaseTold(event))), thread=True, group="job"
                )
            self._case_job.ask(message.prm, message.case, message.answer)
        except OSError as error:
            told = {"sentence": f"the scoring process does not run ({error}).", "next_step": "Try again."}
            message.answer({"event": "failed", "error": told})
        except InspectError as error:
            message.answer({"event": "failed", "error": {"sentence": error.sentence, "next_step": error.next_step}})

    def on_case_told(self, message: CaseTold) -> None:
        """Tell whoever asked."""
        job = self._case_job
        if job is None:
            return
        if message.event["event"] == "died":
            self._case_job = None
        job.note(message.event)

    def on_new_rewards(self, message: NewRewards) -> None:
        """They are being read; see `Following`."""
        self._awaited = message.scorer

    def on_reloaded(self, message: Reloaded) -> None:  # noqa: ARG002  # `Following` has taken it
        """Look through the scorer that has just scored the case."""
        inspection, name = self.inspection, self._awaited
        there = inspection is not None and name in (one.scorer.name for one in inspection.selection.evaluations)
        if inspection is not None and there and self.front is not None and not self.held:
            self._awaited = ""
            self.inspection = self.front.inspection = inspection.focused(name, inspection.benchmark)

    def on_score(self, message: Score) -> None:  # noqa: ARG002  # whatever is run
        """A run needs the memory, unless somebody waits for a case."""
        if self._case_job is not None and not self._case_job.busy:
            self._case_job.end()

    def on_unmount(self) -> None:
        if self._case_job is not None:
            self._case_job.end()
