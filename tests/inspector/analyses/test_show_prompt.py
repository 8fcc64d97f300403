"""`show --prompt` and the pane of a critic: what is shown is, letter for letter, what the server was sent."""

import json

import polars as pl
import pytest

import authored
from inspector import cli
from inspector.case_page.open_case import DisplayOptions
from inspector.case_page.vote_page import answers_to, vote_page
from inspector.render.charts.glyphs import Glyphs
from inspector.state.opening import inspect
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.cache import VoteParts
from scoring_process import jobs_here
from servers.fault_server import running

pytest.importorskip("httpx")
OWN = "<<system>>\nYou judge $x^2$.\n<<user>>\nProblem: {problem}\n\n{steps}\n\nAnswer in \\boxed{}."


@pytest.fixture
def run(tmp_path, capsys, monkeypatch):
    """A workspace of four cases; runs commands on it, and gives what they print."""
    monkeypatch.chdir(tmp_path)
    file = authored.write(tmp_path / "sums.json", authored.rows(4))

    def call(*words, code=0):
        with jobs_here():
            assert cli.main([*words, "-w", str(tmp_path / "space")]) == code
        return capsys.readouterr()

    call("import", str(file), "-q")
    return call


def shown(run, case):
    document = json.loads(run("show", case, "--prompt", "--json", "-q").out)
    messages = [{"role": row["role"], "content": row["text"]} for row in document["rows"]]
    return messages, document["provenance"]


@pytest.mark.parametrize(("template", "protocol"), [(None, "prmbench"), (OWN, "processbench")])
def test_the_messages_are_those_that_the_server_saw(run, tmp_path, template, protocol):
    file = tmp_path / "mine.txt"
    file.write_text(template or "")
    words = ["score", "processbench", "--critic", protocol, "--votes", "2"] if protocol == "processbench" else [
        "score", "processbench", "--critic", protocol]  # fmt: skip
    words += [f"--template={file}"] if template else []
    with running() as server:
        run(*words, "--server", server.url, "-q")
        bodies = server.seen.bodies
    # Whatever becomes of the file: what was sent is what is shown.
    file.write_text("Another {problem} {steps}")
    sent = {json.dumps(body["messages"]) for body in bodies}
    cases = [f"processbench/sums-{number}" for number in range(4)]
    found = [shown(run, case) for case in cases]
    assert {json.dumps(messages) for messages, _ in found} == sent
    assert len(sent) == 4
    for messages, facts in found:
        assert facts["exact"] == [True]
        assert facts["kept"]
        assert messages[-1]["role"] == "user"
    assert len(list((tmp_path / "space" / "prompts").iterdir())) == 1


def test_without_the_template_that_was_kept_it_is_rebuilt_and_held_against_the_hash(run, tmp_path):
    with running() as server:
        run("score", "processbench", "--critic", "processbench", "--server", server.url, "-q")
        sent = {json.dumps(body["messages"]) for body in server.seen.bodies}
    (path,) = (tmp_path / "space" / "prompts").iterdir()
    # One that was changed is not taken for what was sent.
    path.write_text(OWN)
    messages, facts = shown(run, "sums-2")
    assert json.dumps(messages) in sent
    assert (facts["kept"], facts["exact"]) == (False, [True])
    path.unlink()
    messages, facts = shown(run, "sums-2")
    assert json.dumps(messages) in sent
    assert (facts["kept"], facts["exact"]) == (False, [True])
    assert facts["notes"][0].startswith("exactly as it was sent: rebuilt from this version's template processbench.txt")
    (folder,) = (tmp_path / "space" / "rewards").glob("*/")
    (part,) = VoteParts(folder).parts()
    VoteParts(folder).append(VoteParts(folder).part(part).with_columns(prompt=pl.lit("0" * 32)))
    told = run("show", "sums-2", "--prompt")
    assert "WARNING: this is not what was sent" in " ".join(told.out.split())
    assert shown(run, "sums-2")[1]["exact"] == [False]


def test_a_template_that_was_not_kept_is_said_and_can_be_kept_without_asking_again(run, tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text(OWN)
    with running() as server:
        words = (
            "score",
            "processbench",
            "--critic",
            "processbench",
            "--server",
            server.url,
            f"--template={file}",
            "-q",
        )
        run(*words)
        for path in (tmp_path / "space" / "prompts").iterdir():
            path.unlink()
        told = run("show", "sums-1", "--prompt", code=2).err
        assert "was not kept when it was asked" in told
        assert told.count("\n") == 1
        before = server.seen.paths["/v1/chat/completions"]
        run(*words)
        assert server.seen.paths["/v1/chat/completions"] == before
    assert shown(run, "sums-1")[1]["exact"] == [True]


def test_the_pane_folds_the_prompt_and_shows_it_as_it_was_sent(run, tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text(OWN)
    with running() as server:
        run("score", "processbench", "--critic", "processbench", "--server", server.url, f"--template={file}", "-q")
    state = inspect(load(Query(workspace=str(tmp_path / "space"))))
    page = vote_page(state, 1, answers_to(state, 1), 0, DisplayOptions(70, Glyphs(False)))
    folded = ["".join(text for text, _ in line.parts) for line in page.page(unfolded=frozenset(), chosen=None).lines]
    assert folded[0].startswith("▸ prompt, exactly as sent, ")
    assert "boxed" in " ".join(folded)
    whole = page.page(unfolded=frozenset({0}), chosen=None)
    lines = ["".join(text for text, _ in line.parts).strip() for line in whole.lines]
    assert "Sampling: temperature 0.0, max_tokens 8192, seed 42." in lines
    # Not even a formula is shown otherwise than it was sent, and steps that it names lead nowhere.
    assert lines[lines.index("[system]") + 1] == "You judge $x^2$."
    assert len(whole.spots) == len(page.page(unfolded=frozenset(), chosen=None).spots)


@pytest.mark.parametrize(
    ("words", "said"), [(["--scorer", "blend"], "it is sent no prompt"), ([], "--prompt is about one critic")]
)
def test_who_is_sent_no_prompt_is_told_so(capsys, words, said):
    assert cli.main(["show", "algebra-012", "--benchmark", "demo", "--prompt", *words]) == 2
    assert said in capsys.readouterr().err
