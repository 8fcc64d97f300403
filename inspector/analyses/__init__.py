"""The analyses: one file each, called as its command is, or a folder of its pages.

It imports `inspector.case_page` and the layers below, and no Textual.
Read `bias.py` first: a small and complete one.

An analysis is a function of what was selected and of a few parameters; its answer is a view. Without intervals it is
asked first by a screen, where keys must not wait, and nothing is resampled then; the same view with intervals follows.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, Literal, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from inspector.render.analysis_list import OWN, module_of, summaries
from inspector.render.view import View
from inspector.state.common_flags import Collect
from scoring.data.errors import PluginError, UsageError
from scoring.selection import loading
from scoring.selection.query import Query
from scoring.selection.result_set import ResultSet

Whose = Literal["all", "ranked", "focus", "pair", "one or two", "beside", "none"]
"""Whom a screen asks about: every scorer, as the workspace has them or as the analysis ranks them; the one in focus;
that one and another; that one, and another where one was chosen; that one and those beside it; or nobody, because the
cases alone are asked about."""


class OptionValue(NamedTuple):
    """A value that a screen offers for an option, how it is called, and what is said of it."""

    value: Any
    title: str
    about: str = ""


class Option(Struct, frozen=True):
    """Something that an analysis can be told: a flag of its command, and a choice on its screen.

    Attributes:
        name: That of the flag, with `_` for `-`, and of the value in `Params.options`.
        help: What it is for, as `--help` says it.
        title: What a screen calls it; "" = no screen offers it.
        metavar: What stands for its value; "" = it takes none and is a switch, unless it has choices.
        choices: The values that there are; () = any.
        type: What makes a value of a word.
        words: How many words it takes, as argparse writes it (`?`, `*` or a number); None = one.
        positional: Whether its value stands by itself in the command, without a flag.
        required: Whether there is no answer without a value.
        bare: Its value where the flag stands alone.
        many: Whether it may be repeated; its value is then a tuple.
        pages: The pages that it is for; () = all of them.
        offered: Give what a screen offers, of what is selected and told so far; None = the choices.
        with_other: Whether it is a switch that holds the scorer in focus against another, which a screen lets choose.
        of_query: Whether the query holds its value, as it does what several commands share.
        group: The title, in `--help`, that it stands under with others; "" = none of its own.
    """

    name: str
    help: str
    title: str = ""
    metavar: str = ""
    choices: tuple[str, ...] = ()
    type: Callable[[str], Any] = str
    words: str | int | None = None
    positional: bool = False
    required: bool = False
    bare: Any = None
    many: bool = False
    pages: tuple[str, ...] = ()
    offered: "Callable[[ResultSet, Params], Iterable[OptionValue]] | None" = None
    with_other: bool = False
    of_query: bool = False
    group: str = ""

    @classmethod
    def of_flag(cls, action: argparse.Action, **more: Any) -> "Option":
        """Make an option of a flag that another command has as well; `more` are further attributes."""
        name = action.option_strings[0].strip("-").replace("-", "_")
        plain = action.nargs == 0 or action.choices
        return cls(
            name,
            action.help or "",
            metavar=str(action.metavar or ("" if plain else name.upper())),
            choices=tuple(action.choices or ()),
            type=action.type if callable(action.type) else str,
            many=action.default == [],
            **more,
        )

    @property
    def flag(self) -> str:
        """The flag of the command, or what stands for its word."""
        return self.name if self.positional else f"--{self.name.replace('_', '-')}"

    @property
    def switch(self) -> bool:
        """Whether it takes no value."""
        return not (self.metavar or self.choices)

    @property
    def dest(self) -> str:
        """Where argparse keeps its value; that of an option may be called as one of the query is."""
        return self.name if self.of_query else f"told_{self.name}"

    def add_to(self, parser: "argparse._ActionsContainer") -> None:
        """Add the flag, or the word, to a parser."""
        if self.positional:
            parser.add_argument(
                self.dest,
                metavar=self.metavar or None,
                choices=self.choices or None,
                type=self.type,
                nargs=self.words,
                help=self.help,
            )
            return
        if self.switch:
            parser.add_argument(self.flag, action="store_const", const=True, dest=self.dest, help=self.help)
            return
        if self.many:
            parser.add_argument(
                self.flag,
                action=Collect,
                metavar=self.metavar,
                type=self.type,
                dest=self.dest,
                default=(),
                help=self.help,
            )
            return
        parser.add_argument(
            self.flag,
            dest=self.dest,
            metavar=self.metavar or None,
            choices=self.choices or None,
            type=self.type,
            nargs=self.words,
            const=self.bare,
            required=self.required,
            help=self.help,
        )

    def line(self, value: Any) -> tuple[str, ...]:
        """Write a value as words of a command line."""
        if self.switch:
            return (self.flag,) if value else ()
        values = tuple(map(str, value)) if isinstance(value, (tuple, list)) else (str(value),)
        if self.positional:
            return values
        if self.words is not None:
            return (self.flag, *(values if value != self.bare else ()))
        return tuple(
            word
            for value_word in values
            for word in ((f"{self.flag}={value_word}",) if value_word[:1] == "-" else (self.flag, value_word))
        )


class Page(Struct, frozen=True):
    """One page of an analysis: its `name`, which never changes, and its title.

    `also` names another page whose rows stand on this one as well. `help` makes of the name a flag of the command that
    shows this page; "" = it is what the command shows by itself. `takes` is the option that this flag has the value of.
    `holds` tells whether a benchmark has anything to show on it; None = every benchmark has. If not, the page
    is on no screen. `people` says that it also shows human annotations of the cases. `about` describes it on the first
    page, in a few words.
    """

    name: str
    title: str
    whose: Whose = "all"
    also: str = ""
    help: str = ""
    takes: str = ""
    people: bool = False
    holds: Callable[[ResultSet, str], bool] | None = None
    about: str = ""


class Params(Struct, frozen=True):
    """What is asked of an analysis besides the result set: a page ("" = the first), and what that page is told.

    `form` is that of the document, for the command that makes it again; `words` are the page and its options as words
    of that command.
    """

    page: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    form: str = ""
    words: tuple[str, ...] = ()

    def get(self, name: str, usual: Any = None) -> Any:
        """Return the value of an option, or the usual one where none was told."""
        value = self.options.get(name)
        return usual if value is None else value


AnalysisFunction = Callable[[ResultSet, Params, bool], View]
Loader = Callable[[Query, Params], ResultSet]


class Analysis(Struct, frozen=True):
    """A question with a registered answer."""

    name: str
    title: str
    answer: AnalysisFunction
    pages: tuple[Page, ...] = ()
    options: tuple[Option, ...] = ()
    whose: Whose = "all"
    """Whom its one page is about, where it has no pages."""
    scorers: str = ""
    """What the words of the command are, where these are scorers; "" = it has none."""
    most: int = 0
    """How many scorers it is about at most, none of which is asked for by `--scorer`; 0 = as many as are chosen."""
    page_flag: str = ""
    """The flag that has a page's name as its value; "" = pages are flags themselves."""
    together: str = ""
    """The title, in `--help`, of the flags of pages."""
    needs: str = "Figures need a scorer with verdicts on {benchmark}."
    """Without what there is nothing to answer; with a place for the benchmark."""
    help: str = ""
    """What is to be seen on its screen."""
    epilog: str = ""
    """What `--help` ends with."""
    slow: bool = False
    """Whether it reads what may take long, such as all answers of a critic: of few cases too no key waits for it."""
    loader: Loader | None = None
    """Selects what it is asked about, where that is more or less than a query says; None = what the query says."""
    examples: tuple[str, ...] = ()
    """Two command lines for its help; () = on the demo, and with the first of its pages that is a flag."""
    refuses: Mapping[str, str] = field(default_factory=dict)
    """The common flags that its command does not take, as they would change nothing, and what to do instead."""

    def load(self, query: Query, params: Params) -> ResultSet:
        """Read what the query asks about, decide and select.

        Raises:
            InspectError: as `scoring.selection.loading.load`, or the query asks for what this has no answer to.
        """
        if self.loader is not None:
            return self.loader(query, params)
        return loading.load(query)

    def view(self, results: ResultSet, params: Params | None = None, *, intervals: bool = True) -> View:
        """Answer the question: make the view of a result set.

        Args:
            results: the cases, the decided scorers and the filter.
            params: the page and what it is told; None = the first page as it usually is.
            intervals: with everything that takes resamples; without, their places are empty.

        Raises:
            UsageError: there is no such page or option, or nothing to answer; the sentence says what there is, or what
                would give something.
        """
        params = params or Params()
        pages = [page.name for page in self.pages]
        if params.page and params.page not in pages:
            hint = f"It has: {', '.join(pages)}." if pages else "It has one page: leave it out."
            raise UsageError(f"{self.name} has no page {params.page!r}.", hint)
        if 0 < self.most < len(results.query.scorers):
            raise UsageError(f"{self.name} is about {self.most} scorers at most.", "Leave the others out.")
        known = [option.name for option in self.options_of(params.page)]
        if unknown := sorted(set(params.options).difference(known)):
            where = f"page {params.page!r} of {self.name}" if params.page else f"{self.name} without a page"
            hint = f"It can be told: {', '.join(known)}." if known else "Leave it out, or name the page that it is of."
            raise UsageError(f"{where} cannot be told {unknown[0]!r}.", hint)
        for option in self.options_of(params.page):
            value = params.get(option.name)
            if option.required and value is None:
                raise UsageError(f"{self.name} needs {option.flag}.", f"It is {option.help}.")
            if option.choices and value is not None and value not in option.choices:
                raise UsageError(
                    f"{value!r} is not a value of {option.flag}.", f"There are: {', '.join(option.choices)}."
                )
        return self.answer(results, replace(params, words=self.words(params)), intervals)

    def options_of(self, page: str) -> tuple[Option, ...]:
        """Return the options that a page ("" = the first) takes."""
        name = page or next((page.name for page in self.pages), "")
        return tuple(option for option in self.options if not option.pages or name in option.pages)

    # -- its command

    @property
    def command_examples(self) -> tuple[str, ...]:
        """Command lines that show how it is asked."""
        if self.examples:
            return self.examples
        page = next((self.words(Params(page.name)) for page in self.pages if page.help and not page.takes), ())
        line = f"prm-inspect {self.name} --benchmark demo"
        return line, " ".join([line, *(page or ('--where "n_steps > 8"',)), "--json"])

    @property
    def not_taken(self) -> Mapping[str, str]:
        """The common flags that its command does not take, with what to do instead."""
        return {**({"--scorer": "Name its scorers as words."} if self.most else {}), **self.refuses}

    def add_flags(self, parser: argparse.ArgumentParser) -> None:
        """Add what its command takes besides the flags of all."""
        parser.epilog = self.epilog or None
        if self.scorers:
            parser.add_argument("scorers", nargs="*", metavar="SCORER", help=self.scorers)
        taken = {page.takes for page in self.pages if page.help}
        if self.page_flag:
            each = "; ".join(f"{page.name}: {page.help}" if page.help else page.name for page in self.pages)
            names = [page.name for page in self.pages]
            about = f"one of its {len(names)} pages ({each})"
            flag = f"--{self.page_flag}"
            parser.add_argument(flag, dest="page", metavar="PAGE", choices=names, default="", help=about)
        elif any(page.help for page in self.pages):
            group = parser.add_argument_group(self.together) if self.together else parser
            self._add_page_flags(group.add_mutually_exclusive_group())
        groups = {option.group: parser.add_argument_group(option.group) for option in self.options if option.group}
        for option in self.options:
            if option.name not in taken:
                option.add_to(groups.get(option.group, parser))

    def _add_page_flags(self, group: "argparse._ActionsContainer") -> None:
        options = {option.name: option for option in self.options}
        for page in self.pages:
            if page.takes:
                options[page.takes].add_to(group)
            elif page.help:
                flag = f"--{page.name.replace('_', '-')}"
                group.add_argument(flag, dest="page", action="store_const", const=page.name, default="", help=page.help)

    def params(self, args: argparse.Namespace, form: str = "") -> Params:
        """Make the parameters of the command's arguments."""
        values = {option.name: getattr(args, option.dest, None) for option in self.options if not option.of_query}
        set_values = {name: value for name, value in values.items() if value not in (None, ())}
        page = next(
            (page.name for page in self.pages if page.takes and page.takes in set_values), getattr(args, "page", "")
        )
        return Params(page, set_values, form)

    def words(self, params: Params) -> tuple[str, ...]:
        """Write a page and its options as words of the command."""
        return tuple(self._words(params))

    def _words(self, params: Params) -> Iterator[str]:
        page = next((page for page in self.pages if page.name == params.page), None)
        if page is not None and page.help and not page.takes:
            name = page.name if self.page_flag else page.name.replace("_", "-")
            yield from (f"--{self.page_flag}", name) if self.page_flag else (f"--{name}",)
        options = [
            option
            for option in self.options_of(params.page)
            if not option.of_query and params.get(option.name) is not None
        ]
        lines = [(option.positional, option.line(params.get(option.name))) for option in options]
        # What stands without a flag and looks like one comes last, behind `--`.
        last = any(word[:1] == "-" for positional, words in lines if positional for word in words)
        yield from (word for positional, words in lines if not (last and positional) for word in words)
        if last:
            yield from ("--", *(word for positional, words in lines if positional for word in words))


def analysis(title: str, pages: tuple[Page, ...] = (), **more: Any) -> Callable[[AnalysisFunction], Analysis]:
    """Register the function below as the analysis that its file is called after.

    Args:
        title: what its screen is called.
        pages: its pages; () = it has one.
        more: the other attributes of `Analysis`.
    """

    def registered(answer: AnalysisFunction) -> Analysis:
        return Analysis(answer.__module__.rpartition(".")[2].replace("_", "-"), title, answer, pages, **more)

    return registered


_OWN: dict[str, Analysis] = {}


def keep_own_analysis(made: Analysis, summary: str) -> None:
    """Keep an analysis of the user's own beside the others from now on.

    Raises:
        PluginError: the program has one of its name.
    """
    if made.name in summaries() and made.name not in _OWN:
        raise PluginError(f"the program has an analysis {made.name!r} already.", "Give the file another name.")
    _OWN[made.name], OWN[made.name] = made, summary.rstrip(".")


def load(name: str) -> Analysis:
    """Import an analysis by its name."""
    if name in _OWN:
        return _OWN[name]
    module = import_module(module_of(name))
    return next(value for value in vars(module).values() if isinstance(value, Analysis) and value.name == name)
