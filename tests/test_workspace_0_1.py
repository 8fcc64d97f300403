"""What version 0.1 wrote is read: `data/workspace-0.1.zip`, which `capturing/workspace_0_1.py` had it write."""

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from capturing.comparing import Difference, Said
from capturing.main import ROOT
from capturing.old_workspace import MODEL
from capturing.plan import KEPT, SPACE
from capturing.workspace_0_1 import CRITIC, PRM, RATER, VERSION
from inspector import cli
from inspector.state.kept_answers import kept_answers
from inspector.state.remembered import _file_name
from inspector.widgets.frame_table import FrameTable
from kept_workspace import STATE, KeptWorkspace, app, at_home, other_values, own_keys, said_now
from opened import inspected
from scoring.runs.prompts import sent
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring_process import captured, only, ran_here
from screen_text import press, screen_text
from servers import fault_server
from thoroughness import also

WORKSPACE = KeptWorkspace(VERSION, KEPT)
CONTENT, EXPECTED, MEMBERS = WORKSPACE.content, WORKSPACE.expected, WORKSPACE.members
_SOME = re.compile(
    r"scorers|benchmarks|votes|triage|keys|cases --benchmark p.* workspace|show (\S+ -w|p.*(answers|original))"
    r"|cases --slice 'by"
    r"|export (rewards .* steady|triage .* csv|cases .* first)|import .*(rewards|saved)"
)
SOME = [name for name, document in EXPECTED.items() if _SOME.match(document["line"])]
"""Every kind of file is read by one of these."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where the zip is unpacked, as the current folder; ann is at work."""
    return _at_work(WORKSPACE.unpack(tmp_path / "kept"), monkeypatch)


@pytest.fixture(scope="module")
def _kept(tmp_path_factory):
    return WORKSPACE.unpack(tmp_path_factory.mktemp("kept"))


@pytest.fixture
def read_only(_kept, monkeypatch):
    """The same for all tests that change nothing."""
    return _at_work(_kept, monkeypatch)


def _at_work(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in at_home(place).items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("PRM_INSPECT_WORKSPACE", raising=False)
    monkeypatch.chdir(place)
    return place


# -- opened


def said_otherwise(document: dict[str, Any]) -> list[Difference] | list[str]:
    """In what the program says, in the current folder, something else than 0.1 did, and is not meant to.

    A page of a case looks otherwise; what was said of a scorer below it, and is not now, is what counts.
    """
    said = said_now(document["line"])
    if (
        document["line"].startswith("show ")
        and "--original" not in document["line"]
        and (lost := _lost(document, said))
    ):
        return lost
    return WORKSPACE.unintended(document, said)


def _lost(document: dict[str, Any], said: Said) -> list[str]:
    """What 0.1 said of a scorer below a case, and the program does not."""
    known = {row["scorer"] for row in json.loads(EXPECTED["expected/00-scorers---json.json"]["out"])["rows"]}
    now = " ".join(said.out.split())
    lines = re.findall(r"^ *(?:\d+ {2,})?(\S+) {2,}(\S.*?) *$", document["out"], re.MULTILINE)
    told = [(name, " ".join(words.split())) for name, words in lines if name in known]
    assert told, document["line"]
    # A glyph of the outcome stands between them now.
    return [words for name, words in told if not re.search(rf"{re.escape(name)} (?:\S )?{re.escape(words)}", now)]


def test_what_its_critics_were_sent_is_made_again_letter_for_letter(read_only):
    results = load(Query(workspace=str(read_only / SPACE)))
    fits = []
    for name in ("tiny-prmbench", "tiny-processbench-t1"):
        for row in range(results.evaluated.height):
            texts, scorer = results.loaded.texts.row(row), results.evaluation(name).scorer
            for answer in kept_answers(results, name, row).iter_rows(named=True):
                found = sent(results.loaded.workspace.root, scorer, {}, texts, answer)
                fits.append(found.fits and not found.kept)
    assert fits == [True] * 55


def test_nothing_of_a_machine_is_in_the_zip():
    for name, data in CONTENT.items():
        assert re.search(rb"/(root|work|home|Users)/|sk-\w{8}|api_key", data) is None, name


@pytest.mark.parametrize("name", dict.fromkeys([*SOME, *also(*EXPECTED)]))
def test_every_command_says_what_0_1_said(name, read_only):
    assert said_otherwise(EXPECTED[name]) == []


BOARD = {
    "theme": "prm-light-contrast",
    "focus": ("ledgers", "proof-reader"),
    "grouped": True,
    "columns": "scorer benchmark subset metric score on_wrong on_right bias outcomes threshold coverage",
}
LIST = {
    "columns": "case steps gold pred outcome rewards",
    "zoom is on f6": True,
    "condition": True,
    "slice": ("4 of 8 cases", "lowest margin first"),
    "beside each other": True,
}
"""How ann left the board and the list of the cases of a benchmark."""


async def board(place: Path) -> dict[str, Any]:
    async with app(place) as pilot:
        screen, now = screen_text(pilot.app).splitlines(), inspected(pilot)
        return {
            "theme": pilot.app.theme,
            "focus": (now.focus.benchmark, now.focus.scorer),
            "grouped": any("rows by scorer" in line for line in screen[:2]),
            "columns": " ".join(column.name for column in pilot.app.screen.query_one(FrameTable).columns_shown),
        }


async def cases(place: Path) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    async with app(place, "processbench") as pilot:
        await press(pilot, "g", "l")
        whole = screen_text(pilot.app)
        # There may be room for more of them than there was.
        shown = pilot.app.screen.query_one(FrameTable).columns_shown
        seen["columns"] = " ".join(column.title for column in shown[:6])
        await press(pilot, "f6")
        seen["zoom is on f6"] = screen_text(pilot.app) != whole
        await press(pilot, "colon", "up")
        seen["condition"] = "n_steps > 3 AND final_answer_correct" in screen_text(pilot.app)
        await press(pilot, "escape", "v", "s", "2")
        title = screen_text(pilot.app)
        seen["slice"] = tuple(words for words in LIST["slice"] if words in title)
        await press(pilot, "enter")
        case = screen_text(pilot.app)
        seen["beside each other"] = "A hasty" in case and "B steady" in case
    return seen


async def focus_of_the_demo(place: Path) -> str | None:
    async with app(place, "demo", workspace=None) as pilot:
        return inspected(pilot).focus.scorer


async def test_the_app_looks_as_ann_left_it(read_only):
    assert await board(read_only) == BOARD
    assert await cases(read_only) == LIST
    assert await focus_of_the_demo(read_only) == "blend"


def test_the_file_of_what_is_remembered_has_the_same_name():
    assert Path(WORKSPACE.remembered).name == _file_name(VERSION.folder / SPACE)


# -- triaged, and scored, further


async def test_a_third_person_rules_beside_the_two(folder, monkeypatch):
    before = _said("triage")
    monkeypatch.setenv("PRM_INSPECT_USER", "kim")
    async with app(folder, "processbench") as pilot:
        await press(pilot, "g", "l", "g", "t", "enter", "1")
        assert "model wrong on" in screen_text(pilot.app)
    after = _said("triage")
    assert [row for row in after if row["who"] != "kim"] == before
    assert [row["ruling"] for row in after if row["who"] == "kim"] == ["model wrong"]
    for name in ("ann", "zoe"):
        kept = f"{SPACE}/triage/{name}-workstation.jsonl"
        assert (folder / kept).read_bytes() == CONTENT[kept]


def _said(what: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(captured(lambda: cli.main([what, "--json", "-w", SPACE]))[1])["rows"]
    return rows


def test_a_prm_has_nothing_left_to_do_and_is_not_loaded(folder, monkeypatch):
    (folder / "models").mkdir()
    (folder / MODEL).symlink_to(ROOT / "assets" / "demo" / MODEL, target_is_directory=True)
    monkeypatch.setitem(sys.modules, "torch", None)
    code, events, err = ran_here(*PRM.split())
    assert (code, only(events, "start")["to_do"]) == (0, 0), err


@pytest.mark.parametrize("line", [CRITIC, RATER])
def test_a_critic_has_nothing_left_to_ask(line, folder):
    with fault_server.running() as server:
        code, events, err = ran_here(*line.split(), "--server", server.url)
        assert (code, only(events, "start")["to_do"]) == (0, 0), err
        assert server.seen.paths["/v1/chat/completions"] == 0


GENERATIVE = f"score grben --critic rprm --votes 2 --limit 4 -w {SPACE}"


def test_nor_has_a_generative_prm(folder):
    """Asked before one loop ran all scorers, of a server that said Yes."""
    with ZipFile(ROOT / "tests" / "data" / "generative-0.1.zip") as packed:
        packed.extractall(folder / SPACE)
    with fault_server.running() as server:
        code, events, err = ran_here(*GENERATIVE.split(), "--server", server.url)
        start = only(events, "start")
        assert (code, start["cached"], start["to_do"]) == (0, 4, 0), err
        assert server.seen.paths["/v1/chat/completions"] == 0
    assert len(list((folder / SPACE / "rewards").glob("*rprm*"))) == 1


# -- nothing is kept in vain


def altered(name: str, data: bytes) -> bytes | None:
    """A member with a value in it changed; None to take it away."""
    if name.endswith(".parquet"):
        return other_values(data)
    if name.startswith(str(STATE)):
        return None
    for old, new in ((b"n_steps > 3", b"n_steps > 4"), (b'"about": "', b'"about": "Not '), (b'"read": ', b'"read": 1')):
        if old in data:
            return data.replace(old, new)
    if "/triage/" in name:
        kept = (line for line in data.splitlines(keepends=True) if b'"rule"' not in line and b'"tag"' not in line)
        return b"".join(kept)
    return None


READERS = {
    "*/workspace.json": ("benchmarks",),
    "*/processbench/*.parquet": ("export cases --benchmark processbench", "cases --benchmark processbench"),
    "*/benchmarks/*.parquet": ("cases --benchmark {folder}", "(export )?cases --benchmark"),
    "*/import.json": ("benchmarks",),
    "*/scorer.json": ("scorers",),
    "*/imports.json": ("import files/other/ledgers", "import files/other"),
    "*/part-*": ("show prmbench/redundency_case_0 -w", "cases --benchmark", "metrics --benchmark demo"),
    "*/votes-*": ("cases --benchmark ledgers", "cases --benchmark", "show .* --answers"),
    "*/workspace/triage/*": ("triage --json",),
    "*/data/*": ("triage --benchmark demo",),
    "*/slices.json": ("cases --slice",),
}
"""Which commands read a file; the first are the soonest to notice that it is another one."""


def _noticed(name: str, place: Path) -> bool:
    """Whether anything that reads the member says something else than it did."""
    if name.endswith("/keymap.toml"):
        return own_keys(OWN_KEYS) != OWN_KEYS
    if name.endswith("/demo.json"):
        return asyncio.run(focus_of_the_demo(place)) != "blend"
    if name.startswith(str(STATE)):
        return asyncio.run(board(place)) != BOARD
    return any(map(said_otherwise, WORKSPACE.readers(name, READERS)))


OWN_KEYS = {"zoom": "F6", "next-case": "n, F5", "table.down": "down, j, Ctrl+n"}
"""What its keymap gives keys of its own."""


def test_its_keymap_is_followed(read_only):
    assert own_keys(OWN_KEYS) == OWN_KEYS


# What only the app reads takes seconds each.
@pytest.mark.parametrize(
    "name",
    dict.fromkeys(
        [
            *(name for name in WORKSPACE.of_each_kind(MEMBERS) if str(STATE) not in name),
            *also(*MEMBERS),
        ]
    ),
)
def test_nothing_is_kept_in_vain(name, folder):
    new = altered(name, CONTENT[name])
    assert new != CONTENT[name]
    WORKSPACE.replace_member(folder, name, new)
    assert _noticed(name, folder)
