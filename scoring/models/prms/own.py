"""An adapter of the user's own: one class in a Python file, or one that an installed package names.

The class is made like a family's: `of(checkpoint, **options)` gives what has `scale`, `readout`, `settings` and
`encoder(tokenizer)`; `OPTIONS`, `reads` and the facts of `scoring.models.prms.family_facts` may be left out. What it
gives is looked at before anything runs, and the digest of its source is part of its settings and so of the scorer's
fingerprint.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from scoring.data import own_code
from scoring.data.errors import PluginError
from scoring.data.own_code import OwnCode
from scoring.data.readout import Encoded, Readout, Refused
from scoring.data.schema import READABLE
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.base import Adapter, Encoder, Options, Scale, Tokenizer, check_tensors
from scoring.models.prms.family_facts import facts_of

GROUP = "prm_inspect.adapters"
"""The group of entry points: name -> "module:Class"."""

PARTS = ("of", "scale", "readout", "settings", "encoder")
_NEXT = "See scoring/models/prms/base.py for what an adapter has."


class OwnFamily(Struct, frozen=True, eq=False):
    """A class that makes adapters, in the place of a family's."""

    made: Any
    code: OwnCode

    @property
    def OPTIONS(self) -> Options:  # noqa: N802  # families have a class attribute of this name
        """What can be chosen: name -> values, its own first."""
        return facts_of(self.made).options

    def of(self, checkpoint: Checkpoint, **options: str) -> Adapter:
        """Make the adapter for a checkpoint, its parts looked at and its head checked tensor by tensor.

        Raises:
            PluginError: the code raises, or gives something else than an adapter.
            ForeignCheckpoint: the checkpoint has not the head that the adapter reads.
        """
        with self.code.told("in of()"):
            made = self.made.of(checkpoint, **options)
            values = {name: getattr(made, name) for name in PARTS[1:]}
            reads = getattr(made, "reads", ())
        adapter = OwnAdapter(made, self.code, values["scale"], values["readout"], values["settings"], reads)
        adapter.check()
        check_tensors(adapter.readout, checkpoint, self.code.name, "what its read-out names")
        return replace(adapter, options=self._unsaid(checkpoint, options, adapter.own))

    def _unsaid(
        self, checkpoint: Checkpoint, options: Mapping[str, str], settings: Mapping[str, Any]
    ) -> dict[str, str]:
        """The options that were chosen and without which the settings would be the same, by name."""
        unsaid = {}
        for name in options:
            if options[name] == self.OPTIONS[name][0]:
                continue
            others = {other: value for other, value in options.items() if other != name}
            with suppress(PluginError), self.code.told("in of()"):
                if self.made.of(checkpoint, **others).settings == settings:
                    unsaid[name] = options[name]
        return unsaid


class OwnAdapter(Struct, frozen=True, eq=False):
    """The adapter of a checkpoint as the user's class made it; `own` are its settings, `options` what was chosen that
    these do not say.
    """

    made: Any
    code: OwnCode
    scale: Scale
    readout: Readout
    own: Mapping[str, Any]
    reads: tuple[str, ...]
    options: Mapping[str, str] = MappingProxyType({})

    @property
    def settings(self) -> Mapping[str, Any]:
        """What beside the weights changes the rewards: its own settings, options that these leave out, and its
        source.
        """
        source = {"sha256": self.code.digest} | ({"package": self.code.package} if self.code.package else {})
        chosen = {"options": dict(self.options)} if self.options else {}
        return {"adapter": self.code.name, **self.own, **chosen, "adapter_source": source}

    def encoder(self, tokenizer: Tokenizer) -> Encoder:
        """Return the encoder of cases to ids.

        Raises:
            PluginError: the code raises, or gives nothing that can be called.
        """
        with self.code.told("in encoder()"):
            encode = self.made.encoder(tokenizer)
        if not callable(encode):
            raise self._wrong("encoder() gives nothing that can be called")

        def encoded(*texts: Any) -> Encoded | Refused:
            with self.code.told("while it encoded a case"):
                case = encode(*texts)
            return self._sound(case)

        return encoded

    def check(self) -> None:
        """Make sure that the parts are what an engine and a fingerprint take.

        Raises:
            PluginError: one is not; and which.
        """
        wanted = {"scale": Scale, "readout": Readout, "own": Mapping, "reads": tuple}
        for name, kind in wanted.items():
            if not isinstance(getattr(self, name), kind):
                part = "settings" if name == "own" else name
                raise self._wrong(f"{part} is {type(getattr(self, name)).__name__} and should be {kind.__name__}")
        if not READABLE.issuperset(self.reads):
            raise self._wrong(f"reads is {self.reads!r} and may name {', '.join(sorted(READABLE))}")
        try:
            json.dumps(dict(self.own), allow_nan=False)
        except (TypeError, ValueError) as error:
            raise self._wrong(f"its settings are not JSON ({error})") from None

    def _sound(self, encoded: object) -> Encoded | Refused:
        """What it made of a case, if that is one of the two things it may be."""
        if isinstance(encoded, Refused):
            return encoded
        if not isinstance(encoded, Encoded):
            raise self._wrong(f"a case became {type(encoded).__name__} and should be Encoded or Refused")
        for sequence in encoded.sequences:
            rising = all(before < after for before, after in pairwise(sequence.positions))
            if (
                not rising
                or not sequence.positions
                or not 0 <= sequence.positions[0] <= sequence.positions[-1] < len(sequence.ids)
            ):
                first = list(sequence.positions)[:6]
                raise self._wrong(f"the positions {first} do not rise within the {len(sequence.ids)} ids of a case")
        return encoded

    def _wrong(self, what: str) -> PluginError:
        return PluginError(f"{self.code.path}: {what}.", _NEXT)


def own_family(name: str) -> OwnFamily | None:
    """Return the class in the file of this path, or the one installed under this name; None if nothing is.

    Raises:
        PluginError: it cannot be imported, or is no adapter's class; and what it lacks.
    """
    if own_code.is_file(name):
        code = own_code.from_file(Path(name))
        return _family(_only_class(code), code)
    entry = own_code.installed(GROUP).get(name)
    if entry is None:
        return None
    code, family_class = own_code.from_entry_point(entry)
    return _family(family_class, code)


def _only_class(code: OwnCode) -> type:
    """The one class that a file defines and that makes adapters; names that begin with _ are its own matter."""
    classes = [
        value
        for name, value in vars(code.module).items()
        if isinstance(value, type) and value.__module__ == code.module.__name__ and not name.startswith("_")
    ]
    makers = [kind for kind in dict.fromkeys(classes) if {"of", "encoder"} & vars(kind).keys()] or classes
    if not makers:
        raise PluginError(f"{code.path} defines no class.", f"An adapter is a class with {', '.join(PARTS)}.")
    if len(makers) > 1:
        names = ", ".join(maker.__name__ for maker in makers)
        raise PluginError(
            f"{code.path} defines several classes that could be the adapter: {names}.",
            "Keep one a file, or begin the names of the others with _.",
        )
    return makers[0]


def _family(maker: object, code: OwnCode) -> OwnFamily:
    fields = getattr(maker, "__dataclass_fields__", {})
    missing = [name for name in PARTS if not hasattr(maker, name) and name not in fields]
    if missing:
        called = getattr(maker, "__name__", repr(maker))
        raise PluginError(f"{called} of {code.path} has no {', no '.join(missing)}.", _NEXT)
    options = getattr(maker, "OPTIONS", {})
    sound = isinstance(options, Mapping) and all(
        isinstance(values, tuple) and values and all(isinstance(value, str) for value in values)
        for values in options.values()
    )
    if not sound:
        raise PluginError(f"{code.path}: OPTIONS should give each name a tuple of texts, the default first.", "")
    return OwnFamily(cast("Any", maker), code)
