"""The words of a generative PRM's prompt: a template file with messages, filled in one pass.

The file is one of `scoring.models.critics.template` without worked examples; its placeholders are the family's own. A
model is trained on one wording and judges by another less well, so `--template FILE` swaps in the official one.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from scoring.data.errors import InputError
from scoring.models.asking import Message, Prompt
from scoring.models.critics.template import Template

_FOLDER = Path(__file__).with_name("templates")


class TalkTemplate(Struct, frozen=True):
    """A template and the names that stand for a case's texts in it, as `{name}`. Other braces are text."""

    template: Template
    names: tuple[str, ...]
    own: bool

    @classmethod
    def of(cls, path: Path | None, packaged: str, names: tuple[str, ...]) -> "TalkTemplate":
        """Read the user's file, or else this package's.

        Raises:
            InputError: it cannot be read, has worked examples, or lacks one of the names.
        """
        template = packaged_wording(packaged) if path is None else Template.read(path)
        wording = cls(template, names, own=path is None)
        text = "\n".join(message.text for message in (*template.instructions, template.question))
        missing = [f"{{{name}}}" for name in names if f"{{{name}}}" not in text]
        if missing:
            raise InputError(
                f"the template {template.source} has no {' and no '.join(missing)}.", "Write it where the text goes."
            )
        if template.examples:
            raise InputError(f"the template {template.source} has worked examples.", "Leave them out: none are sent.")
        return wording

    def prompt(self, values: Mapping[str, str]) -> Prompt:
        """Return the messages with the values of all names, in which nothing is looked for."""
        mark = re.compile(rf"\{{({'|'.join(self.names)})\}}")
        return tuple(
            Message(message.role, mark.sub(lambda match: values[match[1]], message.text))
            for message in (*self.template.instructions, self.template.question)
        )

    @property
    def note(self) -> str:
        """What to know about the words before looking at figures."""
        where = f"template {self.template.source} ({self.template.hash[:8]})"
        if not self.own:
            return where
        return f"{where}: this program's own words, not those it was trained on; --template FILE takes these"


def packaged_wording(name: str) -> Template:
    """Read one of this package's own templates, by the name of its file."""
    return Template.of((_FOLDER / name).read_text("utf-8"), name)
