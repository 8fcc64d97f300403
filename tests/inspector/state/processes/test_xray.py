import json
import subprocess
import sys
import time
from threading import Thread
from types import MappingProxyType

import pytest

import making
from inspector.state.processes import xray
from inspector.state.processes.job import Job
from inspector.state.processes.xray import XrayQuestion
from scoring.selection.loading import load
from scoring.selection.query import Query


@pytest.fixture(scope="module")
def demo():
    return load(Query(benchmarks=("demo",)))


def scorer_of(results, name):
    return results.evaluation(name).scorer


def test_the_demos_prm_tells_its_tokens(demo):
    pytest.importorskip("tokenizers")
    found = XrayQuestion(demo, 0, scorer_of(demo, "tiny-prm-s")).answer()
    assert (found.case, found.scorer, found.problem) == (demo.cases["case"][0], "tiny-prm-s", "")
    read = [token for token in found.answer["tokens"] if token["read"]]
    assert [token["step"] for token in read] == list(range(demo.cases["n_steps"][0]))
    assert found.notes == ()


@pytest.mark.parametrize(("name", "said"), [("ledger", "ledger is a baseline: tokens are read by PRMs.")])
def test_who_reads_no_tokens_says_so(demo, name, said):
    found = XrayQuestion(demo, 0, scorer_of(demo, name)).answer()
    assert found.answer is None
    assert found.problem.startswith(said)


def test_weights_that_lie_nowhere_are_told_with_the_command(demo):
    files = MappingProxyType({"files": {"config.json": "0" * 64}})
    found = XrayQuestion(demo, 0, making.scorer("gone", kind="prm", settings={"weights": files})).answer()
    assert "gone is known by digests of its weights, and not where they lie." in found.problem
    assert f"prm-inspect show {found.case} --explain --model" in found.problem


class Said(Job):
    """A process that writes these lines and ends."""

    lines: tuple[str, ...] = ()

    def __init__(self, _words, log=None):
        code = f"print({chr(10).join(self.lines)!r})"
        self._process = subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL
        )


@pytest.mark.parametrize(
    ("event", "problem"),
    [
        (
            {
                "event": "end",
                "status": "failed",
                "error": {"sentence": "This needs a package.", "next_step": "Get it."},
            },
            "This needs a package. Get it.",
        ),
        (None, "The scoring process ended without a word (exit code 0)."),
    ],
)
def test_what_went_wrong_is_a_sentence(demo, monkeypatch, event, problem):
    monkeypatch.setattr(xray, "Job", Said)
    monkeypatch.setattr(Said, "lines", (json.dumps(event),) if event else ())
    assert XrayQuestion(demo, 0, scorer_of(demo, "tiny-prm-s")).answer().problem == problem


def test_a_question_that_is_called_off_ends_at_once(demo, monkeypatch):
    class Slow(Said):
        def __init__(self, _words, log=None):
            self._process = subprocess.Popen(
                [sys.executable, "-c", "import time; time.sleep(60)"], stdout=subprocess.PIPE, stderr=log
            )

    monkeypatch.setattr(xray, "Job", Slow)
    question = XrayQuestion(demo, 0, scorer_of(demo, "tiny-prm-s"))
    thread = Thread(target=question.answer)
    start = time.monotonic()
    thread.start()
    while question._job is None:
        time.sleep(0.01)
    question.call_off()
    thread.join(20)
    assert not thread.is_alive()
    assert time.monotonic() - start < 20


def test_a_question_called_off_before_it_began_starts_nothing(demo, monkeypatch):
    monkeypatch.setattr(xray, "Job", None)
    question = XrayQuestion(demo, 0, scorer_of(demo, "tiny-prm-s"))
    question.call_off()
    assert question.answer().answer is None
