"""The analyses: a file each, called as its command is.

An analysis is a function of what was selected and of a few parameters; its answer is a view. Without intervals it is
asked first by a screen, where keys must not wait, and nothing is resampled then; the same view with intervals follows.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from scoring.errors import UsageError

if TYPE_CHECKING:
    from inspector.render.view import View
    from inspector.selection import Selection

Whose = Literal["all", "ranked", "focus", "pair", "beside"]
"""Whom a screen asks about: every scorer, as the workspace has them or as the analysis ranks them; the one in focus;
that one and another; or that one and those beside it."""


@dataclass(frozen=True)
class Page:
    """One page of an analysis: its `name`, which never changes, and its title.

    `also` names another page whose rows stand on this one as well; `options` is what the page can be told besides.
    """

    name: str
    title: str
    whose: Whose = "all"
    also: str = ""
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Params:
    """What is asked of an analysis besides the selection: a page ("" = the first), and what that page can be told.

    `form` is that of the document, for the command that makes it again.
    """

    page: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    form: str = ""


Answer = Callable[["Selection", Params, bool], "View"]


@dataclass(frozen=True)
class Analysis:
    """A question with a registered answer."""

    name: str
    title: str
    answer: Answer
    pages: tuple[Page, ...] = ()
    needs: str = "Figures need a scorer with verdicts on {benchmark}."
    """Without what there is nothing to answer; with a place for the benchmark."""
    help: str = ""
    """What is to be seen on its screen."""

    def view(self, results: "Selection", params: Params | None = None, *, intervals: bool = True) -> "View":
        """Answer it.

        Args:
            results: the cases, the decided scorers and the filter.
            params: the page and what it is told; None = the first page as it usually is.
            intervals: with everything that takes resamples; without, their places are empty.

        Raises:
            UsageError: there is no such page or option, or nothing to answer; the sentence says what there is, or what
                would give something.
        """
        params = params or Params()
        pages = {one.name: one for one in self.pages}
        if params.page and params.page not in pages:
            told = f"It has: {', '.join(pages)}." if pages else "It has one page: leave it out."
            raise UsageError(f"{self.name} has no page {params.page!r}.", told)
        known = pages[params.page].options if params.page else ()
        if unknown := sorted(set(params.options).difference(known)):
            where = f"page {params.page!r} of {self.name}" if params.page else f"{self.name} without a page"
            told = f"It can be told: {', '.join(known)}." if known else "Leave it out, or name the page that it is of."
            raise UsageError(f"{where} cannot be told {unknown[0]!r}.", told)
        return self.answer(results, params, intervals)


def analysis(title: str, pages: tuple[Page, ...] = (), **more: str) -> Callable[[Answer], Analysis]:
    """Register the function below as the analysis that its file is called after."""

    def registered(answer: Answer) -> Analysis:
        return Analysis(answer.__module__.rpartition(".")[2].replace("_", "-"), title, answer, pages, **more)

    return registered


def load(name: str) -> Analysis:
    """Import an analysis by its name."""
    module = import_module(f"{__name__}.{name.replace('-', '_')}")
    return next(value for value in vars(module).values() if isinstance(value, Analysis) and value.name == name)
