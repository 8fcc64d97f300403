"""How a case is shown: what a person has chosen, and the room there is."""

from typing import Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from inspector.commands.key_words import USUAL, KeyWords
from inspector.paint import Brush
from inspector.xray import Xray
from scoring.text_query import TextQuery


class Stop(NamedTuple):
    """A place where the step cursor can stand: a step (0-based), folded steps by their first one, or another part."""

    kind: Literal["problem", "step", "run", "gold", "facts"]
    step: int = -1


class Manner(Struct, frozen=True):
    """How cases are shown: width in cells, pictures, and what is shown, hidden and folded.

    `named` puts the case's name above, where it does not stand elsewhere. `height` is the number of lines that are
    seen at once; with 0 nothing is cut for want of room. `raw` leaves formulas as they were written, `news` dims
    what a step repeats of the one before, `reason` shows why the gold labels are so. `beside` names the scorers
    that were chosen to stand beside the one in focus. `blind` hides gold, verdicts and outcomes, `unscored` all
    that scorers say. `facts` unfolds everything else that is known of a case, `prefix` folds the steps before the
    first that anybody names, `curve` draws the rewards against the steps (None: where there is room beside them).
    `mode` names another body than the steps (see `lines.BODIES`), `xray` what the body of tokens shows. `turned` are
    the parts of this one case that a person folded or unfolded. `search` is what was searched for: it stands out in
    the texts. `keys` are those that hints name.
    """

    width: int
    brush: Brush
    raw: bool = False
    news: bool = False
    reason: bool = True
    named: bool = True
    height: int = 0
    beside: tuple[str, ...] = ()
    blind: bool = False
    unscored: bool = False
    facts: bool = False
    prefix: bool = False
    curve: bool | None = None
    mode: str = ""
    xray: Xray | None = None
    turned: frozenset[Stop] = frozenset()
    search: TextQuery | None = None
    keys: KeyWords = USUAL

    def searched(self, scope: str) -> TextQuery | None:
        """What was searched for in texts of this scope; None where nothing was."""
        return self.search if self.search and scope in self.search.scopes else None

    @property
    def dot(self) -> str:
        """What stands between facts in one line."""
        return "  |  " if self.brush.ascii_only else "  ·  "

    def turn(self, stop: Stop) -> "Manner":
        """With this part folded if it was unfolded, and the other way round."""
        return replace(self, turned=self.turned ^ {stop})

    def kept(self) -> "Manner":
        """What of it holds for another case as well."""
        return replace(self, turned=frozenset(), xray=None)
