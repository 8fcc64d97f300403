import pytest

from inspector.workspace_place import find_workspace
from scoring.errors import NoWorkspace
from scoring.workspace import Workspace


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
