"""The line in which a person types."""

from textual.widgets import Input

from inspector.text import clean


class TypingLine(Input):
    """Textual's input, which writes its text to the terminal as it is: so nothing that could act gets into it.

    That holds for what is typed, pasted or completed, and for what another person's workspace put there.
    """

    def validate_value(self, value: str) -> str:
        return clean(value)
