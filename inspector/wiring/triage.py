"""Tags and notes that another process writes, or that are copied here, are shown."""

from functools import partial
from typing import TYPE_CHECKING

from inspector.messages import TriageRead
from inspector.wiring.base import Wired

if TYPE_CHECKING:
    from scoring.triage.journal import Journal

LOOK_SECONDS = 2.0
"""How often the journals are looked at."""


class FollowingTriage(Wired):
    """Reads the journals again where one of them has changed."""

    def follow_triage(self) -> None:
        """Begin to look."""
        self.set_interval(LOOK_SECONDS, self._look_at_journals)

    def _look_at_journals(self) -> None:
        if self.inspection is None or self.held:
            return
        journal = self.inspection.selection.journal
        if journal is not None and journal.changed:
            self.run_worker(
                partial(self._read_journals, journal), thread=True, exclusive=True, group="triage", description="triage"
            )

    def _read_journals(self, journal: "Journal") -> None:
        """In a thread: there may be very many actions."""
        self.post_message(TriageRead(journal.again()))

    def on_triage_read(self, message: TriageRead) -> None:
        """Show the same with the tags and notes that there are now.

        Not where somebody has written since they were read: the next look reads that too.
        """
        if self.inspection is None or self.held or message.journal.changed:
            return
        self.inspection = self.inspection.triaged(message.journal)
        if self.front is not None:
            self.front.inspection = self.inspection
