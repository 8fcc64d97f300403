"""Commands on an address do what they do on a folder; what goes wrong is one sentence."""

import json
import os

import pytest

from at_the_terminal import printed, shell
from inspector.cli.actions import watching
from scoring.api import open_workspace
from scoring.data.errors import InspectError, StoreError, UsageError
from scoring.data.storage import object_store
from scoring.data.storage.store_address import Address
from scoring.workspace.remote import cache, finish, open_mirror
from scoring.workspace.workspace import Workspace, workspace_folder

ROWS = [
    {"id": f"c{number}", "problem": f"{number}?", "steps": ["one", "two"], "label": number % 3 - 1, "generator": "g"}
    for number in range(9)
]


@pytest.fixture(autouse=True)
def _let_go():
    yield
    finish()


@pytest.fixture
def at(monkeypatch, tmp_path):
    """Go to a machine by its name."""

    def at(name):
        finish()
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        monkeypatch.setenv("PRM_INSPECT_USER", name)
        return folder

    return at


@pytest.fixture
def filled(at, address):
    """A workspace in the bucket with nine cases and a scorer, imported at one machine."""
    folder = at("ann")
    (folder / "sums.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    rewards = [{"id": row["id"], "rewards": [0.9, 0.2]} for row in ROWS]
    (folder / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rewards))
    shell("import", "processbench", "sums.jsonl", "-w", address, cwd=folder)
    shell("import", "mine.jsonl", "--id", "id", "--rewards", "rewards", "-w", address, cwd=folder)
    return folder


def test_what_is_imported_at_one_machine_is_seen_at_another(filled, at, address, monkeypatch):
    mine = printed("metrics", "-w", address, cwd=filled)
    cases = printed("cases", "-w", address, cwd=filled)
    folder = at("bob")
    assert printed("metrics", "-w", address, cwd=folder) == mine
    assert printed("cases", "-w", address, cwd=folder) == cases
    assert len(cases) == 9
    # An address in the environment is one too.
    monkeypatch.setenv("PRM_INSPECT_WORKSPACE", address)
    assert printed("cases", cwd=folder) == cases


def test_what_a_command_prints_names_the_address_and_no_cache(filled, address, at):
    told = shell("remove", "scorer", "mine", "-w", address, cwd=filled).decode()
    assert f"the trash of {address}." in told
    folder = at("bob")
    assert "removed thing" in shell("restore", "-w", address, cwd=folder).decode()
    shell("restore", "mine", "-w", address, cwd=folder)
    at("ann")
    assert {row["scorer"] for row in printed("metrics", "-w", address, cwd=filled)} == {"mine"}


def test_a_notebook_adds_to_it(filled, at, address):
    ours = open_workspace(address)
    ours.add_rewards("other", [{"id": row["id"], "rewards": [0.1, 0.9]} for row in ROWS])
    # Without an end: it is there when the call returns.
    at("bob")
    assert open_workspace(address, create=False).scorers() == ["mine", "other"]


@pytest.mark.parametrize(
    "text",
    [
        "s3://ann:SECRET@bucket/x",
        "s3://SECRET@bucket/x",
        "s3://bucket/../x",
        "s3://bucket//x",
        "s3://bucket/x?token=SECRET",
        "s3:///x",
        "s3://b/x",
        "s3://bucket/a\\b",
        "s3://bucket/a\nb",
        "ftp://SECRET/x",
        "az://UPPER/x",
        "gs://-x/y",
        "hf://alone",
        "hf://datasets/owner",
        "hf://a/b/../c",
        "https://SECRET.example/x",
    ],
)
def test_no_address_is_refused_and_nothing_of_it_repeated(text):
    with pytest.raises(UsageError) as error:
        workspace_folder(text)
    assert "SECRET" not in str(error.value)


@pytest.mark.parametrize(
    "text", ["s3://bucket", "gs://bucket.name/a/b", "az://container/x y", "hf://datasets/o/n@main/a", "hf://o/n"]
)
def test_addresses_are_read_and_written_alike(text):
    assert str(Address.parse(text)) == text
    assert str(Address.parse(text + "/")) == text


def test_what_is_wrong_with_a_store_is_one_sentence(store, at, address, bucket, filled, monkeypatch):
    folder = at("bob")

    def fails(where=address):
        with pytest.raises(InspectError) as error:
            workspace_folder(where)
        told = str(error.value)
        assert "\n" not in told
        assert "<" not in told
        assert not list(cache().glob("*"))
        return told

    assert "there is no such bucket" in fails("s3://no-such-bucket/x")
    assert f"Make one with: prm-inspect import PATH -w s3://{bucket}/nothing" in fails(f"s3://{bucket}/nothing")
    with monkeypatch.context() as env:
        env.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
        assert "not accepted" in fails()
    with monkeypatch.context() as env:
        env.delenv("AWS_ACCESS_KEY_ID")
        assert "there are no credentials" in fails()
    with monkeypatch.context() as env:
        env.setattr(object_store, "RETRY_SECONDS", 0.2)
        env.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
        assert "cannot be reached now" in fails()
        env.setenv("AWS_ENDPOINT_URL", "http://store.example")
        assert "without encryption" in fails()
    with monkeypatch.context() as env:
        env.setitem(__import__("sys").modules, "obstore", None)
        assert "pip install 'prm-inspect[remote]'" in fails()
    assert folder


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "no credentials"),
        ({"AZURE_STORAGE_ACCOUNT_NAME": "lab"}, "no credentials"),
        ({"AZURE_STORAGE_ACCOUNT_NAME": "lab", "AZURE_STORAGE_ACCOUNT_KEY": "not base64!"}, "not accepted"),
    ],
)
def test_what_is_missing_for_azure_is_named(settings, words, at, monkeypatch):
    at("bob")
    monkeypatch.setattr(object_store, "RETRY_SECONDS", 0.2)
    for name in [name for name in os.environ if name.startswith("AZUR")]:
        monkeypatch.delenv(name)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(InspectError, match=words) as error:
        workspace_folder("az://lab/x")
    assert "not base64!" not in str(error.value)


def test_a_profile_has_the_keys(filled, at, address, store, tmp_path, monkeypatch):
    at("bob")
    keys = {"aws_access_key_id": "AWS_ACCESS_KEY_ID", "aws_secret_access_key": "AWS_SECRET_ACCESS_KEY"}
    lines = [f"{name} = {store.keys['reader'][variable]}" for name, variable in keys.items()]
    (tmp_path / "credentials").write_text("\n".join(["[lab]", *lines]))
    for name in keys.values():
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_PROFILE", "lab")
    assert Workspace.open(workspace_folder(address)).benchmarks() == ["processbench"]


def test_a_reader_reads_is_refused_an_import_and_keeps_a_ruling(filled, at, address, store, monkeypatch, capfd):
    folder = at("bob")
    for name, value in store.keys["reader"].items():
        monkeypatch.setenv(name, value)
    assert len(printed("cases", "-w", address, cwd=folder)) == 9
    shell("import", str(filled / "sums.jsonl"), "-w", address, cwd=folder, code=2)
    workspace = Workspace.open(workspace_folder(address))
    case = workspace.cases()[0]["case"][0]
    workspace.journal().rule([case], "gold wrong")
    sentences, keeps = finish()
    assert keeps
    assert "kept on this machine" in sentences[0]
    assert len(printed("cases", "-w", address, cwd=folder)) == 9
    for name, value in store.keys["writer"].items():
        monkeypatch.setenv(name, value)
    shell("cases", "-w", address, "--json", cwd=folder)
    at("ann")
    assert Workspace.open(workspace_folder(address)).journal().triage.rulings[case] == {"bob": "gold wrong"}


def test_names_that_are_no_files_are_left_out_and_counted(filled, at, address, bucket, store, tmp_path):
    before = "team/workspace/"
    for name in ("rewards/a\\..\\b/part-1.parquet", f"triage/{'n' * 300}.jsonl", "../up.json", "dir/"):
        store.s3.put_object(Bucket=bucket, Key=f"{before}{name}", Body=b"{}")
    at("bob")
    workspace_folder(address)
    sentences, _ = finish()
    assert sentences == [f"2 objects of {address} have names that no file can have: left out."]
    outside = [path for path in tmp_path.rglob("*") if path.name in {"up.json", "b"} or "\\" in path.name]
    assert not outside
    store.s3.put_object(Bucket=bucket, Key=f"{before}rewards/../x", Body=b"{}")
    at("eve")
    with pytest.raises(StoreError, match="not a path of a file"):
        workspace_folder(address)


def test_mirrors_used_longest_ago_make_room(filled, at, address, bucket, monkeypatch):
    one, two = f"s3://{bucket}/one", f"s3://{bucket}/two"
    for place in (one, two):
        shell("import", "processbench", "sums.jsonl", "-w", place, cwd=filled)
    at("bob")
    roots = [workspace_folder(place) for place in (one, two)]
    finish()
    for root in roots:
        os.utime(root.parent / "synced.json", (1, 1))
    monkeypatch.setenv("PRM_INSPECT_CACHE_BYTES", "1")
    # What was not sent is never thrown away, and what is open neither.
    said = roots[0] / "triage" / "ann-here.jsonl"
    said.parent.mkdir()
    said.write_text("{}\n")
    open_mirror(two)
    workspace_folder(address)
    assert all(root.exists() for root in roots)
    finish()
    said.unlink()
    shell("import", "processbench", str(filled / "sums.jsonl"), "-w", f"s3://{bucket}/three", cwd=filled)
    at("bob")
    monkeypatch.setenv("PRM_INSPECT_CACHE_BYTES", "1")
    at("ann")
    shell("import", "processbench", str(filled / "sums.jsonl"), "-w", f"s3://{bucket}/four", cwd=filled)
    at("bob")
    root = workspace_folder(f"s3://{bucket}/four")
    assert [home / "workspace" for home in cache().iterdir()] == [root]


def test_a_scoring_process_fills_a_bucket_and_resumes_at_another_machine(
    filled, at, address, tmp_path_factory, monkeypatch
):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    import checkpoints
    import fake_scoring
    import scoring_process
    from scoring.runs.engine_options import EngineOptions

    model = checkpoints.write(tmp_path_factory.mktemp("models") / "tiny")
    words = ("score", "processbench", "--workspace", address, "--model", model, "--device", "cpu", "--name", "tiny")
    env = scoring_process.light()
    at("gpu")
    code, told, _ = scoring_process.ran(*words, "--limit", "5", env=env)
    assert code in {0, 1}
    assert (told[0]["event"], told[-1]["status"]) == ("start", "done")
    at("bob")
    assert open_workspace(address, create=False).scorers() == ["mine", "tiny"]
    finish()
    monkeypatch.setattr(EngineOptions, "load", lambda *_, **__: fake_scoring.Engine())
    _, told, _ = scoring_process.ran_here(*words)
    assert told[0]["cached"] + told[0]["refused"] == 5
    assert not list(cache().glob("*/open"))


def test_a_folder_from_somebody_else_is_no_mirror_and_nothing_is_asked(proxy, at, address, tmp_path):
    folder = at("eve") / "remote" / "sent" / "workspace"
    Workspace.create(folder)
    (folder.parent / "address").write_text(f"{address}\n")
    assert workspace_folder(str(folder)) == folder
    assert Workspace.open(folder).mirror is None
    assert proxy.requests == []


def test_what_is_watched_is_sent_as_it_comes(filled, at, address, monkeypatch):
    monkeypatch.setattr(watching, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(watching, "CASES_SECONDS", 0.05)
    folder = at("eve")
    (folder / "more.jsonl").write_text("".join(json.dumps({**row, "id": f"more-{row['id']}"}) + "\n" for row in ROWS))
    shell("watch", "more.jsonl", "--until-idle", "0", "-w", address, cwd=folder)
    at("bob")
    assert len(open_workspace(address, create=False).cases()) == 18
