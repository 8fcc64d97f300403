"""`import` of results, and of what comes from several places at once."""

import json
import multiprocessing
import os
import re
import subprocess

import polars as pl
import pytest

from authored import json_lines, row, rows
from benchmark_rows import grben
from inspector.cli import main
from scoring.data.scorer import Scorer
from scoring.data.storage.files import uuid7
from scoring.workspace.cache import RewardParts, VoteParts
from scoring.workspace.workspace import Workspace


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """No workspace of the machine is touched."""
    monkeypatch.delenv("PRM_INSPECT_WORKSPACE", raising=False)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")


@pytest.fixture
def run(tmp_path, capsys):
    """Runs `import` on a workspace; gives exit code, stdout, stderr."""

    def import_(*words):
        code = main(["import", *map(str, words), "-w", str(tmp_path / "workspace")])
        output = capsys.readouterr()
        return code, output.out, output.err

    import_.root = tmp_path / "workspace"
    return import_


def details(count, **changes):
    sound = {"domain": "physics", "gt_label": 2, "probs": [0.9, 0.2, 0.8]}
    return [{"id": f"physics-{number}", **sound, **changes} for number in range(count)]


def cases(count, **changes):
    return [grben(number, problem=f"What is {number}?", **changes) for number in range(count)]


@pytest.fixture
def training(run, tmp_path):
    """Rewards of three checkpoints of a run, a file each, whose cases are in the workspace."""
    home = tmp_path / "RUN"
    home.mkdir()
    (tmp_path / "sums.jsonl").write_bytes(json_lines(rows(4)))
    run(tmp_path / "sums.jsonl")
    for step in (100, 200, 300):
        given = [{"id": one["id"], "rewards": [step / 1000] * 3} for one in rows(4)]
        (home / f"checkpoint-{step}.jsonl").write_bytes(json_lines(given))
    return home


def labelled(root):
    """Every scorer by name: of which run it is a checkpoint, and at which step."""
    found = map(Scorer.load, Workspace.open(root).reward_folders())
    return {scorer.name: (scorer.series, scorer.at) for scorer in found}


def test_checkpoints_are_told_by_their_paths_and_the_report_says_so(run, training):
    """Looking names them and writes nothing."""
    code, out, _ = run(training, "--dry-run")
    assert (code, "of the training run RUN: steps 100, 200, 300" in out) == (0, True)
    assert labelled(run.root) == {}
    _, out, _ = run(training)
    guess = "as the path says (--series NAME --at STEP overrules it)"
    assert f"  of the training run RUN: steps 100, 200, 300, {guess}" in out.splitlines()
    assert labelled(run.root) == {f"checkpoint-{step}": ("RUN", step) for step in (100, 200, 300)}
    _, out, _ = run(training / "checkpoint-100.jsonl", "-v")
    assert f"  of the training run RUN: step 100, {guess}" in out.splitlines()
    # A run that is named is that of all files.
    run(training, "--series", "mine")
    assert labelled(run.root) == {f"checkpoint-{step}": ("mine", step) for step in (100, 200, 300)}


def test_what_is_said_at_import_overrules_the_path_and_stays(run, training):
    first = training / "checkpoint-100.jsonl"
    _, out, _ = run(first, "--series", "mine", "--at", "7")
    assert "  of the training run mine: step 7" in out.splitlines()
    parts = sorted(run.root.glob("rewards/*/part-*"))
    assert labelled(run.root) == {"checkpoint-100": ("mine", 7)}
    # Again without the flags: the guess does not come back.
    for words in ((), ("--name", "checkpoint-100")):
        run(first, *words)
        assert labelled(run.root) == {"checkpoint-100": ("mine", 7)}
    # With other ones the numbers stay as they are.
    _, out, _ = run(first, "--series", "better")
    assert "in the workspace: unchanged" in out
    assert labelled(run.root) == {"checkpoint-100": ("better", 100)}
    assert sorted(run.root.glob("rewards/*/part-*")) == parts


def test_what_cannot_be_said_of_a_checkpoint_is_one_sentence(run, training):
    one = [{"id": case["id"], "a": [0.25, 0.5, 0.75]} for case in rows(4)]
    (training / "rewards.jsonl").write_bytes(json_lines(one))
    (training / "two.jsonl").write_bytes(json_lines([{**given, "b": [0.25, 0.5, 0.75]} for given in one]))
    for file, words, said in (
        ("checkpoint-100.jsonl", ("--series", " "), "--series is empty"),
        ("../sums.jsonl", ("--series", "x"), "--series is for what scorers gave, and there is nothing of that kind"),
        ("checkpoint-*", ("--at", "7"), "--at 7 is for one scorer, and there are 3"),
        ("rewards.jsonl", ("--series", "x"), "--series x does not say at which training step. Add --at STEP."),
        ("rewards.jsonl", ("--at", "7"), "--at 7 does not say of which training run. Add --series NAME."),
        ("two.jsonl", ("--series", "x"), "holds 2 scorers, and --series is for files of one each"),
    ):
        code, _, err = run(*(training.glob(file) if "*" in file else [training / file]), *words)
        assert (code, said in err) == (2, True), (file, err)
    assert labelled(run.root) == {}


def test_several_scorers_of_one_file_are_no_checkpoint(run, training):
    given = [{"id": one["id"], "a": [0.25, 0.5, 0.75], "b": [0.5, 0.5, 0.5]} for one in rows(4)]
    (training / "checkpoint-400.jsonl").write_bytes(json_lines(given))
    _, out, _ = run(training / "checkpoint-400.jsonl")
    assert "training run" not in out
    assert labelled(run.root) == {"a": (None, None), "b": (None, None)}


@pytest.fixture
def mixed(tmp_path):
    """Cases and results in one folder, results first."""
    home = tmp_path / "mixed"
    home.mkdir()
    (home / "A-PRM_details.jsonl").write_bytes(json_lines(details(6)))
    (home / "cases.jsonl").write_bytes(json_lines(cases(6)))
    (home / "sums.jsonl").write_bytes(json_lines(rows(4)))
    return home


def places(root):
    """Every file and folder below, with its size and the time of its last change."""
    return sorted((str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in [root, *root.rglob("*")])


def test_results_are_reported_like_cases(run, mixed):
    code, out, err = run(mixed)
    assert (code, err) == (0, "")
    wrong = "wrong iff its reward < 0.5 (default)"
    assert out.splitlines()[:-1] == [
        f"3 files in {mixed}: 10 cases of 2 benchmarks; 1 PRM (1 new)",
        "  benchmark     files  rows  cases  erroneous  clean  new",
        "  grben             1     6      6          6      0    6",
        "  processbench      1     4      4          2      2    4",
        "  labels: grben 1-based, -1 = no error; processbench 0-based, -1 = no error",
        f"  A-PRM: 6 of 6 joined to grben by ids; step rewards; {wrong}; indices 1-based, -1 = no error",
        "-v lists every file and finding.",
    ]
    again = run(mixed)[1]
    assert again.splitlines()[:-1] == [
        f"{mixed}/A-PRM_details.jsonl: unchanged since it was imported: 6 results of A-PRM",
        f"{mixed}/cases.jsonl: unchanged since it was imported: 6 cases of grben",
        f"{mixed}/sums.jsonl: unchanged since it was imported: 4 cases of processbench",
    ]
    whole = run(mixed, "-v")[1]
    results = whole[whole.index(f"{mixed}/A-PRM") :].splitlines()
    assert results[:-1] == [
        f"{mixed}/A-PRM_details.jsonl: prm A-PRM (GR-Ben PRM details)",
        "  6 of 6 results joined to grben by ids",
        "  what it gives: 6 with step rewards; a step is judged wrong iff its reward < 0.5 (default)",
        "  indices: 1-based, -1 = no error",
        "  in the workspace: unchanged",
    ]
    assert whole.count("in the workspace: ") == 3


@pytest.mark.parametrize("given", [[0.9, 0.4, 0.6, 0.5], [0.9, float("nan"), 0.6]], ids=["one too long", "not finite"])
def test_results_of_which_none_can_be_used_are_no_success(run, tmp_path, given):
    """What is refused is no reward that a threshold decides on."""
    for name, whole in (("all", ()), ("some", range(3))):
        scored = [{"id": f"processbench/{one['id']}", "rewards": given} for one in rows(4)]
        for at in whole:
            scored[at]["rewards"] = [0.9, 0.4, 0.6]
        (tmp_path / f"{name}.jsonl").write_bytes(json_lines(scored))
    (tmp_path / "sums.jsonl").write_bytes(json_lines(rows(4)))
    run(tmp_path / "sums.jsonl")
    code, _, err = run(tmp_path / "all.jsonl")
    assert (code, "not one of the 4 results" in err) == (2, True), err
    code, out, _ = run(tmp_path / "some.jsonl")
    rule = "a step is judged wrong iff its reward < 0.5 (default)"
    assert (code, f"  what it gives: 3 with step rewards, 1 refused; {rule}" in out.splitlines()) == (1, True), out
    # In a folder the other files are imported all the same.
    (tmp_path / "both").mkdir()
    for name in ("all", "some"):
        (tmp_path / f"{name}.jsonl").rename(tmp_path / "both" / f"{name}.jsonl")
    code, out, _ = run(tmp_path / "both")
    assert (code, "not one of the 4 results" in out) == (1, True), out


@pytest.mark.parametrize(
    ("columns", "stated"),
    [
        (("--id", "no", "--verdict", "judged", "--name", "critic"), ()),
        (("--id", "no", "--verdict", "judged", "--name", "critic"), ("--base", "1")),
        ((), ()),
    ],
    ids=["columns are stated", "and the base", "nothing is stated"],
)
def test_the_flags_that_a_hint_gives_for_verdicts_read_them_without_a_warning(run, tmp_path, columns, stated):
    """Steps are called 1 to 3 here, and 0 stands for no error."""
    case, verdict = ("no", "judged") if columns else ("id", "verdict")
    judged = [{case: f"processbench/{one['id']}", verdict: number % 4} for number, one in enumerate(rows(12))]
    (tmp_path / "sums.jsonl").write_bytes(json_lines(rows(12)))
    (tmp_path / "critic.jsonl").write_bytes(json_lines(judged))
    run(tmp_path / "sums.jsonl")
    code, out, _ = run(tmp_path / "critic.jsonl", *columns, *stated, "--dry-run")
    flags = "--base 1 --clean 0"
    assert (code, flags in out) == (1, True), out
    code, out, _ = run(tmp_path / "critic.jsonl", *columns, *flags.split())
    assert (code, "label-base" in out, "-1 or 0 = no error" in out) == (0, False, True), out
    (folder,) = Workspace.open(run.root).reward_folders()
    assert sorted(VoteParts(folder).read()[0]["verdict"]) == sorted([-1, 0, 1, 2] * 3)


def labels_and_verdicts(run, path, *stated):
    """Import cases whose labels are 0, 1, 2 and -1 (none), beside which a critic says 1, 2, 3 and 0 (none)."""
    labels = [0, 1, 2, -1] * 3
    judged = [{**one, "label": label, "said": label + 1} for one, label in zip(rows(12), labels, strict=True)]
    if path.suffix == ".csv":
        table = pl.DataFrame(judged).select("id", "problem", pl.col("steps").list.join("\n\n"), "label", "said")
        table.write_csv(path)
    else:
        path.write_bytes(json_lines(judged))
    code, out, _ = run(path, "--verdict", "said", "--base", "1", "--clean", "0", *stated)
    space = Workspace.open(run.root)
    (folder,) = space.reward_folders()
    return code, out, space.cases()[0]["earliest_error"].to_list(), VoteParts(folder).read()[0]["verdict"].to_list()


@pytest.mark.parametrize(("name", "stated"), [("sums.jsonl", ()), ("sums.csv", ("--label-base", "0"))])
def test_what_verdicts_hold_for_no_error_is_not_said_of_labels_in_which_it_is_the_first_step(
    run, tmp_path, name, stated
):
    code, out, labels, verdicts = labels_and_verdicts(run, tmp_path / name, *stated)
    assert code == 0, out
    assert labels == [0, 1, 2, -1] * 3
    assert sorted(verdicts) == sorted(labels)


def test_labels_of_which_two_are_taken_for_no_error_are_counted(run, tmp_path):
    code, out, labels, _ = labels_and_verdicts(run, tmp_path / "sums.csv")
    assert code == 1
    assert "3 labels are -1 and 3 are 0, and both were read as no error" in out
    assert "(--label-base 0, if 0 is the first step)" in out
    assert labels == [-1, 1, 2, -1] * 3


@pytest.mark.parametrize("words", [("--name", "A-PRM"), ("--name", "A-PRM", "--series", "RUN", "--at", "100")])
def test_the_same_command_with_a_name_finds_nothing_new(run, tmp_path, words):
    (tmp_path / "sums.jsonl").write_bytes(json_lines(rows(4)))
    given = tmp_path / "given.jsonl"
    given.write_bytes(json_lines([{"id": one["id"], "rewards": [0.9] * 3} for one in rows(4)]))
    run(tmp_path / "sums.jsonl")
    words = (given, *words)
    code, out, _ = run(*words, "--dry-run")
    assert (code, out.startswith(f"{given}: prm A-PRM (table)\n")) == (0, True), out
    assert run(*words)[0] == 0
    code, out, err = run(*words)
    assert (code, err) == (0, "")
    assert out.startswith(f"{given}: unchanged since it was imported: 4 results of A-PRM\n")
    # Nor is the name wanted of cases that are new beside it.
    (tmp_path / "sums.jsonl").write_bytes(json_lines(rows(5)))
    assert run(tmp_path / "sums.jsonl", *words)[0] == 0


def test_labels_of_which_the_base_is_stated_are_not_doubted_and_do_not_say_that_of_verdicts(run, tmp_path):
    _, out, labels, _ = labels_and_verdicts(run, tmp_path / "sums.csv", "--label-base", "1")
    assert labels == [-1, 0, 1, -1] * 3
    assert "both were read as no error" not in out
    # What the hint says, and no more.
    words = ("--verdict", "said", "--clean", "0", "--label-base", "0", "--name", "again")
    code, out, _ = run(tmp_path / "sums.csv", *words)
    assert code == 0, out
    verdicts = [
        VoteParts(folder).read()[0]["verdict"].to_list() for folder in Workspace.open(run.root).reward_folders()
    ]
    assert sorted([-1, 0, 1, 2] * 3) in map(sorted, verdicts)


@pytest.mark.parametrize("flag", ["--base", "--label-base"])
def test_results_of_a_format_that_says_their_base_stay_results_where_another_is_stated(run, tmp_path, flag):
    judged = [{**one, "generated_critique": r"So \boxed{1}.", "prediction": 1} for one in rows(4)]
    (tmp_path / "sums.jsonl").write_bytes(json_lines(rows(4)))
    (tmp_path / "critic.jsonl").write_bytes(json_lines(judged))
    run(tmp_path / "sums.jsonl")
    code, out, _ = run(tmp_path / "critic.jsonl", flag, "1")
    assert (code, f"{flag} passed over: ProcessBench output says itself" in out) == (1, True), out
    (folder,) = Workspace.open(run.root).reward_folders()
    assert VoteParts(folder).read()[0]["verdict"].to_list() == [1] * 4
    assert Workspace.open(run.root).default_benchmarks() == ["processbench"]


@pytest.mark.parametrize("again", [False, True], ids=["no workspace", "a workspace"])
def test_a_dry_run_reports_the_same_and_writes_nothing_at_all(run, mixed, tmp_path, again):
    if again:
        run(mixed / "cases.jsonl")
        (mixed / "cases.jsonl").unlink()
    abandoned = tmp_path / f".import-1-{uuid7()}"
    abandoned.mkdir()
    os.utime(abandoned, (0, 0))
    before = places(tmp_path)
    code, dry, _ = run(mixed, "--dry-run", "-v")
    assert places(tmp_path) == before
    found, out, _ = run(mixed, "-v")
    assert found == code == 0
    told = [line for line in out.splitlines()[:-1] if "in the workspace: " not in line]
    listed = told.index(next(line for line in told if "cases.jsonl: " in line or "sums.jsonl: " in line))
    assert dry.splitlines()[-len(told[listed:]) :] == told[listed:]
    assert dry.splitlines()[0] == re.sub(r" \(1 \w+\)", "", told[0])


def test_strict_refuses_results_with_a_warning_and_writes_nothing(run, mixed, tmp_path):
    (mixed / "A-PRM_details.jsonl").write_bytes(json_lines([*details(20), *details(1, probs=[0.5])]))
    (mixed / "cases.jsonl").write_bytes(json_lines(cases(20)))
    before = places(tmp_path)
    code, out, err = run(mixed, "--strict")
    assert (code, out) == (2, "")
    assert "repeated-id" in err
    assert places(tmp_path) == before


def test_what_does_not_join_is_counted_and_listed_with_its_line(run, mixed):
    (mixed / "cases.jsonl").write_bytes(json_lines(cases(19)))
    (mixed / "A-PRM_details.jsonl").write_bytes(json_lines(details(20)) + b"{broken\n")
    code, out, _ = run(mixed)
    assert code == 1
    assert "  A-PRM: 19 of 20 joined to grben by ids, 1 not; 1 of 21 rows was left out while reading; step rew" in out
    assert "\nwarning: 1 x not-joined in 1 file\n  A-PRM_details.jsonl:20: no case has this id [physics-19]\n" in out
    assert "\n  A-PRM_details.jsonl:21: not valid JSON" in out
    assert out.index("error: 1 x broken-row") < out.index("warning: 1 x not-joined")


def test_results_without_their_benchmark_are_refused_with_what_is_here(run, mixed):
    code, out, err = run(mixed / "A-PRM_details.jsonl")
    assert (code, out) == (2, "")
    assert err.startswith("Cannot join the results: ")
    assert "has ids and no texts, and no benchmark is imported that they could be of. Import the benchmark" in err
    assert err.endswith("or both at once: prm-inspect import BENCHMARK-FILE RESULTS-FILE\n")
    assert err.count("\n") == 1
    assert not run.root.exists()


def test_a_benchmark_can_be_named_for_ids(run, mixed):
    run(mixed / "cases.jsonl")
    other = json_lines([*details(3), {"id": "x", "gt_label": -1, "probs": [0.5]}])
    (mixed / "A-PRM_details.jsonl").write_bytes(other)
    assert run(mixed / "A-PRM_details.jsonl")[0] == 2
    code, out, _ = run(mixed / "A-PRM_details.jsonl", "--benchmark", "grben")
    assert code == 1
    assert "3 of 4 results joined to grben by ids, 1 not" in out
    code, _, err = run(mixed / "A-PRM_details.jsonl", "--benchmark", "sums")
    assert (code, err) == (2, "Wrong usage: there are no cases of a benchmark 'sums'. Benchmarks here: grben, demo.\n")


def test_what_a_file_gave_before_and_gives_no_longer_is_counted(run, tmp_path):
    (tmp_path / "cases.jsonl").write_bytes(json_lines(rows(4)))
    mine = tmp_path / "mine.jsonl"
    given = [{"id": one["id"], "rewards": [0.5] * 3} for one in rows(4)]
    mine.write_bytes(json_lines(given))
    assert run(tmp_path / "cases.jsonl", mine)[0] == 0
    mine.write_bytes(json_lines(given[:1]))
    gone = "What this file gave 3 cases before is gone: what was read of it now takes its place"
    code, out, _ = run(mine)
    assert (code, gone in out) == (1, True)
    mine.write_bytes(json_lines(given))
    code, out, _ = run(mine)
    assert (code, "is gone" in out) == (0, False)


def test_a_benchmark_that_is_named_for_no_results_is_refused(run, tmp_path):
    (tmp_path / "cases.jsonl").write_bytes(json_lines(rows(4)))
    code, _, err = run(tmp_path / "cases.jsonl", "--benchmark", "mine")
    assert (code, run.root.exists()) == (2, False)
    assert "--benchmark says whose cases results are of, and here are none." in err
    code, out, _ = run(tmp_path / "cases.jsonl", "--earliest-error", "label")
    assert (code, "cases.jsonl: cases " in out) == (0, True)


def test_a_taken_name_is_said_and_another_name_is_the_way_out(run, mixed):
    run(mixed)
    other = mixed / "second" / "A-PRM_details.jsonl"
    other.parent.mkdir()
    other.write_bytes(json_lines(details(6, probs=[0.1, 0.2, 0.3])))
    code, out, _ = run(mixed)
    assert code == 1
    assert f"{mixed}/A-PRM_details.jsonl: unchanged since it was imported: 6 results of A-PRM" in out
    assert f"{other}: prm A-PRM (GR-Ben PRM details)\n" in out
    assert "in the workspace: left out. Scorer name is taken: " in out
    assert f"{mixed}/A-PRM_details.jsonl gave 'A-PRM' other" in out
    assert run(other)[0] == 2
    code, out, _ = run(other, "--name", "A-PRM again")
    assert code == 0
    assert ": prm A-PRM again (GR-Ben" in out
    assert len(Workspace.open(run.root).reward_folders()) == 2


def table(folder, count, start=0):
    """A table without ids, called like many others."""
    folder.mkdir(exist_ok=True)
    path = folder / "train.jsonl"
    path.write_bytes(json_lines([row(start + number, id=..., label=...) for number in range(count)]))
    return path


def test_a_table_of_the_same_name_from_another_folder_is_told(run, tmp_path, monkeypatch):
    one, two = table(tmp_path / "one", 3), table(tmp_path / "two", 3, start=10)
    assert run(one)[0] == 0
    code, out, _ = run(two)
    assert code == 1
    told = (
        "  warning: some of the changed ones were imported from {}, and are now those of this file; results of their "
        "former texts are theirs again once that file is imported again"
    )
    assert told.format(one) in out.splitlines()
    assert "0 new, 3 changed, 0 unchanged" in out
    # The cases are the second file's now: another state of it is no surprise, the first one again is.
    table(tmp_path / "two", 3, start=20)
    code, out, _ = run(two)
    assert (code, "warning" in out) == (0, False)
    code, out, _ = run(one)
    assert code == 1
    assert told.format(two) in out.splitlines()


def test_the_same_name_given_from_two_folders_is_two_files(run, tmp_path, monkeypatch):
    one, two = table(tmp_path / "one", 3), table(tmp_path / "two", 2, start=10)
    for folder, code in ((one.parent, 0), (two.parent, 1), (two.parent, 0)):
        monkeypatch.chdir(folder)
        assert run("train.jsonl")[0] == code
    found = Workspace.open(run.root)
    metadata, _ = found.cases()
    paths = {report["source"]: report["path"] for report in found.imports("train")}
    assert [paths[source] for source in metadata["source"]] == [str(two), str(two), str(one)]
    table(two.parent, 2, start=20)
    code, out, _ = run("train.jsonl")
    assert (code, "warning" in out) == (0, False)


def test_two_tables_of_the_same_name_at_once_are_told(run, tmp_path):
    one, two = table(tmp_path / "one", 3), table(tmp_path / "two", 3, start=10)
    code, out, _ = run(one, two)
    assert code == 1
    assert f"imported from {one}, and are now those of this file" in out


def test_equal_files_in_two_folders_replace_nothing(run, tmp_path):
    one, two = table(tmp_path / "one", 3), table(tmp_path / "two", 3)
    run(one)
    code, out, _ = run(two)
    assert (code, "0 new, 0 changed, 3 unchanged" in out) == (0, True)


def import_together(root, path, together):
    together.wait(30)
    raise SystemExit(main(["import", str(path), "-w", str(root), "-q"]))


def test_two_imports_at_once_lose_nothing(tmp_path, mixed):
    other = tmp_path / "other"
    other.mkdir()
    (other / "B-PRM_details.jsonl").write_bytes(json_lines(details(6)))
    (other / "cases.jsonl").write_bytes(json_lines(cases(8)))
    context = multiprocessing.get_context("spawn")
    together = context.Barrier(2)
    root = tmp_path / "workspace"
    process = context.Process(target=import_together, args=(root, mixed, together))
    process.start()
    together.wait(30)
    code = main(["import", str(other), "-w", str(root), "-q"])
    process.join(60)
    assert (code, process.exitcode) in {(0, 0), (0, 1), (1, 0)}
    workspace = Workspace.open(root)
    assert workspace.cases(["grben"])[0].height == 8
    assert [RewardParts(folder).read()[0].height for folder in workspace.reward_folders()] == [6, 6]
    assert not list(root.glob(".import-*"))


def test_results_cannot_be_saved_on_a_disk_that_is_really_read_only(small_disk, mixed, capsys):
    where = ["-w", str(small_disk / "workspace")]
    main(["import", str(mixed / "cases.jsonl"), *where])
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    capsys.readouterr()
    assert main(["import", str(mixed / "A-PRM_details.jsonl"), *where]) == 2
    err = capsys.readouterr().err
    assert "the file system is read-only" in err
    assert err.count("\n") == 1


BOXES = ["\\boxed{1}", "no box at all", "\\boxed{}", "\\boxed{2.0}", "\\boxed{paragraph_2}", "\\boxed{-1}"]


def critic_rows(answers):
    return [{**one, "generated_critique": answer} for one, answer in zip(rows(len(answers)), answers, strict=True)]


def unparsed_cases(run, capsys):
    assert main(["scorers", "-w", str(run.root), "--json"]) == 0
    return {row["scorer"]: row["unparsed"] for row in json.loads(capsys.readouterr().out)["rows"]}


def test_the_report_counts_unparsed_answers_as_metrics_does_and_names_why(run, tmp_path, capsys):
    (tmp_path / "cases.jsonl").write_bytes(json_lines(rows(6)))
    (tmp_path / "critic.jsonl").write_bytes(json_lines(critic_rows(BOXES)))
    _, out, _ = run(tmp_path / "cases.jsonl", tmp_path / "critic.jsonl", "-v")
    why = "2 the box holds no whole number, 1 the answer has no \\boxed{...}, 1 the box is empty"
    assert f"  what it gives: 6 answers, 4 unparsed ({why})\n" in out
    assert unparsed_cases(run, capsys) == {"critic": 4}


def test_of_votes_the_report_counts_the_cases_that_metrics_counts_too(run, tmp_path, capsys):
    (tmp_path / "cases.jsonl").write_bytes(json_lines(rows(3)))
    votes = [["none", "\\boxed{1}"], ["none", "none"], ["\\boxed{x}", "\\boxed{x}", "\\boxed{0}"]]
    (tmp_path / "critic.jsonl").write_bytes(json_lines(critic_rows(votes)))
    _, out, _ = run(tmp_path / "cases.jsonl", tmp_path / "critic.jsonl", "-v")
    why = "3 the answer has no \\boxed{...}, 2 the box holds no whole number"
    assert f"  what it gives: 7 answers, 5 unparsed ({why}); after the vote 2 of 3 cases are unparsed\n" in out
    assert unparsed_cases(run, capsys) == {"critic": 2}


@pytest.mark.parametrize(("file", "name"), [("mine.jsonl", "mine"), ("rewards.jsonl", "a-prm")])
def test_a_file_is_named_after_itself_or_the_report_says_that_it_is_not(run, tmp_path, file, name):
    (tmp_path / "cases.jsonl").write_bytes(json_lines(rows(4)))
    (tmp_path / "a-prm").mkdir()
    rewards = [{"id": one["id"], "rewards": [0.9, 0.25, 0.9]} for one in rows(4)]
    (tmp_path / "a-prm" / file).write_bytes(json_lines(rewards))
    _, out, _ = run(tmp_path / "cases.jsonl", tmp_path / "a-prm" / file, "-v")
    assert f"{file}: prm {name} (table)\n" in out
    said = f"  name: that of its folder, for {file} does not say whose it is; --name NAME gives another\n"
    assert (said in out) is (name == "a-prm")
    _, out, _ = run(tmp_path / "a-prm" / file, "--name", "chosen")
    assert f"{file}: prm chosen (table)\n" in out
    assert said not in out


def test_a_prm_that_gives_verdicts_alone_is_no_critic(run, tmp_path, capsys):
    predictions = [-1, 0, 2, None]
    told = [{**one, "prediction": at, "match": False} for one, at in zip(rows(4), predictions, strict=True)]
    (tmp_path / "cases.jsonl").write_bytes(json_lines(rows(4)))
    (tmp_path / "a-prm.jsonl").write_bytes(json_lines(told))
    _, out, _ = run(tmp_path / "cases.jsonl", tmp_path / "a-prm.jsonl", "-v")
    assert f"{tmp_path / 'a-prm.jsonl'}: prm a-prm (ProcessBench output)\n" in out
    assert "  what it gives: 1 refused, 3 verdicts as given, without step rewards\n" in out
    assert "boxed" not in out
    assert "answers" not in out
    assert "1 PRM (1 new)" in out
    assert main(["scorers", "-w", str(run.root), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["kind"], row["scored"], row["refused"], row["unparsed"]) == ("prm", 3, 1, 0)
    assert (row["answers"], row["threshold_source"]) == (None, "verdicts as given")
    # What asks for rewards or answers says that there are none.
    for words in (
        ["metrics"],
        ["board"],
        ["card", "a-prm"],
        ["thresholds"],
        ["cases"],
        ["show", "processbench/sums-1"],
    ):
        assert main([*words, "-w", str(run.root), "--json"]) == 0, words
        assert "answer names" not in capsys.readouterr().out
