import json
from contextlib import suppress
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import authored
import benchmark_rows
from authored import json_array, json_lines, row, rows
from imports import import_source
from scoring.data.errors import InputError, InspectError, NotJoined, UnknownFormat
from scoring.data.metadata_columns import MetadataColumns, reconciled
from scoring.data.schema import CASES, content_key
from scoring.data.storage.parquet import read_parquet
from scoring.formats.benchmarks import demo
from scoring.formats.reading.rows import Rows
from scoring.importing.batch import ImportOptions, read_sources
from scoring.importing.imported_files import missing_column
from scoring.importing.sources import read_source, recognised
from scoring.workspace.workspace import Workspace
from thoroughness import up_to


def of(values):
    made = Rows("made.jsonl", "made")
    for value in values:
        made.add(value)
    return made


def test_detection_by_content():
    assert recognised(of(rows(3))) == ("benchmark", "processbench")
    assert recognised(of([demo.read().cases.row(0, named=True)])) == ("benchmark", "demo")


def test_detection_looks_past_rows_that_are_nothing():
    assert recognised(of([*([None] * 300), *rows(300)]))[1] == "processbench"
    assert recognised(of([{"other": 1}, *rows(2), "x"]))[1] == "processbench"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([{"prompt": 1, "answer": 2}, {"more": 3}], "its rows have the keys prompt, answer, more"),
        ([{f"key{n}": 1 for n in range(50)}], "key0, .*key11 and 38 more"),
        ([[1], "x", None], "its rows are not objects"),
    ],
)
def test_nothing_that_is_known_is_one_sentence(processbench_file, values, said):
    assert recognised(of(values)) == ("table", None)
    with pytest.raises(UnknownFormat, match=said):
        read_source(str(processbench_file(json_array(values), "any.json")))


def test_a_named_benchmark_reads_what_detection_would_not(processbench_file):
    unlabelled = processbench_file([row(1, label=...)])
    guessed = import_source(str(unlabelled))
    assert (guessed.benchmark, guessed.cases["earliest_error"].to_list()) == ("sums", [None])
    assert [finding.code for finding in guessed.findings] == ["guessed-columns"]
    assert import_source(str(unlabelled), "processbench").benchmark == "processbench"


def test_a_table_called_after_a_benchmark_is_not_that_benchmark(processbench_file):
    assert import_source(str(processbench_file([row(1, label=...)], "demo.jsonl"))).benchmark == "demo-table"


@pytest.mark.parametrize("name", ["sums.json", "sums.jsonl", "sums.parquet"])
def test_all_forms_give_the_same_cases(processbench_file, name):
    wanted = import_source(str(processbench_file(rows(6), "wanted.jsonl"))).cases.drop("source", "line")
    found = import_source(str(processbench_file(rows(6), name)))
    assert found.cases.drop("source", "line").equals(wanted)
    assert found.source.endswith(name)


SURROGATES = st.text(st.characters(exclude_categories=()), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | SURROGATES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(SURROGATES, inner, max_size=3),
    max_leaves=8,
)
MUTATED = st.fixed_dictionaries(
    {
        "problem": SURROGATES | VALUES,
        "steps": st.lists(SURROGATES, max_size=4) | VALUES,
        "label": st.integers() | VALUES,
    },
    optional={"id": SURROGATES | VALUES, "final_answer_correct": VALUES, "generator": VALUES, "subset": VALUES},
)
DEMO = st.fixed_dictionaries(dict.fromkeys(sorted(demo._KEYS), VALUES))


def assert_cases_or_one_sentence(path):
    """Nothing else may come out, whatever was in the file, but results where an id stands beside a list of numbers."""
    with suppress(InputError):
        found = read_source(str(path))
        assert found.imported or found.results
        for imported in found.imported:
            assert_sound(imported)


def assert_sound(imported):
    assert imported.cases.schema == CASES
    assert imported.cases["case"].n_unique() == imported.cases.height
    assert imported.cases.height <= imported.read
    lost = sum(finding.severity == "error" for finding in imported.findings)
    assert imported.cases.height == imported.read or lost
    for problem, steps, n_steps, key in imported.cases.select("problem", "steps", "n_steps", "key").iter_rows():
        assert n_steps == len(steps) > 0
        assert key == content_key(problem, steps)
    assert imported.cases.filter(pl.col("earliest_error") < -1).is_empty()


@up_to(100, 12)
@given(st.lists(MUTATED | VALUES | DEMO, min_size=1, max_size=6), st.sampled_from([json_lines, json_array]))
@example([{"problem": "p", "steps": ["s"], "label": 10**400}], json_lines)
@example([{"problem": "\ud800", "steps": ["\x00"], "label": -1, "id": "\udfff"}], json_array)
def test_any_rows_give_cases_or_one_sentence(tmp_path_factory, values, form):
    path = tmp_path_factory.getbasetemp() / "any-rows.json"
    path.write_bytes(form(values))
    assert_cases_or_one_sentence(path)


@up_to(100, 12)
@given(st.data())
def test_any_damage_to_a_file_gives_cases_or_one_sentence(tmp_path_factory, data):
    raw = bytearray(data.draw(st.sampled_from([json_lines, json_array]))(rows(4)))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 30))] = data.draw(st.binary(max_size=8))
    path = tmp_path_factory.getbasetemp() / "any-damage.json"
    path.write_bytes(raw)
    assert_cases_or_one_sentence(path)


@up_to(100, 10)
@given(st.text(st.characters(exclude_categories=()), max_size=30))
@example("a\0b")
@example("hf:")
def test_any_name_gives_cases_or_one_sentence(source):
    if source.startswith("hf:") and len(source) > 3:
        return  # hub names have their own tests
    with pytest.raises(InspectError):
        import_source(source)


N = 12
CASES_ALONE = authored.rows(N)


def answered(row):
    return {**row, "generated_critique": f"\\boxed{{{row['label']}}}", "prediction": row["label"], "match": True}


def judged(row):
    return {**row, "responses": [0.9, 0.4, 0.6][: len(row["steps"])], "PRM_CoT": ["x"] * len(row["steps"])}


def of_grben(row):
    label = row["label"] + 1 if row["label"] >= 0 else -1
    return {
        **row,
        "domain": "physics",
        "label": label,
        "pred_error_idx": label,
        "raw_response": f"\\boxed{{{label}}}",
        "model_key": "a-critic",
    }


def like_skywork(row):
    return {
        "problem": row["problem"],
        "response": "\n".join(row["steps"]),
        "step_rewards": [0.9, 0.4, 0.6],
        "label": row["label"],
    }


@pytest.fixture
def workspace(tmp_path):
    return Workspace.create(tmp_path / "ws")


def write(folder, make, rows=CASES_ALONE, name="my-scorer.jsonl"):
    path = folder / name
    path.write_text("".join(json.dumps(make(row)) + "\n" for row in rows))
    return path


FORMATS = {
    "processbench": (answered, "processbench"),
    "r-prm": (judged, "processbench"),
    "gr-ben": (of_grben, "grben"),
    "skywork": (like_skywork, "my-scorer"),
}


@pytest.mark.parametrize("name", FORMATS)
def test_cases_are_made_of_the_rows_where_none_is_here(workspace, tmp_path, name):
    make, benchmark = FORMATS[name]
    found = read_sources([str(write(tmp_path, make))], ImportOptions(), workspace, None)
    found.put(workspace)
    cases, _ = workspace.cases()
    assert cases["benchmark"].unique().to_list() == [benchmark]
    assert cases["earliest_error"].to_list() == [row["label"] for row in CASES_ALONE]
    (joined,) = found.joined
    assert (joined.joined, joined.by) == (N, "content")
    (imported,) = found.imported
    if name != "skywork":
        assert [finding.code for finding in imported.findings][:1] == ["opened-alone"]
        assert not {"prediction", "match", "raw_response"} & {*imported.fates.kept}
    # Once more: the cases are here now, and so are the results.
    again = read_sources([str(tmp_path / "my-scorer.jsonl")], ImportOptions(), workspace, None)
    assert (again.imported, again.joined[0].joined) == ((), N)


@pytest.mark.parametrize("name", ["processbench", "r-prm", "skywork"])
def test_results_of_a_case_that_is_here_make_no_cases(workspace, tmp_path, name):
    found = read_sources([str(authored.write(tmp_path / "sums.json", CASES_ALONE))], ImportOptions(), workspace, None)
    found.put(workspace)
    found = read_sources([str(write(tmp_path, FORMATS[name][0]))], ImportOptions(), workspace, None)
    assert (found.imported, [joined.joined for joined in found.joined]) == ((), [N])


def test_cases_of_the_same_command_are_known(tmp_path):
    words = [write(tmp_path, answered), authored.write(tmp_path / "sums.json", CASES_ALONE)]
    found = read_sources([str(word) for word in words], ImportOptions(), None, None)
    assert [one.source for one in found.imported] == [str(words[1])]
    assert found.joined[0].joined == N


def test_two_results_of_the_same_cases_make_them_once(tmp_path):
    words = [write(tmp_path, answered, name="first.jsonl"), write(tmp_path, judged, name="second.jsonl")]
    found = read_sources([str(word) for word in words], ImportOptions(), None, None)
    assert [one.source for one in found.imported] == [str(words[0])]
    assert [joined.joined for joined in found.joined] == [N, N]


def test_rows_without_a_label_are_of_a_benchmark_that_is_to_be_imported_first(workspace, tmp_path):
    path = write(tmp_path, lambda row: {**answered(row), "label": None})
    with pytest.raises(NotJoined):
        read_sources([str(path)], ImportOptions(), workspace, None)


def test_a_benchmark_that_was_named_is_not_made(workspace, tmp_path):
    path = write(tmp_path, answered)
    with pytest.raises(Exception, match="no cases of a benchmark 'processbench'"):
        read_sources([str(path)], ImportOptions(join_to="processbench"), workspace, None)


def annotated(count, **more):
    return [{**one, "difficulty": ["easy", "hard"][at % 2], **more} for at, one in enumerate(rows(count))]


def imported(path, values, name="sums.jsonl", **options):
    path = path / name
    path.write_bytes(json_lines(values) if name.endswith("jsonl") else json_array(values, None))
    (found,) = read_source(str(path), **options).imported
    return found


def column(workspace, name, benchmarks=()):
    return workspace.cases_and_columns(benchmarks)[2].column(name).to_list()


READ = {
    "processbench": row(1, label=1),
    "grben": benchmark_rows.grben(),
    "mrmath": benchmark_rows.mrmath(),
    "stepwise": benchmark_rows.stepwise(),
    "math_shepherd": benchmark_rows.math_shepherd(),
}


@pytest.mark.parametrize("name", READ)
def test_what_a_benchmark_reads_is_no_metadata(tmp_path, name):
    found = imported(tmp_path, [{**READ[name], "extra": 1}])
    assert found.benchmark == name
    # MR-MATH repeats its steps as one text.
    assert found.fates.kept.keys() - {"model_output"} == {"extra"}
    assert set(found.fates.claimed) == READ[name].keys() - {"model_output"}


@pytest.mark.parametrize("name", ["sums.jsonl", "sums.json"])
def test_columns_belong_to_their_cases_where_rows_are_broken_or_repeated(tmp_path, name):
    values = annotated(6)
    found = imported(tmp_path, [values[0], values[0], {**values[1], "steps": []}, *values[2:]], name)
    assert found.cases["id"].to_list() == ["sums-0", "sums-2", "sums-3", "sums-4", "sums-5"]
    assert found.metadata["difficulty"].to_list() == ["easy", "easy", "hard", "easy", "hard"]


def test_of_two_keys_for_one_thing_the_second_is_kept(tmp_path):
    value = {**row(1, label=1), "domain": "physics", "subset": "mechanics"}
    found = imported(tmp_path, [value])
    assert (found.benchmark, found.cases["subset"].item()) == ("grben", "physics")
    assert found.metadata.to_dict(as_series=False) == {"meta.subset": ["mechanics"]}


def test_a_table_of_cells_keeps_what_its_mapping_does_not_name(tmp_path):
    frame = pl.DataFrame(
        {
            "name": ["a", "b"],
            "problem": ["p", "q"],
            "solution": ["s\n\nt", "u\n\nv"],
            "first_error": [0, 1],
            "difficulty": ["hard", None],
            "year": [2001, 2002],
        }
    )
    frame.write_csv(tmp_path / "mine.csv")
    (found,) = read_source(str(tmp_path / "mine.csv")).imported
    kept = found.metadata.select("difficulty", "year").to_dict(as_series=False)
    assert kept == {"difficulty": ["hard", None], "year": [2001, 2002]}
    frame.write_parquet(tmp_path / "mine.parquet")
    (same,) = read_source(str(tmp_path / "mine.parquet")).imported
    assert same.metadata.equals(found.metadata)


def test_twins_have_none_and_cases_keep_theirs(workspace, tmp_path):
    value = {
        "original_question": "q", "modified_question": "r", "original_process": ["a", "b"],
        "modified_process": ["a", "c"], "modified_steps": [2], "error_steps": [2], "reason": "x",
        "idx": "1", "question": "q", "classification": "redundency", "level": 3,
    }  # fmt: skip
    workspace.add([imported(tmp_path, [value, {**value, "idx": "2", "level": 4}])])
    assert workspace.cases(twins=True)[0].height == 4
    assert column(workspace, "level") == [3, 4]
    assert workspace.cases_and_columns(twins=True)[2].column("level").to_list() == [3, 4, None, None]


def test_imports_over_older_ones_join_columns_and_dtypes(workspace, tmp_path):
    workspace.add([imported(tmp_path, annotated(2, score=1))])
    later = [{**one, "score": 0.5, "kind": "new"} for one in rows(3)[1:]]
    (added,) = workspace.add([imported(tmp_path, later, "later.jsonl")])
    assert (added.new, added.changed, added.unchanged) == (1, 1, 0)
    assert column(workspace, "score") == [1.0, 0.5, 0.5]
    assert column(workspace, "kind") == [None, "new", "new"]
    assert column(workspace, "difficulty") == ["easy", None, None]
    workspace.add([imported(tmp_path, [{**one, "score": "low"} for one in rows(1)])])
    assert column(workspace, "score") == ["low", "0.5", "0.5"]


def test_the_same_again_changes_nothing_and_a_new_column_changes_its_cases_alone(workspace, tmp_path):
    values = annotated(3)
    workspace.add([imported(tmp_path, values)])
    (added,) = workspace.add([imported(tmp_path, values)])
    assert added.unchanged == 3
    values[1]["difficulty"] = "harder"
    (added,) = workspace.add([imported(tmp_path, values)])
    assert (added.changed, added.unchanged) == (1, 2)


@given(st.lists(st.sampled_from(["int", "wide", "float", "bool", "text", "none"]), min_size=1, max_size=4))
def test_columns_are_reconciled_whatever_their_order(kinds):
    made = {
        "int": pl.Series("x", [1, None]),
        "wide": pl.Series("x", [2**60 + 1]),
        "float": pl.Series("x", [0.5, 2.0]),
        "bool": pl.Series("x", [True]),
        "text": pl.Series("x", ["y"]),
        "none": pl.Series("x", [None]),
    }
    there = {*kinds} - {"none"}
    (dtype, *others) = {one.dtype for one in reconciled([made[kind] for kind in kinds])}
    assert not others
    if there and there <= {"int", "wide"}:
        assert dtype == pl.Int64
    elif there and there <= {"int", "float"}:
        assert dtype == pl.Float64
    elif len(there) > 1 or there == {"text"}:
        assert dtype == pl.String
    texts = [one.cast(pl.String).to_list() for one in reconciled([made[kind] for kind in kinds])]
    if "wide" in kinds and "float" in kinds:
        assert [str(2**60 + 1)] in texts


def test_benchmarks_side_by_side_have_the_columns_of_both(workspace, tmp_path):
    workspace.add([imported(tmp_path, annotated(2, n_tokens=2**60 + 1))])
    frame = pl.DataFrame({"name": ["a"], "problem": ["p"], "response": ["s\n\nt"], "n_tokens": [0.5]})
    frame.write_parquet(tmp_path / "other.parquet")
    (other,) = read_source(str(tmp_path / "other.parquet")).imported
    workspace.add([other])
    # A float cannot hold the large ones: nothing is rounded.
    assert sorted(column(workspace, "n_tokens")) == ["0.5", str(2**60 + 1), str(2**60 + 1)]
    assert sorted(column(workspace, "difficulty"), key=str) == [None, "easy", "hard"]
    assert column(workspace, "n_tokens", ["processbench"]) == [2**60 + 1] * 2


def test_columns_are_read_one_by_one_and_only_when_asked_for(workspace, tmp_path, monkeypatch):
    workspace.add([imported(tmp_path, annotated(4, **{f"c{at}": at for at in range(9)}))])
    asked = []

    def noted(path, columns=None, *more, **named):
        asked.append(columns)
        return read_parquet(path, columns, *more, **named)

    monkeypatch.setattr("scoring.data.metadata_columns.read_parquet", noted)
    columns = workspace.cases_and_columns()[2]
    assert columns.schema["difficulty"] == pl.String
    assert columns.distinct("difficulty", "processbench") == 2
    assert asked == []
    assert columns.column("c3").to_list() == [3] * 4
    assert asked == [["column:c3"]]
    assert columns.row(1)["difficulty"] == "hard"
    assert MetadataColumns([3]).row(1) == {}


def test_the_report_of_an_import_says_what_became_of_every_column(workspace, tmp_path):
    workspace.add([imported(tmp_path, annotated(2, outcome="x", tokens=[1]))])
    (report,) = workspace.imports("processbench")
    assert report["columns"]["kept"] == {"difficulty": "difficulty", "outcome": "meta.outcome"}
    assert report["columns"]["left_out"] == {"tokens": "it holds lists"}
    assert "steps" in report["columns"]["claimed"]


def as_format_2(workspace):
    """The workspace as 0.1 would have left it."""
    (folder,) = (workspace.root / "benchmarks" / "processbench").glob("gen-*")
    index = read_parquet(folder / "cases.parquet")
    index.select(name for name in index.columns if not name.startswith("column:")).write_parquet(
        folder / "cases.parquet"
    )
    document = json.loads((folder / "import.json").read_text())
    for one in document["sources"]:
        del one["columns"]
    (folder / "import.json").write_text(json.dumps({**document, "format": 2}))


def test_format_2_has_none_and_its_missing_columns_name_the_import_to_repeat(workspace, tmp_path):
    found = imported(tmp_path, annotated(2))
    workspace.add([found])
    as_format_2(workspace)
    opened = Workspace.open(workspace.root)
    assert opened.cases_and_columns()[2].schema == {}
    path = str(tmp_path / "sums.jsonl")
    assert missing_column(opened, ["processbench"], "difficulty")[0].startswith(f"It is in {path}, imported when")
    assert missing_column(opened, ["processbench"], "color")[0] == ""
    (added,) = opened.add([found])
    assert added.changed == 2
    assert column(opened, "difficulty") == ["easy", "hard"]
    assert missing_column(opened, ["processbench"], "color")[0] == ""


def test_where_the_file_has_gone_it_is_named_all_the_same(workspace, tmp_path):
    workspace.add([imported(tmp_path, annotated(2))])
    as_format_2(workspace)
    (tmp_path / "sums.jsonl").unlink()
    why, sure = missing_column(workspace, ["processbench"], "difficulty")
    assert ("cannot be read now" in why, sure) == (True, False)


def test_columns_of_texts_stay_beside_their_cases_after_many_imports(workspace, tmp_path):
    for start, end in pairwise([0, 3, 7, 8]):
        values = [{**row(at), "place": at} for at in range(max(0, start - 1), end)]
        workspace.add([imported(tmp_path, values, f"part-{start}.jsonl")])
    cases, _, columns = workspace.cases_and_columns()
    assert cases["id"].to_list() == [f"sums-{at}" for at in columns.column("place")]
