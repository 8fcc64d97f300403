"""Files of the user's own on the command line and in the app: what `scoring.metrics.plugins` keeps, and analyses."""

from collections.abc import Sequence

from msgspec.structs import replace

from inspector.analyses import Analysis, Params, keep_own_analysis
from inspector.render.view import View
from scoring.data.errors import PluginError
from scoring.data.own_code import OwnCode
from scoring.metrics.plugins import keep_with, load_plugins
from scoring.selection.result_set import ResultSet


def load_own(files: Sequence[str]) -> None:
    """Import files of the user's own and keep what they hold.

    Raises:
        PluginError: a file cannot be imported, or holds nothing of a known kind.
    """
    keep_with(Analysis, "an analysis", _keep)
    load_plugins(files)


def _keep(made: Analysis, code: OwnCode) -> None:
    """An analysis is called after its file, and what its code raises is told in a sentence."""
    name = code.name.replace("_", "-")

    def answer(results: ResultSet, params: Params, intervals: bool) -> View:
        with code.told(f"in the analysis {name!r}"):
            view = made.answer(results, params, intervals)
        if not isinstance(view, View):
            raise PluginError(
                f"{code.path}, the analysis {name!r} gives {type(view).__name__}, and no View.", "Correct it."
            )
        plugins = {**view.provenance.get("plugins", {}), name: code.words}
        return replace(view, provenance={**view.provenance, "plugins": plugins})

    keep_own_analysis(replace(made, name=name, answer=answer), (code.module.__doc__ or name).strip().splitlines()[0])
