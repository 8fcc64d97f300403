"""`reparse --save` with a critic's own parser, and the note that says when it is due."""

import polars as pl
import pytest

import critic_spaces
from inspector import cli
from inspector.cli.actions import reparsing
from scoring.workspace.cache import VoteParts


@pytest.fixture
def space(tmp_path):
    return critic_spaces.imported(tmp_path)


def older(folder, reason="it was not understood"):
    """As if an older reader had read every answer, and none."""
    for part in VoteParts(folder).parts():
        ballots = pl.lit(None, dtype=pl.String)
        rows = pl.read_parquet(part).with_columns(
            ballot=ballots, verdict=pl.lit(None, dtype=pl.Int32), reason=pl.lit(reason), reader=pl.lit("processbench-0")
        )
        rows.write_parquet(part)


def command(space, *words):
    return cli.main([*words, "-w", str(space)])


def test_an_older_reader_is_noticed_and_its_answers_are_read_again(space, capsys):
    folder = critic_spaces.critic(space, lambda *_: [r"\boxed{1}", "Who knows?"])
    older(folder)
    assert command(space, "scorers") == 0
    again = f"prm-inspect reparse -w {space} --save judge"
    assert f"judge: an older reader has read 24 of its answers. Read them again: {again}" in capsys.readouterr().err
    assert command(space, "reparse", "--save") == 0
    told = capsys.readouterr()
    turned = "12 can be read that could not, 0 can no longer (reader processbench-1)"
    assert f"judge: 24 answers read again, 24 say something else now: {turned}" in told.err
    assert "cannot be read: 12 no box" in told.err
    assert told.out == ""
    assert command(space, "scorers") == 0
    assert "older reader" not in capsys.readouterr().err
    assert VoteParts(folder).read()[0]["verdict"].drop_nulls().to_list() == [1] * 12


def test_nothing_is_read_where_nothing_is_old_unless_it_is_named(space, capsys):
    critic_spaces.critic(space, lambda *_: [r"\boxed{1}"])
    assert command(space, "reparse", "--save") == 0
    assert "Nothing to read again" in capsys.readouterr().err
    assert command(space, "reparse", "--save", "jud") == 0
    assert "judge: 12 answers read again, and none says anything else" in capsys.readouterr().err


def test_answers_that_come_meanwhile_are_warned_of(space, capsys, monkeypatch):
    folder = critic_spaces.critic(space, lambda *_: [r"\boxed{1}"])
    read = reparsing.reparse

    def meanwhile(parts, *rest, **named):
        told = read(parts, *rest, **named)
        rows = VoteParts(folder).read()[0].head(1).with_columns(vote=pl.lit(7, dtype=pl.Int32))
        VoteParts(folder).append(rows)
        return told

    monkeypatch.setattr(reparsing, "reparse", meanwhile)
    assert command(space, "reparse", "--save", "judge") == 0
    assert "WARNING: 1 answer came meanwhile: a run is asking this critic" in capsys.readouterr().err


def test_answers_to_other_cases_are_left_alone_and_told(space, capsys):
    folder = critic_spaces.critic(space, lambda *_: [r"\boxed{1}"])
    rows = VoteParts(folder).read()[0].head(1).with_columns(key=pl.lit("0" * 32))
    VoteParts(folder).append(rows)
    assert command(space, "reparse", "--save", "judge") == 0
    assert "1 answer is to a case that is not here, and was left as it is" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["nobody"], ["imported"]])
def test_what_cannot_be_read_again_is_one_sentence(space, capsys, words):
    critic_spaces.critic(space, lambda *_: [r"\boxed{1}"], name="imported", protocol="processbench")
    path = next((space / "rewards").glob("*/scorer.json"))
    path.write_text(path.read_text().replace('"protocol"', '"unknown"'))
    assert command(space, "reparse", "--save", *words) == 2
    told = capsys.readouterr().err
    assert len(told.strip().splitlines()) == 1
    assert told.startswith("Wrong usage: ")


def test_a_workspace_without_critics_says_so(space, capsys):
    assert command(space, "reparse", "--save", "judge") == 2
    assert "this workspace has no critic" in capsys.readouterr().err
