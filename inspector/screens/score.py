"""The score dialog: which PRM to run, and what to do with cases that are too long for it; or which critic to ask."""

import argparse
import os
import shlex
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, NoReturn

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Input, Static

from inspector.render.texts.text import clean
from inspector.screens.dialog import Dialog
from inspector.screens.messages import Score
from inspector.state.visit import HERE, Visit
from inspector.widgets.line_view import Line, LineView
from inspector.widgets.text_editor import TypingLine
from scoring.data.errors import UsageError
from scoring.data.storage.files import expand_home
from scoring.formats.benchmarks import demo
from scoring.runs.arguments import PROTOCOLS, add_arguments

# -- flags of a scoring run as a person types them in one line


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}.", "`prm-inspect score --help` lists the flags.")


def flags_in(line: str, field_flags: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the words of a line such as `--adapter ./mine.py --option joiner=blank-line`, read as a shell would.

    Args:
        line: the line as typed.
        field_flags: the flags that other fields of the dialog give, which must be compatible with these.

    Raises:
        UsageError: the run does not know a flag or its value, two exclude each other, one needs another, or one names
            the model, which has a field of its own.
    """
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"{str(error).lower()} in the flags.", "Close it.") from error
    parser = _Parser(add_help=False)
    add_arguments(parser)
    # argparse takes words without a dash for benchmarks.
    args = parser.parse_args(["benchmark", *words])
    if args.benchmarks != ["benchmark"]:
        raise UsageError(f"{args.benchmarks[1]} is not a flag.", "Flags begin with --.")
    if args.model or args.critic or args.server:
        raise UsageError("checkpoint, critic and server have lines of their own.", "Move them there.")
    has_limit = any(flag.startswith("--spread=") for flag in field_flags)
    if has_limit and not (args.limit is args.sample is args.spread is None):
        raise UsageError("the number of cases is given twice.", "Give it as the limit or among the flags.")
    if args.stratify and args.sample is None:
        raise UsageError("--stratify divides what --sample draws.", "Give --sample N among the flags, and no limit.")
    parser.parse_args(["benchmark", *field_flags, *words])
    return tuple(words)


NAMED = {"critic": "--critic", "server": "--server", "votes": "--votes", "limit": "--spread"}
"""Lines of the dialog, with the flag of `score` that each gives. The first cases of a file may all be of one class."""
CHOICES = 4
"""Models that are seen at once."""
NAME = 10
"""Cells of the names at the left."""
MOST, OFFERED = 5000, 50
"""Entries of a folder that are looked at, and folders that are offered."""
PACKAGES = ("torch", "transformers", "safetensors", "jinja2")
"""Packages that running a PRM locally needs, in addition to the base installation."""
TRUNCATE = "the first steps of too long cases (--truncate)"


class TickLine(Static, can_focus=True):
    """A line that is ticked or not: `[x]` or `[ ]`, so that no colour is needed to see which."""

    BINDINGS: ClassVar[list[BindingType]] = [("space", "tick", "Tick")]
    ticked: reactive[bool] = reactive(default=False)

    def __init__(self, words: str, *, id: str) -> None:  # noqa: A002  # a widget's own word
        super().__init__(id=id)
        self._words = words

    def watch_ticked(self, ticked: bool) -> None:
        self.update(Content(f"[{'x' if ticked else ' '}] {self._words}"))

    def action_tick(self) -> None:
        self.ticked = not self.ticked

    def on_click(self) -> None:
        self.action_tick()


class ScoreDialog(Dialog[Score | None]):
    """Asks for a checkpoint, or for a critic; the value is the message that runs it, None if nothing is to be run."""

    ENTER = "Start"
    HINT = "Enter starts   Esc closes"
    WIDEST = 84
    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter", "start", "Start"),
        ("escape", "dismiss(None)", "Close"),
        Binding("tab", "take", "Next field", priority=True),
        Binding("down", "mark(1)", "Next model", show=False),
        Binding("up", "mark(-1)", "Model before", show=False),
    ]

    def __init__(self, benchmark: str, models: Sequence[str] = (), visit: Visit = HERE) -> None:
        """`models` were used before, the newest first; folders are looked for as `visit` may."""
        super().__init__(f"Score {benchmark}")
        self._visit = visit
        self._benchmark = benchmark
        self._models = tuple(models)
        self._choices: tuple[str, ...] = ()
        self._choices_of = ""
        """The text that the choices belong to. For a moment after a key, the field holds another text."""
        # No choice is marked before something is typed, so Tab moves the focus.
        self._marked = -1

    def make_frame(self) -> VerticalScroll:
        return VerticalScroll(can_focus=False)

    def compose_panel(self) -> ComposeResult:
        choices = LineView(id="models")
        choices.can_focus = False
        yield Static(Content("with a PRM"), classes="strong first")
        if missing := absent_packages():
            yield Static(Content(missing), id="missing")
        yield _asked("PRM", "its checkpoint: a folder, or ORG/NAME of the hub", id="model")
        yield choices
        yield TickLine(TRUNCATE, id="truncate")
        yield _asked("limit", "cases, spread evenly over the file; empty: all", id="limit", type="integer")
        yield Static(Content("or with a critic: a language model that judges the steps"), classes="strong")
        yield _asked("protocol", "such as processbench; agentprocessbench for agents", id="critic")
        yield _asked("server", "where it runs, such as http://127.0.0.1:8000", id="server")
        yield _asked("votes", "a case, if more than one", id="votes", type="integer")
        yield Static(Content("with more flags of prm-inspect score, if any"), classes="strong")
        yield _asked("flags", "such as --adapter ./mine.py", id="flags")

    def on_mount(self) -> None:
        self.query_one("#model", Input).focus()
        self._offer("", self._models)

    # -- what the model may be

    def on_input_changed(self, event: Input.Changed) -> None:
        if event.input.id == "model":
            # Choices of an earlier text lose their marker until the new ones arrive.
            self._show_choices()
            work = partial(self._look, event.value)
            self.run_worker(work, thread=True, exclusive=True, group="models", description="models")

    def _look(self, typed: str) -> None:
        """In a thread: a folder may lie on a disk that takes its time."""
        self.show_if_open(self._offer, typed, model_choices(typed, self._models, self._visit))

    def _offer(self, typed: str, choices: tuple[str, ...]) -> None:
        if self.query_one("#model", Input).value == typed:
            self._choices, self._choices_of = choices, typed
            # Without a key, only a choice that extends the text is marked.
            extending = (place for place, choice in enumerate(choices) if typed and choice.startswith(typed))
            self._marked = next(extending, -1)
            self._show_choices()

    def _show_choices(self) -> None:
        first = max(0, min(self._marked - CHOICES + 1, len(self._choices) - CHOICES))
        lines = []
        for place, choice in enumerate(self._choices[first : first + CHOICES], first):
            marked = place == self._marked and self._are_current
            more = f"  {len(self._choices):,} in all" if place == first and len(self._choices) > CHOICES else ""
            style = "strong" if marked else "dim"
            lines.append(Line([(" " * NAME + ("> " if marked else "  "), "strong"), (choice, style), (more, "dim")]))
        self.query_one("#models", LineView).show(lines)

    def action_mark(self, by: int) -> None:
        """Mark another model; from the other lines go to the next one."""
        if self.focused is not self.query_one("#model"):
            self.focus_next() if by > 0 else self.focus_previous()
        elif self._choices and self._are_current:
            self._marked = max(0, min(self._marked + by, len(self._choices) - 1))
            self._show_choices()

    def action_take(self) -> None:
        """Put the marked model in place of the text that it was found for; without one, move to the next line."""
        line = self.query_one("#model", Input)
        if self.focused is line and self._marked_model not in {"", line.value}:
            line.value = self._marked_model
            line.cursor_position = len(line.value)
        else:
            self.focus_next()

    @property
    def _are_current(self) -> bool:
        """Whether the choices belong to the text that is in the field now."""
        return self._choices_of == self.query_one("#model", Input).value

    @property
    def _marked_model(self) -> str:
        is_marked = self._are_current and 0 <= self._marked < len(self._choices)
        return self._choices[self._marked] if is_marked else ""

    # -- starting

    def on_input_submitted(self) -> None:
        self.action_start()

    def action_start(self) -> None:
        values = {name: self.query_one(f"#{name}", Input).value.strip() for name in ("model", *NAMED, "flags")}
        model, critic, server, more = (values[name] for name in ("model", "critic", "server", "flags"))
        if not model and not critic and not server:
            model = self._marked_model
        if problem := _problem(model, critic, server):
            self.notify(problem, severity="warning", markup=False)
            return
        try:
            named = [f"{flag}={values[name]}" for name, flag in NAMED.items() if values[name]]
            flags = [*named, *flags_in(more, named)]
        except UsageError as error:
            self.notify(clean(str(error)), severity="warning", markup=False)
            return
        truncate = ["--truncate"] if self.query_one(TickLine).ticked else []
        whole = str(expand_home(model)) if model.startswith("~") else model
        self.dismiss(Score(whole, (*truncate, *flags)) if model or server else None)


def absent_packages() -> str:
    """Name the missing packages for a PRM and how to install them; "" if none are missing."""
    absent = [name for name in PACKAGES if find_spec(name) is None]
    if not absent:
        return ""
    return (
        f"Not installed: {', '.join(absent)}. A PRM needs: pip install 'prm-inspect[score]'. "
        "A critic on a server works without."
    )


def known_models(benchmark: str, used: Sequence[str]) -> tuple[str, ...]:
    """Return the models offered before anything is typed: those used before, and for the demo its own PRMs."""
    own = sorted(str(path.parent) for path in (demo.folder() / "models").glob("*/config.json"))
    return tuple(dict.fromkeys((*used, *(own if benchmark == demo.NAME else ()))))


def model_choices(typed: str, used: Sequence[str], visit: Visit = HERE) -> tuple[str, ...]:
    """Return what a model may be of which so much was typed: folders that begin so, and those used before that hold it.

    The text itself comes first if it names a model or a folder. Folders with a checkpoint come next, without a slash at
    the end because they hold no other models.
    """
    if not typed:
        return tuple(used)
    before = typed[: typed.rfind("/") + 1]
    beginning = typed.removeprefix(before)
    there: list[str] = []
    itself = [typed] if typed in used else []
    if visit.reaches(expand_home(before or ".")):
        with suppress(OSError):
            itself += [typed] if _holds_checkpoint(expand_home(typed)) else []
        with suppress(OSError), os.scandir(expand_home(before or ".")) as entries:
            there = sorted(entry.path for entry in islice(entries, MOST) if _may_be(entry, beginning))
    folders = {f"{before}{Path(path).name}": _holds_checkpoint(Path(path)) for path in there[:OFFERED]}
    choices = [
        *itself,
        *([f"{typed}/"] if folders.get(typed) is False else []),
        *(name for name, whole in folders.items() if whole),
        *(f"{name}/" for name, whole in folders.items() if not whole),
    ]
    return tuple(dict.fromkeys((*choices, *(model for model in used if typed in model))))


def _may_be(entry: "os.DirEntry[str]", beginning: str) -> bool:
    hidden = entry.name.startswith(".") and not beginning.startswith(".")
    return entry.name.startswith(beginning) and not hidden and clean(entry.name) == entry.name and entry.is_dir()


def _holds_checkpoint(folder: Path) -> bool:
    return any((folder / name).is_file() for name in ("config.json", "adapter_config.json"))


def _asked(name: str, placeholder: str, **options: Any) -> Horizontal:
    return Horizontal(
        Static(Content(name), classes="name"),
        TypingLine(placeholder=placeholder, compact=True, **options),
        classes="asked",
    )


def _problem(model: str, critic: str, server: str) -> str:
    """Why nothing can be started with what was given; "" where it can."""
    if critic and critic not in PROTOCOLS:
        return f"A critic is asked by one of {', '.join(PROTOCOLS)}."
    if critic and not (server or model):
        return "A critic needs its server, or above a model to run here with vLLM."
    if server and not (critic or model):
        return "A server needs a critic's protocol; for a PRM, above the checkpoint with its tokenizer."
    return ""
