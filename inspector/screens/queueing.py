"""The command that starts or resumes a triage queue."""

from inspector.screens.controller import Controller, QueueScreen


class Queueing(Controller[QueueScreen]):
    """Starts a triage queue, or resumes one."""

    def action_triage(self) -> None:
        """Offer triage queues, then start or resume one."""
        from inspector.screens.triaging import choose_queue

        choose_queue(self.screen)
