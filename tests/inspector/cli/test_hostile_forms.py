"""What commands print of hostile texts: to a terminal nothing that acts, into a pipe the texts as they are."""

import io
import json
import re
import sys
import unicodedata

import pytest

import hostile_space
from inspector.cli import main
from inspector.cli.command_flags import COMMANDS, FORMS
from thoroughness import together

CASE = "=1+1"
SCORER = ("--scorer", "plain")
WORDS = {
    "benchmarks": (),
    "scorers": (),
    "prms": (),
    "keys": (),
    "stats": (),
    "board": ("--rows", "scorer", "--against", "plain"),
    "metrics": (),
    "thresholds": SCORER,
    "compare": ("plain", "loud"),
    "card": ("loud", "plain"),
    "check": ("loud", "--baseline", "plain", "--fail-if", "n < 0"),
    "breakdown": SCORER,
    "bias": SCORER,
    "highlights": SCORER,
    "contested": (),
    "cases": SCORER,
    "show": (CASE,),
    "similar": (CASE,),
    "votes": ("judge",),
    "reparse": ("judge",),
    "timeline": ("run",),
    "paper": ("processbench",),
    "triage": (),
    "agreement": (),
    "taxonomy": (),
}
WITHOUT_FORMS = {
    "export": ("cases", "--to", "processbench"),
    "best-of-n": (),
    "report": ("--markdown", "--cases", "100"),
    "remove": ("scorer", "\x1b[31337m"),
    "restore": ("scorer", "\x1b[31337m"),
    "prune": ("--yes",),
    "help": ("\x1b[31337m",),
    "completion": ("bash",),
    "watch": ("\x1b[31337m", "--until-idle", "0"),
    "stress": ("loud",),
}
"""They print no document, or here a sentence that says why not."""
FURTHER = {
    "one case, its original": ("show", CASE, "--original"),
    "one case, its answers": ("show", CASE, "--answers"),
    "a check that cannot be decided": ("check", "loud", "--baseline", "plain"),
    "a condition on no figure": ("check", "loud", "--baseline", "plain", "--fail-if", "x\x1b[31337m < 0"),
    "no such case": ("show", "31337"),
    "no such scorer": ("metrics", "--scorer", "\x1b[31337m"),
    "a wrong condition": ("cases", "--where", "x\x1b[31337m"),
    "a search": ("cases", "--search", "31337"),
    "flips": ("thresholds", *SCORER, "--flips", "0.1", "0.9"),
    "no such training run": ("timeline", "\x1b[31337m"),
    "no such training step": ("timeline", "--from", "31337"),
    "a curve": ("thresholds", *SCORER, "--curve"),
    "sets of scorers": ("compare", "plain", "loud", "--upset"),
    "pairs of scorers": ("compare", "plain", "loud", "--pairs"),
    "a cascade": ("compare", "plain", "loud", "--cascade"),
    "what was done to a case": ("triage", CASE),
    "triage for another program": ("export", "triage", "--to", "jsonl"),
    "triage as a table": ("export", "triage", "--to", "csv"),
    "what people say": ("agreement", "--confusion"),
    "where people differ": ("agreement", "--disagreements"),
    "how scorers agree": ("agreement", "--scorers"),
    "notes": ("taxonomy", "--notes"),
    "how categories came": ("taxonomy", "--saturation"),
    "categories by scorer and pattern": ("taxonomy", "--by", "scorer", "--by", "pattern"),
    "a category of a hostile name": ("taxonomy", "--merge", "ann", "31337"),
    "rewards by gold class": ("breakdown", *SCORER, "--of", "rewards"),
    "reliability": ("breakdown", *SCORER, "--of", "reliability"),
    "rewards for another program": ("export", "rewards", "--to", "grben", *SCORER),
}
ELSEWHERE = {
    "import": "tests/test_hostile.py",
    "score": "tests/inspector/cli/test_score.py",
    "doctor": "tests/inspector/cli/test_doctor.py",
    "guide": "tests/inspector/cli/commands/test_guide.py",
    "serve": "tests/inspector/cli/serving/test_server.py",
    "trees": "tests/inspector/cli/test_trees.py",
    "demo": "it holds no text of anybody else",
}
ACTING = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
OWN = re.compile(r"\x1b\[(?!31337)[\d;]*m|\r[^\r\n\x1b]*\x1b\[[KJ]|\x1b\[\d+A\r")
"""Colours, which tables have on a terminal; and how far a command is, on one line, where the machine is busy."""


class Stream(io.TextIOWrapper):
    """Stdout or stderr, of a terminal or of a pipe."""

    def __init__(self, *, terminal: bool) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", errors="surrogateescape")
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    def told(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode("utf-8", errors="surrogateescape")


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    return hostile_space.make(tmp_path_factory.mktemp("forms") / "w\x1b[31337m[red]")


@pytest.fixture
def printed(space, monkeypatch):
    """What a command prints, both streams together, and how it ends."""

    def run(*words, terminal=True):
        streams = Stream(terminal=terminal), Stream(terminal=terminal)
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", streams[0])
            patched.setattr(sys, "stderr", streams[1])
            code = main([*words, "-w", str(space)])
        return code, *(stream.told() for stream in streams)

    return run


def acting(text):
    """The characters of a text that would act on a terminal."""
    return {one for one in OWN.sub("", text) if one != "\n" and unicodedata.category(one) in ACTING}


def test_every_command_is_here():
    assert WORDS.keys() | WITHOUT_FORMS.keys() | ELSEWHERE.keys() == COMMANDS.keys()


@pytest.mark.parametrize(("command", "form"), together(WORDS, ["", "csv"]))
def test_no_document_acts_on_a_terminal(printed, command, form):
    code, out, told = printed(command, *WORDS[command], *([f"--{form}"] if form else []))
    assert code == 0, told
    assert len(out) > 100
    assert acting(out + told) == set()


@pytest.mark.parametrize("words", [*((name, *words) for name, words in WITHOUT_FORMS.items()), *FURTHER.values()])
def test_nothing_else_acts_either(printed, words):
    code, out, told = printed(*words)
    assert code in {0, 2}, told
    assert out or told
    assert acting(out + told) == set()


@pytest.mark.parametrize("form", FORMS)
def test_a_terminal_and_a_pipe_get_the_same_but_for_what_acts(printed, form):
    _, shown, _ = printed("cases", *SCORER, f"--{form}")
    _, piped, _ = printed("cases", *SCORER, f"--{form}", terminal=False)
    assert acting(shown) == set()
    assert acting(piped)
    if form == "json":
        assert json.loads(shown) == json.loads(piped)
    elif form == "jsonl":
        assert [*map(json.loads, shown.splitlines())] == [*map(json.loads, piped.split("\n")[:-1])]
    else:
        assert shown.replace("\ufffd", "")[:40] == piped.replace("\x1b", "␛")[:40]


def test_rows_for_other_programs_mean_the_same_on_a_terminal(printed):
    words = ("export", "cases", "--to", "processbench")
    _, shown, _ = printed(*words)
    _, piped, _ = printed(*words, terminal=False)
    assert shown != piped
    assert [*map(json.loads, shown.splitlines())] == [*map(json.loads, piped.splitlines())]
    assert any("\x1b]0;31337\x07" in json.loads(line)["problem"] for line in piped.splitlines())
