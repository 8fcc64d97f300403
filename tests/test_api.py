"""Frames in and out of a workspace: what `import` does to files and `metrics` prints, from Python."""

import json
import re
import shlex
import shutil
import warnings

import polars as pl
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import authored
import example
import making
from inspector import cli
from modified import row as modified
from scoring.api import AddedFrame, ColumnMapping, WorkspaceWarning, open_workspace
from scoring.data.errors import (
    FilterError,
    InputError,
    NotJoined,
    NoWorkspace,
    ScorerConflict,
    StrictFindings,
    UnknownFormat,
    UsageError,
)
from scoring.data.schema import CASES
from scoring.data.scorer import Scorer
from scoring.formats.benchmarks import demo
from scoring.importing.batch import ImportOptions, read_sources
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.cache import VoteParts
from scoring.workspace.workspace import Workspace
from thoroughness import up_to

N = 12
ROWS = [authored.row(number, "gsm8k", label=number % 3 - 1) for number in range(N)]
FRAME = pl.DataFrame(ROWS)
REWARDS = [[round(0.05 + (7 * case + 5 * step) % 19 / 20, 2) for step in range(3)] for case in range(N)]
SCORES = pl.DataFrame({"id": FRAME["id"], "rewards": REWARDS})
BY_STEP = SCORES.with_columns(step=pl.lit([0, 1, 2])).explode("rewards", "step", empty_as_null=False)


@pytest.fixture(scope="module")
def _with_cases(tmp_path_factory):
    root = tmp_path_factory.mktemp("made") / "ws"
    open_workspace(root).add_cases(FRAME, "mine")
    return root


@pytest.fixture
def workspace(_with_cases, tmp_path):
    return open_workspace(shutil.copytree(_with_cases, tmp_path / "ws"))


def rows_printed(capsys, root, *flags):
    assert cli.main(["metrics", "-w", str(root), "--json", *flags]) == 0
    return json.loads(capsys.readouterr().out)["rows"]


# -- frames in


def kinds():
    yield "lazy", lambda frame: frame.lazy()
    yield "dictionaries", lambda frame: frame.to_dicts()
    yield "pandas", lambda frame: pytest.importorskip("pandas") and frame.to_pandas()
    yield "table", lambda frame: pytest.importorskip("pyarrow") and frame.to_arrow()
    yield "batch", lambda frame: pytest.importorskip("pyarrow") and frame.to_arrow().combine_chunks().to_batches()[0]
    yield "reader", lambda frame: pytest.importorskip("pyarrow") and frame.to_arrow().to_reader()


def test_every_kind_of_frame_is_taken(workspace):
    before = workspace.cases()
    for name, made in kinds():
        assert workspace.add_cases(made(FRAME), "mine").benchmarks["processbench"].unchanged == N, name
        workspace.add_rewards(f"prm-{name}", made(SCORES))
        assert workspace.rewards(f"prm-{name}")["rewards"].to_list() == REWARDS, name
    assert workspace.cases().equals(before)


def test_what_is_missing_in_pandas_is_missing_here(workspace):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"rewards": [[0.5, 0.1, 0.9], None]}, index=pandas.Index(["gsm8k-0", "gsm8k-1"], name="id")
    )
    result = workspace.add_rewards("my-prm", frame)
    assert (result.read, result.joined) == (2, {"my-prm": 2})
    assert workspace.rewards("my-prm")["rewards"].to_list() == [[0.5, 0.1, 0.9], None]
    assert result.findings.filter(severity="warning")["code"].to_list() == ["no-rewards"]


@pytest.mark.parametrize(
    ("odd", "why"),
    [
        (5, "int is not a data frame"),
        ("rows.csv", "str is not a data frame"),
        (None, "NoneType is not a data frame"),
        ([1, 2], "list is not a data frame"),
        (pl.DataFrame(), "holds no rows"),
        (FRAME[:0], "holds no rows"),
        (pl.LazyFrame({"a": ["x"]}).select(pl.col("a").cast(pl.Int64)), "cannot be read as columns"),
    ],
)
def test_what_is_no_frame_is_one_sentence(workspace, odd, why):
    with pytest.raises((UsageError, InputError), match=why):
        workspace.add_cases(odd)
    assert workspace.cases().height == N


# -- the same as import


ODD_ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.sampled_from(["gsm8k-1", "gsm8k-2", "math-1", "", "x\x07"]),
            "problem": st.sampled_from(["What?", "", "a\x07b", None]),
            "steps": st.sampled_from([["a", "b"], ["a", ""], [], None]),
            "label": st.sampled_from([-1, 0, 1, 5, -7, None]),
            "extra": st.sampled_from(["x", "y", None]),
        }
    ),
    min_size=1,
    max_size=6,
)
SCHEMA = {"id": pl.String, "problem": pl.String, "steps": pl.List(pl.String), "label": pl.Int64, "extra": pl.String}


@up_to(60, 8, suppress_health_check=[HealthCheck.too_slow])
@given(rows=ODD_ROWS)
def test_findings_and_cases_are_those_of_the_file(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("same")
    frame = pl.DataFrame(rows, schema=SCHEMA)
    # In a file of the frame's name, so that rows without an id are called alike.
    path = folder / "mine"
    frame.write_parquet(path)
    root = Workspace.create(folder / "by-file")
    by_frame = open_workspace(folder / "by-frame")
    try:
        found = read_sources([str(path)], ImportOptions(), root, None)
    except InputError as error:
        refusal = str(error).replace(str(path), "mine")
        with pytest.raises(InputError, match=re.escape(refusal)):
            by_frame.add_cases(frame, "mine")
        return
    found.put(root)
    result = by_frame.add_cases(frame, "mine")
    (imported,) = found.imported
    told = [
        (one.severity, one.code, one.message.replace(str(path), "mine"), one.line, one.case)
        for one in imported.findings
    ]
    assert result.findings.rows() == told
    assert by_frame.cases().drop("source").equals(open_workspace(root.root).cases().drop("source"))


def test_a_frame_may_be_of_a_checkpoint_and_its_name_tells_none(workspace):
    workspace.add_rewards("RUN/checkpoint-100", SCORES, source="RUN/checkpoint-100")
    (folder,) = workspace.workspace.reward_folders()
    assert not Scorer.load(folder).training.known
    assert workspace.add_rewards("RUN/checkpoint-100", SCORES, series="RUN", at=100).scorers
    assert Scorer.load(folder).training.words == "step 100 of RUN"
    workspace.add_answers("critic", [{"id": "gsm8k-0", "prediction": 0}], series="RUN", at=200)
    kept = {Scorer.load(one).training.at for one in workspace.workspace.reward_folders()}
    assert kept == {100, 200}
    with pytest.raises(UsageError, match="does not say at which training step"):
        workspace.add_rewards("other", SCORES, series="RUN")


def test_adding_a_frame_again_changes_nothing(workspace):
    again = workspace.add_cases(FRAME, "mine")
    assert again.benchmarks["processbench"].unchanged == N
    first = workspace.add_rewards("my-prm", SCORES, threshold=0.4)
    files = sorted(path.name for path in (workspace.workspace.root / "rewards").rglob("*.parquet"))
    second = workspace.add_rewards("my-prm", SCORES, threshold=0.4)
    assert (first.scorers, second.scorers) == ({"my-prm": "new"}, {"my-prm": "unchanged"})
    assert sorted(path.name for path in (workspace.workspace.root / "rewards").rglob("*.parquet")) == files
    assert workspace.workspace.imports("processbench")[0]["path"] == "frame://mine"


def test_a_frame_of_the_same_name_takes_the_place_of_the_one_before(workspace):
    workspace.add_rewards("my-prm", SCORES)
    other = SCORES[:4].with_columns(rewards=pl.lit([0.1, 0.2, 0.3]))
    result = workspace.add_rewards("my-prm", other)
    assert result.scorers == {"my-prm": "changed"}
    assert workspace.rewards("my-prm")["rewards"].to_list() == [[0.1, 0.2, 0.3]] * 4


def test_a_scorer_may_come_in_several_frames(workspace):
    workspace.add_rewards("my-prm", SCORES[:5], source="first")
    workspace.add_rewards("my-prm", SCORES[5:], source="second")
    assert workspace.rewards("my-prm")["rewards"].to_list() == REWARDS
    with pytest.raises(ScorerConflict, match="other results"):
        workspace.add_rewards("my-prm", SCORES[:1].with_columns(rewards=pl.lit([0.0, 0.0, 0.0])), source="third")


def test_a_frame_is_not_read_again(workspace, capsys):
    assert cli.main(["show", "gsm8k-0", "--row", "-w", str(workspace.workspace.root)]) == 2
    assert "it was read from frame://mine" in capsys.readouterr().err


def test_strict_writes_nothing(tmp_path):
    workspace = open_workspace(tmp_path / "ws")
    with pytest.raises(StrictFindings, match="beyond the last step"):
        workspace.add_cases(FRAME.with_columns(label=pl.lit(9)), strict=True)
    assert workspace.benchmarks() == []


# -- cases


def test_a_table_of_ones_own_is_named_and_its_columns_found(tmp_path):
    workspace = open_workspace(tmp_path / "ws")
    frame = FRAME.select(uid="id", question="problem", response="steps", first_error="label", hard=pl.lit(value=True))
    result = workspace.add_cases(frame, "mine")
    assert result.benchmarks["mine"].new == N
    assert "guessed-columns" in result.findings["code"].to_list()
    cases = workspace.cases("mine")
    assert cases["case"].to_list() == [f"mine/{name}" for name in FRAME["id"]]
    assert cases["earliest_error"].to_list() == FRAME["label"].to_list()
    assert cases["hard"].to_list() == [True] * N


@pytest.mark.parametrize("whole", [True, False])
def test_columns_can_be_stated(tmp_path, whole):
    workspace = open_workspace(tmp_path / "ws")
    frame = FRAME.select("id", text="problem", parts="steps", at=pl.col("label") + 1)
    stated = {"problem": "text", "steps": "parts", "earliest_error": "at", "label_base": 1, "clean": "0"}
    if whole:
        workspace.add_cases(frame, "mine", mapping={"id": "id", **stated})
        workspace.add_cases(frame, "mine", mapping=ColumnMapping(id="id", **stated))
    else:
        workspace.add_cases(frame, "mine", **stated)
    assert workspace.cases("mine")["earliest_error"].to_list() == FRAME["label"].to_list()
    with pytest.raises(UsageError, match="'promblem', which is not a field"):
        workspace.add_cases(frame, "mine", promblem="text")
    with pytest.raises(UsageError, match="has no column 'texts'"):
        workspace.add_cases(frame, "mine", mapping={**stated, "problem": "texts"})


def test_what_save_mapping_wrote_is_a_mapping(tmp_path):
    workspace, saved = open_workspace(tmp_path / "ws"), tmp_path / "it.json"
    ColumnMapping(id="id", problem="text", steps="parts", earliest_error="label").save(saved)
    frame = FRAME.select("id", "label", text="problem", parts="steps")
    for mapping in (saved, str(saved), json.loads(saved.read_text()), ColumnMapping.read(saved)):
        added = workspace.add_cases(frame, "mine", mapping=mapping)
        assert [of.unchanged + of.new for of in added.benchmarks.values()] == [N]
    ColumnMapping(id="id", rewards={"ours": "r"}).save(saved)
    rewards = workspace.cases("mine").select("id", r=pl.col("steps").list.eval(pl.lit(0.5)))
    assert workspace.add_rewards("ours", rewards, mapping=saved).joined == {"ours": N}
    with pytest.raises(InputError, match="format"):
        workspace.add_cases(frame, "mine", mapping={"format": 99, "id": "id"})


def test_columns_named_as_here_are_read_as_they_are_here(tmp_path):
    workspace = open_workspace(tmp_path / "ws")
    frame = FRAME.select("id", "problem", "steps", earliest_error="label").with_columns(
        pl.when(pl.col("earliest_error") == 1).then(pl.lit([1, 2])).alias("error_steps"), weight=pl.lit(0.5)
    )
    result = workspace.add_cases(frame, "mine")
    assert result.findings.is_empty()
    cases = workspace.cases()
    assert cases["earliest_error"].to_list() == frame["earliest_error"].to_list()
    assert cases["error_steps"].to_list() == [{-1: [], 0: None, 1: [1, 2]}[label] for label in FRAME["label"]]
    assert cases["weight"].to_list() == [0.5] * N
    assert cases.columns[: len(CASES)] == list(CASES)
    assert cases.schema["earliest_error"] == pl.Int32()
    beyond = workspace.add_cases(frame.with_columns(earliest_error=pl.lit(3)), "mine")
    assert beyond.findings["code"].unique().to_list() == ["label-beyond-end"]
    assert beyond.benchmarks["mine"].changed == N


def test_cases_without_ids_are_called_after_the_frame_and_told_once(tmp_path):
    workspace = open_workspace(tmp_path / "ws")
    result = workspace.add_cases(FRAME.select("problem", "steps", earliest_error="label"), "mine")
    assert workspace.cases()["id"].to_list() == [f"mine#{number}" for number in range(1, N + 1)]
    assert result.findings["code"].to_list() == ["no-id"]


def test_rewards_beside_cases_are_a_scorers_and_every_column_has_a_fate(tmp_path):
    workspace = open_workspace(tmp_path / "ws")
    frame = FRAME.select("id", "problem", "steps", earliest_error="label").with_columns(
        SCORES["rewards"].alias("my-prm"), outcome=pl.lit("x"), hard=pl.lit(1), parts=pl.lit([1, 2])
    )
    result = workspace.add_cases(frame, "mine")
    assert workspace.rewards("my-prm")["rewards"].to_list() == REWARDS
    assert result.columns == {"outcome": "kept as meta.outcome", "hard": "kept", "parts": "left out: it holds lists"}
    assert "further columns: outcome kept as meta.outcome; hard kept; parts left out: it holds lists" in repr(result)
    other = open_workspace(tmp_path / "other")
    other.add_cases(workspace.cases().with_columns(SCORES["rewards"].alias("my-prm")), "mine")
    assert other.rewards("my-prm").drop("key").equals(workspace.rewards("my-prm").drop("key"))


def test_a_benchmarks_own_rows_are_its_own_though_their_columns_are_named_as_here(tmp_path):
    workspace = open_workspace(tmp_path / "ws")
    rows = demo.read().cases.select("id", "problem", "steps", *demo.FORMAT.columns)
    assert list(workspace.add_cases(rows).benchmarks) == ["demo"]


def test_cases_of_several_benchmarks_go_from_one_workspace_to_another(tmp_path, workspace):
    workspace.add_cases([modified(number, "redundency") for number in range(3)])
    workspace.add_cases(FRAME.select("id", "problem", "steps", earliest_error="label", hard=pl.lit(2)), "own")
    every = workspace.cases()
    assert every["benchmark"].unique(maintain_order=True).to_list() == ["own", "prmbench", "processbench"]
    shuffled = every.sample(fraction=1, shuffle=True, seed=1)
    other = open_workspace(tmp_path / "other")
    result = other.add_cases(shuffled, "copy")
    assert {name: one.new for name, one in result.benchmarks.items()} == {"own": N, "prmbench": 3, "processbench": N}
    beside = ["source", "line"]
    assert other.cases().sort("case").drop(beside).equals(every.sort("case").drop(beside))
    lines = dict(other.cases().select("case", "line").iter_rows())
    assert lines == {case: line for line, case in enumerate(shuffled["case"], 1)}


def test_conditions_and_texts_of_cases(workspace):
    workspace.add_rewards("my-prm", SCORES)
    assert workspace.cases(where="earliest_error = -1")["earliest_error"].to_list() == [-1] * 4
    right = workspace.cases(where=["\"my-prm.outcome\" IN ('exact', 'clean')"], texts=False)
    assert "problem" not in right.columns
    assert 0 < right.height < N
    with pytest.raises(FilterError, match="no column 'colour'"):
        workspace.cases(where="colour = 'red'")
    with pytest.raises(UsageError, match="benchmark 'bench' is not in this workspace"):
        workspace.cases("bench")


# -- rewards


@pytest.mark.parametrize("named", ["id", "case", "texts", "steps", "key columns"])
def test_rewards_find_their_cases(workspace, named):
    cases = workspace.cases()
    if named == "steps":
        result = workspace.add_rewards("my-prm", BY_STEP.sample(fraction=1, shuffle=True, seed=2))
    else:
        columns = {"id": ["id"], "case": ["case"], "texts": ["problem", "steps"], "key columns": cases.columns}[named]
        frame = cases.select(columns).with_columns(rewards=SCORES["rewards"])
        result = workspace.add_rewards("my-prm", frame)
    assert result.joined == {"my-prm": N}
    given = workspace.rewards("my-prm")
    assert given["case"].to_list() == cases["case"].to_list()
    assert given["key"].to_list() == cases["key"].to_list()
    assert given["rewards"].to_list() == REWARDS
    assert workspace.cases().height == N


def test_identities_join_several_benchmarks(workspace):
    workspace.add_cases(FRAME.select("id", "steps", problem=pl.col("problem") + "!", earliest_error="label"), "own")
    cases = workspace.cases(texts=False)
    frame = cases.select("case", rewards=pl.concat([SCORES["rewards"], SCORES["rewards"]]))
    result = workspace.add_rewards("my-prm", frame)
    assert result.joined == {"my-prm": 2 * N}
    assert workspace.rewards("my-prm")["case"].to_list() == cases["case"].to_list()
    with pytest.raises(NotJoined, match="which benchmark they are of is not clear"):
        workspace.add_rewards("other", SCORES)
    workspace.add_rewards("other", SCORES, benchmark="own")
    assert workspace.rewards("other", benchmark="own").height == N


def test_a_row_a_step(workspace):
    workspace.add_rewards("my-prm", SCORES.with_columns(rewards=pl.when(pl.col("id") != "gsm8k-3").then("rewards")))
    steps = workspace.rewards("my", by="step")
    expected = [
        (f"processbench/gsm8k-{case}", step, reward)
        for case, rewards in enumerate(REWARDS)
        for step, reward in enumerate(rewards)
        if case != 3
    ]
    assert steps.select("case", "step", "reward").rows() == expected
    assert steps.schema["step"] == pl.Int32()
    assert steps["redundancy"].null_count() == steps.height
    with pytest.raises(UsageError, match="by case or by step"):
        workspace.rewards("my-prm", by="token")
    with pytest.raises(UsageError, match="no scorer matches 'another'"):
        workspace.rewards("another")


def test_rules_and_columns_are_those_that_were_named(workspace):
    frame = SCORES.select(uid="id", a="rewards", b=pl.col("rewards").list.eval(1 - pl.element()))
    workspace.add_rewards("falling", frame, id="uid", rewards="b", threshold=0.3, rule="<=")
    results = load(Query(workspace=str(workspace.workspace.root)))
    (evaluation,) = results.evaluations
    assert (evaluation.scorer.threshold, evaluation.scorer.comparison) == (0.3, "<=")
    assert workspace.rewards("falling")["rewards"].to_list() == [[1 - one for one in row] for row in REWARDS]
    with pytest.raises(InputError, match=r"of one scorer, and holds: [ab], [ab]"):
        workspace.add_rewards("either", frame)
    with pytest.raises(UsageError, match="is not a rule"):
        workspace.add_rewards("falling", frame, rewards="b", rule=">")
    with pytest.raises(UsageError, match="not a threshold"):
        workspace.add_rewards("falling", frame, rewards="b", threshold=float("nan"))


def test_what_is_no_reward_is_not_taken_for_one(workspace):
    with pytest.raises(InputError, match="should hold step rewards"):
        workspace.add_rewards("judge", SCORES.select("id", prediction=pl.int_range(pl.len()) % 4))
    with pytest.raises(InputError, match="should hold answers or verdicts"):
        workspace.add_answers("judge", SCORES)
    with pytest.raises(NotJoined, match="Import the benchmark"):
        workspace.add_rewards("mine", SCORES.with_columns(id=pl.lit("elsewhere-") + pl.col("id")))
    with pytest.raises(UnknownFormat, match="none of the formats known here"):
        workspace.add_rewards("mine", pl.DataFrame({"a": [1.5], "b": [2.5]}))
    assert workspace.scorers() == []


def test_verdicts_and_answers_are_a_critics(workspace):
    verdicts = FRAME.select("id", at=pl.col("label") + (pl.col("label") >= 0))
    workspace.add_answers("counting", verdicts, verdict="at", base=1)
    assert workspace.metrics(scorer="counting").filter(metric="f1", subset="all")["value"].to_list() == [1.0]
    texts = [f"The first wrong paragraph is \\boxed{{{label}}}." for label in FRAME["label"]]
    votes = FRAME.select("id", answers=pl.Series([[text, text, "Nothing."] for text in texts]))
    result = workspace.add_answers("panel", votes)
    assert (result.scorers, result.joined) == ({"panel": "new"}, {"panel": 3 * N})
    words = FRAME.select("id", prediction=pl.lit("I cannot say."))
    with pytest.raises(InputError, match="not one of the"):
        workspace.add_answers("silent", words, verdict="prediction")
    silent = workspace.add_answers("silent", words, answers="prediction")
    assert silent.unparsed == {"silent": N}
    assert f"{N} answers cannot be read" in repr(silent)
    kept = VoteParts(next((workspace.workspace.root / "rewards").glob("panel-*"))).read()[0]
    assert kept.sort("case", "vote")["answer"].to_list() == [
        text for _, told in sorted(zip(FRAME["id"], votes["answers"], strict=True)) for text in told
    ]
    for run in range(2):
        workspace.add_answers("runs", FRAME.select("id", answer=pl.Series(texts)), run=run)
    assert workspace.metrics(scorer="runs").filter(metric="error_acc", subset="all")["runs"].item() == 2


# -- metrics


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    root = tmp_path_factory.mktemp("examples") / "ws"
    example.write(root)
    workspace = open_workspace(root)
    rows = [modified(number, kind) for number, kind in enumerate(["circular", "redundency", "step_contradiction"] * 4)]
    workspace.add_cases(rows)
    cases = workspace.cases("prmbench", texts=False)
    rewards = [[0.9, round(0.1 * at, 1), 0.6] for at in range(cases.height)]
    workspace.add_rewards("steps", cases.select("case", rewards=pl.Series(rewards)), threshold=0.5, rule="<=")
    return workspace


@pytest.mark.parametrize(
    ("words", "flags"),
    [
        ({}, ""),
        (
            {"benchmark": ("prmbench", "bench"), "rule": "diff<=", "protocol": "prmbench"},
            "--benchmark prmbench --benchmark bench --rule 'diff<=' --protocol prmbench",
        ),
        ({"scorer": "alp", "threshold": 0.53, "subset": "word"}, "--scorer alp --threshold 0.53 --subset word"),
        (
            {
                "scorer": ["beta", "alpha"],
                "seed": 3,
                "threshold": {"alpha": 0.53, "beta": "default"},
                "rule": {"alpha": "<="},
            },
            "--scorer beta --scorer alpha --seed 3 --threshold alpha=0.53 --threshold beta=default --rule 'alpha=<='",
        ),
        ({"benchmark": "bench", "threshold": "best"}, "--benchmark bench --threshold best"),
        ({"benchmark": "bench", "threshold": "from:sums"}, "--benchmark bench --threshold from:sums"),
        ({"protocol": "grben", "unparsed": "drop"}, "--protocol grben --unparsed drop"),
        ({"where": "n_steps > 2", "by": "error_type"}, "--where 'n_steps > 2' --by error_type"),
        (
            {
                "where": ["\"alpha.outcome\" <> 'late'", "tags IS NOT NULL", "disagreement >= 0"],
                "benchmark": "bench",
                "by": ("generator", "steps"),
            },
            """--benchmark bench --where "\\"alpha.outcome\\" <> 'late'" --where 'tags IS NOT NULL'
            --where 'disagreement >= 0' --by generator --by steps""",
        ),
        ({"benchmark": "demo", "scorer": "ledger"}, "--benchmark demo --scorer ledger"),
    ],
)
def test_metrics_are_the_rows_that_the_command_prints(examples, capsys, words, flags):
    frame = examples.metrics(**words)
    assert frame.to_dicts() == rows_printed(capsys, examples.workspace.root, *shlex.split(flags))
    assert frame.height


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"scorer": "gamma"}, "no scorer matches 'gamma'"),
        ({"threshold": "often"}, "'often' is not a threshold"),
        ({"threshold": {"gamma": 0.5}}, "no scorer matches 'gamma'"),
        ({"rule": "=="}, "is not a rule"),
        ({"protocol": "mine"}, "there is no protocol 'mine'"),
        ({"by": "colour"}, "there is no column 'colour'"),
        ({"where": "colour = 'red'"}, "no column 'colour'"),
        ({"subset": "none"}, "no subset matches"),
        ({"benchmark": "none"}, "is not in this workspace"),
        ({"threshold": "best"}, "tunes the figure of one benchmark"),
    ],
)
def test_what_there_is_not_is_one_sentence(examples, words, why):
    with pytest.raises(UsageError, match=why):
        examples.metrics(**words)


def test_without_a_scorer_there_are_no_rows(workspace):
    assert workspace.metrics().is_empty()
    assert workspace.metrics().columns[:4] == ["scorer", "benchmark", "subset", "metric"]


def test_what_cannot_be_read_is_warned_of(workspace):
    workspace.add_rewards("my-prm", SCORES)
    workspace.add_rewards("other", SCORES)
    part = next((workspace.workspace.root / "rewards").glob("other-*/part-*.parquet"))
    part.write_bytes(b"PAR1 and no more")
    with pytest.warns(WorkspaceWarning, match="was left out"):
        assert set(workspace.metrics()["scorer"]) == {"my-prm"}
    with pytest.warns(WorkspaceWarning, match="was left out"):
        assert workspace.rewards("other").is_empty()
    # The warning explains the missing scorer, so it precedes the error; it points at the caller.
    with pytest.warns(WorkspaceWarning, match="was left out") as told, pytest.raises(UsageError):
        workspace.metrics(scorer="other")
    assert told[0].filename == __file__


# -- what is said


def test_a_result_reads_like_a_report(workspace):
    odd = FRAME.with_columns(label=pl.when(pl.int_range(N) < 2).then(9).otherwise("label"), id=pl.lit("gsm8k-0"))
    result = workspace.add_cases(odd, "mine")
    assert isinstance(result, AddedFrame)
    assert result.grave
    lines = repr(result).splitlines()
    assert lines[:2] == ["mine: 12 rows read", "  processbench: 0 cases new, 1 changed, 0 unchanged"]
    assert "  11 x error repeated-id: the id is that of line 1; the first one counts (line 2)" in lines
    assert result.findings.filter(code="repeated-id")["line"].to_list() == list(range(2, N + 1))
    assert repr(workspace.add_rewards("my-prm", SCORES)).splitlines()[:2] == [
        "my-prm: 12 rows read",
        "  my-prm: new, 12 results belong to a case",
    ]


def test_a_workspace_says_what_is_in_it(workspace, tmp_path):
    workspace.add_rewards("my-prm", SCORES)
    assert repr(workspace) == (
        f"OpenedWorkspace({str(workspace.workspace.root)!r}, benchmarks=['processbench'], scorers=['my-prm'])"
    )
    with pytest.raises(NoWorkspace):
        open_workspace(tmp_path / "none", create=False)
    with pytest.raises(UsageError, match="an address of no kind that a workspace can have"):
        open_workspace("ftp://bucket/folder")


def test_nothing_is_warned_of_where_all_is_well(workspace):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        workspace.add_rewards("my-prm", SCORES)
        assert workspace.metrics(scorer="my-prm")["value"].null_count() == 0
        assert making.scorer("x").name == "x"
