"""What a visitor in a browser may not do is told in a sentence, whichever way they came to it."""

from typing import TYPE_CHECKING

from textual.actions import parse

from inspector.messages import Import, Score, ScoreCase
from inspector.text import clean
from inspector.wiring.base import Wired

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.actions import ActionParseResult
    from textual.dom import DOMNode
    from textual.message import Message


class Visiting(Wired):
    """Stands before all that does something: keys and clicks on their way to it, and what screens ask of the app."""

    async def run_action(
        self,
        action: "str | ActionParseResult",
        default_namespace: "DOMNode | None" = None,
        namespaces: "Mapping[str, DOMNode] | None" = None,
    ) -> bool:
        name = (parse(action) if isinstance(action, str) else action)[1]
        if refusal := self.visit.refusal(name):
            self._refuse(refusal)
            return True
        return await super().run_action(action, default_namespace, namespaces)

    def on_import(self, message: Import) -> None:
        self._unless(self.visit.refusal("import"), message)

    def on_score(self, message: Score) -> None:
        self._unless(self.visit.refused_run(message.model, message.flags), message)

    def on_score_case(self, message: ScoreCase) -> None:
        # Where the weights of a scorer lie is known to the workspace: nobody has typed it.
        typed = "" if "scorer" in message.prm else str(message.prm["model"])
        if refusal := self.visit.refused_model(typed):
            message.prevent_default()
            # Whoever asked waits for an answer.
            message.answer({"event": "failed", "error": {"sentence": refusal, "next_step": ""}})

    def _unless(self, refusal: str, message: "Message") -> None:
        """Nobody else hears a message that is refused."""
        if refusal:
            message.prevent_default()
            self._refuse(refusal)

    def _refuse(self, refusal: str) -> None:
        self.notify(clean(refusal), severity="warning", markup=False)
