"""A person's own keys, and how keys are written."""

from typing import TYPE_CHECKING

from textual.binding import Binding

from inspector.text import clean
from inspector.wiring.base import Wired

if TYPE_CHECKING:
    from collections.abc import Mapping


class OwnKeys(Wired):
    """Follows the keymap file, and says what in it cannot be followed."""

    _rebound: "Mapping[str, tuple[str, ...]] | None" = None
    """Ids of commands whose keys are not the usual ones, with their keys."""

    def follow_keymap(self) -> None:
        """Read the file, once; without a settings folder the usual keys hold."""
        if self.config is None:
            return
        from inspector.commands.key_words import KeyWords
        from inspector.terminal.keymap import FILE, read

        keymap = read(self.config / FILE)
        self._rebound = keymap.changed
        if keymap.changed:
            self.set_keymap(keymap.textual)
            self.keys = KeyWords(
                {name: self._written(keys[0]) if keys else "" for name, keys in keymap.changed.items()}
            )
        for problem in keymap.problems:
            self.notify(clean(problem), title="Keymap", severity="warning", markup=False, timeout=15)

    def get_key_display(self, binding: Binding) -> str:
        from inspector.commands import shown_key

        rebound = (self._rebound or {}).get(binding.id or "")
        if rebound is None:
            # Textual forgets how a key is written that shares it with one that went elsewhere.
            shown = shown_key(binding.id) or super().get_key_display(binding)
        else:
            shown = super().get_key_display(binding) if rebound else "(no key)"
        return self._spelled(shown)

    def _written(self, key: str) -> str:
        """A key that a person chose, as the footer writes it."""
        return self._spelled(super().get_key_display(Binding(key, "")))

    def _spelled(self, shown: str) -> str:
        from inspector.terminal.plain import plain_key

        shown = shown.replace("⏎", "Enter")
        return plain_key(shown) if self.ascii_only else shown
