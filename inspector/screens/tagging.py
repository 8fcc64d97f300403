"""What a person says of cases: tags and notes, with undo."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import ClassVar, Protocol

import polars as pl
from msgspec.structs import replace
from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.suggester import Suggester
from textual.widgets import Input, Static

from inspector.analyses.similar import alike, outcome_of, tags_of
from inspector.render.cells import share
from inspector.render.texts.sentences import GLYPHS, NO_FOLDER, WORDS, counted
from inspector.render.texts.short_names import short_name
from inspector.render.texts.text import cell, clean
from inspector.render.texts.wrap import hung, wrap
from inspector.screens.controller import ControlledScreen, Controller
from inspector.screens.dialog import Dialog, NoteDialog, SureDialog, TypedAhead
from inspector.screens.messages import Go
from inspector.state.screen_state import ScreenState
from inspector.state.triage.annotations import own_tags
from inspector.state.triage.history import history_indent, history_lines, history_rows
from inspector.widgets.line_view import Line, LineView
from inspector.widgets.pick_list import Pick, PickList
from inspector.widgets.text_editor import TypingLine
from scoring.data.errors import InspectError
from scoring.evaluation.similar import SimilarCase
from scoring.formats.benchmarks.benchmark_registry import error_type_of, error_types, taxonomies
from scoring.workspace.triage.history import (
    DEFER,
    NOTE,
    QUEUE,
    RATE,
    RULE,
    SKIP,
    SORT,
    TAG,
    UNTAG,
    Action,
    Triage,
    rating_of,
)
from scoring.workspace.triage.journal import Journal

# -- what a person types as tags, and what was done to tags and notes in words


_DIGITS = frozenset("123456789")
_BETWEEN = re.compile(r"[\s,]+")


def typed_tags(text: str, numbered: Sequence[str] = ()) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the tags to put on and to take away: words with spaces or commas between, `-word` takes one away.

    A digit stands for the tag that is `numbered` so, the first one by 1, unless it is a tag itself. Of one that is
    named several times the last counts.
    """
    wanted: dict[str, bool] = {}
    for word in _BETWEEN.split(clean(text)):
        tag = word.lstrip("-")
        if tag in _DIGITS and tag not in numbered and int(tag) <= len(numbered):
            tag = numbered[int(tag) - 1]
        if tag:
            wanted.pop(tag, None)
            wanted[tag] = not word.startswith("-")
    return tuple(tag for tag, on in wanted.items() if on), tuple(tag for tag, on in wanted.items() if not on)


def last_word(text: str) -> str:
    """Return the word that is being typed, without the sign that takes a tag away."""
    return _BETWEEN.split(text)[-1].removeprefix("-")


def offered_tags(in_use: Iterable[str], own: Iterable[str]) -> list[str]:
    """Return the tags to offer: those in use in their order, then the error types of the benchmark at hand, its `own`.

    A tag has no blanks: a type of several words is one with underscores. One that could act on a terminal is not among
    them, as nobody could type it.
    """
    used = [tag for tag in in_use if clean(tag) == tag]
    named = {*used, *map(error_type_of, used)}
    types = dict.fromkeys(_BETWEEN.sub("_", name) for name in own if clean(name) == name)
    return [*used, *(tag for tag in types if tag not in named)]


def completed(text: str, tags: Sequence[str]) -> str | None:
    """Return what was typed with its last word completed; None where no tag fits.

    To the first tag that begins so, else to one of which a part begins so, else to one that has its letters in order.
    """
    word = last_word(text)
    others = [tag for tag in tags if tag != word]
    letters = re.compile(".*".join(map(re.escape, word.casefold())))
    ways: tuple[Callable[[str], object], ...] = (
        lambda tag: tag.startswith(word),
        lambda tag: any(part.startswith(word.casefold()) for part in re.split(r"[_-]", tag.casefold())),
        lambda tag: letters.search(tag.casefold()),
    )
    if not word or word in tags:
        return None
    completion = next((tag for fits in ways for tag in others if fits(tag)), None)
    return None if completion is None else text[: len(text) - len(word)] + completion


def changes(
    triage: Triage, cases: Sequence[str], add: Sequence[str], remove: Sequence[str]
) -> tuple[list[tuple[str, list[str]]], list[tuple[str, list[str]]]]:
    """Return for each tag to put on the cases that lack it, for each to take away those that have it; no empty ones.

    So that a journal holds what was changed, and no more.
    """
    lacking = [(tag, [case for case in cases if tag not in triage.tags.get(case, ())]) for tag in add]
    having = [(tag, [case for case in cases if tag in triage.tags.get(case, ())]) for tag in remove]
    return [pair for pair in lacking if pair[1]], [pair for pair in having if pair[1]]


def batch_words(actions: Sequence[Action]) -> str:
    """Return what a batch did: `odd, -easy on 12 cases`, `the note on bench/1`, `the queue of 12 cases`."""
    cases = list(dict.fromkeys(case for action in actions for case in action.cases))
    on = cases[0] if len(cases) == 1 else counted(len(cases), "case")
    if actions and (words := _WORDS.get(actions[0].kind)) is not None:
        what = words(actions[0].value)
    else:
        what = ", ".join(f"{'' if action.kind == TAG else '-'}{action.value}" for action in actions)
    return f"{what} on {on}"


def _said(what: str) -> Callable[[str], str]:
    """Words for an action whose text is taken away where it is ""."""
    return lambda value: f"the {what}" if value else f"taking the {what} away"


def _rating(value: str) -> str:
    step, rating = rating_of(value)
    return f"the rating of step {step}" if rating is not None else f"taking the rating of step {step} away"


_WORDS: dict[str, Callable[[str], str]] = {
    NOTE: _said("note"),
    RULE: lambda ruling: f"the ruling {ruling!r}" if ruling else "taking the ruling away",
    RATE: _rating,
    SORT: lambda category: f"the category {category!r}" if category else "taking the category away",
    QUEUE: lambda _: "a new queue",
    SKIP: lambda _: "skipping",
    DEFER: lambda _: "deferring",
}
"""What an action did, by its text; tags are told by their words."""

# -- the tag dialog: words to put on cases, or to take away


Typed = tuple[tuple[str, ...], tuple[str, ...]]
"""Tags to put on, tags to take away."""
IN_USE = 20
"""Tags that are listed."""
NUMBERED = 9
"""Tags for which a digit stands."""


def in_columns(words: Sequence[str], width: int) -> list[str]:
    """Return words below each other in as many columns as fit into so many cells, of equal width."""
    longest = max(map(cell_len, words), default=0) + 2
    rows = -(-len(words) // max(1, width // longest))
    return ["".join(cell(word, longest) for word in words[row::rows]).rstrip() for row in range(rows)]


class TagSuggester(Suggester):
    """Completes the word that is being typed to a tag in use."""

    def __init__(self, tags: Sequence[str]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._tags = tags

    async def get_suggestion(self, value: str) -> str | None:
        """Return the whole line with its last word completed, where that goes on from what was typed."""
        whole = completed(value, self._tags)
        return whole if whole is not None and whole.startswith(value) else None


class TagDialog(TypedAhead[Typed | None]):
    """Asks for tags; None if nothing is to be done."""

    ENTER = "Tag"
    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "dismiss(None)", "Close"),
        ("tab", "complete", "Complete"),
    ]

    def __init__(self, title: str, present: Sequence[str], in_use: Mapping[str, int], own: Sequence[str] = ()) -> None:
        """Ask for tags of cases.

        Args:
            title: what is tagged.
            present: the tags that it has.
            in_use: all tags, with how many cases have each.
            own: the error types of the benchmark at hand; those of other benchmarks are completed.
        """
        super().__init__(title)
        self._present = present
        self._in_use = in_use
        self._offered = offered_tags(in_use, own)
        self._known = offered_tags(self._offered, error_types())

    def compose_panel(self) -> ComposeResult:
        if self._present:
            yield Static(Content(clean(f"It has: {', '.join(self._present)}")))
        placeholder = "tags, or their digits; -tag takes one away"
        yield TypingLine(placeholder=placeholder, suggester=TagSuggester(self._known), compact=True)
        yield Static(Content(clean(self._listed(), lines=True)), classes="dim")

    def _listed(self) -> str:
        """The tags that are offered: the first nine with their digits, one below the other, then others in use."""
        used = {tag: f" ({self._in_use[tag]:,})" for tag in self._offered if tag in self._in_use}
        numbered = [f"{at} {tag}{used.get(tag, '')}" for at, tag in enumerate(self._offered[:NUMBERED], 1)]
        others = [f"{tag}{count}" for tag, count in list(used.items())[NUMBERED:IN_USE]]
        left = len(self._known) - len(numbered) - len(others)
        what = f"{left:,} more" if numbered else counted(left, "error type")
        more = f"{what}, which Tab completes" if left else ""
        behind = " and ".join(filter(None, (", ".join(others), more)))
        return "\n".join((*in_columns(numbered, self.line_width), *([behind] if behind else ())))

    def action_complete(self) -> None:
        """Take the completion, if there is one."""
        box = self.query_one(Input)
        whole = completed(box.value, self._known)
        if whole is not None:
            box.value = whole
            box.action_end()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        typed = typed_tags(event.value, self._offered[:NUMBERED])
        self.dismiss(typed if any(typed) else None)


# -- the history of a case: what everybody did to it, in order, with what was undone


HIDDEN = "What others did is hidden for as long as gold labels and verdicts are."
UNDER = 4
"""Cells by which what was done is moved in where it stands beneath who did it."""
ABOUT = 4
"""Lines of the dialog beside those of the history: its border, its title and what its keys are."""


class HistoryDialog(Dialog[None]):
    """Lines of a history, newest last, of which some may be beyond the screen."""

    SHARE, WIDEST = 0.96, 140
    BINDINGS: ClassVar[list[BindingType]] = [
        ("j,down", "scroll(1)", "Down"),
        ("k,up", "scroll(-1)", "Up"),
        ("pagedown", "page(1)", "Page down"),
        ("pageup", "page(-1)", "Page up"),
        ("g,home", "edge(False)", "First"),
        ("G,end", "edge(True)", "Last"),
        ("escape,q", "dismiss(None)", "Close"),
    ]

    def __init__(self, case: str, rows: pl.DataFrame, *, hidden: bool = False) -> None:
        """`rows` are those of `history_rows`; `hidden` says that they are those of one person alone."""
        undone = rows["holds"].to_list().count(False)
        super().__init__(f"What was done to {case}{f': {undone:,} undone' if undone else ''}")
        self._rows, self._hidden = rows, hidden
        self._lines = list(history_lines(rows))

    def compose_panel(self) -> ComposeResult:
        # As high as it will be, from the first time that it is drawn.
        yield LineView(id="done")
        if self._hidden:
            yield Static(Content(HIDDEN), classes="dim")

    def on_mount(self) -> None:
        view = self.query_one(LineView)
        view.focus()
        view.flow(self._wrapped)
        # The newest ones come first.
        self.call_after_refresh(self.action_edge, True)  # Textual passes on by position

    def on_resize(self) -> None:
        self.query_one(LineView).styles.max_height = max(1, self.size.height - ABOUT - (1 if self._hidden else 0))

    def _wrapped(self, width: int) -> list[Line]:
        if not self._lines:
            nothing = (
                "You have done nothing to this case." if self._hidden else "Nobody has done anything to this case."
            )
            return [Line([(line, "")]) for line in wrap(nothing, width)]
        indent = history_indent(self._lines, width)
        lines = []
        for holds, (author, words) in zip(self._rows["holds"], self._lines, strict=True):
            style = "dim" if holds is False else ""
            label, text = clean(author), clean(words)
            if cell_len(label) < indent:
                pairs = list(hung(label, text, width, indent))
            else:
                # Beside a long name there is no room.
                pairs = [(line, "") for line in wrap(label, width)]
                pairs += [(" " * UNDER, line) for line in wrap(text, width - UNDER)]
            lines += [Line([(left, "dim"), (right, style)]) for left, right in pairs]
        return lines

    def action_scroll(self, by: int) -> None:
        view = self.query_one(LineView)
        view.scroll_to(y=view.scroll_offset.y + by, force=True)

    def action_page(self, by: int) -> None:
        self.action_scroll(by * self.query_one(LineView).viewport.height)

    def action_edge(self, last: bool) -> None:
        view = self.query_one(LineView)
        view.scroll_to(y=view.line_count if last else 0, force=True)


ASKED_ABOVE = 100
"""More cases than this are tagged at once only after a question."""


class TaggedScreen(ControlledScreen, Protocol):
    """A screen with cases that people can say something of."""

    @property
    def blind(self) -> bool: ...
    @property
    def case_row(self) -> int | None: ...
    @property
    def marked(self) -> Sequence[str]: ...
    def say_done(self, sentence: str, *, failed: bool = False, brief: str = "") -> None: ...
    def show_reversed(self, batch: Sequence[Action]) -> None: ...


class Tagging(Controller[TaggedScreen]):
    """Writes tags and notes on the case that a screen is at (`case_row`), or on those that are marked on it."""

    def action_tag(self) -> None:
        """Ask for tags of the case that is looked at, or of those that are marked."""
        if (pair := self._case_and_journal()) is None:
            return
        case, journal = pair
        tags = own_tags(journal, case) if self.screen.blind else journal.triage.tags.get(case, ())
        cases: Sequence[str] = [case]
        title = f"Tag {case}"
        if marked := self.screen.marked:
            tags, cases, title = (), marked, f"Tag {counted(len(marked), 'marked case')}"
        dialog = TagDialog(title, tags, journal.triage.tags_in_use, self._own_types(case.partition("/")[0]))
        self.screen.app.push_screen(dialog, partial(self._tag, cases))

    def _own_types(self, benchmark: str) -> Sequence[str]:
        """The error types of a benchmark: those of its taxonomy, else those that its cases have, the frequent first."""
        cases = self.state.cases
        if benchmark in taxonomies() or "error_type" not in cases.columns:
            return tuple(taxonomies().get(benchmark, ()))
        own = cases.filter(cases["benchmark"] == benchmark)["error_type"].drop_nulls()
        return own.value_counts().sort(["count", "error_type"], descending=[True, False])["error_type"].to_list()

    def action_note(self) -> None:
        """Ask for the note on the case that is looked at, or one on those that are marked."""
        if (pair := self._case_and_journal()) is not None:
            case, journal = pair
            if cases := self.screen.marked:
                title = f"Note on {counted(len(cases), 'marked case')}, in the place of yours"
                self.screen.app.push_screen(NoteDialog(title, ""), partial(self._note, cases))
                return
            notes = journal.triage.notes.get(case, {})
            mine = notes.get(journal.author.who, "")
            people = () if self.screen.blind else sorted(notes)
            others = "\n".join(f"{who}: {notes[who]}" for who in people if who != journal.author.who)
            self.screen.app.push_screen(NoteDialog(f"Note on {case}", mine, others), partial(self._note, [case]))

    def action_similar(self) -> None:
        """Look for cases that are like the one that is looked at, and open one."""
        # Imported only for who asks: the app starts sooner.

        state, row = self.state, self.screen.case_row
        if row is None:
            self.screen.say_done("There is no case here.")
            return

        def chosen(other: int | None) -> None:
            if other is not None:
                self.screen.put(self.state.with_case(other))
                self.screen.post_message(Go("case", other))

        self.screen.app.push_screen(SimilarDialog(state, row, blind=self.screen.blind), chosen)

    def action_history(self) -> None:
        """Show what everybody did to the case that is looked at; what others did not, while labels are hidden."""
        if (pair := self._case_and_journal()) is not None:
            case, journal = pair
            hidden, me = self.screen.blind, journal.author.who
            entries = [entry for entry in journal.history.told(case) if not hidden or entry[0].who == me]
            self.screen.app.push_screen(HistoryDialog(case, history_rows(entries), hidden=hidden))

    def action_undo(self) -> None:
        self._reverse("Undone", "undo", Journal.undo)

    def action_redo(self) -> None:
        self._reverse("Done again", "redo", Journal.redo)

    # -- what was chosen in a dialog

    def _tag(self, cases: Sequence[str], typed: Typed | None) -> None:
        journal = self.journal()
        if typed is None or journal is None:
            return
        add, remove = changes(journal.triage, cases, *typed)
        if not add and not remove:
            them = "They are" if len(cases) > 1 else "It is"
            self.screen.say_done(f"{them} tagged like that already.")
            return
        changed = [*((TAG, of, tag) for tag, of in add), *((UNTAG, of, tag) for tag, of in remove)]
        touched = len({case for _, of, _ in changed for case in of})

        def do(sure: bool | None) -> None:
            if sure:
                words = ", ".join([*(tag for tag, _ in add), *(f"-{tag}" for tag, _ in remove)])
                on = cases[0] if len(cases) == 1 else counted(touched, "case")
                self.write(
                    lambda: journal.do(changed), f"Tagged {on}: {words}; {self.context.keys.of('undo')} undoes it."
                )

        if touched > ASKED_ABOVE:
            self.screen.app.push_screen(SureDialog(f"This changes the tags of {counted(touched, 'case')}. Do it?"), do)
        else:
            do(sure=True)

    def _note(self, cases: Sequence[str], text: str | None) -> None:
        journal = self.journal()
        if text is not None and journal is not None:
            on = cases[0] if len(cases) == 1 else counted(len(cases), "case")
            sentence = f"Noted on {on}" if text else f"The note on {on} is gone"
            self.write(lambda: journal.note(cases, text), f"{sentence}; {self.context.keys.of('undo')} undoes it.")

    # -- the journal

    def _reverse(self, done: str, what: str, act: Callable[[Journal], tuple[Action, ...]]) -> None:
        journal = self.journal()
        if journal is None:
            return
        try:
            batch = act(journal)
        except InspectError as error:
            self.screen.say_done(str(error), failed=True)
            return
        if batch:
            self._show_triage()
            self.screen.show_reversed(batch)
        if batch:
            # Where there is little room: the case that it was on comes on screen.
            words = batch_words(batch)
            self.screen.say_done(f"{done}: {words}.", brief=f"{done}: {short_name(words.rpartition(' on ')[0], 30)}")
        else:
            self.screen.say_done(f"There is nothing to {what}.")

    def write(self, act: Callable[[], None], sentence: str) -> None:
        """Write to the journal; what is said of it is on the disk by then."""
        try:
            act()
        except InspectError as error:
            self.screen.say_done(str(error), failed=True)
            return
        self._show_triage()
        self.screen.say_done(sentence)

    def _show_triage(self) -> None:
        self.screen.close_rail()
        self.screen.put(self.state.triaged())

    def journal(self) -> Journal | None:
        """Return where tags and notes are written; None, and said, where there is no such place."""
        journal = self.state.results.journal
        if journal is None:
            self.screen.say_done(NO_FOLDER)
        return journal

    def _case_and_journal(self) -> tuple[str, Journal] | None:
        journal, row = self.journal(), self.screen.case_row
        if journal is None:
            return None
        if row is None:
            self.screen.say_done("There is no case here.")
            return None
        return self.state.cases["case"][row], journal


# -- the cases that are like the one that is looked at: nearest in text, or in the course of its rewards


_LOOKING = "Looking for them ..."


class SimilarDialog(Dialog[int | None]):
    """Ends with the row id of the case to open; None where it was only closed. They are looked for in a thread."""

    BINDINGS: ClassVar[list[BindingType]] = [("enter", "take", "Open it"), ("escape,q", "dismiss(None)", "Close")]

    def __init__(self, state: ScreenState, row: int, *, blind: bool = False) -> None:
        """`row` is the case; while labels are hidden (`blind`), so are outcomes, and what others said."""
        super().__init__(f"Like {state.cases['case'][row]}")
        names = () if state.scorer is None else (state.scorer,)
        self._results = replace(state.results, chosen=names)
        self._row, self._blind = row, blind

    def compose_panel(self) -> ComposeResult:
        yield PickList()
        yield Static(_LOOKING, id="whole", classes="dim")

    def on_mount(self) -> None:
        self.query_one(PickList).focus()
        self.run_worker(self._look, thread=True, exclusive=True, group="similar", description="similar")

    def _look(self) -> None:
        """In a thread: all texts are read the first time."""
        try:
            picks = list(self._picks())
            message = "" if picks else "No other case that the filter keeps is like it."
        except InspectError as error:
            picks, message = [], str(error)
        self.show_if_open(self._show, picks, message)

    def _show(self, picks: list[Pick], message: str) -> None:
        self.query_one(PickList).show(picks)
        self.query_one("#whole", Static).update(Content(clean(message)))

    def _picks(self) -> Iterator[Pick]:
        results = self._results
        for scorer, other in alike(results, self._row):
            yield Pick(f"{scorer} {other.row}", results.cases["case"][other.row], self._why(scorer, other))

    def _why(self, scorer: str | None, other: SimilarCase) -> str:
        """How much it is like it and by what, what the scorer makes of it, and how it was tagged."""
        results = self._results
        parts = [f"{'text' if scorer is None else 'rewards'} {share(other.likeness, 0)}%"]
        outcome = None if self._blind else outcome_of(results, scorer, other.row)
        parts += [f"{GLYPHS[outcome]} {WORDS[outcome]}"] if outcome in GLYPHS else []
        tags = () if self._blind else tags_of(results, results.cases["case"][other.row])
        parts += [f"[{', '.join(tags)}]"] if tags else []
        return "  ".join([*parts, *([" ".join(other.shared)] if other.shared else [])])

    def on_pick_list_clicked(self) -> None:
        self.action_take()

    def action_take(self) -> None:
        key = self.query_one(PickList).key
        if key is not None:
            self.dismiss(int(key.rpartition(" ")[2]))
