"""Variants of a case: a solution that a person changed to see what a scorer makes of it.

A variant is a record of edits to the steps of one content (`scoring.data.schema.content_key`) and holds none of its
texts: it fits whichever case has this content after another import. It is never a case: nothing here is read by the
cases, metrics or exports of a benchmark. In a workspace:

    variants/<uuid7>.json                the record
    variants/rewards/<slug>-<8 hex>/     what scorers gave to variants, as in `scoring.workspace.cache`

Solutions that are rewritten by rule (`scoring.runs.stress`) have no record: they are made again. What scorers gave to
them lies in the same place.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace

from scoring.data.context_messages import context_messages
from scoring.data.errors import DamagedWorkspace, UnreadableFile, UsageError
from scoring.data.reward_keys import text_columns
from scoring.data.schema import METADATA, TEXTS, content_key
from scoring.data.storage.files import sync, unwritable, uuid7, write_atomically
from scoring.data.texts import Texts

FORMAT = 1
REWARDS = "rewards"
"""The folder of the scorers' folders."""
EditKind = Literal["replace", "insert", "delete", "swap", "cut"]
_NEEDED = {"replace": ("text",), "insert": ("text",), "delete": (), "swap": ("other",), "cut": ("at",)}
"""The fields of an edit beside its step, by its kind."""


class Edit(Struct, frozen=True):
    """One change. Steps are 0-based and count in the solution as the edits before have left it.

    `replace` puts `text` in the place of the step, `insert` puts it before the step (the number of steps: behind the
    last one), `delete` takes the step out, `swap` exchanges it with `other`, `cut` makes two of it, the second of which
    begins with character `at` (0-based); blanks at the cut belong to neither.
    """

    kind: EditKind
    step: int
    text: str = ""
    other: int = 0
    at: int = 0

    def document(self) -> dict[str, Any]:
        """Return its fields as JSON values, those that its kind has."""
        return {"edit": self.kind, "step": self.step, **{name: getattr(self, name) for name in _NEEDED[self.kind]}}

    @property
    def words(self) -> str:
        """Describe what it does, as in "step 2 and step 3 swapped"."""
        if self.kind == "swap":
            return f"step {self.step} and step {self.other} swapped"
        done = {"replace": "changed", "insert": "put in", "delete": "taken out", "cut": "cut in two"}[self.kind]
        return f"step {self.step} {done}"


class VariantStep(NamedTuple):
    """A step of a variant; `origin` is the step (0-based) of the case that it was made of, None = it was put in.

    Both parts of a step that was cut have its origin.
    """

    text: str
    origin: int | None


def apply_edits(steps: Sequence[str], edits: Sequence[Edit]) -> tuple[VariantStep, ...]:
    """Return the steps of the variant that edits make of the n steps of a case.

    Raises:
        UsageError: an edit names a step that is not there, would leave a step without text or no step at all.
    """
    made = [VariantStep(text, at) for at, text in enumerate(steps)]
    for edit in edits:
        made = _applied(made, edit)
    return tuple(made)


def _applied(steps: list[VariantStep], edit: Edit) -> list[VariantStep]:
    end = len(steps) + (edit.kind == "insert")
    for step in (edit.step, edit.other) if edit.kind == "swap" else (edit.step,):
        if not 0 <= step < end:
            raise UsageError(f"there is no step {step}: the solution has {len(steps)}.", "Steps count from 0.")
    made, here = list(steps), steps[edit.step] if edit.step < len(steps) else None
    if edit.kind == "swap":
        made[edit.step], made[edit.other] = made[edit.other], made[edit.step]
    elif edit.kind == "delete":
        if len(steps) == 1:
            raise UsageError("a solution needs one step at least.", "Change this one instead.")
        del made[edit.step]
    elif edit.kind == "insert":
        made.insert(edit.step, VariantStep(_text(edit), None))
    elif here is not None and edit.kind == "replace":
        made[edit.step] = here._replace(text=_text(edit))
    elif here is not None:
        parts = [here.text[: edit.at].rstrip(), here.text[max(0, edit.at) :].lstrip()]
        if edit.at < 0 or not all(parts):
            raise UsageError("both parts of a step that is cut need some text.", "Cut it between two words.")
        made[edit.step : edit.step + 1] = [here._replace(text=part) for part in parts]
    return made


def _text(edit: Edit) -> str:
    if not edit.text.strip():
        raise UsageError("a step needs some text.", "Take the step out instead, if it is not to be there.")
    return edit.text


def align_steps(n_steps: int, variant: Sequence[VariantStep]) -> tuple[tuple[int | None, int | None], ...]:
    """Pair the n steps of a case with the m of its variant, both 0-based.

    Every step of the variant is in one pair, in order, with its origin or None. A step of the case of which nothing was
    made is in a pair with None, behind what was made of the step before it.
    """
    kept = {step.origin for step in variant}
    gone = [step for step in range(n_steps) if step not in kept]
    pairs: list[tuple[int | None, int | None]] = [(step.origin, at) for at, step in enumerate(variant)]
    for step in gone:
        before = [place for place, (origin, _) in enumerate(pairs) if origin == step - 1]
        pairs.insert(before[-1] + 1 if before else 0, (step, None))
    return tuple(pairs)


# -- where the messages of a trajectory belong in a variant


def placed_steps(case: Mapping[str, Any], texts: Mapping[str, Any], edits: Sequence[Edit]) -> list[int] | None:
    """Return the 0-based place of each step of a variant among all messages; None where the case is no trajectory.

    The messages that are no steps keep their order, and each stays behind the step that it follows: what follows a step
    that is taken out then follows the one before it, a step that is put in stands behind what follows the step before,
    and both parts of one that is cut stand together.

    Args:
        case: its row of the cases frame.
        texts: its row of the texts.
        edits: can be made (`apply_edits`).

    Raises:
        UsageError: two steps are swapped with messages between them, which answer the first of them.
    """
    if not case.get("step_messages"):
        return None
    before = Counter(message.before for message in context_messages(case, texts))
    # How many messages stand right before each step, and behind the last one.
    gaps = [before[step] for step in range(len(texts["steps"]) + 1)]
    for edit in edits:
        if edit.kind in {"insert", "cut"}:
            gaps.insert(edit.step + 1, 0)
        elif edit.kind == "delete":
            gaps[edit.step : edit.step + 2] = [gaps[edit.step] + gaps[edit.step + 1]]
        elif edit.kind == "swap":
            first, last = sorted((edit.step, edit.other))
            if sum(gaps[first + 1 : last + 1]):
                raise UsageError(
                    f"step {edit.step} and step {edit.other} are swapped, and messages between them answer the first: "
                    "where these belong then is not known.",
                    "Change the texts of the two steps instead; a scorer that reads problem and steps takes the swap.",
                )
    return [step + sum(gaps[: step + 1]) for step in range(len(gaps) - 1)]


def reward_differences(
    rewards: Sequence[float], variant_rewards: Sequence[float], variant: Sequence[VariantStep]
) -> list[float | None]:
    """Return for each of the m steps of a variant its reward less that of its origin, in units of the rewards.

    None where one of the two is missing: for steps that were put in, and where a solution was truncated or not scored.
    """
    differences: list[float | None] = []
    for at, step in enumerate(variant):
        there = step.origin is not None and step.origin < len(rewards) and at < len(variant_rewards)
        differences.append(variant_rewards[at] - rewards[step.origin or 0] if there else None)
    return differences


class Variant(Struct, frozen=True):
    """A record of edits to the steps of the content `key`; `case` is the case for which a person made it.

    `id` is its file's name and sorts by when it was begun.
    """

    key: str
    case: str
    edits: tuple[Edit, ...] = ()
    id: str = field(default_factory=uuid7)

    def edited(self, edit: Edit, steps: Sequence[str]) -> "Variant":
        """Return the variant with one more edit; `steps` are those of the case.

        Raises:
            UsageError: as for `apply_edits`.
        """
        made = replace(self, edits=(*self.edits, edit))
        apply_edits(steps, made.edits)
        return made

    @property
    def undone(self) -> "Variant":
        """The variant without its last edit; the same where it has none."""
        return replace(self, edits=self.edits[:-1])

    @property
    def words(self) -> str:
        """Describe what was done, the last three edits at most."""
        more = len(self.edits) - 3
        edits = ", ".join(edit.words for edit in self.edits[-3:])
        return f"{more} more, {edits}" if more > 0 else edits

    @classmethod
    def load(cls, path: Path) -> "Variant":
        """Read a record.

        Raises:
            DamagedWorkspace: it is missing, no JSON, of a newer format, or a value is not what it should be.
        """
        try:
            document = json.loads(path.read_bytes())
            if document["format"] != FORMAT:
                raise DamagedWorkspace(f"{path} has a format this version does not know.", "Update prm-inspect.")
            key, case = document["key"], document["case"]
            if not isinstance(key, str) or not isinstance(case, str):
                raise TypeError("key or case is not text")  # noqa: TRY301  # told as the others are
            return cls(key, case, tuple(map(_edit_of, document["edits"])), path.stem)
        except KeyError as error:
            raise DamagedWorkspace(f"{path} lacks {error}.", "Remove the file.") from None
        except (OSError, ValueError, TypeError, AttributeError, RecursionError) as error:
            raise DamagedWorkspace(f"{path} is not a variant of a case ({error}).", "Remove the file.") from None


def _edit_of(document: Mapping[str, Any]) -> Edit:
    kind = document["edit"]
    if kind not in get_args(EditKind):
        raise ValueError(f"edit is none of {', '.join(get_args(EditKind))}")
    values = {name: document[name] for name in ("step", *_NEEDED[kind])}
    for name, value in values.items():
        if not isinstance(value, str if name == "text" else int) or isinstance(value, bool):
            raise TypeError(f"{name} is {json.dumps(value)}")
        if isinstance(value, str):
            value.encode()
    return Edit(kind, **values)


# -- as a run takes them


_PLACED = text_columns(("context",))


def content_frames(contents: Sequence[Mapping[str, Any]]) -> tuple[pl.DataFrame, Texts]:
    """Make a cases frame (`case`, `key`, `n_steps`, `step_messages`) and its texts of solutions that are no cases.

    `contents` have `case`, `problem` and `steps`, and what else of `scoring.data.schema.TEXTS` a scorer may read. A
    context needs the places of the steps, `step_messages`, one for each: without these nobody knows where it belongs,
    and it is left out.
    """
    placed = [_places_of(each) for each in contents]
    about = [
        {
            "case": each["case"],
            "key": content_key(each["problem"], each["steps"]),
            "n_steps": len(each["steps"]),
            "step_messages": places,
        }
        for each, places in zip(contents, placed, strict=True)
    ]
    read = [
        {name: None if places is None and name in _PLACED else each.get(name) for name in TEXTS}
        for each, places in zip(contents, placed, strict=True)
    ]
    texts = pl.DataFrame(read, schema=TEXTS)
    schema = {name: METADATA[name] for name in ("case", "key", "n_steps", "step_messages")}
    return pl.DataFrame(about, schema=schema), Texts.whole((texts,), (texts.height,))


def _places_of(content: Mapping[str, Any]) -> list[int] | None:
    """The places of a content's steps among its messages, ascending; None where they do not say where each is."""
    places, steps = content.get("step_messages"), content["steps"]
    if not isinstance(places, list) or len(places) != len(steps) or not places:
        return None
    whole = all(type(place) is int and 0 <= place < 2**31 for place in places)
    return places if whole and sorted(set(places)) == places else None


def read_contents(path: Path) -> tuple[pl.DataFrame, Texts]:
    """Read contents of a file of JSON lines, as `content_frames` takes them.

    Raises:
        UnreadableFile: it cannot be read, or a line is none.
    """
    try:
        return content_frames([json.loads(line) for line in path.read_bytes().splitlines()])
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UnreadableFile(f"{path} holds no solutions to be scored ({error}).", "Start the command again.") from None


# -- where they are kept


class Variants(Struct, frozen=True):
    """The variants in a folder, which need not be there yet."""

    folder: Path

    def of(self, key: str) -> tuple[Variant, ...]:
        """List the variants of a content, oldest first; files that are no variants are left out."""
        return _by_key(self.folder, self._stamp()).get(key, ())

    def every(self) -> tuple[Variant, ...]:
        """List all variants, oldest first."""
        variants = [variant for of_key in _by_key(self.folder, self._stamp()).values() for variant in of_key]
        return tuple(sorted(variants, key=lambda variant: variant.id))

    def problems(self) -> list[str]:
        """Return why each file that cannot be read cannot."""
        messages = []
        for path in sorted(self.folder.glob("*.json")):
            try:
                Variant.load(path)
            except DamagedWorkspace as error:
                messages.append(str(error))
        return messages

    def save(self, variant: Variant) -> None:
        """Write a variant's record; one without edits is not kept, and its file goes.

        Raises:
            UnwritableWorkspace: the folder cannot be written; the record of before is still there.
        """
        path = self.folder / f"{variant.id}.json"
        if variant.edits:
            edits = [edit.document() for edit in variant.edits]
            document = {"format": FORMAT, "case": variant.case, "key": variant.key, "edits": edits}
            write_atomically(path, json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n")
        else:
            try:
                path.unlink(missing_ok=True)
                if self.folder.is_dir():
                    sync(self.folder)
            except OSError as error:
                raise unwritable(path, error) from error
        _by_key.cache_clear()

    def _stamp(self) -> int:
        """Changes whenever a file comes, goes or is replaced."""
        with suppress(OSError):
            return self.folder.stat().st_mtime_ns
        return 0


@lru_cache(maxsize=2)
def _by_key(folder: Path, _stamp: int) -> dict[str, tuple[Variant, ...]]:
    """The variants by content, read once while the folder is as it was."""
    by_key: dict[str, tuple[Variant, ...]] = {}
    for path in sorted(folder.glob("*.json")):
        with suppress(DamagedWorkspace):
            variant = Variant.load(path)
            by_key[variant.key] = (*by_key.get(variant.key, ()), variant)
    return by_key
