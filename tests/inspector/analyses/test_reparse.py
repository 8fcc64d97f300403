"""A critic's answers read with another parser: what changes, and what is kept of it."""

import json
import re
import shutil

import polars as pl
import pytest
from msgspec.structs import replace

import critic_spaces
from inspector import cli
from inspector.analyses import Params
from inspector.analyses import load as analysis
from refusals import sentence_of
from scoring.data.scorer import Scorer
from scoring.models.asking import GeneratedAnswer
from scoring.models.critics.answer_parsers import PARSERS, READERS
from scoring.models.fingerprint import fingerprint
from scoring.runs.reparse import readings
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.cache import VoteParts
from scoring.workspace.workspace import Workspace

WRITTEN = (
    r"\boxed{%d}",
    r"so \boxed{\text{paragraph }%d}",
    "Who knows?",
    r"\boxed {%d}",
    r"<think>\boxed{%d}</think> done",
)


def answers(row, run):
    return [WRITTEN[(row + run) % len(WRITTEN)].replace("%d", str(row % 5 - 1))]


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    root = critic_spaces.imported(tmp_path_factory.mktemp("critic"), 60)
    critic_spaces.critic(root, answers)
    return root


@pytest.fixture
def asked(space, capsys):
    """The rows of a command."""

    def rows(*words):
        assert cli.main([*words, "-w", str(space), "--json", "-q"]) == 0
        return json.loads(capsys.readouterr().out)["rows"]

    return rows


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def last_number(text, in_reasoning, around):
    """What a parser finds, told by other means than the parsers': by a pattern over the text's end."""
    if not in_reasoning:
        text = text.rpartition("</think>")[2]
    found = re.findall(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}" if around else r"\\boxed\{([^}]*)\}", text)
    numbers = re.findall(r"-?\d+", found[-1]) if found else []
    return int(numbers[0]) if numbers and (around or numbers[0] == found[-1].strip()) else None


@pytest.mark.parametrize(
    ("parser", "in_reasoning", "around"), [("processbench", True, False), ("loose", True, True), ("grben", False, None)]
)
def test_the_changed_cases_are_those_that_a_slow_reading_finds(asked, space, parser, in_reasoning, around):
    rows = {row["case"]: row for row in asked("reparse", "judge", "--parser", parser, "--cases")}
    cases = asked("cases", "--scorer", "judge")
    kept = VoteParts(next((space / "rewards").glob("judge-*"))).read()[0]
    texts = dict(kept.select("key", "answer").iter_rows())
    for case in cases:
        text = texts[case["key"]]
        # GR-Ben allows a blank before the brace.
        text = re.sub(r"\\boxed\s+", r"\\boxed", text) if around is None else text
        now = last_number(text, in_reasoning, bool(around))
        assert (case["case"] in rows) == (now != case["judge.verdict"])
        if case["case"] in rows:
            row = rows[case["case"]]
            assert (row["verdict_before"], row["verdict_after"]) == (case["judge.verdict"], now)
            right = now == case["earliest_error"]
            assert row["flip"] == ("right" if right else "other")
            assert bool(row["reason_before"]) == (row["verdict_before"] is None)
    assert (len(rows) == 0) == (parser == "processbench")


@pytest.mark.parametrize("name", [name for name, one in PARSERS.items() if one.gives == "earliest error"])
@pytest.mark.parametrize("number", [-3, -1, 0, 1, 7])
def test_what_a_number_means_is_the_prompts_to_say(name, number):
    text = f"\\boxed{{{number}}}"
    from_zero, from_one = (PARSERS[name].read(base)(text, 9).verdict for base in (0, 1))
    assert from_zero == max(number, -2)
    assert from_one == (number - 1 if number > 0 else -1 if number == -1 else -2)


def test_nothing_is_written_and_a_kept_reading_says_the_same_as_its_own_scorer(asked, space, capsys):
    (folder,) = (space / "rewards").glob("judge-*")
    before = files(folder)
    told = {row["metric"]: row for row in asked("reparse", "judge", "--parser", "loose")}
    assert {path.name for path in (space / "rewards").iterdir()} == {folder.name}
    assert cli.main(["reparse", "judge", "--parser", "loose", "--save", "-w", str(space)]) == 0
    assert "judge-loose: 60 answers of judge, read by loose-2" in capsys.readouterr().err
    assert files(folder) == before
    figures = [row for row in asked("metrics") if row["subset"] == "average"]
    own, old = ({row["metric"]: row for row in figures if row["scorer"] == name} for name in ("judge-loose", "judge"))
    pair = {row["metric"]: row for row in asked("compare", "judge-loose", "judge") if row["other"] == "judge"}
    for metric in ("f1", "error_acc", "correct_acc"):
        row = told[metric]
        assert (row["before"], row["after"]) == pytest.approx((old[metric]["value"], own[metric]["value"]), abs=1e-12)
        less = pair[f"{metric}_difference"]
        assert [row[name] for name in ("low", "high")] == pytest.approx([less["low"], less["high"]], abs=1e-12)
        assert row["difference"] == pytest.approx(less["value"], abs=1e-12)
    assert told["error_acc"]["p"] == pair["erroneous_mcnemar"]["p"]
    (made,) = (space / "rewards").glob("judge-loose-*")
    one, other = Scorer.load(folder), Scorer.load(made)
    assert one.fingerprint != other.fingerprint
    assert other.settings == {**one.settings, "parser": "loose-2"}
    # Again: the same scorer, the same answers, once each.
    assert cli.main(["reparse", "judge", "--parser", "loose", "--save", "-w", str(space), "-q"]) == 0
    assert pl.concat(VoteParts(made).part(part) for part in VoteParts(made).parts()).height == 60


def test_a_reading_of_the_parser_that_was_corrected_is_kept_again_where_it_was(space, capsys):
    words = ["reparse", "judge", "--parser", "loose", "--save", "-w", str(space)]
    assert cli.main(words) == 0
    (made,) = (space / "rewards").glob("judge-loose-*")
    now = Scorer.load(made)
    settings = {**now.settings, "parser": "loose-1"}
    before = made.rename(made.with_name(f"judge-loose-{fingerprint(settings)[:8]}"))
    replace(now, settings=settings, fingerprint=fingerprint(settings)).save(before)
    capsys.readouterr()
    assert cli.main(words) == 0
    assert "judge-loose: 60 answers of judge, read by loose-2" in capsys.readouterr().err
    assert list((space / "rewards").glob("judge-loose-*")) == [before]


@pytest.mark.parametrize("page", ["changes", "cases"])
@pytest.mark.parametrize("parser", [None, "loose", "grben"])
def test_every_number_opens_as_many_cases_as_it_says(space, page, parser):
    results = load(Query(workspace=str(space), scorers=("judge",), where=("n_steps > 2",)))
    told = Params(page, {} if parser is None else {"parser": parser})
    links = list(analysis("reparse").view(results, told, intervals=False).links())
    assert links
    for link in links:
        assert (results.mask & results.evaluated.passing(link.where)).sum() == link.n


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    return critic_spaces.imported(tmp_path_factory.mktemp("untouched"), 8)


@pytest.fixture
def eight(untouched, tmp_path):
    """A workspace of eight cases."""
    return shutil.copytree(untouched, tmp_path / "space")


@pytest.fixture
def mixed(eight):
    """The same with a critic that was asked for a step, and one that was asked for numbers."""
    critic_spaces.critic(eight, answers)
    critic_spaces.critic(eight, lambda *_: ["{}"], name="rater", protocol="prmbench")
    return eight


@pytest.mark.parametrize("page", [[], ["--cases"]])
def test_who_does_not_fit_the_parser_is_named_and_the_others_are_read(mixed, capsys, page):
    misfit = (
        "rater was asked for a number a step, which the parser 'loose' does not find; there are: prmbench, socratic."
    )
    words = ["reparse", "--parser", "loose", *page, "-w", str(mixed)]
    assert cli.main([*words, "--json"]) == 0
    told = capsys.readouterr()
    assert told.err.count(misfit) == 1
    document = json.loads(told.out)
    assert {row["scorer"] for row in document["rows"]} == {"judge"}
    assert misfit in document["provenance"]["notes"]
    assert cli.main(words) == 0
    assert misfit in " ".join(capsys.readouterr().out.split())
    assert cli.main([*words, "--scorer", "rater"]) == 2
    assert capsys.readouterr().err == f"Wrong usage: {misfit}\n"


def test_every_parser_that_fits_one_of_the_critics_is_offered(mixed):
    (option,) = analysis("reparse").options
    offers = list(option.offered(load(Query(workspace=str(mixed))), Params("changes", {})))
    assert {one.value for one in offers} == {None, *PARSERS} - {"agentprocessbench"}


def test_a_parser_of_two_prompts_is_told_in_both_its_versions(mixed, capsys):
    critic_spaces.critic(mixed, answers, name="from-one", protocol="grben")
    assert cli.main(["reparse", "--parser", "loose", "-w", str(mixed), "--json", "-q"]) == 0
    assert json.loads(capsys.readouterr().out)["provenance"]["parsers"] == {"loose": "loose-2, loose-2-from-1"}


def test_nothing_is_kept_where_one_of_several_does_not_fit(mixed, capsys):
    assert cli.main(["reparse", "judge", "rater", "--parser", "loose", "--save", "-w", str(mixed)]) == 2
    assert "rater was asked for a number a step" in capsys.readouterr().err
    assert len(list((mixed / "rewards").iterdir())) == 2


@pytest.mark.parametrize("bad", ["bytes", "columns"])
def test_a_part_that_cannot_be_read_keeps_a_reading_from_being_kept_in_half(mixed, capsys, bad):
    assert cli.main(["reparse", "judge", "--parser", "loose", "--save", "-w", str(mixed)]) == 0
    (folder,) = (mixed / "rewards").glob("judge-6*")
    (made,) = (mixed / "rewards").glob("judge-loose-*")
    before, part = files(made), folder / f"votes-{'0' * 32}.parquet"
    part.write_bytes(b"PAR1")
    if bad == "columns":
        pl.DataFrame({"key": ["a"]}).write_parquet(part)
    capsys.readouterr()
    assert cli.main(["reparse", "judge", "--parser", "loose", "--save", "-w", str(mixed)]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"Damaged workspace: {part} cannot be read")
    assert told.count("\n") == 1
    assert files(made) == before


def test_a_part_that_is_merged_while_answers_are_read_loses_none(mixed, monkeypatch):
    (folder,) = (mixed / "rewards").glob("judge-6*")
    parts = VoteParts(folder)
    parts.append(parts.read()[0].with_columns(vote=pl.lit(1, dtype=pl.Int32)))
    cases, listed = Workspace.open(mixed).cases()[0], parts.parts()

    def merged_meanwhile(self):
        monkeypatch.undo()
        self.compact()
        return listed

    monkeypatch.setattr(VoteParts, "parts", merged_meanwhile)
    assert readings(parts, READERS["loose-2"], cases, own=False).height == 16


def test_a_verdict_without_a_text_is_no_other_parsers_and_stays_the_own_ones(mixed, capsys):
    (folder,) = (mixed / "rewards").glob("judge-6*")
    (part,) = VoteParts(folder).parts()
    rows = pl.read_parquet(part).with_row_index()
    imported = pl.col("index") < 3
    rows = rows.with_columns(
        answer=pl.when(~imported).then("answer"),
        verdict=pl.when(imported).then(1).otherwise("verdict").cast(pl.Int32),
        reason=pl.when(~imported).then("reason"),
    )
    rows.drop("index").write_parquet(part)

    def command(*words):
        assert cli.main([*words, "-w", str(mixed), "--json", "-q"]) == 0
        return json.loads(capsys.readouterr().out)["rows"]

    assert command("reparse", "judge", "--parser", "processbench", "--cases") == []
    lost = [row["outcome_after"] for row in command("reparse", "judge", "--parser", "loose", "--cases")]
    assert lost.count("unscored") == 3
    told = {row["metric"]: row["after"] for row in command("reparse", "judge", "--parser", "loose")}
    assert cli.main(["reparse", "judge", "--parser", "loose", "--save", "-w", str(mixed), "-q"]) == 0
    own = {row["metric"]: row["value"] for row in command("metrics", "--scorer", "judge-loose")}
    assert told["error_acc"] == pytest.approx(own["error_acc"], abs=1e-12)
    (made,) = (mixed / "rewards").glob("judge-loose-*")
    assert VoteParts(made).read()[0].height == told["answers"] == 5


def test_a_verdict_that_changes_is_told_where_its_outcome_stays(eight, capsys):
    critic_spaces.critic(eight, lambda *_: [r"\boxed{7} or \boxed {8}"])
    assert cli.main(["reparse", "--parser", "grben", "--cases", "-w", str(eight), "--json", "-q"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {(row["verdict_before"], row["verdict_after"]) for row in rows} == {(7, 8)}
    assert all(row["outcome_before"] == row["outcome_after"] for row in rows)
    assert {row["flip"] for row in rows} == {"other"}


def test_answers_that_say_nothing_are_those_that_came(eight, capsys):
    said = (
        '{"validity": [1], "redundancy": [0]}',
        '{"validity": [1, 1, 1, 1, 1, 1, 1, 1], "redundancy": [0, 0, 0, 0, 0, 0, 0, 0]}',
        "nothing",
        GeneratedAnswer(None, reason="no answer: HTTP 500"),
    )
    critic_spaces.critic(eight, lambda row, _: [said[row % 4]], name="rater", protocol="prmbench")
    assert cli.main(["reparse", "--parser", "prmbench", "-w", str(eight), "--json", "-q"]) == 0
    told = {row["metric"]: (row["before"], row["after"]) for row in json.loads(capsys.readouterr().out)["rows"]}
    assert told["answers"] == (6.0, 6.0)
    # A list that does not fit the steps is read, as far as it goes; `metrics` counts the same way.
    assert told["unparsed_answers"] == (2.0, 2.0)
    assert cli.main(["metrics", "-w", str(eight), "-q", "--json"]) == 0
    assert "2 of 6 answers unparsed: 2 no JSON; 4 of 6 answers do not fit the steps" in capsys.readouterr().out
    assert cli.main(["reparse", "--parser", "prmbench", "-w", str(eight), "-q"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "Of 6 answers 2 were unparsed and 2 would be" in told
    assert "no JSON 2 2 list too short 2 2 list too long 2 2" in told


def test_a_workspace_without_critics_has_nothing_to_read_again(capsys):
    assert cli.main(["reparse", "--benchmark", "demo"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("Wrong usage: no critic that was asked here has answers that could be read again.")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["judge", "--parser", "prmbench"], "was asked for the earliest error"),
        (["judge", "--name", "x"], "Give it with --save"),
        (["judge", "--save", "--where", "n_steps > 2"], "Leave --where out"),
        (["--save", "--parser", "loose"], "Name the critic"),
    ],
)
def test_what_cannot_be_is_one_sentence(space, capsys, words, said):
    assert cli.main(["reparse", *words, "-w", str(space)]) == 2
    told = capsys.readouterr().err
    assert said in sentence_of(told)
