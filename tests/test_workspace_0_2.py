"""Files that version 0.2 wrote are read: `data/workspace-0.2.zip`, which `capturing/workspace_0_2.py` makes."""

import asyncio
import json
import platform
import re
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from capturing.main import ROOT
from capturing.old_workspace import MODEL
from capturing.plan import SPACE
from capturing.workspace_0_2 import (
    ADAPTED_PRM,
    CRITIC,
    GENERATIVE,
    JUDGE,
    OWN_PROMPT,
    PARTIAL_PRM,
    PRM,
    RATER,
    TRUNCATING_PRM,
    VERSION,
)
from inspector import analyses
from inspector.render import analysis_list
from inspector.state.remembered import _file_name
from kept_workspace import STATE, KeptWorkspace, app, at_home, other_values, own_keys, said_now
from opened import inspected
from scoring.data import own_columns, reward_transforms
from scoring.metrics import own
from scoring_process import only, ran_here
from screen_text import press, screen_text
from servers import fault_server
from thoroughness import also

WORKSPACE = KeptWorkspace(VERSION, "kept-0.2")
CONTENT, EXPECTED = WORKSPACE.content, WORKSPACE.expected
_SOME = re.compile(
    r"scorers|benchmarks|timeline|triage|trees|shelves|cases --benchmark (\S+ --jsonl -w|processbench --plugin)"
    r"|export (variants|rewards|triage .* csv|cases .* (prmbench|ledgers|processbench))|cases --slice 'by"
    r"|metrics .*(grben|plugin|both)|stress|taxonomy|show .*(answers|original|prompt|variants|long)"
)
SOME = [name for name, document in EXPECTED.items() if _SOME.match(document["line"])]
"""Each kind of file is read by at least one of these."""


@pytest.fixture(autouse=True)
def _no_plugin_stays():
    """Forget what a plugin brought when a test ends."""
    with ExitStack() as stack:
        for kept in (own._KEPT, own_columns._KEPT, reward_transforms._OWN, analyses._OWN, analysis_list.OWN):
            stack.enter_context(patch.dict(kept))
        yield


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The unpacked zip as the current folder; ann is at work."""
    return _at_work(WORKSPACE.unpack(tmp_path / "kept"), monkeypatch)


@pytest.fixture(scope="module")
def _unpacked(tmp_path_factory):
    return WORKSPACE.unpack(tmp_path_factory.mktemp("kept"))


@pytest.fixture
def read_only(_unpacked, monkeypatch):
    """The same folder for all tests that write nothing, which is checked."""
    yield _at_work(_unpacked, monkeypatch)
    assert rewritten(_unpacked) == []


def _at_work(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in at_home(folder).items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("PRM_INSPECT_WORKSPACE", raising=False)
    monkeypatch.chdir(folder)
    return folder


def rewritten(folder: Path) -> list[str]:
    """Return the files of the workspace that were changed, deleted or added; caches do not count."""
    now = {path.relative_to(folder).as_posix(): path for path in (folder / SPACE).rglob("*") if path.is_file()}
    before = {name for name in CONTENT if name.startswith(f"{SPACE}/")}
    added = [
        name for name in now if name not in before and not {"derived", "fingerprints.json"} & set(Path(name).parts)
    ]
    return added + [name for name in before if name not in now or now[name].read_bytes() != CONTENT[name]]


def rows_of(line: str) -> list[dict[str, Any]]:
    """Return the rows of a command that prints JSON lines."""
    said = said_now(line)
    assert said.code == 0, said.err
    return [json.loads(row) for row in said.out.splitlines()]


# -- opened


@pytest.mark.parametrize("name", dict.fromkeys([*SOME, *also(*EXPECTED)]))
def test_every_command_says_what_0_2_said(name, read_only):
    document = EXPECTED[name]
    assert WORKSPACE.unintended(document, said_now(document["line"])) == []


def test_nothing_in_the_zip_describes_a_machine():
    for name, data in CONTENT.items():
        assert re.search(rb"/(root|work|home|Users)/|sk-\w{8}|api_key", data) is None, name
        assert "/sessions/" not in name


BOARD = {"theme": "prm-light-contrast", "focus": ("receipts", "small-prm"), "grouped": True, "interval": False}
LIST = {"condition": True, "slices": True, "zoom is on f6": True, "beside each other": True}
"""How ann left the board and the list of cases."""


async def board(folder: Path) -> dict[str, Any]:
    async with app(folder) as pilot:
        screen, now = screen_text(pilot.app).splitlines(), inspected(pilot)
        return {
            "theme": pilot.app.theme,
            "focus": (now.focus.benchmark, now.focus.scorer),
            "grouped": any("rows by scorer" in line for line in screen[:2]),
            "interval": "95%" in "\n".join(screen),
        }


async def cases(folder: Path) -> dict[str, Any]:
    seen = {}
    async with app(folder, "processbench") as pilot:
        await press(pilot, "g", "l")
        whole = screen_text(pilot.app)
        await press(pilot, "f6")
        seen["zoom is on f6"] = screen_text(pilot.app) != whole
        await press(pilot, "colon", "up")
        seen["condition"] = "n_steps > 3 AND final_answer_correct" in screen_text(pilot.app)
        await press(pilot, "escape", "v", "s")
        names = screen_text(pilot.app)
        seen["slices"] = "right in the end" in names and "by margin" in names
        await press(pilot, "escape", "enter")
        case = screen_text(pilot.app)
        seen["beside each other"] = "A careful" in case and "B checkpoint-100" in case
    return seen


async def focus_of_the_demo(folder: Path) -> str | None:
    async with app(folder, "demo", workspace=None) as pilot:
        return inspected(pilot).focus.scorer


async def test_the_app_looks_as_ann_left_it(read_only):
    assert await board(read_only) == BOARD
    assert await cases(read_only) == LIST
    assert await focus_of_the_demo(read_only) == "blend"


OWN_KEYS = {"zoom": "F6", "next-case": "n, F5", "table.down": "down, j, Ctrl+n"}


def test_its_keymap_is_followed(read_only):
    assert own_keys(OWN_KEYS) == OWN_KEYS


def test_the_file_that_remembers_a_workspace_has_the_same_name():
    assert Path(WORKSPACE.remembered).name == _file_name(VERSION.folder / SPACE)


# -- triaged, imported into, restored


async def test_people_go_on_with_triage_and_take_back_what_was_said_before(folder, monkeypatch):
    line = f"triage --jsonl -w {SPACE} -q"
    before = rows_of(line)
    # Undo takes back what its author did on the same machine.
    monkeypatch.setattr(platform, "node", lambda: "workstation")
    async with app(folder, "processbench") as pilot:
        await press(pilot, "g", "l", "u")
    monkeypatch.setenv("PRM_INSPECT_USER", "kim")
    async with app(folder, "processbench") as pilot:
        await press(pilot, "g", "l", "g", "t", "enter", "1")
        await press(pilot, "a", *"odd", "enter")
    after = rows_of(line)
    # The last thing that ann did was to rule about this case; undo knows no benchmarks.
    assert [row for row in before if row not in after] == [row for row in before if row["case"] == "ledgers/page-1"]
    assert [(row["who"], row["ruling"], row["note"]) for row in after if row not in before] == [
        ("kim", "model wrong", None),
        ("kim", None, "odd"),
    ]
    kept = f"{SPACE}/triage/%s-workstation.jsonl"
    assert (folder / (kept % "zoe")).read_bytes() == CONTENT[kept % "zoe"]
    assert (folder / (kept % "ann")).read_bytes().startswith(CONTENT[kept % "ann"])


CONTRADICTING = (
    *("rewards.jsonl --rewards careful=careful --benchmark processbench", "mr-eval.jsonl", "answers-0.jsonl --run 0"),
    "ledgers.csv --mapping files/ledgers-mapping.json",
)


def taken_over() -> list[Path]:
    """Import results that contradict those of the same scorers, and return the parts that are new."""
    parts = set(Path("again/rewards").glob("*/*.parquet"))
    assert {said_now(f"import files/other/{line} -w again -q").code for line in CONTRADICTING} <= {1, 2}
    return sorted(set(Path("again/rewards").glob("*/*.parquet")) - parts)


def test_results_that_contradict_what_was_imported_are_not_taken(folder):
    assert taken_over() == []


def restored() -> tuple[int, list[list[float]]]:
    """Bring back what lies in the trash; how many cases and which rewards came."""
    for name in ("quick", "hard2verify"):
        said_now(f"restore {name} -w {SPACE} -q")
    said = said_now(f"cases --benchmark hard2verify --jsonl -w {SPACE} -q").out
    case = f"show processbench/math-0 --scorer quick --jsonl -w {SPACE} -q"
    rewards = [json.loads(row).get("quick.reward") for row in said_now(case).out.splitlines()]
    return len(said.splitlines()), rewards


RESTORED = 2, json.loads(CONTENT["files/rewards.jsonl"].splitlines()[4])["quick"]


def test_what_was_removed_comes_back(folder):
    assert restored() == RESTORED


# -- scored further


@pytest.fixture
def with_model(folder):
    (folder / "models").mkdir()
    (folder / MODEL).symlink_to(ROOT / "assets" / "demo" / MODEL, target_is_directory=True)
    return folder


@pytest.mark.parametrize("line", [PRM, TRUNCATING_PRM, ADAPTED_PRM])
def test_a_prm_has_nothing_left_to_do_and_is_not_loaded(line, with_model, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    code, events, err = ran_here(*line.split())
    start = only(events, "start")
    assert (code, start["to_do"]) == (int(start["refused"] > 0), 0), err


def test_a_prm_scores_what_is_missing_and_nothing_else(with_model):
    pytest.importorskip("torch")
    before = rewritten(with_model)
    code, events, err = ran_here(*PARTIAL_PRM.split())
    start = only(events, "start")
    assert (code, start["cached"], start["to_do"]) == (0, 1, 2), err
    (part,) = set(rewritten(with_model)) - set(before)
    assert re.fullmatch(rf"{SPACE}/rewards/small-prm-b4be9eb7/part-\w+\.parquet", part)


@pytest.mark.parametrize(
    ("line", "cached", "to_do", "requests"),
    [(CRITIC, 8, 0, 0), (RATER, 4, 4, 4), (OWN_PROMPT, 5, 0, 0), (JUDGE, 3, 0, 0), (GENERATIVE, 2, 1, 8)],
)
def test_a_critic_is_asked_for_what_is_missing_and_nothing_else(line, cached, to_do, requests, folder):
    with fault_server.running() as server:
        code, events, err = ran_here(*line.split(), "--server", server.url)
        start = only(events, "start")
        assert (start["cached"], start["to_do"], server.seen.paths["/v1/chat/completions"]) == (cached, to_do, requests)
        assert code == 0 or to_do, err


# -- every kind of file is read


def altered(name: str, data: bytes) -> bytes | None:
    """Return a member's bytes with another value in them; None to delete it."""
    if name.endswith(".parquet"):
        return other_values(data)
    if "/triage/" in name:
        kept = (line for line in data.splitlines(keepends=True) if b'"rule"' not in line and b'"tag"' not in line)
        return b"".join(kept)
    for old, new in ((b"n_steps > 3", b"n_steps > 4"), (b'"about": "', b'"about": "Not '), (b'"read": ', b'"read": 1')):
        if old in data:
            return data.replace(old, new)
    return None


READERS = {
    "*/workspace.json": ("benchmarks",),
    "*/trash/*": (),
    "*/variants/rewards/*": ("show .* --variants", "stress"),
    "*/data/*/variants/*": ("export variants --benchmark demo",),
    "*/variants/*": ("export variants --to",),
    "*/processbench/*.parquet": ("export cases --benchmark processbench", "cases --benchmark processbench"),
    "*/benchmarks/*.parquet": ("cases --benchmark {folder}", "(export )?cases --benchmark"),
    "*/import.json": ("benchmarks",),
    "*/scorer.json": ("scorers",),
    "*/part-*": ("export rewards", "cases --benchmark", "timeline"),
    "*/votes-*": ("cases --benchmark", "show .* --answers"),
    "*/prompts/*": ("show .* --prompt",),
    "*/workspace/triage/*": ("triage --jsonl",),
    "*/data/*/triage/*": ("triage --benchmark demo",),
    "*/slices.json": ("cases --slice",),
}
"""Which commands read a file; the first are the soonest to notice that it is another one."""
UNREAD = ("sources.json", "copied.txt")
"""The first is only read by the version that wrote it, to import sooner; the second is for people."""


def _noticed(name: str, folder: Path) -> bool:
    """Return whether anything that reads the member says something else than it did."""
    if name.endswith("/keymap.toml"):
        return own_keys(OWN_KEYS) != OWN_KEYS
    if name.endswith("/demo.json"):
        return asyncio.run(focus_of_the_demo(folder)) != "blend"
    if name.startswith(str(STATE)):
        return asyncio.run(board(folder)) != BOARD
    if name.endswith("/imports.json"):
        return taken_over() != []
    if name.endswith("/removed.json"):
        return restored() != RESTORED
    return any(
        WORKSPACE.unintended(document, said_now(document["line"])) for document in WORKSPACE.readers(name, READERS)
    )


_GENERATIONS = sorted({Path(name).parts[3] for name in WORKSPACE.members if "/benchmarks/processbench/gen-" in name})


def _worth_altering(name: str) -> bool:
    """Return whether the member is one of a kind that is read.

    Of prompts only the user's own cannot be made again. Of a benchmark's generations commands read the newest, and the
    one before it in `first`.
    """
    if any(f"/{generation}/" in name for generation in _GENERATIONS[:-2]):
        return False
    if "/prompts/" in name:
        return CONTENT[name] == CONTENT["files/prompt.txt"]
    return not name.endswith(UNREAD) and ("/trash/" not in name or name.endswith("removed.json"))


KINDS = WORKSPACE.of_each_kind(filter(_worth_altering, WORKSPACE.members))


@pytest.mark.parametrize(
    "name",
    dict.fromkeys(
        [
            # What only the app reads takes a second each.
            *(name for name in KINDS if str(STATE) not in name),
            *also(*filter(_worth_altering, WORKSPACE.members)),
        ]
    ),
)
def test_no_file_is_kept_in_vain(name, folder):
    new = altered(name, CONTENT[name])
    assert new != CONTENT[name]
    WORKSPACE.replace_member(folder, name, new)
    assert _noticed(name, folder)
