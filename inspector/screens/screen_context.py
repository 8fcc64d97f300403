"""What all screens of one app share."""

from collections.abc import Callable

from msgspec import Struct, field

from inspector.render.charts.glyphs import Glyphs
from inspector.screens.messages import Export
from inspector.state.message_history import MessageHistory
from inspector.state.remembered import RememberedState
from inspector.state.visit import HERE, Visit
from inspector.widgets.key_table.key_words import USUAL, KeyWords


class ScreenContext(Struct, frozen=True):
    """Glyphs, key names, the visitor, and the remembered view.

    What a screen keeps in `remembered` comes back at the next start. `export_path` returns the path of the file that an
    export goes into if nobody chooses another one; if it is None, nobody may choose. `message_history` holds past
    messages.
    """

    glyphs: Glyphs = field(default_factory=Glyphs)
    remembered: RememberedState = field(default_factory=RememberedState)
    keys: KeyWords = USUAL
    visit: Visit = HERE
    export_path: Callable[[Export], str] | None = None
    message_history: MessageHistory = field(default_factory=MessageHistory)
