"""The command that starts or resumes a triage queue."""

from inspector.screens.controller import Controller, QueueScreen


class Queueing(Controller[QueueScreen]):
    """Starts a triage queue, or resumes one."""

    def action_triage(self) -> None:
        """Ask for a queue of cases to rule on, and begin it or go on with it."""
        from inspector.screens.triaging import choose_queue

        choose_queue(self.screen)
