"""Asking a scoring process for the tokens of a case, from where nothing may block.

Tokenizers and everything of weight stay in the other process (`python -m scoring explain --tokens-only`).
"""

import subprocess
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from inspector.state.processes.job import Job
from inspector.state.processes.scoring_words import failed
from inspector.state.processes.weights_place import other_settings, place_of
from scoring.data.errors import UsageError
from scoring.data.scorer import Scorer
from scoring.models.prms.output_labels import OPTION
from scoring.selection.result_set import ResultSet

BY_HAND = "prm-inspect show {case} --explain --model DIR_OR_ID"
"""The command that shows the same for a checkpoint that is named."""


class XrayAnswer(Struct, frozen=True, eq=False):
    """The tokens that a scorer is shown of a case, once they are known.

    `answer` is what `scoring.runs.prm_reports.explain` tells, `problem` a sentence where there is none; with neither,
    the answer is still awaited. `notes` are sentences about the answer.
    """

    case: str
    scorer: str
    answer: Mapping[str, Any] | None = None
    problem: str = ""
    notes: tuple[str, ...] = ()


class XrayQuestion:
    """The tokens of one case, asked for one scorer: a process that is started by `answer` and can be called off."""

    def __init__(self, results: ResultSet, row: int, scorer: Scorer) -> None:
        self.case = str(results.cases["case"][row])
        self.scorer = scorer
        self._root = results.loaded.workspace.root
        self._benchmark = str(results.cases["benchmark"][row])
        self._job: Job | None = None
        self._off = False

    def answer(self) -> XrayAnswer:
        """Start the process and wait for what it says; never raises what a person could cause."""
        try:
            words = self._words()
        except UsageError as error:
            return self._without(f"{error.sentence} In a shell: {BY_HAND.format(case=self.case)}")
        if self._off:
            return self._without("")
        # What libraries print must not reach the screen; what went wrong is in the events too.
        self._job = Job(words, log=subprocess.DEVNULL)
        answer, problem = None, ""
        for event in self._job.events():
            if event["event"] == "end":
                problem = failed(event)
            else:
                answer = event
        code = self._job.wait()
        if answer is None:
            return self._without(problem or f"The scoring process ended without a word (exit code {code}).")
        notes = (*answer["notes"], *other_settings(self.scorer, answer), *xray_problems(answer))
        return XrayAnswer(self.case, self.scorer.name, answer, notes=notes)

    def call_off(self) -> None:
        """End the process at once: nobody waits any more."""
        self._off = True
        if self._job is not None:
            self._job.end()

    def _words(self) -> list[str]:
        if self.scorer.kind != "prm":
            raise UsageError(f"{self.scorer.name} is a {self.scorer.kind}: tokens are read by PRMs.", "")
        model, revision, dtype, reference = place_of(self.scorer, self._root)
        root = ["--workspace", str(self._root)] if self._root else []
        words = ["explain", self.case, *root, f"--benchmark={self._benchmark}", "--tokens-only", "--model", model]
        adapter = self.scorer.settings.get("adapter")
        words += ["--revision", revision] if revision else []
        words += ["--adapter", str(adapter)] if adapter else []
        words += ["--reference", reference] if reference else []
        words += ["--option", f"{OPTION}={outputs}"] if (outputs := self.scorer.settings.get(OPTION)) else []
        return words if dtype == "auto" else [*words, "--dtype", dtype]

    def _without(self, problem: str) -> XrayAnswer:
        return XrayAnswer(self.case, self.scorer.name, problem=problem)


def xray_problems(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is to be said of the case's tokens, and why the case is refused if it is."""
    yield from answer["warnings"]
    if answer["refused"]:
        steps = answer["steps"]
        rest = f"shown are its first {steps} steps" if steps else "so there are no tokens"
        yield f"the case is refused: {answer['refused']}; {rest}"
