import pytest

from scoring.data.errors import NoWorkspace
from scoring.workspace.workspace import Workspace
from scoring.workspace.workspace_place import demo_workspace, find_workspace, find_workspace_or_demo


def test_where_the_workspace_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PRM_INSPECT_WORKSPACE", raising=False)
    monkeypatch.setattr("platformdirs.user_data_path", (tmp_path / "own").joinpath)
    with pytest.raises(NoWorkspace, match="prm-inspect import PATH"):
        find_workspace(None)
    Workspace.create(tmp_path / "own" / "prm-inspect")
    assert find_workspace(None).root == tmp_path / "own" / "prm-inspect"
    Workspace.create(tmp_path / ".prm-inspect")
    assert find_workspace(None).root.resolve() == tmp_path / ".prm-inspect"
    monkeypatch.setenv("PRM_INSPECT_WORKSPACE", str(tmp_path / "named"))
    with pytest.raises(NoWorkspace):
        find_workspace(None)
    assert find_workspace(None, create=True).root == tmp_path / "named"
    assert find_workspace(str(tmp_path / "given"), create=True).root == tmp_path / "given"


def test_what_is_said_and_tried_of_the_demo_stays_where_it_is_once_it_is_scored(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PRM_INSPECT_WORKSPACE", raising=False)
    monkeypatch.setattr("platformdirs.user_data_path", (tmp_path / "own").joinpath)
    before = find_workspace_or_demo(None, ["demo"])
    assert before.root is None
    Workspace.create(demo_workspace())
    after = find_workspace_or_demo(None, ["demo"])
    assert after.root == demo_workspace()
    assert (after.triage, after.variants) == (before.triage, before.variants)
    assert before.triage is not None
    # Whoever makes the workspace there finds it too.
    own = Workspace.create(tmp_path / "own" / "prm-inspect")
    assert (own.triage, own.variants) == (before.triage, before.variants)
