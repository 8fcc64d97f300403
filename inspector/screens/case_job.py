"""The process that scores single cases: started once, asked case by case, and gone when the app is."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from inspector.screens.messages import Score
from inspector.state.processes.job import LOG, Job
from inspector.state.processes.weights_place import place_of
from inspector.state.screen_state import ScreenState
from scoring.data.errors import DamagedWorkspace, InspectError, UsageError
from scoring.data.reward_keys import reward_keys, text_columns
from scoring.data.schema import READABLE
from scoring.data.scorer import Scorer
from scoring.data.storage.files import expand_home
from scoring.evaluation.votes import by_run, most_answers
from scoring.models.critics.sampling import asked_here, flags_again
from scoring.runs.prompts import kept_template
from scoring.workspace.cache import BALLOTS, VoteParts
from scoring.workspace.filtering.filters import Facet

AnswerCallback = Callable[[Mapping[str, Any]], object]
"""Hears what came of a case: an event of `scoring.runs.case_scoring`, or `died`."""


class CaseJob:
    """`python -m scoring cases`; `listen` blocks until it ends, everything else may be called meanwhile."""

    def __init__(self, root: Path) -> None:
        """Start it in the workspace whose folder is `root`, to whose log libraries print."""
        self._answers: dict[int, AnswerCallback] = {}
        self._asked = 0
        with (root / LOG).open("ab") as log:
            self._job = Job(["cases", f"--workspace={root}"], log)

    def ask(self, prm: Mapping[str, Any], case: Mapping[str, Any], answer: AnswerCallback) -> None:
        """Have a case scored; what comes of it is told to `answer` by `note`. Raises OSError where it has ended."""
        self._asked += 1
        self._job.ask({"n": self._asked, "prm": prm, "case": case})
        self._answers[self._asked] = answer

    @property
    def busy(self) -> bool:
        """Whether somebody waits for an answer."""
        return bool(self._answers)

    def listen(self, tell: Callable[[dict[str, Any]], object]) -> None:
        """Pass on every event, and that it has ended."""
        for event in self._job.events():
            tell(event)
        tell({"event": "died", "code": self._job.wait()})

    def note(self, event: Mapping[str, Any]) -> None:
        """Hand an event to whoever waits for it."""
        if event["event"] == "died":
            waiting, self._answers = list(self._answers.values()), {}
            for answer in waiting:
                answer(event)
        elif event["event"] == "loading":
            self._answers[event["n"]](event)
        else:
            self._answers.pop(event["n"])(event)

    def end(self) -> None:
        """End it at once: what it saved is whole."""
        self._job.end()


def case_asked(name: str, texts: Mapping[str, Any], steps: Sequence[str], **more: Any) -> dict[str, Any]:
    """Return a case as it is asked for: its texts with these steps, and `into` and `edited` where it is a variant.

    A trajectory's further fields have the places of these steps, `step_messages`.
    """
    further = {column: texts[column] for column in text_columns(sorted(READABLE)) if texts[column] is not None}
    return {"case": name, "problem": texts["problem"], "steps": list(steps), **further, **more}


def prms_there(state: ScreenState) -> list[tuple[Scorer, Path]]:
    """List the PRMs of the workspace that are run here, and their folders: not what was imported or is on a server."""
    return [
        (scorer, folder)
        for scorer, folder in _scorers_there(state)
        if scorer.kind == "prm"
        and isinstance(weights := scorer.settings.get("weights"), Mapping)
        and "served" not in weights
        and not asked_here(scorer)
    ]


def critics_there(state: ScreenState) -> list[tuple[Scorer, Path]]:
    """List the critics and generative PRMs that were asked in the workspace, and their folders."""
    return [(scorer, folder) for scorer, folder in _scorers_there(state) if asked_here(scorer)]


def _scorers_there(state: ScreenState) -> list[tuple[Scorer, Path]]:
    scorers: dict[str, tuple[Scorer, Path]] = {}
    names = state.cases["benchmark"].unique().to_list()
    for folder in state.results.loaded.workspace.reward_folders(names):
        with suppress(DamagedWorkspace):
            scorer = Scorer.load(folder)
            scorers.setdefault(scorer.fingerprint, (scorer, folder))
    return list(scorers.values())


def critic_asked(scorer: Scorer, folder: Path, state: ScreenState, case: str, server: str) -> Score:
    """Return the run that asks a critic of the workspace about one case, as often as it was asked about others.

    `server` is where it runs; "" where its weights are run here.

    Raises:
        UsageError: its weights are run here, and it is not known where they lie.
    """
    results = state.results
    root = results.loaded.workspace.root
    cases = reward_keys(results.cases, results.loaded.texts, scorer.reads)
    runs = by_run(cases, VoteParts(folder).read(BALLOTS)[0])
    votes = most_answers(runs[0]) if runs else 1
    if server:
        model, where = str(scorer.settings["model"]), [f"--server={server}"]
    else:
        place = place_of(scorer, root)
        model, where = place.model, [f"--dtype={place.dtype}"]
        where += [f"--revision={place.revision}"] if place.revision else []
    flags = flags_again(scorer, votes, max(1, len(runs)), kept_template(root, scorer))
    return Score(model, (*where, *flags, f"--where={Facet('case', (case,)).sql}"), case.partition("/")[0])


def prm_asked(scorer: Scorer, folder: Path, root: Path | None) -> dict[str, Any]:
    """Return a scorer of the workspace as it is asked for.

    Raises:
        UsageError: it is not known here where its weights lie.
    """
    try:
        place = place_of(scorer, root)
    except UsageError as error:
        raise UsageError(error.sentence, "Give its checkpoint's folder instead.") from None
    adapter = scorer.settings.get("adapter")
    return {**place._asdict(), "adapter": adapter, "scorer": str(folder)}


def prm_at(place: str) -> dict[str, Any]:
    """Return a checkpoint's folder or its hub name as it is asked for."""
    return {"model": str(expand_home(place)) if place.startswith("~") else place}


def problem_words(event: Mapping[str, Any]) -> str:
    """Say why a case has no rewards, from what came of it; "" where it has some."""
    if event["event"] == "died":
        return f"The scoring process ended without a word (exit code {event['code']}); see {LOG} in the workspace."
    if event["event"] == "failed":
        return InspectError.of(event["error"]).words
    if event["event"] == "scored" and event["rewards"] is None:
        return f"{event['scorer']} cannot score it: {event['reason']}."
    return ""
