import pytest

import making
from scoring.data.errors import DamagedWorkspace, NoWorkspace, ScorerConflict
from scoring.workspace.reservation import find, reserve_scorer
from scoring.workspace.workspace import Workspace


@pytest.fixture
def workspace(tmp_path):
    return Workspace.create(tmp_path)


def saved(workspace, **settings):
    scorer = making.scorer(**settings)
    scorer.save(reserve_scorer(workspace, scorer).folder)
    return scorer


def test_a_free_name_has_its_folder_and_nothing_is_written(workspace):
    scorer = making.scorer("tiny")
    parts = reserve_scorer(workspace, scorer)
    assert parts.folder == workspace.root / "rewards" / scorer.folder
    assert not parts.folder.exists()


def test_the_same_scorer_has_the_same_folder(workspace):
    scorer = saved(workspace, name="tiny")
    assert reserve_scorer(workspace, scorer).folder.name == scorer.folder


def test_a_name_taken_by_another_fingerprint_is_refused_with_both_and_what_differs(workspace):
    saved(workspace, name="tiny", fingerprint="a" * 64, settings={"dtype": "float32", "weights": {}})
    other = making.scorer("tiny", fingerprint="b" * 64, settings={"dtype": "bfloat16", "weights": {}})
    with pytest.raises(ScorerConflict) as caught:
        reserve_scorer(workspace, other)
    for words in ("a" * 16, "b" * 16, "dtype: 'float32' there, 'bfloat16' now", "--name"):
        assert words in str(caught.value)
    assert "weights" not in str(caught.value)


def test_two_fingerprints_that_begin_alike_do_not_share_a_folder(workspace):
    saved(workspace, name="A b", fingerprint="a" * 64)
    with pytest.raises(ScorerConflict):
        reserve_scorer(workspace, making.scorer("a-B", fingerprint="a" * 8 + "b" * 56))


def test_a_scorer_is_found_by_its_fingerprint(workspace):
    scorer = saved(workspace, name="tiny", fingerprint="a" * 64)
    assert find(workspace, "a" * 64) == scorer
    assert find(workspace, "b" * 64) is None


def test_another_scorers_damage_is_no_obstacle_and_ones_own_is_told(workspace):
    scorer = saved(workspace, name="tiny")
    (workspace.root / "rewards" / scorer.folder / "scorer.json").write_text("{")
    reserve_scorer(workspace, making.scorer("other"))
    with pytest.raises(DamagedWorkspace):
        reserve_scorer(workspace, scorer)


def test_a_workspace_without_a_folder_takes_nothing():
    with pytest.raises(NoWorkspace):
        reserve_scorer(Workspace(None), making.scorer())


def test_of_a_setting_that_holds_several_those_that_differ_are_told(workspace):
    sampling = {"temperature": 0.3, "top_p": 0.9, "top_k": None, "max_tokens": 8192}
    saved(workspace, name="critic", fingerprint="a" * 64, settings={"sampling": sampling})
    other = making.scorer("critic", fingerprint="b" * 64, settings={"sampling": sampling | {"top_p": None}})
    with pytest.raises(ScorerConflict, match=r"\(sampling top_p: 0\.9 there, None now\)"):
        reserve_scorer(workspace, other)
